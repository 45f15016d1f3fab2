"""For tests of protocols: hypothesis strategies, and assertions about what coalitions learn.

A test may look like this::

    @given(instances(MyProtocol, users=st.integers(2, 5), items=st.integers(1, 3)), st.data())
    def test_users_alone_learn_nothing(instance, data):
        protocol, inputs = instance
        corrupt = data.draw(coalitions(protocol, role="user", spare=1))
        assert_learns_nothing(run(protocol, inputs, seed=data.draw(seeds())), corrupt)

Write claims in pairs: one test that some coalitions learn nothing, and one test that other
coalitions learn something. A faulty verdict that never finds anything would pass the first test.

Example. A user adds a random mask to its item. The user sends the sum to a reader and the mask to a
keeper:

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

Neither the reader alone nor the keeper alone learns anything. Together they learn the item:

>>> assert_learns_nothing(done, "reader").finding
'nothing'
>>> assert_learns(done, "reader, keeper", party="u1", item=1).attack("u1", 1)
5
>>> assert_learns_nothing(done, "reader, keeper")  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
AssertionError: expected to learn nothing: {reader, keeper} learns u1's secret in this run ...

The strategies draw inputs, seeds, schedules and coalitions:

>>> from hypothesis import given, settings
>>> @settings(max_examples=5, database=None)
... @given(inputs(Masked()), seeds(), schedules(), coalitions(Masked(), largest=1))
... def test_one_party_learns_nothing_new(items, seed, schedule, corrupt):
...     done = run(Masked(), items, seed, schedule=schedule)
...     if corrupt != ["u1"]:
...         assert_learns_nothing(done, corrupt)
>>> test_one_party_learns_nothing_new()

An exact comparison plays every outcome of the discrete coins, and finds by linear algebra what
field coins hide:

>>> assert_same_view(Masked(), [5], [6], corrupt="reader")
>>> exact_epsilon(Masked(), [5], [6], corrupt="reader")
0.0
"""

from collections.abc import Callable, ItemsView, Iterable, Mapping, Sequence
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
from simnet.errors import BadInput
from simnet.exhaustive.compare import Comparison
from simnet.kernel.fates import Send
from simnet.kernel.run import Run
from simnet.kernel.schedule import Schedule, Shuffled
from simnet.record.fate import Fate, MessageFate, What
from simnet.scenario.compared_outputs import compare_outputs
from simnet.stated.about import About

Runs = Run | Sequence[Run]
Names = str | Iterable[str]

P = TypeVar("P", bound=OverItems)
D = TypeVar("D")
E = TypeVar("E")


def seeds() -> st.SearchStrategy[int]:
    """Return a strategy for seeds of runs: whole numbers in 0..2**32 - 1."""
    return st.integers(0, 2**32 - 1)


def schedules() -> st.SearchStrategy[Schedule]:
    """Return a strategy for schedules, the orders of events in a run, for `run(..., schedule=...)`.

    The result of a run must not depend on the schedule.
    """
    return seeds().map(Shuffled)


def fates(
    sent: Mapping[str, Sequence[Send]], most: int | None = None, least: int = 0
) -> st.SearchStrategy[dict[str, Fate]]:
    """Return a strategy for fates: which of the parties drop out, and where.

    `sent` has the sends of each party that may drop out, as `simnet.sends` returns them. At least
    `least` and at most `most` of the parties that send something get a fate, as far as both are
    possible. The send at which a party drops out reaches some, all or none of its recipients.
    Raises `TypeError` for a protocol in the place of its sends.

    For example, `run(protocol, items, fates=data.draw(fates(sends(protocol, items))))`.
    """
    names = [name for name, own in _sends_of(sent) if own]
    if not names:
        return st.just({})
    largest = len(names) if most is None else min(most, len(names))
    smallest = min(least, largest)

    def of(name: str) -> st.SearchStrategy[tuple[str, Fate]]:
        return st.tuples(st.just(name), _fate(sent[name]))

    def with_the_least(some: list[tuple[str, Fate]]) -> st.SearchStrategy[dict[str, Fate]]:
        drawn = dict(some)
        others = [name for name in names if name not in drawn][: max(smallest - len(drawn), 0)]
        known = {name: st.just(fate) for name, fate in drawn.items()}
        return st.fixed_dictionaries(known | {name: _fate(sent[name]) for name in others})

    return _few(st.sampled_from(names).flatmap(of), largest).flatmap(with_the_least)


