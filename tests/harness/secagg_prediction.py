"""What a coalition learns from secure aggregation, found by counting shares and by following masks.

This is independent of the judge's algebra. It is for the protocol with n users who all know each
other, threshold t, users who drop out at any step, and a server that may tell each user another
list of the users whose vectors came.

1. A coalition with the server holds a share of each secret of v for each member that sent keys: the
   boxes for a member pass the server, even if the member is gone. It also gets the shares that
   honest users send at the end. With t shares, or if v is a member, it knows the secret.
2. The mask between two users is known if one of the two secret keys is known.
3. Take the honest users that shared their secrets as the vertices of a graph, and the unknown masks
   as its edges. The vectors of a connected component have a known sum if all of them came and all
   their seeds are known; otherwise nothing is known of them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import attrs

from protocols.dpds.script import DPDS
from protocols.secagg.script import SIGNATURES, SIGNED, SecAgg
from simnet import Abort, Fate, Party
from simnet.kernel.tags import Tag
from simnet.values.field import FieldArray
from simnet.values.opaque import Signatures
from simnet.values.typed import bits

STEPS = ("keys", "shares", "masked", "opened")  # a user drops out before sending one of these
STAYS = len(STEPS)
Lists = Mapping[str, Collection[str]]  # by reader: the users that it is told to be present
ASK, HELP = Tag("ask"), Tag("help")


def question(users: int) -> DPDS:
    """Return DPDS with one item, in which every user takes part."""
    return DPDS(users=users, items=1, participation=1.0)


@attrs.frozen
class Liar(SecAgg):
    """Secure aggregation with a server that tells each reader what `lists` has for it.

    The users in `helpers` sign every list that the server has told to somebody.
    """

    lists: Lists = attrs.field(factory=dict)
    helpers: tuple[str, ...] = ()

    def told(self, name: str, alive: Collection[str]) -> Collection[str]:
        """Return the list for a reader; without one, the truth."""
        return list(self.lists.get(name, alive))

    def _unmasked(self, *arguments: Any) -> FieldArray:
        if self.lists:  # what came does not fit the vectors that came
            raise Abort("the server has lied, and has no output")
        return super()._unmasked(*arguments)

    async def _check_consistent(
        self, me: Party, ring: Sequence[str], present: Sequence[str]
    ) -> None:
        if me.name not in self.helpers:
            await super()._check_consistent(me, ring, present)
            return
        lists = await me.receive(ASK, "server")
        signed = [me.sign(lists[place]) for place in range(lists.shape[0])]
        await me.send(HELP, "server", Signatures.stack(signed))

    async def _pass_on_signatures(
        self, me: Party, rings: Mapping[str, Sequence[str]], alive: Sequence[str]
    ) -> None:
        """Send every reader the signatures of the list that it was told, and no others."""
        told = {name: frozenset(self.told(name, alive)) & set(rings) for name in alive}
        honest = [name for name in alive if name not in self.helpers]
        signed = await me.gather_some(SIGNED, honest, at_least=0) if honest else {}
        helping = [name for name in alive if name in self.helpers]
        lists = bits([[other in told[name] for other in me.names("user")] for name in honest])
        for name in helping if honest else ():
            await me.send(ASK, name, lists)
        helped = await me.gather_some(HELP, helping, at_least=0) if helping and honest else {}
        for place, name in enumerate(honest):
            found = {other: one for other, one in signed.items() if told[other] == told[name]}
            found |= {other: each[place] for other, each in helped.items() if other in told[name]}
            marks = [other in found for other in rings[name]]
            if any(marks):  # else there is nothing to send, and the reader waits in vain
                ordered = [found[other] for other in rings[name] if other in found]
                await me.send(SIGNATURES, name, (bits(marks), Signatures.stack(ordered)))


@attrs.frozen
class Pattern:
    """A run of secure aggregation: who leaves when, and what the server tells whom.

    `leaves[i]` is the place in `STEPS` of the message that user i + 1 does not send any more.
    """

    leaves: tuple[int, ...]
    threshold: int
    lists: Lists = attrs.field(factory=dict)
    active: bool = False
    helpers: tuple[str, ...] = ()

    @property
    def users(self) -> list[str]:
        """All users."""
        return [f"u{number}" for number in range(1, len(self.leaves) + 1)]

    @property
    def protocol(self) -> Liar:
        """The protocol with this server."""
        return Liar(
            question(len(self.leaves)),
            self.threshold,
            self.active,
            lists=self.lists,
            helpers=self.helpers,
        )

    @property
    def fates(self) -> dict[str, Fate]:
        """Who drops out where."""
        return {
            name: Fate(STEPS[step])
            for name, step in zip(self.users, self.leaves, strict=True)
            if step < STAYS
        }

    def sent(self, step: str) -> list[str]:
        """The users that would send this message, if nobody aborts."""
        place = STEPS.index(step)
        return [name for name, at in zip(self.users, self.leaves, strict=True) if at > place]

    def reached(self, step: str) -> list[str]:
        """The users whose message of this step comes; nobody if fewer than t came before it."""
        for earlier in STEPS[: STEPS.index(step)]:
            if len(self.sent(earlier)) < self.threshold:
                return []
        return self.sent(step)

    def told(self, reader: str) -> list[str]:
        """Whom a reader is told to be present."""
        came, sharers = self.reached("masked"), self.reached("shares")
        return [name for name in self.lists.get(reader, came) if name in sharers]

    def is_fit(self, reader: str) -> bool:
        """Whether a reader accepts its list: it names t users, the reader included."""
        told = self.told(reader)
        return len(told) >= self.threshold and reader in told

    def answering(self) -> list[str]:
        """The users who send shares at the end: those that accept their list."""
        readers = self.reached("opened")
        enough = [name for name in readers if self.is_fit(name)]
        if not self.active:
            return enough
        # a user that leaves before "opened" has signed all the same
        signers = [
            name
            for name in self.reached("masked")
            if name not in self.helpers and self.is_fit(name)
        ]
        helping = [
            name for name in self.reached("masked") if name in self.helpers and self.is_fit(name)
        ]

        def accepts(reader: str) -> bool:
            same = [name for name in signers if set(self.told(name)) == set(self.told(reader))]
            named = [name for name in helping if name in self.told(reader)]
            return len(same) + len(named) >= self.threshold

        return [name for name in enough if name in self.helpers or accepts(name)]

    def learned(self, coalition: Collection[str]) -> list[frozenset[str]]:
        """The sets of honest users whose sum the coalition learns."""
        if "server" not in coalition:
            return []
        sharers, came = self.reached("shares"), self.reached("masked")
        if len(sharers) < self.threshold:
            return []  # the server stops, and nobody masks anything
        inside = [name for name in self.reached("keys") if name in coalition]
        answers = {name: self.told(name) for name in self.answering() if name not in coalition}
        known: dict[str, set[str]] = {"seed": set(), "key": set()}
        for name in sharers:
            as_seed = sum(name in present for present in answers.values())
            for kind, count in (("seed", as_seed), ("key", len(answers) - as_seed)):
                if name in coalition or len(inside) + count >= self.threshold:
                    known[kind].add(name)
        honest = [name for name in sharers if name not in coalition]
        return [
            component
            for component in _components(honest, known["key"])
            if component <= set(came) and component <= known["seed"]
        ]

    def finding(self, coalition: Collection[str]) -> str:
        """What a verdict must find."""
        sets = self.learned(coalition)
        came = self.reached("masked")
        counted = set(came) if len(came) >= self.threshold else set()
        if not sets:
            return "nothing"
        is_output = sets == [frozenset(counted - set(coalition))]
        return "output-only" if is_output else "leaks"


def _components(names: Sequence[str], cut: Collection[str]) -> Iterator[frozenset[str]]:
    """Users whose secret keys are unknown form one component; every other user is alone."""
    together = frozenset(name for name in names if name not in cut)
    if together:
        yield together
    for name in names:
        if name in cut:
            yield frozenset([name])
