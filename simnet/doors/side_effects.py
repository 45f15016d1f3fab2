"""Find out whether the function of a door leaves something behind that a script could read.

Theory of operation. The function of a door may only return a value. If it puts a number into a
global list, the script can read the number there, although the input stays sealed. So we describe,
before and after a call, everything visible that the function uses and that the call may change: the
*state* of the function. If the two descriptions differ, the call has a side effect.

A state has more than the *knowledge* of the function (`simnet.doors.captured`), which assumes that
modules, classes and the functions of libraries do not change. It also has the attributes of
classes, the global variables that their methods use, the attributes of the user's modules, and the
contents of objects of Python that can be pickled. Notes that do not change results are left out:
cached properties, hashes that attrs keeps, and the contents of a cache of `functools`.

Not every side effect is visible in this way. The page "What a verdict says" lists which are not.

>>> seen = []
>>> before = state_of(seen.append)
>>> seen.append(1)
>>> state_of(seen.append) == before
False
"""

import abc
import dis
import enum
import functools
import operator
import sys
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from simnet.doors.captured import (
    LIBRARIES,
    WITH_CACHE,
    Describer,
    contents_of,
    is_of_library,
    keeps_notes,
    library_of,
    names_used,
    parts_for_pickle,
)
from simnet.doors.plain_keys import Itself, key_of, slots_of

_INSTALLED = {"site-packages", "dist-packages"}  # folders of installed packages
# Containers of Python that are described by their contents, beside list, tuple, dict and set.
_OTHER_CONTAINERS = (bytearray, deque, Counter, OrderedDict, defaultdict)
_ATOMS = {type(None), bool, int, float, complex, str, bytes}
_DESCRIPTORS = (property, functools.cached_property, staticmethod, classmethod)
_NO_DATA = (type, ModuleType, FunctionType, WITH_CACHE, *_DESCRIPTORS)
_WITHOUT_CONTENTS = {*_ATOMS, *_NO_DATA}  # fast: they are the types of most variables
# Types of which an attribute of a class can only be replaced, and then by an object of the user.
_FIXED = {
    *(*_NO_DATA, GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType),
    *(WrapperDescriptorType, MethodWrapperType, type(vars(abc.ABC)["_abc_impl"])),
}
# Attributes that Python itself gives to a class when they are first needed.
_SET_BY_PYTHON = {"__annotations__", "__annotations_cache__", "__annotate_func__", "__slotnames__"}
_CONTAINERS = {list, dict, set, *_OTHER_CONTAINERS, np.ndarray}


def state_of(value: object, *others: object) -> Hashable:
    """Return a description of everything visible that a function or an argument uses and that a
    call may change.

    With `others`, the description has a part for each of the objects.
    """
    module = str(getattr(value, "__module__", None) or "")
    describer = _StateDescriber(module.partition(".")[0])
    state = describer.describe(value)
    return (state, *map(describer.describe, others)) if others else state


def has_changed(before: Hashable, after: Hashable, again: Hashable) -> bool:
    """Return whether a state has changed. `again` is a second description of the state `after`.

    Some objects are described in another way each time, although nothing has changed. Such parts
    are left out, and all others are compared.
    """
    if after == again:
        return before != after
    if isinstance(before, tuple) and isinstance(after, tuple) and isinstance(again, tuple):
        is_alike = len(before) == len(after) == len(again)
        return is_alike and any(map(has_changed, before, after, again))
    return False


def has_cache(state: Any) -> bool:
    """Return whether a function of this description uses a function with a cache of
    `functools`.
    """
    if isinstance(state, tuple):
        return any(map(has_cache, state))
    return state is WITH_CACHE


