"""The rules for the two ends of a verdict are compared with every outcome of small scripts."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from simnet.adversary.change_of_coins import ChangeOfCoins
from simnet.adversary.rewriting import Rewriting
from simnet.adversary.roles import Roles
from tests.harness.door_scripts import is_below, tried
from tests.harness.fuzz import FACTOR

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
    return lambda patch: patch.setattr(ChangeOfCoins, condition, lambda _: [])


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
    "doors that matter depend on no message": disable("_depending"),
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
