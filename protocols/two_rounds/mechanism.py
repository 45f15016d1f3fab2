"""The two-round sampling mechanism, for one value or several.

The owners of the data are the users.

An owner's *truth* is the number of the value that it holds, 1..V, or 0 if it holds none of them. An
answer is a *symbol* 0..V. The die has a *background face* for each symbol and one *sampled face*.

Each owner rolls a die once and keeps the face. An owner who rolls a background face answers the
symbol of this face in both rounds, whatever its truth is. An owner who rolls the sampled face
answers 0 in round one and its truth in round two. The difference of the two rounds' counts
therefore depends only on sampled owners.

For somebody who sees only round two of an owner, ε is finite if the background face of every legal
truth has a probability above 0. For somebody who sees both rounds, as answers or as sums, no ε is
finite if there are two or more legal truths: see `privacy.py`.

Source: Joy and Gerla, *Differential Privacy By Sampling*, sections 4.1 and 4.2, with V + 1 symbols
and V + 2 faces; the paper exchanges these two numbers.
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
TOLERANCE = Fraction(1, 10**12)  # the sum of all faces' probabilities may differ from 1 by this
ROUNDING = Fraction(1, 2**53)  # a remainder this small, of two rounded probabilities, counts as 0


def _faces(faces: Sequence[Chance] | str) -> tuple[Chance, ...]:
    if not isinstance(faces, str | Sequence | np.ndarray):
        raise TypeError(
            f"faces are the probabilities of face 0 and of each value's face, such as 0.3,0.25; "
            f"got {faces!r}"
        )
    if isinstance(faces, str):
        try:
            return tuple(float(part) for part in faces.split(","))
        except ValueError:
            raise ValueError(
                f"faces are probabilities with commas between them, such as 0.3,0.25; got {faces!r}"
            ) from None
    return tuple(faces)


@attrs.frozen
class TwoRounds:
    """The die of the two-round mechanism, and the answers to its faces.

    `sampling` is π_s, the probability of the sampled face, 0 < π_s < 1. `faces` are the
    probabilities π_0..π_V of the background faces. Symbols are 0..V and truths 1..V; truth 0 is
    legal if `none`. The background has the proportions of `faces`, and its sum is exactly 1 - π_s.

    Raises `ValueError` for fewer than two faces, and for probabilities out of range or with another
    sum than 1.

    >>> die = TwoRounds(sampling=0.5, faces=(0.25, 0.25), none=True)
    >>> die.values, [float(chance) for chance in die.round_two_law(1)]
    (1, [0.25, 0.75])
    """

    sampling: Chance  # π_s, the probability of the sampled face: 0 < π_s < 1
    faces: tuple[Chance, ...] = attrs.field(converter=_faces)  # π_0..π_V, V >= 1
    none: bool = False  # whether owners may hold none of the values, which is truth 0

    def __attrs_post_init__(self) -> None:
        proper_sampling(self.sampling)
        if not isinstance(self.none, bool):
            raise TypeError(
                f"the option none says whether truth 0 is legal: True or False, got {self.none!r}"
            )
        if len(self.faces) < 2:
            raise ValueError(
                "faces are the probabilities of face 0 and of at least one value's face, got "
                f"{self.faces}"
            )
        for value, chance in enumerate(self.faces):
            checks.chance(f"the probability of face {value}", chance)
        total = sum((Fraction(chance) for chance in self.faces), Fraction(self.sampling))
        if abs(total - 1) > TOLERANCE or not any(self.faces):
            raise ValueError(
                f"sampling={self.sampling} plus the probabilities of the background faces is 1, "
                f"got {float(total)}: the background faces need the sum "
                f"{float(1 - Fraction(self.sampling))}"
            )

    @classmethod
    def even(cls, sampling: Chance, values: int, none: bool = False) -> "TwoRounds":
        """Return the mechanism with a background that is uniform over the legal truths.

        Raises `ValueError` unless 0 < π_s < 1 and V >= 1.
        """
        checks.whole("values", values, 1)
        proper_sampling(sampling)
        truths = values + none
        each = (1 - Fraction(sampling)) / truths
        return cls(sampling, (each if none else Fraction(0), *[each] * values), none)

    @property
    def values(self) -> int:
        """The number of listed values, V."""
        return len(self.faces) - 1

    @property
    def truths(self) -> range:
        """The legal truths."""
        return range(NONE if self.none else 1, self.values + 1)

    @property
    def sampled(self) -> int:
        """The number of the sampled face, which follows the background faces."""
        return len(self.faces)

    @property
    def meets_half_rule(self) -> bool:
        """Whether π_s < 1/2, as the paper's threat model demands."""
        return self.sampling < Fraction(1, 2)

    @functools.cached_property
    def weights(self) -> tuple[int, ...]:
        """The proportions of the background faces in whole numbers."""
        exact = [Fraction(chance) for chance in self.faces]
        common = math.lcm(*(chance.denominator for chance in exact))
        whole = [int(chance * common) for chance in exact]
        return tuple(weight // math.gcd(*whole) for weight in whole)

    @functools.cached_property
    def background(self) -> SymbolLaw:
        """The probabilities π_0..π_V from which faces are drawn."""
        unit = (1 - Fraction(self.sampling)) / sum(self.weights)
        return tuple(weight * unit for weight in self.weights)

    def throw(self, owners: int, coins: Coins) -> Ints:
        """Roll one face in 0..V + 1 for each owner; shape (owners,)."""
        faces = np.full(owners, self.sampled)
        (others,) = np.nonzero(~coins.bernoullis(self.sampling, owners))
        left = sum(self.weights)
        # face after face, because these coins are exact for any weights, however large
        for face, weight in enumerate(self.weights):
            if not others.size:
                break
            here = coins.bernoullis(Fraction(weight, left), others.size)
            faces[others[here]], others = face, others[~here]
            left -= weight
        return faces

    def round_one(self, faces: npt.ArrayLike) -> Ints:
        """Return what owners with these faces answer in round one, whatever the truth.

        Shapes (n,).
        """
        thrown = checks.whole_numbers("faces", faces, 0, self.sampled)
        return np.where(thrown == self.sampled, NONE, thrown)

    def round_two(self, faces: npt.ArrayLike, truths: npt.ArrayLike) -> Ints:
        """Return what owners with these faces and truths answer in round two; shapes (n,).

        Raises `ValueError` for a face that the die does not have, for a truth that is not legal,
        and for another number of truths than of faces.
        """
        thrown = checks.whole_numbers("faces", faces, 0, self.sampled)
        answers = checks.whole_numbers("truths", truths, self.truths[0], self.values, thrown.size)
        return np.where(thrown == self.sampled, answers, thrown)

    def counts(self, symbols: npt.ArrayLike) -> Ints:
        """Return how many owners answer each symbol; shape (V + 1,)."""
        answers = checks.whole_numbers("symbols", symbols, 0, self.values)
        return np.bincount(answers, minlength=self.values + 1).astype(np.int64)

    @property
    def round_one_law(self) -> SymbolLaw:
        """The probability of each symbol in round one, which is the same for every truth."""
        first, *rest = self.background
        return first + Fraction(self.sampling), *rest

    def round_two_law(self, truth: int) -> SymbolLaw:
        """Return the probability of each symbol in round two for this truth."""
        symbol = self._legal(truth)
        law = list(self.background)
        law[symbol] += Fraction(self.sampling)
        return tuple(law)

    def joint_law(self, truth: int) -> SymbolLaw:
        """Return the probabilities of (0, 0), (1, 1)..(V, V), and of the changes (0, 1)..(0, V).

        Shape (2 V + 1,).
        """
        symbol = self._legal(truth)
        law = [*self.background, *[Fraction(0)] * self.values]
        law[self.values + symbol if symbol else NONE] += Fraction(self.sampling)
        return tuple(law)

    def expected_counts(self, yes: npt.ArrayLike, none: int = 0) -> tuple[Floats, Floats]:
        """Return the mean counts of both rounds; shapes (V + 1,).

        `yes[v - 1]` owners hold v, and `none` owners hold no value.
        """
        holders = self.holders(yes, none)
        background = np.array(self.background, dtype=np.float64) * holders.sum()
        first_round, second_round = background.copy(), background + float(self.sampling) * holders
        first_round[0] += float(self.sampling) * holders.sum()
        return first_round, second_round

    def holders(self, yes: npt.ArrayLike, none: int = 0) -> Ints:
        """Return how many owners hold each truth 0..V.

        Raises `ValueError` for negative numbers and for a wrong shape.
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
    """Return the mechanism for yes (truth 1) and no (truth 0), from π_0 and π_s.

    The face of yes has the remaining probability; a remainder that is only rounding counts as 0.
    Raises `ValueError` unless 0 <= π_0 <= 1 and 0 < π_s < 1, and for π_0 + π_s above 1 by more than
    1e-12.
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
    """Raise `ValueError` unless 0 < π_s < 1."""
    checks.chance("sampling", sampling)
    if not 0 < sampling < 1:
        raise ValueError(f"sampling lies strictly between 0 and 1, got {sampling}")
