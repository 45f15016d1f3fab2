"""Exact laws of views: they have the known numbers, and agree with verdicts and with brute force.

Neighbours are inputs in which one user holds another item (replacement): a user cannot be taken
away from a protocol.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from protocols.mechanisms.reporting import epsilon_of_set
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import BadInput, Coins, run, verdict
from simnet.arrays import Ints
from simnet.coins.law import Law, delta, epsilon
from simnet.exhaustive.compare import Comparison, same_view
from simnet.exhaustive.model import Model
from simnet.exhaustive.views import Views
from tests.harness.fuzz import cases
from tests.harness.marks import long_but
from tests.harness.timing import stopwatch

HALF = Fraction(1, 2)


@attrs.frozen
class Present(DPDS):
    """DPDS in which an input 0 means no item, so that removing a user's item is also a comparison
    of two inputs.
    """

    def response(self, item: int, coins: Coins) -> Ints:
        active = coins.bernoulli(self.participation)
        return np.array([int(active and item == place) for place in range(1, self.items + 1)])


def two_stage(users: int, items: int, reported: int = 1, **more: Any) -> TSS:
    given: dict[str, Any] = {
        "users": users,
        "items": items,
        "participation": 0.5,
        "reported": reported,
        **more,
    }
    return TSSPrime(**given) if "bound" in given else TSS(**given)


def all_inputs(users: int, items: int, least: int = 1) -> list[list[int]]:
    return [list(held) for held in product(range(least, items + 1), repeat=users)]


def pairs_alike_for(
    comparison: Comparison, inputs: Sequence[list[int]]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield pairs of inputs that agree on the inputs of the coalition."""
    roster = list(comparison.model.named(inputs[0]))
    own = [place for place, name in enumerate(roster) if name in comparison.corrupt.parties]
    return (
        (a, b) for a, b in combinations(inputs, 2) if all(a[place] == b[place] for place in own)
    )


# The printed example of TSS′.

EXAMPLE = {"users": 3, "items": 2, "bound": 1}


@pytest.mark.slow
def test_one_user_of_tss_prime_sees_reporting_sets_that_depend_on_inputs() -> None:
    compared = Comparison(two_stage(**EXAMPLE, gamma=2), "u1").compare([1, 1, 1], [1, 1, 2])
    assert not compared.same
    assert compared.epsilon == math.log(Fraction(7, 5))
    assert compared.delta() == Fraction(103, 648)
    assert isinstance(compared.delta(), Fraction)


@pytest.mark.slow
def test_one_user_of_tss_prime_sees_the_same_when_reporting_sets_are_uniform() -> None:
    compared = Comparison(two_stage(**EXAMPLE), "u1").compare([1, 1, 1], [1, 1, 2])
    assert compared.same
    assert compared.epsilon == 0
    assert compared.delta() == 0
    assert compared.first == compared.second


@pytest.mark.slow
def test_delta_at_the_exact_epsilon_is_nothing_and_below_it_is_something() -> None:
    compared = Comparison(two_stage(**EXAMPLE, gamma=2), "u1").compare([1, 1, 1], [1, 1, 2])
    assert compared.delta(compared.epsilon) == pytest.approx(0, abs=1e-15)
    assert compared.delta(compared.epsilon * 0.99) > 1e-6
    values = [float(compared.delta(place * compared.epsilon / 8)) for place in range(9)]
    assert values == sorted(values, reverse=True)


# Laws.

PROTOCOLS = [
    DPDS(2, 2, 0.5),
    DPDS(3, 2, 0.3),
    DPDS(3, 1, 1.0),
    DPDS(3, 2, 0.5, "shamir:2"),
    DPDS(2, 3, 0.5, "shamir:1"),
    two_stage(2, 2),
    two_stage(2, 3, 2, gamma=3.0),
    two_stage(3, 2, sharing="shamir:2"),
    two_stage(2, 2, bound=1),
    two_stage(3, 2, bound=1, gamma=2, sharing="shamir:2"),
    two_stage(2, 2, 2, bound=0),
]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_the_law_of_every_view_adds_up_to_one(protocol: Any) -> None:
    model = Model(protocol)
    played = model.worlds([1] * protocol.users)
    assert sum(world.probability for world in played) == 1
    assert all(world.probability > 0 for world in played)
    names = list(protocol.parties())
    for corrupt in [
        *names,
        "network",
        f"{names[-1]}, network",
        "all users but one",
        names[0] + ", " + names[-1],
    ]:
        law = Views(model, corrupt).law_over(played)
        assert sum(law.values()) == 1
        assert all(isinstance(chance, Fraction) for chance in law.values())


