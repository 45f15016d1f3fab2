"""Every coalition of a small run: whom it exposes, whom it touches, and what exceeds its output.

Theory of operation
-------------------

All coalitions are judged, each by elimination. Whom they expose and touch is monotone, and answered
as for larger runs, with each party as a kind of its own (`simnet.adversary.coalitions.answer`).

What a coalition learns *beyond the output* may become nothing when others join. If the victim
joins, nothing is left to learn about it. If a server joins, the larger coalition may be allowed to
know what the smaller coalition was not. So we list the minimal coalitions that leak. For each of
them we list the parties whose joining undoes the leak.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import attrs

from simnet.adversary.coalitions.answer import EVERYTHING, Answer, CountedPart, Kind, Names
from simnet.adversary.coalitions.one_by_one import OneByOne
from simnet.adversary.coalitions.staircase import Counts, Staircase
from simnet.errors import BadInput
from simnet.kernel.run import Run
from simnet.stated.about import About

MOST_PARTIES = 12


@attrs.frozen
class Standing:
    """How one party stands against all coalitions without it.

    `exposing` are the minimal coalitions that certainly expose the party. Of the
    coalitions with a decided verdict, some do not expose the party; `unexposing` are the maximal
    ones of these. `may_expose` counts the coalitions without the party about which the two lists do
    not decide: those that contain no coalition of `exposing`, and lie in no coalition of
    `unexposing`. `touching`, `untouching` and `may_touch` say the same about touching the party.

    Each element of a secret counts as an unknown of its own. So if two elements are always equal, a
    coalition that determines their difference exposes the party, although the difference is 0. A
    product of secrets of one party counts as an unknown of its own, too. From a product of a secret
    and a coin we conclude nothing: if the coin is 0, or unknown to the coalition, the product need
    not tell anything about the secret.
    """

    party: str
    exposing: tuple[Names, ...]
    unexposing: tuple[Names, ...]
    may_expose: int
    touching: tuple[Names, ...]
    untouching: tuple[Names, ...]
    may_touch: int


@attrs.frozen
class Leak:
    """A minimal coalition among those with the verdict `leaks`, and the parties that undo the leak.
    If one of these parties joins, the larger coalition learns no more than its own output.
    """

    coalition: Names
    undone_by: Names


@attrs.frozen
class EveryCoalition:
    """The findings about all coalitions of a run, and whom the coalitions expose and touch.

    `parties` are all parties of the run, and `roles` their roles. `answer` says whom coalitions
    expose and touch, and `leaks` are the minimal coalitions among those with the verdict `leaks`.
    `findings` has the finding about each coalition. Coalitions are numbered from 0: party i is a
    member of coalition number c if bit i of c + 1 is set.

    >>> findings = "nothing", "leaks", "nothing"
    >>> nobody = Answer(2, (), (), 3, ())
    >>> both = EveryCoalition(("u", "S"), ("user", "server"), nobody, (), findings)
    >>> both.finding(["S"]), both.judged, list(both.by_class())
    ('leaks', 3, [(0, 1), (1, 0), (1, 1)])
    """

    parties: Names
    roles: Names
    answer: Answer
    leaks: tuple[Leak, ...]
    findings: tuple[str, ...]

    @property
    def judged(self) -> int:
        """The number of coalitions."""
        return len(self.findings)

    @property
    def undecided(self) -> int:
        """The number of coalitions whose verdict is undecided."""
        return self.findings.count("undecided")

    def finding(self, coalition: Sequence[str]) -> str:
        """Return the finding about a coalition, given by the names of its members.

        Raises `BadInput` for an empty coalition, and for a name that no party has.
        """
        unknown = sorted(set(coalition) - set(self.parties))
        if unknown or not coalition:
            raise BadInput(
                f"no party is called {unknown[0]!r}"
                if unknown
                else "a coalition needs the name of at least one party"
            )
        members = sum(1 << self.parties.index(name) for name in set(coalition))
        return self.findings[members - 1]

    def coalitions(self) -> Iterator[tuple[Names, str]]:
        """Yield every coalition with its finding."""
        for at, finding in enumerate(self.findings):
            yield _members(self.parties, at + 1), finding

    @property
    def standings(self) -> tuple[Standing, ...]:
        """How the parties stand that have declared secrets."""
        return tuple(
            Standing(
                each.kind.name,
                *_by_names(part, each.kind, each.exposing),
                *_by_names(part, each.kind, each.touching),
            )
            for part in self.answer.parts
            for each in part.standings
        )

    def listed(self) -> list[Names]:
        """The coalitions in `standings` and `leaks`, each once, small ones first."""
        found = {each.coalition for each in self.leaks}
        found |= {
            part.coalition(counts) for part, _, counts in self.answer.corners() if any(counts)
        }
        return sorted(found, key=lambda members: (len(members), members))

    @property
    def role_names(self) -> Names:
        """The roles, each once, in the order of the parties."""
        return tuple(dict.fromkeys(self.roles))

    def by_class(self) -> dict[Counts, Counter[str]]:
        """Return how often each finding occurs, by the number of members of each role, in the order
        of `role_names`.
        """
        role_of = dict(zip(self.parties, self.roles, strict=True))
        found: dict[Counts, Counter[str]] = {}
        for members, finding in self.coalitions():
            of_role = Counter(role_of[name] for name in members)
            counts = tuple(of_role[role] for role in self.role_names)
            found.setdefault(counts, Counter())[finding] += 1
        return dict(sorted(found.items()))

    def of(self, party: str) -> Standing:
        """Return the entry of `standings` about a party. Raises `BadInput` for a party that has
        declared no secret.
        """
        for standing in self.standings:
            if standing.party == party:
                return standing
        raise BadInput(f"{party!r} has declared no secret in this run")


def every_coalition(
    done: Run,
    about: About | None = None,
    progress: Callable[[int], None] = lambda _: None,
    wanted: Sequence[str] = (),
) -> EveryCoalition:
    """Judge all coalitions of a run's parties.

    `progress` is called with 1 after every coalition. Raises `BadInput` for a run with more than 12
    parties, with a crowd, or in which nobody has declared a secret. It is also raised if one of the
    parties `wanted` does not exist or has declared no secret. Other errors are as for `verdict`.

    >>> from simnet import Field, Tag, run, seats
    >>> F, MASK, SUM = Field(101), Tag("mask"), Tag("sum")
    >>> class Pair:
    ...     def parties(self):
    ...         return seats("u", self.user, 3)
    ...     async def user(self, me, number):
    ...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
    ...         if me.name == "u1":
    ...             mask = me.coins.field(F, (1,))
    ...             await me.send(MASK, "u2", mask)
    ...             await me.send(SUM, "u3", mine + mask)
    ...         elif me.name == "u2":
    ...             await me.receive(MASK, "u1", shape=(1,))
    ...         else:
    ...             await me.receive(SUM, "u1", shape=(1,))
    >>> found = every_coalition(run(Pair(), [5, 7, 9], seed=1))
    >>> found.of("u1").exposing, found.of("u1").unexposing, found.of("u2").exposing
    ((('u2', 'u3'),), (('u2',), ('u3',)), ())
    """
    count = len(done.roster)
    if count > MOST_PARTIES:
        raise BadInput(
            f"{count} parties have 2^{count} - 1 coalitions: judge at most {MOST_PARTIES} parties"
        )
    return judged_all(OneByOne(done, about, wanted, progress), done)


def judged_all(judge: OneByOne, done: Run) -> EveryCoalition:
    """Return the findings about all coalitions of a run whose coalitions `judge` judges."""
    names = judge.names
    findings = {
        members: judge.reached(members).finding
        for number in range(1, 1 << len(names))
        for members in [_members(names, number)]
    }
    return EveryCoalition(
        parties=names,
        roles=tuple(seat.role for seat in done.roster.seats),
        answer=judge.found(EVERYTHING),
        leaks=tuple(_leaks(names, findings)),
        findings=tuple(findings.values()),
    )


def _by_names(
    part: CountedPart, own: Kind, stairs: Staircase
) -> tuple[tuple[Names, ...], tuple[Names, ...], int]:
    """The minimal coalitions, small ones first; the maximal ones, large ones first; and the number
    of coalitions about which these lists do not decide.
    """

    def names(vectors: Iterable[Counts], sign: int) -> tuple[Names, ...]:
        ordered = sorted(filter(any, vectors), key=lambda each: (sign * sum(each), each[::-1]))
        return tuple(map(part.coalition, ordered))

    others = itertools.product(*([0] if kind == own else [0, 1] for kind in part.kinds))
    undecided = sum(stairs.says(each) is None for each in others) if stairs.unsearched else 0
    return names(stairs.minimal, 1), names(stairs.maximal, -1), undecided


def _leaks(names: Names, findings: Mapping[Names, str]) -> Iterator[Leak]:
    minimal: list[frozenset[str]] = []
    for members in sorted(findings, key=len):
        if findings[members] != "leaks" or any(map(frozenset(members).issuperset, minimal)):
            continue
        minimal.append(frozenset(members))
        joined = {
            name: findings[tuple(each for each in names if each in members or each == name)]
            for name in names
            if name not in members
        }
        yield Leak(
            members,
            tuple(name for name in joined if joined[name] not in ("leaks", "undecided")),
        )


def _members(names: Names, number: int) -> Names:
    return tuple(name for place, name in enumerate(names) if number >> place & 1)
