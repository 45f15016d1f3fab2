"""Degrees and thresholds of SecAgg+: the bounds hold for every circle, corrupt set, drop-out and
list of a small protocol, and a lying server learns what the proof says.
"""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb, isclose
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from protocols.secagg.coalitions import rings
from protocols.secagg.degree import Demands, judge_degree, smallest_degree
from protocols.secagg.script import SecAggPlus
from simnet import Abort, Fate, run, verdict
from simnet.coins.coins import Coins
from simnet.values.field import FieldArray
from tests.harness.fuzz import cases
from tests.harness.marks import long_but
from tests.harness.secagg_prediction import question

PRESENT, DROPPED, NEVER = range(3)  # what the server says of an honest user


def around(place: int, n: int, half: int) -> list[int]:
    """The places of a user and its neighbours."""
    return [(place + step) % n for step in range(-half, half + 1)]


def learned(
    says: Sequence[int], corrupt: Collection[int], degree: int, t: int
) -> list[frozenset[int]]:
    """The sets of honest users whose sum a lying server learns, by counting shares.

    The server tells everybody the same: `says[place]` for honest users, and that all corrupt users
    are present. Users that are called `NEVER` are said to have left before they shared anything.
    """
    n, half = len(says), degree // 2
    honest = [place for place in range(n) if place not in corrupt and says[place] != NEVER]
    present = {*corrupt, *(place for place in honest if says[place] == PRESENT)}
    # a user that is called dropped does not answer, and neither does one with too few neighbours
    answers = {w for w in honest if w in present and len(present & set(around(w, n, half))) >= t}

    def is_open(u: int, is_asked_for: bool) -> bool:
        holders = set(around(u, n, half))
        return len(holders & set(corrupt)) + is_asked_for * len(holders & answers) >= t

    seeds = {u for u in honest if is_open(u, says[u] == PRESENT)}
    keys = {u for u in honest if is_open(u, says[u] == DROPPED)}
    found = []
    left = set(honest)
    while left:
        group, edge = set(), {left.pop()}
        while edge:
            group |= edge
            edge = {
                v for u in edge - keys for v in around(u, n, half) if v in left and v not in keys
            }
            left -= edge
        if group <= seeds:
            found.append(frozenset(group))
    return found


def arcs(n: int, half: int, full: Collection[int], least: int) -> list[set[int]]:
    """Every `half` places in a row of which at least `least` are among `full`."""
    rows = [{(start + step) % n for step in range(half)} for start in range(n)]
    return [row for row in rows if len(row & set(full)) >= least]


def is_cut(n: int, half: int, full: Collection[int], least: int) -> bool:
    """Whether two such arcs have at least one place between them on either side."""
    return any(
        not one & {(place + step) % n for place in two for step in (-1, 0, 1)}
        for one, two in itertools.combinations(arcs(n, half, full, least), 2)
    )


