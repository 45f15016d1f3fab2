"""The numbered statements of Yang et al., and claims of section 3.1.2, judged by computation.

A trial judges one theorem under one reading (`scenarios/theorems`), one claim of section 3.1.2 for
given parameters, or one of the two privacy theorems at one point of a plane. No coins are drawn.
The plane, in which every item has equally many holders, shows where Theorems 3.1 and 3.2 hold.
"""

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from scenarios.theorems.all_theorems import of_papers, theorem
from scenarios.theorems.gaussian import GAUSSIAN_CLAIMS
from scenarios.theorems.plane import claimed_over_exact, evenly_held
from scenarios.theorems.rows import where_judged
from scenarios.theorems.sampling import SAMPLING_CLAIMS
from simnet.drawing import INK, NORMAL, SMALL, dress, panels
from simnet.studies.curves import note
from simnet.studies.experiment import Experiment, Measurements, Product
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.table import Measure, NoSuchPoint, Table, TrialRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "yang"
DEFINING = ("Definition 2.1", "Definition 2.2")  # these definitions claim nothing
THEOREMS = [each for each in of_papers([PAPER]) if each.name not in DEFINING]
HOLDERS = [10, 20, 50, 100, 200, 500, 1000]
ITEMS = [2, 3, 5, 10, 20, 50, 100]
EPSILON, Z, DELTA = 0.5, 0.5, 1e-5
BUDGETS = [0.1, 0.5, 1.0]
CLAIMS = {claim.name: claim for claim in (*SAMPLING_CLAIMS, *GAUSSIAN_CLAIMS)}
PLANES = ("Theorem 3.1", "Theorem 3.2")
# The parameters of the grid, as rows name them.
GRID_WORDS = {"holders": "holders of each item", "items": "N", "epsilon": "ε"}


@attrs.frozen(kw_only=True)
class StatementPoint:
    """What is judged: a theorem under one of its readings (counted from 0), or a claim for items
    with equally many holders.
    """

    statement: str
    reading: int | None = None
    holders: int | None = None
    items: int | None = None
    epsilon: float | None = None


@typed(StatementPoint)
def judged(point: StatementPoint, seed: int, data: Path | None) -> Measurements:
    """Judge a statement; return whether it holds, and the numbers behind the answer.

    `holds` is 1 or 0, or NaN if the statement is not judged.
    """
    del seed, data
    if point.reading is not None:
        finding = theorem(PAPER, point.statement).readings[point.reading].finding
        return {
            "holds": nan if finding.state == "not judged" else float(finding.state == "holds"),
            "points": finding.points,
        }
    # A point of the grid that gives one of these three parameters gives all three.
    assert point.holders is not None
    assert point.items is not None
    assert point.epsilon is not None
    claim = CLAIMS[point.statement]
    setting = evenly_held(point.holders, point.items, point.epsilon, z=Z, delta=DELTA)
    found = claim.judge(setting)
    numbers: dict[str, float | str] = {
        "holds": nan if found.holds is None else float(found.holds),
        "points": 1,
    }
    if point.statement in PLANES:
        numbers["log10 of claimed over exact δ"] = float(
            claimed_over_exact(claim, [[setting]])[0, 0]  # type: ignore[arg-type]
        )
    elif found.claimed is not None and found.exact:
        numbers |= {"claimed": found.claimed, "exact": max(found.exact.values())}
    return numbers


def quotes() -> list[Quote]:
    """The quotes of all theorems under each of their readings, of the claims on DPDG, and of the
    two privacy theorems over the plane.
    """
    found = [
        Quote(
            each.source,
            each.statement.removesuffix("."),
            STATED,
            _of_theorem(each.name, place),
            under=reading.under,
            why="This command shows a counterexample: simnet theorems "
            f'{PAPER} --show "{each.name}".',
        )
        for each in THEOREMS
        for place, reading in enumerate(each.readings)
    ]
    found += [
        Quote(
            "Yang et al., section 3.1.2",
            "if each user adds noise of variance (G_f σ_G / n)², DPDG is (ε, δ)-DP",
            STATED,
            _of_claim("DPDG noise share"),
            why="The shares of the n users add up to 1/n of the variance that (ε, δ) needs.",
        ),
        Quote(
            "Yang et al., section 3.1.2",
            "DPDG errs less than DPDS from n = 4 (e^ε - 1) ln(1.25/δ) / ε² users on",
            STATED,
            # Neither number of users depends on the holders.
            _of_claim("DPDG crossover", axes=("items", "epsilon")),
            why="The formula compares one item's error of DPDG with the error of all items of "
            "DPDS. With the same measure on both sides, n is N times as large.",
            points="the claimed number of users is compared with the exact one",
            disputed="The text compares V_G, the variance of one item, with V, the error of all "
            "items. As a comparison of these two numbers the formula is right.",
        ),
    ]
    found += [
        Quote(
            f"Yang et al., {name}",
            "the claimed δ is at least the exact one, for evenly held items",
            STATED,
            _of_claim(name),
            why="The bound is a product over all N items, but neighbours differ in only one or "
            "two of them.",
            points=f"z = {Z:g}" if name == PLANES[1] else "",
        )
        for name in PLANES
    ]
    return found


