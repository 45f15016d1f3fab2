"""The judge: reads runs symbolically once, and gives a verdict on any collusion set of the parties it observed."""

import functools
from collections.abc import Iterable, Sequence

from simnet.adversary.collusion import CollusionSet, collusion_set
from simnet.adversary.discrete import discrete_part
from simnet.adversary.knowledge import OPAQUE, Knowledge
from simnet.adversary.seen import Part, aligned, parts_of, tellings
from simnet.adversary.symbolic import Opening, Symbolic
from simnet.adversary.terms import Terms
from simnet.adversary.unknowns import Unknowns
from simnet.adversary.verdict import Finding, Verdict
from simnet.errors import BadInput, SimnetError
from simnet.kernel.ideal import ideal_world
from simnet.kernel.run import Run, run
from simnet.values.field import Field, FieldArray

Given = str | Iterable[str] | CollusionSet


def verdict(runs: Run | Sequence[Run], corrupt: Given) -> Verdict:
    """What a collusion set learns from a run, or from several together (repeated collections, say).

    `corrupt` names parties: `["u1", "server"]`, or a text such as `all users but one, network`. Raises `BadInput` for
    a set that is empty or names nobody, `SimnetError` when no honest party has declared a secret.
    """
    given = [runs] if isinstance(runs, Run) else list(runs)
    if not given:
        raise BadInput("a verdict is about at least one run")
    chosen = collusion_set(corrupt, _largest(given).roster)
    everyone = [name for one in given for name in one.roster.names]
    return Judge(given, everyone if chosen.network else chosen.parties).verdict(chosen)


