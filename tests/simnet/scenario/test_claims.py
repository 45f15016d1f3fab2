"""Claims of scenarios: the built-in claims hold, false claims are found, and every claim is judged
on the run itself, or said not to be judged.
"""

import re
from math import inf
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.sharing.coalitions import ENOUGH_ELECTED, TOO_FEW_ELECTED, enough_elected
from protocols.tss.prime import tss
from simnet import run, verdict
from simnet.adversary import verdict as simnet_verdict
from simnet.adversary.attack import replay_attack
from simnet.errors import ScriptError
from simnet.scenario.claims import (
    Chosen,
    Claim,
    Exposes,
    LearnsNothing,
    LearnsOnlyOutput,
    SeesNoShares,
)
from simnet.scenario.find import find, names
from simnet.scenario.judging import judge_claims
from simnet.scenario.perform import Performance, judged, perform
from simnet.scenario.synthetic import uniform_items
from simnet.testing import inputs, seeds
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but, slow_but
from tests.harness.pairwise_masks import REPORT, PairwiseMasks
from tests.harness.shell import WIDTH, refusal, simnet, words

CLAIMING = [
    name for name in names() if any(isinstance(one, LearnsNothing) for one in find(name)[1].claims)
]
SMALLEST = {
    "tss_prime": "bound=2",
    "dpdg": "epsilon=0.5",
    # Somebody is sampled: a server that gets zero counts learns nothing at all.
    "dpcs": "participation=0.9",
    "dpcs_star": "participation=0.9",
}
LEAST_ITEMS = {"sampling_privacy": 2, "sampling_privacy_clear": 2}  # a value, and none
SIZES = [(4, 1), (5, 3), (9, 6)]
SMALL = ("run", "dpds", "--set", "users=5", "--set", "items=2")


def options(name: str, users: int, items: int) -> list[str]:
    more = [SMALLEST[name]] if name in SMALLEST else []
    items = max(items, LEAST_ITEMS.get(name, 1))
    return [part for one in [f"users={users}", f"items={items}", *more] for part in ("--set", one)]


def scenario_file(path: Path, claims: str, users: int = 5) -> Path:
    file = path / "mine.py"
    file.write_text(
        "from protocols.dpds.about import about\n"
        "from protocols.dpds.script import DPDS\n"
        "from simnet import Scenario\n"
        "from simnet.scenario.claims import Chosen, Claim, Exposes, LearnsNothing, "
        "LearnsOnlyOutput\n"
        f'SCENARIO = Scenario(summary="mine", protocol=DPDS, about=about, users={users}, items=2, '
        f'parameters={{"participation": 0.5}}, '
        f" claims=({claims},))\n"
    )
    return file


# Built-in scenarios


def test_every_protocol_with_a_collusion_bound_makes_claims() -> None:
    sampling_privacy = ["sampling_privacy", "sampling_privacy_clear"]
    central = ["dpcs", "dpcs_star"]
    assert [
        "committee",
        *central,
        "dpdg",
        "dpds",
        "dpds_robust",
        "dpds_shamir",
        "multiplication",
        *sampling_privacy,
        "secagg",
        "secagg_plus",
        "tss",
        "tss_prime",
        "tss_robust",
    ] == CLAIMING


