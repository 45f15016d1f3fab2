"""Claims of scenarios: the built-in claims hold, false claims are found, and the output says on
which run they were judged.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.sharing.coalitions import ENOUGH_ELECTED, TOO_FEW_ELECTED, enough_elected
from protocols.tss.prime import tss
from simnet import run, verdict
from simnet.adversary import verdict as simnet_verdict
from simnet.adversary.attack import replay_attack
from simnet.scenario.claims import (
    Chosen,
    Claim,
    Exposes,
    LearnsNothing,
    LearnsOnlyOutput,
    judge_claims,
)
from simnet.scenario.find import find, names
from simnet.scenario.perform import judged, perform
from simnet.scenario.synthetic import uniform_items
from simnet.testing import inputs, seeds
from tests.harness.fuzz import cases
from tests.harness.marks import slow_but
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
        *sampling_privacy,
        "secagg",
        "secagg_plus",
        "tss",
        "tss_prime",
        "tss_robust",
    ] == CLAIMING


@pytest.mark.parametrize("name", CLAIMING)
def test_claims_come_in_pairs(name: str) -> None:
    kinds = [type(claim) for claim in find(name)[1].claims]
    assert LearnsNothing in kinds
    assert Exposes in kinds
    assert LearnsOnlyOutput in kinds


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMING)
@pytest.mark.parametrize(("users", "items"), SIZES)
@pytest.mark.parametrize("seed", slow_but([0, 1, 2], 0))
def test_all_claims_hold(name: str, users: int, items: int, seed: int) -> None:
    result = simnet("run", name, *options(name, users, items), "--seed", seed, "--json", "-")
    assert (result.status, result.err) == (0, "")
    adversaries = result.json["adversaries"]
    assert [one["claim"] for one in adversaries] == [claim.words for claim in find(name)[1].claims]
    assert [one["set"] for one in adversaries] == [
        str(claim.corrupt) for claim in find(name)[1].claims
    ]
    for one in adversaries:
        assert set(one) >= {"corrupt", "shares", "discrete", "claim", "holds", "set", "users"}
        assert one["holds"] is True
        assert one["users"] == users
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ('LearnsNothing("server")', "output-only"),
        ('LearnsNothing("all users but one, server")', "output-only"),
        ('LearnsOnlyOutput("u1")', "nothing"),
        ('LearnsOnlyOutput("all users but one")', "nothing"),
        ('Exposes("u1")', "nothing"),
        ('Exposes("server")', "output-only"),
        ('Exposes("server, all users but one", secret_of="u2")', "output-only"),
        ('Exposes("everyone")', "nothing"),
        (
            'LearnsNothing(Chosen("whom the server tells", lambda run: ["server", "u2"]))',
            "output-only",
        ),
    ],
)
def test_a_false_claim_is_found(tmp_path: Path, claim: str, found: str) -> None:
    path = scenario_file(tmp_path, f'LearnsNothing("u1"), {claim}')
    result = simnet("run", path, "--json", "-")
    assert result.status == 1
    first, second = result.json["adversaries"]
    assert (first["holds"], second["holds"]) == (True, False)
    assert second["shares"]["verdict"] == found
    shown = simnet("run", path)
    assert shown.status == 1
    assert shown.out.count("fails") == 1
    assert shown.out.count("holds") >= 1


def test_a_true_claim_about_one_party_is_about_that_party(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'Exposes("server, all users but one", secret_of="u5")')
    result = simnet("run", path, "--json", "-")
    assert result.status == 0
    (told,) = result.json["adversaries"]
    assert told["claim"] == "exposes u5"
    assert {leak["party"] for leak in told["shares"]["leaks"]} == {"u5"}


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


LIMITS = "simnet.scenario.perform."


@pytest.mark.parametrize(("limit", "value"), [("JUDGED_USERS", 11), ("JUDGED_MESSAGES", 100)])
def test_above_a_limit_claims_are_judged_on_a_copy(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(LIMITS + limit, value)
    monkeypatch.setattr(LIMITS + "COPY_USERS", (6, 8, 9))
    large = ("run", "dpds", "--set", "users=12", "--set", "items=2", "--seed", 4)
    told = simnet(*large, "--json", "-").json
    assert told["parameters"]["users"] == 12
    assert {one["users"] for one in told["adversaries"]} == {6}
    assert [one["corrupt"] for one in told["adversaries"]][1] == [
        f"u{user}" for user in range(1, 6)
    ]
    assert all(one["holds"] for one in told["adversaries"])
    assert (
        "What coalitions learn in a smaller copy of this run (seed 4), with 6 users"
        in simnet(*large).out
    )


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "value"), [("JUDGED_USERS", 12), ("JUDGED_MESSAGES", 144)])
def test_at_a_limit_claims_are_judged_on_the_run(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(LIMITS + limit, value)
    monkeypatch.setattr(LIMITS + "COPY_USERS", (6, 8, 9))
    large = ("run", "dpds", "--set", "users=12", "--set", "items=2")
    assert {one["users"] for one in simnet(*large, "--json", "-").json["adversaries"]} == {12}
    assert "What coalitions learn in this run (seed 0)\n" in simnet(*large).out


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CLAIMING if name != "tss_prime"])
def test_claims_hold_on_copies_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(LIMITS + "JUDGED_USERS", 9)
    monkeypatch.setattr(LIMITS + "COPY_USERS", (5, 8, 9))
    result = simnet("run", name, *options(name, 10, 3), "--json", "-")
    assert result.status == 0
    assert {one["users"] for one in result.json["adversaries"]} == {5}


def test_a_false_claim_is_found_on_a_copy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(LIMITS + "JUDGED_USERS", 9)
    monkeypatch.setattr(LIMITS + "COPY_USERS", (5, 8, 9))
    assert simnet("run", scenario_file(tmp_path, 'LearnsNothing("server")', users=10)).status == 1


def test_a_copy_has_enough_users_for_the_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMITS + "JUDGED_USERS", 9)
    monkeypatch.setattr(LIMITS + "COPY_USERS", (5, 8, 9))
    assert (
        simnet(
            "run", "tss_prime", "--set", "users=10", "--set", "items=2", "--set", "bound=6"
        ).status
        == 0
    )


@pytest.mark.parametrize(("limit", "status"), [(10, 0), (9, 2)])
def test_without_a_copy_claims_are_judged_on_the_run_unless_it_is_too_large(
    monkeypatch: pytest.MonkeyPatch, limit: int, status: int
) -> None:
    monkeypatch.setattr(LIMITS + "JUDGED_USERS", 9)
    monkeypatch.setattr(LIMITS + "COPY_USERS", (5, 8, 9))
    monkeypatch.setattr(LIMITS + "JUDGED_MESSAGES", limit)
    more_users_than_items = ("run", "calibrated_frequency", "--set", "users=10", "--set", "items=9")
    result = simnet(*more_users_than_items, "--json", "-")
    assert result.status == status
    if not status:
        assert {one["users"] for one in result.json["adversaries"]} == {10}


def test_a_copy_that_cannot_be_run_is_no_reason_to_refuse_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 5 users nobody reports, and the ratio divides by the number of reports."""
    monkeypatch.setattr(LIMITS + "JUDGED_USERS", 9)
    monkeypatch.setattr(LIMITS + "COPY_USERS", (5, 100, 200))
    result = simnet(
        "run",
        "sampled_frequency",
        "--set",
        "users=400",
        "--set",
        "items=2",
        "--set",
        "formula=ratio",
        "--set",
        "sampling=0.05",
        "--json",
        "-",
    )
    assert result.status == 0
    assert {one["users"] for one in result.json["adversaries"]} == {100}


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
    assert (told["set"], told["claim"], told["users"]) == ("nobody", "exposes a user", 5)
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


@pytest.mark.slow
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
@pytest.mark.parametrize("name", CLAIMING)
def test_claims_fit_a_terminal(name: str) -> None:
    result = simnet("run", name, *options(name, 9, 3))
    assert max(map(len, result.out.splitlines())) <= WIDTH
    table = result.out.partition("What coalitions learn")[2].partition("Bill,")[0]
    assert table.startswith(" in this run (seed 0)")
    assert table.count("holds") + table.count("no such coalition") == len(find(name)[1].claims)
    assert "fails" not in table


def test_words_of_a_claim_are_shown_as_they_are(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, 'LearnsNothing("u1"), Exposes("u1", secret_of="u[red]")')
    assert "exposes u[red]" in words(simnet("run", path).out)


def test_progress_is_told_once_before_the_first_claim_and_after_each() -> None:
    steps: list[int] = []
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
