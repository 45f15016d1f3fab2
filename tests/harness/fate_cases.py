"""Random runs of every protocol in which parties drop out: `--seeds 0:2000 --workers 2`.

A case is a protocol, its parameters and inputs, a seed, fates, and two schedules. `check` plays it
several times, and requires that

- every run ends within ten seconds, with a result or aborted, and never with an error;
- order of events and threads change nothing: one outcome, one trace;
- no output is wrong. A protocol that is told who was heard gives what its ideal world gives over
  the users who were heard. A local collection gives the mean of what the reports of the users who
  did not drop out give one by one. Any other protocol gives what the same run gives without
  drop-outs, or nothing;
- a run with a result costs what the protocol's formula says.

`SURVIVING` has the expected output of each protocol that survives drop-outs: add an entry for a new
one. `--seeds FIRST:AFTER` are the numbers of the cases; a number always gives the same case.
"""

import argparse
import faulthandler
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import attrs
import numpy as np
from hypothesis import strategies as st
from hypothesis.control import BuildContext
from hypothesis.internal.conjecture.data import ConjectureData

from protocols.postprocess.processed import Processed
from protocols.secagg.script import SecAgg
from simnet import Fate, Run, Shuffled, run, sends
from simnet.kernel.ideal import holders, ideal_world
from simnet.record.trace import canonical
from simnet.scenario.perform import bill
from simnet.stated.about import About, Describe
from simnet.testing import fates as fate_strategy
from tests.harness.cases import CASES, Held, Parameters, items_held

CHUNK = 50  # cases that a worker takes at a time
LONGEST = 10.0  # seconds that a run may take
HANGS = 120  # seconds after which a case that does not end stops the process, with a traceback

# Returns the expected output by party, given a run, the same run without drop-outs, and what the
# ideal world hands out. Only these parties are then compared.
Survive = Callable[[Run, Run, Mapping[str, Any]], Mapping[str, Any]]


@attrs.frozen
class Fated:
    """How to draw a case of one protocol."""

    make: Callable[..., Any]
    drawn: Mapping[str, st.SearchStrategy[Any]]
    held: Callable[[Parameters], st.SearchStrategy[Held]] = items_held
    about: Describe | None = None


