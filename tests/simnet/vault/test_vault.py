"""Calls in the vault: the same results as in place, and nothing of one call in another."""

import enum
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
import xml
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import (
    Coins,
    Field,
    Party,
    ScriptError,
    Seat,
    Summed,
    Tag,
    bits,
    constant,
    index,
    run,
    seats,
    verdict,
)
from simnet.adversary.whole_view import discloses_nothing
from simnet.doors.plain_values import decode, encode
from simnet.errors import SimnetError
from simnet.exhaustive.compare import Comparison
from simnet.values.sealed import Input, Sealed
from simnet.vault.chamber import Process
from simnet.vault.place import said_in_place
from simnet.vault.pytest_option import pytest_report_to_serializable

F, NOTE, MARK, SUM = Field(101), Tag("note"), Tag("mark"), Summed("sum")


class Answer(enum.Enum):
    YES = 1
    NO = 2


class Pair(NamedTuple):
    left: int
    right: float


@attrs.frozen
class Doors:
    """One user, whose script calls `steps`. S receives a note, so that it sees something."""

    steps: Callable[[Party, Sealed], object]
    tells: bool = False  # whether `steps` returns a number, which S is sent
    items: int = 3

    def parties(self) -> dict[str, Seat]:
        return {"u": Seat(self.user), "S": Seat(self.server)}

    async def user(self, me: Party, x: Sealed) -> object:
        done = self.steps(me, x)
        secret = me.secret(lambda x: [x], x, field=F, shape=(1,))
        await me.send(NOTE, "S", secret + me.coins.field(F, (1,)))
        if self.tells:
            await me.send(MARK, "S", index(done, below=9))
        return done

    async def server(self, me: Party) -> Sealed:
        note = await me.receive(NOTE, "u")
        if self.tells:
            await me.receive(MARK, "u")
        return me.output(lambda values: int(values[0]) + 1, note)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the frames that processes are sent."""
    frames: list[int] = []
    ask = Process.ask

    def counted(self: Process, frame: bytes) -> bytes:
        frames.append(len(frame))
        return ask(self, frame)

    monkeypatch.setattr(Process, "ask", counted)
    return frames


def in_vault(steps: Callable[[Party, Sealed], object], x: int = 2, **options: Any) -> Any:
    return run(Doors(steps), [x], observe=["S"], in_place=False, **options)


VALUES: Sequence[object] = [
    *(None, True, 7, 2**70, 2.5, float("inf"), 1j, "text", b"bytes", Fraction(2, 3)),
    *((1, "a"), [1, [2]], {1, 2}, frozenset({3}), {"a": (1,), 2: None}),
    *(np.int64(3), np.float32(0.5), np.array([[1, 2], [3, 4]]), np.array(["a", "bc"])),
    *(np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.zeros((0, 2)), np.bool_(True)),
    *(bits([1, 0]), Answer.NO, Pair(1, 2.0)),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_disclosed_value_is_the_same_as_in_place(value: object) -> None:
    seen: list[Any] = []

    def steps(me: Party, x: Sealed) -> None:
        seen.append(me.disclose(lambda _: value, x))

    in_vault(steps)
    run(Doors(steps), [2], in_place=True)
    there, here = seen
    assert type(there) is type(here)
    assert repr(there) == repr(here)
    assert getattr(there, "flags", None) == getattr(here, "flags", None)


@given(st.recursive(st.integers() | st.floats(allow_nan=False) | st.text(), st.lists))
def test_decoding_is_the_inverse_of_encoding(value: object) -> None:
    assert decode(encode(value)) == value


def test_the_bill_the_coins_and_the_outputs_are_those_of_a_run_in_place() -> None:
    def steps(me: Party, x: Sealed) -> object:
        limit = me.coins.integers(5, 1)[0]
        drawn = me.disclose(lambda x, coins: x + coins.integers(3, 4), x)
        made = me.output(lambda x: (x, drawn.sum()), x)
        again = me.disclose(lambda pair, coins: pair[0] * coins.bernoulli(0.5), made)
        opened = (me.coins.field(F, (4,)) + constant(F, limit)).open()
        return me.output(lambda values, y: (values + values).sum() + y, opened, again)

    here = run(Doors(steps), [2], seed=5, in_place=True)
    there = run(Doors(steps), [2], seed=5, in_place=False)
    assert here.trace_hash == there.trace_hash
    assert here.outputs == there.outputs
    assert here.ledger.operations("party") == there.ledger.operations("party")


def test_a_call_sees_nothing_of_another_call() -> None:
    kept: dict[str, int] = {}

    def steps(me: Party, x: Sealed) -> list[object]:
        first = me.disclose(lambda coins: kept.setdefault("coin", int(coins.bernoulli(1))))
        return [first, me.disclose(lambda x: kept.get("coin", x), x)]

    assert in_vault(steps).outputs["u"] == [1, 2]


def test_a_function_that_behaves_otherwise_at_its_first_call_cannot_hide_in_its_law() -> None:
    """If calls shared a process, only the first would tell x, and the law would look uniform."""
    calls: list[int] = []

    def noisy(x: int, coins: Coins) -> int:
        calls.append(x)
        drawn = coins.integers(3, 1)[0] + 1
        return x if len(calls) == 1 else int(drawn)

    telling = Doors(lambda me, x: me.disclose(noisy, x), tells=True)
    found = verdict(run(telling, [2], in_place=False), "S")
    assert not discloses_nothing(found)
    with said_in_place(False):
        assert Comparison(telling, "S").compare([1], [2]).delta() == 1


def until_one(x: int, coins: Coins) -> int:
    while coins.integers(3, 1)[0] == 0 and x < 6:
        x += 1
    return x


def catches(x: int, coins: Coins) -> int:
    try:
        return x * int(coins.bernoulli(0.5)) + int(coins.integers(2, 1)[0])
    except BaseException:
        return int(coins.integers(3, 1)[0]) + 5


LAWS: Mapping[str, Callable[[int, Coins], int]] = {
    "one coin": lambda x, coins: x if coins.bernoulli(Fraction(3, 4)) else 1,
    "some coins": lambda x, coins: x * int(coins.binomials(np.array([2, 1]), 0.5).sum()),
    "other coins after a first": until_one,
    "many outcomes": lambda x, coins: int(coins.integers(9, 1)[0]) % 2 * x,
    "an error": lambda x, coins: 6 // (int(coins.integers(x, 1)[0]) + int(coins.bernoulli(0.5))),
    "a real number": lambda x, coins: x if coins.bernoulli(0.5) else int(coins.uniform(1)[0]),
    "an error that is caught": catches,
}


@pytest.mark.parametrize("name", LAWS)
def test_exact_views_are_the_same_behind_the_vault(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simnet.vault.vault.FURTHER", 7)

    def steps(me: Party, x: Sealed) -> int:
        return me.disclose(LAWS[name], x)

    found: list[object] = []
    for is_wished in (True, False):
        with said_in_place(is_wished):
            try:
                compared = Comparison(Doors(steps, tells=True), "S").compare([2], [3])
                found.append((compared.epsilon, compared.delta()))
            except SimnetError as error:
                found.append(str(error))
    assert found[0] == found[1]


def test_a_law_behind_the_vault_takes_a_process_for_each_outcome(asked: list[int]) -> None:
    with said_in_place(False):
        Comparison(Doors(lambda me, x: me.disclose(until_one, x)), "S").compare([4], [4])
    assert len(asked) == 14  # 7 outcomes, the secret, and three calls in each of two runs


class Ballot:
    def __init__(self, most: int) -> None:
        self.most = most


def uses_a_submodule() -> int:
    importlib.import_module("xml.sax")
    return len(xml.sax.__name__)


RUNS: list[int] = []
FIRST_USES: Sequence[Callable[[], object]] = [
    lambda: Ballot(3),
    lambda: Ballot.__annotations__ and None,
    uses_a_submodule,
]


@pytest.mark.parametrize("use", FIRST_USES, ids=["object", "annotations", "submodule"])
def test_what_python_makes_at_the_first_use_is_no_memory(
    use: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "xml.sax", raising=False)
    used = in_vault(lambda me, x: me.disclose(lambda y, x: x, use(), x))
    assert not used.is_remembered
    assert in_vault(lambda me, x: RUNS.append(1)).is_remembered


def fails(x: int) -> int:
    return 1 // (x - x)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (fails, r"ZeroDivisionError.*test_vault\.py:\d+"),
        (lambda x: os._exit(3), "has ended"),
        (lambda x: os.kill(os.getpid(), signal.SIGKILL), "outside"),
        (lambda x: sys.exit("enough"), "SystemExit"),
        (lambda x: np.zeros(1 << 28), "large"),
        (lambda x: object(), "returns"),
        (lambda x: Path("left").touch(), "outside"),
    ],
)
def test_a_call_that_cannot_end_well_is_one_sentence(
    function: Callable[[int], object], text: str
) -> None:
    with pytest.raises(ScriptError, match=text) as caught:
        in_vault(lambda me, x: me.disclose(function, x))
    assert "\n" not in str(caught.value)


def spins(x: int) -> None:
    while True:
        pass


def kill_calls() -> None:
    """Kill the process that calls a function: a child of a nursery, a child of the mother."""
    found = {os.getpid()}
    for _ in range(3):
        command = ["pgrep", "-f", "chamber.be_mother", "-P", ",".join(map(str, found))]
        listed = subprocess.run(command, capture_output=True, text=True).stdout
        found = {*map(int, listed.split())}
        if not found:
            time.sleep(0.1)
            return kill_calls()
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    return None


def test_a_killed_process_of_the_vault_is_one_sentence() -> None:
    killer = threading.Thread(target=kill_calls)
    killer.start()
    with pytest.raises(ScriptError, match="has ended"):
        in_vault(lambda me, x: me.disclose(spins, x))
    killer.join()


@attrs.frozen
class Many:
    """More parties than have processes of their own. u2's function returns what u1's has left."""

    leaks: bool
    users: int = 60
    items: int = 3
    left: list[int] = attrs.field(factory=list)

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, self.users), "S": Seat(self.server)}

    def kept(self, x: int) -> list[int]:
        self.left.append(x)
        LEFT.append(x)
        return [x + (sum(LEFT[:-1]) if self.leaks else 0)]

    async def user(self, me: Party, x: Sealed) -> None:
        mine = me.secret(self.kept, x, field=F, shape=(1,))
        await me.scatter(SUM, ["S"], (mine + me.coins.field(F, (1,)))[np.newaxis])

    async def server(self, me: Party) -> None:
        await me.gather_sum(SUM, me.all("user"))


LEFT: list[int] = []


def test_many_calls_share_a_process_and_are_made_again_in_another_order() -> None:
    inputs = [1 + k % 3 for k in range(60)]
    sound = run(Many(leaks=False), inputs, in_place=False)
    assert sound.shared_calls == 3  # equal calls are made once
    assert verdict(sound, "S").finding == "nothing"
    with pytest.raises(ScriptError, match="returns another value when it is called again"):
        verdict(run(Many(leaks=True), inputs, in_place=False), "S")


@attrs.frozen
class Alike:
    """Users who make calls with coins one after the other, in one of several `ways`."""

    way: str
    users: int = 60
    items: int = 3

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, self.users), "S": Seat(self.server)}

    def drawn(self, x: int, most: int, coins: Coins) -> int:
        if x == 1 and most == 7:
            raise ValueError("seven")
        return sum(int(coins.integers(3, 1)[0]) for _ in range(x)) + most

    async def user(self, me: Party, x: Sealed) -> None:
        number = int(me.name[1:])
        if self.way == "own coins" and me.coins.bernoulli(0.5):
            me.coins.bernoulli(0.5)
        most = number if self.way == "own arguments" else 1
        for _ in range(1 + (self.way == "some twice" and number % 3 == 1)):
            me.disclose(self.drawn, x, most)
        seen = me.disclose(self.drawn, x, 2)
        if self.way == "own memory":  # each user's function has a dictionary of its own
            kept: dict[str, int] = {}
            seen = me.disclose(lambda x: kept.setdefault("x", x), x)
        await me.send(MARK, "S", index(seen, below=99))
        if self.way == "an error" and number == 50:
            me.disclose(self.drawn, x, 7)

    async def server(self, me: Party) -> int:
        total = 0
        for name in me.all("user"):
            total += int((await me.receive(MARK, name)).numbers())
        return total


WAYS = ["same", "own coins", "own arguments", "own memory", "some twice", "an error"]


@pytest.mark.parametrize("way", WAYS)
def test_calls_that_are_made_ahead_change_nothing(way: str) -> None:
    inputs = [1 + k % 3 for k in range(60)]
    told = []
    for in_place in (True, False):
        try:
            done = run(Alike(way), inputs, seed=4, observe=["S"], in_place=in_place)
            told.append([done.trace_hash, done.outputs, done.ledger.operations("party")])
        except ScriptError as error:
            told.append([str(error)])
    assert told[0] == told[1]


def test_alike_calls_are_made_together(asked: list[int]) -> None:
    run(Alike("same"), [1 + k % 3 for k in range(60)], in_place=False)
    assert len(asked) == 4  # of 120 calls: for u1, and for all others


SCRIPT = """
from simnet import Field, Seat, Tag
class Endless:
    def parties(self): return {"u": Seat(self.user)}
    def spin(self, x):
        while True: pass
    async def user(self, me, x): me.disclose(self.spin, x)
