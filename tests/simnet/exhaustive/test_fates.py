"""Exact views of runs in which parties drop out, held against runs of the kernel."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import pytest

from protocols.committee.script import Committee, RobustDPDS
from simnet import (
    Abort,
    Fate,
    Field,
    MessageFate,
    Party,
    Seat,
    Stall,
    Summed,
    Tag,
    bits,
    run,
    sends,
)
from simnet.adversary.judge import Judge
from simnet.coins.law import delta, epsilon
from simnet.exhaustive.compare import Comparison
from simnet.exhaustive.model import Model
from simnet.record.fate import Fates, What
from simnet.values.sealed import Sealed
from tests.harness.fate_programs import Played, Program, as_fates, name_of, random_program
from tests.harness.fate_views import view_law
from tests.harness.marks import long_but

G = Field(3)
NOTE, WORD, SHARE = Tag("note"), Tag("word"), Summed("share")


def assert_is_the_run(model: Model, done: Any) -> None:
    """The only world of a model without coins is this run: its traffic, silences and endings."""
    (world,) = model.worlds(())
    sent = world.schedule.network.sent
    assert sorted(
        (posting.round, posting.message.sender, posting.message.recipient, posting.message.tag)
        for posting in sent
    ) == sorted((m.round, m.sender, m.recipient, m.tag) for m in done.transcript.messages)
    assert sorted(
        (silence.round, silence.recipient, silence.request.tag, silence.senders)
        for silence in world.schedule.network.silences
    ) == [(s.round, s.recipient, s.tag, s.senders) for s in done.transcript.silences]
    assert world.aborts == done.aborts
    assert model.happened(world) == done.happened


def random_programs_agree(
    source: random.Random, count: int, with_astray: bool = False
) -> Mapping[str, int]:
    """Hold `count` random programs with fates against runs; return how they ended."""
    ends = {"result": 0, "aborted": 0, "stall": 0, "silence": 0, "lost": 0}
    for _ in range(count):
        program, cuts = random_program(source)
        protocol, fates = Played(program), as_fates(program, cuts)
        astray = random_astray(source, program) if with_astray else []
        model = Model(protocol, fates=fates, message_fates=astray)
        try:
            done = run(protocol, fates=fates, observe=model.roster.names, message_fates=astray)
        except Stall:
            with pytest.raises(Stall):
                model._worlds(model._trees_for(()), 10, lambda _: None)
            ends["stall"] += 1
            continue
        assert_is_the_run(model, done)
        ends[done.outcome] += 1
        ends["silence"] += bool(done.transcript.silences)
        ends["lost"] += any("was lost" in ending.reason for ending in done.aborts)
    return ends


def random_astray(source: random.Random, program: Program) -> list[MessageFate]:
    """Return fates of some messages of a program."""
    kinds: tuple[What, ...] = ("lost", "damaged", "duplicated", "late")
    fates = []
    for party, steps in enumerate(program):
        places = Counter[str]()
        for step in steps:
            if step.kind != "send":
                continue
            places[step.tag] += 1
            for other in step.others:
                if other != party and source.random() < 0.3:
                    what = source.choice(kinds)
                    place, seconds = places[step.tag], float(what == "late")
                    fates.append(
                        MessageFate(name_of(party), name_of(other), step.tag, place, what, seconds)
                    )
    return fates


def test_the_world_of_a_random_program_is_its_run() -> None:
    ends = random_programs_agree(random.Random(5), 25)
    assert min(ends[end] for end in ("result", "aborted", "stall", "silence")) > 0, ends


def test_the_world_of_a_random_program_whose_messages_go_astray_is_its_run() -> None:
    ends = random_programs_agree(random.Random(9), 25, with_astray=True)
    assert min(ends[end] for end in ("result", "aborted", "silence", "lost")) > 0, ends


@pytest.mark.slow
@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.long)])
def test_the_worlds_of_many_random_programs_are_their_runs(count: int) -> None:
    random_programs_agree(random.Random(6), 5 * count)
    random_programs_agree(random.Random(8), count, with_astray=True)


@attrs.frozen
class Hidden:
    """u1 splits its number between a and b, who send what they have to the server; u1 also tells
    the server, but only if its number is 2, that it has sent. The server waits for whoever sends,
    asks b again if a is silent, and needs one message.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {
            "u1": Seat(self.user),
            "a": Seat(self.helper),
            "b": Seat(self.helper),
            "server": Seat(self.server),
        }

    async def user(self, me: Party, number: Sealed) -> None:
        secret = me.secret(lambda n: [n], number, field=G, shape=(1,))
        mask = me.coins.field(G, (1,))
        await me.send(NOTE, "a", secret + mask)
        await me.send(NOTE, "b", mask)
        if me.disclose(lambda n, coins: n == 2 and coins.bernoulli(Fraction(1, 3)), number):
            await me.send(WORD, "server", bits([1]))

    async def helper(self, me: Party) -> None:
        part = (await me.gather_some(NOTE, ["u1"], at_least=1))["u1"]
        await me.send(NOTE, "server", part)
        if me.name == "b":
            again = await me.gather_some(WORD, ["server"], at_least=0)
            if again and me.coins.bernoulli(0.5):
                await me.send(WORD, "server", bits([0]))

    async def server(self, me: Party) -> None:
        parts = await me.gather_some(NOTE, ["a", "b"], at_least=1)
        if "a" not in parts:
            await me.send(WORD, "b", bits([1]))
        words = await me.gather_some(WORD, ["u1", "b"], at_least=0)
        if not words and len(parts) < 2:
            raise Abort("heard nothing")


