"""What tables prove is what elimination on the matrices finds, as a space."""

import random
from collections import Counter

import attrs
import pytest

from simnet.adversary.orbits.solving import (
    NoProof,
    RowType,
    SymmetricSystem,
    WrongProof,
    check,
    exposed_types,
    exposes,
    solve,
    touches,
)
from tests.harness.many_cases import for_each
from tests.harness.orbit_matrices import compared_with_elimination, random_system, reached_directly

COPRIME, MODULAR = (7, 11, 101, 10_007), (2, 3, 5)  # against classes of at most 5 parties


def findings(moduli, seeds):
    found: Counter[str] = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        found[compared_with_elimination(random_system(draw, draw.choice(moduli), 5))] += 1
    return found


@pytest.mark.parametrize("moduli", [COPRIME, MODULAR], ids=["coprime", "modular"])
def test_random_systems_have_the_space_that_elimination_finds(moduli):
    assert len(findings(moduli, range(60))) >= 3


@pytest.mark.slow
def test_thousands_of_random_systems():
    coprime = findings(COPRIME, range(1000, 2000))
    modular = findings(MODULAR, range(1000, 2000))
    assert coprime["refused"] == 0  # Theorem 2
    assert modular["refused"] > 0
    assert min(coprime["nothing"], coprime["leaks"], modular["output-only"]) > 30


def reached(moduli, seeds):
    """Whom random systems expose and touch, by tables and by elimination; count the answers."""
    found: Counter[bool | None] = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        system = random_system(draw, draw.choice(moduli), 5)
        try:
            proof = solve(system)
        except NoProof:
            continue
        for name in {name for each in system.secrets for name in each.word}:
            if not system.sizes[name]:
                continue
            exposed, touched = reached_directly(system, name)
            said = exposes(system, proof, name)
            assert said in (exposed, None), system
            assert touches(system, proof, name) is touched, system
            found[said] += 1
    return found


@pytest.mark.parametrize("moduli", [COPRIME, MODULAR], ids=["coprime", "modular"])
def test_whom_random_systems_expose_and_touch(moduli):
    found = reached(moduli, range(40))
    assert min(found[True], found[False]) > 3


@pytest.mark.slow
def test_whom_a_thousand_random_systems_expose_and_touch():
    coprime = reached(COPRIME, range(1000, 1500))
    modular = reached(MODULAR, range(1000, 1500))
    assert (
        coprime[None] == 0
    )  # one of the two proofs exists if no class has a multiple of q parties
    assert min(modular[True], modular[False]) > 30


def leaks_at_seven(users):
    """Every user i sends Σ_{j ≠ i} x_j - 6 x_i + b_i. The matrix of the x is singular at 7 only."""
    user, own, other = ("user",), (0, 0, ((0, 0),)), (0, 0, ())
    q = 10_007
    return SymmetricSystem(
        modulus=q,
        sizes={"user": users},
        rows=[RowType("sent", user)],
        variables=[RowType("x", user)],
        secrets=[RowType("b", user)],
        ideal=[],
        seen={own: q - 6} | ({other: 1} if users > 1 else {}),
        told={own: 1},
        handed={},
    )


@for_each("users", [*range(1, 13), 1_000, 1_000_000])
def test_a_system_that_leaks_at_exactly_one_size_is_judged_at_its_own_size(users):
    system = leaks_at_seven(users)
    assert solve(system).finding == ("leaks" if users == 7 else "nothing")
    if users < 13:
        compared_with_elimination(system)


@for_each("users", [2, 3, 4, 5, 6])
@for_each("q", [2, 3, 5])
def test_a_bare_sum_is_found_even_if_the_modulus_divides_the_number_of_users(users, q):
    user = ("user",)
    system = SymmetricSystem(
        modulus=q,
        sizes={"user": users},
        rows=[RowType("sum", ())],
        variables=[],
        secrets=[RowType("b", user)],
        ideal=[RowType("output", ())],
        seen={},
        told={(0, 0, ()): 1},
        handed={(0, 0, ()): 1},
    )
    proof = solve(system)
    assert (proof.finding, proof.functions) == ("output-only", ((),))
    assert compared_with_elimination(attrs.evolve(system, ideal=[], handed={})) == "leaks"


def one_for_all(users, q):
    """b0 + Σ x_i: the shift must move b0 into some x, and no equal shares exist if q divides n."""
    return SymmetricSystem(
        modulus=q,
        sizes={"user": users},
        rows=[RowType("row", ())],
        variables=[RowType("x", ("user",))],
        secrets=[RowType("b0", ())],
        ideal=[],
        seen={(0, 0, ()): 1},
        told={(0, 0, ()): 1},
        handed={},
    )


def test_a_shift_that_needs_a_division_by_zero_is_refused():
    assert solve(one_for_all(6, 7)).finding == "nothing"
    with pytest.raises(NoProof, match="modulus divides"):
        solve(one_for_all(6, 3))


def test_every_secret_that_is_exposed_is_named():
    user = ("user",)
    system = SymmetricSystem(
        modulus=101,
        sizes={"user": 9},
        rows=[RowType("sent", user)],
        variables=[RowType("mask", ())],
        secrets=[RowType("b", user), RowType("c", user)],
        ideal=[],
        seen={},
        told={(0, 0, ((0, 0),)): 1, (0, 0, ()): 2},
        handed={},
    )
    assert exposed_types(system, solve(system)) == [0]
    masked = attrs.evolve(system, seen={(0, 0, ()): 1})
    assert exposed_types(masked, solve(masked)) == []


@pytest.mark.parametrize("name", ["weights", "learned", "rest", "factor", "witness"])
def test_a_proof_without_a_table_that_it_has_is_refused(name):
    caught = 0
    for seed in range(80):
        system = random_system(random.Random(seed), 101, 5)
        proof = solve(system)
        if getattr(proof, name):
            with pytest.raises(WrongProof):
                check(system, attrs.evolve(proof, **{name: {}}))
            caught += 1
    assert caught > 5


def test_a_proof_with_another_finding_is_refused():
    for seed in range(80):
        system = random_system(random.Random(seed), 101, 5)
        proof = solve(system)
        for finding in {"nothing", "output-only", "leaks"} - {proof.finding}:
            with pytest.raises(WrongProof):
                check(system, attrs.evolve(proof, finding=finding))


def test_a_shift_with_a_changed_entry_is_refused_unless_it_is_as_good():
    """A changed entry of X changes AX, unless the variables of that entry are never seen."""
    caught = 0
    for seed in range(80):
        system = random_system(random.Random(seed), 101, 5)
        proof = solve(system)
        seen_variables = {column for _, column, _ in system.seen}
        for entry in proof.shift:
            changed = {**proof.shift, entry: (proof.shift[entry] + 1) % 101}
            if entry[0] in seen_variables:
                try:
                    check(system, attrs.evolve(proof, shift=changed))
                except WrongProof:
                    caught += 1
    assert caught > 20
