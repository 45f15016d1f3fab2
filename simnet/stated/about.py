"""What is said about a protocol: the record that stands beside its script, in `about.py`.

The script is the algorithm; nothing in it serves an instrument. A function `about` beside it takes
the protocol and returns this record, with everything worked out for the protocol's parameters:

    def about(protocol: Echo) -> About:
        return About(name="echo", estimator="a", workload=Workload(messages=2, elements=2))

A scenario names that function (`Scenario(protocol=Echo, about=about, ...)`), and so each instrument
finds the record. Everything but the name is optional: what an instrument does without a field is
said beside the field.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import attrs

from simnet.kernel.run import Run
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement

# Of a population: how many users hold each item, the sum of their numbers, or of each column.
Totals = Any
Listed = Mapping[str, Mapping[str, Sequence[str]]]  # kind of fact -> whose -> names and items


@attrs.frozen(kw_only=True)
class Workload:
    """What a run moves, about: enough to refuse an absurd one before it starts."""

    messages: int
    elements: int  # values of whatever kind that the messages carry
    element_bits: int | None = None  # of field elements; None where values are of other kinds


@attrs.frozen(kw_only=True)
class About:
    """What is said about one protocol with its parameters."""

    name: str
    """Called by everything that shows the protocol to a person, and by the bill's JSON."""

    estimator: str | None = None
    """The party whose output is the estimate. Without it there is no figure of an estimate, and the
    protocol cannot be a group of a weighted aggregation."""

    parameters: Mapping[str, Any] = attrs.field(factory=dict)
    """Settings as the protocol took them, by name, where that is no field of the protocol: an ε
    that was left out and got its default. Without them JSON shows the settings as they were set."""

    workload: Workload | None = None
    """Called before a run, to refuse one that would never end. Without it nothing is refused."""

    expected_squared_l2: float | None = None
    """The mean of the squared L2 error, where it is known before anything is known of the users, or
    its largest value. Called by advice and by weighted aggregation, which weighs groups by it."""

    expected_bill: Callable[[Run], Sequence[Expectation]] | None = None
    """The entries of the protocol's cost table for a run. Without it there is no bill to compare
    with, only what the ledger measured."""

    assess: Callable[[Run, Totals], Assessment] | None = None
    """Holds a run's estimate against the truth. Without it a run shows its outputs alone."""

    privacy: Callable[[Run, Totals, float | None, float | None], Sequence[PrivacyStatement]] = (
        lambda *_: ()
    )
    """The privacy of each view of a run, at an ε and at a δ, or at the protocol's own where these
    are None. Raises `ValueError` for an ε or a δ that is none. Without it nothing is stated."""

    disclosure: Callable[[Collection[str]], Disclosure | None] = lambda _: None
    """What messages with these tags (and `TRAFFIC`, when the network is watched) tell of an input
    besides field elements; None for a view of which nothing is stated. Without it the discrete part
    of every view is "not judged"."""

    public: Callable[[Run], Listed] = lambda _: {}
    """What travelled in clear, to be shown beside a verdict."""


Describe = Callable[[Any], About]  # takes the protocol that the record is about
