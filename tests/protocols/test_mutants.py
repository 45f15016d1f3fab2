"""Broken variants are caught: coalitions that learn nothing, or only the output, in the protocol
learn more in the variant.

Every accusation comes with a certificate that the separate checker accepts and with the true
values. In each pair, the same test does not accuse the protocol itself on the same inputs and
coins.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.dpds.script import DPDS
from protocols.sharing.schemes import Additive
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import Judge, Run, Verdict, certificate_of, certificate_text, run, verdict
from simnet.adversary.check import check
from simnet.adversary.verdict import ShareFinding
from simnet.testing import assert_learns_nothing, assert_learns_only_output, inputs, seeds
from tests.harness.fuzz import cases
from tests.harness.mutants import (
    CopiesLastShare,
    ElectsOneTooFew,
    ForwardsUnsummed,
    LeavesOneOut,
    NoMask,
    OneMask,
    OneMaskForAllItems,
    PublishesCounts,
    PublishesPartialSums,
    one_coin_stream,
)

Corrupt = str | Sequence[str]


def assert_proved(found: Verdict, finding: ShareFinding) -> Verdict:
    """Check the finding, its certificate, and every value that an attack recovers."""
    assert found.finding == finding
    assert check(certificate_text(certificate_of(found))).statement == finding
    assert all(learned.value == learned.true for learned in found.functions)
    return found


def assert_caught(runs: Run | Sequence[Run], corrupt: Corrupt) -> Verdict:
    return assert_proved(verdict(runs, corrupt), "leaks")


def exposed(found: Verdict) -> set[tuple[str, int]]:
    """Return the single secrets that are learned, and check that each attack gives the true
    value.
    """
    secrets = {one.exposes: one.value for one in found.leaks if one.exposes}
    for secret, value in secrets.items():
        assert found.attack(secret.party, secret.item, secret.number) == value
    return {(secret.party, secret.item) for secret in secrets}


def differences(found: Verdict) -> list[tuple[tuple[str, int], ...]]:
    """Return the learned differences of two elements, each as pairs of a party and a sign."""
    half = [
        [(s.party, c if c <= one.modulus // 2 else c - one.modulus) for s, c in one.terms]
        for one in found.functions
    ]
    return [tuple(terms) for terms in half if sorted(c for _, c in terms) == [-1, 1]]


def everything_of(users: Iterable[int], items: int) -> set[tuple[str, int]]:
    return {(f"u{user}", item) for user in users for item in range(1, items + 1)}


@st.composite
def pairs(draw: st.DrawFn, /, broken: Any, least: int = 3, **parameters: Any) -> tuple[Run, Run]:
    """A run of DPDS and one of a broken variant, or of DPDS with broken sharing, with the same
    inputs and coins.
    """
    given_: dict[str, Any] = {
        "users": draw(st.integers(least, 5)),
        "items": draw(st.integers(2, 4)),
        "participation": 0.5,
    }
    sound = DPDS(**given_, **parameters)
    variant = (
        DPDS(**given_, sharing=broken())
        if issubclass(broken, Additive)
        else broken(**given_, **parameters)
    )
    held, seed = draw(inputs(sound)), draw(seeds())
    return run(sound, held, seed), run(variant, held, seed)


examples = cases(20)


def same_outputs(sound: Run, broken: Run) -> bool:
    """Return whether both runs have the same estimates: no mistake is visible in the estimates."""
    return bool(
        np.array_equal(
            sound.outputs[about(sound.protocol).estimator],
            broken.outputs[about(sound.protocol).estimator],
        )
    )


# Shares.


@pytest.mark.slow
@examples
@given(pairs(NoMask))
def test_a_share_without_a_mask_is_caught_with_its_recipient_alone(pair: tuple[Run, Run]) -> None:
    sound, broken = pair
    last, users = f"u{sound.protocol.users}", sound.protocol.users
    assert_learns_nothing(sound, last)
    assert exposed(assert_caught(broken, last)) == everything_of(
        range(1, users), sound.protocol.items
    )
    assert same_outputs(sound, broken)


@pytest.mark.slow
@examples
@given(pairs(OneMask))
def test_too_few_masks_are_caught_with_the_two_who_hold_what_is_not_zero(
    pair: tuple[Run, Run],
) -> None:
    sound, broken = pair
    last, users = f"u{sound.protocol.users}", sound.protocol.users
    assert_learns_nothing(sound, ["u1", last])
    assert_learns_nothing(broken, last)
    assert exposed(assert_caught(broken, ["u1", last])) == everything_of(
        range(2, users), sound.protocol.items
    )
    assert same_outputs(sound, broken)


@pytest.mark.slow
@examples
@given(pairs(OneMaskForAllItems))
def test_one_mask_for_all_items_is_caught_by_the_differences_between_items(
    pair: tuple[Run, Run],
) -> None:
    sound, broken = pair
    users, items = sound.protocol.users, sound.protocol.items
    assert_learns_nothing(sound, f"u{users}")
    found = assert_caught(broken, f"u{users}")
    assert not found.leaks
    assert len(differences(found)) == len(found.functions) == (users - 1) * (items - 1)
    assert all(len({party for party, _ in terms}) == 1 for terms in differences(found))
    assert same_outputs(sound, broken)


@pytest.mark.slow
@examples
@given(pairs(CopiesLastShare))
def test_a_share_that_goes_to_a_neighbour_too_is_caught_with_all_others(
    pair: tuple[Run, Run],
) -> None:
    sound, broken = pair
    users = sound.protocol.users
    assert_learns_nothing(sound, "all users but one")
    assert_learns_nothing(broken, "all users but 2")
    assert exposed(assert_caught(broken, "all users but one")) == everything_of(
        [users], sound.protocol.items
    )
    assert same_outputs(sound, broken)


def smallest_breaking(done: Run) -> int:
    """Return the size of the smallest coalition that learns somebody's secret."""
    names = done.roster.names
    judge = Judge([done], names)
    sizes = (
        size
        for size in range(1, len(names))
        for corrupt in itertools.combinations(names, size)
        if judge.verdict(corrupt).leaks
    )
    return next(sizes)


