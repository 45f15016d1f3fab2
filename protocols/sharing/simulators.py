"""What the simulators of protocols have in common.

A simulator plays the protocol itself with the coalition. The simulator's honest users run the same
script. Where the script asks for a user's secret (`answer`), an honest user declares numbers that
the simulator computes from what it was given: outputs and public values, but no inputs.
"""

from collections.abc import Collection, Sequence

from simnet.contract import Holder, Ideal
from simnet.values.field import Field, FieldArray
from simnet.values.sealed import Sealed


def declared(values: Sequence[int], field: Field, user: Holder) -> FieldArray:
    """Declare `values` as the secret of a simulated user; shape (len(values),)."""
    return user.secret(lambda: values, field=field, shape=(len(values),))


def is_alone(server: str, corrupt: Collection[str]) -> bool:
    """Return whether the coalition consists of this server alone.

    Raises `ValueError` for a coalition of the server and other parties: it has no simulator.
    """
    if server not in corrupt:
        return False
    if len(corrupt) > 1:
        raise ValueError(
            f"there is no simulator for a coalition of {server} with other parties, "
            f"got {', '.join(sorted(corrupt))}"
        )
    return True


def output_of_server(
    protocol: Ideal, items: Sequence[Sealed], users: Sequence[Holder], corrupt: Collection[str]
) -> tuple[int, ...]:
    """Return what the functionality hands to the server if the server is corrupt, else ().

    Raises `ValueError` for a coalition of the server and other parties.
    """
    if not is_alone("server", corrupt):
        return ()
    counts = protocol.functionality(items, users)["server"]
    assert not isinstance(counts, Sequence)  # a sum of vectors is one array
    return tuple(counts.numbers().tolist())


def first_honest(protocol: Ideal, corrupt: Collection[str]) -> str:
    """Return the first honest party, which is a user if any user is honest. If the server is
    corrupt, this user shares the whole output in the simulation of a sum.
    """
    return next(name for name in protocol.parties() if name not in corrupt)