def names_in(protocol: object) -> frozenset[str]:
    """Return the names of globals, attributes and methods in the code of a protocol's methods, of
    functions that are its attributes, and of the functions that these use by name.
    """
    classes = [kind for kind in type(protocol).__mro__ if not library_of(kind)]
    pending = [part for kind in classes for part in vars(kind).values()]
    pending += [*getattr(protocol, "__dict__", {}).values(), *dict(slots_of(protocol)).values()]
    seen: set[FunctionType] = set()
    found: set[str] = set()
    while pending:
        function = _function_in(pending.pop())
        if function is None or function in seen or is_of_library(function):
            continue
        seen.add(function)
        names = names_used(function.__code__)
        found.update(names)
        pending += _named(names, function.__globals__)
        pending += [contents_of(cell) for cell in function.__closure__ or ()]
    return frozenset(found)


def _function_in(part: Any) -> FunctionType | None:
    if isinstance(part, property):
        part = part.fget
    elif isinstance(part, functools.cached_property):
        part = part.func
    elif isinstance(part, staticmethod | classmethod | MethodType):
        part = part.__func__
    elif isinstance(part, WITH_CACHE):
        part = part.__wrapped__
    return part if isinstance(part, FunctionType) else None


class _StateDescriber(Describer):
    def __init__(self, package: str) -> None:
        super().__init__()
        self._package = package  # the package of the function that is described

    def describe(self, value: Any) -> Hashable:
        if _is_lasting(value):
            return self._state_of_code(value)
        described = super().describe(value)
        if isinstance(value, np.ma.MaskedArray):
            return described, self.describe(np.ma.getmaskarray(value))
        if isinstance(value, np.ndarray) and not library_of(type(value)):
            return described, self.describe(vars(value))
        return described

    def key(self, value: Any) -> Hashable:
        """Return the key of a value, and what may change behind it (`_behind_key`)."""
        key = key_of(value)
        if type(value) in _ATOMS or isinstance(value, np.ndarray):
            return key
        if type(value) in (tuple, list, set, frozenset) and set(map(type, value)) <= _ATOMS:
            return key
        return key, *(self.describe(part) for part in _behind_key(key))

    def parts(self, value: Any) -> list[object] | None:
        parts = super().parts(value)
        if isinstance(value, FunctionType) and parts is not None:
            names = names_used(value.__code__)
            places = _places_in_modules(names, value.__globals__, self._package)
            parts += [variables[name] for variables, name in places]
        return parts

    def parts_of_object(self, value: Any) -> list[object] | None:
        """Return also the classes of an object, and the contents of an object of Python."""
        if type(value) in _OTHER_CONTAINERS:
            return [*value, *(value.values() if isinstance(value, dict) else ())]
        parts = super().parts_of_object(value)
        if parts is None:
            kind = type(value)
            is_of_others = not library_of(kind) and _is_installed(kind.__module__, self._package)
            if is_of_others or keeps_notes(kind):
                return None
            parts = parts_for_pickle(value)
            attributes = getattr(value, "__dict__", None)
            return [dict(attributes)] if parts is None and type(attributes) is dict else parts
        if library_of(type(value)):
            return parts
        kinds = [kind for kind in type(value).__mro__ if not library_of(kind)]
        kept = {"_attrs_cached_hash"}
        for kind in kinds:
            kept.update(
                name
                for name, part in vars(kind).items()
                if isinstance(part, functools.cached_property)
            )
        names, contents = parts[::2], parts[1::2]
        shown = [pair for pair in zip(names, contents, strict=True) if pair[0] not in kept]
        return [*shown, *kinds]

    def _state_of_code(self, code: type | FunctionType) -> Hashable:
        """Return a description of the data that a function, or a class and its methods, may
        change.
        """
        if isinstance(code, type) and library_of(code):
            return Itself(code)
        again = self.met(code)
        if again is not None:
            return again
        behind = _behind(code, self._package)
        replaced: list[Any] = []
        data: list[Any] = []
        for each in behind.classes:
            own: Mapping[str, Any] = vars(each)
            if isinstance(each, enum.EnumType):  # it keeps notes about its members
                own = {name: own[name] for name in own if not _has_underscores(name)}
            replaced += [each.__qualname__, *each.__bases__]
            replaced += [part for name, part in own.items() if name not in _SET_BY_PYTHON]
            data += [
                part
                for name, part in own.items()
                if type(part) not in _FIXED and (name[:2] != "__" or name[-2:] != "__")
            ]
        data += [names.get(name) for names, name in behind.variables]
        for function in behind.functions:
            replaced += [function.__code__, function.__name__, function.__doc__]
            if function.__defaults__ or function.__kwdefaults__:
                data += [part for part in _defaults_of(function) if not _is_fixed(part)]
        contents = [contents_of(cell) for cell in behind.cells]
        data += [part for part in contents if not _is_fixed(part)]
        data += [
            part
            for attributes in behind.attributes
            for name, part in attributes.items()
            if name not in functools.WRAPPER_ASSIGNMENTS and name != "__wrapped__"
        ]
        # Lists and the like may have other contents afterwards. Classes and functions are only
        # compared by identity, and so is all else that cannot change.
        inside = [
            part
            for part in data
            if type(part) not in _WITHOUT_CONTENTS and not _only_replaced(part)
        ]
        installed = [
            part
            for each in behind.installed
            for part in vars(each).values()
            if type(part) in _CONTAINERS
        ]
        return (
            Itself(code),
            *behind.caches,
            _Identities(replaced),
            _Identities(data),
            *(self.describe(part) for part in inside),
            *(self.describe(part) for part in installed),
        )


