"""Fates: parties that drop out in the middle of a run.

Theory of operation. The other parties notice only what a party sends. So a *fate* cuts a party's
sequence of sends: the party makes some sends, the last of which may reach only some recipients or
nobody, and then it is gone. Its script is stopped inside that last send, and the party sends and
reads nothing more.

A run is told all fates before it starts, so a fate cannot depend on what happens in the run. A
verdict on the run holds for these fates.

Example. `Fate("masked")` drops a party just before its first send under the tag "masked".
`Fate("share", reached=2)` drops it in its first send under "share", which reaches only the first
two recipients. In text, as on the command line, these are `u3@masked` and
`u3@share:2`.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import attrs
import numpy as np

from simnet.checks import real
from simnet.coins.coins import Deferred, RowBlock
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.kernel.actor import Actor
from simnet.kernel.link import Link, Payload
from simnet.kernel.tags import Summed, Tag
from simnet.record.fate import Fate, Fates
from simnet.record.message import Key
from simnet.roster import Group, Roster
from simnet.values.field import FieldArray
from simnet.values.rows import Rows, Tally
from simnet.values.typed import Typed


@attrs.frozen
class Send:
    """One send of a party: the `place`-th under its tag, counted from 1, with its recipients."""

    tag: str
    place: int
    recipients: tuple[str, ...]


class Gone(BaseException):
    """Stops the script of a party that drops out. It is not an `Exception`, so a script that
    catches every `Exception` is stopped as well.
    """


def checked_fates(fates: Fates, roster: Roster) -> dict[int, Fate]:
    """Return the fates by the number of the party.

    Raises `BadInput` for unknown parties or recipients, for the fate of a crowd, and for a fate
    that is no `Fate`.
    """
    checked = {}
    for name, fate in fates.items():
        number = roster.find(name)
        if not isinstance(fate, Fate):
            raise BadInput(
                f"the fate of {name} must be a simnet.Fate, got {type(fate).__name__}: fates are "
                "chosen before the run, so that no fate depends on an input, a coin or a message; "
                'Fate.parse reads a text such as "share:2"'
            )
        if number in roster.crowds:
            raise BadInput(
                f"{name} is a crowd, and a crowd cannot drop out as a whole: seat its members one "
                "by one, or let members stay silent under a Voluntary tag"
            )
        if isinstance(fate.reached, tuple):
            for recipient in fate.reached:
                roster.find(recipient)
        checked[number] = fate
    return checked


class CutLink(Link):
    """The link of a party that has a fate. It counts the sends under the tag of the fate, and stops
    the party in the send that the fate names.
    """

    def __init__(self, link: Link, fate: Fate, actor: Actor, roster: Roster) -> None:
        self.turn = link.turn
        self._link = link
        self._fate = fate
        self._actor = actor
        self._roster = roster
        self._sends = 0  # under the tag of the fate

    def _reached(self, tag: Tag, to: Sequence[str]) -> list[int] | None:
        """Return None if the party goes on after this send. Otherwise return the places in `to` of
        the recipients that this last send reaches.

        Raises `Gone` if the party is gone already.
        """
        actor, fate = self._actor, self._fate
        self._refuse_gone()
        if tag.name != fate.tag:
            return None
        self._sends += 1
        if self._sends < fate.place:
            return None
        actor.is_gone = True
        if fate.reached is None:
            return list(range(len(to)))
        if isinstance(fate.reached, int):
            return list(range(min(fate.reached, len(to))))
        return [place for place, name in enumerate(to) if name in fate.reached]

    @contextlib.contextmanager
    def _last_send(self) -> Iterator[None]:
        """If the block of the `with` statement fails, the party has not dropped out: the error is
        an error of its script.
        """
        try:
            yield
        except Exception:
            self._actor.is_gone = False
            raise

    def _leave(self) -> NoReturn:
        self.turn.actor = None
        raise Gone

    def _refuse_gone(self) -> None:
        if self._actor.is_gone:
            self._leave()

    def post(self, actor: Actor, tag: Tag, to: str, payload: Payload) -> None:
        """Send one payload, unless the party drops out before this send."""
        reached = self._reached(tag, [to])
        if reached is None or reached:
            with self._last_send():
                self._link.post(actor, tag, to, payload)
        if reached is not None:
            self._leave()

    def post_rows(self, actor: Actor, tag: Tag, to: Group, rows: Payload) -> None:
        """Send one row to each recipient that is still reached."""
        names = list(to)
        reached = self._reached(tag, names)
        if reached is None:
            self._link.post_rows(actor, tag, to, rows)
            return
        with self._last_send():
            for place in reached:
                self._link.post(actor, tag, names[place], rows[place])
        self._leave()

    def post_each(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send one payload to each recipient that is still reached."""
        names = list(to)
        reached = self._reached(tag, names)
        if reached is None:
            self._link.post_each(actor, tag, to, payloads)
            return
        with self._last_send():
            for place in reached:
                self._link.post(actor, tag, names[place], payloads[place])
        self._leave()

    def post_copies(self, actor: Actor, tag: Tag, to: Group, payloads: Sequence[Payload]) -> None:
        """Send copies of the payloads to each recipient that is still reached."""
        reached = self._reached(tag, list(to))
        if reached is None:
            self._link.post_copies(actor, tag, to, payloads)
            return
        if reached:
            with self._last_send():
                self._link.post_copies(actor, tag, self._part(to, reached), payloads)
        self._leave()

    def post_block(
        self, actor: Actor, tag: Tag, to: str, block: Rows | Tally, messages: int
    ) -> None:
        """Send the party's row, if it has one, unless the party drops out before this send."""
        reached = self._reached(tag, [to])
        if reached is None or reached:
            with self._last_send():
                self._link.post_block(actor, tag, to, block, messages)
        if reached is not None:
            self._leave()

    def put(
        self,
        actor: Actor,
        tag: Summed,
        to: Sequence[Group],
        rows: RowBlock | Deferred,
        keys: Typed | None,
    ) -> None:
        """Send the rows of the recipients that are still reached."""
        names = [name for group in to for name in group]
        reached = self._reached(tag, names)
        if reached is None:
            self._link.put(actor, tag, to, rows, keys)
            return
        if reached:
            groups, kept_keys, first = [], [], 0
            for number, group in enumerate(to):
                own = [place - first for place in reached if first <= place < first + len(group)]
                if own:
                    groups.append(self._part(group, own))
                    kept_keys.append(number)
                first += len(group)
            kept = None if keys is None else keys[np.array(kept_keys)]
            with self._last_send():
                self._link.put(actor, tag, groups, _part_of_rows(rows, reached), kept)
        self._leave()

    async def take(self, actor: Actor, tag: Tag, sender: int) -> Payload:
        """See `Link.take`."""
        self._refuse_gone()
        return await self._link.take(actor, tag, sender)

    async def take_many(self, actor: Actor, tag: Tag, sender: int, count: int) -> list[Payload]:
        """See `Link.take_many`."""
        self._refuse_gone()
        return await self._link.take_many(actor, tag, sender, count)

    async def take_each(self, actor: Actor, tag: Tag, senders: Group) -> list[Payload]:
        """See `Link.take_each`."""
        self._refuse_gone()
        return await self._link.take_each(actor, tag, senders)

    async def take_some(
        self, actor: Actor, tag: Tag, senders: Group, within: float | None
    ) -> dict[int, Payload]:
        """See `Link.take_some`."""
        self._refuse_gone()
        return await self._link.take_some(actor, tag, senders, within)

    async def take_any(self, actor: Actor, tag: Tag) -> tuple[str, Payload]:
        """See `Link.take_any`."""
        self._refuse_gone()
        return await self._link.take_any(actor, tag)

    async def heard(self, actor: Actor, tag: Summed, key: Key, senders: Group) -> list[int]:
        """See `Link.heard`."""
        self._refuse_gone()
        return await self._link.heard(actor, tag, key, senders)

    async def take_sum(
        self, actor: Actor, tag: Summed, key: Key, senders: Group | None, count: int
    ) -> FieldArray:
        """See `Link.take_sum`."""
        self._refuse_gone()
        return await self._link.take_sum(actor, tag, key, senders, count)

    async def take_sums(
        self, actor: Actor, tag: Summed, keys: Sequence[int], counts: Sequence[int]
    ) -> FieldArray:
        """See `Link.take_sums`."""
        self._refuse_gone()
        return await self._link.take_sums(actor, tag, keys, counts)

    async def breathe(self, actor: Actor) -> None:
        """See `Link.breathe`."""
        await self._link.breathe(actor)

    def _part(self, group: Group, places: Sequence[int]) -> Group:
        names = list(group)
        return (
            group if len(places) == len(names) else self._roster.group([names[k] for k in places])
        )


