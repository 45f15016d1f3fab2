"""Claims on costs: entries of Table I of Yang et al. for a user, and what TSS saves.

Each printed formula is compared with what a user sends, receives, draws or computes on average.
"""

from functools import lru_cache
from math import expm1

import numpy as np

from protocols.mechanisms.reporting import inclusion
from protocols.sharing import table1
from protocols.sharing.schemes import Additive
from protocols.tss.script import TSS
from scenarios.theorems.claim import Setting, ValueClaim
from simnet.stated.bill import Expectation

PAPER = "Yang et al., Table I"
COUNTED = {"qd": "elements", "FA": "additions", "FS": "draws"}  # each of them in the field F_q


@lru_cache(maxsize=8)
def _tss(setting: Setting) -> list[Expectation]:
    n, N = setting.users, setting.items  # noqa: N806  # the paper's letters
    support = np.array([n // N + (place < n % N) for place in range(N)])
    return table1.tss_in_expectation(
        TSS(n, N, -expm1(-setting.epsilon), setting.k, setting.gamma), support
    )


def _dpds(setting: Setting) -> list[Expectation]:
    return table1.dpds(setting.users, setting.items, Additive())


def _entry(
    rows: list[Expectation], quantity: str, direction: str, counting: str = "logical"
) -> Expectation:
    places = ("wire", "logical") if direction == "none" else (counting,)
    return next(
        row
        for row in rows
        if (row.role, row.quantity, row.direction) == ("user", quantity, direction)
        and row.counting in places
    )


def _claim(
    name: str, words: str, protocol: str, quantity: str, direction: str, tolerance: float
) -> ValueClaim:
    read = _tss if protocol == "tss" else _dpds

    return ValueClaim(
        name,
        words,
        PAPER,
        COUNTED[quantity],
        lambda s: _entry(read(s), quantity, direction).paper,
        lambda s: _entry(read(s), quantity, direction).expected,
        tolerance=tolerance,
    )


def _claimed_saving(setting: Setting) -> float:
    return 1 / float(inclusion(setting.k, setting.items, setting.gamma) * setting.k / setting.items)


def _saving(setting: Setting) -> float:
    """The number of field elements that a user of DPDS sends, divided by the number that a user of
    TSS sends.

    Shares that users keep for themselves are counted.
    """
    sent = [_entry(rows, "qd", "sent").expected or 0.0 for rows in (_dpds(setting), _tss(setting))]
    return sent[0] / sent[1]


ROUGH = 0.02  # the tolerance for TSS, because the paper's formulas are leading terms

COST_CLAIMS = (
    _claim(
        "Table I, DPDS user qd",
        "a user sends and receives 2nN + N field elements",
        "dpds",
        "qd",
        "none",
        1e-12,
    ),
    _claim("Table I, DPDS user FA", "2(n-1)N additions in F_q", "dpds", "FA", "none", 1e-12),
    _claim("Table I, DPDS user FS", "(n-1)N field elements drawn", "dpds", "FS", "none", 1e-12),
    _claim(
        "Table I, TSS user qd",
        "a user sends αN(1 + p_χ n) field elements",
        "tss",
        "qd",
        "sent",
        ROUGH,
    ),
    _claim(
        "Table I, TSS user FA", "(p_χ n - 1)(p_χ + α)N additions in F_q", "tss", "FA", "none", ROUGH
    ),
    _claim(
        "Table I, TSS user FS", "(p_χ n - 1)αN field elements drawn", "tss", "FS", "none", ROUGH
    ),
    ValueClaim(
        "saving of TSS",
        "a user of DPDS sends 1/(p_χ α) times as many elements as one of TSS",
        "Yang et al., section 3.1.3",
        "ratio",
        _claimed_saving,
        _saving,
        tolerance=ROUGH,
    ),
)