def hides_one_secret(n: int, corrupt: Collection[int], degree: int, t: int) -> bool:
    """Whether 2t > k + 1 + c for every honest user, so that nobody opens both of its secrets."""
    worst = max(
        len(set(around(u, n, degree // 2)) & set(corrupt)) for u in range(n) if u not in corrupt
    )
    return 2 * t > degree + 1 + worst


def is_safe(n: int, corrupt: Collection[int], degree: int, t: int) -> bool:
    """Whether neither bad event of a lying server happens on this circle."""
    least = t - 1 - degree // 2
    return hides_one_secret(n, corrupt, degree, t) and not is_cut(n, degree // 2, corrupt, least)


def rotations_left_out(n: int) -> Iterator[tuple[int, ...]]:
    """Every set of corrupt users that leaves somebody honest, up to turning the circle."""
    seen = set()
    for size in range(n):
        for some in itertools.combinations(range(n), size):
            turned = min(tuple(sorted((p + by) % n for p in some)) for by in range(n))
            if turned not in seen:
                seen.add(turned)
                yield some


def check_every_list(n: int, degree: int) -> tuple[int, int, int]:
    """Compare what a liar learns with the bad events: for every set of corrupt users, threshold
    and list. Return the numbers of safe cases, of cases with two sums although no user
    has too many corrupt neighbours, and of open vectors.
    """
    safe = two_sums = opened = 0
    for corrupt in rotations_left_out(n):
        honest = [place for place in range(n) if place not in corrupt]
        for t in range(2, degree + 2):
            demands = Demands(n, len(corrupt), 0.0, server="lying")
            least = judge_degree(demands, degree, t).smallest_sum
            holds = is_safe(n, corrupt, degree, t)
            hides = hides_one_secret(n, corrupt, degree, t)
            safe += holds
            for words in itertools.product((PRESENT, DROPPED, NEVER), repeat=len(honest)):
                says = [PRESENT] * n
                for place, word in zip(honest, words, strict=True):
                    says[place] = word
                sums = learned(says, corrupt, degree, t)
                two_sums += hides and len(sums) > 1
                opened += any(len(group) == 1 for group in sums)
                if holds and sums:
                    called = {place for place in honest if says[place] == PRESENT}
                    assert sums == [called], (says, corrupt, t)
                    assert len(called) >= (least or 0)
                    assert all(called & {(s + i) % n for i in range(degree + 1)} for s in range(n))
    return safe, two_sums, opened


@pytest.mark.parametrize(("n", "degree"), [(5, 2), (6, 2), (5, 4)])
def test_a_liar_learns_one_large_sum_unless_a_bad_event_happens(n: int, degree: int) -> None:
    safe, two_sums, opened = check_every_list(n, degree)
    assert min(safe, opened) > 0  # neither side is empty
    assert bool(two_sums) == (degree < n - 1)  # a complete graph cannot be cut


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "degree"), long_but([(7, 2), (7, 4), (7, 6), (8, 2), (8, 4), (8, 6)], (7, 2), (8, 6))
)
def test_a_liar_learns_one_large_sum_on_every_small_circle(n: int, degree: int) -> None:
    safe, _, opened = check_every_list(n, degree)
    assert min(safe, opened) > 0


def random_circle(rng: np.random.Generator, n: int, corrupt: int) -> set[int]:
    return set(rng.permutation(n)[:corrupt].tolist())


def test_two_arcs_with_enough_corrupt_users_let_a_liar_cut_the_circle() -> None:
    """The bad event is not only necessary: with room between the arcs, the attack works."""
    rng = np.random.default_rng(1)
    n, degree, t = 40, 8, 7  # an arc has 4 places; 2 corrupt users are enough
    cuts = 0
    for _ in range(40):
        corrupt = random_circle(rng, n, 8)
        pairs = itertools.combinations(arcs(n, degree // 2, corrupt, t - 1 - degree // 2), 2)
        for one, two in pairs:
            between = sorted({*range(n)} - one - two)
            stretches = _stretches(between, n)
            if min(len(stretch) for stretch in stretches) < degree or len(stretches) < 2:
                continue
            says = [DROPPED if place in one | two else PRESENT for place in range(n)]
            sums = set(learned(says, corrupt, degree, t))
            assert sums == {frozenset(stretch - corrupt) for stretch in stretches}
            cuts += 1
            break
    assert cuts > 10


def _stretches(places: Sequence[int], n: int) -> list[set[int]]:
    found: list[set[int]] = []
    for place in places:
        if found and place - 1 in found[-1]:
            found[-1].add(place)
        else:
            found.append({place})
    if len(found) > 1 and 0 in found[0] and n - 1 in found[-1]:
        found[0] |= found.pop()
    return found


# The protocol itself.


@attrs.frozen
class OneVoice(SecAggPlus):
    """A server that tells everybody the same wrong list; users sit on the circle by number."""

    called: tuple[str, ...] = ()

    def rings(self, users: Sequence[str], coins: Coins) -> dict[str, list[str]]:
        del coins
        n = self.users
        near = {u: around(u, n, self.degree // 2) for u in range(n)}
        return {
            f"u{u + 1}": [f"u{v + 1}" for v in sorted(near[u]) if v != u and f"u{v + 1}" in users]
            for u in range(n)
            if f"u{u + 1}" in users
        }

    def told(self, name: str, alive: Collection[str]) -> Collection[str]:
        del name
        return [other for other in alive if other in self.called]

    def _check_neighbours(self, neighbours: Mapping[str, Sequence[str]]) -> None:
        """This server goes on in any case."""

    def _unmasked(self, *arguments: Any) -> FieldArray:
        raise Abort("the server has lied, and has no output")


def judged(
    says: Sequence[int], corrupt: Collection[int], degree: int, t: int
) -> set[frozenset[int]]:
    """The sets of honest users whose sum the judge finds in a run with this liar."""
    n = len(says)
    called = tuple(f"u{p + 1}" for p in range(n) if p in corrupt or says[p] == PRESENT)
    gone = {f"u{p + 1}": Fate("keys") for p in range(n) if says[p] == NEVER}
    done = run(OneVoice(question(n), t, degree=degree, called=called), [1] * n, 1, fates=gone)
    found = verdict(done, ["server", *(f"u{p + 1}" for p in corrupt)])
    assert found.finding != "undecided"
    return {
        frozenset(int(secret.party[1:]) - 1 for secret, _ in function.terms)
        for function in found.functions
    }


@pytest.mark.parametrize("t", [3, 4])
def test_the_judge_finds_a_cut_that_is_not_about_corrupt_neighbours(t: int) -> None:
    """With k = 4 and nobody corrupt, 2t > k + 1 + c holds for t = 3, and yet the circle is cut."""
    n, degree = 12, 4
    says = [DROPPED if place in (0, 1, 6, 7) else PRESENT for place in range(n)]
    two = {frozenset(range(2, 6)), frozenset(range(8, 12))}
    assert [is_safe(n, [], degree, threshold) for threshold in (3, 4)] == [False, True]
    assert hides_one_secret(n, [], degree, 3)
    assert judged(says, [], degree, t) == (two if t == 3 else set())


@cases(15)
@given(st.data())
def test_the_judge_finds_what_counting_shares_finds(data: st.DataObject) -> None:
    n = data.draw(st.integers(5, 9))
    degree = data.draw(st.sampled_from([k for k in (2, 4, 6) if k < n]))
    t = data.draw(st.integers(2, degree + 1))
    corrupt = data.draw(st.sets(st.integers(0, n - 1), max_size=n - 2))
    word = st.sampled_from([PRESENT, PRESENT, PRESENT, DROPPED, DROPPED, NEVER])
    says = [PRESENT if place in corrupt else data.draw(word) for place in range(n)]
    kept = {place for place in range(n) if says[place] != NEVER}
    # somebody to send masked vectors to, and a neighbour for everybody
    assume(len(kept) >= max(t, 2))
    assume(all(kept & set(around(u, n, degree // 2)) - {u} for u in kept))
    assert judged(says, corrupt, degree, t) == set(learned(says, corrupt, degree, t))


# The probabilities.


def every_circle(n: int, corrupt: int) -> Iterator[tuple[int, ...]]:
    yield from itertools.combinations(range(n), corrupt)


@pytest.mark.parametrize(
    ("n", "corrupt", "degree", "t"), [(11, 4, 4, 4), (12, 3, 4, 3), (9, 3, 6, 5)]
)
def test_bounds_on_what_a_liar_learns_hold_over_all_circles(
    n: int, corrupt: int, degree: int, t: int
) -> None:
    bounds = judge_degree(Demands(n, corrupt, 0.0, server="lying"), degree, t).failures
    circles = list(every_circle(n, corrupt))
    cut = sum(is_cut(n, degree // 2, some, t - 1 - degree // 2) for some in circles)
    near = sum(
        len(set(around(u, n, degree // 2)) & set(some)) >= 2 * t - degree - 1
        for some in circles
        for u in range(n)
        if u not in some
    )
    assert 0 < Fraction(cut, len(circles)) <= bounds.cut
    assert Fraction(near, len(circles)) == bounds.corrupt_neighbours  # a sum over users


@pytest.mark.parametrize("law", ["rate", "bound"])
def test_bounds_for_a_curious_server_hold_over_all_circles(law) -> None:
    n, corrupt, degree, t, share = 9, 2, 4, 3, Fraction(1, 3)
    found = judge_degree(Demands(n, corrupt, share, law), degree, t).failures
    cut = few = near = Fraction(0)
    for some in itertools.product((False, True), repeat=n):  # who drops out
        gone = {place for place in range(n) if some[place]}
        if law == "bound" and len(gone) != 3:
            continue
        chance = (
            Fraction(1, comb(n, 3))
            if law == "bound"
            else share ** len(gone) * (1 - share) ** (n - len(gone))
        )
        few += chance * sum(len(set(around(u, n, 2)) - gone) < t for u in range(n))
        removed = [is_cut(n, 2, gone | set(bad), 2) for bad in every_circle(n, corrupt)]
        cut += chance * Fraction(sum(removed), len(removed))
    for bad in every_circle(n, corrupt):
        near += sum(len(set(around(u, n, 2)) & set(bad)) >= t for u in range(n) if u not in bad)
    assert few == found.too_few_helpers  # exact as a sum over users
    assert 0 < cut <= found.cut
    assert near / comb(n, corrupt) == found.corrupt_neighbours


def test_simulated_circles_stay_within_the_bounds() -> None:
    rng = np.random.default_rng(7)
    n, corrupt, degree, t, times = 200, 30, 16, 13, 4000
    bounds = judge_degree(Demands(n, corrupt, 0.1, server="lying"), degree, t).failures
    marks = np.zeros((times, n), dtype=np.int64)
    marks[:, :corrupt] = 1
    marks = rng.permuted(marks, axis=1)
    gone = (rng.random((times, n)) < 0.1).astype(np.int64)
    cut = sum(_has_two(row, degree // 2, t - 1 - degree // 2) for row in marks) / times
    honest = 1 - marks
    near = ((_windows(marks, degree) >= 2 * t - degree - 1) & (honest == 1)).any(axis=1).mean()
    few = (_windows(gone, degree) >= degree + 2 - t).any(axis=1).mean()
    for seen, bound in (
        (cut, bounds.cut),
        (near, bounds.corrupt_neighbours),
        (few, bounds.too_few_helpers),
    ):
        spread = 4 * (float(bound) / times) ** 0.5
        assert float(bound) / 20 <= seen <= float(bound) + spread, (seen, float(bound))


def _windows(marks, degree):
    """The number of marks among each user and its neighbours; shape (times, n)."""
    half = degree // 2
    wide = np.concatenate([marks[:, -half:], marks, marks[:, :half]], axis=1)
    sums = np.cumsum(np.pad(wide, ((0, 0), (1, 0))), axis=1)
    return sums[:, degree + 1 :] - sums[:, : -degree - 1]


def _has_two(row, half: int, least: int) -> bool:
    wide = np.concatenate([row, row[: half - 1]])
    counts = np.convolve(wide, np.ones(half, dtype=np.int64), "valid")
    starts = np.flatnonzero(counts >= least)
    apart = (starts[:, None] - starts[None, :]) % len(row)
    return bool(((apart > half) & (apart < len(row) - half)).any())


@pytest.mark.parametrize("server", ["curious", "lying"])
@pytest.mark.parametrize("law", ["rate", "bound"])
def test_tails_are_those_of_scipy(server, law) -> None:
    n, bad, k, t = 1000, 100, 60, 45
    found = judge_degree(Demands(n, bad, 0.1, law, server), k, t).failures
    near = t if server == "curious" else 2 * t - k - 1
    assert isclose(
        found.corrupt_neighbours, 900 * hypergeom.sf(near - 1, n - 1, bad, k), rel_tol=1e-6
    )
    helpers = (
        binom.sf(k + 1 - t, k + 1, 0.1) if law == "rate" else hypergeom.sf(k + 1 - t, n, bad, k + 1)
    )
    assert isclose(found.too_few_helpers, n * helpers, rel_tol=1e-6)
    if server == "lying":
        cut = n * (n - k - 1) / 2 * hypergeom.sf(t - 2 - k // 2, n, bad, k // 2) ** 2
    elif law == "bound":
        cut = n * (n - k - 1) / 2 * float(Fraction(comb(200, k), comb(n, k)))
    else:
        c = np.arange(k + 1)
        cut = n * (n - k - 1) / 2 * float(hypergeom.pmf(c, n, bad, k) @ 0.1 ** (k - c))
    assert isclose(found.cut, cut, rel_tol=1e-6)


@pytest.mark.parametrize(
    ("n", "share", "server", "expected"),
    [
        (1000, 0.1, "curious", (52, 28)),
        (1000, 0.1, "lying", (138, 95)),
        pytest.param(10_000, 0.1, "lying", (158, 110), marks=pytest.mark.slow),
        (10_000, 0.05, "lying", (82, 58)),
    ],
)
def test_the_smallest_degree_is_the_smallest(n, share, server, expected) -> None:
    demands = Demands(n, round(share * n), share, server=server)
    found = smallest_degree(demands)
    assert (found.degree, found.threshold) == expected
    assert found.failures.meet(demands)
    for k in range(2, found.degree, 2):
        assert not any(judge_degree(demands, k, t).failures.meet(demands) for t in range(2, k + 2))
    smaller = judge_degree(demands, found.degree, found.threshold - 1)
    assert not smaller.failures.meet(demands)


def test_a_demand_that_no_degree_meets_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"no degree up to 98 is proved to withstand .* lying server: demand"
    ):
        smallest_degree(Demands(100, 33, 0.33, server="lying"))
    with pytest.raises(ValueError, match=r"up to 20 .*; larger degrees were not tried: demand"):
        smallest_degree(Demands(1000, 100, 0.1), largest=20)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"users": 2}, "users is at least 3"),
        ({"corrupt": 50}, "corrupt is at most 49"),
        ({"drop_outs": 1}, "somebody must be left"),
        ({"drop_outs": 1.5}, "probability"),
        ({"server": "honest"}, "curious or lying"),
        ({"drop_law": "rates"}, "did you mean rate"),
        ({"security_bits": 0}, "security_bits is at least 1"),
    ],
)
def test_demands_out_of_range_are_refused(change, message) -> None:
    with pytest.raises(ValueError, match=message):
        Demands(**{"users": 50, "corrupt": 5, "drop_outs": 0.1, **change})


@pytest.mark.parametrize(
    ("degree", "t", "message"), [(5, 3, "even"), (50, 3, "most"), (4, 6, "most")]
)
def test_degrees_and_thresholds_out_of_range_are_refused(degree, t, message) -> None:
    with pytest.raises(ValueError, match=message):
        judge_degree(Demands(50, 5, 0.1), degree, t)


@pytest.mark.parametrize("step", ["keys", "shares"])
def test_a_user_without_neighbours_makes_the_server_abort_by_name(step: str) -> None:
    protocol, held = SecAggPlus(question(6), 2, degree=2), [1] * 6
    alone, near = next(iter(rings(run(protocol, held, 1)).items()))
    done = run(protocol, held, 1, fates={name: Fate(step) for name in near})
    server = next(ending for ending in done.aborts if ending.party == "server")
    assert f"too few neighbours of {alone} are left: 0" in server.reason
