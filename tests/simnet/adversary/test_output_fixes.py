"""What a verdict says that an output fixes is compared with every assignment of values to
secrets.
"""

import itertools
from collections.abc import Sequence
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from simnet import run
from simnet.adversary import output_fixes as module
from simnet.adversary.judge import verdict
from simnet.adversary.output_fixes import KnownSum, SecretKey, SecretValues, output_fixes
from tests.harness.shell import RING, simnet, words

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
    assert (found.in_words is None) == (
        not (found.elements or found.everything or found.is_multiset)
    )


def test_only_some_secrets_of_a_party_are_fixed_if_it_has_others() -> None:
    bit = SecretValues({0: frozenset({(0,)}), 1: frozenset({(1,)}), 2: frozenset({(1,)})})
    values = {("u1", 0): bit, ("u2", 0): bit}
    sums = [KnownSum({(key, 1): 1 for key in values}, 2, 11)]
    assert output_fixes(sums, values, values.keys()).in_words == "the secrets of u1, u2"
    more = [*values, ("u2", 1), ("u3", 0)]
    assert output_fixes(sums, values, more).in_words == "some secrets of u1, u2"


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
