"""Simulators in the sense of a security proof: protocols whose honest users act on outputs and
public values alone.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.contract import Holder
from simnet.values.field import Field, FieldArray
from simnet.values.residues import constant


def with_answers(protocol: Any, corrupt: Collection[str], answer: Callable[[Holder], Any]) -> Any:
    """The same protocol, but that honest users hold what `answer` says.

    Corrupt users act as ever.
    """

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


def output_of_server(
    protocol: Any, items: Sequence[int], users: Sequence[Holder], corrupt: Collection[str]
) -> tuple[int, ...]:
    """What the functionality hands the server, if it is corrupt; else nothing."""
    if not is_alone("server", corrupt):
        return ()
    return tuple(protocol.functionality(items, users)["server"].open().tolist())


def first_holds_all(protocol: Any, corrupt: Collection[str], output: tuple[int, ...]) -> Any:
    """For sums: honest users hold zeros, but the first of them the output, if there is one."""
    first = next(name for name in protocol.parties() if name not in corrupt)

    def answer(user: Holder) -> FieldArray:
        return held(
            protocol.field, output if output and user.name == first else [0] * protocol.items, user
        )

    return with_answers(protocol, corrupt, answer)
