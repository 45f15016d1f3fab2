"""The simulators of the protocols: simulated views have exactly the law of real ones where they
should, and only there.

Security in the sense of the definition: a set's view can be made from what the ideal world leaks to
it.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import simulator_of
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import run
from simnet.coins.law import Law, law_of
from simnet.exhaustive.model import Model
from simnet.exhaustive.simulation import leaked_law, real_law, simulated_law
from simnet.exhaustive.views import Views
from tests.harness.exact_mutants import TellsWhoTakesPart
from tests.harness.fuzz import cases
from tests.harness.ideal import handed, users_with_inputs
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.mutants import ElectsOneTooFew, PublishesCounts


def staged(users: int = 2, items: int = 2, **more: Any) -> TSS:
    given: dict[str, Any] = {
        "users": users,
        "items": items,
        "participation": 0.5,
        "reported": 1,
        **more,
    }
    return TSSPrime(**given) if "bound" in given else TSS(**given)


def all_inputs(protocol: Any) -> list[list[int]]:
    return [list(held) for held in product(range(1, protocol.items + 1), repeat=protocol.users)]


def alike(protocol: Any, inputs: Sequence[int], corrupt: Sequence[str]) -> bool:
    """Whether real and simulated views have the same law; both must be laws."""
    real, simulated = (
        real_law(protocol, inputs, corrupt),
        simulated_law(simulator_of(protocol), inputs, corrupt),
    )
    assert sum(real.values()) == sum(simulated.values()) == 1
    return real == simulated


ALIKE = [  # protocol, set
    (DPDS(3, 2, 0.3), ["u1"]),
    (DPDS(3, 2, 0.3), ["u1", "u3"]),
    (DPDS(3, 2, 0.3), ["server"]),
    (DPDS(2, 2, 1.0), ["server"]),
    (DPDS(2, 3, 0.5), ["u2"]),
    (DPDS(3, 2, 0.5, "shamir:2"), ["u2"]),
    (DPDS(3, 2, 0.5, "shamir:3"), ["u1", "u2"]),
    (DPDS(3, 2, 0.5, "shamir:2"), ["server"]),
    (staged(bound=1), ["u1"]),
    (staged(bound=1), ["u2"]),
    (staged(bound=1), ["S1"]),
    (staged(bound=1), ["S2"]),
    (staged(items=3, reported=2, bound=1), ["u1"]),
    (staged(bound=1, sharing="shamir:2"), ["u1"]),
    (staged(bound=1, sharing="shamir:2"), ["S2"]),
    (staged(), ["S1"]),
    (staged(), ["S2"]),
    (staged(items=3, reported=2), ["S1"]),
    (staged(items=1), ["S2"]),
    (staged(sharing="shamir:2"), ["S2"]),
    (staged(gamma=2.0), ["S2"]),  # it is given the sets, whatever their law
    (staged(gamma=2.0, bound=1), ["S2"]),
]

APART = [  # protocol, inputs, set
    (DPDS(3, 2, 0.5, "shamir:2"), [1, 2, 2], ["u1", "u2"]),
    (DPDS(3, 2, 0.5, "shamir:2"), [1, 2, 2], ["u2", "u3"]),
    (DPDS(2, 2, 0.5, "shamir:1"), [1, 2], ["u1"]),
    (staged(), [1, 2], ["u1"]),  # alone elected for the item on which the other reports
    (staged(), [1, 1], ["u2"]),
    (staged(sharing="shamir:2"), [1, 2], ["u1"]),
    (staged(bound=0), [1, 2], ["u1"]),
    (staged(gamma=2.0), [1, 2], ["S1"]),
    (staged(gamma=2.0), [1, 2], ["u1"]),
    (staged(gamma=2.0, bound=1), [1, 2], ["S1"]),
    (staged(gamma=2.0, bound=1), [1, 2], ["u1"]),
    (staged(gamma=2.0, bound=1, sharing="shamir:2"), [1, 2], ["u1"]),
]


def label(value: Any) -> str:
    return str(value).replace(" ", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "corrupt"),
    [
        case if place % 6 == 0 else pytest.param(*case, marks=pytest.mark.long)
        for place, case in enumerate(ALIKE)
    ],
    ids=label,
)
def test_a_simulated_view_has_the_law_of_the_real_one(protocol: Any, corrupt: list[str]) -> None:
    for inputs in all_inputs(protocol)[: 4 if corrupt == ["S2"] else 8]:
        assert alike(protocol, inputs, corrupt)


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "inputs", "corrupt"), APART, ids=label)
def test_a_view_that_tells_more_is_not_simulated(
    protocol: Any, inputs: list[int], corrupt: list[str]
) -> None:
    assert not alike(protocol, inputs, corrupt)


@pytest.mark.slow
@pytest.mark.parametrize("corrupt", long_but(["u1", "u3", "S1", "S2"], "u3", "S1"))
def test_three_users_of_tss_prime_are_simulated_up_to_the_bound(corrupt: str) -> None:
    assert alike(staged(users=3, bound=1), [1, 2, 2], [corrupt])


@pytest.mark.slow
def test_three_users_of_tss_prime_are_not_simulated_beyond_the_bound() -> None:
    assert not alike(staged(users=3, bound=1), [1, 2, 2], ["u1", "u2"])
    assert alike(staged(users=3, bound=2), [1, 2, 2], ["u1", "u2"])


def test_electing_one_too_few_is_beyond_the_simulator() -> None:
    given: dict[str, Any] = {
        "users": 2,
        "items": 2,
        "participation": 0.5,
        "reported": 1,
        "bound": 1,
    }
    assert alike(TSSPrime(**given), [1, 2], ["u1"])
    assert not alike(ElectsOneTooFew(**given), [1, 2], ["u1"])


def test_publishing_the_counts_is_beyond_the_simulator() -> None:
    assert alike(DPDS(2, 2, 0.5), [1, 2], ["u1"])
    assert not alike(PublishesCounts(2, 2, 0.5), [1, 2], ["u1"])


def test_a_script_that_reads_its_input_beside_the_answer_is_beyond_the_simulator() -> None:
    assert not alike(TellsWhoTakesPart(2, 2, 0.5), [1, 2], ["server"])


# The simulator does not look.

BLINDED = [  # protocol, set, one that is leaked to it
    (DPDS(3, 2, 0.5), ["u1"], ()),
    (DPDS(3, 2, 0.5), ["server"], (2, 1)),
    (DPDS(3, 2, 0.5, "shamir:2"), ["u1", "u2"], ()),  # blind where it is wrong too
    (DPDS(3, 2, 0.5, "shamir:2"), ["server"], (0, 3)),
    (staged(bound=1), ["u1"], ((), ())),
    (staged(), ["u2"], ((), ())),
    (staged(), ["S1"], ((), ())),
    (staged(gamma=2.0), ["S1"], ((), ())),
    (staged(), ["S2"], (((1, 1),), ((0,), (1,)))),
    (staged(gamma=2.0), ["S2"], (((0, 2),), ((1,), (1,)))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "corrupt", "leaked"), BLINDED, ids=label)
def test_a_simulator_makes_the_same_of_all_honest_inputs(
    protocol: Any, corrupt: list[str], leaked: Any
) -> None:
    views = Views(Model(simulator_of(protocol).simulated(corrupt, leaked)), corrupt)
    names = list(protocol.parties())
    laws: dict[tuple[int, ...], list[Law]] = {}
    for inputs in all_inputs(protocol):
        own = tuple(item for name, item in zip(names, inputs, strict=False) if name in corrupt)
        laws.setdefault(own, []).append(views.law(inputs))
    assert all(len(of) > 1 for of in laws.values())
    assert all(law == of[0] for of in laws.values() for law in of)


@for_each("protocol, corrupt, leaked", BLINDED)
def test_only_a_server_that_counts_is_told_anything(
    protocol: Any, corrupt: list[str], leaked: Any
) -> None:
    law = leaked_law(simulator_of(protocol), [1] * protocol.users, corrupt)
    assert sum(law.values()) == 1
    if corrupt in (["server"], ["S2"]):
        assert len(law) > 1
    else:
        assert law == {leaked: 1}


def test_what_the_server_is_told_is_the_law_of_its_counts() -> None:
    law = leaked_law(simulator_of(DPDS(2, 2, 0.25)), [1, 2], ["server"])
    assert {counts: float(chance) for counts, chance in law.items()} == {
        (0, 0): 9 / 16,
        (1, 0): 3 / 16,
        (0, 1): 3 / 16,
        (1, 1): 1 / 16,
    }


def test_what_s2_is_told_are_counts_within_the_reporting_sets() -> None:
    law: Any = leaked_law(simulator_of(staged(items=3, reported=2)), [1, 3], ["S2"])
    for (counts,), sets in law:
        assert all(len(set(chosen)) == 2 for chosen in sets)
        for item, count in enumerate(counts):
            assert count <= sum(item in chosen for chosen in sets)
        assert counts[1] == 0  # which nobody holds


def test_the_law_of_a_function_without_coins_is_one_point() -> None:
    assert law_of(lambda _: "told") == {"told": 1}


# Whom nothing is proved for.


@pytest.mark.parametrize(
    ("protocol", "corrupt"),
    [
        (DPDS(3, 2, 0.5), ["u1", "server"]),
        (DPDS(3, 2, 0.5, "shamir:2"), ["server", "u2", "u3"]),
        (DPDG(3, 2, 1.0, 1e-5), ["server", "u1"]),
        (staged(), ["u1", "S2"]),
        (staged(), ["S1", "S2"]),
        (staged(bound=1), ["S2", "S1"]),
        (staged(bound=1), ["S1", "S2", "u2"]),
    ],
    ids=label,
)
def test_a_server_that_counts_is_refused_together_with_others(
    protocol: Any, corrupt: list[str]
) -> None:
    with pytest.raises(
        ValueError, match=r"no simulator for a coalition of (server|S2) with other parties"
    ):
        simulated_law(simulator_of(protocol), [1] * protocol.users, corrupt)


def test_s1_with_users_up_to_the_bound_is_simulated_though_nothing_is_proved() -> None:
    assert alike(staged(bound=1), [1, 2], ["S1", "u1"])
    assert not alike(staged(), [1, 2], ["S1", "u1"])


# DPDG, whose noise has too many outcomes to be played out.

NOISY = [DPDG(3, 2, 1.0, 1e-5, noise=noise) for noise in ("rounded-gaussian", "discrete-gaussian")]


@pytest.mark.parametrize("protocol", [*NOISY, DPDG(4, 2, 1.0, 1e-5, sharing="shamir:2")], ids=label)
@cases(8)
@given(st.data())
def test_the_server_of_dpdg_gets_what_the_simulator_was_given(
    protocol: DPDG, data: st.DataObject
) -> None:
    modulus, seed = protocol.field.modulus, data.draw(st.integers(0, 99))
    leaked = tuple(data.draw(st.lists(st.integers(0, modulus - 1), min_size=2, max_size=2)))
    done = run(simulator_of(protocol).simulated(["server"], leaked), [1] * protocol.users, seed)
    held = [
        tuple(done.secrets[f"u{number}"][0].numbers().tolist())
        for number in range(1, protocol.users + 1)
    ]
    assert held == [leaked, *[(0, 0)] * (protocol.users - 1)]
    signed = np.array([value - modulus if value > modulus // 2 else value for value in leaked])
    assert done.outputs["server"] == pytest.approx(protocol.estimate(signed))


@pytest.mark.parametrize("protocol", NOISY, ids=label)
@pytest.mark.parametrize("corrupt", [["u1"], ["u2", "u3"]], ids=label)
def test_honest_users_of_dpdg_hold_zeros_for_users_and_corrupt_ones_what_they_would(
    protocol: DPDG, corrupt: list[str]
) -> None:
    inputs = [1, 2, 1]
    real, simulated = (
        run(one, inputs, 5) for one in (protocol, simulator_of(protocol).simulated(corrupt, ()))
    )
    for name in ("u1", "u2", "u3"):
        held = simulated.secrets[name][0].numbers().tolist()
        assert held == (real.secrets[name][0].numbers().tolist() if name in corrupt else [0, 0])


@pytest.mark.parametrize("protocol", NOISY, ids=label)
@pytest.mark.parametrize("seed", range(3))
def test_what_the_server_of_dpdg_is_told_is_what_the_real_one_gets_on_the_same_coins(
    protocol: DPDG, seed: int
) -> None:
    held = [1, 2, 2]
    simulator = simulator_of(protocol)

    def leaked(*corrupt: str) -> Any:
        users, items = zip(*users_with_inputs(protocol, held, seed), strict=True)
        return simulator.leaked(items, users, corrupt)

    told = leaked("server")
    assert list(told) == handed(protocol, held, seed)["server"].numbers().tolist()
    real = run(protocol, held, seed)
    simulated = run(simulator.simulated(["server"], told), held, seed + 1)
    assert np.array_equal(real.outputs["server"], simulated.outputs["server"])
    assert leaked("u1", "u2") == ()
