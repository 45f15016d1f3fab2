"""What a script must not do: each misuse ends the run with a sentence that names who and where."""

import asyncio
import contextlib
import gc
import inspect
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trio

from simnet import (
    Boxes,
    Party,
    PublicKeys,
    ScriptError,
    Seat,
    Signatures,
    Stall,
    bits,
    constant,
    run,
)
from simnet.errors import BadInput
from simnet.kernel.limits import limited
from simnet.kernel.schedule import Shuffled
from simnet.record.ledger import Ledger
from simnet.roster import Roster, seats
from tests.harness.many_cases import for_each
from tests.harness.scripts import NOTE, SHARE, Crowd, F, Scripts, elements, idle, play

Script = Callable[[Party], Awaitable[Any]]


def refusal(script: Script, other: Script = idle) -> str:
    """Return the error message of a run in which `a` plays one script and `b` another."""
    with pytest.raises(ScriptError) as caught:
        play(a=script, b=other)
    return str(caught.value)


class Rude(BaseException):
    """An exception that `except Exception` does not catch."""


# Whatever leaves a script is blamed on party, round, file and line.

EXCEPTIONS = [
    ValueError("no"),
    KeyError("gone"),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
    StopIteration(1),
    asyncio.CancelledError(),
    Rude("x"),
    ExceptionGroup("some", [ValueError("no")]),
]


@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda error: type(error).__name__)
def test_every_exception_is_blamed_on_party_round_and_line(error: BaseException) -> None:
    async def script(me: Party) -> None:
        await me.receive(NOTE, "b")
        raise error

    async def other(me: Party) -> None:
        await me.send(NOTE, "a", elements(1))

    line = inspect.getsourcelines(script)[1] + 2
    text = refusal(script, other)
    assert text.startswith('a in round 2 (tag "note"): ')
    assert re.search(rf"test_misuse\.py:{line}\)$", text)


def test_a_refusal_names_the_line_of_the_script() -> None:
    async def script(me: Party) -> None:
        await me.gather_sum(NOTE, senders=["b"])

    line = inspect.getsourcelines(script)[1] + 1
    assert f"test_misuse.py:{line})" in refusal(script)


def test_without_a_tag_none_is_named() -> None:
    async def script(me: Party) -> None:
        raise KeyError("oops")

    assert refusal(script).startswith("a in round 1: KeyError: 'oops' (")


# A script waits only for messages, and only the script itself waits.


async def opens_a_task(me: Party) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(me.receive, NOTE, "b")


async def waits_with_a_timeout(me: Party) -> None:
    with trio.move_on_after(0.01):
        await me.receive(NOTE, "b")


async def waits_in_a_cancelled_scope(me: Party) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await me.receive(NOTE, "b")


async def receives_in_a_task(me: Party) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(me.receive, NOTE, "b")
        await me.receive(NOTE, "b")


async def sleeps_in_trio(me: Party) -> None:
    await trio.sleep(0.01)


async def sleeps_for_ever(me: Party) -> None:
    await trio.sleep_forever()


async def waits_for_a_thread(me: Party) -> None:
    await trio.to_thread.run_sync(time.sleep, 0.01)


async def sleeps_in_asyncio(me: Party) -> None:
    await asyncio.sleep(0.01)


async def gathers_in_asyncio(me: Party) -> None:
    await asyncio.wait_for(me.receive(NOTE, "b"), 0.01)


async def ping(me: Party) -> None:
    """Keep the run going on for a while without a message to `a`."""
    for _ in range(200):
        await me.send(NOTE, "c", elements(1))
        await me.receive(NOTE, "c")


async def pong(me: Party) -> None:
    for _ in range(200):
        await me.receive(NOTE, "b")
        await me.send(NOTE, "b", elements(1))


@pytest.mark.parametrize(
    "script",
    [
        opens_a_task,
        waits_with_a_timeout,
        waits_in_a_cancelled_scope,
        receives_in_a_task,
        sleeps_in_trio,
        sleeps_for_ever,
        waits_for_a_thread,
        sleeps_in_asyncio,
        gathers_in_asyncio,
    ],
)
@pytest.mark.filterwarnings("ignore:coroutine")  # of asyncio, which drops what it cannot wait for
def test_nothing_but_messages_is_waited_for(script: Script) -> None:
    with pytest.raises(ScriptError) as caught:
        play(a=script, b=ping, c=pong)
    text = str(caught.value)
    gc.collect()
    reasons = (
        "uses asyncio: a script may wait for messages only",
        "waits for something of trio's, which is not a message",
        "waits inside a timeout or a cancelled scope, or beside a task of its own",
    )
    assert text.startswith("a in round 1")
    assert any(reason in text for reason in reasons)
    first = inspect.getsourcelines(script)[1]
    assert int(text.rpartition(":")[2].rstrip(")")) in range(first, first + 5)


