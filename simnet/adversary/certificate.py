"""Certificates: a verdict as a file that others can check without trusting us.

`docs/reference/certificates.md` says what is in the file and what the file proves. This module
writes the file; `simnet.adversary.check` reads it.

Theory of operation
-------------------

A certificate lists the numbers that make two claims easy to check.

*At least L.* For each function of the basis of L the certificate gives weights. We multiply each
message that the coalition sees by its weight, add up the products, and subtract what the
coalition's own unknowns contribute. The result is this function.

*At most L.* The certificate gives a *shift*: what to add to which honest coins, in terms of honest
secrets. docs/proofs/shift-of-coins.md explains why this is a proof. If doors were given rows with
coins in them, or messages contain products of coins, a certificate of `nothing` or `output-only`
gives a list of *changes* instead: which coin is replaced by which row (`change_of_coins`).

Example: u2 sends only s + c to u1, and c is a coin of u2. Then L = 0, and the shift adds s to c: in
terms of c' = c + s the message is c', which tells nothing about s. If u2 also sends c, this message
is c' - s, and no shift removes s from both messages. Then s is in L, with the weights 1 and -1.

This is the certificate of the example. Unknowns are numbered in the order in which they occur: 0 is
s and 1 is c. The message's form is s + c, and the shift adds 1 times secret 0 to coin 1.

>>> from simnet import Field, Seat, Tag, constant, run, verdict
>>> F, NOTE = Field(11), Tag("note")
>>> class Masked:
...     def parties(self):
...         return {"u1": Seat(self.reader), "u2": Seat(self.user)}
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         await me.send(NOTE, "u1", mine + me.coins.field(F, (1,)))
...     async def reader(self, me):
...         await me.receive(NOTE, "u2", shape=(1,))
>>> certificate = certificate_of(verdict(run(Masked(), [5], seed=1), "u1"))
>>> (field,) = certificate["fields"]
>>> field["messages"][0]["rows"], field["learned"], field["shift"], field["ideal"]
([[0, [[0, 1], [1, 1]]]], [], [[1, [[0, 1]]]], [])
>>> [(family["kind"], family["holders"]) for family in certificate["families"]]
[('secret', ['u2']), ('coin', ['u2'])]
"""

import functools
import hashlib
import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

import attrs
import numpy as np

from simnet.adversary.attack import own_part, sorted_entries
from simnet.adversary.change_of_coins import ChangeOfCoins, DoorRows, Row
from simnet.adversary.check import VERSION, canonical_text
from simnet.adversary.coalition import NETWORK
from simnet.adversary.discrete import DiscreteView
from simnet.adversary.field_view import BlockForms, BoxesReceived
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.seed_proof import SeedProof, SeedRows
from simnet.adversary.verdict import Verdict
from simnet.closure import closure_of
from simnet.errors import SimnetError
from simnet.installed import DISTRIBUTION
from simnet.kernel.run import Run
from simnet.linear.span import Span
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.linear.vectors import Vector
from simnet.record.trace import NoCanonicalForm, canonical, trace_hash

MOST_TERMS = 20_000_000  # a term takes about 150 bytes while the certificate is written
Pairs = list[list[int]]  # a vector: pairs of place and coefficient, in ascending order of places
Json = dict[str, Any]


