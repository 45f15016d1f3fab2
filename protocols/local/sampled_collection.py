"""Frequencies of items from users of whom each sends a randomised response with probability π, or nothing.

The response is GRR over any items, or Joy and Gerla's over two. Learns: the server, who reports and one ε-locally
private report of each of these; users, nothing. Silence tells the server nothing of what a user holds, and costs no
message. Source: Biswas, Cormode and Maple, *Impact of Sampling on Locally Differentially Private Data Collection*,
section 3; estimates are by ĉ, which has the smaller variance.
"""

from collections.abc import Collection, Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local import checks, collection
from protocols.local.accuracy import assess_frequencies
from protocols.local.collection import REPORT, SEATINGS, Seating
from protocols.local.response import JoyGerla
from protocols.local.sampled import SampledGRR
from protocols.privacy.statement import Statement
from protocols.privacy.views import reader_of_reports
from protocols.secure.checks import one_of
from simnet.adversary.discrete import Disclosure
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.kernel.run import Run
from simnet.kernel.tags import Voluntary
from simnet.record.bill import Expectation
from simnet.record.ledger import Traffic
from simnet.roster import Seat
from simnet.study.scenario import Assessment
from simnet.values.rows import Tally, tally
from simnet.values.typed import Typed

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

OWN_REPORT = Voluntary(REPORT.name)


@attrs.frozen
class SampledCollection:
    """What every party knows. An input is an item in 1..N."""

    users: int  # n >= 1
    mechanism: SampledGRR | JoyGerla
    population: Seating = "actors"

    name = "sampled_frequency"
    estimator = "server"

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        one_of("population", self.population, SEATINGS)

    @property
    def items(self) -> int:
        """N, the number of items."""
        return self.mechanism.items

    @property
    def epsilon(self) -> float:
        """The ε that the mechanism is made with, or that follows from what it is made with."""
        return self.mechanism.exact_epsilon if isinstance(self.mechanism, JoyGerla) else self.mechanism.epsilon

    def parties(self) -> Mapping[str, Seat]:
        """The users, on one seat or on many, and the server."""
        return collection.seated(self.population, self.users)

    async def user(self, me: Party, held: Any) -> None:
        """Toss whether to report, perturb the item if so, and send; or do so for each member of a crowd."""
        await me.send_rows(OWN_REPORT, to="server", rows=self.reports(np.atleast_1d(held), me.coins))

    async def server(self, me: Party) -> Floats:
        """Count the reports that name each item; shape (N,), unbiased frequencies, not clipped."""
        supports = await me.gather_tally(OWN_REPORT, me.all("user"), self._supports)
        return self.mechanism.estimate(supports.plain, self.users)

    def reports(self, values: Ints, coins: Coins) -> Typed | Tally:
        """What users who hold these values, shape (n,), send: the reports of some, or what these add up to."""
        if self.population != "aggregate":
            return self.mechanism.payload(self.mechanism.perturb(values, coins))
        held = checks.whole_numbers("values", values, 1, self.items)
        counts = self.mechanism.draw_supports(np.bincount(held, minlength=self.items + 1)[1:], coins)
        return tally(counts, int(counts.sum()), like=self.mechanism.form)

    def _supports(self, rows: Typed) -> Ints:
        return self.mechanism.supports(self.mechanism.received(rows.numbers()))

    def assess(self, run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        """Hold the estimate against the true support, shape (N,); normal intervals by the exact variance."""
        return assess_frequencies(self.mechanism, run.outputs["server"], support, confidence)

    def workload(self) -> tuple[int, int]:
        """Messages and elements of a run in which everybody reports."""
        return self.users, self.users

    def expected_bill(self, run: Run) -> list[Expectation]:
        """One index for each report that was sent, of which there are n π on average."""
        sampling, reports = float(self.mechanism.sampling), self._reports(run)

        def entry(role: str, quantity: str, direction: Any, scope: Any, exact: float, expected: float) -> Expectation:
            return Expectation(role, "communication", quantity, direction, scope, "wire", exact, expected)

        kind = self.mechanism.form.wire.kind
        return [
            entry("user", kind, "sent", "per-user", reports / self.users, sampling),
            entry("user", "rounds", "none", "total", min(reports, 1), 1 - (1 - sampling) ** self.users),
            entry("server", kind, "received", "total", reports, self.users * sampling),
        ]

    def _reports(self, run: Run) -> int:
        """How many reports were sent."""
        if isinstance(self.mechanism, SampledGRR):  # estimates add up to S / (n π)
            return round(float(run.outputs["server"].sum()) * self.users * float(self.mechanism.sampling))
        # estimates add up to 1, whatever came: what the server received is held against what users sent
        return run.ledger.by("role", "sent").get("user", Traffic()).messages

    def disclosure(self, tags: Collection[str]) -> Disclosure | None:
        """What a view tells of a user: its report or its silence, up to the mechanism's ε."""
        return collection.disclosure(tags, self.mechanism.exact_epsilon, self.mechanism.continuous)

    def privacy(self, run: Run, totals: Any, epsilon: float | None, delta: float | None) -> list[Statement]:
        """The exact ε of a report or its absence, for each user by itself."""
        del run, totals, delta
        return [reader_of_reports(self.mechanism.exact_epsilon, self.mechanism.continuous, epsilon)]


def sampled_frequency(
    *, users: int, items: int, epsilon: float = 1.0, sampling: float = 0.1, population: Seating = "actors"
) -> SampledCollection:
    """A collection with this ε from users who report with the chance `sampling` each."""
    return SampledCollection(users, SampledGRR(epsilon, items, sampling), population)
