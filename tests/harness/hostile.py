"""Hostile settings and damaged files: draws them, and tries the program on them.

Each case is a command line. It is tried in a process of its own, with 8 GB of memory and 60 seconds
of processor time. The command must end with a result, or with one sentence and status 2.

`python -m tests.harness.hostile settings 100 7` tries 100 cases that follow from the seed 7, and
prints those that fail; `files` in place of `settings` tries damaged files.
"""

import importlib
import io
import json
import os
import pkgutil
import random
import resource
import shutil
import signal
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import protocols
import scenarios
import simnet
from simnet.adversary.check import canonical_text
from simnet.cli.main import main
from simnet.record.file import _HEAD, MAGIC
from simnet.scenario.find import find, names

MEMORY, SECONDS = 8 << 30, 60
LARGE = str(10**12)
ODD_TEXTS = (
    *("1e308", "-1e308", "1e-308", "nan", "inf", "0", "-1", "0.5", "1", "2", LARGE, f"-{LARGE}"),
    *("9" * 400, "1" * 5000, "1e400", "", "x", "true", "none", "0x10", "1_000", "\u0663"),
)
ODD_NUMBERS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 10**12, -(10**12), 10**400, 2**63, 0.5, 1e308, -1e308, float("nan")),
    *(float("inf"), True, None, "", "x", "\x1b[31m", "1", [], [[]], {}, {"a": 1}, [None], [0, 0]),
)
COMMANDS = """
compare --items 3 --epsilon 1 --delta 1e-6 --users 100
compare dpds oue --items 3 --epsilon 1 --delta 1e-6 --users 100,1000 --network mobile
privacy dpds --counts 10,20 --participation 0.3 --delta 1e-6 --colluders 0 --dropped 0
privacy dpds --counts 10,20 --participation 0.3 --epsilon 1
privacy tss --counts 10,20 --participation 0.3 --reported 1 --gamma 2 --delta 1e-6
privacy tss-s1 --items 30 --reported 12 --participation 0.3 --gamma 2
privacy dpdg --users 100 --epsilon 0.5 --delta 1e-6 --colluders 3 --dropped 1
privacy compose --group 33,40@0.1x12 --delta 1e-6
privacy compose --group 33,40@0.1 --epsilon 1
privacy participation --counts 100,200 --epsilon 1 --delta 1e-6
privacy users --share 0.1 --participation 0.3 --epsilon 1 --delta 1e-6
privacy advise --users 1000 --items 5 --rarest 100 --epsilon 1 --delta 1e-6 --budget 1000
privacy completes --users 100 --drop 0.1 --threshold 60 --corrupt 0.1 --members 5 \
    --member-threshold 3 --member-drop 0.1 --runs 10 --seed 0
privacy completes --users 100 --drop 0.1 --degree 10 --neighbour-threshold 6 --runs 10
privacy degree --users 1000 --corrupt 0.1 --drop 0.1 --security-bits 40 --correctness-bits 30
privacy degree --users 1000 --corrupt 10 --drop 0.1 --degree 100 --threshold 60
privacy thresholds --users 100 --drop 0.1 --items 12 --reported 5 --bits 40
privacy survive --users 1000 --items 30 --reported 12 --colluders 960 --phi 0 --gamma 2
claims yang --show "Theorem 3.1" --set users=1000 --set items=30
mechanism oue --epsilon 1 --items 4 --at 0.5
mechanism grr --epsilon 1 --items 4
mechanism olh --epsilon 1 --items 4
mechanism hadamard --epsilon 1 --items 4
mechanism pm --epsilon 1 --at 0.5
mechanism hm --epsilon 1 --at 0.5
mechanism duchi-multi --epsilon 1 --attributes 6
mechanism joy-gerla --truthful 0.5 --yes 0.5 --sampling 0.5 --at 0.5
table1 --users 10 --items 3 --participation 0.5 --reported 2 --gamma 2 --phi 1 --trials 1 --seed 0
table1 --users 10 --items 3 --participation 0.5 --left 0.5 --degree 4 --members 3
table1 --users 10 --items 3 --participation 0.5 --epsilon 0.5 --delta 1e-6 --fraction-bits 16
sweep biswas_fig1 --trials 1 --workers 1 --store store.jsonl
exact-view dpds --users 2 --items 2 --corrupt u1 --inputs 1,1 --versus 1,2 --at-epsilon 1 \
    --limit 1000
time run.log --network mobile --seed 1
run dpds --users 4 --items 2 --seed 0 --drop 0.1 --max-elements 1000 --max-messages 1000
run local_mean --users 4 --at-delta 1e-6 --max-memory 1 --timeout 30
show dpds --users 3 --items 2 --seed 0
list --timeout 30
"""
OF_SCENARIOS = """
run NAME --no-claims
run NAME
verify NAME --corrupt CORRUPT --seed 0 --runs 1 --collections 1
coalitions NAME --seed 0
coalitions NAME --runs 2
check NAME --seed 0
show NAME
"""
OF_FILES = """
network network.toml
run dpds --users 4 --items 2 --no-claims --network network.toml
time run.log --network network.toml
time run.log --network mobile
time crowd.log --network mobile
results --store store.jsonl
results biswas_fig1 --store store.jsonl
reproduce biswas_fig1 --quick --trials 1 --workers 1 --store store.jsonl
verify --check proof.json
verify --check alike.json
replay run.transcript
run local_frequency --input people.csv --column city --no-claims
run local_mean --input people.csv --column age --low 0 --high 100 --no-claims
run local_frequency --input people.csv.gz --column city --no-claims
run local_frequency --input people.parquet --column city --no-claims
run local_table --input people.csv --numeric age:0:100 --categorical city --no-claims
compare --input people.csv --column city --epsilon 1 --delta 1e-6 --users 100
run script.py --no-claims
run scenario.py --no-claims
"""
SCRIPT = """
from simnet import Seat, Scenario, Tag, seats

NOTE = Tag("note")

class Mine:
    items = 3

    def __init__(self, users=3, factor=2):
        self.users, self.factor = users, factor

    def parties(self):
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me, item):
        await me.send(NOTE, to="server", payload=me.disclose(lambda item: item, item))

    async def server(self, me):
        return sum([await me.receive(NOTE, name) for name in me.others]) * self.factor
"""


