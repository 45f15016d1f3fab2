"""Prints how long a run takes on networks."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from simnet.cli.grid import Grid
from simnet.network.timing import ROLE_HEADS, ROLE_NOTE, Timing, in_units
from simnet.printable import count_of, printable

LEGS_SHOWN = 12


def print_times(console: Console, timings: Sequence[Timing]) -> None:
    """Print for each network a table of roles, and in words the longest chain: the sends and waits
    that decide when the run ends. For several networks, print first how long the run takes on each.
    """
    if len(timings) > 1:
        console.print(Text("Time until the last party ends", "bold"))
        grid = Grid("network", "time", "where its numbers come from", numbers=(1,))
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
    grid = Grid(*ROLE_HEADS, numbers=range(1, len(ROLE_HEADS)))
    for role in timing.roles:
        grid.add_row(*(Text(printable(cell)) for cell in role.in_words))
    console.print(grid)
    console.print(ROLE_NOTE)
    if network.relay is not None:
        console.print(
            Text(
                f"All messages between other parties go through {printable(network.relay)}, which "
                "sees who sends how much to whom."
            )
        )
    legs = timing.legs
    if legs:  # there are none if the run ends at 0 s
        console.print(Text("\nThe longest chain", "bold"))
    for leg in legs[: LEGS_SHOWN // 2] if len(legs) > LEGS_SHOWN else legs:
        console.print(Text(f"- {printable(str(leg))}"))
    if len(legs) > LEGS_SHOWN:
        console.print(f"  ... {count_of(len(legs) - LEGS_SHOWN, 'more step')} ...")
        for leg in legs[-LEGS_SHOWN // 2 :]:
            console.print(Text(f"- {printable(str(leg))}"))
