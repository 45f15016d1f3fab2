"""Certificates: a verdict in full, as plain data that can be saved and that `check` can judge
without trusting us.

For each field, the messages seen with their forms and numbers; for every function learned, its
coefficients over the messages; and for everything else the shift of coins that makes up for it,
which proves that no more is learned.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from simnet.adversary.attack import arrays, own_part
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.verdict import Verdict
from simnet.errors import SimnetError
from simnet.linear.unknowns import Unknowns
from simnet.linear.vectors import Vector

VERSION = 1

Pairs = list[list[int]]


def certificate_of(verdict: Verdict) -> dict[str, Any]:
    """The certificate of a verdict, ready for JSON. Raises `SimnetError` for one that is
    undecided.
    """
    if verdict.finding == "undecided":
        raise SimnetError("an undecided verdict has no certificate: it is a bound, not a proof")
    return {
        "version": VERSION,
        "corrupt": list(verdict.corrupt.parties),
        "verdict": verdict.finding,
        "seeds": list(verdict.seeds),
        "fields": [_Writer(verdict, one).field() for one in verdict.knowledge],
    }


class _Writer:
    """Writes down what is known over one field; unknowns are numbered as they come."""

    def __init__(self, verdict: Verdict, knowledge: Knowledge) -> None:
        self._verdict = verdict
        self._knowledge = knowledge
        self._unknowns: Unknowns = verdict.unknowns
        self._numbers: dict[int, int] = {}

    def field(self) -> dict[str, Any]:
        known = self._knowledge
        messages = [self._message(row, form) for row, form in enumerate(known.seen.terms.vectors())]
        learned = [self._learned(terms, origin) for terms, origin in known.basis]
        shift = [
            [self._number(coin), self._pairs(vector)]
            for coin, vector in sorted(known.elimination.shift().items())
        ]
        ideal = [self._pairs(vector) for vector, _ in known.ideal.basis()]
        return {
            "modulus": known.modulus,
            "lanes": known.seen.terms.lanes,
            "unknowns": self._named(),
            "messages": messages,
            "learned": learned,
            "shift": shift,
            "ideal": ideal,
        }

    def _message(self, row: int, form: Vector) -> dict[str, Any]:
        carried = self._knowledge.seen.carried(row)
        names = self._verdict.runs[carried.run].roster.names
        return {
            "from": names[carried.sender],
            "to": names[carried.recipient],
            "round": carried.round,
            "tag": carried.tag,
            "key": carried.key,
            "run": carried.run + 1,
            "element": carried.element,
            "form": self._pairs(form),
            "numbers": carried.numbers.tolist(),
        }

    def _learned(self, terms: Vector, origin: Vector) -> dict[str, Any]:
        known, lanes = self._knowledge, self._knowledge.seen.terms.lanes
        rows, factors = arrays(known.elimination.weights(origin))
        unknowns, shares = own_part(known, rows, factors)
        held = np.zeros((len(unknowns), lanes), dtype=np.int64)
        for places, table in self._unknowns.values_by_family(unknowns, lanes):
            held[places] = table
        values = np.zeros(lanes, dtype=object)
        for unknown, coefficient in terms.items():
            values = values + self._unknowns.values(unknown, lanes).astype(object) * coefficient
        return {
            "function": self._pairs(terms),
            "weights": [list(pair) for pair in zip(rows.tolist(), factors.tolist(), strict=True)],
            "own": self._pairs(dict(zip(unknowns.tolist(), shares.tolist(), strict=True))),
            "own_numbers": held.tolist(),
            "values": [int(value) % known.modulus for value in values],
        }

    def _pairs(self, vector: Vector) -> Pairs:
        return [[self._number(unknown), value] for unknown, value in vector.items()]

    def _number(self, unknown: int) -> int:
        return self._numbers.setdefault(unknown, len(self._numbers))

    def _named(self) -> Iterable[list[Any]]:
        names = [self._unknowns.name(unknown) for unknown in self._numbers]
        return [[name.kind, list(name.holders), name.label, name.place] for name in names]
