"""Protocols whose servers wait with deadlines.

The server's script is that of the protocol, but `gather_some` and `gather_rows` wait at most
`within` seconds. The members of a committee read the shares one by one, because `me.heard` refuses
a deadline.
"""

from collections.abc import Mapping
from typing import Any, cast

import attrs

from protocols.committee.script import AGREED, HEARD, PARTIAL, Committee
from simnet.contract import Protocol
from simnet.kernel.link import Payload
from simnet.kernel.party import Party, To
from simnet.kernel.tags import Tag
from simnet.roster import Seat
from simnet.values.sealed import Sealed
from simnet.values.typed import bits

SHARE = Tag("share")  # the name of the committee's tag, which says who was heard


class Hurrying:
    """A party whose `gather_some` and `gather_rows` wait at most `within` seconds."""

    def __init__(self, me: Party, within: float) -> None:
        self._me = me
        self._within = within

    def __getattr__(self, name: str) -> Any:
        return getattr(self._me, name)

    async def gather_some(self, tag: Tag, senders: To, at_least: int = 1) -> dict[str, Payload]:
        """Wait as the party does, but with a deadline."""
        return await self._me.gather_some(tag, senders, at_least, within=self._within)

    async def gather_rows(self, tag: Tag, senders: To, at_least: int | None = None) -> Payload:
        """Wait as the party does, but with a deadline."""
        return await self._me.gather_rows(tag, senders, at_least, within=self._within)


@attrs.frozen
class Hurried:
    """A protocol whose server runs as a `Hurrying` party."""

    plain: Protocol
    within: float

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties of the protocol, with this server in place of its own."""
        found = self.plain.parties()
        return {**found, "server": attrs.evolve(found["server"], script=self.server)}

    async def server(self, me: Party) -> Any:
        """Do what the server does, with deadlines."""
        server = self.plain.parties()["server"].script
        return await server(cast(Party, Hurrying(me, self.within)))


@attrs.frozen
class HurriedCommittee(Committee):
    """A committee whose members wait at most `within` seconds for the users' shares."""

    within: float = attrs.field(default=0.0, kw_only=True)

    async def user(self, me: Party, item: Sealed) -> None:
        """Share the response among the committee."""
        shares = self.sharing.share(self.answer(item, me), self.holders, me.coins)
        await me.scatter(SHARE, to=self.committee(me), rows=shares.evaluate())

    async def member(self, me: Party) -> None:
        """Tell the server which shares have come in time, and add up the shares that it names."""
        users = me.all("user")
        shares = await me.gather_some(SHARE, users, at_least=0, within=self.within)
        await me.send(HEARD, to="server", payload=bits([name in shares for name in users]))
        marks = (await me.receive(AGREED, sender="server")).numbers()
        agreed = [shares[name] for name, marked in zip(users, marks, strict=True) if marked]
        await me.send(PARTIAL, to="server", payload=type(agreed[0]).stack(agreed).sum())


def hurried(protocol: Protocol, within: float) -> Hurried:
    """Return the protocol with deadlines of `within` seconds.

    The server of a committee waits twice as long: a member that lacks a share sends its list only
    when its own deadline has passed.
    """
    if isinstance(protocol, Committee):
        protocol = HurriedCommittee(**attrs.asdict(protocol, recurse=False), within=within)
        within *= 2
    return Hurried(protocol, within)
