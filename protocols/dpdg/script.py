"""DPDG: item counts with Gaussian noise that nobody knows; each user adds a share of it.

Learns: the server, the noisy counts of all users; users, nothing, unless all the others collude
(and then they know the noise but for the last user's share of it). The noise share printed in the
paper adds up to n times too little variance; here each user's variance is such that the result has
the calibrated one, and `noise_share="as-printed"` shows the mistake. The sum of discrete Gaussian
shares is close to a discrete Gaussian; its variance is exactly the sum of theirs. Sources: Yang et
al., section 3.1.2; Kairouz, Liu, Steinke, *The Distributed Discrete Gaussian Mechanism*, 2021.
What is said about DPDG stands in `about.py`, the simulator of its proof in `simulator.py`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, log, sqrt
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
COARSEST = 0.01  # how much of the variance asked for may be missing on the integers
WRAP_CHANCE = 2.0**-40  # that some sum of a run leaves the range of the field


@attrs.frozen
class DPDG:
    """What every party knows."""

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
        if not isinstance(self.fraction_bits, int) or not 0 <= self.fraction_bits <= 40:
            raise ValueError(
                f"fraction_bits is a whole number from 0 to 40, got {self.fraction_bits}"
            )
        if 2 * self.largest_sum >= LARGEST_MODULUS:  # also checks epsilon and delta
            raise ValueError(
                f"sums of noise with epsilon={self.epsilon} and fraction_bits={self.fraction_bits} "
                "fit no field below 2**62: raise epsilon or use fewer fractional bits"
            )
        needed = float(self.share_variance)
        drawn = integer_variance(needed, rounded=self.noise == "rounded-gaussian")
        # More variance than asked for, by rounding, does no harm and is part of the stated error.
        if drawn < needed * (1 - COARSEST):
            raise ValueError(
                f"with fraction_bits={self.fraction_bits} a share of noise has variance "
                f"{drawn:.3g} on the integers "
                f"where {needed:.3g} is needed: use more fractional bits"
            )

    @property
    def sensitivity(self) -> float:
        """L2 sensitivity of the frequencies when one user's item is replaced: √2 / n."""
        return sqrt(2) / self.users

    @property
    def target_variance(self) -> float:
        """V_G, the calibrated variance of each estimated frequency."""
        return sigma(self.calibration, self.sensitivity, self.epsilon, self.delta) ** 2

    @property
    def share_variance(self) -> Fraction:
        """The variance of one user's noise on its fixed-point counts.

        It is n V_G times 4^k; as printed, V_G times 4^k.
        """
        shares = self.users if self.noise_share == "exact" else 1
        return Fraction(self.target_variance) * (shares << 2 * self.fraction_bits)

    @property
    def largest_sum(self) -> int:
        """A bound on the absolute value of every sum: n counts and a Gaussian tail.

        A run exceeds it with chance `WRAP_CHANCE` at most.

        Both noises are sub-Gaussian with the share's variance, rounding moves a sum by at most n /
        2, and 2 exp(-z²/2) bounds the chance that one of N sums lies z deviations off.
        """
        deviations = sqrt(2 * log(2 * self.items / WRAP_CHANCE))
        tail = deviations * sqrt(self.users * float(self.share_variance)) + self.users / 2
        return (self.users << self.fraction_bits) + ceil(tail)

    @property
    def field(self) -> Field:
        """The field F_q with q the smallest prime above twice the largest sum.

        So signed sums do not wrap.
        """
        return Field.above(2 * self.largest_sum)

    def parties(self) -> Mapping[str, Seat]:
        """u1..un play `user`, the server plays `server`."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the noisy vector, add up the shares received, report the sum to the server."""
        users = me.all("user")
        mine = self.answer(item, me)  # shape (N,)
        await me.scatter(SHARE, to=users, rows=self.sharing.share(mine, self.users, me.coins))
        partial = await me.gather_sum(SHARE, senders=users)
        await self.sharing.report(me, partial, to="server")

    async def server(self, me: Party) -> Sealed:
        """Recover the sum, decode it as signed, and normalise; shape (N,)."""
        counts = await self.sharing.recover(me, me.all("user"))
        return me.output(self.estimate, counts.open(signed=True))

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """A trusted party adds up the noisy vectors and hands the sum to the server."""
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        return {"server": type(answers[0]).stack(answers).sum()}

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """A user's secret: its noisy vector; shape (N,)."""
        return user.secret(self.noisy, item, field=self.field, shape=(self.items,))

    def noisy(self, item: int, coins: Coins) -> Ints:
        """A user's one-hot vector in fixed point with its share of the noise; shape (N,)."""
        if self.noise == "rounded-gaussian":
            drawn = np.rint(coins.normal(self.items).plain * sqrt(self.share_variance)).astype(
                np.int64
            )
        else:
            drawn = coins.discrete_normal(self.share_variance, self.items).plain
        return (one_hot(item, self.items) << self.fraction_bits) + drawn

    def estimate(self, counts: Numbers) -> Numbers:
        """Unbiased frequencies from the signed fixed-point counts; shape (N,)."""
        return counts / (self.users * 2.0**self.fraction_bits)

    def enough_shares(self, shares: int) -> int:
        """How many of so many shares read a secret."""
        return self.sharing.needed(shares)
