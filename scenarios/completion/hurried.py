"""Protocols whose servers wait with deadlines.

The scripts are those of the protocols. A server's party is wrapped, so that each of its waits for
whoever still sends ends after `within` seconds. The members of a committee wait with `me.heard`,
which has no deadline, so here they read the shares one by one, and add up those that they want.
"""

from collections.abc import Sequence
from typing import Any, cast

import attrs

from protocols.committee.script import AGREED, HEARD, PARTIAL, Committee
from protocols.local_frequency.script import FrequencyCollection
from protocols.secagg.script import SecAgg, SecAggPlus
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.values.sealed import Sealed
from simnet.values.typed import bits

SHARE = Tag("share")  # the name of the committee's tag, which says who was heard


class Hurrying:
    """A party that waits at most `within` seconds for whoever still sends."""

    def __init__(self, me: Party, within: float) -> None:
        self._me = me
        self._within = within

    def __getattr__(self, name: str) -> Any:
        return getattr(self._me, name)

    async def gather_some(self, tag: Tag, senders: Any, at_least: int = 1) -> dict[str, Any]:
        """Wait as the party does, but with a deadline."""
        return await self._me.gather_some(tag, senders, at_least, within=self._within)

    async def gather_rows(self, tag: Tag, senders: Any, at_least: int | None = None) -> Any:
        """Wait as the party does, but with a deadline."""
        return await self._me.gather_rows(tag, senders, at_least, within=self._within)


def hurrying(me: Party, within: float) -> Party:
    """Return the party, with a deadline at each wait for whoever still sends."""
    return cast(Party, Hurrying(me, within))


@attrs.frozen
class HurriedSecAgg(SecAgg):
    """`SecAgg` with a server that waits with deadlines."""

    within: float = attrs.field(default=0.0, kw_only=True)

    async def server(self, me: Party) -> Sealed:
        """Do what the server does, with deadlines."""
        return await super().server(hurrying(me, self.within))


@attrs.frozen
class HurriedSecAggPlus(SecAggPlus):
    """`SecAggPlus` with a server that waits with deadlines."""

    within: float = attrs.field(default=0.0, kw_only=True)

    async def server(self, me: Party) -> Sealed:
        """Do what the server does, with deadlines."""
        return await super().server(hurrying(me, self.within))


@attrs.frozen
class HurriedCollection(FrequencyCollection):
    """`FrequencyCollection` with a server that waits with a deadline."""

    within: float = attrs.field(default=0.0, kw_only=True)

    async def server(self, me: Party) -> Any:
        """Do what the server does, with a deadline."""
        return await super().server(hurrying(me, self.within))


@attrs.frozen
class HurriedCommittee(Committee):
    """`Committee` whose members and server wait with deadlines. Shares travel one by one.

    A member that lacks a share sends its list only when its deadline has passed. So the server
    waits twice as long as the members.
    """

    within: float = attrs.field(default=0.0, kw_only=True)

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the response among the committee."""
        shares = self.sharing.share(self.answer(item, me), self.holders, me.coins)
        await me.scatter(SHARE, to=self.committee(me), rows=shares.evaluate())

    async def member(self, me: Party) -> None:
        """Add up the shares of the users whom all members that answered have heard in time."""
        users = me.all("user")
        shares = await me.gather_some(SHARE, users, at_least=0, within=self.within)
        await me.send(HEARD, to="server", payload=bits([name in shares for name in users]))
        marks = (await me.receive(AGREED, sender="server")).numbers()
        agreed = [shares[name] for name, marked in zip(users, marks, strict=True) if marked]
        await me.send(PARTIAL, to="server", payload=type(agreed[0]).stack(agreed).sum())

    async def server(self, me: Party) -> Sealed:
        """Do what the server does, with deadlines."""
        return await super().server(hurrying(me, 2 * self.within))


HURRIED: Sequence[tuple[type, type]] = (
    (SecAggPlus, HurriedSecAggPlus),  # before `SecAgg`, whose subclass it is
    (SecAgg, HurriedSecAgg),
    (Committee, HurriedCommittee),
    (FrequencyCollection, HurriedCollection),
)


def hurried(protocol: Any, within: float) -> Any:
    """Return the protocol with a deadline of `within` seconds at each wait of its servers."""
    kind = next(hurried for plain, hurried in HURRIED if isinstance(protocol, plain))
    return kind(**attrs.asdict(protocol, recurse=False), within=within)