async def receives(me: Party) -> None:
    await me.receive(NOTE, "b")


async def receives_each(me: Party) -> None:
    await me.receive_each(NOTE, "b", 1)


async def receives_any(me: Party) -> None:
    await me.receive_any(NOTE)


async def gathers(me: Party) -> None:
    await me.gather(NOTE, ["b"])


async def gathers_some(me: Party) -> None:
    await me.gather_some(NOTE, ["b"], at_least=1)


async def adds_up(me: Party) -> None:
    await me.gather_sum(SHARE, senders=["b"])


async def hears(me: Party) -> None:
    await me.heard(SHARE, ["b"])


async def sends_much(me: Party) -> None:
    for _ in range(1000):
        await me.send(NOTE, "c", elements(1))


async def sends_both(me: Party) -> None:
    await me.send(NOTE, "a", elements(1))
    await me.send(SHARE, "a", elements(1))


@pytest.mark.parametrize("is_cancelled", [False, True])
@pytest.mark.parametrize(
    "waits",
    [receives, receives_each, receives_any, gathers, gathers_some, adds_up, hears, sends_much],
)
def test_a_timeout_around_a_wait_is_refused_in_every_schedule(
    waits: Script, is_cancelled: bool
) -> None:
    """It is refused also where the message is there already, and nobody else can go on."""

    async def in_time(me: Party) -> None:
        with contextlib.suppress(ScriptError), trio.move_on_after(100) as scope:
            if is_cancelled:
                scope.cancel()
            await waits(me)

    for schedule in (None, *map(Shuffled, range(8))):
        with pytest.raises(ScriptError, match=r"^a in round 1.* waits inside a timeout"):
            run(Scripts(a=in_time, b=sends_both, c=idle), schedule=schedule)


async def waits_behind_a_shield(me: Party) -> None:
    with trio.CancelScope(shield=True):
        await me.receive(NOTE, "b")


async def waits_beside_a_task(me: Party) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.sleep_forever)
        await me.receive(NOTE, "b")


@pytest.mark.parametrize("script", [waits_behind_a_shield, waits_beside_a_task])
def test_a_run_that_cannot_go_on_ends_whatever_a_script_hides_behind(script: Script) -> None:
    with pytest.raises(Stall, match="b has finished"):
        play(a=script, b=idle)

    async def other(me: Party) -> None:
        raise ValueError("no")

    with pytest.raises(ScriptError, match=r"^b in round 1: no"):
        play(a=script, b=other)


def test_a_task_of_a_script_that_fails_ends_the_run_with_a_plain_error() -> None:
    """The task fails before or after `b` waits: trio runs tasks in a random order."""

    async def fails() -> None:
        raise ValueError("no")

    async def script(me: Party) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fails)
            await me.receive(NOTE, "b")

    async def sends(me: Party) -> None:
        for _ in range(600):
            await me.send(NOTE, "a", elements(1))

    async def waits(me: Party) -> None:
        await me.receive(NOTE, "a")

    for other in (sends, waits) * 10:
        with pytest.raises((ScriptError, Stall), match=r"a in round|cannot go on: a waits for b"):
            play(a=script, b=other)


async def yields_bare(me: Party) -> None:
    await asyncio.sleep(0)


def test_what_yields_to_nobody_is_refused() -> None:
    text = refusal(yields_bare)
    assert text.startswith("a in round 1: waits for NoneType, which is not a message")
    assert f"test_misuse.py:{inspect.getsourcelines(yields_bare)[1] + 1})" in text


# A party is used by its own script alone.

KEY = PublicKeys(np.zeros((1, 32), dtype=np.uint8))
SIGNATURE = Signatures(np.zeros(64, dtype=np.uint8))
BOX = Boxes(elements(1), [bytes(32)], is_single=True)

