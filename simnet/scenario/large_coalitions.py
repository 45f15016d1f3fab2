"""What the coalitions of a large run learn: by counts, or else by a search for some parties.

Theory of operation. A run with more than 12 parties has too many coalitions to judge each. We try
three ways, one after the other:

1. by counts, if parties can be exchanged (`simnet.adversary.coalitions.by_count`);
2. by counts, if messages are Shamir's shares and their sums
   (`simnet.adversary.coalitions.shares_by_count`);
3. for some parties, one minimal coalition that exposes the party and one maximal coalition that
   does not, and the same for touching (`simnet.adversary.coalitions.grown_sets`). This is not the
   whole answer.

A run with drop-outs, or with a network, is judged in the third way.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs

from simnet.adversary.certificate import certificate_of, certificate_text
from simnet.adversary.coalitions.by_count import ByCount, by_count
from simnet.adversary.coalitions.grown_sets import GrownSets, grown_sets
from simnet.adversary.coalitions.reach import Reach, refuse_without_secrets
from simnet.adversary.coalitions.shares_by_count import NotShared, shares_by_count
from simnet.adversary.judge import Judge
from simnet.adversary.orbits.certificate import alike_certificate_of
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.verdict import AlikeVerdict
from simnet.adversary.verdict import Verdict
from simnet.errors import BadInput
from simnet.kernel.deadlines import Clocked
from simnet.kernel.run import Run
from simnet.scenario.scenario import Scenario
from simnet.scenario.verify import alike_judge, played
from simnet.stated.about import About

# The text of the certificate of a coalition; None if its verdict is undecided.
Certify = Callable[[Sequence[str]], str | None]
V = TypeVar("V", Verdict, AlikeVerdict)


@attrs.frozen(eq=False)
class Counted:
    """What coalitions of a run learn, by counts, and certificates of single coalitions."""

    run: Run
    found: ByCount
    certify: Certify


@attrs.frozen(eq=False)
class Grown:
    """Single coalitions that expose or touch some parties of a run, or do not, and certificates.

    `reasons` say why coalitions were not counted. `judged` is the number of coalitions that were
    judged.
    """

    run: Run
    sets: tuple[GrownSets, ...]
    judged: int
    reasons: tuple[str, ...]
    certify: Certify


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
        return played(self.scenario, self.seed, drop=self.drop, network=self.network)


def judge_large(
    asked: OneRun,
    about: About,
    users: Sequence[str] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> Counted | Grown:
    """Return what coalitions of a large run learn.

    If coalitions cannot be judged by counts, we search, for each party in `users`, which coalitions
    expose it. If `users` is empty, we do so for the first party that has declared a secret.
    `progress` is called after each verdict of this search.

    Raises `BadInput` for a protocol that states too large a workload, for a run with crowds or
    without secrets, and for a user who has declared no secret.
    """
    reasons: list[str] = []
    is_plain = not asked.drop and asked.network is None
    if is_plain:
        try:
            alike = alike_judge(asked.scenario, asked.seed)
            refuse_without_secrets(users, alike.outline.run, alike.outline.reading.declared)
            certify = _certificates(alike.verdict, alike_certificate_of, asked)
            return Counted(alike.outline.run, by_count(alike), certify)
        except NotAlike as error:
            reasons.append(f"symmetry does not apply: {error}")
    done = asked.played()
    if done.roster.crowds:
        raise BadInput(
            "no coalition can have single members of a crowd: seat the members one by one, for "
            "example with --population actors"
        )
    judge = Judge([done], done.roster.names, about)
    refuse_without_secrets(users, done, judge.declaring)
    certify = _certificates(judge.verdict, certificate_of, asked)
    if is_plain:
        try:
            return Counted(done, shares_by_count(done), certify)
        except NotShared as error:
            reasons.append(f"the theorem on Shamir's shares does not apply: {error}")
    else:
        reasons.append(
            "coalitions are counted only in runs without drop-outs and without a network"
        )
    reach = Reach(judge, tuple(done.roster.names), progress)
    sets = tuple(grown_sets(reach, user, done.roster.names) for user in _chosen(judge, done, users))
    return Grown(done, sets, reach.judged, tuple(reasons), certify)


def _chosen(judge: Judge, done: Run, users: Sequence[str]) -> Sequence[str]:
    declaring = [name for name in done.roster.names if name in judge.declaring]
    if not declaring:
        raise BadInput("no party has declared a secret in this run")
    return users or declaring[:1]


def _certificates(
    judged_by: Callable[[Sequence[str]], V], made_of: Callable[..., dict[str, Any]], asked: OneRun
) -> Certify:
    def certify(coalition: Sequence[str]) -> str | None:
        verdict = judged_by(coalition)
        if verdict.finding == "undecided":
            return None
        parameters = asked.scenario.settings()
        return certificate_text(
            made_of(verdict, scenario=asked.name, parameters=parameters, with_seed=True)
        )

    return certify
