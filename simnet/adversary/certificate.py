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
from collections import Counter, defaultdict
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
from simnet.adversary.orbits.lift import Lifted
from simnet.adversary.orbits.solving import OrbitProof, SymmetricSystem
from simnet.adversary.orbits.tables import Entry, Table, Word
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
    if any(done.deadlines for done in verdict.runs):
        raise SimnetError(
            "a run with deadlines has no certificate: a certificate names no network, so it "
            "cannot say which deadlines passed"
        )
    proof = _proof(verdict) if verdict.alike is None else _alike_proof(verdict, verdict.alike)
    return {
        "format": "simnet certificate",
        "version": VERSION,
        "protocol": protocol_header(verdict.runs[0].protocol, scenario, parameters),
        "runs": [_run(each, with_seed) for each in verdict.sampled_runs],
        "set": [*verdict.corrupt.parties, *[NETWORK] * verdict.corrupt.network],
        "statement": verdict.finding,
        "disclosed": _disclosed(verdict.discrete),
        "reveals": _reveals(proof["fields"], verdict.discrete, with_seed),
        **proof,
    }


def _proof(verdict: Verdict) -> Json:
    """The keys of the proof of a verdict by elimination."""
    terms = sum(knowledge.view.size for knowledge in verdict.knowledge)
    if terms > MOST_TERMS:
        raise SimnetError(
            f"the messages that the coalition sees have up to {terms:,} terms when written "
            f"out, and a certificate lists at most {MOST_TERMS:,}: certify a run with fewer users"
        )
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
        "notes": list(verdict.notes),
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


def _alike_proof(verdict: Verdict, lifted: Lifted) -> Json:
    """The keys of the proof of a verdict on parties who are alike: a field for each system, and a
    family for each type of variables or secrets.
    """
    families: list[Json] = []
    fields = [
        _alike_field(component.system, proof, lifted.outline.lanes, families)
        for component, proof in lifted.found
    ]
    return {
        "notes": [*verdict.notes, *lifted.checked],
        "written_out": 0,
        "families": families,
        **{key: [] for key in ("doors", "told", "seeds", "public_keys", "known", "closed")},
        "fields": sorted(fields, key=lambda field: int(field["modulus"])),
    }


def _alike_field(
    system: SymmetricSystem, proof: OrbitProof, lanes: int, families: list[Json]
) -> Json:
    classes = {name: place for place, name in enumerate(system.sizes)}
    variables = len(system.variables)
    first = len(families)
    for kind, types in (("coin", system.variables), ("secret", system.secrets)):
        for each in types:
            label = f"{each.label}, type {len(families) + 1}"
            families.append(
                {"kind": kind, "holders": [each.word[0]], "label": label, "size": lanes}
                | {"factors": [], "seed": None}
            )

    def words(of: Iterable[Word]) -> list[list[int]]:
        return [[classes[name] for name in word] for word in of]

    def moved(table: Mapping[Entry, int]) -> Table:  # its columns are secrets
        return {(row, variables + at, m): value for (row, at, m), value in table.items()}

    seen = _listed({**system.seen, **moved(system.told)})
    ideal, learned = _listed(moved(system.handed)), _listed(moved(proof.learned))
    weights = _listed(proof.weights)
    witness = {(variables + at, c, m): v for (at, c, m), v in proof.witness.items()}
    unknowns = [each.word for each in (*system.variables, *system.secrets)]
    return {
        "modulus": system.modulus,
        "lanes": lanes,
        "alike": {
            "classes": [[name, size] for name, size in system.sizes.items()],
            "rows": [
                [row.label, word, seen.get(at, [])]
                for at, (row, word) in enumerate(
                    zip(system.rows, words(each.word for each in system.rows), strict=True)
                )
            ],
            "unknowns": words(unknowns),
            "functions": words(proof.functions),
            "ideal": words(each.word for each in system.ideal),
            "columns": words(proof.witness_words),
        },
        "unknowns": [[number, 0] for number in range(first, len(families))],
        "learned": [
            {
                "function": learned[at],
                "weights": [[row, value, [], *more] for row, value, *more in weights[at]],
                "own": [],
                "values": [],
            }
            for at in range(len(proof.functions))
        ],
        "ideal": [ideal.get(at, []) for at in range(len(system.ideal))],
        "shift": _matrix(_listed(moved(proof.shift))),
        "rest": _matrix(_listed(proof.rest)),
        "factor": _matrix(_listed(proof.factor)),
        "witness": _matrix(_listed(witness)),
        "changes": None,
        **{key: [] for key in ("messages", "opened", "given", "seeds")},
    }


