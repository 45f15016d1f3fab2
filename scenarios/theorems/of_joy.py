"""The numbered statements of Joy and Gerla, and how each is judged.

The paper numbers no theorem. This module lists its only definition, which is not judged, most of
its equations, and the claim of section 4.3. Most probabilities are fractions. Means of counts of
the two rounds come from playing out every outcome of the owners' dice. The module
`scenarios.joy.printed` explains the letters.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import inf, log

import numpy as np

from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.mechanism import TwoRounds, binary
from protocols.two_rounds.privacy import aggregate_law
from scenarios.joy.printed import (
    equation_12_last,
    equation_14_zero,
    equation_15,
    equation_21,
    equation_25,
    equation_29,
    equation_30,
    equations_19_and_20,
)
from scenarios.joy.tiny import mean_counts
from scenarios.theorems.theorem import (
    PAGE,
    Finding,
    Instance,
    Reading,
    Theorem,
    definition,
    one,
    searched,
)

TENTHS = tuple(Fraction(step, 10) for step in range(1, 10))
SLACK = 1e-12


def _binary() -> Iterator[tuple[dict[str, object], TwoRounds]]:
    for sampling, zero in product(TENTHS, TENTHS):
        if sampling + zero < 1:
            yield {"π_s": sampling, "π_0": zero}, binary(zero, sampling)


OVER_BINARY = "π_s and π_0 in tenths with π_s + π_0 < 1, searched in this order"


def _truths() -> Iterator[tuple[int, ...]]:
    for owners in (1, 2, 3):
        for yes in range(owners + 1):
            yield (1,) * yes + (0,) * (owners - yes)


def _counts(which: int, symbols: tuple[int, ...]) -> Iterator[Instance]:
    """Yield instances of Eq. 9 (`which` 0) or 10 (1): mean counts of symbols in a round."""
    for where, mechanism in list(_binary())[::5]:
        zero, sampling = Fraction(mechanism.background[0]), Fraction(mechanism.sampling)
        for truths in _truths():
            owners, yes = len(truths), sum(truths)
            gain = yes if which else 0
            printed = (
                zero * owners + sampling * (owners - gain),
                (1 - zero - sampling) * owners + sampling * gain,
            )
            means = mean_counts(mechanism, truths)[which]
            for symbol in symbols:
                yield Instance(
                    where={**where, "yes": yes, "no": owners - yes, "output": symbol},
                    claimed=printed[symbol],
                    exact=means[symbol],
                    holds=printed[symbol] == means[symbol],
                )


OVER_COUNTS = (
    "1 to 3 owners and every fifth pair of π_s and π_0 in tenths with π_s + π_0 < 1, 8 of 36; all "
    "throws are played out"
)


MEAN = "claimed is the number of holders, and exact is the mean of its estimate"


def _equation_9() -> Finding:
    return searched(_counts(0, (0, 1)), OVER_COUNTS, proof=PAGE)


def _equation_10() -> Finding:
    return searched(_counts(1, (0, 1)), OVER_COUNTS, proof=PAGE)


def _equation_11() -> Finding:
    def instances() -> Iterator[Instance]:
        for where, mechanism in list(_binary())[::5]:
            for truths in _truths():
                first, second = mean_counts(mechanism, truths)
                exact = (second[1] - first[1]) / Fraction(mechanism.sampling)
                yield Instance(
                    where={**where, "yes": sum(truths), "no": len(truths) - sum(truths)},
                    claimed=Fraction(sum(truths)),
                    exact=exact,
                    holds=exact == sum(truths),
                )

    return searched(instances(), OVER_COUNTS, MEAN, proof=PAGE)


ANSWERS = tuple(product(TENTHS, TENTHS))  # π_1 and π_2
OVER_ANSWERS = "π_1 and π_2 in tenths, searched in this order"


def _of_answers(estimate: bool) -> Finding:
    """Judge Eq. 4, the mean number of ones, or with `estimate` Eq. 5, the mean of the estimate."""

    def instances() -> Iterator[Instance]:
        for sampling, (truthful, yes_coin) in product((Fraction(1, 2), Fraction(1)), ANSWERS):
            if_yes, if_no = JoyGerla(truthful, yes_coin, sampling).exact_chances
            for yes, no in product(range(4), repeat=2):
                ones = yes * if_yes + no * if_no
                noise = sampling * (1 - truthful) * yes_coin * (yes + no)
                claimed = Fraction(yes) if estimate else sampling * truthful * yes + noise
                exact = (ones - noise) / (sampling * truthful) if estimate else ones
                yield Instance(
                    where={
                        "π_s": sampling,
                        "π_1": truthful,
                        "π_2": yes_coin,
                        "yes": yes,
                        "no": no,
                    },
                    claimed=claimed,
                    exact=exact,
                    holds=claimed == exact,
                )

    held = "up to 3 owners who hold yes, and up to 3 who hold no"
    over = f"π_s = 1/2 and 1, {OVER_ANSWERS}; {held}"
    return searched(instances(), over, MEAN if estimate else "", proof=PAGE)


def _equation_4() -> Finding:
    return _of_answers(estimate=False)


def _equation_5() -> Finding:
    return _of_answers(estimate=True)


def _several() -> Iterator[tuple[dict[str, object], TwoRounds]]:
    for sampling, zero, first in product(TENTHS[::2], TENTHS[::2], TENTHS[::2]):
        last = 1 - sampling - zero - first
        if last > 0:
            mechanism = TwoRounds(sampling, (zero, first, last), none=True)
            yield {"π_s": sampling, "π_0": zero, "π_1": first, "π_2": last}, mechanism


OVER_SEVERAL = (
    "V = 2 values, π_s, π_0 and π_1 = 1/10, 3/10, ... with a sum below 1, searched in this order"
)
HELD = ((1,), (1, 2), (1, 1), (1, 1, 2), (0,), (0, 1))  # truths of the owners; 0 is no value


def _equation_12() -> Finding:
    def instances() -> Iterator[Instance]:
        for where, mechanism in _several():
            printed = equation_12_last((*mechanism.background, mechanism.sampling))
            exact = Fraction(mechanism.background[-1])
            yield Instance(where=where, claimed=printed, exact=exact, holds=printed == exact)

    return searched(instances(), OVER_SEVERAL)


def _rounds(which: int) -> Iterator[Instance]:
    """Yield instances of Eq. 14 (for `which` 0) or Eq. 15 (for `which` 1): the mean counts of one
    round.
    """
    for where, mechanism in _several():
        for truths in HELD:
            yes, none = [truths.count(1), truths.count(2)], truths.count(0)
            means = mean_counts(mechanism, truths)[which]
            if which:
                printed = equation_15(mechanism, yes, none, shown=1)
            else:
                printed = [float(chance) * len(truths) for chance in mechanism.background]
                printed[0] = equation_14_zero(mechanism, yes, none)
            for symbol, (claimed, exact) in enumerate(zip(printed, means, strict=True)):
                yield Instance(
                    where={**where, "truths": truths, "output": symbol},
                    claimed=claimed,
                    exact=exact,
                    holds=abs(claimed - float(exact)) <= SLACK,
                )


def _rounds_among(which: int, truths: tuple[int, ...], words: str) -> Finding:
    chosen = (
        instance for instance in _rounds(which) if set(truths).issuperset(instance.where["truths"])
    )
    return searched(
        chosen,
        f"{OVER_SEVERAL}; {words}; all throws are played out",
        proof=None if 0 in truths else PAGE,
    )


OWNERS = "owners who hold (1), (1, 2), (1, 1), (1, 1, 2), (none), (none, 1), searched in this order"


def _equation_14() -> Finding:
    return _rounds_among(0, (0, 1, 2), OWNERS)


def _equation_14_listed() -> Finding:
    return _rounds_among(
        0, (1, 2), "owners who hold (1), (1, 2), (1, 1), (1, 1, 2), searched in this order"
    )


def _equation_15() -> Finding:
    return _rounds_among(1, (0, 1, 2), f"{OWNERS}; V' is 1")


def _equation_15_of_one() -> Finding:
    return _rounds_among(1, (1,), "one or two owners who hold V' = 1")


def _equation_16() -> Finding:
    def instances() -> Iterator[Instance]:
        for (where, mechanism), truths in product(_several(), HELD):
            first, second = mean_counts(mechanism, truths)
            for value in (1, 2):
                exact = (second[value] - first[value]) / Fraction(mechanism.sampling)
                held = truths.count(value)
                yield Instance(
                    where={**where, "truths": truths, "V'": value},
                    claimed=Fraction(held),
                    exact=exact,
                    holds=exact == held,
                )

    return searched(instances(), f"{OVER_SEVERAL}; {OWNERS}", MEAN, proof=PAGE)


def _ratio(symbol: int, inverse: bool) -> Iterator[Instance]:
    """Yield P[symbol | yes] / P[symbol | no] in round two as printed, or its inverse."""
    for where, mechanism in _binary():
        zero, sampling = Fraction(mechanism.background[0]), Fraction(mechanism.sampling)
        if symbol == 0:
            claimed = Fraction(equations_19_and_20(mechanism)[inverse])
        else:
            claimed = (1 - zero) / (1 - zero - sampling)
            claimed = 1 / claimed if inverse else claimed
        exact = mechanism.round_two_law(1)[symbol] / mechanism.round_two_law(0)[symbol]
        exact = 1 / exact if inverse else exact
        yield Instance(where=where, claimed=claimed, exact=exact, holds=claimed == exact)


def _leak(symbol: int) -> Iterator[Instance]:
    """Yield the ε of output 0 of round two by Eq. 21, or of output 1 by Eq. 25, and the exact ε."""
    for where, mechanism in _binary():
        claimed = (equation_25 if symbol else equation_21)(mechanism)
        yes, no = (mechanism.round_two_law(truth)[symbol] for truth in (1, 0))
        exact = abs(log(yes / no))
        yield Instance(
            where=where, claimed=claimed, exact=exact, holds=abs(claimed - exact) <= SLACK
        )


def _leak_of_all(symbol: int) -> Iterator[Instance]:
    """Yield instances of Eq. 21 (for `symbol` 0) or Eq. 25 (for `symbol` 1): the ε by the equation,
    and the larger one of the exact ε of the two outputs.
    """
    for one_output, other in zip(_leak(symbol), _leak(1 - symbol), strict=True):
        exact = max(float(each.exact or 0) for each in (one_output, other))
        claimed = float(one_output.claimed or 0)
        yield Instance(
            where=one_output.where, claimed=claimed, exact=exact, holds=exact <= claimed + SLACK
        )


def _equation_21() -> Finding:
    return searched(_leak(0), OVER_BINARY, proof=PAGE)


def _equation_21_of_all() -> Finding:
    return searched(_leak_of_all(0), OVER_BINARY)


def _equation_25() -> Finding:
    return searched(_leak(1), OVER_BINARY, proof=PAGE)


def _equation_25_of_all() -> Finding:
    return searched(_leak_of_all(1), OVER_BINARY)


def _equation_19() -> Finding:
    return searched(_ratio(0, inverse=False), OVER_BINARY)


def _equation_20() -> Finding:
    return searched(_ratio(0, inverse=True), OVER_BINARY)


def _equation_23() -> Finding:
    return searched(_ratio(1, inverse=False), OVER_BINARY, proof=PAGE)


def _equation_24() -> Finding:
    return searched(_ratio(1, inverse=True), OVER_BINARY, proof=PAGE)


def _ratio_of_value(inverse: bool) -> Finding:
    def instances() -> Iterator[Instance]:
        for where, mechanism in _several():
            for value, other in ((1, 2), (1, 0), (2, 1)):
                sampling, own = Fraction(mechanism.sampling), Fraction(mechanism.background[value])
                claimed = own / (own + sampling) if inverse else (own + sampling) / own
                if_own, if_other = (
                    mechanism.round_two_law(truth)[value] for truth in (value, other)
                )
                exact = if_other / if_own if inverse else if_own / if_other
                yield Instance(
                    where={**where, "V'": value, "other truth": other},
                    claimed=claimed,
                    exact=exact,
                    holds=claimed == exact,
                )

    return searched(instances(), OVER_SEVERAL, proof=PAGE)


def _equation_27() -> Finding:
    return _ratio_of_value(inverse=False)


def _equation_28() -> Finding:
    return _ratio_of_value(inverse=True)


def _equation_29(of_all: bool) -> Finding:
    """Judge Eq. 29 as the ε of the output V' or, with `of_all`, as the ε of all outputs."""

    def instances() -> Iterator[Instance]:
        for where, mechanism in _several():
            laws = [mechanism.round_two_law(truth) for truth in (0, 1, 2)]
            leaks = [log(max(column) / min(column)) for column in zip(*laws, strict=True)]
            for value in (1, 2):
                claimed = equation_29(mechanism.sampling, mechanism.background[value])
                exact = max(leaks) if of_all else leaks[value]
                yield Instance(
                    where={**where, "V'": value},
                    claimed=claimed,
                    exact=exact,
                    holds=exact <= claimed + SLACK if of_all else abs(exact - claimed) <= SLACK,
                )

    return searched(instances(), OVER_SEVERAL, proof=None if of_all else PAGE)