@for_each("name", CLAIMING)
def test_claims_come_in_pairs(name: str) -> None:
    kinds = [type(claim) for claim in find(name)[1].claims]
    assert LearnsNothing in kinds
    assert Exposes in kinds
    assert LearnsOnlyOutput in kinds


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMING)
@pytest.mark.parametrize(("users", "items"), SIZES)
@pytest.mark.parametrize("seed", long_but([0, 1, 2], 0))
def test_all_claims_hold(name: str, users: int, items: int, seed: int) -> None:
    users += users % 2 if name == "multiplication" else 0  # it multiplies pairs
    result = simnet("run", name, *options(name, users, items), "--seed", seed, "--json", "-")
    assert (result.status, result.err) == (0, "")
    adversaries = result.json["adversaries"]
    assert [one["claim"] for one in adversaries] == [claim.words for claim in find(name)[1].claims]
    assert [one["set"] for one in adversaries] == [
        str(claim.corrupt) for claim in find(name)[1].claims
    ]
    for one in adversaries:
        assert set(one) >= {"corrupt", "shares", "discrete", "claim", "holds", "set", "by"}
        assert one["holds"] is True
        assert one["not_judged"] is None
        if not one["corrupt"]:
            assert one["shares"] is one["discrete"] is None
            continue
        assert set(one["shares"]) >= {"verdict", "tier", "functions", "leaks"}
        assert set(one["discrete"]) >= {"sees", "independent", "epsilon", "bound", "tier"}
        assert one["shares"]["tier"] == "proved"
        found, leaks = one["shares"]["verdict"], one["shares"]["leaks"]
        assert all(leak["value"] == leak["recovered"] for leak in leaks)
        if one["claim"].startswith("exposes"):
            assert leaks
        else:
            what = one["claim"].removesuffix(" from shares")
            assert found == {"nothing": "nothing", "only the output": "output-only"}[what]


@pytest.mark.slow
@given(st.sampled_from(CLAIMING), st.data())
@cases(25)
def test_claims_hold_whatever_the_size_and_the_coins(name: str, data: st.DataObject) -> None:
    users, items = (
        data.draw(st.integers(4, 12)),
        data.draw(st.integers(LEAST_ITEMS.get(name, 1), 6)),
    )
    scenario = find(name)[1]
    if name == "tss_prime":
        scenario = scenario.with_settings({"bound": str(data.draw(st.integers(0, users - 1)))})
    seed = data.draw(seeds())
    result = judged(perform(name, scenario, uniform_items(users, items, seed), seed))
    assert len(result.adversaries) == len(scenario.claims)
    assert all(one.holds for one in result.adversaries)


def test_a_run_with_fewer_users_than_a_claim_names_is_shown() -> None:
    result = simnet("run", "dpds_shamir", *options("dpds_shamir", 3, 2))
    assert "squared L2" in result.out


@pytest.mark.parametrize("name", ["dpds", "dpdg"])
def test_another_sharing_makes_no_claim_fail(name: str) -> None:
    result = simnet("run", name, *options(name, 6, 2), "--set", "sharing=shamir:3", "--json", "-")
    assert all(one["holds"] for one in result.json["adversaries"])


@pytest.mark.slow
def test_what_honest_parties_are_said_to_lose_is_seen_to_be_lost() -> None:
    done = run(tss(users=6, items=4, participation=1.0), [1, 2, 3, 4, 1, 2], 1)
    for claim in (
        Exposes("S1"),
        Exposes("S2"),
        Exposes("network"),
        LearnsOnlyOutput("S1"),
        LearnsNothing("S2"),
    ):
        assert not claim.holds(verdict(done, str(claim.corrupt)))


# False claims


def test_a_loss_that_is_not_known_is_not_finite() -> None:
    scenario = find("local_frequency")[1]
    result = judged(perform("local_frequency", scenario, uniform_items(20, 3, 0), 0))
    found = next(row.verdict for row in result.adversaries if str(row.claim.corrupt) == "server")
    assert found is not None
    assert found.discrete.disclosure is not None
    for epsilon, independent, holds in (
        (1.0, False, True),
        (inf, False, False),
        (None, False, False),
        (None, True, True),
    ):
        law = attrs.evolve(found.discrete.disclosure, epsilon=epsilon, independent=independent)
        changed = attrs.evolve(found, discrete=attrs.evolve(found.discrete, disclosure=law))
        assert SeesNoShares("server").holds(changed) is holds


