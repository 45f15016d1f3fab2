"""How many users must collude to read another user's secret, over several runs."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.contract import Protocol
    from simnet.scenario.breaking import Sizes
    from simnet.scenario.scenario import Scenario


def coalitions_over_runs(
    out: "Console",
    scenario: "Scenario",
    made: "Protocol",
    seed: int,
    runs: int,
    figure: Path | None,
    json: str | None,
) -> None:
    """Search runs for the smallest coalitions of users; print and write their sizes.

    The seeds of the runs are consecutive and begin with `seed`. Raises `BadInput` for `runs` below
    1, for a figure that cannot be drawn, and if no party declares a secret in any of the runs.
    """
    from simnet.cli.output import print_note, remarks, write_json
    from simnet.cli.progress import progress_bar
    from simnet.errors import BadInput
    from simnet.kernel.limits import refuse_runs
    from simnet.scenario.breaking import smallest_sizes
    from simnet.scenario.figure import draw_breaking, refuse_undrawable
    from simnet.scenario.plain import guessed_inputs_in_words

    if runs < 1:
        raise BadInput(f"--runs takes a whole number from 1, got {runs}")
    if figure is not None:
        refuse_undrawable(figure)
    work = scenario.described(made).workload
    refuse_runs(runs, 0 if work is None else work.elements)
    with progress_bar("runs", runs, announces=True) as progress:
        sizes = smallest_sizes(scenario, range(seed, seed + runs), progress)
    _print_sizes(out, sizes, f"{runs} run{'s' if runs > 1 else ''}")
    guess = guessed_inputs_in_words(scenario, made, has_option=False)
    print_note(out, guess)
    write_json({**sizes.as_json(), "remarks": remarks(guess)}, json)
    if figure is not None:
        draw_breaking(sizes, figure)


def _print_unsearched(out: "Console", sizes: "Sizes") -> None:
    from rich.text import Text

    if sizes.overlooked:
        out.print(
            Text(
                f"The search is not complete and may have missed small sets: {sizes.overlooked}. "
                "`simnet verify` judges a single coalition.",
                "yellow",
            )
        )
    if sizes.unsearched:
        judged = "Without --runs, the command judges some or all of these, too."
        out.print(Text(f"Not searched: {sizes.unsearched}. {judged}"))


def _print_sizes(out: "Console", sizes: "Sizes", runs: str) -> None:
    from rich.text import Text

    from simnet.cli.grid import Grid

    _print_unsearched(out, sizes)
    table = Grid("users in coalition", "can read a secret of", "in share of runs", "95% interval")
    for row in sizes.rows():
        low, high = row["interval"]
        share, interval = f"{row['users']:.1%} of users", f"{low:.3f}..{high:.3f}"
        table.add_row(f"{row['size']}", share, f"{row['runs']:.1%}", interval)
    if table.rows:
        out.print(table)
    if sizes.smallest is None:
        among = "of the sets that were searched, none" if not sizes.complete else "no set of users"
        out.print(f"in {runs}, {among} can compute a function of another user's secrets")
    else:
        users = f"{sizes.smallest} user{'s' if sizes.smallest > 1 else ''}"
        found = "" if sizes.complete else " found"
        out.print(
            f"the smallest set{found} that can compute a function of another user's secrets, in "
            f"{runs}, has {users}"
        )
    if sizes.note:
        out.print(Text(sizes.note))
