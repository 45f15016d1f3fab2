"""The ring sum of the notebooks: the sum is right, and a coalition learns the sums of the users
between its members.
"""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simnet import Run, Sealed, run
from simnet import verdict as judge
from simnet.adversary.verdict import LearnedFunction
from simnet.kernel.ideal import ideal_world
from simnet.testing import (
    assert_learns,
    assert_learns_nothing,
    assert_learns_only_output,
    coalitions,
    instances,
    schedules,
    seeds,
)
from tests.harness.shell import RING, simnet


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("ring_sum_of_the_notebooks", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MODULE = load(RING)
RingSum: Any = MODULE.RingSum
RUNNING, TOTAL = MODULE.RUNNING, MODULE.TOTAL
RINGS = instances(RingSum, users=st.integers(3, 9), items=st.integers(1, 12))


class Bare(RingSum):  # type: ignore[misc]
    """Without the mask: u2 receives what u1 holds."""

    async def user(self, me: Any, value: Sealed) -> Any:
        if me.index > 1:
            return await super().user(me, value)
        users = me.names("user")
        await me.send(RUNNING, to=users[1], payload=self.answer(value, me))
        total = await me.receive(RUNNING, users[-1])
        await me.publish(TOTAL, to=users[1:], payload=total)
        return total.open()


def arcs(users: int, corrupt: Sequence[str]) -> list[frozenset[str]]:
    """The honest users between one corrupt user and the next, round the ring.

    Empty ones left out.
    """
    places = sorted(int(name.removeprefix("u")) for name in corrupt)
    found = []
    for place, after in zip(places, [*places[1:], places[0] + users], strict=True):
        arc = frozenset(f"u{(between - 1) % users + 1}" for between in range(place + 1, after))
        found += [arc] if arc else []
    return found


def parties(learned: LearnedFunction) -> frozenset[str]:
    return frozenset(secret.party for secret, _ in learned.terms)


def played(instance: tuple[Any, list[int]], seed: int) -> Run:
    protocol, held = instance
    return run(protocol, held, seed)


@given(RINGS, seeds(), schedules())
def test_everybody_gets_the_sum_as_in_the_ideal_world(
    instance: Any, seed: int, schedule: Any
) -> None:
    protocol, held = instance
    done = run(protocol, held, seed, schedule=schedule)
    ideal = ideal_world(protocol, done.inputs, seed)
    assert set(ideal) == set(done.outputs) == set(protocol.parties())
    for name, output in done.outputs.items():
        assert int(output) == int(ideal[name].numbers()) == sum(held)


@pytest.mark.slow
@given(RINGS, seeds(), st.data())
def test_one_user_alone_learns_only_the_sum(instance: Any, seed: int, data: st.DataObject) -> None:
    user = data.draw(st.integers(1, instance[0].users))
    (learned,) = assert_learns_only_output(played(instance, seed), [f"u{user}"]).functions
    assert parties(learned) == {f"u{other}" for other in range(1, instance[0].users + 1)} - {
        f"u{user}"
    }
    assert learned.value == sum(instance[1]) - instance[1][user - 1]


@pytest.mark.slow
@given(instances(RingSum, users=st.integers(4, 9), items=st.integers(1, 12)), seeds(), st.data())
def test_the_two_neighbours_of_a_user_learn_what_it_holds(
    instance: Any, seed: int, data: st.DataObject
) -> None:
    users = instance[0].users
    between = data.draw(st.integers(1, users))
    neighbours = [f"u{(between - 2) % users + 1}", f"u{between % users + 1}"]
    verdict = assert_learns(played(instance, seed), neighbours, party=f"u{between}")
    assert verdict.finding == "leaks"
    assert verdict.attack(f"u{between}", 1) == instance[1][between - 1]


@pytest.mark.slow
@given(RINGS, seeds(), st.data())
def test_a_set_learns_the_sum_of_every_arc_between_its_members(
    instance: Any, seed: int, data: st.DataObject
) -> None:
    protocol, held = instance
    corrupt = data.draw(coalitions(protocol, spare=1))
    between = arcs(protocol.users, corrupt)
    check = (
        assert_learns_only_output
        if len(between) == 1
        else assert_learns
        if _lone(between)
        else None
    )
    done = played(instance, seed)
    verdict = check(done, corrupt) if check else None
    if verdict is None:
        verdict = judge(done, corrupt)
    assert verdict.finding == ("output-only" if len(between) == 1 else "leaks")
    assert {parties(learned) for learned in verdict.functions} == set(between)
    assert len(verdict.functions) == len(between)
    for learned in verdict.functions:
        assert {coefficient for _, coefficient in learned.terms} == {1}
        assert learned.value == sum(
            held[int(name.removeprefix("u")) - 1] for name in parties(learned)
        )
        assert learned.in_output == (len(between) == 1)


def _lone(between: Sequence[frozenset[str]]) -> bool:
    return any(len(arc) == 1 for arc in between)


@pytest.mark.slow
@given(RINGS, seeds(), st.data())
def test_a_secret_is_exposed_exactly_if_both_neighbours_are_corrupt(
    instance: Any, seed: int, data: st.DataObject
) -> None:
    protocol, _ = instance
    corrupt = data.draw(coalitions(protocol, spare=1))
    names = list(protocol.parties())
    surrounded = {
        name
        for place, name in enumerate(names)
        if name not in corrupt
        and {names[place - 1], names[(place + 1) % len(names)]} <= set(corrupt)
    }
    exposed = {
        learned.exposes.party
        for learned in judge(played(instance, seed), corrupt).leaks
        if learned.exposes
    }
    assert exposed == surrounded


@pytest.mark.slow
@given(instances(RingSum, users=st.integers(5, 9), items=st.integers(1, 12)), seeds(), st.data())
def test_two_users_with_nobody_alone_between_them_learn_no_single_secret(
    instance: Any, seed: int, data: st.DataObject
) -> None:
    corrupt = data.draw(coalitions(instance[0], largest=2))
    assume(len(corrupt) == 2 and not _lone(arcs(instance[0].users, corrupt)))
    assert not judge(played(instance, seed), corrupt).leaks


@pytest.mark.slow
@given(RINGS, seeds())
def test_all_together_have_nothing_left_to_learn_and_the_network_sees_nothing(
    instance: Any, seed: int
) -> None:
    done = played(instance, seed)
    assert_learns_nothing(done, "everyone")
    assert_learns_nothing(done, "network")


@pytest.mark.slow
@given(instances(Bare, users=st.integers(3, 7), items=st.integers(1, 12)), seeds())
def test_without_the_mask_u2_alone_learns_what_u1_holds(instance: Any, seed: int) -> None:
    done = played(instance, seed)
    assert all(int(output) == sum(instance[1]) for output in done.outputs.values())
    verdict = assert_learns(done, ["u2"], party="u1")
    assert verdict.finding == "leaks"
    assert verdict.attack("u1", 1) == instance[1][0]


@pytest.mark.slow
@given(instances(Bare, users=st.integers(3, 7), items=st.integers(1, 12)), seeds(), st.data())
def test_without_the_mask_every_user_learns_the_sum_before_it(
    instance: Any, seed: int, data: st.DataObject
) -> None:
    user = data.draw(st.integers(2, instance[0].users))
    found = judge(played(instance, seed), [f"u{user}"])
    before = frozenset(f"u{other}" for other in range(1, user))
    assert before in {parties(learned) for learned in found.functions}
    assert found.finding == ("leaks" if user < instance[0].users else "output-only")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corrupt", "finding"), [("u2", "output-only"), ("u1,u3", "leaks"), ("network", "nothing")]
)
def test_the_command_judges_the_file(corrupt: str, finding: str) -> None:
    assert simnet("verify", RING, "--corrupt", corrupt, "--expect", finding).status == 0
    assert (
        simnet(
            "verify", f"{RING}:RingSum", "--users", 7, "--corrupt", corrupt, "--expect", finding
        ).status
        == 0
    )


def test_the_command_finds_the_file_broken_once_the_mask_is_gone(tmp_path: Path) -> None:
    text = RING.read_text(encoding="utf-8")
    broken = text.replace("payload=mine + mask", "payload=mine").replace(
        "(RUNNING, before) - mask", "(RUNNING, before)"
    )
    assert broken.count("mask") < text.count("mask")
    (tmp_path / "broken.py").write_text(broken, encoding="utf-8")
    options = ("--corrupt", "u2", "--inputs", "3,1,2,1,1")
    assert simnet("verify", RING, *options, "--expect", "output-only").status == 0
    result = simnet("verify", tmp_path / "broken.py", *options, "--expect", "output-only")
    assert result.status == 1
    assert "learns u1's secret" in result.out
    assert "u1[1] = 3   (beyond the output)" in result.out
