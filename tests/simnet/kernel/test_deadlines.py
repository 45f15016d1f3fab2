"""Waits with a deadline: who is heard, what is noted, and what a coalition then learns."""

from collections.abc import Mapping
from pathlib import Path

import attrs
import numpy as np
import pytest

from simnet import (
    BadInput,
    Field,
    MessageFate,
    Party,
    ScriptError,
    Seat,
    Summed,
    Tag,
    bits,
    certificate_of,
    constant,
    load,
    replay,
    run,
    save,
    seats,
    timed,
    verdict,
)
from simnet.errors import SimnetError
from simnet.exhaustive.compare import Comparison
from simnet.kernel.deadlines import Repeated
from simnet.network.network import Access, Latency, Network
from simnet.network.recorded import load as load_log
from simnet.network.recorded import recorded
from simnet.values.meter import Operation
from simnet.values.sealed import Sealed

F = Field.above(250)
REPORT, THANKS, MORE = Tag("report"), Tag("thanks"), Tag("more")


def network(seconds: float = 1.0, prices: Mapping[Operation, float] | None = None) -> Network:
    """Every message takes so long, whatever its size; operations cost nothing else."""
    return Network(
        name="steps",
        classes={"client": Access(), "server": Access()},
        latencies={
            ("client", "client"): Latency(seconds),
            ("client", "server"): Latency(seconds),
            ("server", "server"): Latency(seconds),
        },
        prices=prices or {},
    )


@attrs.frozen
class Reports:
    """Users report to a server. A user of the set `slow` first waits for its own letter, which goes
    to a helper and back.
    """

    users: int
    within: float
    slow: tuple[str, ...] = ()
    at_least: int = 1
    asks_again: bool = False

    def parties(self) -> Mapping[str, Seat]:
        return {
            **seats("u", self.user, self.users),
            "server": Seat(self.server),
            "helper": Seat(self.helper),
        }

    async def user(self, me: Party, number: Sealed) -> None:
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        if me.name in self.slow:
            await me.send(MORE, "helper", constant(F, [0]))
            await me.receive(MORE, "helper")
        await me.send(REPORT, "server", mine)
        if self.asks_again:
            await me.send(REPORT, "server", constant(F, [7]))

    async def helper(self, me: Party) -> None:
        for name in self.slow:
            await me.receive(MORE, name)
            await me.send(MORE, name, constant(F, [0]))

    async def server(self, me: Party) -> tuple[list[str], list[int]]:
        came = await me.gather_some(
            REPORT, me.all("user"), at_least=self.at_least, within=self.within
        )
        again = []
        if self.asks_again:
            second = await me.gather(REPORT, me.all("user"))
            again = [me.disclose(lambda x: int(x[0]), payload) for payload in second]
        return list(came), again


def test_who_is_late_is_named_and_billed() -> None:
    done = run(Reports(3, within=2.5, slow=("u2",)), [1, 2, 3], network=network())
    assert done.outputs["server"][0] == ["u1", "u3"]
    assert [(each.at, each.silent) for each in done.deadlines] == [(2.5, (1,))]
    assert [(each.sender, each.seconds) for each in done.late] == [("u2", 0.5)]
    assert [str(each) for each in done.unread] == ['1 message "report" from u2 to server']
    assert done.happened.missed["server", "report"] == (("u2",),)
    assert done.ledger.by("tag", "sent")["report"].messages == 3


def test_in_time_the_party_goes_on_when_the_last_message_is_there() -> None:
    done = run(Reports(3, within=3.5, slow=("u2",)), [1, 2, 3], network=network())
    assert done.outputs["server"][0] == ["u1", "u2", "u3"]
    assert timed(done, network()).ended["server"] == 3.0
    assert not done.late


def test_a_late_message_is_not_read_as_the_next_one() -> None:
    done = run(Reports(2, within=1.5, slow=("u2",), asks_again=True), [1, 2], network=network())
    assert done.outputs["server"] == (["u1"], [7, 7])


def test_too_few_in_time_abort() -> None:
    done = run(Reports(2, within=1.5, slow=("u2",), at_least=2), [1, 2], network=network())
    assert done.outcome == "aborted"
    assert "only 1 of 2 senders" in done.aborts[0].reason


def test_silence_takes_a_round_after_everything_that_it_may_tell() -> None:
    done = run(Reports(2, within=1.5, slow=("u2",)), [1, 2], network=network(), observe=["server"])
    (silence,) = done.transcript.silences
    assert silence.senders == (1,)
    assert silence.round == 3  # u2 has read a letter of round 2


def test_a_run_with_deadlines_needs_a_network_with_latencies() -> None:
    with pytest.raises(ScriptError, match="the run has no network"):
        run(Reports(2, within=1.0), [1, 2])
    with pytest.raises(BadInput, match="latency of 0"):
        run(Reports(2, within=1.0), [1, 2], network=network(0.0))
    for within in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ScriptError, match="a finite number of seconds above 0"):
            run(Reports(2, within=within), [1, 2], network=network())


