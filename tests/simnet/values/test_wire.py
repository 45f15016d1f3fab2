"""The packing codec and the frames are compared with strings of bits written by Python's own
formatting.
"""

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.errors import CodecError
from simnet.values.frames import HEADER_BYTES, Frame, decode_frame
from simnet.values.wire import BIT, REAL, Manifest, WireType, decode, encode, manifest_of, size
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each

Array = np.ndarray[Any, np.dtype[Any]]

BOUNDS = (
    1,
    2,
    3,
    7,
    8,
    9,
    255,
    256,
    257,
    5003,
    2**31,
    2**32 + 1,
    2**61 - 1,
    2**63,
    2**63 + 1,
    2**64 - 1,
    2**64,
)
NANS = (0x7FF8000000000000, 0x7FF0000000000001, 0xFFF8DEADBEEF0001, 0xFFFFFFFFFFFFFFFF)
ODD_REALS = (
    0,
    1 << 63,
    0x7FF0000000000000,
    0xFFF0000000000000,
    1,
    *NANS,
)  # zeros, infinities, denormal, nans

wire_types = st.just(REAL) | st.builds(
    WireType,
    st.sampled_from(["qd", "nd", "Nd", "bd"]),
    st.sampled_from(BOUNDS) | st.integers(1, 2**64),
)
shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)