def _behind_key(key: Hashable) -> list[object]:
    """Return the user's classes, and the attributes of members of enumerations, that occur in a
    key.
    """
    found: dict[int, object] = {}
    pending = [key]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += part
        elif isinstance(part, type) and not library_of(part):
            found[id(part)] = part
        elif isinstance(part, Itself) and isinstance(part.thing, enum.Enum):
            own = vars(part.thing).items()
            found[id(part.thing)] = [pair for pair in own if not _has_underscores(pair[0])]
    return list(found.values())


def _is_lasting(value: Any) -> typing.TypeGuard[type | FunctionType]:
    """Whether a value is a class, or a function of no library that a `def` statement outside other
    functions has made. Other functions may be made anew at each call.
    """
    if not isinstance(value, FunctionType):
        return isinstance(value, type)
    names = value.__qualname__, value.__name__
    return "<locals>" not in names[0] and names[1] != "<lambda>" and not is_of_library(value)


def _only_replaced(part: object) -> bool:
    """Whether a variable must get another object to change: its object has no contents of the user
    that can change.
    """
    kind = type(part)
    if kind in _ATOMS or isinstance(part, _NO_DATA):
        return True
    return library_of(kind) == "simnet" and not isinstance(part, np.ndarray)


class _Identities:
    """A list of objects. Two such lists are equal if they have the same objects."""

    def __init__(self, things: list[Any]) -> None:
        self._things = things

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Identities)
            and len(self._things) == len(other._things)
            and (
                all(map(operator.is_, self._things, other._things))  # fast: the usual case
                or all(map(_is_one_value, self._things, other._things))
            )
        )

    def __hash__(self) -> int:
        return len(self._things)


def _is_one_value(first: Any, second: Any) -> bool:
    return first is second or (
        type(first) is type(second) and type(first) in _ATOMS and key_of(first) == key_of(second)
    )


def _has_underscores(name: str) -> bool:
    return name.startswith("_") and name.endswith("_")


class _Behind(typing.NamedTuple):
    """What a function, or the methods of a class, use by name, directly or through functions,
    classes and modules of the user: classes, functions with their captured variables and
    attributes, and global variables (the variables of a module, and a name).
    """

    classes: list[type]
    installed: list[type]  # classes of installed packages
    variables: list[tuple[dict[str, Any], str]]
    functions: list[FunctionType]
    cells: list[CellType]
    attributes: list[dict[str, Any]]
    caches: tuple[type, ...]  # the type of functions with a cache, if one is used