@pytest.mark.slow
@pytest.mark.parametrize("sharing", ["additive", "shamir:3"])
@pytest.mark.parametrize(
    "corrupt", ["u1", "u3", "u1, u2", "u1, u3", "network", "u2, network", "u1, u2, network"]
)
def test_users_of_dpds_see_the_same_whatever_honest_users_hold(sharing: str, corrupt: str) -> None:
    comparison = Comparison(DPDS(3, 2, 0.5, sharing), corrupt)
    for one, other in pairs_alike_for(comparison, all_inputs(3, 2)):
        compared = comparison.compare(one, other)
        assert compared.same
        assert (compared.epsilon, compared.delta()) == (0, 0)


@pytest.mark.parametrize(
    ("threshold", "users", "same"), [(2, "u2", True), (2, "u1, u3", False), (1, "u2", False)]
)
def test_users_of_dpds_see_through_shamir_from_the_threshold_on(
    threshold: int, users: str, same: bool
) -> None:
    comparison = Comparison(DPDS(3, 2, 0.5, f"shamir:{threshold}"), users)
    place = 1 if users == "u1, u3" else 0
    other = [1, 1, 1]
    other[place] = 2
    compared = comparison.compare([1, 1, 1], other)
    assert compared.same == same
    assert compared.delta() == (0 if same else HALF)
    assert compared.epsilon == (0 if same else math.inf)


def counts_law(inputs: Sequence[int], items: int, chance: Fraction) -> Law:
    """Return the law of a sum of independent one-hot vectors, each of which is present with a given
    probability.
    """
    law: dict[Any, Fraction] = {(0,) * items: Fraction(1)}
    for item in inputs:
        after: dict[Any, Fraction] = {}
        for counts, probability in law.items():
            more = tuple(count + (place == item) for place, count in enumerate(counts, start=1))
            for found, share in ((counts, 1 - chance), (more, chance)):
                after[found] = after.get(found, Fraction(0)) + probability * share
        law = {counts: probability for counts, probability in after.items() if probability}
    return law


@cases(40)
@given(
    st.integers(1, 3),
    st.sampled_from([0.5, 0.1, Fraction(1, 3), 1]),
    st.sampled_from(["additive", "shamir:2"]),
    st.lists(st.integers(1, 3), min_size=2, max_size=3),
)
def test_the_server_of_dpds_sees_the_law_of_sampled_counts_and_no_more(
    items: int, chance: Any, sharing: str, held: list[int]
) -> None:
    inputs = [min(item, items) for item in held]
    law = Views(Model(DPDS(len(inputs), items, chance, sharing)), "server").law(inputs)
    expected = counts_law(inputs, items, Fraction(chance))
    found: dict[Any, Fraction] = {}
    discrete = set()
    for view, probability in law.items():
        parts: Any = view
        discrete.add(parts[0])
        found[parts[-1]] = probability
    assert len(discrete) == 1
    assert sorted(found.values()) == sorted(expected.values())
    assert len(found) == len(expected)


@cases(25)
@given(st.integers(1, 3), st.sampled_from([0.5, 0.1, 1.0]), st.data())
def test_the_server_of_dpds_tells_inputs_apart_as_sampled_counts_do(
    items: int, chance: float, data: Any
) -> None:
    users = data.draw(st.integers(2, 3))
    one, other = (
        data.draw(st.lists(st.integers(1, items), min_size=users, max_size=users)) for _ in range(2)
    )
    compared = Comparison(DPDS(users, items, chance), "server").compare(one, other)
    first, second = (counts_law(held, items, Fraction(chance)) for held in (one, other))
    assert compared.same == (first == second) == (sorted(one) == sorted(other))
    assert compared.delta() == delta(first, second)
    assert compared.delta(0.5) == pytest.approx(delta(first, second, 0.5), abs=1e-12)
    assert compared.epsilon == (0.0 if first == second else epsilon(first, second))


