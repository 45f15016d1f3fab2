"""Lifted verdicts: what a coalition learns from a run, by tables instead of elimination.

Theory of operation. `outline` reads a run, `structure` finds out which parties are alike and checks
that alike parties send alike messages, and `solving` proves what the coalition learns. If a system
has no proof with equal entries for alike parties, one party of each honest class with several
parties is *named*. This party becomes a class of its own, and we try again, a few times. If a
relation contains a message from or to one of several parties that are otherwise alike, we name this
party, too.

For a run that is not symmetric `NotAlike` is raised: such a run must be judged by elimination.
"""

from collections.abc import Iterator

import attrs

from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import LiftedFinding, NoProof, OrbitProof, solve
from simnet.adversary.orbits.structure import Component, Structure

ORDER: tuple[LiftedFinding, ...] = ("nothing", "output-only", "leaks")
MOST_TRIES = 5


@attrs.frozen(eq=False)
class Lifted:
    """What a coalition learns: one system, with its proof, for each part of the run in which honest
    parties have secrets. A *part* has the messages and secrets that relations join.
    """

    found: tuple[tuple[Component, OrbitProof], ...]

    @property
    def finding(self) -> LiftedFinding:
        """The finding about all these parts together: the worst finding about any of them."""
        findings = [ORDER.index(proof.finding) for _, proof in self.found]
        return ORDER[max(findings, default=0)]


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
            return Lifted(tuple((each, solve(each.system)) for each in components))
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