def test_a_run_with_deadlines_has_times_on_its_own_network_alone(tmp_path: Path) -> None:
    done = run(Reports(2, within=1.5, slow=("u2",)), [1, 2], network="broadband")
    path = tmp_path / "run.log"
    recorded(done).save(path)
    assert timed(load_log(path), "broadband").ended == timed(done, "broadband").ended
    with pytest.raises(BadInput, match="were decided on another network, broadband"):
        timed(load_log(path), "mobile")


def test_a_saved_run_is_repeated_without_its_network(tmp_path: Path) -> None:
    protocol = Reports(3, within=2.5, slow=("u2",))
    done = run(protocol, [1, 2, 3], network=network(), observe=["server"])
    path = tmp_path / "run.transcript"
    save(done.transcript, path)
    again = replay(load(path), protocol)
    assert again.trace_hash == done.trace_hash
    assert again.deadlines == done.deadlines
    with pytest.raises(
        ScriptError, match="the waits with deadlines differ from those of the recorded run"
    ):
        run(protocol, [1, 2, 3], network=Repeated(()))


def test_a_late_report_belongs_to_what_the_server_sees() -> None:
    done = run(Reports(3, within=2.5, slow=("u2",)), [1, 2, 3], network=network())
    assert verdict(done, "server").attack("u2", 1) == 2
    assert verdict(done, "u1, helper").finding == "nothing"
    with pytest.raises(SimnetError, match="which deadlines passed"):
        certificate_of(verdict(done, "server"))


def test_exact_views_refuse_deadlines() -> None:
    reason = "server waits with a deadline, and an exact view has no clock"
    with pytest.raises(BadInput, match=reason):
        Comparison(Reports(1, within=2.5), "server").compare([1], [2])


@attrs.frozen
class Pondering:
    """A user whose door draws more coins if it holds 1."""

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, number: Sealed) -> None:
        mine = me.secret(
            lambda x, coins: [sum(coins.bernoulli(0.5) for _ in range(100 * x)) % 2],
            number,
            field=F,
            shape=(1,),
        )
        mask = me.coins.field(F, (1,))
        await me.send(REPORT, "server", mine + mask)

    async def server(self, me: Party) -> int:
        return len(await me.gather_some(REPORT, ["u1"], at_least=0, within=1.5))


def test_the_time_of_a_door_does_not_decide_a_deadline() -> None:
    """A deadline must not tell how long a function of inputs took."""
    slow = network(prices={"BS": 1.0})
    heard = [run(Pondering(), [number], network=slow).outputs["server"] for number in (0, 1)]
    assert heard == [1, 1]


@attrs.frozen
class Stream:
    """u1 sends a long message and then a short one; u2 waits for the short one with a deadline."""

    size: int

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.sender), "u2": Seat(self.reader)}

    async def sender(self, me: Party) -> None:
        await me.send(MORE, "u2", bits(np.zeros(self.size, dtype=np.int64)))
        await me.send(REPORT, "u2", bits([1]))

    async def reader(self, me: Party) -> int:
        heard = await me.gather_some(REPORT, ["u1"], at_least=0, within=1.0)
        await me.receive(MORE, "u1")
        return len(heard)


@pytest.mark.parametrize(("size", "heard"), [(80, 1), (80_000, 0)])
def test_a_message_may_be_late_because_of_the_one_before_it(size: int, heard: int) -> None:
    narrow = {name: Access(up=1e4) for name in ("client", "server")}
    done = run(Stream(size), network=attrs.evolve(network(0.1), classes=narrow))
    assert done.outputs["u2"] == heard


@attrs.frozen
class Rows:
    """Users send rows to the server, which waits for them until a deadline."""

    within: float

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 3), "server": Seat(self.server)}

    async def user(self, me: Party) -> None:
        await me.send_rows(Tag("row"), "server", bits([[int(me.name[1:]) % 2]]))

    async def server(self, me: Party) -> list[int]:
        rows = await me.gather_rows(Tag("row"), me.all("user"), at_least=1, within=self.within)
        return [int(row[0]) for row in rows.numbers()]


@pytest.mark.parametrize(("within", "came"), [(2.0, [1, 1]), (4.0, [1, 0, 1])])
def test_rows_that_come_in_time_are_joined(within: float, came: list[int]) -> None:
    late = MessageFate.parse("u2@row:late=2:server")
    done = run(Rows(within), network="rounds", message_fates=late)
    assert done.outputs["server"] == came
    assert [each.sender for each in done.late] == (["u2"] if within == 2 else [])


def test_deadlines_of_rows_and_of_sums_that_cannot_be_are_refused() -> None:
    class NoNumber(Rows):
        async def server(self, me: Party) -> list[int]:
            await me.gather_rows(Tag("row"), me.all("user"), within=1.0)
            return []

    class OfSum(Rows):
        async def server(self, me: Party) -> list[int]:
            await me.heard(Summed("row"), me.all("user"), within=1.0)
            return []

    for protocol, reason in [
        (Rows(0.0), "a finite number of seconds above 0"),
        (NoNumber(1.0), "a deadline needs at_least"),
        (OfSum(1.0), "waits for a sum with a deadline"),
    ]:
        with pytest.raises(ScriptError, match=reason):
            run(protocol, network="rounds")
