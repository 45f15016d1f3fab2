"""Certificates: a verdict in full, as plain data that `check` can judge without trusting us.

Theory of operation
-------------------

A verdict makes two claims, and each is easy to check once something is named.

*At least L.* For each function of its basis the certificate gives weights: the combination of the
messages seen that is this function, once the coalition's own unknowns are taken away. Anyone can
add that up, in forms and in numbers.

*At most L.* It gives a *shift*: what to add to which honest coins, in terms of honest secrets. A
uniform coin to which something is added is as uniform as before, so the shifted coins have the same
law, whatever the secrets are. If in terms of the shifted coins every message holds functions of L
alone, then the view tells nothing else.

Example: u2 sends s + c to u1 and nothing else, with c its own coin. L = 0, and the shift adds s to
c: in terms of c' = c + s the message reads c', and that tells nothing about s. Had u2 also sent c,
this message would read c' - s: no shift frees both messages of s. Then s is in L, with the weights
1 and -1.

What a certificate of this looks like, field by field; unknowns are numbered as they come. Here 0 is
s and 1 is c: the message's form is s + c, and to coin 1 the shift adds 1 times secret 0.

>>> from simnet import Field, Seat, Tag, constant, run, verdict
>>> F, NOTE = Field(11), Tag("note")
>>> class Masked:
...     def parties(self):
...         return {"u1": Seat(self.reader), "u2": Seat(self.user)}
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         await me.send(NOTE, "u1", mine + me.coins.field(F, (1,)))
...     async def reader(self, me):
...         await me.receive(NOTE, "u2", shape=(1,))
>>> certificate = certificate_of(verdict(run(Masked(), [5], seed=1), "u1"))
>>> (field,) = certificate["fields"]
>>> field["messages"][0]["form"], field["learned"], field["shift"], field["ideal"]
([[0, 1], [1, 1]], [], [[1, [[0, 1]]]], [])
>>> [(kind, holders) for kind, holders, _, _ in field["unknowns"]]
[('secret', ['u2']), ('coin', ['u2'])]
"""

from typing import Any

import numpy as np

from simnet.adversary.attack import own_part, sorted_entries
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.verdict import Verdict
from simnet.errors import SimnetError
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.linear.vectors import Vector

VERSION = 1

Pairs = list[list[int]]  # a vector: unknowns by their numbers in the certificate, and coefficients


def certificate_of(verdict: Verdict) -> dict[str, Any]:
    """The certificate of a verdict, ready for JSON.

    Raises `SimnetError` for a verdict that is undecided.
    """
    if verdict.finding == "undecided":
        raise SimnetError("an undecided verdict has no certificate: it is a bound, not a proof")
    return {
        "version": VERSION,
        "corrupt": list(verdict.corrupt.parties),
        "verdict": verdict.finding,
        "seeds": list(verdict.seeds),
        "fields": [_FieldWriter(verdict, knowledge).field() for knowledge in verdict.knowledge],
    }


class _FieldWriter:
    """Writes down what is known over one field; unknowns are numbered as they come."""

    def __init__(self, verdict: Verdict, knowledge: Knowledge) -> None:
        self._verdict = verdict
        self._knowledge = knowledge
        self._unknowns: Unknowns = verdict.unknowns
        self._numbers: dict[int, int] = {}

    def field(self) -> dict[str, Any]:
        """Everything about the field; `unknowns` is made last, when all of them have numbers."""
        knowledge = self._knowledge
        rows = knowledge.view.terms.vectors()
        messages = [self._message(row, form) for row, form in enumerate(rows)]
        learned = [
            self._learned(function.terms, function.origin) for function in knowledge.functions
        ]
        shift = [
            [self._number(coin), self._pairs(vector)]
            for coin, vector in sorted(knowledge.elimination.shift().items())
        ]
        ideal = [self._pairs(vector) for vector, _ in knowledge.ideal.basis()]
        return {
            "modulus": knowledge.modulus,
            "lanes": knowledge.view.lanes,
            "unknowns": self._names(),
            "messages": messages,
            "learned": learned,
            "shift": shift,
            "ideal": ideal,
        }

    def _message(self, row: int, form: Vector) -> dict[str, Any]:
        excerpt = self._knowledge.view.excerpt(row)
        names = self._verdict.runs[excerpt.run].roster.names
        return {
            "from": names[excerpt.sender],
            "to": names[excerpt.recipient],
            "round": excerpt.round,
            "tag": excerpt.tag,
            "key": excerpt.key,
            "run": excerpt.run + 1,
            "element": excerpt.element,
            "form": self._pairs(form),
            "numbers": excerpt.numbers.tolist(),
        }

    def _learned(self, function: Vector, origin: Vector) -> dict[str, Any]:
        knowledge, lanes = self._knowledge, self._knowledge.view.lanes
        rows, factors = sorted_entries(knowledge.elimination.weights(origin))
        own_unknowns, shares = own_part(knowledge, rows, factors)
        own_numbers = np.zeros((len(own_unknowns), lanes), dtype=np.int64)
        for places, numbers in self._unknowns.values_by_family(own_unknowns, lanes):
            own_numbers[places] = numbers
        values = np.zeros(lanes, dtype=object)  # of Python's integers, which cannot overflow
        for unknown, coefficient in function.items():
            values = values + self._unknowns.values(unknown, lanes).astype(object) * coefficient
        own = dict(zip(own_unknowns.tolist(), shares.tolist(), strict=True))
        return {
            "function": self._pairs(function),
            "weights": [list(pair) for pair in zip(rows.tolist(), factors.tolist(), strict=True)],
            "own": self._pairs(own),
            "own_numbers": own_numbers.tolist(),
            "values": [int(value) % knowledge.modulus for value in values],
        }

    def _pairs(self, vector: Vector) -> Pairs:
        return [[self._number(unknown), value] for unknown, value in vector.items()]

    def _number(self, unknown: int) -> int:
        return self._numbers.setdefault(unknown, len(self._numbers))

    def _names(self) -> list[list[Any]]:
        corrupt = self._verdict.corrupt.parties
        is_held = self._unknowns.held_by(corrupt)
        names = []
        for unknown in self._numbers:
            name = self._unknowns.name(unknown)
            is_own_monomial = name.kind == "product" and is_held[unknown // PLACES]
            holders = list(corrupt) if is_own_monomial else list(name.holders)
            names.append([name.kind, holders, name.label, name.place])
        return names
