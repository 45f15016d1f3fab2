"""What a coalition learns in a symmetric system, with a proof that anybody can check.

Theory of operation
-------------------

What a coalition sees is linear in *variables*, which are uniform and unknown to the coalition, and
in *secrets*::

    y = A variables + B secrets        over F_q

L is the space of all λB with λA = 0: the functions of secrets that the coalition determines. If
parties of a class may change places, A and B are tables (`tables`). Then L can often be found with
tables of a few entries, whatever the number of parties is. The proof consists of tables, too::

    weights Λ          ΛA = 0           so the functions ℓ = ΛB are learned
    shift X, rest W    A X + W ℓ = B    so nothing else is learned (docs/proofs/orbits.md)

*At least.* A row of Λ is a combination of what is seen in which all variables cancel. *At most.* If
λA = 0, then λB = λAX + λWℓ = (λW)ℓ. And the whole view follows from ℓ and uniform variables: y = A
(variables + X secrets) + W ℓ secrets.

Both equations are about matrices, and neither needs any symmetry to be a proof: symmetry only makes
the tables short. The equations are checked at the sizes that the classes have in the run.

*The ideal output.* F is the table of what the ideal world hands to the coalition. If ℓ = ΦF, the
coalition learns only its output. If FZ = 0 and ℓZ ≠ 0 for some Z, then secrets can change along Z
without changing the output, and the coalition notices. So it learns more than its output.

*How Λ is found.* For a given word of Λ's rows the equation ΛA = 0 is a linear system with one
unknown for each entry of the table. We try the word () and the words of secrets and, if these are
not enough, also the words of rows. If q is larger than every class, the words of secrets are enough
(docs/proofs/orbits.md, Theorem 2). Otherwise there may be no such proof; the caller can then treat
some parties as classes of their own.

Example: n users hold b_i, and each sends b_i + r_i to a server that also sees the sum of all r_i.

>>> user = ("user",)
>>> system = SymmetricSystem(
...     modulus=101, sizes={"user": 50},
...     rows=[RowType("masked", user), RowType("total", ())],
...     variables=[RowType("r", user)], secrets=[RowType("b", user)], ideal=[],
...     seen={(0, 0, ((0, 0),)): 1, (1, 0, ()): 1},
...     told={(0, 0, ((0, 0),)): 1},
...     handed={},
... )
>>> proof = solve(system)
>>> proof.finding, proof.functions, proof.learned
('leaks', ((),), {(0, 0, ()): 1})

The server learns one function, the sum of all b_i. The server has no ideal output, so the finding
is `leaks`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

from simnet.adversary.orbits.tables import Entry, Orbits, Table, Word
from simnet.errors import SimnetError
from simnet.linear.span import Span

LiftedFinding = Literal["nothing", "output-only", "leaks"]


class NoProof(SimnetError):
    """Raised if no tables were found that prove what the coalition learns."""


class WrongProof(SimnetError):
    """Raised if a proof does not hold."""


@attrs.frozen
class RowType:
    """A type of rows or columns: a label for people, and the word of its classes."""

    label: str
    word: Word


@attrs.frozen(kw_only=True)
class SymmetricSystem:
    """What a coalition sees, as tables: `seen` is A, `told` is B, and `handed` is F.

    `sizes` has the number of parties of each class. Four attributes are lists of types: the types
    of rows of `seen` and `told` are `rows`, and those of `handed` are `ideal`. The types of columns
    of `seen` are `variables`, and those of `told` and `handed` are `secrets`.
    """

    modulus: int
    sizes: Mapping[str, int]
    rows: Sequence[RowType]
    variables: Sequence[RowType]
    secrets: Sequence[RowType]
    ideal: Sequence[RowType]
    seen: Mapping[Entry, int]
    told: Mapping[Entry, int]
    handed: Mapping[Entry, int]


@attrs.frozen(kw_only=True)
class OrbitProof:
    """The tables that prove a finding; see the module's documentation for the letters.

    `weights` is Λ, `learned` is ℓ, `shift` is X, and `rest` is W. `functions` are the words of the
    rows of Λ and ℓ. If the finding is `output-only`, `factor` is Φ. If the finding is `leaks`,
    `witness` is Z, and `witness_words` are the words of the columns of Z.
    """

    finding: LiftedFinding
    functions: tuple[Word, ...]
    weights: Mapping[Entry, int]
    learned: Mapping[Entry, int]
    shift: Mapping[Entry, int]
    rest: Mapping[Entry, int]
    factor: Mapping[Entry, int]
    witness: Mapping[Entry, int]
    witness_words: tuple[Word, ...]


def solve(system: SymmetricSystem) -> OrbitProof:
    """Return what the coalition learns, with a proof that has been checked.

    Raises `NoProof` if no proof was found.
    """
    solver = _Solver(system)
    functions, weights, learned, shift, rest = solver.knowledge()
    finding: LiftedFinding = "nothing"
    factor: Table = {}
    witness: Table = {}
    witness_words: tuple[Word, ...] = ()
    if learned:
        quotient = solver.quotient(functions, learned)
        if quotient is not None:
            finding, factor = "output-only", quotient
        else:
            finding = "leaks"
            witness, witness_words = solver.witness(functions, learned)
    proof = OrbitProof(
        finding=finding,
        functions=functions,
        weights=weights,
        learned=learned,
        shift=shift,
        rest=rest,
        factor=factor,
        witness=witness,
        witness_words=witness_words,
    )
    check(system, proof)
    return proof


def check(system: SymmetricSystem, proof: OrbitProof) -> None:
    """Raise `WrongProof` unless the proof holds at the system's sizes."""
    orbits = Orbits(system.sizes, system.modulus)
    rows, variables, secrets, ideal = map(
        _words, (system.rows, system.variables, system.secrets, system.ideal)
    )
    functions, columns = proof.functions, proof.witness_words
    if orbits.product(proof.weights, system.seen, functions, rows, variables):
        raise WrongProof("the combinations of what is seen contain variables")
    if orbits.product(proof.weights, system.told, functions, rows, secrets) != proof.learned:
        raise WrongProof("the combinations of what is seen are not the functions that are listed")
    explained = orbits.added(
        orbits.product(system.seen, proof.shift, rows, variables, secrets),
        orbits.product(proof.rest, proof.learned, rows, functions, secrets),
    )
    if explained != dict(system.told):
        raise WrongProof("shift and functions do not explain what is seen")
    if proof.finding == "nothing" and proof.learned:
        raise WrongProof("a function is learned, and the finding is nothing")
    if proof.finding == "output-only":
        given = orbits.product(proof.factor, system.handed, functions, ideal, secrets)
        if not proof.learned or given != proof.learned:
            raise WrongProof(
                "it is not shown that the functions learned follow from the ideal output"
            )
    if proof.finding == "leaks" and (
        orbits.product(system.handed, proof.witness, ideal, secrets, columns)
        or not orbits.product(proof.learned, proof.witness, functions, secrets, columns)
    ):
        raise WrongProof("the change of secrets changes the ideal output, or is not noticed")


