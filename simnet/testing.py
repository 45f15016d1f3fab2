"""For tests of protocols: strategies for hypothesis, and assertions on what coalitions learn.

    @given(instances(MyProtocol, users=st.integers(2, 5), items=st.integers(1, 3)), st.data())
    def test_users_alone_learn_nothing(instance, data):
        protocol, inputs = instance
        corrupt = data.draw(coalitions(protocol, role="user", spare=1))
        assert_learns_nothing(run(protocol, inputs, seed=data.draw(seeds())), corrupt)

Write claims in pairs: a test that some coalitions learn nothing, and one that others learn
something. A judge that sees nothing at all would pass the first test alone.

Example. A user sends the reader its item under a mask, and the mask to a keeper:

>>> from simnet import Field, Seat, Tag, run
>>> F, NOTE = Field(101), Tag("note")
>>> class Masked:
...     items = 9
...     def parties(self):
...         seats = {"u1": Seat(self.user)}
...         return {**seats, "reader": Seat(self.other), "keeper": Seat(self.other)}
...     async def user(self, me, item):
...         mask = me.coins.field(F, (1,))
...         mine = me.secret(lambda item: [item], item, field=F, shape=(1,))
...         await me.send(NOTE, "reader", mine + mask)
...         await me.send(NOTE, "keeper", mask)
...     async def other(self, me):
...         await me.receive(NOTE, "u1", shape=(1,))
>>> done = run(Masked(), [5], seed=1)

Neither of the two learns anything, and together they learn the item:

>>> assert_learns_nothing(done, "reader").finding
'nothing'
>>> assert_learns(done, "reader, keeper", party="u1", item=1).attack("u1", 1)
5
>>> assert_learns_nothing(done, "reader, keeper")  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
AssertionError: expected to learn nothing: {reader, keeper} learns u1's secret in this run ...
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from simnet.installed import extra_missing

try:
    from hypothesis import strategies as st
except ImportError as missing:
    raise ImportError(extra_missing("simnet.testing", "hypothesis", "testing")) from missing

from simnet.adversary.judge import verdict
from simnet.adversary.verdict import LearnedFunction, Verdict
from simnet.adversary.whole_view import Expectation, meets
from simnet.adversary.words import verdict_in_words
from simnet.contract import OverItems, Protocol
from simnet.exhaustive.compare import Comparison
from simnet.kernel.run import Run
from simnet.kernel.schedule import Schedule, Shuffled
from simnet.stated.about import About

Runs = Run | Sequence[Run]
Names = str | Iterable[str]

P = TypeVar("P", bound=OverItems)


def seeds() -> st.SearchStrategy[int]:
    """Seeds of runs: whole numbers in 0..2**32 - 1."""
    return st.integers(0, 2**32 - 1)


def schedules() -> st.SearchStrategy[Schedule]:
    """Orders in which parties go on and messages come, for `run(..., schedule=...)`.

    No outcome may depend on them.
    """
    return seeds().map(Shuffled)


def inputs(protocol: OverItems) -> st.SearchStrategy[list[int]]:
    """An item in `1..protocol.items` for each party whose script takes an input, in order."""
    holders = sum(seat.takes_input for seat in protocol.parties().values())
    return st.lists(st.integers(1, protocol.items), min_size=holders, max_size=holders)


def instances(
    protocol: Callable[..., P], /, **parameters: st.SearchStrategy[Any]
) -> st.SearchStrategy[tuple[P, list[int]]]:
    """A protocol made with parameters drawn from the strategies, and inputs for it.

    For example `instances(DPDS, users=st.integers(2, 5), items=st.just(3))`.
    """
    protocols = st.fixed_dictionaries(parameters).map(lambda drawn: protocol(**drawn))
    return protocols.flatmap(lambda made: st.tuples(st.just(made), inputs(made)))


def coalitions(
    protocol: Protocol, role: str | None = None, spare: int = 0, largest: int | None = None
) -> st.SearchStrategy[list[str]]:
    """Names of at least one party, each once.

    They play `role`, if one is named; at least `spare` who could be drawn are left out, and no more
    than `largest` are drawn.
    """
    names = [name for name, seat in protocol.parties().items() if role in (None, seat.role)]
    most = len(names) - spare if largest is None else min(len(names) - spare, largest)
    return st.lists(st.sampled_from(names), min_size=1, max_size=most, unique=True)


def assert_same_view(
    protocol: Protocol, one: Sequence[Any], other: Sequence[Any], corrupt: Names
) -> None:
    """Fail unless a coalition's view has exactly the same law on two inputs of a tiny instance.

    Every coin is played out, so this is a proof for the instance. Raises `BadInput` where a corrupt
    party holds different inputs, or where there are too many coins to be enumerated.
    """
    comparison = Comparison(protocol, corrupt).compare(one, other)
    if not comparison.same:
        raise AssertionError(
            f"expected the same view on {list(one)} and {list(other)}: "
            f"ε = {comparison.epsilon:.6g}, δ(0) = {comparison.delta()}"
        )


def exact_epsilon(
    protocol: Protocol, one: Sequence[Any], other: Sequence[Any], corrupt: Names
) -> float:
    """The exact ε of a coalition's view between two inputs of a tiny instance.

    It is the largest log-ratio of probabilities, infinite where only one input can give a view.
    Raises `BadInput` as `assert_same_view` does.
    """
    return Comparison(protocol, corrupt).compare(one, other).epsilon


def assert_learns_nothing(
    runs: Runs, corrupt: Names, about: About | None = None, *, from_shares: bool = False
) -> Verdict:
    """Fail unless the coalition learns nothing from all that it sees; returns the verdict.

    With `from_shares`, unless it learns nothing from secret shares, whatever honest parties
    disclose. Raises `BadInput` for a coalition that names nobody, as all assertions on verdicts do.
    """
    expectation: Expectation = "nothing-from-shares" if from_shares else "nothing"
    return _assert_meets(expectation, "to learn nothing", verdict(runs, corrupt, about))


def assert_learns_only_output(
    runs: Runs, corrupt: Names, about: About | None = None, *, from_shares: bool = False
) -> Verdict:
    """Fail unless the coalition learns something, and no more than the ideal world hands it.

    With `from_shares` as for `assert_learns_nothing`. Returns the verdict.
    """
    expectation: Expectation = "output-only-from-shares" if from_shares else "output-only"
    return _assert_meets(expectation, "to learn only the output", verdict(runs, corrupt, about))


def assert_learns(
    runs: Runs,
    corrupt: Names,
    party: str | None = None,
    item: int | None = None,
    about: About | None = None,
) -> Verdict:
    """Fail unless the coalition determines single secrets, and their attacks give the true values.

    With `party`, one of that party's; with `item`, that element of a secret, from 1. Returns the
    verdict.
    """
    verdict_of_set = verdict(runs, corrupt, about)
    exposing = [leak for leak in verdict_of_set.leaks if _is_about(leak, party, item)]
    if not exposing:
        item_text = "" if item is None else f" (item {item})"
        expected_secret = f" of {party}{item_text}" if party else item_text
        raise AssertionError(
            f"expected to learn a secret{expected_secret}: {verdict_in_words(verdict_of_set)}"
        )
    for leak in exposing:
        if leak.value != leak.true:
            raise AssertionError(
                f"the attack gives {leak.value} where the secret is {leak.true}: "
                f"{verdict_in_words(verdict_of_set)}"
            )
    return verdict_of_set


def _assert_meets(expectation: Expectation, words: str, verdict_of_set: Verdict) -> Verdict:
    if not meets(verdict_of_set, expectation):
        raise AssertionError(f"expected {words}: {verdict_in_words(verdict_of_set)}")
    return verdict_of_set


def _is_about(leak: LearnedFunction, party: str | None, item: int | None) -> bool:
    """Whether a leak exposes an element of this party's secrets, and this item, where named."""
    secret = leak.exposes
    return secret is not None and party in (None, secret.party) and item in (None, secret.item)
