"""Transcripts as files: a saved transcript loads, damage is noticed, and a replay is compared with
every message.
"""

import copy
import json
import struct
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simnet
from protocols.dpds.script import DPDS
from simnet import (
    Field,
    Party,
    Seat,
    Summed,
    Tag,
    Transcript,
    bits,
    constant,
    index,
    load,
    reals,
    replay,
    save,
    seats,
)
from simnet.errors import BadInput, CodecError, SimnetError
from simnet.kernel.run import Run
from simnet.record.file import MAGIC
from simnet.record.message import Block
from simnet.record.trace import canonical
from simnet.values.frames import Frame
from simnet.values.typed import Typed
from tests.harness.timing import stopwatch

PARCEL, KEYED = Tag("parcel"), Summed("keyed")
START = len(MAGIC) + 12  # where the header begins


@attrs.frozen
class Courier:
    """`a` sends payloads of any kind to `b`."""

    payloads: tuple[Any, ...]

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.sender), "b": Seat(self.recipient)}

    async def sender(self, me: Party) -> None:
        for payload in self.payloads:
            await me.send(PARCEL, "b", payload)

    async def recipient(self, me: Party) -> None:
        for _ in self.payloads:
            await me.receive(PARCEL, "a")


@attrs.frozen
class Keyed:
    """Every user sends a row under each of two keys, each to the users of another group."""

    def parties(self) -> Mapping[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Party) -> None:
        rows = constant(Field.above(9), np.arange(6).reshape(3, 2) + me.index)
        await me.scatter(KEYED, [["u1"], ["u2", "u3"]], rows, keys=index([4, 1], below=5))
        await me.gather_sum(KEYED, key=4 if me.index == 1 else 1, count=3)


def observed(participation: float = 0.5, seed: int = 7) -> Run:
    return simnet.run(DPDS(3, 2, participation), [1, 2, 2], seed, observe=["u1", "server"])


def through_a_file(transcript: Transcript, path: Path) -> Transcript:
    save(transcript, path)
    return load(path)


def facts(payload: Any) -> Any:
    """Return everything about a payload: the types, shapes and bits of its pieces."""
    if isinstance(payload, tuple):
        return tuple(facts(piece) for piece in payload)
    numbers = payload.numbers()
    return type(payload), payload.wire, payload.shape, numbers.dtype.kind, canonical(numbers)


def assert_equal(one: Transcript, other: Transcript) -> None:
    assert (one.seed, one.names, one.observed) == (other.seed, other.names, other.observed)
    assert dict(one.inputs) == dict(other.inputs)
    assert [message.place for message in one.messages] == [
        message.place for message in other.messages
    ]
    assert [message.key for message in one.messages] == [message.key for message in other.messages]
    assert [facts(message.payload) for message in one.messages] == [
        facts(m.payload) for m in other.messages
    ]


# Saved and loaded


@given(st.integers(2, 6), st.integers(1, 4), st.integers(0, 2**70), st.data())
def test_a_transcript_is_loaded_as_it_was_saved(
    tmp_path_factory: Any, users: int, items: int, seed: int, data: st.DataObject
) -> None:
    protocol = DPDS(users, items, 0.5)
    inputs = data.draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    watched = data.draw(st.sets(st.sampled_from(list(protocol.parties()))))
    done = simnet.run(protocol, inputs, seed, observe=watched)
    path = tmp_path_factory.mktemp("transcript") / "run"
    loaded = through_a_file(done.transcript, path)
    assert_equal(done.transcript, loaded)
    before = path.read_bytes()
    assert_equal(loaded, through_a_file(loaded, path))
    assert path.read_bytes() == before


