"""From the outline of a run to tables: who is alike, and which system a coalition sees.

Theory of operation
-------------------

1. *Parts.* Labels of messages, and places of secrets, are joined if one relation, or one row of
   the ideal output, contains both. Labels and places that are joined, directly or through others,
   form a *part* of the run. No relation reaches over two parts, so each part is a system of its own
   (`Component`). The items of a run are often parts: the protocol TSS treats every item by itself.
2. *Classes.* In a part two parties are in one class if they play one role, are both corrupt or both
   honest, and have secrets at the same places. They must also send and receive the same numbers of
   messages under each label, to and from parties of the same classes. A party that is *named*
   (`lift`) is a class of its own. No choice of classes can make a verdict wrong, because the next
   step checks the classes.
3. *Types.* The messages of a label from one class to another are a type, with the word (class of
   the sender, class of the recipient). Messages of a party to itself, and published messages, are
   types with the word (class of the sender). For honest senders two things are checked, and
   `NotAlike` is raised where they fail. A type is *full*: there is exactly one message for each way
   to choose different parties of the classes in its word. And its messages are *alike*: all of them
   are independent, or all have the same relation, up to exchanging parties.
4. *Tables.* The independent messages of honest parties are the variables. Each other message is
   expressed by variables and secrets, by products of tables. `NotAlike` is raised if messages are
   expressed by each other in a circle. The coalition sees the messages that honest parties send to
   its members or publish to them. Each tie is one more row that the coalition sees: a combination
   whose value is 0.

What corrupt parties know is left out: their messages follow from what they received and drew.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

import attrs
import numpy as np

from simnet.adversary.orbits.outline import Outline, SecretPlace
from simnet.adversary.orbits.rows import NotAlike, Part, Relation, Sent
from simnet.adversary.orbits.solving import RowType, SymmetricSystem
from simnet.adversary.orbits.tables import Matching, Orbits, Table, Word
from simnet.arrays import Ints

Label = tuple[object, ...]
Node = Label | SecretPlace
# One term of a relation as it looks for all parties that are alike.
AlikePart = tuple[object, ...]
Shape = tuple[tuple[AlikePart, int], ...]

# A row that the ideal world hands out: to whom, its place among the rows to this party, and its
# coefficients, as in `Outline.handed`.
HandedRow = tuple[str, int, Mapping[tuple[int, int, int], int]]

MOST_CLASSES = 12


@attrs.frozen(eq=False)
class Component:
    """One part of a run as a coalition sees it: a system, and what it stands for.

    `members` has the numbers of the parties of each class. `secrets` has, for each type of secrets
    in the system, the place of the secret that it stands for.
    """

    system: SymmetricSystem
    members: Mapping[str, Sequence[int]]
    secrets: Sequence[SecretPlace]


class Structure:
    """The labels and secrets of an outline, joined to parts. `components` yields the systems that a
    coalition sees.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._sizes = len(outline.run.roster)
        self.relations: dict[tuple[int, int], list[Relation]] = defaultdict(list)
        self._joined: dict[Node, Node] = {}
        self._senders: dict[Label, list[tuple[int, int]]] = defaultdict(list)
        self._secrets: dict[SecretPlace, set[int]] = defaultdict(set)
        # The rows of the ideal output, and the first secret in each: who gets the row, its place
        # among this party's rows, and the row.
        self._handed: list[tuple[Node, HandedRow]] = []
        for party, book in outline.books.items():
            for number, sent in enumerate(book.sent):
                self._join(sent.label, _of_sum(sent.label))
                self._senders[sent.label].append((party, number))
            for relation in book.relations:
                self.relations[party, relation.block].append(relation)
                home: Node = book.sent[relation.block].label
                for part in relation.terms:
                    self._join(home, self._node(party, part))
        self._note_ideal()

    def _node(self, party: int, part: Part) -> Node:
        kind, number, _ = part
        if kind == "received":
            return self._received_label(party, number)
        if kind == "secret":
            owner, secret, place = self.outline.secret(number)
            node = SecretPlace(secret, place)
            self._secrets[node].add(owner)
            return node
        return self.outline.books[party].sent[number].label

    def _received_label(self, party: int, unknown: int) -> Label:
        """The label of the message, or of the sum of messages, that a received unknown stands for.
        Raises `NotAlike` if this party did not receive the message or sum.
        """
        received = self.outline.received(unknown)
        if received.sender is None:
            if received.recipient != party:
                raise NotAlike("a party uses a sum that another party received")
            return received.label
        block = self.outline.books[received.sender].sent[received.block]
        if block.is_published:
            if party not in block.recipients:
                raise NotAlike("a party uses a message that was not sent to it")
        elif int(block.recipients[received.row]) != party:
            raise NotAlike("a party uses a message that was not sent to it")
        return block.label

    def _note_ideal(self) -> None:
        for name, rows in self.outline.handed.items():
            for at, row in enumerate(rows):
                nodes = []
                for party, number, place in row:
                    node = SecretPlace(number, place)
                    self._secrets[node].add(party)
                    nodes.append(node)
                for node in nodes[1:]:
                    self._join(nodes[0], node)
                if nodes:
                    self._handed.append((nodes[0], (name, at, row)))

    def _find(self, node: Node) -> Node:
        path = []
        while (above := self._joined.setdefault(node, node)) != node:
            path.append(node)
            node = above
        for each in path:
            self._joined[each] = node
        return node

    def _join(self, one: Node, other: Node) -> None:
        first, second = self._find(one), self._find(other)
        if first != second:
            self._joined[first] = second

    @functools.cached_property
    def _parts(self) -> "Sequence[_Part]":
        together: dict[Node, list[Node]] = defaultdict(list)
        for node in list(self._joined):
            together[self._find(node)].append(node)
        handed: dict[Node, list[HandedRow]] = defaultdict(list)
        for node, handed_row in self._handed:
            if node in self._joined:
                handed[self._find(node)].append(handed_row)
        found = []
        for root, nodes in together.items():
            labels = [node for node in nodes if not isinstance(node, SecretPlace)]
            secrets = [node for node in nodes if isinstance(node, SecretPlace)]
            found.append(
                _Part(
                    {label: self._senders[label] for label in labels},
                    {node: self._secrets[node] for node in secrets},
                    handed[root],
                )
            )
        return found

    @property
    def parts(self) -> int:
        """The number of parts of the run: no relation reaches over two parts."""
        return len(self._parts)

    def labels(self, part: int) -> list[str]:
        """The labels of a part's messages, for people, in order."""
        return sorted({_text(label) for label in self._parts[part].senders})

    def received_labels(self, part: int, party: int) -> list[str]:
        """The labels of the messages of a part that a party receives from others, in order."""
        found = set()
        for label, senders in self._parts[part].senders.items():
            groups = {}
            for sender, number in senders:
                if sender != party:
                    group = self.outline.books[sender].sent[number].recipients
                    groups[id(group)] = group  # many senders have the same group
            if any(bool(np.any(group == party)) for group in groups.values()):
                found.add(_text(label))
        return sorted(found)

    def components(
        self,
        corrupt: frozenset[int],
        named: frozenset[int] = frozenset(),
        part: int | None = None,
    ) -> Iterator[Component]:
        """Yield the systems in which honest parties have secrets, as the coalition sees them. Each
        party in `named` is a class of its own. With `part`, yield the system of this part alone.

        Raises `NotAlike` if the parties of a run are not alike.
        """
        for chosen in self._parts if part is None else [self._parts[part]]:
            builder = _Builder(self, corrupt, named, chosen)
            if builder.has_honest_secrets:
                yield builder.component()

    def alike(self, part: int, named: frozenset[int]) -> Component | None:
        """The classes of a part of the run if nobody is corrupt, or None if the part contains no
        secrets. Each party in `named` is a class of its own.

        Members of a class can be exchanged in the whole part: the messages and their relations stay
        the same. So this holds for every coalition, while the classes that `components` yields are
        those of one coalition. Raises `NotAlike` if the parties are not alike.
        """
        builder = _Builder(self, frozenset(), named, self._parts[part])
        if not builder.has_honest_secrets:
            return None
        builder.check_published()
        return builder.component()


