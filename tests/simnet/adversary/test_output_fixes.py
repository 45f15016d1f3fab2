"""What a verdict says that an output fixes is compared with every assignment of values to
secrets.
"""

import itertools
from collections.abc import Sequence
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from simnet import Field, Party, Sealed, Seat, Tag, run, seats
from simnet.adversary import output_fixes as module
from simnet.adversary.judge import verdict
from simnet.adversary.output_fixes import (
    KnownSum,
    OutputFixes,
    SecretKey,
    SecretValues,
    output_fixes,
)
from tests.harness.shell import RING, simnet, words
from tests.harness.timing import stopwatch

BIT = SecretValues({0: frozenset({(0,)}), 1: frozenset({(1,)}), 2: frozenset({(1,)})})


class OfTwo:
    """The server learns the sum of two numbers."""

    items = 2
    field, tag = Field(101), Tag("masked")

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, 2), "server": Seat(self.server)}

    async def user(self, me: Party, number: Sealed) -> None:
        mine = me.secret(lambda x: [x], number, field=self.field, shape=(1,))
        if me.name == "u1":
            mask = me.coins.field(self.field, (1,))
            await me.send(self.tag, "u2", mask)
            await me.send(self.tag, "server", mine + mask)
        else:
            mask = await me.receive(self.tag, "u1", shape=(1,))
            await me.send(self.tag, "server", mine - mask)

    async def server(self, me: Party) -> None:
        for user in ("u1", "u2"):
            await me.receive(self.tag, user, shape=(1,))

    def functionality(self, numbers: list[int], users: Any) -> dict[str, Any]:
        first, second = (
            user.secret(lambda x: [x], number, field=self.field, shape=(1,))
            for number, user in zip(numbers, users, strict=True)
        )
        return {"server": first + second}


