"""A protocol made of separate scripts, for tests of the kernel."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import numpy as np

from simnet import Field, Party, Seat, Summed, Tag, constant, run
from simnet.contract import Holder
from simnet.kernel.run import Run
from simnet.values.residues import Residues

F = Field.above(100)
NOTE = Tag("note")
SHARE = Summed("share")

Script = Callable[[Party], Awaitable[Any]]


class Scripts:
    """Each party plays a script of its own, given by name: `Scripts(a=..., b=...)`."""

    def __init__(self, **scripts: Script) -> None:
        self._scripts = scripts

    def parties(self) -> Mapping[str, Seat]:
        return {name: Seat(script, role=f"play_{name}") for name, script in self._scripts.items()}


class Crowd:
    """A protocol in which `n` users play one script as a crowd; with `server`, another party plays
    that script.
    """

    def __init__(self, n: int, user: Script, server: Script | None = None) -> None:
        self.n = n
        self.user = user
        self.server = server

    def parties(self) -> Mapping[str, Seat]:
        users = {f"u{index}": Seat(self.user, index, role="user") for index in range(1, self.n + 1)}
        return (
            users if self.server is None else {**users, "server": Seat(self.server, role="server")}
        )


def elements(*values: int) -> Residues:
    return constant(F, np.array(values, dtype=np.int64))


def play(observe: tuple[str, ...] = (), **scripts: Script) -> Run:
    return run(Scripts(**scripts), observe=observe)


def protected(holder: Holder, value: Any, field: Field = F) -> Any:
    """Return a number as a secret of the holder; shape (1,)."""
    return holder.secret(in_a_list, value, field=field, shape=(1,))


def in_a_list(number: int) -> list[int]:
    return [number]


def disclosed(holder: Holder, value: Any) -> Any:
    """Disclose a sealed value as it is, in tests that are about something else."""
    return holder.disclose(as_it_is, value)


def as_it_is(value: Any) -> Any:
    return value


async def idle(me: Party) -> None:
    """Do nothing: the script of a party that takes no part."""
