"""The draws of one party: the value, the law and the place of every draw.

A run does not store its coins, because they follow from the seed and the party's name. To list the
draws, the run is played once more, in a reading that notes them.

Example. u1 of `RingSum()` in `notebooks/ring_sum.py` draws one field element, which masks its
input. In a run with seed 0 this is

    value  law                        place
    13     uniform on F_17, shape ()  round 1 (notebooks/ring_sum.py:43)
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from simnet.arrays import Numbers
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledDiscrete, SampledField
from simnet.kernel.actor import Actor
from simnet.kernel.blame import line_that_draws
from simnet.kernel.reading import Sampled
from simnet.values.meter import Meter
from simnet.values.residues import Residues, residues_of


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


# The law of each draw of `DiscreteSource` and `FieldSource`, from the arguments of the draw.
_LAWS: dict[str, Callable[..., str]] = {
    "bernoulli": lambda chance: f"true with probability {chance}",
    "bernoullis": lambda chance, count: f"{_times(count)}: true with probability {chance}",
    "binomials": lambda trials, chance: (
        f"binomial, numbers of trials {trials.tolist()}, probability {chance}"
    ),
    "integers": lambda below, count: f"{_times(count)}: uniform on 0..{below - 1}",
    "subset": lambda count, below, favoured, weight: (
        f"a subset of {count} of 0..{below - 1}"
        + (
            ""
            if favoured is None
            else f"; a subset with {favoured} has weight {weight}, and one without it weight 1"
        )
    ),
    "categorical": lambda weights, count: (
        f"{_times(count)}: an index, with probability in proportion to {list(weights)}"
    ),
    "uniform": lambda count: f"{_times(count)}: uniform on [0, 1)",
    "normal": lambda count: f"{_times(count)}: standard normal",
    "exponential": lambda count: f"{_times(count)}: standard exponential",
    "discrete_normal": lambda variance, count: (
        f"{_times(count)}: discrete normal, variance parameter {variance}"
    ),
    "discrete_laplace": lambda scale, count: f"{_times(count)}: discrete Laplace, scale {scale}",
    "skellam": lambda variance, count: f"{_times(count)}: Skellam, variance {variance}",
    "draw": lambda field, shape, _: f"uniform on F_{field.modulus}, shape {shape}",
}


@attrs.frozen(eq=False)
class Draw:
    """One draw: its value, its law, and the place where the script asked for it."""

    value: bool | Numbers
    law: str
    # In words: the round and, inside a door, the door; or the number of the deferred block. Then
    # the file and the line.
    place: str


class _Noted:
    def __init__(self, source: Any, draws: list[Draw], place: Callable[[], str]) -> None:
        self._source = source
        self._draws = draws
        self._place = place

    def __getattr__(self, name: str) -> Any:
        draw = getattr(self._source, name)
        if name not in _LAWS:
            return draw

        def noted(*arguments: Any) -> Any:
            value = draw(*arguments)
            plain = residues_of(value) if isinstance(value, Residues) else value
            # a copy: the script may write to the array
            kept = plain if isinstance(plain, bool) else plain.copy()
            self._draws.append(Draw(kept, _LAWS[name](*arguments), self._place()))
            return value

        return noted

    def block(self, number: int) -> "_Noted":
        """Return the source of a deferred block, which notes its draws as well. The block may be
        evaluated at any time, so the place of its draws has no round.
        """
        block = f"deferred block {number}"
        return _Noted(
            self._source.block(number),
            self._draws,
            lambda: f"{block}{line_that_draws(sys._getframe())}",
        )


class DrawsNoted(Sampled):
    """The numeric reading (see `simnet.kernel.reading`), which notes the draws of one party."""

    def __init__(self, party: str) -> None:
        self.draws: list[Draw] = []
        self._party = party
        self._actor: Actor | None = None

    def begin(self, actors: Sequence[Actor]) -> None:
        """Find the party whose draws are noted."""
        (self._actor,) = (actor for actor in actors if actor.name == self._party)

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """Return seeded coins; the coins of the chosen party note their draws."""
        if party != self._party:
            return super().coins(seed, party, meter)
        discrete: Any = _Noted(SampledDiscrete(seed, party), self.draws, self._place)
        fields: Any = _Noted(SampledField(seed, party), self.draws, self._place)
        return Coins(discrete, fields, meter)

    def _place(self) -> str:
        assert self._actor is not None
        door = "" if self._actor.door is None else f", me.{self._actor.door}"
        return f"round {self._actor.depth + 1}{door}{line_that_draws(sys._getframe())}"
