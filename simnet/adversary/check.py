"""Checks a certificate with nothing but Python's own arithmetic: it imports nothing of this
package.

Time is linear in the certificate's size. What it checks, over each field and with the forms as the
certificate gives them: every function claimed is what its combination of messages comes to, once
the set's own coins and secrets are taken away, and the numbers agree; adding the shift to the
honest coins, which leaves them uniform, takes everything but these functions out of all messages;
and the verdict is what follows from these functions and from the ideal output.

What it cannot check is that the forms, the kinds of unknowns and the ideal output are those of the
script: the same run, read again, gives them again. Of numbers that a script sends after opening
field elements it knows nothing.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Vector = dict[int, int]


class BadCertificate(ValueError):
    """A certificate that does not prove what it claims: says where."""


def check(certificate: Mapping[str, Any]) -> str:
    """The verdict that a certificate proves: `nothing`, `output-only` or `leaks`. Raises
    `BadCertificate`.
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
    found = [_check_field(over, corrupt) for over in certificate["fields"]]
    proved = "leaks" if "leaks" in found else "output-only" if "output-only" in found else "nothing"
    if proved != certificate["verdict"]:
        raise BadCertificate(
            f"the certificate claims {certificate['verdict']}, and proves {proved}"
        )
    return proved


def _check_field(over: Mapping[str, Any], corrupt: frozenset[str]) -> str:
    q = over["modulus"]
    known = [not corrupt.isdisjoint(holders) for _, holders, _, _ in over["unknowns"]]
    is_coin = [kind == "coin" for kind, _, _, _ in over["unknowns"]]
    forms = [_vector(message["form"], q) for message in over["messages"]]
    functions = [
        _check_learned(one, forms, over["messages"], known, is_coin, q) for one in over["learned"]
    ]
    basis = _by_pivot(functions, "functions learned")
    shift = {coin: _vector(pairs, q) for coin, pairs in over["shift"]}
    for coin, vector in shift.items():
        if (
            known[coin]
            or not is_coin[coin]
            or any(known[target] or is_coin[target] for target in vector)
        ):
            raise BadCertificate(
                "a shift adds honest secrets to honest coins, and this one does something else"
            )
    for place, form in enumerate(forms):
        rest: Vector = {}
        for unknown, value in form.items():
            if is_coin[unknown] and not known[unknown]:
                _add(rest, shift.get(unknown, {}), -value, q)
            elif not known[unknown]:
                _add(rest, {unknown: value}, 1, q)
        if _reduced(rest, basis, q):
            raise BadCertificate(f"message {place} says more than the functions learned")
    secret = [kind == "secret" for kind, _, _, _ in over["unknowns"]]
    ideal = _by_pivot([_vector(pairs, q) for pairs in over["ideal"]], "ideal output")
    certain = [function for function in functions if all(secret[unknown] for unknown in function)]
    possible = [
        {unknown: value for unknown, value in function.items() if secret[unknown]}
        for function in functions
    ]
    verdict = _finding(certain, ideal, q)
    most = "leaks" if not all(possible) else _finding(possible, ideal, q)
    if verdict != most:
        raise BadCertificate("the verdict hangs on numbers that are neither coins nor secrets")
    return verdict


def _finding(told: list[Vector], ideal: Mapping[int, Vector], q: int) -> str:
    if not told:
        return "nothing"
    return (
        "leaks" if any(_reduced(dict(function), ideal, q) for function in told) else "output-only"
    )


def _check_learned(
    one: Mapping[str, Any],
    forms: list[Vector],
    messages: list[Any],
    known: list[bool],
    is_coin: list[bool],
    q: int,
) -> Vector:
    """A function that is what its combination of messages comes to."""
    function, own = _vector(one["function"], q), _vector(one["own"], q)
    total: Vector = {}
    numbers = [0] * len(one["values"])
    for place, weight in one["weights"]:
        _add(total, forms[place], weight, q)
        numbers = [a + weight * b for a, b in zip(numbers, messages[place]["numbers"], strict=True)]
    for (_, weight), held in zip(one["own"], one["own_numbers"], strict=True):
        numbers = [a - weight * b for a, b in zip(numbers, held, strict=True)]
    _add(total, own, -1, q)
    if total != function:
        raise BadCertificate(
            "a combination of messages does not come to the function that it is said to be"
        )
    if not all(known[unknown] for unknown in own) or any(
        known[unknown] or is_coin[unknown] for unknown in function
    ):
        raise BadCertificate(
            "what is taken away must be the set's own, and what is learned honest secrets"
        )
    if [number % q for number in numbers] != one["values"]:
        raise BadCertificate("the numbers of the messages do not come to the value that is claimed")
    return function


def _vector(pairs: Iterable[tuple[int, int]], q: int) -> Vector:
    vector: Vector = {}
    for key, value in pairs:
        _add(vector, {key: value}, 1, q)
    return vector


def _add(vector: Vector, other: Mapping[int, int], factor: int, q: int) -> None:
    for key, value in other.items():
        total = (vector.get(key, 0) + factor * value) % q
        if total:
            vector[key] = total
        else:
            vector.pop(key, None)


def _by_pivot(functions: list[Vector], what: str) -> dict[int, Vector]:
    """A reduced basis by pivots: unknowns that occur in one vector alone, with coefficient 1."""
    seen: dict[int, int] = {}
    for function in functions:
        for unknown in function:
            seen[unknown] = seen.get(unknown, 0) + 1
    basis = {}
    for function in functions:
        pivot = next(
            (key for key, value in function.items() if value == 1 and seen[key] == 1), None
        )
        if pivot is None:
            raise BadCertificate(f"the {what} are no reduced basis")
        basis[pivot] = function
    return basis


def _reduced(vector: Vector, basis: Mapping[int, Vector], q: int) -> Vector:
    """What is left of a vector when its part in the span of a basis is taken away."""
    for pivot in [key for key in vector if key in basis]:
        _add(vector, basis[pivot], -vector[pivot], q)
    return vector


if __name__ == "__main__":
    try:
        print(check(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))  # noqa: T201
    except (OSError, IndexError, ValueError) as error:
        sys.exit(f"the certificate does not hold: {error}")
