"""Secure aggregation with known mistakes, which verdicts must catch, beside sound twins."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs

from protocols import DPDS, SecAgg
from protocols.secagg.script import (
    ALIVE,
    BOXES,
    KEY,
    KEYS,
    MASKED,
    OPENED,
    RING,
    SEED,
    SHARES,
    SIGNATURES,
    SIGNED,
    WORDS,
)
from simnet import Abort, Party, Tag, Verdict, run, verdict
from simnet.values.field import Field, FieldArray
from simnet.values.opaque import Boxes, PublicKeys, Signatures
from simnet.values.sealed import Sealed
from simnet.values.typed import bits, index
from tests.harness.secagg_prediction import Liar, question

ALONG, AGAIN = Tag("along"), Tag("again")
EVERYBODY = ("u1", "u2", "u3", "u4")


def sound(threshold: int = 3) -> SecAgg:
    """Return the protocol without a mistake, for four users."""
    return SecAgg(question(len(EVERYBODY)), threshold)


def collected_twice(seeds: tuple[int, int]) -> Verdict:
    """Return what the server learns from two collections, judged together.

    Equal seeds mean that the parties used their keys and seeds again. The sums of both collections
    are equal, but two users have exchanged their items.
    """
    protocol = SecAgg(DPDS(users=4, items=2, participation=1.0), 3)
    held = ([1, 2, 2, 2], [2, 1, 2, 2])
    runs = [run(protocol, items, seed) for items, seed in zip(held, seeds, strict=True)]
    return verdict(runs, "server")


def liar(threshold: int) -> Liar:
    """Return a server that tells half of the readers that u1 is there, and the others that it is
    not.
    """
    with_u1, without_u1 = ("u1", "u2", "u3"), ("u2", "u3", "u4")
    lists = {"u1": with_u1, "u2": with_u1, "u3": without_u1, "u4": without_u1}
    return Liar(question(4), threshold, lists=lists)


@attrs.frozen
class BothShares(SecAgg):
    """Users send a share of the seed and a share of the secret key of everybody."""

    def opened(self, held: FieldArray, present: Sequence[bool]) -> tuple[FieldArray, ...]:
        return held[:, 0], held[:, 1:]


@attrs.frozen
class TwoIterations(SecAgg):
    """Users mask two answers, the second of which is twice the first; its masks have `label`."""

    label: str = "mask"

    async def user(self, me: Party, item: Sealed) -> None:
        answer = self.question.answer(item, me)
        seed = me.coins.field(WORDS, SEED)
        for tag, times, label in ((ALONG, 1, "mask"), (AGAIN, 2, self.label)):
            mask = me.expand(seed, self.field, (self.items,), label)
            await me.send(tag, "server", answer * times + mask)

    async def server(self, me: Party) -> Any:
        await me.gather(ALONG, me.all("user"))
        await me.gather(AGAIN, me.all("user"))


@attrs.frozen
class ShortSeeds(SecAgg):
    """The self mask comes from so many words of a field with 65,521 elements."""

    words: int = 1

    def masked(
        self,
        me: Party,
        answer: FieldArray,
        seed: FieldArray,
        pair_seeds: FieldArray,
        signs: Sequence[int],
    ) -> FieldArray:
        own = me.coins.field(Field(65521), (self.words,))
        shape = (self.items,)
        masks = me.expand(pair_seeds, self.field, shape, "mask", weights=list(signs))
        return answer + me.expand(own, self.field, shape, "mask") + masks


@attrs.frozen
class LiarWithoutSelfMask(Liar):
    """Users add only the masks that they have with others."""

    def masked(
        self,
        me: Party,
        answer: FieldArray,
        seed: FieldArray,
        pair_seeds: FieldArray,
        signs: Sequence[int],
    ) -> FieldArray:
        shape = (self.items,)
        return answer + me.expand(pair_seeds, self.field, shape, "mask", weights=list(signs))


class Remembering:
    """A party that remembers the keys of its boxes."""

    def __init__(self, me: Party) -> None:
        self._me = me
        self.keys: FieldArray | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._me, name)

    def agree(self, *arguments: Any) -> FieldArray:
        agreed = self._me.agree(*arguments)
        if arguments[-1] == "box":
            self.keys = agreed
        return agreed


@attrs.frozen
class KeysAlong(SecAgg):
    """At the end, users send the keys of their boxes to the server, as if for an audit."""

    async def user(self, me: Party, item: Sealed) -> None:
        remembering: Any = Remembering(me)
        await super().user(remembering, item)
        await me.send(ALONG, "server", remembering.keys)


@attrs.frozen
class InTheMiddle(SecAgg):
    """A server that gives users public keys of its own for masks. `swapped` has, for each reader,
    the users in whose place the server stands. It signs its keys with its own name.
    """

    swapped: Mapping[str, Collection[str]] = attrs.field(factory=dict)

    def passed_on(
        self, me: Party, name: str, sent: Mapping[str, tuple[Any, ...]]
    ) -> Sequence[tuple[Any, ...]]:
        parts = []
        for other, part in sent.items():
            if other in self.swapped.get(name, ()):
                own = me.public_key(me.coins.field(WORDS, KEY))
                pair = PublicKeys.stack([part[0][0], own])
                part = (pair, me.sign(pair)) if self.active else (pair,)
            parts.append(part)
        return parts


def in_the_middle(active: bool) -> InTheMiddle:
    """Return a server that stands between each two users."""
    return InTheMiddle(question(4), 3, active, swapped=dict.fromkeys(EVERYBODY, EVERYBODY))


class Copying:
    """A user, but u1 shows its key for masks to u3, and u3 sends this key as its own."""

    def __init__(self, me: Party) -> None:
        self._me = me

    def __getattr__(self, name: str) -> Any:
        return getattr(self._me, name)

    async def send(self, tag: Tag, to: str, payload: Any) -> None:
        if tag is KEYS and self._me.name == "u1":
            await self._me.send(ALONG, "u3", payload[0][1:])
        if tag is KEYS and self._me.name == "u3":
            pair = PublicKeys.join([payload[0][:1], await self._me.receive(ALONG, "u1")])
            payload = (pair, self._me.sign(pair)) if len(payload) == 2 else (pair,)
        await self._me.send(tag, to, payload)


@attrs.frozen
class CopiedKeys(SecAgg):
    """u3 advertises the key of u1 for masks. So the masks of u2 with u1 and with u3 cancel."""

    async def user(self, me: Party, item: Sealed) -> None:
        copying: Any = Copying(me)
        await super().user(copying, item)


@attrs.frozen
class ReturnedBoxes(Liar):
    """A server that gives u1 the boxes of u1, as if they were from the others."""

    async def _pass_on(
        self,
        me: Party,
        rings: Mapping[str, Sequence[str]],
        sharers: Mapping[str, Sequence[str]],
        boxes: Mapping[str, Boxes],
    ) -> None:
        for name in boxes:
            own = [boxes[other][[rings[other].index(name)]] for other in sharers[name]]
            mine = boxes[name] if name == "u1" else Boxes.join(own)
            await me.send(BOXES, name, (bits([True] * len(mine)), mine))


@attrs.frozen
class LiarAtEveryStep(SecAgg):
    """A server that tells each reader another story at every step: `rings` has the users that the
    reader is told have sent keys, `sharers` those of them that have shared their secrets, and
    `lists` those of them whose vectors came.
    """

    rings_told: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    sharers_told: Mapping[str, Collection[str]] = attrs.field(factory=dict)
    lists: Mapping[str, Collection[str]] = attrs.field(factory=dict)

    async def server(self, me: Party) -> None:
        """Collect everything that can still be opened, and abort."""
        users = me.names("user")
        sent = await me.gather_some(KEYS, me.all("user"))
        for name in users:
            ring = self.rings_told[name]
            places = index([users.index(other) for other in ring], len(users))
            publics = PublicKeys.join([sent[other][0] for other in ring])
            signed = [Signatures.stack([sent[other][1] for other in ring])] if self.active else []
            await me.send(RING, name, (places, publics, *signed))
        boxes = await me.gather_some(SHARES, users, at_least=0)
        known = {name: await self._pass_boxes(me, name, boxes) for name in users}
        told = {name: {name, *known[name]} & set(self.lists[name]) for name in users}
        await me.gather_some(MASKED, users, at_least=0)
        for name in users:
            marks = [other in told[name] for other in [name, *known[name]]]
            await me.send(ALIVE, name, bits(marks))
        if self.active:
            lists = await me.gather_some(SIGNED, users, at_least=0)
            for name in users:
                signers = [
                    other
                    for other in self.rings_told[name]
                    if other in lists and told[other] == told[name]
                ]
                if not signers:
                    continue  # nothing to send; the reader waits in vain
                marks = [other in signers for other in self.rings_told[name]]
                found = Signatures.stack([lists[other] for other in signers])
                await me.send(SIGNATURES, name, (bits(marks), found))
        await me.gather_some(OPENED, users, at_least=0)
        raise Abort("the server has lied, and has no output")

    async def _pass_boxes(self, me: Party, name: str, boxes: Mapping[str, Boxes]) -> list[str]:
        """Send a reader the boxes of the users that its story has. Return these users."""
        ring = self.rings_told[name]
        sharers = [
            other
            for other in ring
            if other in boxes
            and other in self.sharers_told[name]
            and name in self.rings_told[other]
        ]
        if sharers:
            mine = [boxes[other][[self.rings_told[other].index(name)]] for other in sharers]
            marks = bits([other in sharers for other in ring])
            await me.send(BOXES, name, (marks, Boxes.join(mine)))
        return sharers
