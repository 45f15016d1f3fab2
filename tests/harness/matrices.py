"""Whole matrices over F_q in Python's integers: code that shares nothing with what it checks."""

from collections.abc import Sequence

Matrix = list[list[int]]


def reduced(rows: Sequence[Sequence[int]], q: int) -> Matrix:
    """Return the reduced echelon form, without rows of zeros."""
    left, done = [[x % q for x in row] for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        at = next((k for k in range(done, len(left)) if left[k][column]), None)
        if at is None:
            continue
        left[done], left[at] = left[at], left[done]
        inverse = pow(left[done][column], -1, q)
        left[done] = [x * inverse % q for x in left[done]]
        for k in range(len(left)):
            if k != done and (factor := left[k][column]):
                left[k] = [(x - factor * y) % q for x, y in zip(left[k], left[done], strict=True)]
        done += 1
    return left[:done]


def product(left: Matrix, right: Matrix, q: int) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) % q for column in columns]
        for row in left
    ]
