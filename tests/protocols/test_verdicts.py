"""Verdicts on the protocols are those of a table, for every class of coalition, and certificates
prove them.

The oracle uses only what is public (reporting sets, elections), the declared secrets and the
coalition.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import Run, Verdict, certificate_of, certificate_text, run, verdict
from simnet.adversary.check import check
from simnet.testing import (
    assert_learns,
    assert_learns_nothing,
    assert_learns_only_output,
    instances,
    seeds,
)
from tests.harness.fuzz import cases

Element = tuple[str, int]  # whose secret, and which item of it, from 1
Function = dict[Element, int]
Numbered = Mapping[Any, int]  # a vector by whatever its entries are called
Instance = tuple[Any, list[int]]


# A little linear algebra of its own.


def rank(vectors: Iterable[Numbered], q: int) -> int:
    """Return the dimension of the span of vectors over F_q."""
    pivots: dict[Any, dict[Any, int]] = {}
    for vector in vectors:
        rest = {key: value % q for key, value in vector.items() if value % q}
        while rest:
            lead = min(rest)
            if lead not in pivots:
                pivots[lead] = rest
                break
            factor = -rest[lead] * pow(pivots[lead][lead], -1, q)
            total = {
                key: (rest.get(key, 0) + factor * pivots[lead].get(key, 0)) % q
                for key in {*rest, *pivots[lead]}
            }
            rest = {key: value for key, value in total.items() if value}
    return len(pivots)


def spans(basis: Sequence[Numbered], vectors: Sequence[Numbered], q: int) -> bool:
    """Return whether all vectors lie in the span of the basis."""
    return rank([*basis, *vectors], q) == rank(basis, q)


def test_rank_counts_independent_vectors() -> None:
    assert rank([], 5) == rank([{"a": 5}], 5) == 0
    assert rank([{"a": 1, "b": 1}, {"a": 2, "b": 2}], 5) == 1
    assert rank([{"a": 1, "b": 1}, {"a": 1, "b": 2}], 5) == 2
    assert rank([{"a": 1, "b": 1}, {"a": 1, "b": 6}], 5) == 1
    assert spans([{"a": 1}, {"b": 1}], [{"a": 2, "b": 3}], 5)
    assert not spans([{"a": 1, "b": 1}], [{"a": 1}], 5)


# The oracle.


@attrs.frozen
class Circle:
    """The parties that share one item: who shares a secret, who gets the shares, and how many
    shares recover the secret.
    """

    item: int
    sharers: frozenset[str]
    holders: frozenset[str]
    needed: int

    def told(self, corrupt: frozenset[str], counts: bool) -> list[Function]:
        """Return what a coalition learns about the item; `counts` says whether the coalition sees
        the sum.
        """
        honest = sorted(self.sharers - corrupt)
        if len(self.holders & corrupt) >= self.needed:
            return [{(user, self.item): 1} for user in honest]
        return self.handed(corrupt) if counts else []

    def handed(self, corrupt: frozenset[str]) -> list[Function]:
        """Return what the sum tells about honest users."""
        honest = sorted(self.sharers - corrupt)
        return [dict.fromkeys([(user, self.item) for user in honest], 1)] if honest else []


def needed(sharing: Any, holders: int) -> int:
    kind, _, threshold = str(sharing).partition(":")
    return holders if kind == "additive" else min(int(threshold), holders)


def circles(done: Run) -> list[Circle]:
    protocol = done.protocol
    users = [f"u{number}" for number in range(1, protocol.users + 1)]
    if "S1" not in done.outputs:
        everyone = frozenset(users)
        return [
            Circle(item, everyone, everyone, needed(protocol.sharing, len(users)))
            for item in range(1, protocol.items + 1)
        ]
    sets, elected = done.outputs["S1"]
    found = []
    for place, group in enumerate(elected):
        sharers = frozenset(
            user for user, row in zip(users, sets.tolist(), strict=True) if row[place]
        )
        if sharers:
            holders = frozenset(users[number] for number in group.tolist())
            found.append(
                Circle(place + 1, sharers, holders, needed(protocol.sharing, len(holders)))
            )
    return found


def functions_of(found: Verdict) -> list[Function]:
    functions = []
    for learned in found.functions:
        assert all(secret.number == 0 for secret, _ in learned.terms)
        functions.append(
            {(secret.party, secret.item): coefficient for secret, coefficient in learned.terms}
        )
    return functions


def assert_as_expected(done: Run, corrupt: Iterable[str]) -> Verdict:
    """Compare the verdict on a run with the oracle."""
    names = frozenset(corrupt)
    q = done.protocol.field.modulus
    counts = about(done.protocol).estimator in names
    told = [function for circle in circles(done) for function in circle.told(names, counts)]
    handed = [function for circle in circles(done) if counts for function in circle.handed(names)]
    found = verdict(done, corrupt)

    learned = functions_of(found)
    assert spans(told, learned, q), "claims to learn too much"
    assert spans(learned, told, q), "overlooks what is learned"
    assert rank(learned, q) == len(learned)
    assert found.finding == (
        "nothing" if not told else "output-only" if spans(handed, told, q) else "leaks"
    )
    assert found.tier == "proved"
    secrets = {name: declared[0].numbers().tolist() for name, declared in done.secrets.items()}
    for one, function in zip(found.functions, learned, strict=True):
        true = (
            sum(
                coefficient * secrets[user][item - 1]
                for (user, item), coefficient in function.items()
            )
            % q
        )
        assert one.value == one.true == true
        assert one.in_output == spans(handed, [function], q)
        assert one.modulus == q
        if len(function) == 1:
            (user, item), *_ = function
            assert found.attack(user, item) == secrets[user][item - 1]
    nobody_left = set(done.secrets) <= names
    assert bool(found.notes) == nobody_left
    assert not nobody_left or found.notes[0].endswith("nothing is left to learn")
    return found


# Instances.

SHARINGS = st.sampled_from(["additive", "additive", "shamir:1", "shamir:2", "shamir:3", "shamir:9"])
USERS = st.integers(2, 6)
ITEMS = st.integers(1, 4)


def sampled(sharings: st.SearchStrategy[str] = SHARINGS) -> st.SearchStrategy[Instance]:
    chance = st.sampled_from([0.5, 1.0])
    return instances(DPDS, users=USERS, items=ITEMS, participation=chance, sharing=sharings)


def gaussian() -> st.SearchStrategy[Instance]:
    return instances(
        DPDG,
        users=USERS,
        items=ITEMS,
        epsilon=st.sampled_from([0.5, 1.0]),
        delta=st.just(1e-5),
        fraction_bits=st.integers(2, 5),
        noise=st.sampled_from(["rounded-gaussian", "discrete-gaussian"]),
        sharing=SHARINGS,
    )


@st.composite
def two_stage(
    draw: st.DrawFn, prime: bool | None = None, sharings: st.SearchStrategy[str] = SHARINGS
) -> Instance:
    items = draw(ITEMS)
    users = draw(USERS)
    parameters: dict[str, Any] = {
        "users": users,
        "items": items,
        "participation": draw(st.sampled_from([0.5, 1.0])),
        "reported": draw(st.integers(1, items)),
        "gamma": draw(st.sampled_from([None, 2.0])),
        "sharing": draw(sharings),
    }
    if draw(st.booleans()) if prime is None else prime:
        protocol: TSS = TSSPrime(bound=draw(st.integers(0, users - 1)), **parameters)
    else:
        protocol = TSS(**parameters)
    return protocol, draw(st.lists(st.integers(1, items), min_size=users, max_size=users))


def any_set(protocol: Any) -> st.SearchStrategy[list[str]]:
    """Draw a coalition of any parties and perhaps the network; large coalitions are drawn as often
    as small ones.
    """
    names = [*protocol.parties(), "network"]
    some = st.lists(st.sampled_from(names), min_size=1, unique=True)
    but_few = st.sets(st.sampled_from(names), max_size=3).map(
        lambda spared: [n for n in names if n not in spared]
    )
    return some | but_few


def users_of(protocol: Any, spare: int = 0, least: int = 1) -> st.SearchStrategy[list[str]]:
    names = [f"u{number}" for number in range(1, protocol.users + 1)]
    return st.lists(
        st.sampled_from(names), min_size=least, max_size=len(names) - spare, unique=True
    )


# Agreement with the table.


@pytest.mark.slow
@cases(40)
@given(sampled(), seeds(), st.data())
def test_dpds_tells_every_set_what_the_table_says(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    assert_as_expected(run(*instance, seed), data.draw(any_set(instance[0])))


@pytest.mark.slow
@cases(40)
@given(gaussian(), seeds(), st.data())
def test_dpdg_tells_every_set_what_the_table_says(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    assert_as_expected(run(*instance, seed), data.draw(any_set(instance[0])))


@pytest.mark.slow
@cases(60)
@given(two_stage(), seeds(), st.data())
def test_tss_tells_every_set_what_the_table_says(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    assert_as_expected(run(*instance, seed), data.draw(any_set(instance[0])))


# Row by row, in pairs.


@pytest.mark.slow
@cases(25)
@given(sampled(st.just("additive")) | gaussian(), seeds(), st.data())
def test_users_learn_nothing_from_each_other_while_one_is_honest(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    protocol, held = instance
    assume(str(protocol.sharing) == "additive")
    done = run(protocol, held, seed)
    assert_learns_nothing(done, data.draw(users_of(protocol, spare=1)))
    assert_learns_nothing(done, "all users but one")


@pytest.mark.slow
@cases(20)
@given(sampled() | gaussian(), seeds())
def test_all_users_but_one_with_the_server_learn_the_last_ones_secret(
    instance: Instance, seed: int
) -> None:
    protocol, held = instance
    done = run(protocol, held, seed)
    last = f"u{protocol.users}"
    found = assert_learns_only_output(done, "server, all users but one")
    secret = done.secrets[last][0].numbers().tolist()
    assert [found.attack(last, item) for item in range(1, protocol.items + 1)] == secret


@pytest.mark.slow
@cases(40)
@given(
    instances(
        DPDS,
        users=st.integers(3, 6),
        items=ITEMS,
        participation=st.just(0.5),
        sharing=st.integers(1, 5).map(lambda t: f"shamir:{t}"),
    ),
    seeds(),
    st.data(),
)
def test_shamir_holds_below_its_threshold_and_gives_way_at_it(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    protocol, held = instance
    threshold = min(int(str(protocol.sharing)[-1]), protocol.users)
    assume(threshold < protocol.users)
    users = data.draw(st.permutations([f"u{number}" for number in range(1, protocol.users + 1)]))
    done = run(protocol, held, seed)
    if threshold > 1:
        assert_learns_nothing(done, users[: threshold - 1])
    found = assert_learns(done, users[:threshold])
    assert found.finding == "leaks"
    exposed = {
        (learned.exposes.party, learned.exposes.item) for learned in found.leaks if learned.exposes
    }
    assert exposed == {
        (user, item) for user in users[threshold:] for item in range(1, protocol.items + 1)
    }


@pytest.mark.slow
@cases(20)
@given(st.integers(2, 4), st.integers(0, 3), seeds())
def test_a_threshold_above_the_number_of_users_is_that_number(
    users: int, more: int, seed: int
) -> None:
    done = run(DPDS(users, 2, 0.5, f"shamir:{users + more}"), [1] * users, seed)
    assert_learns_nothing(done, "all users but one")
    assert_learns_only_output(done, "server")


@pytest.mark.slow
@cases(30)
@given(two_stage(), seeds(), st.data())
def test_the_elected_learn_an_item_together_and_not_with_one_of_them_missing(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    done = run(*instance, seed)
    circle = data.draw(st.sampled_from(circles(done)))
    holders = data.draw(st.permutations(sorted(circle.holders)))
    honest = circle.sharers - frozenset(holders[: circle.needed])
    together = assert_as_expected(done, holders[: circle.needed])
    exposed = {
        one.exposes.party
        for one in together.leaks
        if one.exposes and one.exposes.item == circle.item
    }
    assert exposed == honest
    if circle.needed > 1:
        fewer = assert_as_expected(done, holders[: circle.needed - 1])
        assert all(secret.item != circle.item for one in fewer.functions for secret, _ in one.terms)


@pytest.mark.slow
@cases(20)
@given(two_stage(prime=True, sharings=st.just("additive")), seeds(), st.data())
def test_tss_prime_tells_nothing_to_as_many_users_as_its_bound(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    protocol, held = instance
    assume(protocol.bound > 0)
    corrupt = data.draw(users_of(protocol, spare=protocol.users - protocol.bound))
    done = run(protocol, held, seed)
    assert_learns_nothing(done, corrupt, from_shares=True)
    assert_learns_nothing(done, [*corrupt, "S1", "network"], from_shares=True)


def test_tss_prime_tells_its_secrets_to_one_user_more_than_its_bound() -> None:
    done = run(
        TSSPrime(users=5, items=1, participation=1.0, reported=1, bound=2, sharing="shamir:3"),
        [1] * 5,
        1,
    )
    elected = [f"u{number + 1}" for number in done.outputs["S1"][1][0].tolist()]
    assert_learns_nothing(done, elected[:2])
    assert_learns(done, elected[:3])


def test_a_threshold_within_the_bound_undoes_the_bound() -> None:
    done = run(
        TSSPrime(users=5, items=1, participation=1.0, reported=1, bound=3, sharing="shamir:2"),
        [1] * 5,
        1,
    )
    elected = [f"u{number + 1}" for number in done.outputs["S1"][1][0].tolist()]
    assert_learns_nothing(done, elected[:1])
    assert_learns(done, elected[:2])


@pytest.mark.slow
@cases(25)
@given(two_stage(), seeds(), st.data())
def test_the_electing_server_adds_nothing_to_what_is_learned(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    protocol, held = instance
    corrupt = data.draw(
        st.lists(st.sampled_from([n for n in protocol.parties() if n != "S1"]), unique=True)
    )
    done = run(protocol, held, seed)
    with_it = assert_as_expected(done, [*corrupt, "S1"])
    if corrupt:
        without = assert_as_expected(done, corrupt)
        assert functions_of(with_it) == functions_of(without)
    else:
        assert with_it.finding == "nothing"
    carried = {seen["what"] for seen in with_it.discrete.sees}
    assert "reporting set" in carried or {
        f"u{number + 1}" for number in range(protocol.users)
    } <= set(corrupt)


@pytest.mark.slow
@cases(25)
@given(two_stage(), seeds())
def test_the_counting_server_alone_learns_each_items_sum(instance: Instance, seed: int) -> None:
    done = run(*instance, seed)
    found = assert_learns_only_output(done, "S2", from_shares=True)
    sums = [
        dict.fromkeys([(user, circle.item) for user in circle.sharers], 1)
        for circle in circles(done)
    ]
    assert sorted(map(sorted, functions_of(found))) == sorted(map(sorted, sums))
    assert all(set(function.values()) == {1} for function in functions_of(found))
    counts = done.outputs["S2"] * float(done.protocol.chance * done.protocol.users)
    by_item = {learned.terms[0][0].item: learned.value for learned in found.functions}
    assert [
        by_item.get(item + 1, 0) for item in range(done.protocol.items)
    ] == counts.round().tolist()


@pytest.mark.slow
@cases(20)
@given(sampled() | two_stage(), seeds())
def test_nothing_is_left_to_learn_when_everyone_is_corrupt(instance: Instance, seed: int) -> None:
    done = run(*instance, seed)
    found = verdict(done, "everyone")
    assert found.finding == "nothing"
    assert found.notes == ("every party is in the coalition: nothing is left to learn",)
    users = verdict(done, "all users")
    assert users.finding == "nothing"
    assert users.notes == (
        "every party that has a secret is in the coalition: nothing is left to learn",
    )
    last = verdict(
        done, ["all users but one", about(done.protocol).estimator]
    )  # but with one honest, there is
    assert last.finding == "output-only"
    assert not last.notes


# Certificates.


@pytest.mark.slow
@cases(30)
@given(sampled() | gaussian() | two_stage(), seeds(), st.data())
def test_a_certificate_proves_its_verdict_to_the_separate_checker(
    instance: Instance, seed: int, data: st.DataObject
) -> None:
    found = verdict(run(*instance, seed), data.draw(any_set(instance[0])))
    assert check(certificate_text(certificate_of(found))).statement == found.finding
