"""The law of the value of one door, found by calling its function with every outcome of its coins.

Theory of operation. A door's function is a pure function of the values behind its arguments and of
discrete coins. We fix the values, and find the law of the result by playing every tape of coins
(`simnet.coins.tape`). Four things need care:

- *Too many outcomes.* For example, 30 items have 86 million subsets of 12 items. A `CallBudget`
  limits the number of calls. If a coin has more outcomes than there are calls left, we refuse the
  function before the coin is played.
- *Infinitely many outcomes*: we refuse reals, and integers of the discrete Gaussian, the discrete
  Laplace and the Skellam law.
- *A refusal.* The function may raise an error for some values or coins. We count this as an
  outcome, named `REFUSED`.
- *Values that cannot be compared*: we refuse a function that returns such a value. We also refuse a
  function whose value changes from call to call, if we notice this: we play the first tape twice.

Example. A voter with vote 2 tells the truth with probability 3/4:

>>> def noisy(vote, coins):
...     return vote if coins.bernoulli(0.75) else 3 - vote
>>> law = law_of_calls(lambda coins: noisy(2, coins), CallBudget(100))
>>> {value: str(chance) for (_, value), chance in sorted(law.items(), key=str)}
{1: '1/4', 2: '3/4'}
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins, Probability
from simnet.coins.law import Law
from simnet.coins.tape import Outcome, Tape, TapeDiscrete, TapeEnd, TapeField
from simnet.doors.plain_keys import NoKey, key_of

REFUSED = "refused"  # This outcome means: the function of a door raised an error.
# This outcome means: the function returned a value, and the value is not disclosed.
ACCEPTED = "accepted"

# One path of coin outcomes gives only an estimate of the number of paths, because paths may have
# different lengths. We refuse a function if the estimate exceeds the number of calls that are left
# by more than this factor.
CERTAINLY_TOO_MANY = 100


class NotEnumerable(BaseException):
    """Raised if the law of a door, or of several doors, cannot be found. The text says why.

    The error is a `BaseException`, because a function's own `except Exception` must not catch it.
    """


class CallBudget:
    """Counts the calls that may still be made: `left`."""

    def __init__(self, calls: int) -> None:
        self.whole = calls
        self.left = calls

    def spend(self) -> None:
        """Count a call. Raises `NotEnumerable` if no call is left."""
        self.check(1)
        self.left -= 1

    def check(self, calls: int) -> None:
        """Raise `NotEnumerable` if fewer than `calls` calls are left."""
        if calls > self.left:
            raise NotEnumerable("to try all values of arguments and coins takes too many calls")


class _FiniteCoins(TapeDiscrete):
    """Coins that play a tape. They refuse a draw with too many outcomes before these are listed."""

    def __init__(self, tape: Tape, budget: CallBudget) -> None:
        super().__init__(tape)
        self._budget = budget

    def on(self, tape: Tape) -> "_FiniteCoins":
        # With a budget of its own, so that equal calls stay equal when the budget shrinks.
        return _FiniteCoins(tape, CallBudget(self._budget.whole))

    def binomials(self, trials: Ints, chance: Probability) -> Ints:
        self._budget.check(int(trials.max(initial=0)))
        return super().binomials(trials, chance)

    def integers(self, below: int, count: int) -> Ints:
        self._budget.check(below)
        return super().integers(below, count)

    def subset(self, count: int, below: int, favoured: int | None, weight: Probability) -> Ints:
        self._budget.check(math.comb(below, count))
        return super().subset(count, below, favoured, weight)

    def uniform(self, count: int) -> Floats:
        del count
        _refuse_endless("reals")

    def normal(self, count: int) -> Floats:
        del count
        _refuse_endless("normal reals")

    def exponential(self, count: int) -> Floats:
        del count
        _refuse_endless("exponential reals")

    def discrete_normal(self, variance: Fraction, count: int) -> Ints:
        del variance, count
        _refuse_endless("integers of the discrete Gaussian law")

    def discrete_laplace(self, scale: Fraction, count: int) -> Ints:
        del scale, count
        _refuse_endless("integers of the discrete Laplace law")

    def skellam(self, variance: Fraction, count: int) -> Ints:
        del variance, count
        _refuse_endless("integers of the Skellam law")


def _refuse_endless(what: str) -> NoReturn:
    raise NotEnumerable(f"the function draws {what}, with infinitely many outcomes")


def law_of_calls(
    call: Callable[[Coins], Any],
    budget: CallBudget,
    key: Callable[[Any], Hashable] = key_of,
) -> Law:
    """Return the exact law of the value of a function of discrete coins, by the key of the value.

    `call` is called many times. Each time it must give the function new copies of its arguments,
    because the function may change them. Raises `NotEnumerable` if the law cannot be found.
    """
    law: dict[Hashable, Fraction] = {}
    stack: list[tuple[tuple[Outcome, ...], Fraction, int]] = [((), Fraction(1), 1)]
    first: tuple[tuple[Outcome, ...], Hashable] | None = None
    while stack:
        outcomes, chance, paths = stack.pop()
        try:
            result = _outcome(call, outcomes, budget, key)
        except TapeEnd as end:
            choice = end.choice.outcomes
            budget.check(len(stack) + len(choice))
            budget.check(paths * len(choice) // CERTAINLY_TOO_MANY)
            stack += [
                ((*outcomes, outcome), chance * share, paths * len(choice))
                for outcome, share in choice
            ]
            continue
        first = first or (outcomes, result)
        law[result] = law.get(result, Fraction(0)) + chance
    assert first is not None  # the loop ends only after some call has returned
    if _outcome(call, first[0], budget, key) != first[1]:
        raise NotEnumerable(
            "the function returned two different values for the same arguments and coins"
        )
    return law


def _outcome(
    call: Callable[[Coins], Any],
    outcomes: Sequence[Outcome],
    budget: CallBudget,
    key: Callable[[Any], Hashable],
) -> Hashable:
    """Return the key of the function's value for the given outcomes of its coins. Return `REFUSED`
    if the function raises an error.
    """
    budget.spend()
    tape = Tape(outcomes)
    coins = Coins(_FiniteCoins(tape, budget), TapeField(tape)).for_doors
    try:
        value = call(coins)
    except TapeEnd:
        raise
    except Exception:  # any error would have ended the run here
        return REFUSED
    try:
        return key(value)
    except NoKey as error:
        raise NotEnumerable(str(error)) from None


def widest_ratio(laws: Sequence[Mapping[Hashable, Fraction]]) -> Fraction | None:
    """The largest ratio of the probabilities that two of the laws give to one outcome, over all
    outcomes.

    Return None if the ratio is infinite. The ratio is 1 exactly if all laws are equal.
    """
    widest = Fraction(1)
    different = list({id(law): law for law in laws}.values())
    outcomes = {outcome for law in different for outcome in law}
    for outcome in outcomes:
        chances = [law.get(outcome, Fraction(0)) for law in different]
        least, most = min(chances), max(chances)
        if not least:
            return None
        widest = max(widest, most / least)
    return widest


def log_ratio(ratio: Fraction | None) -> float:
    """The logarithm of a ratio that `widest_ratio` returned; infinite for None."""
    return math.inf if ratio is None else math.log(ratio)
