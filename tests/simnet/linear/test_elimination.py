"""Elimination is compared with the reduction of whole matrices by other code and, if there are few
coins, with every outcome of the coins.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simnet import Field
from simnet.arrays import Ints
from simnet.linear import pivoting
from simnet.linear.elimination import Elimination
from simnet.linear.modular import inverses, run_sums, times
from simnet.linear.pivoting import SPARSE_DEGREE, Pivoting
from simnet.linear.span import Span
from simnet.linear.terms import Terms
from simnet.linear.vectors import Vector, add_to
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.matrices import Matrix, product, reduced

PRIMES = (2, 3, 5, 101, Field.above(2**61).modulus)


@attrs.frozen
class System:
    """Messages `A coins + B targets` over F_q.

    `names` are the unknowns' numbers, those of the coins first.
    """

    q: int
    coins: Matrix  # A
    targets: Matrix  # B
    names: tuple[int, ...]

    @property
    def rows(self) -> int:
        return len(self.coins)

    @property
    def wide(self) -> int:
        return len(self.coins[0])

    @property
    def target_names(self) -> tuple[int, ...]:
        return self.names[self.wide :]

    def eliminated(self) -> Elimination:
        terms = Terms.of_vectors(
            [
                {name: value for name, value in zip(self.names, [*a, *b], strict=True) if value}
                for a, b in zip(self.coins, self.targets, strict=True)
            ]
        )
        is_coin = np.isin(terms.unknowns, self.names[: self.wide])
        return Elimination(terms, is_coin, ~is_coin, self.q)

    def functions(self) -> Matrix:
        """Return the functions λB with λA = 0, as a reduced basis."""
        both = reduced([[*a, *b] for a, b in zip(self.coins, self.targets, strict=True)], self.q)
        return [row[self.wide :] for row in both if not any(row[: self.wide])]

    def dense(self, vector: Mapping[int, int]) -> list[int]:
        assert set(vector) <= set(self.target_names)
        assert all(0 < value < self.q for value in vector.values())
        return [vector.get(name, 0) for name in self.target_names]


def assert_right(system: System) -> None:
    """Check that the remnants are the functions without coins, that the weights give them, and that
    the shift hides everything else.
    """
    q, elimination = system.q, system.eliminated()
    remnants, expected = elimination.remnants, system.functions()
    assert reduced([system.dense(remnant.targets) for remnant in remnants], q) == expected
    for place, remnant in enumerate(remnants):
        assert_weights(system, elimination.weights({place: 1}), system.dense(remnant.targets))
    if remnants:
        mixed = {place: 1 + place % (q - 1) for place in range(len(remnants))}
        vectors = [
            [mixed[place] * x for x in system.dense(one.targets)]
            for place, one in enumerate(remnants)
        ]
        wanted = [sum(column) % q for column in zip(*vectors, strict=True)]
        assert_weights(system, elimination.weights(mixed), wanted)
    shift = elimination.shift()
    assert set(shift) <= set(system.names[: system.wide])
    moved = product(
        system.coins, [system.dense(shift.get(name, {})) for name in system.names[: system.wide]], q
    )
    rest = [
        [(b - x) % q for b, x in zip(*pair, strict=True)]
        for pair in zip(system.targets, moved, strict=True)
    ]
    assert reduced([*expected, *rest], q) == expected


def assert_weights(system: System, weights: Mapping[int, int], wanted: Sequence[int]) -> None:
    line = [weights.get(row, 0) for row in range(system.rows)]
    assert set(weights) <= set(range(system.rows))
    assert not any(product([line], system.coins, system.q)[0])
    assert product([line], system.targets, system.q)[0] == list(wanted)


# Systems


def element(q: int) -> st.SearchStrategy[int]:
    return st.integers(0, q - 1) | st.sampled_from([1 % q, q - 1, q // 2])


@st.composite
def matrix(draw: st.DrawFn, q: int, rows: int, columns: int, zeros: int) -> Matrix:
    """Draw a matrix in which about `zeros` of 4 elements are zero."""
    one = st.integers(0, 3).flatmap(lambda chance: st.just(0) if chance < zeros else element(q))
    return [draw(st.lists(one, min_size=columns, max_size=columns)) for _ in range(rows)]


Shape = Callable[[st.DrawFn, int], Matrix]


def spread(draw: st.DrawFn, q: int) -> Matrix:
    return draw(
        matrix(q, draw(st.integers(1, 8)), draw(st.integers(1, 8)), draw(st.integers(0, 3)))
    )


def single(draw: st.DrawFn, q: int) -> Matrix:
    """Draw rows of which some have only one coin."""
    rows, columns = draw(st.integers(2, 8)), draw(st.integers(1, 6))
    shown = draw(
        st.lists(st.tuples(st.integers(0, columns - 1), element(q)), min_size=rows, max_size=rows)
    )
    bare = [[value * (place == column) for column in range(columns)] for place, value in shown]
    return bare + draw(matrix(q, draw(st.integers(0, 3)), columns, 1))


def proportional(draw: st.DrawFn, q: int) -> Matrix:
    few = draw(matrix(q, draw(st.integers(1, 8)), draw(st.integers(1, 3)), draw(st.integers(0, 3))))
    drawn = draw(
        st.lists(st.tuples(st.integers(0, len(few[0]) - 1), element(q)), min_size=1, max_size=8)
    )
    return [[row[place] * factor % q for place, factor in drawn] for row in few]


def incidence(draw: st.DrawFn, q: int) -> Matrix:
    """A coin for each edge of a graph, added at one end and subtracted at the other."""
    nodes = draw(st.integers(2, 7))
    edges = draw(
        st.lists(
            st.sampled_from(list(itertools.combinations(range(nodes), 2))), min_size=1, max_size=9
        )
    )
    return [[(node == a) + (node == b) * (q - 1) for a, b in edges] for node in range(nodes)]


def chain(draw: st.DrawFn, q: int) -> Matrix:
    """One row is a coin alone, and every other row masks a coin by the coin before it."""
    length = draw(st.integers(2, 7))
    rows = [[int(place in (row, row - 1)) for place in range(length)] for row in range(length)]
    return draw(st.permutations(rows + draw(matrix(q, 1, length, 2))))


def vandermonde(draw: st.DrawFn, q: int) -> Matrix:
    degree = draw(st.integers(1, 4))
    return [
        [pow(point, power, q) for power in range(degree)]
        for point in range(1, draw(st.integers(2, 9)))
    ]


def tall(draw: st.DrawFn, q: int) -> Matrix:
    """Coins in more rows than the sparse stage takes."""
    filled = st.integers(1, q - 1)
    rows, columns = draw(st.integers(SPARSE_DEGREE + 2, 11)), draw(st.integers(2, 4))
    return [[draw(filled) for _ in range(columns)] for _ in range(rows)]


def islands(draw: st.DrawFn, q: int) -> Matrix:
    """Two dense groups that share no coin, with sparse rows between."""
    first, second = tall(draw, q), tall(draw, q)
    left, right = len(first[0]), len(second[0])
    mixed = draw(matrix(q, draw(st.integers(0, 2)), left + right + 1, 2))
    apart = [[*row, *[0] * (right + 1)] for row in first] + [
        [*[0] * left, *row, draw(element(q))] for row in second
    ]
    return apart + mixed


SHAPES: dict[str, Shape] = {
    "random": spread,
    "single": single,
    "proportional": proportional,
    "incidence": incidence,
    "chain": chain,
    "vandermonde": vandermonde,
    "tall": tall,
    "islands": islands,
}
DENSE = ("tall", "islands")


@st.composite
def systems(
    draw: st.DrawFn, shape: Shape, primes: Sequence[int] = PRIMES, most_targets: int = 4
) -> System:
    q = draw(st.sampled_from(primes))
    coins = shape(draw, q)
    many = draw(st.integers(1, most_targets))
    targets = draw(matrix(q, len(coins), many, draw(st.integers(1, 3))))
    names = draw(st.permutations(range(0, 3 * (len(coins[0]) + many), 3)))
    return System(q, coins, targets, tuple(names))


@pytest.mark.parametrize("shape", SHAPES)
@cases(30)
@given(st.data())
def test_elimination_finds_all_that_is_free_of_coins_and_hides_the_rest(
    shape: str, data: st.DataObject
) -> None:
    assert_right(data.draw(systems(SHAPES[shape])))


@pytest.mark.parametrize("shape", DENSE)
@cases(12)
@given(st.data())
def test_coins_in_many_rows_are_left_to_flint_unless_too_many(
    shape: str, data: st.DataObject
) -> None:
    system, calls = data.draw(systems(SHAPES[shape], primes=PRIMES[3:])), 0
    finish = Pivoting._finish_densely

    def counted(self: Pivoting, rows: Sequence[int], columns: Sequence[int]) -> None:
        nonlocal calls
        calls += 1
        finish(self, rows, columns)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pivoting, "_finish_densely", counted)
        assert_right(system)
        assert calls > 0
        patch.setattr(pivoting, "LARGEST_DENSE", 0)
        calls = 0
        assert_right(system)
        assert calls == 0


@pytest.mark.parametrize("degree", [0, 1, 2])
@cases(40)
@given(st.data())
def test_where_the_dense_stage_begins_changes_nothing(degree: int, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pivoting, "SPARSE_DEGREE", degree)
        assert_right(data.draw(systems(SHAPES[data.draw(st.sampled_from(sorted(SHAPES)))])))


@given(st.sampled_from(PRIMES), st.integers(1, 4), st.integers(1, 4))
def test_rows_without_coins_are_their_own_remnants(q: int, rows: int, targets: int) -> None:
    wide = [[(row + place) % q for place in range(targets)] for row in range(rows)]
    assert_right(System(q, [[0] for _ in range(rows)], wide, tuple(range(targets + 1))))


def test_no_rows_say_nothing() -> None:
    nothing = np.zeros(0, dtype=np.bool_)
    elimination = Elimination(Terms.of_vectors([]), nothing, nothing, 5)
    assert (elimination.remnants, elimination.shift(), elimination.weights({})) == ([], {}, {})


@pytest.mark.parametrize("q", [7, 101, PRIMES[-1]])
@pytest.mark.parametrize("shares", [2, 3, 4])
def test_coins_that_become_proportional_are_given_to_flint_once(q: int, shares: int) -> None:
    """Nine senders make six shares of a secret with five coins. The coalition sees some shares of
    each, in reduced form, and the sums of all.
    """
    senders, coins = 9, 5
    wide = senders * coins
    all_shares = [[pow(point, power, q) for power in range(1, coins + 1)] for point in range(1, 7)]
    seen = reduced([[*row, 1] for row in all_shares[:shares]], q)
    summed = reduced([[*row, 1] for row in all_shares], q)
    rows: Matrix = []
    for block, own in [
        *(({sender}, seen) for sender in range(senders)),
        ({*range(senders)}, summed),
    ]:
        for *of_coins, of_secret in own:
            by_sender = [of_coins if sender in block else [0] * coins for sender in range(senders)]
            secrets = [of_secret * (sender in block) for sender in range(senders)]
            rows.append([*itertools.chain.from_iterable(by_sender), *secrets])
    system = System(
        q,
        [row[:wide] for row in rows],
        [row[wide:] for row in rows],
        tuple(range(wide + senders)),
    )
    widths: list[int] = []
    reduce = pivoting._reduced

    def noting(matrix: bytes, tall: int, wide: int, modulus: int) -> Ints:
        widths.append(wide)
        return reduce(matrix, tall, wide, modulus)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pivoting, "SPARSE_DEGREE", 2)
        patch.setattr(pivoting, "_reduced", noting)
        patch.setattr(pivoting, "_reduced_once", noting)
        assert_right(system)
    assert widths
    assert max(widths) <= coins


@for_each("q", PRIMES)
@for_each("threshold", [1, 2, 3, 8])
def test_a_polynomial_hides_its_value_at_0_from_fewer_points_than_it_has_coefficients(
    q: int, threshold: int
) -> None:
    for points in range(1, min(q, 10)):
        coins = [
            [pow(point, power, q) for power in range(1, threshold)] or [0]
            for point in range(1, points + 1)
        ]
        system = System(q, coins, [[1] for _ in coins], tuple(range(len(coins[0]) + 1)))
        assert_right(system)
        assert bool(system.eliminated().remnants) == (points >= threshold)


# Every outcome of the coins


def few(draw: st.DrawFn, q: int) -> Matrix:
    return draw(
        matrix(q, draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.integers(0, 3)))
    )


@cases(40)
@given(systems(few, primes=(2, 3), most_targets=2))
def test_the_law_of_the_view_is_that_of_the_remnants(system: System) -> None:
    q, functions = (
        system.q,
        [system.dense(remnant.targets) for remnant in system.eliminated().remnants],
    )
    laws: dict[tuple[int, ...], Counter[tuple[int, ...]]] = {}
    supports: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    noise = [
        applied(system.coins, coins, q) for coins in itertools.product(range(q), repeat=system.wide)
    ]
    for targets in itertools.product(range(q), repeat=len(system.target_names)):
        fixed = applied(system.targets, targets, q)
        law = Counter(
            tuple((a + b) % q for a, b in zip(fixed, drawn, strict=True)) for drawn in noise
        )
        known = applied(functions, targets, q)
        assert laws.setdefault(known, law) == law
        supports[known] = set(law)
    for one, other in itertools.combinations(supports.values(), 2):
        assert not one & other


def applied(rows: Matrix, values: Sequence[int], q: int) -> tuple[int, ...]:
    return tuple(sum(a * b for a, b in zip(row, values, strict=True)) % q for row in rows)


# Spans


@st.composite
def vectors(draw: st.DrawFn) -> tuple[int, Matrix]:
    q, width = draw(st.sampled_from(PRIMES)), draw(st.integers(1, 6))
    return q, draw(matrix(q, draw(st.integers(0, 8)), width, draw(st.integers(0, 3))))


def sparse(vector: Sequence[int]) -> Vector:
    return {place: value for place, value in enumerate(vector) if value}


@given(vectors(), st.data())
def test_a_span_has_the_reduced_basis_in_any_order_of_adding_and_of_keys(
    given_vectors: tuple[int, Matrix], data: st.DataObject
) -> None:
    q, rows = given_vectors
    width = len(rows[0]) if rows else 0
    order = data.draw(st.permutations(range(width)))
    span = Span(q, order=lambda key: (order.index(key),))
    for row in data.draw(st.permutations(rows)):
        before = [[vector.get(key, 0) for key in order] for vector, _ in span.basis()]
        grows = len(reduced([*before, [row[key] for key in order]], q)) > len(before)
        assert span.add(sparse(row)) == grows
    basis = [[vector.get(key, 0) for key in order] for vector, _ in span.basis()]
    assert basis == reduced([[row[key] for key in order] for row in rows], q)
    assert len(span) == len(basis)


@given(vectors(), st.data())
def test_membership_agrees_with_rank_and_what_is_left_over_is_reduced(
    given_vectors: tuple[int, Matrix], data: st.DataObject
) -> None:
    q, rows = given_vectors
    assume(rows)
    span = Span(q)
    for row in rows:
        span.add(sparse(row))
    other = data.draw(matrix(q, 1, len(rows[0]), 1))[0]
    rank = len(reduced(rows, q))
    assert (sparse(other) in span) == (len(reduced([*rows, other], q)) == rank)
    assert all(sparse(row) in span for row in rows)
    rest, _ = span.reduce(sparse(other))
    assert not set(rest) & {min(vector) for vector, _ in span.basis()}
    difference = [(value - rest.get(place, 0)) % q for place, value in enumerate(other)]
    assert len(reduced([*rows, difference], q)) == rank


@given(vectors())
def test_origins_make_up_the_basis(given_vectors: tuple[int, Matrix]) -> None:
    q, rows = given_vectors
    span = Span(q)
    for place, row in enumerate(rows):
        span.add(sparse(row), {place: 1})
    for vector, origin in span.basis():
        assert vector == combined(rows, origin, q)
    for place, row in enumerate(rows):
        rest, origin = span.reduce(sparse(row), {place: 1})
        assert (rest, combined(rows, origin, q)) == ({}, {})


def combined(rows: Matrix, weights: Mapping[int, int], q: int) -> Vector:
    total: Vector = {}
    for place, weight in weights.items():
        add_to(total, sparse(rows[place]), weight, q)
    return total


# Arithmetic


@given(st.sampled_from(PRIMES), st.data())
def test_products_inverses_and_sums_of_runs_are_those_of_integers(
    q: int, data: st.DataObject
) -> None:
    numbers = data.draw(st.lists(st.integers(1, q - 1), min_size=1, max_size=9))
    values, count = np.array(numbers, dtype=np.int64), len(numbers)
    assert times(values, values[::-1].copy(), q).tolist() == [
        a * b % q for a, b in zip(numbers, reversed(numbers), strict=True)
    ]
    assert times(values, numbers[0], q).tolist() == [a * numbers[0] % q for a in numbers]
    assert times(values, inverses(values, q), q).tolist() == [1] * count
    starts = sorted({0, *data.draw(st.lists(st.integers(0, count - 1)))})
    sums = [sum(numbers[a:b]) % q for a, b in itertools.pairwise([*starts, count])]
    assert run_sums(values, np.array(starts), q).tolist() == sums