@attrs.frozen(eq=False)
class _Part:
    """A part of the run. `senders` has, for each label, the parties that send under it, each with
    the number of its block. `secrets` has the parties that have a secret at each place, and
    `handed` the rows of the ideal output.
    """

    senders: Mapping[Label, Sequence[tuple[int, int]]]
    secrets: Mapping[SecretPlace, set[int]]
    handed: Sequence[HandedRow]


class _Builder:
    def __init__(
        self,
        structure: Structure,
        corrupt: frozenset[int],
        named: frozenset[int],
        part: _Part,
    ) -> None:
        self._structure = structure
        self._outline = structure.outline
        self._corrupt = corrupt
        self._named = named
        self._senders = dict(sorted(part.senders.items(), key=lambda item: str(item[0])))
        self._secrets = dict(sorted(part.secrets.items(), key=lambda item: str(item[0])))
        self._handed: dict[str, list[HandedRow]] = defaultdict(list)
        for handed_row in part.handed:
            self._handed[handed_row[0]].append(handed_row)
        # By identity of a group: how many members are in each class, and the set of all members.
        self.single: int | None = None  # a party whose messages relations treat as its class's
        self._bins: dict[int, tuple[Ints, Ints]] = {}
        self._sets: dict[int, tuple[Ints, frozenset[int]]] = {}
        self._of, self._names = self._classes()
        self.sizes = {
            name: int(count)
            for name, count in zip(self._names, np.bincount(self._of[self._of >= 0]), strict=True)
        }
        self._orbits = Orbits(self.sizes, self._outline.modulus)

    @property
    def has_honest_secrets(self) -> bool:
        return any(owners - self._corrupt for owners in self._secrets.values())

    # Classes.

    def _present(self) -> set[int]:
        found: set[int] = set()
        groups: dict[int, Ints] = {}
        for senders in self._senders.values():
            for party, number in senders:
                found.add(party)
                group = self._sent(party, number).recipients
                groups[id(group)] = group
        for group in groups.values():
            found.update(group.tolist())
        for owners in self._secrets.values():
            found |= owners
        return found

    def _sent(self, party: int, number: int) -> Sent:
        return self._outline.books[party].sent[number]

    def _classes(self) -> tuple[Ints, list[str]]:
        """The class of each party (-1 for parties that do not occur in the part), and the names of
        the classes. Raises `NotAlike` if there are too many classes.
        """
        roster = self._outline.run.roster
        present = sorted(self._present())
        owned: dict[int, list[SecretPlace]] = {party: [] for party in present}
        for node, owners in self._secrets.items():
            for party in owners:
                owned[party].append(node)
        keys: dict[int, Hashable] = {
            party: (
                roster.seats[party].role,
                party in self._corrupt,
                party if party in self._named else -1,
                tuple(owned[party]),
            )
            for party in present
        }
        classes = -np.ones(len(roster), dtype=np.int64)
        count = 0
        while True:
            numbers: dict[Hashable, int] = {}
            for party in present:
                classes[party] = numbers.setdefault(keys[party], len(numbers))
            if len(numbers) > MOST_CLASSES:
                raise NotAlike("the parties of this run are of too many different kinds")
            if len(numbers) == count:
                break
            count = len(numbers)
            links = self._links(classes, count)
            keys = {party: (keys[party], links[party].tobytes()) for party in present}
        names = [self._class_name(number, classes) for number in range(count)]
        return classes, names

    def _links(self, classes: Ints, count: int) -> Ints:
        """How many messages each party sends to each class and to itself, and receives from each
        class, label by label. The array has a row for each party.
        """
        parties = len(classes)
        columns = []
        for senders in self._senders.values():
            sent = np.zeros((parties, count + 1), dtype=np.int64)
            received = np.zeros((parties, count), dtype=np.int64)
            by_group: dict[int, tuple[Ints, list[int]]] = {}
            for party, number in senders:
                group = self._sent(party, number).recipients
                by_group.setdefault(id(group), (group, []))[1].append(party)
            for group, members in by_group.values():
                to = np.bincount(classes[group], minlength=count)
                inside = np.zeros(parties, dtype=np.bool_)
                inside[group] = True
                who = np.array(members)
                np.add.at(sent, who, np.concatenate([to, [0]]))
                own = who[inside[who]]
                # A message to itself is counted apart.
                np.add.at(sent, (own, classes[own]), -1)
                np.add.at(sent, (own, np.full(len(own), count)), 1)
                received[group] += np.bincount(classes[who], minlength=count)
                np.add.at(received, (own, classes[own]), -1)
            columns += [sent, received]
        return np.concatenate(columns, axis=1) if columns else np.zeros((parties, 0), np.int64)

    def _class_name(self, number: int, classes: Ints) -> str:
        members = np.flatnonzero(classes == number)
        roster = self._outline.run.roster
        first = int(members[0])
        if len(members) == 1:
            return roster.names[first]
        kind = "corrupt" if first in self._corrupt else "honest"
        name = f"{kind} {roster.seats[first].role}s, kind {number + 1}"
        # A party may have this name. Then a class of this party alone would be the same class.
        while name in roster.names:
            name += "*"
        return name

    def _class(self, party: int) -> str:
        return self._names[int(self._of[party])]

    # Types.

    def component(self) -> Component:
        types = self._types()
        tables = _Tables(self, types)
        return Component(
            tables.system(),
            {
                name: np.flatnonzero(self._of == number).tolist()
                for number, name in enumerate(self._names)
            },
            [node for node, _ in tables.secrets],
        )

    def _types(self) -> dict[tuple[Label, Word], Shape | None]:
        """The types of messages of honest senders, each with its relation: None if the messages are
        independent.

        Raises `NotAlike` for a type that is not full, or whose messages differ.
        """
        counts: Counter[tuple[Label, Word]] = Counter()
        shapes: dict[tuple[Label, Word], Counter[Shape | None]] = defaultdict(Counter)
        for label, senders in self._senders.items():
            published = {self._sent(*each).is_published for each in senders}
            if len(published) > 1:
                raise NotAlike("some parties publish what others send one by one")
            for party, number in senders:
                if party not in self._corrupt:
                    self._count(label, party, number, counts, shapes)
        types: dict[tuple[Label, Word], Shape | None] = {}
        for key, count in counts.items():
            label, word = key
            room = 1
            for place, name in enumerate(word):
                room *= self.sizes[name] - word[:place].count(name)
            if count != room:
                raise NotAlike(
                    f"of {room:,} messages under {_text(label)} that alike parties would send, "
                    f"{count:,} were sent"
                )
            related = shapes.get(key, Counter())
            if related and (len(related) > 1 or sum(related.values()) != count):
                raise NotAlike("alike parties compute messages in different ways", self.single)
            types[key] = next(iter(related), None)
        return types

    def _count(
        self,
        label: Label,
        party: int,
        number: int,
        counts: Counter[tuple[Label, Word]],
        shapes: dict[tuple[Label, Word], Counter[Shape | None]],
    ) -> None:
        sent = self._sent(party, number)
        own = self._class(party)
        if sent.is_published:
            counts[label, (own,)] += 1
        else:
            to = self._to_classes(sent.recipients)
            has_itself = self._is_member(sent.recipients, party)
            for place, name in enumerate(self._names):
                count = int(to[place]) - (has_itself and name == own)
                if count:
                    counts[label, (own, name)] += count
            if has_itself:
                counts[label, (own,)] += 1
        for relation in self._structure.relations.get((party, number), ()):
            if not relation.is_tie:
                word: Word = (own,)
                if not sent.is_published:
                    recipient = int(sent.recipients[relation.row])
                    word = (own,) if recipient == party else (own, self._class(recipient))
                shapes[label, word][self.shape(party, relation)] += 1

    def _to_classes(self, group: Ints) -> Ints:
        """How many members of a group are in each class. Raises `NotAlike` for repeated members."""
        found = self._bins.get(id(group))
        if found is None:
            if len(np.unique(group)) != len(group):
                raise NotAlike("a party sends several messages of one kind to a recipient")
            binned = np.bincount(self._of[group], minlength=len(self._names))
            found = self._bins[id(group)] = group, binned
        return found[1]

    def _is_member(self, group: Ints, party: int) -> bool:
        found = self._sets.get(id(group))
        if found is None:
            found = self._sets[id(group)] = group, frozenset(group.tolist())
        return party in found[1]

    # Relations.

    def shape(self, party: int, relation: Relation) -> Shape:
        """A relation as it looks for all alike parties: the parties in it are named by what they
        are to the row, such as its sender or its recipient.

        Ties are scaled, so that their first coefficient is 1.
        """
        sent = self._sent(party, relation.block)
        recipient = None
        if not (sent.is_published or relation.is_tie):
            recipient = int(sent.recipients[relation.row])
        found: Counter[AlikePart] = Counter()
        # Messages from or to others: what the message is -> the other party -> coefficient.
        single: dict[AlikePart, Counter[int]] = defaultdict(Counter)
        for part, value in relation.terms.items():
            alike, other = self._alike(party, part)
            if other is None:
                found[alike] += value
            elif part[0] != "received" or other not in self._corrupt:
                single[alike][other] += value
        for alike, values in single.items():
            for role, value in self._roles(party, recipient, alike, values).items():
                found[(*alike, role)] += value
        q = self._outline.modulus
        shape = sorted(((part, value % q) for part, value in found.items() if value % q), key=str)
        if relation.is_tie and shape:
            unit = pow(shape[0][1], -1, q)
            shape = [(part, value * unit % q) for part, value in shape]
        return tuple(shape)

    def _alike(self, party: int, part: Part) -> tuple[AlikePart, int | None]:
        """What one term of a relation is for all alike parties, and the other party if it is a
        single message from or to a party.
        """
        kind, number, row = part
        if kind == "secret":
            owner, secret, place = self._outline.secret(number)
            assert owner == party
            return ("secret", SecretPlace(secret, place)), None
        if kind == "received":
            received = self._outline.received(number)
            if received.sender is None:
                return ("sum", received.label), None
            label = self._sent(received.sender, received.block).label
            return ("message", label), received.sender
        block = self._sent(party, number)
        if kind == "sent":
            return ("all", block.label), None
        if block.is_published:
            return ("one", block.label, None), None
        return ("one", block.label), int(block.recipients[row])

    def _roles(
        self, party: int, recipient: int | None, alike: AlikePart, values: Mapping[int, int]
    ) -> dict[str, int]:
        """The coefficients of single messages, by what the other party is to the row: the sender
        itself, the recipient of the row, or each party of a class.

        Raises `NotAlike` if only some of the other parties of a class occur, or with different
        coefficients.
        """
        direction, label = alike
        assert isinstance(label, tuple)
        # A message that a party sends to itself is not among those of its class.
        of_all = direction == "message" and self.is_published(label)
        apart = {"itself": party}
        if recipient is not None and recipient != party:
            apart["the recipient"] = recipient
        found = {role: values[each] for role, each in apart.items() if each in values}
        by_class: dict[str, dict[int, int]] = defaultdict(dict)
        for other in values.keys() - apart.values():
            by_class[self._class(other)][other] = values[other]
        for name, others in by_class.items():
            within = [role for role, each in apart.items() if self._class(each) == name]
            if len(others) != self.sizes[name] - len(within) or len(set(others.values())) > 1:
                raise NotAlike(
                    "a message is computed from single messages from or to some of several alike "
                    "parties",
                    next(iter(others)),
                )
            if self.sizes[name] > 1 and self.single is None:
                self.single = next(iter(others))
            value = found[f"class {name}"] = next(iter(others.values()))
            for role in within:
                if role != "itself" or of_all:
                    found[role] = found.get(role, 0) - value
        return found

    def ties(self) -> dict[tuple[str, Label, int], Shape]:
        """The ties of honest parties: one for each class, label, and number of the tie.

        Raises `NotAlike` if alike parties have different ties.
        """
        found: dict[tuple[str, Label, int], Counter[Shape]] = defaultdict(Counter)
        for label, senders in self._senders.items():
            for party, number in senders:
                if party in self._corrupt:
                    continue
                ties = [
                    self.shape(party, relation)
                    for relation in self._structure.relations.get((party, number), ())
                    if relation.is_tie
                ]
                for place, shape in enumerate(sorted(ties, key=str)):
                    found[self._class(party), label, place][shape] += 1
        for (name, _, _), shapes in found.items():
            if len(shapes) > 1 or sum(shapes.values()) != self.sizes[name]:
                raise NotAlike(
                    "the messages of alike parties are tied by different relations", self.single
                )
        return {key: next(iter(shapes)) for key, shapes in found.items()}

    # What the tables need.

    @property
    def modulus(self) -> int:
        return self._outline.modulus

    @property
    def orbits(self) -> Orbits:
        return self._orbits

    def is_corrupt(self, name: str) -> bool:
        number = self._names.index(name)
        return int(np.flatnonzero(self._of == number)[0]) in self._corrupt

    def class_of(self, party: int) -> str:
        return self._class(party)

    def owner_classes(self) -> Iterator[tuple[SecretPlace, str]]:
        """The secrets of honest parties, each with one class of its owners.

        Raises `NotAlike` if only some parties of a class have the secret.
        """
        for node, owners in self._secrets.items():
            by_class = Counter(self._class(party) for party in owners)
            for name, count in sorted(by_class.items()):
                if count != self.sizes[name]:
                    raise NotAlike("only some of several alike parties have a secret")
                if not self.is_corrupt(name):
                    yield node, name

    def published_to(self, label: Label, name: str) -> bool:
        """Whether a member of the coalition receives what a class publishes under a label.

        Raises `NotAlike` if this differs between parties of the class.
        """
        seen = {
            any(int(to) in self._corrupt for to in self._sent(party, number).recipients)
            for party, number in self._senders[label]
            if self._class(party) == name
        }
        if len(seen) > 1:
            raise NotAlike("alike parties publish to different recipients")
        return seen.pop()

    def check_published(self) -> None:
        """Raise `NotAlike` unless whatever is published goes to all other members of a class, or to
        none.

        `component` counts a published message once, whoever receives it. So the messages could be
        as many as they should be, although a party publishes to its neighbours alone.
        """
        for label, senders in self._senders.items():
            for party, number in senders:
                sent = self._sent(party, number)
                if not sent.is_published:
                    continue
                to = self._to_classes(sent.recipients)
                has_itself = self._is_member(sent.recipients, party)
                for place, name in enumerate(self._names):
                    is_own = name == self._class(party)
                    count = int(to[place]) - (has_itself and is_own)
                    if count not in (0, self.sizes[name] - is_own):
                        raise NotAlike(
                            f"a party publishes under {_text(label)} to some of several alike "
                            "parties"
                        )

    def is_published(self, label: Label) -> bool:
        return self._sent(*self._senders[label][0]).is_published

    def handed_rows(self) -> Iterator[tuple[str, Mapping[tuple[SecretPlace, str], int]]]:
        """The rows of the ideal output to the coalition: a label, and coefficients by secret and
        class of the owner.

        Raises `NotAlike` if alike parties have different coefficients.
        """
        names = self._outline.run.roster.names
        listed: set[frozenset[tuple[tuple[SecretPlace, str], int]]] = set()
        for party in sorted(self._corrupt):
            for _, place, row in self._handed.get(names[party], ()):
                found: dict[tuple[SecretPlace, str], Counter[int]] = defaultdict(Counter)
                for (owner, number, at), value in row.items():
                    node = SecretPlace(number, at)
                    if node in self._secrets and owner not in self._corrupt:
                        found[node, self._class(owner)][value % self.modulus] += 1
                coefficients = {}
                for (node, name), values in found.items():
                    if len(values) > 1 or sum(values.values()) != self.sizes[name]:
                        raise NotAlike("the ideal output treats alike parties differently")
                    coefficients[node, name] = next(iter(values))
                content = frozenset(coefficients.items())
                if content and content not in listed:
                    listed.add(content)
                    yield f"output {place + 1} of {names[party]}", coefficients