USES = [
    lambda me: me.send(NOTE, "b", elements(1)),
    lambda me: me.scatter(NOTE, ["b"], elements(1)),
    lambda me: me.send_rows(NOTE, "b", elements(1)),
    lambda me: me.publish(NOTE, ["b"], elements(1)),
    lambda me: me.publish_each(NOTE, ["b"], [elements(1)]),
    lambda me: me.receive(NOTE, "b"),
    lambda me: me.receive_each(NOTE, "b", 1),
    lambda me: me.receive_any(NOTE),
    lambda me: me.gather(NOTE, ["b"]),
    lambda me: me.gather_some(NOTE, ["b"]),
    lambda me: me.heard(SHARE, ["b"]),
    lambda me: me.gather_rows(NOTE, ["b"]),
    lambda me: me.gather_rows(NOTE, ["b"], at_least=1),
    lambda me: me.gather_tally(NOTE, ["b"], lambda rows: rows),
    lambda me: me.gather_sum(SHARE, senders=["b"]),
    lambda me: me.gather_sums(SHARE, [1], [1]),
    lambda me: me.coins,
    lambda me: me.expand(elements(4), F, 1),
    lambda me: me.public_key(elements(4)),
    lambda me: me.agree(elements(4), KEY, F, 1),
    lambda me: me.encrypt(elements(4), elements(1)),
    lambda me: me.decrypt(elements(4), BOX),
    lambda me: me.sign(bits([1])),
    lambda me: me.is_signed("a", bits([1]), SIGNATURE),
    lambda me: me.are_distinct(KEY),
    lambda me: me.secret(lambda: [1], field=F, shape=(1,)),
    lambda me: me.disclose(lambda: 1),
    lambda me: me.output(lambda: 1),
]


def test_the_list_of_uses_is_complete() -> None:
    harmless = {"all", "group", "index", "is_in", "name", "names", "role", "within"}
    named = {name for use in USES for name in use.__code__.co_names}
    acting = {name for name in vars(Party) if not name.startswith("_")} - harmless
    assert acting <= named


@for_each("use", USES)
@for_each("scoped", [False, True])
def test_no_script_uses_the_party_of_another(use: Callable[[Party], Any], scoped: bool) -> None:
    parties = []

    async def script(me: Party) -> None:
        parties.append(me.within("") if scoped else me)

    async def thief(me: Party) -> None:
        awaited = use(parties[0])
        if inspect.isawaitable(awaited):
            await awaited

    assert "uses the party of a: " in refusal(script, thief)


@for_each("use", USES)
def test_after_a_failure_no_party_goes_on(use: Callable[[Party], Any]) -> None:
    after: list[str] = []

    async def script(me: Party) -> None:
        while True:
            try:
                awaited = use(me) if after else me.receive(NOTE, "b")
                if inspect.isawaitable(awaited):
                    await awaited
                after.append("did what it wanted")
            except BaseException as error:
                after.append(type(error).__name__)
                if len(after) > 9:
                    raise

    async def other(me: Party) -> None:
        raise ValueError("no")

    with pytest.raises(ScriptError, match=r"^b in round 1: no"):
        play(a=script, b=other)
    assert after[0] == "GeneratorExit"
    assert "did what it wanted" not in after


@pytest.mark.parametrize("use", USES[-4:])
def test_no_thread_uses_a_party(use: Callable[[Party], Any]) -> None:
    caught: list[BaseException] = []

    async def script(me: Party) -> None:
        def work() -> None:
            try:
                use(me)
            except ScriptError as error:
                caught.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        raise caught[0]

    assert "its party is used in another thread" in refusal(script)


# Interrupts


async def lets_it_through(me: Party) -> None:
    signal.raise_signal(signal.SIGINT)


async def waits_on(me: Party) -> None:
    while True:
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException:
            await me.receive(NOTE, "b")


async def waits_on_and_on(me: Party) -> None:
    presses = 0
    while True:
        try:
            if not presses:
                presses += 1
                signal.raise_signal(signal.SIGINT)
            await me.receive(NOTE, "b")
        except BaseException:
            pass


async def ends_well(me: Party) -> int:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return 1
    return 2


@pytest.mark.parametrize("script", [lets_it_through, waits_on, waits_on_and_on, ends_well])
def test_an_interrupt_ends_the_run_whatever_a_script_does(script: Script) -> None:
    """The message says which party was running, in which round and where."""
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match=r"^a was running in round 1 \(.*test_misuse.py:"):
        play(a=script, b=idle)
    assert signal.getsignal(signal.SIGINT) is before
    assert play(a=idle).outputs == {}


