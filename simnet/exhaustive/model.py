"""A protocol as a model: all joint histories of its parties, with their exact probabilities.

Theory of operation. The exhaustive reading does not draw discrete coins at random: it plays all
their outcomes. We use the words of model checking:

- A *state* is the state of every party (`PartyState`) and of the network between them.
- An *action* leads to the next state: a party starts, tosses a coin, opens field elements, or takes
  a delivery. A toss has one branch for each outcome, with its probability. An opening has one
  branch for each possible list of numbers. One fixed rule decides which action comes next.
- A *world* is a complete joint history: every script has ended, or waits for ever. The probability
  of a world is the product of the probabilities of its outcomes.

Opening field elements is like tossing a coin, with one difference: whether the result is random
depends on what was opened before. Field coins are uniform. If the coins of a row are independent of
the coins of all rows opened before, the row has each of the q numbers with probability 1/q,
whatever has happened so far. If its coins depend on those of earlier rows, its number follows from
the numbers of these rows and from secrets. Given the numbers opened, the field coins are uniform on
all values that agree with these numbers.

Worlds are found depth first, and two limits keep the search finite. The first is a limit on the
number of worlds. When some worlds have been found, we estimate this number by a few random paths
through the tree. The product of the numbers of branches on a random path has the number of leaves
as its mean (Knuth, *Estimating the efficiency of backtrack programs*, 1975). The second is a limit
on the tosses and openings in one world: a script that draws until it gets a certain outcome has
infinitely many worlds.

Two things make the search fast. The states of a party are kept by the party's own history
(`party_tree`). And only *structures* decide which action comes next and who takes which message. A
structure says what is sent to whom, under which tag, with which plain contents and which
coefficients of forms, but not the values of secrets. (If field coins are enumerated, field elements
are plain contents.) So the order of events is kept in a tree of its own, the schedule tree
(`ScheduleNode`), which worlds and inputs share.

Example. A party "a" answers a question truthfully with probability 3/4; "b" reads the answer.

>>> from fractions import Fraction
>>> from simnet import Seat, Tag, bits
>>> ANSWER = Tag("answer")
>>> class Ask:
...     def parties(self):
...         return {"a": Seat(self.a), "b": Seat(self.b)}
...     async def a(self, me, bit):
...         answer = me.disclose(lambda bit, coins: bit ^ coins.bernoulli(Fraction(1, 4)), bit)
...         await me.send(ANSWER, "b", bits([answer]))
...     async def b(self, me):
...         return (await me.receive(ANSWER, "a")).numbers()

"a" has an input, "b" has no input. There are two worlds. This is the probability of each world,
with the outcomes of the coins of "a":

>>> worlds = Model(Ask()).worlds([1])
>>> [(str(world.probability), world.states[0].history.outcomes) for world in worlds]
[('1/4', (True,)), ('3/4', (False,))]

What happens in the first world, action by action:

>>> print(*(type(action).__name__ for action in worlds[0].schedule.actions()))
Start Toss Start Deliver End

The network was used once, in round 1:

>>> [(posting.round, posting.message.tag) for posting in worlds[0].schedule.network.sent]
[(1, 'answer')]
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import attrs

from simnet.adversary.reading_again import refuse_memory
from simnet.coins.sampled import SampledDiscrete
from simnet.coins.tape import Choice, Outcome
from simnet.contract import Protocol
from simnet.doors.captured import knowledge_of
from simnet.errors import BadInput, Stall
from simnet.exhaustive.network import Network, OpenedRow, Posting, Silent, Summands
from simnet.exhaustive.outbox import Request
from simnet.exhaustive.party_tree import PartyState, PartyTree
from simnet.exhaustive.reading import Ask, owner
from simnet.kernel.astray import checked_message_fates
from simnet.kernel.deadlines import Open as OpenWait
from simnet.kernel.deadlines import TooLate
from simnet.kernel.fates import checked_fates
from simnet.kernel.inputs import Inputs, inputs_by_name
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import run, seldom_collected
from simnet.kernel.seating import seated
from simnet.kernel.silence import (
    parties_to_release,
    stuck_for_ever,
    times_of_silence,
    why_for_ever,
)
from simnet.linear.unknowns import ONE
from simnet.linear.vectors import Vector
from simnet.record.fate import Ending, Fates, Happened, Late, MessageFate
from simnet.record.log import Log
from simnet.roster import Roster
from simnet.vault.place import vault_of

LIMIT = 1_000_000  # the largest number of worlds that are played out
MOST_COINS = 200  # at most so many coins are tossed or opened in one world
PILOT = 2_000  # after so many worlds the total number is estimated
WAYS = 41  # the number of random paths that are taken through the tree of worlds
# One path gives an estimate above ten times the true number of worlds with a probability of at most
# 1/10. So the probability that half of all paths give such an estimate is below 10^-9.
EXCESS = 10

Progress = Callable[[float], None]


@attrs.frozen
class NoClock:
    """Takes the place of a network in a run that must not wait with deadlines."""

    names: tuple[str, ...] = ()

    def timekeeper(
        self, roster: Roster, brings_input: Sequence[bool], log: Log, seed: int
    ) -> "NoClock":
        """Return a timekeeper that knows the names of the parties."""
        del brings_input, log, seed
        return NoClock(tuple(roster.names))

    def decide(self, waits: Sequence[OpenWait]) -> NoReturn:
        """Raise `BadInput`: no clock says when the deadline passes."""
        raise BadInput(
            f"{self.names[waits[0].party]} waits with a deadline, and an exact view has no clock "
            "that says when the deadline passes: let `simnet verify --network NAME` judge a run, "
            "or leave `within` out"
        )

    def late(self, messages: Sequence[TooLate]) -> tuple[Late, ...]:
        """Return nothing: no wait has a deadline."""
        del messages
        return ()


@attrs.frozen(eq=False)
class Start:
    """The action in which a party's script begins."""

    party: int


