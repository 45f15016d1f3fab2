"""Compare protocols over numbers of users: error, traffic, drop-outs and trust at equal privacy.

Sampling hides a user among those who hold the same item. So its privacy depends on how many users
hold the rarest item: for n users this is the item's share times n, rounded down.

>>> compared = compare(["dpds", "oue"], [0.6, 0.3, 0.1], [1000, 100_000], epsilon=1.0, delta=1e-6)
>>> [(row.users, row.label, row.typical < 0.02) for row in compared.rows]
[(1000, 'dpds', False), (1000, 'oue', False), (100000, 'dpds', True), (100000, 'oue', True)]
>>> len(compared.crossings)
0
"""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_FLOOR, Context
from functools import partial
from math import exp, floor, fsum, isnan, log, nan, sqrt
from typing import Literal, get_args

import attrs

from protocols import checks
from protocols.advice.advice import (
    LOCAL,
    NAMES,
    SAMPLING,
    Option,
    Question,
    options_of,
    trust_in_words,
)
from protocols.advice.seconds import TooLarge, seconds
from protocols.privacy.statement import positive_epsilon
from simnet.kernel.limits import ELEMENTS_A_STEP, refuse_above
from simnet.network.network import Network
from simnet.printable import rounded
from simnet.values.frames import HEADER_BYTES

Quantity = Literal["error", "bytes", "seconds"]
# One line about each protocol, for readers who do not know its name.
IN_WORDS = {
    "dpds": "each user takes part with probability p and splits its answer into shares, one for "
    "each user; the server gets sums of shares alone",
    "tss": "each user takes part with probability p and reports on k items only; a first server, "
    "S1, elects the few users who add up shares of an item for the second server, S2",
    "committee": "each user takes part with probability p and shares its answer among a few "
    "servers; some of them are enough to open the sum",
    "secagg": "each user takes part with probability p and hides its answer from the server behind "
    "masks that cancel in the sum (secure aggregation)",
    "secagg with noise": "every user adds a share of Gaussian noise, and masks hide all but the "
    "sum (secure aggregation)",
    "secagg_plus": "each user takes part with probability p and hides its answer from the server "
    "behind masks that it shares with k neighbours only (secure aggregation)",
    "secagg_plus with noise": "every user adds a share of Gaussian noise, and masks that it "
    "shares with k neighbours only hide all but the sum (secure aggregation)",
    "dpdg": "every user adds a share of Gaussian noise and splits its answer into shares, one for "
    "each user; nobody knows the total noise",
    "grr": "local: a user sends its item, or by chance another one (randomised response)",
    "oue": "local: a user sends one bit for each item, and bits are flipped by chance (unary "
    "encoding)",
    "olh": "local: a user hashes its item into few values and sends the hash, or by chance "
    "another one (local hashing)",
    "hadamard": "local: a user sends an index into a Hadamard matrix, chosen by chance",
}
# The letters in the column `parameters`.
PARAMETERS = {
    "p=": "p is the probability with which a user takes part",
    "t=": "t is how many users must be left so that the server can open the sum; in secagg_plus, "
    "this many of each user and its k neighbours must be left",
    "k=": "k is the number of items on which a user of tss reports, and the number of neighbours "
    "in secagg_plus",
    "dpdg": "dpdg means that secure aggregation adds up the noisy answers of dpdg; they have more "
    "noise, that of this smaller δ, so that the stated δ holds with the users who are left",
    "analytic": "analytic means that the Gaussian noise is the smallest that meets the target",
}
CLOSE = 1.01  # the bisection for a crossing point ends when high / low is at most this


@attrs.frozen
class Row:
    """One protocol at one number of users.

    `typical` and `rarest` are half the width of a 95 % interval of a frequency: of a typical item,
    whose variance is the mean over all items, and of the rarest item. `option` is None if the
    protocol is not possible for `users` users; `why_not` then says why, and the margins and times
    are NaN. For each network, `seconds` has the time at which the last party ends if nobody drops
    out; it is NaN if a run has too many users or messages to compute this time.
    """

    users: int
    label: str
    option: Option | None
    typical: float
    rarest: float
    why_not: str = ""
    seconds: tuple[float, ...] = ()

    @property
    def bytes(self) -> float:
        """The payload bytes that a user sends; NaN if there is no option."""
        return nan if self.option is None else self.option.bytes


