"""The one question about the coalitions of a run, who answers it, and the answer.

Theory of operation
-------------------

A coalition *exposes* a party u outside it if it determines a function of u's secrets alone that is
not constant. It *touches* u if it determines some function in which a secret of u occurs. Both are
monotone: a coalition without u that exposes or touches u still does so when others join
(docs/proofs/breaking-sets.md has the proof). To learn more than the output is not monotone, so
such coalitions are not searched here.

The parties of a run, or of one part of it, fall into *kinds*. For parties of one kind only their
number in a coalition matters. A party that is like no other is a kind of its own. So a coalition is
a vector of counts, and `staircase` finds the minimal vectors that expose or touch a party, and the
maximal ones that do not. A `Respondent` answers about single vectors. There are three:

    alike        asks for a verdict by symmetry, if parties can be exchanged
    shamir       answers by a theorem, if all field elements sent are Shamir's shares and their sums
    one_by_one   asks for a verdict by elimination; each party is a kind of its own

A search is *complete* if no staircase says why it ended early.
"""

import string
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, Protocol

import attrs

from simnet.adversary.coalitions.staircase import Counts, Staircase, staircase
from simnet.errors import BadInput

MONOTONE = (
    "monotone: if others join a coalition, it still exposes and touches the same parties, except "
    'those that joined (see the page "Breaking sets" in the documentation)'
)
NOT_ASKED = "it was not asked"

Names = tuple[str, ...]
What = Literal["exposes", "touches"]


class NoSecrets(BadInput):
    """Raised for a run in which no party has declared a secret."""

    def __init__(self) -> None:
        super().__init__("no party has declared a secret in this run")


@attrs.frozen
class Kind:
    """Parties that count alike in one part of a run: how many of them collude matters, not which.

    `has_secret` says whether they have secrets in this part. `receives` names the messages of
    this part that they receive from others.
    """

    name: str
    members: Names
    has_secret: bool
    receives: Names = ()


class Respondent(Protocol):
    """Answers about the coalitions of one part of a run, whose parties fall into `kinds`.

    `secrets` are the secrets in the part, and `labels` the labels of messages in it.
    """

    secrets: Names
    labels: Names
    kinds: Sequence[Kind]

    def answer(self, what: What, kind: Kind, counts: Counts) -> bool | None:
        """Whether coalitions with these counts, not all 0, expose or touch a party of a kind that
        is not a member; None if this is not certain.

        Raises `Unsearched` if this cannot be asked.
        """


@attrs.frozen
class Question:
    """What is asked about the parties `about`, or about all that have secrets: about coalitions of
    `members` alone (None: of all parties), whether they touch the party or only whether they expose
    it, and whether one minimal and one maximal coalition are enough.
    """

    about: Collection[str] | None = None
    members: Collection[str] | None = None
    touching: bool = True
    one_of_each: bool = False


EVERYTHING = Question()


@attrs.frozen
class CountedStanding:
    """How each party u of one kind stands against all coalitions without u, by counts.

    The counts are those of the kinds of the part, in order; u itself is not counted.
    """

    kind: Kind
    exposing: Staircase
    touching: Staircase


@attrs.frozen
class CountedPart:
    """A part of a run: no relation joins its messages and secrets with those of other parts.

    `secrets` are the secrets in it, `labels` the labels of messages in it, and `kinds` the kinds of
    its parties. `standings` say how the parties stand that have secrets in it.
    """

    secrets: Names
    labels: Names
    kinds: tuple[Kind, ...]
    standings: tuple[CountedStanding, ...]

    def standing_of(self, party: str) -> CountedStanding | None:
        """The standing of a party; None if it has none in this part."""
        return next((each for each in self.standings if party in each.kind.members), None)

    def coalition(self, counts: Counts) -> Names:
        """The coalition that was judged for these counts: the first members of each kind. The party
        that is exposed or touched is the last member of its kind, so it is never a member.
        """
        return first_members(self.kinds, counts)

    def counts(self, coalition: Collection[str]) -> Counts:
        """The counts of a coalition."""
        members = set(coalition)
        return tuple(len(members.intersection(kind.members)) for kind in self.kinds)


