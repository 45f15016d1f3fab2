"""The smallest number of users who can read another user's secret, over several runs.

A *breaking set* of a user is a set of other users who can together compute a function of this
user's secrets alone. We say that they *read* a secret of this user.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from simnet import markup
from simnet.adversary.coalitions.answer import NoSecrets
from simnet.errors import BadInput
from simnet.scenario.large_coalitions import OneRun, search_coalitions, users_among
from simnet.scenario.scenario import Scenario
from simnet.scenario.verify import CONFIDENCE, clopper_pearson

SEARCHED = "sets of users of any size were searched"
# If there are more parties of other roles than this, they are not listed one by one.
OTHERS_NAMED = 4


@attrs.frozen(repr=False)
class Sizes:
    """The sizes of the smallest breaking sets: `runs[i]` has one size for each party with a
    secret in run i.

    The size is None for a party for whom no breaking set was found. `note` says what was searched,
    and `unsearched` which coalitions were not. `overlooked` says why breaking sets of users, even
    small ones, may have been missed. Texts are empty if there is nothing to say.
    """

    runs: tuple[tuple[int | None, ...], ...]
    note: str = SEARCHED
    unsearched: str = ""
    overlooked: str = ""

    @property
    def complete(self) -> bool:
        """Whether no breaking set of users was missed that is smaller than the one found."""
        return not self.overlooked

    @property
    def smallest(self) -> int | None:
        """The size of the smallest breaking set that was found, or None if none was found."""
        return min((size for run in self.runs for size in run if size is not None), default=None)

    @property
    def safe(self) -> int | None:
        """The largest number s for which the search shows that no s users can read a secret of
        another user in any of these runs.

        The value is None if no breaking set was found, or if the search is not complete.
        """
        return None if self.smallest is None or self.overlooked else self.smallest - 1

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table, one for each size that occurs in the field `runs`.

        A row's `users` is the share of the parties with a secret, counted anew in each run, for
        whom a breaking set of at most this size was found. Its `runs` is the share of runs with
        such a party, and `interval` the 95 % confidence interval of this share.
        """
        users = Counter(size for run in self.runs for size in run)
        least = Counter(
            min((size for size in run if size is not None), default=None) for run in self.runs
        )
        everybody, count = sum(users.values()), len(self.runs)
        rows, broken, leaking = [], 0, 0
        for size in sorted(size for size in users if size is not None):
            broken, leaking = broken + users[size], leaking + least[size]
            interval = list(clopper_pearson(leaking, count))
            rows.append(
                {
                    "size": size,
                    "users": broken / everybody,
                    "runs": leaking / count,
                    "interval": interval,
                }
            )
        return rows

    def plot(self) -> Any:
        """Return a matplotlib figure with the numbers of `rows`, by number of colluding users."""
        # Imported here, because that module imports this module.
        from simnet.scenario.figure import breaking_figure

        return breaking_figure(self)

    def __repr__(self) -> str:
        lines = [
            f"colluding users: at most {row['size']}; users with a readable secret: "
            f"{row['users']:.1%}; runs with such a user: {row['runs']:.1%}"
            for row in self.rows()
        ]
        among = "no set of users" if self.complete else "of the sets that were searched, none"
        nothing = f"{among} can compute a function of another user's secrets in these runs"
        return "\n".join(lines) or nothing

    def _repr_html_(self) -> str:
        heads = [
            "colluding users",
            "users with a readable secret",
            "runs with such a user",
            "interval",
        ]
        rows = [
            [
                row["size"],
                f"{row['users']:.1%}",
                f"{row['runs']:.1%}",
                f"{row['interval'][0]:.1%} to {row['interval'][1]:.1%}",
            ]
            for row in self.rows()
        ]
        return markup.table(heads, rows, numbers=range(4)) if rows else markup.paragraph(self)

    def as_json(self) -> dict[str, Any]:
        """Return the rows of the table and the notes on the search, for JSON."""
        return {
            "runs": len(self.runs),
            "confidence": CONFIDENCE,
            "rows": self.rows(),
            "safe": self.safe,
            "complete": self.complete,
            "note": self.note,
            "unsearched": self.unsearched,
            "overlooked": self.overlooked,
        }


def smallest_sizes(
    scenario: Scenario, seeds: Sequence[int], progress: Callable[[int], None] = lambda _: None
) -> Sizes:
    """Return the sizes of the smallest breaking sets of users, in runs with these seeds.

    `progress` is called after each run. Raises `BadInput` for runs that cannot be searched: for
    example, if no party declares a secret in any of them.
    """
    about = scenario.described(scenario.build(scenario.users, scenario.items))
    runs: list[tuple[int | None, ...]] = []
    unsearched, overlooked = dict[str, None](), dict[str, None]()
    for seed in seeds:
        sizes: dict[str, int | None] = {}
        try:
            searched = search_coalitions(OneRun(scenario, "", seed), about, only_users=True)
        except NoSecrets:
            pass
        else:
            users = users_among(searched.run, searched.declaring)
            found = searched.found.smallest_sizes()
            sizes = {name: found.get(name) for name in users if name in searched.declaring}
            unsearched[
                _others([name for name in searched.run.roster.names if name not in users])
            ] = None
            overlooked |= dict.fromkeys(searched.found.unsearched())
        runs.append(tuple(sizes.values()))
        progress(1)
    if not any(runs):
        raise BadInput(
            "no party has declared a secret (me.secret) in these runs, so there is nothing to "
            "search: simnet verify says what a coalition sees"
        )
    never, missed = ("; ".join(filter(None, texts)) for texts in (unsearched, overlooked))
    return Sizes(tuple(runs), "" if missed else SEARCHED, never, missed)


def _others(names: Sequence[str]) -> str:
    """What is said about coalitions with parties that are no users."""
    if not names:
        return ""
    named = ", ".join(names) if len(names) <= OTHERS_NAMED else f"{names[0]}..{names[-1]}"
    return f"coalitions with parties of another role ({named})"
