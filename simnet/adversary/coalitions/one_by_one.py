"""The coalitions of a run, judged one by one by elimination: each party is a kind of its own."""

import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet

import attrs

from simnet.adversary.coalitions.answer import (
    Answer,
    Kind,
    Names,
    NoSecrets,
    Question,
    What,
    first_members,
    part_of,
)
from simnet.adversary.coalitions.staircase import Counts, Unsearched
from simnet.adversary.judge import Judge
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.verdict import Verdict
from simnet.errors import BadInput
from simnet.kernel.run import Run
from simnet.linear.span import Span
from simnet.linear.unknowns import ONE, PLACES
from simnet.linear.vectors import Vector
from simnet.stated.about import About


def refuse_without_secrets(names: Iterable[str], done: Run, declaring: Collection[str]) -> None:
    """Raise `BadInput` for a name that no party has, and for a party without a secret.

    `declaring` are the parties of the run that have declared a secret. Raises `BadInput` if there
    are none, too.
    """
    if not declaring:
        raise NoSecrets
    for name in names:
        done.roster.find(name)  # This call raises an error for a name that no party has.
        if name not in declaring:
            raise BadInput(f"{name!r} has declared no secret in this run")


@attrs.frozen
class Reached:
    """Whom one coalition certainly exposes and touches, whom it may expose and touch at most, and
    the finding of its verdict.

    A coalition that learns a product may expose all parties that have a factor. If it learns a
    product of a secret and a coin, it exposes and touches nobody for certain: the coin may be 0, or
    unknown to the coalition. The same holds if it learns a secret times a number, and perhaps does
    not know the number. If it learns a secret that was made from field elements, it may expose and
    touch the owners of the secrets in these field elements.

    A verdict is already `leaks` if what the coalition certainly learns exceeds its output. The
    coalition may learn more, if doors were given field elements. So a decided verdict alone does
    not say that a party is not exposed.
    """

    exposes: AbstractSet[str] = frozenset()
    touches: AbstractSet[str] = frozenset()
    may_expose: AbstractSet[str] = frozenset()
    may_touch: AbstractSet[str] = frozenset()
    finding: str = "nothing"

    def says(self, what: What, party: str) -> bool | None:
        """Whether the coalition exposes, or touches, a party that is not a member; None if this is
        not certain.
        """
        certain, possible = (
            (self.exposes, self.may_expose) if what == "exposes" else (self.touches, self.may_touch)
        )
        if party in certain:
            return True
        return False if self.finding != "undecided" and party not in possible else None


