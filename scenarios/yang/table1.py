"""Table I of Yang et al.: what each role computes and sends, as printed and as counted in runs."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import attrs
import numpy as np

from protocols import checks
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.mechanisms.reporting import inclusion
from protocols.sharing import table1 as bills
from protocols.sharing.schemes import Additive
from protocols.tss import about as tss
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet.kernel.run import run
from simnet.scenario.perform import bill as bill_of
from simnet.scenario.synthetic import uniform_items
from simnet.stated.bill import BillRow, Expectation
from simnet.studies.experiment import Experiment, Measurements, Product
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.parameters import typed
from simnet.studies.readings import quotient
from simnet.studies.table import Measure, Table

SOURCE = "section 3.1.3, Table I"
USERS, ITEMS, REPORTED, GAMMAS = 1000, 30, 12, (2.0, 10.0)
ALPHA = REPORTED / ITEMS
UNEVEN = (
    1e-4  # how far the mean over users may be from the formula, as 30 items divide 1000 unevenly
)
SIZES = f"n = {USERS}, N = {ITEMS}"
COMMAND = "simnet table1 --users 1000 --items 30 --participation 0.5 --reported 12"
WHY = (
    "Each user names k of N items, so an item has αn reporters on average, whatever the law of the "
    "sets; p_χ has no place in the entry."
)
# The entries: role, quantity, direction, counting, the printed formula, and its value at α.
ENTRIES: Mapping[str, tuple[tuple[str, str, str, str, str], ...]] = {
    "dpds": (
        ("user", "FA", "none", "wire", "2(n-1)N"),
        ("user", "BS", "none", "wire", "1"),
        ("user", "FS", "none", "wire", "(n-1)N"),
        ("server", "FA", "none", "wire", "(n-1)N"),
        ("server", "RM", "none", "wire", "N"),
        ("user", "qd", "none", "logical", "2nN + N"),
        ("server", "qd", "sent", "wire", "0"),
        ("user", "rounds", "none", "wire", "2"),
    ),
    "tss": (
        ("user", "FA", "none", "wire", "(p_χ n - 1)(p_χ + α)N"),
        ("user", "BS", "none", "wire", "1"),
        ("user", "aS", "none", "wire", "1"),
        ("user", "FS", "none", "wire", "(p_χ n - 1)αN"),
        ("S1", "nA", "none", "wire", "(n-1)N"),
        ("S1", "nS", "none", "wire", "αnN"),
        ("S2", "FA", "none", "wire", "(αn-1)N"),
        ("S2", "RM", "none", "wire", "N"),
        ("user", "bd", "sent", "wire", "N"),
        ("user", "qd", "sent", "logical", "αN(1 + p_χ n)"),
        ("user", "Nd", "sent", "logical", "αN(1 + p_χ n)"),
        ("S1", "nd", "sent", "wire", "αnN(n+1)"),
        ("S1", "Nd", "sent", "wire", "(n+1)N"),
        ("S2", "qd", "sent", "wire", "0"),
        ("user", "rounds", "none", "wire", "3"),
        ("S1", "rounds", "none", "wire", "1"),
    ),
}
# The costs that grow with the square of an item's reporters: the mean, and the mean in words.
GROWING: Mapping[str, tuple[Callable[[], float], str]] = {
    "FA": (lambda: 2 * ALPHA**2 * (USERS - 1) * ITEMS, "2α²(n - 1)N"),
    "FS": (lambda: ALPHA**2 * (USERS - 1) * ITEMS, "α²(n - 1)N"),
    "qd": (lambda: ALPHA * ITEMS * (2 - ALPHA + ALPHA * USERS), "αN(2 - α + αn)"),
    "Nd": (lambda: ALPHA * ITEMS * (2 - ALPHA + ALPHA * USERS), "αN(2 - α + αn)"),
}
WORDS = {
    "FA": "field additions",
    "FS": "field elements drawn",
    "qd": "field elements sent",
    "Nd": "item names sent",
}


def name_of(role: str, quantity: str, direction: str, counting: str) -> str:
    """Return the name under which a trial returns an entry."""
    return " ".join(one for one in (role, quantity, direction, counting) if one != "none")


NAMES = tuple(
    dict.fromkeys(name_of(*entry[:4]) for entries in ENTRIES.values() for entry in entries)
)


@attrs.frozen(kw_only=True)
class BillPoint:
    """A point of the experiment."""

    protocol: str
    users: int
    items: int
    participation: float
    reported: int = 1
    gamma: float | None = None

    def script(self) -> DPDS | TSS:
        """Return the protocol of this point."""
        checks.one_of("protocol", self.protocol, ("dpds", "tss"))
        size = (self.users, self.items, self.participation)
        return DPDS(*size) if self.protocol == "dpds" else TSS(*size, self.reported, self.gamma)


@typed(BillPoint)
def bill(point: BillPoint, seed: int, data: Path | None) -> Measurements:
    """Run a protocol and return its bill."""
    del data
    people, protocol = uniform_items(point.users, point.items, seed), point.script()
    about = tss.about(protocol) if isinstance(protocol, TSS) else dpds.about(protocol)
    numbers: dict[str, float | str] = {"people": people.source}
    for row in bill_of(about, run(protocol, people.inputs, seed, threads=1)):
        entry = row.expectation
        name = name_of(entry.role, entry.quantity, entry.direction, entry.counting)
        if name in NAMES:
            expected = entry.exact if entry.expected is None else entry.expected
            numbers |= {name: row.measured, f"{name} expected": expected}
    return numbers


@cache
def expectations(protocol: str, gamma: float | None) -> list[Expectation]:
    """Return the bill without a run, as printed and in expectation, for evenly held items."""
    if protocol == "dpds":
        return bills.dpds(USERS, ITEMS, Additive())
    support = np.array([USERS // ITEMS + (place < USERS % ITEMS) for place in range(ITEMS)])
    script = TSS(USERS, ITEMS, 0.5, REPORTED, gamma)
    return bills.tss_in_expectation(script, support)


def entry_of(protocol: str, gamma: float | None, name: str) -> Expectation:
    """Return the entry with this name."""
    rows = expectations(protocol, gamma)
    return next(
        row for row in rows if name_of(row.role, row.quantity, row.direction, row.counting) == name
    )


def printed(protocol: str, gamma: float | None, name: str) -> float:
    """Return what the printed formula of an entry gives."""
    paper = entry_of(protocol, gamma, name).paper
    assert paper is not None
    return paper


def exact(protocol: str, gamma: float | None, name: str) -> float:
    """Return the expected value of an entry; for the growing costs of uniform sets, the cost of
    items with exactly αn reporters, which the table may count.
    """
    entry = entry_of(protocol, gamma, name)
    if gamma is None and protocol == "tss" and entry.quantity in GROWING and entry.role == "user":
        reporters = ALPHA * USERS
        shared = ALPHA * ITEMS * (reporters - 1)
        sent = ALPHA * ITEMS * (reporters + 1)
        return {"FA": 2 * shared, "FS": shared, "qd": sent, "Nd": sent}[entry.quantity]
    return float(entry.exact if entry.expected is None else entry.expected)


def at_sizes(table: Table, protocol: str, gamma: float | None, name: str) -> Counterpart:
    """Return the measured entry at the sizes of the claims; uniform sets have other means."""
    found = table.at(name, protocol=protocol, gamma=gamma, users=USERS, items=ITEMS)
    return attrs.evolve(Counterpart.of(found), expected=None)


def entry_claims() -> Iterator[PaperClaim]:
    """Yield the claims on the entries of the table. Entries of adaptive sets stand beside those of
    uniform sets only where they depend on the law of the sets.
    """
    laws = (("dpds", None), ("tss", None), *(("tss", gamma) for gamma in GAMMAS))
    for protocol, gamma in laws:
        law = "DPDS" if protocol == "dpds" else "US" if gamma is None else f"AS γ={gamma:g}"
        for *places, formula in ENTRIES[protocol]:
            role, quantity = places[:2]
            name, of = name_of(*places), (protocol, gamma)
            grows = protocol == "tss" and role == "user" and quantity in GROWING
            if gamma is not None and not grows:
                continue
            adaptive = gamma is not None
            mean, mended = GROWING[quantity] if grows else (None, "")
            note = ""
            if grows and not adaptive:
                note = (
                    "An item has αn reporters on average, and so many are counted. The mean over "
                    f"users is {mended}."
                )
            if name == "user qd logical":
                note = (
                    "This counts what is sent and received; the legend says sent, which is nN + N."
                )
            yield PaperClaim(
                f"Table I, {law}, {role} {quantity}",
                SOURCE,
                f"{WORDS.get(quantity, quantity)} of {role}, {law}: {formula}; {SIZES}, α = 0.4",
                partial(printed, *of, name),
                partial(exact, *of, name),
                # Uniform sets are judged at αn reporters, and the runs have the mean.
                None
                if grows and not adaptive
                else partial(at_sizes, protocol=protocol, gamma=gamma, name=name),
                tolerance=UNEVEN if adaptive else 0.0,
                correction=f"The mean is {mended}." if adaptive else "",
                instead=mean if adaptive else None,
                why=WHY if adaptive else note,
                check=f"`{COMMAND} --gamma {gamma:g}`, row {quantity}; by hand: {mended}"
                if adaptive
                else "",
                top=f"Table I, AS, γ = {gamma:g}: {WORDS[quantity]} by a user." if adaptive else "",
            )


def factor(gamma: float | None) -> float:
    """Return the factor 1/(p_χ α) by which TSS is said to save."""
    return float(1 / (inclusion(REPORTED, ITEMS, gamma) * Fraction(REPORTED, ITEMS)))


def saving(gamma: float | None) -> float:
    """Return by which factor a user of TSS sends less than one of DPDS."""
    return exact("dpds", None, "user qd sent logical") / float(
        entry_of("tss", gamma, "user qd sent logical").expected or 0
    )


def measured_saving(table: Table, gamma: float | None) -> Counterpart:
    """Return the measured factor by which a user of TSS sends less than one of DPDS."""
    at = {"users": USERS, "items": ITEMS}
    sent = "user qd sent logical"
    ours = table.at(sent, protocol="tss", gamma=gamma, **at)
    return quotient(table.at(sent, protocol="dpds", **at), ours)


def saving_claims() -> Iterator[PaperClaim]:
    """Yield the claims on what TSS saves."""
    for gamma in (None, *GAMMAS):
        law = "US" if gamma is None else f"AS γ={gamma:g}"
        yield PaperClaim(
            f"Table I, {law}, saving",
            SOURCE,
            f"A user of TSS, {law}, sends approximately 1/(p_χ α) times fewer field elements than "
            "one of DPDS",
            partial(factor, gamma),
            partial(saving, gamma),
            partial(measured_saving, gamma=gamma),
            tolerance=0.1,
            correction=""
            if gamma is None
            else "The factor is about 1/α² for every law of the sets.",
            instead=None if gamma is None else lambda: 1 / ALPHA**2,
            why="Additions and draws are saved by 1/α², too. Within a tenth counts as "
            "approximately."
            + (
                ""
                if gamma is None
                else " The table's own entries give this factor, as those of TSS are too large."
            ),
            check=f"`{COMMAND} --gamma {gamma:g}`" if gamma else "",
        )


def overhead(what: str, place: int) -> float:
    """Return what TSS′ costs more than TSS: as printed for 0, and exactly for 1."""
    return overheads()[what][place]


@cache
def overheads() -> Mapping[str, tuple[float, float]]:
    """Run TSS′ once, and return what it costs more than TSS: as printed, and exactly.

    There are n = 100 users, N = 10 items, k = 4 reported items and φ = 42; every item with m_j
    reporters is short of d_j = φ + 1 - m_j.
    """
    protocol = TSSPrime(users=100, items=10, participation=0.5, reported=4, bound=42)
    done = run(protocol, uniform_items(100, 10, 0).inputs, 0, threads=1)
    m = np.asarray(done.outputs["S1"][0]).sum(axis=0, dtype=np.int64)
    d, n = np.maximum(protocol.bound + 1 - m, 0), protocol.users
    rows = bill_of(tss.about(protocol), done)

    def more(role: str, quantity: str, direction: str, of_tss: float, less: float = 0) -> float:
        row = _row(rows, role, quantity, direction)
        return float(row.measured) * (n if role == "user" else 1) - less - float(of_tss)

    sums = float(_row(rows, "S2", "qd", "received").measured)
    by_reporters = float((m * (m - 1)).sum())
    return {
        "S1 draws": (float(d.sum()), more("S1", "nS", "none", m.sum())),
        "S1 publishes": (
            float((n + 1) * np.count_nonzero(d)),
            more("S1", "nd", "sent", (n + 1) * m.sum()),
        ),
        "S2 adds": (float(d.sum()), more("S2", "FA", "none", np.maximum(m - 1, 0).sum())),
        "reporters draw": (float((m * d).sum()), more("user", "FS", "none", by_reporters)),
        "reporters add": (
            float((m * d).sum()),
            more("user", "FA", "none", ((2 * m + d) * (m - 1)).sum()),
        ),
        "reporters send": (
            float((m * d).sum()),
            more("user", "qd", "sent", (m * m).sum(), sums),
        ),
        "elected users add": (
            float(((m + d) * d).sum()),
            more("user", "FA", "none", (2 * m * (m - 1) + m * d).sum()),
        ),
    }


def _row(rows: list[BillRow], role: str, quantity: str, direction: str) -> BillRow:
    logical = (role, quantity) == ("user", "qd")
    return next(
        row
        for row in rows
        if (row.expectation.role, row.expectation.quantity, row.expectation.direction)
        == (role, quantity, direction)
        and (row.expectation.counting == "logical") == logical
    )


def overhead_claims() -> Iterator[PaperClaim]:
    """Yield the claims on what TSS′ costs more than TSS."""
    said = {
        "S1 draws": "S1 draws d_j more names of users",
        "S1 publishes": "S1 publishes one more number, m_j",
        "S2 adds": "S2 makes d_j more field additions",
        "reporters draw": "each reporter draws d_j more field elements",
        "reporters add": "each reporter makes d_j more field additions",
        "reporters send": "each reporter sends d_j more field elements",
        "elected users add": "each elected user makes d_j more field additions",
    }
    right = {
        "S1 publishes": "S1 also publishes the d_j further elected users, and m_j for every item.",
        "elected users add": "An elected user adds m_j shares as in TSS. Only the d_j further "
        "elected users are new, with m_j - 1 additions each.",
    }
    for what, words in said.items():
        yield PaperClaim(
            f"TSS′, {what}",
            "section 3.1.3, after Algorithm 4",
            f"For an item with m_j < φ + 1 reporters, {words} than in TSS (n = 100, N = 10, k = "
            "4, φ = 42)",
            partial(overhead, what, 0),
            partial(overhead, what, 1),
            correction=right.get(what, ""),
            check="by hand: TSS′ elects φ + 1 users where TSS elects m_j" if what in right else "",
        )


COMMON: Product = {"users": [USERS], "items": [ITEMS], "participation": [0.5]}
EXPERIMENT = Experiment(
    summary="Costs of DPDS and TSS",
    source="Yang et al., Table I",
    trial=bill,
    grid=[
        {"protocol": ["dpds"], **COMMON},
        {"protocol": ["tss"], **COMMON, "reported": [REPORTED]},
        {"protocol": ["tss"], **COMMON, "reported": [REPORTED], "gamma": list(GAMMAS)},
    ],
    measures=[Measure(name, name, f"{name} expected") for name in NAMES],
    trials=10,
    choices=(
        "We take n = 1000, N = 30, k = 12 (so α = 0.4), p = 0.5, and γ of 2 and 10; the paper's "
        "table has formulas only.",
        "*Wire* counts what crosses a channel. *Logical* also counts the shares that a user "
        "sends to itself, as the paper does. US are uniform and AS adaptive reporting sets; p_χ "
        "is the probability that a user who takes part reports on its own item.",
    ),
    claims=[*entry_claims(), *saving_claims()],
    cost=lambda parameters: 0.15 if parameters["protocol"] == "dpds" else 0.5,
)
