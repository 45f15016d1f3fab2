"""Randomised response to a question whose answer is yes (item 1) or no (item 2).

Warner's mechanism is GRR over two items. Joy and Gerla's mechanism draws two coins: the first
decides whether the answer is the truth, and the second decides the answer otherwise. Before that,
sampling may leave a user out, who then sends nothing. For each of the two answers, compare its
probabilities under the two truths: ε is the larger one of the two absolute log ratios. Sampling
does not lower ε, because a user is left out with the same probability under both truths.

Source: Warner, *Randomized Response*, 1965; Joy and Gerla, *Differential Privacy By Sampling*, Eq.
5 and 30; Eq. 30 leaves out the ratio of the answer no, which is included here.
"""

import functools
from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.pure import Pure
from simnet.arrays import Floats, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, bits

YES, NO, NONE = 1, 2, 0


@attrs.frozen
class Warner(GRR):
    """Warner's randomised response: the truth with probability e^ε / (1 + e^ε), else the other
    answer.

    Item 1 is yes and item 2 is no. Raises `ValueError` for an ε out of range.

    >>> warner = Warner(epsilon=1.0)
    >>> warner.items, round(float(warner.exact_chances[0]), 4)
    (2, 0.7311)
    """

    items: int = attrs.field(default=2, init=False)


@attrs.frozen
class JoyGerla(Pure):
    """Joy and Gerla's answer: with probability `truthful` the truth, else yes with probability
    `yes`, else no.

    A user reports with probability `sampling`, by default 1, and otherwise sends nothing. The
    probabilities and variances of the pure protocol are those of item 1, yes. The two estimates add
    up to 1, so they have the same variance. Raises `ValueError` for values that are not
    probabilities, and for `truthful` or `sampling` equal to 0.

    >>> answer = JoyGerla(truthful=0.5, yes=0.5)
    >>> [float(chance) for chance in answer.law(1)]  # no report, yes, no
    [0.0, 0.75, 0.25]
    >>> round(answer.exact_epsilon, 6)  # ln 3
    1.098612
    """

    truthful: float | Fraction  # π₁, also flip1: 0 < π₁ <= 1
    yes: float | Fraction  # π₂, also flip2: 0 <= π₂ <= 1
    sampling: float | Fraction = 1  # π_s, the probability that a user reports: 0 < π_s <= 1
    items = 2
    # The estimated share of the answer no is 1 minus the estimated share of yes, so both have the
    # same error.
    expected_error_depends_on_truth = True
    answers_one_question = True

    def __attrs_post_init__(self) -> None:
        for name in ("truthful", "yes", "sampling"):
            checks.chance(name, getattr(self, name))
        for name in ("truthful", "sampling"):
            if getattr(self, name) == 0:
                raise ValueError(
                    f"{name} is above 0, got 0: otherwise nothing is learnt about the truth"
                )

    @property
    def stated_epsilon(self) -> None:
        """None: the mechanism takes probabilities, not an ε."""
        return

    def support_chance(self, value: int) -> Fraction:
        """Return the probability that a holder of `value` takes part and answers yes."""
        return self.law(value)[YES]

    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """Return the probabilities of no report, yes and no."""
        return list(zip(("none", "yes", "no"), self.law(value), strict=True))

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities of taking part and reporting yes: for users whose truth is yes, and
        for the other users.
        """
        truthful = Fraction(self.truthful)
        yes = Fraction(self.yes)
        sampling = Fraction(self.sampling)
        return sampling * (truthful + (1 - truthful) * yes), sampling * (1 - truthful) * yes

    def law(self, value: int) -> tuple[Fraction, ...]:
        """Return the probabilities of no report, yes and no, for a user who holds `value` in
        1..2.
        """
        (own_item,) = checks.whole_numbers("values", [value], YES, NO)
        yes, sampling = self.exact_chances[own_item - 1], Fraction(self.sampling)
        return 1 - sampling, yes, sampling - yes

    @functools.cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report: the larger absolute log ratio of the two answers."""
        return epsilon_of([self.law(YES), self.law(NO)])

    @property
    def epsilon(self) -> float:
        """The exact ε: the mechanism has no requested ε."""
        return self.exact_epsilon

    @property
    def report_bits(self) -> int:
        """The number of bits of a report on the wire, for a user who sends one."""
        return 1

    def payload(self, reports: Ints) -> Typed:
        """Return the answers of the users who send one, encoded for sending: bits, 1 for yes."""
        answers = checks.whole_numbers("reports", reports, NONE, NO)
        return bits(answers[answers != NONE] == YES)

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.payload(np.empty(0, dtype=np.int64))

    def received(self, numbers: Numbers) -> Ints:
        """Return the reports that the received bits stand for."""
        return np.where(numbers == 1, YES, NO)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """Return one report for each user, shape (n,): 1 is yes, 2 is no, and 0 is no report.

        Raises `ValueError` for a value outside 1..2.
        """
        items = checks.whole_numbers("values", values, YES, NO)
        reports, truthful, yes = (
            coins.bernoullis(chance, items.size)
            for chance in (self.sampling, self.truthful, self.yes)
        )
        answers = np.where(truthful, items, np.where(yes, YES, NO))
        return np.where(reports, answers, NONE)

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """Return how many reports say yes, and how many say no; shape (2,).

        Raises `ValueError` for a report outside 0..2.
        """
        return np.bincount(checks.whole_numbers("reports", reports, NONE, NO), minlength=3)[1:]

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """Draw the supports of a population's reports without drawing the reports; shape (2,)."""
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        supports = np.zeros(2, dtype=np.int64)
        for value in (YES, NO):
            _, yes, no = self.law(value)
            says_yes = coins.binomials(counts[value - 1 : value], yes).plain
            rest = counts[value - 1 : value] - says_yes
            supports += np.append(
                says_yes, coins.binomials(rest, no / (1 - yes) if yes < 1 else 0).plain
            )
        return supports

    def estimate(self, supports: npt.ArrayLike, users: int) -> Floats:
        """Return unbiased estimates of the shares of users who hold each item; shape (2,), not
        clipped.

        `users` is the number of all users, also those who sent nothing. Raises `ValueError` as in
        `Pure.estimate`.
        """
        truly = super().estimate(supports, users)[0]
        return np.array([truly, 1 - truly])