@attrs.frozen
class Failure:
    """A case that failed: its command, what is wrong, and the end of what it printed."""

    words: tuple[str, ...]
    what: str
    printed: str


def tried(words: list[str], folder: Path) -> Failure | None:
    """Run a command in a child process; return what is wrong with its end, or None."""
    printed = folder / ".printed"
    child = os.fork()
    if not child:
        _child(words, folder, printed)
    _, status = os.waitpid(child, 0)
    text = printed.read_text(errors="replace")
    code, last = os.waitstatus_to_exitcode(status), text.splitlines()[-1:] or [""]
    if code < 0:
        what = f"ended by signal {signal.Signals(-code).name}"
    elif "Traceback" in text or code not in (0, 1, 2, 3, 124):
        what = f"a traceback, or an unknown status ({code})"
    elif code == 2 and not (last[0].startswith("simnet: ")):
        what = "status 2 without a sentence"
    else:
        return None
    return Failure(tuple(word[:60] for word in words), what, text[-1500:])


def _child(words: list[str], folder: Path, printed: Path) -> None:
    try:
        os.chdir(folder)
        descriptor = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(10 * SECONDS)  # a command that only waits
        status = 0
        try:
            if words[0] == "replay":
                _replay(Path(words[1]))
            else:
                main(words)
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 99
        except BaseException:  # what a user would see as a traceback
            import traceback

            traceback.print_exc()
            status = 98
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    finally:
        os._exit(97)


def _replay(path: Path) -> None:
    from simnet import CodecError, load

    try:
        load(path)
    except CodecError as error:
        print(f"simnet: {' '.join(str(error).split())}", file=sys.stderr)  # noqa: T201
        raise SystemExit(2) from None


# Absurd settings.


def commands_with_settings(rng: random.Random) -> Iterator[list[str]]:
    """Draw command lines in which one or two values are absurd."""
    plain = [line.split() for line in COMMANDS.replace("\\\n", " ").strip().splitlines()]
    while True:
        words = list(rng.choice(plain)) if rng.random() < 0.5 else _of_scenario(rng)
        values = [
            place
            for place, word in enumerate(words)
            if place
            and words[place - 1][:2] == "--"
            and word[:2] != "--"
            and words[place - 1] not in ("--store", "--network", "--corrupt")
        ]
        for place in rng.sample(values, min(len(values), rng.choice((1, 1, 2)))):
            odd = rng.choice(ODD_TEXTS)
            words[place] = rng.choice((odd, odd, words[place].replace("0", odd, 1)))
            words[place - 1 : place + 1] = [f"{words[place - 1]}={words[place]}", ""]
        yield [word for word in words if word or not values]


def _of_scenario(rng: random.Random) -> list[str]:
    name = rng.choice(sorted(names()))
    scenario = find(name)[1]
    line = rng.choice(OF_SCENARIOS.strip().splitlines()).replace("NAME", name)
    small = {"users": "4", "items": "3"}
    words = line.replace("CORRUPT", "u1").split()
    settings = scenario.settings()
    for setting in scenario.settings_in_words.values():
        value = small.get(setting.name, str(settings[setting.name]))
        if setting.name in small or rng.random() < 0.5:
            words += [setting.option, value]
    return words


