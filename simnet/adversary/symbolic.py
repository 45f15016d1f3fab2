"""The symbolic reading: the same run, with unknowns in the place of field coins and secrets.

Theory of operation
-------------------

The same kernel plays the script again from the same seed. The script gets no inputs, and no
function of a door is called before all scripts have ended. A record of the run has the values that
its doors gave, and the doors give these values again. These are the most important rules:

- a field coin, drawn from `me.coins`, is an unknown of kind `coin`;
- a secret, `me.secret(...)`, is an unknown of kind `secret`;
- the product of two arrays of unknowns is an unknown of kind `product`;
- a disclosed value, `me.disclose(...)`, is the recorded value, which is plain;
- a plain number of the script stays a number, and counts as public.

Scripts compute with *forms* (`simnet.linear.forms`): linear functions of unknowns, each with its
sampled value beside it. Discrete coins have the values of the sampled run. So both readings should
take the same branches and send the same messages. Only the contents of messages differ::

    script, over F_11                       sampled   symbolic
    mask = me.coins.field(F, (1,))          [9]       [c], with 9 beside it
    mine = me.secret(digits, item, ...)     [5]       [s], with 5 beside it
    await me.send(NOTE, "u1", mine+mask)    [3]       [s + c], with 3 beside it

*What is recorded.* For every door we record the arguments that are forms, because a disclosed value
may tell something about these forms, and a secret may be made from them.
`simnet.adversary.change_of_coins` has the rule for both cases.

*Equal unknowns.* A coin is identified by the seed of its run and its place in a source of coins:
party, purpose, and what was drawn before. If two runs of one seed draw in equal portions, they have
equal coins and get the same unknowns, and can be judged together. If the portions differ, the coins
are neither equal nor independent, and judging the runs together is refused. Take the k-th secret of
a party in two runs that are declared to have the same inputs. The two are the same unknowns if it
is certain that the same function makes them from the same arguments, without coins. Secrets made
with coins are the same unknowns only if one run is given twice. Equal values prove nothing: x and
x² agree at 1.
"""

import hashlib
from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import Any

import attrs
import numpy as np

from simnet.adversary.door_uses import DoorUse, Product, is_in_full
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledDiscrete, SampledField
from simnet.coins.seeded import agreed_digest, expanded, expanded_sum, seed_digests, stream_key
from simnet.doors.call import DoorCall, handed_out
from simnet.doors.captured import opaque_objects
from simnet.doors.record import DoorRecord, is_same_call
from simnet.errors import ScriptError, SimnetError
from simnet.kernel.actor import Actor
from simnet.linear.form_totals import FormTotal
from simnet.linear.forms import Forms, lanes_of
from simnet.linear.seeds import Agreement, Seed, form_key, split_rows
from simnet.linear.terms import Terms, accumulate, blank, fresh, multiples
from simnet.linear.unknowns import ONE, PLACES, Family, Unknowns
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues, residues_of
from simnet.values.sealed import HIDDEN

INVERTS = (
    "inverts field elements that are not public, and a verdict has no rule for that: multiply the "
    "element by a random field element, disclose the product, invert the disclosed number, and "
    "multiply by the random element again"
)

FOREIGN = (
    "a script checks whether public keys were signed, with a signature that no party made in this "
    "run: what the signature signs is unknown, so a verdict cannot say what the answer tells"
)


