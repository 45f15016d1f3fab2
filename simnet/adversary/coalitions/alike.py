"""The coalitions of a large run in which parties are alike, judged by symmetry.

Theory of operation
-------------------

A run with 1,000 users has too many coalitions to judge each. But if users can be exchanged, it
does not matter which users are in a coalition, only how many. For example, in DPDS with additive
sharing a user is exposed by the server with all 999 other users, and by no smaller coalition.

The run is read as an outline (`orbits`), with nobody corrupt. A run falls into *parts*: no relation
joins messages or secrets of two parts. Parties are of one kind in a part if the relations of the
part stay the same when these parties change places. This is checked on every message of the part.
What a coalition learns is what it learns from the single parts, taken together
(docs/proofs/breaking-sets.md). In TSS each item is a part, so a user may be of another kind for
each item.

Each answer is about one coalition: the first members of each kind, where u is the last member of
its kind. This coalition is judged on the run itself, at the run's own size, with tables whose
equations are checked (`orbits.solving`).

>>> from simnet import Field, Judge, Summed, run, seats
>>> F, SHARE = Field(10_007), Summed("share")
>>> class Sharing:
...     def parties(self):
...         return seats("u", self.user, 30)
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         masks = me.coins.field(F, (29, 1))
...         rows = masks.append(mine - masks.sum())
...         await me.scatter(SHARE, to=me.all("user"), rows=rows)
...         await me.gather_sum(SHARE, senders=me.all("user"))
>>> judge = Judge([run(Sharing(), list(range(30)), seed=1)], by="symmetry")
>>> found = answer_by_symmetry(judge.solver)
>>> (standing,) = found.parts[0].standings
>>> standing.kind.name, standing.exposing.minimal, standing.exposing.maximal
('user', (), ((29,),))

The share that a user keeps for itself is missing, so even all 29 others together do not expose a
user.
"""

from collections.abc import Sequence

from simnet.adversary.coalitions.answer import (
    EVERYTHING,
    MONOTONE,
    Answer,
    Kind,
    Names,
    NoSecrets,
    Question,
    What,
    first_members,
    kind_names,
    part_of,
    secrets_in_words,
    untouched_among,
)
from simnet.adversary.coalitions.staircase import Counts, Unsearched
from simnet.adversary.orbits.by_symmetry import BySymmetry
from simnet.adversary.orbits.lift import THEOREM, alike, lift
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import OrbitProof, exposes, touches
from simnet.adversary.orbits.structure import Component

MOST_VERDICTS = 2_000  # about one part of a run, at most
FEW_ELEMENTS = (
    "the field has too few elements: no proof with equal entries for alike parties shows whether a "
    "coalition exposes a party"
)


def answer_by_symmetry(solver: BySymmetry, question: Question = EVERYTHING) -> Answer:
    """Find out which coalitions expose and touch each party, by counts.

    Raises `NotAlike` if the parties of the run are not alike, and `NoSecrets` for a run in which
    nobody has declared a secret.
    """
    declared = solver.outline.reading.declared
    if not declared:
        raise NoSecrets
    asked = [_OfPart(solver, part) for part in range(solver.structure.parts)]
    parts = tuple(part_of(each, question) for each in asked if each.kinds)
    return Answer(
        parties=len(solver.outline.run.roster),
        parts=parts,
        untouched=untouched_among(declared, parts),
        judged=sum(each.judged for each in asked),
        rests_on=(
            "alike: if two parties that are of one kind in a part of the run change places, the "
            "relations between the messages of this part stay the same, which was checked on every "
            "message of the part. So only counts matter "
            '(see the page "Breaking sets" in the documentation)',
            MONOTONE,
            "listed counts: for each line that has members, one coalition with these counts was "
            f"judged on this run, by {THEOREM}",
        ),
    )


class _OfPart:
    """Answers about one part of a run. `kinds` is empty if the part contains no secrets."""

    def __init__(self, solver: BySymmetry, part: int) -> None:
        self._solver = solver
        self._part = part
        self._number = solver.outline.run.roster.number
        self._verdicts: dict[Counts, tuple[Component, OrbitProof]] = {}
        self.secrets: Names = ()
        self.labels: Names = ()
        self.kinds: Sequence[Kind] = ()
        component, self._named = alike(solver.structure, part)
        if component is not None:
            places = sorted({(place.number, place.place) for place in component.secrets})
            self.secrets = tuple(secrets_in_words(places, solver.outline.lanes))
            self.labels = tuple(solver.structure.labels(part))
            self.kinds = self._kinds(component)

    def _kinds(self, component: Component) -> list[Kind]:
        roster = self._solver.outline.run.roster
        owning = {secret.word[0] for secret in component.system.secrets}
        classes = [
            tuple(roster.names[number] for number in members)
            for members in component.members.values()
        ]
        roles = [roster.seats[self._number[members[0]]].role for members in classes]
        return [
            Kind(
                name=name,
                members=members,
                has_secret=of_class in owning,
                receives=tuple(
                    self._solver.structure.received_labels(self._part, self._number[members[0]])
                ),
            )
            for name, members, of_class in zip(
                kind_names(classes, roles), classes, component.members, strict=True
            )
        ]

    @property
    def judged(self) -> int:
        """The number of verdicts that were found."""
        return len(self._verdicts)

    def answer(self, what: What, kind: Kind, counts: Counts) -> bool:
        """Whether the first members of all kinds expose or touch the kind's last member.

        Raises `Unsearched` if this is not found out.
        """
        component, proof = self._verdict(counts)
        party = self._number[kind.members[-1]]
        (of_class,) = (name for name, members in component.members.items() if party in members)
        if what == "touches":
            return touches(component.system, proof, of_class)
        is_exposed = exposes(component.system, proof, of_class)
        if is_exposed is None:
            raise Unsearched(FEW_ELEMENTS)
        return is_exposed

    def _verdict(self, counts: Counts) -> tuple[Component, OrbitProof]:
        if counts not in self._verdicts:
            if self.judged == MOST_VERDICTS:
                raise Unsearched(
                    f"more than {MOST_VERDICTS:,} coalitions would have to be judged for one part "
                    "of the run"
                )
            members = first_members(self.kinds, counts)
            corrupt = frozenset(self._number[name] for name in members)
            try:
                lifted = lift(self._solver.structure, corrupt, self._part, self._named)
            except NotAlike as error:
                raise Unsearched(str(error)) from error
            (self._verdicts[counts],) = lifted.found
        return self._verdicts[counts]
