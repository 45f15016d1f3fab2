"""The judge: reads runs symbolically, and gives a verdict on any coalition of observed parties.

Theory of operation
-------------------

1. *Read again.* Each run is played once more in the symbolic reading, in which messages carry forms
   (`simnet.adversary.symbolic`). All parties that may be in a coalition are observed. The run is
   also played once more in numbers, for attacks. The given run and these two must be the same run;
   otherwise the verdict would be about another run (`simnet.adversary.reading_again`).
2. *What the coalition knows.* For each field, we collect the forms that reach the coalition, and
   eliminate the coins of honest parties. The result is L, the functions of honest secrets that the
   forms determine (`simnet.adversary.knowledge`).
3. *What the coalition may know.* The ideal world is played with the same unknowns. F is what the
   functionality hands to the coalition. Without a functionality F is 0.
4. *Two ends.* Elimination is about forms alone. If a door was given rows that contain coins, its
   value may tell more, or its secret may depend on coins. Seeds that may be guessed and related
   secrets are other doubts. So we find what the coalition learns for certain, and what it learns at
   most (`simnet.adversary.bounds`). If both are the same finding, this finding is the verdict.
   Otherwise the verdict is undecided, and a note says why.

*Solvers.* The judge asks a *solver* what field elements tell a coalition (steps 2 to 4), and makes
one `Verdict` of its answer, of what disclosed values tell (`simnet.adversary.door_laws`), and of
what the runs declare. `by` names the solver. `ByElimination` keeps the form of every message, so
each party is a class of its own. `BySymmetry` keeps one relation for many alike messages, so that
classes of thousands of parties can be judged (`simnet.adversary.orbits`). A further solver would
have what these two have: the attributes `runs`, `unknowns`, `declaring` and `door_judge`, and the
methods `bounds` (whose result has `at_least`, `at_most`, `notes`, `knowledge` and `widest`) and
`discrete`.

Example. User 1 adds a coin c to its number, and user 2 subtracts c from its own number:

>>> from simnet import Field, Seat, Tag, constant, run, seats
>>> F, MASK, REPORT = Field(101), Tag("mask"), Tag("report")
>>> class PairSum:
...     def parties(self):
...         return {**seats("u", self.user, 2), "server": Seat(self.server)}
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         if me.name == "u1":
...             mask = me.coins.field(F, (1,))
...             await me.send(MASK, "u2", mask)
...             await me.send(REPORT, "server", mine + mask)
...         else:
...             mask = await me.receive(MASK, "u1", shape=(1,))
...             await me.send(REPORT, "server", mine - mask)
...     async def server(self, me):
...         first = await me.receive(REPORT, "u1", shape=(1,))
...         second = await me.receive(REPORT, "u2", shape=(1,))
...         return (first + second).open()
...     def functionality(self, numbers, users):
...         first, second = (
...             user.secret(lambda x: [x], number, field=F, shape=(1,))
...             for number, user in zip(numbers, users)
...         )
...         return {"server": first + second}
>>> done = run(PairSum(), [5, 7], seed=1)

The server sees s1 + c and s2 - c. Only multiples of their sum s1 + s2 are free of c. So s1 + s2
spans L, and it also spans F. User 2 sees c alone, so its L is 0. The server and user 2 together
know s1. They may know s1, because F contains s1 + s2, and s2 is their own.

>>> for corrupt in ["server", "u2", "u2, server"]:
...     found = verdict(done, corrupt)
...     functions = [[(s.party, c) for s, c in one.terms] for one in found.functions]
...     print(f"{corrupt}: {found.finding}, {functions}")
server: output-only, [[('u1', 1), ('u2', 1)]]
u2: nothing, []
u2, server: output-only, [[('u1', 1)]]

Messages may also contain bits, indices and reals. The attribute `discrete` of a verdict lists their
kinds. Scripts see no inputs, so these values tell about inputs only what doors have disclosed.
`simnet.adversary.door_laws` proves that the disclosed values are independent of inputs, or finds
their law by calling the doors. If neither is possible, the protocol's `About` record may state what
disclosed values tell.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from simnet.adversary.by_elimination import ByElimination
from simnet.adversary.coalition import Coalition, CoalitionLike, coalition_of
from simnet.adversary.discrete import DiscreteView
from simnet.adversary.orbits.by_symmetry import BySymmetry
from simnet.adversary.reading_again import Recorded, numeric, recorded
from simnet.adversary.verdict import ShareFinding, Verdict, uncovered_in_words
from simnet.errors import BadInput, SimnetError
from simnet.kernel.run import Run
from simnet.stated.about import About

By = Literal["elimination", "symmetry"]


def verdict(
    runs: Run | Sequence[Run | Recorded],
    corrupt: CoalitionLike,
    about: About | None = None,
    same_inputs: bool = False,
    by: By = "elimination",
) -> Verdict:
    """Return what a coalition learns from a run, or from several runs together.

    `runs` is one run, or a list of runs of one protocol (repeated collections, for example).
    `corrupt` names the coalition: `["u1", "server"]`, or a text such as `all users but one,
    network`. `about` is what the protocol states about itself; without it, disclosed values may be
    "not judged". `same_inputs` declares that the runs are of the same people with the same inputs.
    `by` names the solver: `elimination`, or `symmetry` for a run in which many parties are alike.

    Raises `BadInput` for an empty list of runs, and for a coalition that is empty or cannot be
    read. Raises `ScriptError` if a script is seen to behave differently when it is read again
    (`simnet.adversary.reading_again`), or computes something for which verdicts have no rule.
    Raises `SimnetError` if the functionality fails or makes other secrets than the scripts, if an
    input has no canonical form (`NoCanonicalForm`), and if runs of one seed draw field coins in
    different portions. It is also raised if there is nothing to judge: for example, if field
    elements were sent, and honest parties have inputs, but none of them has declared a secret.

    Example: two users send each other their numbers without a mask.

    >>> from simnet import Field, Tag, run, seats
    >>> F, NUMBER = Field(101), Tag("number")
    >>> class Exchange:
    ...     def parties(self):
    ...         return seats("u", self.user, 2)
    ...     async def user(self, me, number):
    ...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
    ...         other = "u2" if me.name == "u1" else "u1"
    ...         await me.send(NUMBER, other, mine)
    ...         await me.receive(NUMBER, other, shape=(1,))
    >>> found = verdict(run(Exchange(), [5, 7], seed=1), "u1")
    >>> found.finding, found.attack("u2", 1)
    ('leaks', 7)
    """
    sequence = [runs] if isinstance(runs, Run) else list(runs)
    if not sequence:
        raise BadInput("a verdict is about at least one run")
    coalition = coalition_of(corrupt, largest(list(map(numeric, sequence))).roster)
    observed = None if coalition.network else coalition.parties
    return Judge(sequence, observed, about, same_inputs, by=by).verdict(coalition)


class Judge:
    """Reads runs symbolically, and gives verdicts on any coalitions of the parties in `observe`.

    >>> from simnet import Field, Tag, run, seats
    >>> F, NUMBER = Field(101), Tag("number")
    >>> class Exchange:
    ...     def parties(self):
    ...         return seats("u", self.user, 2)
    ...     async def user(self, me, number):
    ...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
    ...         if me.name == "u1":
    ...             await me.send(NUMBER, "u2", mine)
    ...         else:
    ...             await me.receive(NUMBER, "u1", shape=(1,))
    >>> judge = Judge([run(Exchange(), [5, 7], seed=1)], ["u1", "u2"])
    >>> judge.verdict("u1").finding, judge.verdict("u2").finding
    ('nothing', 'leaks')
    """

    def __init__(
        self,
        runs: Sequence[Run | Recorded],
        observe: Iterable[str] | None = None,
        about: About | None = None,
        same_inputs: bool = False,
        *,
        by: By = "elimination",
        progress: Callable[[int], None] | None = None,
        with_polynomials: bool = True,
    ) -> None:
        """Read the runs again.

        A run that comes with the record of its doors is not played in numbers once more. Without
        `observe`, all parties are observed. `about` is what the protocol states about itself.
        `same_inputs` declares that the runs are of the same people with the same inputs. `by` names
        the solver. `progress` and `with_polynomials` are for symmetry: see `outline_of`.

        Raises `ScriptError` if a script is seen to behave differently when it is read again
        (`simnet.adversary.reading_again`), or computes something for which verdicts have no rule.
        Raises `SimnetError` if the functionality fails or makes other secrets than the scripts, and
        if runs of one seed draw field coins in different portions. With `same_inputs`, raises
        `NoCanonicalForm` if an input has no canonical form. Raises `NotAlike` for a run that
        symmetry cannot judge.
        """
        self._about = about
        given = list(map(numeric, runs))
        everyone = {name for done in given for name in done.roster.names}
        self._observed = sorted(everyone if observe is None else set(observe))
        is_alike = by == "symmetry"
        seen = () if is_alike else self._observed
        # The numeric runs, on which attacks are replayed, and the values that their doors gave.
        both = [
            each
            if isinstance(each, Recorded)
            else recorded(each, seen, progress if is_alike else None)
            for each in runs
        ]
        self.sampled_runs = tuple(sampled for sampled, _ in both)
        self.solver: ByElimination | BySymmetry
        if is_alike:
            self.solver = BySymmetry(given, both, progress, with_polynomials)
        else:
            self.solver = ByElimination(given, both, self._observed, same_inputs)
        self._runs = self.solver.runs

    def verdict(self, corrupt: CoalitionLike) -> Verdict:
        """Return what a coalition of observed parties learns.

        Raises `BadInput` for a coalition that is empty or cannot be read, and if a party that has
        to be observed was not. Raises `SimnetError` if an input has no canonical form
        (`NoCanonicalForm`), and if there is nothing to judge: for example, if field elements were
        sent, and honest parties have inputs, but none of them has declared a secret. By symmetry,
        raises `NotAlike` if the parties are not alike, or if no proof was found.
        """
        solver, doors = self.solver, self.solver.door_judge
        coalition = coalition_of(corrupt, largest(self._runs).roster)
        self._check_observed(coalition)
        bounds = solver.bounds(coalition)
        disclosures = doors.disclosures(coalition.parties, bounds.widest)
        discrete = solver.discrete(coalition, disclosures, self._about)
        notes = self._notes(coalition, discrete)
        least: ShareFinding = "no-shares"
        most: ShareFinding = "no-shares"
        is_shared = not self._shares_nothing(discrete)
        if is_shared:
            least, most = bounds.at_least, bounds.at_most
            notes += bounds.notes
        return Verdict(
            corrupt=coalition,
            at_least=least,
            at_most=most,
            notes=tuple(notes),
            discrete=discrete,
            knowledge=bounds.knowledge if is_shared else (),
            runs=self._runs,
            unknowns=solver.unknowns,
            sampled_runs=self.sampled_runs,
            both_ends=bounds,
            secret_values=functools.partial(doors.secret_values, coalition.parties),
            find_refused=lambda: doors.refused_inputs,
        )

    def _check_observed(self, coalition: Coalition) -> None:
        everyone = {name for done in self._runs for name in done.roster.names}
        watched = everyone if coalition.network else set(coalition.parties)
        unseen = sorted(watched - set(self._observed))
        if unseen:
            raise BadInput(f"{unseen[0]} was not observed by this judge: name it in `observe`")

    # What the runs declare.

    @functools.cached_property
    def declaring(self) -> set[str]:
        """The parties that have declared a secret in some run."""
        return self.solver.declaring

    def _shares_nothing(self, discrete: DiscreteView) -> bool:
        """Whether no field element was sent, no secret was declared, and only the law of disclosed
        values protects inputs. The last counts as true if an honest party discloses something, or
        if the protocol states that perturbation alone protects inputs.
        """
        sends_field_elements = any("qd" in done.ledger.total().elements for done in self._runs)
        return discrete.protects_alone and not self.declaring and not sends_field_elements

    def _notes(self, coalition: Coalition, discrete: DiscreteView) -> list[str]:
        """The notes on the scope of the verdict.

        Raises `SimnetError` if there is nothing to judge.
        """
        members = set(coalition.parties)
        holders = {name for done in self._runs for name in done.inputs} - members
        silent = sorted(holders - self.declaring, key=lambda name: (len(name), name))
        if self.declaring - members:
            return uncovered_in_words(silent)
        if self._shares_nothing(discrete):
            if silent:
                return []
        elif not self.declaring or silent:
            raise SimnetError(
                "no honest party declared a secret in these runs, so nothing can be judged: a "
                "script declares what messages must protect with me.secret(...), or, if no party "
                "makes secrets or sends field elements, the protocol states in `disclosure` that "
                "perturbation alone protects the inputs"
            )
        everyone = all(set(done.roster.names) <= members for done in self._runs)
        what = "a secret" if self.declaring else "an input"
        who = "every party" if everyone else f"every party that has {what}"
        return [f"{who} is in the coalition: nothing is left to learn"]


def largest(runs: Sequence[Run]) -> Run:
    """The run with the most parties. A text that describes a coalition refers to the parties of
    this run.
    """
    return max(runs, key=lambda done: len(done.roster))
