"""Table I of Yang et al.: what each role computes and sends, as printed and as counted in runs."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import attrs

from protocols import checks
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.mechanisms.reporting import inclusion
from protocols.tss import about as tss
from protocols.tss.script import TSS
from simnet.kernel.run import run
from simnet.scenario.perform import bill as bill_of
from simnet.scenario.synthetic import uniform_items
from simnet.studies.experiment import Experiment, Measurements, Product, Word
from simnet.studies.parameters import typed
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.table import Measure, NoSuchPoint, Table

Formula = Callable[[int, int, float], float]  # a function of n, N and α


@attrs.frozen
class Entry:
    """An entry of the table: its formula as printed, and where it stands in a bill."""

    role: str
    quantity: str
    direction: str
    counting: str
    printed: str
    correction: str = ""  # the sentence to print if the formula is wrong
    instead: Formula | None = None  # the corrected formula, a mean over all reporting sets
    under: str = ""  # how the entry is read, if it has several readings

    @property
    def name(self) -> str:
        """The entry's name in the table of results: its role, quantity, direction and counting,
        without those that are `none`.
        """
        return " ".join(
            one
            for one in (self.role, self.quantity, self.direction, self.counting)
            if one != "none"
        )


def shares(users: int, items: int, alpha: float) -> float:
    """The mean number of field elements that a user of TSS draws, with uniform reporting sets: α²
    (n - 1) N.
    """
    return alpha**2 * (users - 1) * items


def sent(users: int, items: int, alpha: float) -> float:
    """The mean number of shares and sums that a user of TSS sends, with uniform reporting sets:
    αN(2 - α + αn). Shares that a user keeps for itself are counted.
    """
    return alpha * items * (2 - alpha + alpha * users)


WHY_SQUARE = (
    "An item has αn reporters on average, and the costs of an item grow with the square of the "
    "number of its reporters."
)
UNEVEN = 1e-4  # how far adaptive sets may be off the mean over people with evenly drawn items
NEARLY_EVEN = (
    " With adaptive sets, this is the mean over all people whose items are drawn evenly, as ours "
    f"are. We allow a difference of {UNEVEN:.2%}, because ours were drawn only a few times."
).replace("%", " %")
ANY_LAW = (
    "An item has αn reporters on average, whatever the law of the sets. So for evenly held items "
    "the factor is about 1/α² for every law: it is (n + 1) / (α (2 - α + αn)) for what is sent, "
    "and 1/α² for additions and draws."
)
AT_THE_MEAN = (
    "The table may count the costs of an item with exactly αn reporters, which is the mean "
    "number. So read, the entry is right."
)
ADDITIONS = f"The mean is 2α²(n - 1)N. {WHY_SQUARE}"
DRAWS = f"The mean is α²(n - 1)N. {WHY_SQUARE}"
SENDS = f"The mean is αN(2 - α + αn). {WHY_SQUARE}"
BOTH_WAYS = (
    "The printed entries of Table I have the quotient 12.5, because the entry of DPDS counts what "
    "a user sends and receives, and the entry of TSS only what it sends."
)
OF_SENT_ENTRIES = (
    "The sentence is about Table I. A user of DPDS sends nN + N elements. This number, divided by "
    "the table's entry for a user of TSS, which we find too large, is about this factor. The "
    "printed entry of DPDS also counts what a user receives."
)
OF_ENTRIES = (
    "The sentence is about Table I. The quotient of its entries for a user of DPDS and of TSS is "
    "about this factor; we find those of TSS too large."
)
ENTRIES: Mapping[str, tuple[Entry, ...]] = {
    "dpds": (
        Entry("user", "FA", "none", "wire", "2(n-1)N"),
        Entry("user", "BS", "none", "wire", "1"),
        Entry("user", "FS", "none", "wire", "(n-1)N"),
        Entry("server", "FA", "none", "wire", "(n-1)N"),
        Entry("server", "RM", "none", "wire", "N"),
        Entry(
            "user",
            "qd",
            "none",
            "logical",
            "2nN + N",
            under="sent and received, as the number suggests",
        ),
        Entry("server", "qd", "sent", "wire", "0"),
        Entry("user", "rounds", "none", "wire", "2"),
    ),
    "tss": (
        Entry(
            "user",
            "FA",
            "none",
            "wire",
            "(p_χ n - 1)(p_χ + α)N",
            ADDITIONS,
            lambda *of: 2 * shares(*of),
        ),
        Entry("user", "BS", "none", "wire", "1"),
        Entry("user", "aS", "none", "wire", "1"),
        Entry("user", "FS", "none", "wire", "(p_χ n - 1)αN", DRAWS, shares),
        Entry("S1", "nA", "none", "wire", "(n-1)N"),
        Entry("S1", "nS", "none", "wire", "αnN"),
        Entry("S2", "FA", "none", "wire", "(αn-1)N"),
        Entry("S2", "RM", "none", "wire", "N"),
        Entry("user", "bd", "sent", "wire", "N"),
        Entry("user", "qd", "sent", "logical", "αN(1 + p_χ n)", SENDS, sent),
        Entry("user", "Nd", "sent", "logical", "αN(1 + p_χ n)", SENDS, sent),
        Entry("S1", "nd", "sent", "wire", "αnN(n+1)"),
        Entry("S1", "Nd", "sent", "wire", "(n+1)N"),
        Entry("S2", "qd", "sent", "wire", "0"),
        Entry("user", "rounds", "none", "wire", "3"),
        Entry("S1", "rounds", "none", "wire", "1"),
    ),
}
SAVINGS = "Yang et al., section 3.1.3, Table I and its discussion"
SENT, ADDED, DRAWN = "user qd sent logical", "user FA wire", "user FS wire"
SAVED = {SENT: "field elements sent", ADDED: "field additions", DRAWN: "field elements drawn"}
NAMES = tuple(dict.fromkeys(entry.name for entries in ENTRIES.values() for entry in entries))


@attrs.frozen(kw_only=True)
class BillPoint:
    """A protocol with its parameters, whose costs are counted."""

    protocol: str  # dpds or tss
    users: int
    items: int
    participation: float
    reported: int = 1  # the number of items that a user of TSS reports on
    gamma: float | None = None  # the γ of adaptive reporting sets

    def script(self) -> DPDS | TSS:
        """The protocol with these parameters. Raises `ValueError` for another protocol."""
        checks.one_of("protocol", self.protocol, ("dpds", "tss"))
        size = self.users, self.items, self.participation
        return DPDS(*size) if self.protocol == "dpds" else TSS(*size, self.reported, self.gamma)


@typed(BillPoint)
def bill(point: BillPoint, seed: int, data: Path | None) -> Measurements:
    """Run the protocol; return for each entry what was counted, what is expected, and what is
    printed.
    """
    del data
    people, protocol = uniform_items(point.users, point.items, seed), point.script()
    about = tss.about(protocol) if isinstance(protocol, TSS) else dpds.about(protocol)
    rows = bill_of(about, run(protocol, people.inputs, seed, threads=1))
    numbers: dict[str, float | str] = {"people": people.source}
    for row in rows:
        entry = row.expectation
        name = Entry(entry.role, entry.quantity, entry.direction, entry.counting, "").name
        if name in NAMES:
            expected = entry.exact if entry.expected is None else entry.expected
            numbers |= {name: row.measured, f"{name} expected": expected}
            if entry.paper is not None:
                numbers[f"{name} printed"] = entry.paper
    return numbers


def quote(entry: Entry, protocol: str, gamma: float | None) -> Quote:
    """The quote of an entry's formula, for uniform (`gamma` is None) or adaptive reporting sets."""
    at = {"protocol": protocol, "gamma": gamma}
    law = "" if protocol == "dpds" else f", {'US' if gamma is None else f'AS with γ={gamma:g}'}"
    right = entry.instead

    def printed(table: Table) -> float:
        return table.at(Measure(f"{entry.name} printed", exact=True), **at).mean

    adaptive = gamma is not None and right is not None

    return Quote(
        "Yang et al., Table I",
        f"{protocol.upper()}{law}: {entry.name}, {entry.printed}",
        printed,
        lambda table: Counterpart.of(table.at(entry.name, **at)),
        correction=entry.correction + (NEARLY_EVEN if adaptive else ""),
        tolerance=(lambda _: UNEVEN) if adaptive else None,
        instead=None if right is None else lambda table: _at_sizes(right, table),
        under=entry.under,
        why="The count does not follow the printed formula.",
        disputed="" if right is None or adaptive else AT_THE_MEAN,
    )