def certificate_of(
    verdict: Verdict,
    *,
    scenario: str | None = None,
    parameters: Mapping[str, object] | None = None,
    with_seed: bool = False,
) -> Json:
    """Return the certificate of a verdict as an object for JSON.

    `certificate_text` turns it into the text of a file. `scenario` and `parameters` say how the
    protocol was made, so that `simnet verify --check` can read the run again. `with_seed` adds the
    seeds and the digests of inputs and traces. Somebody who has the seeds can compute what messages
    hide.

    Raises `SimnetError` for an undecided verdict, for messages with more than about `MOST_TERMS`
    terms, for a run in which scripts waited with deadlines, and for the rare protocols whose seeds
    or products a certificate cannot list.

    >>> from simnet import Field, Tag, run, seats, verdict
    >>> F, NUMBER = Field(11), Tag("number")
    >>> class Tell:
    ...     def parties(self):
    ...         return seats("u", self.user, 2)
    ...     async def user(self, me, number):
    ...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
    ...         if me.name == "u1":
    ...             await me.send(NUMBER, "u2", mine)
    ...         else:
    ...             await me.receive(NUMBER, "u1", shape=(1,))
    >>> certificate = certificate_of(verdict(run(Tell(), [5, 7], seed=1), "u2"))
    >>> certificate["statement"], certificate["fields"][0]["learned"][0]["values"]
    ('leaks', [5])
    """
    if verdict.finding == "undecided":
        raise SimnetError("an undecided verdict has no certificate: it is a bound, not a proof")
    terms = sum(knowledge.view.size for knowledge in verdict.knowledge)
    if terms > MOST_TERMS:
        raise SimnetError(
            f"the messages that the coalition sees have up to {terms:,} terms when written "
            f"out, and a certificate lists at most {MOST_TERMS:,}: certify a run with fewer users"
        )
    if any(done.deadlines for done in verdict.runs):
        raise SimnetError(
            "a run with deadlines has no certificate: a certificate names no network, so it "
            "cannot say which deadlines passed"
        )
    protocol = verdict.runs[0].protocol
    change = _change(verdict)
    seeds = _seed_proof(verdict, change)
    families = _Families(verdict, seeds)
    fields = [
        _FieldWriter(verdict, knowledge, families, change, seeds).field()
        for knowledge in _knowledge(verdict, change, seeds)
    ]
    doors = [families.door(door) for door in change.doors] if change else []
    told = [families.number(each) for each in change.known_families] if change else []
    return {
        "format": "simnet certificate",
        "version": VERSION,
        "protocol": protocol_header(protocol, scenario, parameters),
        "runs": [_run(each, with_seed) for each in verdict.sampled_runs],
        "set": [*verdict.corrupt.parties, *[NETWORK] * verdict.corrupt.network],
        "statement": verdict.finding,
        "disclosed": _disclosed(verdict.discrete),
        "notes": list(verdict.notes),
        "reveals": _reveals(fields, verdict.discrete, with_seed),
        "written_out": _written_out(verdict, change),
        "families": families.listed,
        "doors": doors,
        "told": sorted(told),
        "seeds": seeds.keys if seeds else [],
        "public_keys": seeds.public_keys if seeds else [],
        "known": seeds.known if seeds else [],
        "closed": list(_closed(verdict, seeds)) if seeds else [],
        "fields": fields,
    }


def protocol_header(
    protocol: object, scenario: str | None, parameters: Mapping[str, object] | None
) -> Json:
    """What a certificate says of the protocol: its name, scenario, settings and source, and the
    version of simnet. Without `parameters`, the settings are the attributes of an attrs class, and
    empty for other classes.
    """
    settings = _attributes(protocol) if parameters is None else parameters
    return {
        "name": type(protocol).__name__,
        "scenario": scenario,
        "parameters": {name: _text(value) for name, value in settings.items()},
        "source": source_digest(type(protocol)),
        "simnet": _version(),
    }


def certificate_text(certificate: Json) -> str:
    r"""Return the text of a certificate's file, in the canonical form: equal certificates have
    equal texts.

    >>> certificate_text({"version": 4, "set": ["u1"]})
    '{"set":["u1"],"version":4}\n'
    """
    return canonical_text(certificate)


def source_digest(protocol: type) -> str | None:
    """A digest of the sources that a protocol is made from, without docstrings and comments.

    The sources are the protocol's module and the modules that `simnet.closure` finds among its
    imports, without simnet itself. Return None if the protocol has no source file.
    """
    file = getattr(sys.modules.get(protocol.__module__), "__file__", None)
    if file is None or not Path(file).is_file():
        return None
    path = Path(file).absolute()
    digest = hashlib.sha256()
    for place, source in closure_of((path,), path.parent).digests:
        if not place.startswith("simnet/"):
            digest.update(f"{place}\0".encode() + source)
    return digest.hexdigest()


def _change(verdict: Verdict) -> ChangeOfCoins | None:
    return None if verdict.finding in ("leaks", "no-shares") else verdict.bounds.change


