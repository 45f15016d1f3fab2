"""Sentences of a paper that are judged by computing, without any run.

An experiment of sentences has one point for each sentence. Its trial returns the number that is
right, as `value`, and, for a misprint, the number that should be printed, as `instead`.
"""

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from pathlib import Path

import attrs

from simnet.nearest import did_you_mean
from simnet.studies.experiment import Measurements, Parameters
from simnet.studies.quote import Bound, Counterpart, Quote, Stated
from simnet.studies.readings import counted
from simnet.studies.table import Table
from simnet.studies.verdict_table import Data

AXIS = "sentence"  # the parameter that names a sentence
Computed = Callable[[Path | None], float]  # given the folder of data, or None


@attrs.frozen
class Sentence:
    """A sentence of a paper: what it says, and how the right number is computed.

    `printed` is a number as text, or what the paper states in words. `value` computes the right
    number, or, for a statement about many places, the share of the places at which the statement
    holds. If the number is `counted` in the data, it is a measured number, and no law gives an
    expected one.
    `instead` computes what should be printed, and `correction` says so. The other fields are those
    of a quote. As there, `correction`, `why` and `disputed` are complete sentences.
    """

    source: str
    what: str
    printed: str | Stated
    value: Computed
    correction: str = ""
    instead: Computed | None = None
    why: str = "What we computed disagrees with the text."
    bound: Bound = ""
    under: str = attrs.field(default="", kw_only=True)
    data: Data | None = attrs.field(default=None, kw_only=True)
    points: str = attrs.field(default="", kw_only=True)
    disputed: str = attrs.field(default="", kw_only=True)
    counted: bool = attrs.field(default=False, kw_only=True)

    @property
    def name(self) -> str:
        """The name of the sentence's point: what it says, and how it is read."""
        return f"{self.what} ({self.under})" if self.under else self.what

    def values(self, data: Path | None) -> Measurements:
        """Return the numbers of the sentence's trial."""
        found = {"value": float(self.value(data))}
        return found if self.instead is None else {**found, "instead": float(self.instead(data))}

    def quote(self) -> Quote:
        """Return the quote of this sentence, which reads the sentence's own point."""

        def reading(table: Table) -> Counterpart:
            value = table.at("value", sentence=self.name).mean
            if isnan(value):
                raise ValueError("the sentence has no number for these people")
            if self.counted:
                return counted(value)
            return Counterpart(value, share=isinstance(self.printed, Stated))

        def meant(table: Table) -> float:
            return table.at("instead", sentence=self.name).mean

        return Quote(
            self.source,
            self.what,
            self.printed,
            reading,
            self.correction,
            None,
            None if self.instead is None else meant,
            self.why,
            self.bound,
            under=self.under,
            data=self.data,
            points=self.points,
            disputed=self.disputed,
        )


def evaluated(
    sentences: Sequence[Sentence], parameters: Parameters, data: Path | None
) -> Measurements:
    """Return the numbers of the sentence that the parameters name.

    Raises `ValueError` for a name that no sentence has.
    """
    by_name: Mapping[str, Sentence] = {one.name: one for one in sentences}
    name = str(parameters[AXIS])
    if name not in by_name:
        raise ValueError(f"no sentence is called {name!r}{did_you_mean(name, by_name)}")
    return by_name[name].values(data)