@pytest.mark.slow
@pytest.mark.parametrize("way", ["elimination", "symmetry"])
@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ('LearnsNothing("server")', "output-only"),
        ('LearnsNothing("all users but one, server")', "output-only"),
        ('LearnsOnlyOutput("u1")', "nothing"),
        ('LearnsOnlyOutput("network")', "nothing"),
        ('Exposes("u1")', "nothing"),
        ('Exposes("server")', "output-only"),
        ('Exposes("server, all users but one", secret_of="u2")', "output-only"),
        (
            'LearnsNothing(Chosen("whom the server tells", lambda run: ["server", "u2"]))',
            "output-only",
        ),
    ],
)
def test_a_false_claim_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, claim: str, found: str, way: str
) -> None:
    if way == "symmetry":
        only_symmetry(monkeypatch)
    path = scenario_file(tmp_path, f'LearnsNothing("u1"), {claim}', users=9)
    result = simnet("run", path, "--json", "-")
    assert result.status == 1
    first, second = result.json["adversaries"]
    assert (first["holds"], second["holds"], second["by"]) == (True, False, way)
    assert second["shares"]["verdict"] == found
    shown = simnet("run", path)
    assert shown.status == 1
    assert "\n1 of 2 claims fails\n" in shown.out
    assert shown.out.count("fails") == 2  # in the table, and below it
    assert shown.out.count("holds") >= 1


