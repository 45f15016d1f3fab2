"""Numbers and formulas in the text of Joy and Gerla, beside the right ones.

A passage of the text is evaluated for a binary mechanism. Printed formulas are in the module
`printed`. The right number comes from the laws of the mechanism's answers, or from a few owners
played out. If a formula should replace the printed one, it has to agree with the right number.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any, Literal

import attrs

from protocols.mechanisms.channel import delta_of, epsilon_of
from protocols.mechanisms.response import NO, YES, JoyGerla
from protocols.two_rounds.mechanism import TwoRounds, binary
from protocols.two_rounds.privacy import aggregate_delta, best_epsilon_round_two, posterior_yes
from scenarios.joy import printed
from scenarios.joy.expected import SAMPLINGS
from scenarios.joy.tiny import mean_counts, ratio_of_sums
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.parameters import typed
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.table import Measure

Value = Callable[[TwoRounds], Any]
INTRODUCTION, HOLDERS = (
    JoyGerla(0.85, 0.3),
    100,
)  # flip1, flip2; owners who hold yes
LOCATIONS, AGES = 9, 9  # of the example in section 4.2; groups of the patients
UNEVEN = TwoRounds(Fraction(9, 20), (Fraction(1, 20), Fraction(1, 5), Fraction(3, 10)), none=True)
RARE = binary(Fraction(1, 10), Fraction(1, 4))  # zeros are rarer than ones
MILES, SECTION = 9500, 0.15
FEW, SIZES = (
    (1, 0, 0, 0),
    (4, 8, 16),
)  # FEW: the values of four owners. SIZES: numbers of owners, two of whom hold yes
EXCHANGED = "the paper exchanges outputs and faces: there are V + 1 outputs and V + 2 faces"


@attrs.frozen
class Passage:
    """A passage of the text: what it says, and what is right.

    `printed` is a number as text, or a formula. `corrected` evaluates what the printed number is
    right for, if it is right for something else. `instead` evaluates what should be printed.
    """

    source: str
    what: str
    printed: str | Value
    exact: Value
    correction: str = ""
    corrected: Value | None = None  # what the printed number is right for
    instead: Value | None = None  # what should be printed
    why: str = ""
    bound: Literal["", "at least", "at most"] = ""

    def values(self, mechanism: TwoRounds) -> dict[str, float]:
        """The numbers of a row."""
        given = {
            "value": self.exact,
            "corrected": self.corrected,
            "instead": self.instead,
            "printed": None if isinstance(self.printed, str) else self.printed,
        }
        return {
            name: float(evaluate(mechanism))
            for name, evaluate in given.items()
            if evaluate is not None
        }

    def quote(self) -> Quote:
        """Return the quote of this passage; it reads the row that carries the passage's name."""

        def at(name: str) -> Callable[..., float]:
            return lambda table: table.at(name, statement=self.what).mean

        def reading(name: str) -> Callable[..., Counterpart]:
            return lambda table: Counterpart(
                table.at(name, statement=self.what).mean
            )  # computed: nothing is run

        return Quote(
            f"Joy and Gerla, {self.source}",
            self.what,
            self.printed if isinstance(self.printed, str) else at("printed"),
            reading("value"),
            self.correction,
            None if self.corrected is None else reading("corrected"),
            None if self.instead is None else at("instead"),
            self.why,
            self.bound,
        )


def _noise(owners: int) -> float:
    """The standard deviation of the number of owners who answer yes."""
    return float(
        INTRODUCTION.truthful * owners * INTRODUCTION.variance(HOLDERS / owners, owners) ** 0.5
    )


def _truthful() -> Fraction:
    """The number by which sums are divided so that the estimate is unbiased.

    It is P[yes | holds yes] - P[yes | holds no].
    """
    return INTRODUCTION.law(YES)[1] - INTRODUCTION.law(NO)[1]


def _round_one(mechanism: TwoRounds) -> float:
    """The ε of round one, from the law of both answers for each truth."""
    laws = []
    for truth in mechanism.truths:
        zero, *rest = mechanism.joint_law(truth)
        same, changes = rest[: mechanism.values], rest[mechanism.values :]
        laws.append([zero + sum(changes), *same])
    return epsilon_of(laws)


def _round_two(mechanism: TwoRounds) -> float:
    """ε of round two, from its laws."""
    return epsilon_of([mechanism.round_two_law(truth) for truth in mechanism.truths])


def _even(mechanism: TwoRounds, values: int) -> float:
    """The ε of round two with equally likely faces for `values` values and none."""
    return _round_two(TwoRounds.even(mechanism.sampling, values, none=True))


def _leakage(mechanism: TwoRounds) -> float:
    return JoyGerla(0.8, 0.2).exact_epsilon / _even(mechanism, AGES)


