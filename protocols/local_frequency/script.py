"""Frequencies of items from locally perturbed reports.

Each user perturbs its item and sends one ε-locally private report to the server; with joy-gerla a
user may stay silent by chance. A report *supports* items: with GRR the one item that it names, with
a unary encoding every item whose bit is 1, so perhaps none. The server counts how many reports
support each item, and computes unbiased frequencies. The server learns at most the reports; users
learn nothing. If users drop out, the server estimates from the reports that came, unless users stay
silent by chance: then it needs all users.

Source: Wang et al., *Locally Differentially Private Protocols for Frequency Estimation*, 2017,
section 3.
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
from protocols.reports.collection import (
    SEATINGS,
    FewestReports,
    Mechanism,
    Population,
    Seating,
)
from simnet.arrays import Floats, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.record.fate import Happened
from simnet.roster import Seat
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed

USUAL_EPSILON = 1.0


class FrequencyMechanism(Mechanism, Interface):
    """What a collection needs of a mechanism over items 1..N."""

    @property
    def items(self) -> int:
        """The number of items, N."""
        ...

    @property
    def epsilon(self) -> float:
        """The requested ε, or the ε that follows from the requested probabilities."""
        ...

    @property
    def sampling(self) -> Chance:
        """The probability that a user reports; below 1 only if a report names a single item."""
        ...

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Any:
        """Return one report for each user, or the value that stands for no report."""
        ...

    def payload(self, reports: Any) -> Typed:
        """Return the reports, encoded for sending; row k is the k-th report that is sent."""
        ...

    def received(self, numbers: Numbers) -> Any:
        """Return the reports that the received numbers stand for."""
        ...

    def supports(self, reports: Any) -> Ints:
        """Return how many reports support each item; shape (N,)."""
        ...

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """Draw the supports of a population without drawing its reports; shape (N,).

        `holders` counts the users who hold each item.
        """
        ...

    def estimate(self, supports: npt.ArrayLike, users: int) -> Floats:
        """Return unbiased frequencies; shape (N,)."""
        ...

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """Return the variance of the estimated frequency of an item that `share` of the users
        hold.
        """
        ...

    @property
    def support_chances(self) -> tuple[float, float]:
        """The chances (p, q) that a report supports its user's item, and a given other item."""
        ...

    @property
    def answers_one_question(self) -> bool:
        """Whether the second of two estimates is computed as 1 minus the first, so that both have
        the same variance.
        """
        ...

    @property
    def expected_error_depends_on_truth(self) -> bool:
        """Whether the expected squared error of all estimates depends on the users' items."""
        ...


