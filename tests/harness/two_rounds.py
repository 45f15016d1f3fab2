"""Random two-round mechanisms for tests, and the exact law of their counts by enumeration."""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

from protocols.two_rounds.mechanism import TwoRounds

F = Fraction
Law = dict[tuple[tuple[int, ...], ...], Fraction]


@st.composite
def mechanisms(draw: st.DrawFn) -> TwoRounds:
    none, values = draw(st.booleans()), draw(st.integers(1, 5))
    weights = draw(
        st.lists(st.integers(0, 20), min_size=values + 1, max_size=values + 1).filter(any)
    )
    sampling = draw(st.fractions(F(1, 50), F(49, 50), max_denominator=100))
    total = sum(weights)
    return TwoRounds(sampling, tuple((1 - sampling) * w / total for w in weights), none)


def counts_law(mechanism: TwoRounds, holders: list[int], throws_again: bool = False) -> Law:
    """Return the exact law of both rounds' counts, by adding one owner after the other from faces
    and answers.
    """
    law: Law = {((0,) * (mechanism.values + 1),) * 2: F(1)}
    faces = [*enumerate(mechanism.background), (mechanism.sampled, F(mechanism.sampling))]
    for truth, count in enumerate(holders):
        for _ in range(count):
            after: Law = {}
            pairs = (
                itertools.product(faces, faces)
                if throws_again
                else ((face, (face[0], F(1))) for face in faces)
            )
            for (one, p), (two, q) in pairs:
                answers = (
                    int(mechanism.round_one([one])[0]),
                    int(mechanism.round_two([two], [truth])[0]),
                )
                for counts, chance in law.items() if p * q else ():
                    added = tuple(
                        tuple(n + (symbol == answer) for symbol, n in enumerate(of_round))
                        for of_round, answer in zip(counts, answers, strict=True)
                    )
                    after[added] = after.get(added, F(0)) + chance * p * q
            law = after
    return law
