"""Compares verdicts on random small scripts with the exact laws of the same scripts.

`python -m tests.harness.small_scripts --seeds 0:200000` prints how many verdicts of each kind
belong to each truth. A verdict is *unsound* if its upper end lies below the truth: for example, it
says `nothing` although the view tells something. No verdict may be unsound. A lower end above the
truth is a false alarm. It is counted, but is no error: a verdict takes all secrets to be
independent, also secrets that are functions of the same input.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from typing import Any

import attrs
import numpy as np

from simnet import Judge, run
from simnet.errors import SimnetError
from simnet.kernel.run import Run
from tests.harness.small_scripts.drawing import drawn
from tests.harness.small_scripts.rewriting import smallest
from tests.harness.small_scripts.source import forget_sources, protocol_of, source_of
from tests.harness.small_scripts.steps import Disclose, Script, Toss, input_name
from tests.harness.small_scripts.truth import History, TrueFinding, Truth
from tests.harness.small_scripts.worlds import Worlds

FINDINGS: tuple[TrueFinding, ...] = ("nothing", "output-only", "leaks")
TOLD_BEFORE = (
    "told before"  # the messages tell something, but no more than the disclosed values tell
)
COLUMNS = ("nothing", TOLD_BEFORE, "output-only", "leaks")
Inputs = tuple[
    tuple[int, ...], ...
]  # a tuple for each holder of an input, with a value for each item
MOST_SETS = 3  # the largest number of coalitions that are judged for one script


@attrs.frozen
class Reading:
    """What a verdict says about the shares: the coalition learns at least `at_least`, and at most
    `at_most`.
    """

    at_least: TrueFinding
    at_most: TrueFinding

    def __str__(self) -> str:
        if self.at_least == self.at_most:
            return self.at_most
        return f"undecided: {self.at_least} to {self.at_most}"

    def is_unsound(self, truth: TrueFinding) -> bool:
        """Return whether the coalition learns more than the verdict says at most."""
        return FINDINGS.index(self.at_most) < FINDINGS.index(truth)


@attrs.frozen
class Question:
    """Runs that are judged together, each given by its inputs and its seed."""

    runs: tuple[tuple[Inputs, int], ...]
    same_people: bool = False


@attrs.frozen
class Refutation:
    """A script on which a verdict says too little, with the coalition, the runs, the verdict and
    the truth.
    """

    script: Script
    coalition: tuple[str, ...]
    question: Question
    captured: bool
    said: str
    truth: str

    def __str__(self) -> str:
        return (
            f"{source_of(self.script, captured=self.captured)}\n"
            f"{self.script!r}\n"
            f"coalition {', '.join(self.coalition)}; {self.question}, captured {self.captured}\n"
            f"the verdict says {self.said}, the truth is {self.truth}"
        )


@attrs.define
class Table:
    """The number of verdicts of each kind for each truth, and the number of scripts and runs that
    could not be judged.
    """

    counts: Counter[tuple[str, str]] = attrs.Factory(Counter)
    others: Counter[str] = attrs.Factory(Counter)
    refutations: list[Refutation] = attrs.Factory(list)

    def add(self, other: "Table") -> None:
        """Add the counts and refutations of another table."""
        self.counts += other.counts
        self.others += other.others
        self.refutations += other.refutations

    def __str__(self) -> str:
        readings = sorted({said for said, _ in self.counts})
        width = max(map(len, readings), default=0) + 2
        lines = ["verdict".ljust(width) + "".join(f"{one:>14}" for one in COLUMNS)]
        for said in readings:
            numbers = (f"{self.counts[said, truth]:>14,}" for truth in COLUMNS)
            lines.append(said.ljust(width) + "".join(numbers))
        total = self.counts.total()
        undecided = sum(
            count for (said, _), count in self.counts.items() if said.startswith("undecided")
        )
        alarms = sum(
            count
            for (said, truth), count in self.counts.items()
            if said == "leaks" and truth not in ("leaks", TOLD_BEFORE)
        )
        if total:
            lines.append(
                f"{total:,} verdicts; undecided {undecided / total:.2%}; "
                f"false leaks {alarms / total:.2%}; unsound {len(self.refutations)}"
            )
        lines += [f"{what}: {count:,}" for what, count in sorted(self.others.items())]
        return "\n".join(lines)


def reading_of(verdict: Any) -> Reading:
    """Return the two ends of a verdict on shares; `no-shares` counts as `nothing`."""
    ends = ["nothing" if end == "no-shares" else end for end in (verdict.at_least, verdict.at_most)]
    return Reading(*ends)


def history_of(script: Script, done: Run) -> History:
    """Return the outer coins and disclosed values of a run, in the order of the script's steps."""
    return tuple(
        int(done.outputs[step.who][step.makes])
        for step in script.steps
        if isinstance(step, Toss | Disclose)
    )


def played(script: Script, protocol: Any, inputs: Inputs, seed: int) -> Run | None:
    """Return the run of a script, in which every party is observed; None if a door refuses."""
    try:
        return run(protocol, list(inputs), seed, observe=list(script.parties))
    except SimnetError as error:
        if "a door refuses" in str(error):
            return None
        raise


