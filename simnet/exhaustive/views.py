"""Exact laws of what a coalition sees.

Theory of operation. The view of a coalition in one world is what its members know there: their
inputs and coins, the plain messages they receive with their senders, and field elements. Field
coins are not played out; they stay unknowns. So the field elements that members receive are linear
forms y in honest coins, honest secrets and what members know themselves, and their law is found by
algebra instead of enumeration:

- K is the reduced basis of all combinations λ of the messages seen from which honest coins cancel.
- Given the discrete part of the view, K·y is a number determined by secrets, and all else about y
  is uniform, because it contains honest coins that nothing else contains.

Hence (discrete part, K, K·y), the *reduced view*, carries all the information of the whole view,
and two inputs have equal laws of the one exactly when they have equal laws of the other. This needs
K to be a function of the discrete part, or else the coalition does not know K and the pair is not
what it sees: where one discrete part occurs with two K, no law is claimed.

Example. "a" holds s in F_3 and sends it to "b" masked by a field coin c; then "b" learns c - s as
well, or not.

    b sees            K (rows)        K·y
    s + c             none            nothing: the message is uniform
    s + c, c - s      (1, -1)         2s

In the first case the law has one view of probability 1, whatever s is; in the second the view tells
s. Views of coalitions and of the network are compared in `compare`.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction

import attrs

from simnet.adversary.coalition import Coalition, coalition_of
from simnet.coins.law import Law
from simnet.errors import BadInput
from simnet.exhaustive.model import LIMIT, Model, Progress, ScheduleNode, World
from simnet.exhaustive.network import Summands
from simnet.exhaustive.outbox import SentMessage
from simnet.exhaustive.reading import is_coin, owner, received_place
from simnet.kernel.inputs import Inputs
from simnet.linear.span import Span
from simnet.linear.unknowns import ONE
from simnet.linear.vectors import Vector, add_to


@attrs.frozen(eq=False)
class _ScheduleView:
    """What a coalition sees at a node of the schedule tree, for whatever values of secrets."""

    received: Hashable  # plain messages and traffic
    basis: Hashable  # K by messages seen, and what of K·y is the coalition's own
    functions: tuple[tuple[Vector, int], ...]  # the rest of K·y, by secrets, each with its modulus


class Views:
    """Laws of the view that a coalition has of a protocol."""

    def __init__(self, model: Model, corrupt: str | Iterable[str] | Coalition) -> None:
        self.corrupt: Coalition = coalition_of(corrupt, model.roster)
        self._model = model
        self._members = frozenset(model.roster.find(name) for name in self.corrupt.parties)
        self._by_schedule: dict[ScheduleNode, _ScheduleView] = {}
        self._bases: dict[Hashable, Hashable] = {}  # by discrete part

    def law(self, inputs: Inputs, limit: int = LIMIT, progress: Progress = lambda _: None) -> Law:
        """The exact law of the view on these inputs.

        Raises `BadInput` where there is none to claim.
        """
        return self.law_over(self._model.worlds(inputs, limit, progress))

    def law_over(self, worlds: Iterable[World]) -> Law:
        """The exact law of the view over these worlds."""
        law: dict[Hashable, Fraction] = {}
        for world in worlds:
            view = self.view(world)
            law[view] = law.get(view, Fraction(0)) + world.probability
        return law

    def view(self, world: World) -> Hashable:
        """What the coalition sees of one world: its discrete part, K, and the values of K·y."""
        histories = tuple(
            (party, world.states[party].history.mark) for party in sorted(self._members)
        )
        seen = self._by_schedule.get(world.schedule)
        if seen is None:
            seen = self._by_schedule[world.schedule] = self._at(world.schedule)
        discrete = histories, seen.received
        if self._bases.setdefault(discrete, seen.basis) != seen.basis:
            raise BadInput(
                f"{{{self.corrupt}}} cannot tell which combinations of messages are free of "
                f"coins, so the reduced view "
                "has no exact law: enumerate field coins too"
            )
        values = []
        for function, modulus in seen.functions:
            total = 0
            for unknown, coefficient in function.items():
                total += coefficient * (
                    1 if unknown == ONE else world.states[owner(unknown)].secrets[unknown]
                )
            values.append(total % modulus)
        return discrete, seen.basis, tuple(values)

    def _at(self, node: ScheduleNode) -> _ScheduleView:
        messages = self._messages(node)
        bases: list[Hashable] = []
        functions: list[tuple[Vector, int]] = []
        for modulus, forms in sorted(self._forms(node, messages).items()):
            for combination in _coin_free(forms, modulus, self._members):
                total: Vector = {}
                for place, weight in combination.items():
                    add_to(total, forms[place], weight, modulus)
                own = {
                    unknown: value
                    for unknown, value in total.items()
                    if owner(unknown) in self._members
                }
                bases += [
                    (modulus, tuple(sorted(combination.items()))),
                    (modulus, tuple(sorted(own.items()))),
                ]
                rest = {unknown: value for unknown, value in total.items() if unknown not in own}
                functions.append((rest, modulus))
        return _ScheduleView(self._received(node, messages), tuple(bases), tuple(functions))

    def _messages(self, node: ScheduleNode) -> list[SentMessage]:
        """The messages that reach members from outside, in an order that hides when they came."""
        reaching = [
            posting.message
            for posting in node.network.sent
            if posting.message.recipient in self._members
            and posting.message.sender not in self._members
        ]
        return sorted(reaching, key=_place)

    def _received(self, node: ScheduleNode, messages: Sequence[SentMessage]) -> Hashable:
        """Who sends what to members, plain contents included; the traffic, if it is watched."""
        received = tuple(
            (message.sender, message.recipient, message.tag, message.key, message.content)
            for message in messages
        )
        if not self.corrupt.network:
            return received
        traffic = sorted(
            (round_, message.sender, message.recipient, message.frame_bytes)
            for round_, message in node.network.sent
            if message.recipient != message.sender
        )
        return received, tuple(traffic)

    def _forms(
        self, node: ScheduleNode, messages: Sequence[SentMessage]
    ) -> dict[int, dict[int, Vector]]:
        """The elements that members see, by modulus and by their place among all elements seen."""
        by_modulus: dict[int, dict[int, Vector]] = {}
        place = 0
        for message in messages:
            for forms, elements in zip(message.forms, message.vectors, strict=True):
                modulus = forms.field.modulus
                for element in elements:
                    resolved = _resolved(node, message.sender, element, modulus)
                    by_modulus.setdefault(modulus, {})[place] = resolved
                    place += 1
        return by_modulus


def _resolved(node: ScheduleNode, party: int, form: Vector, modulus: int) -> Vector:
    """A party's form with what it has received replaced by what was sent, back to the origins."""
    result: Vector = {}
    for unknown, value in form.items():
        place = received_place(unknown)
        if place is None:
            add_to(result, {unknown: value}, 1, modulus)
            continue
        number, element = place
        sources = node.network.sources[party]
        piece = _piece(sources, number)
        for message in sources[number]:
            sent = message.vectors[piece][element]
            add_to(result, _resolved(node, message.sender, sent, modulus), value, modulus)
    return result


def _place(message: SentMessage) -> tuple[int, int, str, int]:
    """Where a message stands among others; those that are alike stay in the order of sending."""
    key = -1 if message.key is None else message.key
    return message.sender, message.recipient, message.tag, key


def _piece(sources: Sequence[Summands], number: int) -> int:
    """Which of its message's forms the `number`-th array received is.

    A message of several forms is listed several times, once for each of them.
    """
    start = number
    while start and sources[start - 1] is sources[number]:
        start -= 1
    return number - start


def _coin_free(forms: dict[int, Vector], modulus: int, members: frozenset[int]) -> list[Vector]:
    """K: the reduced basis of the combinations of forms from which honest coins cancel."""
    coins, combinations = Span(modulus), Span(modulus)
    for place, form in forms.items():
        honest = {
            unknown: value
            for unknown, value in form.items()
            if is_coin(unknown) and owner(unknown) not in members
        }
        rest, origin = coins.reduce(honest, {place: 1})
        if rest:
            coins.add(honest, {place: 1})
        else:
            combinations.add(origin)
    return [vector for vector, _ in combinations.basis()]
