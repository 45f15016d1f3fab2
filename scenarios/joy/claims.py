"""What Joy and Gerla claim in their text: equations, the ε of the mechanism, and errors.

*Binary* mechanisms have the values yes and no, with π_s and π_0 in tenths; *several* have two
values besides none, with π_s, π_0 and π_1 of 1/10, 3/10 and so on. Where no other numbers are
named, π_0 is 0.3 and π_s 0.45.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from math import erf, inf, log, sqrt
from typing import Any

import numpy as np

from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.response import NO, YES, JoyGerla
from protocols.two_rounds.mechanism import TwoRounds, binary
from protocols.two_rounds.privacy import (
    aggregate_delta,
    aggregate_law,
    posterior_yes,
)
from scenarios.joy import printed
from scenarios.joy.tiny import delta_of_sums, mean_counts, ratio_of_sums
from simnet.studies.paper_claim import STATED, PaperClaim, Stated
from simnet.studies.search import Instance, Search, searched

INTRODUCTION, HOLDERS = JoyGerla(0.85, 0.3), 100
TOY = JoyGerla(Fraction(4, 5), Fraction(1, 5), Fraction(9, 20))
USUAL = binary(0.3, 0.45)
UNEVEN = TwoRounds(Fraction(9, 20), (Fraction(1, 20), Fraction(1, 5), Fraction(3, 10)), none=True)
LOCATIONS = TwoRounds.even(0.45, 9, none=True)
NOS = (100, 1900, 9900)
TENTHS = tuple(Fraction(step, 10) for step in range(1, 10))
HELD = ((1,), (1, 2), (1, 1), (1, 1, 2))
FACES = "face probabilities 0.05 for 0, 0.2 for 1, 0.3 for 2"
GUARANTEE = "section 4.4"
BINARY_OVER = "π_s and π_0 in tenths with π_s + π_0 < 1"
SEVERAL_OVER = "V = 2, π_s, π_0 and π_1 of 1/10, 3/10, ... with a sum below 1"
SEE = "`simnet claims joy --show"
Where = dict[str, Any]


def binaries() -> Iterator[tuple[Where, TwoRounds]]:
    """Yield the binary mechanisms."""
    for sampling, zero in product(TENTHS, TENTHS):
        if sampling + zero < 1:
            yield {"π_s": sampling, "π_0": zero}, binary(zero, sampling)


def several() -> Iterator[tuple[Where, TwoRounds]]:
    """Yield the mechanisms for two values and none."""
    for sampling, zero, first in product(TENTHS[::2], repeat=3):
        last = 1 - sampling - zero - first
        if last > 0:
            where = {"π_s": sampling, "π_0": zero, "π_1": first}
            yield where, TwoRounds(sampling, (zero, first, last), none=True)


def compared(
    cases: Iterable[tuple[Where, Any, Any]], over: str, numbers: str = "", *, bound: bool = False
) -> Search:
    """Search a case whose claimed and exact numbers differ or, with `bound`, whose exact number
    exceeds the claimed one.
    """

    def instances() -> Iterator[Instance]:
        for where, claimed, exact in cases:
            gap = 0.0 if claimed == exact else float(exact) - float(claimed)
            holds = (gap if bound else abs(gap)) <= 1e-12
            yield Instance(where=where, claimed=claimed, exact=exact, holds=holds)

    return searched(instances(), over, numbers)


def of_counts(which: int) -> Search:
    """Judge the expected counts of a round by Eq. 9 or 10, or the estimate of Eq. 11."""

    def cases() -> Iterator[tuple[Where, Any, Any]]:
        for where, mechanism in list(binaries())[::5]:
            for owners, yes in ((n, y) for n in (1, 2, 3) for y in range(n + 1)):
                here = {**where, "yes": yes, "no": owners - yes}
                means = mean_counts(mechanism, (1,) * yes + (0,) * (owners - yes))
                if which == 2:
                    yield here, yes, (means[1][1] - means[0][1]) / Fraction(mechanism.sampling)
                    continue
                said = printed.equations_9_and_10(mechanism, yes, owners - yes)[which]
                for answer in (0, 1):
                    yield {**here, "answer": answer}, said[answer], means[which][answer]

    return compared(cases(), "1 to 3 owners; every fifth pair of " + BINARY_OVER)


def of_values(which: int) -> Search:
    """Judge the expected counts for several values by Eq. 14 or 15, or the estimate of Eq. 16;
    every owner holds a value.
    """

    def cases() -> Iterator[tuple[Where, Any, Any]]:
        for (where, mechanism), truths in product(several(), HELD):
            yes = [truths.count(1), truths.count(2)]
            means, here = mean_counts(mechanism, truths), {**where, "truths": truths}
            if which == 2:
                for value in (1, 2):
                    gained = means[1][value] - means[0][value]
                    yield here, truths.count(value), gained / Fraction(mechanism.sampling)
                continue
            if which == 0:
                said = [float(chance) * len(truths) for chance in mechanism.background]
                said[0] = printed.equation_14_zero(mechanism, yes, 0)
            else:
                said = [printed.equation_15(mechanism, yes, 0, shown=v or 1)[v] for v in range(3)]
            for answer in range(3):
                yield {**here, "answer": answer}, said[answer], means[which][answer]

    return compared(cases(), f"{SEVERAL_OVER}; 1 to 3 owners")


def of_answers(estimate: bool) -> Search:
    """Judge the expected answers yes by Eq. 4, or the estimate of Eq. 5."""

    def cases() -> Iterator[tuple[Where, Any, Any]]:
        for sampling, first, second in product((Fraction(1, 2), Fraction(1)), TENTHS, TENTHS):
            response = JoyGerla(first, second, sampling)
            if_yes, if_no = response.exact_chances
            for yes, no in product(range(4), repeat=2):
                where = {"π_s": sampling, "π_1": first, "π_2": second, "yes": yes, "no": no}
                ones = yes * if_yes + no * if_no
                noise = sampling * (1 - first) * second * (yes + no)
                if estimate:
                    yield where, yes, (ones - noise) / (sampling * first)
                else:
                    yield where, printed.equation_4(response, yes, no), ones

    return compared(cases(), "π_s of 1/2 and 1, π_1 and π_2 in tenths, up to 3 owners of each kind")


def leak(mechanism: TwoRounds, answer: int) -> float:
    """Return the ε of one answer of round two of a binary mechanism."""
    yes, no = (mechanism.round_two_law(truth)[answer] for truth in (1, 0))
    return abs(log(yes / no))


def per_answer(formula: Callable[[TwoRounds], float], answer: int) -> Search:
    """Judge Eq. 21 or 25 for one answer of round two."""
    cases = ((where, formula(m), leak(m, answer)) for where, m in binaries())
    return compared(cases, BINARY_OVER)


def ratios(answer: int) -> Search:
    """Judge Eq. 23 or, for the answer 0, Eq. 19; Eq. 20 and 24 are their inverses."""
    formula = printed.equations_23_and_24 if answer else printed.equations_19_and_20
    return compared(
        (
            (where, formula(m)[0], m.round_two_law(1)[answer] / m.round_two_law(0)[answer])
            for where, m in binaries()
        ),
        BINARY_OVER,
    )


def of_value(log_of_it: bool) -> Search:
    """Judge Eq. 27, of which Eq. 28 is the inverse, or Eq. 29 for one output."""

    def cases() -> Iterator[tuple[Where, Any, Any]]:
        for where, mechanism in several():
            for value, other in ((1, 2), (1, 0), (2, 1)):
                here = {**where, "V'": value, "other": other}
                own, s = mechanism.background[value], mechanism.sampling
                one, two = (mechanism.round_two_law(truth)[value] for truth in (value, other))
                if log_of_it:
                    yield here, printed.equation_29(s, own), log(one / two)
                else:
                    yield here, printed.equations_27_and_28(s, own)[0], one / two

    return compared(cases(), SEVERAL_OVER)


def private_in_sum() -> Search:
    """Judge section 4.3 for the published counts of both rounds."""

    def cases() -> Iterator[tuple[Where, float, float]]:
        populations = [(n, yes) for n in (1, 2, 3) for yes in range(1, n + 1)]
        for (owners, yes), (where, mechanism) in product(populations, binaries()):
            before = aggregate_law(mechanism, yes, owners - yes)
            after = aggregate_law(mechanism, yes - 1, owners - yes + 1)
            impossible = before[:, after.shape[1] :].sum() > 0
            exact = inf if impossible else float(abs(np.log(before / after)).max())
            claimed = max(printed.equation_21(mechanism), printed.equation_25(mechanism))
            yield {"yes": yes, "no": owners - yes, **where}, claimed, exact

    numbers = "claimed is the larger ε of Eq. 21 and 25"
    return compared(cases(), f"1 to 3 owners, {BINARY_OVER}", numbers, bound=True)


def response_epsilon(most: Fraction = TENTHS[-1]) -> Search:
    """Judge the ε of Eq. 30 for second coins up to `most`."""
    return compared(
        (
            (
                {"π_1": first, "π_2": second},
                printed.equation_30(first, second),
                JoyGerla(first, second).exact_epsilon,
            )
            for first, second in product(TENTHS, TENTHS)
            if second <= most
        ),
        f"π_1 and π_2 in tenths, π_2 up to {most}",
        bound=True,
    )


def round_two(mechanism: TwoRounds) -> float:
    """Return the ε of round two: the largest one over all its answers."""
    return epsilon_of([mechanism.round_two_law(truth) for truth in mechanism.truths])


def round_one(mechanism: TwoRounds) -> float:
    """Return the ε of round one."""
    laws = []
    for truth in mechanism.truths:
        zero, *rest = mechanism.joint_law(truth)
        same, changes = rest[: mechanism.values], rest[mechanism.values :]
        laws.append([zero + sum(changes), *same])
    return epsilon_of(laws)


def noise(owners: int) -> float:
    """Return the standard deviation of the number of answers yes in the introduction."""
    return float(
        INTRODUCTION.truthful * owners * INTRODUCTION.variance(HOLDERS / owners, owners) ** 0.5
    )


def noise_formula(owners: int) -> float:
    """Return the same as the root of a sum of n p (1 - p)."""
    parts = ((HOLDERS, YES), (owners - HOLDERS, NO))
    chances = [(count, float(INTRODUCTION.law(truth)[1])) for count, truth in parts]
    return float(sum(count * p * (1 - p) for count, p in chances) ** 0.5)


def falling(numbers: Sequence[float]) -> float:
    """Return the share of steps at which numbers fall."""
    return sum(a > b for a, b in pairwise(numbers)) / (len(numbers) - 1)


def rising(numbers: Sequence[float]) -> float:
    """Return the share of steps at which numbers rise."""
    return falling([-number for number in numbers])


def asked_alone(nos: int, fixed: bool) -> float:
    """Return the variance of an estimate from sampled owners who tell the truth: 45 owners, or each
    with probability 0.45.
    """
    owners, share = HOLDERS + nos, HOLDERS / (HOLDERS + nos)
    if not fixed:
        return HOLDERS * 0.55 / 0.45
    return owners**2 / 45 * share * (1 - share) * (owners - 45) / (owners - 1)


def toy_deviation(nos: int) -> float:
    """Return the standard deviation of the estimate of Eq. 5."""
    chances = [(count, float(TOY.law(truth)[1])) for count, truth in ((HOLDERS, YES), (nos, NO))]
    variance = sum(count * p * (1 - p) for count, p in chances)
    return sqrt(variance) / float(TOY.sampling * TOY.truthful)


def cost_of_privacy() -> float:
    """Return the share of steps of the second coin at which the error of the response rises."""
    coins = (JoyGerla(0.8, coin / 10) for coin in range(1, 10))
    return rising([float(one.variance(HOLDERS / 10_000, 10_000)) for one in coins])


def advantage(mechanism: TwoRounds = USUAL) -> float:
    """Return by how much the answer 1 of round two raises the probability of yes at most."""
    priors = [k / 100 for k in range(1, 100)]
    return max(posterior_yes(mechanism, prior).round_two_one - prior for prior in priors)


def four_times(values: int) -> float:
    """Return by which factor the exact ε of round two is below that of the response, at best."""
    best = round_two(TwoRounds.even(0.45, values, none=True))
    return JoyGerla(0.8, 0.2).exact_epsilon / best


def as_printed(place: int) -> float:
    """Return Eq. 19 for 0, and Eq. 20 for 1."""
    return float(printed.equations_19_and_20(USUAL)[place])


def zeros(place: int) -> float:
    """Return the quotient of the chances of the answer 0: yes and no for 0, no and yes for 1."""
    return float(USUAL.round_two_law(1 - place)[0] / USUAL.round_two_law(place)[0])


CLAIMS: Sequence[PaperClaim] = (
    PaperClaim(
        "Introduction, 0.8",
        "section 1",
        "The number by which the sum of answers, less its mean noise, is divided",
        lambda: 0.8,
        lambda: float(INTRODUCTION.law(YES)[1] - INTRODUCTION.law(NO)[1]),
        correction="It is flip1 = 0.85.",
        instead=lambda: float(INTRODUCTION.truthful),
        check="by hand: P(yes | yes) - P(yes | no) = 0.85",
    ),
    PaperClaim(
        "Introduction, 0.51",
        "section 1, footnote 1",
        "Share of the owners who hold the value (60 %) and tell the truth, flip1 = 0.85",
        "0.51",
        lambda: 0.6 * float(INTRODUCTION.truthful),
    ),
    PaperClaim(
        "Introduction, 0.045",
        "section 1, footnote 1",
        "Probability of yes by the second coin, flip1 = 0.85 and flip2 = 0.3",
        "0.045",
        lambda: float(INTRODUCTION.law(NO)[1]),
    ),
    *(
        PaperClaim(
            f"Introduction, {text}",
            "section 1, footnote 2",
            f"Standard deviation of the number of answers yes, {owners:,} owners of whom 100 "
            "hold yes",
            text,
            partial(noise, owners),
            correction="The footnote's √(n p) lacks the factor 1 - p." if text == "212" else "",
            instead=partial(noise_formula, owners) if text == "212" else None,
            why="Of the estimate, which is divided by flip1, it is 17.6 % larger.",
            check="by hand: √(10⁶ · 0.045 · 0.955)" if text == "212" else "",
        )
        for owners, text in ((10_000, "21"), (10**6, "212"))
    ),
    *(
        PaperClaim(
            f"Introduction, {text}",
            "section 1",
            f"Probability of a Gaussian number within {words} standard deviations of the mean",
            text,
            partial(lambda k: erf(k / sqrt(2)), deviations),
            bound="at least",
            why="By its words, 'away from the expected value', the text names the opposite event.",
        )
        for words, deviations, text in (("two", 2.0, "0.95"), ("three", 3.0, "0.99"))
    ),
    PaperClaim(
        "Sampling alone",
        "section 2",
        "With sampling alone the estimate of the 100 who hold yes degrades as owners who hold no "
        "are added",
        STATED,
        lambda: rising([asked_alone(nos, fixed=False) for nos in NOS]),
        condition="It holds if a fixed number of owners is sampled, however many there are.",
        under=lambda: rising([asked_alone(nos, fixed=True) for nos in NOS]),
        why="If each owner is sampled with the same probability, those who hold no add no noise.",
    ),
    PaperClaim(
        "Population and privacy",
        "section 1",
        "As the population grows, privacy gets stronger",
        STATED,
        lambda: falling([float(ratio_of_sums(USUAL, 2, n - 2)) for n in (4, 8, 16)]),
        condition="It holds of δ at a small ε: of the count of ones at ε = 0.1, of both sums at "
        "0.5.",
        under=lambda: min(
            falling([delta_of_sums(USUAL, 0.1, 2, n - 2) for n in (4, 16, 256)]),
            falling([aggregate_delta(USUAL, 0.5, 5, no) for no in (0, 20, 200)]),
        ),
        why="The ε of the count is that of one owner's answer, whatever the population.",
    ),
    PaperClaim(
        "Eq. 4",
        "Eq. 4",
        "Sampled randomised response has π_s π_1 yes + π_s (1 - π_1) π_2 (yes + no) ones on "
        "average",
        law=partial(of_answers, estimate=False),
        proved=True,
    ),
    PaperClaim(
        "Eq. 5",
        "Eq. 5",
        "The estimator of sampled randomised response is unbiased",
        law=partial(of_answers, estimate=True),
        proved=True,
    ),
    PaperClaim(
        "Eq. 5, error",
        "section 3.3",
        "The error of Eq. 5 grows as owners who hold no are added",
        law=lambda: rising([toy_deviation(nos) for nos in NOS]),
    ),
    PaperClaim(
        "A majority",
        "section 4",
        "With a sampling parameter of 45 % or 25 % a majority of the owners provides noise",
        Stated(0.5),
        lambda: 1 - 0.45,
        bound="at least",
    ),
    PaperClaim(
        "Number of owners",
        "section 3.1",
        "The exact number of owners is not released",
        STATED,
        lambda: 0.0,
        condition="It holds if the count of one answer is kept back: the counts of all answers "
        "of a round, which section 4 releases, add up to the number of owners.",
        under=lambda: 1.0,
        check="by hand: Eq. 9: the two counts of round one add up to yes + no",
    ),
    PaperClaim(
        "Inference advantage",
        "section 3.1",
        "An adversary does not gain an inference advantage of greater than 50 %: by how much "
        "answers raise the probability of yes",
        "0.5",
        lambda: posterior_yes(USUAL, 0.05).both_rounds_0_then_1 - 0.05,
        bound="at most",
        condition="It holds if round one is not seen, for π_0 up to 0.494 (here 0.3): then 0.25.",
        under=advantage,
        why="An owner who answers 0 and then 1 was sampled and holds yes: 5 % becomes 100 %.",
        check="by hand: only a sampled owner changes its answer",
    ),
    PaperClaim(
        "Eq. 9",
        "Eq. 9",
        "In round one (π_0 + π_s) n of n owners answer 0 on average, and the others 1",
        law=partial(of_counts, 0),
        proved=True,
    ),
    PaperClaim(
        "Eq. 10",
        "Eq. 10",
        "In round two π_0 n + π_s n_no of n owners answer 0 on average",
        law=partial(of_counts, 1),
        proved=True,
    ),
    PaperClaim(
        "Eq. 11",
        "Eq. 11",
        "The estimator of the binary mechanism is unbiased",
        law=partial(of_counts, 2),
        proved=True,
    ),
    PaperClaim(
        "Sampling error",
        "section 4.1",
        "The sampling error is solely that of the holders of yes: the probability that another "
        "owner changes the difference of the counts",
        Stated(0.0),
        lambda: float(sum(USUAL.joint_law(0)[1 + USUAL.values :])),
        why="Owners keep the face of round one.",
    ),
    PaperClaim(
        "Outputs",
        "section 4.2",
        "For V values there are V + 2 outputs (9 locations)",
        "11",
        lambda: float(len(LOCATIONS.round_one_law)),
        correction="There are V + 1 outputs and V + 2 faces of the die; the paper exchanges them.",
        instead=lambda: 10.0,
        check="by hand: the text's own example has 10 outputs for 9 locations",
    ),
    PaperClaim(
        "Eq. 12",
        "Eqs. 12 and 13",
        f"Probability of the face of the last value, V = 2; {FACES}",
        lambda: float(printed.equation_12_last([*UNEVEN.background, UNEVEN.sampling])),
        lambda: float(UNEVEN.background[-1]),
        correction="The last line must not subtract π_V itself.",
        instead=lambda: float(1 - sum(UNEVEN.background[:-1]) - Fraction(UNEVEN.sampling)),
        check="by hand: 1 - Σ π_v - π_s is 0",
    ),
    PaperClaim(
        "Eq. 14",
        "Eq. 14",
        "In round one π_0 n + π_s Σ yes_v owners answer 0 on average, and π_v n answer v",
        law=partial(of_values, 0),
        proved=True,
        why="Every owner holds a value. If some hold none, (π_0 + π_s) n answer 0.",
    ),
    PaperClaim(
        "Eq. 15",
        "Eq. 15",
        "In round two π_v n + π_s yes_v owners answer v on average",
        law=partial(of_values, 1),
        proved=True,
        why="The line of V' stands for every value in turn.",
    ),
    PaperClaim(
        "Eq. 16",
        "Eq. 16",
        "The estimator of the mechanism for several values is unbiased",
        law=partial(of_values, 2),
        proved=True,
    ),
    PaperClaim(
        "Section 4.3",
        "section 4.3",
        "The Sampling Privacy mechanism satisfies differential privacy",
        law=private_in_sum,
        correction="Round two alone has a finite ε, the larger of Eq. 21 and 25.",
        why="The difference of the two published counts is Bin(yes, π_s), so that no ε is "
        "finite; of an owner's two answers δ is π_s = 0.45 at every ε, and of the counts 0.2025 "
        "with 2 of 12.",
        check="by hand: an owner who answers 0, then 1 holds yes; the published counts differ by "
        "Bin(yes, π_s)",
        top="The two rounds together have no finite ε (section 4.3).",
    ),
    PaperClaim(
        "Round one",
        GUARANTEE,
        "There is no privacy leakage in round one: its ε",
        Stated(0.0),
        lambda: round_one(USUAL),
    ),
    *(
        PaperClaim(
            f"Eq. {number}",
            f"Eq. {number}",
            f"P[0 | {one}] / P[0 | {other}] in round two",
            partial(as_printed, place),
            partial(zeros, place),
            correction="Eqs. 19 and 20 are exchanged.",
            instead=partial(as_printed, 1 - place),
            check="by hand: an owner who holds no answers 0 with π_0 + π_s, another with π_0",
        )
        for place, (number, one, other) in enumerate(((19, "yes", "no"), (20, "no", "yes")))
    ),
    PaperClaim(
        "Eq. 21",
        "Eq. 21",
        "The answer 0 of round two has ε = ln((π_0 + π_s)/π_0)",
        law=partial(per_answer, printed.equation_21, 0),
        proved=True,
        why="The ε of round two is the larger one of Eq. 21 and 25.",
    ),
    PaperClaim(
        "Eqs. 23 and 24",
        "Eqs. 23 and 24",
        "P[1 | yes] / P[1 | no] in round two is (1 - π_0)/(1 - π_0 - π_s), and its inverse",
        law=partial(ratios, 1),
        proved=True,
    ),
    PaperClaim(
        "Eq. 25",
        "Eqs. 22 and 25",
        "The answer 1 of round two has ε = ln((1 - π_0)/(1 - π_0 - π_s))",
        law=partial(per_answer, printed.equation_25, 1),
        proved=True,
        why="With π_0 = 0.1 and π_s = 0.25 it is 0.325, and the ε of round two 1.253.",
    ),
    PaperClaim(
        "Eqs. 27 and 28",
        "Eqs. 27 and 28",
        "P[V' | V'] / P[V' | another value] in round two is (π_V' + π_s)/π_V', and its inverse",
        law=partial(of_value, log_of_it=False),
        proved=True,
    ),
    PaperClaim(
        "Eq. 29",
        "Eqs. 26 and 29",
        "The output V' of round two has ε = ln((π_V' + π_s)/π_V')",
        law=partial(of_value, log_of_it=True),
        proved=True,
    ),
    PaperClaim(
        "Eq. 29, only leakage",
        GUARANTEE,
        "The only leakage is by the output V' of an owner who holds V': the ε of round two; "
        f"{FACES}",
        lambda: printed.equation_29(UNEVEN.sampling, UNEVEN.background[-1]),
        lambda: round_two(UNEVEN),
        correction="It is the largest ε over all values and none, that of the rarest face.",
        instead=lambda: max(printed.equation_29(UNEVEN.sampling, one) for one in UNEVEN.background),
        why="If every owner holds a value, it is 1.179.",
        check="by hand: ln(1 + 0.45/0.05) for the answer 0 of owners without a value, against "
        "ln(1 + 0.45/0.3)",
        top="The ε of round two is not Eq. 29's for V', but that of the rarest face.",
    ),
    PaperClaim(
        "No leakage",
        GUARANTEE,
        "There is no leakage by an output that neither of two owners holds: the quotient",
        Stated(1.0),
        lambda: float(
            TwoRounds.even(0.45, 3, none=True).round_two_law(1)[3]
            / TwoRounds.even(0.45, 3, none=True).round_two_law(2)[3]
        ),
    ),
    PaperClaim(
        "Eq. 30",
        "Eq. 30",
        "Randomised response has ε = ln((π_1 + (1 - π_1) π_2)/((1 - π_1) π_2))",
        law=response_epsilon,
        condition="It holds for π_2 up to 1/2. Above, the answer no reveals more: with 0.8 and "
        "0.9 ε is 3.714, and not 1.695.",
        under=partial(response_epsilon, Fraction(1, 2)),
        check="`simnet mechanism joy-gerla --truthful 0.1 --yes 0.6`",
        top="Eq. 30 is too small where the second coin is above 1/2.",
    ),
    PaperClaim(
        "Truthful response",
        "section 5.2, Fig. 3",
        "The leakage of sampling grows with the probability for the truthful response, π_s; by "
        "Eq. 29",
        law=lambda: rising([printed.equation_29(k / 20, 0.3) for k in range(1, 14)]),
        why="If π_V', the face of the value, were meant, ε would fall with every step.",
    ),
    PaperClaim(
        "Opposite answers",
        "section 4",
        "Each owner answers the opposite of its truth in round two with some probability",
        law=lambda: min(float(USUAL.round_two_law(t)[1 - t] > 0) for t in (0, 1)),
    ),
    PaperClaim(
        "Cost of privacy",
        "section 5.2",
        "More noise of the second coin of randomised response is at the cost of accuracy",
        law=cost_of_privacy,
    ),
    PaperClaim(
        "Four times",
        "section 6, Fig. 3",
        "As much as four times lower leakage than randomised response with 0.8 and 0.2",
        Stated(4.0),
        lambda: four_times(1),
        bound="at least",
        condition="It holds by the paper's formulas: Eq. 30 at 0.2 is 4.74 times Eq. 29 at 0.5.",
        under=lambda: printed.equation_30(0.8, 0.2) / printed.equation_29(0.45, 0.5),
        why="By the exact ε of round two it is at most 3.14 times for yes and no, and 1.37 times "
        "for 9 values; both rounds have no finite ε.",
        check='`simnet claims joy --show "Four times"`',
        top="The leakage is not four times lower: 3.14 times at best, by round two alone.",
    ),
)
