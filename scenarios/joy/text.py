"""Numbers and formulas in the text of Joy and Gerla, beside the right ones.

A passage on a mechanism is evaluated for the binary mechanism, in which owners hold yes or no, with
given π_0 and π_s, or for a mechanism that the passage names. Printed formulas are in the module
`printed`, which explains the letters. The right number mostly comes from the laws of answers, or
from all throws of a few owners. If a formula should replace the printed one, it has to agree with
the right number.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import erf, log, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

import attrs
import numpy as np

from protocols.mechanisms.channel import delta_of, epsilon_of
from protocols.mechanisms.response import NO, YES, JoyGerla
from protocols.two_rounds.mechanism import TwoRounds, binary
from protocols.two_rounds.privacy import (
    aggregate_delta,
    best_epsilon_round_two,
    posterior_yes,
)
from scenarios.joy import printed
from scenarios.joy.expected import SAMPLINGS
from scenarios.joy.tiny import delta_of_sums, mean_counts, mean_estimate, ratio_of_sums
from simnet.errors import BadInput
from simnet.nearest import did_you_mean
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Bound, Counterpart, Quote, Stated
from simnet.studies.table import Measure

Value = Callable[[TwoRounds], Any]
INTRODUCTION, HOLDERS = (
    JoyGerla(0.85, 0.3),
    100,
)  # flip1 and flip2, and the number of owners who hold yes
TOY = JoyGerla(Fraction(4, 5), Fraction(1, 5), Fraction(9, 20))  # π_1, π_2, π_s of section 3.3
LOCATIONS, AGES = 9, 9  # of the example in section 4.2; groups of the patients
UNEVEN = TwoRounds(Fraction(9, 20), (Fraction(1, 20), Fraction(1, 5), Fraction(3, 10)), none=True)
RARE = binary(Fraction(1, 10), Fraction(1, 4))  # zeros are rarer than ones
COINS = "flip1 = 0.85 and flip2 = 0.3"  # those of INTRODUCTION
OWNERS = "one owner who holds nothing (0), one who holds 1, and one who holds 2"
FACES = "face probabilities 0.05 for 0, 0.2 for 1 and 0.3 for 2"  # those of UNEVEN
MILES, SECTION = 9500, 0.15
FEW, SIZES = (
    (1, 0, 0, 0),
    (4, 8, 16),
)  # FEW: the values of four owners. SIZES: numbers of owners, two of whom hold yes
CROWDS = (4, 16, 256)  # numbers of owners, two of whom hold yes
OTHERS, HELD, MODERATE = (0, 20, 200), 5, 0.5  # owners besides 5 who hold yes; ε
EXCHANGED = "The paper exchanges outputs and faces. There are V + 1 outputs and V + 2 faces."


@attrs.frozen
class Passage:
    """A passage of the text: what the text says, and what is right.

    `printed` is a number as text, a formula, or what the text states in words. `exact` evaluates
    the right number. `instead` evaluates what should be printed, and `correction` says it in words.
    `under` says how the text is read, where it allows several readings, and `disputed` why a fair
    reader may come to another verdict. `correction`, `why` and `disputed` are complete sentences.
    """

    source: str
    what: str
    printed: str | Stated | Value
    exact: Value
    correction: str = ""
    instead: Value | None = None  # what should be printed
    why: str = ""
    bound: Bound = ""
    under: str = ""
    disputed: str = ""

    @property
    def statement(self) -> str:
        """The name of the passage's row: what it says, and how it is read."""
        return f"{self.what} ({self.under})" if self.under else self.what

    def values(self, mechanism: TwoRounds) -> dict[str, float]:
        """The right number, and, if the passage has them, the number that should be printed and the
        number by the printed formula.
        """
        given = {
            "value": self.exact,
            "instead": self.instead,
            "printed": self.printed if callable(self.printed) else None,
        }
        return {
            name: float(evaluate(mechanism))
            for name, evaluate in given.items()
            if evaluate is not None
        }

    def quote(self) -> Quote:
        """Return the quote of this passage; it reads the row that carries the passage's name."""

        def at(name: str) -> Callable[..., float]:
            return lambda table: table.at(name, statement=self.statement).mean

        def reading(name: str) -> Callable[..., Counterpart]:
            return lambda table: Counterpart(
                table.at(name, statement=self.statement).mean
            )  # the values are computed, without any run

        return Quote(
            f"Joy and Gerla, {self.source}",
            self.what,
            at("printed") if callable(self.printed) else self.printed,
            reading("value"),
            self.correction,
            None,
            None if self.instead is None else at("instead"),
            self.why,
            self.bound,
            under=self.under,
            disputed=self.disputed,
        )


def for_all(function: Callable[..., Any], *arguments: Any) -> Value:
    """Return a function of a mechanism, which ignores the mechanism and returns `function` of these
    arguments.
    """
    return lambda _: function(*arguments)


