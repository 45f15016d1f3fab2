"""What the messages that a coalition sees say of the rows that doors are given.

The messages are rows of linear forms. A row that a door was given is *known* if it is a combination
of them, of what the coalition holds itself and of public numbers. Its coins are *apart* from the
messages if no combination of messages has the same coins: then the numbers of both are independent
of each other, given the secrets.

Example, over F_5, with a coin 1 and a secret 10: the message is s + c.

>>> seen = SeenRows({5: [{10: 1, 1: 1}]}, is_known=lambda unknown: False, is_coin=lambda u: u < 10)
>>> seen.determines(5, {10: 2, 1: 2}), seen.determines(5, {10: 1})
(True, False)
>>> seen.leave_alone({5: [{1: 1}]}), seen.leave_alone({5: [{2: 1}]})
(False, True)
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from simnet.linear.forms import Forms
from simnet.linear.span import Span
from simnet.linear.terms import refine
from simnet.linear.vectors import Vector

Which = Callable[[int], bool]


class SeenRows:
    """The rows of messages, by modulus; `Surroundings` for the doors of honest parties."""

    def __init__(
        self, messages: Mapping[int, Sequence[Mapping[int, int]]], is_known: Which, is_coin: Which
    ) -> None:
        self._is_known = is_known
        self._is_coin = is_coin
        self._span: dict[int, Span] = {}
        self._coins: dict[int, Span] = {}
        for modulus, rows in messages.items():
            span, coins = Span(modulus), Span(modulus)
            for row in rows:
                span.add(self._hidden(row))
                coins.add(self._coins_of(row))
            self._span[modulus], self._coins[modulus] = span, coins

    def _hidden(self, row: Mapping[int, int]) -> Vector:
        return {unknown: weight for unknown, weight in row.items() if not self._is_known(unknown)}

    def _coins_of(self, row: Mapping[int, int]) -> Vector:
        hidden = self._hidden(row)
        return {unknown: weight for unknown, weight in hidden.items() if self._is_coin(unknown)}

    def determines(self, modulus: int, row: Mapping[int, int]) -> bool:
        """Whether the coalition can compute a row."""
        hidden = self._hidden(row)
        return not hidden or (modulus in self._span and hidden in self._span[modulus])

    def leave_alone(self, rows: Mapping[int, Sequence[Mapping[int, int]]]) -> bool:
        """Whether the coins of these rows, by modulus, are apart from those of the messages."""
        for modulus, of_field in rows.items():
            alone, together = Span(modulus), Span(modulus)
            for row in of_field:
                alone.add(self._coins_of(row))
            seen = self._coins.get(modulus, Span(modulus))
            for vector, _ in [*seen.basis(), *alone.basis()]:
                together.add(vector)
            if len(together) < len(seen) + len(alone):
                return False
        return True

    def is_known(self, forms: Forms) -> bool:
        """Whether the coalition can compute all elements of an array."""
        rows = refine(forms.terms, 1).vectors()
        return all(self.determines(forms.field.modulus, row) for row in rows)

    def are_apart(self, rows: Sequence[Forms]) -> bool:
        """Whether the coins of these arrays are apart from those of the messages."""
        by_modulus: dict[int, list[Vector]] = defaultdict(list)
        for forms in rows:
            by_modulus[forms.field.modulus] += refine(forms.terms, 1).vectors()
        return self.leave_alone(by_modulus)