@attrs.frozen(eq=False)
class Toss:
    """The action in which a party tosses the coin that its script waits for."""

    party: int


@attrs.frozen(eq=False)
class Open:
    """The action in which a party opens the rows that its script asked for.

    `before` are the rows that were opened earlier.
    """

    party: int
    before: tuple[OpenedRow, ...]
    rows: tuple[OpenedRow, ...]


@attrs.frozen(eq=False)
class Deliver:
    """The action in which a party receives the messages that it waits for.

    For each part of its request, the party receives one message, or the summands of a sum. The
    party cannot distinguish deliveries with equal marks. If the party only asked who has sent, the
    messages go on waiting. `silent` are the senders that the party does not wait for any longer.
    `released` has the parties that stop waiting because nobody could go on; the delivery is then to
    the first of them.
    """

    party: int
    mark: Hashable
    groups: tuple[tuple[Posting, ...], ...]
    request: Request
    silent: frozenset[int] = frozenset()
    released: tuple[Silent, ...] = ()

    @property
    def only_heard(self) -> bool:
        """Whether the party only asked who has sent."""
        return self.request.kind == "heard"

    @property
    def messages(self) -> tuple[Summands, ...]:
        """The messages of the delivery, without their rounds; none if the party only asked who has
        sent.
        """
        if self.only_heard:
            return ()
        return tuple(tuple(posting.message for posting in group) for group in self.groups)


@attrs.frozen(eq=False)
class End:
    """The end of a world: every script has ended or waits for ever.

    `stuck` lists every party that waits for ever, with the party that is the reason, for example
    because it dropped out, or None. `misses` has the parties that wait for a lost message, each
    with the sender of this message.
    """

    stuck: tuple[tuple[int, int | None], ...] = ()
    misses: Mapping[int, int] = attrs.field(factory=dict)


Action = Start | Toss | Open | Deliver | End


