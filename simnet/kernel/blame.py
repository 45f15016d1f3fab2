"""Errors of scripts, which name the party, the round, the tag and the line of the script, where
they are known.
"""

import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

from simnet.doors.call import LINES_ELSEWHERE
from simnet.errors import BadInput, ScriptError
from simnet.kernel.actor import Actor, refuse
from simnet.values.sealed import WAYS_OUT

Line = tuple[str, int]  # a file and a line number

_PACKAGE = Path(__file__).resolve().parent.parent
_EVENT_LOOPS = ("trio", "asyncio", "anyio", "curio")


def in_script(actor: Actor, reason: str, line: Line | None = None) -> ScriptError:
    """Return an error of a party's script, with `line` if this is a line of the script."""
    of_script = None if line is None else _line_of([line])
    return refuse(actor, actor.last_tag, reason + _place(of_script))


def blamed(actor: Actor, error: BaseException) -> ScriptError:
    """Return a `ScriptError` for an error that left a party's script. The `ScriptError` names the
    party, the round and, where they are known, the tag and the script's line.

    A `ScriptError` that does not begin with the name of this party is returned as it is.
    """
    if isinstance(error, BaseExceptionGroup):  # raised by the script: blame its first error
        first = error.exceptions[0]
        return blamed(actor, first.with_traceback(first.__traceback__ or error.__traceback__))
    # Python turns a StopIteration into an error without a line; its cause has one.
    line = next(filter(None, (_line_of([*_lines(e)]) for e in (error, error.__cause__))), None)
    if isinstance(error, ScriptError):
        # The error names party and round already. Add the line only if it is this party's line: the
        # party may have evaluated a faulty deferred block of another party.
        if str(error).startswith(f"{actor.name} in round "):
            error.args = (f"{error}{_place(line)}",)
        return error
    return in_script(actor, text_of(error), line)


def place_of(error: BaseException) -> str:
    """Return the script's line that raised an error, in brackets, or "" if it is not known."""
    return _place(_line_of(_lines(error)))


def in_protocol(part: str, error: Exception) -> BadInput:
    """Return a `BadInput` that says which error a part of a protocol raised, such as `parties()`,
    and on which line, if it is known.
    """
    return BadInput(f"the protocol's {part} fails: {text_of(error)}{place_of(error)}")


def line_that_draws(frame: FrameType | None) -> str:
    """Return the script's line that asks for a draw, in brackets, or "" if it is not known."""
    lines: list[Line] = []
    while frame is not None and not (lines and _is_ours(frame.f_code.co_filename)):
        if not _is_ours(frame.f_code.co_filename):
            lines.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return _place(_line_of(reversed(lines)))


def foreign_wait(wait: object) -> str:
    """Return the text of the error of a script that waits for `wait`, which is not a message."""
    kind = wait if isinstance(wait, type) else type(wait)
    loop = kind.__module__.partition(".")[0]
    name = f"something of {loop}'s" if loop in _EVENT_LOOPS else kind.__name__
    return (
        f"waits for {name}, which is not a message: a script may wait for messages only, and may "
        "not start a task, set a timeout, sleep or take a lock"
    )


def waiting_line(script: Any) -> Line | None:
    """Return the line at which a suspended script waits, or None."""
    lines = []
    while script is not None:
        frame = getattr(script, "cr_frame", None) or getattr(script, "gi_frame", None)
        if frame is None:
            break
        lines.append((frame.f_code.co_filename, frame.f_lineno))
        script = getattr(script, "cr_await", None) or getattr(script, "gi_yieldfrom", None)
    return _line_of(lines)


def running(actor: Actor, frame: FrameType | None, resumes: CodeType) -> str:
    """Return words that say which party was running, in which round and on which line."""
    lines: list[Line] = []
    while frame is not None and frame.f_code is not resumes:
        lines.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    tag = "" if actor.last_tag is None else f' (tag "{actor.last_tag}")'
    place = _place(_line_of(reversed(lines)))
    return f"{actor.name} was running in round {actor.depth + 1}{tag}{place}"


def text_of(error: BaseException) -> str:
    """Return what an error says, or better words for some frequent mistakes. The name of its type
    comes first, unless it is a `BadInput`, a `TypeError` or a `ValueError`.
    """
    loop = _raising_module(error).partition(".")[0]
    if loop in _EVENT_LOOPS:
        return (
            f"uses {loop}: a script may wait for messages only, and may not start a task, set a "
            "timeout, sleep or take a lock"
        )
    text = str(error) if isinstance(error, BadInput | TypeError | ValueError) else ""
    if not text:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    # Some operations of Python and numpy refuse a sealed value by its type, such as `"%d" % value`.
    if "Sealed" in text and "the function of a door" not in text:
        text = f"uses a sealed value as if it were plain ({text}). {WAYS_OUT}"
    if isinstance(error, NameError) and error.name == "coins":
        text += (
            ": the function of me.secret or me.disclose gets coins in one more parameter, as in "
            "me.disclose(lambda value, coins: ..., value); a script draws from me.coins"
        )
    if "secret() missing" in text:
        text += ": write me.secret(function, value, field=F, shape=(N,))"
    return text + ("; is an `await` missing?" if "'coroutine'" in text else "")


def _raising_module(error: BaseException) -> str:
    name, traceback = "", error.__traceback__
    while traceback is not None:
        name = str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
    return name


def _lines(error: BaseException | None) -> Iterator[Line]:
    traceback: TracebackType | None = None if error is None else error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next
    yield from getattr(error, LINES_ELSEWHERE, ())


def _line_of(lines: Iterable[Line]) -> Line | None:
    """Return the script's line, or None. `lines` go from the outermost frame to the innermost.

    We take the file of the first line outside `simnet` for the script's file, and return the last
    line in it.
    """
    users = [line for line in lines if not _is_ours(line[0])]
    return next((line for line in reversed(users) if line[0] == users[0][0]), None)


@functools.lru_cache(maxsize=1024)
def _is_ours(path: str) -> bool:
    return Path(path).resolve().is_relative_to(_PACKAGE)


def _place(line: Line | None) -> str:
    if line is None:
        return ""
    path, here = Path(line[0]), Path.cwd()
    return f" ({path.relative_to(here) if path.is_relative_to(here) else path}:{line[1]})"