class SymbolicField:
    """The field coins of the sampled run, with an unknown for each of them."""

    def __init__(self, sampled: SampledField, reading: "Symbolic", holder: str) -> None:
        self._sampled = sampled
        self._reading = reading
        self._holder = holder
        self._draws = ""  # a digest of the portions of field coins drawn so far,
        self._portions = 0  # and their number

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> Forms:
        """One unknown for each element drawn, with the sampled values.

        Raises `SimnetError` if two runs of one seed draw in different portions.
        """
        values = self._values(field, shape, meter)
        self._draws = hashlib.blake2b(
            f"{self._draws}/{field.modulus}{shape}".encode(), digest_size=16
        ).hexdigest()
        seed, party, purpose = self._sampled.key
        # Words drawn in equal portions are equal, and so are the values made from them.
        key = (*self._sampled.key, self._draws)
        self._portions += 1
        if not self._reading.unknowns.agree((*self._sampled.key, self._portions), self._draws):
            raise SimnetError(
                f"runs of one seed ({seed}) that draw field coins in different portions cannot be "
                "judged together: their coins are neither equal nor independent, so give each run "
                "its own seed"
            )
        family = self._reading.unknowns.family(
            "coin", key, self._label(party, purpose), self._holder, self._noted(values)
        )
        return self._reading.named(values, family)

    def _noted(self, values: Residues) -> Residues | Callable[[], Residues]:
        """The values just drawn, or a function that draws them again.

        A large run draws millions of coins in blocks that have a stream of their own. Their values
        are the first ones of the stream, so that they can be drawn again by themselves.
        """
        if self._portions > 1:
            return values
        key, field, shape = self._sampled.key, values.field, values.shape
        return lambda: SampledField(*key).draw(field, shape, None)

    def _values(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> Residues:
        return self._sampled.draw(field, shape, meter)

    def _label(self, party: str, purpose: str) -> str:
        """A label that distinguishes the coins drawn last from all other coins of a run."""
        return f"{party}/{purpose}/{self._portions}/{self._reading.place + 1}"

    def lift(self, rows: FieldArray) -> FieldArray:
        """Turn plain field elements of a deferred block into forms."""
        lifted: FieldArray = self._reading.outgoing(self._holder, rows)
        return lifted

    def block(self, number: int) -> "SymbolicField":
        """Return the source of the unknowns that a deferred block draws."""
        return SymbolicField(self._sampled.block(number), self._reading, self._holder)


class SharedSecrets:
    """The secrets of several runs that are judged together, and the door calls that made them."""

    def __init__(self) -> None:
        self._by_place: dict[
            tuple[str, int], list[tuple[Hashable, DoorCall, Residues, Family]]
        ] = {}

    def family(self, call: DoorCall, group: Hashable, values: Residues) -> Family | None:
        """The unknowns of an equal secret that was added with the same `group`; None if there is
        none. Only runs that may have equal secrets have an equal `group`.
        """
        for other_group, other, others_values, family in self._by_place.get(_place(call), []):
            # If the values differ, the functions were not the same after all.
            if (
                other_group == group
                and others_values.is_same_as(values)
                and is_same_call(other, call)
            ):
                return family
        return None

    def add(self, call: DoorCall, group: Hashable, values: Residues, family: Family) -> None:
        """Keep a secret, so that `family` finds it for later runs."""
        self._by_place.setdefault(_place(call), []).append((group, call, values, family))


def _place(call: DoorCall) -> tuple[str, int]:
    return call.party, call.number


class Symbolic:
    """The symbolic reading of one run.

    Several readings may share their unknowns: then their runs are judged together.
    """

    lifts = True
    notes_sums: bool = False

    def __init__(
        self,
        record: DoorRecord,
        unknowns: Unknowns | None = None,
        shared: SharedSecrets | None = None,
        run: Hashable = None,
        inputs: Hashable = None,
        place: int = 0,
    ) -> None:
        """Make a reading of run number `place` (from 0) of the runs that share the unknowns.

        `record` has the values that the doors of the run gave. Readings with equal `run` read one
        run twice, and share the secrets whose functions take coins. Readings with equal `inputs`
        are of runs that are said to have the same inputs, and share the other secrets.
        """
        self.unknowns = unknowns or Unknowns()
        self.run = object() if run is None else run
        self.record = record
        self.door_uses: list[DoorUse] = []
        self.calls: list[
            DoorCall
        ] = []  # the calls of all doors, with the forms that they were given
        self.products: list[Product] = []
        self.declared: dict[str, list[Forms]] = {}  # secrets, by party
        self._shared = shared or SharedSecrets()
        self._inputs = object() if inputs is None else inputs
        self.place = place
        self._actors: dict[int, Actor] = {}  # the parties' actors, by the identity of their meter
        self._coins: dict[str, Coins] = {}
        self._is_running = False
        # The error about an operation of a script for which verdicts have no rule, if there was
        # such an operation.
        self._refused: str | None = None
        self._by_place: dict[tuple[str, str, int], DoorCall] = {}  # party, kind, number

    def begin(self, actors: Sequence[Actor]) -> None:
        """Store the parties, so that we can find the party that holds an array."""
        self._actors = {id(actor.meter): actor for actor in actors}
        self._is_running = True

    def end(self) -> None:
        """Note that the run is over: from now on, the ideal world calls the doors.

        Raises `ScriptError` for a script that went on after an operation for which verdicts have no
        rule.
        """
        if self._refused is not None:
            raise ScriptError(self._refused)
        self._is_running = False
        # This calls functions of doors, which a script must not see while it runs.
        self.door_uses = [
            attrs.evolve(use, in_full=self._is_in_full(call))
            for use, call in zip(self.door_uses, self.calls, strict=True)
        ]

    @property
    def hides_numbers(self) -> bool:
        """Whether some script is still running, so that forms must not show their numbers."""
        return self._is_running

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """The party's coins. Field coins are unknowns."""
        actor = self._actors.get(id(meter))
        holder = actor.name if actor else party
        fields = SymbolicField(SampledField(seed, party), self, holder)
        coins = Coins(self.discrete(seed, party), fields, meter)
        if self._is_running:
            self._coins[party] = coins
        return coins

    def discrete(self, seed: int, party: str) -> SampledDiscrete:
        """The source of a party's discrete coins: the coins of the run."""
        return SampledDiscrete(seed, party)

    def tossing_parties(self) -> list[str]:
        """The parties that drew discrete coins outside doors; what a party does may depend on
        these coins.
        """
        return [party for party, coins in self._coins.items() if coins.tossed]

    def input(self, party: str, value: Any) -> Any:  # noqa: ARG002  # a symbolic reading has no inputs
        """Return `HIDDEN` in place of a value: the symbolic reading has no inputs."""
        return HIDDEN

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Return the value that the door gave in the run, with unknowns in place of a secret.

        When the ideal world calls doors after the run, its users get what their scripts got.

        Raises `ScriptError` for a script that calls another door than in the run, and `SimnetError`
        for an ideal world whose users call other doors than their scripts, or in another order.
        """
        if not self._is_running:
            return handed_out(self._of_script(call))
        recorded = self.record.played(call, coins, meter)
        call.fix()
        made = None
        if call.kind == "secret":
            made = self._family_of_secret(call, recorded.result)
            call.result = self.named(recorded.result, made)
            self.declared.setdefault(call.party, []).append(call.result)
        else:
            call.result = recorded.result
            call.error = recorded.error
        self._by_place[call.party, call.kind, call.number] = call
        self.calls.append(call)
        self.door_uses.append(
            DoorUse(
                kind=call.kind,
                party=call.party,
                number=call.number,
                run=self.place,
                function=call.title,
                rows=tuple(array for array in call.rows if isinstance(array, Forms)),
                has_input=call.has_input,
                made=made,
            )
        )
        return handed_out(call)

    def _is_in_full(self, call: DoorCall) -> bool:
        families = {
            number
            for forms in call.rows
            if isinstance(forms, Forms)
            for number in np.unique(forms.terms.unknowns // PLACES).tolist()
        }
        kinds = {self.unknowns.families[number].kind for number in families}
        return call.kind == "disclose" and "coin" in kinds and is_in_full(call)

    def _of_script(self, call: DoorCall) -> DoorCall:
        call.fix()
        own = self._by_place.get((call.party, call.kind, call.number))
        if own is None or not is_same_call(own, call):
            what = "secret" if call.kind == "secret" else "disclosed value"
            opaque = next(opaque_objects(call.knowledge), None)
            if opaque is not None:
                kind = type(opaque.thing).__name__
                raise SimnetError(
                    f"nobody can tell whether the functionality gives {call.party} the {what} of "
                    f"its script: the function ({call.name}) uses an object of type {kind}, whose "
                    "contents cannot be compared. If it is an attribute of the protocol that the "
                    "function does not need, use a static method, or a function outside the class"
                )
            raise SimnetError(
                f"the functionality gives {call.party} a {what} that its script does not make "
                "at this place in this run: let one method of the protocol make it for both, from "
                "the same arguments; make all secrets and disclosed values of a party in the order "
                "of its script; and leave out parties that dropped out before (see "
                "`simnet.Happened`)"
            )
        return own

    def _family_of_secret(self, call: DoorCall, values: Residues) -> Family:
        group = self.run if call.takes_coins else self._inputs
        family = self._shared.family(call, group, values)
        if family is None:
            place = f"{call.number}/{self.place + 1}"
            key = (id(self), call.party, call.number)
            family = self.unknowns.family("secret", key, place, call.party, values)
            self._shared.add(call, group, values, family)
        return family

    def outgoing(self, party: str, payload: Any) -> Any:
        """Turn plain field elements that a party sends into forms."""
        if isinstance(payload, Residues):
            return self.lifted(payload)
        if isinstance(payload, tuple):
            return tuple(self.outgoing(party, piece) for piece in payload)
        if isinstance(payload, list):
            return [self.outgoing(party, row) for row in payload]
        return payload

    def total(self, field: Field, row_shape: tuple[int, ...]) -> FormTotal:
        """A running total of forms."""
        return FormTotal(field, row_shape, self)

    def named(self, values: Residues, family: Family) -> Forms:
        """The unknowns of a family as forms."""
        lanes = lanes_of(values.shape)
        return Forms(values, fresh(family.first, residues_of(values).size // lanes, lanes), self)

    def lifted(self, values: Residues) -> Forms:
        """Return plain numbers, which are public, as multiples of the unknown `ONE`."""
        numbers = residues_of(values).reshape(-1).astype(np.int64)
        if numbers.any():
            return Forms(values, multiples(ONE, numbers), self)
        lanes = lanes_of(values.shape)
        return Forms(values, blank(numbers.size // lanes, lanes), self)

    def digests(self, kind: str, seeds: FieldArray) -> list[bytes]:
        """A digest of each seed's sampled values. The attribute `unknowns` stores which form has
        which digest.
        """
        forms = seeds if isinstance(seeds, Forms) else self._lifted_alone(seeds)
        count, length = forms.shape
        found = seed_digests(kind, forms.sampled.metered(None))
        rows = split_rows(forms.terms, count)
        for digest, terms in zip(found, rows, strict=True):
            seed = Seed(kind, forms.field.modulus, length, terms)
            self.unknowns.ask(digest, seed, form_key(terms))
        return found

    def _lifted_alone(self, values: FieldArray) -> Forms:
        assert isinstance(values, Residues)
        return self.lifted(values)

    def agreed(self, one: bytes, other: bytes) -> bytes:
        """The digest of the seed that two parties agree on, from their public keys."""
        digest = agreed_digest(one, other)
        first, second = sorted((one, other))
        self.unknowns.ask(digest, Agreement((first, second)), first + second)
        return digest

    def signed(self, signature: bytes, public_keys: Sequence[bytes]) -> None:
        """Note which public keys a signature signs: whoever sees the signature can test guesses of
        them.
        """
        self.unknowns.signed[signature] = tuple(public_keys)

    def signed_keys(self, signature: bytes) -> Sequence[bytes]:
        """The public keys that a signature signs.

        Raises `ScriptError` for a signature that no party made in the runs that are judged, for
        example one that the script has kept from an earlier run. The run then ends with an error
        even if the script catches the `ScriptError`.
        """
        if signature not in self.unknowns.signed:
            self._refused = self._refused or FOREIGN
            raise ScriptError(FOREIGN)
        return self.unknowns.signed[signature]

    def found_different(self, keys: Sequence[bytes]) -> None:
        """Note keys that differ from each other: what the script does next may depend on this."""
        self.unknowns.compared.add(frozenset(keys))

    def stretched(
        self,
        digests: Sequence[bytes],
        field: Field,
        shape: tuple[int, ...],
        label: str,
        weights: Sequence[int] | None,
    ) -> Forms:
        """The unknowns that stand for the random rows of these seeds; with `weights`, the weighted
        sum of these rows.
        """
        values = expanded(digests, field, shape, label)
        lanes, count = lanes_of(shape), prod(shape)
        firsts = [
            self.unknowns.stream(
                stream_key(digest, field, shape, label),
                digest,
                f"{self._stream_label(digest, label)} over F_{field.modulus} {shape}",
                values[place],
            ).first
            for place, digest in enumerate(digests)
        ]
        each = count // lanes
        starts = np.repeat(np.array(firsts, dtype=np.int64), each)
        rows = Terms(
            np.arange(len(starts) + 1),
            starts + lanes * np.tile(np.arange(each, dtype=np.int64), len(firsts)),
            np.ones(len(starts), dtype=np.int64),
            lanes,
        )
        if weights is None:
            return Forms(values, rows, self)
        factors = np.repeat(np.array(weights, dtype=np.int64) % field.modulus, each)
        into = np.tile(np.arange(each), len(firsts))
        total = accumulate(rows, into, factors, each, field.modulus)
        return Forms(expanded_sum(digests, weights, field, shape, label), total, self)

    def _stream_label(self, digest: bytes, label: str) -> str:
        """A label for the family of random rows that are made from a seed.

        It is made from the names and the coefficients of the unknowns in the seed's elements, or,
        for an agreed seed, from the labels of the two keys. It does not depend on the values of the
        unknowns, so it is the same in every reading of a run.
        """
        query = self.unknowns.queries[digest]
        if isinstance(query, Agreement):
            names = sorted(self._stream_label(key, "") for key in query.keys)
            return f"{label}: agreed by {' and '.join(names)}"
        parts = []
        for row in query.terms.vectors():
            for unknown, coefficient in row.items():
                name = self.unknowns.name(unknown)
                holders = " ".join(name.holders)
                parts.append(f"{coefficient} {name.kind} {holders} {name.label} {name.place}")
            parts.append("next element")
        short = hashlib.blake2b(" + ".join(parts).encode(), digest_size=8).hexdigest()
        return f"{label}: {query.kind} {short}"

    def product(self, left: Forms, right: Forms, sampled: Residues) -> Forms:
        """Unknowns that stand for the products. If a factor is public, the product stays linear."""
        for factor, other in ((left, right), (right, left)):
            if not np.any(factor.terms.unknowns != ONE):
                product = other.metered(None) * factor.sampled.metered(None)
                # The product is billed already, by the numeric multiplication.
                return product.metered(sampled.meter)
        actor = self._actors.get(id(sampled.meter))
        party = actor.name if actor and self._is_running else "the ideal world"
        number = len(self.products)
        family = self.unknowns.family(
            "product",
            (id(self), number),
            f"{number}/{self.place + 1}",
            party,
            sampled.metered(None),
        )
        self.products.append(
            Product(party=party, run=self.place, left=left, right=right, made=family)
        )
        return self.named(sampled, family)

    def inverse(self, forms: Forms) -> Forms:
        """The inverses of public numbers.

        Raises `TypeError` for other elements: no rule says what the inverse of an unknown tells.
        The run then ends with an error even if the script catches the `TypeError`.
        """
        if np.any(forms.terms.unknowns != ONE):
            actor = self._actors.get(id(forms.meter))
            self._refused = self._refused or f"{actor.name if actor else 'a party'} {INVERTS}"
            raise TypeError(INVERTS)
        return self.lifted(forms.sampled.metered(None).inverse())
