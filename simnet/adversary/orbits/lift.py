"""Lifted verdicts: what a coalition learns from a run, by tables instead of elimination.

Theory of operation. `outline` reads a run, `structure` finds out which parties are alike and checks
that alike parties send alike messages, and `solving` proves what the coalition learns. If a system
has no proof with equal entries for alike parties, one party of each honest class with several
parties is *named*. This party becomes a class of its own, and we try again, a few times. If a
relation contains a message from or to one of several parties that are otherwise alike, we name this
party, too.

For a run that is not symmetric `NotAlike` is raised: such a run must be judged by elimination.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from simnet.adversary.door_laws.surroundings import WidestView
from simnet.adversary.orbits.outline import Outline
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import (
    LiftedFinding,
    NoProof,
    OrbitProof,
    exposed_types,
    solve,
)
from simnet.adversary.orbits.structure import Component, Structure, secret_in_words

ORDER: tuple[LiftedFinding, ...] = ("nothing", "output-only", "leaks")
MOST_TRIES = 5
THEOREM = 'Theorem 1 of the page "Verdicts on many parties that are alike" in the documentation'


@attrs.frozen(eq=False)
class Lifted:
    """What a coalition learns: one system, with its proof, for each part of the run in which honest
    parties have secrets. A *part* has the messages and secrets that relations join.

    `doubt` says why the upper end may be too high, if this is so. `widest` is all that the
    coalition may know about field elements; None if it may know everything.
    """

    found: tuple[tuple[Component, OrbitProof], ...]
    outline: Outline
    doubt: str | None = None
    widest: WidestView | None = None
    knowledge = ()

    @property
    def at_least(self) -> LiftedFinding:
        """What the coalition certainly learns."""
        return self.at_most if self.doubt is None else "nothing"

    @property
    def notes(self) -> list[str]:
        """Why the two ends differ."""
        return [] if self.doubt is None else [self.doubt]

    @property
    def at_most(self) -> LiftedFinding:
        """The finding about all these parts together: the worst finding about any of them."""
        findings = [ORDER.index(proof.finding) for _, proof in self.found]
        return ORDER[max(findings, default=0)]

    @property
    def classes(self) -> tuple[tuple[str, int], ...]:
        """The classes of the largest system, with their sizes."""
        if not self.found:
            return ()
        largest = max(self.found, key=lambda each: sum(each[0].system.sizes.values()))
        return tuple(largest[0].system.sizes.items())

    @property
    def finds_all_exposed(self) -> bool:
        """Whether it is certain that `exposed` has all parties of whose secrets the coalition
        determines single elements.

        It is certain if the field has more elements than every class has parties. The reason is as
        follows. Suppose that an equation gives a single element. Then we can exchange alike parties
        in it, in all possible ways, and take the mean of the resulting equations. (Such a mean
        exists, because its divisor is not 0 in the field.) The mean can be written as a table.
        """
        return all(
            component.system.modulus > max(component.system.sizes.values(), default=0)
            for component, _ in self.found
        )

    @functools.cached_property
    def exposed(self) -> list[tuple[Sequence[int], str]]:
        """For each type of secrets of which tables show that every single one is determined: the
        parties who hold these secrets; and their kind, with the secret, in words.

        Secrets that the output alone determines are listed, too.
        """
        found = []
        for component, proof in self.found:
            for place in exposed_types(component.system, proof) if proof.learned else ():
                (kind,) = component.system.secrets[place].word
                words = secret_in_words(component.secrets[place], self.outline.lanes)
                found.append((component.members[kind], f"{kind}: {words}"))
        return found

    @property
    def checked(self) -> list[str]:
        """What was checked on the run, as sentences."""
        total = self.outline.run.ledger.total()
        types = sum(
            len(component.system.rows) + len(component.system.variables)
            for component, _ in self.found
        )
        return [
            f"structure: each of {total.elements.get('qd', 0):,} field elements that were sent was "
            f"read, the parties fall into classes, and each type of honest parties' messages has "
            f"exactly one message for each choice of parties ({types:,} types of rows "
            f"and variables in {len(self.found):,} "
            f"system{'s' if len(self.found) != 1 else ''} of equations)",
            "relations: alike honest parties compute their messages in the same way, by the forms "
            "of the messages, in all coefficients and lanes",
            "freshness: the coins were eliminated from all messages of each sender together, and "
            "every coin belongs to one sender alone",
        ]

    def as_json(self) -> dict[str, Any]:
        """What the finding rests on, for JSON."""
        return {
            "theorem": THEOREM,
            "checked": self.checked,
            "exposed": [words for _, words in self.exposed],
            "systems": [
                {"classes": dict(component.system.sizes), "verdict": proof.finding}
                for component, proof in self.found
            ],
        }


def lift(
    structure: Structure,
    corrupt: frozenset[int],
    part: int | None = None,
    named: frozenset[int] = frozenset(),
) -> Lifted:
    """Return what a coalition learns. With `part`, only this part of the run is judged. Parties in
    `named` are classes of their own from the start.

    Raises `NotAlike` if parties are not alike, or if no proof was found after a few tries.
    """
    for _ in range(MOST_TRIES):
        components: list[Component] = []
        try:
            components += structure.components(corrupt, named, part)
            found = tuple((each, solve(each.system)) for each in components)
            return Lifted(found, structure.outline)
        except NoProof as error:
            reason = str(error)
            named |= set(_to_name(components, corrupt))
        except NotAlike as error:
            if error.party is None:
                raise
            reason = str(error)
            named |= {error.party}
    raise NotAlike(reason)


def alike(structure: Structure, part: int) -> tuple[Component | None, frozenset[int]]:
    """For one part of the run, return the classes whose members can be exchanged, whatever the
    coalition is, and the parties that were named. The classes are None if the part contains no
    secrets.

    Raises `NotAlike` if parties are not alike, even after a few of them were named.
    """
    named: frozenset[int] = frozenset()
    for _ in range(MOST_TRIES):
        try:
            return structure.alike(part, named), named
        except NotAlike as error:
            if error.party is None:
                raise
            reason = str(error)
            named |= {error.party}
    raise NotAlike(reason)


def _to_name(components: list[Component], corrupt: frozenset[int]) -> Iterator[int]:
    for component in components:
        for members in component.members.values():
            if len(members) > 1 and members[0] not in corrupt:
                yield members[0]