@attrs.frozen
class Left:
    """Two users send masked numbers and their masks into one sum of the server; the server adds up
    those of one that it has heard, and then waits for a second sum.
    """

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user), "u2": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, number: Sealed) -> None:
        secret = me.secret(lambda n: [n], number, field=G, shape=(1,))
        mask = me.coins.field(G, (1,))
        await me.send(SHARE, "server", secret + mask)
        await me.send(SHARE, "server", mask * 2)

    async def server(self, me: Party) -> None:
        for _ in range(2):
            heard = await me.heard(SHARE, ["u1", "u2"])
            total = await me.gather_sum(SHARE, senders=heard[-1:])
            await me.send(NOTE, "u1", total)


def every_fate(
    protocol: Any, held: Sequence[Any], names: Sequence[str]
) -> Iterator[dict[str, Fate]]:
    """Every way in which these parties can drop out, or stay."""
    made = sends(protocol, held)
    choices: list[list[Fate | None]] = []
    for name in names:
        cuts: list[Fate | None] = [None]
        for send in made[name]:
            cuts += [Fate(send.tag, send.place, count) for count in range(len(send.recipients))]
        if made[name]:
            last = made[name][-1]
            cuts.append(Fate(last.tag, last.place, None))
        choices.append(cuts)
    for chosen in itertools.product(*choices):
        yield {name: fate for name, fate in zip(names, chosen, strict=True) if fate is not None}


def assert_laws_are_those_of_runs(
    protocol: Any,
    fates: Fates,
    corrupt: Sequence[str],
    lists: Sequence[Sequence[int]],
    astray: Sequence[MessageFate] = (),
) -> int:
    """Compare the exact laws of all pairs of inputs with brute force; return how many differ."""
    laws = [view_law(protocol, held, corrupt, fates, astray) for held in lists]
    readings = [
        Comparison(protocol, list(corrupt), enumerated, fates=fates, message_fates=astray)
        for enumerated in (False, True)
    ]
    apart = 0
    for (one, (first, ended)), (other, (second, _)) in itertools.product(
        zip(lists, laws, strict=True), repeat=2
    ):
        for comparison in readings:
            compared = comparison.compare(one, other)
            assert compared.same == (first == second), (fates, corrupt, one, other)
            assert compared.delta() == delta(first, second), (fates, corrupt, one, other)
            assert compared.epsilon == (0 if first == second else epsilon(first, second))
            assert sum(compared.first.values()) == 1
            assert comparison.endings(one) == ended
        apart += first != second
    return apart


@pytest.mark.slow
@pytest.mark.parametrize("corrupt", [["server"], ["b"], ["server", "b"]])
def test_views_of_a_script_whose_silence_tells_are_those_of_runs(corrupt: list[str]) -> None:
    apart = 0
    for fates in ({}, {"a": Fate("note")}, {"u1": Fate("note", 2)}, {"b": Fate("note")}):
        apart += assert_laws_are_those_of_runs(Hidden(), fates, corrupt, [[0], [1], [2]])
    assert bool(apart) == ("server" in corrupt)


@pytest.mark.slow
@pytest.mark.parametrize(
    "corrupt", long_but([["server"], ["b"], ["a"], ["server", "b"]], ["server", "b"])
)
def test_views_under_every_fate_are_those_of_runs(corrupt: list[str]) -> None:
    for fates in every_fate(Hidden(), [2], ["u1", "a", "b", "server"]):
        assert_laws_are_those_of_runs(Hidden(), fates, corrupt, [[0], [2]])


