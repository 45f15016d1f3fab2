"""The attack: a combination of messages, computed with the numbers of a sampled run.

A coalition learns a function of honest secrets as a combination of messages, minus its *own part*:
what the unknowns that it knows itself, such as its own coins, contribute. To replay the attack, we
compute this combination with the numbers of the messages. The example of
`simnet.adversary.knowledge`, over F_11 with s2 = 5, c2 = 9 and c1 = 4::

    messages    s2 + c2 = 3,  2 c2 + c1 = 0         weights  1, 5     (5 is -1/2 mod 11)
    their sum   3 + 5·0 = 3
    own part    5 c1 = 9
    value       3 - 9 = 5 mod 11, which is s2
"""

from collections.abc import Sequence

import numpy as np

from simnet.adversary.field_view import BlockForms
from simnet.adversary.knowledge import Knowledge
from simnet.arrays import Ints, Numbers
from simnet.errors import SimnetError
from simnet.kernel.run import Run
from simnet.linear.modular import run_sums, times
from simnet.linear.unknowns import Unknowns
from simnet.linear.vectors import Vector
from simnet.record.message import Block
from simnet.values.opaque import Boxes
from simnet.values.residues import Residues


def replay_attack(
    knowledge: Knowledge, weights: Vector, sampled_runs: Sequence[Run], unknowns: Unknowns
) -> tuple[Ints, Ints]:
    """Compute a function of honest secrets from the messages that a coalition saw in sampled runs.

    `weights` are the coefficients of the messages, by row. Returns the values lane by lane, and the
    coalition's own part that was subtracted; both have the shape (lanes,).

    Raises `SimnetError` if a block of these messages has another sender, tag or round in a sampled
    run than in the run that was read symbolically.
    """
    rows, factors = sorted_entries(weights)
    view, modulus = knowledge.view, knowledge.modulus
    total = np.zeros(view.lanes, dtype=np.int64)
    for number, of_part in view.by_part(rows):
        part, within = view.parts[number], rows[of_part] - view.starts[number]
        numbers = _message_numbers(part, within, sampled_runs[part.run], view.lanes)
        total = (total + _weighted_sum(numbers, factors[of_part], modulus)) % modulus
    own = sampled_sum(unknowns, *own_part(knowledge, rows, factors), view.lanes, modulus)
    return (total - own) % modulus, own


def sampled_sum(
    unknowns: Unknowns, chosen: Ints, coefficients: Ints, lanes: int, modulus: int
) -> Ints:
    """The sum of the `chosen` unknowns, each times its coefficient, on the numbers of the sampled
    runs; lane by lane.
    """
    total = np.zeros(lanes, dtype=np.int64)
    for places, values in unknowns.values_by_family(chosen, lanes):
        total = (total + _weighted_sum(values, coefficients[places], modulus)) % modulus
    return total


def sorted_entries(vector: Vector) -> tuple[Ints, Ints]:
    """The keys of a vector in ascending order, and the entries in the same order."""
    keys = np.fromiter(vector.keys(), dtype=np.int64, count=len(vector))
    values = np.fromiter(vector.values(), dtype=np.int64, count=len(vector))
    order = np.argsort(keys)
    return keys[order], values[order]


def own_part(knowledge: Knowledge, rows: Ints, factors: Ints) -> tuple[Ints, Ints]:
    """The part of a combination of messages that the coalition knows itself.

    Returns the unknowns in this part, and their coefficients.
    """
    summed = knowledge.view.combined(rows, factors, knowledge.is_known)
    return summed.unknowns, summed.coefficients


def _weighted_sum(numbers: Ints, factors: Ints, modulus: int) -> Ints:
    products = times(numbers, np.broadcast_to(factors[:, np.newaxis], numbers.shape), modulus)
    sums: Ints = run_sums(products, np.zeros(1, dtype=np.int64), modulus)[0]
    return sums


def _message_numbers(part: BlockForms, rows: Ints, sampled: Run, lanes: int) -> Ints:
    """The numbers in the sampled run's messages that correspond to the given rows of a part.

    Shape (rows, lanes).
    """
    block = sampled.transcript.blocks[part.number]
    read = part.block
    if (block.sender, block.tag, block.round) != (read.sender, read.tag, read.round):
        raise SimnetError(
            "the sampled run differs from the run that was read symbolically: it has other messages"
        )
    table, places = _table(block, part, part.places[rows])
    columns = part.offsets[rows][:, np.newaxis] + np.arange(lanes)
    return np.asarray(table[places[:, np.newaxis], columns], dtype=np.int64)


def _table(block: Block, part: BlockForms, places: Ints) -> tuple[Numbers, Ints]:
    """Return a table with the numbers of a block, and for each message at `places` its line in the
    table.

    If the block is one array, the table has a line for each message. Otherwise all `places` are one
    message, and the table has a single line, for this message.
    """
    if isinstance(block.rows, Residues):
        return block.rows.numbers().reshape(len(block.recipients), -1), places
    # Each message of this block has its own payload, so a part holds rows of one message only.
    message = list(block.messages())[int(places[0])]
    piece = message.pieces[part.piece]
    opened = piece.content if isinstance(piece, Boxes) else piece
    return opened.numbers().reshape(1, -1), np.zeros_like(places)
