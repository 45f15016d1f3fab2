"""Frequencies of items from users who report only with some probability.

Each user sends a perturbed report with some probability, and otherwise nothing. Users belong to
groups, and all users of a group report with the same probability. A report is a randomised response
or a unary encoding; it supports the item that it names, or every item whose bit is 1. The server
learns at most who reports, and one ε-locally private report of each user who reports; users learn
nothing. As long as the probability does not depend on the user's item, silence tells the server
nothing about the item. Silence costs no message.

Source: Biswas, Cormode and Maple, *Impact of Sampling on Locally Differentially Private Data
Collection*, sections 3 and 5.
"""

import functools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any

import attrs
import numpy as np

from protocols import checks
from protocols.checks import ROUNDING, Chance, one_of
from protocols.mechanisms.unary import OUE, SUE
from protocols.reports import collection
from protocols.reports.collection import (
    OWN_REPORT,
    SEATINGS,
    Population,
    Seating,
    linear_count_variance,
)
from protocols.sampled_frequency.estimators import ESTIMATORS, Linear, Ratio
from protocols.sampled_frequency.mechanism import SampledGRR, SampledUnary
from protocols.sampled_frequency.sampling_design import SamplingDesign
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.printable import count_of
from simnet.record.fate import Happened
from simnet.roster import Seat
from simnet.values.rows import tally
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed

UNARY = {"oue": OUE, "sue": SUE}
RESPONSES = ("grr", *UNARY)


@attrs.frozen
class SampledCollection:
    """A collection from sampled users: the parameters, which every party knows, and the scripts.

    `members` are the sizes n_k >= 1 of the groups. `mechanisms` has one `SampledGRR` or one
    `SampledUnary` per group; these may differ only in the probability to report. `formula` names
    the estimator; `population` is `actors`, `crowd` or `aggregate`. A user's input is an item in
    1..N; users come group after group. The output of the server has, for each item, the estimated
    share of the users who hold it; shape (N,).

    Raises `ValueError` for parameters out of range.

    >>> from protocols import SampledGRR, SampledUnary
    >>> from simnet import run
    >>> half = SampledGRR(epsilon=2.0, items=3, sampling=0.5)
    >>> collection = SampledCollection(members=(4,), mechanisms=(half,))
    >>> run(collection, [1, 3, 3, 2], seed=7).outputs["server"].shape
    (3,)
    """

    members: tuple[int, ...]  # n_k >= 1
    mechanisms: tuple[SampledGRR, ...] | tuple[SampledUnary, ...]  # of each group
    formula: str = "horvitz-thompson"  # an estimator by name
    population: Seating = "actors"

    def __attrs_post_init__(self) -> None:
        one_of("population", self.population, SEATINGS)
        one_of("formula", self.formula, tuple(ESTIMATORS))
        groups, mechanisms = len(self.members), len(self.mechanisms)
        if groups != mechanisms or not groups:
            raise ValueError(
                "there is at least one group, and one mechanism for each: got "
                f"{count_of(groups, 'group')} and {count_of(mechanisms, 'mechanism')}"
            )
        if any(each.response != self.mechanism.response for each in self.mechanisms):
            raise ValueError(
                "the mechanisms of groups may differ only in the probability to report, got "
                f"{self.mechanisms}"
            )
        _ = self.estimates

    @property
    def users(self) -> int:
        """The number of users, n."""
        return sum(self.members)

    @property
    def items(self) -> int:
        """The number of items, N."""
        return self.mechanism.items

    @property
    def epsilon(self) -> float:
        """The ε of a report."""
        return self.mechanism.epsilon

    @property
    def sampling(self) -> float | str:
        """The probability to report; for several groups, their probabilities with commas
        between.
        """
        chances = [float(mechanism.sampling) for mechanism in self.mechanisms]
        return chances[0] if len(chances) == 1 else ",".join(map(str, chances))

    @property
    def mechanism(self) -> SampledGRR | SampledUnary:
        """The mechanism of the first group; those of other groups differ only in how often users
        report.
        """
        return self.mechanisms[0]

    @functools.cached_property
    def estimates(self) -> Linear | Ratio:
        """The estimator that the server uses."""
        chances = [float(mechanism.sampling) for mechanism in self.mechanisms]
        return ESTIMATORS[self.formula](
            SamplingDesign(self.mechanism.response, self.members, chances)
        )

    def parties(self) -> Mapping[str, Seat]:
        """Return the users as `u1`..`un`, or every group as a crowd, and the server."""
        if self.population == "actors" or len(self.members) == 1:
            return collection.seats_of(self.population, self.users, self.user, self.server)
        crowds = {
            f"crowd{k}": Seat(self.user, k, members)
            for k, members in enumerate(self.members, start=1)
        }
        return {**crowds, "server": Seat(self.server)}

    async def user(self, me: Party, items: Sealed) -> None:
        """Decide by a coin whether to report; if so, perturb the item and send it.

        A crowd does so for each of its members.
        """
        mechanism = self.mechanisms[self._group(me.index)]
        reports = me.disclose(self.reports, items, mechanism)
        await me.send_rows(OWN_REPORT, to="server", rows=reports)

    async def server(self, me: Party) -> Floats:
        """Count the reports of each group that support each item, and estimate.

        Returns, for each item, the estimated share of users who hold it; shape (N,), not clipped.
        """
        names = me.names("user")
        counts = np.stack(
            [
                (await me.gather_tally(OWN_REPORT, names[place], self._counts)).plain
                for place in self._group_places
            ]
        )
        supports, reports = counts[:, : self.items], counts[:, self.items :]
        return self.estimates.estimate(supports, reports if reports.size else None)

    async def estimated(self, me: Party) -> tuple[Floats, int]:
        """Return the estimates and the number of users."""
        return await self.server(me), self.users

    @property
    def least_reports(self) -> None:
        """None: the server needs all users, because a missing report may be silence."""
        return

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the parties that play users: the server needs all of them."""
        return collection.counted(self, happened)

    def reports(self, items: int | Ints, mechanism: SampledGRR | SampledUnary, coins: Coins) -> Any:
        """Return what is sent for an item or for a crowd's items: reports, or their tally."""
        values = np.atleast_1d(items)
        if self.population != "aggregate" or isinstance(mechanism, SampledGRR):
            return collection.rows_sent(self.population, mechanism, values, coins)
        holders = np.bincount(values, minlength=self.items + 1)[1:]
        supports, reports = mechanism.draw_supports(holders, coins)
        return tally(np.append(supports, reports), reports, like=mechanism.form)

    @property
    def columns(self) -> Sequence[slice]:
        """The slice of each column in the estimate: here one slice, which is the whole estimate."""
        return [slice(0, self.items)]

    @property
    def count_variance(self) -> tuple[float, float] | None:
        """The pair (V₀, slope), where an estimated count has variance V₀ + slope · count.

        None if groups report with different probabilities, or if the estimator is biased or not
        linear.
        """
        estimator = self.estimates
        if not isinstance(estimator, Linear):
            return None
        alike = (estimator.sample.sampling == estimator.sample.sampling[0]).all()
        unbiased = all(abs(estimator.mean(share) - share) <= ROUNDING for share in (0.0, 1.0))
        if not (alike and unbiased):
            return None
        return linear_count_variance(estimator.variance, self.users)

    @property
    def has_independent_items(self) -> bool:
        """False: a report may name a single item, and users may stay silent."""
        return False

    @property
    def single_item_chances(self) -> None:
        """None: users may stay silent."""
        return

    def _counts(self, rows: Typed) -> Ints:
        """Return how many of the reports support each item; shape (N,).

        For a unary encoding the last entry is the number of reports; shape (N + 1,).
        """
        mechanism, numbers = self.mechanism, rows.numbers()
        if isinstance(mechanism, SampledGRR):
            return mechanism.supports(mechanism.received(numbers))
        return np.append(mechanism.supports(mechanism.received(numbers)), len(numbers))

    @functools.cached_property
    def _group_places(self) -> list[slice]:
        ends = np.cumsum(
            self.members
            if self.population == "actors"
            else np.ones(len(self.members), dtype=np.int64)
        )
        return [
            slice(start, end)
            for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
        ]

    def _group(self, index: int) -> int:
        return int(np.searchsorted([place.stop for place in self._group_places], index))


