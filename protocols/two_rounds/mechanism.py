"""The two-round sampling mechanism, for one value or several; the owners of data are the users.

Each owner throws a die once and keeps the face. A background face is the answer in both rounds,
whatever the truth; the sampled face answers 0 in the first round and the truth in the second. So
counts differ between the rounds by sampled owners alone. Learns: whoever sees an owner's round two
alone, the truth up to a finite ε; whoever sees both rounds, as answers or as sums, more than any ε
allows (`privacy`). Source: Joy and Gerla, *Differential Privacy By Sampling*, sections 4.1 and 4.2,
with V + 1 symbols and V + 2 faces, which the paper exchanges.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import Chance
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins

SymbolLaw = tuple[Fraction, ...]

NONE = 0  # the truth of an owner who holds no listed value
TOLERANCE = Fraction(1, 10**12)  # how far from 1 the chances of all faces may add up
ROUNDING = Fraction(1, 2**53)  # what two chances that are rounded may leave of 1 by mistake


def _faces(faces: Sequence[Chance] | str) -> tuple[Chance, ...]:
    """Chances from a sequence, or from text with commas between them."""
    if not isinstance(faces, str | Sequence | np.ndarray):
        raise TypeError(
            f"faces are several chances, of 0 and of each value, such as 0.3,0.25; got {faces!r}"
        )
    if isinstance(faces, str):
        try:
            return tuple(float(part) for part in faces.split(","))
        except ValueError:
            raise ValueError(
                f"faces are chances with commas between them, such as 0.3,0.25; got {faces!r}"
            ) from None
    return tuple(faces)


@attrs.frozen
class TwoRounds:
    """The die, and how its faces are answered.

    Symbols are 0..V, truths 1..V, and 0 where `none` makes it legal. The background's proportions
    are those of `faces`, their sum is exactly 1 - π_s.
    """

    sampling: Chance  # π_s, the chance of the sampled face: 0 < π_s < 1
    faces: tuple[Chance, ...] = attrs.field(converter=_faces)  # π_0..π_V, V >= 1
    none: bool = False  # whether owners may hold none of the values, which is truth 0

    def __attrs_post_init__(self) -> None:
        proper_sampling(self.sampling)
        if not isinstance(self.none, bool):
            raise TypeError(f"none says whether truth 0 is legal, True or False, got {self.none!r}")
        if len(self.faces) < 2:
            raise ValueError(
                f"there are faces for 0 and for at least one value, got {len(self.faces)}"
            )
        for value, chance in enumerate(self.faces):
            checks.chance(f"the chance of face {value}", chance)
        total = sum((Fraction(chance) for chance in self.faces), Fraction(self.sampling))
        if abs(total - 1) > TOLERANCE or not any(self.faces):
            raise ValueError(
                f"the chances of all faces add up to 1 with sampling={self.sampling}, got "
                f"{float(total)}: background faces share {float(1 - Fraction(self.sampling))}"
            )

    @classmethod
    def even(cls, sampling: Chance, values: int, none: bool = False) -> "TwoRounds":
        """The background that is best for round two alone: even over the legal truths.

        It needs V >= 2, or `none`.
        """
        checks.whole("values", values, 1)
        proper_sampling(sampling)
        truths = values + none
        each = (1 - Fraction(sampling)) / truths
        return cls(sampling, (each if none else Fraction(0), *[each] * values), none)

    @property
    def values(self) -> int:
        """V, the number of listed values."""
        return len(self.faces) - 1

    @property
    def truths(self) -> range:
        """The legal truths."""
        return range(NONE if self.none else 1, self.values + 1)

    @property
    def sampled(self) -> int:
        """The number of the sampled face, which follows those of the background."""
        return len(self.faces)

    @property
    def meets_half_rule(self) -> bool:
        """Whether π_s < 1/2, as the paper's threat model wants. For use from Python."""
        return self.sampling < Fraction(1, 2)

    @functools.cached_property
    def weights(self) -> tuple[int, ...]:
        """The background faces' proportions in whole numbers."""
        exact = [Fraction(chance) for chance in self.faces]
        common = math.lcm(*(chance.denominator for chance in exact))
        whole = [int(chance * common) for chance in exact]
        return tuple(weight // math.gcd(*whole) for weight in whole)

    @functools.cached_property
    def background(self) -> SymbolLaw:
        """π_0..π_V as drawn."""
        unit = (1 - Fraction(self.sampling)) / sum(self.weights)
        return tuple(weight * unit for weight in self.weights)

    def throw(self, owners: int, coins: Coins) -> Ints:
        """One face an owner, in 0..V + 1; shape (owners,)."""
        faces = np.full(owners, self.sampled)
        (others,) = np.nonzero(~coins.bernoullis(self.sampling, owners))
        left = sum(self.weights)
        # Coins are exact for any weights, however large
        for face, weight in enumerate(self.weights):
            if not others.size:
                break
            here = coins.bernoullis(Fraction(weight, left), others.size)
            faces[others[here]], others = face, others[~here]
            left -= weight
        return faces

    def round_one(self, faces: npt.ArrayLike) -> Ints:
        """What owners with these faces answer first, whatever the truth; shapes (n,)."""
        thrown = checks.whole_numbers("faces", faces, 0, self.sampled)
        return np.where(thrown == self.sampled, NONE, thrown)

    def round_two(self, faces: npt.ArrayLike, truths: npt.ArrayLike) -> Ints:
        """What these owners answer in round two; shapes (n,).

        Raises `ValueError` for a truth that is not legal.
        """
        thrown = checks.whole_numbers("faces", faces, 0, self.sampled)
        answers = checks.whole_numbers("truths", truths, self.truths[0], self.values, thrown.size)
        return np.where(thrown == self.sampled, answers, thrown)

    def counts(self, symbols: npt.ArrayLike) -> Ints:
        """How many owners answer each symbol; shape (V + 1,)."""
        answers = checks.whole_numbers("symbols", symbols, 0, self.values)
        return np.bincount(answers, minlength=self.values + 1).astype(np.int64)

    @property
    def round_one_law(self) -> SymbolLaw:
        """The chance of each symbol in round one, the same for every truth."""
        first, *rest = self.background
        return first + Fraction(self.sampling), *rest

    def round_two_law(self, truth: int) -> SymbolLaw:
        """The chance of each symbol in round two."""
        symbol = self._legal(truth)
        law = list(self.background)
        law[symbol] += Fraction(self.sampling)
        return tuple(law)

    def joint_law(self, truth: int) -> SymbolLaw:
        """The chances of (0, 0), (1, 1)..(V, V), and of the changes (0, 1)..(0, V).

        Shape (2 V + 1,).
        """
        symbol = self._legal(truth)
        law = [*self.background, *[Fraction(0)] * self.values]
        law[self.values + symbol if symbol else NONE] += Fraction(self.sampling)
        return tuple(law)

    def expected_counts(self, yes: npt.ArrayLike, none: int = 0) -> tuple[Floats, Floats]:
        """The mean counts of both rounds, shapes (V + 1,).

        For use from Python: no command calls it.

        `yes[v - 1]` owners hold v and `none` hold no value.
        """
        holders = self.holders(yes, none)
        background = np.array(self.background, dtype=np.float64) * holders.sum()
        first_round, second_round = background.copy(), background + float(self.sampling) * holders
        first_round[0] += float(self.sampling) * holders.sum()
        return first_round, second_round

    def holders(self, yes: npt.ArrayLike, none: int = 0) -> Ints:
        """How many owners hold each truth 0..V.

        Raises `ValueError` for numbers below 0 or a wrong shape.
        """
        checks.whole("none", none, 0)
        listed = checks.whole_numbers(
            "yes", np.atleast_1d(yes), 0, np.iinfo(np.int64).max, self.values
        )
        return np.append(none, listed)

    def _legal(self, truth: int) -> int:
        checks.whole("truth", truth, self.truths[0], self.values)
        return truth


def binary(zero: Chance, sampling: Chance) -> TwoRounds:
    """The mechanism for yes (truth 1) and no (truth 0) from π_0 and π_s.

    The face "one" has exactly what they leave, and nothing where that is a rounding of theirs.

    Raises `ValueError` for π_0 below 0, and for π_0 + π_s above 1 by more than 1e-12.
    """
    checks.chance("zero", zero)
    proper_sampling(sampling)
    one = 1 - Fraction(zero) - Fraction(sampling)
    if one < -TOLERANCE:
        raise ValueError(f"zero and sampling add up to at most 1, got {float(zero + sampling)}")
    exact = isinstance(zero, Fraction) and isinstance(sampling, Fraction)
    return TwoRounds(
        sampling, (zero, one if one > (0 if exact else ROUNDING) else Fraction(0)), none=True
    )


def proper_sampling(sampling: Chance) -> None:
    """Raise `ValueError` unless 0 < π_s < 1, `TypeError` for what is no number."""
    checks.chance("sampling", sampling)
    if not 0 < sampling < 1:
        raise ValueError(f"sampling lies strictly between 0 and 1, got {sampling}")