@attrs.frozen
class Crossing:
    """From about `users` users on, `better` has a smaller error than `other`, sends less, or is
    done earlier on the network with the name `network`.

    If `after` is given, `better` becomes the better one at an unknown number of users between
    `after` and `users`.
    """

    quantity: Quantity
    users: float
    better: str
    other: str
    network: str = ""
    after: int | None = None

    @property
    def place(self) -> str:
        """The beginning of a sentence: from how many users on `better` is better, and on which
        network.
        """
        where = f"from about {_rounded(self.users):,} users on"
        if self.after is not None:
            where = f"from somewhere between {self.after:,} and {round(self.users):,} users on"
        return f"{where}, on the network {self.network}" if self.network else where


@attrs.frozen
class Compared:
    """The rows, sorted by number of users and error, and the numbers of users from which on one
    protocol is better than another.

    `shares` are the frequencies of the items. `about_shares` is a sentence about them, or empty.
    """

    shares: tuple[float, ...]
    epsilon: float
    delta: float
    rows: tuple[Row, ...]
    crossings: tuple[Crossing, ...]
    networks: tuple[Network, ...] = ()
    about_shares: str = ""

    @property
    def crossings_in_words(self) -> list[str]:
        """The crossings as sentences."""
        others: dict[tuple[Quantity, str, str], list[str]] = {}
        for each in self.crossings:
            others.setdefault((each.quantity, each.place, each.better), []).append(each.other)
        betters: dict[tuple[Quantity, str, tuple[str, ...]], list[str]] = {}
        for (quantity, place, better), worse in others.items():
            betters.setdefault((quantity, place, tuple(worse)), []).append(better)
        return [
            f"{place}, {_listed(better)} {_does(quantity, len(better) > 1)} than {_listed(worse)}"
            for (quantity, place, worse), better in betters.items()
        ]

    @property
    def users(self) -> list[int]:
        """The numbers of users, ascending."""
        return sorted({row.users for row in self.rows})

    @property
    def labels(self) -> list[str]:
        """The protocols, in the order in which `rows` first names them."""
        return list(dict.fromkeys(row.label for row in self.rows))

    def series(self, label: str, quantity: Quantity, network: int = 0) -> list[float]:
        """Return, for each number of users, the typical margin, the bytes of a user, or the seconds
        on `networks[network]`; NaN where this value is not known.

        Raises `ValueError` for an unknown protocol or quantity.
        """
        checks.one_of("label", label, self.labels)
        checks.one_of("quantity", quantity, get_args(Quantity))
        found = {row.users: row for row in self.rows if row.label == label}
        return [nan if n not in found else _value(found[n], quantity, network) for n in self.users]


def compare(
    names: Sequence[str],
    shares: Sequence[float],
    users: Sequence[int],
    epsilon: float,
    delta: float,
    progress: Callable[[int], None] = lambda _: None,
    networks: Sequence[Network] = (),
    about_shares: str = "",
) -> Compared:
    """Compare protocols at equal privacy; neighbouring inputs differ in one user's item.

    `shares` are the frequencies of the items, and `about_shares` is a sentence about them for the
    reader. `progress` is called with 1 whenever all rows of a number of users are known. Each row
    has the seconds on each of the `networks`. Raises `ValueError` for no names or an unknown name,
    for no numbers of users, for shares that are not positive or do not add up to 1, and for a
    target out of range.
    """
    wrong = [name for name in names if name not in NAMES]
    if wrong:
        raise ValueError(f"no protocol is called {wrong[0]!r}: there are {', '.join(NAMES)}")
    if not names or not users:
        raise ValueError("name at least one protocol and one number of users")
    if not (abs(fsum(shares) - 1) <= 1e-9 and min(shares) > 0):  # also refuses NaN
        raise ValueError("the shares of the items must be positive and add up to 1")
    positive_epsilon(epsilon)
    checks.delta(delta)
    cells = len(names) * len(set(users)) * len(shares)
    refuse_above(f"comparing {rounded(len(shares))} items", elements=ELEMENTS_A_STEP * cells)
    at = _Population(tuple(shares), epsilon, delta, tuple(networks))
    rows: list[Row] = []
    for n in sorted(set(users)):
        of_size = [at.with_seconds(row) for name in names for row in at.rows(name, n)]
        rows += sorted(of_size, key=lambda row: (row.option is None, row.typical))
        progress(1)
    found = Compared(at.shares, epsilon, delta, tuple(rows), (), at.networks, about_shares)
    return attrs.evolve(found, crossings=tuple(_crossings(found, at)))


