"""Staircases of coalitions, compared with a verdict on every coalition."""

import itertools

from simnet.adversary.coalitions.answer import Answer, What
from simnet.adversary.coalitions.every_coalition import EveryCoalition, Standing


def compared(answer: Answer, every: EveryCoalition) -> int:
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
                exposing += _compared(answer, standing, frozenset(members))
    return exposing


def _compared(answer: Answer, standing: Standing, members: frozenset[str]) -> bool:
    party = standing.party
    whats: tuple[What, ...] = ("exposes", "touches")
    at_least = standing.exposing, standing.touching
    at_most = standing.unexposing, standing.untouching
    said = [answer.says(what, members, party) for what in whats]
    for what, says, with_it, without in zip(whats, said, at_least, at_most, strict=True):
        where = party, sorted(members), what
        if any(members >= set(each) for each in with_it):
            assert says is not False, where
        if any(members <= set(each) for each in without):
            assert says is not True, where
        if answer.is_complete:
            assert says is not None, where
    standings = [part.standing_of(party) for part in answer.parts]
    assert any(standings) or party in answer.untouched
    return said[0] is True