def test_an_interrupt_between_two_scripts_ends_the_run_before_the_next_script() -> None:
    ran = []

    class Interrupting:
        def party(self, ready: Sequence[str]) -> int:
            signal.raise_signal(signal.SIGINT)
            return 0

        def message(self, tag: str, senders: Sequence[str]) -> int:
            return 0

    async def notes(me: Party) -> None:
        ran.append(me.name)

    with pytest.raises(KeyboardInterrupt):
        run(Scripts(a=notes, b=notes), schedule=Interrupting())
    assert not ran


async def sends(me: Party) -> None:
    while True:
        await me.send(NOTE, "b", constant(F, 1))


async def publishes(me: Party) -> None:
    while True:
        await me.publish(NOTE, ["b"], constant(F, 1))


async def scatters(me: Party) -> None:
    while True:
        await me.scatter(SHARE, ["a", "b"], constant(F, [1, 1]))


async def answers(me: Party) -> None:
    other = "b" if me.name == "a" else "a"
    while True:
        await me.send(NOTE, other, constant(F, 1))
        await me.receive(NOTE, other)


async def sends_and_catches(me: Party) -> None:
    for _ in range(100):
        with contextlib.suppress(BaseException):
            for _ in range(100):
                await me.send(NOTE, "b", constant(F, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "other"),
    [
        (sends, idle),
        (publishes, idle),
        (scatters, idle),
        (answers, answers),
        (sends_and_catches, idle),
    ],
)
def test_a_limit_of_messages_ends_what_sends_for_ever(script: Script, other: Script) -> None:
    with warnings.catch_warnings():  # other tests' coroutines would be found in the middle of it
        warnings.simplefilter("ignore")
        gc.collect()
    with (
        limited(messages=1000),
        pytest.raises(ScriptError, match="more messages than the limit of 1,000"),
    ):
        play(a=script, b=other)
    with limited(messages=1000):
        assert play(a=idle).outputs == {}


def test_a_limit_on_messages_never_counts_the_ledger_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_wanted(*_: object) -> Any:
        raise AssertionError("the ledger is counted")

    async def sends(me: Party) -> None:
        for _ in range(1000):
            await me.send(NOTE, "b", elements(1))

    monkeypatch.setattr(Ledger, "by", not_wanted)
    with limited(messages=1000):
        play(a=sends, b=idle)
    with limited(messages=20), pytest.raises(ScriptError, match="the limit of 20"):
        play(a=sends, b=idle)