def _stronger(mechanism: TwoRounds) -> float:
    """The share of the steps of the population at which the ε of round two's count of ones falls.

    The ε comes from the exact law of the count.
    """
    ratios = [ratio_of_sums(mechanism, 2, owners - 2) for owners in SIZES]
    return sum(a > b for a, b in pairwise(ratios)) / (len(SIZES) - 1)


@attrs.frozen(kw_only=True)
class PassagePoint:
    """A statement, and the binary mechanism that it is evaluated for."""

    statement: str
    zero: float
    sampling: float


@typed(PassagePoint)
def evaluate(point: PassagePoint, seed: int, data: Path | None) -> Measurements:
    """The numbers of the statement named."""
    del seed, data
    return BY_NAME[point.statement].values(binary(point.zero, point.sampling))


INTRO, THREATS, GUARANTEE = "section 1", "section 3.1", "section 4.4"
PASSAGES = (
    Passage(
        INTRO,
        "the number that sums are divided by",
        lambda _: 0.8,
        lambda _: _truthful(),
        "a misprint of flip1 = 0.85",
        instead=lambda _: INTRODUCTION.truthful,
    ),
    Passage(
        INTRO,
        "share of the owners who hold the value (60 %) and tell the truth",
        "0.51",
        lambda _: 0.6 * float(_truthful()),
    ),
    Passage(
        INTRO,
        "probability of the answer yes by the second coin",
        "0.045",
        lambda _: INTRODUCTION.law(NO)[1],
    ),
    Passage(
        INTRO, "standard deviation of the noise, 10,000 owners", "21", lambda _: _noise(10_000)
    ),
    Passage(
        INTRO,
        "standard deviation of the noise, 1,000,000 owners",
        "212",
        lambda _: _noise(1_000_000),
        (
            "the number is √(n p), without the factor 1 - p; the estimate, which is divided"
            " by flip1, has a larger one"
        ),
        lambda _: printed.introduction_deviation(
            float(INTRODUCTION.truthful), float(INTRODUCTION.yes), 10**6
        ),
    ),
    Passage(
        INTRO,
        (
            "share of the steps from 4 to 8 and from 8 to 16 owners, 2 of whom hold yes, at"
            " which the ε of round two's count falls"
        ),
        lambda _: 1,
        _stronger,
        why=(
            "the pure ε of the count does not depend on the number of owners: it is that of"
            " one owner's answer"
        ),
    ),
    Passage("section 4", "square miles, millions", "90", lambda _: MILES**2 / 1e6),
    Passage("section 4", "locations, billions", "4", lambda _: (MILES / SECTION) ** 2 / 1e9),
    Passage(
        THREATS,
        "probability of yes after 0 and then 1, if it was 1/2 before",
        lambda _: 0.5,
        lambda m: posterior_yes(m, 0.5).both_rounds_0_then_1,
        bound="at most",
        why="who answers 0 and then 1 was sampled and holds yes: the pair of answers has no finite "
        "ε",
    ),
    Passage(
        THREATS,
        "δ of the exact sums of both rounds at the claimed ε, 2 of 12 hold yes",
        lambda _: 0,
        lambda m: aggregate_delta(m, _round_two(m), 2, 10),
        why=(
            "even without collusion, the difference of the two published sums has the law "
            "Bin(yes, π_s): no ε is finite"
        ),
    ),
    Passage(
        "section 4.2",
        "outputs for 9 locations, in the example",
        "10",
        lambda _: len(TwoRounds.even(0.45, LOCATIONS, none=True).round_one_law),
    ),
    Passage(
        "section 4.2",
        "outputs for 9 locations, as V + 2",
        lambda _: LOCATIONS + 2,
        lambda _: len(TwoRounds.even(0.45, LOCATIONS, none=True).round_one_law),
        EXCHANGED,
        instead=lambda _: LOCATIONS + 1,
    ),
    Passage(
        "section 4.2",
        "faces of the die for 9 locations, as V + 1",
        lambda _: LOCATIONS + 1,
        lambda _: TwoRounds.even(0.45, LOCATIONS, none=True).sampled + 1,
        EXCHANGED,
        instead=lambda _: LOCATIONS + 2,
    ),
    Passage(
        "Eq. 12 and 13",
        "probability of the last face, faces of 0.05, 0.2, 0.3 and 0.45",
        lambda _: printed.equation_12_last([*UNEVEN.background, UNEVEN.sampling]),
        lambda _: UNEVEN.background[-1],
        "the last line must not subtract π_V itself",
        instead=lambda _: 1 - sum(UNEVEN.background[:-1]) - UNEVEN.sampling,
    ),
    Passage(
        "Eq. 14",
        "expected zeros of round one, 1 of 4 holds yes",
        lambda m: printed.equation_14_zero(m, [1], 3),
        lambda m: mean_counts(m, FEW)[0][0],
        "owners who hold no value are sampled too: (π_0 + π_s) of all",
        instead=lambda m: 4 * (m.background[0] + Fraction(m.sampling)),
    ),
    Passage(
        "Eq. 15",
        "expected count of value 2 in round two where the line shows value 1, holders of 0, 1, 2",
        lambda _: printed.equation_15(UNEVEN, [1, 1], 1, 1)[2],
        lambda _: mean_counts(UNEVEN, [0, 1, 2])[1][2],
        "every value gains its own sampled owners",
        instead=lambda _: 3 * UNEVEN.background[2] + Fraction(UNEVEN.sampling),
    ),
    Passage(GUARANTEE, "ε of round one", lambda _: 0, _round_one),
    Passage(
        GUARANTEE,
        "δ of an owner's two answers",
        lambda _: 0,
        lambda m: delta_of(m.joint_law(1), m.joint_law(0), _round_two(m)),
        why=(
            "the paper looks at round two alone; the pair of answers has no finite ε, and δ"
            " = π_s at every ε"
        ),
    ),
    Passage(
        "Eq. 19",
        "P[0 | yes] / P[0 | no]",
        lambda m: printed.equations_19_and_20(m)[0],
        lambda m: m.round_two_law(1)[0] / m.round_two_law(0)[0],
        "Eq. 19 and 20 are exchanged",
        instead=lambda m: printed.equations_19_and_20(m)[1],
    ),
    Passage(
        "Eq. 20",
        "P[0 | no] / P[0 | yes]",
        lambda m: printed.equations_19_and_20(m)[1],
        lambda m: m.round_two_law(0)[0] / m.round_two_law(1)[0],
        "Eq. 19 and 20 are exchanged",
        instead=lambda m: printed.equations_19_and_20(m)[0],
    ),
    Passage(
        "Eq. 21",
        "ε of the answer 0",
        printed.equation_21,
        lambda m: log(m.round_two_law(0)[0] / m.round_two_law(1)[0]),
    ),
    Passage(
        "Eq. 21",
        "ε of round two if the answer is 0",
        printed.equation_21,
        _round_two,
        "it is the larger of Eq. 21 and Eq. 25",
        instead=lambda m: max(printed.equation_21(m), printed.equation_25(m)),
    ),
    Passage(
        "Eq. 25",
        "ε of round two if the answer is 1, π_0 = 0.1 and π_s = 0.25",
        lambda _: printed.equation_25(RARE),
        lambda _: _round_two(RARE),
        "it is the larger of Eq. 21 and Eq. 25",
        instead=lambda _: max(printed.equation_21(RARE), printed.equation_25(RARE)),
    ),
    Passage(
        "Eq. 29",
        "ε of round two with faces of 0.05, 0.2 and 0.3, by the last value",
        lambda _: printed.equation_29(UNEVEN.sampling, UNEVEN.background[-1]),
        lambda _: _round_two(UNEVEN),
        "it is the largest ε over all values, that of the rarest face",
        instead=lambda _: max(
            printed.equation_29(UNEVEN.sampling, one) for one in UNEVEN.background
        ),
    ),
    Passage(
        GUARANTEE,
        "least ε for 9 values, said to be at most that of the binary mechanism",
        lambda m: best_epsilon_round_two(m.sampling, 1, none=True),
        lambda m: _even(m, AGES),
        bound="at most",
        why=(
            "with more values each face is rarer, so ε is larger: ln(1 + π_s (V + 1) / (1 -"
            " π_s)) at best"
        ),
    ),
    Passage(
        "Eq. 30",
        "ε of randomised response with 0.8 and 0.9",
        lambda _: printed.equation_30(0.8, 0.9),
        lambda _: JoyGerla(0.8, 0.9).exact_epsilon,
        "the answer no tells more when the second coin is above 1/2",
        instead=lambda _: printed.equation_30(0.8, 1 - Fraction(0.9)),
    ),
    Passage(
        "section 6",
        "how many times less sampling leaks than randomised response, 9 values",
        lambda _: 4,
        _leakage,
        bound="at least",
        why=(
            "each value would need a face of probability 0.39 or more, and two of them are "
            "already too much; with one value and none the factor is 3.1 at best. Both "
            "rounds together have no finite ε"
        ),
    ),
)
BY_NAME = {one.what: one for one in PASSAGES}

EXPERIMENT = Experiment(
    summary="Measurements and formulas of the text of Sampling Privacy",
    source="Joy and Gerla, sections 1 to 6",
    trial=evaluate,
    grid=[{"statement": list(BY_NAME), "zero": [0.3], "sampling": list(SAMPLINGS[:1])}],
    measures=[Measure("value", "what is right")],
    choices=(
        "formulas are evaluated with π_0 = 0.3 and π_s = 0.45: --set zero=..., --set sampling=...",
    ),
    quotes=[one.quote() for one in PASSAGES],
    cost=lambda _: 0.001,
)