def _sends_of(sent: Mapping[str, Sequence[Send]]) -> ItemsView[str, Sequence[Send]]:
    if not isinstance(sent, Mapping):
        raise TypeError(
            "fates are drawn from the sends of each party, not from a value of type "
            f"{type(sent).__name__}: give simnet.sends(protocol, items)"
        )
    return sent.items()


def message_fates(
    sent: Mapping[str, Sequence[Send]], most: int = 3, seconds: float = 10.0
) -> st.SearchStrategy[list[MessageFate]]:
    """Return a strategy for fates of messages: which of the messages go astray, and how.

    `sent` has the sends of each party, as `simnet.sends` returns them. At most `most` messages go
    astray. Late messages are late by up to `seconds`. Messages under summed tags cannot go astray,
    so leave out their sends. Raises `TypeError` for a protocol in the place of its sends.

    For example, `run(protocol, items, message_fates=data.draw(message_fates(sends(protocol,
    items))))`.
    """
    messages = [
        (sender, recipient, send.tag, send.place)
        for sender, own in _sends_of(sent)
        for send in own
        for recipient in send.recipients
        if recipient != sender
    ]
    if not messages:
        return st.just([])
    kinds: list[What] = ["lost", "damaged", "duplicated"]
    late: st.SearchStrategy[tuple[What, float]]
    late = st.tuples(st.just("late"), st.floats(0, seconds, exclude_min=True))
    other: st.SearchStrategy[tuple[What, float]]
    other = st.tuples(st.sampled_from(kinds), st.just(0.0))

    def fate(
        drawn: tuple[tuple[str, str, str, int], tuple[What, float]],
    ) -> MessageFate:
        message, how = drawn
        return MessageFate(*message, *how)

    astray = _few(st.tuples(st.sampled_from(messages), other | late), most)
    return astray.map(lambda drawn: list(map(fate, drawn)))


def _few(pairs: st.SearchStrategy[tuple[D, E]], most: int) -> st.SearchStrategy[list[tuple[D, E]]]:
    """Return a strategy for lists of at most `most` pairs with different first members.

    `st.lists(st.sampled_from(...), unique=True)` shrinks badly: what it draws depends on what it
    has drawn before.
    """
    return st.lists(pairs, max_size=most, unique_by=lambda pair: pair[0])


def _fate(own: Sequence[Send]) -> st.SearchStrategy[Fate]:
    def of(send: Send) -> st.SearchStrategy[Fate]:
        names = st.lists(st.sampled_from(send.recipients), max_size=len(send.recipients))
        reached = names.map(lambda drawn: tuple(dict.fromkeys(drawn)))
        return st.builds(
            Fate, st.just(send.tag), st.just(send.place), st.just(0) | reached | st.none()
        )

    return st.sampled_from(own).flatmap(of)


def inputs(protocol: Protocol) -> st.SearchStrategy[list[int]]:
    """Return a strategy for lists of inputs: an item in `1..protocol.items` for each party whose
    script takes an input, and one for each member of a crowd, in the order of the parties. Raises
    `BadInput` if the protocol has no `items`.
    """
    if not isinstance(protocol, OverItems):
        name = type(protocol).__name__
        raise BadInput(
            f"{name} has no `items`, so no inputs can be drawn from 1..items: give {name} an "
            "attribute `items`, or draw the inputs with a strategy of hypothesis, such as "
            "st.lists(st.integers(0, 10), min_size=3, max_size=3) for three parties"
        )
    holders = sum(seat.size for seat in protocol.parties().values() if seat.takes_input)
    return st.lists(st.integers(1, protocol.items), min_size=holders, max_size=holders)


def instances(
    protocol: Callable[..., P], /, **parameters: st.SearchStrategy[Any]
) -> st.SearchStrategy[tuple[P, list[int]]]:
    """Return a strategy for pairs: a protocol whose parameters are drawn from the given strategies,
    and inputs for this protocol.

    For example, `instances(DPDS, users=st.integers(2, 5), items=st.just(3))`. A case raises
    `BadInput` if the protocol has no `items`: see `inputs`.
    """
    protocols = st.fixed_dictionaries(parameters).map(lambda drawn: protocol(**drawn))
    return protocols.flatmap(lambda made: st.tuples(st.just(made), inputs(made)))


