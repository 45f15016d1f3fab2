"""DPDG: item counts with Gaussian noise that no single party knows; each user adds a share of
it.

The server learns the noisy count of each item. With additive sharing users learn nothing, even if
all users but one pool their views. With Shamir's sharing and the threshold t, any t users who pool
their views learn the noisy vectors of all other users. Then only a user's own share of the noise
hides its item.

The noise shares that the paper prints add up to a variance that is n times too small. By default
each user's variance is chosen so that the sum has the calibrated variance, apart from rounding;
`noise_share="as-printed"` reproduces the mistake. The sum of discrete Gaussian shares is close to a
discrete Gaussian.

Sources: Yang et al., section 3.1.2; Kairouz, Liu, Steinke, *The Distributed Discrete Gaussian
Mechanism*, 2021.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, isfinite, log, sqrt
from typing import Annotated, Literal, get_args

import attrs
import numpy as np

from protocols import checks
from protocols.dpdg.noise import integer_variance
from protocols.dpdg.privacy import NOISE_SHARES, Draw
from protocols.privacy.gaussian import CALIBRATIONS, Calibration, sigma
from protocols.sharing.encoding import one_hot
from protocols.sharing.schemes import Additive, SharingByName, sharing_named
from simnet.arrays import Ints, Numbers
from simnet.coins.coins import Coins
from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed
from simnet.roster import Seat, seats
from simnet.values.field import LARGEST_MODULUS, Field, FieldArray
from simnet.values.sealed import Sealed

SHARE = Summed("share")
NOISES = get_args(Draw)
COARSEST = 0.01  # the fraction of the requested variance that rounding to integers may lose
WRAP_CHANCE = 2.0**-40  # bounds the probability that some sum of a run leaves the field's range


@attrs.frozen
class DPDG:
    """The parameters of DPDG, which every party knows, and the scripts of its roles.

    `users` is n >= 2 and `items` is N >= 1; a user's input is an item from 1 to N. The noise is
    calibrated for the requested `epsilon` and `delta`, where neighbouring inputs differ in one
    user's item. A count of 1 is represented as 2^`fraction_bits`. The output of the server is the
    array of the estimated frequencies; shape (N,).

    Raises `ValueError` for parameters outside their ranges, for sums so large that no field below
    2**62 can hold them, and for a grid so coarse that the noise would be too small.

    >>> from simnet import run
    >>> protocol = DPDG(users=3, items=2, epsilon=1.0, delta=1e-5)
    >>> run(protocol, [1, 2, 2], seed=7).outputs["server"].shape
    (2,)
    >>> round(protocol.target_variance, 1)  # V_G = (σ √2 / n)² for σ = √(2 ln(1.25/δ)) / ε
    5.2
    """

    users: int  # n >= 2
    items: int  # N >= 1; an input is an item in 1..N
    epsilon: Annotated[
        float, "ε that the noise is calibrated to, above 0; at most 1 with the classic calibration"
    ]
    delta: Annotated[float, "δ that the noise is calibrated to, 0 < δ < 1"]
    fraction_bits: Annotated[int, "k, fixed point: a count of 1 is 2^k, 0 <= k <= 40"] = 16
    noise: Annotated[Draw, "the law of a user's share of the noise"] = "rounded-gaussian"
    calibration: Annotated[Calibration, "how σ follows from ε and δ"] = "classic"
    noise_share: Annotated[
        Literal["exact", "as-printed"],
        "the variance of a user's share: one that adds up to the calibrated variance, or the "
        "paper's, which does not",
    ] = "exact"
    sharing: SharingByName = attrs.field(default=Additive(), converter=sharing_named)

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.one_of("noise", self.noise, NOISES)
        checks.one_of("calibration", self.calibration, CALIBRATIONS)
        checks.one_of("noise_share", self.noise_share, NOISE_SHARES)
        checks.whole("fraction_bits", self.fraction_bits, 0, 40)
        if not self._has_field:  # also checks epsilon and delta
            raise ValueError(
                f"sums with epsilon={self.epsilon} and fraction_bits={self.fraction_bits} "
                "fit no field below 2**62: use a larger epsilon or fewer fraction_bits"
            )
        needed = float(self.share_variance)
        drawn = integer_variance(needed, rounded=self.noise == "rounded-gaussian")
        # Rounding may also add variance. That does no harm, and the stated error includes it.
        if drawn < needed * (1 - COARSEST):
            raise ValueError(
                f"with fraction_bits={self.fraction_bits} a user's share of the noise has variance "
                f"{drawn:.3g} on the integers, but {needed:.3g} is needed: use more fraction_bits"
            )

    @property
    def sensitivity(self) -> float:
        """The L2 sensitivity of the frequencies if one item is replaced by another: √2 / n."""
        return sqrt(2) / self.users

    @property
    def target_variance(self) -> float:
        """The calibrated variance of each estimated frequency, V_G."""
        return sigma(self.calibration, self.sensitivity, self.epsilon, self.delta) ** 2

    @property
    def share_variance(self) -> Fraction:
        """The variance of one user's share of the noise, on fixed-point counts.

        The variance is n V_G 4^k; for the variant `as-printed` it is V_G 4^k.
        """
        shares = self.users if self.noise_share == "exact" else 1
        return Fraction(self.target_variance) * (shares << 2 * self.fraction_bits)

    @property
    def largest_sum(self) -> int:
        """A bound for the absolute values of the sums: n counts and a Gaussian tail.

        A run exceeds the bound with probability at most `WRAP_CHANCE`. Both kinds of noise are
        sub-Gaussian with the share's variance, and rounding moves a sum by at most n / 2. By the
        union bound, at least one of the N sums is z or more deviations away from its mean with
        probability at most 2 N exp(-z²/2).
        """
        deviations = sqrt(2 * log(2 * self.items / WRAP_CHANCE))
        tail = deviations * sqrt(self.users * float(self.share_variance)) + self.users / 2
        return (self.users << self.fraction_bits) + ceil(tail)

    @property
    def _has_field(self) -> bool:
        try:
            return isfinite(self.target_variance) and 2 * self.largest_sum < LARGEST_MODULUS
        except OverflowError:  # a variance exceeds the largest float
            return False

    @property
    def field(self) -> Field:
        """The field F_q, where q is the smallest prime above twice the largest sum.

        Signed sums within this bound do not wrap.
        """
        return Field.above(2 * self.largest_sum)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un play `user`, and one party plays `server`."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the noisy vector, add up the shares received, send their sum to the server."""
        users = me.all("user")
        mine = self.answer(item, me)  # shape (N,)
        await me.scatter(SHARE, to=users, rows=self.sharing.share(mine, self.users, me.coins))
        partial = await me.gather_sum(SHARE, senders=users)
        await self.sharing.report(me, partial, to="server")

    async def server(self, me: Party) -> Sealed:
        """Recover the sum, read it as signed numbers, and normalise it; shape (N,)."""
        counts = await self.sharing.recover(me, me.all("user"))
        return me.output(self.estimate, counts.open(signed=True))

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """Return the ideal world's outputs: a trusted party adds up the noisy vectors and hands the
        sum to the server alone.
        """
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        return {"server": type(answers[0]).stack(answers).sum()}

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """Return a user's secret: its noisy vector as field elements; shape (N,)."""
        return user.secret(self.noisy, item, field=self.field, shape=(self.items,))

    def noisy(self, item: int, coins: Coins) -> Ints:
        """Return a user's one-hot vector in fixed point plus its share of the noise; shape (N,)."""
        if self.noise == "rounded-gaussian":
            drawn = np.rint(coins.normal(self.items).plain * sqrt(self.share_variance)).astype(
                np.int64
            )
        else:
            drawn = coins.discrete_normal(self.share_variance, self.items).plain
        return (one_hot(item, self.items) << self.fraction_bits) + drawn

    def estimate(self, counts: Numbers) -> Numbers:
        """Return unbiased frequencies, given the signed fixed-point counts; shape (N,)."""
        return counts / (self.users * 2.0**self.fraction_bits)
