"""Run a protocol and judge what a coalition learns: from one run, or from several seeds."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, get_args

import attrs

from simnet.adversary.judge import By, Judge, verdict
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.reading_again import Recorded, numeric, play_recorded
from simnet.adversary.verdict import SHARE_FINDINGS, Verdict
from simnet.adversary.whole_view import Expectation, meets
from simnet.arrays import Numbers
from simnet.contract import Protocol
from simnet.errors import BadInput
from simnet.kernel.deadlines import Clocked
from simnet.kernel.run import Run, run
from simnet.record.fate import Fates, MessageFate
from simnet.scenario.drops import fates_of
from simnet.scenario.judging import MOST_ALIKE_ELEMENTS, MOST_MESSAGES
from simnet.scenario.plain import explained_by, guessed_inputs_in_words, inputs_for
from simnet.scenario.population import Population, in_chance_order
from simnet.scenario.scenario import Scenario
from simnet.stated.about import About, Listed

CONFIDENCE = 0.95


@attrs.frozen(eq=False)
class Verified:
    """A verdict on runs of a protocol; `public` has the plain values that messages carried in each
    run (see `About.public`).

    `scenario` has the settings that were used, including the settings that were fitted to the data.
    """

    scenario: Scenario
    protocol: Protocol
    about: About
    verdict: Verdict
    public: tuple[Listed, ...]


@attrs.frozen
class VerdictCounts:
    """How often each verdict was found in several runs."""

    counts: dict[str, int]
    met: dict[str, int]  # for each expectation, the number of runs in which it is met
    leaking_seed: int | None  # the first seed with the finding `leaks`

    def as_json(self) -> dict[str, Any]:
        """Return counts, shares and exact intervals by verdict, and `leaking_seed`, for JSON."""
        runs = sum(self.counts.values())
        verdicts = {
            finding: {
                "count": count,
                "share": count / runs,
                "interval": list(clopper_pearson(count, runs)),
            }
            for finding, count in self.counts.items()
        }
        return {
            "runs": runs,
            "confidence": CONFIDENCE,
            "verdicts": verdicts,
            "smallest_leaking_seed": self.leaking_seed,
        }


def verify(
    scenario: Scenario,
    corrupt: str,
    seed: int,
    inputs: Sequence[int] | Population | None = None,
    collections: int = 1,
    drop: Sequence[str] = (),
    fates: Sequence[Fates] | None = None,
    network: Clocked | None = None,
    message_fates: Sequence[Sequence[MessageFate]] | None = None,
    by: By = "elimination",
) -> Verified:
    """Return the verdict on one run, or on several collections from the same inputs.

    The runs have consecutive seeds, from `seed` on. By default the inputs are those of made-up
    users, drawn from the seed. The inputs can be given one by one, or as a population to which the
    scenario is fitted. `drop` says who drops out, in the same words for all runs: see
    `simnet.scenario.drops`. If `fates` is given, `drop` is ignored, `fates` has the fates of the
    parties of each run, and `message_fates` those of messages. `network` decides deadlines.
    `by` names the solver; symmetry judges one run, without drop-outs.

    Raises `BadInput` for parameters, a number of inputs or a coalition that do not fit and, by
    symmetry, for a run in which parties are not alike.
    """
    own: Sequence[int] | Numbers | None = None
    if isinstance(inputs, Population):
        scenario = scenario.fitted(inputs)
        own = (in_chance_order(inputs, seed) if scenario.in_chance_order else inputs).inputs
    else:
        own = inputs
    runs = played(
        scenario,
        range(seed, seed + collections),
        own,
        drop,
        fates,
        network,
        message_fates,
        by=by,
        has_option=True,
    )
    protocol = numeric(runs[0]).protocol
    about = scenario.described(protocol)
    try:
        found = verdict(runs, corrupt, about, same_inputs=collections > 1, by=by)
    except NotAlike as error:
        raise BadInput(
            f"this run cannot be judged by symmetry: {error}. Judge it by elimination, with fewer "
            "users if the run has more than ten million messages"
        ) from error
    public = tuple(map(about.public, map(numeric, runs)))
    return Verified(scenario, protocol, about, found, public)


def alike_judge(scenario: Scenario, seed: int) -> Judge:
    """Return the judge of one run in which many parties are alike, with made-up inputs.

    Raises `NotAlike` as `Judge` does, and for shares that are values of polynomials. Raises
    `BadInput` for a protocol that states too many elements of messages for a verdict.
    """
    done = played(scenario, [seed], by="symmetry")
    return Judge(done, by="symmetry", with_polynomials=False)


def played(
    scenario: Scenario,
    seeds: Sequence[int],
    inputs: Sequence[int] | Numbers | None = None,
    drop: Sequence[str] = (),
    fates: Sequence[Fates] | None = None,
    network: Clocked | None = None,
    message_fates: Sequence[Sequence[MessageFate]] | None = None,
    *,
    by: By = "elimination",
    has_option: bool = False,
) -> list[Run | Recorded]:
    """Return runs of a scenario's protocol on the same inputs, one for each seed; for symmetry,
    with the record of their doors. The arguments are as for `verify`; `has_option` says whether the
    command at hand has the option `--inputs`.

    Raises `BadInput` if the protocol states too many messages for a verdict.
    """
    protocol = scenario.build(scenario.users, scenario.items)
    work = scenario.described(protocol).workload
    if work is not None:
        _check_size(work.messages * len(seeds), work.elements * len(seeds), by)
    own = inputs_for(scenario, protocol, seeds[0]) if inputs is None else list(inputs)
    if fates is None:
        told = [fates_of(drop, protocol, own, seed, network) for seed in seeds]
    else:
        astray = message_fates or [()] * len(fates)
        told = [(dict(gone), list(lost)) for gone, lost in zip(fates, astray, strict=True)]
    guess = guessed_inputs_in_words(scenario, protocol, has_option) if inputs is None else None
    play = run if by == "elimination" else play_recorded
    with explained_by(guess):
        return [
            play(protocol, own, seed, fates=gone, network=network, message_fates=lost)
            for seed, (gone, lost) in zip(seeds, told, strict=True)
        ]


def _check_size(messages: int, elements: int, by: By) -> None:
    what = f"a verdict on {messages:,} messages with {elements:,} elements would take too"
    if by == "symmetry" and elements > MOST_ALIKE_ELEMENTS:
        raise BadInput(f"{what} long: judge fewer users (at most {MOST_ALIKE_ELEMENTS:,} elements)")
    if by == "elimination" and messages > MOST_MESSAGES:
        raise BadInput(
            f"{what} much memory: judge fewer users (at most {MOST_MESSAGES:,} messages)"
        )


def verify_runs(
    scenario: Scenario,
    corrupt: str,
    seeds: Sequence[int],
    inputs: Sequence[int] | Population | None = None,
    collections: int = 1,
    progress: Callable[[int], None] = lambda _: None,
    drop: Sequence[str] = (),
    network: Clocked | None = None,
) -> VerdictCounts:
    """Return how often each verdict is found over several seeds.

    The arguments are as for `verify`: without `inputs`, each seed draws inputs of its own.
    `progress` is called after every seed.
    """
    counts: Counter[str] = Counter(dict.fromkeys(SHARE_FINDINGS, 0))
    met: Counter[str] = Counter()
    leaking = None
    for seed in seeds:
        verdict_of_run = verify(
            scenario, corrupt, seed, inputs, collections, drop, network=network
        ).verdict
        finding = verdict_of_run.finding
        counts[finding] += 1
        met.update(each for each in get_args(Expectation) if meets(verdict_of_run, each))
        if finding == "leaks" and leaking is None:
            leaking = seed
        progress(1)
    return VerdictCounts(dict(counts), met, leaking)


def clopper_pearson(count: int, runs: int, error: float = 1 - CONFIDENCE) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share. It misses the true share with a probability
    of at most `error`.
    """
    # Scipy loads slowly, so we import it only where it is needed.
    from scipy.special import betaincinv

    tail = error / 2
    low = 0.0 if count == 0 else float(betaincinv(count, runs - count + 1, tail))
    high = 1.0 if count == runs else float(betaincinv(count + 1, runs - count, 1 - tail))
    return low, high