# Damaged files.


def make_files(folder: Path) -> dict[str, bytes]:
    """Write one good file of each kind into a folder, and return their contents by name."""
    made = Path.cwd()
    os.chdir(folder)
    try:
        rows = "city,age\n" + "".join(f"{'abc'[row % 3]},{row}\n" for row in range(40))
        Path("people.csv").write_text(rows)
        import gzip

        import pyarrow
        import pyarrow.parquet

        Path("people.csv.gz").write_bytes(gzip.compress(rows.encode()))
        columns = {"city": ["a", "b", "c"] * 10, "age": list(range(30))}
        pyarrow.parquet.write_table(pyarrow.table(columns), "people.parquet")
        Path("script.py").write_text(SCRIPT)
        scenario = '\nSCENARIO = Scenario(summary="mine", protocol=Mine, users=4, items=3)\n'
        scenario = scenario.replace(", items=3", "")
        Path("scenario.py").write_text(SCRIPT + scenario)
        from protocols.dpds.script import DPDS
        from simnet import network_named, run, save
        from simnet.network.toml_file import as_toml

        Path("network.toml").write_text(as_toml(network_named("mobile")))
        save(run(DPDS(3, 2, 0.5), [1, 2, 1]).transcript, Path("run.transcript"))
        for line in (
            "run dpds --users 4 --items 2 --no-claims --log run.log",
            "run local_frequency --users 20 --items 3 --no-claims --log crowd.log",
            "verify dpds --users 3 --items 2 --corrupt u1,u2 --certificate proof.json",
            "verify dpds --users 4 --items 2 --corrupt u1 --by symmetry --certificate alike.json",
            "sweep biswas_fig1 --quick --trials 1 --workers 1 --store store.jsonl",
        ):
            failure = tried(line.split(), folder)
            assert failure is None, failure
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "."}
    finally:
        os.chdir(made)


def damaged(name: str, content: bytes, rng: random.Random) -> bytes:
    """Damage a file: its bytes, or its values if its kind is known."""
    within = INSIDE.get(Path(name).suffix)
    if within is None or rng.random() < 0.4:
        return _damaged_bytes(content, rng)
    return within(content, rng)


def _damaged_bytes(content: bytes, rng: random.Random) -> bytes:
    parts = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 3))):
        begin = rng.randrange(len(parts) + 1)
        end = min(len(parts), begin + rng.choice((0, 1, 1, 8, 100)))
        odd = rng.choice(
            (
                bytes([rng.randrange(256)]),
                b"",
                b"\x00",
                b"[" * 5000,
                b"{" * 5000,
                b"9" * 400,
                b"9" * 5000,
                b"\xff\xfe",
                b"\n",
                b"\r",
                b'"',
                b"nan",
                b"1e999",
                b"-",
                b" ",
                b"\xed\xa0\x80",
                b"\xf0\x9f\x98\x80",
                bytes(parts[begin : begin + 50]) * 2,
            )
        )
        parts[begin:end] = odd
    return bytes(parts[: rng.randrange(len(parts) + 1)] if rng.random() < 0.1 else parts)


