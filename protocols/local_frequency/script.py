"""Frequencies of items from locally perturbed reports.

Learns: the server, one ε-locally private report of each user; users, nothing. Source: Wang et al.,
*Locally Differentially Private Protocols for Frequency Estimation*, 2017, section 3.
What is said about these collections stands in `about.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from typing import Protocol as Interface

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import Chance, one_of
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.named import OVER_ITEMS, RECIPES, RESPONSES
from protocols.mechanisms.named import mechanism as mechanism_named
from protocols.mechanisms.pure import Pure
from protocols.mechanisms.unary import UnaryReports
from protocols.reports import collection
from protocols.reports.collection import SEATINGS, Mechanism, Population, Seating
from simnet.arrays import Floats, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.roster import Seat
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed

USUAL_EPSILON = 1.0


class FrequencyMechanism(Mechanism, Interface):
    """What a collection asks of a mechanism over items 1..N.

    The mechanism draws reports, says how they travel, and estimates frequencies from their counts.
    """

    @property
    def items(self) -> int:
        """N."""
        ...

    @property
    def epsilon(self) -> float:
        """The ε that it is made with, or that follows from what it is made with."""
        ...

    @property
    def sampling(self) -> Chance:
        """The chance that a user reports; below 1 only where a report names a single item."""
        ...

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Any:
        """One report a user, or what stands for none."""
        ...

    def payload(self, reports: Any) -> Typed:
        """Reports as they travel, row k the k-th that is sent."""
        ...

    def received(self, numbers: Numbers) -> Any:
        """Reports from the numbers that arrived."""
        ...

    def supports(self, reports: Any) -> Ints:
        """How many reports support each item; shape (N,)."""
        ...

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """The supports of a population, drawn without its reports; shapes (N,).

        `holders` are how many of its users hold each item.
        """
        ...

    def estimate(self, supports: npt.ArrayLike, users: int) -> Floats:
        """Unbiased frequencies, shape (N,)."""
        ...

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """The variance of the estimated frequency of an item that `share` of the users hold."""
        ...

    @property
    def support_chances(self) -> tuple[float, float]:
        """The chances (p, q): a report supports the own item with p, any other with q."""
        ...

    @property
    def answers_one_question(self) -> bool:
        """Whether the estimates of two items add up to 1, and have the same variance."""
        ...

    @property
    def expected_error_depends_on_truth(self) -> bool:
        """Whether the expected squared error of all estimates depends on what the users hold."""
        ...


@attrs.frozen
class FrequencyCollection:
    """What every party knows. An input is an item in 1..N."""

    users: int  # n >= 1
    mechanism: FrequencyMechanism
    population: Seating = "actors"

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        one_of("population", self.population, SEATINGS)

    @property
    def items(self) -> int:
        """N, the number of items."""
        return self.mechanism.items

    @property
    def epsilon(self) -> float:
        """The ε of the mechanism."""
        return self.mechanism.epsilon

    def parties(self) -> Mapping[str, Seat]:
        """The users, on one seat or on many, and the server."""
        return collection.seats_of(self.population, self.users, self.user, self.server)

    async def user(self, me: Party, items: Sealed) -> None:
        """Perturb the item, or those of a crowd, and send the report, or each of them.

        A user who stays silent sends no message.
        """
        await me.send_rows(self._tag, to="server", rows=me.disclose(self.reports, items))

    async def server(self, me: Party) -> Floats:
        """Count the reports that support each item.

        Shape (N,), unbiased frequencies, not clipped.
        """
        supports = await me.gather_tally(self._tag, me.all("user"), self._supports)
        return self.mechanism.estimate(supports.plain, self.users)

    def reports(self, items: int | Ints, coins: Coins) -> Any:
        """The perturbed reports on an item, or on those of a crowd, as they travel."""
        values = np.atleast_1d(items)
        return collection.rows_sent(self.population, self.mechanism, values, coins)

    @property
    def columns(self) -> Sequence[slice]:
        """All estimates are shares of the items of one column."""
        return [slice(0, self.items)]

    @property
    def count_variance(self) -> tuple[float, float] | None:
        """The variance of an estimated count, V₀ + slope · count, as (V₀, slope)."""
        mechanism = self.mechanism
        if not isinstance(mechanism, Pure) or mechanism.expected_error_depends_on_truth:
            return None
        return mechanism.count_variance(self.users)

    @property
    def has_independent_items(self) -> bool:
        """Whether a report is independent bits, one for each item."""
        return isinstance(self.mechanism, UnaryReports)

    @property
    def single_item_chances(self) -> tuple[float, float] | None:
        """The chances p and q of randomised response; None for another mechanism."""
        return self.mechanism.support_chances if isinstance(self.mechanism, GRR) else None

    @property
    def _tag(self) -> Tag:
        return collection.report_tag(self.mechanism.sampling)

    def _supports(self, rows: Typed) -> Ints:
        return self.mechanism.supports(self.mechanism.received(rows.numbers()))


def local_frequency(
    *,
    users: int,
    items: int,
    mechanism: Annotated[str, f"how a user perturbs its item: {', '.join(OVER_ITEMS)}"] = "oue",
    epsilon: Annotated[
        float | None, "ε of a report, above 0; 1 unless set; not for joy-gerla"
    ] = None,
    truthful: Annotated[
        float | None, "for joy-gerla: the chance of a truthful answer, from 0 to 1"
    ] = None,
    yes: Annotated[
        float | None, "for joy-gerla: the chance of yes in other answers, from 0 to 1"
    ] = None,
    sampling: Annotated[
        float | None, "for joy-gerla: the chance that a user reports, above 0, at most 1"
    ] = None,
    population: Population = "actors",
) -> FrequencyCollection:
    """A collection with one of the mechanisms oue, sue, grr, olh, hadamard, warner and joy-gerla.

    The last two are for two items. `epsilon` is 1 unless given; joy-gerla has `truthful`, `yes`
    and, if users may be left out, `sampling` in its place. Raises `ValueError` for another name,
    and for settings that the mechanism does not have or lacks.
    """
    one_of("mechanism", mechanism, OVER_ITEMS)
    recipe, chances = RECIPES[mechanism], {"truthful": truthful, "yes": yes, "sampling": sampling}
    if epsilon is None and "epsilon" in recipe.needs:
        epsilon = USUAL_EPSILON
    if mechanism in RESPONSES and items != 2:
        raise ValueError(
            f"{mechanism} answers a question with yes or no, item 1 or 2: give it 2 items, "
            f"got {items}"
        )
    size = {"items": items} if "items" in recipe.needs else {}
    instance: Any = mechanism_named(mechanism, epsilon=epsilon, **size, **chances)
    return FrequencyCollection(users, instance, population)
