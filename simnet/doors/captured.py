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
import decimal
import dis
import enum
import functools
import hashlib
import os
import sys
import typing
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from types import (
    BuiltinFunctionType,
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
_INSTALLED = {"site-packages", "dist-packages"}  # folders of installed packages
_OTHER_CONTAINERS = (bytearray, deque, Counter, OrderedDict, defaultdict)
_STATELESS = (abc.ABC, typing.Generic, typing.Protocol)  # classes without attributes
_WITH_CACHE = type(functools.cache(abs))
# Classes whose objects keep notes that do not change results.
_WITH_NOTES = (decimal.Context, weakref.WeakKeyDictionary, weakref.WeakValueDictionary)
_ATOMS = {type(None), bool, int, float, complex, str, bytes}
_DESCRIPTORS = (property, functools.cached_property, staticmethod, classmethod)
_NO_DATA = (type, ModuleType, FunctionType, _WITH_CACHE, *_DESCRIPTORS)
# Types of which an attribute of a class can only be replaced, and then by an object of the user.
_FIXED = {
    *(*_NO_DATA, GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType),
    *(WrapperDescriptorType, MethodWrapperType, type(vars(abc.ABC)["_abc_impl"])),
}
_CONTAINERS = {list, dict, set, *_OTHER_CONTAINERS, np.ndarray}
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
    other hand, the description has more than the knowledge: the attributes of classes, the global
    variables that their methods use, the attributes of the user's modules, and the contents of
    objects of Python that can be pickled.
    """
    module = str(getattr(value, "__module__", None) or "")
    return _knowledge(value, _MetForState(module.partition(".")[0]))


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
        pending += _named(names, function.__globals__)
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
    def __init__(self, package: str) -> None:
        super().__init__()
        self.package = package  # the package of the function that is described


def _knowledge(value: Any, met: _Met) -> Hashable:
    if isinstance(value, CodeType):
        return _without_lines(value)
    if isinstance(met, _MetForState) and _is_lasting(value):
        return _state_of_code(value, met)
    if isinstance(value, ModuleType) or is_of_library(value):
        return Itself(value)
    if isinstance(value, np.ndarray) and not is_bare_array(value):
        return Opaque(value), _knowledge(value.view(np.ndarray), met)
    is_large = isinstance(value, np.ndarray) and value.nbytes > LARGE
    if is_large and not value.dtype.hasobject and value.dtype.metadata is None:
        digest = hashlib.blake2b(value.tobytes(), digest_size=16).digest()
        return "array", type(value), type_key(value.dtype), value.shape, value.strides, digest
    if not isinstance(value, FunctionType | MethodType):
        try:
            return _key_with_classes(value, met)
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
        package = met.package if isinstance(met, _MetForState) else None
        return _parts_of_function(value, package)
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
        return _parts_of_state(value, met.package)
    return _parts_of_object(value)


def _parts_of_state(value: Any, package: str) -> list[object] | None:
    if type(value) in _OTHER_CONTAINERS:
        return [*value, *(value.values() if isinstance(value, dict) else ())]
    parts = _parts_of_object(value)
    if parts is None:
        kind = type(value)
        is_of_others = not _library(kind) and _is_installed(kind.__module__, package)
        return None if is_of_others else _parts_for_pickle(value)
    kinds = [kind for kind in type(value).__mro__ if not _library(kind)]
    kept = {"_attrs_cached_hash"}
    for kind in kinds:
        kept.update(
            name for name, part in vars(kind).items() if isinstance(part, functools.cached_property)
        )
    names, contents = parts[::2], parts[1::2]
    shown = [pair for pair in zip(names, contents, strict=True) if pair[0] not in kept]
    return [*shown, *kinds]


def _parts_for_pickle(value: Any) -> list[object] | None:
    """Return what Python would write into a file to restore an object of a class of Python or
    numpy, or of a class that is derived from such a class; None if it cannot be restored.
    """
    if isinstance(value, np.vectorize):  # keeps functions that it has made
        return [value.pyfunc]
    kinds = type(value).__mro__
    if any(kind in _WITH_NOTES or _library(kind) == "simnet" for kind in kinds):
        return None
    try:
        made = value.__reduce_ex__(4)
    except Exception:  # such an object may raise anything
        attributes = getattr(value, "__dict__", None)
        return [dict(attributes)] if isinstance(attributes, dict) else None
    if not isinstance(made, tuple):
        return []
    # The first part is the function that restores the object, often a new object at each call.
    return [list(part) if isinstance(part, Iterator) else part for part in made[1:]]


def _key_with_classes(value: Any, met: _Met) -> Hashable:
    """Return the key of a value; for a state also what may change behind it (`_behind_key`)."""
    key = key_of(value)
    if not isinstance(met, _MetForState) or type(value) in _ATOMS or isinstance(value, np.ndarray):
        return key
    if type(value) in (tuple, list, set, frozenset) and set(map(type, value)) <= _ATOMS:
        return key
    return key, *(_knowledge(part, met) for part in _behind_key(key))


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
        elif isinstance(part, type) and not _library(part):
            found[id(part)] = part
        elif isinstance(part, Itself) and isinstance(part.thing, enum.Enum):
            own = vars(part.thing).items()
            found[id(part.thing)] = [pair for pair in own if not _is_private_to_python(pair[0])]
    return list(found.values())


def _is_lasting(value: Any) -> typing.TypeGuard[type | FunctionType]:
    """Whether a value is a class, or a function that was not made by another function, which makes
    a new one at each call.
    """
    if not isinstance(value, FunctionType):
        return isinstance(value, type)
    names = value.__qualname__, value.__name__
    return "<locals>" not in names[0] and names[1] != "<lambda>" and not is_of_library(value)


def _state_of_code(code: type | FunctionType, met: _MetForState) -> Hashable:
    """Return a description of the data that a function, or a class and its methods, may change."""
    if isinstance(code, type) and _library(code):
        return Itself(code)
    if id(code) in met:
        return "again", met[id(code)][0]
    met[id(code)] = len(met), code
    behind = _behind(code, met.package)
    data = [
        part
        for each in behind.classes
        for name, part in vars(each).items()
        if type(part) not in _FIXED and not _is_private_to_python(name)
    ]
    data += [names.get(name) for names, name in behind.variables]
    data += behind.defaults
    data += [_contents(cell) for cell in behind.cells]
    attributes = [each for each in behind.attributes if each]
    data += [part for each in attributes for name, part in each.items() if name != "__wrapped__"]
    # Lists and the like may have other contents afterwards. Classes and functions are only compared
    # by identity, and so is all else that cannot change.
    inside = [part for part in data if not _only_replaced(part)]
    installed = [
        part
        for each in behind.installed
        for part in vars(each).values()
        if type(part) in _CONTAINERS
    ]
    return (
        Itself(code),
        *behind.caches,
        _Identities(data),
        *(_knowledge(part, met) for part in inside),
        *(_knowledge(part, met) for part in installed),
    )


def _only_replaced(part: object) -> bool:
    """Whether a variable must get another object to change: its object has no contents of the user
    that can change.
    """
    kind = type(part)
    is_of_simnet = _library(kind) == "simnet" and not isinstance(part, np.ndarray)
    return kind in _ATOMS or is_of_simnet or isinstance(part, _NO_DATA)


class _Identities:
    """A list of objects. Two such lists are equal if they have the same objects."""

    def __init__(self, things: list[Any]) -> None:
        self._things = things

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Identities)
            and len(self._things) == len(other._things)
            and all(map(_is_one_value, self._things, other._things))
        )

    def __hash__(self) -> int:
        return len(self._things)


def _is_one_value(first: Any, second: Any) -> bool:
    return first is second or (
        type(first) is type(second) and type(first) in _ATOMS and key_of(first) == key_of(second)
    )


def _is_private_to_python(name: str) -> bool:
    """Whether Python itself may set a class attribute of this name, such as `__annotations__`."""
    return name.startswith("_") and name.endswith("_")


class _Behind(typing.NamedTuple):
    """What a function, or the methods of a class, use by name, directly or through functions,
    classes and modules of the user: classes, and global variables (the variables of a module, and a
    name). Of the functions it has the defaults, captured variables and attributes.
    """

    classes: list[type]
    installed: list[type]  # classes of installed packages
    variables: list[tuple[dict[str, Any], str]]
    defaults: list[Any]
    cells: list[CellType]
    attributes: list[dict[str, Any]]
    caches: tuple[type, ...]  # the type of functions with a cache, if one is used


@functools.lru_cache(maxsize=1024)
def _behind(code: type | FunctionType, package: str) -> _Behind:
    classes: dict[int, type] = {}
    functions: dict[int, FunctionType] = {}
    variables: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}
    caches: set[type] = set()
    pending: list[Any] = [code]
    while pending:
        part = pending.pop()
        if isinstance(part, _WITH_CACHE):
            caches.add(_WITH_CACHE)
        if isinstance(part, type):
            if id(part) not in classes and not _library(part):
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
        assigned = _assigned(function.__code__)
        for module, name in _places_of(function, package):
            found = module.get(name)
            if name in assigned or not isinstance(found, _NO_DATA):
                variables[id(module), name] = module, name
            pending.append(found)
        pending += _defaults_of(function)
        pending += map(_contents, function.__closure__ or ())
    is_installed = {
        number: _is_installed(each.__module__, package) for number, each in classes.items()
    }
    cells = [cell for function in functions.values() for cell in function.__closure__ or ()]
    defaults = [part for function in functions.values() for part in _defaults_of(function)]
    return _Behind(
        classes=[each for number, each in classes.items() if not is_installed[number]],
        installed=[each for number, each in classes.items() if is_installed[number]],
        variables=[*variables.values()],
        defaults=[part for part in defaults if not _is_fixed(part)],
        cells=[cell for cell in cells if not _is_fixed(_contents(cell))],
        attributes=[vars(function) for function in functions.values()],
        caches=tuple(caches),
    )


def _is_fixed(part: object) -> bool:
    return type(part) in _FIXED or is_of_library(part)


def _places_of(function: FunctionType, package: str) -> list[tuple[dict[str, Any], str]]:
    """Return the global variables that a function uses: the variables of a module, and a name."""
    module, names = function.__globals__, _names(function.__code__)
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
    """Return what has one of these names among global variables, or in a module among them."""
    places = [(variables, name) for name in names if name in variables]
    places += _places_in_modules(names, variables, "")
    return [each[name] for each, name in places]


def _places_in_modules(
    names: Sequence[str], variables: dict[str, Any], package: str
) -> list[tuple[dict[str, Any], str]]:
    """Return the user's modules among the named variables, as dictionaries, each with those of
    `names` that occur in it.
    """
    found = []
    for module in {
        id(variables[name]): variables[name] for name in names if name in variables
    }.values():
        if isinstance(module, ModuleType) and _is_of_user(module, package):
            found += [(vars(module), name) for name in names if name in vars(module)]
    return found


def _is_of_user(module: ModuleType, package: str) -> bool:
    if module.__name__.partition(".")[0] in _LIBRARIES:
        return False
    return not _is_installed(module.__name__, package)


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


def _parts_of_function(function: FunctionType, package: str | None) -> list[object]:
    """Return what a function uses; with a package, also the attributes of the user's modules."""
    contents = [_contents(cell) for cell in function.__closure__ or ()]
    defaults, by_name = function.__defaults__ or (), function.__kwdefaults__ or {}
    module = function.__globals__
    used = {name: module[name] for name in _names(function.__code__) if name in module}
    attributes = vars(function)  # such as `function.limit`
    in_modules: list[object] = []
    if package is not None:
        places = _places_in_modules(_names(function.__code__), module, package)
        in_modules = [variables[name] for variables, name in places]
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
        *in_modules,
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


@functools.lru_cache(maxsize=1024)
def _assigned(code: CodeType) -> tuple[str, ...]:
    """Return the names of the global variables to which the code assigns."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    own = [each.argval for each in dis.get_instructions(code) if each.opname == "STORE_GLOBAL"]
    return tuple(
        dict.fromkeys([*own, *(name for constant in inner for name in _assigned(constant))])
    )


def _contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None