class _Tables:
    def __init__(self, builder: _Builder, types: Mapping[tuple[Label, Word], Shape | None]) -> None:
        self._builder = builder
        self._orbits = builder.orbits
        self._shapes = types
        self.variables = [key for key, shape in types.items() if shape is None]
        self.derived = [key for key, shape in types.items() if shape is not None]
        self.secrets = list(builder.owner_classes())
        self._words_v = [word for _, word in self.variables]
        self._words_s: list[Word] = [(name,) for _, name in self.secrets]
        # For each derived type: its row in terms of variables, and of secrets, as tables with one
        # row type.
        self._resolved: dict[tuple[Label, Word], tuple[Table, Table]] = {}
        self._open: set[tuple[Label, Word]] = set()

    def system(self) -> SymmetricSystem:
        rows: list[RowType] = []
        seen: Table = {}
        told: Table = {}

        def add(label: str, word: Word, of_variables: Table, of_secrets: Table) -> None:
            place = len(rows)
            rows.append(RowType(label, word))
            seen.update({(place, c, m): value for (_, c, m), value in of_variables.items()})
            told.update({(place, c, m): value for (_, c, m), value in of_secrets.items()})

        for key in self._shapes:
            label, word = key
            # Rows that nobody sees are expressed, too. If some rows were computed from each other
            # in a circle, the variables would not be free.
            expressed = self._row(key)
            if self._is_seen(label, word):
                add(_text(label), word, *expressed)
        for (name, label, _), shape in self._builder.ties().items():
            add(f"tie of {_text(label)}", (name,), *self._expressed(shape, (name,)))
        ideal: list[RowType] = []
        handed: Table = {}
        for text, coefficients in self._builder.handed_rows():
            place = len(ideal)
            ideal.append(RowType(text, ()))
            for secret, value in coefficients.items():
                handed[place, self.secrets.index(secret), ()] = value
        return SymmetricSystem(
            modulus=self._builder.modulus,
            sizes=self._builder.sizes,
            rows=rows,
            variables=[RowType(_text(label), word) for label, word in self.variables],
            secrets=[RowType(secret_in_words(node), (name,)) for node, name in self.secrets],
            ideal=ideal,
            seen=seen,
            told=told,
            handed=handed,
        )

    def _is_seen(self, label: Label, word: Word) -> bool:
        if self._builder.is_published(label):
            return self._builder.published_to(label, word[0])
        return len(word) == 2 and self._builder.is_corrupt(word[1])

    def _row(self, key: tuple[Label, Word]) -> tuple[Table, Table]:
        """A message in terms of variables and of secrets: two tables with one row type."""
        shape = self._shapes[key]
        word = key[1]
        if shape is None:
            diagonal = tuple((at, at) for at in range(len(word)))
            return {(0, self.variables.index(key), diagonal): 1}, {}
        found = self._resolved.get(key)
        if found is None:
            if key in self._open:
                raise NotAlike(
                    "the equations express messages by each other in a circle",
                    self._builder.single,
                )
            self._open.add(key)
            found = self._resolved[key] = self._expressed(shape, word)
            self._open.discard(key)
        return found

    def _expressed(self, shape: Shape, word: Word) -> tuple[Table, Table]:
        """A relation in terms of variables and secrets."""
        of_variables: Table = {}
        of_secrets: Table = {}
        for part, value in shape:
            if part[0] == "secret":
                assert isinstance(part[1], SecretPlace)
                column = self.secrets.index((part[1], word[0]))
                for matching in self._alike_matchings(word, (word[0],), {0: 0}):
                    entry = 0, column, matching
                    of_secrets = self._orbits.added(of_secrets, {entry: value})
                continue
            for target, fixed in self._targets(part, word):
                matchings = self._alike_matchings(word, target[1], fixed)
                variables, secrets = self._row(target)
                for matching in matchings:
                    pick: Table = {(0, 0, matching): value}
                    more_v = self._orbits.product(
                        pick, variables, [word], [target[1]], self._words_v
                    )
                    more_s = self._orbits.product(pick, secrets, [word], [target[1]], self._words_s)
                    of_variables = self._orbits.added(of_variables, more_v)
                    of_secrets = self._orbits.added(of_secrets, more_s)
        return of_variables, of_secrets

    def _targets(
        self, part: AlikePart, word: Word
    ) -> Iterator[tuple[tuple[Label, Word], dict[int, int]]]:
        """The types of the messages that one term of a relation names.

        Each comes with the places that must be matched: place in the message's word -> place in the
        row's word.
        """
        for key in self._shapes:
            if part[0] == "sum":
                if _of_sum(key[0]) == part[1]:
                    yield from self._to_sum(key, word)
            elif key[0] != part[1]:
                continue
            elif part[0] == "message":
                yield from self._from_one(key, part[2], word)
            elif key[1][0] == word[0]:
                if part[0] == "all":
                    yield key, {0: 0}
                else:
                    yield from self._to_one(key, part[2], word)

    def _to_sum(
        self, key: tuple[Label, Word], word: Word
    ) -> Iterator[tuple[tuple[Label, Word], dict[int, int]]]:
        other = key[1]
        if len(other) == 1:
            if other == word[:1]:
                yield key, {0: 0}
        elif other[1] == word[0]:
            yield key, {1: 0}

    def _from_one(
        self, key: tuple[Label, Word], role: object, word: Word
    ) -> Iterator[tuple[tuple[Label, Word], dict[int, int]]]:
        other = key[1]
        is_published = self._builder.is_published(key[0])
        if role == "itself":
            if len(other) == 1 and other[0] == word[0]:
                yield key, {0: 0}
            return
        if not is_published and (len(other) < 2 or other[1] != word[0]):
            return
        to_self = {} if is_published else {1: 0}
        if role == "the recipient":
            if len(word) == 2 and other[0] == word[1]:
                yield key, {0: 1, **to_self}
        elif role == f"class {other[0]}":
            yield key, to_self

    def _to_one(
        self, key: tuple[Label, Word], role: object, word: Word
    ) -> Iterator[tuple[tuple[Label, Word], dict[int, int]]]:
        other = key[1]
        if role in (None, "itself"):
            if len(other) == 1:
                yield key, {0: 0}
        elif len(other) == 2:
            if role == "the recipient":
                if len(word) == 2 and other[1] == word[1]:
                    yield key, {0: 0, 1: 1}
            elif role == f"class {other[1]}":
                yield key, {0: 0}

    def _alike_matchings(self, row: Word, column: Word, fixed: Mapping[int, int]) -> list[Matching]:
        wanted = {(place, at) for at, place in fixed.items()}
        return [
            matching for matching in self._orbits.matchings(row, column) if wanted <= set(matching)
        ]


def _of_sum(label: Label) -> Label:
    """The label of the sums that the messages of a label go into, if they are summed: a party may
    send several messages that go into one sum.
    """
    return label if _is_kept(label) else label[:4]


def _is_kept(label: Label) -> bool:
    return isinstance(label[1], str)


def _text(label: Label) -> str:
    """The tag and the key of a message, and the other numbers in its label that are not 0."""
    # The label of a message that is not summed begins with "message" and has no key.
    tag, key, *numbers = (label[1], None, *label[2:]) if _is_kept(label) else label
    shown = [tag, *([] if key is None else [key]), *filter(None, numbers)]
    return " ".join(map(str, shown))


def secret_in_words(secret: SecretPlace, lanes: int = 1) -> str:
    """Name the elements of a secret that stand in one row with `lanes` lanes."""
    first, last = secret.place + 1, secret.place + lanes
    elements = f"element {first}" if first == last else f"elements {first} to {last}"
    return f"secret {secret.number + 1}, {elements}"
