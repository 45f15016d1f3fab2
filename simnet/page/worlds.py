"""Two worlds side by side: what a coalition sees of a tiny run on two inputs, with exact
probabilities.

Theory of operation. The exhaustive reading gives the exact law of a coalition's view for each of
the two inputs (`simnet.exhaustive`). An outcome of such a law is a view: the members' own coins,
the plain contents of the messages that they receive, and the numbers that they can compute from
field elements. All other field elements are uniform in both worlds, so they say nothing. Here each
view becomes a text, and gets its probability in either world. A view with different probabilities
tells the worlds apart.

>>> from simnet import Seat, Tag, bits
>>> class Ask:
...     items = 2
...     def parties(self):
...         return {"u1": Seat(self.user), "server": Seat(self.server)}
...     async def user(self, me, item):
...         answer = me.disclose(lambda item, coins: item == 2 and coins.bernoulli(0.5), item)
...         await me.send(Tag("answer"), "server", bits([answer]))
...     async def server(self, me):
...         return (await me.receive(Tag("answer"), "u1")).numbers()
>>> worlds = worlds_of(Ask(), "server", [1], [2])
>>> [(row.view, row.first, row.second) for row in worlds.rows]
[('u1 → server, answer: [0]', '1', '1/2'), ('u1 → server, answer: [1]', '0', '1/2')]
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, cast

import attrs
import numpy as np

from simnet.arrays import Numbers
from simnet.contract import Protocol
from simnet.errors import BadInput
from simnet.exhaustive.compare import Comparison

MOST_ROWS = 40
LONGEST_FRACTION = 12  # letters; a longer one is written as a decimal number
_STORED: dict[str, type] = {"rd": np.float64, "bd": np.uint8}


@attrs.frozen
class WorldRow:
    """A view, and its probabilities in both worlds: as texts, and as shares of the largest
    probability of any view.

    `differs` says whether the view is more likely in one of the worlds.
    """

    view: str
    first: str
    second: str
    first_share: float
    second_share: float
    differs: bool


@attrs.frozen
class Worlds:
    """Two inputs, and the views of a coalition in both worlds: first those that differ most.

    `hidden` is the number of views that are not listed.
    """

    coalition: str
    first: str
    second: str
    is_same: bool
    epsilon: float
    delta: str
    rows: Sequence[WorldRow]
    hidden: int

    @property
    def epsilon_in_words(self) -> str:
        """The ε of the comparison, with ∞ if a view is possible in one world only."""
        return "∞" if math.isinf(self.epsilon) else f"{self.epsilon:.4g}"


def worlds_of(
    protocol: Protocol, corrupt: str, first: Sequence[Any], second: Sequence[Any]
) -> Worlds:
    """Return what a coalition sees on two inputs of a tiny instance.

    Raises `BadInput` for an instance that is not tiny, for a coalition that is empty, cannot be
    read or includes the network, for a wrong number of inputs, and if a member of the coalition has
    different inputs in the two worlds.
    """
    comparison = Comparison(protocol, corrupt)
    if comparison.corrupt.network:
        raise BadInput("two worlds are shown for parties, and not for the network")
    names = list(comparison.model.roster.names)
    compared = comparison.compare(first, second)
    left, right = compared.first, compared.second
    # Sets have no order of their own, so views with equal probabilities are ordered by their text.
    views = sorted(
        {*left, *right},
        key=lambda view: (
            -abs(left.get(view, 0) - right.get(view, 0)),
            -left.get(view, 0),
            _view(view, names),
        ),
    )
    zero = Fraction(0)
    most = max((*left.values(), *right.values()), default=Fraction(1))
    rows = [
        WorldRow(
            _view(view, names),
            _chance(left.get(view, zero)),
            _chance(right.get(view, zero)),
            float(left.get(view, zero) / most),
            float(right.get(view, zero) / most),
            left.get(view, zero) != right.get(view, zero),
        )
        for view in views[:MOST_ROWS]
    ]
    return Worlds(
        coalition=str(comparison.corrupt),
        first=", ".join(map(str, first)),
        second=", ".join(map(str, second)),
        is_same=compared.same,
        epsilon=compared.epsilon,
        delta=_chance(cast(Fraction, compared.delta())),
        rows=rows,
        hidden=len(views) - len(rows),
    )


def _chance(chance: Fraction) -> str:
    text = str(chance)
    return text if len(text) <= LONGEST_FRACTION else f"{float(chance):.4g}"


def _view(view: Hashable, names: Sequence[str]) -> str:
    """A view in words: own coins, plain messages, and the numbers that can be computed."""
    (histories, received), basis, values = cast(Any, view)
    parts = [
        f"{names[party]} drew {', '.join(map(str, outcomes))}"
        for party, (outcomes, _) in histories
        if outcomes
    ]
    elements: list[str] = []
    for message in received:
        if len(message) != 7:  # somebody waited in vain
            recipient, tag, _, senders = message
            missing = ", ".join(names[sender] for sender in senders)
            parts.append(f"{names[recipient]} hears no {tag} from {missing}")
            continue
        sender, recipient, _, tag, key, _, content = message
        of_key = "" if key is None else f" {key}"
        link = f"{names[sender]} → {names[recipient]}, {tag}{of_key}"
        plain: list[str] = []
        for piece in _pieces(content):
            if isinstance(piece[0], int):
                count = math.prod(piece[1])
                elements += [
                    f"({link})" if count == 1 else f"({link})[{place + 1}]"
                    for place in range(count)
                ]
            else:
                plain.append(_numbers(*piece))
        if plain:
            parts.append(f"{link}: {', '.join(plain)}")
    for (modulus, row), value in zip(basis, values, strict=True):
        parts.append(f"{_combination(row, elements, modulus)} = {value} mod {modulus}")
    return "; ".join(parts) or "nothing but uniform numbers"


def _pieces(content: Any) -> Iterator[Any]:
    """The pieces of a message's content: a field with a shape, or plain numbers."""
    if content and isinstance(content[0], int | str):
        yield content
    else:
        yield from content


def _numbers(kind: str, below: int, shape: tuple[int, ...], stored: bytes) -> str:  # noqa: ARG001
    flat: Numbers = np.frombuffer(stored, dtype=_STORED.get(kind, np.int64))
    return str(flat.reshape(shape).tolist())


def _combination(row: Sequence[tuple[int, int]], elements: Sequence[str], modulus: int) -> str:
    parts = []
    for place, factor in row:
        signed = factor - modulus if factor > modulus // 2 else factor
        # Numbers above the places of all elements are unknowns: the members' own field coins.
        name = elements[place] if place < len(elements) else "a field coin of a member"
        size = "" if abs(signed) == 1 else f"{abs(signed)} "
        parts.append(f"{'-' if signed < 0 else '+'} {size}{name}")
    return " ".join(parts).removeprefix("+ ")
