"""A protocol as a model: all joint histories of its parties, with their exact probabilities.

Theory of operation. The exhaustive reading replaces "run it with random coins" by "play every way
in which the coins can come out". The words are those of model checking:

- A *state* is the state of every party (`PartyState`) and of the network between them.
- An *action* leads to the next state: a party starts, tosses a coin, or takes a delivery. Only a
  toss branches, once for each outcome, with its probability. Which action comes next is decided by
  one fixed rule, the schedule of a run without a shuffle: the order in which parties go on does not
  change what a script computes, so one order is enough.
- A *world* is a complete joint history: every coin has come out somehow, all scripts have ended.
  Its probability is the product of its coins' probabilities.

Worlds are found depth first. Two things keep this fast. A script is played once for each history of
its own party, not of all parties (`party_tree`). And which action comes next, and who takes which
message, depends on *structures* alone: on what is sent to whom under which tag and with which
coefficients, not on the values of secrets or on inputs. So the order of events is kept in a tree of
its own, the schedule tree (`ScheduleNode`), which worlds and inputs share.

Example. A party "a" answers a question truthfully with probability 3/4; "b" reads the answer.

>>> from fractions import Fraction
>>> from simnet import Seat, Tag, bits
>>> ANSWER = Tag("answer")
>>> class Ask:
...     def parties(self):
...         return {"a": Seat(self.a), "b": Seat(self.b)}
...     async def a(self, me, bit):
...         lies = me.coins.bernoulli(Fraction(1, 4))
...         await me.send(ANSWER, "b", bits([bit ^ lies]))
...     async def b(self, me):
...         return (await me.receive(ANSWER, "a")).numbers()

"a" holds an input, "b" holds none. Two worlds, each with the outcomes of the coins of "a":

>>> worlds = Model(Ask()).worlds([1])
>>> [(str(world.probability), world.states[0].history.outcomes) for world in worlds]
[('1/4', (True,)), ('3/4', (False,))]

What happens in the first of them, action by action:

>>> print(*(type(action).__name__ for action in worlds[0].schedule.actions()))
Start Toss Start Deliver End

The network was used once, in round 1:

>>> [(posting.round, posting.message.tag) for posting in worlds[0].schedule.network.sent]
[(1, 'answer')]
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from simnet.coins.tape import Choice
from simnet.contract import Protocol
from simnet.errors import BadInput, Stall
from simnet.exhaustive.network import Network, Posting, Summands
from simnet.exhaustive.outbox import Request
from simnet.exhaustive.party_tree import PartyState, PartyTree
from simnet.kernel.inputs import Inputs, inputs_by_name
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import run, seldom_collected
from simnet.kernel.seating import seated

LIMIT = 1_000_000  # worlds

Progress = Callable[[float], None]


@attrs.frozen(eq=False)
class Start:
    """A party's script begins."""

    party: int


@attrs.frozen(eq=False)
class Toss:
    """A party tosses the coin that it is suspended for."""

    party: int


@attrs.frozen(eq=False)
class Deliver:
    """A party takes what it has asked for: for each thing one message, or the summands of a sum.

    Deliveries with equal marks are the same to the party.
    """

    party: int
    mark: Hashable
    groups: tuple[tuple[Posting, ...], ...]

    @property
    def messages(self) -> tuple[Summands, ...]:
        """The messages without their rounds."""
        return tuple(tuple(posting.message for posting in group) for group in self.groups)


@attrs.frozen(eq=False)
class End:
    """All scripts have ended."""


Action = Start | Toss | Deliver | End


