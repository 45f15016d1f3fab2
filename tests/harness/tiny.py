"""Tiny protocols over F_3, and the two ways of reading them exhaustively."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from simnet import Field, Holder, Party, Summed, constant, index
from simnet.coins.law import Law
from simnet.exhaustive.model import Model, World
from simnet.exhaustive.views import Views
from simnet.values.field import FieldArray
from simnet.values.residues import Residues
from simnet.values.sealed import Sealed
from tests.harness.scripts import SHARE, Script, Scripts

G = Field(3)
KEYED = Summed("keyed")
HALF = Fraction(1, 2)
READINGS = pytest.mark.parametrize(
    "enumerated", [False, True], ids=["unknown field coins", "enumerated field coins"]
)


def small(*values: int) -> Residues:
    return constant(G, np.array(values, dtype=np.int64))


def held_by(me: Holder, item: Sealed) -> FieldArray:
    """Return what a party holds, as its secret."""
    return me.secret(lambda held: [held], item, field=G, shape=(1,))


def joined(*parts: Any) -> Any:
    """Return several arrays of field elements as one array."""
    return type(parts[0]).join(parts)


def worlds(enumerated: bool = False, /, **scripts: Script) -> list[World]:
    return Model(Scripts(**scripts), enumerated).worlds(())


def law(corrupt: str, enumerated: bool = False, **scripts: Script) -> Law:
    return Views(Model(Scripts(**scripts), enumerated), corrupt).law(())


def sums(*values: int, keys: Sequence[int] | None = None) -> Script:
    """Send one value after the other under a summed tag, with or without keys."""

    async def script(me: Party) -> None:
        for place, value in enumerate(values):
            if keys is None:
                await me.send(SHARE, "y", small(value))
            else:
                rows = small(value)[:, np.newaxis]
                await me.scatter(KEYED, to=[me.group("y")], rows=rows, keys=index([keys[place]], 9))

    return script
