"""Runs the code blocks of documents, and compares the output that a document shows with the real
output.

For the writer of a page: blocks run in order, in a new folder that the blocks of one page share.

- ```` ```console ````: lines `$ COMMAND`, each followed by the output that is expected. Runs of
  white space count as one space and empty lines do not count. A line `...` stands for any number of
  lines, `...` inside a line for any text (a time, a path). Without any output only the exit status
  is compared: 0, unless the line above the command is `# exit status 2`. A command that ends in a
  backslash goes on in the next line. The terminal is 100 columns wide. Output and errors are one
  text, as on a terminal.
  `pip install --editable FOLDER`, also with `python -m` before it, makes the folder's package known
  for the rest of the page only.
- ```` ```python ```` is executed; all such blocks of a page share one namespace.
- A block of any language with a first line `# file: vote.py` is not executed: the lines below
  become this file.
- ```` ```pycon ```` is a doctest, in the same namespace. `...` stands for any text.
- Every other block, such as ```` ```text ````, is only text.
- `<!-- after: ../tutorial/5-own-package.md -->` runs the blocks of that page first.
- Commands in sentences run after the blocks: `tests/harness/mentions.py` says how to write them.
  `simnet reproduce` and `simnet sweep` run with `--quick --trials 1`, in `make test-long` alone.

The folder has a copy of `notebooks/ring_sum.py`, of every file that the page offers with
`{download}`, and a file `people.csv` with a column `city`. To see what the commands of a page
print, and to put it into the page where the output has no `...`:

    .venv/bin/python -m tests.harness.documents docs/tutorial/1-first-run.md
    .venv/bin/python -m tests.harness.documents --write docs/tutorial/1-first-run.md
"""

import contextlib
import doctest
import io
import linecache
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import attrs

from simnet.cli.main import build
from simnet.cli.main import main as simnet
from simnet.installed import all_entries, entries
from simnet.vault.place import said_in_place
from tests.harness.data import ROOT
from tests.harness.mentions import Mention, mentions_of

WIDTH = 100  # columns of the terminal
_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(?:#|//) file: (\S+)\n")
_TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "PYTEST_ADDOPTS")
# Long work announces on standard error how long it takes. Whether it is long depends on the
# machine.
_ANNOUNCED = re.compile(r"simnet: .*: [\d,]+ of [\d,]+ done, about .* more")
_LEFT_OUT = "..."
_AFTER = re.compile(r"^<!-- after: (\S+) -->$", re.MULTILINE)
_OFFERED = re.compile(r"\{download\}`[^`<]*<([^`>]+)>`")
_STUDIES = ("reproduce", "sweep")
_LARGE = ("tss", "tss_prime", "dpds", "dpdg", "dpcs", "dpcs_star", "ldp_sgd")
_ONE_TRIAL = "--quick --trials 1 --workers 1"
_REPEATED = re.compile(r" --(trials|workers) \d+| --quick\b")
# Mentions that are not run, and why.
NOT_RUN = {
    "--cluster": "it needs a Dask scheduler on another machine",
    "reproduce all": "it takes minutes; the pages of the papers mention each experiment",
}


@attrs.frozen
class Block:
    """One block of code of a page."""

    page: Path
    line: int  # the number of the block's first line of code, from 1
    language: str
    code: str

    def __str__(self) -> str:
        """Return the block's place: the page and the line."""
        return f"{self.page}:{self.line}"


@attrs.frozen
class Command:
    """A command of a console block, with the expected output and exit status."""

    line: int
    text: str
    shown: str
    status: int


class Differs(AssertionError):
    """Raised if a block does not give the output that the page shows."""


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    text = page.read_text()
    return [
        Block(page, text.count("\n", 0, found.start()) + 2, found[2], textwrap.dedent(found[3]))
        for found in _BLOCK.finditer(text)
    ]


def pages() -> list[Path]:
    """Return all pages of docs/ that have a block or a command to run, except pages that are
    generated for the site.
    """
    return [
        page
        for page in written_pages()
        if any(
            block.language in ("console", "python", "pycon") or _FILE.match(block.code)
            for block in blocks_of(page)
        )
        or any(mention.is_complete for mention in mentions_of(page))
    ]


def written_pages() -> list[Path]:
    """Return all pages of docs/, except pages that are generated for the site."""
    made = {ROOT / "docs" / folder for folder in ("notebooks", "project")}
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent not in made]


def run_page(page: Path, folder: Path, long: bool = False) -> None:
    """Run the blocks of a page in the folder, and then the commands in its sentences; those that
    take long (`takes_long`) only with `long`. Raises `Differs` at the first output that
    differs.
    """
    with _at_home(page, folder):
        for _command, _printed, difference in everything(page, long):
            if difference:
                raise Differs(difference)