def _equation_30(all_coins: bool) -> Finding:
    """Judge Eq. 30 for every π_2, or without `all_coins` for π_2 up to 1/2."""

    def instances() -> Iterator[Instance]:
        for truthful, yes in ANSWERS:
            if all_coins or yes <= Fraction(1, 2):
                claimed = equation_30(truthful, yes)
                exact = JoyGerla(truthful, yes).exact_epsilon
                yield Instance(
                    where={"π_1": truthful, "π_2": yes},
                    claimed=claimed,
                    exact=exact,
                    holds=exact <= claimed + SLACK,
                )

    over = OVER_ANSWERS if all_coins else f"{OVER_ANSWERS}, with π_2 <= 1/2"
    return searched(instances(), over, proof=None if all_coins else PAGE)


def _private(both_rounds: bool) -> Finding:
    """Judge whether an owner's answers have at most the larger ε of Eqs. 21 and 25: the answers of
    both rounds, or that of round two alone.
    """

    def instances() -> Iterator[Instance]:
        for where, mechanism in _binary():
            rows = [
                mechanism.joint_law(truth) if both_rounds else mechanism.round_two_law(truth)
                for truth in (1, 0)
            ]
            exact = max(
                inf if (yes == 0) != (no == 0) else abs(log(yes / no)) if yes else 0.0
                for yes, no in zip(*rows, strict=True)
            )
            claimed = max(equation_21(mechanism), equation_25(mechanism))
            yield Instance(
                where=where, claimed=claimed, exact=exact, holds=exact <= claimed + SLACK
            )

    return searched(instances(), OVER_BINARY, LARGER, proof=None if both_rounds else PAGE)