class OneByOne:
    """Judges coalitions of a run by elimination, each once. Each party is a kind of its own.

    `progress` is called with 1 after each verdict. Raises `NoSecrets` if nobody has declared a
    secret, and `BadInput` for a run with a crowd, and if one of the parties `wanted` does not exist
    or has declared no secret. Other errors are as for `verdict`.
    """

    def __init__(
        self,
        done: Run,
        about: About | None = None,
        wanted: Sequence[str] = (),
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        if done.roster.crowds:
            raise BadInput(
                "no coalition can have single members of a crowd: seat the members one by one, for "
                "example with --population actors"
            )
        self.names = tuple(done.roster.names)
        self.judge = Judge([done], self.names, about)
        refuse_without_secrets(wanted, done, self.judge.declaring)
        self.declaring = [name for name in self.names if name in self.judge.declaring]
        self.secrets = self.labels = Names()
        self.kinds: Sequence[Kind] = [
            Kind(name, (name,), name in self.judge.declaring) for name in self.names
        ]
        self._most = self._more = -1
        self._progress = progress
        self._found: dict[Names, Reached] = {}

    @property
    def judged(self) -> int:
        """The number of coalitions that were judged."""
        return len(self._found)

    def allow(self, more: int) -> None:
        """Refuse further verdicts after `more` further ones."""
        self._more, self._most = more, self.judged + more

    def answer(self, what: What, kind: Kind, counts: Counts) -> bool | None:
        """Whether a coalition exposes, or touches, a party outside it; None if this is not certain.

        Raises `Unsearched` if no more coalitions may be judged.
        """
        coalition = first_members(self.kinds, counts)
        return self.reached(coalition).says(what, kind.name)

    def reached(self, coalition: Collection[str]) -> Reached:
        """Whom a coalition exposes and touches.

        Raises `Unsearched` if the coalition was not judged before, and no more may be judged.
        """
        members = tuple(name for name in self.names if name in coalition)
        if members not in self._found:
            if self.judged == self._most:
                raise Unsearched(f"the search ended after {self._more:,} verdicts")
            self._found[members] = self._judged(members)
            self._progress(1)
        return self._found[members]

    def _judged(self, members: Names) -> Reached:
        if set(members).issuperset(self.declaring):  # nobody is left to learn about
            return Reached()
        return reached_by(self.judge.verdict(members), frozenset(self.names))

    def found(self, question: Question, not_counted: Sequence[str] = ()) -> Answer:
        """The answer to a question; `not_counted` says why coalitions are not counted."""
        part = part_of(self, question)
        return Answer(len(self.kinds), (part,), (), self.judged, (), tuple(not_counted))


def most_verdicts(parties: int) -> int:
    """How many verdicts a search for one party and one property may use. A verdict on a larger run
    takes longer, so larger runs get fewer, but at least 50.
    """
    return max(50, 20_000 // parties)


def reached_by(found: Verdict, everybody: AbstractSet[str]) -> Reached:
    """Return whom the coalition of a verdict exposes and touches, among all parties."""
    least = [(each.modulus, _certain_functions(found, each)) for each in found.knowledge]
    exposes, touches = _reach(found, least)
    widest = found.bounds.widest
    if widest is None:
        return Reached(exposes, touches, everybody, everybody, found.finding)
    most = [(modulus, list(vectors)) for modulus, (_, vectors) in widest.functions.items()]
    may_expose, may_touch = _reach(found, most)
    behind = _owners_behind(found, most)
    return Reached(exposes, touches, may_expose | behind, may_touch | behind, found.finding)


def _certain_functions(found: Verdict, knowledge: Knowledge) -> Sequence[Vector]:
    """Return the functions of secrets that the coalition certainly determines.

    Functions beyond the output are left out if the coalition perhaps does not know how its messages
    were made. A product is a function of secrets only if all its factors are secrets. So we return
    functions that span those combinations that contain no other products.
    """
    is_sure = found.finding != "undecided" or found.bounds.knows_structure
    vectors = [each.terms for each in knowledge.functions if is_sure or each.in_output]
    families = found.unknowns.families

    def has_coins(unknown: int) -> bool:
        family = families[unknown // PLACES]
        if family.factors:
            return any(families[factor // PLACES].kind != "secret" for factor in family.factors)
        return family.kind == "product"  # a product that was not expanded

    drawn = {unknown for vector in vectors for unknown in vector if has_coins(unknown)}
    return _avoiding(knowledge.modulus, vectors, drawn)


def _reach(
    found: Verdict, functions: Sequence[tuple[int, Sequence[Vector]]]
) -> tuple[set[str], set[str]]:
    """Return the parties that the functions expose, and the parties that they touch.

    `functions` has pairs of a modulus and the functions over its field.
    """
    exposes, touches = set[str](), set[str]()

    @functools.cache
    def owners(unknown: int) -> frozenset[str]:
        families = found.unknowns.families
        family = families[unknown // PLACES]
        if family.factors:  # a product of secrets belongs to all who have a factor
            return frozenset().union(*(families[u // PLACES].holders for u in family.factors))
        return frozenset(family.holders)

    for modulus, vectors in functions:
        occurring = {unknown for vector in vectors for unknown in vector if unknown != ONE}
        for name in set().union(*map(owners, occurring)):
            touches.add(name)
            if _avoiding(modulus, vectors, {u for u in occurring if owners(u) != {name}}):
                exposes.add(name)
    return exposes, touches


def _avoiding(modulus: int, vectors: Sequence[Vector], unknowns: set[int]) -> Sequence[Vector]:
    """Return a basis of the combinations of functions that contain none of the given unknowns; the
    functions themselves if there are no such unknowns.
    """
    if not unknowns:
        return vectors
    # The given unknowns become pivots first. So a row with another pivot contains none of them.
    span = Span(modulus, order=lambda unknown: (unknown not in unknowns, unknown))
    for vector in vectors:
        span.add(vector)
    return [row for row, _ in span.basis() if unknowns.isdisjoint(row)]


def _owners_behind(found: Verdict, functions: Sequence[tuple[int, Sequence[Vector]]]) -> set[str]:
    """Return the parties that own a secret from which a product or a secret in the functions was
    made.

    A coalition that knows the other factors of a product may divide by them: if it learns 4 x, it
    learns x. A party may have made its secret as a copy of what another party sent to it.
    """
    families, makings = found.unknowns.families, found.bounds.makings
    pending = {
        unknown // PLACES for _, vectors in functions for each in vectors for unknown in each
    }
    seen, behind = set(pending), set[int]()
    while pending:
        number = pending.pop()
        made_of = {factor // PLACES for factor in families[number].factors}
        made_of |= makings.get(number, frozenset())
        behind |= made_of
        pending |= made_of - seen
        seen |= made_of
    secrets = (families[number] for number in behind if families[number].kind == "secret")
    return {name for family in secrets for name in family.holders}
