"""What a coalition really learns from a small script, by the exact laws over all its worlds.

The history h consists of all discrete coins outside doors and all disclosed values. The coalition's
own inputs and coins are fixed, and the inputs of honest parties vary over all that are possible.
Consider the law of everything that reaches the coalition from outside, at a history h:

    nothing      given h and what is its own, the law is the same for all honest inputs
    output-only  given h, what is its own and what the ideal world hands it, the law is the same
    leaks        neither
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import gcd
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from tests.harness.small_scripts.steps import input_name
from tests.harness.small_scripts.worlds import Column, Entry, Worlds

TrueFinding = Literal["nothing", "output-only", "leaks"]
History = tuple[int, ...]
LawsByInput = tuple[tuple[int, int], ...]  # pairs of an honest input and the number of a law
LARGEST_CODE = 1 << 62


def code(entries: Iterable[Entry], count: int) -> Column:
    """Return one number in `0..k-1` for each of the k combinations of these values that occur."""
    key, span = np.zeros(count, dtype=np.int64), 1
    for entry in entries:
        if span * entry.size >= LARGEST_CODE:
            key = _dense(key)
            span = int(key.max(initial=0)) + 1
        key = key * entry.size + entry.column
        span *= entry.size
    return _dense(key)


def _dense(key: Column) -> Column:
    found: Column = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return found


def unequal_groups(group: Column, source: Column, seen: Column) -> Column:
    """Return the groups in which the law of what is seen is not the same for all sources that
    occur.

    Each row is a world; all worlds of a group with equal sources are equally likely.
    """
    sources, sights = int(source.max()) + 1, int(seen.max()) + 1
    cells, cell, totals = np.unique(
        group * sources + source, return_inverse=True, return_counts=True
    )
    group_of_cell = cells // sources
    # Cells are sorted by group, so that the first cell of a group serves as its reference.
    groups, first = np.unique(group_of_cell, return_index=True)
    reference = first[np.searchsorted(groups, group_of_cell)]
    found, counts = np.unique(cell * sights + seen, return_counts=True)
    where, what = found // sights, found % sights
    wanted = reference[where] * sights + what
    place = np.minimum(np.searchsorted(found, wanted), found.size - 1)
    expected = np.where(found[place] == wanted, counts[place], 0)
    # A view that only the reference has needs no check: another count of that source is then
    # too large.
    differ = counts * totals[reference[where]] != expected * totals[where]
    return np.unique(group_of_cell[where[differ]])


def _same_in_both(
    first: set[tuple[int, LawsByInput]], second: set[tuple[int, LawsByInput]]
) -> bool:
    """Return whether each run has the same law for all honest inputs that both runs allow."""
    for (own, one), (own_too, other) in product(first, second):
        if own != own_too:
            continue
        both = dict(one).keys() & dict(other).keys()
        for laws in (dict(one), dict(other)):
            if len({laws[source] for source in both}) > 1:
                return False
    return True


@attrs.frozen(eq=False)
class Likelihoods:
    """How often each view occurs for each honest input, when a coalition's own inputs and coins are
    fixed.

    A row stands for a history, the coalition's own inputs and coins, and a view; a column stands
    for an honest input. `counts` has the number of worlds with all of these, and `totals` the
    number of worlds with this honest input and these inputs and coins of the coalition.
    """

    history: Column
    counts: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]


class Truth:
    """The exact laws of one script, from which it computes what a coalition learns."""

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        self._findings: dict[tuple[str, ...], dict[History, TrueFinding]] = {}
        self._rows = np.flatnonzero(worlds.completed)
        self._history = self._code(self._entries(worlds.history))
        table = [worlds.columns[name][0, self._rows] for name in worlds.history]
        _, first = np.unique(self._history, return_index=True)
        self.histories: dict[History, int] = {
            tuple(int(column[row]) for column in table): number for number, row in enumerate(first)
        }

    @property
    def possible(self) -> bool:
        """Whether there is a world in which no door refuses."""
        return bool(self._rows.size)

    def findings(self, coalition: Sequence[str]) -> dict[History, TrueFinding]:
        """Return what the coalition learns at each history."""
        members = tuple(coalition)
        if members not in self._findings:
            self._findings[members] = self._found(members)
        return self._findings[members]

    def _found(self, coalition: Sequence[str]) -> dict[History, TrueFinding]:
        own, honest = self._own(coalition), self._honest(coalition)
        seen = self._seen(coalition)
        told = self._unequal_histories([own], honest, seen)
        handed = self._code(self.worlds.ideal(coalition))
        beyond = self._unequal_histories([own, handed], honest, seen) if told else set()
        return {
            history: (
                "nothing"
                if number not in told
                else ("output-only" if number not in beyond else "leaks")
            )
            for history, number in self.histories.items()
        }

    def finding_of_two(
        self, coalition: Sequence[str], histories: tuple[History, History]
    ) -> TrueFinding:
        """Return what the coalition learns from two runs of the same people with the same inputs.

        The histories of both runs are known, and so is what the ideal world hands out in both runs.
        Two runs together leave fewer possible honest inputs than each run alone.
        """
        nothing = [self._laws_at(coalition, one, handed=False) for one in histories]
        if _same_in_both(*nothing):
            return "nothing"
        handed = [self._laws_at(coalition, one, handed=True) for one in histories]
        return "output-only" if _same_in_both(*handed) else "leaks"

    def _laws_at(
        self, coalition: Sequence[str], history: History, *, handed: bool
    ) -> set[tuple[int, LawsByInput]]:
        """Return the laws of the view at a history, one for each outcome of the coalition's own
        coins and inputs.

        With `handed`, one for each outcome of these and of what the ideal world hands to the
        coalition. Each entry has the code of the coalition's inputs, and a number for each honest
        input; equal numbers stand for equal laws.
        """
        here = np.flatnonzero(self._history == self.histories[history])
        holders = [who for who, _ in self.worlds.script.inputs if who in coalition]
        inputs = self._code(self._entries(map(input_name, holders)))
        fixed = [self._own(coalition)]
        if handed:
            fixed.append(self._code(self.worlds.ideal(coalition)))
        honest, seen, group = self._honest(coalition), self._seen(coalition), self._joint(fixed)
        sights: dict[tuple[int, int, int], Counter[int]] = {}
        for row in here:
            cell = int(group[row]), int(inputs[row]), int(honest[row])
            sights.setdefault(cell, Counter())[int(seen[row])] += 1
        laws: dict[tuple[int, int], dict[int, frozenset[tuple[int, int]]]] = {}
        for (number, own, source), counts in sights.items():
            common = gcd(*counts.values())
            law = frozenset((sight, count // common) for sight, count in counts.items())
            laws.setdefault((number, own), {})[source] = law
        found = set()
        for (_, own), by_source in laws.items():
            numbers = {law: number for number, law in enumerate(dict.fromkeys(by_source.values()))}
            found.add((own, tuple((source, numbers[law]) for source, law in by_source.items())))
        return found

    def is_told(self, coalition: Sequence[str], histories: Iterable[History]) -> bool:
        """Return whether the view alone tells something, even if it is no more than what was
        disclosed.
        """
        told = self.view_epsilons(coalition, neighbours=False)
        return any(told[history] > 0 for history in histories)

    def epsilons(
        self, coalition: Sequence[str], *, neighbours: bool = True
    ) -> dict[History, float]:
        """Return the largest log ratio of the probabilities under two honest inputs, at each
        history.

        The observed value is the pair of history and view. With `neighbours`, the two inputs differ
        for one party only.
        """
        laws = self._likelihoods(coalition, with_history=True)
        worst = self._worst(laws, coalition, neighbours)
        return {
            history: float(worst[laws.history == number].max())
            for history, number in self.histories.items()
        }

    def view_epsilons(
        self, coalition: Sequence[str], *, neighbours: bool = True
    ) -> dict[History, float]:
        """Return the largest log ratio at each history, for a coalition that sees its view alone.

        The part of the history that the coalition does not see is averaged out. The number for a
        history is the largest ratio over the views that occur with this history.
        """
        seen = self._seen(coalition)
        laws = self._likelihoods(coalition, with_history=False)
        worst = self._worst(laws, coalition, neighbours)
        row = self._joint([self._own(coalition), seen])
        found = np.zeros(len(self.histories))
        np.maximum.at(found, self._history, worst[row])
        return {history: float(found[number]) for history, number in self.histories.items()}

    def _worst(
        self, laws: Likelihoods, coalition: Sequence[str], neighbours: bool
    ) -> npt.NDArray[np.float64]:
        inputs = self._honest_inputs(coalition)
        worst = np.zeros(len(laws.counts))
        for one, first in enumerate(inputs):
            for other, second in enumerate(inputs):
                apart = sum(a != b for a, b in zip(first, second, strict=True))
                if one == other or (neighbours and apart > 1):
                    continue
                both = (laws.totals[:, one] > 0) & (laws.totals[:, other] > 0)
                numerator = laws.counts[:, one] * laws.totals[:, other]
                denominator = laws.counts[:, other] * laws.totals[:, one]
                ratio = np.ones(len(worst))
                np.divide(numerator, denominator, out=ratio, where=both & (denominator > 0))
                ratio[both & (denominator == 0) & (numerator > 0)] = np.inf
                with np.errstate(divide="ignore"):
                    worst = np.maximum(worst, np.log(ratio))
        return worst

    def _likelihoods(self, coalition: Sequence[str], *, with_history: bool) -> Likelihoods:
        own, honest = self._own(coalition), self._honest(coalition)
        seen = self._seen(coalition)
        if with_history:
            seen = self._joint([self._history, seen])
        row = self._joint([own, seen])
        _, first = np.unique(row, return_index=True)
        inputs = int(honest.max()) + 1
        counts = np.zeros((len(first), inputs), dtype=np.int64)
        np.add.at(counts, (row, honest), 1)
        totals = np.zeros((int(own.max()) + 1, inputs), dtype=np.int64)
        np.add.at(totals, (own, honest), 1)
        return Likelihoods(self._history[first], counts, totals[own[first]])

    def _unequal_histories(self, fixed: Sequence[Column], honest: Column, seen: Column) -> set[int]:
        group = self._joint([self._history, *fixed])
        _, first = np.unique(group, return_index=True)
        return set(self._history[first][unequal_groups(group, honest, seen)].tolist())

    def _own(self, coalition: Sequence[str]) -> Column:
        return self._code(entry for who in coalition for entry in self.worlds.drawn[who])

    def _honest(self, coalition: Sequence[str]) -> Column:
        return self._code(self._entries(self._honest_names(coalition)))

    def _entries(self, names: Iterable[str]) -> Iterator[Entry]:
        for name in names:
            yield from self.worlds.entries(name)

    def _honest_names(self, coalition: Sequence[str]) -> list[str]:
        holders = [who for who, _ in self.worlds.script.inputs if who not in coalition]
        return [input_name(who) for who in holders]

    def _honest_inputs(self, coalition: Sequence[str]) -> list[tuple[tuple[int, ...], ...]]:
        """Return the honest inputs in the order of the codes that `_honest` returns."""
        names = self._honest_names(coalition)
        values = [self.worlds.columns[name][:, self._rows] for name in names]
        _, first = np.unique(self._honest(coalition), return_index=True)
        return [tuple(tuple(items[:, row].tolist()) for items in values) for row in first]

    def _seen(self, coalition: Sequence[str]) -> Column:
        return self._code(
            entry
            for delivery in self.worlds.deliveries
            if delivery.recipient in coalition and delivery.sender not in coalition
            for entry in delivery.entries
        )

    def _code(self, entries: Iterable[Entry]) -> Column:
        cut = (Entry(entry.column[self._rows], entry.size) for entry in entries)
        return code(cut, self._rows.size)

    def _joint(self, codes: Sequence[Column]) -> Column:
        return code((Entry(one, int(one.max()) + 1) for one in codes), self._rows.size)