def _seed_proof(verdict: Verdict, change: ChangeOfCoins | None) -> SeedProof | None:
    """The proof about seeds; None if the finding is `no-shares`, or if no seed matters for what the
    coalition sees.

    Raises `SimnetError` if the verdict needs a change of coins, too.
    """
    if verdict.finding == "no-shares" or not verdict.bounds.least.reached:
        return None
    if change is not None:
        what = (
            f"field elements that depend on coins were given to {change.doors[0].title}"
            if change.doors
            else "messages contain products of coins"
        )
        raise SimnetError(f"a certificate cannot list seeds if {what}")
    return SeedProof(verdict.bounds, verdict.unknowns, verdict.finding == "leaks")


def _closed(verdict: Verdict, seeds: SeedProof) -> Iterator[Json]:
    for received, place in verdict.bounds.least.closed_boxes():
        header = _message(verdict, received, received.place)
        yield {**header, "box": [place, seeds.number_of[received.boxes.keys[place]]]}


def _message(verdict: Verdict, part: BlockForms | BoxesReceived, place: int) -> Json:
    names, block = verdict.runs[part.run].roster.names, part.block
    return {
        "run": part.run + 1,
        "round": block.round,
        "from": names[block.sender],
        "to": names[block.recipients[place]],
        "tag": block.tag,
        "key": block.keys[place],
        "piece": part.piece,
    }


def _knowledge(
    verdict: Verdict, change: ChangeOfCoins | None, seeds: SeedProof | None
) -> Sequence[Knowledge]:
    if seeds is not None:
        return seeds.knowledge
    return verdict.knowledge if change is None else verdict.bounds.knowledge_beside(change)


def _written_out(verdict: Verdict, change: ChangeOfCoins | None) -> int:
    if verdict.finding == "no-shares":
        return 0
    bounds = verdict.bounds
    return bounds.written_out if change is None else bounds.rewriting.written_out


