"""The parties of a protocol, and plain error messages for a faulty `parties()`."""

from simnet.contract import Protocol
from simnet.errors import BadInput, SimnetError
from simnet.kernel.blame import in_protocol
from simnet.roster import Roster

# Words for coalitions: a verdict on a party of this name would be about another coalition.
COALITIONS = frozenset({"everyone", "network"})


def seated(protocol: Protocol) -> Roster:
    """Return the parties of a protocol.

    Raises `BadInput` for an object without `parties()`, for a `parties()` that raises an error, for
    a `parties()` that returns no seats, for two scripts in one role, and for a party called as in
    `COALITIONS`. A `SimnetError` that `parties()` raises passes unchanged.
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
        raise in_protocol("parties()", error) from error
    roster = Roster(seats)
    for name in sorted(COALITIONS.intersection(roster.names)):
        raise BadInput(
            f"a party may not be called {name!r}: in the options and arguments that name a "
            "coalition, this word stands for another one; give the party another name"
        )
    return roster
