"""Staircases of coalitions, compared with a verdict on every coalition."""

import itertools

from simnet.adversary.coalitions.answer import Answer, What
from simnet.adversary.coalitions.every_coalition import EveryCoalition, Standing
from simnet.adversary.coalitions.one_by_one import OneByOne

WHATS: tuple[What, ...] = ("exposes", "touches")


def compared_with_brute_force(every: EveryCoalition, judge: OneByOne) -> int:
    """Compare the lists with the verdicts on all coalitions, and the verdicts with each other: none
    may contradict that more members expose and touch no fewer. Return the number of exposures.
    """
    exposing = 0
    assert [standing.party for standing in every.standings] == judge.declaring
    for standing in every.standings:
        others = [name for name in judge.names if name != standing.party]
        for what in WHATS:
            said = {
                frozenset(members): judge.reached(members).says(what, standing.party)
                for size in range(1, len(others) + 1)
                for members in itertools.combinations(others, size)
            }
            yes, no = ([each for each in said if said[each] is answer] for answer in (True, False))
            assert not any(one <= other for one in yes for other in no)
            minimal = [one for one in yes if not any(other < one for other in yes)]
            maximal = [one for one in no if not any(one < other for other in no)]
            undecided = sum(
                not any(one <= each for one in minimal) and not any(each <= one for one in maximal)
                for each in said
            )
            listed = (
                (standing.exposing, standing.unexposing, standing.may_expose)
                if what == "exposes"
                else (standing.touching, standing.untouching, standing.may_touch)
            )
            assert [*map(sorted, listed[:2])] == [
                sorted(tuple(name for name in judge.names if name in one) for one in edge)
                for edge in (minimal, maximal)
            ]
            assert listed[2] == undecided
            exposing += len(yes) * (what == "exposes")
    return exposing


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
    at_least = standing.exposing, standing.touching
    at_most = standing.unexposing, standing.untouching
    said = [answer.says(what, members, party) for what in WHATS]
    for what, says, with_it, without in zip(WHATS, said, at_least, at_most, strict=True):
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
