"""Experiments: a trial, a grid of parameters to repeat the trial on, and the results to show.

A trial is a function of its parameters, a seed and a folder of data. It returns numbers by name
and, if it uses people's data, a text under the name `people` that says where these came from. The
seed of a trial follows from the experiment's name, the parameters and the trial's number. So the
seeds do not depend on where and in which order trials run. Parameters that are `paired`, such as
the method, do not count for the seed, so that all methods of a trial can draw the same people.
"""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from simnet.errors import BadInput
from simnet.nearest import did_you_mean
from simnet.network.network import Network
from simnet.network.presets import PRESETS
from simnet.network.toml_file import as_toml, network_named
from simnet.scenario.scenario import parsed
from simnet.scenario.settings import Setting
from simnet.studies.data import NONE_NEEDED, Data
from simnet.studies.paper_claim import PaperClaim
from simnet.studies.table import Measure, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = str | int | float | bool | None
Parameters = Mapping[str, Value]
Product = Mapping[str, Sequence[Value]]
Measurements = Mapping[str, float | str]
LABEL = "people"  # the name under which a trial returns a text that says where its people came from
DROP = "drop"  # the probability that a party drops out: a parameter of experiments that take it
NETWORK = "network"  # the network on which runs are timed: a parameter of experiments that take it
SECONDS = Measure("seconds", "seconds until the last party ends")
# The columns of a trial whose run was aborted: by whom, in which round, and why.
OF_ABORTS = ("aborted_by", "aborted_in_round", "aborted_because")
OWN_COLUMNS = frozenset(
    {"experiment", "trial", "seed", "code", "data", "completed", *OF_ABORTS}
)  # the columns that every table may have
OF_SUMMARIES = frozenset({"measure", "mean", "low", "high", "expected", "holds", "trials", LABEL})
# The most trials at one point of the grid, because trials are counted one by one.
MOST_TRIALS = 10**7
# A trial is called with its parameters, its seed and the folder of data.
Trial = Callable[[Parameters, int, Path | None], Measurements]


def _a_tenth(parameters: Parameters) -> float:  # noqa: ARG001  # the interface requires the argument
    return 0.1


@attrs.frozen
class Word:
    """The threshold of a word that a paper gives no number for, and what the threshold means."""

    threshold: float
    meaning: str


