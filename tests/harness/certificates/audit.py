"""Compares readers of certificates with one another, and with an elimination that shares no code
with them.

A reader must refuse a corrupted file, or print a second line that is true of the file. The
comparison with the run, which `simnet verify --check` makes, must refuse every corrupted file.
"""

import random
from collections import Counter
from collections.abc import Sequence

import attrs

import tests.harness.certificates.seed_corruptions  # noqa: F401  # it adds its kinds to KINDS
from tests.harness.certificates.corruptions import KINDS, corrupted
from tests.harness.certificates.own_elimination import Listing, TooLarge, Untrue
from tests.harness.certificates.readers import Lines, Reader, python_reader
from tests.harness.certificates.tiny_law import refutation
from tests.harness.certificates.valid import Valid

TRIES = 50  # the most certificates that are tried for one kind, which not every certificate allows


@attrs.frozen
class Failure:
    """A file that was judged wrongly: its origin, its kind of corruption (empty if it is valid),
    its bytes, and what is wrong.
    """

    origin: str
    kind: str
    data: bytes
    why: str

    def __str__(self) -> str:
        return f"{self.origin} | {self.kind or 'valid'} | {self.why}"


@attrs.define
class Audit:
    """The files judged so far: how many of each kind were refused or accepted, and all failures."""

    reader: Reader = python_reader
    second_reader: Reader | None = None
    fates: Counter[tuple[str, str]] = attrs.Factory(Counter)
    statements: Counter[str] = attrs.Factory(Counter)
    compared: int = 0
    """How many corrupted files were compared with the run that they name."""

    failures: list[Failure] = attrs.Factory(list)

    def take_valid(self, valid: Valid) -> None:
        """Judge a valid certificate, which every reader, the comparison with the run and the
        elimination must accept.
        """
        data = valid.text.encode()
        lines = self._read(valid.origin, "", data)
        if lines is None:
            self._fail(valid.origin, "", data, "a valid certificate is refused")
            return
        self.statements[valid.anew["statement"]] += 1
        difference = valid.difference(data)
        if difference is not None:
            self._fail(valid.origin, "", data, f"it differs from its run: {difference}")

    def take_corrupted(self, valid: Valid, kind: str, data: bytes, compares: bool = True) -> bool:
        """Judge a corrupted certificate, and note a failure if the comparison with the run accepts
        it or a reader prints a false line.

        A change, for example of the coalition, may give exactly the certificate of another verdict.
        Such a certificate is valid: then return False, and do not count the case.
        """
        if compares and valid.difference(data) is None:
            if valid.names_another_run(data):
                return False
            self._fail(valid.origin, kind, data, "the comparison with the run accepts it")
        self.compared += compares
        lines = self._read(valid.origin, kind, data)
        self.fates[kind, "refused" if lines is None else "true"] += 1
        return True

    def _read(self, origin: str, kind: str, data: bytes) -> Lines | None:
        try:
            lines = self.reader(data)
        except Exception as error:  # a reader may refuse a file, and must not fail in another way
            self._fail(origin, kind, data, f"the reader raises {error!r}")
            return None
        if self.second_reader is not None:
            second = self.second_reader(data)
            if second != lines:
                self._fail(origin, kind, data, f"the readers differ: {lines}, {second}")
        if lines is not None:
            why = untruth(data, lines)
            if why is not None:
                self._fail(origin, kind, data, why)
        return lines

    def _fail(self, origin: str, kind: str, data: bytes, why: str) -> None:
        self.failures.append(Failure(origin, kind, data, why))

    def __str__(self) -> str:
        width = max(map(len, KINDS)) + 2
        lines = [f"{'kind'.ljust(width)}{'refused':>10}{'true line':>11}"]
        for kind in KINDS:
            refused, true = self.fates[kind, "refused"], self.fates[kind, "true"]
            lines.append(f"{kind.ljust(width)}{refused:>10,}{true:>11,}")
        return "\n".join(lines)


def untruth(data: bytes, lines: Lines) -> str | None:
    """Say why the second line that a reader prints is not true of the file; return None if the line
    is true.
    """
    try:
        listing = Listing(data.decode())
        listing.prove()
    except TooLarge:
        return None
    except Untrue as error:
        return f"{lines[1]!r} is not so: {error}"
    if listing.sentence() != lines[1]:
        return f"{lines[1]!r} should be {listing.sentence()!r}"
    return refutation(listing)


def draw_corruptions(
    audit: Audit, pool: Sequence[Valid], count: int, seed: int, compares: bool = True
) -> None:
    """Corrupt certificates of a pool, with every kind of corruption in turn, until `count` files
    were judged.
    """
    draw, kinds, done = random.Random(f"corruptions {seed}"), list(KINDS), 0
    for at in range(100 * count):
        if done == count:
            return
        kind = kinds[at % len(kinds)]
        for _ in range(TRIES):
            valid = draw.choice(pool)
            data = corrupted(valid.text, kind, draw)
            if data is not None and audit.take_corrupted(valid, kind, data, compares):
                done += 1
                break
