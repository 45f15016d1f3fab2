"""What travels between a run and its vault.

*To the vault* goes a call: a function, its arguments and its coins, pickled. What comes from
installed packages is named, and the vault imports it. All other classes, functions and modules are
*definitions*: they travel by value, with the global variables that they use, as they are at that
moment. Each travels once and has a number from then on, so a later call of the same function is
short.

*From the vault* come plain values only (`simnet.doors.plain_values`): a function could make a
pickle of which the unpickling leaves a trace in the process of the script.
"""

import functools
import io
import pickle
import sys
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NoReturn

import cloudpickle

from simnet.doors.captured import WITH_CACHE
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.vault.installed_code import is_installed

Definitions = dict[int, tuple[int, object]]  # by the id of a definition: its number, and itself

OWN_METER = -1


class Pickled(cloudpickle.Pickler):  # type: ignore[misc]  # the library has no types
    """Pickles one object, to `data`. `definitions` are the definitions in it that have no number
    yet, and `modules` are the names of the installed modules that it needs.

    Raises the errors of `pickle` and of the objects that are pickled, and `PicklingError` at the
    first definition that is not installed, if all `must_be_installed`.
    """

    def __init__(
        self, thing: object, numbers: Definitions, must_be_installed: bool = False
    ) -> None:
        file = io.BytesIO()
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._found: dict[int, object] = {}
        self.modules: set[str] = set()
        self._numbers = numbers
        self._must_be_installed = must_be_installed
        self._by_value: list[ModuleType] = []
        try:
            self.dump(thing)
        finally:
            for module in self._by_value:
                cloudpickle.unregister_pickle_by_value(module)
        self.data = file.getvalue()
        self.definitions = tuple(self._found.values())

    def persistent_id(self, thing: Any) -> int | None:
        """Return the number of a definition that was sent before. The meter of the party is
        replaced by a new one, which counts what the function does.
        """
        if type(thing) is Meter:
            return OWN_METER
        if not issubclass(type(thing), type | FunctionType | ModuleType):
            return None
        if id(thing) in self._numbers:
            return self._numbers[id(thing)][0]
        name = thing.__name__ if isinstance(thing, ModuleType) else thing.__module__
        if is_installed(thing):
            self.modules.add(name)
            return None
        if self._must_be_installed:
            raise pickle.PicklingError(name)
        self._found[id(thing)] = thing
        module = sys.modules.get(name)
        if module is not None and name not in cloudpickle.list_registry_pickle_by_value():
            cloudpickle.register_pickle_by_value(module)
            self._by_value.append(module)
        return None

    def reducer_override(self, thing: Any) -> Any:
        """See `pickle.Pickler.reducer_override`. The contents of a cache do not travel, and neither
        do objects that belong to this process, such as generators, locks and open files.
        """
        if type(thing) is WITH_CACHE and not is_installed(thing.__wrapped__):
            return _cached, (thing.__wrapped__, thing.cache_parameters())
        if type(thing) is Metered:
            return Metered.of, (thing.plain, thing.meter)
        reduced = super().reducer_override(thing)
        is_named = issubclass(type(thing), type | FunctionType | BuiltinFunctionType)
        if is_named or reduced is not NotImplemented or type(thing) in self.dispatch_table:
            return reduced
        try:
            return thing.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        except Exception:
            return Absent, (type(thing).__name__,)


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


class Unpickler(pickle.Unpickler):
    """Unpickles what `Pickled` has pickled. `definitions` are those that came before, in order, and
    `meter` counts what is done with the values.
    """

    def __init__(
        self, data: bytes, definitions: Sequence[object], meter: Meter | None = None
    ) -> None:
        super().__init__(io.BytesIO(data))
        self._definitions = definitions
        self._meter = meter

    def persistent_load(self, number: int) -> object:
        """Return the definition with this number, or the meter."""
        return self._meter if number == OWN_METER else self._definitions[number]
