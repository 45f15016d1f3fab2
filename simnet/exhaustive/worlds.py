"""All worlds of a protocol on given inputs: one for every outcome of every coin, with its exact
probability.

Worlds are walked through depth first, over the choices of all parties in a fixed order; what a
party does in each of them is looked up in its tree.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import attrs

from simnet.errors import BadInput, Stall
from simnet.exhaustive.local import Ask
from simnet.exhaustive.node import Letter, Node, Tree
from simnet.exhaustive.tape import Choice
from simnet.kernel.inputs import inputs_by_name
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import run, seldom_collected
from simnet.record.message import Key
from simnet.roster import Roster

LIMIT = 1_000_000  # worlds

Box = tuple[int, str, Key, bool]  # recipient, tag, key, summed
Posted = tuple[int, Letter]  # with its round
Group = tuple[Letter, ...]


@attrs.frozen(eq=False)
class Move:
    """What happens next: a party starts, tosses a coin, is given groups of letters, or nothing
    does.
    """

    kind: Literal["start", "toss", "give", "done"]
    party: int = -1
    key: Hashable = None
    groups: tuple[tuple[Posted, ...], ...] = ()

    @property
    def letters(self) -> tuple[Group, ...]:
        """The letters given, without their rounds."""
        return tuple(tuple(letter for _, letter in group) for group in self.groups)


class State:
    """What has been posted, what is still waiting, and by party the letters behind the forms that
    it received.
    """

    def __init__(self, parties: int) -> None:
        self.boxes: dict[Box, tuple[Posted, ...]] = {}
        self.posted: list[Posted] = []
        self.depths = [0] * parties
        self.linked: dict[int, tuple[Group, ...]] = {}
        self.started = 0

    def copy(self) -> "State":
        """The same, to go on from."""
        twin = State(0)
        twin.boxes, twin.posted, twin.started = dict(self.boxes), list(self.posted), self.started
        twin.depths, twin.linked = list(self.depths), dict(self.linked)
        return twin

    def enter(self, node: Node) -> None:
        """A party has come to a node: what it sends there is posted."""
        round_ = self.depths[node.party] + 1
        for letter in node.letters:
            sent = letter.sent
            posted = round_ - (sent.to == node.party), letter
            box = sent.to, sent.tag, sent.key, sent.summed
            self.boxes[box] = (*self.boxes.get(box, ()), posted)
            self.posted.append(posted)

    def make(self, move: Move) -> None:
        """Take what a party is given out of its boxes, or note that it starts."""
        self.started += move.kind == "start"
        for group in move.groups:
            for posted in group:
                sent = posted[1].sent
                box = sent.to, sent.tag, sent.key, sent.summed
                self.boxes[box] = tuple(one for one in self.boxes[box] if one is not posted)
        party = move.party
        foreign = [
            round_ for group in move.groups for round_, letter in group if letter.sender != party
        ]
        self.depths[party] = max([self.depths[party], *foreign])
        linked = [group for group in move.letters for _ in range(group[0].forms)]
        if linked:
            self.linked[party] = (*self.linked.get(party, ()), *linked)


class Course:
    """How messages go, whatever the values of secrets: joint histories that differ in values alone
    share theirs.

    A course is left by a move, to one that depends on the structure of the node that the moving
    party comes to. What is posted there is kept where it is needed again, and made anew from the
    course before where it is not.
    """

    def __init__(
        self, state: State, before: "Course | None" = None, node: Node | None = None
    ) -> None:
        self.move: Move | None = None
        self._state: State | None = state
        self._before = before
        self._node = node
        self._branches: dict[int, Course] = {}

    @property
    def state(self) -> State:
        """After the move, if one has been made."""
        if self._state is None:
            assert self._before is not None
            assert self._node is not None
            self._state = self._before.state.copy()
            self._state.enter(self._node)
            if self.move is not None:
                self._state.make(self.move)
        return self._state

    def decided(
        self, nodes: Sequence[Node], decide: Callable[[State, Sequence[Node]], Move]
    ) -> Move:
        """The next move, decided when first asked for."""
        if self.move is None:
            move = decide(self.state, nodes)
            self.state.make(move)
            self.move = move
        return self.move

    def branch(self, node: Node) -> "Course":
        """The course after the move has led its party to this node."""
        found = self._branches.get(node.structure)
        if found is None:
            state = self.state
            if self.move is not None and self.move.kind == "give" and self._before is not None:
                self._state = None  # handed on: most moves lead to one node only
            else:
                state = state.copy()
            state.enter(node)
            found = self._branches[node.structure] = Course(state, self, node)
        return found


@attrs.frozen(eq=False)
class World:
    """One outcome of all coins: where each party ended, and the course that messages took."""

    probability: Fraction
    nodes: tuple[Node, ...]
    course: Course


class Worlds:
    """The trees of a protocol's parties, kept from one set of inputs to the next.

    With `numbers`, field coins are played out too, and nothing is unknown.
    """

    def __init__(self, protocol: Any, numbers: bool = False) -> None:
        self.protocol = protocol
        self.numbers = numbers
        self.roster = Roster(protocol.parties())
        for crowd in sorted(self.roster.crowds):
            raise BadInput(
                f"{self.roster.names[crowd]} is a crowd of "
                f"{self.roster.seats[crowd].size:,}, and only single parties "
                "can be played out: seat its members one by one, as population=actors does"
            )
        self._trees: dict[tuple[int, Any], Tree] = {}
        self._structures: dict[Hashable, int] = {}
        self._start = Course(State(len(self.roster)))

    def of(
        self,
        inputs: Mapping[str, Any] | Sequence[Any],
        limit: int = LIMIT,
        progress: Callable[[float], None] = lambda _: None,
    ) -> list[World]:
        """Every world on these inputs. `progress` is told the probability covered since it was last
        called.

        Raises `BadInput` above the limit, and whatever the scripts raise.
        """
        self._refuse_unplayable(inputs)
        with seldom_collected():
            return self._all(self._planted(inputs), limit, progress)

    def _refuse_unplayable(self, inputs: Mapping[str, Any] | Sequence[Any]) -> None:
        """Refuse whatever a run refuses, and a script that does not do the same twice."""
        first, second = (
            run(self.protocol, self.named(inputs), 0, observe=self.roster.names) for _ in range(2)
        )
        compare_runs(first, second)

    def _all(
        self, trees: Sequence[Tree], limit: int, progress: Callable[[float], None]
    ) -> list[World]:
        worlds: list[World] = []
        covered = Fraction(0)
        for world in self._walk(trees):
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

    def named(self, inputs: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
        """The inputs by party. Raises `BadInput` when they do not fit."""
        return inputs_by_name(inputs, self.roster)

    def _planted(self, inputs: Mapping[str, Any] | Sequence[Any]) -> list[Tree]:
        held = self.named(inputs)
        trees = []
        for number, name in enumerate(self.roster.names):
            own = (held[name],) if self.roster.seats[number].role in self.roster.with_input else ()
            if (number, own) not in self._trees:
                self._trees[number, own] = Tree(
                    self.protocol, self.roster, number, own, self.numbers, self._structures
                )
            trees.append(self._trees[number, own])
        return trees

    def _walk(self, trees: Sequence[Tree]) -> Iterator[World]:
        roots = tuple(tree.root for tree in trees)
        stack = [(roots, self._start, Fraction(1))]
        while stack:
            nodes, course, probability = stack.pop()
            nodes, course, move = self._settled(list(nodes), course, trees)
            if move.kind == "done":
                yield World(probability, nodes, course)
                continue
            party = move.party
            event = nodes[party].event
            assert isinstance(event, Choice)
            for outcome, chance in reversed(event.outcomes):
                node = trees[party].toss(nodes[party], outcome)
                branch = (*nodes[:party], node, *nodes[party + 1 :])
                stack.append((branch, course.branch(node), probability * chance))

    def _settled(
        self, nodes: list[Node], course: Course, trees: Sequence[Tree]
    ) -> tuple[tuple[Node, ...], Course, Move]:
        """Let everybody go on until a coin is to be tossed or all are done."""
        while True:
            move = course.move or course.decided(nodes, self._decide)
            if move.kind == "give":
                node = nodes[move.party]
                after = node.moves.get(id(move))  # keys hold contents, and take longer to look up
                if after is None:
                    after = node.moves[id(move)] = trees[move.party].give(
                        node, move.key, move.letters
                    )
                nodes[move.party] = after
            elif move.kind != "start":
                return tuple(nodes), course, move
            course = course.branch(nodes[move.party])

    def _decide(self, state: State, nodes: Sequence[Node]) -> Move:
        """As in a run by the fixed schedule: who has started goes on before the next one starts."""
        started = nodes[: state.started]
        tossing = next((node.party for node in started if isinstance(node.event, Choice)), None)
        if tossing is not None:
            return Move("toss", tossing)
        if len(started) < len(nodes):
            return Move("start", len(started))
        for node in nodes:
            groups = (
                _available(state, node.party, node.event) if isinstance(node.event, Ask) else None
            )
            if groups is not None:
                assert isinstance(node.event, Ask)
                letters = [tuple(letter for _, letter in group) for group in groups]
                first = letters[0][0].sender if node.event.kind == "any" else None
                keys = [
                    tuple(letter.key for letter in group) if self.numbers else group[0].key
                    for group in letters
                ]
                return Move("give", node.party, (first, *keys), tuple(map(tuple, groups)))
        waiting = [self.roster.names[node.party] for node in nodes if node.event is not None]
        if waiting:
            raise Stall(f"the run cannot go on: {waiting[0]} waits for messages that nobody sends")
        return Move("done")


def _available(state: State, party: int, ask: Ask) -> list[list[Posted]] | None:
    """What a party waits for, for each thing one letter or those of a sum; None if it is not all
    there.
    """
    if ask.kind == "sum":
        return _sums(state, party, ask)
    waiting = list(state.boxes.get((party, ask.tag, None, False), ()))
    taken = []
    for sender in ask.senders if ask.senders is not None else (None,):
        place = next(
            (at for at, (_, letter) in enumerate(waiting) if sender in (None, letter.sender)), None
        )
        if place is None:
            return None
        taken.append([waiting.pop(place)])
    return taken


def _sums(state: State, party: int, ask: Ask) -> list[list[Posted]] | None:
    """For each key the first message of each sender: of those named, or of as many as are
    counted.
    """
    groups = []
    for key, count in zip(ask.keys, ask.counts, strict=True):
        firsts: dict[int, Posted] = {}
        for posted in state.boxes.get((party, ask.tag, key, True), ()):
            firsts.setdefault(posted[1].sender, posted)
        if ask.senders is not None:
            firsts = {sender: firsts[sender] for sender in ask.senders if sender in firsts}
        if len(firsts) < count:
            return None
        groups.append(list(firsts.values()))
    return groups
