"""The benchmarks of protocols and mechanisms.

A time depends on the machine. So the time of some runs is divided by the time that numpy needs, on
the same machine, to draw about as many random numbers.
"""

import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols.bench.peers import times_faster
from protocols.dpds.script import DPDS
from protocols.ldp_sgd.script import in_chance_order, ldp_sgd
from protocols.mechanisms.piecewise import PM
from protocols.secagg.build import secagg
from protocols.tss.script import TSS
from simnet.adversary.judge import Judge, verdict
from simnet.adversary.reading_again import play_recorded
from simnet.bench.benchmark import Benchmark, Noted
from simnet.bench.kernel import ManyToOne, shell
from simnet.coins.sampled import SampledCoins
from simnet.installed import PYTHON
from simnet.kernel.party import Party
from simnet.kernel.run import run
from simnet.kernel.tags import Tag
from simnet.network.timing import timed
from simnet.network.toml_file import network_named
from simnet.record.fate import Fate
from simnet.roster import Seat, seats
from simnet.values.field import Field
from simnet.values.sealed import Sealed

TRIALS = 50  # the number of arrays that are drawn to find the fastest dtype


def draw_seconds(times: int, items: int, modulus: int, rows: int) -> float:
    """Return the seconds that numpy takes to draw `times` arrays of shape (rows, items).

    The arrays have integers below the modulus. Of the dtypes uint16, uint32 and int64 we take those
    that can hold the modulus, and choose the fastest one.
    """
    fitting = [
        dtype for dtype in (np.uint16, np.uint32, np.int64) if np.iinfo(dtype).max >= modulus
    ]
    best = min(fitting, key=lambda dtype: _draw(TRIALS, (rows, items), modulus, dtype))
    return _draw(times, (rows, items), modulus, best)


def _draw(times: int, shape: tuple[int, int], modulus: int, dtype: type[np.generic]) -> float:
    generator = np.random.Generator(np.random.SFC64(1))
    start = time.perf_counter()
    for _ in range(times):
        generator.integers(0, modulus, size=shape, dtype=dtype)
    return time.perf_counter() - start


def dpds_ratio(users: int, items: int) -> float:
    """Return the time of a whole DPDS run, divided by `draw_seconds`."""
    protocol = DPDS(users, items, 0.5)
    inputs = [1 + user % items for user in range(users)]
    denominator = draw_seconds(users, items, protocol.field.modulus, users - 1)
    start = time.perf_counter()
    run(protocol, inputs)
    return (time.perf_counter() - start) / denominator


def dpds_memory(users: int, items: int) -> float:
    """Return the peak memory, in MB, of a new process that makes one DPDS run."""
    code = f"from protocols.bench.benchmarks import peak; print(peak({users}, {items}))"
    return float(
        subprocess.run([*PYTHON, "-c", code], check=True, capture_output=True, text=True).stdout
    )


def peak(users: int, items: int) -> float:
    """Make one DPDS run, and return the peak memory of this process in MB."""
    run(DPDS(users, items, 0.5), [1 + user % items for user in range(users)])
    return peak_memory()


def peak_memory() -> float:
    """Return the peak memory of this process, in MB (of 2^20 bytes)."""
    status = Path("/proc/self/status")
    # This file has the peak of this process alone. `getrusage` would give the peak of the parent
    # process if that was higher.
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, others kB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


TSS_SETS = (
    "S1",
    "S2",
    "S1, S2",
    "half of the users",
    "S2, half of the users",
    "all users but one",
    "u1",
)


def judging(protocol: str, sets: Sequence[str]) -> tuple[float, float]:
    """Return the seconds of the slowest verdict on these coalitions, and the largest memory in MB.

    Every verdict is computed in a new process. The time includes the attacks, but not the run that
    is judged.
    """
    code = (
        "import sys; from protocols.bench.benchmarks import judge_once; "
        "print(*judge_once(*sys.argv[1:]))"
    )
    costs = []
    for corrupt in sets:
        command = [*PYTHON, "-c", code, protocol, corrupt]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        costs.append([float(figure) for figure in done.stdout.split()])
    return max(cost[0] for cost in costs), max(cost[1] for cost in costs)


def judge_once(protocol: str, corrupt: str) -> tuple[float, float]:
    """Return the seconds for one verdict on one run, and this process's peak memory in MB.

    `protocol` is a key of `JUDGED`.
    """
    instance = JUDGED[protocol]
    done = run(instance, [1 + user % instance.items for user in range(instance.users)])
    start = time.perf_counter()
    judgement = verdict(done, corrupt)
    # The time of a verdict means nothing if its attacks give wrong values.
    assert all(learned.value == learned.true for learned in judgement.functions)
    return time.perf_counter() - start, peak_memory()


