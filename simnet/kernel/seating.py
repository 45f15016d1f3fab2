"""Who takes part in a protocol, with what goes wrong in its `parties()` told in a sentence."""

from simnet.contract import Protocol
from simnet.errors import BadInput, SimnetError
from simnet.kernel.blame import in_parties
from simnet.roster import Roster


def seated(protocol: Protocol) -> Roster:
    """The parties of a protocol.

    Raises `BadInput` for what has no `parties()`, for a `parties()` that raises, and for one that
    returns something else than seats.
    """
    try:
        is_method = callable(protocol.parties)
    except AttributeError:
        is_method = False
    if not is_method:
        raise BadInput(
            f"{type(protocol).__name__} is no protocol: it has no method `parties()` that says who "
            "takes part"
        )
    try:
        seats = protocol.parties()
    except SimnetError:
        raise
    except Exception as error:
        raise in_parties(error) from error
    return Roster(seats)
