"""Two views compared exactly, and the exact privacy of a view between neighbouring inputs."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from simnet.adversary.coalition import Coalition
from simnet.errors import BadInput
from simnet.exhaustive.law import Law, Views, delta, epsilon
from simnet.exhaustive.worlds import LIMIT, Worlds

Progress = Callable[[float], None]


@attrs.frozen(eq=False)
class Compared:
    """How two inputs differ in the eyes of a collusion set; `tapes` are the worlds played out for
    each of them.
    """

    one: Law
    other: Law
    tapes: tuple[int, int]

    @property
    def same(self) -> bool:
        """Whether the two laws are equal."""
        return self.one == self.other

    @property
    def epsilon(self) -> float:
        """The exact ε for δ = 0: the largest log-ratio of probabilities."""
        return 0.0 if self.same else epsilon(self.one, self.other)

    def delta(self, epsilon: float = 0) -> Any:
        """The exact δ(ε), a fraction for ε = 0, where it is the total variation distance."""
        return delta(self.one, self.other, epsilon)


@attrs.frozen(eq=False)
class Worst:
    """The neighbour that a set can tell apart best, by δ; and the largest ε of any neighbour, maybe
    another.
    """

    compared: Compared
    neighbour: list[Any]
    largest_epsilon: float


class Comparison:
    """Comparisons of a protocol's views for one collusion set; what was played out once is kept.

    With `numbers`, field coins are enumerated too.
    """

    def __init__(
        self, protocol: Any, corrupt: Any, numbers: bool = False, limit: int = LIMIT
    ) -> None:
        self.worlds = Worlds(protocol, numbers)
        self.views = Views(self.worlds, corrupt)
        self._limit = limit
        self._laws: dict[tuple[Any, ...], tuple[Law, int]] = {}

    def compare(
        self, one: Sequence[Any], other: Sequence[Any], progress: Progress = lambda _: None
    ) -> Compared:
        """The views on two inputs. Raises `BadInput` where the set could tell them apart by its own
        inputs.
        """
        named = [self.worlds.named(inputs) for inputs in (one, other)]
        own = next(
            (
                name
                for name in self.views.corrupt.parties
                if named[0].get(name) != named[1].get(name)
            ),
            None,
        )
        if own is not None:
            raise BadInput(
                f"{own} is corrupt and knows its own input: it must hold the same on both sides"
            )
        (first, tapes), (second, others) = self._law(one, progress), self._law(other, progress)
        return Compared(first, second, (tapes, others))

    @property
    def corrupt(self) -> Coalition:
        """The set."""
        return self.views.corrupt

    def tapes(self, inputs: Sequence[Any], progress: Progress = lambda _: None) -> int:
        """How many worlds there are on these inputs; `progress` is told the probability covered."""
        return self._law(inputs, progress)[1]

    def worst(
        self,
        inputs: Sequence[Any],
        epsilon: float = 0,
        progress: Callable[[int], None] = lambda _: None,
    ) -> "Worst":
        """The largest ε and the largest δ(ε) over all neighbours; `progress` is called after
        each.
        """
        worst = Worst(self.compare(inputs, inputs), list(inputs), 0.0)
        for neighbour in self.neighbours(inputs):
            compared = self.compare(inputs, neighbour)
            largest = max(worst.largest_epsilon, compared.epsilon)
            held = worst.compared
            if (compared.delta(epsilon), compared.epsilon) > (held.delta(epsilon), held.epsilon):
                worst = Worst(compared, neighbour, largest)
            worst = attrs.evolve(worst, largest_epsilon=largest)
            progress(1)
        return worst

    def neighbours(self, inputs: Sequence[Any]) -> Iterator[list[Any]]:
        """All inputs in which one honest party holds another item."""
        if not hasattr(self.worlds.protocol, "items"):
            raise BadInput(
                "neighbours hold other items, and this protocol has no `items`: give the "
                "other side itself"
            )
        items = int(self.worlds.protocol.items)
        for place, name in enumerate(self.worlds.named(inputs)):
            if name not in self.views.corrupt.parties:
                for item in range(1, items + 1):
                    if item != inputs[place]:
                        yield [*inputs[:place], item, *inputs[place + 1 :]]

    def _law(self, inputs: Sequence[Any], progress: Progress) -> tuple[Law, int]:
        key = tuple(inputs)
        if key not in self._laws:
            worlds = self.worlds.of(inputs, self._limit, progress)
            self._laws[key] = self.views.law_of(worlds), len(worlds)
        return self._laws[key]


def same_view(one: Sequence[Any], other: Sequence[Any], corrupt: Any, protocol: Any) -> bool:
    """Whether a collusion set's view has exactly the same law on two inputs."""
    return Comparison(protocol, corrupt).compare(one, other).same