@pytest.mark.slow
@cases(8)
@given(pairs(LeavesOneOut))
def test_the_smallest_breaking_set_shrinks_when_one_user_gets_no_shares(
    pair: tuple[Run, Run],
) -> None:
    sound, broken = pair
    users = sound.protocol.users
    assert smallest_breaking(sound) == users
    assert smallest_breaking(broken) == users - 1
    assert_learns_nothing(sound, "all users but one")
    assert exposed(assert_caught(broken, "all users but one")) == everything_of(
        [users], sound.protocol.items
    )
    assert same_outputs(sound, broken)


# Servers that tell more.


@pytest.mark.slow
@examples
@given(pairs(PublishesCounts, least=2))
def test_a_server_that_publishes_the_sum_is_caught_with_any_user(pair: tuple[Run, Run]) -> None:
    sound, broken = pair
    users, items = sound.protocol.users, sound.protocol.items
    assert_learns_nothing(sound, "u1")
    found = assert_caught(broken, "u1")
    others = [f"u{user}" for user in range(2, users + 1)]
    assert [[secret.party for secret, _ in one.terms] for one in found.functions] == [
        others
    ] * items
    assert exposed(assert_caught(broken, "all users but one")) == everything_of([users], items)
    assert_proved(assert_learns_only_output(sound, "server"), "output-only")
    assert_proved(
        assert_learns_only_output(broken, "server"), "output-only"
    )  # what it knows is not the mistake


@pytest.mark.slow
@examples
@given(
    st.integers(2, 4).flatmap(lambda n: pairs(PublishesPartialSums, least=n, sharing=f"shamir:{n}"))
)
def test_a_server_that_publishes_partial_sums_is_caught_with_any_user(
    pair: tuple[Run, Run],
) -> None:
    sound, broken = pair
    users = sound.protocol.users
    assume(str(sound.protocol.sharing) == f"shamir:{users}")
    assert_learns_nothing(sound, "all users but one")
    assert len(assert_caught(broken, "u1").functions) == sound.protocol.items
    assert exposed(assert_caught(broken, "all users but one")) == everything_of(
        [users], sound.protocol.items
    )
    assert same_outputs(sound, broken)


