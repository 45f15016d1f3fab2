"""Finds the commands that stand in the sentences, tables and plain listings of a document.

For the writer of a page: a *mention* is inline code that begins with `simnet` or `make`, or such a
line in an indented block or in a block ```` ```text ````. There are three kinds:

- a *name*, such as `simnet privacy advise`: only the names of commands. They must exist.
- a *template*, such as `simnet explain TERM` or `simnet verify … --certificate FILE`: it has a word
  in capitals or an ellipsis. The command and its options must exist.
- a *complete command*: everything else. It runs after the blocks of the page, in their folder, in
  the order of the page.

A complete command must end with status 0, unless the sentence goes on with words such as "ends with
status 1". Where the sentence goes on with "prints" and inline code, the output must have these
words. So a number that a sentence takes from an output is written in this way, or in a block.
"""

import contextlib
import functools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import attrs
from cyclopts import App

from simnet.cli.frame_options import NAMES as FRAME_OPTIONS
from simnet.cli.main import OF_SCENARIOS, build
from simnet.errors import BadInput
from tests.harness.data import ROOT

_FENCED = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)+")
_INLINE = re.compile(r"(?<!`)`((?:simnet|make)\s[\w.…-][^`]*)`(?!`)")
_LINE = re.compile(r"^ *(?:- run: )?((?:simnet|make) .*?)(?:  +#.*)?$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"(?:\S*=)?[A-Z]{2,}(?:\.\w+)?|…|\.\.\.")
_STATUS = re.compile(r"[^.;`|]*\bstatus (\d+)")
_PRINTS = re.compile(r"[^.;`|]*\bprints((?:[^.;`|]*`[^`]+`)+)")


@attrs.frozen
class Mention:
    """A command that stands in a sentence, a table or a plain listing of a page.

    `status` and `prints` are what the sentence says of its exit status and of its output.
    """

    page: Path
    line: int
    text: str
    status: int = 0
    prints: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the place and the command."""
        return f"{self.page}:{self.line}: `{self.text}`"

    @property
    def words(self) -> list[str]:
        """The words after the name of the program."""
        return shlex.split(self.text)[1:]

    @property
    def is_template(self) -> bool:
        """Whether a reader must replace some words before the command can run."""
        return any(map(_PLACEHOLDER.fullmatch, self.words))

    @property
    def is_complete(self) -> bool:
        """Whether the command can run as it stands, and is more than a name."""
        if self.text.startswith("make") or self.is_template:
            return False
        _names, _apps, rest = _program().parse_commands(self.words)
        return bool(rest) or self.words[-1].startswith("-")

    def unknown(self) -> list[str]:
        """Return the words that name no command, no option and no target of `make`."""
        if self.text.startswith("make"):
            targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            return [word for word in self.words if word not in targets]
        names, apps, rest = _program().parse_commands(self.words)
        if not names:
            return [] if _PLACEHOLDER.fullmatch(rest[0]) else rest[:1]
        options = [word.split("=")[0] for word in rest if word.startswith("--")]
        if options and self.words[0] in OF_SCENARIOS:
            # a word in place of a scenario, or a scenario that only its page makes, has no options
            with contextlib.suppress(BadInput):
                apps = build(self.words).parse_commands(self.words)[1]
        arguments = apps[-1].assemble_argument_collection() if options else ()
        known = {*FRAME_OPTIONS, "--help", *(name for one in arguments for name in one.names)}
        return [option for option in options if option not in known]


def mentions_of(page: Path) -> list[Mention]:
    """Return the commands that a page mentions, in order."""
    text = page.read_text()
    found = [*_in_listings(page, text), *_in_sentences(page, text)]
    return sorted(found, key=lambda mention: mention.line)


def _in_listings(page: Path, text: str) -> Iterator[Mention]:
    sentences = _FENCED.sub(_blank, text)
    listings = [block for block in _FENCED.finditer(text) if block[2] == "text"]
    for block in (*listings, *_INDENTED.finditer(sentences)):
        for line in _LINE.finditer(block[0]):
            yield Mention(page, _line(text, block.start() + line.start()), line[1])


def _in_sentences(page: Path, text: str) -> Iterator[Mention]:
    sentences = _INDENTED.sub(_blank, _FENCED.sub(_blank, text))
    for inline in _INLINE.finditer(sentences):
        after = " ".join(sentences[inline.end() :].split("\n\n")[0].split())
        status, prints = _STATUS.match(after), _PRINTS.match(after)
        yield Mention(
            page,
            _line(text, inline.start()),
            " ".join(inline[1].split()),
            int(status[1]) if status else 0,
            tuple(re.findall(r"`([^`]+)`", prints[1])) if prints else (),
        )


def _blank(found: re.Match[str]) -> str:
    """Return as many characters as were found, without the words."""
    return re.sub(r"[^\n]", " ", found[0])


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


@functools.cache
def _program() -> App:
    return build()
