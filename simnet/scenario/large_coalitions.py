"""What the coalitions of a run learn: all of them, or by counts, or else by a search one by one.

Theory of operation. All coalitions of a run with at most 12 parties are judged. A larger run has
too many coalitions to judge each. Three respondents are asked, one after the other, until one of
them takes the run (`simnet.adversary.coalitions.answer`):

1. by counts, if parties can be exchanged;
2. by counts, if messages are Shamir's shares and their sums;
3. one by one, by elimination. The number of verdicts is limited.

A run with drop-outs, or with a network, is judged in the third way.
"""

from collections.abc import Callable, Collection, Sequence

import attrs

from simnet.adversary.certificate import certificate_of, certificate_text
from simnet.adversary.coalitions.alike import answer_by_symmetry
from simnet.adversary.coalitions.answer import EVERYTHING, Answer, Names, Question
from simnet.adversary.coalitions.every_coalition import EveryCoalition, judged_all
from simnet.adversary.coalitions.one_by_one import OneByOne, most_verdicts, refuse_without_secrets
from simnet.adversary.coalitions.shamir import NotShared, answer_by_shares
from simnet.adversary.orbits.by_symmetry import BySymmetry
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.reading_again import numeric
from simnet.adversary.verdict import Verdict
from simnet.kernel.deadlines import Clocked
from simnet.kernel.run import Run
from simnet.scenario.scenario import Scenario
from simnet.scenario.verify import alike_judge, played
from simnet.stated.about import About

# The text of the certificate of a coalition; None if its verdict is undecided.
Certify = Callable[[Sequence[str]], str | None]


@attrs.frozen(eq=False)
class Searched:
    """What coalitions of a run learn, and certificates of single coalitions.

    `declaring` are the parties that have declared a secret. `every` has the findings about all
    coalitions, if all were judged.
    """

    run: Run
    found: Answer
    declaring: Collection[str]
    certify: Certify
    every: EveryCoalition | None = None

    def listed(self) -> list[Names]:
        """The listed coalitions that have members, each once."""
        if self.every is not None:
            return self.every.listed()
        found = (part.coalition(counts) for part, _, counts in self.found.corners())
        return [each for each in dict.fromkeys(found) if each]


@attrs.frozen(eq=False)
class OneRun:
    """One run of a scenario, whose coalitions are asked about.

    `name` is what certificates call the scenario: its name, or its file without folders.
    `drop` says who drops out, as for `simnet run`, and `network` decides deadlines.
    """

    scenario: Scenario
    name: str
    seed: int
    drop: Sequence[str] = ()
    network: Clocked | None = None

    def played(self) -> Run:
        """Play the run.

        Raises `BadInput` if the protocol states too many messages for a verdict.
        """
        (done,) = played(self.scenario, [self.seed], drop=self.drop, network=self.network)
        return numeric(done)

    def certify(self, judged_by: Callable[[Sequence[str]], Verdict]) -> Certify:
        """Return a function that writes certificates of verdicts."""

        def certify(coalition: Sequence[str]) -> str | None:
            verdict = judged_by(coalition)
            if verdict.finding == "undecided":
                return None
            settings = self.scenario.settings()
            return certificate_text(
                certificate_of(verdict, scenario=self.name, parameters=settings, with_seed=True)
            )

        return certify


def all_coalitions(
    asked: OneRun, about: About, users: Sequence[str], progress: Callable[[int], None]
) -> Searched:
    """Return what all coalitions of a run learn. Raises errors as `every_coalition` does."""
    done = asked.played()
    judge = OneByOne(done, about, users, progress)
    every = judged_all(judge, done)
    return Searched(done, every.answer, judge.declaring, asked.certify(judge.judge.verdict), every)


def search_coalitions(
    asked: OneRun,
    about: About,
    users: Sequence[str] = (),
    only_users: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Searched:
    """Return what coalitions of a run learn.

    If coalitions cannot be judged by counts, we search, for each party in `users`, for one minimal
    coalition that exposes it and one maximal coalition that does not, and the same for touching. If
    `users` is empty, we do so for the first party that has declared a secret. `progress` is called
    after each verdict of this search.

    With `only_users`, the question is which coalitions of users expose a user, for all users, as
    far as the number of verdicts allows.

    Raises `NoSecrets` for a run without secrets, and `BadInput` for a protocol that states too
    large a workload, for a run with crowds, and for a user who has declared no secret.
    """
    reasons: list[str] = []
    is_plain = not asked.drop and asked.network is None
    if is_plain:
        try:
            alike = alike_judge(asked.scenario, asked.seed)
            solver = alike.solver
            assert isinstance(solver, BySymmetry)
            (done,), declaring = solver.runs, solver.declaring
            refuse_without_secrets(users, done, declaring)
            question = _question(done, declaring, only_users)
            certify = asked.certify(alike.verdict)
            return Searched(done, answer_by_symmetry(solver, question), declaring, certify)
        except NotAlike as error:
            reasons.append(f"symmetry does not apply: {error}")
    done = asked.played()
    judge = OneByOne(done, about, users, progress)
    question = _question(done, judge.declaring, only_users)
    certify = asked.certify(judge.judge.verdict)
    if is_plain:
        try:
            return Searched(done, answer_by_shares(done, judge, question), judge.declaring, certify)
        except NotShared as error:
            reasons.append(f"the theorem on Shamir's shares does not apply: {error}")
    else:
        reasons.append(
            "coalitions are counted only in runs without drop-outs and without a network"
        )
    verdicts = most_verdicts(len(judge.names))
    if only_users:
        judge.allow(verdicts)
    else:
        chosen = users or judge.declaring[:1]
        judge.allow(2 * verdicts * len(chosen))
        question = Question(about=chosen, one_of_each=True)
    found = judge.found(question, reasons)
    return Searched(done, found, judge.declaring, certify)


def users_among(done: Run, declaring: Collection[str]) -> list[str]:
    """The parties that play a role of a party that has declared a secret."""
    roster = done.roster
    roles = {roster.seats[roster.number[name]].role for name in declaring}
    return [
        name for name, seat in zip(roster.names, roster.seats, strict=True) if seat.role in roles
    ]


def _question(done: Run, declaring: Collection[str], only_users: bool) -> Question:
    if not only_users:
        return EVERYTHING
    return Question(members=frozenset(users_among(done, declaring)), touching=False)
