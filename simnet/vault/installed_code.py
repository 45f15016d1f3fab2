"""Whether code comes from an installed package.

Installed packages are trusted as Python is: their functions are called in place. Installed means:
in Python's own folders, in a folder of site packages, or in a package that contributes something
to simnet through an entry point (`simnet.installed`), which may be a folder of its developers.
"""

import functools
import io
import os
import pickle
import sys
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

from simnet.doors.captured import contents_of
from simnet.installed import packages

NAMED = (type, FunctionType, ModuleType)  # what can be found in a module by its name
# As they are before a script's file is loaded, which may change them.
_NAMED = [path for path in map(Path, sys.path) if path.name in ("site-packages", "dist-packages")]
_FOLDERS = [path.resolve() for path in (Path(os.__file__).parent, *_NAMED)]
_MADE_BY_CODE = 1 << 9  # the flag of classes that were made while the program ran


def comes_installed(thing: object) -> bool:
    """Return whether an object and all that it refers to comes from installed packages."""
    try:
        _Installed(io.BytesIO(), pickle.HIGHEST_PROTOCOL).dump(thing)
    except Exception:  # what cannot be pickled by name cannot be judged
        return False
    return True


class _Installed(pickle.Pickler):
    """Goes through an object, and fails at code that is not installed."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, MethodType):  # by its function, and not by the name of this
            return tuple, ((thing.__func__, thing.__self__),)
        if isinstance(thing, NAMED) and not is_installed(thing):
            raise pickle.PicklingError("code that is not installed")
        if isinstance(thing, FunctionType):
            around = [contents_of(cell) for cell in thing.__closure__ or ()]
            return tuple, ((around, thing.__defaults__, thing.__kwdefaults__, vars(thing)),)
        for kind in thing.__mro__ if isinstance(thing, type) else ():
            # A script may have put functions of its own into a class.
            functions = [each for each in vars(kind).values() if isinstance(each, FunctionType)]
            for name in {each.__module__ for each in functions} - {None}:
                if name not in sys.modules or not is_installed(sys.modules[name]):
                    raise pickle.PicklingError("a function that is not installed")
        return NotImplemented


def is_installed(thing: object) -> bool:
    """Return whether a module, class or function comes from an installed package.

    What a class or function says of its own module is not believed: the module must have the class
    under its name, and a function must have the global variables of its module.
    """
    if isinstance(thing, type) and not thing.__flags__ & _MADE_BY_CODE:
        return True  # such as the class of methods, which no module has under its name
    module = thing if isinstance(thing, ModuleType) else _module_of(thing)
    if module is None or not _is_installed(module.__name__, getattr(module, "__file__", None)):
        return False
    if isinstance(thing, FunctionType):
        return thing.__globals__ is vars(module)
    if isinstance(thing, type):
        found: object = module
        for name in thing.__qualname__.split("."):
            found = getattr(found, name, None)
        return found is thing
    return True


def _module_of(thing: object) -> ModuleType | None:
    name = getattr(thing, "__module__", None)
    return sys.modules.get(name) if isinstance(name, str) else None


@functools.cache
def _is_installed(name: str, file: str | None) -> bool:
    top = name.partition(".")[0]
    if file is None:  # written in C, or a folder without an `__init__.py`
        return name in sys.builtin_module_names or (name != "__main__" and top in packages())
    path = Path(file).resolve()
    return any(map(path.is_relative_to, _FOLDERS)) or (
        top in packages() and path.is_relative_to(_folder_of(top))
    )


def _folder_of(package: str) -> Path:
    module = sys.modules[package]
    return Path(next(iter(module.__path__))).resolve()
