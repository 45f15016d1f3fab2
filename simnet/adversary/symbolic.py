"""The symbolic reading: field coins and declared secrets are unknowns, everything else is as in the
sampled run.

Discrete coins, and the values beside the forms, are those of the sampled run of the same seed. A
plain number that an honest party puts into a message is an opaque unknown: it neither hides nor is
known.
"""

import hashlib
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from simnet.coins.coins import Coins, Deferred, RowMaker
from simnet.coins.sampled import SampledCoins
from simnet.errors import SimnetError
from simnet.kernel.actor import Actor
from simnet.linear.form_totals import FormTotal
from simnet.linear.forms import Forms, lanes_of
from simnet.linear.terms import fresh
from simnet.linear.unknowns import Family, Unknowns
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.residues import Residues


@attrs.frozen(eq=False)
class Opening:
    """A party has turned forms into numbers after waiting for `depth` rounds."""

    party: str
    depth: int
    forms: Forms


@attrs.frozen
class Scaling:
    """A party has multiplied forms by plain numbers, after waiting for `depth` rounds: who sees
    both may divide.
    """

    party: str
    depth: int


class SymbolicCoins:
    """The coins of the sampled run, with an unknown for every field element."""

    def __init__(self, sampled: SampledCoins, reading: "Symbolic", holder: str) -> None:
        # whether a discrete coin has been tossed: what was declared before depends on inputs alone
        self.drew = False
        self._sampled = sampled
        self._reading = reading
        self._holder = holder
        self._draws = ""  # a digest of the portions drawn so far,
        self._portions = 0  # and their number

    def bernoulli(self, chance: float | Fraction) -> bool:
        """As sampled."""
        self.drew |= 0 < chance < 1
        return self._sampled.bernoulli(chance)

    def bernoullis(self, chance: float | Fraction, count: int) -> npt.NDArray[np.bool_]:
        """As sampled."""
        self.drew |= 0 < chance < 1
        return self._sampled.bernoullis(chance, count)

    def binomials(self, trials: npt.NDArray[np.int64], chance: float | Fraction) -> Metered:
        """As sampled."""
        self.drew |= 0 < chance < 1
        return self._sampled.binomials(trials, chance)

    def integers(self, below: int, count: int) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.integers(below, count)

    def subset(self, count: int, below: int) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.subset(count, below)

    def weighted_subset(
        self, count: int, below: int, favoured: int | None = None, weight: float | Fraction = 1
    ) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.weighted_subset(count, below, favoured, weight)

    def categorical(self, weights: Sequence[int], count: int) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.categorical(weights, count)

    def uniform(self, count: int) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.uniform(count)

    def normal(self, count: int) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.normal(count)

    def discrete_normal(self, variance: Fraction, count: int) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.discrete_normal(variance, count)

    def exponential(self, count: int) -> Metered:
        """As sampled."""
        self.drew = True
        return self._sampled.exponential(count)

    def field(self, field: Field, shape: tuple[int, ...]) -> Forms:
        """As many unknowns as elements, with the sampled values."""
        values = self._sampled.field(field, shape)
        self._draws = hashlib.blake2b(
            f"{self._draws}/{field.modulus}{shape}".encode(), digest_size=16
        ).hexdigest()
        seed, _, purpose = self._sampled.key
        key = (
            *self._sampled.key,
            self._draws,
        )  # equal words were drawn in equal portions: so are the values
        self._portions += 1
        if not self._reading.unknowns.agree((*self._sampled.key, self._portions), self._draws):
            raise SimnetError(
                f"runs of one seed ({seed}) that draw field coins in different portions "
                f"cannot be judged together: "
                "their coins are neither equal nor independent"
            )
        family = self._reading.unknowns.family(
            "coin", key, f"{purpose}seed {seed}", self._holder, values
        )
        return self._reading.named(values, family)

    def deferred(self, field: Field, shape: tuple[int, ...], rows: RowMaker) -> Deferred:
        """A block of rows with coins of its own."""
        made = self._sampled.deferred(field, shape, rows)
        assert isinstance(made.coins, SampledCoins)
        own = SymbolicCoins(made.coins, self._reading, self._holder)

        def lifted(coins: Coins) -> FieldArray:
            block: FieldArray = self._reading.outgoing(self._holder, rows(coins))
            return block

        return Deferred(field, shape, lifted, own)


