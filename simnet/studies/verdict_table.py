"""The three columns of a verdict on a quoted number, and the headline that they give.

A paper prints a number or states something. We compare it with three things, and keep the three
answers apart, because each answer can be missing:

- *law*: what follows from an exact formula, if we have one;
- *runs*: what our own trials found;
- *data*: whose data the trials used.

A headline sums up the three answers. For example, if our formula confirms a statement, but too few
trials were run to see this, then the statement "holds by the law"; it is not "reproduced".
"""

from typing import Literal, get_args

import attrs

Law = Literal["agrees", "with correction", "disagrees", "none"]
Runs = Literal["confirm", "undecided", "contradict", "none"]
DataStatus = Literal["none needed", "original", "partial", "stand-in", "made up"]
Headline = Literal[
    "reproduced",
    "reproduced with correction",
    "holds by the law",
    "holds by the law with correction",
    "computed",
    "computed with correction",
    "undecided",
    "fails by the law",
    "not reproduced",
    "law and runs differ",
    "agrees on other data",
    "agrees with correction on other data",
    "holds by the law on other data",
    "holds by the law with correction on other data",
    "fails by the law on other data",
    "disagrees on other data",
    "not run",
]
LAWS: tuple[Law, ...] = get_args(Law)
RUNS: tuple[Runs, ...] = get_args(Runs)
STATUSES: tuple[DataStatus, ...] = get_args(DataStatus)
HEADLINES: tuple[Headline, ...] = get_args(Headline)
FAITHFUL: tuple[DataStatus, ...] = ("none needed", "original")


@attrs.frozen
class Data:
    """Where the people of a number came from.

    `status` is "none needed" if the number does not depend on data, or if the paper states the law
    of its made-up people; "original" for the paper's data; "partial" for a part of these;
    "stand-in" for other real data; "made up" where no data were at hand. `what` says in words
    which part, or which other data.
    """

    status: DataStatus
    what: str = ""

    @property
    def in_words(self) -> str:
        """The status, with the words that explain it.

        >>> stand_in("Adult for BR").in_words
        'stand-in: Adult for BR'
        """
        return f"{self.status}: {self.what}" if self.what else self.status


NONE_NEEDED, ORIGINAL, MADE_UP = Data("none needed"), Data("original"), Data("made up")


def partial(what: str) -> Data:
    """Return the status of a part of the paper's data; `what` says which share."""
    return Data("partial", what)


def stand_in(what: str) -> Data:
    """Return the status of other real data in place of the paper's; `what` names both data sets."""
    return Data("stand-in", what)


# The headline by law (rows, in the order of `LAWS`) and runs (in the order of `RUNS`).
_ON_THE_PAPERS_DATA: dict[Law, tuple[Headline, Headline, Headline, Headline]] = {
    "agrees": ("reproduced", "holds by the law", "law and runs differ", "computed"),
    "with correction": (
        "reproduced with correction",
        "holds by the law with correction",
        "law and runs differ",
        "computed with correction",
    ),
    "disagrees": (
        "law and runs differ",
        "fails by the law",
        "not reproduced",
        "fails by the law",
    ),
    "none": ("reproduced", "undecided", "not reproduced", "not run"),
}
# Other data neither reproduce a number nor refute it. A law evaluated on other data does neither.
_ON_OTHER_DATA: dict[Law, tuple[Headline, Headline, Headline, Headline]] = {
    "agrees": (
        "agrees on other data",
        "holds by the law on other data",
        "law and runs differ",
        "holds by the law on other data",
    ),
    "with correction": (
        "agrees with correction on other data",
        "holds by the law with correction on other data",
        "law and runs differ",
        "holds by the law with correction on other data",
    ),
    "disagrees": (
        "law and runs differ",
        "fails by the law on other data",
        "disagrees on other data",
        "fails by the law on other data",
    ),
    "none": ("agrees on other data", "undecided", "disagrees on other data", "not run"),
}


def headline(law: Law, runs: Runs, status: DataStatus) -> Headline:
    """Return the headline that follows from the three columns of a verdict: law, runs and data.

    >>> headline("agrees", "undecided", "none needed")
    'holds by the law'
    >>> headline("none", "confirm", "stand-in")
    'agrees on other data'
    """
    table = _ON_THE_PAPERS_DATA if status in FAITHFUL else _ON_OTHER_DATA
    return table[law][RUNS.index(runs)]


def table_in_words() -> list[str]:
    """Return the table of headlines as lines of Markdown: a row for each answer of the
    law, once for the paper's data and once for other data, and a column for each answer of the
    runs.
    """
    lines = ["| data | law | " + " | ".join(f"runs: {runs}" for runs in RUNS) + " |"]
    lines.append("|-" * (2 + len(RUNS)) + "|")
    for words, status in (("the paper's, or none needed", "original"), ("other", "stand-in")):
        for law in LAWS:
            found = [headline(law, runs, status) for runs in RUNS]  # type: ignore[arg-type]
            lines.append(f"| {words} | {law} | {' | '.join(found)} |")
    return lines