class NotingLink(CutLink):
    """The link of a party whose sends are listed: it cuts nothing off."""

    def __init__(self, link: Link, actor: Actor, roster: Roster) -> None:
        super().__init__(link, Fate(""), actor, roster)
        self.sends: list[Send] = []
        self._counts: Counter[str] = Counter()

    def _reached(self, tag: Tag, to: Sequence[str]) -> None:
        self._counts[tag.name] += 1
        self.sends.append(Send(tag.name, self._counts[tag.name], tuple(to)))


def drawn_fates(sends: Mapping[str, Sequence[Send]], chance: float, seed: int) -> dict[str, Fate]:
    """Draw fates: each party that sends something gets a fate with probability `chance`.

    `sends` has the sends of each party that may drop out, by name (see `simnet.sends`). The point
    at which a party drops out is drawn uniformly among the points before its first send, between
    two sends, and after its last send. The draws follow from the seed and the name of the party.

    Raises `TypeError` unless `chance` is a number, and `BadInput` unless it is a probability.
    """
    if not 0 <= real("the probability that a party drops out", chance) <= 1:
        raise BadInput(f"the probability that a party drops out lies in [0, 1], got {chance}")
    fates = {}
    for name, own in sends.items():
        coins = SampledCoins(seed, name, purpose="fate ")
        if own and coins.bernoulli(chance):
            place = int(coins.integers(len(own) + 1, 1)[0])
            send = own[min(place, len(own) - 1)]
            fates[name] = Fate(send.tag, send.place, 0 if place < len(own) else None)
    return fates


def _part_of_rows(rows: Any, places: Sequence[int]) -> Any:
    """Return the rows of a block that have the given places. A deferred block stays deferred."""
    if len(places) == rows.shape[0]:
        return rows
    kept = np.array(places)
    if not isinstance(rows, Deferred):
        return rows[kept]
    return attrs.evolve(
        rows, shape=(len(places), *rows.shape[1:]), rows=lambda coins: rows.rows(coins)[kept]
    )