def everything(page: Path, long: bool) -> Iterator[tuple[Command | None, str, str | None]]:
    """Run the blocks of a page, then the complete commands that it mentions, and those that take
    long only with `long`; yield as `outcomes` does.
    """
    scope: dict[str, Any] = {"__name__": "__page__"}
    before = [(page.parent / other).resolve() for other in _AFTER.findall(page.read_text())]
    for each in (*before, page):
        for block in blocks_of(each):
            yield from outcomes(block, scope)
    for mention in mentions_of(page):
        if mention.is_complete and (long or not takes_long(mention)):
            yield None, "", mentioned(mention)


def takes_long(mention: Mention) -> bool:
    """Whether a command runs a study, reads its results, or runs a large scenario at its full size,
    which takes three to ten seconds.
    """
    is_run = mention.words[0] == "run" and "--users" not in mention.words
    long_run = is_run and not set(_LARGE).isdisjoint(mention.words)
    return mention.words[0] in (*_STUDIES, "results") or long_run


def mentioned(mention: Mention) -> str | None:
    """Run a complete command that a page mentions; return how it differs from what the page says of
    it, or None.
    """
    if any(words in mention.text for words in NOT_RUN):
        build(mention.words).parse_args(mention.words, exit_on_error=False, print_error=False)
        return None
    text = mention.text
    if mention.words[0] in _STUDIES:
        text = f"{_REPEATED.sub('', text)} {_ONE_TRIAL}"
    status, printed = _run_command(text)
    if status != mention.status:
        return f"{mention}\nexit status {status}, not {mention.status}. It printed:\n{printed}"
    plain = " ".join(printed.split())
    for words in mention.prints:
        if " ".join(words.split()) not in plain:
            return f"{mention}\nThe page says that it prints `{words}`. It printed:\n{printed}"
    return None


def outcomes(
    block: Block, scope: dict[str, Any]
) -> Iterator[tuple[Command | None, str, str | None]]:
    """Run a block; yield each command, what it printed, and how this differs from the page (None if
    it agrees).
    """
    if to_file := _FILE.match(block.code):
        file = Path(to_file[1])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.code[to_file.end() :])
    elif block.language == "console":
        for command in commands_of(block):
            status, printed = _run_command(command.text)
            yield command, printed, _difference(block, command, status, printed)
    elif block.language == "python":
        yield None, "", _executed(block, scope)
    elif block.language == "pycon":
        yield None, "", _doctested(block, scope)


def commands_of(block: Block) -> list[Command]:
    """Return the commands of a console block."""
    commands: list[Command] = []
    status = 0
    lines = enumerate(block.code.splitlines(), start=block.line)
    for number, line in lines:
        if announced := re.fullmatch(r"# exit status (\d+)", line):
            status = int(announced[1])
        elif line.startswith("$ "):
            text = line[2:]
            while text.endswith("\\"):
                text = text[:-1] + next(lines)[1].removeprefix("> ").strip()
            commands.append(Command(number, text, "", status))
            status = 0
        elif commands:
            last = commands[-1]
            commands[-1] = attrs.evolve(last, shown=f"{last.shown}{line}\n")
        elif line.strip():
            raise Differs(f"{block}: a console block begins with a line `$ COMMAND`")
    return commands


def agrees(shown: str, printed: str) -> bool:
    """Return whether the text of a page agrees with the printed text; `...` in the page stands for
    any text.
    """
    pattern = ""
    for line in _plain_lines(shown):
        if line == _LEFT_OUT:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(map(re.escape, line.split(_LEFT_OUT))) + r"\n"
    lines = [line for line in _plain_lines(printed) if not _ANNOUNCED.fullmatch(line)]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _plain_lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _difference(block: Block, command: Command, status: int, printed: str) -> str | None:
    where = f"{block.page}:{command.line}: $ {command.text}"
    if status != command.status:
        return f"{where}\nexit status {status}, not {command.status}. It printed:\n{printed}"
    if command.shown.strip() and not agrees(command.shown, printed):
        return f"{where}\nThe page shows:\n{command.shown}\nIt printed:\n{printed}"
    return None


