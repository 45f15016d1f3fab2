"""One minimal and one maximal coalition for a party, in a run whose coalitions cannot be judged by
counts.

Theory of operation. To expose a party is monotone: a coalition without u that exposes u still does
so when others join (docs/proofs/breaking-sets.md). If all others together do not expose u, then no
coalition without u does. Otherwise we find

- a minimal coalition that exposes u. Line up all others. The shortest beginning of the line that
  exposes u ends with a party that this beginning needs. We put this party in front, drop the
  parties that stood behind it, and repeat, until the parties that were put in front expose u.
- a maximal coalition that does not expose u. One party after the other joins, if the coalition then
  still does not expose u.

Other minimal and maximal coalitions may exist: a coalition that the result does not mention may
expose u.

>>> exposes = lambda members: {"u3", "u7"} <= set(members)
>>> smallest_with([f"u{k}" for k in range(1, 10)], exposes)
('u3', 'u7')
>>> largest_without([f"u{k}" for k in range(1, 10)], lambda members: not exposes(members))
('u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u8', 'u9')
"""

from collections.abc import Callable, Sequence

import attrs

from simnet.adversary.coalitions.reach import Reach, What
from simnet.adversary.coalitions.staircase import Unsearched

Names = tuple[str, ...]


@attrs.frozen
class OneOfEach:
    """A minimal coalition that certainly has a property, and a maximal coalition that certainly
    does not have it.

    A coalition is None if none was found; the empty coalition is (). If `nobody` is true, no
    coalition of the others has the property, so `minimal` is None and `maximal` has all others. If
    `unsearched` is not empty, it says why the search ended early. If some verdict does not say for
    certain whether its coalition has the property, the two may be neither minimal nor maximal.
    """

    minimal: Names | None
    maximal: Names | None
    nobody: bool
    unsearched: str = ""


@attrs.frozen
class GrownSets:
    """What was found about exposing a party, and about touching it."""

    party: str
    exposing: OneOfEach
    touching: OneOfEach


def most_verdicts(parties: int) -> int:
    """How many verdicts `grown_sets` may use for one party and one property. A verdict on a larger
    run takes longer, so larger runs get fewer, but at least 50.
    """
    return max(50, 20_000 // parties)


def grown_sets(reach: Reach, party: str, names: Sequence[str]) -> GrownSets:
    """Return what was found about a party. All coalitions consist of parties in `names`."""
    others = [name for name in names if name != party]
    return GrownSets(
        party,
        _one_of_each(reach, "exposes", party, others),
        _one_of_each(reach, "touches", party, others),
    )


def _one_of_each(reach: Reach, what: What, party: str, others: Sequence[str]) -> OneOfEach:
    def is_reached(members: Sequence[str]) -> bool:
        return reach.certain(what, members, party) is True

    def is_safe(members: Sequence[str]) -> bool:
        return reach.certain(what, members, party) is False

    reach.allow(most_verdicts(len(others) + 1))
    minimal = maximal = None
    try:
        if is_safe(others):
            return OneOfEach(None, tuple(others), nobody=True)
        maximal = largest_without(others, is_safe)
        minimal = smallest_with(others, is_reached) if is_reached(others) else None
    except Unsearched as error:
        return OneOfEach(minimal, maximal, nobody=False, unsearched=str(error))
    return OneOfEach(minimal, maximal, nobody=False)


def smallest_with(line: Sequence[str], has: Callable[[Sequence[str]], bool]) -> Names:
    """Return a minimal set of names with a monotone property that all names together have."""
    needed: list[str] = []
    behind = list(line)
    while not has(needed):
        # The property holds with `high` of those behind, and not with `low`.
        low, high = 0, len(behind)
        while high - low > 1:
            middle = (low + high) // 2
            if has([*needed, *behind[:middle]]):
                high = middle
            else:
                low = middle
        needed.append(behind[high - 1])
        behind = behind[: high - 1]
    return tuple(name for name in line if name in needed)


def largest_without(line: Sequence[str], is_safe: Callable[[Sequence[str]], bool]) -> Names:
    """Return a maximal set of names with a property that every subset has, too."""
    joined: list[str] = []
    left = list(line)
    while left:
        # All of the first `low` can join together, and not all of the first `high`.
        low, high = 0, len(left) + 1
        while high - low > 1:
            middle = (low + high) // 2
            if is_safe([*joined, *left[:middle]]):
                low = middle
            else:
                high = middle
        joined += left[:low]
        left = left[low + 1 :]
    return tuple(joined)