# Remembered for all calls of a run: so it has variables and cells, whose contents may change, and
# not their contents.
@functools.lru_cache(maxsize=1024)
def _behind(code: type | FunctionType, package: str) -> _Behind:
    classes: dict[int, type] = {}
    functions: dict[int, FunctionType] = {}
    variables: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}
    caches: set[type] = set()
    attributes: dict[int, dict[str, Any]] = {}
    pending: list[Any] = [code]
    while pending:
        part = pending.pop()
        if isinstance(part, WITH_CACHE):
            caches.add(WITH_CACHE)
            attributes[id(part)] = vars(part)
        if isinstance(part, type):
            if id(part) not in classes and not library_of(part):
                classes[id(part)] = part
                if not _is_installed(part.__module__, package):
                    pending += [type(part), *part.__mro__[1:], *vars(part).values()]
            continue
        function = _function_in(part)
        if function is None or id(function) in functions or is_of_library(function):
            continue
        if _is_installed(function.__module__, package):
            continue
        functions[id(function)] = function
        attributes[id(function)] = vars(function)
        for module, name in _places_of(function, package):
            variables[id(module), name] = module, name
            pending.append(module.get(name))
        pending += _defaults_of(function)
        pending += map(contents_of, function.__closure__ or ())
    is_installed = {
        number: _is_installed(each.__module__, package) for number, each in classes.items()
    }
    cells = [cell for function in functions.values() for cell in function.__closure__ or ()]
    return _Behind(
        classes=[each for number, each in classes.items() if not is_installed[number]],
        installed=[each for number, each in classes.items() if is_installed[number]],
        variables=[*variables.values()],
        functions=[*functions.values()],
        cells=cells,
        attributes=[*attributes.values()],
        caches=tuple(caches),
    )


def _is_fixed(part: object) -> bool:
    return type(part) in _FIXED or is_of_library(part)


def _places_of(function: FunctionType, package: str) -> list[tuple[dict[str, Any], str]]:
    """Return the global variables that a function uses: the variables of a module, and a name."""
    module, names = function.__globals__, names_used(function.__code__)
    places = [(module, name) for name in names if name in module]
    places += [(module, name) for name in _assigned(function.__code__)]
    return places + _places_in_modules(names, module, package)


def _defaults_of(function: FunctionType) -> list[Any]:
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


@functools.lru_cache(maxsize=1024)
def _is_installed(module: str | None, package: str) -> bool:
    """Whether a module belongs to an installed package that is not `package`."""
    file = getattr(sys.modules.get(module or ""), "__file__", None) or ""
    is_installed = not _INSTALLED.isdisjoint(Path(file).parts)
    return is_installed and (module or "").partition(".")[0] != package


def _named(names: Sequence[str], variables: dict[str, Any]) -> list[Any]:
    """Return what has one of these names among global variables, or in a user's module among
    them.
    """
    places = [(variables, name) for name in names if name in variables]
    places += _places_in_modules(names, variables, "")
    return [each[name] for each, name in places]


def _places_in_modules(
    names: Sequence[str], variables: dict[str, Any], package: str
) -> list[tuple[dict[str, Any], str]]:
    """Return the user's modules among the named variables, and among the named variables of these
    modules, as dictionaries, each with those of `names` that occur in it.
    """
    found: list[tuple[dict[str, Any], str]] = []
    seen: set[int] = set()
    pending = [variables]
    while pending:
        among = pending.pop()
        for module in [among[name] for name in names if name in among]:
            if not isinstance(module, ModuleType) or id(module) in seen:
                continue
            seen.add(id(module))
            if _is_of_user(module, package):
                found += [(vars(module), name) for name in names if name in vars(module)]
                pending.append(vars(module))
    return found


def _is_of_user(module: ModuleType, package: str) -> bool:
    if module.__name__.partition(".")[0] in LIBRARIES:
        return False
    return not _is_installed(module.__name__, package)


@functools.lru_cache(maxsize=1024)
def _assigned(code: CodeType) -> tuple[str, ...]:
    """Return the names of the global variables to which the code assigns."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    own = [each.argval for each in dis.get_instructions(code) if each.opname == "STORE_GLOBAL"]
    return tuple(
        dict.fromkeys([*own, *(name for constant in inner for name in _assigned(constant))])
    )
