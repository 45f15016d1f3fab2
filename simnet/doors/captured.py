"""Describe what a door's function uses besides its arguments, when the door is opened.

Theory of operation. The function of a door may use more than its arguments: variables of the script
around it, default values, its attributes, the object whose method it is, and functions and values
of its module. We call a description of these things the function's *knowledge*. This module serves
three purposes:

- An instrument may call the function again after the run, and must then call the same function. So
  we *fix* the variables around the function when we record the call of its door. A loop such as ::

      for limit in (3, 5, 7):
          above = me.disclose(lambda item: item > limit, item)

  makes three functions that share one variable. Without this step, all three would read 7 later.
- Other things that the function uses may change during the run. So we note the function's knowledge
  when its door is called, and an instrument compares this with the knowledge after the run.
- An instrument may ask whether two doors give the same secret. Equal results do not prove this: x
  and x² are equal at 1. We consider two functions the same if they had equal knowledge when their
  doors were opened, and if that knowledge contains no `Opaque` object.

The knowledge of a function consists of its code, without its name and line numbers, and of the
knowledge of the things named above. A plain value is described by its key (`plain_keys`), a large
array by a digest, an object by its type and its attributes. Modules, classes, and the functions of
Python, numpy and simnet are assumed not to change, so their contents are not inspected. Any other
object whose contents cannot be inspected is `Opaque`: such an object equals only itself, and we
cannot tell whether it has changed.

>>> functions = [lambda: limit for limit in (3, 5)]
>>> [function() for function in functions]
[5, 5]
>>> functions = [with_fixed_variables(lambda: limit) for limit in (3, 5)]
>>> [function() for function in functions]
[3, 5]
>>> same = [with_fixed_variables(lambda: limit) for limit in (3, 3)]
>>> knowledge_of(functions[0]) == knowledge_of(functions[1]), is_same(*map(knowledge_of, same))
(False, True)
"""

import abc
import functools
import hashlib
import os
import sys
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from simnet.doors.plain_keys import (
    Itself,
    NoKey,
    hides_contents,
    is_bare_array,
    key_of,
    slots_of,
    type_key,
)

LARGE = 10_000  # an array with more bytes than this is described by its digest
MOST_OBJECTS = 1000  # the largest number of objects whose parts are described
_LIBRARIES = {"numpy", "simnet", *sys.stdlib_module_names}
# A function of a library is recognised by its file, because the user's script may have the name of
# a module of Python.
_PYTHON = Path(os.__file__).parent
_FOLDERS = tuple(f"{each}{os.sep}" for each in (_PYTHON, np.__path__[0], Path(__file__).parents[1]))
_BESIDE = f"{_PYTHON / 'site-packages'}{os.sep}"  # the folder of other installed packages
_OTHER_CONTAINERS = (bytearray, deque, Counter, OrderedDict, defaultdict)
_STATELESS = (abc.ABC, typing.Generic, typing.Protocol)  # classes without attributes
_WITH_CACHE = type(functools.cache(abs))
_OF_TYPES_AND_NUMPY = (type, MethodDescriptorType, WrapperDescriptorType, type(np.mean))