def pieces() -> st.SearchStrategy[Any]:
    """Field elements, bits, indices and reals of any shape, empty ones too."""
    shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)

    def filled(values: st.SearchStrategy[Any], dtype: Any) -> st.SearchStrategy[Any]:
        def arrays(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
            count = int(np.prod(shape))
            listed = st.lists(values, min_size=count, max_size=count)
            return listed.map(lambda numbers: np.array(numbers, dtype=dtype).reshape(shape))

        return shapes.flatmap(arrays)

    def below(bound: int, make: Callable[[Any], Any]) -> st.SearchStrategy[Any]:
        return filled(st.integers(0, bound - 1), np.int64).map(make)

    fields = st.sampled_from([Field.above(bound) for bound in (1, 2, 100, 2**31, 2**60)])
    bounds = st.sampled_from([1, 2, 5, 1000, 2**63])
    return st.one_of(
        fields.flatmap(
            lambda field: below(field.modulus, lambda numbers: constant(field, numbers))
        ),
        bounds.flatmap(lambda bound: below(bound, lambda numbers: index(numbers, bound))),
        bounds.flatmap(lambda bound: below(bound, lambda numbers: index(numbers, bound, "Nd"))),
        below(2, bits),
        filled(st.floats(), np.float64).map(reals),
    )


payloads = pieces() | st.lists(pieces(), max_size=3).map(tuple)


@given(st.lists(payloads, min_size=1, max_size=5))
def test_payloads_of_every_kind_survive(tmp_path_factory: Any, sent: list[Any]) -> None:
    done = simnet.run(Courier(tuple(sent)), observe=["b"])
    loaded = through_a_file(done.transcript, tmp_path_factory.mktemp("parcels") / "run")
    assert [facts(message.payload) for message in loaded.messages] == [
        facts(payload) for payload in sent
    ]
    for message in loaded.messages:
        payload = message.payload
        for piece in payload if isinstance(payload, tuple) else (payload,):
            assert not (isinstance(piece, Typed) and piece.numbers().flags.writeable)
    assert replay(loaded, done.protocol).trace_hash == done.trace_hash


def test_keys_survive(tmp_path: Path) -> None:
    done = simnet.run(Keyed(), observe=["u1", "u3"])
    loaded = through_a_file(done.transcript, tmp_path / "run")
    assert_equal(done.transcript, loaded)
    assert {(message.recipient, message.key) for message in loaded.messages} == {
        (0, 4),
        (1, 1),
        (2, 1),
    }


def test_views_can_be_taken_from_a_loaded_transcript(tmp_path: Path) -> None:
    done = observed()
    ours, theirs = done.view({"u1"}), through_a_file(done.transcript, tmp_path / "run").view({"u1"})
    assert (ours.parties, ours.inputs) == (theirs.parties, theirs.inputs)
    for a, b in ((ours.received, theirs.received), (ours.sent, theirs.sent)):
        assert [(m.place, facts(m.payload)) for m in a] == [(m.place, facts(m.payload)) for m in b]


@pytest.mark.parametrize("value", [object(), {1: 2}, [{"a": ({None: 1},)}]])
def test_an_input_that_json_cannot_hold_is_refused(value: object, tmp_path: Path) -> None:
    transcript = attrs.evolve(observed().transcript, inputs={"u1": value})
    with pytest.raises(TypeError):
        save(transcript, tmp_path / "run")


# Damage


@pytest.fixture(scope="module")
def saved(tmp_path_factory: Any) -> bytes:
    """A small file: every bit of it is flipped below."""
    path = tmp_path_factory.mktemp("saved") / "run"
    save(simnet.run(DPDS(2, 1, 0.5), [1, 1], observe=["u1"]).transcript, path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: Any) -> bytes:
    """A file with payloads of every kind."""
    path = tmp_path_factory.mktemp("mixed") / "run"
    parcels = (
        constant(Field.above(100), np.arange(5)),
        bits([1, 0, 1]),
        (index(3, 9), reals([0.5, -1])),
        reals([]),
    )
    save(simnet.run(Courier(parcels), observe=["a"]).transcript, path)
    return path.read_bytes()


def loaded_or_refused(path: Path, data: bytes) -> Transcript | None:
    """Return the transcript that the bytes give; None if they are refused with an error of one
    line. A loaded transcript can be used, because it is checked when it is loaded.
    """
    path.write_bytes(data)
    try:
        loaded = load(path)
    except CodecError as error:
        assert len(str(error).splitlines()) == 1, str(error)  # noqa: PT017  # loading is no error
        return None
    for message in loaded.messages:
        assert message.frame_bytes == 14 + message.manifest.payload_bytes
        facts(message.payload)
    if loaded.observed:
        loaded.view(loaded.names[number] for number in loaded.observed)
    canonical(dict(loaded.inputs))
    return loaded


def flipped(data: bytes, bit: int) -> bytes:
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


def header_of(data: bytes) -> tuple[Any, bytes]:
    """The header and the frames behind it."""
    (length,) = struct.unpack_from("<Q", data, len(MAGIC))
    return json.loads(data[START : START + length]), data[START + length :]


def with_header(data: bytes, header: Any) -> bytes:
    text = json.dumps(header).encode()
    return MAGIC + struct.pack("<QI", len(text), zlib.crc32(text)) + text + header_of(data)[1]


@pytest.mark.slow
def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path, saved: bytes, mixed: bytes) -> None:
    for data in (saved, mixed):
        for length in range(len(data)):
            assert loaded_or_refused(tmp_path / "run", data[:length]) is None, length