LARGER = "claimed is the larger ε of Eqs. 21 and 25, and exact is the ε of what is seen"
POPULATIONS = [(owners, yes) for owners in (1, 2, 3) for yes in range(1, owners + 1)]


def _private_in_sum() -> Finding:
    """Judge whether the exact counts of both rounds have at most the larger ε of Eqs. 21 and 25, if
    one owner who holds yes holds no instead.
    """

    def instances() -> Iterator[Instance]:
        for (owners, yes), (where, mechanism) in product(POPULATIONS, _binary()):
            before = aggregate_law(mechanism, yes, owners - yes)
            after = aggregate_law(mechanism, yes - 1, owners - yes + 1)
            # All `yes` holders sampled: with a holder less, this outcome is impossible.
            impossible = before[:, after.shape[1] :].sum() > 0
            exact = inf if impossible else float(abs(np.log(before / after)).max())
            claimed = max(equation_21(mechanism), equation_25(mechanism))
            yield Instance(
                where={"yes": yes, "no": owners - yes, **where},
                claimed=claimed,
                exact=exact,
                holds=exact <= claimed + SLACK,
            )

    return searched(instances(), f"1 to 3 owners, {OVER_BINARY}", LARGER)


TEXT = "simnet reproduce joy_text"


def _equation(number: str, statement: str, *readings: Reading, command: str = "") -> Theorem:
    return Theorem(
        paper="joy",
        kind="Equation",
        number=number,
        statement=statement,
        readings=readings,
        command=command,
    )