def every_astray(protocol: Any, held: Sequence[Any]) -> Iterator[list[MessageFate]]:
    """Every way in which one message of a run, or two, can go astray."""
    messages = [
        (sender, recipient, send.tag, send.place)
        for sender, own in sends(protocol, held).items()
        for send in own
        for recipient in send.recipients
    ]
    kinds: tuple[What, ...] = ("lost", "duplicated")
    for first, second in itertools.combinations_with_replacement(messages, 2):
        for one, other in itertools.product(kinds, repeat=2):
            if first != second:
                yield [MessageFate(*first, one), MessageFate(*second, other)]
            elif one == other:
                yield [MessageFate(*first, one)]


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])  # one in so many
@pytest.mark.parametrize(
    "corrupt", long_but([["server"], ["b"], ["a"], ["server", "b"]], ["b"], ["server", "b"])
)
def test_views_of_runs_whose_messages_go_astray_are_those_of_runs(
    corrupt: list[str], step: int
) -> None:
    apart, number = 0, 0
    for astray in itertools.islice(every_astray(Hidden(), [2]), 0, None, step):
        number += 1
        apart += assert_laws_are_those_of_runs(Hidden(), {}, corrupt, [[0], [2]], astray)
    assert number > 15
    assert bool(apart) == ("server" in corrupt)


@pytest.mark.slow
def test_a_party_may_drop_out_and_its_message_go_astray() -> None:
    fates = {"u1": Fate("note", 2)}
    for what in ("lost", "duplicated"):
        astray = MessageFate.parse(f"u1@note:{what}:a")
        assert assert_laws_are_those_of_runs(Hidden(), fates, ["a"], [[0], [2]], astray) == 0


