"""The two ends of a verdict: what a coalition learns at least, and what it may learn at most.

Theory of operation
-------------------

1. *Products* are written out (`simnet.adversary.rewriting`).
2. *At most.* If no door was given a row with coins, and no message contains a product of coins, the
   coalition learns the functions that its messages determine, and nothing else. Otherwise we
   replace coins by rows as far as possible (`simnet.adversary.change_of_coins`). What is left is
   compared with F, what the ideal world hands out. If the ideal output depends on coins, the upper
   end is `leaks` as soon as anything is left. Together with messages that contain these coins, the
   output may tell more than it tells alone. The upper end is also `leaks` if seeds may be guessed
   or depend on each other (`simnet.adversary.deductions`).
3. *At least.* Let L be the functions that the messages alone determine. A function in L is a leak
   if secrets can change so that the function changes and the ideal output does not. If each secret
   can be varied by itself, every function in L that is not in F is a leak. The following unknowns
   perhaps cannot be varied by themselves:

   - *tied* unknowns, which are products, and secrets made from field elements that depend on coins;
   - *related* secrets (`simnet.adversary.relations`);
   - secrets of which one function contains several elements.

   So we leave out the functions of L that contain tied unknowns. We keep the other unknowns of this
   list fixed, which removes their terms from L and from F. Then we ask whether L still contains a
   function that is not in F. If it does not, we look for two inputs that show a difference
   (`simnet.adversary.door_laws.witness`). And the coalition must know the forms of its messages
   (`simnet.adversary.hidden_structure`), or else the leak is not certain. Secrets made from
   discrete coins alone count like other secrets, although they say nothing about an input.

Both ends are about all runs that have the structure of this run: the same disclosed values and the
same discrete coins outside doors. If the ends differ, `remarks` give the reasons.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Literal

from simnet.adversary.change_of_coins import ChangeOfCoins
from simnet.adversary.deductions import Deductions, Sight
from simnet.adversary.door_laws.surroundings import WidestView
from simnet.adversary.field_view import field_view
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.relations import Relations
from simnet.adversary.rewriting import Doors, Rewriting, families_of, joined
from simnet.adversary.roles import Roles
from simnet.linear.span import Span
from simnet.linear.terms import Terms, refine
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import Vector
from simnet.values.field import Field

End = Literal["nothing", "output-only", "leaks"]
ENDS: tuple[End, ...] = ("nothing", "output-only", "leaks")

SHOWN = 3  # the largest number of doors that a sentence names


class ShareBounds:
    """What a coalition learns from field elements: `at_least` and `at_most`.

    `sight` is what the coalition sees and is handed. `knowledge` is what the messages alone
    determine, over each field. `remarks` say why the two ends differ, and what else is doubtful.
    `rewriting` says how products are written out for the upper end. `change` is the change of coins
    behind the upper end. It is None if honest parties gave no row with coins to a door and no
    message contains a product of coins, or if seeds may be guessed or depend on each other.
    """

    def __init__(self, doors: Doors, corrupt: Sequence[str], sight: Sight) -> None:
        self._doors = doors
        self.corrupt = corrupt
        self._handed = sight.handed
        self.change: ChangeOfCoins | None = None
        # What the coalition deduces for certain, and what it may deduce at most.
        least = Deductions(doors, corrupt, sight)
        self.most = most = least if least.is_final else least.widened()
        # Whether some seeds count as known or safe only because the coalition was given the rows of
        # doors. If so, the upper end is for a coalition that has these rows from the start.
        self._needs_rows = most is not least and most.relies_on_more_than(least)
        agrees_by_signatures = least.may_agree_by_signatures()
        self.rewriting = most.rewriting
        is_received = self._receives(least)
        if not is_received:
            least = Deductions(doors, corrupt, sight, with_opened=False)
        reasons: list[str] = []
        # All that the coalition may know about field elements; None if it may know everything.
        self.widest: WidestView | None = None
        self.least = least
        self.knowledge = self._knowledge(least)
        self.written_out = least.rewriting.written_out
        self.at_most = self._most(most, self.knowledge if least is most else None, reasons)
        self.at_least = self._least(least.rewriting, reasons)
        if agrees_by_signatures and self.at_least != self.at_most:
            reasons.append(
                "the coalition sees a signature of a public key, but not the key; the upper bound "
                "assumes that the signature tells the key, and so a seed that was agreed on"
            )
        if not is_received and self.at_least != self.at_most:
            reasons.append(
                "some values were disclosed in full, but the coalition cannot compute all of them "
                "from the messages that it sees"
            )
        if ENDS.index(self.at_least) > ENDS.index(self.at_most):
            self.at_most = self.at_least
        if self.at_least != self.at_most and not reasons and most is not least and self._handed:
            reasons.append(
                "the ideal output may tell seeds; the upper bound assumes that the coalition knows "
                "the seeds that follow from the ideal output and the messages"
            )
        self.remarks = tuple(reasons) if self.at_least != self.at_most else ()
        if (
            self.at_least == "leaks"
            and self._varies_alone(least.rewriting.roles)
            and not self._varies_alone(least.rewriting.roles, with_input=True)
        ):
            self.remarks += (
                "perhaps the listed functions that do not follow from the output depend on "
                "nobody's input",
            )

    @property
    def notes(self) -> list[str]:
        """The remarks, and what the upper end assumes of random functions."""
        return [*self.remarks, *(self.most.model() if self.at_most != "leaks" else [])]

    @functools.cached_property
    def knows_structure(self) -> bool:
        """Whether we take the coalition to know the forms of its messages (`hidden_structure`)."""
        return self._doors.checks.knows_structure(self.corrupt)

    @property
    def makings(self) -> dict[int, frozenset[int]]:
        """For each family of secrets that a door made from field elements, and for each product:
        the families in these field elements, or in the factors.
        """
        return {
            each.source.made.number: each.families
            for each in self._doors.arguments
            if each.source.made is not None
        }

    def _knowledge(
        self, deductions: Deductions, lanes: Mapping[int, int] | None = None
    ) -> tuple[Knowledge, ...]:
        rewriting = deductions.rewriting
        parts = [rewriting.part(part) for part in deductions.parts]
        # The ideal world may hand out a secret over another field than the messages use.
        fields = {part.field for part in parts} | {forms.field for forms in self._handed}
        fields |= set(map(Field, lanes or ()))
        return tuple(
            Knowledge(
                field_view(
                    field,
                    [part for part in parts if part.field == field],
                    [rewriting.terms(forms) for forms in self._handed if forms.field == field],
                    None if lanes is None else lanes[field.modulus],
                ),
                rewriting.roles,
            )
            for field in sorted(fields, key=lambda field: field.modulus)
        )

    def knowledge_beside(self, change: ChangeOfCoins) -> tuple[Knowledge, ...]:
        """For each field: what the messages alone determine, by rows with one lane. The coalition
        counts as knowing the seeds that it knows at the upper end.
        """
        lanes = defaultdict(lambda: 1, {row.modulus: 1 for row in change.rows})
        return self._knowledge(self.most, lanes)

    def knowledge_in(self, lanes: Mapping[int, int]) -> tuple[Knowledge, ...]:
        """For each field: what the messages alone determine, by rows with `lanes[q]` lanes over
        F_q.
        """
        return self._knowledge(self.least, lanes)

    def _receives(self, deductions: Deductions) -> bool:
        """Whether the coalition can compute the opened rows that were used for products."""
        rewriting = deductions.rewriting
        known = rewriting.roles.known
        for modulus, rows in rewriting.equations.items():
            seen = Span(modulus)
            terms = [part.terms for part in deductions.parts if part.field.modulus == modulus]
            # Coins with coefficients cannot be cancelled by anything else than rows of messages.
            for row in (row for each in terms for row in refine(each, 1).vectors()):
                seen.add({u: value for u, value in row.items() if not known[u // PLACES]})
            for row in rows:
                if {u: value for u, value in row.items() if not known[u // PLACES]} not in seen:
                    return False
        return True

    # At most.

    def _most(
        self, most: Deductions, known_already: Sequence[Knowledge] | None, reasons: list[str]
    ) -> End:
        """Return the upper end, and add the reasons for it to `reasons`."""
        doubts = most.doubts()
        if doubts:
            reasons += doubts
            return "leaks"
        rewriting = most.rewriting
        roles = rewriting.roles
        doors = rewriting.open_doors()
        tells_output = self._tells_by_output(most)
        if not rewriting.is_complete:
            reasons.append(
                "the products of field elements have too many terms to be written out, so it is "
                "not known what they tell"
            )
            return "leaks"
        given = rewriting.open_factors() if self._needs_rows else []
        if doors or given or rewriting.has_products_of_coins(most.parts):
            change = self.change = ChangeOfCoins(
                self._rows(most, given),
                self._ideal_rows(most),
                doors,
                roles,
                self._doors.unknowns,
                gives_all=self._needs_rows,
            )
            if change.breach:
                reasons.append(change.breach)
                return "leaks"
            if change.given:
                reasons.append(
                    "messages may depend on the same coins or seeds as field elements given to "
                    f"{_listed(change.given)}; the upper bound assumes that the coalition knows "
                    "these field elements"
                )
            elif change.left:
                reasons.append(
                    "no way was found to show that coins hide the products in the messages, so "
                    "the upper bound assumes that they tell everything"
                )
            left = {modulus: (1, rows) for modulus, rows in change.functions().items()}
            self.widest = self._widest(left, rewriting, tells_output)
            tells, is_in_output = bool(change.left), change.is_in_output
        else:
            determined = self._knowledge(most) if known_already is None else known_already
            self.widest = self._widest(
                {
                    knowledge.modulus: (
                        knowledge.view.lanes,
                        [function.terms for function in knowledge.functions],
                    )
                    for knowledge in determined
                },
                rewriting,
                tells_output,
            )
            functions = [function for each in determined for function in each.functions]
            tells, is_in_output = bool(functions), all(each.in_output for each in functions)
        if not tells and not tells_output:
            return "nothing"
        if not is_in_output:
            return "leaks"
        handed = families_of(rewriting.terms(forms) for forms in self._handed)
        if roles.depends_on_coins(handed):
            reasons.append(
                "the ideal output contains coins, or a secret made from coins: together with "
                "messages that contain these coins, the output may tell more than it tells alone"
            )
            return "leaks"
        return "output-only"

    def _tells_by_output(self, most: Deductions) -> bool:
        """Whether random rows may tell something about the ideal output.

        The upper end is computed for a coalition that has the ideal output already. Such a
        coalition may know more about seeds: for example, it may know a seed from the output. A
        coalition without the output may learn this seed from its messages, and so learn something
        about the output. This cannot happen if, without the output, the coalition knows the same
        seeds and no doubts are left.
        """
        if not (most.generous and self._handed):
            return False
        alone = most.without_output()
        gained = (most.known - alone.known) & most.reached
        return bool(gained or alone.doubts())

    def _widest(
        self,
        functions: Mapping[int, tuple[int, Sequence[Vector]]],
        rewriting: Rewriting,
        tells_output: bool,
    ) -> WidestView:
        return WidestView(
            functions=functions,
            change=self.change,
            terms=rewriting.terms,
            roles=rewriting.roles,
            unknowns=self._doors.unknowns,
            handed=[rewriting.terms(forms) for forms in self._handed],
            tells_output=tells_output,
        )

    def _rows(self, deductions: Deductions, given: Sequence[tuple[int, Terms]]) -> dict[int, Terms]:
        messages: dict[int, list[Terms]] = defaultdict(list)
        for part in deductions.parts:
            messages[part.field.modulus].append(deductions.rewriting.part(part).terms)
        for modulus, terms in given:
            messages[modulus].append(terms)
        return {modulus: joined(rows) for modulus, rows in messages.items()}

    def _ideal_rows(self, deductions: Deductions) -> dict[int, list[Vector]]:
        rows: dict[int, list[Vector]] = defaultdict(list)
        for forms in self._handed:
            terms = deductions.rewriting.terms(forms)
            rows[forms.field.modulus] += refine(terms, 1).vectors()
        return rows

    # At least.

    def _least(self, rewriting: Rewriting, reasons: list[str]) -> End:
        functions = [function for knowledge in self.knowledge for function in knowledge.functions]
        if not functions:
            return "nothing"
        if all(function.in_output for function in functions):
            return "output-only"
        doubt = self._doubt(rewriting.roles)
        if doubt is None:
            return "leaks"
        reasons.append(doubt)
        return "output-only" if any(function.in_output for function in functions) else "nothing"

    def _doubt(self, roles: Roles) -> str | None:
        """Say why the functions beyond the ideal output are perhaps no leak; None if there is no
        doubt.
        """
        checks = self._doors.checks
        if not self._varies_alone(roles) and not checks.has_witness(self.corrupt, self.knowledge):
            return (
                "the functions beyond the output, or the output, are made of related secrets "
                "(products, secrets made from coins, several secrets of one input, or several "
                "elements of one secret), and no two inputs were found that give the same output "
                "and different values of these functions"
            )
        if not self.knows_structure:
            return (
                "computing the functions beyond the output may need discrete coins that were drawn "
                "outside doors, and perhaps the coalition does not know these coins"
            )
        return None

    def _varies_alone(self, roles: Roles, with_input: bool = False) -> bool:
        """Whether secrets that can be varied one by one show that L is not in F.

        With `with_input`, only secrets count that were made from somebody's input.
        """
        families = self._doors.unknowns.families
        present: set[int] = set()
        for knowledge in self.knowledge:
            handed = [vector for vector, _ in knowledge.ideal.basis()]
            learned = [function.terms for function in knowledge.functions if not function.is_tied]
            present.update(unknown // PLACES for each in [*handed, *learned] for unknown in each)
        if any(roles.derived[number] for number in present):
            return False  # a derived secret in F depends on coins, so varying secrets shows nothing
        monomials = [
            [factor // PLACES for factor in families[number].factors]
            for number in present
            if families[number].factors
        ]
        factors = {number for monomial in monomials for number in monomial}
        doors = self._doors
        relations = Relations(doors.uses, doors.arguments, roles, doors.same_inputs)
        inputless = {number for number in present | factors if relations.has_no_input(number)}
        if with_input and not inputless:
            return True  # nothing more is left out than without `with_input`
        related = _related(present | factors, relations) | (inputless if with_input else set())
        related |= {number for knowledge in self.knowledge for number in _combined(knowledge)}
        free = {number for number in factors - related if not roles.known[number]}
        fixed = related | {number for number in present if families[number].factors}
        # A product in F is 0 while one of its factors is 0. So all factors but one are kept at 0.
        # Any factor may be the one that varies, so we try each.
        return any(
            _exceeds(knowledge, fixed | _kept(monomials, chosen, free))
            for chosen in sorted(free) or [-1]
            for knowledge in self.knowledge
        )


def _related(numbers: set[int], relations: Relations) -> set[int]:
    groups: dict[Hashable, set[int]] = defaultdict(set)
    for number in numbers:
        groups[relations.group(number)].add(number)
    return {number for group in groups.values() if len(group) > 1 for number in group}


def _combined(knowledge: Knowledge) -> Iterator[int]:
    """Yield the families of the secrets that occur with several elements in one function beyond the
    output.

    For example, the elements of a secret [x, 1 - x] are related: their sum is always 1.
    """
    for function in knowledge.functions:
        if not function.in_output:
            counts = Counter(unknown // PLACES for unknown in function.terms)
            yield from (number for number, elements in counts.items() if elements > 1)


def _kept(monomials: Sequence[Sequence[int]], chosen: int, free: set[int]) -> set[int]:
    """Return the factors that are kept at 0, so that no product varies.

    `monomials` has the factors of each product, and `free` the factors that can be varied. `chosen`
    is not kept at 0 if every product that contains `chosen` contains it once and has another free
    factor.
    """
    kept: set[int] = set()
    for monomial in monomials:
        if (kept & free).isdisjoint(monomial):
            others = [number for number in monomial if number != chosen]
            is_spared = len(others) == len(monomial) - 1 and not free.isdisjoint(others)
            kept.update(others if is_spared else monomial)
    return kept


def _exceeds(knowledge: Knowledge, fixed: set[int]) -> bool:
    """Return whether L has a function without tied unknowns that does not lie in F, after the terms
    of the `fixed` families are removed from L and from F.
    """
    ideal = Span(knowledge.modulus)
    for vector, _ in knowledge.ideal.basis():
        ideal.add(_without(vector, fixed))
    return any(
        not function.is_tied and _without(function.terms, fixed) not in ideal
        for function in knowledge.functions
    )


def _without(vector: Vector, families: set[int]) -> Vector:
    return {u: value for u, value in vector.items() if u // PLACES not in families}


def _listed(titles: Sequence[str]) -> str:
    hidden = len(titles) - SHOWN
    return ", ".join(titles[:SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")