def is_possible(worlds: Worlds, done: Run) -> bool:
    """Return whether a run is one of the worlds: with the same inputs, history, outputs and
    messages.
    """
    script = worlds.script
    wanted: dict[str, Any] = {input_name(who): done.inputs[who] for who, _ in script.inputs}
    for who in script.parties:
        wanted |= done.outputs[who]
    alike = worlds.completed.copy()
    for name, value in wanted.items():
        items = np.array(value, dtype=np.int64).reshape(-1, 1)
        alike &= (worlds.columns[name] == items).all(axis=0)
    names, messages = done.roster.names, dict[tuple[str, str, str], list[list[int]]]()
    for message in done.transcript.messages:
        elements = [
            int(number)
            for piece in message.pieces
            if hasattr(piece, "field")
            for number in piece.numbers().ravel()
        ]
        place = names[message.sender], names[message.recipient], message.tag
        messages.setdefault(place, []).append(elements)
    return any(_delivered(worlds, int(world)) == messages for world in np.flatnonzero(alike))


def _delivered(worlds: Worlds, world: int) -> dict[tuple[str, str, str], list[list[int]]]:
    found = {}
    for delivery in worlds.deliveries:
        tag, messages = delivery.messages(world)
        if messages:
            found[delivery.sender, delivery.recipient, tag] = messages
    return found


def inputs_of(script: Script) -> Iterator[Inputs]:
    """Yield all inputs of a script."""
    return product(*(product(range(size), repeat=script.width) for _, size in script.inputs))


def coalitions(script: Script) -> Iterator[tuple[str, ...]]:
    """Yield all sets of parties except the empty set and the set of all parties."""
    for size in range(1, len(script.parties)):
        yield from combinations(script.parties, size)


def check_seed(seed: int) -> Table:
    """Judge some runs of the script of a seed; sometimes two runs are judged together."""
    rng = random.Random(f"runs {seed}")
    script = drawn(seed)
    worlds = Worlds(script)
    heard = [
        one
        for one in coalitions(script)
        if any(
            delivery.recipient in one and delivery.sender not in one
            for delivery in worlds.deliveries
        )
    ]
    others = [one for one in coalitions(script) if one not in heard]
    sets = rng.sample(heard, min(MOST_SETS, len(heard)))
    sets += rng.sample(others, min(1, len(others)))

    def inputs() -> Inputs:
        return tuple(
            tuple(rng.randrange(size) for _ in range(script.width)) for _, size in script.inputs
        )

    first, second = ((inputs(), rng.randrange(1 << 30)) for _ in range(2))
    questions = [Question((first,)), Question((second,))]
    if rng.random() < 0.2:
        same = rng.random() < 0.7
        again = first[0] if same else second[0]
        questions[1] = Question((first, (again, second[1])), same)
    table = check(script, Truth(worlds), sets, questions, captured=rng.random() < 0.3)
    forget_sources()
    return table


def check_seeds(first: int, after: int) -> Table:
    """Return the table of a range of seeds."""
    table = Table()
    for seed in range(first, after):
        try:
            table.add(check_seed(seed))
        except Exception as error:
            error.add_note(f"the script of seed {seed}")
            raise
    return table


def check(
    script: Script,
    truth: Truth,
    sets: Sequence[tuple[str, ...]],
    questions: Sequence[Question],
    *,
    captured: bool = False,
) -> Table:
    """Judge runs of a script for some coalitions."""
    table = Table()
    if not truth.possible:
        table.others["scripts whose doors always refuse"] += 1
        return table
    protocol = protocol_of(script, captured=captured)
    for question in questions:
        runs = [played(script, protocol, inputs, seed) for inputs, seed in question.runs]
        finished = [done for done in runs if done is not None]
        if len(finished) < len(runs):
            table.others["runs in which a door refuses"] += 1
            continue
        histories = [history_of(script, done) for done in finished]
        judge = Judge(finished, list(script.parties), same_inputs=question.same_people)
        for one in sets:
            try:
                verdict = judge.verdict(one)
            except SimnetError as error:
                if "no honest party declared a secret" not in str(error):
                    raise
                table.others["verdicts that have nothing to judge"] += 1
                continue
            said, true = reading_of(verdict), truth_of(truth, one, question, histories)
            told_before = true == "nothing" != said.at_most and truth.is_told(one, histories)
            table.counts[str(said), TOLD_BEFORE if told_before else true] += 1
            if said.is_unsound(true):
                found = Refutation(script, one, question, captured, str(said), true)
                table.refutations.append(found)
    return table


def truth_of(
    truth: Truth, coalition: tuple[str, ...], question: Question, histories: Sequence[History]
) -> TrueFinding:
    """Return what the coalition learns from the shares of runs with these histories."""
    if question.same_people:
        first, second = histories
        return truth.finding_of_two(coalition, (first, second))
    findings = truth.findings(coalition)
    return max((findings[one] for one in histories), key=FINDINGS.index)


def smallest_refutation(found: Refutation) -> Refutation:
    """Return a refutation whose script is as small as possible: no step of it can be left out."""
    last = found

    def refutes(script: Script) -> bool:
        nonlocal last
        if not set(found.coalition) < set(script.parties):
            return False
        truth = Truth(Worlds(script))
        for question in _questions(script, found.question):
            try:
                table = check(script, truth, [found.coalition], [question], captured=found.captured)
            except SimnetError:
                return False  # a script that does not run
            if table.refutations:
                last = table.refutations[0]
                return True
        return False

    smallest(found.script, refutes)
    return last


def _questions(script: Script, found: Question) -> Iterator[Question]:
    """Yield a question, and the same question about other inputs and seeds."""
    everything = list(islice(inputs_of(script), 9))
    seeds = [seed for _, seed in found.runs]
    for shift in range(4):
        for inputs in everything:
            for other in everything[:3] if len(seeds) > 1 else [inputs]:
                runs = [(inputs, seeds[0] + shift)]
                if len(seeds) > 1:
                    again = inputs if found.same_people else other
                    runs.append((again, seeds[1] + 2 * shift))
                yield Question(tuple(runs), found.same_people)
