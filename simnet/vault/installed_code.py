"""Whether code comes from an installed package.

Installed packages are trusted as Python is: their functions are called in place. Installed means:
in Python's own folders, in a folder of site packages, or in a package that contributes something
to simnet through an entry point (`simnet.installed`), which may be a folder of its developers.
"""

import functools
import site
import sys
import sysconfig
from pathlib import Path
from types import FunctionType, ModuleType

from simnet.installed import packages

_MADE_BY_CODE = 1 << 9  # the flag of classes that were made while the program ran


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
    return any(map(path.is_relative_to, _folders())) or (
        top in packages() and path.is_relative_to(_folder_of(top))
    )


@functools.cache
def _folders() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    named = [paths[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    others = [each for each in sys.path if Path(each).name in ("site-packages", "dist-packages")]
    return tuple(Path(each).resolve() for each in (*named, site.getusersitepackages(), *others))


def _folder_of(package: str) -> Path:
    module = sys.modules[package]
    return Path(next(iter(module.__path__))).resolve()