VALUE, RELEASE, WORDS = Tag("value"), Tag("release"), Field(2**31 - 1)


@attrs.frozen
class Releases:
    """A curator publishes sums over overlapping groups of users, so every message that the public
    sees has many secrets.
    """

    users: int
    sums: int
    group: int
    items: int = 9

    def parties(self) -> Mapping[str, Seat]:
        """Users, a curator and the public."""
        parties = {"curator": Seat(self.curator), "public": Seat(self.public)}
        return {**seats("u", self.user, self.users), **parties}

    async def user(self, me: Party, value: Sealed) -> None:
        """Send the number."""
        await me.send(VALUE, "curator", me.secret(int, value, field=WORDS, shape=()))

    async def curator(self, me: Party) -> None:
        """Add up the numbers of the first user and of users that are drawn."""
        values: Any = await me.gather(VALUE, me.all("user"))
        draw = random.Random(1)
        for _ in range(self.sums):
            chosen = draw.sample(range(1, self.users), self.group - 1)
            total = sum((values[user] for user in chosen), values[0])
            await me.send(RELEASE, "public", total)

    async def public(self, me: Party) -> None:
        """Receive the sums."""
        for _ in range(self.sums):
            await me.receive(RELEASE, "curator")


JUDGED: dict[str, Any] = {
    "dense-400": Releases(users=400, sums=252, group=18),
    "dpds-200": DPDS(200, 12, 0.5),
    "dpds-1000": DPDS(1000, 30, 0.5),
    "tss-300": TSS(300, 12, 0.5, 5),
    "tss-1000": TSS(1000, 30, 0.5, 12),
    "dpds-shamir-1000": DPDS(1000, 30, 0.5, "shamir:100"),
}


def judging_alike(protocol: str, corrupt: str) -> tuple[float, float]:
    """Return the processor seconds of one verdict by symmetry, and the peak memory in MB of the new
    process that computes it.
    """
    code = (
        "import sys; from protocols.bench.benchmarks import judge_alike_once; "
        "print(*judge_alike_once(*sys.argv[1:]))"
    )
    command = [*PYTHON, "-c", code, protocol, corrupt]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def judge_alike_once(protocol: str, corrupt: str) -> tuple[float, float]:
    """Return what `judging_alike` returns, measured in this process. The time includes the run.

    `protocol` is a key of `ALIKE`.
    """
    instance = ALIKE[protocol]
    inputs = [1 + user % instance.items for user in range(instance.users)]
    start = time.process_time()
    found = Judge([play_recorded(instance, inputs, 1)], by="symmetry").verdict(corrupt)
    assert found.finding == "output-only"  # the time of a wrong verdict means nothing
    return time.process_time() - start, peak_memory()


ALIKE: dict[str, Any] = {
    "dpds-10000": DPDS(10_000, 30, 0.5),
    "tss-10000": TSS(10_000, 30, 0.5, 12),
}


def tss_ratio(users: int, items: int, reported: int) -> float:
    """Return the time of a whole TSS run, divided by the time that numpy needs to draw about as
    many field elements as the run has shares.
    """
    protocol = TSS(users, items, 0.5, reported)
    inputs = [1 + user % items for user in range(users)]
    # The shares that one user sends to the users who are elected for its items
    shares = reported * reported * users // items + 1
    denominator = draw_seconds(users, 1, protocol.field.modulus, shares)
    start = time.perf_counter()
    run(protocol, inputs)
    return (time.perf_counter() - start) / denominator


def pm_ratio(values: int) -> Noted:
    """Return the time in which PM perturbs values, divided by the time that numpy needs to draw as
    many uniform numbers.

    We measure both times in turns, nine times each, and return the median ratio, because a busy
    machine can make a single short measurement too long.
    """
    inputs, coins = np.linspace(-1, 1, values), SampledCoins(1, "u1")
    generator = np.random.Generator(np.random.SFC64(1))
    ratios, drawing = [], []
    for _ in range(9):
        start = time.perf_counter()
        generator.random(values)
        between = time.perf_counter()
        PM(1.0).perturb(inputs, coins)
        ratios.append((time.perf_counter() - between) / (between - start))
        drawing.append(between - start)
    spent = f"in {statistics.median(drawing):.3g} s, the median of the nine turns"
    return Noted(
        statistics.median(ratios),
        f"numpy's SFC64 draws {values:,} uniform doubles {spent}",
    )


def clock_ratio(users: int, items: int, jitter: float = 0.0) -> float:
    """Return the processor time of a DPDS run that is timed on one network, divided by that of the
    run alone. Each message has a random extra delay with a mean of `jitter` seconds.
    """
    mobile = network_named("mobile")
    latencies = {
        pair: attrs.evolve(latency, jitter=jitter) for pair, latency in mobile.latencies.items()
    }
    protocol = DPDS(users, items, 0.5)
    start = time.process_time()
    done = run(protocol, [1 + user % items for user in range(users)])
    between = time.process_time()
    timed(done, attrs.evolve(mobile, latencies=latencies))
    return (time.process_time() - start) / (between - start)