def for_mechanism(function: Callable[..., Any], *arguments: Any) -> Value:
    """Return a function of a mechanism, which returns `function` of the mechanism and these
    arguments.
    """
    return lambda mechanism: function(mechanism, *arguments)


def _printed_count(mechanism: TwoRounds, turn: int, answer: int) -> Fraction:
    """The printed expected count of an answer in round one or two, if 1 of 4 owners holds yes."""
    return printed.equations_9_and_10(mechanism, 1, 3)[turn][answer]


def _exact_count(mechanism: TwoRounds, turn: int, answer: int) -> Fraction:
    """The mean count of an answer in round one or two, if 1 of 4 owners holds yes."""
    return mean_counts(mechanism, FEW)[turn][answer]


def _noise(owners: int) -> float:
    """The standard deviation of the number of answers yes, with the coins of the introduction and
    100 owners who hold yes.
    """
    return float(
        INTRODUCTION.truthful * owners * INTRODUCTION.variance(HOLDERS / owners, owners) ** 0.5
    )


def _noise_formula(owners: int) -> float:
    """The standard deviation of a count of answers yes: √(Σ n p (1 - p))."""
    parts = ((HOLDERS, YES), (owners - HOLDERS, NO))
    chances = [(count, float(INTRODUCTION.law(truth)[1])) for count, truth in parts]
    return float(sum(count * p * (1 - p) for count, p in chances) ** 0.5)


def _footnote(owners: int) -> float:
    return printed.introduction_deviation(
        float(INTRODUCTION.truthful), float(INTRODUCTION.yes), owners
    )


