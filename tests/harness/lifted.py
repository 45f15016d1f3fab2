"""What a lifted verdict says is learned, compared with elimination on the run itself."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

from simnet.adversary.judge import Judge
from simnet.adversary.orbits.lift import lift
from simnet.adversary.orbits.outline import Outline, outline_of
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import OrbitProof
from simnet.adversary.orbits.structure import Component, Structure
from simnet.adversary.reading_again import Recording
from simnet.adversary.verdict import Verdict
from simnet.kernel.run import Run, run
from simnet.linear.unknowns import PLACES
from tests.harness.orbit_matrices import Tuple, matching_of, reduced, tuples

Element = tuple[int, int, int]  # a party, the number of its secret, and the place of an element


def read(protocol, inputs, seed: int = 1) -> tuple[Run, Outline]:
    """A run and its outline."""
    recording = Recording()
    done = run(protocol, inputs, seed, reading=recording, threads=1)
    return done, outline_of(done, recording.record)


def lifted_rows(
    found: Iterable[tuple[Component, OrbitProof]], lanes: int
) -> list[dict[Element, int]]:
    """The functions of lifted systems, written out: coefficients by element."""
    rows = []
    for component, proof in found:
        system = component.system
        words = [each.word for each in system.secrets]
        for place, word in enumerate(proof.functions):
            for parties in tuples(word, system.sizes):
                row: dict[Element, int] = {}
                for secret, of in enumerate(words):
                    for owner in tuples(of, system.sizes):
                        value = proof.learned.get((place, secret, matching_of(parties, owner)))
                        if value:
                            at = component.secrets[secret]
                            row[_party(component, owner), at.number, at.place] = value
                rows += [
                    {
                        (party, number, at + lane): value
                        for (party, number, at), value in row.items()
                    }
                    for lane in range(lanes)
                ]
    return rows


def _party(component: Component, owner: Tuple) -> int:
    ((name, number),) = owner
    return component.members[name][number]


def direct_rows(verdict: Verdict) -> list[dict[Element, int]]:
    """The functions that elimination finds, written out in the same way."""
    numbers = verdict.runs[0].roster.number
    rows = []
    for knowledge in verdict.knowledge:
        for function in knowledge.functions:
            for lane in range(knowledge.view.lanes):
                row = {}
                for unknown, value in function.terms.items():
                    name = verdict.unknowns.name(unknown + lane)
                    assert verdict.unknowns.families[unknown // PLACES].kind == "secret"
                    secret = int(name.label.partition("/")[0])
                    row[numbers[name.holders[0]], secret, name.place] = value
                rows.append(row)
    return rows


def same_space(
    first: Sequence[dict[Element, int]], second: Sequence[dict[Element, int]], q: int
) -> bool:
    """Whether two lists of rows span one space."""
    keys = sorted({key for row in [*first, *second] for key in row})
    matrices = [[[row.get(key, 0) for key in keys] for row in rows] for rows in (first, second)]
    return reduced(matrices[0], q, len(keys)) == reduced(matrices[1], q, len(keys))


def judge_of(done: Run) -> Judge:
    """The judge that eliminates, for any coalition."""
    return Judge([done], done.roster.names)


def compared(done: Run, outline: Outline, coalitions: Iterable[Sequence[int]]) -> Counter[str]:
    """Judge coalitions both ways, and count findings; the spaces and the findings must be equal."""
    found: Counter[str] = Counter()
    structure, judge = Structure(outline), judge_of(done)
    for members in coalitions:
        try:
            lifted = lift(structure, frozenset(members))
        except NotAlike:
            found["refused"] += 1
            continue
        verdict = judge.verdict([done.roster.names[number] for number in members])
        rows = lifted_rows(lifted.found, outline.lanes)
        assert same_space(rows, direct_rows(verdict), outline.modulus), (done.protocol, members)
        assert lifted.at_most == verdict.at_most, (done.protocol, members)
        found[lifted.at_most] += 1
    return found


def coalitions_of(done: Run) -> list[tuple[int, ...]]:
    """All coalitions that leave somebody with a secret out."""
    parties = range(len(done.roster))
    holders = {done.roster.number[name] for name in done.inputs}
    return [
        members
        for size in range(1, len(parties))
        for members in itertools.combinations(parties, size)
        if not holders <= set(members)
    ]