def _run_command(text: str) -> tuple[int, str]:
    """Run a command line; return its exit status and all that it wrote.

    A plain `simnet` command runs in this process, because a new process needs half a second to
    start. Everything else goes to a shell.
    """
    words = shlex.split(text)
    pip = words[2:] if words[:2] == ["python", "-m"] else words
    if pip[:3] == ["pip", "install", "--editable"]:
        return _installed(Path(pip[3]).resolve())
    if words[0] != "simnet" or set(text) & set("|<>&;*$`"):
        done = subprocess.run(
            text,
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return done.returncode, done.stdout
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    status: object = 0
    # Commands are run as a user runs them, and so not in place as other tests.
    with (
        said_in_place(False),
        contextlib.redirect_stdout(written),
        contextlib.redirect_stderr(written),
    ):
        try:
            simnet(words[1:])
        except SystemExit as left:
            status = left.code or 0
    written.seek(0)
    return status if isinstance(status, int) else 1, written.read()


def _installed(folder: Path) -> tuple[int, str]:
    """Make a package known as an editable installation would, without changing the environment.

    Python finds entry points in the package's metadata, which lie beside the package.
    """
    done = subprocess.run(
        [sys.executable, "-c", "import setuptools; setuptools.setup()", "-q", "egg_info"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    sys.path.append(str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    all_entries.cache_clear()
    entries.cache_clear()
    return done.returncode, done.stdout


def _executed(block: Block, scope: dict[str, Any]) -> str | None:
    # line numbers in tracebacks, and `inspect.getsource`, need a source that has them
    code = "\n" * (block.line - 1) + block.code
    linecache.cache[str(block.page)] = (len(code), None, code.splitlines(True), str(block.page))
    try:
        with contextlib.redirect_stdout(io.StringIO()), said_in_place(False):
            exec(compile(code, str(block.page), "exec"), scope)
    except Exception:
        return f"{block}\n{traceback.format_exc()}"
    finally:
        linecache.cache.pop(str(block.page), None)
    return None


def _doctested(block: Block, scope: dict[str, Any]) -> str | None:
    written = io.StringIO()
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    example = doctest.DocTestParser().get_doctest(
        block.code, scope, str(block.page), str(block.page), block.line - 1
    )
    runner = doctest.DocTestRunner(optionflags=options)
    runner.run(example, out=written.write, clear_globs=False)
    scope.update(example.globs)
    return written.getvalue() or None


@contextlib.contextmanager
def _at_home(page: Path, folder: Path) -> Iterator[None]:
    """Work in the folder as a reader would: on the import path, with `simnet` on the search path.

    What blocks import from the folder is forgotten at the end.
    """
    (folder / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / "ring_sum.py", folder / "notebooks")
    for offered in _OFFERED.findall(page.read_text()):
        shutil.copy(page.parent / offered, folder)
    (folder / "people.csv").write_text("city\n" + "Bern\nBasel\nGenf\nZug\n" * 50)
    bin_folder = Path(sys.executable).parent
    settings = {name: value for name, value in os.environ.items() if name not in _TERMINAL}
    settings |= {"COLUMNS": str(WIDTH), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    settings["XDG_STATE_HOME"] = str(folder / ".state")  # not the store of whoever runs the tests
    before = set(sys.modules)
    import_path = list(sys.path)
    try:
        with mock.patch.dict(os.environ, settings, clear=True), contextlib.chdir(folder):
            sys.path.insert(0, str(folder))
            yield
    finally:
        sys.path[:] = import_path
        all_entries.cache_clear()
        entries.cache_clear()  # of a package that the page has made known
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]


def _show(page: Path, *, write: bool) -> bool:
    """Run all of a page, print what differs, and write outputs into the page if asked.

    Return whether everything agreed.
    """
    text = page.read_text()
    lines = text.splitlines(keepends=True)
    replaced: list[tuple[int, str, str]] = []
    good = True
    with tempfile.TemporaryDirectory() as folder, _at_home(page, Path(folder).resolve()):
        for command, printed, difference in everything(page, long=True):
            if difference is None:
                continue
            good = False
            sys.stdout.write(f"{difference}\n{'-' * 72}\n")
            if command and command.shown.strip() and _LEFT_OUT not in command.shown:
                replaced.append((command.line, command.shown, printed))
    if write:
        for line, shown, printed in reversed(replaced):
            first = line
            while lines[first - 1].rstrip("\n").endswith("\\"):
                first += 1
            cleaned = "".join(f"{row.rstrip()}\n" for row in printed.strip("\n").splitlines())
            lines[first : first + shown.count("\n")] = [cleaned]
        page.write_text("".join(lines))
    return good


if __name__ == "__main__":
    arguments = sys.argv[1:]
    writing = "--write" in arguments
    agreed = [_show(Path(name).resolve(), write=writing) for name in arguments if name != "--write"]
    sys.exit(not all(agreed))
