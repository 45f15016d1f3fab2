"""Known mistakes in secure aggregation: each is caught, and the sound twin beside it is not."""

from collections.abc import Sequence
from typing import Any

import attrs
import pytest

from protocols import SecAgg
from protocols.secagg.script import KEY, KEYS, SEED, WORDS
from simnet import Party, Tag, run, verdict
from simnet.values.field import Field, FieldArray
from simnet.values.opaque import PublicKeys
from simnet.values.sealed import Sealed
from tests.harness.secagg_prediction import Liar, question

ALONG, AGAIN = Tag("along"), Tag("again")
EVERYBODY = ("u1", "u2", "u3", "u4")


def found(protocol: SecAgg) -> str:
    """Return what the server learns from a run in which every user has the item 1."""
    return verdict(run(protocol, [1] * protocol.users, seed=1), "server").finding


def sound(threshold: int = 3) -> SecAgg:
    return SecAgg(question(len(EVERYBODY)), threshold)


def test_the_sound_protocol_discloses_its_output() -> None:
    assert found(sound()) == "output-only"


# 1. Both shares of a user are asked for.


@attrs.frozen
class BothShares(SecAgg):
    """Users send a share of the seed and a share of the secret key of everybody."""

    def opened(self, held: FieldArray, present: Sequence[bool]) -> tuple[FieldArray, ...]:
        return held[:, 0], held[:, 1:]


def test_shares_of_both_secrets_open_a_vector() -> None:
    assert found(BothShares(question(4), 3)) == "leaks"


# 2. A threshold of half the users, and a server that lies.


def liar(threshold: int) -> Liar:
    """The server tells half of the readers that u1 is there, and the others that it is not."""
    with_u1, without_u1 = ("u1", "u2", "u3"), ("u2", "u3", "u4")
    lists = {"u1": with_u1, "u2": with_u1, "u3": without_u1, "u4": without_u1}
    return Liar(question(4), threshold, lists=lists)


@pytest.mark.parametrize(("threshold", "finding"), [(2, "leaks"), (3, "nothing")])
def test_a_threshold_of_half_the_users_lets_a_liar_open_both_secrets(
    threshold: int, finding: str
) -> None:
    assert found(liar(threshold)) == finding


# 3. Masks that are used again in the next iteration.


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


@pytest.mark.parametrize(("label", "finding"), [("mask", "leaks"), ("mask 2", "nothing")])
def test_masks_of_two_iterations_need_two_labels(label: str, finding: str) -> None:
    assert found(TwoIterations(question(4), 3, label=label)) == finding


# 4. Seeds from a small range.


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


@pytest.mark.parametrize(("words", "finding"), [(1, "undecided"), (8, "nothing")])
def test_a_short_seed_may_be_guessed(words: int, finding: str) -> None:
    """Nobody shares this seed. So the server learns nothing if the seed is long enough."""
    assert found(ShortSeeds(question(4), 3, words=words)) == finding


# 5. A vector that comes late, without self mask.


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


@pytest.mark.parametrize(
    ("make", "exposed"), [(LiarWithoutSelfMask, {"u4"}), (Liar, set())], ids=["without", "with"]
)
def test_a_self_mask_hides_a_vector_that_comes_late(make: type[Liar], exposed: set[str]) -> None:
    """The server has the vector of u4, and says that it came too late."""
    in_time = dict.fromkeys(EVERYBODY, EVERYBODY[:3])
    done = run(make(question(4), 3, lists=in_time), [1] * 4, seed=1)
    judged = verdict(done, "server")
    assert judged.finding == "leaks"  # in both: the sum over three of the four vectors that came
    assert {leak.exposes.party for leak in judged.leaks if leak.exposes} == exposed


# 6. Keys of boxes that are sent along.


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


def test_keys_of_boxes_open_everything() -> None:
    assert found(KeysAlong(question(4), 3)) == "leaks"


# 7. Keys that nobody signed.


class Swapping:
    """A server that gives users its own public keys for masks in the place of theirs."""

    def __init__(self, me: Party) -> None:
        self._me = me

    def __getattr__(self, name: str) -> Any:
        return getattr(self._me, name)

    async def gather_some(self, tag: Tag, *arguments: Any, **options: Any) -> Any:
        came = await self._me.gather_some(tag, *arguments, **options)
        if tag is not KEYS:
            return came
        own = self._me.public_key(self._me.coins.field(WORDS, KEY))
        return {name: PublicKeys.stack([pair[0], own]) for name, pair in came.items()}


@attrs.frozen
class SwappedKeys(SecAgg):
    """The server sits in the middle of all agreements on masks."""

    async def server(self, me: Party) -> Sealed:
        swapping: Any = Swapping(me)
        return await super().server(swapping)


def test_a_server_in_the_middle_knows_all_masks() -> None:
    assert found(SwappedKeys(question(4), 3)) == "leaks"
