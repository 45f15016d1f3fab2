"""Fig. 9 to 11 of Wang et al.: models learnt by LDP-SGD and judged on held-out users."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

import attrs

from protocols.ldp_sgd.losses import LOSSES
from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.tuples import Inner, Tuples
from scenarios.wang.compared import DUCHI_CHOICE
from scenarios.wang.cross_validation import EPSILONS, learning_cost, learnt
from scenarios.wang.people import CENSUSES, FILES, STAND_INS, title
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Word
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.readings import paired_quotient, quotient
from simnet.studies.statements import Outcome, paired_less, places_in_words, share_of
from simnet.studies.table import Measure, NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

USERS, RUNS = 20_000, 50  # as many models of each method as in ten-fold cross-validation, 5 times
METHODS = {
    "pm": "PM",
    "hm": "HM",
    "duchi": "Duchi et al., corrected",
    "duchi-as-printed": "Duchi et al., as printed",
    "laplace": "Laplace, ε/d each",
    "none": "no privacy",
    "same_steps": "HM's steps without noise",
    "constant": "same answer for all",
}
RIVALS = {"duchi": "Algorithm 3 corrected", "duchi-as-printed": "Algorithm 3 as printed"}
APPROACHES = Word(
    0.25,
    "an error 'approaches' that of the model without privacy if it exceeds that one by at "
    "most this share of it",
)
FAR = Word(2.0, "an error is 'far higher' if it is at least this many times the other one")
CHOICES = (
    "The paper's censuses, BR and MX, may not be passed on. With --data, Adult and Census-Income "
    "stand in for them. These files have no total income, so the models predict the age (Adult) "
    "and the weeks of work (Census-Income) instead. Without --data we make up people with as many "
    "attributes as in BR and MX, and with an income that is a linear function of the others plus "
    "noise.",
    "Each trial draws 20,000 users anew and holds out one tenth of them. In 50 trials each method "
    "makes 50 models. The paper makes 50 models too, by five cross-validations with ten folds; but "
    "the models of one cross-validation share users. The options --set folds=10 --trials 5 do as "
    "the paper does.",
    "In a trial all methods learn from the same users, and all private methods in the same groups "
    "and with the same steps. The model without privacy has groups and steps by the same rules "
    "for ε = ∞.",
    "The text gives no constants. We take b_0 = 0, groups of max(50, d ln(d + 1) / ε²) users, but "
    "at least 10 groups, and steps of γ_1 / √t. Here γ_1 is 1 / (2 d) for linear regression, else "
    "min(3, 5 ε² / (2 d)).",
    "There is no constant feature, as in the paper. A column of c categories becomes c - 1 flags, "
    "which are all 0 for its last category.",
    "ε is 0.5, 1, 2 and 4; the paper's values can be seen in its figure only.",
    DUCHI_CHOICE,
)
WHY = "The statement fails on the people who stand in for the paper's, with our steps."


def judged(table: Table, found: Counterpart) -> Counterpart:
    """Return the counterpart with the number of trials and the points at which it was judged."""
    trials = min(len(point.rows) for point in table.points().values())
    points = places_in_words(table.rows, ["census", "epsilon"])
    return attrs.evolve(found, trials=trials, judged_at=points)


def less(
    source: str,
    better: Sequence[str],
    worse: str,
    what: str,
    under: str = "",
    disputed: str = "",
) -> Quote:
    """The quote that some mechanisms have smaller errors than another one."""

    def reading(table: Table) -> Counterpart:
        points = [point.rows for point in table.points().values()]
        return judged(table, paired_less(points, better, [worse]))

    return Quote(source, what, STATED, reading, why=WHY, under=under, disputed=disputed)


def quotients(
    source: str,
    what: str,
    pairs: Sequence[tuple[str, str]],
    holds: Callable[[float, Table], bool],
    wanted: Callable[[Table], bool] = lambda _: True,
    disputed: str = "",
) -> Quote:
    """The quote that the quotients of errors at each point have a property, such as being small.

    The property must be one that holds for all numbers below a limit, or for all numbers above a
    limit.
    """

    def at_point(point: Table) -> Outcome:
        found = [paired_quotient(point.rows, one, other) for one, other in pairs]
        ends = [(one.measured or 0.0, _ends(one)) for one in found]
        return Outcome(
            all(holds(mean, point) for mean, _ in ends),
            all(holds(end, point) for _, both in ends for end in both),
            all(any(holds(end, point) for end in both) for _, both in ends),
        )

    def reading(table: Table) -> Counterpart:
        points = [point for point in table.points().values() if wanted(point)]
        found = share_of([at_point(point) for point in points])
        kept = [row for point in points for row in point.rows]
        return judged(attrs.evolve(table, rows=kept), found)

    return Quote(source, what, STATED, reading, why=WHY, disputed=disputed)


def drops_slowly(source: str, method: Inner) -> Quote:
    """The quote that the misclassification rate of a method falls by a smaller factor with ε than
    the worst variance of a mean does.
    """

    def at_census(here: Table) -> Outcome:
        epsilons = sorted(here.values("epsilon"))
        if len(epsilons) < 2:
            raise NoSuchPoint("at least two values of ε are needed")
        every = Attributes(int(here.rows[0]["features"]))
        least, most = (Tuples(e, every, method).worst_variance for e in (epsilons[0], epsilons[-1]))
        found = quotient(
            here.at(method, epsilon=epsilons[0]), here.at(method, epsilon=epsilons[-1])
        )
        low, high = _ends(found)
        limit = least / most
        return Outcome((found.measured or 0.0) < limit, high < limit, low < limit)

    def reading(table: Table) -> Counterpart:
        found = _at_censuses(table, at_census)
        epsilons = table.values("epsilon")
        ends = min(epsilons), max(epsilons)
        looked_at = [row for row in table.rows if row["epsilon"] in ends]
        return judged(attrs.evolve(table, rows=looked_at), found)

    return Quote(
        source,
        f"from the least to the largest ε the misclassification rate of {METHODS[method]} falls "
        "by a smaller factor than the worst variance of a mean does, with as many attributes as "
        "the models have features",
        STATED,
        reading,
    )


def no_trend(source: str, ours: str, rival: str) -> Quote:
    """The quote that the gap to a rival neither grows nor shrinks steadily with ε."""

    def at_census(here: Table) -> Outcome:
        epsilons = sorted(here.values("epsilon"))
        if len(epsilons) < 3:
            raise NoSuchPoint("a trend needs at least three values of ε")
        found = [paired_quotient(here.where(epsilon=e).rows, rival, ours) for e in epsilons]
        up = [_ends(one) for one in found]
        down = [(-high, -low) for low, high in up]
        means = [one.measured or 0.0 for one in found]
        steps = [other > one for one, other in pairwise(means)]
        return Outcome(
            any(steps) and not all(steps),
            not (_can_rise(up) or _can_rise(down)),
            not (_must_rise(up) or _must_rise(down)),
        )

    return Quote(
        source,
        f"the error of Duchi et al. ({RIVALS[rival]}), divided by that of {METHODS[ours]}, shows "
        "no clear trend as ε grows",
        STATED,
        lambda table: judged(table, _at_censuses(table, at_census)),
        why="The quotient of the errors grows at every step of ε, or falls at every step.",
        under="a trend is clear if it goes the same way at every step of ε",
        disputed="The text does not say whether the gap is a quotient or a difference, nor when a "
        "trend is clear.",
    )


def _at_censuses(table: Table, outcome: Callable[[Table], Outcome]) -> Counterpart:
    return share_of([outcome(table.where(census=one)) for one in table.values("census")])


def _ends(found: Counterpart) -> tuple[float, float]:
    return -inf if found.low is None else found.low, inf if found.high is None else found.high


def _can_rise(ends: Sequence[tuple[float, float]]) -> bool:
    """Return whether numbers within these intervals can rise at every step."""
    return all(low < high for place, (_, high) in enumerate(ends) for low, _ in ends[:place])


def _must_rise(ends: Sequence[tuple[float, float]]) -> bool:
    """Return whether numbers within these intervals rise at every step, whatever they are."""
    return all(one[1] < other[0] for one, other in pairwise(ends))


def experiment(
    summary: str,
    figure: str,
    loss: str,
    words: str,
    quotes: Sequence[Quote],
    open_words: Mapping[str, Word] | None = None,
) -> Experiment:
    """Return the experiment on models that are learnt with this loss.

    `words` name what is measured, and `open_words` are words of the text that need a threshold.
    """
    return Experiment(
        summary=summary,
        source=f"Wang et al., {figure}",
        trial=learnt,
        grid=[
            {
                "census": list(STAND_INS),
                "loss": [loss],
                "users": [USERS],
                "folds": [1],
                "regularisation": [1e-4],
                "epsilon": list(EPSILONS),
            }
        ],
        measures=[Measure(name, f"{words}: {method}") for name, method in METHODS.items()],
        trials=RUNS,
        quick={"epsilon": [0.5, 1.0, 2.0]},
        quick_trials=2,
        files=FILES,
        data=CENSUSES,
        words=open_words or {},
        choices=CHOICES,
        quotes=quotes,
        figure=lambda table: drawn_errors(table, words, LOSSES[loss].of_classes),
        cost=learning_cost,
    )


def drawn_errors(table: Table, words: str, of_classes: bool) -> "Figure":
    """Draw the errors over ε: rates on a linear axis, mean squared errors on a logarithmic one."""
    figure = curves(
        table,
        "epsilon",
        panel="census",
        line=["measure"],
        words=METHODS.__getitem__,
        titles={name: title(name, table.synthetic) for name in STAND_INS},
        x_label="ε",
        y_label=words,
        log_y=not of_classes,
        share_y=of_classes,
        notes=[
            "Errors on held-out users; all methods of a trial see the same users.",
            "By its text, the paper's figure has PM, HM, Duchi et al. as printed, "
            + ("Laplace and no privacy" if of_classes else "and no privacy")
            + "; the other lines are ours.",
        ],
    )
    if of_classes:
        figure.axes[0].set_ylim(0, None)
    return figure


def quotes_of(source: str, said: str, disputed: str = "") -> list[Quote]:
    """The quotes that Fig. 9, 10 and 11 have in common.

    `said` is a remark on the size of the advantage of PM and HM, for which the text has no number.
    """
    return [
        less(
            source,
            ("pm", "hm"),
            rival,
            "PM and HM err less than Duchi et al.",
            f"against {words}; any smaller error counts, {said}",
            disputed,
        )
        for rival, words in RIVALS.items()
    ]


def threshold_matters(words: str) -> str:
    """Return why a row is disputed that counts any smaller error, where the text says more."""
    return f"The text says '{words}'. With a threshold for these words the verdict may change."


def rates_of(source: str) -> list[Quote]:
    """The quotes that Fig. 9 and 10 have in common."""
    return [
        *quotes_of(
            source,
            "whatever 'clear margins' are",
            threshold_matters("clear margins"),
        ),
        less(
            source,
            ("pm", "hm", "duchi"),
            "laplace",
            "PM, HM and Duchi et al. (corrected) err less than Laplace",
            "any smaller error counts, whatever 'significantly' means",
            threshold_matters("significantly higher"),
        ),
        *(no_trend(source, ours, rival) for ours in ("pm", "hm") for rival in RIVALS),
        drops_slowly(source, "pm"),
        drops_slowly(source, "hm"),
    ]


FIG9 = experiment(
    "Logistic regression by LDP-SGD",
    "Fig. 9",
    "logistic",
    "misclassification rate",
    rates_of("Wang et al., section VI-B, Fig. 9"),
)
FIG10 = experiment(
    "Support vector machines by LDP-SGD",
    "Fig. 10",
    "hinge",
    "misclassification rate",
    [
        *rates_of("Wang et al., section VI-B, Fig. 10"),
        quotients(
            "Wang et al., section VI-B, Fig. 10",
            "with SVM and ε >= 2 on BR, the errors of PM and HM approach that without privacy",
            [("pm", "none"), ("hm", "none")],
            lambda quotient, table: quotient <= 1 + table.word("approaches"),
            lambda point: point.rows[0]["census"] == "BR" and point.rows[0]["epsilon"] >= 2,
            disputed="We chose the threshold of 'approach', the steps and the groups.",
        ),
    ],
    {"approaches": APPROACHES},
)
FIG11 = experiment(
    "Linear regression by LDP-SGD",
    "Fig. 11",
    "squared",
    "mean squared error",
    [
        *quotes_of(
            "Wang et al., section VI-B, Fig. 11", "as the text says only that they outperform it"
        ),
        quotients(
            "Wang et al., section VI-B, Fig. 11",
            "the error of Laplace is far higher than those of PM, HM and Duchi et al. (corrected)",
            [("laplace", "pm"), ("laplace", "hm"), ("laplace", "duchi")],
            lambda quotient, table: quotient >= table.word("far"),
            disputed="We chose the threshold of 'far higher', the steps and the groups.",
        ),
    ],
    {"far": FAR},
)