def odd_inside(value: Any, rng: random.Random) -> Any:
    """Return a value of JSON in which one part is replaced, left out or doubled."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        if rng.random() < 0.05:
            return json.loads("[" * 200 + "]" * 200)
        return rng.choice(ODD_NUMBERS)
    if isinstance(value, list):
        place = rng.randrange(len(value))
        what = rng.random()
        if what < 0.1:
            return value[:place] + value[place + 1 :]
        if what < 0.2:
            return value[:place] + [value[place]] * 2 + value[place + 1 :]
        return [*value[:place], odd_inside(value[place], rng), *value[place + 1 :]]
    key = rng.choice(sorted(value))
    what = rng.random()
    if what < 0.1:
        return {other: part for other, part in value.items() if other != key}
    if what < 0.15:
        return {**value, "odd": 1}
    return {**value, key: odd_inside(value[key], rng)}


def _odd_certificate(content: bytes, rng: random.Random) -> bytes:
    text = canonical_text(odd_inside(json.loads(content), rng))
    return text.encode(errors="surrogatepass")


def _odd_store(content: bytes, rng: random.Random) -> bytes:
    head, *lines = content.splitlines(keepends=True)
    place = rng.choice([place for place, line in enumerate(lines) if line.strip()])
    read = json.loads(lines[place])
    del read["digest"]
    text = json.dumps(odd_inside(read, rng))
    text = text[:-1] if text[-1] == "}" else text
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    lines[place] = f'{text}, "digest": "{digest}"}}\n'.encode()
    return head + b"".join(lines)


def _odd_log(content: bytes, rng: random.Random) -> bytes:
    with np.load(io.BytesIO(content)) as read:
        arrays = dict(read)
    if rng.random() < 0.6:
        described = odd_inside(json.loads(bytes(arrays["described"])), rng)
        arrays["described"] = np.frombuffer(json.dumps(described).encode(), np.uint8)
    else:
        name = rng.choice(sorted(arrays))
        array = arrays[name].copy()
        change: Callable[[], Any] = rng.choice(
            (
                lambda: array.astype(np.float64),
                lambda: array.astype(np.uint8),
                lambda: array[:-1],
                lambda: array.reshape(-1, 1),
                lambda: np.zeros(30_000_000, np.int64),
                lambda: np.zeros((3, 10_000_000), np.int64),
                lambda: array + rng.choice((1, -1, 2**62)),
                lambda: np.array(["x"]),
                lambda: np.array(3),
                lambda: np.concatenate([array, array], axis=-1),
            )
        )
        with np.errstate(all="ignore"):
            arrays[name] = change()
    written = io.BytesIO()
    np.savez_compressed(written, **arrays)
    return written.getvalue()


def _odd_transcript(content: bytes, rng: random.Random) -> bytes:
    length, _ = _HEAD.unpack_from(content, len(MAGIC))
    start = len(MAGIC) + _HEAD.size
    header = odd_inside(json.loads(content[start : start + length]), rng)
    text = json.dumps(header).encode()
    head = struct.pack("<QI", len(text), zlib.crc32(text))
    return MAGIC + head + text + content[start + length :]


def _odd_toml(content: bytes, rng: random.Random) -> bytes:
    lines = content.decode().splitlines()
    places = [place for place, line in enumerate(lines) if " = " in line]
    place = rng.choice(places)
    key = lines[place].partition(" = ")[0]
    odd = (
        *("0", "-1", "1e308", "-1e308", "1e-308", "nan", "inf", "9" * 400, "9" * 5000, LARGE, '""'),
        *(
            "true",
            "[]",
            "{}",
            "[" * 5000 + "]" * 5000,
            '"x"',
            "1979-05-27",
            "1e999",
            "0x" + "f" * 400,
        ),
    )
    lines[place] = f"{key} = {rng.choice(odd)}"
    return "\n".join(lines).encode()


def _odd_csv(content: bytes, rng: random.Random) -> bytes:
    lines = content.decode().splitlines()
    place = rng.randrange(len(lines))
    cells = lines[place].split(",")
    cells[rng.randrange(len(cells))] = rng.choice(ODD_TEXTS)
    lines[place] = ",".join(cells)
    return "\n".join(lines).encode()


INSIDE: dict[str, Callable[[bytes, random.Random], bytes]] = {
    ".json": _odd_certificate,
    ".jsonl": _odd_store,
    ".log": _odd_log,
    ".transcript": _odd_transcript,
    ".toml": _odd_toml,
    ".csv": _odd_csv,
}


def commands_with_files(
    rng: random.Random, folder: Path, files: dict[str, bytes]
) -> Iterator[list[str]]:
    """Damage one file at a time, and yield a command that reads it."""
    lines = OF_FILES.strip().splitlines()
    while True:
        words = rng.choice(lines).split()
        name = rng.choice([word for word in words if word in files])
        for other, content in files.items():
            (folder / other).write_bytes(content)
        (folder / name).write_bytes(damaged(name, files[name], rng))
        yield words


def _import_all() -> None:
    """Import what commands import when they run, so that each child process need not."""
    for package in (simnet, protocols, scenarios):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                importlib.import_module(found.name)
    for library in ("scipy.stats", "pyarrow.parquet", "rich.table", "rich.markdown"):
        importlib.import_module(library)


def failures(kind: str, count: int, seed: int, keep: Path | None = None) -> list[Failure]:
    """Try `count` cases that follow from the seed; return those that fail.

    Files of cases that fail are copied into the folder `keep`.
    """
    rng = random.Random(seed)
    found = []
    _import_all()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if kind == "settings":
            cases = commands_with_settings(rng)
        else:
            cases = commands_with_files(rng, folder, make_files(folder))
        for number in range(count):
            failure = tried(next(cases), folder)
            if failure is not None:
                found.append(failure)
                if keep is not None:
                    shutil.copytree(folder, keep / str(number), dirs_exist_ok=True)
                    text = f"--- case {number}: {failure.what}\n{failure.words}\n{failure.printed}"
                    print(text, flush=True)  # noqa: T201
    return found


if __name__ == "__main__":
    kept = Path(sys.argv[4]) if len(sys.argv) > 4 else Path(tempfile.mkdtemp())
    all_found = failures(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), kept)
    print(f"{len(all_found)} of {sys.argv[2]} fail; their files are in {kept}")  # noqa: T201