def star(users: int) -> tuple[float, float]:
    """Return the processor seconds that it takes to run and time `ManyToOne`, and the peak memory
    of the process in MB. In this protocol each user sends a message to a server.
    """
    code = (
        "import sys; from protocols.bench.benchmarks import star_once; "
        "print(*star_once(int(sys.argv[1])))"
    )
    command = [*PYTHON, "-c", code, str(users)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def star_once(users: int) -> tuple[float, float]:
    """Return what `star` returns, measured in this process."""
    start = time.process_time()
    timed(run(ManyToOne(users)), "mobile")
    return time.process_time() - start, peak_memory()


def descent_seconds(users: int, attributes: int, epsilon: float) -> float:
    """Return the processor seconds of a whole LDP-SGD run with HM."""
    coins = SampledCoins(1, "people")
    features = 2 * coins.uniform(users * attributes).plain.reshape(users, attributes) - 1
    examples = in_chance_order(features, np.where(features[:, 0] > 0, 1.0, -1.0), coins)
    protocol = ldp_sgd(users=users, attributes=attributes, epsilon=epsilon)
    start = time.process_time()
    run(protocol, examples)
    return time.process_time() - start


def secagg_seconds(users: int, items: int) -> float:
    """Return the processor seconds of a whole run of secure aggregation, in which a tenth of the
    users drop out before they send their masked vectors.

    For each of them, the server computes and removes the masks shared with the users who are left.
    """
    protocol = secagg(users=users, items=items)
    inputs = [1 + user % items for user in range(users)]
    fates = {f"u{user}": Fate("masked") for user in range(1, users // 10 + 1)}
    start = time.process_time()
    done = run(protocol, inputs, fates=fates)
    spent = time.process_time() - start
    assert done.outcome == "result"  # the time of an aborted run means nothing
    return spent


BENCHMARKS = [
    Benchmark(
        "shell",
        "DPDS with 100 users, from the shell",
        "s",
        0.7,
        True,
        lambda: shell("run", "dpds", "--set", "users=100"),
    ),
    Benchmark(
        "million",
        "local frequencies of 1,000,000 users, from the shell",
        "s",
        1.5,
        True,
        lambda: shell("run", "local_frequency"),
    ),
    Benchmark(
        "calibrate",
        "OUE and Calibrate: 908,576 users × 16,470 items, from the shell",
        "s",
        5.0,
        True,
        lambda: shell(
            "run", "calibrated_frequency", "--set", "users=908576", "--set", "items=16470"
        ),
    ),
    Benchmark(
        "tss-5000",
        "TSS, 5,000 users × 30 items, k = 12",
        "× drawing",
        4.0,
        True,
        lambda: tss_ratio(5000, 30, 12),
    ),
    Benchmark(
        "dpds-5000",
        "DPDS, 5,000 users × 30 items",
        "× drawing",
        1.5,
        True,
        lambda: dpds_ratio(5000, 30),
    ),
    Benchmark(
        "dpds-1000",
        "DPDS, 1,000 users × 30 items",
        "× drawing",
        3.0,
        True,
        lambda: dpds_ratio(1000, 30),
    ),
    Benchmark(
        "secagg-500",
        "secure aggregation: 500 users × 10,000 items, 50 users drop out; processor time",
        "s",
        60,
        True,
        lambda: secagg_seconds(500, 10_000),
    ),
    Benchmark(
        "secagg-100",
        "secure aggregation: 100 users × 10,000 items, 10 users drop out; processor time",
        "s",
        3,
        True,
        lambda: secagg_seconds(100, 10_000),
    ),
    Benchmark(
        "secagg-plus",
        "SecAgg+: 5,000 users × 30 items, degree 100, without claims, from the shell",
        "s",
        60,
        True,
        lambda: shell("run", "secagg_plus", "--users", "5000", "--degree", "100", "--no-claims"),
    ),
    Benchmark(
        "verdict-200",
        "DPDS, 200 users × 12 items: the slower of two verdicts, on 199 users and on the server "
        "with 150 users",
        "s",
        2,
        True,
        lambda: judging("dpds-200", ["all users but one", "server, u1..u150"])[0],
    ),
    Benchmark(
        "verdict-1000",
        "DPDS, 1,000 users × 30 items: the slowest verdict on the server, the server with 500 "
        "users, and 999 users",
        "s",
        3,
        True,
        lambda: judging("dpds-1000", ["server", "server, u1..u500", "all users but one"])[0],
    ),
    Benchmark(
        "verdict-memory",
        "DPDS, 1,000 users × 30 items: memory of the verdicts of verdict-1000",
        "MB",
        350,
        True,
        lambda: judging("dpds-1000", ["server", "server, u1..u500", "all users but one"])[1],
    ),
    Benchmark(
        "verdict-dense",
        "252 sums, each of 18 of 400 users' numbers: the verdict on whoever sees the sums",
        "s",
        12,
        True,
        lambda: judging("dense-400", ["public"])[0],
    ),
    Benchmark(
        "verdict-tss",
        "TSS, 300 users × 12 items, k = 5: the slowest verdict on seven coalitions",
        "s",
        10,
        True,
        lambda: judging("tss-300", TSS_SETS)[0],
    ),
    Benchmark(
        "verdict-tss-1000",
        "TSS, 1,000 users × 30 items, k = 12: the verdict on S2",
        "s",
        10,
        True,
        lambda: judging("tss-1000", ["S2"])[0],
    ),
    Benchmark(
        "verdict-tss-memory",
        "TSS, 1,000 users × 30 items, k = 12: memory of the verdict on S2",
        "MB",
        1500,
        True,
        lambda: judging("tss-1000", ["S2"])[1],
    ),
    Benchmark(
        "verdict-shamir",
        "DPDS with Shamir's sharing, 1,000 users × 30 items, t = 100: the slower verdict, on the "
        "server with 50 users, and with 99 users",
        "s",
        60,
        True,
        lambda: judging("dpds-shamir-1000", ["server, u1..u50", "server, u1..u99"])[0],
    ),
    Benchmark(
        "verdict-shamir-memory",
        "DPDS with Shamir's sharing, 1,000 users × 30 items, t = 100: memory of the verdicts of "
        "verdict-shamir",
        "MB",
        1000,
        True,
        lambda: judging("dpds-shamir-1000", ["server, u1..u50", "server, u1..u99"])[1],
    ),
    Benchmark(
        "alike-dpds",
        "DPDS, 10,000 users × 30 items, by symmetry: the server with 5,000 users; processor time",
        "s",
        60,
        True,
        lambda: judging_alike("dpds-10000", "server, 5000 users")[0],
    ),
    Benchmark(
        "alike-tss",
        "TSS, 10,000 users × 30 items, k = 12, by symmetry: S2 with 5,000 users; processor time",
        "s",
        60,
        True,
        lambda: judging_alike("tss-10000", "S2, 5000 users")[0],
    ),
    Benchmark(
        "alike-memory",
        "TSS, 10,000 users × 30 items, k = 12, by symmetry: memory of the verdict of alike-tss",
        "MB",
        1000,
        True,
        lambda: judging_alike("tss-10000", "S2, 5000 users")[1],
    ),
    Benchmark(
        "grr-100",
        "GRR: 1,000,000 reports of 100 items drawn and counted",
        "× the faster library",
        5,
        False,
        lambda: times_faster("GRR", 100),
    ),
    Benchmark(
        "grr-1024",
        "GRR: 1,000,000 reports of 1,024 items",
        "× the faster library",
        5,
        False,
        lambda: times_faster("GRR", 1024),
    ),
    Benchmark(
        "oue-100",
        "OUE: 1,000,000 reports of 100 bits",
        "× the faster library",
        5,
        False,
        lambda: times_faster("OUE", 100),
    ),
    Benchmark("pm", "PM: 10,000,000 values", "× drawing", 3.0, True, lambda: pm_ratio(10**7)),
    Benchmark(
        "sgd",
        "LDP-SGD: 100,000 users, 94 features, 2,000 steps",
        "s",
        5.0,
        True,
        lambda: descent_seconds(100_000, 94, 4.0),
    ),
    Benchmark(
        "clock",
        "DPDS, 5,000 users × 30 items, run and timed on one network",
        "× the run",
        2.0,
        True,
        lambda: clock_ratio(5000, 30),
    ),
    Benchmark(
        "clock-jitter",
        "DPDS, 5,000 users × 30 items, run and timed on one network with jitter",
        "× the run",
        3.0,
        True,
        lambda: clock_ratio(5000, 30, jitter=0.01),
    ),
    Benchmark(
        "star",
        "100,000 users send a message each to a server, run and timed on one network",
        "s",
        60.0,
        True,
        lambda: star(100_000)[0],
    ),
    Benchmark(
        "star-memory",
        "100,000 users send a message each to a server: memory",
        "MB",
        1000,
        True,
        lambda: star(100_000)[1],
    ),
    Benchmark(
        "dpds-memory",
        "DPDS, 5,000 users × 30 items: memory",
        "MB",
        400,
        True,
        lambda: dpds_memory(5000, 30),
    ),
]
