"""The page of quoted numbers: a section for each experiment with quotes, and a row for each quote.

A page is written anew from its sections, and read again to update it: `simnet reproduce NAME --page
FILE` replaces the section of NAME and, in the other sections, only the headlines of the verdicts.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import attrs

from simnet.errors import BadInput
from simnet.files import write_whole
from simnet.foreign import text_of
from simnet.studies.experiment import Experiment
from simnet.studies.quote import INFORMATIVE, LEVEL, Ruling, number_in_words
from simnet.studies.report import Report
from simnet.studies.statements import listed_in_words
from simnet.studies.table import CONFIDENCE
from simnet.studies.verdict_table import (
    HEADLINES,
    LAWS,
    RUNS,
    STATUSES,
    headline,
    table_in_words,
)

DISPUTED = " *Disputed*: "  # stands before the reason, at the end of a disputed row
LONGEST_LIST = 200  # names of points that take more characters than this are counted, not listed
TITLE = "# Quoted numbers"
COLUMNS = (
    "statement",
    "in the paper",
    "printed",
    "expected",
    "measured",
    "chance",
    "trials",
    "law",
    "runs",
    "data",
    "verdict",
)
HEADER = f"| {' | '.join(COLUMNS)} |"
EXPLANATION = f"""\
Each row compares a number or a statement of a paper with what we compute, and with what our trials
measured. A *point* is one setting of an experiment's parameters, for example one ε with one number
of users. A *trial* runs an experiment once at a point, and *our runs* are all trials. By the *law*
we mean what we compute without any trial: a probability distribution, its mean, or another exact
number.

The columns of a row:

- *Statement* says what is compared. The words after "read as" say how we read the text where it
  allows several readings; each reading has a row of its own. The words after "judged at" name the
  points, or other instances, at which the row is judged.
- *In the paper* is the place where the paper prints the number or makes the statement.
- *Printed* is the number in the paper, or what a printed formula gives.
  *Stated* with a number means that the paper does not print this number. It says the number in
  words, or the number follows from its words as the row reads them. For example, "stated: at least
  1" in a row about a quotient means that the first number is not the smaller one.
  *Stated* alone means that the paper makes a statement without a number. For a statement about
  many points the other columns show the share of the points at which it holds; 1 stands for all of
  them. For a theorem, and for any other statement that is not about points, they show 1 if it
  holds and 0 if not.
  The range of a printed number contains all numbers that round to its digits: the range of 0.77
  goes from 0.765 to 0.775. Below, a printed number agrees, or lies inside an interval, if some
  number of its range does. For example, an expected 0.774 keeps the printed bound "at most 0.77".
  Numbers that are only stated, and formulas, are not rounded.
- *Expected* is the number that follows from the law. It is empty where we know no law.
- *Measured* is the number that our runs give, with an interval that holds with probability
  {CONFIDENCE * 100:g} %; the intervals behind a statement about many points hold jointly with this
  probability. *Unknown* means that too few trials ran for an interval, and "expected value
  outside" that the interval does not contain the expected number.
- *Chance* is given for a number that the paper simulated, where we know its law; formulas and
  bounds have no chance. It is small if the law makes a number as far out as the printed one
  unlikely. We compute two probabilities under the law: that of a number in the printed number's
  range or below it, and that of a number in this range or above it. The chance is twice the smaller
  of the two, but at most 1. The law is taken to be a gamma law. Its mean is the expected number,
  and its standard deviation follows from our law or, where no law gives one, from our trials.
- *Trials* is the number of trials at each point. It is empty where the number is computed, or
  counted in the data. A counted number is "measured" with an interval without width.
- *Law* says whether the printed number agrees with the expected one. A bound agrees if the expected
  number keeps it, a simulated number if its chance is at least {LEVEL * 100:g} %, and any other
  number if the expected one rounds to it. Some rows about a formula allow a difference: they say
  "approximately", or how large it may be. In such a row a number agrees if it differs from the
  printed one by at most a share of the printed one, which the row or its section names. The rules
  for *runs* then treat all numbers that agree as the printed number. *None* means that we know no
  law, or that we do not know how far the paper's own runs scatter. If the number does not agree,
  and we know what is wrong in the paper, then the columns *law* and *runs* are about the corrected
  number: *with correction* means that it agrees.