def _listed(table: Mapping[Entry, int]) -> dict[int, list[list[Any]]]:
    """The rows of a table as a certificate lists them. An empty matching is left out."""
    rows: dict[int, list[list[Any]]] = {}
    for (row, column, matching), value in sorted(table.items()):
        more = [list(map(list, matching))] if matching else []
        rows.setdefault(row, []).append([column, value, *more])
    return rows


def _matrix(rows: Mapping[int, Sequence[Any]]) -> list[list[Any]]:
    """A matrix as a certificate lists it: its rows that are not 0, each with its place."""
    return [[row, rows[row]] for row in sorted(rows) if rows[row]]


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

    >>> certificate_text({"version": 6, "set": ["u1"]})
    '{"set":["u1"],"version":6}\n'
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
        shift = {} if change else knowledge.elimination.shift()
        ideal = [vector for vector, _ in knowledge.ideal.basis()]
        part: Json = {
            "modulus": knowledge.modulus,
            "lanes": knowledge.view.lanes,
            "alike": None,
            "messages": self._messages(),
            "opened": [
                {"door": row.door, "seen": row.is_seen, "form": self._pairs(row.form)}
                for row in rows
                if row.door is not None
            ],
            "ideal": [self._pairs(vector) for vector in ideal],
            "learned": [self._learned(function, origin) for function, origin in self._functions],
            "shift": [] if change else self._moves(shift),
            "rest": [] if change else self._rest(shift),
            **self._beside(ideal),
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

    def _rest(self, shift: Mapping[int, Vector]) -> list[list[Any]]:
        """What of the seen rows is made of the functions: for each row, functions with factors."""
        pivots = _pivots([function for function, _ in self._functions])
        rows: dict[int, Pairs] = {}
        for at, form in enumerate(self._knowledge.view.terms.vectors() if pivots else ()):
            factors: Counter[int] = Counter()
            for unknown, value in form.items():
                if unknown in pivots:
                    factors[pivots[unknown]] += value
                for moved, factor in shift.get(unknown, {}).items():
                    if moved in pivots:
                        factors[pivots[moved]] -= value * factor
            rows[at] = _residues(factors, self._knowledge.modulus)
        return _matrix(rows)

    def _beside(self, ideal: Sequence[Vector]) -> Json:
        """How functions follow from the ideal output (`factor`); and if they do not, changes of
        unknowns that change a function, and keep the ideal output (`witness`).
        """
        modulus = self._knowledge.modulus
        pivots = _pivots(ideal)
        factors: dict[int, Pairs] = {}
        witness: dict[int, Counter[int]] = defaultdict(Counter)
        columns = 0
        for at, (function, _) in enumerate(self._functions):
            given = Counter({pivots[each]: v for each, v in function.items() if each in pivots})
            left = Counter(function)
            for place, value in given.items():
                left.subtract({each: value * factor for each, factor in ideal[place].items()})
            beyond = [unknown for unknown, value in left.items() if value % modulus]
            if not beyond:
                factors[at] = _residues(given, modulus)
                continue
            witness[min(beyond)][columns] += 1
            for pivot, place in pivots.items():
                if min(beyond) in ideal[place]:
                    witness[pivot][columns] -= ideal[place][min(beyond)]
            columns += 1
        numbered = {self._number(each): _residues(row, modulus) for each, row in witness.items()}
        return {"factor": _matrix(factors), "witness": _matrix(numbered)}

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


def _pivots(forms: Sequence[Vector]) -> dict[int, int]:
    """For each form of a reduced basis its pivot, an unknown with coefficient 1 that no other form
    contains: the place of the form by its pivot.
    """
    occurrences = Counter(unknown for form in forms for unknown in form)
    return {
        next(each for each, value in form.items() if value == 1 and occurrences[each] == 1): place
        for place, form in enumerate(forms)
    }


def _residues(factors: Mapping[int, int], modulus: int) -> Pairs:
    return [[at, value % modulus] for at, value in sorted(factors.items()) if value % modulus]


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
    values = [field for field in fields for entry in field["learned"] if entry["values"]]
    reveals = []
    if with_seed:
        reveals.append(
            "The seeds of the runs: whoever has a seed can compute all coins of its run. Digests "
            "of inputs and traces: whoever can try all possible inputs can find the true inputs by "
            "comparing digests."
        )
    if values:
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
