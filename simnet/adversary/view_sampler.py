"""Samples of a coalition's view, one row of numbers for each run, for an auditor of privacy.

A row contains the outputs of the coalition's members, the secrets that they declared (for example
their own noise), and every number in the payloads that they received from parties outside. A
member's coins, the keys of messages, values that other parties disclose, and watched traffic are in
the view, but not in the row. So the privacy loss of the view is at least that of the rows, and a
lower bound for the rows is also a lower bound for the view.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from simnet.adversary.coalition import Coalition, coalition_of
from simnet.arrays import Floats
from simnet.coins.coins import Coins
from simnet.contract import Protocol
from simnet.errors import BadInput
from simnet.kernel.inputs import Inputs
from simnet.kernel.run import Run, run
from simnet.roster import Roster


def view_sampler(
    protocol: Protocol, inputs: Inputs, corrupt: str | Iterable[str] | Coalition
) -> Callable[[int, Coins], Floats]:
    """Return a function `sample(count, coins)` that runs the protocol `count` times.

    The sampler returns an array with one row for each run. On neighbouring inputs the coalition's
    members must have the same inputs. Raises `BadInput` for a coalition that is empty or cannot be
    read. `sample` raises `BadInput` for a coalition without parties, which only watches the
    network, for an output that is not made of numbers, and if the rows have different lengths or no
    numbers.
    """
    parties = coalition_of(corrupt, Roster(protocol.parties())).parties

    def sample(count: int, coins: Coins) -> Floats:
        seeds = coins.integers(1 << 62, count).plain.tolist()
        rows = [_numbers(run(protocol, inputs, seed, observe=parties), parties) for seed in seeds]
        if len({row.size for row in rows}) > 1 or not all(row.size for row in rows):
            sizes = sorted({row.size for row in rows})
            raise BadInput(
                f"views of {', '.join(parties)} must have equally many numbers in all runs, and "
                f"at least one, got {sizes}"
            )
        return np.array(rows)

    return sample


def _numbers(done: Run, parties: Iterable[str]) -> Floats:
    outputs = [done.outputs.get(name) for name in parties]
    secrets = [
        secret.numbers(signed=True) for name in parties for secret in done.secrets.get(name, ())
    ]
    received = [
        piece.numbers() for message in done.view(parties).received for piece in message.pieces
    ]
    return np.concatenate([np.empty(0), *_flat([*outputs, *secrets, *received])])


def _flat(values: Any) -> Iterator[Floats]:
    """Yield all numbers in arrays and in nested lists of arrays, as arrays with one axis.

    Missing outputs are left out. Raises `BadInput` for something that is no array of numbers.
    """
    if isinstance(values, list | tuple):
        for value in values:
            yield from _flat(value)
    elif values is not None:
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise BadInput(
                "an output of the coalition must consist of numbers, arrays and lists of these, "
                f"got {type(values).__name__}"
            ) from None
        yield numbers.ravel()
