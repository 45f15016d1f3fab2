"""Makes groups of a weighted aggregation from protocols of any kind."""

from collections.abc import Iterable

from protocols.catalogue import about
from protocols.weighted.script import GroupProtocol, WeightedGroup


def weighted_groups(protocols: Iterable[GroupProtocol]) -> tuple[WeightedGroup, ...]:
    return tuple(WeightedGroup(protocol, about) for protocol in protocols)
