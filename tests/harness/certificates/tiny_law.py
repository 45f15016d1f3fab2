"""The exact law of the messages that a small certificate lists, found by playing out every coin.

Theory of operation. A file with changes states: given what the doors have on record, the messages
tell no more about the secrets than the ideal output, or nothing. The file does not say which
function each door computes, so the statement must hold for all functions. So we draw a function for
each door at random, and compute the messages and the record for all secrets and all coins. For
every record, the messages may depend on the secrets only through the ideal output:

    P(messages | record, secrets)  is the same for all secrets with the same ideal output.

Example: the coin c is sent, and a door discloses whether s + c is 0. If the record says that it is
0, then c tells s.
"""

import functools
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from tests.harness.certificates.own_elimination import Listing, Row, unknowns_of

MOST_WORLDS = 2000  # files with more worlds than this are not played
DRAWS = 3  # the number of functions that are drawn for each door
VALUES = 2  # the number of values of a drawn function that discloses

World = dict[Any, int]


def refutation(listing: Listing) -> str | None:
    """Say how the listed rows tell more than the file states; return None if they do not, or if
    this cannot be played out.
    """
    if not listing.has_changes:
        return None
    moduli = {
        u: field.modulus
        for field in listing.fields
        for listed in unknowns_of(field)
        for u in (listed, *listing.factors(listed))
    }
    needed = [u for u in moduli if u[0] not in listing.made]
    if any(family in listing.told for family, _ in needed):
        return None  # what a member computes from messages needs their order
    coins = [u for u in needed if listing.is_coin(u)]
    secrets = [
        u for u in needed if not (listing.is_coin(u) or listing.is_known(u) or listing.factors(u))
    ]
    order = _order(listing)
    worlds = math.prod(moduli[u] for u in (*coins, *secrets))
    if order is None or worlds > MOST_WORLDS:
        return None
    for draw in range(DRAWS):
        found = _refuted(listing, moduli, coins, secrets, order, draw)
        if found is not None:
            return found
    return None


def _order(listing: Listing) -> list[int] | None:
    """Return the doors in an order in which each door comes after the doors that made its rows;
    None if there is no such order.
    """
    waits: dict[int, set[Any]] = defaultdict(set)
    for field in listing.fields:
        for each in field.opened:
            present = {f for u in each.row for f, _ in (u, *listing.factors(u))}
            waits[each.door] |= present & listing.made
    order: list[int] = []
    made: set[Any] = set()
    while len(order) < len(listing.doors):
        ready = [d for d in range(len(listing.doors)) if d not in order and waits[d] <= made]
        if not ready:
            return None
        order += ready
        made |= {listing.doors[door].made for door in ready}
    return order


def _assignments(unknowns: Sequence[Any], moduli: Mapping[Any, int]) -> Iterator[World]:
    for values in product(*(range(moduli[unknown]) for unknown in unknowns)):
        yield dict(zip(unknowns, values, strict=True))


def _refuted(
    listing: Listing,
    moduli: Mapping[Any, int],
    coins: Sequence[Any],
    secrets: Sequence[Any],
    order: Sequence[int],
    draw: int,
) -> str | None:
    fixed = {u: _drawn(draw, repr(u)) % q for u, q in moduli.items() if listing.is_known(u)}
    fixed |= {u: 1 for u in fixed if u[0] == "1"}
    # The law of the messages, by the ideal output and the record.
    laws: dict[tuple[Any, ...], dict[Any, Fraction]] = {}
    for values in _assignments(secrets, moduli):
        world = fixed | values
        _multiply(listing, world, moduli)
        told = tuple(
            _value(row, world, field.modulus)
            for field in listing.fields
            for row in field.ideal
            if listing.statement == "output-only"
        )
        by_record: dict[Any, Counter[Any]] = defaultdict(Counter)
        for played in _assignments(coins, moduli):
            world |= played
            _multiply(listing, world, moduli)
            record = _play_doors(listing, world, moduli, tuple(values.values()), order, draw)
            messages = tuple(
                _value(row, world, field.modulus) for field in listing.fields for row in field.rows
            )
            by_record[record][messages] += 1
        for record, counts in by_record.items():
            law = {key: Fraction(count, counts.total()) for key, count in counts.items()}
            if laws.setdefault((told, record), law) != law:
                return f"with the record {record}, messages tell more of the secrets {values}"
    return None


def _play_doors(
    listing: Listing,
    world: World,
    moduli: Mapping[Any, int],
    secrets: tuple[int, ...],
    order: Sequence[int],
    draw: int,
) -> tuple[Any, ...]:
    """Return what the doors have on record, and put the values that they made into the world."""
    record: list[Any] = []
    for at in order:
        door = listing.doors[at]
        rows = tuple(
            _value(each.row, world, field.modulus)
            for field in listing.fields
            for each in field.opened
            if each.door == at
        )
        given = (rows, secrets if door.has_input else ())
        if door.made is not None:
            for unknown in [u for u in moduli if u[0] == door.made]:
                world[unknown] = _drawn(draw, at, unknown[1], given) % moduli[unknown]
            _multiply(listing, world, moduli)
        if door.discloses:
            record.append((at, rows if door.in_full else _drawn(draw, at, "told", given) % VALUES))
    return tuple(record)


def _value(row: Row, world: World, modulus: int) -> int:
    return sum(value * world[unknown] for unknown, value in row.items()) % modulus


def _multiply(listing: Listing, world: World, moduli: Mapping[Any, int]) -> None:
    """Put the values of the monomials whose factors have values into the world."""
    for unknown, modulus in moduli.items():
        factors = listing.factors(unknown)
        if factors and all(factor in world for factor in factors):
            world[unknown] = math.prod(world[factor] for factor in factors) % modulus


@functools.lru_cache(maxsize=100_000)
def _drawn(*what: object) -> int:
    """Return a number that looks random, and is the same for the same arguments."""
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=6).digest())
