"""What travels between a run and its vault.

*To the vault* goes a call: a function, its arguments and its coins, pickled. What comes from
installed packages is named, and the vault imports it. All other classes, functions and modules are
*definitions*: they travel by value, with the global variables that they use, as they are at that
moment. Each travels once and has a number from then on, so a later call of the same function is
short.

*From the vault* come plain values only (`simnet.doors.plain_values`): a function could make a
pickle of which the unpickling leaves a trace in the process of the script.
"""

import contextlib
import copyreg
import functools
import io
import pickle
from types import FunctionType, ModuleType
from typing import Any, NoReturn

import cloudpickle
from cloudpickle.cloudpickle import _dynamic_class_reduce, dynamic_subimport

from simnet.doors.captured import WITH_CACHE
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.vault.installed_code import NAMED, is_installed

# By the id of a class, function or module: its number if it is a definition, and itself.
Known = dict[int, tuple[int | None, object]]

loaded: list[object] = []  # in a process of the vault: the definitions, in order


class Pickled(cloudpickle.Pickler):  # type: ignore[misc]  # the library has no types
    """Pickles one object, to `data`. `definitions` are the definitions in it that are not among
    the `known`, and `modules` are the names of installed modules that it needs.

    Raises the errors of `pickle` and of the objects that are pickled.
    """

    def __init__(self, thing: object, known: Known) -> None:
        file = io.BytesIO()
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._known = known
        self._found: dict[int, object] = {}
        self.modules: set[str] = set()
        self.dump(thing)
        self.data = file.getvalue()
        self.definitions = tuple(self._found.values())

    def reducer_override(self, thing: Any) -> Any:
        """See `pickle.Pickler.reducer_override`. The contents of a cache do not travel, and neither
        do objects that belong to this process, such as generators, locks and open files.
        """
        kind = type(thing)
        if issubclass(kind, NAMED):
            return self._named(thing)
        if kind is Meter:  # another one counts what the function does
            return meter_of_call, ()
        if kind is Metered:
            return Metered.of, (thing.plain, thing.meter)
        if kind is WITH_CACHE and not is_installed(thing.__wrapped__):
            return _cached, (thing.__wrapped__, thing.cache_parameters())
        if kind in self.dispatch_table:
            return NotImplemented
        try:
            return thing.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        except Exception:
            return Absent, (kind.__name__,)

    def _named(self, thing: Any) -> Any:
        place = self._known.get(id(thing))
        if place is not None:
            return NotImplemented if place[0] is None else (definition, (place[0],))
        if is_installed(thing):
            reduced = super().reducer_override(thing)
            if reduced is NotImplemented:
                self._known[id(thing)] = None, thing
                self.modules.add(thing.__name__ if type(thing) is ModuleType else thing.__module__)
            return reduced
        self._found[id(thing)] = thing
        if isinstance(thing, ModuleType):
            variables = {name: each for name, each in vars(thing).items() if name != "__builtins__"}
            return dynamic_subimport, (thing.__name__, variables)
        if isinstance(thing, FunctionType):
            reduced = self._dynamic_function_reduce(thing)
            # Submodules that the function uses: here, `data` would change when one is imported.
            submodules = reduced[2][1]["_cloudpickle_submodules"]
            self.modules |= {each.__name__ for each in submodules if is_installed(each)}
            reduced[2][1]["_cloudpickle_submodules"] = []
            return reduced
        # These two appear in a class when somebody first asks for them.
        copyreg._slotnames(thing)  # type: ignore[attr-defined]
        with contextlib.suppress(Exception):
            thing.__annotations__  # noqa: B018
        return _dynamic_class_reduce(thing)


_meter = Meter()


def meter_of_call() -> Meter:
    """Return the meter of the call that is being made, in a process of the vault."""
    return _meter


def definition(number: int) -> object:
    """Return a definition, in a process of the vault."""
    return loaded[number]


class Absent:
    """Stands in the vault for an object that cannot be sent to another process, and for its
    attributes.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __getattr__(self, name: str) -> "Absent":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Raise `TypeError`: the object is not here."""
        raise TypeError(
            f"uses an object of type {self._kind}, which cannot be sent to the process in which "
            "functions of doors are called"
        )


def _cached(function: Any, parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)
