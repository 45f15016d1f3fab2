"""Random systems of messages and doors with products, played out with all numbers.

A system has coins, inputs, and numbers that the coalition holds. Messages and rows of doors are
polynomials in these. The truth is found from the statement of docs/proofs/change-of-coins.md alone:
we play every value of every unknown, with numpy's integers, and compare laws. `python -m
tests.harness.random_systems 100000` compares as many systems, and prints a table.
"""

import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import attrs
import numpy as np

from simnet.adversary.bounds import End
from simnet.adversary.change_of_coins import ChangeOfCoins, DoorRows
from simnet.adversary.roles import Making, Roles
from simnet.arrays import Ints
from simnet.linear.terms import Terms
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.values.field import Field
from simnet.values.residues import constant

Row = dict[tuple[str, ...], int]  # maps each product of names to its coefficient
NUMBERS = {2: (3, 2), 3: (3, 2), 5: (2, 2)}  # for each modulus, how many coins and inputs


@attrs.frozen
class Door:
    """A call of a door: its rows, the name of the secret that it makes, or None if it discloses."""

    rows: tuple[Row, ...]
    made: str | None
    has_input: bool
    in_full: bool
    seed: int


@attrs.frozen
class System:
    """Messages, doors and an ideal output over one field."""

    modulus: int
    coins: tuple[str, ...]
    inputs: tuple[str, ...]
    messages: tuple[Row, ...]
    doors: tuple[Door, ...]
    ideal: tuple[Row, ...]


def drawn(rng: random.Random, most_doors: int) -> System:
    """Return a random system."""
    q = rng.choice([2, 3, 3, 5])
    coins, inputs = NUMBERS[q]
    names = [f"c{at}" for at in range(coins)], [f"x{at}" for at in range(inputs)]
    known = [*names[0], *names[1], "k"]

    def row(of: Sequence[str], most: int = 3) -> Row:
        terms: Row = {}
        for _ in range(rng.randint(1, most)):
            factors = rng.choices(of, k=rng.choice((1, 1, 1, 2)))
            if q > 2 or len(set(factors)) == len(factors):
                terms[tuple(sorted(factors))] = rng.randrange(1, q)
        return terms or {(of[0],): 1}

    doors = []
    for at in range(rng.randint(0, most_doors)):
        rows = tuple(row(known, 2) for _ in range(rng.randint(1, 2)))
        made = f"t{at}" if rng.random() < 0.5 else None
        is_full = made is None and rng.random() < 0.3
        has_input = not is_full and rng.random() < 0.3
        doors.append(Door(rows, made, has_input, is_full, rng.randrange(1 << 30)))
        if made:
            known.append(made)
    messages = tuple(row(known) for _ in range(rng.randint(1, 3)))
    ideal = (row(names[1], 2),) if rng.random() < 0.4 else ()
    return System(q, tuple(names[0]), tuple(names[1]), messages, tuple(doors), ideal)


