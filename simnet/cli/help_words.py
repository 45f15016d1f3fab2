"""Words of `--help` in place of those of the library cyclopts: kinds of values, and defaults."""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

# The names of Python's types, and the words that help shows in place of these names.
KINDS = {"STR": "TEXT", "INT": "N", "FLOAT": "NUMBER"}
_KIND = re.compile(rf"\b({'|'.join(KINDS)})\b(?=\.\.\.|\s|$)")


def default_in_words(value: Any) -> Any:
    """Return an option's default value as help shows it, such as `yes` for True."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else value


class PlainHelp:
    """Formats help as cyclopts does, but names the kind of a value by another word, such as TEXT in
    place of STR.
    """

    def __call__(self, console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
        """Print one panel of the help, such as the list of options."""
        import attrs
        from cyclopts.help import DefaultFormatter

        entries = [attrs.evolve(entry, metavar=_in_words(entry.metavar)) for entry in panel.entries]
        DefaultFormatter()(console, options, panel.copy(entries=entries))

    def render_usage(self, console: "Console", _options: "ConsoleOptions", usage: Any) -> None:
        """Print the line that begins with `Usage:`."""
        from rich.text import Text

        if usage:
            console.print(Text(f"Usage: {_in_words(str(usage))}", "bold"))

    def render_description(
        self, console: "Console", options: "ConsoleOptions", description: Any
    ) -> None:
        """Print the description of a command."""
        from cyclopts.help import DefaultFormatter

        DefaultFormatter().render_description(console, options, description)


def _in_words(kind: Any) -> Any:
    return kind if kind is None else _KIND.sub(lambda found: KINDS[found[0]], str(kind))
