"""The program `simnet`: it finds the command that was typed, runs it, and sets the exit status.

A command imports most modules only when it runs, so that `--help` is fast.
"""

import io
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from simnet.cli.bench import bench
from simnet.cli.check import check
from simnet.cli.coalitions import coalitions
from simnet.cli.exact_view import exact_view
from simnet.cli.explain import explain
from simnet.cli.frame_options import FrameOptions
from simnet.cli.help_words import PlainHelp, default_in_words
from simnet.cli.list import list_scenarios
from simnet.cli.network import network
from simnet.cli.new import new
from simnet.cli.options import strictly
from simnet.cli.refusals import in_words
from simnet.cli.reproduce import reproduce
from simnet.cli.results import results
from simnet.cli.run import run
from simnet.cli.scenario_options import Command, scenario_word, with_setting_options
from simnet.cli.show_page import show_page
from simnet.cli.sweep import sweep
from simnet.cli.tell import tell
from simnet.cli.time import time
from simnet.cli.verify import verify
from simnet.errors import BadInput, SimnetError
from simnet.installed import COMMANDS, DISTRIBUTION, contribution, entries
from simnet.printable import ERRORS, printable

HELP = """A workbench for multi-party private aggregation.

It runs a protocol, bills its messages, and says what coalitions learn.

Exit status: 0 when all went well, 1 when something that was checked fails, such as a claim or a
trial, 2 when the command cannot do its work, mostly because the command line, the data or a script
is wrong, 3 when the run of `simnet run` was aborted (mostly because parties dropped out or messages
were lost), 124 when the time is up, 130 when you interrupt the program, 141 when the program that
reads the output has ended.

Every command takes these options too: `--debug` shows the traceback of an error,
`--timeout SECONDS` ends a command that takes longer, and `--max-messages N` ends a run that sends
more messages. Work that would take too much is refused before it begins: `--max-elements N` raises
the limit of 100,000,000,000 elements that messages carry (or other work that takes as long), and
`--max-memory GB` the limit of 4 gigabytes.

For example:

- `simnet run dpds`
- `simnet run dpds --participation 0.2 --input people.csv --column city`
- `simnet verify dpds --users 20 --items 5 --corrupt u1,server`
- `simnet table1 --users 1000 --items 30 --participation 0.5`
- `simnet reproduce all --quick`
"""

# What a shell reports of a program that the signal SIGPIPE has ended: 128 + 13.
READER_GONE = 141
LARGEST_STATUS = 255
# The errors of numbers, files and outputs that are too large for this machine or for Python.
TOO_LARGE: Mapping[type[Exception], str] = {
    MemoryError: "this takes more memory than there is: take smaller numbers, or a smaller file",
    OverflowError: "a number is too large to compute with: take smaller numbers",
    RecursionError: "something is nested too deeply: a file, an output, or calls of a function",
}

OF_SCENARIOS: dict[str, Command] = {
    "run": run,
    "show": show_page,
    "verify": verify,
    "exact-view": exact_view,
    "coalitions": coalitions,
    "check": check,
}
OTHERS: dict[str, Callable[..., int | None]] = {
    "list": list_scenarios,
    "explain": explain,
    "new": new,
    "reproduce": reproduce,
    "sweep": sweep,
    "results": results,
    "time": time,
    "network": network,
    "bench": bench,
}


def build(tokens: Sequence[str] = ()) -> App:
    """Return the application with every command: simnet's own and those of other packages.

    `tokens` are the words of the command line. When they name a scenario, each of the scenario's
    settings becomes an option of the command. Raises `BadInput` when the words name a scenario that
    does not exist, or a command of another package that does not load.
    """
    app = App(
        name="simnet",
        help=HELP,
        version=lambda: version(DISTRIBUTION),
        version_flags=("--version", "-V"),
        help_format="markdown",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        help_formatter=PlainHelp(),
        default_parameter=Parameter(converter=strictly, show_default=default_in_words),
    )
    for name, command in OF_SCENARIOS.items():
        wanted = bool(tokens) and tokens[0] == name
        app.command(
            with_setting_options(command, tokens[1:]) if wanted else command,
            name=name,
        )
    for name, command in OTHERS.items():
        app.command(command, name=name)
    app.register_install_completion_command(
        help="Let this shell complete commands and options: adds a line to its start-up file."
    )
    _contribute(app, tokens)
    return app


