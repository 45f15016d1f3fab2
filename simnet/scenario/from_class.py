"""Makes a scenario of a protocol's class: the parameters of the class become settings."""

import inspect
from typing import Any

from simnet.scenario.scenario import Scenario
from simnet.scenario.settings import Required, stripped

# The numbers of users and items for a class without defaults for these parameters.
USERS, ITEMS = 5, 3
_KINDS: dict[Any, Any] = {  # types by the texts that Python may leave as annotations
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
}


def scenario_of_class(cls: type) -> Scenario:
    """Return a scenario of the class, without claims and without an `about` record."""
    try:
        signature = inspect.signature(cls, eval_str=True)
    except NameError:  # an annotation uses a name that is imported only for type checkers
        signature = inspect.signature(cls)
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    defaults = {
        name: Required(_kind(parameter.annotation))
        if parameter.default is inspect.Parameter.empty
        else parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.kind not in several
    }

    def size(name: str, otherwise: int) -> int:
        default = defaults.get(name)
        return default if isinstance(default, int) else otherwise

    sizes = tuple(name for name in ("users", "items") if name in defaults)
    return Scenario(
        summary=_first_line(cls),
        protocol=cls,
        parameters={name: value for name, value in defaults.items() if name not in sizes},
        users=size("users", USERS),
        items=size("items", ITEMS),
        sizes=sizes,
    )


def _kind(annotation: Any) -> Any:
    kind, _ = stripped(annotation)
    return _KINDS.get(kind, kind) if isinstance(kind, str) else kind


def _first_line(cls: type) -> str:
    """Return the class's name and the first paragraph of its module's docstring."""
    text = inspect.getdoc(inspect.getmodule(cls)) or ""
    first = " ".join(text.split("\n\n")[0].split()).rstrip(".")
    return f"{cls.__name__}: {first}" if first else cls.__name__