@pytest.mark.parametrize("way", ["elimination", "symmetry"])
def test_a_true_claim_about_one_party_is_about_that_party(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    if way == "symmetry":
        only_symmetry(monkeypatch)
    claim = 'Exposes("server, all users but one", secret_of="u9")'
    result = simnet("run", scenario_file(tmp_path, claim, users=9), "--json", "-")
    assert result.status == 0
    (told,) = result.json["adversaries"]
    assert (told["claim"], told["holds"], told["by"]) == ("exposes u9", True, way)
    leaks = {leak["party"] for leak in told["shares"]["leaks"]}
    assert leaks == ({"u9"} if way == "elimination" else set())


def test_an_attack_that_gives_a_wrong_value_exposes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(find("dpds_shamir")[1].build(5, 2), [1, 2, 1, 2, 1], 0)
    claim = Exposes("u1..u3")
    assert claim.holds(verdict(done, "u1..u3"))
    right = replay_attack

    def wrong(knowledge: Any, *rest: Any) -> Any:
        values, own = right(knowledge, *rest)
        return (values + 1) % knowledge.modulus, own

    monkeypatch.setattr(simnet_verdict, "replay_attack", wrong)
    found = verdict(done, "u1..u3")
    assert found.leaks
    assert not claim.holds(found)


@pytest.mark.parametrize(
    "claim",
    [
        'LearnsNothing("u9")',
        'LearnsNothing(Chosen("a stranger", lambda run: ["u9"]))',
        'LearnsNothing("all readers")',
        pytest.param('LearnsNothing("")'),
    ],
)
def test_a_claim_about_nobody_is_bad_input(tmp_path: Path, claim: str) -> None:
    assert "coalition" in refusal(simnet("run", scenario_file(tmp_path, claim)))


def test_claims_can_be_left_out(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'LearnsNothing("server")')
    result = simnet("run", path, "--no-claims", "--json", "-")
    assert result.status == 0
    assert result.json["adversaries"] == []
    assert "colluding" not in simnet("run", path, "--no-claims").out
    assert simnet("run", path, "--claims").status == 1


# Larger runs


JUDGED = "simnet.scenario.judging.JUDGED_MESSAGES"
MOST = "simnet.scenario.judging.MOST_MESSAGES"
ELEMENTS = "simnet.scenario.judging.MOST_ALIKE_ELEMENTS"
ALIKE = [
    "committee",
    "dpdg",
    "dpds",
    "sampling_privacy",
    "sampling_privacy_clear",
    "tss",
    "tss_prime",
]
# Of these, symmetry decides some claims.
PARTLY_ALIKE = ["dpcs", "dpcs_star"]


def performed(name: str, users: int = 9, items: int = 3, seed: int = 0, **more: str) -> Performance:
    scenario = find(name)[1]
    settings = dict([SMALLEST[name].split("=")]) if name in SMALLEST else {}
    scenario = scenario.with_settings(
        {"users": str(users), "items": str(items), **settings, **more}
    )
    return perform(name, scenario, uniform_items(users, items, seed), seed)


def only_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JUDGED, 0)
    monkeypatch.setattr(MOST, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    slow_but([name for name in CLAIMING if name != "multiplication"], "dpds", "tss", "dpds_shamir"),
)
def test_claims_on_larger_runs_are_judged_as_claims_on_small_ones(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    result = performed(name)
    small = judged(result).adversaries
    assert {row.way for row in small} <= {"elimination", None}
    monkeypatch.setattr(JUDGED, 0)
    for most in (10_000_000, 0):
        monkeypatch.setattr(MOST, most)
        large = judged(result).adversaries
        for row, other in zip(large, small, strict=True):
            assert row.claim == other.claim
            if row.not_judged is not None:
                assert (most, row.holds) == (0, None)
                continue
            assert row.holds is other.holds
            if row.verdict is None or other.verdict is None:
                assert row.verdict is other.verdict
                continue
            assert row.verdict.corrupt == other.verdict.corrupt
            assert row.verdict.finding == other.verdict.finding
            assert list(row.verdict.exposed_parties) == sorted(
                other.verdict.exposed_parties, key=result.run.roster.names.index
            )
            assert row.verdict.discrete.disclosure is not None
            if most == 0:
                assert row.way == "symmetry"
    is_judged = [row.not_judged is None for row in large]
    assert all(is_judged) == (name in ALIKE)
    assert any(row.way == "symmetry" for row in large) == (name in ALIKE + PARTLY_ALIKE)


@pytest.mark.slow
@given(st.sampled_from(ALIKE), st.integers(4, 14), st.integers(2, 5), seeds())
@cases(25)
def test_claims_hold_by_symmetry_whatever_the_size_and_the_coins(
    name: str, users: int, items: int, seed: int
) -> None:
    result = performed(name, users, items, seed)
    with pytest.MonkeyPatch.context() as monkeypatch:
        only_symmetry(monkeypatch)
        assert judged(result).adversaries.holds


def test_a_claim_about_a_secret_of_nobody_is_refused(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'Exposes("server, u1", secret_of="u99")')
    assert "no party of this run is called 'u99'" in refusal(simnet("run", path))


def test_the_output_shows_verdicts_by_symmetry_on_the_run_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_symmetry(monkeypatch)
    large = ("run", "dpds", "--set", "users=12", "--set", "items=2", "--seed", 4)
    told = simnet(*large, "--json", "-").json["adversaries"]
    assert {one["by"] for one in told} == {"symmetry"}
    assert told[1]["corrupt"] == [f"u{user}" for user in range(1, 12)]
    shown = words(simnet(*large).out)
    assert "What coalitions learn in this run (seed 4)" in shown
    assert "which exposes u12" in shown
    assert "holds" in shown
    assert "not judged" not in shown


@pytest.mark.slow
def test_a_claim_that_cannot_be_judged_is_said_not_to_be_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_symmetry(monkeypatch)
    large = ("run", "dpds_shamir", "--set", "users=9", "--set", "items=2")
    result = simnet(*large, "--json", "-")
    assert result.status == 0
    for told in result.json["adversaries"]:
        assert (told["holds"], told["by"], told["shares"]) == (None, None, None)
        assert "some of several alike parties" in told["not_judged"]
        assert "fewer users, with `simnet verify`" in told["not_judged"]
    shown = simnet(*large)
    assert shown.status == 0
    table = words(shown.out).partition("What coalitions learn")[2].partition("Bill,")[0]
    assert "No claim was judged. The run has 81 messages" in table
    assert "u1 not judged nothing" in table
    assert "expected holds? u1" in table
    assert "holds " not in table
    rows = judged(performed("dpds_shamir")).adversaries
    assert not rows.holds
    assert not rows.fails
    assert "u1: learned from secret shares: not judged" in repr(rows)
    assert "Judge a run with fewer users" in rows._repr_html_()


def test_runs_without_field_elements_are_judged_whatever_their_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_symmetry(monkeypatch)
    run_of_reports = ("run", "local_frequency", "--set", "users=50", "--set", "items=4")
    told = simnet(*run_of_reports, "--json", "-").json["adversaries"]
    assert {(one["holds"], one["by"]) for one in told} == {(True, "elimination")}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("--drop", "u3@masked"), id="somebody drops out"),
        pytest.param((), id="too many field elements"),
    ],
)
def test_what_symmetry_does_not_read_is_not_judged(
    monkeypatch: pytest.MonkeyPatch, change: tuple[str, ...]
) -> None:
    only_symmetry(monkeypatch)
    monkeypatch.setattr(ELEMENTS, 1)
    name = "secagg" if change else "dpds"
    result = simnet("run", name, *options(name, 9, 2), *change, "--json", "-")
    assert result.status == 0
    reasons = {one["not_judged"] for one in result.json["adversaries"]}
    (reason,) = reasons
    assert "at most 1" in reason


