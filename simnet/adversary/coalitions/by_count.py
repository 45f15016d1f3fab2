"""Every coalition of a large run in which parties are alike, by how many members it has of each
kind.

Theory of operation
-------------------

A run with 1,000 users has too many coalitions to judge each. But if users can be exchanged, it
does not matter which users are in a coalition, only how many. For example, in DPDS with additive
sharing a user is exposed by the server with all 999 other users, and by no smaller coalition.

1. *Kinds.* The run is read as an outline (`orbits`), with nobody corrupt. A run falls into *parts*:
   no relation joins messages or secrets of two parts. Parties are of one kind in a part if the
   relations of the part stay the same when these parties change places. This is checked on every
   message of the part. What a coalition learns is what it learns from the single parts, taken
   together (docs/proofs/breaking-sets.md). In TSS each item is a part, so a user may be of another
   kind for each item.
2. *Counts.* A coalition without u may expose or touch u: see `every_coalition` for these two words.
   Whether it does depends only on how many members it has of each kind. Both are monotone, so
   `staircase` finds the minimal and the maximal vectors of counts with few questions.
3. *Questions.* Each question is about one coalition: the first members of each kind, where u is the
   last member of its kind. This coalition is judged on the run itself, at the run's own size, with
   tables whose equations are checked (`orbits.solving`).

To learn more than the output is not monotone, so such coalitions are not searched here.

>>> from simnet import Field, Summed, run, seats
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
>>> found = by_count(AlikeJudge(Sharing(), list(range(30)), seed=1))
>>> (standing,) = found.parts[0].standings
>>> standing.kind, standing.exposing.minimal, standing.exposing.maximal
('user', (), ((29,),))

The share that a user keeps for itself is missing, so even all 29 others together do not expose a
user.
"""

import functools
import itertools
import string
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import attrs

from simnet.adversary.coalitions.staircase import Counts, Staircase, Unsearched, staircase
from simnet.adversary.orbits.lift import alike, lift
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import exposes, touches
from simnet.adversary.orbits.verdict import THEOREM, AlikeJudge
from simnet.errors import BadInput

MONOTONE = (
    "monotone: if others join a coalition, it still exposes and touches the same parties, except "
    'those that joined (see the page "Breaking sets" in the documentation)'
)
MOST_QUESTIONS = 2_000  # about one part of a run, at most


@attrs.frozen
class Kind:
    """Parties that count alike in one part of a run: how many of them collude matters, not which.

    `has_secret` says whether they have secrets in this part. `receives` names the messages of
    this part that they receive from others.
    """

    name: str
    members: tuple[str, ...]
    has_secret: bool
    receives: tuple[str, ...]


@attrs.frozen
class CountedStanding:
    """How each party u of one kind stands against all coalitions without u, by counts.

    The counts are those of the kinds of the part, in order; u itself is not counted.
    """

    kind: str
    exposing: Staircase
    touching: Staircase


@attrs.frozen
class CountedPart:
    """A part of a run: no relation joins its messages and secrets with those of other parts.

    `secrets` are the secrets in it, `labels` the labels of messages in it, and `kinds` the kinds of
    its parties. `standings` say how the parties stand that have secrets in it.
    """

    secrets: tuple[str, ...]
    labels: tuple[str, ...]
    kinds: tuple[Kind, ...]
    standings: tuple[CountedStanding, ...]

    def coalition(self, standing: CountedStanding, counts: Counts) -> tuple[str, ...]:
        """The coalition that was judged for these counts: the first members of each kind. The party
        u is the last member of its kind, so it is never a member.
        """
        assert all(
            count <= len(kind.members) - (kind.name == standing.kind)
            for kind, count in zip(self.kinds, counts, strict=True)
        )
        return _first(self.kinds, counts)


