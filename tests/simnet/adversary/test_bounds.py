"""The rules for the two ends of a verdict are compared with every outcome of small scripts."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from simnet.adversary.opened_rows import DoorRows, WidenedView
from simnet.adversary.rewriting import Rewriting, families_of
from simnet.adversary.roles import Making, Roles
from simnet.linear.span import Span
from simnet.linear.terms import Terms, refine
from simnet.linear.unknowns import Unknowns
from simnet.values.field import Field
from simnet.values.residues import constant
from tests.harness.door_scripts import is_below, tried
from tests.harness.fuzz import FACTOR
from tests.harness.many_cases import for_each

# Random scripts.

SCRIPTS = 300 * FACTOR
SEED = random.randrange(1 << 40) if FACTOR > 1 else 0


@pytest.mark.slow
def test_an_upper_end_is_never_below_the_truth() -> None:
    rng, found = random.Random(SEED), Counter[str]()
    for _ in range(SCRIPTS):
        seed = rng.randrange(1 << 60)
        _, _, bounds, truth, _ = tried(random.Random(seed))
        assert not is_below(bounds.at_most, truth), f"script {seed}: {bounds.at_most}, not {truth}"
        found[bounds.at_least if bounds.at_least == bounds.at_most else "undecided"] += 1
    assert min(found["nothing"], found["leaks"], found["output-only"]) > 0


@pytest.mark.slow
def test_a_lower_end_of_leaks_is_certain_where_secrets_are_inputs() -> None:
    rng = random.Random(SEED)
    for _ in range(SCRIPTS // 2):
        seed = rng.randrange(1 << 60)
        _, _, bounds, truth, is_told = tried(random.Random(seed), is_plain=True)
        # What was disclosed may tell the same already.
        assert bounds.at_least != "leaks" or truth == "leaks" or is_told, f"script {seed}"


# Where the random scripts that need a rule are rare, one is not far behind this seed.
FIRST_SEEDS = {"what the coalition makes moves with coins": 820}


def disable(condition: str) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(WidenedView, condition, lambda _: True)


def take_for_free(role: str) -> Callable[[pytest.MonkeyPatch], None]:
    def patched(patch: pytest.MonkeyPatch) -> None:
        make = Roles.__init__

        def without(self: Roles, *arguments: Any) -> None:
            make(self, *arguments)
            setattr(self, role, np.zeros_like(self.derived))

        patch.setattr(Roles, "__init__", without)

    return patched


def change_doors(**changes: Any) -> Callable[[pytest.MonkeyPatch], None]:
    def patched(patch: pytest.MonkeyPatch) -> None:
        doors = Rewriting.open_doors
        patch.setattr(
            Rewriting,
            "open_doors",
            lambda self: [attrs.evolve(door, **changes) for door in doors(self)],
        )

    return patched


NEEDED = {
    "derived secrets are hidden": disable("_are_secrets_hidden"),
    "coins are separate": disable("_are_coins_separate"),
    "known arguments stay alone": disable("_are_known_alone"),
    "some secrets are derived": take_for_free("derived"),
    "what the coalition makes moves with coins": take_for_free("moving"),
    "inputs of doors count": change_doors(has_input=False),
    "disclosed rows count": change_doors(discloses=False),
    "doors tell more than rows in full": change_doors(in_full=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", NEEDED)
def test_no_rule_can_be_left_out(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    NEEDED[rule](monkeypatch)
    for seed in range(FIRST_SEEDS.get(rule, 0), 20_000):
        _, _, bounds, truth, _ = tried(random.Random(seed))
        if is_below(bounds.at_most, truth):
            return
    pytest.fail("the rule was not needed")


# Lanes.


def widened(rng: random.Random, lanes: int) -> tuple[WidenedView, WidenedView]:
    """The same random rows in several lanes, and item by item."""
    field, unknowns = Field(rng.choice([2, 3, 5])), Unknowns()
    nothing = constant(field, [0] * lanes)
    kinds = [("coin", "a")] * 4 + [("secret", "a")] * 4 + [("secret", "c")] * 2 + [("coin", "c")]
    families = [
        unknowns.family(kind, number, "0/1", holder, nothing)
        for number, (kind, holder) in enumerate(kinds)
    ]

    def rows(count: int, most: int) -> Terms:
        vectors = [
            {family.first: rng.randrange(1, field.modulus) for family in chosen}
            for chosen in (rng.sample(families, rng.randint(1, most)) for _ in range(count))
        ]
        return attrs.evolve(Terms.of_vectors(vectors), lanes=lanes)

    messages, ideal = rows(rng.randint(1, 5), 4), rows(rng.randint(0, 2), 3)
    given = [rows(rng.randint(1, 2), 3) for _ in range(rng.randint(1, 4))]
    made = [rng.choice([None, None, *families[4:9]]) for _ in given]
    makings = [
        Making(family.number, families_of([terms]))
        for family, terms in zip(made, given, strict=True)
        if family
    ]
    roles, q = Roles(unknowns, ["c"], makings), field.modulus
    doors = [
        DoorRows(
            party=str(number),
            kind="secret" if family else "disclose",
            rows={q: terms},
            has_input=rng.random() < 0.3,
            discloses=rng.random() < 0.7,
            made=family.number if family and roles.derived[family.number] else None,
        )
        for number, (family, terms) in enumerate(zip(made, given, strict=True))
        if roles.depends_on_coins(families_of([terms]))
    ]
    single = [attrs.evolve(door, rows={q: refine(door.rows[q], 1)}) for door in doors]
    return (
        WidenedView({q: messages}, {q: ideal}, doors, roles),
        WidenedView({q: refine(messages, 1)}, {q: refine(ideal, 1)}, single, roles),
    )


@for_each("seed", range(60 * FACTOR))
def test_many_items_are_judged_as_each_of_them_is(seed: int) -> None:
    rng = random.Random(seed)
    lanes = rng.choice([2, 3])
    together, single = widened(rng, lanes)
    assert together.breach == single.breach
    assert together.given == single.given
    for modulus, functions in together.functions.items():
        span = Span(modulus)
        for function in functions:
            for lane in range(lanes):
                span.add({unknown + lane: value for unknown, value in function.items()})
        assert len(span) == len(single.functions[modulus])
        assert all(function in span for function in single.functions[modulus])
