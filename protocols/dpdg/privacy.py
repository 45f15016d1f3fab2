"""Privacy of DPDG against its server, which sees all counts with the noise that users add.

Users may collude with the server, or drop out. A grid is coarse if the standard deviation of the
summed noise is at most 1,000 grid steps. On a coarse grid we add up the laws by which users draw
integers (see `noise_shares`). On a fine grid we treat the noise as Gaussian, because its law is
close to a Gaussian one. Rounding a Gaussian to the grid adds about 1/12 of a squared grid step to
the variance of each user's noise, which the statement for the fine grid ignores.

Source: Yang et al., section 3.1.2.
"""

from math import inf, sqrt
from typing import Literal, get_args

import attrs

from protocols import checks
from protocols.privacy.gaussian import CALIBRATIONS, Calibration, GaussianProfile, sigma
from protocols.privacy.profile import Profile
from protocols.privacy.statement import statement_of
from simnet.printable import count_of
from simnet.stated.privacy import PrivacyStatement

Draw = Literal["rounded-gaussian", "discrete-gaussian"]

NOISE_SHARES = ("exact", "as-printed")
NOISY = "the server: all counts with the noise of"
TOLERANCE = 1e-6
# With a smaller variance, in squares of grid steps, noise on the grid is 0 except with a
# probability below 1e-300.
LEAST_STEPS = 1e-4
COARSE = 1000.0  # the exact law is computed if the sum's deviation is at most this many grid steps


@attrs.frozen
class UserNoise:
    """One user's share of the noise on a count: its variance, its law, and its grid.

    `variance` is in squares of counts. `draw` is `rounded-gaussian` or `discrete-gaussian`. With
    `fraction_bits` = k the noise lies on a grid of 2^-k; with None the noise is a real number.

    Raises `ValueError` for a variance that is not positive and finite, for another law, and for a
    negative k.

    >>> noise = UserNoise(variance=4.0)
    >>> server_of_noisy_counts(100, noise, delta=1e-6).epsilon  # doctest: +ELLIPSIS
    0.27...
    """

    variance: float
    draw: Draw = "rounded-gaussian"
    # k: a count of 1 is 2^k steps of the grid. None stands for noise in real numbers.
    fraction_bits: int | None = None

    def __attrs_post_init__(self) -> None:
        checks.number("variance", self.variance)
        if not 0 < self.variance < inf:  # also refuses NaN
            raise ValueError(f"the variance of noise is positive and finite, got {self.variance}")
        checks.one_of("draw", self.draw, get_args(Draw))
        if self.fraction_bits is not None:
            checks.whole("fraction_bits", self.fraction_bits, 0)

    def profile(self, shares: int) -> tuple[Profile, str]:
        """Return the privacy profile of the sum of `shares` users' noise, and its assumption in
        words. Raises `ValueError` for noise that is too large or too small to compute with.
        """
        deviation = sqrt(shares * self.variance)
        if self.fraction_bits is not None and deviation * 2**self.fraction_bits <= COARSE:
            # imported only here: few noises are so coarse
            from protocols.privacy.noise_shares import (
                discrete_gaussian,
                replacement,
                rounded_gaussian,
            )

            steps = self.variance * 4.0**self.fraction_bits
            if steps < LEAST_STEPS:
                raise ValueError(
                    f"the noise of a user has standard deviation {sqrt(steps):.3g} on its grid, "
                    "and is 0 there"
                )
            law = (
                rounded_gaussian(steps)
                if self.draw == "rounded-gaussian"
                else discrete_gaussian(steps)
            )
            words = (
                "noise on its grid, with exactly the law by which it is drawn; the computed δ or ε "
                "is the upper end of an interval"
            )
            return replacement(law, shares, 1 << self.fraction_bits, TOLERANCE), words
        return GaussianProfile(deviation, sqrt(2)), "noise of real numbers, not rounded to a grid"


def server_of_noisy_counts(
    users: int,
    noise: UserNoise,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    colluders: int = 0,
    dropped: int = 0,
) -> PrivacyStatement:
    """Return the privacy statement of DPDG's server, at an ε or at a δ.

    Neighbouring inputs differ in one user's item. Colluding users subtract their noise, and users
    who dropped out never add theirs, so the noise of all other users remains. Give exactly one of
    `epsilon` and `delta`.

    Raises `ValueError` if no user's noise remains, if the remaining noise is too large or too small
    to compute with, for an ε or a δ out of range, and if both of them or none is given.

    >>> statement = server_of_noisy_counts(100, UserNoise(4.0), epsilon=0.5, colluders=10)
    >>> statement.relation
    'replace'
    """
    left = honest_users(users, colluders, dropped)
    profile, assumption = noise.profile(left)
    whom = f" {count_of(left, 'user')}" + (
        f", with {count_of(colluders, 'colluding user')}" if colluders else ""
    )
    if dropped:
        assumption += f"; {count_of(dropped, 'user')} dropped out and added no noise"
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
    """Return the privacy statements of the server of a calibrated DPDG, at its ε and at its δ.

    The noise is calibrated for `users` users and (ε, δ). Of these users, `colluders` collude with
    the server and `dropped` dropped out. The function also returns the factor by which each user's
    variance must grow to make up for the missing noise of these users. `noise_share` is `exact` or
    `as-printed`.
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
    """Return how many users' noise remains if c users collude and d dropped out: n - c - d.

    Raises `ValueError` if this number is not positive, and for a negative c or d.
    """
    checks.number_of_users("colluders", colluders)
    checks.number_of_users("dropped", dropped)
    if colluders + dropped >= users:
        raise ValueError(
            f"no user's noise is left: {count_of(users, 'user')}, and among them "
            f"{count_of(colluders, 'colluder')} and {count_of(dropped, 'drop-out')}"
        )
    return users - colluders - dropped


def restoring_factor(users: int, colluders: int, dropped: int) -> float:
    """Return the factor by which each user's variance must grow to make up for missing users.

    With this factor the remaining shares add up to the variance that all shares had before.
    """
    return users / honest_users(users, colluders, dropped)
