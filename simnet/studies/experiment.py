"""Experiments: a trial, a grid of parameters to repeat it on, and what to show of it.

A trial is a function of its parameters, a seed and a folder of data, and returns numbers by name,
and as `people` where its people came from. Its seed is derived from the experiment's name, the
parameters and the trial's place, so that results do not depend on where, when and in which order
trials ran.
"""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from simnet.errors import BadInput
from simnet.nearest import did_you_mean
from simnet.scenario.scenario import parsed
from simnet.scenario.settings import Setting
from simnet.studies.quote import Quote
from simnet.studies.table import Measure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = str | int | float | bool | None
Parameters = Mapping[str, Value]
Product = Mapping[str, Sequence[Value]]
Measurements = Mapping[str, float | str]
LABEL = "people"  # what a trial returns under this name is text: where its people came from
OWN_COLUMNS = frozenset(
    {"experiment", "trial", "seed", "code", "data"}
)  # that every table may have
OF_SUMMARIES = frozenset({"measure", "mean", "low", "high", "expected", "holds", "trials", LABEL})
MOST_TRIALS = 10**7  # at a point: they are counted one by one
Trial = Callable[[Parameters, int, Path | None], Measurements]  # parameters, seed, folder of data


def _a_tenth(parameters: Parameters) -> float:  # noqa: ARG001  # the interface names them
    return 0.1


@attrs.frozen(eq=False)
class Experiment:
    """What `simnet sweep` and `simnet reproduce` run.

    The grid is a union of products: each maps the name of a parameter to its values. A quick run
    keeps the values named in `quick`, or has these in place of all where none of them is in the
    grid, and runs `quick_trials` trials a point. Trials of an `exact` experiment toss no coins; by
    default it is one if it is made with one trial. `files` are the data that trials read, by name,
    from the folder that they are given; without a folder they make up synthetic people. `choices`
    say what was chosen where the source leaves it open. `cost` is about how many seconds of one
    core a trial takes. `figure` draws a table, as a matplotlib figure.
    """

    summary: str
    source: str
    trial: Trial
    grid: Sequence[Product]
    measures: Sequence[Measure]
    trials: int = 1
    exact: bool = attrs.field(default=attrs.Factory(lambda self: self.trials == 1, takes_self=True))
    quick: Mapping[str, Sequence[Value]] = attrs.field(factory=dict)
    quick_trials: int = 1
    files: Sequence[str] = ()
    choices: Sequence[str] = ()
    quotes: Sequence[Quote] = ()
    figure: "Callable[[Table], Figure] | None" = None
    cost: Callable[[Parameters], float] = _a_tenth

    def __attrs_post_init__(self) -> None:
        """Refuse parameters that have the name of another column."""
        taken = next((name for name in self.axes if name in OWN_COLUMNS | OF_SUMMARIES), None)
        if taken is not None:
            raise ValueError(
                f"a parameter cannot be called {taken!r}: tables have a column of that name already"
            )

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of all parameters, in the order of the grid."""
        return tuple(dict.fromkeys(name for product in self.grid for name in product))

    def points(self) -> list[dict[str, Value]]:
        """Every point of the grid once, in order."""
        found: dict[str, dict[str, Value]] = {}
        for product in self.grid:
            for values in itertools.product(*product.values()):
                point = dict(zip(product, values, strict=True))
                found.setdefault(canonical(point), point)
        return list(found.values())

    def quickly(self) -> "Experiment":
        """The same with the few values and trials of a quick run."""
        grid = [
            {name: self._quick(name, values) for name, values in product.items()}
            for product in self.grid
        ]
        return attrs.evolve(self, grid=grid, trials=self.quick_trials)

    def _quick(self, name: str, values: Sequence[Value]) -> Sequence[Value]:
        wanted = self.quick.get(name, values)
        if any(value in wanted for product in self.grid for value in product.get(name, ())):
            return [value for value in values if value in wanted]
        return wanted

    def with_settings(self, given: Mapping[str, str]) -> "Experiment":
        """The same with the values of some parameters replaced, as text with commas between them.

        A value that some products have already stays with those: naming one protocol of two leaves
        out the other's product. Raises `BadInput` for a name that there is not, or a value of
        another kind than the parameter's.
        """
        unknown = next((name for name in given if name not in self.axes), None)
        if unknown is not None:
            raise BadInput(
                f"no parameter is called {unknown!r}{did_you_mean(unknown, self.axes)}: "
                f"this experiment has {', '.join(self.axes)}"
            )
        grid = self.grid
        for name, text in given.items():
            if not text.isprintable():
                raise BadInput(f"{name}={text!r} has letters that cannot be printed")
            known = [value for product in grid for value in product.get(name, ())]
            setting = Setting(name, known[0] if known else None, None, "")
            wanted = [parsed(setting, part.strip()) for part in text.split(",")]
            grid = [_with_values(product, name, wanted, known) for product in grid]
        return attrs.evolve(self, grid=grid)

    def with_trials(self, trials: int | None) -> "Experiment":
        """The same with another number of trials a point, unless that is None.

        Raises `BadInput` below 1, and above 10 million.
        """
        if trials is None:
            return self
        if trials < 1:
            raise BadInput(f"there is at least one trial, got trials={trials}")
        if trials > MOST_TRIALS:
            raise BadInput(f"there are at most {MOST_TRIALS:,} trials a point, got {trials:,}")
        return attrs.evolve(self, trials=trials)

    def jobs(self, name: str) -> Iterator["Job"]:
        """Every trial of every point; `name` is the experiment's, from which seeds follow."""
        for point in self.points():
            text = canonical(point)
            for trial in range(self.trials):
                yield Job(text, trial, seed_of(name, text, trial))


@attrs.frozen
class Job:
    """One trial to run: the parameters in canonical form, its place from 0, and its seed."""

    parameters: str
    trial: int
    seed: int


def canonical(parameters: Parameters) -> str:
    """Parameters as JSON in one way only: keys in order, no blanks."""
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def seed_of(experiment: str, parameters: str, trial: int) -> int:
    """The seed of a trial, in 0..2**63-1: a digest of what it is a trial of."""
    key = json.dumps([experiment, parameters, trial]).encode()
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") >> 1


def _with_values(
    product: Product, name: str, wanted: Sequence[Value], known: Sequence[Value]
) -> Product:
    """A product with other values of a parameter, but for those known from other products alone."""
    if name not in product:
        return product
    return {
        **product,
        name: [value for value in wanted if value in product[name] or value not in known],
    }
