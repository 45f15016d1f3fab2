"""The symbolic reading: the same run, with an unknown in the place of every field coin and secret.

Theory of operation
-------------------

The script is played again from the same seed, by the same kernel. Three things are replaced:

- a field coin, drawn from `party.coins`, is a fresh unknown of kind `coin`;
- a declared secret, `me.secret(value)`, is an unknown of kind `secret`;
- plain field elements that an honest party puts into a message are unknowns of kind `opaque`: we do
  not know whether they hide something, nor whether somebody knows them.

What scripts compute with these are *forms* (`simnet.linear.forms`): linear functions of unknowns,
each with its sampled value beside it. Discrete coins are those of the sampled run. So both readings
take the same branches and send the same messages, and only what a message carries is different:

    script, over F_11                     sampled   symbolic
    mask = me.coins.field(F, (1,))        [9]       [c], with 9 beside it
    mine = me.secret(constant(F, [5]))    [5]       [s], with 5 beside it
    await me.send(NOTE, "u1", mine+mask)  [3]       [s + c], with 3 beside it

*What is noted.* Forms can be turned into numbers, for which a script must say `open()`. A message
that is sent later may carry what was seen then, so each opening is noted with the number of rounds
that the party had waited for. The same goes for multiplying by plain numbers: who sees both sides
may divide. The judge decides which of these notes concern a coalition.

*Equal unknowns.* An unknown is known by its place in a source of coins: party, purpose, and what
was drawn before. Two runs of one seed that draw in equal portions have equal coins, so they get the
same unknowns, and can be judged together. Where the portions differ, the coins are neither equal
nor independent, and judging is refused.
"""

import hashlib
from collections.abc import Hashable, Sequence
from typing import Any

import attrs

from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledDiscrete, SampledField
from simnet.errors import SimnetError
from simnet.kernel.actor import Actor
from simnet.linear.form_totals import FormTotal
from simnet.linear.forms import Forms, lanes_of
from simnet.linear.terms import fresh
from simnet.linear.unknowns import Family, Unknowns
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues


@attrs.frozen(eq=False)
class Opening:
    """The event that a party turned forms into numbers, after `depth` rounds."""

    party: str
    depth: int
    forms: Forms


@attrs.frozen
class Scaling:
    """The event that a party multiplied forms by plain numbers, after `depth` rounds."""

    party: str
    depth: int


class SymbolicField:
    """The field elements of the sampled run, with an unknown for each of them."""

    def __init__(self, sampled: SampledField, reading: "Symbolic", holder: str) -> None:
        self._sampled = sampled
        self._reading = reading
        self._holder = holder
        self._draws = ""  # a digest of the portions of field coins drawn so far,
        self._portions = 0  # and their number

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> Forms:
        """As many unknowns as elements, with the sampled values."""
        values = self._sampled.draw(field, shape, meter)
        self._draws = hashlib.blake2b(
            f"{self._draws}/{field.modulus}{shape}".encode(), digest_size=16
        ).hexdigest()
        seed, _, purpose = self._sampled.key
        # Words drawn in equal portions are equal, and so are the values made of them.
        key = (*self._sampled.key, self._draws)
        self._portions += 1
        if not self._reading.unknowns.agree((*self._sampled.key, self._portions), self._draws):
            raise SimnetError(
                f"runs of one seed ({seed}) that draw field coins in different portions cannot be "
                "judged together: their coins are neither equal nor independent"
            )
        family = self._reading.unknowns.family(
            "coin", key, f"{purpose}seed {seed}", self._holder, values
        )
        return self._reading.named(values, family)

    def lift(self, rows: FieldArray) -> FieldArray:
        """Plain field elements of a deferred block become opaque unknowns of the holder's."""
        lifted: FieldArray = self._reading.outgoing(self._holder, rows)
        return lifted

    def block(self, number: int) -> "SymbolicField":
        """The unknowns of a deferred block."""
        return SymbolicField(self._sampled.block(number), self._reading, self._holder)


