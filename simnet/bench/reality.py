"""Compare predicted times with times that real sockets take.

Theory of operation. Every party of a recorded run becomes a process in a network namespace of its
own. A cable (a pair of virtual network cards) connects this namespace with a hub. A token bucket at
each end of the cable limits the bytes that pass in a second, if the rate is below 1 Gbit/s. The
party's end is its uplink, and the hub's end its downlink. The hub passes messages on, and holds
each byte back for the latency between its sender and its recipient. The processes do what the log
says, with random bytes as payloads: they sleep while their party computes, write messages to a
socket, and wait for messages. So the times contain TCP, the kernel's queues and the headers of real
packets.

The measurement needs Linux, the rights of root, and the programs `ip` and `tc`. It removes its
namespaces at the end.
"""

import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import numpy as np

from simnet.errors import BadInput
from simnet.installed import PYTHON
from simnet.network.network import Network
from simnet.network.recorded import RecordedRun
from simnet.network.timing import timed
from simnet.record.log import DEADLINE, SILENCE

HUB = "hub"
SECONDS_TO_START = 0.5  # for each process
UNLIMITED = 1e9  # bits per second: a link of this rate or a higher one has no token bucket
BURST = 4_000  # bytes that a token bucket lets pass at once: less than three packets


@attrs.frozen
class Held:
    """A predicted time beside the measured times, all in seconds."""

    name: str
    predicted: float
    measured: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the measured times; of an even number of times, the larger one of the two
        in the middle.
        """
        return sorted(self.measured)[len(self.measured) // 2]

    @property
    def off_by(self) -> float:
        """How much longer the median is than the prediction, as a share of the prediction."""
        return self.median / self.predicted - 1


def hold(name: str, log: RecordedRun, network: Network, repeat: int = 5) -> Held:
    """Return the predicted time of a recorded run beside `repeat` measured times.

    Raises `BadInput` where namespaces cannot be made, if a process of the measurement ends too
    early, for a run with crowds, with parties that stop waiting or wait with a deadline, or with
    messages that come late, and for a network with a relay, jitter or lost packets.
    """
    _refuse_unplayable(log, network)
    _refuse_unable()
    measured = tuple(_measured(log, network) for _ in range(repeat))
    return Held(name, timed(log, network).completion, measured)


def _refuse_unplayable(log: RecordedRun, network: Network) -> None:
    stops_waiting = np.isin(log.events[1], (SILENCE, DEADLINE)).any()
    if any(size != 1 for size in log.sizes) or stops_waiting or log.delays:
        raise BadInput(
            "a run with crowds, with parties that stop waiting or wait with a deadline, or with "
            "messages that come late cannot be played on sockets"
        )
    varies = any(one.jitter or one.loss for one in network.latencies.values())
    if network.relay is not None or varies:
        raise BadInput(
            f"the network {network.name} has a relay, jitter or lost packets, which cannot be "
            "played on sockets"
        )


def _refuse_unable() -> None:
    if platform.system() != "Linux" or os.geteuid() != 0:
        raise BadInput("network namespaces need Linux and the rights of root")
    for program in ("ip", "tc"):
        if shutil.which(program) is None:
            raise BadInput(f"network namespaces need the program {program} (package iproute2)")


def _measured(log: RecordedRun, network: Network) -> float:
    with tempfile.TemporaryDirectory() as folder, _namespaces(log, network) as names:
        file = Path(folder) / "run.log"
        log.save(file)
        begin = time.monotonic() + SECONDS_TO_START * (2 + len(log.names))
        classes = [
            network.class_of(role, brings)
            for role, brings in zip(log.roles, log.brings_input, strict=True)
        ]
        plan = {
            "log": str(file),
            "begin": begin,
            "latencies": [
                [network.latency(one, other).seconds for other in classes] for one in classes
            ],
            "slowness": [network.classes[one].slowness for one in classes],
            "prices": dict(network.prices),
        }
        processes = [
            _start(names[party], {**plan, "party": party})
            for party in [len(log.names), *range(len(log.names))]  # the hub first
        ]
        try:
            ends = [float(_output(process)) for process in processes[1:]]
        finally:
            for process in processes:
                process.kill()
                process.wait()
    return max(ends) - begin


def _start(namespace: str, plan: dict[str, object]) -> "subprocess.Popen[str]":
    command = ["ip", "netns", "exec", namespace, *PYTHON, "-m", "simnet.bench.sockets"]
    return subprocess.Popen([*command, json.dumps(plan)], stdout=subprocess.PIPE, text=True)


def _output(process: "subprocess.Popen[str]") -> str:
    """Return the line that a process writes when its party ends. The process goes on, because its
    messages may still be under way.
    """
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise BadInput("a process of the measurement ended too early; its error stands above")
    return line


@contextmanager
def _namespaces(log: RecordedRun, network: Network) -> Iterator[Sequence[str]]:
    """Make a namespace for each party and the hub, with cables and token buckets. Yield their
    names, the hub's last.
    """
    prefix = f"simnet-{os.getpid()}"
    names = [f"{prefix}-{party}" for party in range(len(log.names))] + [f"{prefix}-{HUB}"]
    try:
        for name in names:
            _run("ip", "netns", "add", name)
            _run("ip", "-n", name, "link", "set", "lo", "up")
        for party, name in enumerate(names[:-1]):
            access = network.classes[network.class_of(log.roles[party], log.brings_input[party])]
            _cable(name, names[-1], party, access.up, access.down)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def _cable(name: str, hub: str, party: int, up: float | None, down: float | None) -> None:
    outer, inner = f"p{party}", "cable"
    _run(
        "ip", "-n", hub, "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name
    )
    for namespace, card, last, rate in ((hub, outer, 1, down), (name, inner, 2, up)):
        _run("ip", "-n", namespace, "address", "add", f"{address(party, last)}/30", "dev", card)
        _run("ip", "-n", namespace, "link", "set", card, "up")
        # Large packets that the card would cut only later pass the bucket as one.
        _run(
            "ip", "-n", namespace, "link", "set", card, "gso_max_segs", "1", "gso_max_size", "1514"
        )
        if rate is not None and rate < UNLIMITED:
            rule = ["root", "tbf", "rate", f"{rate:.0f}bit", "burst", str(BURST), "latency", "60s"]
            _run("tc", "-n", namespace, "qdisc", "add", "dev", card, *rule)


def address(party: int, last: int) -> str:
    """Return the address at the hub's end (1) or the party's end (2) of a cable."""
    number = party * 4
    return f"10.77.{number // 256}.{number % 256 + last}"


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise BadInput(f"{' '.join(command)}: {done.stderr.strip()}")
