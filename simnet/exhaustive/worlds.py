"""All worlds of a protocol on given inputs: one for every outcome of every coin, with its exact probability.

Worlds are walked through depth first, over the choices of all parties in a fixed order; what a party does in each of
them is looked up in its tree.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from simnet.errors import BadInput, Stall
from simnet.exhaustive.local import Ask
from simnet.exhaustive.node import Letter, Node, Tree
from simnet.exhaustive.tape import Choice
from simnet.kernel.protocol import script_of, takes_input
from simnet.kernel.run import inputs_by_name, seldom_collected
from simnet.record.message import Key
from simnet.roster import Roster

LIMIT = 1_000_000  # worlds

Box = tuple[int, str, Key, bool]  # recipient, tag, key, summed
Posted = tuple[int, Letter]  # with its round
Group = tuple[Letter, ...]
Step = tuple[int, Hashable, tuple[Group, ...]]  # a party is given letters, under the key of what it can tell of them


class Course:
    """How messages go, whatever the values of secrets: what has been posted, and what is still waiting.

    `linked` are, by party, the groups of letters behind the forms that it received. Joint histories that differ in
    values alone share their course, so it is worked out once.
    """

    def __init__(self, parties: int) -> None:
        self.boxes: dict[Box, tuple[Posted, ...]] = {}
        self.posted: list[Posted] = []
        self.depths = [0] * parties
        self.linked: dict[int, tuple[Group, ...]] = {}
        self.steps: list[Step] | None = None  # what happens next, until a coin is to be tossed or all are done,
        self.after: Course = self  # where that leads,
        self.tossing: int | None = None  # and who tosses the coin
        self.branches: dict[int, Course] = {}  # by the structure of that party's node after the coin

    def copy(self) -> "Course":
        """The same, to go on from."""
        twin = Course(0)
        twin.boxes, twin.posted = dict(self.boxes), list(self.posted)
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

    def branch(self, node: Node) -> "Course":
        """The course after a coin has led its party to this node."""
        found = self.branches.get(node.structure)
        if found is None:
            found = self.branches[node.structure] = self.copy()
            found.enter(node)
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
        self._scripts = {role: script_of(protocol, role) for role in self.roster.roles}
        self._trees: dict[tuple[int, Any], Tree] = {}
        self._structures: dict[Hashable, int] = {}
        self._starts: dict[Hashable, Course] = {}

    def of(
        self, inputs: Mapping[str, Any] | Sequence[Any], limit: int = LIMIT,
        progress: Callable[[float], None] = lambda _: None,
    ) -> list[World]:  # fmt: skip
        """Every world on these inputs. `progress` is told the probability covered since it was last called.

        Raises `BadInput` above the limit, and whatever the scripts raise.
        """
        with seldom_collected():
            return self._all(self._planted(inputs), limit, progress)

    def _all(self, trees: Sequence[Tree], limit: int, progress: Callable[[float], None]) -> list[World]:
        worlds: list[World] = []
        covered = Fraction(0)
        for world in self._walk(trees):
            worlds.append(world)
            if len(worlds) > limit:
                share = float(covered) or float(world.probability)
                raise BadInput(
                    f"there are more than {limit:,} worlds to play out (about {limit / share:,.0f}): use fewer users, "
                    "items or coins, or raise the limit"
                )
            covered += world.probability
            progress(float(world.probability))
        return worlds

    def named(self, inputs: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
        """The inputs by party. Raises `BadInput` when they do not fit."""
        return inputs_by_name(self._scripts, inputs, self.roster)

    def _planted(self, inputs: Mapping[str, Any] | Sequence[Any]) -> list[Tree]:
        held = self.named(inputs)
        trees = []
        for number, name in enumerate(self.roster.names):
            own = (held[name],) if takes_input(self._scripts[self.roster.seats[number].role]) else ()
            if (number, own) not in self._trees:
                self._trees[number, own] = Tree(self.protocol, self.roster, number, own, self.numbers, self._structures)
            trees.append(self._trees[number, own])
        return trees

    def _walk(self, trees: Sequence[Tree]) -> Iterator[World]:
        roots = tuple(tree.root for tree in trees)
        start = self._starts.get(tuple(root.structure for root in roots))
        if start is None:
            start = self._starts[tuple(root.structure for root in roots)] = Course(len(trees))
            for root in roots:
                start.enter(root)
        stack = [(roots, start, Fraction(1))]
        while stack:
            nodes, course, probability = stack.pop()
            nodes, course = self._settled(list(nodes), course, trees)
            party = course.tossing
            if party is None:
                yield World(probability, nodes, course)
                continue
            event = nodes[party].event
            assert isinstance(event, Choice)
            for outcome, chance in reversed(event.outcomes):
                node = trees[party].toss(nodes[party], outcome)
                branch = (*nodes[:party], node, *nodes[party + 1 :])
                stack.append((branch, course.branch(node), probability * chance))

    def _settled(self, nodes: list[Node], course: Course, trees: Sequence[Tree]) -> tuple[tuple[Node, ...], Course]:
        """Let everybody go on as far as messages allow."""
        if course.steps is None:
            self._settle(list(nodes), course, trees)
        assert course.steps is not None
        for party, key, letters in course.steps:
            nodes[party] = trees[party].give(nodes[party], key, letters)
        return tuple(nodes), course.after

    def _settle(self, nodes: list[Node], course: Course, trees: Sequence[Tree]) -> None:
        """Work out what happens next on a course, on nodes that it fits."""
        after, steps = course.copy(), list[Step]()
        moved = True
        while moved and after.tossing is None:
            moved = False
            for party in range(len(nodes)):
                while (event := nodes[party].event) is not None:
                    groups = _available(after, party, event) if isinstance(event, Ask) else None
                    if groups is None:
                        break
                    step = self._step(after, nodes[party], groups)
                    nodes[party] = trees[party].give(nodes[party], step[1], step[2])
                    after.enter(nodes[party])
                    steps.append(step)
                    moved = True
                if isinstance(nodes[party].event, Choice):
                    after.tossing = party
                    break
        waiting = [self.roster.names[node.party] for node in nodes if node.event is not None]
        if waiting and after.tossing is None:
            raise Stall(f"the run cannot go on: {waiting[0]} waits for messages that nobody sends")
        after.steps = []
        course.after, course.steps = after, steps

    def _step(self, course: Course, node: Node, groups: list[list[Posted]]) -> Step:
        """What a party is given, taken note of."""
        party, event = node.party, node.event
        letters = tuple(tuple(letter for _, letter in group) for group in groups)
        foreign = [round_ for group in groups for round_, letter in group if letter.sender != party]
        course.depths[party] = max([course.depths[party], *foreign])
        assert isinstance(event, Ask)
        first = letters[0][0].sender if event.kind == "any" else None
        keys = [tuple(letter.key for letter in group) if self.numbers else group[0].key for group in letters]
        linked = [group for group in letters for _ in range(group[0].forms)]
        if linked:
            course.linked[party] = (*course.linked.get(party, ()), *linked)
        return party, (first, *keys), letters


def _available(course: Course, party: int, ask: Ask) -> list[list[Posted]] | None:
    """What a party waits for, out of its boxes, for each thing one letter or those of a sum; None if not there."""
    if ask.kind == "sum":
        return _sums(course, party, ask)
    box = party, ask.tag, None, False
    waiting = list(course.boxes.get(box, ()))
    taken = []
    for sender in ask.senders if ask.senders is not None else (None,):
        place = next((at for at, (_, letter) in enumerate(waiting) if sender in (None, letter.sender)), None)
        if place is None:
            return None
        taken.append([waiting.pop(place)])
    course.boxes[box] = tuple(waiting)
    return taken


def _sums(course: Course, party: int, ask: Ask) -> list[list[Posted]] | None:
    groups = []
    left: dict[Box, tuple[Posted, ...]] = {}
    for key, count in zip(ask.keys, ask.counts, strict=True):
        box = party, ask.tag, key, True
        waiting = list(left.get(box, course.boxes.get(box, ())))
        if ask.senders is None:
            if len(waiting) < count:
                return None
            groups.append(waiting[:count])
            left[box] = tuple(waiting[count:])
            continue
        group = []
        for sender in ask.senders:
            place = next((at for at, (_, letter) in enumerate(waiting) if letter.sender == sender), None)
            if place is None:
                return None
            group.append(waiting.pop(place))
        groups.append(group)
        left[box] = tuple(waiting)
    course.boxes.update(left)
    return groups
