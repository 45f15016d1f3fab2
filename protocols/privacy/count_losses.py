"""Privacy losses of sampled counts, for composing several collections.

The collections are repetitions of one, or those of several groups that a user is in. A count is
Bin(Π, p), drawn afresh in every collection. Removing a user turns it into Bin(Π - 1, p); replacing
the user's item does so for one item and the opposite for another, independently. `sampled_counts`
has one collection in closed form; δ falls as counts rise in a composition too, each collection
being post-processed by itself. Source: Yang et al., section 3.1.1 for the mechanism.
"""

from math import ceil, exp, floor, sqrt

import numpy as np

from protocols.privacy.binomial import log_pmf
from protocols.privacy.convolution import ROUNDING
from protocols.privacy.loss import Losses, Pair
from protocols.privacy.sampled_counts import LARGEST_COUNT, LEAST_PARTICIPATION

LEFT_OUT = 700.0  # counts beyond a window have probability exp(-700) at most, on either side


def removal(count: int, participation: float) -> Pair:
    """Forward, an item's sampled count with the user among its `count` holders; backward, without.

    Raises `ValueError` for a count below 1 or too large, and for a participation outside 1e-290 to
    1.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= LARGEST_COUNT:
        raise ValueError(
            f"a removed user is one of 1 to {LARGEST_COUNT:,} holders, got count={count!r}"
        )
    if not LEAST_PARTICIPATION <= participation <= 1:
        raise ValueError(
            f"participation is a probability from {LEAST_PARTICIPATION:g} to 1, got {participation}"
        )
    if participation == 1:
        return Pair(_CERTAIN, _CERTAIN)
    low, high = _window(count, participation)
    x = np.arange(low, min(high, count - 1) + 1)
    # P(x)/Q(x); x = Π is impossible for Q
    losses = np.log(count * (1 - participation) / (count - x))
    masses = log_pmf(x, count, participation)
    infinite = (
        exp(float(log_pmf(np.array([count]), count, participation)[0])) if high >= count else 0.0
    )
    error = 8 * ROUNDING * (1 + float(abs(losses).max()))
    # That of `log_pmf`: roundings of the distance to the mean
    mass_error = 1e-13 + 8 * ROUNDING * (high - low)
    unknown = 2 * exp(-LEFT_OUT)
    return Pair(
        Losses(masses, losses, infinite, unknown, error, mass_error),
        Losses(masses - losses, -losses, 0.0, unknown, error, mass_error + error),
    )


def replacement(origin: int, target: int, participation: float) -> tuple[Pair, Pair]:
    """The pairs seen when a user moves from an item with `origin` holders to one with `target`.

    The user is one of the `origin` holders. Raises `ValueError` as `removal` does.
    """
    arriving = removal(target + 1, participation)
    return removal(origin, participation), Pair(arriving.backward, arriving.forward)


def _window(count: int, participation: float) -> tuple[int, int]:
    """Counts beyond which either law has at most exp(-LEFT_OUT) on each side.

    They follow from Bernstein's inequality.
    """
    spread = count * participation * (1 - participation)
    reach = LEFT_OUT / 3 + sqrt((LEFT_OUT / 3) ** 2 + 2 * LEFT_OUT * spread)
    low = max(floor(count * participation - reach) - 1, 0)
    high = min(ceil(count * participation + reach), count)
    return low, high


# a count that is surely Π, against one that is surely Π - 1
_CERTAIN = Losses(np.array([]), np.array([]), 1.0)
