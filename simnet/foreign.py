"""Reads texts that anybody may have written.

Theory of operation. A file may come from anybody: it may hold any bytes. A reader of files turns
them into data of the types that it states, or raises one `BadInput`. `text_of` bounds the size of a
text file, `parsed` bounds how deeply JSON or TOML is nested, and `typed` checks the types of what
was read, as an annotation states them. So a reader needs no list of the errors of other libraries.

Example. A reader of points states their type once::

    class Point(TypedDict):
        x: float
        name: NotRequired[str]

    points = typed(parsed(text_of(path), "JSON"), list[Point])
"""

import json
import tomllib
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from simnet.errors import BadInput

MOST_BYTES = 1 << 24  # of a text file
MOST_NESTED = 100  # levels of lists and dictionaries
FLOAT_BITS = 1024  # an integer with more bits is larger than any float


def text_of(path: Path) -> str:
    """Return the text in a file. Raises `BadInput` for a file that cannot be read, that is no text
    in UTF-8, or that has more than `MOST_BYTES` bytes.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise BadInput(f"{path} has more than {MOST_BYTES:,} bytes, too many for a text file")
        return content.decode()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} cannot be read: it is not a text in UTF-8") from error


def parsed(text: str | bytes, form: Literal["JSON", "TOML"]) -> Any:
    """Return the value that a text in JSON or TOML stands for.

    Raises `BadInput` for another text, and for one with more than `MOST_NESTED` levels of lists and
    dictionaries or with a number of thousands of digits.

    >>> parsed("[" * 5000 + "]" * 5000, "JSON")
    Traceback (most recent call last):
        ...
    simnet.errors.BadInput: this cannot be read as JSON: it is nested too deeply
    """
    try:
        if form == "JSON":
            value = json.loads(text)
        else:
            value = tomllib.loads(text if isinstance(text, str) else text.decode())
    except RecursionError:
        why = "it is nested too deeply"
    except (json.JSONDecodeError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        why = str(error)
    except ValueError:
        why = "a number or a date in it is out of range"
    else:
        if is_shallow(value, MOST_NESTED):
            return value
        why = "it is nested too deeply"
    raise BadInput(f"this cannot be read as {form}: {why}")


def is_shallow(value: Any, most: int) -> bool:
    """Return whether a value has at most so many levels of lists, tuples and dictionaries.

    >>> is_shallow([{"a": [1]}], 3), is_shallow([{"a": [1]}], 2)
    (True, False)
    """
    level = [value]
    for _ in range(most + 1):
        level = [
            part
            for whole in level
            if isinstance(whole, list | tuple | dict)
            for part in (whole.values() if isinstance(whole, dict) else whole)
        ]
        if not level:
            return True
    return False


def typed(value: Any, kind: Any) -> Any:
    """Return a value of JSON or TOML if it has the type of an annotation, as `fits` says.

    Raises `BadInput` for any other value.
    """
    if not fits(value, kind):
        raise BadInput("a part is missing, not expected, or has a wrong type")
    return value


def fits(value: Any, kind: Any) -> bool:
    """Return whether a value of JSON or TOML has the type of an annotation: a plain type, a union,
    `list[...]`, `dict[str, ...]`, a tuple of fixed length (read from a list) or a `TypedDict`,
    whose keys must be those of the value. `float` allows integers that a float can hold, and True
    is no number.

    >>> fits([[1, "a"]], list[tuple[int, str]]), fits([[1]], list[tuple[int, str]]), fits(True, int)
    (True, False, False)
    """
    if kind is Any:
        return True
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        return (
            type(value) is dict
            and kind.__required_keys__ <= value.keys() <= hints.keys()
            and all(fits(part, hints[key]) for key, part in value.items())
        )
    parts = get_args(kind)
    match get_origin(kind):
        case origin if origin in (Union, UnionType):
            return any(fits(value, part) for part in parts)
        case origin if origin is list:
            return type(value) is list and all(fits(part, parts[0]) for part in value)
        case origin if origin is dict:
            return type(value) is dict and all(fits(part, parts[1]) for part in value.values())
        case origin if origin is tuple:
            return type(value) is list and len(value) == len(parts) and all(map(fits, value, parts))
    if kind is float and type(value) is int:
        return value.bit_length() <= FLOAT_BITS - 1
    return value is None if kind is None or kind is type(None) else type(value) is kind
