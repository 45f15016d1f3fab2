"""What is stated of DPDG's server, who sees all counts with noise that the users add.

Users may collude with it, or drop out. On a coarse grid the noise is taken as it is drawn, a sum of
integers whose exact law `noise_shares` computes; on a fine one for the Gaussian that it is close
to. Rounding adds n / 12 steps² to the variance, which hides a little more and is left out there.
Source: Yang et al., section 3.1.2.
"""

from math import sqrt
from typing import Literal

import attrs

from protocols import checks
from protocols.privacy.gaussian import CALIBRATIONS, Calibration, GaussianProfile, sigma
from protocols.privacy.profile import Profile
from protocols.privacy.statement import count_of, statement_of
from simnet.stated.privacy import PrivacyStatement

Draw = Literal["rounded-gaussian", "discrete-gaussian"]

NOISE_SHARES = ("exact", "as-printed")
NOISY = "the server: all counts with the noise left by"
TOLERANCE = 1e-6
COARSE = 1000.0  # steps to a deviation of the sum, up to which its law is computed


@attrs.frozen
class UserNoise:
    """One user's noise on a count: its variance, and the grid on which it is drawn, if it is."""

    variance: float
    draw: Draw = "rounded-gaussian"
    fraction_bits: int | None = None  # a count of 1 is 2^k steps; None for reals

    def profile(self, shares: int) -> tuple[Profile, str]:
        """The profile of so many users' noise, for one user's item replaced: L2 sensitivity √2.

        Also returns what it assumes, in words.
        """
        deviation = sqrt(shares * self.variance)
        if self.fraction_bits is not None and deviation * 2**self.fraction_bits <= COARSE:
            # imported here, not above: few noises are so coarse
            from protocols.privacy.noise_shares import (
                discrete_gaussian,
                replacement,
                rounded_gaussian,
            )

            steps = self.variance * 4.0**self.fraction_bits
            law = (
                rounded_gaussian(steps)
                if self.draw == "rounded-gaussian"
                else discrete_gaussian(steps)
            )
            words = (
                "noise as it is drawn, on its grid; "
                "the upper end of an interval a millionth of δ wide"
            )
            return replacement(law, shares, 1 << self.fraction_bits, TOLERANCE), words
        return GaussianProfile(deviation, sqrt(2)), "noise as if drawn from the reals"


def server_of_noisy_counts(
    users: int,
    noise: UserNoise,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    colluders: int = 0,
    dropped: int = 0,
) -> PrivacyStatement:
    """The server of DPDG, for the replacement of one user's item.

    Colluders take their noise off, dropped users never add it, so that n - c - d users' noise is
    left. Raises `ValueError` when nobody's is.
    """
    left = honest_users(users, colluders, dropped)
    profile, assumption = noise.profile(left)
    whom = f" {count_of(left, 'user')}" + (
        f", with {count_of(colluders, 'colluding user')}" if colluders else ""
    )
    if dropped:
        assumption += f"; {count_of(dropped, 'user')} dropped out with their noise"
    return statement_of(
        profile,
        epsilon=epsilon,
        delta=delta,
        relation="replace",
        view=NOISY + whom,
        assumption=assumption,
    )


def noisy_run(
    users: int,
    epsilon: float,
    delta: float,
    calibration: Calibration,
    noise_share: str,
    colluders: int,
    dropped: int,
) -> tuple[list[PrivacyStatement], float]:
    """The server of a DPDG calibrated for (ε, δ), at that ε and at that δ.

    Some users collude and some dropped out. Also returns the factor of each user's variance that
    would make up for them. `noise_share` is `exact` or `as-printed`.
    """
    checks.one_of("calibration", calibration, CALIBRATIONS)
    checks.one_of("noise_share", noise_share, NOISE_SHARES)
    checks.users_and_items(users, 1)
    total = sigma(calibration, sqrt(2), epsilon, delta) ** 2  # of a count
    share = UserNoise(total / users if noise_share == "exact" else total / users**2)
    away = {"colluders": colluders, "dropped": dropped}
    return [
        server_of_noisy_counts(users, share, epsilon=epsilon, **away),
        server_of_noisy_counts(users, share, delta=delta, **away),
    ], restoring_factor(users, colluders, dropped)


def honest_users(users: int, colluders: int, dropped: int) -> int:
    """How many users' noise is left: n - c - d. Raises `ValueError` unless that is positive."""
    checks.number_of_users("colluders", colluders)
    checks.number_of_users("dropped", dropped)
    if colluders + dropped >= users:
        raise ValueError(
            f"of {users} users {colluders} collude and {dropped} dropped out: nobody's "
            f"noise is left"
        )
    return users - colluders - dropped


def restoring_factor(users: int, colluders: int, dropped: int) -> float:
    """By how much each user's variance must grow to make up for those who are missing.

    So n - c - d shares add up to what n shares did.
    """
    return users / honest_users(users, colluders, dropped)