- *Runs* says whether our runs confirm the number. The first of these rules that applies decides:

  1. *None*, if we measured nothing.
  2. *Undecided*, if the measured numbers allow no reading, or if we do not know how far the paper's
     own runs scatter. The cell *measured* may be empty then, and the verdict says why.
  3. A bound, "at least" or "at most": *confirm*, if all numbers of the measured interval keep it;
     *contradict*, if none does; otherwise *undecided*.
  4. A statement: *confirm*, if the interval is 1 alone (1 to 1); *contradict*, if it does not
     contain 1; *undecided*, if it contains 1 and also less, however narrow it is.
  5. Any other number: *contradict*, if it lies outside the interval. There is one exception for a
     number that the paper simulated. It counts as inside if the paper's own runs may scatter so
     far: if they had the nearer end of our interval as their mean, the number would have a chance
     of {LEVEL * 100:g} % or more.
  6. A number inside the interval: *undecided*, if the interval as a whole is wider than
     {INFORMATIVE * 100:g} % of the measured value; otherwise *confirm*.

  One rule comes after these: *confirm* becomes *undecided* if the law disagrees and the interval
  also contains the expected number, because such runs do not tell the two numbers apart. Where runs
  are undecided about a statement, more trials would decide only if the compared numbers differ
  enough. They never would where these numbers are equal; the row says so if we know it.
- *Data* says whose data these were. A *partial* or *stand-in* data set and *made up* people neither
  reproduce a number nor refute it; the table below calls them "other" data.
- *Verdict* is a word or phrase that follows from the three columns law, runs and data. A note after
  it says, for example, what is wrong in the paper or why the verdict is open. A row is *disputed*
  if a fair reader of the paper may come to another verdict. Such a row says why, and all of them
  are listed below.