def _truthful() -> Fraction:
    """The number by which sums are divided so that the estimate is unbiased: P[yes | holds yes] -
    P[yes | holds no].
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
    return epsilon_of([mechanism.round_two_law(truth) for truth in mechanism.truths])


def _even(mechanism: TwoRounds, values: int) -> float:
    return _round_two(TwoRounds.even(mechanism.sampling, values, none=True))


def _leakage(mechanism: TwoRounds, values: int) -> float:
    """The ε of randomised response with the coins 0.8 and 0.2, divided by the ε of round two. In
    round two the background faces of `values` values and of no value are equally likely.
    """
    return JoyGerla(0.8, 0.2).exact_epsilon / _even(mechanism, values)


def _mean_difference(mechanism: TwoRounds, truths: Sequence[int], value: int) -> Fraction:
    """The mean of the estimate of one value by Eq. 11 or 16, over all throws of a few owners."""
    first, second = mean_counts(mechanism, truths)
    return (second[value] - first[value]) / Fraction(mechanism.sampling)


def _stronger(mechanism: TwoRounds) -> float:
    """The share of the steps to a larger population at which the ε of round two's count of ones
    falls.
    """
    ratios = [ratio_of_sums(mechanism, 2, owners - 2) for owners in SIZES]
    return _falling([float(ratio) for ratio in ratios])


def _falling(numbers: Sequence[float]) -> float:
    return sum(a > b for a, b in pairwise(numbers)) / (len(numbers) - 1)


def _stronger_delta(mechanism: TwoRounds) -> float:
    """The share of the steps to a larger population at which the δ of round two's count of ones
    falls, at ε = 0.1.
    """
    return _falling([delta_of_sums(mechanism, 0.1, 2, owners - 2) for owners in CROWDS])


def _number_stays_open(mechanism: TwoRounds) -> float:
    """The share of the numbers of owners, 1 to 4, for which some counts of round one can also come
    from another of these numbers.
    """
    faces = range(mechanism.sampled + 1)
    seen = {
        owners: {
            tuple(np.bincount(mechanism.round_one(throw), minlength=2).tolist())
            for throw in product(faces, repeat=owners)
        }
        for owners in range(1, 5)
    }
    return fmean(
        any(seen[owners] & counts for other, counts in seen.items() if other != owners)
        for owners in seen
    )


def _stronger_both(mechanism: TwoRounds) -> float:
    """The share of the steps to a larger population at which the δ of both rounds' sums falls, at
    ε = 0.5.
    """
    return _falling([aggregate_delta(mechanism, MODERATE, HELD, no) for no in OTHERS])


def _advantage(mechanism: TwoRounds) -> float:
    """By how much the answer 1 in round two raises the probability of yes, at most, over the priors
    1 %, 2 %, ..., 99 %.
    """
    priors = [k / 100 for k in range(1, 100)]
    return max(posterior_yes(mechanism, prior).round_two_one - prior for prior in priors)


def _equations(mechanism: TwoRounds) -> float:
    """The rank of the two equations in the numbers of yes and no that Eq. 1 gives for the expected
    numbers of answers 1 and of owners without an answer.
    """
    # An owner answers 1 with probability π_s, and otherwise gives no answer, whatever the truth is.
    s = float(mechanism.sampling)
    return float(np.linalg.matrix_rank(np.array([[s, s], [1 - s, 1 - s]])))


def _within(deviations: float) -> float:
    """The probability that a Gaussian lies within `deviations` standard deviations of its mean."""
    return erf(deviations / sqrt(2))


def _asked_alone(truthful_no: int, fixed: bool = False) -> float:
    """The variance of the estimated number of yes if 100 owners hold yes and `truthful_no` hold no,
    sampled owners answer the truth, and there is no other noise.

    Each owner is sampled with probability π_s = 0.45, or 45 owners are sampled if the number of
    answers is `fixed`.
    """
    yes, chance = HOLDERS, 0.45
    if not fixed:
        return yes * (1 - chance) / chance
    # n/m H has the variance (n/m)² m K/n (1 - K/n) (n - m) / (n - 1), where H is hypergeometric, K
    # hold yes, and m of n owners answer.
    owners, asked = yes + truthful_no, 45
    share = yes / owners
    return owners**2 / asked * share * (1 - share) * (owners - asked) / (owners - 1)


def _toy_deviation(truthful_no: int) -> float:
    """The standard deviation of the estimate of Eq. 5 when 100 owners hold yes and `truthful_no`
    owners hold no, from the answers' law.
    """
    parts = ((HOLDERS, YES), (truthful_no, NO))
    chances = [(count, float(TOY.law(truth)[1])) for count, truth in parts]
    variance = sum(count * p * (1 - p) for count, p in chances)
    return sqrt(variance) / float(TOY.sampling * TOY.truthful)


def _rising(numbers: Sequence[float]) -> float:
    return _falling([-number for number in numbers])


def _cost_of_privacy() -> float:
    """The share of the steps to a larger probability of the second coin, from 0.1 to 0.9, at which
    the error of randomised response grows.
    """
    owners = 10_000
    errors = [JoyGerla(0.8, coin / 10).variance(HOLDERS / owners, owners) for coin in range(1, 10)]
    return _rising([float(error) for error in errors])


def _changes_of_no(mechanism: TwoRounds) -> float:
    """The probability that an owner who holds no answers differently in round two."""
    _, *rest = mechanism.joint_law(0)
    return float(sum(rest[mechanism.values :]))


def _third_output() -> float:
    """P[3 | 1] / P[3 | 2] in round two: an output that neither of the two owners holds."""
    made = TwoRounds.even(0.45, 3, none=True)
    return float(made.round_two_law(1)[3] / made.round_two_law(2)[3])


@attrs.frozen(kw_only=True)
class PassagePoint:
    """A statement, and π_0 and π_s of the binary mechanism, which its passage may use."""

    statement: str
    zero: float
    sampling: float


@typed(PassagePoint)
def evaluate(point: PassagePoint, seed: int, data: Path | None) -> Measurements:
    """Return the numbers of the statement that the point names.

    Raises `BadInput` unless all faces of the die have a probability above 0, and `ValueError` for
    an unknown statement.
    """
    del seed, data
    if point.statement not in BY_NAME:
        meant = did_you_mean(point.statement, BY_NAME)
        raise ValueError(f"no statement is called {point.statement!r}{meant}")
    if not (0 < point.zero < 1 - point.sampling and point.sampling > 0):
        raise BadInput(
            "zero and sampling are above 0 and add up to less than 1, got "
            f"{point.zero} and {point.sampling}"
        )
    return BY_NAME[point.statement].values(binary(point.zero, point.sampling))


INTRO, THREATS, GUARANTEE = "section 1", "section 3.1", "section 4.4"
OF_ANSWERS = "of the number of answers yes"
OF_ESTIMATE = "of the estimate: the number of answers yes, less its mean noise, divided by flip1"
PURE, SUMS = (
    "the ε of the count of ones of round two",
    "the δ of the sums of both rounds at ε = 0.5",
)
ONE_OUTPUT = "one output, as the text says before the equation"
WHOLE = "round two as a whole: the largest ε over all its answers"
LAST_VALUE = f"ε of round two by the formula for the answer 2; {FACES}"
OF_OUTPUT_0, OF_OUTPUT_1 = (
    f"The text before the equation says 'for output {output}, round 2, the privacy leakage is as "
    "follows', so the equation may be about this output alone. So read, it holds, as another row "
    "says."
    for output in (0, 1)
)
OF_OUTPUT_V = (
    "The text before the equation says that 'the only privacy leakage occurs when the data owner "
    "truthfully responds for output V', round two', so the equation may be about one output "
    "alone. So read, it holds, as another row says."
)
MAY_HOLD_NONE = "an owner may hold none of the values"
EVERY_OWNER = (
    "Section 4.2 says that a truthful response is an integer greater than 0. So read, the "
    "equation holds, as another row says."
)
BOTH_FORMULAS = "The ε is the larger of Eq. 21 and Eq. 25."
PAIR = "an answer 0 in round one, then 1"
A_GOAL = "The text calls this its goal, and names no measure of privacy."
A_FLOOR = (
    "The text names no measure; we chose ε and the number of owners who hold yes. δ falls only to "
    "the δ of the difference of the two sums, which does not depend on the number of owners. At a "
    "larger ε, such as 2, it does not fall at all."
)
ADVANTAGE = "The text does not say what an inference advantage is, nor which answers are seen."
NOS = (100, 1900, 9900)  # owners who hold no, beside 100 who hold yes: 50 %, 5 % and 1 % hold yes
PASSAGES = (
    Passage(
        INTRO,
        "the number by which the sum of answers, less its mean noise, is divided",
        lambda _: 0.8,
        lambda _: _truthful(),
        "The number is a misprint of flip1 = 0.85.",
        instead=lambda _: INTRODUCTION.truthful,
    ),
    Passage(
        f"{INTRO}, footnote 1",
        "share of the owners who hold the value (60 %) and tell the truth, flip1 = 0.85",
        "0.51",
        lambda _: 0.6 * float(_truthful()),
    ),
    Passage(
        f"{INTRO}, footnote 1",
        f"probability of the answer yes by the second coin, {COINS}",
        "0.045",
        lambda _: INTRODUCTION.law(NO)[1],
    ),
    *(
        Passage(
            INTRO,
            f"standard deviation of the noise, {owners:,} owners of whom 100 hold yes, {COINS}",
            text,
            for_all(_noise, owners),
            correction,
            instead=for_all(_noise_formula, owners) if correction else None,
            under=OF_ANSWERS,
        )
        for owners, text, correction in (
            (10_000, "21", ""),
            (10**6, "212", "The footnote's formula, √(n p), lacks the factor 1 - p."),
        )
    ),
    *(
        Passage(
            f"{INTRO}, footnote 2",
            f"√(n p), {owners:,} owners, p = 0.045",
            text,
            for_all(_footnote, owners),
        )
        for owners, text in ((10_000, "21"), (10**6, "212"))
    ),
    *(
        Passage(
            INTRO,
            f"standard deviation of the noise, {owners:,} owners of whom 100 hold yes, {COINS}",
            text,
            for_all(lambda n: _noise(n) / INTRODUCTION.truthful, owners),
            why="The printed number is not divided by flip1.",
            under=OF_ESTIMATE,
            disputed="The formula of footnote 2 is about the number of answers yes, and so is the "
            "sentence after the number 212.",
        )
        for owners, text in ((10_000, "21"), (10**6, "212"))
    ),
    *(
        Passage(
            INTRO,
            f"probability of a number within {words} standard deviations of the expected value",
            text,
            for_all(_within, deviations),
            correction,
            instead=for_all(_within, deviations) if correction else None,
            under="of a Gaussian. The text says that this is the probability of being 'away from "
            "the expected value', which is the opposite event",
            disputed=f"By its words, the text gives the probability of the opposite event, {away}",
        )
        for words, deviations, text, correction, away in (
            ("two", 2.0, "0.95", "", "which is 0.0455."),
            (
                "three",
                3.0,
                "0.99",
                "Three standard deviations belong to 99.7 %, and 99 % belong to 2.58 standard "
                "deviations.",
                "which is 0.0027. Besides, 99 % may stand for 99.7 %, rounded down.",
            ),
        )
    ),
    *(
        Passage(
            INTRO,
            f"probability that an adversary guesses an owner's value if {words} of the population "
            "hold yes",
            Stated(0.5),
            for_all(float, share),
            bound="at least",
            under="the guess is yes for everybody, before any answer is seen",
        )
        for words, share in (("2/3", Fraction(2, 3)), ("3/4", Fraction(3, 4)))
    ),
    *(
        Passage(
            "section 2",
            "with sampling alone the estimate of the 100 who hold yes quickly degrades as owners "
            "who hold no are added: it errs more at each step from 100 to 1900 and 9900",
            STATED,
            for_all(lambda fixed: _rising([_asked_alone(nos, fixed) for nos in NOS]), fixed),
            why="An owner who is sampled answers the truth, so the owners who hold 'no' add no "
            "noise.",
            under=f"{under}; any growth of the variance counts, whatever 'quickly' means",
            disputed="The text does not say how owners are sampled, and has no measure of "
            "'quickly'. By the reading of another row the statement "
            + ("fails." if fixed else "holds."),
        )
        for fixed, under in (
            (
                False,
                "each owner is sampled with probability 0.45, and only answers yes are counted",
            ),
            (True, "45 owners are sampled, however many there are"),
        )
    ),
    Passage(
        INTRO,
        "as the population grows, privacy gets stronger: with 4, 8 and 16 owners, 2 of whom hold "
        "yes",
        STATED,
        _stronger,
        why=(
            "The ε of the count does not depend on the number of owners. It is the ε of one "
            "owner's answer."
        ),
        under=PURE,
        disputed=A_GOAL,
    ),
    Passage(
        INTRO,
        "as the population grows, privacy gets stronger: with 4, 16 and 256 owners, 2 of whom "
        "hold yes",
        STATED,
        _stronger_delta,
        under="the δ of the count of ones of round two at ε = 0.1",
    ),
    Passage(
        INTRO,
        "as the population grows, privacy gets stronger: with 5, 25 and 205 owners, 5 of whom "
        "hold yes",
        STATED,
        _stronger_both,
        under=SUMS,
        disputed=A_FLOOR,
    ),
    Passage(
        "section 3.3",
        "the error of Eq. 5 grows as owners who hold no are added: 100 of 200, 2000 and 10,000 "
        "hold yes",
        STATED,
        lambda _: _rising([_toy_deviation(nos) for nos in NOS]),
        under="the standard deviation of the estimate, π_1 = 0.8, π_2 = 0.2, π_s = 0.45",
    ),
    *(
        Passage(
            "section 4",
            f"share of the owners who provide noise, with a sampling parameter of {sampling:.0%}: "
            "a majority",
            Stated(0.5),
            for_all(lambda sampling: 1 - sampling, sampling),
            bound="at least",
            under="owners who are not sampled answer by the other faces of the die",
        )
        for sampling in SAMPLINGS
    ),
    Passage(
        "section 4",
        "area of a square with sides of 9,500 miles, in millions of square miles",
        "90",
        lambda _: MILES**2 / 1e6,
    ),
    Passage(
        "section 4",
        "locations with sides of 0.15 miles in a square with sides of 9,500 miles, in billions",
        "4",
        lambda _: (MILES / SECTION) ** 2 / 1e9,
    ),
    Passage(
        "section 4",
        "locations that an identifier of 32 bits can name, in billions",
        "4",
        lambda _: 2**32 / 1e9,
    ),
    Passage(
        THREATS,
        "the exact number of owners is not released, for 1 to 4 owners",
        STATED,
        _number_stays_open,
        why="In a round, the counts of the answers 0 and 1 add up to the number of owners.",
        under="the counts of all answers of a round are released, as section 4 says",
        disputed="The text may mean only that nobody publishes the number itself.",
    ),
    Passage(
        THREATS,
        "an adversary does not gain an inference advantage of greater than 50 %: the probability "
        "of yes afterwards is at most 50 %",
        "0.5",
        lambda m: posterior_yes(m, 0.5).both_rounds_0_then_1,
        bound="at most",
        why="An owner who answers 0 and then 1 was sampled and holds yes, so the pair of answers "
        "has no finite ε.",
        under=f"the probability was 1/2 before; {PAIR}",
        disputed=ADVANTAGE,
    ),
    Passage(
        THREATS,
        "an adversary does not gain an inference advantage of greater than 50 %",
        "0.5",
        lambda m: posterior_yes(m, 0.05).both_rounds_0_then_1 - 0.05,
        bound="at most",
        why="An owner who answers 0 and then 1 was sampled and holds yes, however few owners hold "
        "yes.",
        under=(
            "the advantage is by how much the answers raise the probability of yes, which is 5 % "
            f"before them, as in section 3; {PAIR}"
        ),
        disputed=ADVANTAGE,
    ),
    Passage(
        THREATS,
        "an adversary does not gain an inference advantage of greater than 50 %",
        "0.5",
        lambda _: _advantage(binary(0.3, 0.45)),
        bound="at most",
        under=(
            "the advantage is by how much the answer raises the probability of yes, at most, if "
            "it is 1 %, 2 %, ..., 99 % before; an answer 1 in round two, and round one is not "
            "seen; π_0 = 0.3 and π_s = 0.45"
        ),
        disputed=f"{ADVANTAGE} It does not name π_0, either. For every π_s below 1/2 some π_0 "
        "breaks the claim; for π_s = 0.45 every π_0 above 0.494 does.",
    ),
    Passage(
        THREATS,
        "δ of the exact sums of both rounds at the larger ε of Eq. 21 and Eq. 25, 2 of 12 hold "
        "yes: no aggregators collude",
        Stated(0.0),
        lambda m: aggregate_delta(m, _round_two(m), 2, 10),
        why=(
            "Even without collusion, the difference of the two published sums has the law "
            "Bin(yes, π_s), where yes is the number of owners who hold yes. So no ε is finite."
        ),
        under="both sums are published, and δ is 0 because section 4.3 says that the mechanism "
        "satisfies differential privacy",
        disputed="The text looks at round two alone, and prints no δ.",
    ),
    Passage(
        "section 3.2, Eq. 1",
        "number of independent equations for the two unknowns, yes and no",
        Stated(1.0),
        _equations,
    ),
    Passage(
        "Eq. 4",
        "expected answers yes, 1 of 4 holds yes, π_1 = 0.8, π_2 = 0.2, π_s = 0.45",
        lambda _: printed.equation_4(TOY, 1, 3),
        lambda _: TOY.law(YES)[1] + 3 * TOY.law(NO)[1],
    ),
    Passage(
        "Eq. 5",
        "mean of the estimate, 1 of 4 holds yes, π_1 = 0.8, π_2 = 0.2, π_s = 0.45: the number of "
        "holders",
        Stated(1.0),
        lambda _: mean_estimate(TOY, 1, 3),
    ),
    *(
        Passage(
            f"Eq. {equation}",
            f"expected count of the answer {answer} in round {words}, 1 of 4 holds yes",
            for_mechanism(_printed_count, *at),
            for_mechanism(_exact_count, *at),
        )
        for equation, words, answer, at in (
            (9, "one", 0, (0, 0)),
            (9, "one", 1, (0, 1)),
            (10, "two", 0, (1, 0)),
            (10, "two", 1, (1, 1)),
        )
    ),
    Passage(
        "Eq. 11",
        "mean of the estimate, 1 of 4 holds yes: the number of holders",
        Stated(1.0),
        lambda m: _mean_difference(m, FEW, 1),
    ),
    Passage(
        "section 4.1",
        "probability that an owner who holds no changes the difference of the two counts: the "
        "sampling error is solely that of the holders of yes",
        Stated(0.0),
        _changes_of_no,
        under="owners keep the face of round one, as 'the remaining data owners remain at their "
        "output chosen in round one' says",
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
        f"probability of the face of the last value, V = 2; {FACES}, and 0.45 for being sampled",
        lambda _: printed.equation_12_last([*UNEVEN.background, UNEVEN.sampling]),
        lambda _: UNEVEN.background[-1],
        "The last line must not subtract π_V itself.",
        instead=lambda _: 1 - sum(UNEVEN.background[:-1]) - UNEVEN.sampling,
    ),
    Passage(
        "Eq. 14",
        f"expected zeros of round one, holders of 1 and 2, {FACES}",
        lambda _: printed.equation_14_zero(UNEVEN, [1, 1], 0),
        lambda _: mean_counts(UNEVEN, [1, 2])[0][0],
        under="every owner holds one of the values 1 to V, as section 4.2 says",
    ),
    Passage(
        "Eq. 14",
        f"expected zeros of round one, {OWNERS}, {FACES}",
        lambda _: printed.equation_14_zero(UNEVEN, [1, 1], 1),
        lambda _: mean_counts(UNEVEN, [0, 1, 2])[0][0],
        "Owners who hold no value are sampled too, so the number is (π_0 + π_s) times the number "
        "of all owners.",
        instead=lambda _: 3 * (UNEVEN.background[0] + Fraction(UNEVEN.sampling)),
        under=f"{MAY_HOLD_NONE}: its truth is 0",
        disputed=EVERY_OWNER,
    ),
    Passage(
        "Eq. 15",
        f"expected count of value 2 in round two, {OWNERS}, {FACES}",
        lambda _: printed.equation_15(UNEVEN, [1, 1], 1, 2)[2],
        lambda _: mean_counts(UNEVEN, [0, 1, 2])[1][2],
        under="the line of V' stands for every value in turn",
    ),
    Passage(
        "Eq. 15",
        f"expected count of value 2 in round two where the line shows value 1, {OWNERS}, {FACES}",
        lambda _: printed.equation_15(UNEVEN, [1, 1], 1, 1)[2],
        lambda _: mean_counts(UNEVEN, [0, 1, 2])[1][2],
        "Every value gains its own sampled owners.",
        instead=lambda _: 3 * UNEVEN.background[2] + Fraction(UNEVEN.sampling),
        under="the line of V' stands for one value, and the other lines for all others",
        disputed="V' may stand for every value in turn, as in Eq. 16. So read, the equation "
        "holds, as another row says.",
    ),
    *(
        Passage(
            "Eq. 16",
            f"mean of the estimate of value {value}, {OWNERS}, {FACES}: the number of holders",
            Stated(1.0),
            for_all(_mean_difference, UNEVEN, (0, 1, 2), value),
        )
        for value in (1, 2)
    ),
    Passage(GUARANTEE, "ε of round one: there is no privacy leakage", Stated(0.0), _round_one),
    Passage(
        GUARANTEE,
        "δ of an owner's two answers",
        Stated(0.0),
        lambda m: delta_of(m.joint_law(1), m.joint_law(0), _round_two(m)),
        why=(
            "The paper looks at round two alone. The pair of answers has no finite ε, and δ = π_s "
            "at every ε."
        ),
        under="an adversary inspects both answers, as in section 3.1, and δ is 0 because section "
        "4.3 says that the mechanism satisfies differential privacy",
        disputed="The text prints no δ, and section 4 assumes that only the aggregate counts are "
        "released.",
    ),
    Passage(
        "Eq. 19",
        "P[0 | yes] / P[0 | no]",
        lambda m: printed.equations_19_and_20(m)[0],
        lambda m: m.round_two_law(1)[0] / m.round_two_law(0)[0],
        "Eq. 19 and Eq. 20 are exchanged.",
        instead=lambda m: printed.equations_19_and_20(m)[1],
    ),
    Passage(
        "Eq. 20",
        "P[0 | no] / P[0 | yes]",
        lambda m: printed.equations_19_and_20(m)[1],
        lambda m: m.round_two_law(0)[0] / m.round_two_law(1)[0],
        "Eq. 19 and Eq. 20 are exchanged.",
        instead=lambda m: printed.equations_19_and_20(m)[0],
    ),
    Passage(
        "Eq. 21",
        "ε of round two where the answer is 0",
        printed.equation_21,
        lambda m: log(m.round_two_law(0)[0] / m.round_two_law(1)[0]),
        under=ONE_OUTPUT,
    ),
    Passage(
        "Eq. 21",
        "ε of round two where the answer is 0",
        printed.equation_21,
        _round_two,
        BOTH_FORMULAS,
        instead=lambda m: max(printed.equation_21(m), printed.equation_25(m)),
        under=WHOLE,
        disputed=OF_OUTPUT_0,
    ),
    Passage(
        "Eq. 23",
        "P[1 | yes] / P[1 | no]",
        lambda m: printed.equations_23_and_24(m)[0],
        lambda m: m.round_two_law(1)[1] / m.round_two_law(0)[1],
    ),
    Passage(
        "Eq. 24",
        "P[1 | no] / P[1 | yes]",
        lambda m: printed.equations_23_and_24(m)[1],
        lambda m: m.round_two_law(0)[1] / m.round_two_law(1)[1],
    ),
    Passage(
        "Eq. 22 and 25",
        "ε of round two where the answer is 1, π_0 = 0.1 and π_s = 0.25",
        lambda _: printed.equation_25(RARE),
        lambda _: log(RARE.round_two_law(1)[1] / RARE.round_two_law(0)[1]),
        under=ONE_OUTPUT,
    ),
    Passage(
        "Eq. 22 and 25",
        "ε of round two where the answer is 1, π_0 = 0.1 and π_s = 0.25",
        lambda _: printed.equation_25(RARE),
        lambda _: _round_two(RARE),
        BOTH_FORMULAS,
        instead=lambda _: max(printed.equation_21(RARE), printed.equation_25(RARE)),
        under=WHOLE,
        disputed=OF_OUTPUT_1,
    ),
    Passage(
        "Eq. 27",
        "P[V' | V'] / P[V' | another value], π_V' = 0.3, π_s = 0.45",
        lambda _: printed.equations_27_and_28(UNEVEN.sampling, UNEVEN.background[2])[0],
        lambda _: UNEVEN.round_two_law(2)[2] / UNEVEN.round_two_law(1)[2],
    ),
    Passage(
        "Eq. 28",
        "P[V' | another value] / P[V' | V'], π_V' = 0.3, π_s = 0.45",
        lambda _: printed.equations_27_and_28(UNEVEN.sampling, UNEVEN.background[2])[1],
        lambda _: UNEVEN.round_two_law(1)[2] / UNEVEN.round_two_law(2)[2],
    ),
    Passage(
        "Eq. 26 and 29",
        LAST_VALUE,
        lambda _: printed.equation_29(UNEVEN.sampling, UNEVEN.background[-1]),
        lambda _: log(UNEVEN.round_two_law(2)[2] / UNEVEN.round_two_law(1)[2]),
        under=ONE_OUTPUT,
    ),
    Passage(
        "Eq. 26 and 29",
        LAST_VALUE,
        lambda _: printed.equation_29(UNEVEN.sampling, UNEVEN.background[-1]),
        lambda _: _round_two(attrs.evolve(UNEVEN, none=False)),
        "The ε is the largest one over all values, which is that of the value with the rarest "
        "face.",
        instead=lambda _: max(
            printed.equation_29(UNEVEN.sampling, one) for one in UNEVEN.background[1:]
        ),
        under=f"{WHOLE}; every owner holds a value, as section 4.2 says",
        disputed=OF_OUTPUT_V,
    ),
    Passage(
        "Eq. 26 and 29",
        LAST_VALUE,
        lambda _: printed.equation_29(UNEVEN.sampling, UNEVEN.background[-1]),
        lambda _: _round_two(UNEVEN),
        "The ε is the largest one over all values and 'none', which is that of the rarest face.",
        instead=lambda _: max(
            printed.equation_29(UNEVEN.sampling, one) for one in UNEVEN.background
        ),
        under=f"{WHOLE}; {MAY_HOLD_NONE}, and then answers 0 if sampled",
        disputed=OF_OUTPUT_V,
    ),
    Passage(
        GUARANTEE,
        "P[3 | 1] / P[3 | 2] in round two: there is no leakage by an output that neither of two "
        "owners holds",
        Stated(1.0),
        lambda _: _third_output(),
    ),
    Passage(
        GUARANTEE,
        "least ε for 9 values divided by the least ε of the binary mechanism: the additional "
        "output reduces the leakage",
        Stated(1.0),
        lambda m: _even(m, AGES) / best_epsilon_round_two(m.sampling, 1, none=True),
        bound="at most",
        why=(
            "With more values each face is rarer, so ε is larger. At best it is ln(1 + π_s (V + "
            "1) / (1 - π_s)), if an owner may hold none of the V values."
        ),
        under="ε of round two, with the best faces; an owner may hold none of the values",
        disputed="The text speaks of leakage opportunities, and names neither an ε nor faces.",
    ),
    Passage(
        "Eq. 30",
        "ε of randomised response with 0.8 and 0.9",
        lambda _: printed.equation_30(0.8, 0.9),
        lambda _: log(JoyGerla(0.8, 0.9).law(YES)[1] / JoyGerla(0.8, 0.9).law(NO)[1]),
        under="of the answer yes, as in the line before the equation",
    ),
    Passage(
        "Eq. 30",
        "ε of randomised response with 0.8 and 0.9",
        lambda _: printed.equation_30(0.8, 0.9),
        lambda _: JoyGerla(0.8, 0.9).exact_epsilon,
        "The answer no reveals more when the second coin is above 1/2.",
        instead=lambda _: printed.equation_30(0.8, 1 - Fraction(0.9)),
        under="of the mechanism, as the sentence before the equation says",
        disputed="The line before the equation looks at the answer yes alone. So read, the "
        "equation holds, as another row says.",
    ),
    Passage(
        "section 5.2 and Fig. 3",
        "the leakage of sampling grows with the probability for the truthful response, from 0.05 "
        "to 0.65 in steps of 0.05",
        STATED,
        lambda _: _rising([printed.equation_29(k / 20, 0.3) for k in range(1, 14)]),
        under="that probability is π_s, at which an owner answers the truth in round two; ε by "
        "Eq. 29, π_V' = 0.3",
        disputed="The text fixes π_s = 0.45. Its sign for the probability that it varies, π_⊥V', "
        "may stand for the π_V' of Eq. 29, which is the probability of the value's face. So read, "
        "ε falls, as in a row of Fig. 3 (joy_fig3).",
    ),
    Passage(
        "section 4",
        "each owner answers the opposite of its truth in round two with some probability above 0, "
        "whether it holds yes or no",
        STATED,
        lambda m: fmean(m.round_two_law(truth)[1 - truth] > 0 for truth in (0, 1)),
        under="the binary mechanism",
    ),
    Passage(
        "section 5.2",
        "more noise of the second coin of randomised response is at the cost of accuracy: the "
        "error grows with the coin's probability of yes, 0.1 to 0.9",
        STATED,
        lambda _: _cost_of_privacy(),
        under="the variance of the estimate; flip1 = 0.8; 100 of 10,000 owners hold yes",
    ),
    *(
        Passage(
            "section 6",
            "as much as four times lower leakage than randomised response with 0.8 and 0.2",
            Stated(4.0),
            for_mechanism(_leakage, values),
            bound="at least",
            why=(
                "With π_s = 0.45 the face of each answer would need a probability of 0.3945 or "
                "more, and all these faces have 0.55 together. Both rounds together have no "
                "finite ε."
            ),
            under=f"the exact ε of round two, {words}, with the best faces",
            disputed=printed.AS_MUCH,
        )
        for values, words in ((1, "yes or no"), (AGES, "9 values, as for the patients by age"))
    ),
)
BY_NAME = {one.statement: one for one in PASSAGES}

EXPERIMENT = Experiment(
    summary="Numbers and formulas in the text of Sampling Privacy",
    source="Joy and Gerla, sections 1 to 6",
    trial=evaluate,
    grid=[{"statement": list(BY_NAME), "zero": [0.3], "sampling": list(SAMPLINGS[:1])}],
    measures=[Measure("value", "what is right")],
    choices=(
        "Formulas are evaluated with π_0 = 0.3 and π_s = 0.45, where a row names no others. The "
        "options --set zero=... and --set sampling=... change them.",
    ),
    quotes=[one.quote() for one in PASSAGES],
    cost=lambda _: 0.001,
)
