"""Checks a certificate with nothing but Python's own integers: it imports nothing of this package.

    python -m simnet.adversary.check FILE

What a certificate is, and why it proves a verdict: `simnet.adversary.certificate`. Over each field,
with the forms as the certificate gives them, we check in time linear in its size that

- every function claimed is what its combination of messages comes to, once the coalition's own
  coins and secrets are taken away, and the numbers agree;
- the shift, added to honest coins, takes everything but these functions out of all messages;
- the verdict is what follows from these functions and from the ideal output.

What we cannot check is that the forms, the kinds of unknowns and the ideal output are those of the
script: the same run, read again, gives them again. A certificate is about messages: it says nothing
about disclosed values, nor about what they may add to messages.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Vector = dict[int, int]  # coefficients by unknown; none is 0


class BadCertificate(ValueError):
    """A certificate that does not prove what it claims: says where."""


def check(certificate: Mapping[str, Any]) -> str:
    """The verdict that a certificate proves: `nothing`, `output-only` or `leaks`.

    Raises `BadCertificate` for one that proves something else, or is no certificate.
    """
    try:
        return _check(certificate)
    except BadCertificate:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise BadCertificate(f"this is no certificate: {type(error).__name__} {error}") from error


def _check(certificate: Mapping[str, Any]) -> str:
    if certificate["version"] != 1:
        raise BadCertificate(f"version 1 is expected, not {certificate['version']}")
    corrupt = frozenset(certificate["corrupt"])
    by_field = [_FieldCheck(part, corrupt).verdict() for part in certificate["fields"]]
    proved = next((word for word in ("leaks", "output-only") if word in by_field), "nothing")
    if proved != certificate["verdict"]:
        raise BadCertificate(
            f"the certificate claims {certificate['verdict']}, and proves {proved}"
        )
    return proved


class _FieldCheck:
    """The check of what a certificate says over one field."""

    def __init__(self, part: Mapping[str, Any], corrupt: frozenset[str]) -> None:
        self._part = part
        self._modulus: int = part["modulus"]
        unknowns = part["unknowns"]
        self._is_own = [
            kind == "public" or not corrupt.isdisjoint(holders) for kind, holders, _, _ in unknowns
        ]
        self._is_coin = [kind == "coin" for kind, _, _, _ in unknowns]
        self._messages: Sequence[Mapping[str, Any]] = part["messages"]
        self._forms = [self._vector(message["form"]) for message in self._messages]

    def verdict(self) -> str:
        """What is proved over this field."""
        functions = [self._checked_function(claim) for claim in self._part["learned"]]
        self._check_shift(_by_pivot(functions, "functions learned"))
        ideal_output = [self._vector(pairs) for pairs in self._part["ideal"]]
        ideal = _by_pivot(ideal_output, "ideal output")
        return self._finding(functions, ideal)

    def _checked_function(self, claim: Mapping[str, Any]) -> Vector:
        """A function that is claimed, when its combination of messages comes to it."""
        function, own = self._vector(claim["function"]), self._vector(claim["own"])
        total: Vector = {}
        numbers = [0] * len(claim["values"])
        for row, weight in claim["weights"]:
            _add(total, self._forms[row], weight, self._modulus)
            numbers = _plus(numbers, weight, self._messages[row]["numbers"])
        for (_, weight), own_numbers in zip(claim["own"], claim["own_numbers"], strict=True):
            numbers = _plus(numbers, -weight, own_numbers)
        _add(total, own, -1, self._modulus)
        if total != function:
            raise BadCertificate(
                "a combination of messages does not come to the function that it is said to be"
            )
        if not all(self._is_own[unknown] for unknown in own) or any(
            self._is_own[unknown] or self._is_coin[unknown] for unknown in function
        ):
            raise BadCertificate(
                "what is taken away must be the set's own, and what is learned honest secrets"
            )
        if [number % self._modulus for number in numbers] != claim["values"]:
            raise BadCertificate(
                "the numbers of the messages do not come to the value that is claimed"
            )
        return function

    def _check_shift(self, functions: Mapping[int, Vector]) -> None:
        """Check that the shift takes everything but these functions out of all messages."""
        shift = {coin: self._vector(pairs) for coin, pairs in self._part["shift"]}
        for coin, vector in shift.items():
            of_honest_coin = self._is_coin[coin] and not self._is_own[coin]
            if not of_honest_coin or any(self._is_own[u] or self._is_coin[u] for u in vector):
                raise BadCertificate(
                    "a shift adds honest secrets to honest coins, and this one does something else"
                )
        for row, form in enumerate(self._forms):
            rest: Vector = {}
            for unknown, value in form.items():
                if self._is_own[unknown]:
                    continue
                if self._is_coin[unknown]:
                    _add(rest, shift.get(unknown, {}), -value, self._modulus)
                else:
                    _add(rest, {unknown: value}, 1, self._modulus)
            if _reduced(rest, functions, self._modulus):
                raise BadCertificate(f"message {row} says more than the functions learned")

    def _finding(self, functions: Sequence[Vector], ideal: Mapping[int, Vector]) -> str:
        if not functions:
            return "nothing"
        beyond = any(_reduced(dict(function), ideal, self._modulus) for function in functions)
        return "leaks" if beyond else "output-only"

    def _vector(self, pairs: Iterable[tuple[int, int]]) -> Vector:
        vector: Vector = {}
        for unknown, value in pairs:
            _add(vector, {unknown: value}, 1, self._modulus)
        return vector


def _plus(numbers: Sequence[int], weight: int, others: Sequence[int]) -> list[int]:
    return [a + weight * b for a, b in zip(numbers, others, strict=True)]


def _add(vector: Vector, other: Mapping[int, int], factor: int, modulus: int) -> None:
    """`vector += factor * other`, in place."""
    for key, value in other.items():
        total = (vector.get(key, 0) + factor * value) % modulus
        if total:
            vector[key] = total
        else:
            vector.pop(key, None)


def _by_pivot(functions: Sequence[Vector], title: str) -> dict[int, Vector]:
    """A reduced basis by pivots: unknowns that occur in one vector alone, with coefficient 1."""
    occurrences = Counter(unknown for function in functions for unknown in function)
    basis = {}
    for function in functions:
        pivots = (u for u, value in function.items() if value == 1 and occurrences[u] == 1)
        pivot = next(pivots, None)
        if pivot is None:
            raise BadCertificate(f"the {title} are no reduced basis")
        basis[pivot] = function
    return basis


def _reduced(vector: Vector, basis: Mapping[int, Vector], modulus: int) -> Vector:
    """What is left of a vector when its part in the span of a reduced basis is taken away."""
    for pivot in [key for key in vector if key in basis]:
        _add(vector, basis[pivot], -vector[pivot], modulus)
    return vector


if __name__ == "__main__":
    try:
        print(check(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))  # noqa: T201
    except (OSError, IndexError, ValueError) as error:
        sys.exit(f"the certificate does not hold: {error}")