@pytest.mark.parametrize("drop", [None, "u3@share"])
def test_a_table_of_an_aborted_run_says_what_its_verdicts_mean(drop: str | None) -> None:
    result = simnet(*SMALL, *(() if drop is None else ("--drop", drop)))
    assert result.status == (0 if drop is None else 3)
    note = "This run was aborted and no party got an output: a verdict says only what a coalition"
    assert (note in words(result.out)) is (drop is not None)
    for words_of_an_aborted_run in (
        '"The output" is what the ideal world gives to the coalition',
        "A coalition that learned nothing also meets the claim",
        "Not judged: server, all users but one. The run was aborted, so messages with which",
    ):
        assert (words_of_an_aborted_run in words(result.out)) is (drop is not None)


def test_a_run_with_too_many_parties_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simnet.scenario.judging.MOST_PARTIES", 9)
    result = performed("dpcs")
    rows = judged(result).adversaries
    assert {row.holds for row in rows} == {None}
    only_symmetry(monkeypatch)
    monkeypatch.setattr("simnet.scenario.judging.MOST_ALIKE_MESSAGES", 5)
    (reason,) = {row.not_judged for row in judged(performed("dpds", users=5)).adversaries}
    assert reason is not None
    assert "symmetry reads at most 5 messages" in reason
    (note,) = rows.notes()
    assert note.startswith("No claim was judged. The run has 11 parties, which is too many")


def test_a_run_with_too_many_boxes_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    result = performed("secagg", users=4)
    octets = result.run.ledger.total().elements["od"]
    monkeypatch.setattr("simnet.scenario.judging.MOST_OCTETS", octets)
    assert judged(result).adversaries.holds
    monkeypatch.setattr("simnet.scenario.judging.MOST_OCTETS", octets - 1)
    rows = judged(result).adversaries
    assert {row.holds for row in rows} == {None}
    (note,) = rows.notes()
    assert note.startswith(
        f"No claim was judged. The run has {octets:,} octets of keys and boxes, which is too many"
    )