def with_fixed_variables(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function, in which the variables around it keep their present values. An
    object that is neither a function nor a method is returned unchanged.
    """
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


class Opaque(Itself):
    """Stands, in a description, for an object whose contents cannot be inspected: the object may
    change without any visible sign.
    """


def knowledge_of(value: object) -> Hashable:
    """Return a value that stays equal as long as a function, or a plain argument of a door, stays
    the same.

    Objects whose contents are not visible are assumed to stay the same.
    """
    return _knowledge(value, {})


def state_of(value: object) -> Hashable:
    """Return a description of everything visible that a function or an argument uses and that a
    call may change. If a call of the function changes the description, the call has a side effect.

    Cached properties, and hashes that attrs keeps, are left out: they do not change results. On the
    other hand, the description has the lists, dictionaries and sets that classes have as
    attributes.
    """
    return _knowledge(value, _MetForState())


def has_cache(state: Any) -> bool:
    """Return whether a function of this description uses a function with a cache of
    `functools`.
    """
    if isinstance(state, tuple):
        return any(map(has_cache, state))
    return state is _WITH_CACHE


def names_in(protocol: object) -> frozenset[str]:
    """Return the names of globals, attributes and methods in the code of a protocol's methods, of
    functions that are its attributes, and of the functions that these use by name.
    """
    classes = [kind for kind in type(protocol).__mro__ if not _library(kind)]
    pending = [part for kind in classes for part in vars(kind).values()]
    pending += [*getattr(protocol, "__dict__", {}).values(), *dict(slots_of(protocol)).values()]
    seen: set[FunctionType] = set()
    found: set[str] = set()
    while pending:
        function = _function_in(pending.pop())
        if function is None or function in seen or is_of_library(function):
            continue
        seen.add(function)
        names = _names(function.__code__)
        found.update(names)
        module = function.__globals__
        pending += [module[name] for name in names if name in module]
        pending += [_contents(cell) for cell in function.__closure__ or ()]
    return frozenset(found)


def _function_in(part: Any) -> FunctionType | None:
    if isinstance(part, property):
        part = part.fget
    elif isinstance(part, functools.cached_property):
        part = part.func
    elif isinstance(part, staticmethod | classmethod | MethodType):
        part = part.__func__
    elif isinstance(part, _WITH_CACHE):
        part = part.__wrapped__
    return part if isinstance(part, FunctionType) else None


def is_same(first: Hashable, second: Hashable) -> bool:
    """Return whether we consider two functions with these descriptions the same: the descriptions
    are equal and contain no `Opaque` object.
    """
    return first is not None and first == second and _shows_all(first)


def _shows_all(knowledge: Hashable) -> bool:
    if isinstance(knowledge, tuple):
        return all(map(_shows_all, knowledge))
    return not isinstance(knowledge, Opaque)


# The objects that have been described so far, each with its number. An object that refers to itself
# would otherwise never come to an end.
_Met = dict[int, tuple[int, object]]


class _MetForState(dict[int, tuple[int, object]]):
    pass


def _knowledge(value: Any, met: _Met) -> Hashable:
    if isinstance(value, CodeType):
        return _without_lines(value)
    if isinstance(value, ModuleType) or is_of_library(value):
        if isinstance(value, type) and isinstance(met, _MetForState):
            return Itself(value), *(_knowledge(part, met) for part in _containers_of(value))
        return Itself(value)
    if isinstance(value, np.ndarray) and not is_bare_array(value):
        return Opaque(value), _knowledge(value.view(np.ndarray), met)
    is_large = isinstance(value, np.ndarray) and value.nbytes > LARGE
    if is_large and not value.dtype.hasobject and value.dtype.metadata is None:
        digest = hashlib.blake2b(value.tobytes(), digest_size=16).digest()
        return "array", type(value), type_key(value.dtype), value.shape, value.strides, digest
    if not isinstance(value, FunctionType | MethodType):
        try:
            return key_of(value)
        except NoKey:
            pass
    if id(value) in met:
        return "again", met[id(value)][0]
    met[id(value)] = len(met), value
    parts = _parts(value, met) if len(met) < MOST_OBJECTS else None
    if parts is None:
        return Opaque(value)
    return type(value), tuple([_knowledge(part, met) for part in parts])


def is_of_library(function: object) -> bool:
    """Return whether an object is a class, a function written in C that is not a method of an
    object, or a function of Python, numpy or simnet without captured variables.
    """
    if isinstance(function, np.ufunc):  # `np.frompyfunc` makes others, of any function
        return getattr(np, function.__name__, None) is function
    if isinstance(function, BuiltinFunctionType):  # false for a method of an object: `[].append`
        return function.__self__ is None or isinstance(function.__self__, ModuleType | type)
    if isinstance(function, FunctionType):
        file = function.__code__.co_filename
        is_of_library = file.startswith(_FOLDERS[1:]) or (
            file.startswith(_FOLDERS) and not file.startswith(_BESIDE)
        )
        return is_of_library and not function.__closure__
    return isinstance(function, _OF_TYPES_AND_NUMPY)


def _parts(value: Any, met: _Met) -> list[object] | None:
    """Return what an object consists of; None if we cannot see this."""
    if isinstance(value, FunctionType):
        return _parts_of_function(value)
    if isinstance(value, MethodType | BuiltinFunctionType):
        return [getattr(value, "__func__", value.__name__), value.__self__]
    if isinstance(value, functools.partial):
        keywords, attributes = value.keywords, vars(value)
        named = [tuple(keywords), *keywords.values(), tuple(attributes), *attributes.values()]
        return [value.func, value.args, *named]
    if isinstance(value, _WITH_CACHE):  # the cache does not change the results
        return [value.__wrapped__]
    if type(value) in (tuple, list, set, frozenset):
        return list(value)
    if type(value) is dict:
        return [*value, *value.values()]
    if isinstance(met, _MetForState):
        return _parts_of_state(value)
    return _parts_of_object(value)


def _parts_of_state(value: Any) -> list[object] | None:
    if type(value) in _OTHER_CONTAINERS:
        return [*value, *(value.values() if isinstance(value, dict) else ())]
    parts = _parts_of_object(value)
    if parts is None:
        return None
    kinds = [kind for kind in type(value).__mro__ if not _library(kind)]
    kept = {"_attrs_cached_hash"}
    for kind in kinds:
        kept.update(
            name for name, part in vars(kind).items() if isinstance(part, functools.cached_property)
        )
    names, contents = parts[::2], parts[1::2]
    shown = [pair for pair in zip(names, contents, strict=True) if pair[0] not in kept]
    return [*shown, *kinds]


def _containers_of(kind: type) -> list[object]:
    """Return the lists, dictionaries, sets and arrays that a class has as attributes."""
    if _library(kind):
        return []
    return [
        part
        for name, part in vars(kind).items()
        if not name.startswith("__")
        and (type(part) in (list, dict, set, *_OTHER_CONTAINERS) or isinstance(part, np.ndarray))
    ]


def _parts_of_object(value: object) -> list[object] | None:
    """Return the names and values of an object's attributes. Return None if the class belongs to
    Python, numpy or simnet, or is derived from a class of Python or numpy that is not in
    `_STATELESS`, or if objects of the class have contents besides their attributes.
    """
    if _library(type(value)) or any(
        _library(kind) not in ("", "simnet") and kind not in _STATELESS
        for kind in type(value).__mro__[:-1]
    ):
        return None
    if hides_contents(type(value)):
        return None
    attributes = {**getattr(value, "__dict__", {}), **dict(slots_of(value))}
    return [part for name in sorted(attributes) for part in (name, attributes[name])]


def _library(kind: type) -> str:
    """Return the module of Python, or "numpy" or "simnet", that a class belongs to; else ""."""
    package = kind.__module__.partition(".")[0]
    return package if package in _LIBRARIES else ""


def _parts_of_function(function: FunctionType) -> list[object]:
    contents = [_contents(cell) for cell in function.__closure__ or ()]
    defaults, by_name = function.__defaults__ or (), function.__kwdefaults__ or {}
    module = function.__globals__
    used = {name: module[name] for name in _names(function.__code__) if name in module}
    attributes = vars(function)  # such as `function.limit`
    return [
        function.__code__,
        tuple(contents),
        tuple(defaults),
        tuple(sorted(by_name)),
        *(by_name[name] for name in sorted(by_name)),
        tuple(sorted(attributes)),
        *(attributes[name] for name in sorted(attributes)),
        *used,
        *used.values(),
    ]


@functools.lru_cache(maxsize=1024)
def _without_lines(code: CodeType) -> CodeType:
    constants = tuple(
        _without_lines(constant) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(
        co_filename="",
        co_name="",
        co_qualname="",
        co_firstlineno=1,
        co_linetable=b"",
        co_consts=constants,
    )


@functools.lru_cache(maxsize=1024)
def _names(code: CodeType) -> tuple[str, ...]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    names = (*code.co_names, *(name for constant in inner for name in _names(constant)))
    return tuple(dict.fromkeys(names))


def _contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None