Case = tuple[dict[SecretKey, SecretValues], list[KnownSum]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw up to four secrets over a small field, and sums that hold for one assignment of
    values.
    """
    modulus = draw(st.sampled_from([2, 3, 5, 7, 101]))
    items = draw(st.integers(1, 3))
    number = st.integers(0, min(modulus - 1, 3))
    inputs = st.dictionaries(
        st.integers(1, 3),
        st.frozensets(st.tuples(*[number] * items), min_size=1, max_size=2),
        min_size=1,
        max_size=3,
    )
    alike = draw(st.booleans())
    shared = SecretValues(draw(inputs))
    secrets = {
        (f"u{place}", 0): shared if alike else SecretValues(draw(inputs))
        for place in range(1, draw(st.integers(1, 4)) + 1)
    }
    true = {key: draw(st.sampled_from(values.all)) for key, values in secrets.items()}
    elements = [(key, item) for key in secrets for item in range(1, items + 1)]
    if alike and draw(st.booleans()):
        functions = [{(key, item): 1 for key in secrets} for item in range(1, items + 1)]
    else:
        weights = st.sampled_from([0, 0, 1, 1, 2, modulus - 1])
        functions = [
            {element: weight for element in elements if (weight := draw(weights) % modulus)}
            for _ in range(draw(st.integers(1, 3)))
        ]
    sums = [
        KnownSum(
            terms,
            sum(weight * true[key][item - 1] for (key, item), weight in terms.items()) % modulus,
            modulus,
        )
        for terms in functions
        if terms
    ]
    return secrets, sums


def consistent(case: Case) -> tuple[list[SecretKey], list[tuple[tuple[int, ...], ...]]]:
    """Return the secrets in the sums, and every assignment of values to them that satisfies all
    sums.
    """
    values, sums = case
    secrets = sorted({key for each in sums for key, _ in each.terms})

    def fits(assignment: Sequence[tuple[int, ...]]) -> bool:
        held = dict(zip(secrets, assignment, strict=True))
        return all(
            sum(weight * held[key][item - 1] for (key, item), weight in each.terms.items())
            % each.modulus
            == each.value
            for each in sums
        )

    possible = itertools.product(*(values[key].all for key in secrets))
    return secrets, [assignment for assignment in possible if fits(assignment)]


def inputs_behind(
    case: Case, secrets: Sequence[SecretKey], assignment: Sequence[tuple[int, ...]]
) -> tuple[int, ...]:
    """Return the inputs that give these values, in order."""
    return tuple(
        sorted(
            number
            for key, value in zip(secrets, assignment, strict=True)
            for number, numbers in case[0][key].by_input.items()
            if value in numbers
        )
    )


@pytest.mark.parametrize("most", [4_000, 0], ids=["listed", "by rules"])
@given(case=cases())
def test_what_is_said_to_be_fixed_is_fixed(most: int, case: Case) -> None:
    values, sums = case
    with mock.patch.object(module, "MOST_ASSIGNMENTS", most):
        found = output_fixes(sums, values)
    secrets, assignments = consistent(case)
    for (key, item), value in found.elements.items():
        assert {each[secrets.index(key)][item - 1] for each in assignments} == {value}
    if found.everything:
        assert len(assignments) == 1
    if found.is_multiset:
        assert len({tuple(sorted(each)) for each in assignments}) == 1
    if found.are_inputs:
        for key in secrets:
            behind = [set(numbers) for numbers in values[key].by_input.values()]
            assert all(not a & b for a, b in itertools.combinations(behind, 2))
        if found.is_multiset:
            assert len({inputs_behind(case, secrets, each) for each in assignments}) == 1
    assert (found.in_words is None) == (
        not (found.elements or found.everything or found.is_multiset)
    )


def test_only_some_secrets_of_a_party_are_fixed_if_it_has_others() -> None:
    values = {("u1", 0): BIT, ("u2", 0): BIT}
    sums = [KnownSum({(key, 1): 1 for key in values}, 2, 11)]
    assert output_fixes(sums, values, values.keys()).in_words == "the secrets of u1, u2"
    more = [*values, ("u2", 1), ("u3", 0)]
    assert output_fixes(sums, values, more).in_words == "some secrets of u1, u2"


ONE, OTHER = (1, 0), (0, 1)


def counts(*keys: SecretKey) -> list[KnownSum]:
    """Each of two answers was given once."""
    return [KnownSum({(key, item): 1 for key in keys}, 1, 11) for item in (1, 2)]


@pytest.mark.parametrize("most", [4_000, 0], ids=["listed", "by rules"])
def test_a_multiset_of_secrets_is_one_of_inputs_only_if_all_make_them_in_the_same_way(
    most: int,
) -> None:
    """With the answers of u2 swapped, both have input 1, or both have input 2."""
    plain = SecretValues({1: frozenset({ONE}), 2: frozenset({OTHER})})
    swapped = SecretValues({1: frozenset({OTHER}), 2: frozenset({ONE})})
    first, second, third = ("u1", 0), ("u2", 0), ("u1", 1)
    with mock.patch.object(module, "MOST_ASSIGNMENTS", most):
        alike = output_fixes(counts(first, second), {first: plain, second: plain})
        other = output_fixes(counts(first, second), {first: plain, second: swapped})
        # Two secrets of one party have one owner, so nothing is left open about owners.
        own = output_fixes(counts(first, third), {first: plain, third: plain})
    without = "without their owners (which values there are and how often)"
    assert alike.in_words == f"the inputs of u1, u2 {without}"
    assert other.in_words == f"the secrets of u1, u2 {without}"
    assert own.in_words is None


def test_many_sums_of_one_element_take_no_long_search() -> None:
    """A coalition of all users but one knows every element of many secrets by itself."""
    keys = [(f"u{number}", 0) for number in range(1_000)]
    plain = SecretValues(
        {item + 1: frozenset({tuple(int(item == at) for at in range(30))}) for item in range(30)}
    )
    sums = [KnownSum({(key, item): 1}, 0, 10_007) for key in keys for item in range(1, 31)]
    with stopwatch() as watch:
        output_fixes(sums, dict.fromkeys(keys, plain))
    assert watch.seconds < 10


def test_nothing_is_said_about_inputs_outside_the_list() -> None:
    """The protocol has two items, but scripts take other numbers, too."""
    done = run(OfTwo(), [5, 7], 1)
    found = verdict(done, "server")
    assert found.finding == "output-only"
    assert found.output_fixes.in_words is None
    assert output_fixes([KnownSum({(("u1", 0), 1): 1}, 5, 11)], {("u1", 0): BIT}) == OutputFixes()


@given(cases())
def test_where_all_assignments_are_listed_nothing_is_left_out(case: Case) -> None:
    values, sums = case
    found = output_fixes(sums, values)
    _, assignments = consistent(case)
    if len(assignments) > 1:
        same = len({tuple(sorted(each)) for each in assignments}) == 1
        assert found.is_multiset == same
    elif any(len(each.terms) > 1 for each in sums) and found.elements:
        assert found.everything


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(2, 9), st.integers(2, 4), st.booleans(), st.integers(0, 99))
def test_the_counts_of_a_server_fix_a_multiset(
    users: int, items: int, certain: bool, seed: int
) -> None:
    done = run(
        DPDS(users, items, 1.0 if certain else 0.5),
        [place % items + 1 for place in range(users)],
        seed,
    )
    found = verdict(done, "server").output_fixes
    assert found.is_multiset or found.everything
    assert found.are_inputs == certain


@pytest.mark.slow
def test_it_is_said_where_verdicts_are_printed_and_in_json() -> None:
    ring = ("verify", RING, "--users", 4, "--corrupt", "u3", "--inputs")
    assert "the output alone fixes: the inputs of u1, u2, u4 " in words(
        simnet(*ring, "3,3,3,3").out
    )
    assert "alone fixes" not in simnet(*ring, "3,1,2,3").out
    two = ("verify", "dpds", "--users", 4, "--items", 3, "--participation", 1, "--seed", 0)
    told = simnet(*two, "--corrupt", "u1,u2,server", "--json", "-").json["shares"]
    fixed = "the inputs of u3, u4 without their owners (which values there are and how often)"
    assert (told["verdict"], told["output_fixes"].split(";")[0]) == ("output-only", fixed)
    few = ("run", "dpds", "--users", 3, "--items", 3, "--participation", 1)
    assert "server: the output alone fixes the inputs of u1, u2, u3 " in words(simnet(*few).out)
    assert "the output alone fixes" not in simnet("run", "dpds", "--users", 12).out
