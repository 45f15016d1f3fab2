"""Local collections from the command line: a million users, columns of data, and clear verdicts
without shares.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from simnet import (
    About,
    Disclosure,
    Party,
    Sealed,
    Seat,
    SimnetError,
    Tag,
    bits,
    constant,
    run,
    seats,
    verdict,
)
from simnet.cli.main import main
from simnet.scenario.columns import read_column
from tests.harness.data import DATA
from tests.harness.scripts import F, disclosed, protected
from tests.harness.timing import stopwatch


@pytest.fixture
def simnet(capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return int(left.value.code or 0), " ".join(told.out.split()), " ".join(told.err.split())

    return command


def told(simnet: Any, *arguments: object) -> Any:
    status, out, err = simnet(*arguments, "--json", "-")
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.slow
def test_a_million_users_take_about_a_second(simnet: Any) -> None:
    with stopwatch() as watch:
        result = told(simnet, "run", "local_frequency")
    assert watch.seconds < 5  # about 1 on an idle core, imports included
    assert result["ledger"]["messages"] == 1_000_000
    assert result["ledger"]["payload_bytes"] == 4_000_000  # 30 bits are 4 bytes, a message each
    assert (
        result["ledger"]["by_role"]["user"]["sent"]
        == result["ledger"]["by_role"]["server"]["received"]
    )
    assert (
        abs(result["squared_l2"] - result["expected_squared_l2"])
        < 6 * result["deviation_squared_l2"]
    )
    assert result["privacy"]["epsilon"] == pytest.approx(1)
    assert result["privacy"]["delta"] == 0
    for one in result["adversaries"]:
        assert one["shares"]["verdict"] == "no-shares"
        assert one["discrete"]["epsilon"] == pytest.approx(1)
        assert one["holds"]


@pytest.mark.parametrize("settings", [["epsilon=1e-6"], ["epsilon=1e-9"], ["epsilon=4"]], ids=str)
def test_no_number_is_cut_on_eighty_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, settings: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(
            [
                "run",
                "local_frequency",
                *(text for one in settings for text in ("--set", one)),
                "--no-claims",
            ]
        )
    rows = [
        line
        for line in capsys.readouterr().out.splitlines()
        if line[:2].strip().isdigit() and ".." in line
    ]
    assert len(rows) == 30
    for row in rows:
        assert "…" not in row
        assert len(row.split()[3].split("..")) == 2
        assert all(float(text) < 1e12 for text in (*row.split()[1:3], *row.split()[3].split("..")))


def test_a_column_of_numbers_has_its_mean_its_interval_and_its_error(
    simnet: Any, tmp_path: Path
) -> None:
    file = tmp_path / "people.csv"
    file.write_text("name,age\n" + "".join(f"p{k},{20 + k % 50}\n" for k in range(2000)))
    options = (
        "run",
        "local_mean",
        "--input",
        file,
        "--column",
        "age",
        "--set",
        "low=0",
        "--set",
        "high=120",
    )
    status, out, err = simnet(*options)
    assert (status, err) == (0, "")
    for words in (
        "2,000 users, values from column 'age'",
        "true mean 44.5 ",
        "95% interval",
        "squared error",
    ):
        assert words in out
    result = told(simnet, *options)
    assert result["truth"] == {"mean": 44.5}
    low, high = result["interval"]["mean"]
    assert low < result["estimate"]["mean"] < high
    assert result["squared_l2"] == pytest.approx((result["estimate"]["mean"] - 44.5) ** 2)
    assert result["expected_squared_l2"] > 0
    assert result["parameters"]["low"] == 0
    sampled = told(simnet, *options, "--users", 100)
    assert "drawn from its 2,000 users" in sampled["source"]


@pytest.mark.parametrize(
    ("rows", "more", "wrong"),
    [
        (
            "17\n200",
            "",
            (
                "row 2 of column 'age' of people.csv holds 200, which is outside the declared "
                "range 0..120"
            ),
        ),
        ("17\nold", "", "row 2 of column 'age' of people.csv holds 'old', which is no number"),
        ("17\ninf", "", "holds 'inf', which is no number"),
        ("17\n18", "--domain 17,18", "--domain names items, and this scenario takes numbers"),
        ("17\n18", "--set items=3", "no setting is called 'items'"),
        ("17\n18", "--set high=-1", "outside the declared range 0..-1"),
        ("17\n18", "--set population=aggregate", "use population=crowd"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(
    simnet: Any, tmp_path: Path, rows: str, more: str, wrong: str
) -> None:
    file = tmp_path / "people.csv"
    file.write_text(f"age\n{rows}\n")
    options = ["--set", "low=0", *([] if "high" in more else ["--set", "high=120"]), *more.split()]
    status, _, err = simnet("run", "local_mean", "--input", file, "--column", "age", *options)
    assert status == 2
    assert wrong in err


def test_the_range_is_declared_and_not_read_off_the_data(simnet: Any, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age\n17\n18\n")
    status, _, err = simnet("run", "local_mean", "--input", file, "--column", "age")
    assert status == 2
    assert "outside the declared range -1..1: declare the range" in err


@pytest.mark.slow
@pytest.mark.data("adult.csv.gz")
@pytest.mark.parametrize(("column", "high"), [("age", 100), ("capital_gain", 100_000)])
def test_columns_of_the_census(simnet: Any, column: str, high: int) -> None:
    """The error is within 5 standard deviations: a false alarm in 1.7 million."""
    file = DATA / "adult.csv.gz"
    values = [float(value) for value in read_column(file, column).values]
    result = told(
        simnet,
        "run",
        "local_mean",
        "--input",
        file,
        "--column",
        column,
        "--set",
        "low=0",
        "--set",
        f"high={high}",
        "--set",
        "epsilon=2",
    )
    assert result["truth"]["mean"] == pytest.approx(sum(values) / len(values))
    assert result["squared_l2"] < 25 * result["expected_squared_l2"]


# Verdicts without shares


@pytest.mark.slow
def test_verdicts_say_that_there_are_no_shares(simnet: Any) -> None:
    actors = ("--users", 5, "--items", 2, "--set", "population=actors")
    result = told(simnet, "verify", "local_frequency", *actors, "--corrupt", "u1,server")
    assert result["shares"]["verdict"] == "no-shares"
    assert result["discrete"]["epsilon"] == pytest.approx(1)
    assert result["discrete"]["sees"][0]["messages"] == 4
    assert told(simnet, "verify", "local_frequency", *actors, "--corrupt", "u1")["discrete"][
        "independent"
    ]
    repeated = told(
        simnet, "verify", "local_frequency", *actors, "--corrupt", "server", "--collections", 3
    )
    assert repeated["discrete"]["epsilon"] == pytest.approx(3)
    status, out, _ = simnet(
        "verify", "local_mean", "--users", 20, "--corrupt", "server", "--expect", "nothing"
    )
    assert status == 1
    assert "receives no secret shares and learns only what is disclosed" in out
    assert "report: 20 messages from 20 senders of the role user, with reals" in out


@pytest.mark.parametrize("population", ["actors", "crowd", "aggregate"])
def test_the_network_sees_as_many_messages_however_users_are_seated(
    simnet: Any, population: str
) -> None:
    options = (
        "--users",
        7,
        "--items",
        3,
        "--set",
        f"population={population}",
        "--corrupt",
        "network",
    )
    (seen,) = told(simnet, "verify", "local_frequency", *options)["discrete"]["sees"]
    assert (seen["messages"], seen["bytes"]) == (7, 7 * 15)
    assert sum(link[3] for link in seen["links"]) == 7


def test_a_run_on_numbers_can_be_drawn(simnet: Any, tmp_path: Path) -> None:
    status, _, err = simnet("run", "local_mean", "--users", 100, "--figure", tmp_path / "mean.svg")
    assert (status, err) == (0, "")
    assert "value" in (tmp_path / "mean.svg").read_text()


def test_crowds_with_other_inputs_are_other_runs() -> None:
    """Long inputs are told apart to the last: losses of different collections add up, of the same
    they do not.
    """
    from protocols.local_frequency.about import about
    from protocols.local_frequency.script import local_frequency

    protocol = local_frequency(users=3000, items=2, population="aggregate")
    held = [1] * 3000
    changed = [*held[:1500], 2, *held[1501:]]
    first, again, other = (
        run(protocol, inputs, seed) for inputs, seed in ((held, 0), (held, 0), (changed, 1))
    )
    for second, epsilon in ((again, 1), (other, 2)):
        found = verdict([first, second], "server", about(protocol), same_inputs=True)
        stated = found.discrete.disclosure
        assert stated is not None
        assert stated.epsilon == pytest.approx(epsilon)
    # With one seed, both collections would have perturbed with the same coins.
    sharing = verdict([first, run(protocol, changed, 0)], "server", about(protocol))
    assert sharing.discrete.disclosure is None


def test_exact_views_are_of_single_users_and_of_coins_that_end(simnet: Any) -> None:
    actors = ("--users", 2, "--items", 2, "--set", "population=actors")
    result = told(
        simnet, "exact-view", "local_frequency", *actors, "--corrupt", "server", "--inputs", "1,2"
    )
    assert result["largest_epsilon"] == pytest.approx(1)
    crowd = ("--users", 2, "--items", 2, "--corrupt", "server", "--inputs", "1,2")
    status, _, err = simnet("exact-view", "local_frequency", *crowd)
    assert (status, "crowd is a crowd of 2, and only single parties can be played out" in err) == (
        2,
        True,
    )
    status, _, err = simnet(
        "exact-view",
        "local_mean",
        "--users",
        2,
        "--set",
        "population=actors",
        "--corrupt",
        "server",
        "--inputs",
        "1,0",
        "--versus",
        "0,0",
    )
    assert (status, "too many outcomes" in err) == (2, True)


class Claiming:
    """Of which it is stated that perturbation alone protects inputs, whatever it does."""

    def __init__(self, what: str) -> None:
        self.what = what

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 3), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        if self.what == "declares":
            number = protected(me, item) + me.coins.field(F, (1,))
        else:
            number = constant(F, [disclosed(me, item)])
        if self.what == "shares elsewhere":
            await me.send(Tag("peer"), "u1", number)
        plain = self.what in ("plain", "shares elsewhere")
        parity = me.disclose(lambda item: item % 2, item)
        await me.send(Tag("report"), "server", bits(parity) if plain else number)

    async def server(self, me: Party) -> None:
        await me.gather(Tag("report"), me.all("user"))


def claiming(alone: bool) -> About:
    stated = Disclosure(
        independent=False, epsilon=1.0, tier="proved", argument="so it is said", alone=alone
    )
    return About(name="claiming", disclosure=lambda _: stated)


def test_a_statement_is_belied_by_any_field_element() -> None:
    assert (
        verdict(run(Claiming("plain"), [1, 2, 3]), "server", claiming(alone=True)).finding
        == "no-shares"
    )
    assert (
        verdict(run(Claiming("declares"), [1, 2, 3]), "server", claiming(alone=True)).finding
        == "nothing"
    )
    for what in ("field elements", "shares elsewhere"):
        with pytest.raises(SimnetError, match="no honest party declared a secret"):
            verdict(run(Claiming(what), [1, 2, 3]), "server", claiming(alone=True))


def test_a_protocol_that_only_discloses_is_judged_by_what_it_discloses() -> None:
    found = verdict(run(Claiming("plain"), [1, 2, 3]), "server", claiming(alone=False))
    assert found.finding == "no-shares"
    assert found.discrete.disclosure is not None
    assert found.discrete.disclosure.tier == "stated"  # which inputs there are is not known
    unstated = verdict(run(Claiming("plain"), [1, 2, 3]), "server")
    assert unstated.discrete.disclosure is None