PER_OUTPUT = "the ε of this output alone, as the paper introduces it"
OF_MECHANISM = "the ε of the whole of round two"

THEOREMS = (
    definition("joy", "4.1", "ε-differential privacy, for data sets that differ in one record."),
    _equation(
        "4",
        "Sampled randomised response has π_s π_1 yes + π_s (1 - π_1) π_2 (yes + no) ones; yes and "
        "no are how many owners hold yes and how many hold no.",
        *one(_equation_4, "on average"),
    ),
    _equation("5", "The estimator of sampled randomised response is unbiased.", *one(_equation_5)),
    _equation(
        "9",
        "In round one, (π_0 + π_s) n of n owners answer 0 on average, and the others answer 1.",
        *one(_equation_9),
    ),
    _equation(
        "10",
        "In round two, π_0 n + π_s n_no of n owners answer 0 on average; n_no is how many hold no.",
        *one(_equation_10),
    ),
    _equation("11", "The estimator of the binary mechanism is unbiased.", *one(_equation_11)),
    _equation(
        "12",
        "Round one answers V with probability 1 - π_0 - π_1 - ... - π_V - π_s (also Eq. 13).",
        *one(_equation_12),
        command=TEXT,
    ),
    _equation(
        "14",
        "In round one, π_0 n + π_s Σ yes_v of n owners answer 0 on average, and π_v n answer v.",
        Reading(under="every owner holds one of the values", judge=_equation_14_listed),
        Reading(under="an owner may hold none of the values", judge=_equation_14),
        command=TEXT,
    ),
    _equation(
        "15",
        "In round two, π_v n of n owners answer v on average. For one value V', and for no other, "
        "π_s yes_V' more owners do, where yes_V' owners hold V'.",
        Reading(under="owners may hold other values or none", judge=_equation_15),
        Reading(under="every owner holds V'", judge=_equation_15_of_one),
        command=TEXT,
    ),
    _equation(
        "16", "The estimator of the mechanism for several values is unbiased.", *one(_equation_16)
    ),
    _equation(
        "19",
        "In round two, P[0 | yes] / P[0 | no] = (π_0 + π_s) / π_0.",
        *one(_equation_19),
        command=TEXT,
    ),
    _equation(
        "20",
        "In round two, P[0 | no] / P[0 | yes] = π_0 / (π_0 + π_s).",
        *one(_equation_20),
        command=TEXT,
    ),
    _equation(
        "21",
        "The output 0 of round two has ε = ln((π_0 + π_s) / π_0).",
        Reading(under=PER_OUTPUT, judge=_equation_21),
        Reading(under=OF_MECHANISM, judge=_equation_21_of_all),
        command=TEXT,
    ),
    _equation(
        "23",
        "In round two, P[1 | yes] / P[1 | no] = (1 - π_0) / (1 - π_0 - π_s).",
        *one(_equation_23),
    ),
    _equation(
        "24",
        "In round two, P[1 | no] / P[1 | yes] = (1 - π_0 - π_s) / (1 - π_0).",
        *one(_equation_24),
    ),
    _equation(
        "25",
        "The output 1 of round two has ε = ln((1 - π_0) / (1 - π_0 - π_s)).",
        Reading(under=PER_OUTPUT, judge=_equation_25),
        Reading(under=OF_MECHANISM, judge=_equation_25_of_all),
        command=TEXT,
    ),
    _equation(
        "27",
        "In round two, P[V' | truth V'] / P[V' | another truth] = (π_V' + π_s) / π_V'.",
        *one(_equation_27),
    ),
    _equation(
        "28", "In round two, the inverse of Eq. 27 is π_V' / (π_V' + π_s).", *one(_equation_28)
    ),
    _equation(
        "29",
        "The output V' of round two has ε = ln((π_V' + π_s) / π_V').",
        Reading(under=PER_OUTPUT, judge=lambda: _equation_29(of_all=False)),
        Reading(under=OF_MECHANISM, judge=lambda: _equation_29(of_all=True)),
        command="simnet reproduce joy_fig3",
    ),
    _equation(
        "30",
        "Randomised response has ε = ln((π_1 + (1 - π_1) π_2) / ((1 - π_1) π_2)).",
        Reading(under="every π_2", judge=lambda: _equation_30(all_coins=True)),
        Reading(under="π_2 <= 1/2", judge=lambda: _equation_30(all_coins=False)),
        command="simnet mechanism joy-gerla --truthful 0.8 --yes 0.9",
    ),
    Theorem(
        paper="joy",
        kind="Section",
        number="4.3",
        statement="The Sampling Privacy mechanism satisfies differential privacy.",
        readings=(
            Reading(
                under="only the exact counts of both rounds are released, as section 4 assumes",
                judge=_private_in_sum,
            ),
            Reading(
                under="both answers of an owner are seen", judge=lambda: _private(both_rounds=True)
            ),
            Reading(
                under="the answer of round two alone is seen, as section 4.4 computes",
                judge=lambda: _private(both_rounds=False),
            ),
        ),
        command="simnet reproduce joy_text",
    ),
)