def exposed_types(system: SymmetricSystem, proof: OrbitProof) -> list[int]:
    """The types of secrets, by number, for which tables show that the coalition determines every
    single secret of the type.
    """
    solver = _Solver(system)
    words = _words(system.secrets)
    spans: dict[Word, Span] = {}
    found = []
    for place, word in enumerate(words):
        if not solver.orbits.exists(word):
            continue
        if word not in spans:
            spans[word] = Span(system.modulus)
            solver.add_functions(spans[word], word, proof)
        diagonal = tuple((at, at) for at in range(len(word)))
        if solver.vector({(0, place, diagonal): 1}) in spans[word]:
            found.append(place)
    return found


def touches(system: SymmetricSystem, proof: OrbitProof, name: str) -> bool:
    """Whether, for each party of a class, a secret of this party occurs in some function that is
    learned.
    """
    of_class = {place for place, each in enumerate(system.secrets) if each.word == (name,)}
    return any(secret in of_class for _, secret, _ in proof.learned)


def exposes(system: SymmetricSystem, proof: OrbitProof, name: str) -> bool | None:
    """Whether, for each party of a class, some function is learned in which only secrets of this
    party occur, with coefficients that are not all 0. None if no tables show whether this holds.

    A function of one party's secrets is the same for all ways to exchange the other parties, so it
    is a table whose rows have the word of this party. To show that there is no such function, we
    find a change of secrets for each secret of the party. The change changes this secret, no other
    secret of the party, and no function that is learned. A learned function of the party's secrets
    alone then has the coefficient 0 at each of them.
    """
    solver, word = _Solver(system), (name,)
    own = [(0, place, ((0, 0),)) for place, each in enumerate(system.secrets) if each.word == word]
    words, functions = _words(system.secrets), proof.functions
    numbers = set(solver.vector(dict.fromkeys(own, 1)))
    # Entries outside `own` become pivots first, so a row whose pivot is in `own` is all in `own`.
    span = Span(system.modulus, order=lambda key: (key in numbers, key))
    solver.add_functions(span, word, proof)
    if any(set(row) <= numbers for row, _ in span.basis()):
        return True
    fixed = {(secret, 0, matching) for _, secret, matching in own}
    changes = [each for each in solver.orbits.entries(words, [word]) if each not in fixed]
    images = [
        solver.orbits.product(proof.learned, {each: 1}, functions, words, [word])
        for each in changes
    ]
    for each in fixed:
        image = solver.orbits.product(proof.learned, {each: 1}, functions, words, [word])
        if solver.solves(images, image) is None:
            return None
    return False


