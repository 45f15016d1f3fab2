"""For tests of protocols: strategies for hypothesis, and assertions on what coalitions learn.

    @given(instances(MyProtocol, users=st.integers(2, 5), items=st.integers(1, 3)), st.data())
    def test_users_alone_learn_nothing(instance, data):
        protocol, inputs = instance
        corrupt = data.draw(coalitions(protocol, role="user", spare=1))
        assert_learns_nothing(run(protocol, inputs, seed=data.draw(seeds())), corrupt)

Write them in pairs: a test that some sets learn nothing, and one that others do, so that a blind
judge fails.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from simnet.adversary.judge import verdict
from simnet.adversary.verdict import Verdict
from simnet.adversary.words import verdict_in_words
from simnet.exhaustive.compare import Comparison
from simnet.kernel.run import Run
from simnet.kernel.schedule import Schedule, Shuffled

Runs = Run | Sequence[Run]
Names = str | Iterable[str]


def seeds() -> st.SearchStrategy[int]:
    """Seeds of runs."""
    return st.integers(0, 2**32 - 1)


def schedules() -> st.SearchStrategy[Schedule]:
    """Orders in which parties go on and messages come."""
    return seeds().map(Shuffled)


def inputs(protocol: Any) -> st.SearchStrategy[list[int]]:
    """An item in `1..protocol.items` for each party whose script takes an input."""
    holders = sum(seat.takes_input for seat in protocol.parties().values())
    return st.lists(st.integers(1, protocol.items), min_size=holders, max_size=holders)


def instances(
    protocol: Callable[..., Any], /, **parameters: st.SearchStrategy[Any]
) -> st.SearchStrategy[tuple[Any, list[int]]]:
    """A protocol made with parameters drawn from the strategies, and inputs for it."""
    protocols = st.fixed_dictionaries(parameters).map(lambda drawn: protocol(**drawn))
    return protocols.flatmap(lambda instance: st.tuples(st.just(instance), inputs(instance)))


def coalitions(
    protocol: Any, role: str | None = None, spare: int = 0, largest: int | None = None
) -> st.SearchStrategy[list[str]]:
    """Parties, at least one, of a role if one is named; all but `spare` at most, and no more than
    `largest`.
    """
    names = [name for name, seat in protocol.parties().items() if role in (None, seat.role)]
    most = len(names) - spare if largest is None else min(len(names) - spare, largest)
    return st.lists(st.sampled_from(names), min_size=1, max_size=most, unique=True)


def assert_same_view(
    protocol: Any, one: Sequence[Any], other: Sequence[Any], corrupt: Names
) -> None:
    """Fail unless the set's view has exactly the same law on two inputs of a tiny instance, every
    coin played out.
    """
    compared = Comparison(protocol, corrupt).compare(one, other)
    if not compared.same:
        distance = f"ε = {compared.epsilon:.6g}, δ(0) = {compared.delta()}"
        raise AssertionError(f"expected the same view on {list(one)} and {list(other)}: {distance}")


def exact_epsilon(protocol: Any, one: Sequence[Any], other: Sequence[Any], corrupt: Names) -> float:
    """The exact ε of the set's view between two inputs of a tiny instance: the largest log-ratio of
    probabilities.
    """
    return Comparison(protocol, corrupt).compare(one, other).epsilon


def assert_learns_nothing(runs: Runs, corrupt: Names) -> Verdict:
    """Fail unless the set determines no function of honest secrets; returns the verdict."""
    verdict_ = verdict(runs, corrupt)
    if verdict_.finding != "nothing":
        raise AssertionError(f"expected to learn nothing: {verdict_in_words(verdict_)}")
    return verdict_


def assert_learns_only_output(runs: Runs, corrupt: Names) -> Verdict:
    """Fail unless the set determines something, and nothing but what the ideal world hands it;
    returns the verdict.
    """
    verdict_ = verdict(runs, corrupt)
    if verdict_.finding != "output-only":
        raise AssertionError(f"expected to learn only the output: {verdict_in_words(verdict_)}")
    return verdict_


def assert_learns(
    runs: Runs, corrupt: Names, party: str | None = None, item: int | None = None
) -> Verdict:
    """Fail unless the set determines single secrets, one of `party`'s and its `item` (from 1) if
    these are named.

    Their attacks must give the true values. Returns the verdict.
    """
    verdict_ = verdict(runs, corrupt)
    exposed = [
        learned
        for learned in verdict_.leaks
        if learned.exposes
        and party in (None, learned.exposes.party)
        and item in (None, learned.exposes.item)
    ]
    if not exposed:
        item_text = "" if item is None else f" (item {item})"
        expected = f" of {party}{item_text}" if party else item_text
        raise AssertionError(f"expected to learn a secret{expected}: {verdict_in_words(verdict_)}")
    wrong = next((learned for learned in exposed if learned.value != learned.true), None)
    if wrong is not None:
        raise AssertionError(
            f"the attack gives {wrong.value} where the secret is {wrong.true}: "
            f"{verdict_in_words(verdict_)}"
        )
    return verdict_
