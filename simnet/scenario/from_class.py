"""A protocol's class as a scenario: its parameters, with their defaults, are the settings."""

import inspect
from typing import Any

from simnet.scenario.scenario import Scenario
from simnet.scenario.settings import Required, stripped

USERS, ITEMS = 5, 3  # where the class has no defaults for them
_KINDS: dict[Any, Any] = {  # annotations that stayed text
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
}


def scenario_of_class(cls: type) -> Scenario:
    """A scenario without claims, and without anything said about the protocol."""
    try:
        signature = inspect.signature(cls, eval_str=True)
    except NameError:  # annotations that are there for type checkers alone
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
    """The type that a parameter is annotated with."""
    kind, _ = stripped(annotation)
    return _KINDS.get(kind, kind) if isinstance(kind, str) else kind


def _first_line(cls: type) -> str:
    """The class's name, and what its module says about itself."""
    text = inspect.getdoc(inspect.getmodule(cls)) or ""
    first = " ".join(text.split("\n\n")[0].split()).rstrip(".")
    return f"{cls.__name__}: {first}" if first else cls.__name__