@attrs.frozen
class Tells:
    """u1 sends its number in clear to the server, and masked to a keeper."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user), "server": Seat(self.reader), "keeper": Seat(self.reader)}

    async def user(self, me: Party, number: Sealed) -> None:
        mine = me.secret(lambda n: [n], number, field=G, shape=(1,))
        await me.send(NOTE, "server", mine)
        await me.send(NOTE, "keeper", mine + me.coins.field(G, (1,)))

    async def reader(self, me: Party) -> None:
        await me.gather_some(NOTE, ["u1"], at_least=0)


@pytest.mark.parametrize("what", ["lost", "damaged", "duplicated", "late=3"])
def test_what_goes_astray_counts_as_seen(what: str) -> None:
    astray = [
        *MessageFate.parse(f"u1@note:{what}:server"),
        *MessageFate.parse(f"u1@note#2:{what}:keeper"),
    ]
    views = {
        name: Comparison(Tells(), name, message_fates=astray).compare([1], [2])
        for name in ("server", "keeper")
    }
    assert views["server"].delta() == 1
    assert views["keeper"].same
    assert (
        Comparison(Tells(), "server, keeper", message_fates=astray).compare([1], [2]).delta() == 1
    )


def test_whoever_waits_for_a_lost_message_waits_for_ever_in_every_world() -> None:
    comparison = Comparison(
        COMMITTEE, "server", message_fates=MessageFate.parse("c1@partial:lost:server")
    )
    ((ended, chance),) = comparison.endings([1, 2]).items()
    assert chance == 1
    assert ended == run(COMMITTEE, [1, 2], message_fates=comparison.model.message_fates).aborts


def test_whoever_waits_for_anybody_and_a_lost_message_waits_for_ever() -> None:
    class First:
        def parties(self) -> Mapping[str, Seat]:
            return {"u1": Seat(self.user), "server": Seat(self.server)}

        async def user(self, me: Party, number: Sealed) -> None:
            await me.send(NOTE, "server", me.secret(lambda n: [n], number, field=G, shape=(1,)))

        async def server(self, me: Party) -> None:
            await me.receive_any(NOTE)

    astray = MessageFate.parse("u1@note:lost:server")
    done = run(First(), [1], message_fates=astray)
    reason = 'server in round 1: waits for "note" for ever, because the message of u1 was lost'
    assert [str(ending) for ending in done.aborts] == [reason]
    endings = Comparison(First(), "server", message_fates=astray).endings([1])
    assert endings == {done.aborts: 1}


@pytest.mark.slow
def test_views_of_a_sum_that_leaves_senders_out_are_those_of_runs() -> None:
    lists, apart = [[0, 0], [0, 1]], 0
    for fates in ({"u1": Fate("share", 2, None)}, {"u2": Fate("share")}, {"u1": Fate("share", 2)}):
        apart += assert_laws_are_those_of_runs(Left(), fates, ["server"], lists)
        lists_of_two = [[0, 0], [0, 2]]
        assert_laws_are_those_of_runs(Left(), fates, ["u1"], lists_of_two)
    assert apart


def test_a_silence_that_depends_on_an_input_tells_it() -> None:
    class Speaks:
        def parties(self) -> Mapping[str, Seat]:
            return {"u1": Seat(self.user), "server": Seat(self.server)}

        async def user(self, me: Party, number: Sealed) -> None:
            if me.disclose(lambda n: n == 1, number):
                await me.send(NOTE, "server", bits([1]))

        async def server(self, me: Party) -> None:
            await me.gather_some(NOTE, ["u1"], at_least=0)

    compared = Comparison(Speaks(), "server").compare([1], [0])
    assert not compared.same
    assert compared.delta() == 1


def test_what_was_read_is_not_read_again_on_another_input() -> None:
    """A network that is rebuilt for a second input must know which messages were taken."""

    class Twice:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a)}

        async def a(self, me: Party, number: Sealed) -> None:
            await me.send(NOTE, "a", bits([0]))
            await me.receive(NOTE, "a")
            if me.disclose(lambda n: n == 1, number):
                await me.send(NOTE, "a", bits([1]))
            if (await me.receive(NOTE, "a")).numbers()[0]:
                await me.send(WORD, "a", bits([1]))

    model = Model(Twice())
    model.worlds([1])
    with pytest.raises(Stall):  # nobody sends the second note
        model._worlds(model._trees_for([0]), 10, lambda _: None)


COMMITTEE = Committee(users=2, items=2, participation=1.0, members=2, sharing="additive")
SHAMIR = Committee(users=2, items=2, participation=1.0, members=3, sharing="shamir:2")
USERS_ALONE = RobustDPDS(users=3, items=2, participation=1.0, sharing="shamir:2")
LISTS = {
    2: [[1, 1], [1, 2], [2, 1], [2, 2]],
    3: [[1, 1, 1], [1, 1, 2], [1, 2, 1], [2, 1, 1], [2, 1, 2], [2, 2, 1]],
}
COALITIONS = {
    "committee": [["u1"], ["c1"], ["server"], ["server", "c1"], ["c1", "c2"], ["server", "u1"]],
    "users": [["u1"], ["server"], ["server", "u1"], ["u1", "u2"], ["server", "u1", "u2"]],
}


def exact_finding(protocol: Any, fates: Fates, corrupt: list[str]) -> str:
    """What the exact laws of all lists of inputs say, in the words of a verdict."""
    comparison = Comparison(protocol, corrupt, fates=fates)
    lists = LISTS[protocol.users]
    found = "nothing"
    for one, other in itertools.combinations(lists, 2):
        named, others = comparison.model.named(one), comparison.model.named(other)
        if any(named.get(name) != others.get(name) for name in corrupt):
            continue
        if comparison.compare(one, other).same:
            continue
        if comparison.compare_ideal(one, other).same:
            return "leaks"
        found = "output-only"
    return found


def assert_verdicts_agree(protocol: Any, fates: Fates, coalitions: Sequence[list[str]]) -> set[str]:
    found: set[str] = set()
    done = run(protocol, LISTS[protocol.users][0], 1, fates=fates)
    judge = Judge([done], list(protocol.parties()))
    for corrupt in coalitions:
        exact = exact_finding(protocol, fates, corrupt)
        assert judge.verdict(corrupt).finding == exact, (fates, corrupt)
        found.add(exact)
    return found


@pytest.mark.slow
def test_verdicts_on_a_committee_agree_with_exact_laws() -> None:
    found = assert_verdicts_agree(
        COMMITTEE, {"u2": Fate("share", reached=1)}, COALITIONS["committee"][1:5]
    )
    found |= assert_verdicts_agree(COMMITTEE, {"c2": Fate("heard")}, [["server"], ["c1", "c2"]])
    assert found == {"nothing", "output-only", "leaks"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "coalitions"),
    long_but(
        [(COMMITTEE, "committee"), (SHAMIR, "committee"), (USERS_ALONE, "users")],
        (SHAMIR, "committee"),
    ),
    ids=["additive", "shamir", "users alone"],
)
def test_verdicts_under_many_fates_agree_with_exact_laws(protocol: Any, coalitions: str) -> None:
    held = LISTS[protocol.users][0]
    every = list(every_fate(protocol, held, list(protocol.parties())))
    found: set[str] = set()
    for fates in random.Random(3).sample(every, 12):
        found |= assert_verdicts_agree(protocol, fates, COALITIONS[coalitions])
    assert found == {"nothing", "output-only", "leaks"}


@pytest.mark.slow
def test_the_law_of_a_committee_is_that_of_runs() -> None:
    """The coins of a deferred block in a party's last send are tossed before it is gone."""
    fates = {"u1": Fate("share", reached=None), "u2": Fate("share", reached=1)}
    assert not assert_laws_are_those_of_runs(COMMITTEE, fates, ["c1"], [[1, 2]])


@pytest.mark.long
@pytest.mark.parametrize("count", [5, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize("corrupt", long_but([["server"], ["c1"], ["c1", "c2"]], ["c1", "c2"]))
def test_laws_of_a_committee_under_many_fates_are_those_of_runs(
    corrupt: list[str], count: int
) -> None:
    every = list(every_fate(COMMITTEE, [1, 1], ["u1", "u2", "c1", "server"]))
    for fates in random.Random(4).sample(every, count):
        assert_laws_are_those_of_runs(COMMITTEE, fates, corrupt, [[1, 2], [2, 1]])