# Two stages.


@st.composite
def two_stage(draw: st.DrawFn, broken: type[TSS], bound: int | None = None) -> tuple[Run, Run]:
    items = draw(st.integers(bound or 1, 4))
    users = draw(st.integers(2 * (bound or 1), 5))
    given_: dict[str, Any] = {
        "users": users,
        "items": items,
        "participation": 0.5,
        "reported": 1 if bound else draw(st.integers(1, items)),
    }
    more: dict[str, Any] = {} if bound is None else {"bound": bound}
    sound = TSS(**given_) if bound is None else TSSPrime(**given_, **more)
    held, seed = draw(inputs(sound)), draw(seeds())
    return run(sound, held, seed), run(broken(**given_, **more), held, seed)


def reporters(done: Run) -> Iterator[tuple[int, set[str], set[str]]]:
    """Return for each item, from 1, the users who report on it and the users who are elected."""
    sets, elected = done.outputs["S1"]
    for place, group in enumerate(elected):
        reporting = {f"u{user + 1}" for user in np.flatnonzero(sets[:, place])}
        yield place + 1, reporting, {f"u{user + 1}" for user in group.tolist()}


@pytest.mark.slow
@examples
@given(two_stage(ForwardsUnsummed))
def test_shares_that_are_sent_on_unsummed_are_caught_with_the_counting_server(
    pair: tuple[Run, Run],
) -> None:
    sound, broken = pair
    reported = {item: who for item, who, _ in reporters(broken)}
    assert_learns_only_output(sound, "S2")
    found = verdict(broken, "S2")
    assert exposed(found) == {(user, item) for item, who in reported.items() for user in who}
    assert_proved(
        found, "leaks" if any(len(who) > 1 for who in reported.values()) else "output-only"
    )
    assert same_outputs(sound, broken)


@pytest.mark.slow
def test_shares_that_are_sent_on_unsummed_do_tell_more_than_the_sum() -> None:
    given_: dict[str, Any] = {"users": 4, "items": 2, "participation": 1.0, "reported": 2}
    assert_learns_only_output(run(TSS(**given_), [1, 2, 2, 1], 5), "S2")
    assert_caught(run(ForwardsUnsummed(**given_), [1, 2, 2, 1], 5), "S2")


@pytest.mark.slow
@cases(25)
@given(two_stage(ElectsOneTooFew, bound=2), st.data())
def test_electing_one_user_too_few_is_caught_with_as_many_as_the_bound(
    pair: tuple[Run, Run], data: st.DataObject
) -> None:
    sound, broken = pair
    weak = [
        (item, who, elected)
        for item, who, elected in reporters(broken)
        if len(elected) == 2 and who - elected
    ]
    assume(weak)
    item, who, elected = data.draw(st.sampled_from(weak))
    assert_learns_nothing(sound, sorted(elected))
    assert {(user, item) for user in who - elected} <= exposed(
        assert_caught(broken, sorted(elected))
    )
    assert same_outputs(sound, broken)


@pytest.mark.slow
@cases(25)
@given(two_stage(ElectsOneTooFew, bound=1))
def test_a_share_in_the_clear_is_caught_with_the_only_elected_user(pair: tuple[Run, Run]) -> None:
    sound, broken = pair
    clear = {
        min(elected): {(user, item) for user in who}
        for item, who, elected in reporters(broken)
        if len(elected) == 1 and who and not who & elected
    }
    for user, told in clear.items():
        assert_learns_nothing(sound, user)
        assert told <= exposed(assert_caught(broken, user))
    for user in {f"u{number}" for number in range(1, sound.protocol.users + 1)} - set(clear):
        assert_learns_nothing(broken, user)


# Coins.