@attrs.frozen(eq=False)
class Experiment:
    """A trial that `simnet sweep` and `simnet reproduce` repeat on a grid of parameters.

    - `trial` is called with the parameters, a seed and the folder of data (or None).
    - `grid` is a union of products. A product maps the names of parameters to lists of values, and
      stands for all points that combine one value of each.
    - `trials` is the number of trials at each point of the grid.
    - `exact` says that trials draw no coins. By default it is True if `trials` is 1.
    - `quick` maps parameters to the values that a quick run keeps. If the grid has none of these
      values of a parameter, a quick run takes them in place of the grid's. `quick_trials` is the
      number of trials at each point of a quick run.
    - `files` are the names of the data files that trials read from the folder. Trials without a
      folder make up people.
    - `data` says where the people come from if a folder of data is given. A claim may have a `data`
      of its own. If there are `files`, and a claim without `data` and law, the experiment needs
      `data`.
    - `words` maps the words of the paper that need a threshold, such as "slightly", to thresholds.
    - `choices` are sentences that say how the experiment is run: what was chosen where the source
      leaves something open, and what follows the source.
    - `cost` estimates how many seconds of one core a trial takes.
    - `figure` draws a table as a matplotlib figure.
    - `takes_drop` says that trials take a parameter `drop`, the probability that a party drops out,
      which the grid need not have: `--set drop=0,0.1`.
    - `takes_network` says that trials take a parameter `network` in the same way, and then return
      the `seconds` of their run on this network: `--network mobile`.
    - `paired` names the parameters that do not count for a trial's seed. Trials with the same
      number whose other parameters are equal have one seed, so that they can draw the same people.

    Raises `ValueError` for a parameter with a reserved name, such as `seed` or `mean`, for `files`
    without `data` if a claim has no `data` of its own, and for two claims of one name.

    >>> squares = Experiment(
    ...     summary="squares",
    ...     source="none",
    ...     trial=lambda parameters, seed, folder: {"square": parameters["x"] ** 2},
    ...     grid=[{"x": [1, 2, 3]}],
    ...     measures=[],
    ... )
    >>> squares.points()
    [{'x': 1}, {'x': 2}, {'x': 3}]
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
    data: Data = NONE_NEEDED
    words: Mapping[str, Word] = attrs.field(factory=dict)
    choices: Sequence[str] = ()
    claims: Sequence[PaperClaim] = ()
    figure: "Callable[[Table], Figure] | None" = None
    cost: Callable[[Parameters], float] = _a_tenth
    takes_drop: bool = False
    takes_network: bool = False
    paired: Sequence[str] = ()

    def __attrs_post_init__(self) -> None:
        if (
            self.files
            and self.data == NONE_NEEDED
            and any(claim.data is None and claim.law is None for claim in self.claims)
        ):
            raise ValueError(
                "say with data= whether the files hold the paper's data (ORIGINAL), a part of "
                "these data, or other data in their place"
            )
        times = Counter(claim.name for claim in self.claims)
        twice = next((name for name, count in times.items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"two claims are called {twice!r}")
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
        """Return every point of the grid once, in the order of the grid."""
        found: dict[str, dict[str, Value]] = {}
        for product in self.grid:
            for values in itertools.product(*product.values()):
                point = dict(zip(product, values, strict=True))
                found.setdefault(canonical(point), point)
        return list(found.values())

    def quickly(self) -> "Experiment":
        """Return the experiment with the few values and trials of a quick run."""
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
        """Return the experiment with other values of some parameters, given as `"0.2,0.4"`.

        A value that some products of the grid already have is used only in these products. For
        example, let each of two protocols have a product. If you name one of the protocols, the
        product of the other one is left out. Raises `BadInput` for an unknown name, for a value of
        another type than the parameter's or with characters that cannot be printed, for an unknown
        network, and if no point of the grid is left.
        """
        optional: dict[str, tuple[bool, Value]] = {
            DROP: (self.takes_drop, 0.0),
            NETWORK: (self.takes_network, ""),
        }
        added = {
            name: default
            for name, (taken, default) in optional.items()
            if taken and name not in self.axes
        }
        names = (*self.axes, *added)
        unknown = next((name for name in given if name not in names), None)
        if unknown is not None:
            raise BadInput(
                f"no parameter is called {unknown!r}{did_you_mean(unknown, names)}: "
                f"this experiment has {', '.join(names) or 'no parameters'}"
            )
        grid = self.grid
        for name, default in added.items():
            if name in given:
                grid = [{**product, name: [default]} for product in grid]
        for name, text in given.items():
            if not text.isprintable():
                raise BadInput(f"{name}={text!r} has characters that cannot be printed")
            known = [value for product in grid for value in product.get(name, ())]
            setting = Setting(name, known[0] if known else None, None, "")
            # The name of a sentence may have commas.
            parts = [text] if text in known else text.split(",")
            wanted = [parsed(setting, part.strip()) for part in parts]
            if name == NETWORK and name in added:
                wanted = [network_key(str(value)) for value in wanted]
            grid = [_with_values(product, name, wanted, known) for product in grid]
        chosen = attrs.evolve(self, grid=grid)
        if given and not chosen.points():
            together = " and ".join(f"{name}={text}" for name, text in given.items())
            raise BadInput(f"this experiment has no trial with {together}")
        return chosen

    def with_words(self, given: Mapping[str, str]) -> "Experiment":
        """Return the experiment with other thresholds of words, given as `"0.2"`.

        Words that the experiment does not have are ignored. Raises `BadInput` for a threshold that
        is no finite number.
        """
        words = dict(self.words)
        for name, text in given.items():
            if name in words:
                words[name] = attrs.evolve(words[name], threshold=_threshold(name, text))
        return attrs.evolve(self, words=words)

    def table(self, rows: Sequence[Mapping[str, Any]], synthetic: bool) -> Table:
        """Return the table of trials; `synthetic` says that made-up people stand in for data."""
        is_timed = self.takes_network and NETWORK in self.axes
        return Table(
            rows,
            self.axes,
            [*self.measures, SECONDS] if is_timed else self.measures,
            synthetic,
            self.exact,
            self.data,
            {name: word.threshold for name, word in self.words.items()},
        )

    def with_trials(self, trials: int | None) -> "Experiment":
        """Return the experiment with another number of trials at each point, or unchanged if
        `trials` is None.

        Raises `BadInput` for a number below 1 or above 10 million.
        """
        if trials is None:
            return self
        if trials < 1:
            raise BadInput(f"the number of trials is at least 1, got trials={trials}")
        if trials > MOST_TRIALS:
            raise BadInput(
                f"the number of trials at a point is at most {MOST_TRIALS:,}, got {trials:,}"
            )
        return attrs.evolve(self, trials=trials)

    def jobs(self, name: str) -> Iterator["Job"]:
        """Yield every trial of every point.

        `name` is the experiment's name.
        """
        for point in self.points():
            text = canonical(point)
            counts = {axis: value for axis, value in point.items() if axis not in self.paired}
            seeded_by = canonical(counts)
            for trial in range(self.trials):
                yield Job(text, trial, seed_of(name, seeded_by, trial))


@attrs.frozen
class Job:
    """One trial to run: its parameters in canonical form, its number from 0, and its seed."""

    parameters: str
    trial: int
    seed: int


def network_key(name: str) -> str:
    """Return the value of a parameter that stands for a network: the network's name or, for a TOML
    file, the file's name with a digest of the network. Results are kept under this value, so it
    changes if the file describes another network.

    Raises `BadInput` if there is no such network.

    >>> network_key("mobile")
    'mobile'
    """
    network = network_named(name)
    if name in PRESETS:
        return name
    digest = hashlib.blake2b(as_toml(network).encode(), digest_size=4).hexdigest()
    return f"{name}#{digest}"


def network_of(key: str) -> Network:
    """Return the network that a value of `network_key` stands for.

    Raises `BadInput` if the file has changed since and describes another network, or none.
    """
    name = key.rpartition("#")[0] or key
    if network_key(name) != key:
        raise BadInput(
            f"the file {name} describes another network than when the sweep began: repeat the "
            "command to run the trials on the new network"
        )
    return network_named(name)


def canonical(parameters: Parameters) -> str:
    """Return the parameters as JSON in canonical form, with the keys in order."""
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def seed_of(experiment: str, parameters: str, trial: int) -> int:
    """Return a trial's seed in 0..2**63-1: a digest of experiment, parameters and number."""
    key = json.dumps([experiment, parameters, trial]).encode()
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") >> 1


def _with_values(
    product: Product, name: str, wanted: Sequence[Value], known: Sequence[Value]
) -> Product:
    if name not in product:
        return product
    return {
        **product,
        name: [value for value in wanted if value in product[name] or value not in known],
    }


def _threshold(word: str, text: str) -> float:
    try:
        threshold = float(text)
    except ValueError:
        threshold = nan
    if not isfinite(threshold):
        raise BadInput(f"the threshold of {word!r} is a finite number, got {text!r}")
    return threshold
