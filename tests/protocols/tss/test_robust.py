"""RobustTSS: whoever drops out, an estimate is right or NaN, and elected users learn what counting
shares says.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about, simulator_of
from protocols.sharing.schemes import Polynomials
from protocols.tss.prime import tss
from protocols.tss.robust import RobustTSS
from protocols.tss.script import SHARE
from simnet import Fate, perform, run, sends, verdict
from simnet.scenario.perform import Performance, bill
from simnet.testing import fates as fate_strategy
from tests.harness.fuzz import cases
from tests.harness.shell import simnet

HELD = [1, 2, 3, 1, 2, 3]


@st.composite
def runs(draw):
    """A run in which everybody takes part, and users drop out anywhere."""
    users = draw(st.integers(2, 6))
    items = draw(st.integers(1, 3))
    made = RobustTSS(
        users,
        items,
        1.0,
        draw(st.integers(1, items)),
        sharing=draw(st.sampled_from(["shamir:60%", "shamir:100%", "shamir:2", "additive"])),
    )
    held = draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    seed = draw(st.integers(0, 99))
    sent = {name: own for name, own in sends(made, held, seed).items() if name.startswith("u")}
    return run(made, held, seed, fates=draw(fate_strategy(sent, most=3)), observe=["S1", "S2"])


@pytest.mark.slow
@cases(60)
@given(runs())
def test_an_estimate_is_the_frequency_among_the_reporters_who_are_counted(done) -> None:
    protocol = done.protocol
    if "S2" not in done.outputs:
        assert done.outcome == "aborted"
        return
    names, counted = list(done.inputs), protocol.counted(done.happened)
    places = [names.index(name) for name in counted]
    sets, elected = done.outputs["S1"]
    estimate = done.outputs["S2"]
    for item in range(protocol.items):
        holders = [k for k in places if sets[k, item] and done.inputs[names[k]] == item + 1]
        expected = len(holders) / (float(protocol.chance) * len(counted))
        if not np.isnan(estimate[item]):
            assert estimate[item] == pytest.approx(expected, rel=1e-12)
            continue
        # an item has no estimate only because too few of its elected users are left
        left = [k for k in elected[item] if names[k] not in done.gone]
        assert len(left) < protocol.enough_shares(len(elected[item]))
        assert sets[places, item].any()
    for row in bill(about(protocol), done):
        assert row.holds, row


@cases(30)
@given(runs())
def test_users_who_do_not_drop_out_are_counted(done) -> None:
    if "S2" in done.outputs:
        stayed = set(done.inputs) - set(done.gone)
        assert stayed <= set(done.protocol.counted(done.happened))


def shares_received(done, user: str, item: int, coalition) -> int:
    """How many elected users of an item in the coalition got a user's share, from its fate."""
    names = list(done.inputs)
    sets, elected = done.outputs["S1"]
    chosen = np.flatnonzero(sets[names.index(user)])
    sent = [(j, names[k]) for j in chosen for k in elected[j]]
    fate = done.fates.get(user) if user in done.gone else None
    if fate is not None and fate.tag == "reporting set":
        sent = []
    if fate is not None and fate.tag == SHARE.name and fate.reached is not None:
        sent = (
            sent[: fate.reached]
            if isinstance(fate.reached, int)
            else [pair for pair in sent if pair[1] in fate.reached]
        )
    return sum(j == item and name in coalition for j, name in sent)


@pytest.mark.slow
@cases(40)
@given(runs(), st.data())
def test_users_learn_an_answer_exactly_with_enough_shares_of_the_item(done, data) -> None:
    protocol = done.protocol
    if "S1" not in done.outputs:
        return
    names = list(done.inputs)
    coalition = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    _, elected = done.outputs["S1"]
    exposed = {
        (name, item + 1)
        for name in names
        for item in range(protocol.items)
        if name not in coalition
        and len(elected[item])
        and shares_received(done, name, item, coalition)
        >= protocol.enough_shares(len(elected[item]))
    }
    found = verdict(done, coalition)
    assert {(one.exposes.party, one.exposes.item) for one in found.leaks if one.exposes} == exposed
    if not exposed:
        assert found.finding in ("nothing", "no-shares")


@pytest.mark.slow
@cases(30)
@given(runs())
def test_both_servers_learn_from_shares_at_most_the_counts(done) -> None:
    assert verdict(done, "S1").finding in ("nothing", "no-shares")
    for corrupt in ("S2", "S1, S2"):
        assert verdict(done, corrupt).finding in ("nothing", "output-only", "no-shares")


def test_s2_learns_the_count_of_an_item_that_dropped_out_users_could_open() -> None:
    """Two of three elected users send no sum, but help S2: the ideal world allows the count."""
    protocol = RobustTSS(3, 1, 1.0, 1, sharing="shamir:60%")
    fates = {"u1": Fate("partial"), "u2": Fate("partial")}
    done = run(protocol, [1, 1, 1], seed=1, fates=fates)
    assert done.outcome == "aborted"
    assert verdict(done, "S2").finding == "nothing"
    assert verdict(done, "S2, u1").finding == "output-only"


