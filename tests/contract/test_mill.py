"""The same tests for every protocol: properties that each protocol must have, whatever it computes.

To add a protocol, add its name and one record in tests/harness/cases.py.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Shuffled, run
from simnet.adversary.judge import verdict
from simnet.contract import Ideal
from simnet.kernel.ideal import ideal_world
from simnet.scenario.find import names
from simnet.scenario.perform import bill
from tests.harness.cases import CASES, Case
from tests.harness.fuzz import cases
from tests.harness.laws import estimate_law
from tests.harness.many_cases import for_each

every = pytest.mark.parametrize("name", CASES)
seeds = st.integers(0, 2**32 - 1)


def instance(case: Case, data: st.DataObject) -> tuple[Any, Any]:
    """Draw a small instance, and the inputs of its users."""
    parameters = data.draw(st.fixed_dictionaries(dict(case.drawn)))
    return case.make(**parameters), data.draw(case.held(parameters))


def tiny(case: Case) -> Any:
    return case.make(**case.tiny)


def test_every_scenario_s_protocol_is_here() -> None:
    """The exceptions are variants that differ only in a setting."""
    variants = {
        "calibrated_frequency": "processed",
        "dpds_shamir": "dpds",
        "sampled_personal": "sampled_frequency",
        "sampling_privacy_clear": "sampling_privacy",
    }
    # `multiplication` gives numbers to nobody but its reader: tests of products are about it.
    others = set(names()) - {"multiplication"}
    assert {variants.get(name, name) for name in others} <= set(CASES)


@pytest.mark.slow
@every
@cases(15)
@given(data=st.data(), seed=seeds)
def test_real_equals_ideal(name: str, data: st.DataObject, seed: int) -> None:
    """With the same coins, the outputs follow from the values that the ideal world hands out."""
    case = CASES[name]
    protocol, held = instance(case, data)
    done = run(protocol, held, seed)
    assert not done.ledger.unread()
    assert done.ledger.messages == done.ledger.total().messages
    assert isinstance(protocol, Ideal) or case.outputs is None
    if case.outputs is not None:
        handed = ideal_world(protocol, done.inputs, seed)
        for party, output in case.outputs(protocol, handed).items():
            assert np.array_equal(done.outputs[party], output)


@every
@cases(10)
@given(data=st.data(), seed=seeds)
def test_the_bill_is_its_formula(name: str, data: st.DataObject, seed: int) -> None:
    case = CASES[name]
    protocol, held = instance(case, data)
    about = case.about(protocol)
    done = run(protocol, held, seed)
    rows = bill(about, done)
    assert rows
    assert [row for row in rows if not row.holds] == []


@every
@cases(8)
@given(data=st.data(), seed=seeds, order=seeds)
def test_schedules_and_threads_agree(name: str, data: st.DataObject, seed: int, order: int) -> None:
    protocol, held = instance(CASES[name], data)
    parties = list(protocol.parties())
    observed = (parties[0], parties[-1])
    first = run(protocol, held, seed, observe=observed).trace_hash
    for schedule, threads in ((Shuffled(order), None), (Shuffled(order + 1), 1), (None, 3)):
        again = run(protocol, held, seed, observe=observed, schedule=schedule, threads=threads)
        assert again.trace_hash == first


@pytest.mark.slow
@every
def test_other_coins_give_another_trace(
    name: str,
) -> None:  # a constant hash would pass the test above
    case = CASES[name]
    hashes = {run(tiny(case), case.tiny_held, seed).trace_hash for seed in range(20)}
    assert len(hashes) > 1


@for_each(
    "name, change, words",
    [(name, *refusal) for name, case in CASES.items() for refusal in case.refused],
)
def test_bad_parameters_are_refused(name: str, change: dict[str, Any], words: str) -> None:
    case = CASES[name]
    assert tiny(case)
    with pytest.raises((ValueError, TypeError), match=words):
        case.make(**{**case.tiny, **change})


@pytest.mark.slow
@for_each("name", [name for name, case in CASES.items() if case.truth is not None])
def test_the_exact_law_of_the_estimate_is_unbiased_with_the_stated_error(name: str) -> None:
    """Every coin of the tiny instance is played out."""
    case = CASES[name]
    protocol, truth = tiny(case), np.array(case.truth)
    law: Any = estimate_law(protocol, case.tiny_held, case.outputs)
    assert sum(law.values()) == 1
    chances = np.array([float(chance) for chance in law.values()])
    estimates = np.array(list(law))
    np.testing.assert_allclose(chances @ estimates, truth, atol=1e-10)
    stated = case.about(protocol).expected_squared_l2
    if stated is not None:
        error = chances @ np.sum((estimates - truth) ** 2, axis=1)
        assert error == pytest.approx(stated, rel=1e-9)


@pytest.mark.slow
@every
def test_coalitions_learn_what_is_said(name: str) -> None:
    """Some coalitions learn nothing, or only the output, and others learn more, so the judge is not
    blind.
    """
    case = CASES[name]
    protocol = tiny(case)
    done = run(protocol, case.tiny_held, 3)
    about = case.about(protocol)
    found = {corrupt: verdict(done, corrupt, about=about).finding for corrupt in case.findings}
    assert found == case.findings
    assert len(set(found.values())) > 1 or set(found.values()) == {"no-shares"}
