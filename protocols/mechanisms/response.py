"""Randomised response to a question that is answered by yes (item 1) or no (item 2).

Warner's is GRR over two items. Joy and Gerla's draws two coins: the first decides whether the
answer is the truth, the second what is said otherwise; before that a user may be left out by
sampling. Learns: whoever reads an answer, the truth up to ε, which both answers decide; leaving
users out does not lower it, for it falls on all alike. Source: Warner, *Randomized Response*, 1965;
Joy and Gerla, *Differential Privacy By Sampling*, Eq. 5 and 30, the latter with the ratio of the
answer no, which it leaves out.
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
    """The truth with probability e^ε / (1 + e^ε), else the other answer."""

    items: int = attrs.field(default=2, init=False)


@attrs.frozen
class JoyGerla(Pure):
    """The truth with probability `truthful`, else yes with probability `yes`.

    No report at all from some users. The chances and variances of a pure protocol are those of item
    1; as shares add up to 1, item 2 has the variance of item 1 at the other share.
    """

    truthful: float | Fraction  # π₁, also flip1: 0 < π₁ <= 1
    yes: float | Fraction  # π₂, also flip2: 0 <= π₂ <= 1
    sampling: float | Fraction = 1  # π_s, chance that a user reports: 0 < π_s <= 1
    items = 2
    # The share of no is what the share of yes leaves, so that both err alike, by the share of yes.
    expected_error_depends_on_truth = True
    answers_one_question = True

    def __attrs_post_init__(self) -> None:
        for name in ("truthful", "yes", "sampling"):
            checks.chance(name, getattr(self, name))
        for name in ("truthful", "sampling"):
            if getattr(self, name) == 0:
                raise ValueError(
                    f"{name} is above 0, got 0: nothing could be estimated from reports "
                    f"without truth"
                )

    @property
    def stated_epsilon(self) -> None:
        """None, as the mechanism is given by its chances and not by an ε."""
        return

    def support_chance(self, value: int) -> Fraction:
        """The chance that a holder of `value` answers yes."""
        return self.law(value)[YES]

    def named_chances(self, value: int) -> list[tuple[str, Fraction]]:
        """The chances of no report, yes and no."""
        return list(zip(("none", "yes", "no"), self.law(value), strict=True))

    @property
    def exact_chances(self) -> tuple[Fraction, Fraction]:
        """The chances of reporting yes: of those to whom it applies, and of the others."""
        truthful = Fraction(self.truthful)
        yes = Fraction(self.yes)
        sampling = Fraction(self.sampling)
        return sampling * (truthful + (1 - truthful) * yes), sampling * (1 - truthful) * yes

    def law(self, value: int) -> tuple[Fraction, ...]:
        """The chances of no report, yes and no, of a user who holds `value` in 1..2."""
        (own_item,) = checks.whole_numbers("values", [value], YES, NO)
        yes, sampling = self.exact_chances[own_item - 1], Fraction(self.sampling)
        return 1 - sampling, yes, sampling - yes

    @functools.cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report: that of the answer that tells more."""
        return epsilon_of([self.law(YES), self.law(NO)])

    @property
    def epsilon(self) -> float:
        """The exact ε: none is stated when it is made."""
        return self.exact_epsilon

    @property
    def report_bits(self) -> int:
        """Bits of a report on the wire, from a user who sends one."""
        return 1

    def payload(self, reports: Ints) -> Typed:
        """The reports that are sent, as they travel, in order: 1 is yes."""
        answers = checks.whole_numbers("reports", reports, NONE, NO)
        return bits(answers[answers != NONE] == YES)

    @property
    def form(self) -> Typed:
        """No reports at all, as they would travel."""
        return self.payload(np.empty(0, dtype=np.int64))

    def received(self, numbers: Numbers) -> Ints:
        """Reports from the bits that arrived."""
        return np.where(numbers == 1, YES, NO)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """One report a user, shape (n,): yes is 1, no is 2, and 0 of a user who sends none.

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
        """How many reports say yes and no; shape (2,).

        Raises `ValueError` for a report outside 0..2.
        """
        return np.bincount(checks.whole_numbers("reports", reports, NONE, NO), minlength=3)[1:]

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """The supports that a population's reports have, drawn without the reports; shapes (2,).

        `holders` are how many hold each item.
        """
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
        """Unbiased shares of all users, those who sent none included, who hold each item.

        Shape (2,), not clipped.
        """
        truly = super().estimate(supports, users)[0]
        return np.array([truly, 1 - truly])
