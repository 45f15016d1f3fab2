"""`simnet breaking`."""

from typing import TYPE_CHECKING

from simnet.cli.options import FigureFile, JsonFile, Settings, settings_of

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.adversary.search import BreakingSets
    from simnet.scenario.breaking import Sizes


def breaking(
    protocol: str,
    /,
    *,
    user: str | None = None,
    set_: Settings = None,
    seed: int = 0,
    runs: int = 20,
    max_size: int = 3,
    figure: FigureFile = None,
    json: JsonFile = None,
) -> None:
    """Search for the smallest sets of users who can read another user's secret.

    For example:

    - `simnet breaking tss --users 50 --items 12 --runs 100`
    - `simnet breaking tss_prime --users 50 --items 12 --bound 30`
    - `simnet breaking tss --users 8 --items 4 --user u3`

    Parameters
    ----------
    protocol
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet
        breaking tss --help` shows them.
    user
        List the minimal sets of users who can read this user's secret in the run of `--seed`.
    set_
        Set a setting of the scenario: `--set bound=20` means the same as `--bound 20`. You can give
        this option several times.
    seed
        The seed of the first run.
    runs
        The number of runs. Their seeds are consecutive and begin with `--seed`.
    max_size
        Try sets of at most this many users, if each coin occurs in many messages and no threshold
        is known.
    figure
        Draw the share of users who can be read into this file (PNG, SVG or PDF; needs matplotlib).
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.adversary.search import smallest_breaking_sets
    from simnet.cli.output import console, print_note, write_json
    from simnet.cli.progress import progress_bar
    from simnet.errors import BadInput
    from simnet.scenario.breaking import smallest_sizes
    from simnet.scenario.figure import draw_breaking, refuse_undrawable
    from simnet.scenario.find import find
    from simnet.scenario.plain import guessed_inputs_in_words
    from simnet.scenario.verify import played

    if runs < 1 or max_size < 1:
        raise BadInput(
            f"--runs and --max-size take whole numbers from 1, got --runs {runs} "
            f"--max-size {max_size}"
        )
    scenario = find(protocol)[1].with_settings(settings_of(set_))
    protocol_made = scenario.build(scenario.users, scenario.items)
    guess = guessed_inputs_in_words(scenario, protocol_made, has_option=False)
    out = console(json)
    if user is not None:
        if figure is not None:
            raise BadInput(
                "--figure draws the results of several runs: leave out --user or --figure"
            )
        _print_sets(out, smallest_breaking_sets(played(scenario, seed), user, max_size), json)
        print_note(out, guess)
        return
    if figure is not None:
        refuse_undrawable(figure)
    with progress_bar("runs", runs, announces=True) as progress:
        sizes = smallest_sizes(scenario, range(seed, seed + runs), max_size, progress)
    _print_sizes(out, sizes, f"{runs} run{'s' if runs > 1 else ''}")
    print_note(out, guess)
    write_json(sizes.as_json(), json)
    if figure is not None:
        draw_breaking(sizes, figure)


def _print_sets(out: "Console", search: "BreakingSets", json: str | None) -> None:
    """Print the minimal sets of users who can read a user's secret."""
    from rich.text import Text

    from simnet.cli.output import write_json

    _print_unsearched(out, search)
    for breaking_set in search.sets:
        reading = ", ".join(f"item {item} = {value}" for item, value in breaking_set.values.items())
        fixes = (
            f", which determines the input of {search.user}"
            if breaking_set.identifies_input
            else ""
        )
        count = f"{len(breaking_set.users)} user{'s' if len(breaking_set.users) > 1 else ''}"
        out.print(
            Text(
                f"{count}, {', '.join(breaking_set.users)}, can read of {search.user}: "
                f"{reading}{fixes}"
            )
        )
    if not search.sets:
        among = "of the sets that were searched, none" if not search.complete else "no set of users"
        out.print(f"{among} can read anything of {search.user}")
    if search.note and not search.overlooked:
        out.print(Text(search.note))
    sets = [
        {
            "users": list(breaking_set.users),
            "values": dict(breaking_set.values),
            "fixes": breaking_set.identifies_input,
        }
        for breaking_set in search.sets
    ]
    write_json(
        {
            "user": search.user,
            "sets": sets,
            "complete": search.complete,
            "note": search.note,
            "unsearched": search.unsearched,
            "overlooked": search.overlooked,
        },
        json,
    )


def _print_unsearched(out: "Console", search: "BreakingSets | Sizes") -> None:
    """Print what the search leaves out; this comes before anything that the search finds."""
    from rich.text import Text

    if search.overlooked:
        out.print(
            Text(
                f"The search is not complete and may have missed small sets: {search.overlooked}. "
                "`simnet verify` judges any one coalition.",
                "yellow",
            )
        )
    if search.unsearched:
        out.print(Text(f"Not searched: {search.unsearched}. `simnet coalitions` judges these too."))


def _print_sizes(out: "Console", sizes: "Sizes", runs: str) -> None:
    """Print, for each size of set, whose secrets such sets can read, and in how many runs."""
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
        out.print(f"in {runs}, {among} can read anything of another user")
    else:
        users = f"{sizes.smallest} user{'s' if sizes.smallest > 1 else ''}"
        found = " found" if sizes.overlooked else ""
        out.print(
            f"the smallest set{found} that can read something of another user, in {runs}, has "
            f"{users}"
        )
    if sizes.note and not sizes.overlooked:
        out.print(Text(sizes.note))