@attrs.frozen
class FrequencyCollection:
    """A collection of frequencies: the parameters, which every party knows, and the scripts.

    `users` is n >= 1, and `mechanism` perturbs items 1..N, such as `OUE(epsilon, items)`.
    `population` says how the users are seated: `actors`, `crowd` or `aggregate`. A user's input is
    an item in 1..N; the output of the server is the array of the estimated frequencies; shape (N,).
    Users who are actors may drop out, as long as at least `fewest_reports` reports come, unless
    users stay silent by chance. The frequencies are then estimated from the reports of the users
    who were counted.

    Raises `ValueError` for parameters out of range.

    >>> from protocols import GRR
    >>> from simnet import run
    >>> collection = FrequencyCollection(users=4, mechanism=GRR(epsilon=20.0, items=3))
    >>> run(collection, [1, 3, 3, 2], seed=7).outputs["server"].round(3).tolist()
    [0.25, 0.25, 0.5]

    >>> from simnet import Fate
    >>> # u4 drops out before it sends its report
    >>> done = run(collection, [1, 3, 3, 2], seed=7, fates={"u4": Fate("report")})
    >>> collection.counted(done.happened)
    ('u1', 'u2', 'u3')
    >>> (3 * done.outputs["server"]).round().astype(int).tolist()  # of these three users
    [1, 0, 2]
    """

    users: int  # n >= 1
    mechanism: FrequencyMechanism
    population: Seating = "actors"
    fewest_reports: int | None = None  # from 1 to n; None is 1

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        collection.check_fewest(self.fewest_reports, self.users)
        one_of("population", self.population, SEATINGS)

    @property
    def items(self) -> int:
        """The number of items, N."""
        return self.mechanism.items

    @property
    def epsilon(self) -> float:
        """The ε of the mechanism."""
        return self.mechanism.epsilon

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: the users, as actors or as one crowd, and the server."""
        return collection.seats_of(self.population, self.users, self.user, self.server)

    async def user(self, me: Party, items: Sealed) -> None:
        """Perturb the item and send the report; a crowd does so for each member.

        A user who stays silent sends no message.
        """
        await me.send_rows(self._tag, to="server", rows=me.disclose(self.reports, items))

    async def server(self, me: Party) -> Floats:
        """Count the reports that support each item, and estimate frequencies.

        Returns unbiased frequencies, shape (N,), not clipped. Raises `Abort` for fewer reports than
        `least_reports`.
        """
        estimates, _ = await self.estimated(me)
        return estimates

    async def estimated(self, me: Party) -> tuple[Floats, int]:
        """Return the unbiased frequencies, and the number of users on whose reports they are based.

        Users who stay silent by chance are included in this number.
        """
        users, least = me.all("user"), self.least_reports
        if least is None:
            supports = await me.gather_tally(self._tag, users, self._supports)
            return self.mechanism.estimate(supports.plain, self.users), self.users
        rows: Typed = await me.gather_rows(self._tag, users, at_least=least)
        return self.estimate(rows), len(rows.numbers())

    def estimate(self, rows: Typed) -> Floats:
        """Return unbiased frequencies, shape (N,), from these reports."""
        return self.mechanism.estimate(self._supports(rows), len(rows.numbers()))

    @property
    def least_reports(self) -> int | None:
        """The fewest reports with which the server goes on.

        None if the server needs all users. An aggregate is the sum of all reports; and where users
        can stay silent by chance, a missing report may be silence.
        """
        needs_all = self.population == "aggregate" or self.mechanism.sampling != 1
        return None if needs_all else self.fewest_reports or 1

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the parties that the estimate counts, a crowd as one party; nobody if the server
        had too few reports. If the server needs all users, all of them are returned, even if the
        run was aborted because a user dropped out.
        """
        return collection.counted(self, happened)

    def reports(self, items: int | Ints, coins: Coins) -> Any:
        """Return what a user or a crowd sends about its items: perturbed reports, or their tally if
        the population is `aggregate`.
        """
        values = np.atleast_1d(items)
        return collection.rows_sent(self.population, self.mechanism, values, coins)

    @property
    def columns(self) -> Sequence[slice]:
        """The slice of each column in the estimate: here one slice, which is the whole estimate."""
        return [slice(0, self.items)]

    @property
    def count_variance(self) -> tuple[float, float] | None:
        """The pair (V₀, slope), where an estimated count has variance V₀ + slope · count.

        None if the variance depends on the count in another way, as with joy-gerla.
        """
        mechanism = self.mechanism
        if not isinstance(mechanism, Pure) or mechanism.expected_error_depends_on_truth:
            return None
        return mechanism.count_variance(self.users)

    @property
    def has_independent_items(self) -> bool:
        """Whether a report consists of independent bits, one for each item."""
        return isinstance(self.mechanism, UnaryReports)

    @property
    def single_item_chances(self) -> tuple[float, float] | None:
        """The probabilities p and q of GRR and Warner; None for another mechanism.

        A report is the user's own item with probability p, and a given other item with probability
        q.
        """
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
        float | None, "ε of a report, above 0; by default 1; not for joy-gerla"
    ] = None,
    truthful: Annotated[
        float | None,
        "for joy-gerla: the probability that a user must tell the truth, above 0, at most 1",
    ] = None,
    yes: Annotated[
        float | None,
        "for joy-gerla: the probability of yes if the user need not tell the truth, from 0 to 1",
    ] = None,
    sampling: Annotated[
        float | None, "for joy-gerla: the probability that a user reports, above 0, at most 1"
    ] = None,
    population: Population = "actors",
    fewest_reports: FewestReports = None,
) -> FrequencyCollection:
    """Return the protocol that collects the users' items with the mechanism called `mechanism`.

    The names are oue, sue, grr, olh, hadamard, warner and joy-gerla; the last two are for two
    items. `epsilon` is 1 by default; joy-gerla takes `truthful`, `yes` and optionally `sampling`
    instead. Raises `ValueError` for another name, for settings that are missing, out of range or
    not settings of the mechanism, and for another number of items than two with the last two names.
    """
    one_of("mechanism", mechanism, OVER_ITEMS)
    recipe, chances = RECIPES[mechanism], {"truthful": truthful, "yes": yes, "sampling": sampling}
    if epsilon is None and "epsilon" in recipe.needs:
        epsilon = USUAL_EPSILON
    if mechanism in RESPONSES and items != 2:
        raise ValueError(
            f"{mechanism} is for questions with two answers, such as yes and no: it needs 2 items, "
            f"got {items}"
        )
    size = {"items": items} if "items" in recipe.needs else {}
    instance: Any = mechanism_named(mechanism, epsilon=epsilon, **size, **chances)
    return FrequencyCollection(users, instance, population, fewest_reports)
