"""What a door's function knows besides its arguments, as it was when the door was opened.

A function may use more than it is given: variables of the script around it, default values, the
record of the protocol, names of its module. An instrument that calls it again after the run must
call the same function. So two things are done when a door is on record:

- The variables around it are fixed. A loop such as

      for limit in (3, 5, 7):
          above = me.disclose(lambda item: item > limit, item)

  makes three functions that share one variable, and after the loop all three would read 7.
- What else it knows is noted (`knowledge_of`), so that a change is noticed.

>>> functions = [lambda: limit for limit in (3, 5)]
>>> [function() for function in functions]
[5, 5]
>>> functions = [with_fixed_variables(lambda: limit) for limit in (3, 5)]
>>> [function() for function in functions]
[3, 5]
"""

import functools
import hashlib
from collections.abc import Callable, Hashable
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from simnet.doors.plain_keys import NoKey, key_of

LARGE = 10_000  # bytes of an array, from which on a digest of it is noted
DEPTH = 4  # of records and functions within one another


def with_fixed_variables(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with the values that variables around it have now."""
    if isinstance(function, MethodType):
        inner = with_fixed_variables(function.__func__)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    if not isinstance(function, FunctionType) or not function.__closure__:
        return function
    cells = tuple(map(_copied, function.__closure__))
    fixed = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        cells,
    )
    fixed.__kwdefaults__ = function.__kwdefaults__
    return fixed


def _copied(cell: CellType) -> CellType:
    try:
        return CellType(cell.cell_contents)
    except ValueError:  # a variable that has no value yet
        return CellType()


def knowledge_of(value: object, depth: int = DEPTH) -> Hashable:
    """Equal as long as a function, or anything else that a door is given, stays as it is.

    What shows nothing of itself is taken to stay as it is.
    """
    if isinstance(value, MethodType):
        return "method", knowledge_of(value.__func__, depth), knowledge_of(value.__self__, depth)
    if isinstance(value, FunctionType):
        return _knowledge_of_function(value, depth)
    if isinstance(value, partial):
        parts = value.func, *value.args, *value.keywords.values()
        return "partial", tuple(knowledge_of(part, depth) for part in parts)
    if isinstance(value, np.ndarray) and value.nbytes > LARGE and not value.dtype.hasobject:
        digest = hashlib.blake2b(value.tobytes(), digest_size=16).digest()
        return "array", value.dtype.str, value.shape, digest
    try:
        return key_of(value)
    except NoKey:
        return _knowledge_of_object(value, depth)


def _knowledge_of_function(function: FunctionType, depth: int) -> Hashable:
    """Of a function: the values of variables around it, of its defaults and of global names."""
    contents = [_contents(cell) for cell in function.__closure__ or ()]
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    module = function.__globals__
    # Functions and modules that it uses are taken to stay as they are.
    used = [module[name] for name in _names(function.__code__) if name in module]
    values = [value for value in used if not callable(value)]
    parts = [*contents, *defaults, *values] if depth else []
    return "function", id(function.__code__), tuple(knowledge_of(p, depth - 1) for p in parts)


@functools.lru_cache(maxsize=1024)
def _names(code: CodeType) -> tuple[str, ...]:
    """The names that a function, or one inside it, uses of its module or of objects."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return (*code.co_names, *(name for constant in inner for name in _names(constant)))


def _contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _knowledge_of_object(value: object, depth: int) -> Hashable:
    """Of a record or another object: which one it is, and what it consists of."""
    if isinstance(value, tuple | list | set | frozenset) and depth:
        return "several", tuple(knowledge_of(piece, depth - 1) for piece in value)
    if isinstance(value, dict) and depth:
        pieces = [*value, *value.values()]
        return "entries", tuple(knowledge_of(piece, depth - 1) for piece in pieces)
    module = type(value).__module__
    if not depth or isinstance(value, type) or module.partition(".")[0] in ("builtins", "simnet"):
        return "object", id(value)
    names = [field.name for field in getattr(type(value), "__attrs_attrs__", ())]
    attributes = {name: getattr(value, name, None) for name in names}
    attributes |= getattr(value, "__dict__", {})
    parts = [(name, knowledge_of(part, depth - 1)) for name, part in attributes.items()]
    return "object", id(value), tuple(parts)