def sampled_frequency(
    *,
    users: int,
    items: int,
    mechanism: Annotated[
        str, f"how a user who reports perturbs its item: {', '.join(RESPONSES)}"
    ] = "grr",
    epsilon: Annotated[float, "ε of a report, above 0"] = 1.0,
    sampling: Annotated[
        Chance | str | Sequence[Chance],
        "the probability that a user reports, above 0 and at most 1; several, with commas between, "
        "for as many groups, whose sizes differ by at most 1",
    ] = 0.1,
    formula: Annotated[str, f"the estimator: {', '.join(ESTIMATORS)}"] = "horvitz-thompson",
    population: Population = "actors",
) -> SampledCollection:
    """Return a collection with this ε from users who report with probability `sampling`.

    `mechanism` is grr (randomised response), or oue or sue (unary encodings, with N bits a report
    in place of one index). For an item that nobody holds, the default formula has a smaller
    variance with oue than with grr if N > 3 e^ε + 2.

    Several probabilities, in a sequence or as text such as `0.1,0.5`, make as many equal groups; if
    the users do not divide evenly, the first groups have one more user. `formula` is
    horvitz-thompson (with one probability the paper's ĉ), pooled (T) or direct (c); and, if all
    groups have the same probability, per-report (ĉ), centred (g) or ratio. Raises `ValueError` for
    values out of range, for more groups than users, and for a formula that needs one probability
    if there are several.
    """
    checks.whole("users", users, 1)
    one_of("mechanism", mechanism, RESPONSES)
    chances = _chances(sampling)
    if not 1 <= len(chances) <= users:
        raise ValueError(
            "there are at most as many probabilities as users, and at least one, got "
            f"{len(chances)} for users={users}"
        )
    sizes = [
        users // len(chances) + (place < users % len(chances)) for place in range(len(chances))
    ]
    mechanisms: Any
    if mechanism == "grr":
        mechanisms = tuple(SampledGRR(epsilon, items, chance) for chance in chances)
    else:
        response = UNARY[mechanism](epsilon, items)
        mechanisms = tuple(SampledUnary(response, chance) for chance in chances)
    return SampledCollection(tuple(sizes), mechanisms, formula, population)


def _chances(sampling: Chance | str | Sequence[Chance]) -> Sequence[Chance]:
    if isinstance(sampling, int | float | Fraction):
        return [sampling]
    if not isinstance(sampling, str):
        return sampling
    try:
        return [float(part) for part in sampling.split(",")]
    except ValueError:
        message = f"sampling is a probability, or several separated by commas, got {sampling!r}"
        raise ValueError(message) from None
