"""The sampling design: groups of users, and the probability that a user of each group reports.

Source: Biswas, Cormode and Maple, *Impact of Sampling on Locally Differentially Private Data
Collection*, sections 3 and 5.
"""

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.odds import real
from protocols.mechanisms.unary import UnaryReports
from simnet.arrays import Floats, Ints
from simnet.values.wire import manifest_of

NONE = 0  # stands for no report
Response = GRR | UnaryReports  # of a user who reports


def _sizes(members: npt.ArrayLike) -> Ints:
    if not np.size(members):
        raise ValueError("users is at least 1, got 0")
    return checks.whole_numbers("users", np.atleast_1d(members), 1, np.iinfo(np.int64).max)


def _chances(sampling: npt.ArrayLike) -> Floats:
    return np.atleast_1d(checks.doubles("a sampling chance", sampling))


@attrs.frozen(eq=False)
class SamplingDesign:
    """The public parameters of a sampled collection, which every estimator uses.

    `response` perturbs the item of those who report: `GRR` or a unary encoding. `members` are the
    sizes of the K groups, and `sampling` are their reporting probabilities in (0, 1]. A single
    number stands for a single group. Raises `ValueError` for values out of range.

    >>> from protocols import GRR
    >>> design = SamplingDesign(GRR(epsilon=1.0, items=3), members=[100, 300], sampling=[0.5, 0.1])
    >>> design.users, design.budget
    (400, 80.0)
    """

    response: Response
    members: Ints = attrs.field(converter=_sizes)  # n_k >= 1, shape (K,)
    sampling: Floats = attrs.field(converter=_chances)  # π_k, 0 < π_k <= 1, shape (K,)

    def __attrs_post_init__(self) -> None:
        checks.sampling(self.sampling, len(self.members))

    @classmethod
    def of_each(cls, response: Response, sampling: npt.ArrayLike) -> "SamplingDesign":
        """Return the design of users with probabilities π_j of their own, shape (n,).

        Each user is a group.
        """
        chances = _chances(sampling)
        return cls(response, np.ones(len(chances), dtype=np.int64), chances)

    @property
    def users(self) -> int:
        """The number of users, n."""
        return int(self.members.sum())

    @property
    def budget(self) -> float:
        """The expected number of reports, B."""
        return float(self.members @ self.sampling)

    @property
    def common(self) -> float:
        """The common probability of all users, π. Raises `ValueError` if there are several."""
        first = float(self.sampling[0])
        if (self.sampling != first).any():
            several = len(set(self.sampling.tolist()))
            raise ValueError(
                f"users have {several} different probabilities of reporting, not one: use "
                "the formula horvitz-thompson or pooled"
            )
        return first

    @property
    def chances(self) -> tuple[float, float, float]:
        """The probabilities p and q of the response, and p - q."""
        p, q = self.response.exact_chances
        return float(p), float(q), real(p - q)

    @property
    def has_single_items(self) -> bool:
        """Whether a report names one item, so that the supports add up to the number of reports."""
        return isinstance(self.response, GRR)

    def counted(
        self, supports: npt.ArrayLike, reports: npt.ArrayLike | None = None
    ) -> tuple[Ints, Ints]:
        """Return, after a check, the supports of each group and its number of reports.

        Supports have shape (K, N), or (N,) for a single group. `reports`, shape (K,), is needed for
        unary encodings only: the supports of randomised response add up to the number of reports.

        Raises `ValueError` for other shapes, for supports below 0, for missing `reports`, and for a
        group with more reports than users or more supports of an item than reports.
        """
        groups, items = len(self.members), self.response.items
        rows = np.asarray(supports)
        if rows.shape != (groups, items) and (groups > 1 or rows.shape != (items,)):
            raise ValueError(f"supports have shape ({groups}, {items}), got {rows.shape}")
        counts = checks.whole_numbers("supports", rows.ravel(), 0, self.users).reshape(
            groups, items
        )
        came = counts.sum(axis=1) if self.has_single_items else self._reports(counts, reports)
        if (came > self.members).any():
            group = int(np.argmax(came > self.members))
            raise ValueError(
                f"group {group + 1} sends at most one report for each user, "
                f"{self.members[group]} in all, got {came[group]}"
            )
        return counts, came

    def _reports(self, counts: Ints, reports: npt.ArrayLike | None) -> Ints:
        if reports is None:
            raise ValueError(
                "a report of a unary encoding supports any number of items: "
                "give the number of reports too"
            )
        groups = len(self.members)
        came = checks.whole_numbers("reports", np.ravel(reports), 0, self.users, groups)
        if (counts > came[:, np.newaxis]).any():
            raise ValueError(
                "an item cannot have more supports in a group than the group has reports"
            )
        return came

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """Return how many reports of each group name each item; shape (K, N).

        `reports` are those of randomised response, of all users, group after group, shape (n,),
        with 0 for no report. Raises `ValueError` for a report outside 0..N, and for another number
        of reports than of users.
        """
        return self._by_group(
            checks.whole_numbers("reports", reports, NONE, self.response.items, self.users)
        )

    def holder_shares(self, values: npt.ArrayLike) -> Floats:
        """Return the share of each group that holds each item; shape (K, N).

        `values` are the items of all users, group after group.
        """
        items = checks.whole_numbers("values", values, 1, self.response.items, self.users)
        return self._by_group(items) / self.members[:, np.newaxis]

    def by_group(self, share: npt.ArrayLike) -> Floats:
        """Return the shares of holders for each group; shape (K, ...).

        Shares without a row for each group count as equal in every group. Raises `ValueError` for
        shares outside [0, 1], and for another number of rows than of groups.
        """
        shares = checks.shares(share)
        by_row = shares.ndim == 2
        if by_row and len(shares) != len(self.members):
            raise ValueError(
                f"shares have one row for each of {len(self.members)} groups, got shape "
                f"{shares.shape}"
            )
        return shares if by_row else np.broadcast_to(shares, (len(self.members), *shares.shape))

    def total(self, share: npt.ArrayLike) -> Any:
        """Return the share of all users who hold an item."""
        return np.tensordot(self.members / self.users, self.by_group(share), 1)[()]

    def _by_group(self, items: Ints) -> Ints:
        width = self.response.items + 1
        group = np.repeat(np.arange(len(self.members)), self.members)
        return np.bincount(group * width + items, minlength=width * len(self.members)).reshape(
            -1, width
        )[:, 1:]


def report_bytes(response: Response) -> int:
    """Return the payload of one report's message in bytes.

    The payload has ⌈log₂ N⌉ bits for randomised response and N bits for a unary encoding, filled up
    to bytes.
    """
    return manifest_of((response.form.wire, response.form.shape[1:])).payload_bytes