def test_the_thresholds_of_garbage_collection_are_back_after_runs_that_overlap() -> None:
    before = gc.get_threshold()
    inside, go_on = threading.Barrier(3), threading.Event()

    async def waits(me: Party) -> None:
        inside.wait()
        go_on.wait()

    threads = [threading.Thread(target=play, kwargs={"a": waits}) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait()
    assert gc.get_threshold() != before
    go_on.set()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == before


CATCHES_ON = """
from simnet import Seat, Tag, run

class CatchesOn:
    def parties(self):
        return {"a": Seat(self.script), "b": Seat(self.fails)}

    async def script(self, me):
        while True:
            try:
                await me.receive(NOTE, "b")
            except BaseException:
                pass

    async def fails(self, me):
        raise ValueError("no")

NOTE = Tag("note")
try:
    run(CatchesOn())
except Exception as error:
    print(error)
"""


@pytest.mark.slow
def test_a_script_that_catches_everything_does_not_outlive_the_process(tmp_path: Path) -> None:
    (tmp_path / "catches_on.py").write_text(CATCHES_ON)
    command = [sys.executable, str(tmp_path / "catches_on.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("b in round 1: no")
    assert (done.returncode, done.stderr) == (0, "")


STUBBORN = """
import signal
from simnet import Seat, run

signal.signal(signal.SIGINT, signal.default_int_handler)

class Stubborn:
    def parties(self):
        return {"a": Seat(self.script)}

    async def script(self, me):
        while True:
            try:
                signal.raise_signal(signal.SIGINT)
            except BaseException:
                print("caught", flush=True)

run(Stubborn())
"""


def test_a_second_interrupt_ends_even_what_catches_everything(tmp_path: Path) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    command = [sys.executable, str(tmp_path / "stubborn.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGINT, "caught\n")


def test_the_handler_of_somebody_else_stays() -> None:
    presses = []
    before = signal.signal(signal.SIGINT, lambda *_: presses.append(1))
    try:
        play(a=lets_it_through)
    finally:
        signal.signal(signal.SIGINT, before)
    assert presses == [1]


# A forgotten `await`


async def forgets_to_await_a_send(me: Party) -> None:
    me.send(NOTE, "b", elements(1))  # type: ignore[unused-coroutine]


async def helper(me: Party) -> None:
    """A step of a script."""


async def forgets_to_await_a_helper(me: Party) -> None:
    helper(me)  # type: ignore[unused-coroutine]


async def keeps_what_it_receives(me: Party) -> None:
    kept = me.receive(NOTE, "b")
    await me.send(NOTE, "b", elements(1))
    del kept
    await me.send(NOTE, "b", elements(1))


async def keeps_it_until_the_script_ends(me: Party) -> None:
    kept = me.receive(NOTE, "b")  # noqa: F841
    await me.send(NOTE, "b", elements(1))


@pytest.mark.parametrize(
    ("script", "name", "line"),
    [
        (forgets_to_await_a_send, "send", 1),
        (forgets_to_await_a_helper, "helper", 1),
        (keeps_what_it_receives, "receive", 3),
        (keeps_it_until_the_script_ends, "receive", None),
    ],
)
def test_a_forgotten_await_is_told(script: Script, name: str, line: int | None) -> None:
    for _ in range(2):  # Python's warning would come once only
        text = refusal(script)
        assert f"{name}(...) does nothing without `await`: write `await` before the call" in text
        if line is None:  # no line of the script was running when Python noticed
            assert text.endswith("before the call")
        else:
            assert f"test_misuse.py:{inspect.getsourcelines(script)[1] + line})" in text


async def sends_a_coroutine(me: Party) -> None:
    await me.send(NOTE, "b", me.receive(NOTE, "b"))


async def computes_with_a_coroutine(me: Party) -> None:
    me.receive(NOTE, "b").open()  # type: ignore[attr-defined]


async def returns_a_coroutine(me: Party) -> Any:
    return me.receive(NOTE, "b")


@pytest.mark.slow
# The coroutine that is computed with is freed with the traceback, after the run.
@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize(
    ("script", "what"),
    [
        (sends_a_coroutine, "got coroutine: is an `await` missing?"),
        (computes_with_a_coroutine, "; is an `await` missing?"),
        (returns_a_coroutine, "returns receive(...) without `await` before it"),
    ],
)
def test_a_coroutine_is_no_value(script: Script, what: str) -> None:
    assert what in refusal(script)
    gc.collect()


# Values of the wrong kind


@for_each(
    "misuse, what",
    [
        (
            lambda me: me.send("share", "b", elements(1)),
            "a tag must be a Tag, got 'share': declare",
        ),
        (lambda me: me.receive("share", "b"), "a tag must be a Tag, got 'share': declare"),
        (lambda me: me.within("g.").receive("share", "b"), "a tag must be a Tag, got 'share'"),
        (lambda me: me.gather_sum("share", ["b"]), "a tag must be a Tag, got 'share': declare"),
        (lambda me: me.gather_rows("share", "b", within=1), "a tag must be a Tag, got 'share'"),
        (lambda me: me.send(NOTE, "b", 3), "got int: write constant(field, ...)"),
        (lambda me: me.send(NOTE, "b", np.arange(3)), "got ndarray: write constant(field, ...)"),
        (lambda me: me.send(SHARE, "b", 3), "got int: write constant(field, ...)"),
        (lambda me: me.scatter(SHARE, ["b"], [3]), "got list: write constant(field, ...)"),
        (lambda me: me.encrypt(elements(4), 3), "got int: write constant(field, ...)"),
        (lambda me: me.encrypt(elements(4), [elements(1)] * 2), "got list: make one array of them"),
        (lambda me: me.encrypt(elements(4), [BOX, BOX]), "Boxes inside boxes, as in onion routing"),
        (lambda me: me.encrypt(elements(4), ({"box": BOX}, 1)), "Boxes inside boxes"),
        (lambda me: me.encrypt(elements(4), BOX), "and never Boxes: send these in a message of"),
        (lambda me: me.encrypt(elements(4), KEY), "and never PublicKeys: send these in a message"),
        (lambda me: me.secret(elements(3)), "write me.secret(function, value, field=F, shape=(N,"),
        (
            lambda me: me.send(NOTE, me.group("b"), elements(1)),
            "send takes the name of one recipient",
        ),
        (lambda me: me.send(NOTE, ["a", "b"], elements(1)), "send takes the name of one recipient"),
        (lambda me: int(me.coins.field(F, ())), "`return me.output(int, total)`"),
        (lambda me: float(me.coins.field(F, ())), "`return me.output(int, total)`"),
        (lambda me: me.coins.field(F, ()) % 2, "`return me.output(int, total)`"),
        (lambda me: me.coins.field(F, ()) > 3, "or compares their sizes"),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_what_to_write(
    misuse: Callable[[Party], Any], what: str
) -> None:
    async def script(me: Party) -> None:
        awaited = misuse(me)
        if inspect.isawaitable(awaited):
            await awaited

    assert what in refusal(script)


@pytest.mark.parametrize(
    ("parties", "what"),
    [
        ([Seat(idle)], "parties() must return a mapping from names to seats, .* got list"),
        (None, "got NoneType"),
        ({"a": idle}, "parties() must map names to seats, .* maps 'a' to <function idle"),
        ({1: Seat(idle)}, "maps 1 to Seat"),
        ({}, "the protocol has no parties"),
    ],
)
def test_parties_map_names_to_seats(parties: Any, what: str) -> None:
    class Protocol:
        def parties(self) -> Any:
            return parties

    with pytest.raises(BadInput, match=what.replace("(", r"\(").replace(")", r"\)")):
        run(Protocol())


class NotAsync:
    def parties(self) -> Any:
        return {"a": Seat(self.a)}

    def a(self, me: Party) -> None:
        """Lacks its `async`."""


class Called(NotAsync):
    def parties(self) -> Any:
        return {"a": Seat(self.a())}  # type: ignore[func-returns-value]


class NoMethod:
    parties = {"a": 1}  # noqa: RUF012


@pytest.mark.parametrize(
    ("protocol", "what"),
    [
        (NotAsync, r"a seat needs an async method of the protocol, .*test_misuse\.py:\d+\)"),
        (Called, r"missing 1 required positional argument: 'me' \(.*test_misuse\.py:\d+\)"),
        (NoMethod, r"NoMethod is no protocol: it has no method `parties\(\)`"),
        (object, r"object is no protocol: it has no method `parties\(\)`"),
    ],
)
def test_parties_that_cannot_be_seated_are_told_in_a_sentence(
    protocol: Callable[[], Any], what: str
) -> None:
    with pytest.raises(BadInput, match=what):
        run(protocol())


# Messages that miss their recipient


def test_a_message_under_another_tag_is_told() -> None:
    async def user(me: Party) -> None:
        await me.send(NOTE, "server", elements(1))

    async def server(me: Party) -> None:
        await me.gather_sum(SHARE, senders=me.all("user"))

    with pytest.raises(
        Stall,
        match=r'server waits for u1 and 1 more in round 1 \(tag "share"\), '
        r'and a message "note" from u1 waits unread$',
    ):
        run(Crowd(2, user, server))


def test_messages_that_nobody_received_are_told() -> None:
    async def user(me: Party) -> None:
        await me.send(NOTE, "server", elements(1))
        await me.send(NOTE, "server", elements(1))
        await me.scatter(SHARE, ["server", "u1"], elements(1, 2))

    async def server(me: Party) -> None:
        await me.receive(NOTE, "u2")
        await me.gather_sum(SHARE, senders=["u1", "u2"])

    done = run(Crowd(2, user, server))
    assert [str(left) for left in done.unread] == [
        '2 messages "note" from u1 to server',
        '1 message "note" from u2 to server',
        '2 messages "share"',
    ]


def test_a_run_whose_messages_are_all_read_leaves_none() -> None:
    async def user(me: Party) -> None:
        users = me.all("user")
        await me.scatter(SHARE, users, elements(1, 2, 3))
        await me.gather_sum(SHARE, senders=users)
        await me.publish(NOTE, users, elements(1))
        await me.gather(NOTE, users)

    assert run(Crowd(3, user)).unread == ()


def test_coins_of_the_field_are_drawn_from_the_party_alone() -> None:
    async def script(me: Party) -> Any:
        return me.coins.field(F, (2,)).open()

    assert play(a=script).outputs["a"].tolist() == play(a=script).outputs["a"].tolist()


def test_a_group_of_places_follows_its_array() -> None:
    users = Roster(seats("u", idle, 3)).role("idle")
    places = np.array([0, 1])
    assert list(users.pick(places)) == ["u1", "u2"]
    places[:] = 2, 0
    assert list(users.pick(places)) == ["u3", "u1"]
    places.flags.writeable = False
    assert users.pick(places) is users.pick(places)