@pytest.mark.slow
def test_a_claim_that_fails_for_disclosed_values_alone_is_left_to_elimination(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Symmetry assumes more about disclosed values than elimination does."""
    done = performed("tss", gamma="2", reported="1").run
    claims = [
        LearnsOnlyOutput("S2"),
        LearnsOnlyOutput("S2", from_shares=True),
        LearnsNothing("S1"),
    ]
    small = judge_claims(claims, done)
    assert [row.holds for row in small] == [False, True, False]
    monkeypatch.setattr(JUDGED, 0)
    large = judge_claims(claims, done)
    assert [row.way for row in large] == ["elimination", "symmetry", "symmetry"]
    assert [row.holds for row in large] == [False, True, False]
    monkeypatch.setattr(MOST, 0)
    assert [row.holds for row in judge_claims(claims, done)] == [None, True, False]


class MasksUsedTwice(PairwiseMasks):
    """From ten users on, a user sends one mask to all others: each of them can subtract it."""

    def __init__(self, users: int) -> None:
        super().__init__(users, reuses_from=10)


@pytest.mark.parametrize(
    ("users", "most", "holds"),
    [(9, 0, True), (10, 10_000, False), (10, 0, None), (30, 10_000, False), (30, 0, None)],
)
def test_a_mask_that_is_used_twice_in_large_runs_alone_is_found(
    monkeypatch: pytest.MonkeyPatch, users: int, most: int, holds: bool | None
) -> None:
    """A smaller run in the place of the run would keep the claim."""
    monkeypatch.setattr(JUDGED, 0)
    monkeypatch.setattr(MOST, most)
    claims = [LearnsOnlyOutput("server"), LearnsOnlyOutput("u1, server")]
    done = run(MasksUsedTwice(users), list(range(users)), 1)
    rows = judge_claims(claims, done)
    assert rows[1].holds is holds


def test_another_run_is_never_judged_in_place_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that keeps something from one run to the next does something else when it is
    played again.
    """
    only_symmetry(monkeypatch)

    calls = (number for number in range(99))  # a run does not see that a generator goes on

    class Forgetful(PairwiseMasks):
        def parties(self) -> Any:
            self.reuses_from = 0 if next(calls) > 1 else 10**9  # a run calls `parties()` twice
            return super().parties()

        async def server(self, me: Any) -> Any:
            return (await me.gather_sum(REPORT, senders=me.all("user"))), self.reuses_from == 0

    done = run(Forgetful(5), list(range(5)), 1)
    with pytest.raises(ScriptError, match="keep nothing from one run to the next"):
        judge_claims([LearnsNothing("u1")], done)


@pytest.mark.slow
def test_progress_adds_up_by_symmetry_too(monkeypatch: pytest.MonkeyPatch) -> None:
    only_symmetry(monkeypatch)
    for name in ("dpds", "tss", "dpds_shamir"):
        result = performed(name)
        steps: list[float] = []
        judged(result, steps.append)
        assert sum(steps) == pytest.approx(len(result.scenario.claims) + 1)
        assert max(steps) <= 1


def test_the_command_says_how_long_verdicts_by_symmetry_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_symmetry(monkeypatch)
    monkeypatch.setattr("simnet.cli.long_work.SECONDS_A_JUDGED_ELEMENT", 1)
    result = simnet("run", "dpds", *options("dpds", 9, 2))
    assert "claims: judged by symmetry, about" in result.err
    assert "--no-claims leaves them out" in result.err
    assert "claims: done after" in result.err


# Sets that are chosen in the run


def test_a_set_that_is_empty_in_a_run_is_said_to_be_so(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'LearnsNothing("u1"), Exposes(Chosen("nobody", lambda run: []))')
    result = simnet("run", path, "--json", "-")
    assert result.status == 0
    told = result.json["adversaries"][1]
    assert (told["corrupt"], told["shares"], told["discrete"], told["holds"]) == (
        [],
        None,
        None,
        True,
    )
    assert (told["set"], told["claim"], told["by"]) == ("nobody", "exposes a user", None)
    shown = words(simnet("run", path).out)
    assert "nobody no such coalition in this run exposes a user" in shown


def test_a_set_that_is_empty_in_every_claim_is_said_to_be_so(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'Exposes(Chosen("nobody", lambda run: []))')
    assert simnet("run", path, "--json", "-").status == 0
    assert "no such coalition" in simnet("run", path).out


def test_where_all_are_elected_nobody_is_left_to_expose() -> None:
    everyone = ("--set", "users=5", "--set", "items=3", "--set", "bound=4")
    told = simnet("run", "tss_prime", *everyone, "--json", "-").json["adversaries"]
    empty = [one for one in told if one["set"] in (str(ENOUGH_ELECTED), str(TOO_FEW_ELECTED))]
    assert [one["corrupt"] for one in empty] == [[], []]
    assert all(one["holds"] for one in empty)


def test_the_heading_names_the_seed_also_when_no_set_exists(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'Exposes(Chosen("nobody", lambda run: []))')
    assert "in this run (seed 0)" in simnet("run", path).out


# Two-stage sampling


@pytest.mark.long
@given(st.integers(2, 14), st.integers(1, 6), st.sampled_from([0.2, 0.5, 1.0]), seeds(), st.data())
@cases(25)
def test_all_elected_for_an_item_expose_its_reporters_and_all_but_one_learn_nothing(
    users: int, items: int, participation: float, seed: int, data: st.DataObject
) -> None:
    reported = data.draw(st.integers(1, items))
    gamma = data.draw(st.none() | st.floats(1.5, 20))
    bound = data.draw(st.none() | st.integers(0, users - 1))
    protocol: Any = tss(
        users=users,
        items=items,
        participation=participation,
        reported=reported,
        gamma=gamma,
        bound=bound,
    )
    done = run(protocol, data.draw(inputs(protocol)), seed)
    corrupt = enough_elected(done)
    assume(corrupt)
    assert bound is None or len(corrupt) > bound
    public = about(protocol).public(done)
    item = next(
        item
        for item, group in sorted(
            public["elected"].items(), key=lambda one: (len(one[1]), int(one[0]))
        )
        if any(item in chosen for chosen in public["reporting_sets"].values())
    )
    assert corrupt == public["elected"][item]
    chosen_by_some = {item for chosen in public["reporting_sets"].values() for item in chosen}
    assert all(len(public["elected"][item]) >= len(corrupt) for item in chosen_by_some)

    found = verdict(done, corrupt)
    assert Exposes(ENOUGH_ELECTED).holds(found)
    assert not LearnsNothing(ENOUGH_ELECTED).holds(found)
    exposed = {
        one.exposes.party for one in found.leaks if one.exposes and str(one.exposes.item) == item
    }
    reporters = {name for name, chosen in public["reporting_sets"].items() if item in chosen}
    assert exposed == reporters - set(corrupt)
    for learned in found.leaks:
        assert learned.exposes is not None
        held = done.secrets[learned.exposes.party][0].numbers()[learned.exposes.item - 1]
        assert learned.value == learned.true == held

    fewer = TOO_FEW_ELECTED.choose(done)
    assert list(fewer) == corrupt[:-1]
    if fewer:
        assert verdict(done, fewer).finding == "nothing"


@pytest.mark.slow
@given(st.integers(3, 10), st.integers(1, 5), seeds(), st.data())
@cases(30)
def test_no_users_within_the_bound_learn_anything(
    users: int, items: int, seed: int, data: st.DataObject
) -> None:
    bound = data.draw(st.integers(1, users - 1))
    protocol = tss(users=users, items=items, participation=0.5, bound=bound)
    done = run(protocol, data.draw(inputs(protocol)), seed)
    everybody = st.sampled_from(list(done.roster.role("user")))
    corrupt = data.draw(st.lists(everybody, min_size=1, max_size=bound, unique=True))
    assert verdict(done, corrupt).finding == "nothing"


# What a person reads


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CLAIMING if name != "multiplication"])
def test_claims_fit_a_terminal(name: str) -> None:
    result = simnet("run", name, *options(name, 9, 3))
    assert max(map(len, result.out.splitlines())) <= WIDTH
    table = result.out.partition("What coalitions learn")[2].partition("Bill,")[0]
    assert table.startswith(" in this run (seed 0)")
    assert len(re.findall(r"holds(?!\?)|no such coalition", table)) == len(find(name)[1].claims)
    assert "fails" not in table


def test_words_of_a_claim_are_shown_as_they_are(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'LearnsNothing(Chosen("some [red]", lambda _: ["u1"]))')
    assert "some [red]" in words(simnet("run", path).out)


def test_progress_is_told_once_before_the_first_claim_and_after_each() -> None:
    steps: list[float] = []
    done = run(tss(users=4, items=2, participation=0.5), [1, 2, 1, 2], 0)
    claims: list[Claim] = [
        LearnsNothing("S1"),
        Exposes(Chosen("nobody", lambda _: [])),
        LearnsOnlyOutput("S2"),
    ]
    assert [one.holds for one in judge_claims(claims, done, progress=steps.append)] == [
        True,
        True,
        True,
    ]
    assert steps == [1, 1, 1, 1]
