"""Every coalition of a small run: whom it exposes, whom it touches, and what exceeds its output.

Theory of operation
-------------------

A coalition *exposes* a party u outside it if it determines a function of u's secrets alone that is
not constant. It *touches* u if it determines some function in which a secret of u occurs. If a
party joins a coalition, the coalition also sees what this party receives, and knows its coins and
secrets. So a coalition without u that exposes or touches u still does so when others join
(docs/proofs/breaking-sets.md has the proof). So we list the minimal coalitions that expose u, and
the maximal coalitions that do not.

What a coalition learns *beyond the output* may become nothing when others join. If the victim
joins, nothing is left to learn about it. If a server joins, the larger coalition may be allowed to
know what the smaller coalition was not. So we list the minimal coalitions that leak. For each of
them we list the parties whose joining undoes the leak.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import attrs

from simnet.adversary.coalitions.answer import Names, What
from simnet.adversary.coalitions.one_by_one import OneByOne, Reached
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
class Class:
    """All coalitions with the same number of members of each role, and how often each finding
    occurs among them.
    """

    counts: tuple[int, ...]
    findings: dict[str, int]


@attrs.frozen
class EveryCoalition:
    """The findings about all coalitions of a run, and whom the coalitions expose and touch.

    `parties` are all parties of the run, and `roles` their roles. `standings` are about the parties
    that have declared secrets, and `leaks` are the minimal coalitions among those with the verdict
    `leaks`. `findings` has the finding about each coalition. Coalitions are numbered from 0: party
    i is a member of coalition number c if bit i of c + 1 is set.

    >>> findings = "nothing", "leaks", "nothing"
    >>> both = EveryCoalition(("u", "S"), ("user", "server"), (), (), findings)
    >>> both.finding(["S"]), both.judged, [each.counts for each in both.by_class()]
    ('leaks', 3, [(0, 1), (1, 0), (1, 1)])
    """

    parties: Names
    roles: Names
    standings: tuple[Standing, ...]
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
            yield _named(self.parties, [at + 1])[0], finding

    def listed(self) -> list[Names]:
        """The coalitions in `standings` and `leaks`, each once, small ones first."""
        found = {each.coalition for each in self.leaks}
        for each in self.standings:
            found.update(each.exposing, each.unexposing, each.touching, each.untouching)
        return sorted(found, key=lambda members: (len(members), members))

    @property
    def role_names(self) -> Names:
        """The roles, each once, in the order of the parties."""
        return tuple(dict.fromkeys(self.roles))

    def by_class(self) -> list[Class]:
        """Return the findings by the number of members of each role, in the order of
        `role_names`.
        """
        role_of = dict(zip(self.parties, self.roles, strict=True))
        found: dict[tuple[int, ...], Counter[str]] = {}
        for members, finding in self.coalitions():
            of_role = Counter(role_of[name] for name in members)
            counts = tuple(of_role[role] for role in self.role_names)
            found.setdefault(counts, Counter())[finding] += 1
        return [Class(counts, dict(found[counts])) for counts in sorted(found)]

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
    names = tuple(done.roster.names)
    if len(names) > MOST_PARTIES:
        raise BadInput(
            f"{len(names)} parties have 2^{len(names)} - 1 coalitions: judge at most "
            f"{MOST_PARTIES} parties"
        )
    judge = OneByOne(done, about, wanted)
    owners = set(judge.declaring)
    table: dict[int, Reached] = {}
    for members in range(1, 1 << len(names)):
        chosen = [name for place, name in enumerate(names) if members >> place & 1]
        if owners <= set(chosen):  # nobody is left to learn about
            table[members] = Reached(0, 0, 0, 0, "nothing")
        else:
            table[members] = judge.reached(chosen)
        progress(1)
    standings = tuple(
        _standing(names, place, table) for place, name in enumerate(names) if name in owners
    )
    return EveryCoalition(
        parties=names,
        roles=tuple(seat.role for seat in done.roster.seats),
        standings=standings,
        leaks=tuple(_leaks(names, table)),
        findings=tuple(table[members].finding for members in range(1, 1 << len(names))),
    )


def _standing(names: Names, place: int, table: dict[int, Reached]) -> Standing:
    found: list[tuple[tuple[Names, ...], tuple[Names, ...], int]] = []
    whats: tuple[What, ...] = ("exposes", "touches")
    for what in whats:
        said = {
            members: each.says(what, place)
            for members, each in table.items()
            if not members >> place & 1
        }
        minimal = _edge([members for members, yes in said.items() if yes])
        maximal = _edge([members for members, yes in said.items() if yes is False], above=True)
        unknown = sum(
            not any(smaller & members == smaller for smaller in minimal)
            and not any(larger & members == members for larger in maximal)
            for members in said
        )
        found.append((_named(names, minimal), _named(names, maximal), unknown))
    return Standing(names[place], *found[0], *found[1])


def _leaks(names: Names, table: dict[int, Reached]) -> Iterator[Leak]:
    for members in _edge([members for members, each in table.items() if each.leaks]):
        undone = [
            name
            for place, name in enumerate(names)
            if not members >> place & 1
            and table[members | 1 << place].is_decided
            and not table[members | 1 << place].leaks
        ]
        (coalition,) = _named(names, [members])
        yield Leak(coalition, tuple(undone))


def _edge(sets: Sequence[int], above: bool = False) -> list[int]:
    """The sets that contain no other of the sets, small sets first. With `above`, the sets that no
    other of the sets contains, large sets first.
    """
    found: list[int] = []
    sign = -1 if above else 1
    for members in sorted(sets, key=lambda each: (sign * each.bit_count(), each)):
        if not any(members & other == (members if above else other) for other in found):
            found.append(members)
    return found


def _named(names: Names, sets: Sequence[int]) -> tuple[Names, ...]:
    return tuple(
        tuple(name for place, name in enumerate(names) if members >> place & 1) for members in sets
    )
