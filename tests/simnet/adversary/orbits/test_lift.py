"""Lifted verdicts find the space that elimination finds, or refuse."""

import random
from collections import Counter

import numpy as np
import pytest

from protocols.dpds.script import DPDS
from protocols.sharing.schemes import Shamir
from simnet import BadInput, Field, Seat, Summed, Tag, bits, run, seats
from simnet.adversary.orbits.lift import lift
from simnet.adversary.orbits.outline import outline_of
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.structure import Structure
from simnet.adversary.reading_again import Recording
from tests.harness.alike_scripts import house, inputs_of, random_alike
from tests.harness.lifted import coalitions_of, compared, lifted_rows, read
from tests.harness.pairwise_masks import PairwiseMasks

F = Field(10_007)
SHARE = Summed("share")
ALONE = ("tss", "tss_prime")  # each item has users of its own, so these take long


def inputs(protocol, n):
    return [1 + place % getattr(protocol, "items", 3) for place in range(n)]


@pytest.mark.parametrize("name", ["dpds", "pairs", "two_server"])
def test_every_coalition_of_a_small_run_has_the_space_that_elimination_finds(name):
    protocol = house(name, 3)
    done, outline = read(protocol, inputs(protocol, 3))
    found = compared(done, outline, coalitions_of(done))
    assert not found["refused"]
    assert found["nothing"]
    assert found["output-only"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    [
        pytest.param(name, n, marks=[pytest.mark.long] if n > (4 if name in ALONE else 5) else [])
        for name in ("dpds", "dpdg", "tss", "tss_prime", "pairs")
        for n in range(2, 9)
    ],
)
def test_every_coalition_of_runs_with_up_to_eight_users(name, n):
    protocol = house(name, n) if name != "tss_prime" or n > 2 else house(name, 3)
    n = protocol.users
    for seed in range(1 + (n < 5)):
        done, outline = read(protocol, inputs(protocol, n), seed)
        assert not compared(done, outline, coalitions_of(done))["refused"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dpds", "dpdg", "tss", "tss_prime", "pairs"])
def test_some_coalitions_of_larger_runs(name):
    draw = random.Random(name)
    protocol = house(name, 12)
    done, outline = read(protocol, inputs(protocol, 12), 12)
    parties = range(len(done.roster))
    some = [sorted(draw.sample(parties, draw.randint(1, 11))) for _ in range(10)]
    assert not compared(done, outline, some)["refused"]


def random_protocols(seeds):
    found: Counter[str] = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        protocol = random_alike(draw, draw.choice([2, 3, 3, 4, 8]), draw.random() < 0.3)
        try:
            done, outline = read(protocol, inputs_of(protocol), seed)
        except NotAlike:
            found["refused"] += 1
            continue
        some = coalitions_of(done)
        found.update(compared(done, outline, draw.sample(some, min(8, len(some)))))
    return found


def test_random_protocols_with_alike_users_or_an_odd_one():
    found = random_protocols(range(3))
    assert found["nothing"]
    assert found["leaks"]


@pytest.mark.slow
@pytest.mark.parametrize("count", [50, pytest.param(250, marks=pytest.mark.long)])
def test_many_random_protocols(count):
    found = random_protocols(range(1_000, 1_000 + count))
    assert found["refused"] < found.total() / 3
    assert min(found["nothing"], found["leaks"]) > 1.2 * count
    assert found["output-only"] > count / 25  # rare: 16 cases of 250 protocols learn just the sum


def lifted(protocol, numbers, corrupt):
    done, outline = read(protocol, numbers)
    return lift(Structure(outline), frozenset(done.roster.number[name] for name in corrupt))


def test_a_mask_that_is_used_again_from_ten_users_on_is_seen_at_ten_users():
    """No copy with fewer users shows this: the run itself is read, and is refused from ten on."""
    corrupt = ["u1", "server"]
    assert lifted(PairwiseMasks(9, reuses_from=10), range(9), corrupt).at_most == "output-only"
    with pytest.raises(NotAlike, match="single messages"):
        lifted(PairwiseMasks(10, reuses_from=10), range(10), corrupt)


class ElementsInShape:
    """Each user sends one masked element to every user, from an array of the given shape."""

    def __init__(self, shape):
        self.shape = shape

    def parties(self):
        return seats("u", self.user, 20)

    async def user(self, me, number):
        shape = self.shape
        mine = me.secret(lambda x: np.full(shape, x), number, field=F, shape=shape)
        masks = me.coins.field(F, shape)
        await me.scatter(SHARE, to=me.all("user"), rows=mine + masks)
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_elements_of_one_row_for_several_recipients_are_refused_with_a_remedy_that_works():
    with pytest.raises(NotAlike, match=r"an array of shape \(recipients, elements\)"):
        lifted(ElementsInShape((20,)), range(20), ["u1"])
    assert lifted(ElementsInShape((20, 1)), range(20), ["u1"]).at_most == "nothing"


class OneMaskForTwo:
    """A user shares two secrets, and masks both with one coin: (m, b1 - m) and (m, b2 - m).

    Each pair alone hides its secret. Who receives m and m, or b1 - m and b2 - m, learns of it.
    """

    def parties(self):
        return {**seats("u", self.user, 2), "A": Seat(self.holder), "B": Seat(self.holder)}

    async def user(self, me, number):
        mine = me.secret(lambda x: [x, x + 1], number, field=F, shape=(2,))
        mask = me.coins.field(F, (1,))
        for place in (0, 1):
            rows = type(mask).stack([mask, mine[[place]] - mask])
            await me.scatter(SHARE, to=["A", "B"], rows=rows)

    async def holder(self, me):
        for _ in range(2):
            await me.gather_sum(SHARE, senders=me.all("user"))


def test_one_mask_for_two_items_leaks_although_each_item_alone_is_hidden():
    assert lifted(OneMaskForTwo(), [3, 4], ["A"]).at_most == "nothing"
    assert lifted(OneMaskForTwo(), [3, 4], ["B"]).at_most == "leaks"
    done, outline = read(OneMaskForTwo(), [3, 4])
    assert not compared(done, outline, coalitions_of(done))["refused"]


class PartOfASum:
    """Users send a coin and a secret in one message. A relay adds these messages up, and passes on
    the elements of the sum at `places`.
    """

    def __init__(self, *places):
        self.places = places

    def parties(self):
        return {**seats("u", self.user, 3), "relay": Seat(self.relay), "S": Seat(self.server)}

    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        coin = me.coins.field(F, (1,))
        await me.send(SHARE, "relay", type(coin).join([coin, mine]))

    async def relay(self, me):
        total = await me.gather_sum(SHARE, senders=me.all("user"))
        await me.send(Tag("out"), "S", total[list(self.places)])

    async def server(self, me):
        await me.receive(Tag("out"), "relay")


def test_elements_of_a_sum_are_told_apart():
    assert lifted(PartOfASum(0), [1, 2, 3], ["S"]).at_most == "nothing"
    assert lifted(PartOfASum(1), [1, 2, 3], ["S"]).at_most == "leaks"
    done, outline = read(PartOfASum(1, 0), [1, 2, 3])
    assert not compared(done, outline, coalitions_of(done))["refused"]


class Echoes:
    """Two users exchange masked secrets under a tag that is not summed, so these messages are read
    last. Each adds its own mask to what it received, and sends the sum to a server.

    The server learns the difference of both secrets.
    """

    def parties(self):
        return {**seats("u", self.user, 2), "S": Seat(self.server)}

    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        mask = me.coins.field(F, (1,))
        other = f"u{3 - me.index}"
        await me.send(Tag("masked"), other, mine + mask)
        await me.send(SHARE, "S", mask + await me.receive(Tag("masked"), other))

    async def server(self, me):
        await me.gather_sum(SHARE, senders=me.all("user"))


def test_messages_that_are_expressed_by_each_other_are_refused_although_nobody_sees_them():
    with pytest.raises(NotAlike, match="in a circle"):
        lifted(Echoes(), [1, 2], ["S"])
    done, outline = read(Echoes(), [1, 2])
    assert compared(done, outline, coalitions_of(done))["refused"]


class PlainSums:
    """Two servers add up single messages of all users; one tells each user the others' sum."""

    users, answers = 20, False

    @staticmethod
    def secret(holder, number):
        return holder.secret(lambda x: [x], number, field=F, shape=(1,))

    def parties(self):
        return {**seats("u", self.user, self.users), "A": Seat(self.adder), "B": Seat(self.helper)}

    async def user(self, me, number):
        mask = me.coins.field(F, (1,))
        await me.send(Tag("number"), to="A", payload=self.secret(me, number) - mask)
        await me.send(Tag("number"), to="B", payload=mask)
        if self.answers:
            await me.receive(Tag("others"), "A")

    async def helper(self, me):
        await me.send(
            Tag("sum"), to="A", payload=sum(await me.gather(Tag("number"), me.all("user")))
        )

    async def adder(self, me):
        heard = await me.gather(Tag("number"), me.all("user"))
        total = sum(heard) + await me.receive(Tag("sum"), "B")
        if self.answers:
            rows = type(total).stack([total - number for number in heard])
            await me.scatter(Tag("others"), to=me.all("user"), rows=rows)

    def functionality(self, numbers, users):
        return {"A": sum(self.secret(user, x) for user, x in zip(users, numbers, strict=True))}


class Answers(PlainSums):
    answers = True


@pytest.mark.parametrize(
    ("script", "corrupt", "finding"),
    [
        (PlainSums, ["A"], "output-only"),
        (PlainSums, ["B", "u1"], "nothing"),
        (PlainSums, ["A", "B"], "leaks"),
        (Answers, ["u1"], "leaks"),
        (Answers, ["B", "u1"], "leaks"),
    ],
)
def test_sums_of_single_messages_are_judged(script, corrupt, finding):
    assert lifted(script(), range(20), corrupt).at_most == finding


class Neighbours:
    """Every user sends its number to the next user: nobody treats all others alike."""

    def __init__(self, users):
        self.users = users

    def parties(self):
        return seats("u", self.user, self.users)

    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        note = Tag("note")
        await me.send(note, f"u{me.index % self.users + 1}", mine)
        await me.receive(note, f"u{(me.index - 2) % self.users + 1}")


def test_users_who_are_not_alike_are_refused_or_judged_rightly():
    done, outline = read(Neighbours(4), [1, 2, 3, 4])
    compared(done, outline, coalitions_of(done))
    with pytest.raises(NotAlike):
        lifted(Neighbours(40), list(range(40)), ["u1"])


class Multiplies(Neighbours):
    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        await me.send(Tag("note"), f"u{me.index % self.users + 1}", mine * mine)


class Discloses(Neighbours):
    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        masked = mine + me.coins.field(F, (1,))
        me.disclose(lambda numbers: int(numbers[0]), masked)
        await me.send(Tag("note"), f"u{me.index % self.users + 1}", masked)


class MakesSecrets(Neighbours):
    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        other = me.secret(
            lambda x: [int(x[0])], mine + me.coins.field(F, (1,)), field=F, shape=(1,)
        )
        await me.send(Tag("note"), f"u{me.index % self.users + 1}", other)


class Stretches(Neighbours):
    async def user(self, me, number):
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        seed = me.coins.field(F, (2,))
        mask = me.expand(seed, F, (1,), "mask")
        await me.send(Tag("note"), f"u{me.index % self.users + 1}", mine + mask)


class Signs(Neighbours):
    async def user(self, me, number):
        await me.send(Tag("note"), f"u{me.index % self.users + 1}", me.sign(bits(1)))


@pytest.mark.parametrize("script", [Multiplies, Discloses, MakesSecrets, Stretches, Signs])
def test_what_an_outline_has_no_rule_for_is_refused(script):
    protocol = script(3)
    recording = Recording()
    done = run(protocol, [1, 2, 3], 1, reading=recording)
    with pytest.raises((NotAlike, BadInput)):
        outline_of(done, recording.record)


def test_shares_of_a_polynomial_are_refused_for_more_than_a_few_users():
    protocol = DPDS(users=12, items=1, participation=1.0, sharing=Shamir(9))
    with pytest.raises(NotAlike):
        lifted(protocol, [1] * 12, ["u1"])


def test_rows_of_all_lanes_are_written_out():
    protocol = house("pairs", 3)
    done, outline = read(protocol, [1, 2, 3])
    found = lift(Structure(outline), frozenset({done.roster.number["server"]}))
    assert outline.lanes == 2
    assert len(lifted_rows(found.found, outline.lanes)) == 2


class Vectors:
    """Two servers add up one-hot vectors. B tells A its whole total, or one entry of it. Without
    `masked` users also send A one entry in clear.
    """

    items = 3

    def __init__(self, summed, told, handed, masked):
        self.tag = Summed("part") if summed else Tag("part")
        self.told, self.handed, self.masked = told, handed, masked

    def parties(self):
        return {**seats("u", self.user, 2), "A": Seat(self.adder), "B": Seat(self.helper)}

    def secret(self, holder, item):
        return holder.secret(lambda x: [int(x == j) for j in (1, 2, 3)], item, field=F, shape=(3,))

    async def user(self, me, item):
        secret, mask = self.secret(me, item), me.coins.field(F, (3,))
        if not self.masked:
            await me.send(Tag("clear"), "A", secret[[0]])
        await me.send(self.tag, "A", secret - mask)
        await me.send(self.tag, "B", mask)

    async def total(self, me):
        users = me.all("user")
        if isinstance(self.tag, Summed):
            return await me.gather_sum(self.tag, senders=users)
        heard = await me.gather(self.tag, users)
        return type(heard[0]).stack(heard).sum()

    async def helper(self, me):
        await me.send(Tag("total"), "A", (await self.total(me))[self.told])

    async def adder(self, me):
        if not self.masked:
            await me.gather(Tag("clear"), me.all("user"))
        await self.total(me)
        await me.receive(Tag("total"), "B")

    def functionality(self, items, users):
        secrets = [self.secret(*each) for each in zip(users, items, strict=True)]
        return {"A": type(secrets[0]).stack(secrets).sum()[self.handed]}


@pytest.mark.parametrize("summed", [True, False])
@pytest.mark.parametrize(
    ("told", "handed", "masked"),
    [
        ([0], [0], True),
        ([0], [0], False),
        ([0, 1, 2], [0], True),
        ([0, 1, 2], [2, 0, 1], True),
        ([1], [0, 2], False),
    ],
)
def test_single_entries_of_vectors_are_read_one_by_one(summed, told, handed, masked):
    done, outline = read(Vectors(summed, told, handed, masked), [1, 3])
    assert outline.lanes == 1
    found = compared(done, outline, coalitions_of(done))
    assert not found["refused"]
    assert found["output-only" if masked and len(told) == len(handed) else "leaks"]