# Two stages, the server that elects (Theorem 3.3).


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "gamma"),
    [
        (two_stage(2, 2, gamma=2), 2),
        (two_stage(2, 3, 2, gamma=3), 3),
        (two_stage(3, 2, gamma=1.5), 1.5),
        (two_stage(2, 2, bound=1, gamma=2), 2),
        (two_stage(2, 2, participation=1, gamma=2), 2),
        (two_stage(2, 2), None),
        (two_stage(2, 2, 2, gamma=2), 2),
        (two_stage(2, 2, gamma=2, sharing="shamir:2"), 2),
    ],
    ids=str,
)
def test_the_electing_server_tells_a_user_s_items_apart_by_the_law_of_its_set(
    protocol: TSS, gamma: Any
) -> None:
    stated, bound = epsilon_of_set(protocol.reported, protocol.items, protocol.participation, gamma)
    comparison = Comparison(protocol, "S1")
    for inputs in all_inputs(protocol.users, protocol.items):
        worst = comparison.worst(inputs)
        assert worst.largest_epsilon == pytest.approx(stated, abs=1e-12)
        assert worst.largest_epsilon <= bound + 1e-12
        assert worst.compared.same == (stated == 0)


def test_the_electing_server_s_epsilon_is_the_logarithm_of_an_exact_ratio() -> None:
    compared = Comparison(two_stage(2, 2, gamma=2), "S1").compare([1, 1], [1, 2])
    assert compared.epsilon == math.log(Fraction(7, 5))  # (1/2 · 2/3 + 1/4) / (1/2 · 1/3 + 1/4)
    assert compared.delta() == Fraction(1, 6)


# Two stages, the server that counts (Theorem 3.4).


SEVERAL = [
    two_stage(3, 2),
    two_stage(2, 2, gamma=2),
    two_stage(3, 2, bound=1, gamma=2),
    two_stage(2, 2, bound=1),
    two_stage(2, 2, sharing="shamir:2", bound=1, gamma=2),
]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", SEVERAL, ids=str)
def test_the_counting_server_cannot_tell_users_apart(protocol: TSS) -> None:
    comparison = Comparison(protocol, "S2")
    for inputs in all_inputs(protocol.users, protocol.items):
        for permuted in permutations(inputs):
            assert comparison.compare(inputs, permuted).same


@pytest.mark.slow
def test_the_counting_server_s_delta_is_that_of_counts_and_numbers_of_reporters() -> None:
    """Replacing the item of one of the two who hold 1, who are two of three, by the other item:
    counts 2, 1 to 1, 2.
    """
    compared = Comparison(two_stage(3, 2), "S2").compare([1, 1, 2], [2, 1, 2])
    assert compared.delta() == Fraction(5, 16)


@pytest.mark.slow
def test_the_counting_server_s_delta_is_between_that_of_its_output_and_of_sampling() -> None:
    one, other = [1, 1, 2], [2, 1, 2]
    seen = Comparison(two_stage(3, 2), "S2").compare(one, other).delta()
    sampled = Comparison(DPDS(3, 2, 0.5), "server").compare(one, other).delta()
    counted = delta(counts_law(one, 2, Fraction(1, 4)), counts_law(other, 2, Fraction(1, 4)))
    assert sampled == Fraction(3, 8)
    assert counted == Fraction(13, 64)
    assert counted < seen < sampled


SAMPLED_TOO = [
    two_stage(2, 2),
    two_stage(3, 2),
    two_stage(2, 2, gamma=2),
    two_stage(2, 2, bound=1, gamma=2),
]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", SAMPLED_TOO, ids=str)
def test_the_counting_server_tells_neighbours_apart_no_better_than_the_server_of_dpds(
    protocol: TSS,
) -> None:
    counting = Comparison(protocol, "S2")
    sampling = Comparison(DPDS(protocol.users, protocol.items, protocol.participation), "server")
    for inputs in all_inputs(protocol.users, protocol.items):
        for neighbour in counting.neighbours(inputs):
            two, one = counting.compare(inputs, neighbour), sampling.compare(inputs, neighbour)
            assert two.delta() <= one.delta()
            assert two.epsilon <= one.epsilon
            for budget in (0.1, 0.5, 1.0, 2.0):
                assert two.delta(budget) <= one.delta(budget) + 1e-12


@pytest.mark.slow
def test_the_counting_server_sees_the_same_where_the_server_of_dpds_does() -> None:
    counting, sampling = Comparison(two_stage(3, 2), "S2"), Comparison(DPDS(3, 2, 0.5), "server")
    for one, other in combinations(all_inputs(3, 2), 2):
        assert counting.compare(one, other).delta() <= sampling.compare(one, other).delta()


# Two stages, users and the network.


@pytest.mark.slow
@pytest.mark.parametrize("sharing", ["additive", "shamir:2"])
@pytest.mark.parametrize(
    "corrupt", ["u1", "u2", "S1", "network", "u1, S1", "u1, network", "S1, network", "u2, S1"]
)
def test_as_many_users_as_the_bound_see_the_same_of_uniform_sets(
    corrupt: str, sharing: str
) -> None:
    comparison = Comparison(two_stage(2, 2, bound=1, sharing=sharing), corrupt)
    for one, other in pairs_alike_for(comparison, all_inputs(2, 2)):
        assert comparison.compare(one, other).same