def needed_by_one_item() -> tuple[RobustTSS, int, str, int]:
    """A protocol in which all shares are needed, a seed, a user who is elected for one item alone
    while others are elected for another item, and this item.
    """
    protocol = RobustTSS(6, 3, 1.0, 1, sharing="shamir:100%")
    for seed in itertools.count():
        _, elected = run(protocol, HELD, seed).outputs["S1"]
        for user in range(6):
            duties = [j for j in range(3) if user in elected[j]]
            if len(duties) == 1 and sum(len(group) > 0 for group in elected) > 1:
                return protocol, seed, f"u{user + 1}", duties[0]
    raise AssertionError


@pytest.mark.parametrize("tag", ["heard", "partial"])
def test_an_item_without_enough_elected_users_is_named(tag: str) -> None:
    protocol, seed, user, item = needed_by_one_item()
    done = run(protocol, HELD, seed, fates={user: Fate(tag)})
    assert done.outcome == "result"
    assert np.flatnonzero(np.isnan(done.outputs["S2"])).tolist() == [item]


def test_tss_itself_is_aborted_where_the_robust_protocol_gives_a_result() -> None:
    held, fates = [1, 2, 2, 1, 1, 2], {"u3": Fate("share", reached=2)}
    settings = {"users": 6, "items": 2, "participation": 1.0, "reported": 2}
    assert run(RobustTSS(**settings), held, fates=fates).outcome == "result"
    plain = run(tss(**settings, sharing="shamir:60%"), held, fates=fates)
    assert plain.outcome == "aborted"
    assert "S2" not in plain.outputs


def test_the_sharing_takes_a_percentage() -> None:
    sharing = RobustTSS(6, 2, 1.0, 2).sharing
    assert isinstance(sharing, Polynomials)
    assert str(sharing) == "shamir:60%"
    for text in ("shamir:0%", "shamir:101%"):
        with pytest.raises(ValueError, match="from 1 to 100"):
            RobustTSS(6, 2, 1.0, 2, sharing=text)
    with pytest.raises(ValueError, match="sharing is"):
        RobustTSS(6, 2, 1.0, 2, sharing="shamir:60%%")


def test_the_proof_of_tss_has_no_simulator_for_drop_outs() -> None:
    with pytest.raises(LookupError):
        simulator_of(RobustTSS(6, 2, 1.0, 2))


def test_a_scenario_states_who_dropped_out_and_its_privacy() -> None:
    settings = {"users": 30, "items": 4, "seed": 3, "claims": False}
    result = perform("tss_robust", drop=["0.15"], **settings)
    assert isinstance(result, Performance)
    assert result.run.gone
    assert np.isfinite(result.assessment.expected_squared_l2)
    assert result.privacy[0].assumption.endswith("sent its shares")
    calm = perform("tss_robust", **settings)
    assert isinstance(calm, Performance)
    plain = about(tss(users=30, items=4, participation=0.5, reported=2))
    stated = plain.privacy(calm.run, calm.population.totals, None, None)
    assert list(calm.privacy) == list(stated)
    assert calm.about.expected_squared_l2 == plain.expected_squared_l2


def test_the_error_of_lost_items_is_unknown() -> None:
    protocol, seed, user, _ = needed_by_one_item()
    done = run(protocol, HELD, seed, fates={user: Fate("heard")})
    assess = about(protocol).assess
    assert assess is not None
    found = assess(done, np.array([2, 2, 2]))
    lost = np.isnan(done.outputs["S2"])
    assert lost.any()
    for column in (found.estimate, found.low, found.high, found.variance):
        assert np.array_equal(np.isnan(column), lost)
    error = (done.outputs["S2"] - found.truth)[~lost]
    assert found.squared_l2 == pytest.approx(error @ error)
    assert found.mse == pytest.approx(error @ error / len(error))
    everything = assess(run(protocol, HELD, seed), np.array([2, 2, 2]))
    assert 0 < found.expected_squared_l2 < everything.expected_squared_l2


@pytest.mark.slow
def test_a_command_says_which_items_have_no_estimate() -> None:
    options = "--users 60 --items 6 --sharing shamir:100% --drop u1@heard --no-claims"
    shown = simnet("run", "tss_robust", *options.split())
    assert shown.status == 0, shown.err
    lost = shown.out.count("no estimate")
    found = simnet("run", "tss_robust", *options.split(), "--json", "-").json
    assert lost == sum(value is None for value in found["estimate"].values()) > 0
    assert found["outcome"] == "result"


@pytest.mark.parametrize(
    ("options", "words"),
    [("--drop server@x", "server"), ("--sharing shamir:90", "at most the number of users, 20")],
)
def test_wrong_settings_are_refused(options: str, words: str) -> None:
    result = simnet(*f"run tss_robust --users 20 --items 3 {options}".split())
    assert result.status == 2
    assert words in result.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("run committee --users 20 --drop server@agreed:after", 3),
        ("run tss --users 20 --items 4 --drop S1@elected:after", 0),
        ("run dpcs --users 20 --items 4 --drop trusted@counts:after", 0),
        ("verify tss --users 8 --items 2 --corrupt u1 --drop S1@elected", 0),
    ],
)
def test_servers_that_drop_out_after_their_last_message_do_not_break_a_command(
    command: str, status: int
) -> None:
    result = simnet(*command.split(), "--json", "-")
    assert result.status == status, result.err
    if status:
        assert result.json["outcome"] == "aborted"
