"""`simnet privacy`: ε and δ of views, and commands that choose parameters by them.

Packages that build on this one add sub-commands through the entry points of `GROUP`. A sub-command
that does not load stands in the help with the reason, and the others work.
"""

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint
from typing import Annotated

from cyclopts import App, Parameter

from protocols.commands.drop_outs import completes, degree
from protocols.commands.privacy_choices import advise, participation, users_needed
from protocols.commands.privacy_views import compose, dpdg, dpds, tss, tss_s1
from protocols.commands.survive import survive
from protocols.commands.thresholds import thresholds
from simnet.errors import BadInput
from simnet.installed import contribution, entries
from simnet.printable import printable

GROUP = "simnet.privacy_commands"

HELP = """Compute the privacy of a named view: the δ at an ε, or the ε at a δ.
Other commands check the claims of papers, find parameters that meet a target, and say what
drop-outs change.

For example:

- `simnet privacy dpds --counts 33,40,200 --participation 0.39 --epsilon 0.5 --relation remove`
- `simnet privacy dpds --counts 33,40,200 --participation 0.39 --delta 1e-6`
- `simnet privacy tss-s1 --items 30 --reported 12 --gamma 2 --participation 0.5`
"""

OWN: tuple[tuple[Callable[..., object], str | tuple[str, ...]], ...] = (
    (dpds, ("dpds", "dpcs")),
    (tss, "tss"),
    (tss_s1, "tss-s1"),
    (dpdg, "dpdg"),
    (participation, "participation"),
    (users_needed, "users"),
    (advise, "advise"),
    (compose, "compose"),
    (degree, "degree"),
    (completes, "completes"),
    (survive, "survive"),
    (thresholds, "thresholds"),
)


def application(contributed: Iterable[EntryPoint]) -> App:
    """Return `simnet privacy` with its own sub-commands and with those of other packages."""
    app = App(name="privacy", help=HELP)
    for function, name in OWN:
        app.command(function, name=name)
    for entry in contributed:
        if entry.name in app:
            continue
        try:
            command = contribution(entry)
        except BadInput as error:
            command = _broken(error)
        app.command(command, name=entry.name)
    return app


def _broken(error: BadInput) -> Callable[..., None]:
    def broken(*_words: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> None:
        raise error

    broken.__doc__ = printable(f"broken: {error}")
    return broken


privacy = application(entries(GROUP))