def _contribute(app: App, tokens: Sequence[str]) -> None:
    """Register the commands of other packages.

    If no command is called, all of them are imported, because the list of commands says what each
    is for. Otherwise only the command that is called is imported.
    """
    listing = not tokens or tokens[0].startswith("-")
    for entry in entries(COMMANDS):
        if entry.name in app:  # `simnet list` names it
            continue
        help_ = None
        if listing or entry.name == tokens[0]:
            try:
                contribution(entry)
            except BadInput as error:
                if not listing:
                    raise
                help_ = printable(f"broken: {error}")
        app.command(entry.value, name=entry.name, help=help_)
        if listing and help_ is None:
            # cyclopts shows a command's summary only after the command was looked up
            app[entry.name]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    output = _prepared("stdout")
    _prepared("stderr")
    options = FrameOptions()
    try:
        options.read(words)
        with options.bounds():
            tokens = options.tokens
            status = _status_of(tokens)
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        _leave(*options.interrupted(str(interrupt)))
    except (
        CycloptsError,
        SimnetError,
        OSError,
        MemoryError,
        OverflowError,
        RecursionError,
    ) as error:
        if options.debug:
            lines = traceback.format_exc().splitlines()
            sys.stderr.write("".join(f"{printable(line)}\n" for line in lines))
        if isinstance(error, CycloptsError):
            _leave(in_words(error, tokens, _scenario(tokens)), 2)
        _leave(_of_system(error) or str(error), 2)
    if output is not None and output.error is not None:
        if isinstance(output.error, BrokenPipeError):  # the program that reads it, such as `head`
            sys.exit(READER_GONE)  # not 0, because nobody has seen whether all went well
        _leave(f"standard output cannot be written: {output.error.strerror}", 2)
    sys.exit(status)


def _status_of(tokens: Sequence[str]) -> int:
    """Run a command and return its exit status. Raises `BadInput` for a status outside 0 to 255,
    of which the system would keep 8 bits: 256 would become 0, a success.
    """
    try:
        status = build(tokens)(tokens, exit_on_error=False, print_error=False)
    except SystemExit as leaving:  # a command of a plug-in has called `sys.exit`
        if not isinstance(leaving.code, int):
            raise
        status = leaving.code
    if not isinstance(status, int):
        return 0
    if not 0 <= status <= LARGEST_STATUS:
        raise BadInput(
            f"the command {tokens[0]} ended with the status {status}; a status is a whole number "
            f"from 0 to {LARGEST_STATUS}"
        )
    return status


def _of_system(error: Exception) -> str | None:
    """Return what an `OSError` or an error of `TOO_LARGE` means for the user, and None for any
    other error.
    """
    if isinstance(error, OSError):
        what = "what the system gives" if error.filename is None else error.filename
        return f"{what} cannot be used: {error.strerror or error}"
    words = (words for kind, words in TOO_LARGE.items() if isinstance(error, kind))
    return next(words, None)


def _scenario(tokens: Sequence[str]) -> str | None:
    """Return the word that names a scenario, or None if the command takes no scenario or if the
    words name none.
    """
    command = OF_SCENARIOS.get(tokens[0]) if tokens else None
    return None if command is None else scenario_word(command, tokens[1:])


class _Lasting(io.FileIO):
    """A standard stream that takes everything, and discards what the system refuses.

    So a command goes on, and writes its files, if the program that reads its output has ended.
    """

    error: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write the bytes, unless an earlier write has failed. Return how many were taken."""
        if self.error is None:
            try:
                return super().write(data)
            except OSError as error:
                self.error = error
        return len(data)


def _prepared(name: str) -> _Lasting | None:
    """Make standard output or standard error safe to print to, and return what writes it, if the
    program started with it.

    A letter that the stream's encoding lacks is replaced, such as ε by `eps`.
    """
    stream, raw = getattr(sys, name), None
    if stream is None:  # the program that started this process has closed the stream
        setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    elif not isinstance(stream, io.TextIOWrapper):
        pass
    elif stream is getattr(sys, f"__{name}__"):
        raw = _Lasting(stream.fileno(), "w", closefd=False)
        lasting = io.TextIOWrapper(
            io.BufferedWriter(raw), stream.encoding, ERRORS, line_buffering=stream.line_buffering
        )
        setattr(sys, name, lasting)
    else:
        stream.reconfigure(errors=ERRORS)
    return raw


def _leave(text: str, status: int) -> None:
    tell(text)
    sys.exit(status)


if __name__ == "__main__":
    main()