def said(system: System) -> End:
    """Return the upper end that the rule gives."""
    unknowns, q = Unknowns(), system.modulus
    one = constant(Field(q), [1])
    made = [door.made for door in system.doors if door.made]
    kinds = [(name, "coin", "a") for name in system.coins]
    kinds += [(name, "secret", "a") for name in (*system.inputs, *made)] + [("k", "secret", "c")]
    first = {
        name: unknowns.family(kind, name, name, holder, one).first for name, kind, holder in kinds
    }

    def terms(rows: Sequence[Row]) -> Terms:
        def unknown(names: tuple[str, ...]) -> int:
            return unknowns.monomial(tuple(first[name] for name in names), q)

        return Terms.of_vectors([{unknown(names): v for names, v in row.items()} for row in rows])

    doors = [
        DoorRows(
            party="a",
            kind="secret" if door.made else "disclose",
            rows={q: terms(door.rows)},
            has_input=door.has_input,
            discloses=not door.made,
            in_full=door.in_full,
            made=first[door.made] // PLACES if door.made else None,
        )
        for door in system.doors
    ]
    messages, ideal = terms(system.messages), terms(system.ideal).vectors()
    makings = [
        Making(door.made, {u // PLACES for u in door.rows[q].unknowns.tolist()})
        for door in doors
        if door.made is not None
    ]
    makings += [
        Making(family.number, {factor // PLACES for factor in family.factors})
        for family in unknowns.families
        if family.factors
    ]
    roles = Roles(unknowns, ["c"], makings)
    change = ChangeOfCoins({q: messages}, {q: ideal}, doors, roles, unknowns)
    if change.breach:
        return "leaks"
    return "nothing" if not change.left else "output-only" if change.is_in_output else "leaks"


def truth(system: System) -> End:
    """Return what the messages tell of the inputs, given the disclosed values."""
    q = system.modulus
    names = [*system.coins, *system.inputs, "k", *(f"w{at}" for at in range(len(system.doors)))]
    sizes = [2 if name.startswith("w") else q for name in names]
    worlds: dict[str, Ints] = dict(
        zip(names, np.indices(sizes).reshape(len(names), -1), strict=True)
    )
    inputs = coded([worlds[name] for name in system.inputs], q)
    record: list[Ints] = [worlds["k"]]
    for at, door in enumerate(system.doors):
        rows = [value(row, worlds, q) for row in door.rows]
        given = coded([*rows, *([inputs] if door.has_input else []), worlds[f"w{at}"]], q**2)
        table = np.random.default_rng(door.seed).integers(q if door.made else 2, size=q**8)
        if door.made:
            worlds[door.made] = table[given]
        else:
            record += rows if door.in_full else [table[given]]
    seen = coded([value(row, worlds, q) for row in system.messages], q)
    told = coded(record, q)
    if is_independent(seen, inputs, told):
        return "nothing"
    ideal = [value(row, worlds, q) for row in system.ideal]
    is_output = bool(ideal) and is_independent(seen, inputs, coded([told, *ideal], q**5))
    return "output-only" if is_output else "leaks"


def value(row: Row, worlds: dict[str, Ints], q: int) -> Ints:
    """Return the number of a row in each world."""
    total: Ints = np.zeros_like(worlds["k"])
    for names, coefficient in row.items():
        term: Ints = np.full_like(total, coefficient)
        for name in names:
            term = term * worlds[name] % q
        total = total + term
    return total % q


def coded(numbers: Sequence[Ints], size: int) -> Ints:
    """Return one number for each world that tells all these numbers, which are below `size`."""
    total = np.zeros_like(numbers[0])
    for each in numbers:
        total = total * size + each
    return total


def is_independent(seen: Ints, inputs: Ints, given: Ints) -> bool:
    """Whether the law of `seen`, given `given`, is the same for all inputs."""
    codes = [np.unique(each, return_inverse=True)[1] for each in (given, inputs, seen)]
    sizes = [int(code.max()) + 1 for code in codes]
    flat = (codes[0] * sizes[1] + codes[1]) * sizes[2] + codes[2]
    counts = np.bincount(flat, minlength=math.prod(sizes)).reshape(sizes)
    totals, sums = counts.sum(axis=2, keepdims=True), counts.sum(axis=(1, 2), keepdims=True)
    by_seen = counts.sum(axis=1, keepdims=True)
    return bool(np.array_equal(counts * sums, by_seen * totals))


ORDER = ("nothing", "output-only", "leaks")


def compared(seeds: Iterator[int] | range, most_doors: int) -> Counter[tuple[End, End]]:
    """Count what the rule says, with the truth. Raises `AssertionError` if the rule says less than
    the truth.
    """
    table = Counter[tuple[End, End]]()
    for seed in seeds:
        system = drawn(random.Random(seed), most_doors)
        found, true = said(system), truth(system)
        assert ORDER.index(found) >= ORDER.index(true), (seed, found, true)
        table[found, true] += 1
    return table


if __name__ == "__main__":
    first, after = int(sys.argv[1]), int(sys.argv[2])
    for doors in (0, 2):
        for (found, true), count in sorted(compared(range(first, after), doors).items()):
            print(f"doors: at most {doors}  rule: {found:12} truth: {true:12} {count}")  # noqa: T201
