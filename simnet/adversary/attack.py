"""The attack: a certificate's coefficients, replayed on the numbers of a sampled run."""

from collections.abc import Sequence

import numpy as np

from simnet.adversary.field_view import BlockForms
from simnet.adversary.knowledge import Knowledge
from simnet.arrays import Ints
from simnet.errors import SimnetError
from simnet.kernel.run import Run
from simnet.linear.modular import run_sums, times
from simnet.linear.terms import accumulate, take
from simnet.linear.unknowns import Unknowns
from simnet.linear.vectors import Vector


def replay_attack(
    knowledge: Knowledge, weights: Vector, sampled: Sequence[Run], unknowns: Unknowns
) -> tuple[Ints, Ints]:
    """The value, lane by lane, of a function of honest secrets, from what a collusion set saw in
    sampled runs.

    It adds up numbers of messages, by their rows' weights, and takes away what the set's own coins
    and secrets contribute to them; returns the values, and what was taken away.
    """
    rows, factors = arrays(weights)
    seen, modulus = knowledge.seen, knowledge.modulus
    total = np.zeros(seen.terms.lanes, dtype=np.int64)
    which = np.searchsorted(seen.starts, rows, side="right") - 1
    for place in np.unique(which).tolist():
        inside = which == place
        numbers = _numbers(
            seen.parts[place], rows[inside] - seen.starts[place], sampled, seen.terms.lanes
        )
        total = (total + _weighed(numbers, factors[inside], modulus)) % modulus
    unknown, shares = own_part(knowledge, rows, factors)
    own = np.zeros_like(total)
    for places, held in unknowns.values_by_family(unknown, seen.terms.lanes):
        own = (own + _weighed(held, shares[places], modulus)) % modulus
    return (total - own) % modulus, own


def arrays(vector: Vector) -> tuple[Ints, Ints]:
    """Keys and entries of a vector, in the order of the keys."""
    keys = sorted(vector)
    return np.array(keys, dtype=np.int64), np.array([vector[key] for key in keys], dtype=np.int64)


def own_part(knowledge: Knowledge, rows: Ints, factors: Ints) -> tuple[Ints, Ints]:
    """What a combination of messages holds of the collusion set's own coins and secrets: unknowns,
    coefficients.
    """
    chosen = take(knowledge.seen.terms, rows)
    summed = accumulate(chosen, np.zeros(len(rows), dtype=np.int64), factors, 1, knowledge.modulus)
    own = knowledge.is_known(summed.unknowns)
    return summed.unknowns[own], summed.coefficients[own]


def _weighed(numbers: Ints, factors: Ints, modulus: int) -> Ints:
    """The sum of rows of numbers, each times a factor."""
    products = times(numbers, np.broadcast_to(factors[:, np.newaxis], numbers.shape), modulus)
    sums = [run_sums(column, np.zeros(1, dtype=np.int64), modulus)[0] for column in products.T]
    return np.array(sums, dtype=np.int64)


def _numbers(part: BlockForms, rows: Ints, sampled: Sequence[Run], lanes: int) -> Ints:
    """The numbers of some rows of a part as the sampled run's messages carry them; shape (rows,
    lanes).
    """
    block = sampled[part.run].transcript.blocks[part.number]
    if (block.sender, block.tag, block.round) != (
        part.block.sender,
        part.block.tag,
        part.block.round,
    ):
        raise SimnetError(
            "the sampled run is not the one that was read: its transcript holds other messages"
        )
    places = part.places[rows]
    if hasattr(block.rows, "numbers"):
        table = block.rows.numbers().reshape(len(block.recipients), -1)
    else:  # a payload of its own for every message; a part is about one of them
        message = list(block.messages())[int(places[0])]
        table, places = message.pieces[part.piece].numbers().reshape(1, -1), np.zeros_like(places)
    chosen = table[places[:, np.newaxis], part.offsets[rows][:, np.newaxis] + np.arange(lanes)]
    return np.asarray(chosen, dtype=np.int64)