def only_sent() -> Quote:
    """The quote that a user of DPDS *sends* 2nN + N field elements."""
    return Quote(
        "Yang et al., Table I",
        f"DPDS: {SENT}, 2nN + N",
        lambda table: float((2 * _value(table, "users") + 1) * _value(table, "items")),
        lambda table: Counterpart.of(table.at(SENT, protocol="dpds")),
        under="sent, as the legend of the table and section 3.1.2 say",
        disputed=(
            "If received elements are counted too, the number is right: see the row with this "
            "reading."
        ),
        why="A user sends nN shares, N of them to itself, and N sums. It also receives nN shares.",
    )


def about_as_much(cost: str, gamma: float | None) -> Quote:
    """The quote of a saving as the text states it: *approximately* by a factor of 1/(p_χ α)."""
    at = {"protocol": "tss", "gamma": gamma}

    def factor(table: Table) -> float:
        k, items = _value(table, "reported"), _value(table, "items")
        return float(1 / (inclusion(k, items, gamma) * Fraction(k, items)))

    law = "US" if gamma is None else f"AS with γ={gamma:g}"
    disputes = {(SENT, False): BOTH_WAYS, (SENT, True): OF_SENT_ENTRIES, (DRAWN, True): OF_ENTRIES}
    return Quote(
        SAVINGS,
        f"TSS, {law}: the factor by which {SAVED[cost]} by a user are fewer than in DPDS, "
        "1/(p_χ α)",
        factor,
        lambda table: quotient(table.at(cost, protocol="dpds"), table.at(cost, **at)),
        under="'approximately' allows a relative difference up to the threshold of this word",
        why=ANY_LAW,
        disputed=disputes.get((cost, gamma is not None), ""),
        tolerance=lambda table: table.word("approximately"),
    )