@attrs.frozen
class _Population:
    shares: tuple[float, ...]
    epsilon: float
    delta: float
    networks: tuple[Network, ...]
    _seconds: dict[tuple[str, int], tuple[float, ...]] = attrs.field(factory=dict)

    def rows(self, name: str, users: int) -> Iterator[Row]:
        holders = floor(min(self.shares) * users + 1e-9)
        items = len(self.shares)
        if name in SAMPLING and not holders:
            yield _without(users, name, "the rarest item would have no holder")
            return
        try:
            question = Question(users, items, self.epsilon, self.delta, holders or None)
            options = list(options_of(name, question))
        except ValueError as error:
            yield _without(users, name, str(error))
            return
        if not options:
            yield _without(users, name, "too few users or items")
        for option in options:
            mean = sqrt(sum(option.margin(share) ** 2 for share in self.shares) / items)
            yield Row(users, option.label, option, mean, option.margin(min(self.shares)))

    def with_seconds(self, row: Row) -> Row:
        key = row.label, row.users
        if key not in self._seconds:
            self._seconds[key] = (nan,) * len(self.networks)
            if row.option is not None and self.networks:
                with contextlib.suppress(TooLarge):
                    self._seconds[key] = tuple(
                        seconds(
                            row.option.script,
                            row.users,
                            partial(self._held, row.users),
                            self.networks,
                            row.option.messages,
                        )
                    )
        return attrs.evolve(row, seconds=self._seconds[key])

    def _held(self, users: int) -> list[int]:
        ends = [round(end * users) for end in itertools.accumulate(self.shares)]
        counts = [after - before for before, after in itertools.pairwise([0, *ends[:-1], users])]
        return [item for item, count in enumerate(counts, start=1) for _ in range(count)]

    def value(self, label: str, quantity: Quantity, users: int, network: int) -> float:
        name = label.removesuffix(" with noise")
        found = (row for row in self.rows(name, users) if row.label == label)
        row = next(found, None)
        if row is None:
            return nan
        timed = self.with_seconds(row) if quantity == "seconds" else row
        return _value(timed, quantity, network)


def _without(users: int, label: str, why: str) -> Row:
    return Row(users, label, None, nan, nan, why)


def _value(row: Row, quantity: Quantity, network: int) -> float:
    if quantity == "seconds":
        return row.seconds[network] if row.seconds else nan
    return row.typical if quantity == "error" else row.bytes


def _crossings(found: Compared, at: _Population) -> Iterator[Crossing]:
    """Find where two curves cross between neighbouring numbers of users, by bisection. Times of tss
    need a run and depend on its coins, so for them we give the neighbouring numbers alone.
    """
    panels: list[tuple[Quantity, int]] = [("error", 0), ("bytes", 0)]
    panels += [("seconds", network) for network in range(len(at.networks))]
    for (quantity, network), pair in itertools.product(
        panels, itertools.combinations(found.labels, 2)
    ):
        name = at.networks[network].name if quantity == "seconds" else ""
        curves = [found.series(label, quantity, network) for label in pair]
        for place, (low, high) in enumerate(itertools.pairwise(found.users)):
            before = _order(curves[0][place], curves[1][place])
            after = _order(curves[0][place + 1], curves[1][place + 1])
            if not before * after < 0:  # equal, or not both known
                continue
            better, worse = pair if after < 0 else pair[::-1]
            if quantity == "seconds" and "tss" in pair:
                yield Crossing(quantity, high, better, worse, name, low)
                continue
            is_better = partial(_is_better, at, quantity, network, better, worse)
            yield Crossing(quantity, _bisected(is_better, low, high), better, worse, name)


def _order(one: float, other: float) -> int:
    """Return -1 if the first number is smaller, 1 if it is larger, and 0 if they are equal up to
    rounding, or not both known.
    """
    if abs(one - other) <= 1e-9 * max(one, other):
        return 0
    return (one > other) - (one < other)