class Symbolic:
    """One run read symbolically. Several readings may share their unknowns: then they are judged
    together.
    """

    lifts = True

    def __init__(
        self, unknowns: Unknowns | None = None, run: Hashable = None, place: int = 1
    ) -> None:
        """A reading of the `place`-th of the runs that share the unknowns; equal `run` are one run
        read twice.
        """
        self.unknowns = unknowns or Unknowns()
        self.run = object() if run is None else run
        self._place = place
        self.openings: list[Opening] = []
        self.scalings: set[Scaling] = set()
        self.declared: dict[str, list[Forms]] = {}
        self._actors: dict[int, Actor] = {}
        self._coins: dict[str, SymbolicCoins] = {}
        self._opaque = 0
        self._going_on = False

    def begin(self, actors: Sequence[Actor]) -> None:
        """Get to know the parties, so that an array in somebody's hands tells whose they are."""
        self._actors = {id(actor.meter): actor for actor in actors}
        self._going_on = True

    def end(self) -> None:
        """From now on whoever asks for numbers is no party."""
        self._going_on = False

    def coins(self, seed: int, party: str, meter: Meter) -> SymbolicCoins:
        """The party's coins, its field coins unknown."""
        actor = self._actors.get(id(meter))
        made = SymbolicCoins(SampledCoins(seed, party, meter), self, actor.name if actor else party)
        self._coins[party] = made
        return made

    def secret(self, party: str, number: int, value: FieldArray) -> Forms:
        """A named unknown for each element; the ideal world's users declare what their scripts
        have.

        Raises `TypeError` for a secret that is made of unknowns already, `SimnetError` when the
        ideal world differs.
        """
        if not isinstance(value, Residues):
            raise TypeError(
                "declares as a secret what is made of field coins or other secrets: declare "
                "it before"
            )
        declared = self.declared.get(party, [])
        if not self._going_on and declared:
            if number >= len(declared) or declared[number].sampled != value:
                raise SimnetError(
                    f"the functionality gives {party} another secret than its script declares"
                )
            return declared[number]
        coins = self._coins.get(party)
        own = (
            coins is not None and coins.drew
        )  # else a function of the input alone, the same in every run that has it
        key = (
            party,
            number,
            value.field,
            value.shape,
            value.numbers().tobytes(),
            self.run if own else None,
        )
        family = self.unknowns.family("secret", key, f"{number}/{self._place}", party, value)
        forms = self.named(value, family)
        if self._going_on:
            self.declared.setdefault(party, []).append(forms)
        return forms

    def outgoing(self, party: str, payload: Any) -> Any:
        """What a party sends: plain field elements become opaque unknowns of the party's."""
        if isinstance(payload, Residues):
            return self._opaquely(party, payload)
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
        return self._opaquely(actor.name if actor else "nobody", values)

    def opened(self, forms: Forms) -> None:
        """Note who asked for the numbers, and how many rounds it had waited for."""
        if not self._going_on:
            return
        actor = self._actors.get(id(forms.meter))
        if actor is None:
            raise TypeError("asks for the numbers of field elements that are in nobody's hands")
        self.openings.append(Opening(actor.name, actor.depth, forms))

    def scaled(self, forms: Forms) -> None:
        """Note who multiplies by plain numbers."""
        actor = self._actors.get(id(forms.meter))
        if self._going_on and actor is not None:
            self.scalings.add(Scaling(actor.name, actor.depth))

    def _opaquely(self, party: str, values: Residues) -> Forms:
        self._opaque += 1
        family = self.unknowns.family(
            "opaque", (id(self), self._opaque), str(self._opaque), party, values
        )
        return self.named(values, family)