@pytest.mark.parametrize("sharing", ["additive", "shamir:2"])
def test_without_a_bound_a_user_elected_alone_sees_an_answer(sharing: str) -> None:
    compared = Comparison(two_stage(2, 2, sharing=sharing), "u1").compare([1, 1], [1, 2])
    assert compared.epsilon == math.inf
    # u2 reports alone on an item (1/2), u1 is elected for it (1/2), u2 takes part (1/2): it reports
    # on its own or not
    assert compared.delta() == Fraction(1, 8)


@pytest.mark.slow
def test_the_network_sees_reporting_sets_in_traffic_no_better_than_the_electing_server() -> None:
    protocol = two_stage(3, 2, gamma=2, bound=1)
    network, server = Comparison(protocol, "network"), Comparison(protocol, "S1")
    for inputs in ([1, 1, 1], [1, 1, 2]):
        for neighbour in network.neighbours(inputs):
            seen, known = network.compare(inputs, neighbour), server.compare(inputs, neighbour)
            assert seen.delta() <= known.delta()
            assert seen.epsilon <= known.epsilon


@pytest.mark.slow
@cases(30)
@given(
    st.sampled_from(
        [two_stage(2, 2, gamma=2, bound=1), two_stage(2, 2), DPDS(2, 2, 0.5, "shamir:2")]
    ),
    st.data(),
)
def test_who_sees_more_tells_inputs_apart_no_worse(protocol: Any, data: st.DataObject) -> None:
    names = [*protocol.parties(), "network"]
    larger = data.draw(
        st.lists(st.sampled_from([name for name in names if name != "u2"]), min_size=1, unique=True)
    )
    smaller = data.draw(st.lists(st.sampled_from(larger), min_size=1, unique=True))
    more, less = (Comparison(protocol, who).compare([1, 1], [1, 2]) for who in (larger, smaller))
    assert less.delta() <= more.delta()
    assert less.epsilon <= more.epsilon


def test_a_set_s_own_inputs_are_the_same_on_both_sides() -> None:
    with pytest.raises(BadInput, match="u2 is in the coalition and knows its own input"):
        Comparison(DPDS(3, 2, 0.5), "u2").compare([1, 1, 1], [1, 2, 1])
    assert same_view([1, 1, 1], [1, 2, 1], "u1", DPDS(3, 2, 0.5))
    assert not same_view([1, 1, 1], [1, 2, 1], "server", DPDS(3, 2, 0.5))


# Three tiers.

CORRUPT = [
    who for size in (1, 2, 3) for who in combinations(["u1", "u2", "u3", "server", "network"], size)
]


@pytest.mark.slow
@cases(60)
@given(
    st.integers(2, 3),
    st.integers(1, 2),
    st.sampled_from([0.5, 1.0]),
    st.data(),
    st.sampled_from(["additive", "additive", "shamir:1", "shamir:2", "shamir:3"]),
)
def test_nothing_is_learned_in_any_run_where_the_laws_are_the_same_for_all_honest_inputs(
    users: int, items: int, chance: float, data: st.DataObject, sharing: str
) -> None:
    protocol = Present(users, items, chance, sharing)
    who = data.draw(
        st.sampled_from(CORRUPT).filter(lambda who: set(who) <= {*protocol.parties(), "network"})
    )
    if set(who) >= {f"u{user}" for user in range(1, users + 1)}:
        return
    held = data.draw(st.lists(st.integers(0, items), min_size=users, max_size=users))
    findings = {verdict(run(protocol, held, seed), list(who)).finding for seed in range(4)}
    comparison = Comparison(protocol, list(who))
    honest = [place for place in range(users) if f"u{place + 1}" not in who]
    others = [
        [choice[honest.index(place)] if place in honest else held[place] for place in range(users)]
        for choice in product(range(items + 1), repeat=len(honest))
    ]
    same = all(comparison.compare(others[0], other).same for other in others[1:])
    event(f"nothing: {same}")
    assert len(findings) == 1
    assert (findings == {"nothing"}) == same


