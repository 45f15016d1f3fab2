"""How many users must collude: the sizes of the smallest breaking sets, over users and runs."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from simnet import markup
from simnet.adversary.search import MAX_SIZE, BreakingSearch
from simnet.scenario.scenario import Scenario
from simnet.scenario.verify import CONFIDENCE, clopper_pearson, played


@attrs.frozen(repr=False)
class Sizes:
    """The sizes of the smallest breaking sets: by run, one for each user.

    None stands for a user whom no set breaks. `unsearched` and `overlooked` are those of the
    searches, see `BreakingSets`.
    """

    runs: tuple[tuple[int | None, ...], ...]
    complete: bool
    note: str
    unsearched: str = ""
    overlooked: str = ""

    @property
    def smallest(self) -> int | None:
        """The size of the smallest set that was found; None if there is none."""
        return min((size for run in self.runs for size in run if size is not None), default=None)

    @property
    def safe(self) -> int | None:
        """The largest number of users that read nothing in any of these runs.

        None where no number of users reads anything, and where small sets may have been overlooked.
        """
        return None if self.smallest is None or self.overlooked else self.smallest - 1

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table, by the size of a set.

        Each has the share of users whom so many others can break, and the share of runs in which
        they can break somebody.
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
        """Return a matplotlib figure: by size, how many users and runs so many colluders break."""
        from simnet.scenario.figure import breaking_figure  # that module needs this class

        return breaking_figure(self)

    def __repr__(self) -> str:
        lines = [
            f"{row['size']} colluding users break {row['users']:.1%} of the users, and somebody in "
            f"{row['runs']:.1%} of the runs"
            for row in self.rows()
        ]
        return "\n".join(lines) or "no set of users breaks anybody"

    def _repr_html_(self) -> str:
        heads = ["colluding users", "users they can break", "runs in which somebody is", "interval"]
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
        """The table, and what it says about a bound."""
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
    scenario: Scenario,
    seeds: Sequence[int],
    max_size: int = MAX_SIZE,
    progress: Callable[[int], None] = lambda _: None,
) -> Sizes:
    """The smallest breaking sets of every user in runs of these seeds.

    `progress` is called after each run.
    """
    runs, complete = [], True
    notes, unsearched, overlooked = dict[str, None](), dict[str, None](), dict[str, None]()
    for seed in seeds:
        search = BreakingSearch(played(scenario, seed))
        searches = [search.search(user, max_size) for user in search.users()]
        runs.append(tuple(search_result.smallest for search_result in searches))
        complete = complete and all(search_result.complete for search_result in searches)
        for search_result in searches:
            notes[search_result.note] = None
            unsearched[search_result.unsearched] = None
            overlooked[search_result.overlooked] = None
        progress(1)
    note, never, missed = ("; ".join(filter(None, of)) for of in (notes, unsearched, overlooked))
    return Sizes(tuple(runs), complete, note, never, missed)
