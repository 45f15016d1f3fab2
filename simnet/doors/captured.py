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
array by a digest, an object by its type and its attributes, and an object of a class of Python or
numpy by what Python would write into a file to restore the object. Modules, classes, and those
functions of Python, numpy and simnet that use no variables around them are assumed not to change,
so their contents are not inspected, and neither are those of an object that Python writes as the
name of a global variable, such as `...`. Any other object whose contents cannot be inspected is
`Opaque`: such an object equals only itself, and we cannot tell whether it has changed.

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
import copyreg
import functools
import gc
import hashlib
import os
import struct
import sys
import typing
import weakref
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from simnet.arrays import Numbers
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
LIBRARIES = {"numpy", "simnet", *sys.stdlib_module_names}
# A function of a library is recognised by its file, because the user's script may have the name of
# a module of Python.
_PYTHON = Path(os.__file__).parent
_FOLDERS = tuple(f"{each}{os.sep}" for each in (_PYTHON, np.__path__[0], Path(__file__).parents[1]))
_BESIDE = f"{_PYTHON / 'site-packages'}{os.sep}"  # the folder of other installed packages
_FROM_CODE = 1 << 9  # the flag of a class that a program can make (Py_TPFLAGS_HEAPTYPE)
_STATELESS = (abc.ABC, typing.Generic, typing.Protocol)  # classes without attributes
# Classes whose objects keep notes that do not change results.
_WITH_NOTES = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary)
WITH_CACHE = type(functools.cache(abs))
# What objects of classes written in C consist of, where Python does not write them into files.
_PARTS: dict[type, Callable[[Any], list[object]]] = {
    **dict.fromkeys(
        (MappingProxyType, type({}.keys()), type({}.values()), type({}.items())), gc.get_referents
    ),
    struct.Struct: lambda form: [form.format],
    memoryview: lambda view: [
        *(view.format, view.shape, view.strides, view.suboffsets),
        *(view.readonly, view.tobytes(), view.obj),
    ],
}
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
    return Describer().describe(value)


def is_same(first: Hashable, second: Hashable) -> bool:
    """Return whether we consider two functions with these descriptions the same: the descriptions
    are equal and contain no `Opaque` object.
    """
    return first is not None and first == second and not any(opaque_objects(first))


def opaque_objects(knowledge: Hashable) -> Iterator["Opaque"]:
    """Yield all objects in a description whose contents cannot be inspected."""
    if isinstance(knowledge, tuple):
        for part in knowledge:
            yield from opaque_objects(part)
    elif isinstance(knowledge, Opaque):
        yield knowledge


class Describer:
    """Makes one description. It remembers the objects that it has met: the description of an object
    that refers to itself would otherwise never come to an end.
    """

    def __init__(self) -> None:
        self._met: dict[int, tuple[int, object]] = {}  # by identity: a number, and the object

    def describe(self, value: Any) -> Hashable:
        """Return the description of an object and of what it consists of."""
        if isinstance(value, CodeType):
            return _without_lines(value)
        if isinstance(value, ModuleType) or is_of_library(value):
            return Itself(value)
        is_large = is_bare_array(value) and value.nbytes > LARGE
        if is_large and not value.dtype.hasobject and value.dtype.metadata is None:
            digest = hashlib.blake2b(value.tobytes(), digest_size=16).digest()
            return "array", type(value), type_key(value.dtype), value.shape, value.strides, digest
        if not isinstance(value, FunctionType | MethodType):
            try:
                return self.key(value)
            except NoKey:
                pass
        again = self.met(value)
        if again is not None:
            return again
        parts = self.parts(value) if len(self._met) < MOST_OBJECTS else None
        if parts is None:
            return Itself(value) if _is_constant(value) else Opaque(value)
        return type(value), tuple([self.describe(part) for part in parts])

    def met(self, value: object) -> Hashable | None:
        """Return the description of an object that was met before. Return None for a new object,
        and remember it.
        """
        if id(value) in self._met:
            return "again", self._met[id(value)][0]
        self._met[id(value)] = len(self._met), value
        return None

    def key(self, value: object) -> Hashable:
        """Return the key of a plain value. Raises `NoKey` for any other object."""
        return key_of(value)

    def parts(self, value: Any) -> list[object] | None:
        """Return what an object consists of; None if we cannot see this."""
        if isinstance(value, FunctionType):
            return _parts_of_function(value)
        if isinstance(value, MethodType | BuiltinFunctionType):
            return [getattr(value, "__func__", value.__name__), value.__self__]
        if isinstance(value, functools.partial):
            keywords, attributes = value.keywords, vars(value)
            named = [tuple(keywords), *keywords.values(), tuple(attributes), *attributes.values()]
            return [value.func, value.args, *named]
        if isinstance(value, WITH_CACHE):  # the cache does not change the results
            return [value.__wrapped__]
        if type(value) in (tuple, list, set, frozenset):
            return list(value)
        if type(value) is dict:
            return [*value, *value.values()]
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
            return _parts_of_array(value)
        return self.parts_of_object(value)

    def parts_of_object(self, value: Any) -> list[object] | None:
        """Return the names and values of an object's attributes, or the parts of an object of a
        class of Python or numpy (`parts_for_pickle`). Return None if the class belongs to simnet,
        or is derived from a class of Python or numpy that is not in `_STATELESS`, or if objects of
        the class have contents besides their attributes.
        """
        kind = type(value)
        if library_of(kind):
            return parts_for_pickle(value) if _is_genuine(kind) else None
        if any(
            library_of(each) not in ("", "simnet") and each not in _STATELESS
            for each in kind.__mro__[:-1]
        ):
            return None
        return None if hides_contents(kind) else _attributes(value)


