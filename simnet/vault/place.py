"""Where functions of doors are called: in a vault, or in place.

A run of installed code does not import the vault at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from simnet.vault.installed_code import comes_installed

if TYPE_CHECKING:
    from simnet.vault.vault import Vault

MOST_PARTIES = 50  # in a run with more parties, calls share processes

# Whether runs call all functions in place because the caller of `run` says so.
in_place_by_wish: ContextVar[bool] = ContextVar("in_place_by_wish", default=False)


def vault_of(
    protocol: object, scripts: Sequence[object], inputs: Mapping[str, Any], *, shares: bool
) -> "Vault | None":
    """Return a new vault for a run; None if functions of doors are called in place: if all code of
    the protocol and its scripts comes from installed packages, or if the caller says so. `inputs`
    are those of parties whose calls may be made ahead. `shares` says that all calls share
    processes.
    """
    if in_place_by_wish.get() or comes_installed((protocol, *scripts)):
        return None
    from simnet.vault.vault import Vault

    return Vault(protocol, scripts, inputs, shares)


@contextmanager
def said_in_place(wish: bool | None) -> Iterator[None]:
    """A context in which runs call functions in place if the caller says so; None changes
    nothing.
    """
    before = in_place_by_wish.set(in_place_by_wish.get() if wish is None else wish)
    try:
        yield
    finally:
        in_place_by_wish.reset(before)
