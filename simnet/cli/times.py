"""Prints how long a run takes on networks."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from simnet.cli.grid import Grid
from simnet.network.timing import Timing, in_units
from simnet.printable import printable

LEGS_SHOWN = 12


def print_times(console: Console, timings: Sequence[Timing]) -> None:
    """Print a table of roles for each network, and the longest chain in words."""
    if len(timings) > 1:
        console.print(Text("Time until the last party ends", "bold"))
        grid = Grid("network", "time", "", numbers=(1,))
        for timing in timings:
            name = Text(printable(timing.network.name))
            grid.add_row(name, in_units(timing.completion), Text(printable(timing.network.source)))
        console.print(grid)
    for timing in timings:
        console.print()
        _print_one(console, timing)


def _print_one(console: Console, timing: Timing) -> None:
    network = timing.network
    console.print(Text(f"Time on the network {printable(network.name)}", "bold"))
    if network.source:
        console.print(Text(printable(network.source), "dim"))
    grid = Grid(
        "role",
        "parties",
        "ended",
        "computing",
        "waiting",
        "sending",
        "bytes up",
        "bytes down",
        numbers=range(1, 8),
    )
    for role in timing.roles:
        grid.add_row(
            Text(printable(role.role)),
            f"{role.parties:,}",
            *(
                in_units(value)
                for value in (role.ended, role.computing, role.waiting, role.sending)
            ),
            f"{role.bytes_up:,.0f}",
            f"{role.bytes_down:,.0f}",
        )
    console.print(grid)
    console.print(
        "ended: when the last party of the role ends. The other columns are means of a party. "
        "sending: its uplink is busy, also while the party itself waits. The bytes include the "
        "headers of packets."
    )
    if network.relay is not None:
        console.print(
            Text(
                f"All messages between other parties go through {printable(network.relay)}, which "
                "sees who sends how much to whom."
            )
        )
    console.print(Text("\nThe longest chain", "bold"))
    legs = timing.legs
    for leg in legs[: LEGS_SHOWN // 2] if len(legs) > LEGS_SHOWN else legs:
        console.print(Text(f"- {printable(str(leg))}"))
    if len(legs) > LEGS_SHOWN:
        console.print(f"  ... {len(legs) - LEGS_SHOWN:,} more steps ...")
        for leg in legs[-LEGS_SHOWN // 2 :]:
            console.print(Text(f"- {printable(str(leg))}"))