def coalitions(
    protocol: Protocol, role: str | None = None, spare: int = 0, largest: int | None = None
) -> st.SearchStrategy[list[str]]:
    """Return a strategy for coalitions: lists of at least one party's name, without repetition.

    With `role`, all members of the coalition play this role. At least `spare` of the parties that
    may be members stay outside, and `largest` is the largest size. Raises `BadInput` if no party
    plays `role`.
    """
    names = [name for name, seat in protocol.parties().items() if role in (None, seat.role)]
    if not names:
        raise BadInput(f"nobody plays {role!r} in this protocol")
    most = len(names) - spare if largest is None else min(len(names) - spare, largest)
    return st.lists(st.sampled_from(names), min_size=1, max_size=most, unique=True)


def assert_same_view(
    protocol: Protocol, one: Sequence[Any], other: Sequence[Any], corrupt: Names
) -> None:
    """Raise `AssertionError` unless a coalition's view has exactly the same law on the inputs `one`
    and `other`.

    Every outcome of the discrete coins is played, and linear algebra finds the law for field coins.
    So the test proves the statement for this protocol instance, which must be tiny. Raises
    `BadInput` if a party of the coalition has different inputs in `one` and `other`, or if there
    are too many outcomes to enumerate.
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
    """Return the exact ε of a coalition's view between the inputs `one` and `other` of a tiny
    instance.

    This ε is the largest absolute log-ratio of probabilities, and infinite if some view is possible
    on only one of the inputs. Raises `BadInput` as `assert_same_view` does.
    """
    return Comparison(protocol, corrupt).compare(one, other).epsilon


def assert_learns_nothing(
    runs: Runs, corrupt: Names, about: About | None = None, *, from_shares: bool = False
) -> Verdict:
    """Raise `AssertionError` unless the verdict is that the coalition learns nothing from its view;
    return the verdict.

    With `from_shares`, the coalition must learn nothing from secret shares; what honest parties
    disclose is then ignored.

    This assertion, and each other one about a verdict, also raises `AssertionError` if a party of a
    run returns other field elements than the ideal world hands it. It raises `BadInput` for an
    empty coalition and for one that names an unknown party. It raises `SimnetError` if there is
    nothing to judge, for example because honest parties have inputs and none of them declares a
    secret.
    """
    expectation: Expectation = "nothing-from-shares" if from_shares else "nothing"
    return _assert_meets(expectation, "to learn nothing", _verdict(runs, corrupt, about))


def assert_learns_only_output(
    runs: Runs, corrupt: Names, about: About | None = None, *, from_shares: bool = False
) -> Verdict:
    """Raise `AssertionError` unless the verdict is that the coalition learns something, but no more
    than its ideal-world output; return the verdict.

    With `from_shares`, what honest parties disclose is ignored. Other errors are as for
    `assert_learns_nothing`.
    """
    expectation: Expectation = "output-only-from-shares" if from_shares else "output-only"
    return _assert_meets(expectation, "to learn only the output", _verdict(runs, corrupt, about))


def assert_leaks(runs: Runs, corrupt: Names, about: About | None = None) -> Verdict:
    """Raise `AssertionError` unless the verdict is that the coalition learns more than its
    ideal-world output; return the verdict.

    This may be an element of a secret, as for `assert_learns`, or another function of secrets, such
    as the sum of two of them. Other errors are as for `assert_learns_nothing`.
    """
    return _assert_meets("leaks", "to learn more than the output", _verdict(runs, corrupt, about))


def assert_learns(
    runs: Runs,
    corrupt: Names,
    party: str | None = None,
    item: int | None = None,
    about: About | None = None,
) -> Verdict:
    """Raise `AssertionError` unless the verdict is that the coalition learns an element of a
    secret, and attacks on such elements give the true values; return the verdict.

    With `party`, only secrets of this party count. With `item`, only the element of a secret that
    has this place counts; places begin at 1. Other errors are as for `assert_learns_nothing`.
    """
    verdict_of_set = _verdict(runs, corrupt, about)
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


def _verdict(runs: Runs, corrupt: Names, about: About | None) -> Verdict:
    for done in [runs] if isinstance(runs, Run) else runs:
        compared = compare_outputs(done, finds_reductions=False)
        if compared.differences:
            raise AssertionError(compared.in_words)
    return verdict(runs, corrupt, about)


def _assert_meets(expectation: Expectation, words: str, verdict_of_set: Verdict) -> Verdict:
    if not meets(verdict_of_set, expectation):
        raise AssertionError(f"expected {words}: {verdict_in_words(verdict_of_set)}")
    return verdict_of_set


def _is_about(leak: LearnedFunction, party: str | None, item: int | None) -> bool:
    secret = leak.exposes
    return secret is not None and party in (None, secret.party) and item in (None, secret.item)
