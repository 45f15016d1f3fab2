"""Samples of what a coalition sees, one row for each run: what an auditor of privacy needs.

A row holds what the corrupt parties put out, the secrets that they declared (their own noise among
them), and every number that they received from others. Coins that left no trace in these are not in
it, so the view's privacy loss is at least that of the rows, and lower bounds carry over.
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
    """A function `sample(count, coins)` that runs the protocol so often.

    Rows of shape (count, numbers of the view). On neighbouring inputs the corrupt parties must hold
    the same. Raises `BadInput` for a set that names nobody, and on sampling when views differ in
    length from run to run or hold no numbers.
    """
    parties = coalition_of(corrupt, Roster(protocol.parties())).parties

    def sample(count: int, coins: Coins) -> Floats:
        seeds = coins.integers(1 << 62, count).plain.tolist()
        rows = [_numbers(run(protocol, inputs, seed, observe=parties), parties) for seed in seeds]
        if len({row.size for row in rows}) > 1 or not all(row.size for row in rows):
            sizes = sorted({row.size for row in rows})
            raise BadInput(
                f"views of {', '.join(parties)} must hold equally many numbers in all runs, "
                f"got {sizes}"
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
    """Every array in lists of lists of them, as a row of numbers.

    What a party did not put out is left out.
    """
    if isinstance(values, list | tuple):
        for value in values:
            yield from _flat(value)
    elif values is not None:
        yield np.asarray(values, dtype=np.float64).ravel()
