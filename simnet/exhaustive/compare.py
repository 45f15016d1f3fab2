"""Two views compared exactly, and the privacy of a view between neighbouring inputs.

Example. In randomized response with truth probability 3/4, the server's view of an answer is
three times as likely for one input as for the other:

>>> from simnet import Seat, Tag, bits
>>> ANSWER = Tag("answer")
>>> class Ask:
...     items = 2
...     def parties(self):
...         return {"u1": Seat(self.user), "server": Seat(self.server)}
...     async def user(self, me, item):
...         await me.send(ANSWER, "server", bits([me.disclose(self.answer, item)]))
...     def answer(self, item, coins):
...         return (item == 2) ^ coins.bernoulli(Fraction(1, 4))
...     async def server(self, me):
...         return (await me.receive(ANSWER, "u1")).numbers()
>>> comparison = Comparison(Ask(), "server")
>>> compared = comparison.compare([1], [2])
>>> compared.same, compared.tapes, str(compared.delta()), round(compared.epsilon, 4)
(False, (2, 2), '1/2', 1.0986)
>>> list(comparison.neighbours([1]))
[[2]]
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from simnet import markup
from simnet.adversary.coalition import Coalition
from simnet.coins.law import Law, delta, epsilon, law_of
from simnet.coins.tape import Tape
from simnet.contract import Ideal, OverItems, Protocol
from simnet.doors.captured import knowledge_of
from simnet.errors import BadInput
from simnet.exhaustive.bases import ReducedLaw, on_common_bases
from simnet.exhaustive.model import LIMIT, Model, Progress
from simnet.exhaustive.reading import OnTape
from simnet.exhaustive.views import Views
from simnet.kernel.ideal import ideal_world
from simnet.record.fate import Ending, Fates, Happened, MessageFate
from simnet.values.residues import residues_of

POINTS = 40  # the number of points of a curve of δ
SHORT = 24  # a fraction with at most so many characters is shown exactly


@attrs.frozen(eq=False, repr=False)
class Compared:
    """The laws of a coalition's view on two inputs. `tapes` are the numbers of worlds on the two
    inputs; for ideal worlds, the numbers of possible outcomes.
    """

    first: Law
    second: Law
    tapes: tuple[int, int]
    counted: str = "worlds"  # what `tapes` count, in words

    @property
    def same(self) -> bool:
        """Whether the two laws are equal."""
        return self.first == self.second

    @property
    def epsilon(self) -> float:
        """The ε for δ = 0: the largest absolute log-ratio of probabilities. It is infinite if a
        view is possible on one input and impossible on the other.
        """
        return 0.0 if self.same else epsilon(self.first, self.second)

    def delta(self, epsilon: float = 0) -> Fraction | float:
        """Return δ(ε). δ(0) is a fraction, the total variation distance."""
        return delta(self.first, self.second, epsilon)

    def plot(self, up_to: float = 2.0) -> Any:
        """Return a matplotlib figure of δ(ε) for ε from 0 to `up_to`."""
        from simnet.drawing import line_figure  # drawing is an extra

        grid = [up_to * step / POINTS for step in range(POINTS + 1)]
        exact = {"exact δ(ε)": [float(self.delta(each)) for each in grid]}
        return line_figure(grid, exact, x_label="ε", y_label="δ(ε)")

    def __repr__(self) -> str:
        if self.same:
            return f"the two laws are equal ({self._sizes} {self.counted})"
        return (
            f"the two laws differ: ε = {self.epsilon:.6g}, δ(0) = {self._distance} "
            f"({self._sizes} {self.counted})"
        )

    @property
    def _sizes(self) -> str:
        return f"{self.tapes[0]:,} and {self.tapes[1]:,}"

    @property
    def _distance(self) -> str:
        total = self.delta()
        is_shown = isinstance(total, Fraction) and "/" in str(total) and len(str(total)) <= SHORT
        exactly = f"{total} = " if is_shown else ""
        return f"{exactly}{float(total):.6g}"

    def _repr_html_(self) -> str:
        heads = ["equal laws?", "exact ε", "δ(0)", self.counted]
        row = ["yes" if self.same else "no", f"{self.epsilon:.6g}", self._distance, self._sizes]
        return markup.table(heads, [row])


@attrs.frozen(eq=False)
class WorstNeighbour:
    """The neighbour of an input with the largest δ and, among equal δ, with the largest ε; the
    input itself if no neighbour can be told apart.

    `largest_epsilon` is the largest ε of all neighbours. It may belong to another neighbour.
    """

    compared: Compared
    neighbour: list[Any]
    largest_epsilon: float


@attrs.frozen(eq=False)
class _Worlds:
    law: ReducedLaw
    count: int
    endings: Mapping[tuple[Ending, ...], Fraction]
    happened: Sequence[Happened]


class Comparison:
    """Compares a protocol's views for one coalition, and keeps the laws.

    With `enumerate_field`, field coins are played out too. `fates` says which parties drop out, and
    `message_fates` which messages go astray.
    """

    def __init__(
        self,
        protocol: Protocol,
        corrupt: str | Iterable[str] | Coalition,
        enumerate_field: bool = False,
        limit: int = LIMIT,
        fates: Fates | None = None,
        message_fates: Sequence[MessageFate] = (),
    ) -> None:
        self.model = Model(protocol, enumerate_field, fates, message_fates)
        self.views = Views(self.model, corrupt)
        self._limit = limit
        self._laws: dict[Hashable, _Worlds] = {}

    @property
    def corrupt(self) -> Coalition:
        """The coalition whose views are compared."""
        return self.views.corrupt

    def compare(
        self, first: Sequence[Any], second: Sequence[Any], progress: Progress = lambda _: None
    ) -> Compared:
        """Compare the views on two inputs.

        Raises `BadInput` if a member of the coalition has different inputs on the two sides, for
        inputs that do not fit the protocol, and if there are too many worlds or views.
        """
        inputs, other_inputs = self.model.named(first), self.model.named(second)
        for name in self.corrupt.parties:
            if inputs.get(name) != other_inputs.get(name):
                raise BadInput(
                    f"{name} is in the coalition and knows its own input: this input must be the "
                    "same on both sides"
                )
        left, right = self._law(first, progress), self._law(second, progress)
        one, other = on_common_bases([left.law, right.law])
        return Compared(one, other, (left.count, right.count))

    def tapes(self, inputs: Sequence[Any], progress: Progress = lambda _: None) -> int:
        """The number of worlds on these inputs."""
        return self._law(inputs, progress).count

    def endings(self, inputs: Sequence[Any]) -> Mapping[tuple[Ending, ...], Fraction]:
        """Return the probability of each way in which the run ends. A key lists the parties that
        abort or wait for ever, in order; it is empty if there are none.
        """
        return self._law(inputs, lambda _: None).endings

    def compare_ideal(self, first: Sequence[Any], second: Sequence[Any]) -> Compared:
        """Compare what the ideal world hands to the coalition on two inputs.

        The functionality is told who dropped out and who was heard. Raises `BadInput` for a
        protocol without functionality, and if coins decide who drops out or is heard.
        """
        sides = [self._ideal(inputs) for inputs in (first, second)]
        return Compared(sides[0], sides[1], (len(sides[0]), len(sides[1])), "outcomes")

    def _ideal(self, inputs: Sequence[Any]) -> Law:
        protocol = self.model.protocol
        if not isinstance(protocol, Ideal):
            raise BadInput("the protocol has no functionality, so it has no ideal world")
        heard = self._law(inputs, lambda _: None).happened
        if len(heard) > 1:
            raise BadInput(
                "the ideal world cannot be computed here: `functionality` is told who dropped out "
                "and who was heard, and in these runs this depends on coins"
            )
        named = self.model.named(inputs)

        def draw(tape: Tape) -> Hashable:
            handed = ideal_world(protocol, named, 0, OnTape(tape), heard[0], self.model.vault)
            return tuple(
                (name, _plain(handed[name])) for name in self.corrupt.parties if name in handed
            )

        return law_of(draw)

    def worst(
        self,
        inputs: Sequence[Any],
        epsilon: float = 0,
        progress: Callable[[int], None] = lambda _: None,
    ) -> WorstNeighbour:
        """Find the neighbour with the largest δ(ε), and the largest ε over all neighbours.

        `progress` is called with 1 after each neighbour.
        """
        worst = WorstNeighbour(self.compare(inputs, inputs), list(inputs), 0.0)
        for neighbour in self.neighbours(inputs):
            compared = self.compare(inputs, neighbour)
            largest = max(worst.largest_epsilon, compared.epsilon)
            before = worst.compared
            if (compared.delta(epsilon), compared.epsilon) > (
                before.delta(epsilon),
                before.epsilon,
            ):
                worst = WorstNeighbour(compared, neighbour, largest)
            worst = attrs.evolve(worst, largest_epsilon=largest)
            progress(1)
        return worst

    def neighbours(self, inputs: Sequence[Any]) -> Iterator[list[Any]]:
        """Yield all inputs in which one honest party has another item.

        Raises `BadInput` for a protocol that does not say which items are possible.
        """
        protocol = self.model.protocol
        if not isinstance(protocol, OverItems):
            raise BadInput(
                "the protocol has no `items`, so its possible inputs are unknown: give the inputs "
                "to compare with (--versus)"
            )
        for place, name in enumerate(self.model.named(inputs)):
            if name not in self.corrupt.parties:
                for item in range(1, protocol.items + 1):
                    if item != inputs[place]:
                        yield [*inputs[:place], item, *inputs[place + 1 :]]

    def _law(self, inputs: Sequence[Any], progress: Progress) -> _Worlds:
        key = knowledge_of(tuple(self.model.named(inputs).items()))
        if key not in self._laws:
            worlds = self.model.worlds(inputs, self._limit, progress)
            endings: dict[tuple[Ending, ...], Fraction] = {}
            happened: list[Happened] = []
            for world in worlds:
                endings[world.aborts] = endings.get(world.aborts, Fraction(0)) + world.probability
                told = self.model.happened(world)
                if told not in happened:
                    happened.append(told)
            law = self.views.reduced_law(worlds)
            self._laws[key] = _Worlds(law, len(worlds), endings, happened)
        return self._laws[key]


def _plain(handed: Any) -> Hashable:
    arrays = handed if isinstance(handed, list | tuple) else [handed]
    return tuple(tuple(residues_of(array).reshape(-1).tolist()) for array in arrays)


def same_view(
    first: Sequence[Any],
    second: Sequence[Any],
    corrupt: str | Iterable[str] | Coalition,
    protocol: Protocol,
) -> bool:
    """Whether a coalition's view has the same law on two inputs."""
    return Comparison(protocol, corrupt).compare(first, second).same