@attrs.frozen
class Answer:
    """Which coalitions of a run expose and touch parties, by counts.

    A coalition exposes a party if it does so in some part of the run; the same holds for touching.
    `untouched` are parties whose secrets occur in no part: no coalition touches them. `judged` is
    the number of verdicts that were found, and `rests_on` says what was checked, and which theorems
    the rest follows from. `not_counted` says why each party is a kind of its own, if this is so.
    """

    parties: int
    parts: tuple[CountedPart, ...]
    untouched: Names
    judged: int
    rests_on: Names
    not_counted: Names = ()

    @property
    def is_complete(self) -> bool:
        """Whether no search ended early."""
        return not self.unsearched()

    def unsearched(self) -> list[str]:
        """Why searches ended early, each reason once."""
        stairs = (
            each
            for part in self.parts
            for standing in part.standings
            for each in (standing.exposing, standing.touching)
        )
        reasons = dict.fromkeys(each.unsearched for each in stairs)
        return [reason for reason in reasons if reason not in ("", NOT_ASKED)]

    def says(self, what: What, coalition: Collection[str], party: str) -> bool | None:
        """Whether a coalition exposes, or touches, a party outside it; None if the lists do not
        decide.
        """
        found = [
            (standing.exposing if what == "exposes" else standing.touching).says(
                part.counts(coalition)
            )
            for part in self.parts
            if (standing := part.standing_of(party)) is not None
        ]
        return True if True in found else None if None in found else False

    def corners(self) -> Iterator[tuple[CountedPart, CountedStanding, Counts]]:
        """For each standing, yield every vector of counts in its two staircases once."""
        for part in self.parts:
            for standing in part.standings:
                stairs = standing.exposing, standing.touching
                listed = (each for one in stairs for each in (*one.minimal, *one.maximal))
                for counts in dict.fromkeys(listed):
                    yield part, standing, counts

    def smallest_sizes(self) -> dict[str, int]:
        """For each party, the size of the smallest listed coalition that exposes it. Parties
        without such a coalition are left out.
        """
        found: dict[str, int] = {}
        for part in self.parts:
            for standing in part.standings:
                for size in map(sum, standing.exposing.minimal):
                    for name in standing.kind.members:
                        found[name] = min(size, found.get(name, size))
        return found


def part_of(respondent: Respondent, question: Question) -> CountedPart:
    """Return how the parties stand that a question is about, in one part of a run."""

    def stairs(what: What, kind: Kind) -> Staircase:
        if what == "touches" and not question.touching:
            return Staircase((), (), NOT_ASKED)
        most = [
            len(each.members) - (each is kind)
            if question.members is None or each.members[0] in question.members
            else 0
            for each in respondent.kinds
        ]
        return staircase(
            most,
            # Nobody sees anything.
            lambda counts: any(counts) and respondent.answer(what, kind, counts),
            question.one_of_each,
        )

    standings = (
        CountedStanding(kind, stairs("exposes", kind), stairs("touches", kind))
        for kind in respondent.kinds
        if kind.has_secret and (question.about is None or kind.members[0] in question.about)
    )
    return CountedPart(
        respondent.secrets, respondent.labels, tuple(respondent.kinds), tuple(standings)
    )


def first_members(kinds: Sequence[Kind], counts: Counts) -> Names:
    """The first members of each kind, as many as the counts say."""
    return tuple(
        name for kind, count in zip(kinds, counts, strict=True) for name in kind.members[:count]
    )


def untouched_among(declaring: Collection[str], parts: Sequence[CountedPart]) -> Names:
    """The parties that have declared secrets, but have no secret in any part."""
    standings = (standing for part in parts for standing in part.standings)
    present = {name for standing in standings for name in standing.kind.members}
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
