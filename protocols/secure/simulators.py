"""Simulators in the sense of a security proof: protocols whose honest users act on outputs and public values alone."""

from collections.abc import Callable, Collection
from typing import Any

import attrs
import numpy as np

from simnet.kernel.protocol import Holder
from simnet.values.field import Field, FieldArray
from simnet.values.residues import constant


def with_answers(protocol: Any, corrupt: Collection[str], answer: Callable[[Holder], Any]) -> Any:
    """The same protocol, but that honest users hold what `answer` says; corrupt users act as ever."""

    def answered(self: Any, item: int, user: Holder) -> Any:
        return kind.answer(self, item, user) if user.name in corrupt else answer(user)

    kind: Any = type(protocol)
    simulated = type(f"Simulated{kind.__name__}", (kind,), {"answer": answered})
    return simulated(**attrs.asdict(protocol, recurse=False))


def held(field: Field, values: Collection[int], user: Holder) -> FieldArray:
    """Numbers as a user's secret."""
    return user.secret(constant(field, np.array(list(values), dtype=np.int64)))


def is_alone(server: str, corrupt: Collection[str]) -> bool:
    """Whether the set is one server by itself.

    Raises `ValueError` for a server with others, of whom the paper proves nothing.
    """
    if server not in corrupt:
        return False
    if len(corrupt) > 1:
        raise ValueError(f"the paper proves nothing for {server} together with others")
    return True
