"""Privacy losses of sampled counts, for composing several collections.

The collections are repetitions of one collection, or the collections of several groups that a user
belongs to. A collection samples each holder of an item with the same probability p. So the count of
an item with Π holders has the law Bin(Π, p), and the counts of different collections are
independent. If one holder is removed, the law of the count becomes Bin(Π - 1, p). If a user's item
is replaced, the old item loses one holder and the new item gains one; the two counts are
independent. More holders never increase the δ of a composition, because in each collection the
count of more holders is the count of fewer holders plus coins that are independent of it.

Source: Yang et al., section 3.1.1 for the mechanism.
"""

from math import ceil, exp, floor, inf, sqrt

import numpy as np

from protocols import checks
from protocols.privacy.binomial import log_pmf
from protocols.privacy.convolution import ROUNDING
from protocols.privacy.loss import Losses, Pair
from protocols.privacy.sampled_counts import LARGEST_COUNT, LEAST_PARTICIPATION

LEFT_OUT = 700.0  # on either side, counts outside a window have probability at most exp(-700)


def removal(count: int, participation: float) -> Pair:
    """Return the privacy losses of an item's sampled count when one of its holders is removed.

    The forward law counts all `count` holders, including the user; the backward law counts the
    `count` - 1 holders without the user. Raises `ValueError` for a count below 1 or above 10^9, and
    for a participation outside 1e-290 to 1.

    >>> from protocols import Composition
    >>> ten = Composition([(removal(count=1000, participation=0.5), 10)])
    >>> round(ten.epsilon(delta=1e-6).estimate, 2)
    0.41
    """
    checks.whole("count", count, 1, LARGEST_COUNT)
    return _removal(count, participation)


def _removal(count: int, participation: float) -> Pair:
    if not LEAST_PARTICIPATION <= participation <= 1:
        raise ValueError(
            f"participation is a probability from {LEAST_PARTICIPATION:g} to 1, got {participation}"
        )
    if participation == 1:
        return Pair(_CERTAIN, _CERTAIN)
    low, high = _window(count, participation)
    x = np.arange(low, min(high, count - 1) + 1)
    # the logarithm of P(x)/Q(x); x = Π is impossible under Q
    losses = np.log(count * (1 - participation) / (count - x))
    masses = log_pmf(x, count, participation)
    log_all = float(log_pmf(np.array([count]), count, participation)[0]) if high >= count else -inf
    error = 8 * ROUNDING * (1 + float(abs(losses).max()))
    # `log_pmf` has an error because it rounds the distance of a count from the mean, and because it
    # rounds its result
    largest = max(float(abs(masses).max()), -log_all if high >= count else 0.0)
    mass_error = 1e-13 + 8 * ROUNDING * (high - low + largest)
    unknown = 2 * exp(-LEFT_OUT)
    return Pair(
        Losses(masses, losses, exp(log_all), unknown, error, mass_error),
        Losses(masses - losses, -losses, 0.0, unknown, error, mass_error + error),
    )


def replacement(origin: int, target: int, participation: float) -> tuple[Pair, Pair]:
    """Return the privacy losses of two counts when one user's item is replaced.

    The user's old item has `origin` holders, including the user. The new item has `target` holders
    before the user joins them. Raises `ValueError` as `removal` does; `target` may be 0.

    >>> from protocols import Composition
    >>> once = Composition([(pair, 1) for pair in replacement(100, 100, participation=0.5)])
    >>> 0 < once.delta(epsilon=1.0).high < 1e-3
    True
    """
    checks.whole("target", target, 0, LARGEST_COUNT)
    arriving = _removal(target + 1, participation)
    return removal(origin, participation), Pair(arriving.backward, arriving.forward)


def _window(count: int, participation: float) -> tuple[int, int]:
    """Return a lowest and a highest count.

    Counts below the lowest have probability at most exp(-LEFT_OUT) with the user and without, and
    so have counts above the highest, by Bernstein's inequality.
    """
    spread = count * participation * (1 - participation)
    reach = LEFT_OUT / 3 + sqrt((LEFT_OUT / 3) ** 2 + 2 * LEFT_OUT * spread)
    low = max(floor(count * participation - reach) - 1, 0)
    high = min(ceil(count * participation + reach), count)
    return low, high


# the loss if the count is certainly Π with the user, and certainly Π - 1 without the user
_CERTAIN = Losses(np.array([]), np.array([]), 1.0)
