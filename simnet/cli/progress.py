"""A progress bar on a terminal, for work of more than a second; elsewhere at most one line."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from simnet.cli.output import Screen

PATIENCE = 1.0  # the number of seconds before the bar appears


class _Rate(ProgressColumn):
    """The column of the bar that shows how many steps are done in a second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.3g} {self.unit}/s")


@contextmanager
def progress_bar(
    label: str, total: int, unit: str | None = None, announces: bool = False
) -> Iterator[Callable[[float], None]]:
    """Yield a function, which is to be called with the number of steps done since its last call.

    With a `unit`, such as `trials`, the bar also shows how many steps are done in a second. If
    there is no terminal, no bar is shown. With `announces` a line then says, after a second, about
    how long the remaining steps will take, unless this is less than five seconds.
    """
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        *([] if unit is None else [_Rate(unit)]),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Screen(stderr=True), transient=True)
    task = bar.add_task(label, total=total)
    begun, shown, done, silent = time.monotonic(), False, 0.0, announces

    def advance(steps: float) -> None:
        nonlocal shown, done, silent
        bar.advance(task, steps)
        done += steps
        waited = time.monotonic() - begun
        if waited <= PATIENCE:
            return
        if bar.console.is_terminal:
            if not shown:
                shown = True
                bar.start()
        elif silent and done:
            silent = False
            _announce(label, done, total, waited)

    try:
        yield advance
    finally:
        if shown:
            bar.stop()


def _announce(label: str, done: float, total: int, waited: float) -> None:
    from simnet.cli.long_work import LONG
    from simnet.cli.reproduce import duration
    from simnet.cli.tell import tell

    rest = waited * (total - done) / done
    if rest >= LONG:
        tell(f"{label}: {done:,.0f} of {total:,} done, about {duration(rest)} more")