@pytest.mark.slow
@examples
@given(pairs(DPDS))
def test_two_users_with_one_stream_of_coins_are_caught_by_the_difference_of_their_secrets(
    pair: tuple[Run, Run],
) -> None:
    sound, _ = pair
    last = f"u{sound.protocol.users}"
    assert_learns_nothing(sound, last)
    with one_coin_stream("u1", "u2"):
        shared = run(sound.protocol, list(sound.inputs.values()), sound.seed)
        found = verdict(shared, last)
        assert len(found.functions) == sound.protocol.items
        assert all(
            sorted(terms) in ([("u1", 1), ("u2", -1)], [("u1", -1), ("u2", 1)])
            for terms in differences(found)
        )
        assert len(differences(found)) == len(assert_proved(found, "leaks").functions)
        together = assert_caught(shared, ["u1", last])  # who knows its own coins knows the other's
        assert exposed(together) == everything_of([2], sound.protocol.items)
    assert_learns_nothing(sound, ["u1", last])


@st.composite
def collections(draw: st.DrawFn) -> tuple[DPDS, list[int], list[int], int]:
    """Run two collections in which everybody takes part; the first user has another item in the
    second one.
    """
    protocol = DPDS(draw(st.integers(3, 5)), draw(st.integers(2, 4)), 1.0)
    first = draw(inputs(protocol))
    second = draw(inputs(protocol).filter(lambda held: held[0] != first[0]))
    return protocol, first, second, draw(seeds())


@pytest.mark.slow
@examples
@given(collections())
def test_a_seed_used_twice_is_caught_by_the_difference_of_the_two_runs(
    twice: tuple[DPDS, list[int], list[int], int],
) -> None:
    """Of every user: who held the same twice is told to have done so."""
    protocol, first, second, seed = twice
    last = f"u{protocol.users}"
    fresh = [run(protocol, first, seed), run(protocol, second, seed + 1)]
    fixed = [run(protocol, first, seed), run(protocol, second, seed)]
    assert_learns_nothing(fresh, last)
    assert_learns_nothing(fresh, "all users but one")
    for done in fixed:
        assert_learns_nothing(done, last)
    found = assert_caught(fixed, last)
    assert len(found.functions) == len(differences(found))
    assert len(found.functions) == (protocol.users - 1) * protocol.items
    for user in range(1, protocol.users):
        sent = {
            one.terms[0][0].item: one.value
            for one in found.functions
            if one.terms[0][0].party == one.terms[1][0].party == f"u{user}"
        }
        expected = np.zeros(protocol.items, dtype=np.int64)
        expected[first[user - 1] - 1] += 1
        expected[second[user - 1] - 1] -= 1
        signs = {1: expected % protocol.field.modulus, -1: -expected % protocol.field.modulus}
        assert [sent[item] for item in sorted(sent)] in [one.tolist() for one in signs.values()]


def test_a_seed_used_twice_on_inputs_that_are_said_to_be_equal_tells_nothing_new() -> None:
    twice = [run(DPDS(3, 2, 1.0), [1, 2, 1], 4) for _ in range(2)]
    assert Judge(twice, ["u3"], same_inputs=True).verdict("u3").finding == "nothing"
    assert Judge(twice, ["u3"]).verdict("u3").finding == "leaks"


# All of them at once.


@attrs.frozen
class Case:
    broken: Any
    corrupt: str
    sharing: str = "additive"


CASES = [
    Case(NoMask, "u4"),
    Case(OneMask, "u1, u4"),
    Case(OneMaskForAllItems, "u4"),
    Case(CopiesLastShare, "all users but one"),
    Case(LeavesOneOut, "all users but one"),
    Case(PublishesCounts, "u2"),
    Case(PublishesPartialSums, "u2", "shamir:4"),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.broken.__name__)
def test_the_protocol_is_never_accused_where_a_variant_is(case: Case) -> None:
    sound = run(DPDS(4, 2, 0.5, case.sharing), [1, 2, 2, 1], 3)
    made = DPDS(4, 2, 0.5, case.broken()) if issubclass(case.broken, Additive) else None
    broken = run(made or case.broken(4, 2, 0.5, case.sharing), [1, 2, 2, 1], 3)
    assert_proved(verdict(sound, case.corrupt), "nothing")
    assert_caught(broken, case.corrupt)
