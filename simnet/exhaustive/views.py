"""Exact laws of what a coalition sees.

Theory of operation. The view of a coalition in one world is what its members know in this world:
their inputs and coins, the plain messages that they receive, and the field elements that they
receive. The members know the sender and the step of each message, and the order of the messages of
one sender. If field coins are not played out, the field elements that members receive are linear
forms y in field coins and secrets, and their law is found by algebra instead of enumeration:

- A row (a linear form) is *fixed* in a world if its coins are a linear combination of the coins of
  the rows that were opened in this world (`model`). Then the number of the row follows from secrets
  and from the numbers of the opened rows.
- K is the reduced basis of all fixed linear combinations of the messages seen and of the members'
  own field coins. If no row was opened, the fixed combinations are those in which all coins
  cancel.
- In one world, K·y follows from secrets and from the numbers of the opened rows. Any other
  combination of y contains coins that cancel neither in the messages nor with opened rows, so it is
  uniform.

Hence the *reduced view*, the triple (discrete part, K, K·y), carries all the information of the
whole view: if two inputs have equal laws of the reduced view, they have equal laws of the whole
view. The converse does not always hold. K may depend on something that the coalition does not see,
such as a coin that decides whether somebody uses a mask. Then the reduced view tells more than the
whole view. So if one discrete part occurs with several K, we write all views with this discrete
part in the common basis of these K (`bases`).

Example. Party "a" has a secret s in F_3 and a field coin c. Party "a" sends s + c to "b", and
perhaps also c - s::

    b sees            K (rows)        K·y
    s + c             none            nothing: the message is uniform
    s + c, c - s      (1, -1)         2s

If "b" sees only s + c, the reduced view is the same for every s. If "b" also sees c - s, the
reduced view is 2s, which tells s. Now let "a" send only s + c, open c, and go on with its number.
There are three worlds, one for each number of c, each with probability 1/3. In each of them s + c
is fixed: K is (1), and K·y is s, s + 1 or s + 2. So "b" sees each number with probability 1/3 and
learns nothing about s, unless the later actions of "a" depend on the number of c.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction

import attrs

from simnet.adversary.coalition import Coalition, coalition_of
from simnet.coins.law import Law
from simnet.exhaustive.bases import Basis, ReducedLaw, ReducedView, Row, on_common_bases, row_of
from simnet.exhaustive.model import (
    LIMIT,
    Model,
    Progress,
    ScheduleNode,
    World,
    opened_number,
    secrets_sum,
)
from simnet.exhaustive.network import Network, OpenedRow, Posting, coins_of, free_span
from simnet.exhaustive.reading import owner
from simnet.kernel.inputs import Inputs
from simnet.linear.span import Span
from simnet.linear.vectors import Vector, add_to


@attrs.frozen(eq=False)
class _Function:
    """One element of K·y: a form in secrets, minus a combination of opened numbers."""

    secrets: Vector
    opened: tuple[tuple[OpenedRow, int], ...]
    modulus: int


@attrs.frozen(eq=False)
class _ScheduleView:
    received: Hashable  # plain messages, silences and traffic
    basis: Basis  # K, as combinations of the messages seen and the members' own coins
    functions: tuple[_Function, ...]  # K·y


class Views:
    """Computes the laws of a coalition's view of a protocol."""

    def __init__(self, model: Model, corrupt: str | Iterable[str] | Coalition) -> None:
        self.corrupt: Coalition = coalition_of(corrupt, model.roster)
        self._model = model
        self._members = frozenset(model.roster.find(name) for name in self.corrupt.parties)
        self._by_schedule: dict[ScheduleNode, _ScheduleView] = {}

    def law(self, inputs: Inputs, limit: int = LIMIT, progress: Progress = lambda _: None) -> Law:
        """Return the law of the view on these inputs."""
        return self.law_over(self._model.worlds(inputs, limit, progress))

    def law_over(self, worlds: Iterable[World]) -> Law:
        """Return the law of the view over these worlds.

        Two results of this method are equal only if the whole views have equal laws. To know how
        far two laws are apart, use `Comparison`, which writes both laws in the same bases.
        """
        (law,) = on_common_bases([self.reduced_law(worlds)])
        return law

    def reduced_law(self, worlds: Iterable[World]) -> ReducedLaw:
        """The law of the reduced view over these worlds."""
        law: dict[ReducedView, Fraction] = {}
        for world in worlds:
            view = self.view(world)
            law[view] = law.get(view, Fraction(0)) + world.probability
        return law

    def view(self, world: World) -> ReducedView:
        """What the coalition sees of one world: its discrete part, K, and the values of K·y."""
        histories = tuple(
            (party, world.states[party].history.mark) for party in sorted(self._members)
        )
        seen = self._by_schedule.get(world.schedule)
        if seen is None:
            seen = self._by_schedule[world.schedule] = self._at(world.schedule)
        values = []
        for function in seen.functions:
            total = secrets_sum(function.secrets, world.states)
            for row, factor in function.opened:
                total -= factor * opened_number(row, world.states)
            values.append(total % function.modulus)
        return (histories, seen.received), seen.basis, tuple(values)

    def _at(self, node: ScheduleNode) -> _ScheduleView:
        network = node.network
        postings = self._postings(network)
        basis: list[Row] = []
        functions: list[_Function] = []
        for modulus, forms in sorted(self._forms(network, postings).items()):
            for combination, opened in self._fixed(network, forms, modulus):
                total: Vector = {}
                for place, weight in combination.items():
                    add_to(total, forms.get(place, {place: 1}), weight, modulus)
                rows = tuple((network.opened[place], weight) for place, weight in opened.items())
                for row, weight in rows:
                    add_to(total, row.form, weight, modulus)
                basis.append(row_of(modulus, combination))
                functions.append(_Function(total, rows, modulus))
        return _ScheduleView(self._received(network, postings), tuple(basis), tuple(functions))

    def _fixed(
        self, network: Network, forms: dict[int, Vector], modulus: int
    ) -> list[tuple[Vector, Vector]]:
        """K: the reduced basis of the fixed combinations of forms and of members' own coins.

        A combination names forms by their places, and own coins by their numbers. With each
        combination we return the combination of opened rows that cancels its coins; it names the
        opened rows by their places.
        """
        opened = [row.form for row in network.opened if row.modulus == modulus]
        own = {
            unknown
            for form in (*forms.values(), *opened)
            for unknown in coins_of(form)
            if owner(unknown) in self._members
        }
        coins, combinations = free_span(network.opened, modulus), Span(modulus)
        seen = {**forms, **{unknown: {unknown: 1} for unknown in sorted(own)}}
        for place, form in seen.items():
            rest, origin = coins.reduce(coins_of(form), {place: 1})
            if rest:
                coins.add(rest, origin)
            else:
                by_rows = {-1 - key: weight for key, weight in origin.items() if key < 0}
                messages = {key: weight for key, weight in origin.items() if key >= 0}
                combinations.add(messages, by_rows)
        return combinations.basis()

    def _postings(self, network: Network) -> list[Posting]:
        """The messages that members receive from honest parties, in order for each pair of sender
        and member.
        """
        reaching = [
            posting
            for posting in network.sent
            if posting.message.recipient in self._members
            and posting.message.sender not in self._members
        ]
        return sorted(reaching, key=_link)

    def _received(self, network: Network, postings: Sequence[Posting]) -> Hashable:
        """The sender, recipient, step and plain contents of each message to members, and the
        silences that members have met.

        If the coalition watches the network, also all traffic: round, sender, recipient and size of
        each message, in order for each link.
        """
        silences = tuple(
            sorted(
                (silence.recipient, silence.request.tag, silence.step, silence.senders)
                for silence in network.silences
                if silence.recipient in self._members
            )
        )
        messages = tuple(
            (
                posting.message.sender,
                posting.message.recipient,
                posting.step,
                posting.message.tag,
                posting.message.key,
                posting.message.key_wire,
                posting.message.content,
            )
            for posting in postings
        )
        received = (*messages, *silences)
        if not self.corrupt.network:
            return received
        traffic = tuple(
            (
                posting.round,
                posting.message.sender,
                posting.message.recipient,
                posting.message.frame_bytes,
            )
            for posting in sorted(network.sent, key=_link)
            if posting.message.recipient != posting.message.sender
        )
        return received, traffic

    def _forms(self, network: Network, postings: Sequence[Posting]) -> dict[int, dict[int, Vector]]:
        by_modulus: dict[int, dict[int, Vector]] = {row.modulus: {} for row in network.opened}
        place = 0
        for posting in postings:
            message = posting.message
            for forms, elements in zip(message.forms, message.vectors, strict=True):
                modulus = forms.field.modulus
                for element in elements:
                    resolved = network.resolved(message.sender, element, modulus)
                    by_modulus.setdefault(modulus, {})[place] = resolved
                    place += 1
        return by_modulus


def _link(posting: Posting) -> tuple[int, int]:
    return posting.message.sender, posting.message.recipient
