"""Quotients of estimates, as quotes read them."""

from simnet.study.quote import Counterpart
from simnet.study.table import Estimate


def times(one: Estimate, other: Estimate) -> Counterpart:
    """How many times the first is the second, as expected and as measured; the interval is that of both at worst."""
    assert one.expected is not None, "its law is known"
    assert other.expected, "its law is known, and it is not exact"
    return Counterpart(one.expected / other.expected, one.mean / other.mean, one.low / other.high, one.high / other.low)