def _of_theorem(name: str, reading: int) -> Callable[[Table], Counterpart]:
    def read(table: Table) -> Counterpart:
        rows = table.where(statement=name, reading=reading).rows
        if not rows or isnan(float(rows[0]["holds"])):
            raise NoSuchPoint(f"{name} was not judged")
        found = theorem(PAPER, name).readings[reading].finding
        return Counterpart(float(rows[0]["holds"]), judged_at=where_judged(found))

    return read


def _of_claim(name: str, axes: Sequence[str] = tuple(GRID_WORDS)) -> Callable[[Table], Counterpart]:
    """Return a function that reads the share of the judged points at which a claim holds."""

    def read(table: Table) -> Counterpart:
        rows = table.where(statement=name, reading=None).rows
        held = [float(row["holds"]) for row in rows if not isnan(float(row["holds"]))]
        if not held:
            raise NoSuchPoint(f"{name} was not judged")
        return Counterpart(sum(held) / len(held), share=True, judged_at=_values(axes, rows))

    return read


def _values(axes: Sequence[str], rows: Sequence[TrialRow]) -> str:
    values = {axis: dict.fromkeys(str(row[axis]) for row in rows) for axis in axes}
    return "; ".join(f"{GRID_WORDS[axis]} {', '.join(values[axis])}" for axis in axes)


def planes(table: Table) -> "Figure":
    """Draw by how many powers of ten the claimed δ is off, for Theorems 3.1 and 3.2."""
    shown = [name for name in PLANES if table.where(statement=name, reading=None).rows]
    figure: Figure
    figure, grid = panels(len(shown), height=2.4)
    for axes, name in zip(grid, shown, strict=True):
        rows: list[Mapping[str, Any]] = list(table.where(statement=name, reading=None).rows)
        across = sorted({row["holders"] for row in rows})
        up = sorted({row["items"] for row in rows})
        ratio = np.full((len(up), len(across)), np.nan)
        for row in rows:
            place = up.index(row["items"]), across.index(row["holders"])
            ratio[place] = row["log10 of claimed over exact δ"]
        image = axes.imshow(
            np.clip(ratio, -20, 20), origin="lower", cmap="PuOr", vmin=-20, vmax=20, aspect="auto"
        )
        for (y, x), value in np.ndenumerate(ratio):
            words = "" if np.isnan(value) else f"{value:.0f}" if abs(value) >= 1 else f"{value:.1f}"
            dark = abs(value) > 12
            axes.text(
                x,
                y,
                words,
                ha="center",
                va="center",
                fontsize=SMALL,
                color="white" if dark else INK,
            )
        axes.set_xticks(range(len(across)), [str(one) for one in across])
        axes.set_yticks(range(len(up)), [str(one) for one in up])
        dress(axes, name, "holders of each item (users)", "items N")
    bar = figure.colorbar(image, ax=grid, shrink=0.9)
    bar.set_label("log₁₀ of claimed δ / exact δ", fontsize=NORMAL)
    bar.ax.tick_params(labelsize=SMALL)
    drawn = [row for name in shown for row in table.where(statement=name, reading=None).rows]
    epsilons = ", ".join(dict.fromkeys(f"{row['epsilon']:g}" for row in drawn))
    sentence = (
        f"ε = {epsilons}, z = {Z:g}. Below 0 (brown) the theorem fails: the exact δ is so many "
        "powers of ten larger than claimed. Beyond 20 powers of ten the colour stays the same."
    )
    note(figure, table, [sentence])
    return figure


OF_THEOREMS: list[Product] = [
    {"statement": [each.name], "reading": list(range(len(each.readings)))} for each in THEOREMS
]

EXPERIMENT = Experiment(
    summary=(
        "Theorems and lemmas under each reading, claims on DPDG, and where Theorems 3.1 and 3.2 "
        "fail"
    ),
    source="Yang et al., sections 2 and 3",
    trial=judged,
    grid=[
        *OF_THEOREMS,
        {
            "statement": ["DPDG noise share", "DPDG crossover"],
            "holders": [33, 200],
            "items": [12, 30],
            "epsilon": list(BUDGETS),
        },
        {
            "statement": list(PLANES),
            "holders": list(HOLDERS),
            "items": list(ITEMS),
            "epsilon": [EPSILON],
        },
    ],
    measures=[Measure("holds", "whether it holds", exact=True)],
    choices=(
        "For Theorems 3.1 and 3.2, the search goes through n, N, the rarest count, ε and z in "
        "this order, each from small to large, and shows the first counterexample.",
        "In the rows for evenly held items, every item has equally many holders, "
        f"ε = {EPSILON:g} and z = {Z:g}.",
        f"The claims on DPDG are judged with δ = {DELTA:g} and evenly held items; the text names "
        "no setting.",
    ),
    quotes=quotes(),
    figure=planes,
    cost=lambda parameters: 0.15 if parameters.get("reading") is not None else 0.01,
)