class ScheduleNode:
    """A place in the schedule tree: the order of events, without the values of secrets.

    Joint histories with equal structures lead to the same node. They may differ in the values of
    secrets, and in inputs that do not affect structures.
    """

    def __init__(
        self,
        network: Network,
        before: "ScheduleNode | None" = None,
        state: PartyState | None = None,
    ) -> None:
        """Make the node that follows an action of the node before; `state` is the acting party's
        state.
        """
        self.action: Action | None = None
        self._network: Network | None = network
        self._before = before
        self._state = state
        self._children: dict[int, ScheduleNode] = {}

    @property
    def network(self) -> Network:
        """The network after the node's action or, as long as this action is not decided, before
        the action.
        """
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
        """Return the node's action. The first call decides the action, by calling `decide`."""
        if self.action is None:
            action = decide(self.network, states)
            _apply(action, self.network)
            self.action = action
        return self.action

    def child(self, state: PartyState) -> "ScheduleNode":
        """The next node, if the action leads the acting party to the given state."""
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
        """Return the actions from the beginning up to this node's action."""
        before = [] if self._before is None else self._before.actions()
        return before if self.action is None else [*before, self.action]


def _apply(action: Action, network: Network) -> None:
    if isinstance(action, Start):
        network.started += 1
    elif isinstance(action, Deliver):
        network.release(action.released)
        if action.only_heard:
            network.hear(action.party, action.request.tag, action.groups)
        else:
            network.deliver(action.party, action.groups)
    elif isinstance(action, Open):
        network.opened += action.rows


def secrets_sum(form: Vector, states: Sequence[PartyState]) -> int:
    """The value of a form in secrets and `ONE`, before it is reduced modulo q."""
    return sum(
        factor * (1 if unknown == ONE else states[owner(unknown)].secrets[unknown])
        for unknown, factor in form.items()
    )


def opened_number(row: OpenedRow, states: Sequence[PartyState]) -> int:
    """The number of a row that a party has opened."""
    number: int = states[row.party].history.outcomes[row.outcome][row.place]
    return number


@attrs.frozen(eq=False)
class World:
    """A complete joint history: the final state of each party, and the order of events.

    `aborts` lists the parties that did not finish although they did not drop out.
    """

    probability: Fraction
    states: tuple[PartyState, ...]
    schedule: ScheduleNode
    aborts: tuple[Ending, ...] = ()


Branch = tuple[tuple[PartyState, ...], ScheduleNode]


def _numbers(action: Open, free: Sequence[int], states: Sequence[PartyState]) -> tuple[int, ...]:
    numbers = [opened_number(row, states) for row in action.before]
    choices = iter(free)
    for row in action.rows:
        if row.secrets is None:
            numbers.append(next(choices))
        else:
            known = sum(factor * numbers[place] for place, factor in row.rows.items())
            numbers.append((secrets_sum(row.secrets, states) + known) % row.modulus)
    return tuple(numbers[len(action.before) :])