@attrs.frozen
class ByCount:
    """Which coalitions of a large run expose and touch parties, by counts.

    A coalition exposes a party if it does so in some part of the run; the same holds for touching.
    `untouched` are parties whose secrets occur in no part: no coalition touches them.
    `judged` is the number of verdicts that were found, and `rests_on` says what was checked, and
    which theorems the rest follows from.
    """

    parties: int
    parts: tuple[CountedPart, ...]
    untouched: tuple[str, ...]
    judged: int
    rests_on: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether no search ended early."""
        return not any(self.unsearched())

    def unsearched(self) -> list[str]:
        """Why searches ended early, each reason once."""
        stairs = (
            each
            for part in self.parts
            for standing in part.standings
            for each in (standing.exposing, standing.touching)
        )
        return list(dict.fromkeys(each.unsearched for each in stairs if each.unsearched))

    def corners(self) -> Iterator[tuple[CountedPart, CountedStanding, Counts]]:
        """For each standing, yield every vector of counts in its two staircases once."""
        for part in self.parts:
            for standing in part.standings:
                listed = itertools.chain.from_iterable(
                    (*stairs.minimal, *stairs.maximal)
                    for stairs in (standing.exposing, standing.touching)
                )
                for counts in dict.fromkeys(listed):
                    yield part, standing, counts


def by_count(judge: AlikeJudge) -> ByCount:
    """Find out which coalitions expose and touch each party, by counts.

    Raises `NotAlike` if the parties of the run are not alike, and `BadInput` for a run in which
    nobody has declared a secret.
    """
    if not judge.outline.reading.declared:
        raise BadInput("no party has declared a secret in this run")
    searches = [_Search(judge, part) for part in range(judge.structure.parts)]
    parts = tuple(search.found() for search in searches if search.has_secrets)
    return ByCount(
        parties=len(judge.outline.run.roster),
        parts=parts,
        untouched=untouched_among(judge.outline.reading.declared, parts),
        judged=sum(search.judged for search in searches),
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


class _Search:
    """The questions about one part of a run."""

    def __init__(self, judge: AlikeJudge, part: int) -> None:
        self._structure = judge.structure
        self._part = part
        roster = judge.outline.run.roster
        self._number = roster.number
        component, self._named = alike(self._structure, part)
        self.has_secrets = component is not None
        self._kinds: list[Kind] = []
        self._secrets: list[str] = []
        self._answers: dict[frozenset[int], dict[str, tuple[bool | None, bool]]] = {}
        if component is not None:
            classes = [
                tuple(roster.names[number] for number in members)
                for members in component.members.values()
            ]
            roles = [roster.seats[self._number[members[0]]].role for members in classes]
            places = sorted({(place.number, place.place) for place in component.secrets})
            self._secrets = secrets_in_words(places, judge.outline.lanes)
            owning = {secret.word[0] for secret in component.system.secrets}
            self._kinds = [
                Kind(
                    name=name,
                    members=members,
                    has_secret=of_class in owning,
                    receives=tuple(self._structure.received_labels(part, self._number[members[0]])),
                )
                for name, members, of_class in zip(
                    kind_names(classes, roles), classes, component.members, strict=True
                )
            ]

    @property
    def judged(self) -> int:
        return len(self._answers)

    def found(self) -> CountedPart:
        return CountedPart(
            secrets=tuple(self._secrets),
            labels=tuple(self._structure.labels(self._part)),
            kinds=tuple(self._kinds),
            standings=tuple(
                CountedStanding(kind, self._stairs(kind, "exposes"), self._stairs(kind, "touches"))
                for kind in (each.name for each in self._kinds if each.has_secret)
            ),
        )

    def _stairs(self, kind: str, what: str) -> Staircase:
        most = [len(each.members) - (each.name == kind) for each in self._kinds]
        return staircase(most, functools.partial(self._holds, kind, what))

    def _holds(self, kind: str, what: str, counts: Counts) -> bool:
        if not any(counts):
            return False  # nobody sees anything
        exposed, touched = self._reach(counts)[kind]
        if what == "touches":
            return touched
        if exposed is None:
            raise Unsearched(
                "the field has too few elements: no proof with equal entries for alike parties "
                "shows whether a coalition exposes a party"
            )
        return exposed

    def _reach(self, counts: Counts) -> dict[str, tuple[bool | None, bool]]:
        """For each kind, whether the first members of all kinds expose and touch the kind's last
        party. Kinds without secrets are left out, and so are kinds whose last party is a member.
        """
        corrupt = frozenset(self._number[name] for name in _first(self._kinds, counts))
        if corrupt not in self._answers:
            if len(self._answers) == MOST_QUESTIONS:
                raise Unsearched(
                    f"more than {MOST_QUESTIONS:,} coalitions would have to be judged for one "
                    "part of the run"
                )
            try:
                lifted = lift(self._structure, corrupt, self._part, self._named)
            except NotAlike as error:
                raise Unsearched(str(error)) from error
            ((component, proof),) = lifted.found
            class_of = {
                number: name for name, members in component.members.items() for number in members
            }
            self._answers[corrupt] = {
                kind.name: (
                    exposes(component.system, proof, class_of[self._number[kind.members[-1]]]),
                    touches(component.system, proof, class_of[self._number[kind.members[-1]]]),
                )
                for kind, count in zip(self._kinds, counts, strict=True)
                if kind.has_secret and count < len(kind.members)
            }
        return self._answers[corrupt]


def _first(kinds: Sequence[Kind], counts: Counts) -> tuple[str, ...]:
    return tuple(
        name for kind, count in zip(kinds, counts, strict=True) for name in kind.members[:count]
    )


def untouched_among(declaring: Collection[str], parts: Sequence[CountedPart]) -> tuple[str, ...]:
    """The parties that have declared secrets, but have no secret in any part."""
    present = {
        name for part in parts for kind in part.kinds if kind.has_secret for name in kind.members
    }
    return tuple(name for name in declaring if name not in present)


def secrets_in_words(places: Sequence[tuple[int, int]], lanes: int) -> list[str]:
    """Elements of secrets in words, such as `elements 1 to 30 of secret 1`.

    A place is a pair (number of a secret, first element), both counted from 0. It stands for
    `lanes` consecutive elements of this secret.

    >>> secrets_in_words([(0, 0), (0, 2), (1, 5)], 2)
    ['elements 1 to 4 of secret 1', 'elements 6 to 7 of secret 2']
    """
    runs: list[tuple[int, int, int]] = []  # the secret, the first element, and the last
    for secret, place in places:
        first = place
        if runs and runs[-1][0] == secret and runs[-1][2] + 1 == place:
            first = runs.pop()[1]
        runs.append((secret, first, place + lanes - 1))
    return [
        (f"element {first + 1}" if first == last else f"elements {first + 1} to {last + 1}")
        + f" of secret {secret + 1}"
        for secret, first, last in runs
    ]


def kind_names(classes: Sequence[Sequence[str]], roles: Sequence[str]) -> list[str]:
    """A name for each kind: its only member, or its role. The role has a letter if several kinds
    of several members have this role, and a star if a party has the same name.
    """
    several = Counter(
        role for members, role in zip(classes, roles, strict=True) if len(members) > 1
    )
    letters = {role: iter(string.ascii_uppercase) for role in several}
    parties = {name for members in classes for name in members}
    names = []
    for members, role in zip(classes, roles, strict=True):
        name = members[0]
        if len(members) > 1:
            name = role if several[role] == 1 else f"{role} {next(letters[role])}"
        # A party may have the name of a kind of several parties.
        while len(members) > 1 and name in parties:
            name += "*"
        names.append(name)
    return names
