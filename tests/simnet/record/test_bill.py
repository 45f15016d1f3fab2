"""The bill of DPDS is compared with a count by hand on a small instance, and with the formulas on
many instances.
"""

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simnet
from protocols.catalogue import about
from protocols.dpds.script import DPDS
from simnet.errors import BadInput
from simnet.scenario.perform import bill
from simnet.stated.bill import BillRow, Expectation, measured
from simnet.stated.privacy import PrivacyStatement
from tests.harness.many_cases import for_each

KEYS = {
    "protocol",
    "role",
    "kind",
    "quantity",
    "direction",
    "scope",
    "counting",
    "paper",
    "exact",
    "expected",
    "measured",
    "bytes",
    "note",
}


def rows_of(
    n: int, N: int, participation: float = 0.5, seed: int = 0
) -> list[BillRow]:  # the paper's
    protocol = DPDS(n, N, participation)
    return bill(about(protocol), simnet.run(protocol, [1 + user % N for user in range(n)], seed))


def place(row: BillRow) -> tuple[str, ...]:
    entry = row.expectation
    return entry.role, entry.quantity, entry.direction, entry.scope, entry.counting


# Three users, two items. q = 5, so an element takes 3 bits and a message of two elements 1 byte. A
# user makes 3 shares: 2 x 2 drawn, 2 to add up the drawn ones, 2 to take them off the response; it
# adds up 3 shares of 2 elements, 2 x 2 additions. It sends 2 shares to others and 1 sum, keeps 1
# share, and receives 2. The server adds up 3 sums (2 x 2) and divides 2 counts.
BY_HAND = {
    ("user", "FA", "none", "per-user", "wire"): (8, 8, None),  # paper, measured, bytes
    ("user", "FS", "none", "per-user", "wire"): (4, 4, None),
    ("user", "BS", "none", "per-user", "wire"): (1, 1, None),
    ("server", "FA", "none", "total", "wire"): (4, 4, None),
    ("server", "RM", "none", "total", "wire"): (2, 2, None),
    ("user", "qd", "sent", "per-user", "wire"): (None, 6, 3),
    ("user", "qd", "received", "per-user", "wire"): (None, 4, 2),
    ("user", "qd", "sent", "per-user", "logical"): (None, 8, 4),
    ("user", "qd", "received", "per-user", "logical"): (None, 6, 3),
    ("user", "qd", "none", "per-user", "logical"): (14, 14, 7),
    ("server", "qd", "sent", "total", "wire"): (0, 0, 0),
    ("server", "qd", "received", "total", "wire"): (None, 6, 3),
    ("user", "rounds", "none", "total", "wire"): (2, 2, None),
}


def test_the_bill_of_three_users_and_two_items_is_that_worked_out_by_hand() -> None:
    rows = rows_of(3, 2)
    assert {place(row): (row.expectation.paper, row.measured, row.bytes) for row in rows} == BY_HAND
    assert len(rows) == len(BY_HAND)


@given(
    st.integers(2, 12), st.integers(1, 6), st.sampled_from([0.1, 0.5, 1.0]), st.integers(0, 2**32)
)
def test_every_measured_entry_is_the_exact_one(
    n: int,
    N: int,
    participation: float,
    seed: int,
) -> None:
    for row in rows_of(n, N, participation, seed):
        assert row.measured == row.expectation.exact == row.expectation.expected, place(row)
        assert row.holds


@given(st.integers(2, 12), st.integers(1, 6))
def test_the_paper_agrees(n: int, N: int) -> None:
    for row in rows_of(n, N):
        assert row.expectation.paper in (None, row.expectation.exact), place(row)


@given(st.integers(2, 12), st.integers(1, 6))
def test_bytes_are_those_of_as_many_packed_messages(n: int, N: int) -> None:
    width = (DPDS(n, N, 0.5).field.modulus - 1).bit_length()
    for row in rows_of(n, N):
        if row.expectation.quantity == "qd":
            messages = row.expectation.exact / N
            assert row.bytes == messages * -(-N * width // 8)
        else:
            assert row.bytes is None


def test_a_row_that_does_not_hold_says_so() -> (
    None
):  # a bill that always agreed would pass the tests above
    done = simnet.run(DPDS(3, 2, 0.5), [1, 2, 2])
    for row in bill(about(done.protocol), done):
        wrong = attrs.evolve(row.expectation, exact=row.expectation.exact + 1)
        assert not measured("dpds", wrong, done.ledger, 3).holds


def test_a_quantity_that_nobody_used_is_measured_as_none_of_it() -> None:
    done = simnet.run(DPDS(3, 2, 0.5), [1, 2, 2])
    operation = Expectation("user", "computation", "aS", "none", "per-user", "wire", 0, 0)
    bits = Expectation("user", "communication", "bd", "none", "per-user", "wire", 0, 0)
    for entry in (operation, bits):
        assert measured("dpds", entry, done.ledger, 3).measured == 0


@pytest.mark.parametrize("what", ["kind", "quantity", "direction", "scope", "counting"])
def test_an_entry_with_an_unknown_word_is_refused_with_the_known_words(what: str) -> None:
    entry: Any = Expectation("user", "communication", "qd", "sent", "per-user", "wire", 2, 2)
    with pytest.raises(BadInput, match=rf"no {what} 'zz': use one of .*\b{getattr(entry, what)}\b"):
        attrs.evolve(entry, **{what: "zz"})
    with pytest.raises(BadInput, match="no quantity 'qd': use one of FA"):
        attrs.evolve(entry, kind="computation")


def test_a_privacy_statement_with_an_unknown_relation_is_refused() -> None:
    with pytest.raises(BadInput, match="no relation 'zz': use remove or replace"):
        PrivacyStatement(1.0, -3.0, "zz", "a view", "nothing")


@for_each("row", rows_of(3, 2))
def test_a_row_has_the_keys_that_scripts_rely_on(row: BillRow) -> None:
    flat = row.as_json()
    assert set(flat) == KEYS
    assert flat["protocol"] == "dpds"
    assert (flat["measured"], flat["exact"], flat["bytes"]) == (
        row.measured,
        row.expectation.exact,
        row.bytes,
    )
