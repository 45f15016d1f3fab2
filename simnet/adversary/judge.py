"""The judge: reads runs symbolically once, and gives a verdict on any collusion set of the parties
it observed.
"""

import copy
import functools
from collections.abc import Hashable, Iterable, Sequence

from simnet.adversary.coalition import Coalition, coalition_of
from simnet.adversary.discrete import DiscreteView, discrete_view
from simnet.adversary.field_view import BlockForms, aligned, arrivals, parts_of
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.symbolic import Opening, Scaling, Symbolic
from simnet.adversary.verdict import ShareFinding, Verdict
from simnet.errors import BadInput, SimnetError
from simnet.kernel.ideal import ideal_world
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run
from simnet.linear.terms import Terms
from simnet.linear.unknowns import Unknowns
from simnet.record.trace import canonical
from simnet.values.field import Field, FieldArray

Given = str | Iterable[str] | Coalition


def verdict(runs: Run | Sequence[Run], corrupt: Given) -> Verdict:
    """What a collusion set learns from a run, or from several together (repeated collections, say).

    `corrupt` names parties: `["u1", "server"]`, or a text such as `all users but one, network`.
    Raises `BadInput` for a set that is empty or names nobody, `SimnetError` when no honest party
    has declared a secret.
    """
    given = [runs] if isinstance(runs, Run) else list(runs)
    if not given:
        raise BadInput("a verdict is about at least one run")
    chosen = coalition_of(corrupt, _largest(given).roster)
    everyone = [name for one in given for name in one.roster.names]
    return Judge(given, everyone if chosen.network else chosen.parties).verdict(chosen)


class Judge:
    """Runs read symbolically, ready for verdicts. `observe` are all parties that may come to be
    called corrupt.
    """

    def __init__(self, runs: Sequence[Run], observe: Iterable[str]) -> None:
        self.unknowns = Unknowns()
        self._observed = sorted(set(observe))
        self._given = runs
        self._readings = [
            Symbolic(self.unknowns, _identity(one) if len(runs) > 1 else None, place)
            for place, one in enumerate(runs, start=1)
        ]
        self._runs = [
            self._played(one, reading) for one, reading in zip(runs, self._readings, strict=True)
        ]
        self._ideal = [
            ideal_world(one.protocol, one.inputs, one.seed, reading)
            for one, reading in zip(self._runs, self._readings, strict=True)
        ]
        # The given run is compared too: it may have observed nobody, but has its bill and outputs.
        for one, numbers, forms in zip(runs, self.sampled, self._runs, strict=True):
            compare_runs(one, numbers)
            compare_runs(numbers, forms)

    @functools.cached_property
    def sampled(self) -> tuple[Run, ...]:
        """The runs once more with numbers alone, on which attacks are replayed."""
        return tuple(self._played(one, None) for one in self._given)

    def verdict(self, corrupt: Given) -> Verdict:
        """What a set of observed parties learns."""
        chosen = coalition_of(corrupt, _largest(self._runs).roster)
        watched = (
            {name for one in self._runs for name in one.roster.names}
            if chosen.network
            else set(chosen.parties)
        )
        unseen = sorted(watched - set(self._observed))
        if unseen:
            raise BadInput(f"{unseen[0]} was not observed by this judge: name it in `observe`")
        discrete = discrete_view(
            self._runs, chosen, len({reading.run for reading in self._readings})
        )
        notes = self._notes(chosen, discrete)
        if self._shares_nothing(discrete):
            finding: ShareFinding = "no-shares"
            certain: tuple[Knowledge, ...] = ()
        else:
            finding, certain = self._found(chosen, notes)
        seeds = tuple(one.seed for one in self._runs)
        return Verdict(
            chosen,
            finding,
            tuple(notes),
            discrete,
            seeds,
            certain,
            tuple(self._runs),
            lambda: self.sampled,
            self.unknowns,
        )

    def _found(
        self, chosen: Coalition, notes: list[str]
    ) -> tuple[ShareFinding, tuple[Knowledge, ...]]:
        """What the set learns from field elements; why it is undecided, if it is, is added to the
        notes.
        """
        parts = [part for place in range(len(self._runs)) for part in self._parts(place, chosen)]
        opened = [part for place in range(len(self._runs)) for part in self._opened(place, chosen)]
        fields = sorted({part.field for part in [*parts, *opened]}, key=lambda field: field.modulus)
        certain = tuple(self._knowledge(field, parts, chosen) for field in fields)
        widest = (
            [self._knowledge(field, [*parts, *opened], chosen) for field in fields]
            if opened
            else certain
        )
        uncovered = [
            *["field elements that a script made of plain numbers"]
            * any(one.reads_undeclared for one in certain),
            *[
                f"what {party} sends after multiplying by plain numbers"
                for party in self._scaling(chosen)
            ],
        ]
        finding = _finding(certain, widest, bool(uncovered))
        if finding == "undecided":
            notes.append(_why_undecided(certain, uncovered, bool(opened)))
        return finding, certain

    def _shares_nothing(self, discrete: DiscreteView) -> bool:
        """Whether the protocol states that perturbation alone protects inputs, and no field element
        belies it.
        """
        stated = discrete.disclosure is not None and discrete.disclosure.alone
        return (
            stated
            and not self._declared
            and not any("qd" in one.ledger.total().elements for one in self._runs)
        )

    @functools.cached_property
    def _declared(self) -> frozenset[str]:
        """Who declared a secret."""
        return frozenset(name for reading in self._readings for name in reading.declared)

    def _played(self, given: Run, reading: Symbolic | None) -> Run:
        """A run once more; in one thread, so that blocks are recorded in the same order every
        time.
        """
        return run(
            given.protocol,
            given.inputs,
            given.seed,
            observe=self._present(given),
            reading=reading,
            threads=1,
            schedule=copy.deepcopy(given.schedule),
        )

    def _present(self, given: Run) -> list[str]:
        return [name for name in self._observed if name in given.roster.number]

    def _members(self, place: int, chosen: Coalition) -> frozenset[int]:
        numbers = self._runs[place].roster.number
        return frozenset(numbers[name] for name in chosen.parties if name in numbers)

    def _parts(self, place: int, chosen: Coalition) -> Iterable[BlockForms]:
        return parts_of(place, self._runs[place].transcript.blocks, self._members(place, chosen))

    def _opened(self, place: int, chosen: Coalition) -> Iterable[BlockForms]:
        """What honest parties opened before a plain message reached the set that may have depended
        on it.
        """
        names = self._runs[place].roster.names
        heard = arrivals(self._runs[place].transcript.blocks, self._members(place, chosen))
        for opening in self._readings[place].openings:
            if _is_told(opening, heard, names, chosen):
                yield BlockForms.of_opened(place, opening.forms)

    def _scaling(self, chosen: Coalition) -> list[str]:
        """Honest parties whose plain factors a message to the set may tell."""
        found = []
        for place, reading in enumerate(self._readings):
            heard = arrivals(self._runs[place].transcript.blocks, self._members(place, chosen))
            names = self._runs[place].roster.names
            found += [one.party for one in reading.scalings if _is_told(one, heard, names, chosen)]
        return list(dict.fromkeys(found))

    def _knowledge(self, field: Field, parts: Sequence[BlockForms], chosen: Coalition) -> Knowledge:
        handed = [
            forms
            for ideal in self._ideal
            for name in chosen.parties
            for forms in _arrays(ideal.get(name))
        ]
        allowed: list[Terms] = [
            forms.terms for forms in handed if hasattr(forms, "terms") and forms.field == field
        ]
        seen = aligned(field, [part for part in parts if part.field == field], allowed)
        return Knowledge(seen, self.unknowns, chosen.parties)

    def _notes(self, chosen: Coalition, discrete: DiscreteView) -> list[str]:
        """What a reader of the verdict should know; raises `SimnetError` when there is nothing to
        judge.
        """
        holding = {name for one in self._runs for name in one.inputs} - set(chosen.parties)
        silent = sorted(holding - self._declared, key=lambda name: (len(name), name))
        if self._declared - set(chosen.parties):
            uncovered = "holds an input but declared no secret: the verdict does not cover it"
            return [f"{name} {uncovered}" for name in silent[:1]]
        if self._shares_nothing(discrete) and silent:
            return []
        if not self._shares_nothing(discrete) and (not self._declared or silent):
            raise SimnetError(
                "no honest party declared a secret in this run, so there is nothing to "
                "judge: a script declares "
                "what messages must protect with me.secret(...), or states (`disclosure`) "
                "that perturbation alone does"
            )
        everyone = all(set(one.roster.names) <= set(chosen.parties) for one in self._runs)
        held = "a secret" if self._declared else "an input"
        who = "everyone is" if everyone else f"all who hold {held} are"
        return [f"{who} corrupt: nothing is left to learn"]


