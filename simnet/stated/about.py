"""The record of what is stated about a protocol.

The script is only the algorithm. A function `about`, mostly in a file `about.py` beside the script,
takes the protocol and returns this record for the protocol's parameters::

    def about(protocol: Echo) -> About:
        return About(name="echo", estimator="a", workload=Workload(messages=2, elements=2))

A scenario names that function, as in `Scenario(protocol=Echo, about=about, ...)`, so that the
commands find the record. Every field except the name is optional.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import attrs

from simnet.kernel.run import Run
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement

# The totals of a population: the count of each item, the sum of the users' numbers or, for a
# table, such sums and counts for all columns.
Totals = Any
# Public facts: by kind, such as "reporting_sets" or "elected", and then by the user or the item
# that a fact is about, the names of items or users.
Listed = Mapping[str, Mapping[str, Sequence[str]]]


@attrs.frozen(kw_only=True)
class Workload:
    """An estimate of how much a run sends.

    `elements` counts the values of any kind in the messages. `element_bits` is the number of bits
    of a field element, or None if the values are of other kinds.

    >>> Workload(messages=2, elements=2).messages
    2
    """

    messages: int
    elements: int
    element_bits: int | None = None


@attrs.frozen(kw_only=True)
class About:
    """What is stated about one protocol with its parameters.

    >>> About(name="echo").name
    'echo'
    """

    name: str
    """The protocol's name, as people see it."""

    estimator: str | None = None
    """The party whose output is the estimate. If this party drops out, the run counts as aborted. A
    protocol that weights the estimates of several groups of users needs this field of each group's
    protocol."""

    parameters: Mapping[str, Any] = attrs.field(factory=dict)
    """Values of settings as the protocol uses them, by name, such as an ε that got its default. For
    a setting that is neither here nor a field of the protocol, JSON shows what was given."""

    workload: Workload | None = None
    """An estimate of how much a run sends, so that the program can refuse a too large run."""

    expected_squared_l2: float | None = None
    """The mean of the squared L2 error, or None. If this mean depends on the users' inputs, the
    protocol says which number stands here, such as the largest value."""

    expected_bill: Callable[[Run], Sequence[Expectation]] | None = None
    """Returns the entries of the protocol's cost table for a run. Without it, the bill shows only
    what the ledger measured."""

    assess: Callable[[Run, Totals], Assessment] | None = None
    """Compares a run's estimate with the truth."""

    privacy: Callable[[Run, Totals, float | None, float | None], Sequence[PrivacyStatement]] = (
        lambda *_: ()
    )
    """Returns the privacy of each view of a run: the δ at an ε and the ε at a δ, or a pure ε alone.
    None in place of a number stands for the protocol's own number. Raises `ValueError` for a number
    at which nothing can be stated. Without this function, no privacy is stated."""

    disclosure: Callable[[Collection[str]], Disclosure | None] = lambda _: None
    """Returns what messages with these tags reveal of an input, apart from field elements. The tag
    `TRAFFIC` stands for a view of the network. Returns None if nothing is stated of a view. A
    verdict uses this statement if simnet itself cannot find the law of the disclosed values, or if
    the statement is stronger. Without this function, such values are "not judged" in the first
    case."""

    public: Callable[[Run], Listed] = lambda _: {}
    """Returns the plain values that messages carried; the JSON of a verdict lists them. Without
    this function, the list is empty."""


# A function that takes a protocol and returns the protocol's record.
Describe = Callable[[Any], About]