@given(st.binary(min_size=1, max_size=40))
def test_bytes_after_the_end_are_refused(tmp_path_factory: Any, saved: bytes, more: bytes) -> None:
    assert loaded_or_refused(tmp_path_factory.mktemp("more") / "run", saved + more) is None


@pytest.mark.long
def test_every_flipped_bit_is_noticed(tmp_path: Path, saved: bytes) -> None:
    assert loaded_or_refused(tmp_path / "run", saved) is not None
    for bit in range(8 * len(saved)):
        assert loaded_or_refused(tmp_path / "run", flipped(saved, bit)) is None, bit


@given(st.data())
def test_flipped_bits_are_refused_or_load_something(
    tmp_path_factory: Any, mixed: bytes, data: st.DataObject
) -> None:
    damaged = mixed
    for _ in range(data.draw(st.integers(1, 3))):
        damaged = flipped(damaged, data.draw(st.integers(0, 8 * len(mixed) - 1)))
    loaded_or_refused(tmp_path_factory.mktemp("flipped") / "run", damaged)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all parts of a JSON value."""
    yield path
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in parts:
        yield from places(part, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """Return a JSON value with another value in one place."""
    if not path:
        return other
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], other)
    return changed


JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1.5,
    2**70,
    float("nan"),
    float("inf"),
    "",
    "x",
    "qd",
    [],
    [1],
    {},
    {"a": 1},
    json.loads("[" * 200 + "]" * 200),  # a list in a list in a list
)


@pytest.mark.slow
def test_a_header_with_anything_in_it_is_refused_or_loads_something(
    tmp_path: Path, mixed: bytes
) -> None:
    header, _ = header_of(mixed)
    for path in places(header):
        for junk in JUNK:
            loaded_or_refused(tmp_path / "run", with_header(mixed, replaced(header, path, junk)))


def file_of(header: bytes | Mapping[str, Any], *frames: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return MAGIC + struct.pack("<QI", len(text), zlib.crc32(text)) + text + b"".join(frames)


def claiming(*pieces: Any, payload: bytes = b"", times: int = 1) -> bytes:
    """Return a file whose header claims that its messages consist of these pieces."""
    header = {
        "seed": 1,
        "names": ["a", "b"],
        "inputs": {},
        "observed": [0, 1],
        "tags": ["t"],
        "messages": [[1, 1, None, len(pieces) != 1, pieces]] * times,
    }
    return file_of(header, *[Frame(0, 0, payload).encode()] * times)


BOMBS = {
    "a shape of values without bits": claiming(["nd", 1, [2**31]]),
    "many of them": claiming(["nd", 1, [2**19]], times=200),
    "many pieces of them": claiming(*[["nd", 1, [2**20]]] * 50),
    "a shape of no values": claiming(["nd", 5, [0, 2**70]]),
    "more values than there are": claiming(["nd", 2, [2**62]], payload=b"1"),
    "dimensions": claiming(["nd", 5, [1] * 500], payload=b"1"),
    "a header of brackets": file_of(b'{"seed":' + b"[" * 10**6),
    "digits": file_of(b'{"seed":' + b"9" * 10**5 + b"}"),
    "a long header": MAGIC + struct.pack("<QI", 2**63, 0),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_file_takes_no_more_than_it_holds(tmp_path: Path, kind: str) -> None:
    """Loading takes at most 32 MB and a second, whatever the header claims."""
    (tmp_path / "run").write_bytes(BOMBS[kind])
    tracemalloc.start()
    try:
        with stopwatch() as watch, pytest.raises(CodecError):
            load(tmp_path / "run")
        assert watch.seconds < 1
        assert tracemalloc.get_traced_memory()[1] < 32e6
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_reading_takes_time_in_proportion_to_the_messages(tmp_path: Path) -> None:
    """Ten times as many messages must not take a hundred times as long."""
    path, seconds = tmp_path / "run", []
    for times in (1_000, 10_000):
        path.write_bytes(claiming(["nd", 256, [1000]], payload=bytes(1000), times=times))
        tries = []
        for _ in range(3):
            with stopwatch() as watch:
                assert len(load(path).messages) == times
            tries.append(watch.seconds)
        seconds.append(min(tries))
    assert seconds[1] < 30 * seconds[0]


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    done = simnet.run(Courier((index(np.zeros(2**20 + 1, dtype=np.int64), 1),)), observe=["b"])
    with pytest.raises(SimnetError, match="1,048,576 values that take no bits"):
        save(done.transcript, tmp_path / "run")


@pytest.mark.parametrize(("levels", "is_saved"), [(64, True), (65, False)])
def test_an_input_is_saved_if_it_can_be_loaded(tmp_path: Path, levels: int, is_saved: bool) -> None:
    given: Any = 5
    for level in range(levels):
        given = [given] if level % 2 else {"within": given}
    done = simnet.run(Courier((index([0], 2),)), observe=["b"])
    transcript = attrs.evolve(done.transcript, inputs={"a": given})
    if is_saved:
        save(transcript, tmp_path / "run")
        assert load(tmp_path / "run").inputs["a"] == given
    else:
        with pytest.raises(BadInput, match="the input of a cannot be saved: it has more than 64"):
            save(transcript, tmp_path / "run")


@pytest.mark.parametrize("name", ["none", "."])
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CodecError, match="cannot be read"):
        load(tmp_path / name)


@pytest.mark.parametrize(
    ("path", "number"),
    [(("messages", 0, 1), 9), (("observed", 0), 9), (("names",), ["u1"])],
    ids=["recipient 9", "observed 9", "one name for four parties"],
)
def test_a_file_that_speaks_of_parties_who_are_not_there_is_refused(
    tmp_path: Path, saved: bytes, path: tuple[Any, ...], number: Any
) -> None:
    header, _ = header_of(saved)
    assert (
        loaded_or_refused(tmp_path / "run", with_header(saved, replaced(header, path, number)))
        is None
    )


@pytest.mark.parametrize(("reached", "is_known"), [(["server"], True), (["server", "u9"], False)])
def test_a_last_send_that_reaches_a_party_who_is_not_there_is_refused(
    tmp_path: Path, saved: bytes, reached: list[str], is_known: bool
) -> None:
    header, _ = header_of(saved)
    forged = {**header, "fates": {header["names"][0]: ["note", 1, reached]}, "silences": []}
    loaded = loaded_or_refused(tmp_path / "run", with_header(saved, forged))
    assert (loaded is not None) == is_known


@pytest.mark.parametrize(
    "start", [b"simnet transcript 2\n", b"simnet transcript 10\n", b"simnet", b"", b"PK\x03\x04"]
)
def test_a_file_of_another_version_or_kind_is_refused(
    tmp_path: Path, saved: bytes, start: bytes
) -> None:
    (tmp_path / "run").write_bytes(start + saved[len(MAGIC) :])
    with pytest.raises(CodecError, match="is not a transcript of version 1"):
        load(tmp_path / "run")


# Replay


def test_a_loaded_transcript_is_replayed(tmp_path: Path) -> None:
    done = observed()
    again = replay(through_a_file(done.transcript, tmp_path / "run"), done.protocol)
    assert_equal(done.transcript, again.transcript)
    assert again.trace_hash == done.trace_hash
    assert canonical(again.outputs) == canonical(done.outputs)


def named(transcript: Transcript, place: int) -> str:
    message = transcript.messages[place]
    sender, recipient = transcript.names[message.sender], transcript.names[message.recipient]
    return (
        f"the replay differs from the transcript in round {message.round}, in a message from "
        f'{sender} to {recipient} (tag "{message.tag}"): replay a transcript with the protocol and '
        "the parameters of its run"
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_replay_of_a_changed_protocol_names_the_first_message_that_differs(
    tmp_path: Path, seed: int
) -> None:
    then, now = observed(0.5, seed).transcript, observed(1.0, seed).transcript
    pairs = zip(then.messages, now.messages, strict=True)
    differ = [place for place, (a, b) in enumerate(pairs) if facts(a.payload) != facts(b.payload)]
    loaded = through_a_file(then, tmp_path / "run")
    if not differ:  # everyone took part anyway
        replay(loaded, DPDS(3, 2, 1.0))
        return
    with pytest.raises(SimnetError) as caught:
        replay(loaded, DPDS(3, 2, 1.0))
    assert str(caught.value) == named(then, differ[0])


def test_some_of_these_protocols_do_differ() -> None:  # else the test above would show nothing
    differ = [
        [facts(message.payload) for message in observed(0.5, seed).transcript.messages]
        != [facts(message.payload) for message in observed(1.0, seed).transcript.messages]
        for seed in range(4)
    ]
    assert any(differ)


@pytest.mark.parametrize("place", range(8))
def test_a_replay_names_an_edited_message(tmp_path: Path, place: int) -> None:
    done = observed()
    messages = list(done.transcript.messages)
    for later in range(place, 8):  # this one and all that follow
        payload = messages[later].payload
        edited = payload + constant(payload.field, np.array([0, 1]))
        messages[later] = attrs.evolve(messages[later], payload=edited)
    loaded = through_a_file(
        attrs.evolve(done.transcript, blocks=tuple(map(Block.of, messages))), tmp_path / "run"
    )
    with pytest.raises(SimnetError) as caught:
        replay(loaded, done.protocol)
    assert str(caught.value) == named(done.transcript, place)


def test_a_replay_notices_a_message_too_few_or_too_many(tmp_path: Path) -> None:
    done = observed()
    whole = done.transcript.messages
    for messages in (whole[:-1], (*whole, whole[-1])):
        loaded = through_a_file(
            attrs.evolve(done.transcript, blocks=tuple(map(Block.of, messages))), tmp_path / "run"
        )
        with pytest.raises(
            SimnetError, match=f"the replay has 8 messages, and the transcript has {len(messages)}"
        ):
            replay(loaded, done.protocol)


def test_a_run_is_not_a_transcript_and_a_path_may_be_a_text(tmp_path: Path) -> None:
    done = simnet.run(DPDS(3, 2, 0.5), [1, 2, 1], seed=1)
    path = str(tmp_path / "t.simnet")
    with pytest.raises(TypeError, match="type Run: give its `transcript`"):
        save(done, path)
    save(done.transcript, path)
    assert load(path).seed == done.transcript.seed


def test_a_view_of_a_text_is_that_of_the_party_with_this_name() -> None:
    done = simnet.run(Courier((bits([1]),)), observe="a")
    assert done.view("a").sent == done.view(["a"]).sent != ()
    for name in ("nobody", "ab", ""):
        with pytest.raises(BadInput, match=f"names '{name}', but no party of this run has this"):
            done.view(name)


@pytest.mark.parametrize("kind", [str, Path])
def test_saving_with_exchanged_arguments_says_their_order(kind: Any, tmp_path: Path) -> None:
    wrong: Any = save
    with pytest.raises(TypeError, match=r"only a transcript .*: write save\(transcript, path\)"):
        wrong(kind(tmp_path / "x"), object())