def of_counted(done: Run, _: Run, handed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a server estimates from the counts over the users who are counted."""
    if "server" not in handed:
        return {"server": None}
    protocol = done.protocol
    question: Any = protocol.question if isinstance(protocol, SecAgg) else protocol
    counted = len(protocol.counted(done.happened))
    return {"server": handed["server"].numbers() / (question.participation * counted)}


def of_robust_tss(done: Run, calm: Run, handed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What S2 estimates: NaN exactly for items on which somebody who is counted reports and of
    which too few elected users are left.
    """
    protocol, happened = done.protocol, done.happened
    counted = protocol.counted(happened)
    if "S2" not in handed:
        return {"S2": None}
    names = list(done.inputs)
    sets, _ = calm.outputs["S1"]  # a user's reporting set does not depend on who drops out
    alive = [names.index(name) for name in happened.heard("S1", "reporting set")]
    reported_by = sets[[names.index(name) for name in counted]].sum(axis=0)
    sums = [len(came) for came in happened.came["S2", "partial"]]
    counts, added_up = np.zeros(protocol.items, dtype=np.int64), protocol.items_added_up(happened)
    counts[added_up] = handed["S2"].numbers()
    expected = counts / float(protocol.chance * len(counted))
    for item in range(protocol.items):
        if reported_by[item] and sums[item] < protocol.enough_shares(sets[alive, item].sum()):
            expected[item] = np.nan
    return {"S2": None if np.isnan(expected[reported_by > 0]).all() else expected}


def of_reports(done: Run, calm: Run, _: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a server estimates from the reports of the users who are left: unbiased estimates are
    means of what each report gives by itself. Who is left follows from the fates alone.
    """
    protocol = done.protocol
    made: Any = protocol.collection if isinstance(protocol, Processed) else protocol
    if made.population != "actors":
        return calm.outputs
    left = [
        holder
        for holder in holders(done.inputs, done.seed)
        if holder.name not in done.gone or done.fates[holder.name].reached not in (0, ())
    ]
    if len(left) < (made.fewest_reports or 1):
        return {"server": None}
    reports = [holder.disclose(made.reports, done.inputs[holder.name]) for holder in left]
    alone = attrs.evolve(made, users=1, fewest_reports=None)
    raw = np.mean([alone.estimate(report) for report in reports], axis=0)
    if isinstance(protocol, Processed):
        return {"server": np.stack([raw, protocol.process(raw)])}
    return {"server": raw}


LOCAL: Mapping[str, Survive] = {
    "local_frequency": of_reports,
    "local_mean": of_reports,
    "local_table": of_reports,
    "processed": of_reports,
}
SURVIVING: Mapping[str, Survive] = {
    **LOCAL,
    "committee": of_counted,
    "dpds_robust": of_counted,
    "secagg": of_counted,
    "secagg_plus": of_counted,
    "tss_robust": of_robust_tss,
}


# Local collections are drawn with users who can drop out, and with a number of reports that is
# needed, more often than not.
OF_LOCAL = {
    "users": st.integers(3, 6),
    "population": st.sampled_from(["actors", "actors", "actors", "crowd"]),
    "fewest_reports": st.sampled_from([None, 1, 2, 3]),
}
FATED: Mapping[str, Fated] = {
    name: Fated(
        case.make, {**case.drawn, **(OF_LOCAL if name in LOCAL else {})}, case.held, case.about
    )
    for name, case in CASES.items()
}


@attrs.frozen
class FateCase:
    """One case: everything that a run depends on, and two orders of events."""

    name: str
    protocol: Any
    held: Held
    seed: int
    fates: Mapping[str, Fate]
    orders: tuple[int, int]
    about: About | None = None
    estimator: str | None = "server"


@st.composite
def fate_cases(draw: st.DrawFn, names: Iterable[str] = tuple(FATED)) -> FateCase:
    """Draw a case of one of these protocols. Up to four parties drop out: users, or any parties."""
    name = draw(st.sampled_from(sorted(names)))
    fated = FATED[name]
    parameters = draw(st.fixed_dictionaries(dict(fated.drawn)))
    protocol, held = fated.make(**parameters), draw(fated.held(parameters))
    seed_of_run = draw(st.integers(0, 2**32 - 1))
    servers_too = draw(st.booleans())  # else every fourth run would survive at most
    parties = protocol.parties()
    sent = {
        party: own
        for party, own in sends(protocol, held, seed_of_run).items()
        if parties[party].members is None and (servers_too or parties[party].takes_input)
    }
    about = None if fated.about is None else fated.about(protocol)
    return FateCase(
        name,
        protocol,
        held,
        seed_of_run,
        draw(fate_strategy(sent, most=4, least=draw(st.integers(0, 2)))),
        (draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 2**32 - 1))),
        about,
        "server" if about is None else about.estimator,
    )


def check(case: FateCase, survive: Survive | None = None) -> str:
    """Play a case, and return its outcome: `result`, `result of survivors` or `aborted`.

    Raises `AssertionError` if the case breaks one of the rules. `survive` is by default the
    protocol's entry in `SURVIVING`.
    """
    everybody = list(case.protocol.parties())
    first, second = case.orders
    done = None
    for schedule, threads in (
        (None, None),
        (Shuffled(first), None),
        (Shuffled(second), 3),
        (None, 1),
    ):
        again = run(
            case.protocol,
            case.held,
            case.seed,
            observe=everybody,
            fates=case.fates,
            schedule=schedule,
            threads=threads,
        )
        assert again.seconds < LONGEST, f"the run took {again.seconds:.1f} s"
        done = done or again
        assert (again.outcome, again.gone, again.aborts) == (done.outcome, done.gone, done.aborts)
        assert again.trace_hash == done.trace_hash, "the schedule changed the trace"
    assert done is not None
    survive = survive or SURVIVING.get(case.name)
    calm = run(case.protocol, case.held, case.seed)
    assert calm.outcome == "result"
    _check_outputs(done, calm, survive)
    if done.aborts or case.estimator in done.gone:
        return "aborted"
    assert case.estimator in done.outputs
    if case.about is not None:
        assert [row for row in bill(case.about, done) if not row.holds] == []
    return "result of survivors" if survive is not None and done.gone else "result"


def _check_outputs(done: Run, calm: Run, survive: Survive | None) -> None:
    """Raise `AssertionError` if an output is wrong, or lacks in a run that is not aborted."""
    expected: Mapping[str, Any] = calm.outputs
    same = _same
    if survive is not None:
        same = _nearly_same
        inputs = done.inputs
        handed = ideal_world(done.protocol, inputs, done.seed, happened=done.happened)
        expected = survive(done, calm, handed)
    ended = {ending.party for ending in done.aborts}.union(done.gone)
    for party, value in expected.items():
        if party not in done.outputs:
            assert party in ended, f"{party} gives no output, and does not say why"
            continue
        assert value is not None, f"{party} gives an output where there is none"
        assert same(done.outputs[party], value), (
            f"{party} gives {done.outputs[party]}, expected {value}"
        )


def _same(output: Any, expected: Any) -> bool:
    return canonical(output) == canonical(expected)


def _nearly_same(output: Any, expected: Any) -> bool:
    """Return whether two arrays are equal up to rounding."""
    return np.allclose(output, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


def case_of(number: int, names: Sequence[str] = tuple(FATED)) -> FateCase:
    """Return the case with this number, always the same. The protocols take turns."""
    # Hypothesis would draw small and similar cases. We want independent ones, and use its inside.
    data = ConjectureData(random=random.Random(number))
    with BuildContext(data, is_final=False, wrapped_test=case_of):
        return data.draw(fate_cases([sorted(names)[number % len(names)]]))


def checked(first: int, after: int) -> Counter[tuple[str, str]]:
    """Check the cases with these numbers, and return how often each protocol had each outcome.

    Raises `AssertionError`, which names the case, for a case that breaks a rule.
    """
    outcomes: Counter[tuple[str, str]] = Counter()
    for number in range(first, after):
        faulthandler.dump_traceback_later(HANGS, exit=True)
        case = case_of(number)
        try:
            outcomes[case.name, check(case)] += 1
        except Exception as error:
            raise AssertionError(
                f"case {number}: {case.protocol!r}, inputs {case.held}, seed {case.seed}, fates "
                f"{ {name: str(fate) for name, fate in case.fates.items()} }"
            ) from error
        finally:
            faulthandler.cancel_dump_traceback_later()
    return outcomes


def table(outcomes: Counter[tuple[str, str]]) -> str:
    """Return the counts by protocol as text."""
    columns = ["result", "result of survivors", "aborted"]
    lines = [f"{'':20}" + "".join(f"{column:>21}" for column in columns)]
    names = sorted({name for name, _ in outcomes})
    for name in names:
        counts = [outcomes[name, column] for column in columns]
        lines.append(f"{name:20}" + "".join(f"{count:21,}" for count in counts))
    totals = [sum(outcomes[name, column] for name in names) for column in columns]
    lines.append(f"{'all':20}" + "".join(f"{count:21,}" for count in totals))
    return "\n".join(lines)


def main() -> int:
    """Check a range of cases, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:2000", help="FIRST:AFTER")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    first, after = map(int, options.seeds.split(":"))
    started, outcomes = time.monotonic(), Counter[tuple[str, str]]()
    starts = list(range(first, after, CHUNK))
    ends = [min(start + CHUNK, after) for start in starts]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("forkserver")) as pool:
        for part in pool.map(checked, starts, ends):
            outcomes.update(part)
    seconds = time.monotonic() - started
    sys.stdout.write(f"{table(outcomes)}\n{outcomes.total():,} cases in {seconds:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