class ScheduleNode:
    """A place in the schedule tree: the order of events, without the values of secrets.

    Two joint histories that differ only in the values of secrets, or in inputs that do not show in
    structures, are at the same node. A node is left by its one action; to which node that leads
    depends on the structure of the state that the acting party comes to.

    The network at a node costs memory, and most nodes are passed through once. So a node's network
    is handed on to its first child where only one is likely (after a delivery), and made anew from
    the node before when it is asked for again.
    """

    def __init__(
        self,
        network: Network,
        before: "ScheduleNode | None" = None,
        state: PartyState | None = None,
    ) -> None:
        """The node to which an action of the node before has led, `state` being its party's."""
        self.action: Action | None = None
        self._network: Network | None = network
        self._before = before
        self._state = state
        self._children: dict[int, ScheduleNode] = {}

    @property
    def network(self) -> Network:
        """The network after the node's action, if it has been decided."""
        if self._network is None:
            assert self._before is not None
            assert self._state is not None
            self._network = self._before.network.copy()
            self._network.post(self._state.party, self._state.messages)
            if self.action is not None:
                _apply(self.action, self._network)
        return self._network

    def decided(
        self,
        states: Sequence[PartyState],
        decide: Callable[[Network, Sequence[PartyState]], Action],
    ) -> Action:
        """The node's action, decided when first asked for."""
        if self.action is None:
            action = decide(self.network, states)
            _apply(action, self.network)
            self.action = action
        return self.action

    def child(self, state: PartyState) -> "ScheduleNode":
        """The node after the action has led its party to this state."""
        child = self._children.get(state.structure)
        if child is None:
            network = self.network
            if isinstance(self.action, Deliver) and self._before is not None:
                self._network = None
            else:
                network = network.copy()
            network.post(state.party, state.messages)
            child = self._children[state.structure] = ScheduleNode(network, self, state)
        return child

    def actions(self) -> list[Action]:
        """The actions from the beginning up to this node's own."""
        before = [] if self._before is None else self._before.actions()
        return before if self.action is None else [*before, self.action]


def _apply(action: Action, network: Network) -> None:
    if isinstance(action, Start):
        network.started += 1
    elif isinstance(action, Deliver):
        network.deliver(action.party, action.groups)


@attrs.frozen(eq=False)
class World:
    """A complete joint history: where each party ended, and the order of events on the way."""

    probability: Fraction
    states: tuple[PartyState, ...]
    schedule: ScheduleNode


