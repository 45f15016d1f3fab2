"""Find related secrets: two secrets are related if a change of one of them may change the other.

If a party makes two secrets from its input (x and x², or one bit over two fields), the two are
related. A secret that is made from field elements is related to the secrets of honest parties in
these elements. A function of related secrets may be constant although its coefficients are not 0.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence

from simnet.adversary.door_uses import DoorUse, Product
from simnet.adversary.rewriting import Arguments
from simnet.adversary.roles import Roles


class Relations:
    """Groups of related secrets, by the number of their family."""

    def __init__(
        self,
        uses: Sequence[DoorUse],
        arguments: Sequence[Arguments],
        roles: Roles,
        same_inputs: bool = False,
    ) -> None:
        """`same_inputs` says that all runs have the same inputs."""
        self._above: dict[Hashable, Hashable] = {}
        self._made = {use.made.number for use in uses if use.made is not None}
        inputs: set[tuple[int | None, str]] = set()
        for use in uses:
            if use.made is not None and use.has_input:
                # In one run, an input is the same variable in all doors of its party.
                variable = (None if same_inputs else use.run, use.party)
                inputs.add(variable)
                self._join(use.made.number, variable)
        factors = {
            each.source.made.number: each.families
            for each in arguments
            if isinstance(each.source, Product)
        }
        for each in arguments:
            if isinstance(each.source, DoorUse) and each.source.made is not None:
                for number in _with_factors(each.families, factors):
                    if not roles.known[number] and not roles.coin[number]:
                        self._join(each.source.made.number, number)
        self._roots_of_inputs = {self.group(slot) for slot in inputs}

    def group(self, node: Hashable) -> Hashable:
        """A key of the group: equal for families that are related."""
        while node in self._above:
            node = self._above[node]
        return node

    def has_no_input(self, family: int) -> bool:
        """Return whether a secret depends on no input of an honest party: no input was given to the
        door that made it, or to the doors that made secrets related to it. False for a family that
        no door made.
        """
        return family in self._made and self.group(family) not in self._roots_of_inputs

    def _join(self, one: Hashable, other: Hashable) -> None:
        first, second = self.group(one), self.group(other)
        if first != second:
            self._above[first] = second


def _with_factors(families: Collection[int], factors: Mapping[int, Collection[int]]) -> set[int]:
    found: set[int] = set()
    pending = list(families)
    while pending:
        number = pending.pop()
        if number not in found:
            found.add(number)
            pending += factors.get(number, ())
    return found
