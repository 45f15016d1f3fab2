"""The local mechanisms by name, and the arguments that each takes."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from protocols.checks import one_of
from protocols.mechanisms.additive import SCDF, Laplace, Staircase, Stairs, least_variance
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.duchi_multi import DuchiMulti
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.hadamard import Hadamard
from protocols.mechanisms.hashing import OLH
from protocols.mechanisms.hybrid import HM
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.response import JoyGerla, Warner
from protocols.mechanisms.unary import OUE, SUE

OfItems = GRR | OUE | SUE | OLH | Hadamard | JoyGerla  # mechanisms for one of N items
# mechanisms for one number in [-1, 1], or for several such numbers
OfNumbers = Laplace | Stairs | Duchi | PM | HM | DuchiMulti

FREQUENCY: Mapping[str, Callable[[float, int], GRR | OUE | SUE | OLH | Hadamard]] = {
    "oue": OUE,
    "sue": SUE,
    "grr": GRR,
    "olh": OLH,
    "hadamard": Hadamard,
}
NUMERIC: Mapping[str, Callable[[float], Laplace | Stairs | Duchi | PM | HM]] = {
    "hm": HM,
    "pm": PM,
    "duchi": Duchi,
    "laplace": Laplace,
    "scdf": SCDF,
    "staircase": Staircase,
    "least-variance": least_variance,
}


@attrs.frozen
class Recipe:
    """How a mechanism is constructed: the class or function, and the names of its arguments.

    The arguments in `needs` must be given; those in `optional` have defaults.
    """

    make: Callable[..., OfItems | OfNumbers]
    needs: tuple[str, ...]
    optional: tuple[str, ...] = ()


RECIPES: Mapping[str, Recipe] = {
    **{name: Recipe(make, ("epsilon", "items")) for name, make in FREQUENCY.items()},
    "warner": Recipe(Warner, ("epsilon",)),
    "joy-gerla": Recipe(JoyGerla, ("truthful", "yes"), ("sampling",)),
    **{name: Recipe(make, ("epsilon",)) for name, make in NUMERIC.items()},
    "duchi-multi": Recipe(DuchiMulti, ("epsilon", "attributes"), ("variant",)),
}


# the names, in `RECIPES`, of the mechanisms over items
RESPONSES = ("warner", "joy-gerla")
OVER_ITEMS = (*FREQUENCY, *RESPONSES)


def mechanism(name: str, **parameters: Any) -> OfItems | OfNumbers:
    """Return the mechanism with this name and these arguments; an argument of None counts as
    absent.

    The names are grr, oue, sue, olh, hadamard (with `epsilon`, `items`); warner (`epsilon`);
    joy-gerla (`truthful`, `yes`, `sampling`); hm, pm, duchi, laplace, scdf, staircase,
    least-variance (`epsilon`); duchi-multi (`epsilon`, `attributes`, `variant`). Raises
    `ValueError` for an unknown name or argument, a missing argument, and a value out of range.

    >>> mechanism("oue", epsilon=1.0, items=5)
    OUE(epsilon=1.0, items=5)
    """
    one_of("mechanism", name, tuple(RECIPES))
    recipe = RECIPES[name]
    arguments = {key: value for key, value in parameters.items() if value is not None}
    takes = f"{name} takes {', '.join((*recipe.needs, *recipe.optional))}"
    lacking = next((key for key in recipe.needs if key not in arguments), None)
    if lacking is not None:
        raise ValueError(f"{lacking} is missing: {takes}")
    strange = next((key for key in arguments if key not in (*recipe.needs, *recipe.optional)), None)
    if strange is not None:
        raise ValueError(f"{strange} does not belong here: {takes}")
    return recipe.make(**arguments)
