"""Tables of orbits written out in full, for classes so small that this is possible."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from simnet.adversary.orbits.solving import NoProof, RowType, SymmetricSystem, solve
from simnet.adversary.orbits.tables import Entry, Matching, Orbits, Word

Tuple = tuple[tuple[str, int], ...]  # parties as (class, number)
Place = tuple[int, Tuple]  # a type and one of its tuples


def tuples(word: Word, sizes: Mapping[str, int]) -> Iterator[Tuple]:
    """All ways to put different parties into the places of a word."""
    for numbers in itertools.product(*(range(sizes[name]) for name in word)):
        parties = tuple(zip(word, numbers, strict=True))
        if len(set(parties)) == len(parties):
            yield parties


def places(words: Sequence[Word], sizes: Mapping[str, int]) -> list[Place]:
    """All rows (or columns) of these types."""
    return [(number, each) for number, word in enumerate(words) for each in tuples(word, sizes)]


def matching_of(row: Tuple, column: Tuple) -> Matching:
    """Which places of two tuples contain one party."""
    return tuple(
        (p, r) for p, one in enumerate(row) for r, other in enumerate(column) if one == other
    )


def written_out(
    table: Mapping[Entry, int],
    rows: Sequence[Word],
    columns: Sequence[Word],
    sizes: Mapping[str, int],
) -> list[list[int]]:
    """The matrix of a table, with its rows and columns in the order of `places`."""
    return [
        [
            table.get((row, column, matching_of(parties, others)), 0)
            for column, others in places(columns, sizes)
        ]
        for row, parties in places(rows, sizes)
    ]


def reduced(matrix: Sequence[Sequence[int]], q: int, width: int) -> list[list[int]]:
    """The reduced echelon form of a matrix over F_q with `width` columns, without zero rows."""
    rows = np.array(matrix, dtype=np.int64).reshape(len(matrix), width)
    rank = 0
    for column in range(width):
        hits = np.flatnonzero(rows[rank:, column])
        if not len(hits):
            continue
        pivot = rank + int(hits[0])
        rows[[rank, pivot]] = rows[[pivot, rank]]
        rows[rank] = rows[rank] * pow(int(rows[rank, column]), -1, q) % q
        factors = rows[:, column].copy()
        factors[rank] = 0
        rows = (rows - factors[:, np.newaxis] * rows[rank]) % q
        rank += 1
        if rank == len(rows):
            break
    return [list(map(int, row)) for row in rows[:rank]]


def learned_directly(
    seen: Sequence[Sequence[int]], told: Sequence[Sequence[int]], q: int, secrets: int
) -> list[list[int]]:
    """The reduced basis of all λB with λA = 0, by elimination on the matrices A and B."""
    width = len(seen[0]) if seen else 0
    both = [[*row, *targets] for row, targets in zip(seen, told, strict=True)]
    return [row[width:] for row in reduced(both, q, width + secrets) if not any(row[:width])]


def random_system(draw: random.Random, q: int, largest: int, arity: int = 2) -> SymmetricSystem:
    """A system with random classes, types and entries."""
    sizes = {"a": draw.randint(1, largest), "b": draw.randint(0, 3)}

    def types(least: int, most: int, longest: int) -> list[RowType]:
        return [
            RowType(f"type {k}", tuple(draw.choices("ab", [3, 1], k=draw.randint(0, longest))))
            for k in range(draw.randint(least, most))
        ]

    rows, variables = types(1, 4, arity), types(0, 3, arity)
    secrets, ideal = types(1, 2, 1), types(0, 2, 1)
    orbits = Orbits(sizes, q)

    def table(
        left: Sequence[RowType], right: Sequence[RowType], density: float
    ) -> dict[Entry, int]:
        entries = orbits.entries([each.word for each in left], [each.word for each in right])
        values = {entry: draw.choice([1, 1, q - 1, draw.randrange(q)]) % q for entry in entries}
        return {e: value for e, value in values.items() if value and draw.random() < density}

    return SymmetricSystem(
        modulus=q,
        sizes=sizes,
        rows=rows,
        variables=variables,
        secrets=secrets,
        ideal=ideal,
        seen=table(rows, variables, draw.choice([0.2, 0.5, 0.9])),
        told=table(rows, secrets, draw.choice([0.3, 0.8])),
        handed=table(ideal, secrets, 0.6),
    )


def compared_with_elimination(system: SymmetricSystem) -> str:
    """Solve a system by tables and by elimination on matrices; return the finding, or "refused".

    The spaces L must be equal, and the finding must be right.
    """
    q, sizes = system.modulus, system.sizes
    secrets, ideal = ([each.word for each in types] for types in (system.secrets, system.ideal))
    width = len(places(secrets, sizes))
    direct = space_of(system)
    try:
        proof = solve(system)
    except NoProof:
        return "refused"
    lifted = written_out(proof.learned, proof.functions, secrets, sizes)
    assert reduced(lifted, q, width) == direct, system
    handed = reduced(written_out(system.handed, ideal, secrets, sizes), q, width)
    inside = len(reduced([*handed, *direct], q, width)) == len(handed)
    finding = "nothing" if not direct else "output-only" if inside else "leaks"
    assert proof.finding == finding, system
    return finding


def space_of(system: SymmetricSystem) -> list[list[int]]:
    """L by elimination on matrices, as a reduced basis."""
    rows, variables, secrets = (
        [each.word for each in types] for types in (system.rows, system.variables, system.secrets)
    )
    return learned_directly(
        written_out(system.seen, rows, variables, system.sizes),
        written_out(system.told, rows, secrets, system.sizes),
        system.modulus,
        len(places(secrets, system.sizes)),
    )


def reached_directly(system: SymmetricSystem, name: str) -> tuple[bool, bool]:
    """Whether the first party of a class is exposed, and whether it is touched, by elimination: it
    is exposed if L has a larger rank than the functions without the columns of its secrets.
    """
    columns = places([each.word for each in system.secrets], system.sizes)
    others = [at for at, (_, parties) in enumerate(columns) if parties != ((name, 0),)]
    basis = space_of(system)
    rest = reduced([[row[at] for at in others] for row in basis], system.modulus, len(others))
    own = set(range(len(columns))) - set(others)
    return len(rest) < len(basis), any(row[at] for row in basis for at in own)