class Model:
    """A protocol whose worlds can be listed. What was played once is kept for further inputs.

    With `enumerate_field`, field coins are played out too, by brute force, and nothing is unknown.
    """

    def __init__(self, protocol: Protocol, enumerate_field: bool = False) -> None:
        self.protocol = protocol
        self.enumerate_field = enumerate_field
        self.roster = seated(protocol)
        for crowd in sorted(self.roster.crowds):
            raise BadInput(
                f"{self.roster.names[crowd]} is a crowd of "
                f"{self.roster.seats[crowd].size:,}, and only single parties "
                "can be played out: seat its members one by one, as population=actors does"
            )
        self._trees: dict[tuple[int, tuple[Any, ...]], PartyTree] = {}  # by party and input
        self._structures: dict[Hashable, int] = {}
        self._start = ScheduleNode(Network(len(self.roster)))

    def worlds(
        self, inputs: Inputs, limit: int = LIMIT, progress: Progress = lambda _: None
    ) -> list[World]:
        """Every world on these inputs.

        `progress` is called with the probability covered since its last call. Raises `BadInput`
        above the limit, and whatever the scripts raise.
        """
        self._refuse_unplayable(inputs)
        with seldom_collected():
            return self._worlds(self._trees_for(inputs), limit, progress)

    def named(self, inputs: Inputs) -> dict[str, Any]:
        """The inputs by party. Raises `BadInput` when they do not fit."""
        return inputs_by_name(inputs, self.roster)

    def _refuse_unplayable(self, inputs: Inputs) -> None:
        """Refuse whatever a run refuses, and a script that does not do the same twice.

        A script that is a function of something besides its coins has no law to be found here.
        """
        first, second = (
            run(self.protocol, self.named(inputs), 0, observe=self.roster.names) for _ in range(2)
        )
        compare_runs(first, second)

    def _worlds(self, trees: Sequence[PartyTree], limit: int, progress: Progress) -> list[World]:
        worlds: list[World] = []
        covered = Fraction(0)
        for world in self._explore(trees):
            worlds.append(world)
            if len(worlds) > limit:
                share = float(covered) or float(world.probability)
                raise BadInput(
                    f"there are more than {limit:,} worlds to play out (about "
                    f"{limit / share:,.0f}): use fewer users, "
                    "items or coins, or raise the limit"
                )
            covered += world.probability
            progress(float(world.probability))
        return worlds

    def _trees_for(self, inputs: Inputs) -> list[PartyTree]:
        """Each party's tree for its input."""
        named = self.named(inputs)
        trees = []
        for number, name in enumerate(self.roster.names):
            takes_input = self.roster.seats[number].role in self.roster.with_input
            own = (named[name],) if takes_input else ()
            if (number, own) not in self._trees:
                self._trees[number, own] = PartyTree(
                    self.roster, number, own, self.enumerate_field, self._structures
                )
            trees.append(self._trees[number, own])
        return trees

    def _explore(self, trees: Sequence[PartyTree]) -> Iterator[World]:
        """Go through the joint histories depth first, the first outcome of a coin first."""
        roots = tuple(tree.root for tree in trees)
        stack = [(roots, self._start, Fraction(1))]
        while stack:
            states, node, probability = stack.pop()
            states, node, action = self._until_toss(list(states), node, trees)
            if isinstance(action, End):
                yield World(probability, states, node)
                continue
            party = action.party
            choice = states[party].pause
            assert isinstance(choice, Choice)
            for outcome, chance in reversed(choice.outcomes):
                state = trees[party].toss(states[party], outcome)
                branch = (*states[:party], state, *states[party + 1 :])
                stack.append((branch, node.child(state), probability * chance))

    def _until_toss(
        self, states: list[PartyState], node: ScheduleNode, trees: Sequence[PartyTree]
    ) -> tuple[tuple[PartyState, ...], ScheduleNode, Toss | End]:
        """Let everybody go on until a coin is to be tossed or all have ended."""
        while True:
            action = node.action or node.decided(states, self._decide)
            if isinstance(action, Toss | End):
                return tuple(states), node, action
            party = action.party
            if isinstance(action, Deliver):
                # By the action as well: its mark holds whole contents, and takes longer to look up.
                after = states[party].children.get(action)
                if after is None:
                    after = trees[party].deliver(states[party], action.mark, action.messages)
                    states[party].children[action] = after
                states[party] = after
            node = node.child(states[party])

    def _decide(self, network: Network, states: Sequence[PartyState]) -> Action:
        """As in a run by the fixed schedule: who has started goes on before the next one starts."""
        started = states[: network.started]
        tossing = next((state.party for state in started if isinstance(state.pause, Choice)), None)
        if tossing is not None:
            return Toss(tossing)
        if len(started) < len(states):
            return Start(len(started))
        for state in states:
            request = state.pause
            if not isinstance(request, Request):
                continue
            groups = network.available(state.party, request)
            if groups is not None:
                return Deliver(state.party, self._mark(request, groups), tuple(map(tuple, groups)))
        waiting = [self.roster.names[state.party] for state in states if state.pause is not None]
        if waiting:
            raise Stall(f"the run cannot go on: {waiting[0]} waits for messages that nobody sends")
        return End()

    def _mark(self, request: Request, groups: Sequence[Sequence[Posting]]) -> Hashable:
        """What a party can tell of a delivery: contents, and the sender where any would do.

        Of unknowns it can tell field and shape, which all summands of a sum share.
        """
        sender = groups[0][0].message.sender if request.kind == "any" else None
        contents = [
            tuple(posting.message.content for posting in group)
            if self.enumerate_field
            else group[0].message.content
            for group in groups
        ]
        return (sender, *contents)
