"""What simulators have in common: honest users who hold what they are told, and not their input.

A simulator plays the protocol itself with the corrupt parties. Its honest users run the same
script, and where the script asks for their secret (`answer`) they declare numbers that follow from
what the simulator was given: outputs and public values alone.
"""

from collections.abc import Collection, Sequence

from simnet.contract import Holder, Ideal
from simnet.values.field import Field, FieldArray
from simnet.values.sealed import Sealed


def declared(values: Sequence[int], field: Field, user: Holder) -> FieldArray:
    """Numbers that a simulated user declares as its secret."""
    return user.secret(lambda: values, field=field, shape=(len(values),))


def is_alone(server: str, corrupt: Collection[str]) -> bool:
    """Whether the coalition is one server by itself.

    Raises `ValueError` for a server with others, of whom the paper proves nothing.
    """
    if server not in corrupt:
        return False
    if len(corrupt) > 1:
        raise ValueError(f"the paper proves nothing for {server} together with others")
    return True


def output_of_server(
    protocol: Ideal, items: Sequence[Sealed], users: Sequence[Holder], corrupt: Collection[str]
) -> tuple[int, ...]:
    """What the functionality hands the server, if it is corrupt; else nothing."""
    if not is_alone("server", corrupt):
        return ()
    counts = protocol.functionality(items, users)["server"]
    assert not isinstance(counts, Sequence)  # a sum of vectors is one array
    return tuple(counts.numbers().tolist())


def first_honest(protocol: Ideal, corrupt: Collection[str]) -> str:
    """The user who holds the whole output in the simulation of a sum; the others hold zeros."""
    return next(name for name in protocol.parties() if name not in corrupt)