"""


@pytest.mark.slow
@pytest.mark.parametrize("by", ["Ctrl-C", "--timeout", "kill"])
def test_an_endless_function_leaves_no_process_behind(by: str, tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(SCRIPT)
    options = ["--timeout", "6"] if by == "--timeout" else []
    command = [str(Path(sys.executable).parent / "simnet"), "run", "endless.py", "--inputs", "1"]
    process = subprocess.Popen(
        [*command, *options],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (started := others(process.pid)) and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    if by != "--timeout":
        process.send_signal(signal.SIGINT if by == "Ctrl-C" else signal.SIGKILL)
    _, told = process.communicate(timeout=60)
    assert started
    assert "Traceback" not in told
    assert process.returncode == {"Ctrl-C": 130, "--timeout": 124, "kill": -9}[by], told
    deadline = time.monotonic() + 20
    while others(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not others(process.pid)


def others(session: int) -> set[int]:
    """The living processes of a session without its leader."""
    command = ["ps", "-o", "pid=,stat=", "-s", str(session)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    lines = [line.split() for line in listed.splitlines()]
    return {int(number) for number, state in lines if state[0] != "Z"} - {session}


def test_bytes_are_not_taken_for_addresses_of_objects() -> None:
    with pytest.raises(TypeError, match="objects"):
        decode(("ndarray", ["|O", (1,), "C", bytes(8)]))


def test_reports_of_tests_contain_ordinary_texts() -> None:
    """Or pytest-xdist could not send the report of a test that fails in a script."""
    hook = pytest_report_to_serializable()
    next(hook)
    with pytest.raises(StopIteration) as ended:
        hook.send({"args": [("x", repr(Sealed(Input("u", 1))))]})
    assert type(ended.value.value["args"][0][1]) is str