def _attributes(value: object) -> list[object]:
    attributes = {**getattr(value, "__dict__", {}), **dict(slots_of(value))}
    return [part for name in sorted(attributes) for part in (name, attributes[name])]


def _parts_of_array(value: Numbers) -> list[object] | None:
    """The contents and the attributes of an array of a derived class."""
    if hides_contents(type(value), np.ndarray):
        return None
    return [value.view(np.ndarray), *_attributes(value)]


def _is_genuine(kind: type) -> bool:
    """Whether the module that a class names has this class."""
    module = sys.modules.get(kind.__module__)
    return kind in _PARTS or getattr(module, kind.__name__, None) is kind is not object


def _is_constant(value: Any) -> bool:
    """Whether Python writes an object of a class of Python or numpy into a file as the name of a
    global variable, which holds this object.
    """
    kind = type(value)
    is_static = not kind.__flags__ & _FROM_CODE and kind.__module__ == "builtins"
    if not library_of(kind) or not (is_static or _is_genuine(kind)):
        return False
    try:
        name = value.__reduce_ex__(4)
        module = sys.modules.get(getattr(value, "__module__", "builtins"))
    except Exception:  # such an object may raise anything
        return False
    return isinstance(name, str) and getattr(module, name, None) is value


def keeps_notes(kind: type) -> bool:
    """Whether objects of a class may keep notes that do not change results."""
    return any(each in _WITH_NOTES or library_of(each) == "simnet" for each in kind.__mro__)


def parts_for_pickle(value: Any) -> list[object] | None:
    """Return what Python would write into a file to restore an object of a class of Python or
    numpy, or of a class that is derived from such a class. Return None if Python cannot do this,
    and for objects that keep notes.
    """
    kind = type(value)
    if isinstance(value, np.vectorize):  # keeps functions that it has made
        return [pair for pair in vars(value).items() if pair[0] != "_ufunc"]
    if keeps_notes(kind):
        return None
    try:
        if kind in _PARTS:
            return _PARTS[kind](value)
        reduce = copyreg.dispatch_table.get(kind)
        made = value.__reduce_ex__(4) if reduce is None else reduce(value)
    except Exception:  # such an object may raise anything
        return None
    if not isinstance(made, tuple):
        return None  # a name, but perhaps of another object
    # The first part is the function that restores the object, often a new object at each call.
    return [list(part) if isinstance(part, Iterator) else part for part in made[1:]]


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


def library_of(kind: type) -> str:
    """Return the module of Python, or "numpy" or "simnet", that a class belongs to by the name of
    its module; else "".
    """
    package = kind.__module__.partition(".")[0]
    return package if package in LIBRARIES else ""


def _parts_of_function(function: FunctionType) -> list[object]:
    contents = [contents_of(cell) for cell in function.__closure__ or ()]
    defaults, by_name = function.__defaults__ or (), function.__kwdefaults__ or {}
    module = function.__globals__
    used = {name: module[name] for name in names_used(function.__code__) if name in module}
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
def names_used(code: CodeType) -> tuple[str, ...]:
    """Return the names of globals, attributes and methods in the code and in its inner
    functions.
    """
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    names = (*code.co_names, *(name for constant in inner for name in names_used(constant)))
    return tuple(dict.fromkeys(names))


def contents_of(cell: CellType) -> object:
    """Return the value of a captured variable; None if it has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