The verdicts by data, law and runs:
"""


@attrs.frozen
class Section:
    """A section of the page: the name of its experiment, its heading, and the lines below."""

    name: str
    heading: str
    lines: tuple[str, ...]

    @property
    def rows(self) -> list[list[str]]:
        """The cells of each row, in the order of `COLUMNS`."""
        table = [line for line in self.lines if line.startswith("| ") and line != HEADER]
        return [_cells(line) for line in table]

    @property
    def with_present_headlines(self) -> "Section":
        """The section, with new headlines: each follows from the law, runs and data of its row."""
        lines = (
            _with_headline(line) if line.startswith("| ") and line != HEADER else line
            for line in self.lines
        )
        return attrs.evolve(self, lines=tuple(lines))


def section_of(report: Report, command: str) -> Section:
    """Return the section of an experiment; `command` is the command that makes this section."""
    study, experiment = report.study, report.study.experiment
    heading = f"{experiment.source}: {experiment.summary}"
    lines = ["", f"Made by `{command}`.", *preface(experiment)]
    lines += ["", HEADER, "|-" * len(COLUMNS) + "|", *map(_row, report.verdicts), ""]
    return Section(study.name, heading, tuple(lines))


def update_page(path: Path, reports: Sequence[Report], command: Callable[[str], str]) -> None:
    """Write the page of quoted numbers, or replace the sections of these experiments on it.

    `command` gives the command that makes an experiment's section, by the experiment's name. An
    experiment without quotes has no section.

    Raises `BadInput` when the file exists and is another page, and when it cannot be written.
    """
    sections = {section.name: section.with_present_headlines for section in sections_of(path)}
    for report in reports:
        sections.pop(report.study.name, None)
        if report.verdicts:
            sections[report.study.name] = section_of(report, command(report.study.name))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{path.parent} cannot be made: {error.strerror}") from error
    write_whole(path, page_of(list(sections.values())))


def page_of(sections: Sequence[Section]) -> str:
    """Return the page with these sections, sorted by their headings."""
    rows = [row for section in sections for row in section.rows]
    found = Counter(_headline(row[-1]) for row in rows)
    counts = [f"- {found[words]} {words}" for words in HEADLINES if found[words]]
    # A row without trials is computed, or counted in the data.
    measured = sum(row[8] != "none" and bool(row[6]) for row in rows)
    lines = [TITLE, "", EXPLANATION, *table_in_words(), ""]
    lines += [f"Of {len(rows)} rows:", "", *counts, ""]
    lines.append(
        f"Rows that compare numbers from our trials: {measured}. A right number of such a row is "
        f"rejected with a probability of about {LEVEL * 100:g} % at most, so up to about "
        f"{measured * LEVEL:.1f} false rejections are to be expected on this page."
    )
    in_order = sorted(sections, key=lambda one: (_natural(one.heading), one.name))
    lines += _disputes(in_order)
    for section in in_order:
        lines += ["", f"## {section.heading} (`{section.name}`)", *section.lines]
    return "\n".join(lines).rstrip() + "\n"


def sections_of(path: Path) -> list[Section]:
    """Return the sections of the page in a file; none if there is no such file.

    Raises `BadInput` for a file that cannot be read or is not such a page.
    """
    text = text_of(path) if path.exists() else TITLE
    if not text.startswith(TITLE):
        raise BadInput(f"{path} is not a page of quoted numbers: it does not begin with {TITLE!r}")
    found = []
    for part in re.split(r"(?m)^## ", text)[1:]:
        first, *lines = part.rstrip("\n").split("\n")
        named = re.fullmatch(r"(.*) \(`(.+)`\)", first)
        if named is None or HEADER not in lines:
            raise BadInput(
                f"{path} cannot be updated: its section {first!r} has another form. Delete the "
                "page, and reproduce all experiments."
            )
        found.append(Section(named[2], named[1], (*lines, "")))
    return found


def _disputes(sections: Sequence[Section]) -> list[str]:
    found: dict[str, list[str]] = {}
    for section in sections:
        for row in section.rows:
            _, mark, reason = row[-1].partition(DISPUTED)
            if mark:
                statement = row[0].partition("; judged at: ")[0]
                found.setdefault(reason, []).append(f"  - `{section.name}`: {statement}")
    lines = [
        line for reason, rows in found.items() for line in (f"- {reason} The rows:", "", *rows, "")
    ]
    total = sum(map(len, found.values()))
    return ["", f"Disputed rows, {total} in all:", "", *lines[:-1]] if found else []


def _cells(line: str) -> list[str]:
    return re.split(r"(?<!\\) \| ", line[2:-2])


def _with_headline(line: str) -> str:
    cells = dict(zip(COLUMNS, _cells(line), strict=True))
    law = next(one for one in LAWS if one == cells["law"])
    runs = next(one for one in RUNS if one == cells["runs"])
    status = next(one for one in STATUSES if one == cells["data"].partition(":")[0])
    rest = re.sub(r"^\*\*.+?\*\*", "", cells["verdict"])
    cells["verdict"] = f"**{headline(law, runs, status)}**{rest}"
    return f"| {' | '.join(cells.values())} |"


def preface(experiment: Experiment) -> tuple[str, ...]:
    """Return the lines between a section's command and its table: the points, the choices, and the
    words that need a threshold.
    """
    return (*_grid(experiment), *_words(experiment))


def _grid(experiment: Experiment) -> list[str]:
    values = {
        axis: list(
            dict.fromkeys(value for product in experiment.grid for value in product.get(axis, ()))
        )
        for axis in experiment.axes
    }
    fixed = [f"{axis} = {found[0]}" for axis, found in values.items() if len(found) == 1]
    lines = ["", f"Parameters with one value: {', '.join(fixed)}."] if fixed else []
    varied = [axis for axis, found in values.items() if len(found) > 1]
    points = [
        "; ".join(f"{axis} {_values(product[axis])}" for axis in varied if axis in product)
        for product in experiment.grid
    ]
    if len(points) > 1 and varied:
        lines += ["", "Points, where each line stands for all combinations of its values:", ""]
        lines += [f"- {each}" for each in dict.fromkeys(filter(None, points))]
    elif varied:
        lines += ["", f"Points: {points[0]}."]
    chosen = [f"- {choice}" for choice in experiment.choices]
    return [
        *lines,
        *(["", "How we run it, and what we choose:", "", *chosen] if chosen else []),
    ]


def _values(found: Sequence[Any]) -> str:
    text = listed_in_words(found)
    if len(text) > LONGEST_LIST and any(isinstance(value, str) for value in found):
        return f"({len(found)} of them)"
    return text


def _words(experiment: Experiment) -> list[str]:
    lines = [
        f"- *{name}*: we choose no number, and --word '{name}=...' gives one; {word.meaning}"
        if isnan(word.threshold)
        else f"- *{name}*: {word.threshold:g}, {word.meaning}"
        for name, word in experiment.words.items()
    ]
    return ["", "Words that the paper gives no number for:", "", *lines] if lines else []


def _row(one: Ruling) -> str:
    statement = "; ".join(
        part
        for part in (
            one.what,
            one.under and f"read as: {one.under}",
            one.points and f"judged at: {one.points}",
        )
        if part
    )
    measured = "" if one.measured is None else number_in_words(one.measured)
    if one.interval_in_words:
        measured += f" ({one.interval_in_words})"
    if not one.holds:
        measured += ", expected value outside"
    cells = [
        statement,
        one.source,
        one.printed_in_words,
        "" if one.expected is None else number_in_words(one.expected),
        measured,
        "" if one.chance is None else f"{one.chance:.2g}" if one.chance else "below 1e-15",
        "" if one.trials is None else f"{one.trials:,}",
        one.law,
        one.runs,
        one.data.in_words,
        f"**{one.verdict}**"
        + (f": {one.note}" if one.note else "." if one.disputed else "")
        + (f"{DISPUTED}{one.disputed}" if one.disputed else ""),
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _headline(cell: str) -> str:
    found = re.match(r"\*\*(.+?)\*\*", cell)
    return "" if found is None else found[1]


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts "Fig. 2" before "Fig. 10"."""
    parts = re.findall(r"\d+|\D+", text)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
