"""What verdicts say about disclosed values of random small scripts is compared with every possible
world.

At the history of a run, the exact loss of a view and of all disclosed values together must not
exceed what the verdict says, if shares tell nothing. If they tell only the output, then the law of
the disclosed values given this output must not differ more than that between inputs. What the
verdict says about disclosed values alone is compared with their law, whatever shares tell.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from simnet import Judge
from simnet.adversary.door_laws.door_judge import DoorJudge
from simnet.adversary.verdict import Verdict
from simnet.errors import SimnetError
from tests.harness.marks import long_but
from tests.harness.small_scripts.checking import coalitions, history_of, played
from tests.harness.small_scripts.drawing import drawn
from tests.harness.small_scripts.source import forget_sources, protocol_of
from tests.harness.small_scripts.steps import Disclose, Script
from tests.harness.small_scripts.truth import History, Likelihoods, Truth
from tests.harness.small_scripts.worlds import Worlds


def loss_given_output(truth: Truth, coalition: Sequence[str], history: History) -> float:
    """The largest log ratio of the chances of a history between two inputs of one party, given what
    the coalition holds and is handed.
    """
    fixed = [truth._own(coalition), truth._code(truth.worlds.ideal(coalition))]
    group, honest = truth._joint(fixed), truth._honest(coalition)
    inputs = truth._honest_inputs(coalition)
    all_worlds = np.zeros((int(group.max()) + 1, len(inputs)))
    with_history = np.zeros_like(all_worlds)
    np.add.at(all_worlds, (group, honest), 1)
    here = truth._history == truth.histories[history]
    np.add.at(with_history, (group[here], honest[here]), 1)
    worst = 0.0
    for one, other in product(range(len(inputs)), repeat=2):
        if sum(a != b for a, b in zip(inputs[one], inputs[other], strict=True)) != 1:
            continue
        for row in np.flatnonzero((all_worlds[:, one] > 0) & (all_worlds[:, other] > 0)):
            first, second = with_history[row, [one, other]] / all_worlds[row, [one, other]]
            if first > 0:
                worst = max(worst, math.log(first / second) if second > 0 else math.inf)
    return worst


def loss_alone(truth: Truth, coalition: Sequence[str], history: History) -> float:
    """The largest log ratio of the chances of a history between two inputs of one party, given the
    coalition's own inputs and coins, but not what the coalition receives.
    """
    own, honest = truth._own(coalition), truth._honest(coalition)
    row = truth._joint([own, truth._history])
    _, first = np.unique(row, return_index=True)
    counts = np.zeros((len(first), int(honest.max()) + 1), dtype=np.int64)
    totals = np.zeros((int(own.max()) + 1, counts.shape[1]), dtype=np.int64)
    np.add.at(counts, (row, honest), 1)
    np.add.at(totals, (own, honest), 1)
    laws = Likelihoods(truth._history[first], counts, totals[own[first]])
    worst = truth._worst(laws, coalition, neighbours=True)
    return float(worst[laws.history == truth.histories[history]].max())


def check_alone(judge: Judge, found: Verdict, truth: Truth, history: History) -> Counter[str]:
    """Check what is said about the disclosed values of honest parties alone."""
    coalition = found.corrupt.parties
    told = judge.solver.door_judge.disclosures(coalition, found.bounds.widest)
    for doors in told.doors:
        says_same = "the same law for every input" in doors.argument
        assert not says_same or doors.epsilon == 0 or "that the coalition knows" in doors.argument
    if told.by_itself is None:
        return Counter()
    loss = loss_alone(truth, coalition, history)
    assert loss <= told.by_itself + 1e-9
    return Counter({"nothing alone" if told.by_itself == 0 else "something alone": 1})


def may_refuse(script: Script) -> bool:
    """Whether the script has a door that refuses: worlds are then counted as far as they go on."""
    return any(None in (getattr(step, "table", None) or ()) for step in script.steps)


def check(seed: int) -> Counter[str]:
    """Check one run of a script for all coalitions, and count the comparisons."""
    counts: Counter[str] = Counter()
    random, script = Random(f"disclosures {seed}"), drawn(seed)
    truth = Truth(Worlds(script))
    if not truth.possible or may_refuse(script):
        return counts
    inputs = tuple(
        tuple(random.randrange(size) for _ in range(script.width)) for _, size in script.inputs
    )
    done = played(script, protocol_of(script), inputs, random.randrange(1 << 30))
    assert done is not None
    history = history_of(script, done)
    judge = Judge([done], list(script.parties))
    for one in coalitions(script):
        try:
            found = judge.verdict(one)
        except SimnetError as error:
            if "nothing can be judged" not in str(error):
                raise
            continue
        if not any(isinstance(step, Disclose) and step.who in one for step in script.steps):
            counts += check_alone(judge, found, truth, history)
        disclosure = found.discrete.disclosure
        if disclosure is None or disclosure.epsilon is None or found.at_most == "leaks":
            counts["nothing to compare"] += 1
            continue
        if found.at_most == "output-only":
            loss = loss_given_output(truth, one, history)
        else:
            loss = truth.epsilons(one)[history]
        assert loss <= disclosure.epsilon + 1e-9, f"seed {seed}, {one}"
        assert loss == 0 or not disclosure.independent, f"seed {seed}, {one}"
        counts[f"{'independent' if disclosure.independent else 'telling'}"] += 1
        counts["exact"] += math.isclose(loss, disclosure.epsilon, abs_tol=1e-9)
    forget_sources()
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("block", long_but(range(4), 0))
def test_no_verdict_says_too_little_of_disclosed_values(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(50 * block, 50 * block + 50):
        script = drawn(seed)

        def domain(_: DoorJudge, place: tuple[int, str], script: Any = script) -> Any:
            return tuple(product(range(dict(script.inputs)[place[1]]), repeat=script.width))

        monkeypatch.setattr(DoorJudge, "_domain_of", domain)
        counts += check(seed)
    assert counts["independent"] > 20
    assert counts["telling"] > 10
    assert min(counts["nothing alone"], counts["something alone"]) > 10
    assert counts["exact"] > 0.8 * (counts["independent"] + counts["telling"])