def _is_better(
    at: _Population, quantity: Quantity, network: int, better: str, worse: str, users: int
) -> bool:
    one, other = (at.value(label, quantity, users, network) for label in (better, worse))
    return one < other


def _bisected(is_better: Callable[[int], bool], low: float, high: float) -> float:
    while high / low > CLOSE and round(high) - round(low) > 1:
        middle = exp((log(low) + log(high)) / 2)
        low, high = (low, middle) if is_better(round(middle)) else (middle, high)
    return high


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _does(quantity: Quantity, several: bool) -> str:
    if quantity == "seconds":
        return "are done earlier" if several else "is done earlier"
    if quantity == "error":
        return "have a smaller error" if several else "has a smaller error"
    return "let a user send less" if several else "lets a user send less"


def _rounded(users: float) -> int:
    digits = len(str(round(users))) - 2
    return round(users) if digits <= 0 else round(users / 10**digits) * 10**digits


def without_counts(counts: Sequence[int]) -> list[float]:
    """Return rounded frequencies in place of the exact ones of a column.

    Privacy and the margin of the rarest item depend on the smallest share alone, and the mean
    variance over all items depends on no share. So we round the smallest share down to its first
    digit that is not 0, and the other items share the rest equally. Rounding down does not make
    privacy look better than it is.

    >>> [round(share, 4) for share in without_counts([700, 262, 38])]
    [0.03, 0.485, 0.485]
    """
    total, others = sum(counts), len(counts) - 1
    if not others:
        return [1.0]
    least = float(Context(prec=1, rounding=ROUND_FLOOR).divide(min(counts), total))
    return [least, *[(1 - least) / others] * others]


def protocols_in_words(compared: Compared) -> list[tuple[str, str]]:
    """Each protocol of the comparison, with a line that says what it does."""
    return [(label, IN_WORDS[label]) for label in compared.labels]


def parameters_in_words(compared: Compared) -> str:
    """A sentence that explains the column `parameters`; empty if there is nothing to explain."""
    shown = [row.option.parameters for row in compared.rows if row.option is not None]
    said = [words for part, words in PARAMETERS.items() if any(part in text for text in shown)]
    return f"Parameters: {'; '.join(said)}." if said else ""


def assumptions(compared: Compared) -> list[str]:
    """Sentences that say what the comparison assumes."""
    epsilon, delta = compared.epsilon, compared.delta
    labels = compared.labels
    said = [
        (
            "Every protocol meets the same ε and δ, tss by a bound: "
            if "tss" in labels
            else "Every protocol meets the same ε and δ: "
        )
        + "if one user's item is replaced, the view of each "
        f"server satisfies ε = {epsilon:g} with δ = {delta:g}"
        + (" (local mechanisms with δ = 0)" if any(name in LOCAL for name in labels) else "")
        + ", also if those drop out who may."
    ]
    if any(name in SAMPLING or name in ("secagg", "secagg_plus") for name in labels):
        said.append(
            "dpds, tss, committee, and secure aggregation without noise sample the users. They "
            "assume that the items are as frequent as stated: a share of "
            f"{min(compared.shares):.3g} of the users, rounded down to whole users, holds the "
            "rarest item. The other protocols assume nothing about the data."
        )
    said += [compared.about_shares] if compared.about_shares else []
    said += trust_in_words({label.removesuffix(" with noise") for label in labels})
    said.append(
        "Bytes are the contents of messages. Every message has a header of "
        f"{HEADER_BYTES} bytes besides, which is not counted."
    )
    said.append(
        "A margin (±) is half the width of a 95 % interval by the normal law, in percentage points "
        "(pp), if nobody drops out. A typical item is one whose variance is the mean over all "
        "items."
    )
    if compared.networks:
        said.append(
            "The time is that at which the last party ends if nobody drops out, on the network "
            "that the column names."
        )
        said += [f"{one.name}: {one.source}." for one in compared.networks if one.source]
        if any(row.option is not None and any(map(isnan, row.seconds)) for row in compared.rows):
            said.append("A time is unknown (?) where a run would have too many users or messages.")
    return said