class _Solver:
    def __init__(self, system: SymmetricSystem) -> None:
        self.system = system
        self.orbits = Orbits(system.sizes, system.modulus)
        self.rows = _words(system.rows)
        self.variables = _words(system.variables)
        self.secrets = _words(system.secrets)
        self.ideal = _words(system.ideal)
        self._numbers: dict[Entry, int] = {}

    def knowledge(self) -> tuple[tuple[Word, ...], Table, Table, Table, Table]:
        """The words of the rows of Λ and ℓ, and the tables Λ, ℓ, X and W."""
        functions: list[Word] = []
        weights: Table = {}
        learned: Table = {}
        for words in self._stages():
            for word in words:
                self._extend(word, functions, weights, learned)
            explained = self._explained(functions, learned)
            if explained is not None:
                shift, rest = explained
                return self._without_unused(functions, weights, learned, shift, rest)
        raise NoProof(
            "no proof with equal entries for alike parties was found: the field's modulus divides "
            "the number of ways in which parties of a class can change places"
        )

    def quotient(self, functions: Sequence[Word], learned: Table) -> Table | None:
        """The table Φ with ℓ = ΦF; None if there is none."""
        unknowns = self.orbits.entries(functions, self.ideal)
        images = [
            self.orbits.product({entry: 1}, self.system.handed, functions, self.ideal, self.secrets)
            for entry in unknowns
        ]
        solution = self.solves(images, learned)
        return None if solution is None else {unknowns[k]: value for k, value in solution.items()}

    def witness(self, functions: Sequence[Word], learned: Table) -> tuple[Table, tuple[Word, ...]]:
        """A table Z with FZ = 0 and ℓZ ≠ 0, and the words of its columns.

        Raises `NoProof` if none was found.
        """
        for word in dict.fromkeys([*self.secrets, ()]):
            if not self.orbits.exists(word):
                continue
            unknowns = self.orbits.entries(self.secrets, [word])
            images = [
                self.orbits.product(
                    self.system.handed, {entry: 1}, self.ideal, self.secrets, [word]
                )
                for entry in unknowns
            ]
            for relation in self._kernel(images):
                change = {unknowns[k]: value for k, value in relation.items()}
                if self.orbits.product(learned, change, functions, self.secrets, [word]):
                    return change, (word,)
        raise NoProof(
            "no proof was found: neither a table that computes what is learned from the ideal "
            "output, nor a change of secrets that shows that what is learned exceeds the output"
        )

    def _stages(self) -> list[list[Word]]:
        first = list(dict.fromkeys([(), *self.secrets]))
        second = [word for word in dict.fromkeys(self.rows) if word not in first]
        return [[word for word in stage if self.orbits.exists(word)] for stage in (first, second)]

    def _extend(self, word: Word, functions: list[Word], weights: Table, learned: Table) -> None:
        unknowns = self.orbits.entries([word], self.rows)
        images = [
            self.orbits.product({entry: 1}, self.system.seen, [word], self.rows, self.variables)
            for entry in unknowns
        ]
        for relation in self._kernel(images):
            weight = {unknowns[k]: value for k, value in relation.items()}
            function = self.orbits.product(
                weight, self.system.told, [word], self.rows, self.secrets
            )
            if not function or self._follows(function, word, functions, learned):
                continue
            place, q = len(functions), self.system.modulus
            unit = pow(function[min(function)], -1, q)  # so that the first coefficient is 1
            functions.append(word)
            weights.update(
                {(place, row, m): value * unit % q for (_, row, m), value in weight.items()}
            )
            learned.update(
                {(place, at, m): value * unit % q for (_, at, m), value in function.items()}
            )

    def _follows(
        self, function: Table, word: Word, functions: Sequence[Word], learned: Table
    ) -> bool:
        images = [
            self.orbits.product({entry: 1}, learned, [word], functions, self.secrets)
            for entry in self.orbits.entries([word], functions)
        ]
        return self.solves(images, function) is not None

    def _explained(self, functions: Sequence[Word], learned: Table) -> tuple[Table, Table] | None:
        """The tables X and W with AX + Wℓ = B; None if there are none."""
        shifts = self.orbits.entries(self.variables, self.secrets)
        rests = self.orbits.entries(self.rows, functions)
        images = [
            self.orbits.product(
                self.system.seen, {entry: 1}, self.rows, self.variables, self.secrets
            )
            for entry in shifts
        ] + [
            self.orbits.product({entry: 1}, learned, self.rows, functions, self.secrets)
            for entry in rests
        ]
        solution = self.solves(images, self.system.told)
        if solution is None:
            return None
        unknowns = [*shifts, *rests]
        border = len(shifts)
        return (
            {unknowns[k]: value for k, value in solution.items() if k < border},
            {unknowns[k]: value for k, value in solution.items() if k >= border},
        )

    def _without_unused(
        self,
        functions: Sequence[Word],
        weights: Table,
        learned: Table,
        shift: Table,
        rest: Table,
    ) -> tuple[tuple[Word, ...], Table, Table, Table, Table]:
        used = sorted({function for _, function, _ in rest})
        place = {function: number for number, function in enumerate(used)}
        return (
            tuple(functions[function] for function in used),
            {(place[f], row, m): value for (f, row, m), value in weights.items() if f in place},
            {(place[f], at, m): value for (f, at, m), value in learned.items() if f in place},
            shift,
            {(row, place[f], m): value for (row, f, m), value in rest.items()},
        )

    def add_functions(self, span: Span, word: Word, proof: OrbitProof) -> None:
        """Add the learned functions that are tables whose rows have this word."""
        for entry in self.orbits.entries([word], proof.functions):
            made = self.orbits.product(
                {entry: 1}, proof.learned, [word], proof.functions, self.secrets
            )
            span.add(self.vector(made))

    # Linear algebra on tables, which are vectors with one place for each entry.

    def vector(self, table: Mapping[Entry, int]) -> dict[int, int]:
        numbers = self._numbers
        return {numbers.setdefault(key, len(numbers)): value for key, value in table.items()}

    def _span(self, images: Sequence[Table]) -> tuple[Span, list[dict[int, int]]]:
        span, relations = Span(self.system.modulus), []
        for number, image in enumerate(images):
            rest, origin = span.reduce(self.vector(image), {number: 1})
            if rest:
                span.add(rest, origin)
            else:
                relations.append(origin)
        return span, relations

    def _kernel(self, images: Sequence[Table]) -> list[dict[int, int]]:
        return self._span(images)[1]

    def solves(self, images: Sequence[Table], wanted: Mapping[Entry, int]) -> dict[int, int] | None:
        """A combination of the tables that is the wanted table; None if there is none."""
        span, _ = self._span(images)
        rest, origin = span.reduce(self.vector(wanted), {})
        if rest:
            return None
        return {number: -value % self.system.modulus for number, value in origin.items()}


def _words(types: Sequence[RowType]) -> list[Word]:
    return [each.word for each in types]