def assert_brute_force_agrees(
    protocol: Any, sets: Sequence[str], pairs: Sequence[tuple[list[int], list[int]]]
) -> int:
    """Compare the result for every coalition and pair of inputs with the result of enumerated field
    coins; return how many pairs differ.
    """
    symbolic, brute = Model(protocol), Model(protocol, enumerate_field=True)
    played: dict[tuple[int, ...], tuple[Any, Any]] = {}
    for held in [held for pair in pairs for held in pair]:
        if tuple(held) not in played:
            played[tuple(held)] = symbolic.worlds(held), brute.worlds(held)
    different = 0
    for corrupt in sets:
        views = Views(symbolic, corrupt), Views(brute, corrupt)
        laws = {
            held: [view.law_over(worlds) for view, worlds in zip(views, both, strict=True)]
            for held, both in played.items()
        }
        for one, other in pairs:
            reduced, full = zip(laws[tuple(one)], laws[tuple(other)], strict=True)
            assert (reduced[0] == reduced[1]) == (full[0] == full[1])
            assert epsilon(*reduced) == epsilon(*full)
            assert delta(*reduced) == delta(*full)
            assert delta(*reduced, 0.5) == pytest.approx(delta(*full, 0.5), abs=1e-12)
            different += reduced[0] != reduced[1]
    return different


@pytest.mark.slow
@pytest.mark.parametrize("sharing", ["additive", "shamir:1", "shamir:2"])
@pytest.mark.parametrize("items", [1, 2])
@pytest.mark.parametrize("chance", [0.3, 1.0])
def test_brute_force_over_field_coins_gives_the_same_law_for_two_users(
    sharing: str, items: int, chance: float
) -> None:
    pairs = [([1, 1], [1, 0]), ([items, 0], [items, 1]), ([1, 0], [1, items])]
    sets = [
        "u1",
        "server",
        "network",
        "u1, server",
        "u1, network",
        "server, network",
        "u1, server, network",
    ]
    different = assert_brute_force_agrees(Present(2, items, chance, sharing), sets, pairs)
    assert different >= 3


SETS_OF_THREE = ["u1", "u3", "server", "u1, u3", "u1, server", "u1, u3, server", "u1, network"]


def test_brute_force_over_field_coins_gives_the_same_law_for_three_users_who_all_take_part() -> (
    None
):
    protocol = Present(3, 1, 1.0, "shamir:2")
    assert protocol.field.modulus == 5
    assert assert_brute_force_agrees(protocol, SETS_OF_THREE, [([1, 1, 1], [1, 0, 1])]) == 4


@pytest.mark.long
@pytest.mark.parametrize(
    ("chance", "sets", "different"),
    [(1.0, SETS_OF_THREE, 3), (0.5, ["u1, u3", "server"], 1)],
)
def test_brute_force_over_field_coins_gives_the_same_law_for_three_users(
    chance: float, sets: list[str], different: int
) -> None:
    pair = [1, 1, 1], [1, 0, 1]
    assert assert_brute_force_agrees(Present(3, 1, chance), sets, [pair]) == different


@pytest.mark.slow
@pytest.mark.parametrize("sharing", long_but(["additive", "shamir:2"], "additive"))
def test_brute_force_gives_the_numbers_of_dpds_itself(sharing: str) -> None:
    for corrupt, different in (("u1", False), ("server", True), ("u1, server", True)):
        one, other = (
            Comparison(DPDS(2, 2, 0.5, sharing), corrupt, enumerate_field=numbers).compare(
                [1, 1], [1, 2]
            )
            for numbers in (False, True)
        )
        assert one.same == other.same != different
        assert one.epsilon == other.epsilon == (math.inf if different else 0)
        assert one.delta() == other.delta() == (HALF if different else 0)
        assert (one.tapes, other.tapes) == ((4, 4), (324, 324))


# How much there is to play out.


def test_dpds_has_as_many_worlds_as_ways_to_take_part() -> None:
    for users in (2, 3, 4):
        assert Comparison(DPDS(users, 2, 0.5), "u1").tapes([1] * users) == 2**users
    assert Comparison(DPDS(3, 2, 1.0), "u1").tapes([1, 1, 1]) == 1


def test_two_stages_have_as_many_worlds_as_reporting_sets_and_elections() -> None:
    # each user takes part or not; of the sets, 2 lead to 1 election and 6 to 3 · 3 of them
    assert Comparison(two_stage(3, 2), "u1").tapes([1, 1, 1]) == 2**3 * (2 + 6 * 9) == 448


@pytest.mark.long
def test_four_users_and_three_items_are_compared_in_less_than_a_minute() -> None:
    with stopwatch() as watch:
        compared = Comparison(two_stage(4, 3, bound=2), "u1").compare([1, 1, 1, 1], [1, 1, 1, 2])
    assert watch.seconds < 60
    assert compared.tapes == (80_640, 80_640)
    assert compared.same
