"""Staircases of coalitions, compared with a verdict on every coalition."""

import itertools

from simnet.adversary.coalitions.by_count import ByCount
from simnet.adversary.coalitions.every_coalition import EveryCoalition, Standing
from simnet.adversary.coalitions.staircase import Counts, Staircase


def compared(counted: ByCount, every: EveryCoalition) -> int:
    """Compare, for each party and each coalition without it, what the staircases say with the
    verdicts. Return the number of coalitions that expose a party.

    Where verdicts are undecided, the staircases may say more. A search that ended early may say
    less. Nothing may ever contradict.
    """
    exposing = 0
    for standing in every.standings:
        others = [name for name in every.parties if name != standing.party]
        for size in range(1, len(others) + 1):
            for members in itertools.combinations(others, size):
                exposing += _compared(counted, standing, frozenset(members))
    return exposing


def _compared(counted: ByCount, standing: Standing, members: frozenset[str]) -> bool:
    at_least = standing.exposing, standing.touching
    at_most = standing.unexposing, standing.untouching
    found = []
    for kind in range(2):
        yes = any(members >= set(each) for each in at_least[kind])
        no = any(members <= set(each) for each in at_most[kind])
        says_yes, says_no = _said(counted, standing.party, kind, members)
        where = standing.party, sorted(members), ("exposes", "touches")[kind]
        assert not (says_yes and (no or says_no)), where
        assert not (says_no and yes), where
        if counted.is_complete:
            assert says_yes or says_no, where
        found.append(says_yes)
    return found[0]


def _said(counted: ByCount, party: str, kind: int, members: frozenset[str]) -> tuple[bool, bool]:
    """Whether the staircases say that the coalition exposes the party, or touches it; and whether
    they say that it does not.
    """
    reached: list[bool] = []
    safe: list[bool] = []
    for part in counted.parts:
        for standing in part.standings:
            (own,) = (each for each in part.kinds if each.name == standing.kind)
            if party not in own.members:
                continue
            counts = tuple(len(members & set(each.members)) for each in part.kinds)
            stairs: Staircase = (standing.exposing, standing.touching)[kind]
            reached.append(any(_within(each, counts) for each in stairs.minimal))
            safe.append(any(_within(counts, each) for each in stairs.maximal))
    assert reached or party in counted.untouched
    return any(reached), all(safe)


def _within(smaller: Counts, larger: Counts) -> bool:
    return all(one <= other for one, other in zip(smaller, larger, strict=True))