def _identity(one: Run) -> Hashable:
    """What tells whether two of the runs judged together are one run given twice."""
    return one.seed, repr(one.protocol), canonical(one.inputs)


def _largest(runs: Sequence[Run]) -> Run:
    """The run with the most parties: sets are written in its terms."""
    return max(runs, key=lambda one: len(one.roster))


def _is_told(
    event: Opening | Scaling,
    heard: set[tuple[int, int]],
    names: Sequence[str],
    chosen: Coalition,
) -> bool:
    """Whether a message to the set may depend on what an honest party did: its own next one,
    others' a round later.
    """
    if event.party in chosen.parties:
        return False
    return any(round_ > event.depth + (names[sender] != event.party) for sender, round_ in heard)


def _arrays(handed: FieldArray | Sequence[FieldArray] | None) -> Sequence[FieldArray]:
    if handed is None:
        return ()
    return list(handed) if isinstance(handed, Sequence) else [handed]


def _finding(
    certain: Sequence[Knowledge], widest: Sequence[Knowledge], uncovered: bool
) -> ShareFinding:
    """The verdict that holds whatever opaque and opened numbers turn out to tell, if there is
    one.
    """
    least: ShareFinding = "nothing"
    if any(one.functions for one in certain):
        least = "leaks" if any(one.exceeds_output for one in certain) else "output-only"
    most: ShareFinding = "nothing"
    if any(len(one.possible) for one in widest):
        most = "leaks" if any(one.may_exceed_output for one in widest) else "output-only"
    if uncovered:
        most = "leaks"
    return least if least == most else "undecided"


def _why_undecided(certain: Sequence[Knowledge], uncovered: Sequence[str], opened: bool) -> str:
    known = "nothing" if not any(one.functions for one in certain) else "what is listed here"
    if uncovered:
        return (
            f"the set knows at least {known}; it also sees {'; '.join(uncovered)}: declare "
            f"secrets with me.secret(...) "
            "and use what it returns, send plain numbers as index(...) or bits(...), public "
            "factors with combine(...)"
        )
    if opened:
        return (
            f"the set knows at least {known}; messages came to it after field elements were opened"
        )
    return (
        f"the set knows at least {known}; more hangs on plain numbers that a script put "
        f"into field messages: draw them "
        "as field coins, or declare them with me.secret(...)"
    )