class Symbolic:
    """One run read symbolically.

    Several readings may share their unknowns: then their runs are judged together.
    """

    lifts = True

    def __init__(
        self, unknowns: Unknowns | None = None, run: Hashable = None, place: int = 1
    ) -> None:
        """A reading of the `place`-th of the runs that share the unknowns.

        Readings with equal `run` are of one run that is read twice: they share even those secrets
        that depend on discrete coins.
        """
        self.unknowns = unknowns or Unknowns()
        self.run = object() if run is None else run
        self._place = place
        self.openings: list[Opening] = []
        self.scalings: set[Scaling] = set()
        self.declared: dict[str, list[Forms]] = {}  # secrets, by party
        self._actors: dict[int, Actor] = {}  # by the identity of their meter
        self._coins: dict[str, Coins] = {}
        self._opaque = 0  # how many families of opaque unknowns there are
        self._is_running = False

    def begin(self, actors: Sequence[Actor]) -> None:
        """Get to know the parties, so that an array tells in whose hands it is."""
        self._actors = {id(actor.meter): actor for actor in actors}
        self._is_running = True

    def end(self) -> None:
        """The run is over: who asks for numbers from now on is no party."""
        self._is_running = False

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """The party's coins, its field coins unknown."""
        actor = self._actors.get(id(meter))
        holder = actor.name if actor else party
        fields = SymbolicField(SampledField(seed, party), self, holder)
        coins = self._coins[party] = Coins(SampledDiscrete(seed, party), fields, meter)
        return coins

    def secret(self, party: str, number: int, value: FieldArray) -> Forms:
        """A named unknown for each element of a party's `number`-th secret.

        After the run it is the ideal world that asks: its users get what their scripts declared.

        Raises `TypeError` for a secret that is made of unknowns already, `SimnetError` when the
        ideal world declares another secret than the script.
        """
        if not isinstance(value, Residues):
            raise TypeError(
                "declares as a secret what is made of field coins or other secrets: declare it "
                "before"
            )
        declared = self.declared.get(party, [])
        if not self._is_running and declared:
            if number >= len(declared) or declared[number].sampled != value:
                raise SimnetError(
                    f"the functionality gives {party} another secret than its script declares"
                )
            return declared[number]
        coins = self._coins.get(party)
        # A secret that was declared before any discrete coin is a function of the input alone, and
        # so it is the same in every run that has this input.
        depends_on_coins = coins is not None and coins.tossed
        key = (
            party,
            number,
            value.field,
            value.shape,
            value.numbers().tobytes(),
            self.run if depends_on_coins else None,
        )
        family = self.unknowns.family("secret", key, f"{number}/{self._place}", party, value)
        forms = self.named(value, family)
        if self._is_running:
            self.declared.setdefault(party, []).append(forms)
        return forms

    def outgoing(self, party: str, payload: Any) -> Any:
        """What a party sends: plain field elements become opaque unknowns of the party's."""
        if isinstance(payload, Residues):
            return self._as_opaque(party, payload)
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
        return Forms(values, fresh(family.first, values.numbers().size // lanes, lanes), self)

    def lifted(self, values: Residues) -> Forms:
        """Plain numbers as opaque unknowns of the party in whose hands they are."""
        actor = self._actors.get(id(values.meter))
        return self._as_opaque(actor.name if actor else "nobody", values)

    def opened(self, forms: Forms) -> None:
        """Note who asked for the numbers, and how many rounds it had waited for."""
        if not self._is_running:
            return
        actor = self._actors.get(id(forms.meter))
        if actor is None:
            raise TypeError("asks for the numbers of field elements that are in nobody's hands")
        self.openings.append(Opening(actor.name, actor.depth, forms))

    def scaled(self, forms: Forms) -> None:
        """Note who multiplies by plain numbers."""
        actor = self._actors.get(id(forms.meter))
        if self._is_running and actor is not None:
            self.scalings.add(Scaling(actor.name, actor.depth))

    def _as_opaque(self, party: str, values: Residues) -> Forms:
        self._opaque += 1
        family = self.unknowns.family(
            "opaque", (id(self), self._opaque), str(self._opaque), party, values
        )
        return self.named(values, family)
