"""`simnet explain`."""

from typing import TYPE_CHECKING, Any

from simnet.cli.options import JsonFile

if TYPE_CHECKING:
    from simnet.glossary import Entry


def explain(*term: str, json: JsonFile = None) -> None:
    """Explain a word or a code that simnet uses, or list all of them.

    For example: `simnet explain coalition`, `simnet explain wire count`, `simnet explain qd`,
    `simnet explain --json -`

    Parameters
    ----------
    term
        The word, code or letter. Without it, the command lists all words. You can write phi for φ.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from rich.text import Text

    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json
    from simnet.glossary import explained, glossary

    out = console(json)
    if term:
        found = explained(" ".join(term))
        for entry in found:
            aliases = f" (also: {', '.join(entry.aliases)})" if entry.aliases else ""
            out.print(Text.assemble((entry.term, "bold"), aliases))
            out.print(Text(f"{entry.plain_text}\n"))
    else:
        found = glossary()
        table = Grid("", "")
        for entry in found:
            table.add_row(
                Text(entry.term, no_wrap=True),
                entry.plain_text.partition(". ")[0].removesuffix("."),
            )
        out.print(table)
    write_json([_as_json(entry) for entry in found], json)


def _as_json(entry: "Entry") -> dict[str, Any]:
    return {
        "term": entry.term,
        "aliases": list(entry.aliases),
        "text": entry.plain_text,
        "package": entry.package,
    }