class Judge:
    """Runs read symbolically, ready for verdicts. `observe` are all parties that may come to be called corrupt."""

    def __init__(self, runs: Sequence[Run], observe: Iterable[str]) -> None:
        self.unknowns = Unknowns()
        self._observed = sorted(set(observe))
        self._given = runs
        self._readings = [
            Symbolic(self.unknowns, (one.seed, repr(one.protocol), repr(one.inputs)), place)
            for place, one in enumerate(runs, start=1)
        ]
        self._runs = [self._read(one, reading) for one, reading in zip(runs, self._readings, strict=True)]
        self._ideal = [
            ideal_world(one.protocol, one.inputs, one.seed, reading)
            for one, reading in zip(self._runs, self._readings, strict=True)
        ]

    @functools.cached_property
    def sampled(self) -> tuple[Run, ...]:
        """The runs once more with numbers alone, on which attacks are replayed."""
        return tuple(
            run(one.protocol, one.inputs, one.seed, observe=self._present(one), threads=1) for one in self._runs
        )

    def verdict(self, corrupt: Given) -> Verdict:
        """What a set of observed parties learns."""
        chosen = collusion_set(corrupt, _largest(self._runs).roster)
        watched = {name for one in self._runs for name in one.roster.names} if chosen.network else set(chosen.parties)
        unseen = sorted(watched - set(self._observed))
        if unseen:
            raise BadInput(f"{unseen[0]} was not observed by this judge: name it in `observe`")
        notes = self._notes(chosen)
        parts = [part for place in range(len(self._runs)) for part in self._parts(place, chosen)]
        opened = [part for place in range(len(self._runs)) for part in self._opened(place, chosen)]
        fields = sorted({part.field for part in [*parts, *opened]}, key=lambda field: field.modulus)
        certain = tuple(self._knowledge(field, parts, chosen) for field in fields)
        widest = [self._knowledge(field, [*parts, *opened], chosen) for field in fields] if opened else certain
        finding = _finding(certain, widest)
        if any(one.reads_undeclared for one in certain):
            notes.append("the set reads field elements that a script never declared: the verdict does not cover them")
        if finding == "undecided":
            notes.append(_why_undecided(certain, bool(opened)))
        seeds = tuple(one.seed for one in self._runs)
        discrete = discrete_part(self._runs, chosen)
        return Verdict(
            chosen, finding, tuple(notes), discrete, seeds, certain, tuple(self._runs), lambda: self.sampled,
            self.unknowns,
        )  # fmt: skip

    def _read(self, given: Run, reading: Symbolic) -> Run:
        return self._played(given, reading)

    def _played(self, given: Run, reading: Symbolic | None) -> Run:
        present = self._present(given)  # one thread: blocks are recorded in the same order every time
        return run(given.protocol, given.inputs, given.seed, observe=present, reading=reading, threads=1)

    def _present(self, given: Run) -> list[str]:
        return [name for name in self._observed if name in given.roster.number]

    def _members(self, place: int, chosen: CollusionSet) -> frozenset[int]:
        numbers = self._runs[place].roster.number
        return frozenset(numbers[name] for name in chosen.parties if name in numbers)

    def _parts(self, place: int, chosen: CollusionSet) -> Iterable[Part]:
        return parts_of(place, self._runs[place].transcript.blocks, self._members(place, chosen))

    def _opened(self, place: int, chosen: CollusionSet) -> Iterable[Part]:
        """What honest parties opened before a plain message reached the set that may have depended on it."""
        names = self._runs[place].roster.names
        openings = [one for one in self._readings[place].openings if one.party not in chosen.parties]
        if not openings:
            return
        is_opaque = self.unknowns.kinds() == OPAQUE
        heard = tellings(self._runs[place].transcript.blocks, self._members(place, chosen), is_opaque)
        for opening in openings:
            if any(_may_tell(opening, names[sender], round_) for sender, round_ in heard):
                yield Part.of_opened(place, opening.forms)

    def _knowledge(self, field: Field, parts: Sequence[Part], chosen: CollusionSet) -> Knowledge:
        handed = [forms for ideal in self._ideal for name in chosen.parties for forms in _arrays(ideal.get(name))]
        allowed: list[Terms] = [forms.terms for forms in handed if hasattr(forms, "terms") and forms.field == field]
        seen = aligned(field, [part for part in parts if part.field == field], allowed)
        return Knowledge(seen, self.unknowns, chosen.parties)

    def _notes(self, chosen: CollusionSet) -> list[str]:
        """What a reader of the verdict should know; raises `SimnetError` when there is nothing to judge."""
        declared = {name for reading in self._readings for name in reading.declared}
        holding = {name for one in self._runs for name in one.inputs} - set(chosen.parties)
        silent = sorted(holding - declared, key=lambda name: (len(name), name))
        if not declared - set(chosen.parties):
            if not declared or silent:
                raise SimnetError(
                    "no honest party declared a secret in this run, so there is nothing to judge: a script declares "
                    "what messages must protect with me.secret(...)"
                )
            everyone = all(set(one.roster.names) <= set(chosen.parties) for one in self._runs)
            who = "everyone is" if everyone else "all who hold a secret are"
            return [f"{who} corrupt: nothing is left to learn"]
        return [f"{silent[0]} holds an input but declared no secret: the verdict does not cover it"] if silent else []


def _largest(runs: Sequence[Run]) -> Run:
    """The run with the most parties: sets are written in its terms."""
    return max(runs, key=lambda one: len(one.roster))


def _may_tell(opening: Opening, sender: str, round_: int) -> bool:
    """Whether a plain message may depend on an opening: the opener's own next one, others' only a round later."""
    return round_ > opening.depth + (sender != opening.party)


def _arrays(handed: FieldArray | Sequence[FieldArray] | None) -> Sequence[FieldArray]:
    if handed is None:
        return ()
    return list(handed) if isinstance(handed, Sequence) else [handed]


def _finding(certain: Sequence[Knowledge], widest: Sequence[Knowledge]) -> Finding:
    """The verdict that holds whatever opaque and opened numbers turn out to tell, if there is one."""
    least: Finding = "nothing"
    if any(one.functions for one in certain):
        least = "leaks" if any(one.exceeds_output for one in certain) else "output-only"
    most: Finding = "nothing"
    if any(len(one.possible) for one in widest):
        most = "leaks" if any(one.may_exceed_output for one in widest) else "output-only"
    return least if least == most else "undecided"


def _why_undecided(certain: Sequence[Knowledge], opened: bool) -> str:
    known = "nothing" if not any(one.functions for one in certain) else "what is listed here"
    if opened:
        return f"the set knows at least {known}; numbers were sent to it after field elements were opened"
    return (
        f"the set knows at least {known}; more hangs on plain numbers that a script put into field messages: draw them "
        "as field coins, or declare them with me.secret(...)"
    )
