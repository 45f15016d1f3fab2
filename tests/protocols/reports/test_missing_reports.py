"""Local collections in which users drop out: the server estimates from the reports that came.

The truth of an assessment is that of all users, and the users who are left are taken for a random
sample of them. So its expected error is the mean over all samples of this size.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.local_frequency.script import local_frequency
from protocols.local_mean.script import local_mean
from protocols.local_table.script import local_table
from protocols.mechanisms.named import FREQUENCY, NUMERIC
from protocols.mechanisms.split import JOINT, SINGLE
from protocols.mechanisms.tuples import INNER
from protocols.postprocess.processed import Processed
from protocols.reports.accuracy import lost_by_sampling, score_interval
from protocols.weighted.groups import weighted
from simnet import Fate, run
from simnet.record.fate import MessageFate
from simnet.scenario.perform import bill
from simnet.scenario.schema import Categorical, Numeric, Schema
from tests.harness.fate_cases import LOCAL, FateCase, check, fate_cases
from tests.harness.fuzz import cases
from tests.harness.laws import output_law
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.shell import refusal, simnet, words

TABLE = Schema((Numeric("age", 20, 60),), (Categorical("sex", ("f", "m")),))
USERS = ("u1", "u2", "u3")
HELD: Mapping[str, Sequence[Any]] = {
    "local_frequency": [1, 2, 2],
    "local_mean": [-1.0, 0.25, 0.5],
    "local_table": [[20.0, 1], [55.0, 2], [41.0, 2]],
}
BEFORE, AFTER = Fate("report"), Fate("report", reached=None)


def collection(name: str, fewest_reports: int | None = None, **settings: Any) -> Any:
    make: Any = {
        "local_frequency": lambda **more: local_frequency(items=2, **more),
        "local_mean": local_mean,
        "local_table": lambda **more: local_table(schema=TABLE, **more),
    }[name]
    given = {"users": 3, "population": "actors", "fewest_reports": fewest_reports, **settings}
    return make(**given)


def without(*names: str) -> dict[str, Fate]:
    return dict.fromkeys(names, BEFORE)


# Who drops out


@pytest.mark.slow
@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("fewest", long_but([None, 1, 2, 3], 2))
def test_whoever_drops_out_the_estimate_is_the_mean_over_the_reports_that_came(
    name: str, fewest: int | None
) -> None:
    """Every pattern of users who stay, leave before or after their report, or whose report is
    lost.
    """
    protocol, held = collection(name, fewest), HELD[name]
    alone = {
        user: run(collection(name), held, 5, fates=without(*set(USERS) - {user})).outputs["server"]
        for user in USERS
    }
    for pattern in itertools.product(("stays", "before", "after", "lost"), repeat=3):
        ends = dict(zip(USERS, pattern, strict=True))
        done = run(
            protocol,
            held,
            5,
            fates={
                user: BEFORE if end == "before" else AFTER
                for user, end in ends.items()
                if end in ("before", "after")
            },
            message_fates=[
                MessageFate(user, "server", "report") for user, end in ends.items() if end == "lost"
            ],
        )
        left = [user for user, end in ends.items() if end in ("stays", "after")]
        assert done.happened.heard("server", "report") == tuple(left)
        if len(left) < (fewest or 1):
            assert (done.outcome, "server" in done.outputs) == ("aborted", False)
            (ending,) = done.aborts
            assert ending.party == "server"
            assert f"only {len(left)} of 3 senders" in ending.reason
            assert protocol.counted(done.happened) == ()
            continue
        assert done.outcome == "result"
        assert protocol.counted(done.happened) == tuple(left)
        assert [row for row in bill(about(protocol), done) if not row.holds] == []
        expected = np.mean([alone[user] for user in left], axis=0)
        np.testing.assert_allclose(done.outputs["server"], expected, atol=1e-12)


@cases(25)
@given(fate_cases(sorted(LOCAL)))
def test_runs_of_any_parameters_keep_the_rules_of_drop_outs(case: FateCase) -> None:
    assert check(case) in ("result", "result of survivors", "aborted")


@pytest.mark.parametrize("name", HELD)
def test_a_crowd_is_counted_whole(name: str) -> None:
    protocol = collection(name, 3, population="crowd")
    done = run(protocol, HELD[name])
    assert (done.outcome, protocol.counted(done.happened)) == ("result", ("crowd",))


@pytest.mark.parametrize("wrong", [0, 4, True])
@pytest.mark.parametrize("name", HELD)
def test_a_number_of_reports_that_cannot_come_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="fewest_reports"):
        collection(name, wrong)


def test_where_users_may_be_silent_by_chance_all_of_them_are_needed() -> None:
    protocol = local_frequency(
        users=3, items=2, mechanism="joy-gerla", truthful=0.5, yes=0.5, sampling=0.5
    )
    assert run(protocol, [1, 2, 2], 1, fates=without("u2")).outcome == "aborted"
    done = run(protocol, [1, 2, 2], 1)
    assert (done.outcome, protocol.counted(done.happened)) == ("result", USERS)


def test_a_weighted_aggregation_needs_all_users_of_a_group() -> None:
    protocol = weighted(users=4, items=2, epsilons="0.5,1", protocol="oue", population="actors")
    held = [1, 2, 2, 1]
    before, after = (Fate("g1.report", reached=reached) for reached in (0, None))
    assert run(protocol, held, fates={"g1.u1": before}).outcome == "aborted"
    done = run(protocol, held, fates={"g1.u1": after})
    assert (done.outcome, done.gone) == ("result", ("g1.u1",))
    assert all(row.holds for row in bill(about(protocol), done))
    totals = np.bincount(held, minlength=3)[1:]
    calm = about(protocol).assess(run(protocol, held), totals)
    assert about(protocol).assess(done, totals).expected_squared_l2 == calm.expected_squared_l2


# What is estimated

FAMILIES: list[tuple[str, dict[str, Any]]] = [
    *(("local_frequency", {"mechanism": mechanism}) for mechanism in FREQUENCY),
    ("local_frequency", {"mechanism": "warner"}),
    ("local_frequency", {"mechanism": "joy-gerla", "truthful": 0.5, "yes": 0.25}),
]


SHORT = [one for one in FAMILIES if one[1]["mechanism"] not in ("oue", "sue", "olh")]


@pytest.mark.parametrize(
    ("name", "settings"),
    [one if one in SHORT else pytest.param(*one, marks=pytest.mark.slow) for one in FAMILIES],
    ids=str,
)
def test_the_estimate_is_exactly_unbiased_over_the_users_who_are_left(
    name: str, settings: dict[str, Any]
) -> None:
    """The law of the estimate, over every outcome of every coin, for each set of users who are
    left of two. The error that is stated is the mean over these sets.
    """
    users = 2
    protocol, held = collection(name, users=users, **settings), HELD[name][:users]
    truths = [run_truth(name, [value]) for value in held]
    whole = np.mean(truths, axis=0)
    errors = []
    for user, truth in zip(USERS[:users], truths, strict=True):
        fates = without(*set(USERS[:users]) - {user})
        law: Any = output_law(protocol, held, fates)
        chances = np.array([float(chance) for chance in law.values()])
        estimates = np.array(list(law)).reshape(len(law), -1)
        np.testing.assert_allclose(chances @ estimates, truth, atol=1e-10)
        errors.append(chances @ ((estimates - whole) / units(protocol)) ** 2)
        done = run(protocol, held, fates=fates)
        assessed = about(protocol).assess(done, totals_of(name, held))
        np.testing.assert_allclose(assessed.truth, whole)
    np.testing.assert_allclose(
        assessed.variance / units(protocol) ** 2, np.mean(errors, axis=0), rtol=1e-9
    )
    assert assessed.expected_squared_l2 == pytest.approx(np.sum(np.mean(errors, axis=0)), rel=1e-9)


SETTINGS = [
    *FAMILIES,
    *(("local_mean", {"mechanism": mechanism}) for mechanism in NUMERIC),
    *(("local_table", {"method": method}) for method in (*INNER, *JOINT, *SINGLE)),
]


@pytest.mark.slow
@for_each("left", [1, 2, 3])
@for_each("name, settings", SETTINGS)
def test_the_stated_error_is_the_mean_over_all_samples_of_the_users(
    name: str, settings: dict[str, Any], left: int
) -> None:
    """For one sample it is the variance that a collection of these users alone states, and the
    squared distance of their truth from that of all users.
    """
    protocol, held = collection(name, **settings), HELD[name]
    small = collection(name, users=left, **settings)
    truth, errors = run_truth(name, held), []
    for places in itertools.combinations(range(3), left):
        sample = [held[place] for place in places]
        alone = about(small).assess(run(small, sample), totals_of(name, sample))
        errors.append(alone.variance + (run_truth(name, sample) - truth) ** 2)
        gone = [user for place, user in enumerate(USERS) if place not in places]
        done = run(protocol, held, fates=without(*gone))
    assessed = about(protocol).assess(done, totals_of(name, held))
    np.testing.assert_allclose(assessed.variance, np.mean(errors, axis=0), rtol=1e-9)
    scaled = np.mean(errors, axis=0) / (units(protocol) ** 2)
    assert assessed.expected_squared_l2 == pytest.approx(scaled.sum(), rel=1e-9)


@pytest.mark.parametrize("mechanism", NUMERIC)
def test_a_report_of_a_number_is_exactly_unbiased_and_so_is_a_mean_of_reports(
    mechanism: str,
) -> None:
    """Reports of numbers have densities, so the law of a run cannot be listed. An estimate from
    one report is unbiased, and an estimate from the reports that came is the mean of these.
    """
    protocol: Any = collection("local_mean", mechanism=mechanism)
    held = HELD["local_mean"]
    for value in held:
        assert protocol.mechanism.law(value).mean == pytest.approx(value, abs=1e-12)
    one, two, both = (
        run(protocol, held, 3, fates=without(*gone)).outputs["server"]
        for gone in (("u2", "u3"), ("u1", "u3"), ("u3",))
    )
    assert both == pytest.approx((one + two) / 2, rel=1e-12)


def run_truth(name: str, held: Sequence[Any]) -> Any:
    """The values that a collection estimates without noise; shape (estimates,)."""
    return totals_of(name, held) / len(held)


def totals_of(name: str, held: Sequence[Any]) -> Any:
    if name == "local_mean":
        return np.array([np.sum(held)])
    if name == "local_frequency":
        return np.bincount(held, minlength=3)[1:]
    ages, items = np.array(held).T
    return np.array([ages.sum(), *np.bincount(items.astype(int), minlength=3)[1:]])


def units(protocol: Any) -> Any:
    """What squared errors are divided by: they are those of numbers on the scale from -1 to 1."""
    return getattr(protocol, "units", 1.0)


@given(
    st.sampled_from(sorted(FREQUENCY)),
    st.integers(2, 200),
    st.data(),
    st.floats(0.5, 0.999),
)
def test_interval_ends_are_the_shares_that_lie_z_deviations_off(
    mechanism: str, users: int, data: st.DataObject, confidence: float
) -> None:
    from scipy.special import ndtri

    made: Any = FREQUENCY[mechanism](1.0, 4)
    counted = data.draw(st.integers(1, users))
    estimate = data.draw(st.floats(0, 1))
    lost = lost_by_sampling(counted, users)
    ends = score_interval(made.variance, np.array([estimate]), counted, confidence, lost)
    z = float(ndtri((1 + confidence) / 2))
    nobody, everybody = (made.variance(share, counted) for share in (0.0, 1.0))
    for (end,) in ends:
        variance = nobody + (everybody - nobody) * end + lost * end * (1 - end)
        assert (end - estimate) ** 2 == pytest.approx(z * z * variance, rel=1e-6)
    plain = score_interval(made.variance, np.array([estimate]), counted, confidence)
    # no possible share is lost because users are
    assert np.clip(ends[0], 0, 1) <= np.clip(plain[0], 0, 1) + 1e-12
    assert np.clip(ends[1], 0, 1) >= np.clip(plain[1], 0, 1) - 1e-12


# Processed estimates


def test_processed_estimates_are_those_of_the_users_who_are_left() -> None:
    left = collection("local_frequency", users=2, mechanism="grr")
    protocol = Processed(collection("local_frequency", mechanism="grr"), "zero")
    done = run(protocol, [1, 2, 2], 4, fates=without("u3"))
    raw, processed = done.outputs["server"]
    np.testing.assert_array_equal(processed, Processed(left, "zero").process(raw))
    assessed = about(protocol).assess(done, np.array([1, 2]))
    assert np.isnan(assessed.expected_squared_l2)
    assert not np.isnan(
        about(protocol).assess(run(protocol, [1, 2, 2]), np.array([1, 2])).variance
    ).any()


def test_too_few_reports_for_a_method_end_the_run() -> None:
    four = local_frequency(users=4, items=3, mechanism="grr")
    protocol = Processed(four, "calibrate-total")
    assert run(protocol, [1, 2, 2, 3]).outcome == "result"
    (ending,) = run(protocol, [1, 2, 2, 3], fates=without("u1")).aborts
    assert ending.reason.startswith("too few reports to process estimates, 3:")


# On the command line

RUN = "run", "local_frequency", "--users", 6, "--items", 2, "--population", "actors", "--no-claims"


def test_a_run_with_a_result_says_what_its_truth_is() -> None:
    told = words(simnet(*RUN, "--drop", "u3@report").out)
    assert 'dropped out: u3 (before sending "report")' in told
    assert "that of all users; those who were counted are taken for a random sample" in told
    assert "that of all users" not in words(simnet(*RUN, "--drop", "u3@report:after").out)


@pytest.mark.parametrize(("fewest", "status", "outcome"), [(5, 0, "result"), (6, 3, "aborted")])
def test_a_run_is_aborted_exactly_with_fewer_reports_than_are_needed(
    fewest: int, status: int, outcome: str
) -> None:
    asked = *RUN, "--fewest-reports", fewest, "--drop", "u3@report", "--json", "-"
    done = simnet(*asked)
    assert (done.status, done.json["outcome"]) == (status, outcome)


def test_more_reports_than_users_are_refused() -> None:
    assert "fewest_reports" in refusal(simnet(*RUN, "--fewest-reports", 7))