def _at_sizes(formula: Formula, table: Table) -> float:
    items = _value(table, "items")
    return float(formula(_value(table, "users"), items, _value(table, "reported") / items))


def _value(table: Table, parameter: str) -> int:
    """Return the value of a parameter that is the same in all runs.

    Raises `NoSuchPoint` if no run has the parameter, or if its value differs.
    """
    values = table.values(parameter)
    if len(values) != 1:
        raise NoSuchPoint(f"one value of {parameter!r} is needed, {len(values)} were run")
    return int(values[0])


USERS, ITEMS, REPORTED, GAMMAS = 1000, 30, 12, (2.0, 10.0)
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
    quick_trials=3,
    words={
        "approximately": Word(
            0.1,
            "a factor is 'approximately' the printed one if it differs from it by at most this "
            "share of it",
        )
    },
    choices=(
        (
            "We take n = 1000, N = 30, k = 12 (so α = 0.4), p = 0.5, and γ of 2 and 10; the "
            "paper's table has formulas only."
        ),
        "*Wire* counts what crosses a channel. *Logical* also counts the shares that a user "
        "sends to itself, as the paper does. The abbreviations are those of Table I. Operations: "
        "FA field addition, RM real multiplication, nA addition of whole numbers, BS Bernoulli "
        "draw, aS draw of a set of items, FS field element drawn, nS whole number drawn. Numbers "
        "sent: qd field elements, nd names of users, Nd names of items, bd bits. US are uniform "
        "and AS adaptive reporting sets; p_χ is the probability that a user who takes part "
        "reports on its own item.",
    ),
    quotes=[
        *(quote(entry, "dpds", None) for entry in ENTRIES["dpds"]),
        only_sent(),
        *(quote(entry, "tss", gamma) for gamma in (None, *GAMMAS) for entry in ENTRIES["tss"]),
        *(about_as_much(cost, gamma) for gamma in (None, *GAMMAS) for cost in SAVED),
    ],
    cost=lambda parameters: 0.15 if parameters["protocol"] == "dpds" else 0.5,
)
