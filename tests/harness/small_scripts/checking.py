"""Verdicts on random small scripts, held against the exact laws of the same scripts.

`python -m tests.harness.small_scripts --seeds 0:200000` prints a table of verdicts by truth. A
verdict is *unsound* if its upper end lies below the truth: it says `nothing` at most of a view that
tells something, or `only the output` of one that tells more. None may be. A lower end above the
truth is a false alarm: counted, and no error, as secrets that are related by their functions are
taken for independent ones.
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
TOLD_BEFORE = "told before"  # by messages, though disclosed values tell no less
COLUMNS = ("nothing", TOLD_BEFORE, "output-only", "leaks")
Inputs = tuple[tuple[int, ...], ...]  # of each holder, by item
MOST_SETS = 3  # coalitions of a script that are judged


@attrs.frozen
class Reading:
    """What a verdict says of the shares: at least this, and at most that."""

    at_least: TrueFinding
    at_most: TrueFinding

    def __str__(self) -> str:
        if self.at_least == self.at_most:
            return self.at_most
        return f"undecided: {self.at_least} to {self.at_most}"

    def is_unsound(self, truth: TrueFinding) -> bool:
        """Whether more is told than the reading admits."""
        return FINDINGS.index(self.at_most) < FINDINGS.index(truth)

    def is_alarm(self, truth: TrueFinding) -> bool:
        """Whether the reading reports what is not told."""
        return FINDINGS.index(self.at_least) > FINDINGS.index(truth)


@attrs.frozen
class Question:
    """Runs that are judged together, each by its inputs and its seed."""

    runs: tuple[tuple[Inputs, int], ...]
    same_people: bool = False


@attrs.frozen
class Refutation:
    """A script of which a verdict says too little."""

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
    """Verdicts by truth, and what could not be judged."""

    counts: Counter[tuple[str, str]] = attrs.Factory(Counter)
    others: Counter[str] = attrs.Factory(Counter)
    refutations: list[Refutation] = attrs.Factory(list)

    def add(self, other: "Table") -> None:
        """Take in what another table has."""
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
    """The two ends of a verdict on shares; where nothing is shared, shares tell nothing."""
    ends = ["nothing" if end == "no-shares" else end for end in (verdict.at_least, verdict.at_most)]
    return Reading(*ends)


def history_of(script: Script, done: Run) -> History:
    """The outer coins and disclosed values of a run, in the order of the script's steps."""
    return tuple(
        int(done.outputs[step.who][step.makes])
        for step in script.steps
        if isinstance(step, Toss | Disclose)
    )


def played(script: Script, protocol: Any, inputs: Inputs, seed: int) -> Run | None:
    """The run of a script, every party observed; None if a door refuses."""
    try:
        return run(protocol, list(inputs), seed, observe=list(script.parties))
    except SimnetError as error:
        if "a door refuses" in str(error):
            return None
        raise


def is_possible(worlds: Worlds, done: Run) -> bool:
    """Whether a run is one of the worlds: its inputs, history, outputs and all its messages."""
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
    """All inputs of a script."""
    return product(*(product(range(size), repeat=script.width) for _, size in script.inputs))


def coalitions(script: Script) -> Iterator[tuple[str, ...]]:
    """All sets of parties but the empty one and the whole."""
    for size in range(1, len(script.parties)):
        yield from combinations(script.parties, size)


def check_seed(seed: int) -> Table:
    """Judge some runs of the script of a seed, alone and sometimes two together."""
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
    """The table of a range of seeds."""
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
    """What the coalition learns from runs with these histories, the shares alone."""
    if question.same_people:
        first, second = histories
        return truth.finding_of_two(coalition, (first, second))
    findings = truth.findings(coalition)
    return max((findings[one] for one in histories), key=FINDINGS.index)


def smallest_refutation(found: Refutation) -> Refutation:
    """A refutation by a script of which nothing can be left out."""
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
    """A question, and like ones about other inputs and seeds."""
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
