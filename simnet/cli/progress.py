"""A progress bar, which is shown only on a terminal, and only for work of more than a second."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from simnet.cli.output import Screen

PATIENCE = 1.0  # seconds before the bar appears


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
    label: str, total: int, unit: str | None = None
) -> Iterator[Callable[[float], None]]:
    """Yield a function; call it with the number of steps done since the last call.

    With a `unit`, such as `trials`, the bar also shows how many steps are done in a second.
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
    begun, shown = time.monotonic(), False

    def advance(steps: float) -> None:
        nonlocal shown
        bar.advance(task, steps)
        if not shown and time.monotonic() - begun > PATIENCE and bar.console.is_terminal:
            shown = True
            bar.start()

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