def _readable(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"10^{len(str(count)) - 1}"


class Model:
    """A protocol whose worlds can be listed.

    With `enumerate_field`, field coins are played out too. `fates` says which parties drop out, and
    where (`simnet.Fate`), and `message_fates` which messages go astray (`simnet.MessageFate`).
    Raises `BadInput` for a protocol with a crowd, for a faulty `parties()`, and for fates that do
    not fit the parties.
    """

    def __init__(
        self,
        protocol: Protocol,
        enumerate_field: bool = False,
        fates: Fates | None = None,
        message_fates: Sequence[MessageFate] = (),
    ) -> None:
        self.protocol = protocol
        self.enumerate_field = enumerate_field
        self.roster = seated(protocol)
        self.fates = dict(fates or {})
        self._fates_by_number = checked_fates(self.fates, self.roster)
        self.message_fates = tuple(message_fates)
        self._astray = checked_message_fates(message_fates, self.roster)
        for crowd in sorted(self.roster.crowds):
            raise BadInput(
                f"{self.roster.names[crowd]} is a crowd of "
                f"{self.roster.seats[crowd].size:,}, and only single parties "
                "can be played out: seat its members one by one, as some protocols do with "
                "population=actors"
            )
        self._trees: dict[tuple[int, Hashable], PartyTree] = {}  # trees by party and input
        self._structures: dict[Hashable, int] = {}
        self.vault = vault_of(protocol, [*self.roster.scripts.values()], {}, shares=False)
        self._start = ScheduleNode(Network(len(self.roster)))

    def worlds(
        self, inputs: Inputs, limit: int = LIMIT, progress: Progress = lambda _: None
    ) -> list[World]:
        """Return every world on these inputs.

        `progress` is called with the probability covered since its last call. Raises `BadInput` if
        the worlds cannot be played out or are more than the limit, and `ScriptError` for an error
        in a script. Raises `Stall` if parties wait for messages that nobody sends, although no
        party dropped out, aborted or stayed silent and no message was lost.
        """
        self._refuse_unplayable(inputs)
        with seldom_collected:
            return self._worlds(self._trees_for(inputs), limit, progress)

    def named(self, inputs: Inputs) -> dict[str, Any]:
        """The inputs by party. Raises `BadInput` if they do not fit the protocol."""
        return inputs_by_name(inputs, self.roster)

    def _refuse_unplayable(self, inputs: Inputs) -> None:
        # If a script depends on something besides its coins and inputs, we cannot find its law. So
        # we refuse a script that behaves differently when it is played twice.
        named, everyone = self.named(inputs), self.roster.names
        first, second = (
            run(
                self.protocol,
                named,
                0,
                observe=everyone,
                fates=self.fates,
                network=NoClock(),
                message_fates=self.message_fates,
            )
            for _ in range(2)
        )
        compare_runs(first, second)
        refuse_memory(first, second)

    def _worlds(self, trees: Sequence[PartyTree], limit: int, progress: Progress) -> list[World]:
        worlds: list[World] = []
        for world in self._explore(trees, limit):
            worlds.append(world)
            if len(worlds) == PILOT or len(worlds) > limit:
                self._refuse_above(limit, trees, is_above=len(worlds) > limit)
            progress(float(world.probability))
        return worlds

    def _refuse_above(self, limit: int, trees: Sequence[PartyTree], is_above: bool) -> None:
        """Raise `BadInput` if `is_above` says that there are more worlds than the limit, or if
        estimates of their number say so: all of them, or half of them by a factor of ten.
        """
        estimates = sorted(self._estimates(trees, limit))
        # All estimates are above the limit by chance only if the limit is near the true number: if
        # this is three quarters of the limit, the probability is at most (3/4)^41, below 10^-5.
        is_estimated = estimates[0] > limit or estimates[WAYS // 2] > EXCESS * limit
        if not is_above and not is_estimated:
            return
        about = max(sum(estimates) // WAYS, limit + 1)
        raise BadInput(
            f"there are more than {limit:,} worlds to play out (about {_readable(about)}): use "
            "fewer users, items or coins, a smaller field, or raise the limit"
        )

    def _estimates(self, trees: Sequence[PartyTree], limit: int) -> Iterator[int]:
        """Yield estimates of the number of worlds, each from one random path through the tree."""
        source = SampledDiscrete(0, "", "estimate of worlds ")
        for _ in range(WAYS):
            estimate = 1
            branch = self._beginning(trees)
            for _ in range(MOST_COINS):
                states, node, action = self._until_branching(branch, trees)
                if isinstance(action, End):
                    break
                outcomes = self._outcomes(action, states, limit)
                chosen = int(source.integers(len(outcomes), 1)[0])
                estimate *= len(outcomes)
                outcome, _ = outcomes[chosen]
                branch = self._after(states, node, action, outcome, trees)
            yield estimate

    def _trees_for(self, inputs: Inputs) -> list[PartyTree]:
        named = self.named(inputs)
        trees = []
        for number, name in enumerate(self.roster.names):
            takes_input = self.roster.seats[number].role in self.roster.with_input
            own = (named[name],) if takes_input else ()
            key = number, knowledge_of(own)
            if key not in self._trees:
                self._trees[key] = PartyTree(
                    self.roster,
                    number,
                    own,
                    self.enumerate_field,
                    self._structures,
                    self._fates_by_number.get(number),
                    self._astray.get(number, ()),
                    self.vault,
                )
            trees.append(self._trees[key])
        return trees

    def _explore(self, trees: Sequence[PartyTree], limit: int) -> Iterator[World]:
        stack = [iter([(self._beginning(trees), Fraction(1))])]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
                continue
            branch, probability = found
            states, node, action = self._until_branching(branch, trees)
            if isinstance(action, End):
                yield World(probability, states, node, self._aborts(states, node, action))
                continue
            if len(stack) > MOST_COINS:
                self._refuse_endless(action)
            stack.append(self._branches(states, node, action, probability, trees, limit))

    def _beginning(self, trees: Sequence[PartyTree]) -> Branch:
        return tuple(tree.root for tree in trees), self._start

    def _branches(
        self,
        states: tuple[PartyState, ...],
        node: ScheduleNode,
        action: Toss | Open,
        probability: Fraction,
        trees: Sequence[PartyTree],
        limit: int,
    ) -> Iterator[tuple[Branch, Fraction]]:
        for outcome, chance in self._outcomes(action, states, limit):
            yield self._after(states, node, action, outcome, trees), probability * chance

    def _after(
        self,
        states: tuple[PartyState, ...],
        node: ScheduleNode,
        action: Toss | Open,
        outcome: Outcome,
        trees: Sequence[PartyTree],
    ) -> Branch:
        party = action.party
        state = trees[party].toss(states[party], outcome)
        return (*states[:party], state, *states[party + 1 :]), node.child(state)

    def _outcomes(
        self, action: Toss | Open, states: Sequence[PartyState], limit: int
    ) -> Sequence[tuple[Outcome, Fraction]]:
        pause = states[action.party].pause
        if isinstance(action, Toss):
            assert isinstance(pause, Choice)
            return pause.outcomes
        assert isinstance(pause, Ask)
        free = [row.modulus for row in action.rows if row.is_free]
        ways = math.prod(free)
        if ways > limit:
            name = self.roster.names[action.party]
            raise BadInput(
                f"{name} {pause.reason}: these elements have {_readable(ways)} possible values, "
                f"and each is a world of its own (the limit is {limit:,}): use a smaller field or "
                "fewer elements, or raise the limit"
            )
        chance = Fraction(1, ways)
        choices = itertools.product(*(range(modulus) for modulus in free))
        return [(_numbers(action, choice, states), chance) for choice in choices]

    def _refuse_endless(self, action: Toss | Open) -> NoReturn:
        name = self.roster.names[action.party]
        raise BadInput(
            f"in one world the parties have drawn coins or opened field elements {MOST_COINS} "
            f"times, and {name} does so again: draw fewer coins. A script that draws until it gets "
            "the outcome it wants has to stop after a fixed number of tries"
        )

    def _until_branching(
        self, branch: Branch, trees: Sequence[PartyTree]
    ) -> tuple[tuple[PartyState, ...], ScheduleNode, Toss | Open | End]:
        """Let all parties go on until a coin is tossed, rows are opened or the world has ended."""
        states, node = list(branch[0]), branch[1]
        while True:
            action = node.action or node.decided(states, self._decide)
            if isinstance(action, Toss | Open | End):
                return tuple(states), node, action
            party = action.party
            if isinstance(action, Deliver):
                # We look the state up by the action, and not by the action's mark: a mark contains
                # the contents of messages, so to look it up would be slow.
                after = states[party].children.get(action)
                if after is None:
                    after = trees[party].deliver(
                        states[party], action.mark, action.messages, action.silent
                    )
                    states[party].children[action] = after
                states[party] = after
            node = node.child(states[party])

    def _decide(self, network: Network, states: Sequence[PartyState]) -> Action:
        # A party that has started goes on before another party starts.
        started = states[: network.started]
        for state in started:
            if isinstance(state.pause, Choice):
                return Toss(state.party)
            if isinstance(state.pause, Ask):
                place = len(state.history.outcomes)
                rows = network.opening(state.party, place, state.pause.rows)
                return Open(state.party, network.opened, rows)
        if len(started) < len(states):
            return Start(len(started))
        for state in states:
            request = state.pause
            if not isinstance(request, Request):
                continue
            silent = network.released.get(state.party, frozenset())
            groups = network.available(state.party, request, silent)
            if groups is not None:
                return self._delivery(state.party, request, groups, silent)
        return self._decide_quiet(network, states)

    def _decide_quiet(self, network: Network, states: Sequence[PartyState]) -> Action:
        """Choose the action when nobody can go on: some parties stop waiting, or the world ends.

        Raises `Stall` if parties wait and none of them may stop waiting, although nobody dropped
        out, aborted or stayed silent, and no message that they wait for was lost.
        """
        requests = {
            state.party: state.pause for state in states if isinstance(state.pause, Request)
        }
        if not requests:
            return End()
        lacks = {number: network.lacking(number, request) for number, request in requests.items()}
        may_stop = [number for number, request in requests.items() if request.may_lack]
        released = parties_to_release(lacks, may_stop)
        if not released:
            lost = {state.party for state in states if state.is_gone or state.aborted is not None}
            lost |= {silence.recipient for silence in network.silences}
            misses = {
                number: sender
                for number, request in requests.items()
                if (sender := network.waits_for_lost(number, request)) is not None
            }
            lost |= misses.keys()
            if not lost:
                name = self.roster.names[min(requests)]
                raise Stall(f"the run cannot go on: {name} waits for messages that nobody sends")
            stuck = stuck_for_ever(lacks, len(states), lost)
            return End(
                tuple((number, misses.get(number, other)) for number, other in stuck), misses
            )
        reached = [network.reached(state.party, requests.get(state.party)) for state in states]
        rounds = times_of_silence(lacks, released, [depth for depth, _ in reached])
        steps = times_of_silence(lacks, released, [step for _, step in reached])
        silences = tuple(
            Silent(
                rounds[number],
                steps[number],
                number,
                requests[number],
                tuple(sorted(lacks[number] or ())),
            )
            for number in released
        )
        first = silences[0]
        silent = frozenset(first.senders)
        groups = network.available(first.recipient, first.request, silent)
        assert groups is not None
        return self._delivery(first.recipient, first.request, groups, silent, silences)

    def _delivery(
        self,
        party: int,
        request: Request,
        groups: Sequence[Sequence[Posting]],
        silent: frozenset[int],
        released: tuple[Silent, ...] = (),
    ) -> Deliver:
        mark = self._mark(request, groups)
        if silent:
            mark = mark, tuple(sorted(silent))
        return Deliver(party, mark, tuple(map(tuple, groups)), request, silent, released)

    def _aborts(
        self, states: Sequence[PartyState], node: ScheduleNode, action: End
    ) -> tuple[Ending, ...]:
        names = self.roster.names
        if not action.stuck and all(state.aborted is None for state in states):
            return ()
        network = node.network
        endings = [
            Ending(names[state.party], network.depths[state.party] + 1, state.aborted)
            for state in states
            if state.aborted is not None
        ]
        for number, other in action.stuck:
            request = states[number].pause
            assert isinstance(request, Request)
            reason = why_for_ever(
                request.tag,
                None if other is None else names[other],
                is_gone=other is not None and states[other].is_gone,
                is_aborted=other is not None and states[other].aborted is not None,
                is_lost=number in action.misses,
                waits_for_lost=other in action.misses,
            )
            endings.append(Ending(names[number], network.reached(number, request)[0] + 1, reason))
        return tuple(sorted(endings, key=lambda ending: (ending.round, ending.party)))

    def happened(self, world: World) -> Happened:
        """Return who dropped out in a world, and who was heard: what the ideal world is told."""
        names = self.roster.names
        came, missed = {}, {}
        for state in world.states:
            name = names[state.party]
            came.update({(name, tag): calls for tag, calls in state.came.items()})
            missed.update({(name, tag): calls for tag, calls in state.missed.items()})
        gone = tuple(names[state.party] for state in world.states if state.is_gone)
        return Happened(gone, came, missed)

    def _mark(self, request: Request, groups: Sequence[Sequence[Posting]]) -> Hashable:
        """What a party can tell about a delivery: contents, and the sender if any sender was
        allowed.

        If the contents are unknowns, the party can tell only their field and shape, which all
        summands of a sum share.
        """
        sender = groups[0][0].message.sender if request.kind == "any" else None
        contents = [
            tuple(posting.message.content for posting in group)
            if self.enumerate_field
            else group[0].message.content
            for group in groups
            if group  # nobody may have sent into a sum that a party has asked about
        ]
        return (sender, *contents)
