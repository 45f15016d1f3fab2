"""The golden vectors as the package makes them; as a program, writes them to `vectors.json`.

If a vector changes, every seed gives other results, or bytes have another meaning. Then old results
cannot be repeated or old files cannot be read, so the change must be named in the changelog.
"""

import json
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from protocols.dpds.script import DPDS
from simnet import Field, run
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.coins.streams import Stream
from simnet.record.file import save
from simnet.values.frames import Frame
from simnet.values.wire import Kind, WireType, encode, manifest_of

FILE = Path(__file__).with_name("vectors.json")

STREAMS = [
    (7, "discrete", "u3"),
    (7, "field", "u3"),
    (7, "block 2 field", "u3"),
    (2**64 + 1, "schedule", ""),
    (0, "discrete", "a/ü"),
]
# the cases: bounds for each width of a lane, lanes that are not accepted, and a tie of bytes
DRAWS: list[tuple[str, tuple[str, ...]]] = [
    ("integers", ("13108", "40")),
    ("integers", ("65536", "5")),
    ("integers", ("70000", "9")),
    ("integers", (str(3 * 2**61 + 1), "9")),
    ("bernoullis", ("1/3", "20")),
    ("bernoullis", ("1/1000000007", "600")),
    ("subset", ("3", "200")),
    ("uniform", ("4",)),
    ("discrete_laplace", ("5/2", "12")),
    ("discrete_laplace", ("1/3", "12")),
    ("discrete_normal", ("9/4", "12")),
    ("field", ("101", "3", "4")),
    ("field", ("65537", "2", "5")),
    ("field", (str(2**61 - 1), "2", "2")),
]
Pieces = list[tuple[Kind, int, list[int]]]
PAYLOADS: list[tuple[Pieces, list[list[float]]]] = [
    ([("qd", 7, [3])], [[5, 6, 1]]),
    ([("bd", 2, [9])], [[1, 0, 1, 1, 0, 0, 1, 0, 1]]),
    ([("Nd", 1, [2]), ("nd", 5, [])], [[0, 0], [4]]),
    ([("qd", 2**61 - 1, [2]), ("rd", 0, [2])], [[2**61 - 2, 1], [-0.5, 1e300]]),
    ([("qd", 7, [0])], [[]]),
]
FRAMES = [(0, 0, b""), (3, 4999, bytes.fromhex("b880")), (65535, 2**32 - 1, b"\x00\xff" * 20)]


def written() -> dict[str, list[Any]]:
    """Return all vectors, by section."""
    return {
        "streams": [
            {"seed": seed, "purpose": purpose, "party": party, "words": words(seed, party, purpose)}
            for seed, purpose, party in STREAMS
        ],
        "draws": [
            {
                "seed": 7,
                "party": f"u{place}",
                "draw": name,
                "arguments": list(arguments),
                "values": drawn(SampledCoins(7, f"u{place}"), name, list(map(Fraction, arguments))),
            }
            for place, (name, arguments) in enumerate(DRAWS, start=1)
        ],
        "payloads": [
            {"pieces": pieces, "values": values, "bytes": payload(pieces, values).hex()}
            for pieces, values in PAYLOADS
        ],
        "frames": [
            {
                "tag": tag,
                "sender": sender,
                "payload": content.hex(),
                "bytes": Frame(tag, sender, content).encode().hex(),
            }
            for tag, sender, content in FRAMES
        ],
        "transcripts": [transcript()],
    }


def words(seed: int, party: str, purpose: str) -> list[str]:
    return [f"{word:016x}" for word in Stream(seed, party, purpose).words(4).tolist()]


def drawn(coins: Coins, name: str, arguments: list[Fraction]) -> list[Any]:
    match name, arguments:
        case "field", [modulus, rows, columns]:
            elements = coins.field(Field(int(modulus)), (int(rows), int(columns)))
            return list(elements.numbers().tolist())
        case "bernoullis" | "discrete_laplace" | "discrete_normal", [parameter, count]:
            made = getattr(coins, name)(parameter, int(count))
        case _:
            made = getattr(coins, name)(*map(int, arguments))
    return [x if isinstance(x, float) else int(x) for x in made.tolist()]


def payload(pieces: Pieces, values: list[list[float]]) -> bytes:
    manifest = manifest_of(
        *((WireType(kind, below), tuple(shape)) for kind, below, shape in pieces)
    )
    kinds = {"rd": np.float64}
    arrays = [
        np.array(piece, dtype=kinds.get(kind, np.int64)).reshape(shape)
        for (kind, _, shape), piece in zip(pieces, values, strict=True)
    ]
    return encode(manifest, arrays)


def transcript() -> dict[str, Any]:
    """Return a run of DPDS in which every message was observed."""
    protocol = DPDS(users=3, items=4, participation=0.5)
    done = run(protocol, [2, 4, 1], seed=7, observe=["u1", "u2", "u3", "server"])
    names = done.transcript.names
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.transcript"
        save(done.transcript, path)
        content = path.read_bytes()
    return {
        "items": protocol.items,
        "participation": "1/2",
        "modulus": protocol.field.modulus,
        "messages": [
            [each.round, names[each.sender], names[each.recipient], each.tag]
            + [piece.numbers().reshape(-1).tolist() for piece in each.pieces]
            for each in done.transcript.messages
        ],
        "bytes": content.hex(),
    }


if __name__ == "__main__":
    sections = [
        f'"{name}": [\n' + ",\n".join(map(json.dumps, vectors)) + "\n]"
        for name, vectors in written().items()
    ]
    FILE.write_text("{\n" + ",\n".join(sections) + "\n}\n", encoding="utf-8")
