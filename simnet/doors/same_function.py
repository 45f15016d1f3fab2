"""Whether two functions are one and the same, as far as that can be told from outside.

Two doors give the same secret only if their functions are the same functions. Comparing what they
returned will not do: x and x² agree at 1. So we compare how they are written: the compiled code,
the names of what they use, and the plain values that they have captured.
"""

from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from simnet.record.trace import NoCanonicalForm, canonical

Function = Callable[..., Any]


def is_same_function(first: Function, second: Function) -> bool:
    """Whether two functions are written alike, in one module, and have captured equal plain values.

    False where that cannot be told.
    """
    if first is second or (isinstance(first, MethodType) and first == second):
        return True
    identity = identity_of(first)
    return identity is not None and identity == identity_of(second)


def identity_of(function: object) -> tuple[object, ...] | None:
    """Equal for functions that are the same; None for one that has captured more than values."""
    if isinstance(function, MethodType):
        inner = identity_of(function.__func__)
        owner = _captured(function.__self__)
        return None if inner is None or owner is None else ("method", owner, inner)
    if isinstance(function, type) or not isinstance(function, FunctionType):
        return ("object", id(function)) if isinstance(function, type | _BUILT_IN) else None
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    captured = [_captured(value) for value in [*cells, *(function.__defaults__ or ())]]
    if any(value is None for value in captured) or function.__kwdefaults__:
        return None
    return ("function", _code(function.__code__), function.__globals__["__name__"], *captured)


_BUILT_IN = type(len)


def _captured(value: object) -> object:
    if callable(value):
        return identity_of(value)
    try:
        return canonical(value)
    except NoCanonicalForm:
        return None


def _code(code: CodeType) -> tuple[object, ...]:
    """What a function does, without the line on which it stands."""
    constants = tuple(
        _code(constant) if isinstance(constant, CodeType) else (type(constant), constant)
        for constant in code.co_consts
    )
    return (
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_argcount,
        code.co_flags,
    )
