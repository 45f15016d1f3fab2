"""Predicted times of three protocols beside the times of the same messages over real sockets.

`make reality` runs this module, as root, and writes the table of docs/reference/reality.md.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from protocols.dpds.script import DPDS
from protocols.secagg.script import SecAgg
from protocols.tss.script import TSS
from simnet import network_named, run
from simnet.bench.benchmark import machine
from simnet.bench.reality import Held, hold
from simnet.cli.output import console
from simnet.cli.page import write_part
from simnet.kernel.run import Run
from simnet.network.recorded import recorded

MOST_OFF = 0.10
ITEMS = 200_000
USERS = 6

NETWORK = network_named("mobile")


def runs() -> Iterator[tuple[str, Run]]:
    """Yield the runs whose messages are sent over real sockets, each after its name on the
    page.
    """
    inputs = [1 + place for place in range(USERS)]
    yield (
        f"DPDS, {USERS} users, {ITEMS:,} items",
        run(DPDS(users=USERS, items=ITEMS, participation=0.5), inputs, 1),
    )
    users, items = 12, 4
    tss = TSS(users=users, items=items, participation=1.0, reported=2)
    yield (
        f"TSS, {users} users, {items} items, 2 reported",
        run(tss, [1 + place % items for place in range(users)], 1),
    )
    question = DPDS(users=USERS, items=ITEMS, participation=0.5)
    yield (
        f"secure aggregation, {USERS} users, {ITEMS:,} items",
        run(SecAgg(question, threshold=4), inputs, 1),
    )


def measured(repeat: int = 5) -> list[Held]:
    """Return the prediction and the measured times of every run."""
    return [hold(name, recorded(done), NETWORK, repeat) for name, done in runs()]


def part(results: Sequence[Held], load: float) -> Iterator[str]:
    """Yield the lines of the page's table; `load` is the load of the machine before the first
    run.
    """
    yield f"`make reality` on {machine()}; load {load:.1f} before the first run."
    yield ""
    yield "| messages of | predicted | measured, median of five | measured, least..most | off by |"
    yield "| --- | --- | --- | --- | --- |"
    for held in results:
        least, most = min(held.measured), max(held.measured)
        yield (
            f"| {held.name} | {held.predicted:.3f} s | {held.median:.3f} s | "
            f"{least:.3f}..{most:.3f} | {held.off_by:+.1%} |"
        )


def main() -> int:
    """Measure, write the table, and return 1 if a median differs from its prediction by more than a
    tenth of the prediction, else 0.
    """
    load = os.getloadavg()[0]
    results = measured()
    lines = list(part(results, load))
    write_part(Path("docs/reference/reality.md"), "reality", lines)
    console(None).print("\n".join(lines), soft_wrap=True, markup=False)
    return int(any(abs(held.off_by) > MOST_OFF for held in results))


if __name__ == "__main__":
    sys.exit(main())