class _Families:
    """The families of unknowns, numbered in the order in which they occur."""

    def __init__(self, verdict: Verdict, seeds: SeedProof | None) -> None:
        self._unknowns: Unknowns = verdict.unknowns
        self._seeds = seeds
        self._numbers: dict[int, int] = {}
        self.listed: list[Json] = []

    def number(self, family: int) -> int:
        found = self._numbers.get(family)
        if found is not None:
            return found
        record = self._unknowns.families[family]
        # The factors come first, so that a monomial comes after the families of its factors.
        factors = sorted([self.number(u // PLACES), u % PLACES] for u in record.factors)
        is_monomial = bool(factors)
        if any(self.listed[family]["kind"] == "stream" for family, _ in factors):
            raise SimnetError("a certificate cannot list products of random rows")
        self._numbers[family] = len(self.listed)
        self.listed.append(
            {
                "kind": "monomial" if is_monomial else record.kind,
                "holders": [] if is_monomial else sorted(record.holders),
                "label": "" if is_monomial else record.label,
                "size": len(record.values),
                "factors": factors,
                "seed": self._seeds.number_of[record.seed] if self._seeds and record.seed else None,
            }
        )
        return self._numbers[family]

    def door(self, door: DoorRows) -> Json:
        return {
            "party": door.party,
            "kind": door.kind,
            "function": door.function,
            "has_input": door.has_input,
            "discloses": door.discloses,
            "in_full": door.in_full,
            "made": None if door.made is None else self.number(door.made),
        }


class _FieldWriter:
    """Writes what the messages tell over one field. Unknowns are numbered in the order in which
    they occur.
    """

    def __init__(
        self,
        verdict: Verdict,
        knowledge: Knowledge,
        families: _Families,
        change: ChangeOfCoins | None,
        seeds: SeedProof | None,
    ) -> None:
        self._verdict = verdict
        self._seeds = seeds
        self._knowledge = knowledge
        self._families = families
        self._change = change
        self._functions = _functions(knowledge, change)
        self._unknowns: Unknowns = verdict.unknowns
        self._numbers: dict[int, int] = {}

    def field(self) -> Json:
        knowledge, change = self._knowledge, self._change
        rows = change.rows_over(knowledge.modulus) if change else []
        given = [row for row in rows if change and row in change.coins]
        part: Json = {
            "modulus": knowledge.modulus,
            "lanes": knowledge.view.lanes,
            "messages": self._messages(),
            "opened": [
                {"door": row.door, "seen": row.is_seen, "form": self._pairs(row.form)}
                for row in rows
                if row.door is not None
            ],
            "ideal": [self._pairs(vector) for vector, _ in knowledge.ideal.basis()],
            "learned": [self._learned(function, origin) for function, origin in self._functions],
            "shift": [] if change else self._moves(knowledge.elimination.shift()),
            "changes": self._changes(change, rows) if change else None,
            "given": [self._number(*row.form) for row in given],
            "seeds": [self._seed(each) for each in self._seed_rows],
        }
        return {**part, "unknowns": [self._named(unknown) for unknown in self._numbers]}

    def _named(self, unknown: int) -> list[int]:
        return [self._families.number(unknown // PLACES), unknown % PLACES]

    def _messages(self) -> list[Json]:
        view, seeds = self._knowledge.view, self._seeds
        forms = iter(view.terms.vectors())
        boxes = itertools.repeat(None) if seeds is None else seeds.boxes_of(self._knowledge)
        messages: list[Json] = []
        for part in view.parts:
            before = None
            for place, element, box in zip(
                part.places.tolist(), part.offsets.tolist(), boxes, strict=False
            ):
                if (place, box) != before:
                    header = _message(self._verdict, part, place)
                    messages.append({**header, "box": box and list(box), "rows": []})
                    before = place, box
                messages[-1]["rows"].append([element, self._pairs(next(forms))])
        return messages

    @property
    def _seed_rows(self) -> Sequence[SeedRows]:
        return self._seeds.by_field[self._knowledge.modulus] if self._seeds else ()

    def _seed(self, entry: SeedRows) -> Json:
        return {
            "seed": entry.number,
            "rows": list(map(self._pairs, entry.rows)),
            "told": [[_ordered(weights.items()), self._pairs(own)] for weights, own in entry.told],
            "private": [[row, self._pairs(moves)] for row, moves in entry.private],
        }

    def _learned(self, function: Vector, origin: Vector) -> Json:
        knowledge, lanes = self._knowledge, self._knowledge.view.lanes
        rows, factors = sorted_entries(knowledge.weights(origin))
        own_unknowns, shares = own_part(knowledge, rows, factors)
        own_numbers = np.zeros((len(own_unknowns), lanes), dtype=np.int64)
        for places, numbers in self._unknowns.values_by_family(own_unknowns, lanes):
            own_numbers[places] = numbers
        values = np.zeros(lanes, dtype=object)  # of Python's integers, which cannot overflow
        for unknown, coefficient in function.items():
            values = values + self._unknowns.values(unknown, lanes).astype(object) * coefficient
        own = zip(own_unknowns.tolist(), shares.tolist(), own_numbers.tolist(), strict=True)
        return {
            "function": self._pairs(function),
            "weights": [
                [row, factor, knowledge.view.excerpt(row).numbers.tolist()]
                for row, factor in zip(rows.tolist(), factors.tolist(), strict=True)
            ],
            "own": _ordered((self._number(u), share, numbers) for u, share, numbers in own),
            "values": [int(value) % knowledge.modulus for value in values],
        }

    def _moves(self, moves: Mapping[int, Vector]) -> list[list[Any]]:
        """Return a list of pairs: a coin, and the form that is added to the coin."""
        return _ordered((self._number(coin), self._pairs(moves[coin])) for coin in sorted(moves))

    def _changes(self, change: ChangeOfCoins, rows: Sequence[Row]) -> list[list[int]]:
        """Return a list of pairs in the order of the changes: a row, and the coin that it replaces.
        Rows of messages come first, then the opened rows, then the given coins.
        """
        places = {row.place: place for place, row in enumerate(rows)}
        return [
            [places[each.row.place], self._number(each.coin)]
            for each in change.changes
            if each.row.place in places
        ]

    def _pairs(self, vector: Vector) -> Pairs:
        return _ordered((self._number(unknown), value) for unknown, value in vector.items())

    def _number(self, unknown: int) -> int:
        return self._numbers.setdefault(unknown, len(self._numbers))


def _functions(knowledge: Knowledge, change: ChangeOfCoins | None) -> list[tuple[Vector, Vector]]:
    """The functions of secrets that the messages tell, each as a combination of unknowns and as a
    combination of remnants. Beside a change of coins, functions that contain more than secrets are
    left out.
    """
    functions = [(function.terms, function.origin) for function in knowledge.functions]
    if change is None:
        return functions
    # Unknowns that are not secrets are the first pivots, so that we find the vectors without such
    # unknowns.
    span = Span(knowledge.modulus, order=lambda unknown: (change.is_secret(unknown), unknown))
    for function, origin in functions:
        span.add(function, origin)
    return [
        (vector, origin) for vector, origin in span.basis() if all(map(change.is_secret, vector))
    ]


def _ordered(entries: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    return sorted(map(list, entries), key=lambda entry: entry[0])


# The header.


def _run(run: Run, with_seed: bool) -> Json:
    """The entry for a run. The seed and the digests may give inputs away, so they are null unless
    `with_seed` is set.
    """
    sent = {
        tag: [traffic.messages, traffic.elements.get("qd", 0)]
        for tag, traffic in run.ledger.by("tag", "sent").items()
    }
    always: Json = {"sent": sent, "fates": {name: str(fate) for name, fate in run.fates.items()}}
    if run.message_fates:
        always["message_fates"] = [str(fate) for fate in run.message_fates]
    if not with_seed:
        return {"seed": None, "inputs": None, "trace": None, **always}
    inputs = hashlib.sha256(canonical(dict(run.inputs))).hexdigest()
    return {"seed": run.seed, "inputs": inputs, "trace": _trace(run), **always}


def _trace(run: Run) -> str:
    try:
        return trace_hash(run.ledger, run.outputs, ())
    except NoCanonicalForm:
        return trace_hash(run.ledger, {}, ())


def _disclosed(discrete: DiscreteView) -> Json:
    stated = discrete.disclosure
    return {
        "independent": None if stated is None else stated.independent,
        "epsilon": None if stated is None else _text(stated.epsilon, optional=True),
        "tier": "not judged" if stated is None else stated.tier,
        "argument": discrete.reason if stated is None else stated.argument,
        "doors": [
            {
                "parties": list(doors.parties),
                "functions": list(doors.functions),
                "calls": doors.calls,
                "epsilon": _text(doors.epsilon, optional=True),
                "given_secrets": _text(doors.strong_epsilon, optional=True),
                "tier": doors.tier,
                "argument": doors.argument,
            }
            for doors in discrete.disclosed
        ],
    }


def _reveals(fields: Sequence[Json], discrete: DiscreteView, with_seed: bool) -> list[str]:
    weights = [w for field in fields for entry in field["learned"] for w in entry["weights"]]
    reveals = []
    if with_seed:
        reveals.append(
            "The seeds of the runs: whoever has a seed can compute all coins of its run. Digests "
            "of inputs and traces: whoever can try all possible inputs can find the true inputs by "
            "comparing digests."
        )
    if weights:
        reveals.append(
            "The values of the functions learned, and the numbers of the messages that give them: "
            "whoever guesses the seed can unmask these messages."
        )
    if discrete.disclosure is None or not discrete.disclosure.independent:
        reveals.append(
            "How much was sent under each tag, and the senders and keys of the messages that "
            "reached the coalition: all this may depend on inputs if disclosed values do."
        )
    return reveals


def _attributes(protocol: object) -> Mapping[str, object]:
    if not attrs.has(type(protocol)):
        return {}
    return attrs.asdict(cast(attrs.AttrsInstance, protocol), recurse=False)


def _text(value: object, optional: bool = False) -> Any:
    if value is None and optional:
        return None
    return "none" if value is None else str(value)


@functools.cache  # reading the version of a distribution from its files takes milliseconds
def _version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "not installed"
