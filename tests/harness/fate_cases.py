"""Random runs of every protocol in which parties drop out, and what must hold of each.

1. The run ends within `LONGEST` seconds, with a result or aborted; it never fails and never stalls.
2. Its trace, outcome, endings and outputs are the same for every schedule and number of threads.
3. No output is wrong. If the ideal world is told what happened, an output follows from what it
   hands out. Otherwise an output is that of the run in which nobody drops out.

`python -m tests.harness.fate_cases --cases 2000` draws that many cases, and prints how they ended.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from simnet import Shuffled, run, sends
from simnet.kernel.ideal import ideal_world, takes_happened
from simnet.kernel.run import Run
from simnet.testing import fates
from tests.harness.cases import CASES, Case

LONGEST = 10.0
SEEDS = st.integers(0, 2**32 - 1)


def check(name: str, data: st.DataObject) -> str:
    """Draw one case of a protocol and check it. Return how the run ended, in words."""
    case = CASES[name]
    parameters = data.draw(st.fixed_dictionaries(dict(case.drawn)))
    protocol, held = case.make(**parameters), data.draw(case.held(parameters))
    whole = run(protocol, held, 0)
    crowds = {whole.roster.names[place] for place in whole.roster.crowds}
    sent = {who: own for who, own in sends(protocol, held).items() if who not in crowds}
    some = data.draw(st.integers(0, 5)) if any(sent.values()) else 0  # in one case of six, nobody
    drawn = data.draw(fates(sent).filter(bool)) if some else {}
    coins = data.draw(SEEDS)
    order = data.draw(SEEDS)
    begun = time.monotonic()
    done = run(protocol, held, coins, fates=drawn)
    assert time.monotonic() - begun < LONGEST
    for schedule, threads in ((Shuffled(order), None), (Shuffled(order + 1), 3)):
        again = run(protocol, held, coins, fates=drawn, schedule=schedule, threads=threads)
        assert again.trace_hash == done.trace_hash
        assert (again.outcome, again.aborts) == (done.outcome, done.aborts)
        assert _equal(again.outputs, done.outputs)
    _check_outputs(case, protocol, held, coins, done)
    if not done.gone:
        return "result, everybody stayed" if done.outcome == "result" else "aborted by itself"
    return done.outcome


def _check_outputs(case: Case, protocol: Any, held: Any, coins: int, done: Run) -> None:
    if case.outputs is not None and takes_happened(protocol):
        handed = ideal_world(protocol, done.inputs, coins, happened=done.happened)
        right = case.outputs(protocol, handed, done.happened)
    else:
        right = run(protocol, held, coins).outputs
    for who, output in done.outputs.items():
        if output is not None:
            assert _equal({who: output}, {who: right.get(who)}), (who, output, right)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw cases of all protocols, and print how the runs ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    each, total = -(-chosen.cases // len(CASES)), Counter[str]()
    for name in CASES:
        ended = _drawn(name, each, chosen.seed)
        _show(name, ended)
        total += ended
    _show("all", total)
    sys.stdout.write(f"{total.total():,} cases, none wrong\n")
    return 0


def _drawn(name: str, count: int, first: int) -> Counter[str]:
    """Draw so many cases of a protocol; return how often runs ended in which way."""
    ended = Counter[str]()

    @seed(first)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def draw(data: st.DataObject) -> None:
        ended[check(name, data)] += 1

    draw()
    return ended


def _show(name: str, ended: Counter[str]) -> None:
    counts = ", ".join(f"{count} {how}" for how, count in sorted(ended.items()))
    sys.stdout.write(f"{name:22} {counts}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
