"""The glossary: what terms and codes mean, for the terminal and for the documentation.

A package contributes entries with a file `glossary.md` and an entry point in the group
`simnet.glossaries` that names the package. An entry of such a file looks like this::

    ## wire count
    Also: wire

    A count of messages that really travel. Compare [logical count](#logical-count).

The line `Also:` has other words for the term, and may be missing. The text is Markdown. Its links
may lead to entries of other packages.
"""

import re
from importlib.resources import files

import attrs

from simnet.errors import BadInput
from simnet.installed import GLOSSARIES, contribution, entries
from simnet.nearest import did_you_mean

FILE = "glossary.md"
_HEADING = re.compile(r"^## (.+)\n(?:Also: (.+)\n)?", re.MULTILINE)
_NUMBER = re.compile(r"^\d+ ?% | (?:of )?[\d.]+$")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@attrs.frozen
class Entry:
    """One entry of a glossary."""

    term: str
    aliases: tuple[str, ...]
    text: str  # Markdown
    package: str

    @property
    def plain_text(self) -> str:
        """The text with plain words in place of links and *emphasis*, each paragraph in one
        line.
        """
        lines = [" ".join(part.split()) for part in _LINK.sub(r"\1", self.text).split("\n\n")]
        text = "\n\n".join(lines)
        return re.sub(r"(?<!\w)\*([^*\n]+)\*(?!\w)", r"\1", text)

    @property
    def words(self) -> tuple[str, ...]:
        """The term and its aliases."""
        return (self.term, *self.aliases)


def entries_of(text: str, package: str) -> list[Entry]:
    r"""Return the entries of a glossary file's text.

    >>> entries_of("## view\nAlso: look\n\nAll that is *seen*.\n", "mine")[0].aliases
    ('look',)
    """
    found = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in found[1:]] + [len(text)]
    return [
        Entry(
            heading[1].strip(),
            tuple(word.strip() for word in (heading[2] or "").split(",") if word.strip()),
            text[heading.end() : end].strip(),
            package,
        )
        for heading, end in zip(found, ends, strict=True)
    ]


def glossary() -> list[Entry]:
    """Return the entries of all installed glossaries, in alphabetical order.

    Glossaries that do not load are left out.
    """
    found: list[Entry] = []
    for entry in entries(GLOSSARIES):
        try:
            package = contribution(entry)
        except BadInput:
            continue
        file = files(package) / FILE
        if file.is_file():
            found += entries_of(file.read_text(encoding="utf-8"), package.__name__)
    return sorted(found, key=lambda entry: (entry.term.casefold(), entry.term))


def explained(term: str) -> list[Entry]:
    """Return the entries for a term or an alias; usually there is one entry.

    The search first respects upper and lower case, and then ignores it. If there is no entry for
    the term, five other forms are looked up in turn: with spaces in place of underscores, with a
    question mark at its end, without an s at its end, what comes after its last colon, and without
    a number before or after it, such as "equation" for "equation 14". The last form is left out if
    the glossaries have the same word with other numbers: there is an entry for "Theorem 3.1", so
    "Theorem 99" is not looked up as "theorem". Raises `BadInput` for a word that no glossary has.
    """
    known = glossary()
    after_colon = term.rpartition(":")[2].strip()
    spaced = term.replace("_", " ")
    forms = [term, spaced, f"{term}?", term.removesuffix("s"), after_colon]
    unnumbered = _NUMBER.sub("", term)
    numbered = re.compile(rf"{re.escape(unnumbered)} [\d.]+", re.IGNORECASE)
    if not any(numbered.fullmatch(word) for entry in known for word in entry.words):
        forms.append(unnumbered)
    for word in forms:
        exact = [entry for entry in known if word in entry.words]
        folded = word.casefold()
        found = exact or [entry for entry in known if folded in map(str.casefold, entry.words)]
        if found:
            return found
    meant = did_you_mean(term, [word for entry in known for word in entry.words])
    raise BadInput(f"no glossary explains {term!r}{meant}; `simnet explain` lists all terms")