def values_of(wire: WireType) -> st.SearchStrategy[int]:
    """One value as an integer; a real by its bit pattern."""
    if wire.kind == "rd":
        return st.sampled_from(ODD_REALS) | st.integers(0, 2**64 - 1)
    return st.sampled_from([0, wire.below // 2, wire.below - 1]) | st.integers(0, wire.below - 1)


@st.composite
def payloads(draw: st.DrawFn) -> tuple[Manifest, list[list[int]]]:
    pieces = draw(st.lists(st.tuples(wire_types, shapes), max_size=4))
    counts = [math.prod(shape) for _, shape in pieces]
    values = [
        draw(st.lists(values_of(wire), min_size=n, max_size=n))
        for (wire, _), n in zip(pieces, counts, strict=True)
    ]
    return manifest_of(*pieces), values


def arrays_of(manifest: Manifest, values: list[list[int]]) -> list[Array]:
    words = [np.array(piece, dtype=np.uint64) for piece in values]
    return [
        (word.view(np.float64) if wire.kind == "rd" else word).reshape(shape)
        for (wire, shape), word in zip(manifest.pieces, words, strict=True)
    ]


def integers_in(arrays: list[Array]) -> list[list[int]]:
    """Values as integers; reals by their bit patterns, so that one nan is told from another."""
    return [
        (a.view(np.uint64) if a.dtype.kind == "f" else a).ravel().tolist()
        for a in map(np.ascontiguousarray, arrays)
    ]


def written_out(manifest: Manifest, values: list[list[int]]) -> bytes:
    """The oracle: the same payload as one string of 0s and 1s."""
    width = [
        64 if wire.kind == "rd" else len(f"{wire.below - 1:b}") * (wire.below > 1)
        for wire, _ in manifest.pieces
    ]
    text = "".join(f"{x:0{w}b}" for w, piece in zip(width, values, strict=True) for x in piece if w)
    text += "0" * (-len(text) % 8)
    return int("0" + text, 2).to_bytes(len(text) // 8, "big")


# Payloads


@given(payloads())
def test_encode_writes_the_bits_of_the_oracle_in_the_announced_size(
    payload: tuple[Manifest, list[list[int]]],
) -> None:
    manifest, values = payload
    data = encode(manifest, arrays_of(manifest, values))
    assert data == written_out(manifest, values)
    assert len(data) == size(manifest)


@given(payloads())
def test_decode_undoes_encode(payload: tuple[Manifest, list[list[int]]]) -> None:
    manifest, values = payload
    decoded = decode(manifest, encode(manifest, arrays_of(manifest, values)))
    assert [array.shape for array in decoded] == [shape for _, shape in manifest.pieces]
    assert integers_in(decoded) == values


@for_each("below", BOUNDS)
def test_every_kind_of_integer_array_is_encoded(below: int) -> None:
    manifest, values = manifest_of((WireType("nd", below), (2, 2))), [[0, 0, min(below - 1, 1), 0]]
    for dtype in (
        np.bool_,
        np.int8,
        np.uint8,
        np.int32,
        np.uint64,
        np.dtype(">i4"),
        np.dtype(">u8"),
    ):
        array = np.array(values[0], dtype=dtype).reshape(2, 2)
        assert encode(manifest, [array]) == written_out(manifest, values)
        assert encode(manifest, [np.asfortranarray(array)]) == written_out(manifest, values)


def test_reals_of_another_precision_travel_as_doubles() -> None:
    manifest = manifest_of((REAL, (3,)))
    for array in (np.array([0.5, -2, 0], dtype=np.float32), np.array([0.5, -2, 0], dtype=">f8")):
        assert encode(manifest, [array]) == struct.pack(">3d", 0.5, -2, 0)
    assert encode(manifest, [np.array([1, -2, 0])]) == struct.pack(">3d", 1, -2, 0)


def test_a_payload_of_nothing_is_no_bytes() -> None:
    for manifest in (
        manifest_of(),
        manifest_of((WireType("nd", 1), (3,))),
        manifest_of((REAL, (0, 5))),
    ):
        assert size(manifest) == 0
        arrays = [np.zeros(shape, dtype=np.int64) for _, shape in manifest.pieces]
        assert encode(manifest, arrays) == b""
        assert integers_in(decode(manifest, b"")) == integers_in(arrays)


def test_padding_comes_once_at_the_end() -> None:
    assert size(manifest_of(*[(BIT, ())] * 9)) == size(manifest_of((BIT, (9,)))) == 2
    assert encode(
        manifest_of((BIT, ()), (WireType("nd", 5), ())), [np.array(1), np.array(4)]
    ) == bytes([0b11000000])


@pytest.mark.parametrize(
    ("below", "width"),
    [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (257, 9), (2**63 + 1, 64), (2**64, 64)],
)
def test_a_value_takes_no_more_bits_than_it_needs(below: int, width: int) -> None:
    assert WireType("qd", below).width == width
    assert REAL.width == 64


def test_a_manifest_counts_elements_by_kind() -> None:
    manifest = manifest_of((BIT, (2, 3)), (REAL, ()), (WireType("qd", 5), (0, 4)), (BIT, (1,)))
    assert manifest.elements == {"bd": 7, "rd": 1, "qd": 0}
    assert manifest_of(*manifest.pieces) is manifest_of(*list(manifest.pieces))


@for_each("below", [0, -1, 2**64 + 1])
@for_each("kind", ["qd", "nd", "Nd", "bd"])
def test_a_wire_type_takes_between_1_and_2_64_values(kind: Any, below: int) -> None:
    with pytest.raises(ValueError, match=f"below={below}"):
        WireType(kind, below)


def test_a_wire_type_names_its_bound_unless_it_is_real() -> None:
    with pytest.raises(ValueError, match="below=0"):
        WireType("nd")
    with pytest.raises(ValueError, match="a real has no bound"):
        WireType("rd", 2)


# Payloads that do not fit, and damaged ones


@for_each("below", BOUNDS)
def test_encode_refuses_values_out_of_range(below: int) -> None:
    manifest = manifest_of((BIT, ()), (WireType("nd", below), (2,)))
    outside = [np.array([0, -1])]
    if below < 2**64:
        outside.append(np.array([0, below], dtype=np.uint64))
    for array in outside:
        with pytest.raises(CodecError, match=r"must be integers in 0\.\."):
            encode(manifest, [np.array(1), array])


@pytest.mark.parametrize(
    "array",
    [np.array([0.0]), np.array(["0"]), np.array([0], dtype=object), np.array([0j])],
    ids=repr,
)
def test_encode_refuses_what_is_no_integer(array: Array) -> None:
    with pytest.raises(CodecError, match=r"bits must be integers in 0\.\.1, got"):
        encode(manifest_of((BIT, (1,))), [array])


@pytest.mark.parametrize("shape", [(), (2,), (1, 1), (0,)])
def test_encode_refuses_other_shapes_than_announced(shape: tuple[int, ...]) -> None:
    with pytest.raises(CodecError, match="its manifest says"):
        encode(manifest_of((BIT, (1,))), [np.zeros(shape, dtype=np.int64)])


@pytest.mark.parametrize("count", [0, 2])
def test_encode_refuses_another_number_of_pieces(count: int) -> None:
    with pytest.raises(ValueError, match="argument 2"):
        encode(manifest_of((BIT, (1,))), [np.zeros(1, dtype=np.int64)] * count)


@given(payloads(), st.data())
def test_bytes_decode_to_the_values_that_they_encode_or_not_at_all(
    payload: tuple[Manifest, list[list[int]]], data: st.DataObject
) -> None:
    manifest, _ = payload
    given_bytes = data.draw(st.binary(min_size=size(manifest), max_size=size(manifest)))
    try:
        decoded = decode(manifest, given_bytes)
    except CodecError:
        return
    assert encode(manifest, decoded) == given_bytes


@given(payloads(), st.binary(max_size=40))
def test_a_wrong_length_is_noticed(payload: tuple[Manifest, list[list[int]]], other: bytes) -> None:
    manifest, values = payload
    data = encode(manifest, arrays_of(manifest, values))
    for wrong in {data[:-1], data + b"\0", other} - {data}:
        if len(wrong) != len(data):
            with pytest.raises(CodecError, match=f"must be {len(data)}, got {len(wrong)}$"):
                decode(manifest, wrong)


@pytest.mark.parametrize("width", range(1, 8))
def test_every_bit_of_padding_must_be_zero(width: int) -> None:
    manifest = manifest_of((WireType("nd", 2**width), (3,)))
    data = encode(manifest, [np.full(3, 2**width - 1)])
    for padding in range(8 * len(data) - 3 * width):
        with pytest.raises(CodecError, match="padding"):
            decode(
                manifest, (int.from_bytes(data, "big") | 1 << padding).to_bytes(len(data), "big")
            )


@pytest.mark.slow
@pytest.mark.parametrize("below", [3, 5, 6, 7, 9, 200, 5003])
def test_every_value_out_of_range_is_noticed(below: int) -> None:
    wire = WireType("qd", below)
    manifest, wider = (
        manifest_of((wire, (2,)), (BIT, ())),
        manifest_of((WireType("qd", 2**wire.width), (2,)), (BIT, ())),
    )
    for value in range(below, 2**wire.width):
        with pytest.raises(
            CodecError, match=f"must be below {below}, and the bytes contain {value}"
        ):
            decode(manifest, written_out(wider, [[0, value], [1]]))


@pytest.mark.parametrize("below", [2**63 + 1, 2**64 - 1])
def test_a_64_bit_value_out_of_range_is_noticed(below: int) -> None:
    manifest = manifest_of((WireType("nd", below), (1,)))
    assert integers_in(decode(manifest, (below - 1).to_bytes(8, "big"))) == [[below - 1]]
    with pytest.raises(CodecError, match=f"must be below {below}"):
        decode(manifest, below.to_bytes(8, "big"))


# Frames

frames = st.builds(
    Frame, st.integers(0, 2**16 - 1), st.integers(0, 2**32 - 1), st.binary(max_size=24)
)


@given(frames)
def test_a_frame_costs_its_header_and_comes_back(frame: Frame) -> None:
    data = frame.encode()
    assert len(data) == HEADER_BYTES + len(frame.payload)
    assert data.endswith(frame.payload)
    assert decode_frame(data) == (frame, len(data))


@given(st.lists(frames, max_size=4), st.binary(max_size=3))
def test_frames_laid_end_to_end_decode_one_by_one(sent: list[Frame], rest: bytes) -> None:
    data, received, place = b"".join(frame.encode() for frame in sent) + rest, [], 0
    for _ in sent:
        frame, place = decode_frame(data, place)
        received.append(frame)
    assert (received, data[place:]) == (sent, rest)


@given(frames)
def test_a_frame_cut_short_is_noticed(frame: Frame) -> None:
    data = frame.encode()
    for end in range(len(data)):
        with pytest.raises(CodecError, match="cut short"):
            decode_frame(data[:end])


@cases(30)
@given(frames, st.binary(max_size=40))
def test_every_single_flipped_bit_is_noticed(frame: Frame, rest: bytes) -> None:
    data = frame.encode()
    for place in range(
        8 * len(data)
    ):  # a flip of the length has the check of other bytes, missed one time in 2**32
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        with pytest.raises(CodecError):
            decode_frame(bytes(damaged) + rest)


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_a_frame_or_refused(data: bytes) -> None:
    try:
        frame, end = decode_frame(data)
    except CodecError:
        return
    assert frame.encode() == data[:end]
