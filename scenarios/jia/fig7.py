"""Fig. 7 of Jia and Gong: errors of OUE-Zero and Calibrate, and of other ways to calibrate.

The paper leaves OUE out of its figure, because OUE's error is much larger. Our figure leaves OUE
out, too, but the table has OUE's error.

The text says by how many per cent Calibrate improves on OUE-Zero. This can be the share of
OUE-Zero's error that is saved, or the excess of OUE-Zero's error over Calibrate's. The text names
two ways to fit the exponent of the power law: by the mean of the estimates, or by maximum
likelihood. Every combination is a quote of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING

import attrs

from scenarios.jia.paired import Places, all_less, less, places_of, quotient_falls, ratio
from scenarios.jia.people import CHOICES, DATA, FILES, PARTIAL, TITLES, titles
from scenarios.jia.trials import ERRORS, RUNS, TRIALS, WORDS, errors, errors_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Word
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.table import NoSuchPoint, Table, TrialRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCE = "Jia and Gong, section IV-B, Fig. 7"
PRINTED = {
    ("kosarak", 1.0): 16.0,
    ("kosarak", 5.0): 97.0,
    ("retail", 1.0): 2.4,
    ("retail", 5.0): 65.0,
}  # per cent
POINTS = (
    "compared: expected errors, where a law is known, and means of our runs, without the scatter "
    "of the paper's runs; the text names ε = 1 and 5 for this figure; any other is ours"
)
FITS = {
    "calibrate": "the power law has the mean of the estimates",
    "likelihood": "the exponent of the power law is the likeliest one (Eq. 16)",
}
WHYS = {
    "kosarak": "We do not have the whole data set, and the text does not give the support of the "
    "power law.",
    "retail": "The text does not give the support of the power law. Other rows have other "
    "readings.",
}
# Why the reading as a share that is saved fails where the law with the true prior fails too.
WHY_NO_SHARE = (
    "Even with the true distribution of the counts as the prior, a smaller share is saved. Other "
    "rows read the number as the share by which OUE-Zero's error exceeds Calibrate's."
)


# By the law Calibrate with this fit errs more than OUE-Zero here.
LOSES = ("retail", 1.0, "calibrate")
NO_GAIN = (
    "The paper prints a gain, and with --data there is a loss by the law. With 24 runs chance can "
    "give the printed number, so the number is reproduced, but the gain is not. With 48 runs, "
    "which are dozens too, the law would disagree."
)
# Our interval of the quotient is narrow, but that of the gain is wide.
SMALL_GAIN = (
    "The paper prints the gain, 2.4 %, and not the quotient. With --data, the interval of the "
    f"quotient that {TRIALS} trials give reaches from a gain to a loss, so it is too wide to "
    "confirm the gain."
)

NOT_EVERY = "The text does not say 'at every ε'. For larger ε alone the verdict may change."
# Why the statement that Calibrate errs less is disputed where the errors are close at ε = 1.
CLOSE_CALLS = {
    ("retail", "calibrate"): "The sentence describes the paper's own runs. With --data, the two "
    "errors at ε = 1 are so close by the law that chance can reverse their order.",
    ("retail", "likelihood"): NOT_EVERY,
    ("kosarak", "calibrate"): NOT_EVERY,
}


def trials_at(table: Table, population: str, epsilon: float) -> Table:
    """Return the trials at one point. Raises `NoSuchPoint` if there are none."""
    found = table.where(population=population, epsilon=epsilon)
    if not found.rows:
        raise NoSuchPoint(f"nothing was run on {population} at ε = {epsilon:g}")
    return found


def gains(population: str, epsilon: float) -> Iterator[Quote]:
    """Yield the quotes of a printed improvement, one for each reading of it."""
    per_cent = PRINTED[population, epsilon]
    digits = 3 if per_cent < 10 else 2  # print as many digits as the paper does

    def at(one: str, other: str) -> Callable[[Table], Counterpart]:
        def reading(table: Table) -> Counterpart:
            rows = trials_at(table, population, epsilon).rows
            found = ratio(rows, one, other, RUNS)
            words = _scatter(found, improves_below_1=other == "zero")
            words = "; ".join(filter(None, (words, _with_true_prior(rows, one, other))))
            return attrs.evolve(found, judged_at=words)

        return reading

    for method, fit in FITS.items():
        disputed = SMALL_GAIN if (population, epsilon) == LOSES[:2] else ""
        disputed = NO_GAIN if (population, epsilon, method) == LOSES else disputed
        words = (
            f"{TITLES[population]}, ε = {epsilon:g} (printed: a relative improvement of "
            f"{per_cent:g} %)"
        )
        yield Quote(
            SOURCE,
            f"Calibrate's error divided by OUE-Zero's, {words}",
            f"{1 - per_cent / 100:.{digits}f}",
            at(method, "zero"),
            under="the printed number is the share of OUE-Zero's error that Calibrate saves; "
            f"{fit}",
            why=WHY_NO_SHARE if (population, epsilon) == ("retail", 5.0) else WHYS[population],
            data=DATA[population],
            disputed=disputed,
        )
        yield Quote(
            SOURCE,
            f"OUE-Zero's error divided by Calibrate's, {words}",
            f"{1 + per_cent / 100:.{digits}f}",
            at("zero", method),
            under="the printed number is the share by which OUE-Zero's error exceeds "
            f"Calibrate's; {fit}",
            why=WHYS[population],
            data=DATA[population],
            disputed=disputed,
        )


def _scatter(found: Counterpart, improves_below_1: bool) -> str:
    """Return in words how far the paper's number may be off and, if the law expects no gain, that
    it expects none. Return an empty text if the scatter of the quotient is not known.
    """
    if isnan(found.spread):
        return ""
    words = (
        f"the quotient of the two mean errors at this ε; with {RUNS} runs (the text: 'dozens of "
        f"times') its relative standard deviation is {found.spread:.2g}"
    )
    if found.expected is None or (found.expected < 1) == improves_below_1:
        return words
    return f"{words}; by the law Calibrate errs more than OUE-Zero here, so this is no gain"


def _with_true_prior(rows: Sequence[TrialRow], one: str, other: str) -> str:
    """Return the expected quotient of the errors for another prior of Calibrate: the true
    distribution of the counts.
    """
    names = [f"expected_{name if name == 'zero' else 'ideal'}" for name in (one, other)]
    if not all(name in row for row in rows for name in names):
        return ""
    first, second = (rows[0][name] for name in names)
    return (
        f"the quotient would be {first / second:.3g} by the law if the prior were the true "
        "distribution of the counts"
    )


def epsilons(table: Table, population: str) -> Table:
    """Return the trials on one population."""
    return table.where(population=population)


def _less(table: Table, population: str, one: str, other: str) -> Counterpart:
    return less(places_of(epsilons(table, population), "epsilon"), one, other)


def _orders(table: Table, population: str, one: str) -> Counterpart:
    factor = 1 / table.word("orders of magnitude")
    places = places_of(epsilons(table, population), "epsilon")
    found = less(places, one, "oue", factor)
    words = f"by the law OUE's error is larger by the factor {_by_law(places, 'oue', one)}"
    return attrs.evolve(found, judged_at=f"{found.judged_at}; {words}")


def _negligible(table: Table, population: str) -> Counterpart:
    places, change = places_of(epsilons(table, population), "epsilon"), table.word("negligible")
    pairs = [("again", "calibrate", 1 + change), ("calibrate", "again", 1 / (1 - change))]
    found = all_less(places, pairs)
    words = f"by the law the cut multiplies the error by {_by_law(places, 'again', 'calibrate')}"
    return attrs.evolve(found, judged_at=f"{found.judged_at}; {words}")


def _by_law(places: Places, one: str, other: str) -> str:
    return ", ".join(
        f"{ratio(rows, one, other).expected or nan:.3g} at ε = {epsilon:g}"
        for epsilon, rows in places.items()
    )


def _grows(table: Table, population: str, method: str) -> Counterpart:
    return quotient_falls(places_of(epsilons(table, population), "epsilon"), method, "zero")


def statements(population: str) -> Iterator[Quote]:
    """Yield the quotes of what the text says about the errors without giving a number."""
    title = TITLES[population]

    def stated(
        what: str,
        reading: Callable[[Table], Counterpart],
        why: str,
        under: str = "",
        disputed: str = "",
    ) -> Quote:
        return Quote(
            SOURCE,
            f"{what}, {title}",
            STATED,
            reading,
            why=why,
            under=under,
            data=DATA[population],
            disputed=disputed,
            points=POINTS,
        )

    outperforms = "OUE-Calibrate errs less than OUE-Zero at every ε"
    loses = (
        "Theorem 2 is about the true prior. With a fitted power law, Calibrate's error can be "
        "larger than OUE-Zero's at small ε."
    )
    for method, fit in {
        **FITS,
        "infinite": "the power law has no largest count, and has the mean of the estimates",
    }.items():
        reading = partial(_less, population=population, one=method, other="zero")
        yield stated(
            outperforms,
            reading,
            loses,
            fit,
            CLOSE_CALLS.get((population, method), ""),
        )
    yield stated(
        outperforms,
        partial(_less, population=population, one="ideal", other="zero"),
        "",
        "the prior is the true distribution of the counts, as Theorem 2 demands",
    )
    for method in ("zero", "calibrate"):
        yield stated(
            f"{WORDS[method]} errs by orders of magnitude less than OUE at every ε",
            partial(_orders, population=population, one=method),
            "At some ε the factor is below the threshold of 'orders of magnitude'.",
            disputed="The text names no factor, and does not say 'at every ε'. The factor falls "
            "as ε grows; with --data it is above 100 at ε = 1.",
        )
    yield stated(
        "OUE-Zero outperforms OUE at every ε",
        partial(_less, population=population, one="zero", other="oue"),
        "At some ε OUE has a smaller error than OUE-Zero.",
    )
    yield stated(
        "setting to 0 what Calibrate leaves below the significance threshold has a negligible "
        "impact on the error, in either direction, at every ε",
        partial(_negligible, population=population),
        "At some ε the error changes by more than the threshold of 'negligible', because "
        "Calibrate's estimates of those counts reduce it.",
        disputed="We chose the threshold of 'negligible'. In a figure of errors that differ by "
        "orders of magnitude, a change of this size may look negligible. Besides, the text does "
        "not say 'at every ε'.",
    )
    for method, fit in FITS.items():
        yield stated(
            "the performance gain over OUE-Zero grows from each ε to the next",
            partial(_grows, population=population, method=method),
            "At some step the gain does not grow.",
            f"the gain is the relative improvement, as in the text's examples; {fit}",
        )


def quotes() -> Iterator[Quote]:
    """Yield the quotes of this figure."""
    for population, epsilon in PRINTED:
        yield from gains(population, epsilon)
    for population in ("retail", "kosarak"):
        yield from statements(population)


DRAWN = ("zero", "calibrate", "known", "infinite", "likelihood")


def draw(table: Table) -> "Figure":
    """Draw the errors of the methods in `DRAWN` over ε."""
    shown = attrs.evolve(table, measures=[one for one in table.measures if one.name in DRAWN])
    return curves(
        shown,
        "epsilon",
        panel="population",
        line=["measure"],
        words=lambda name: WORDS[name],
        titles=titles(table),
        x_label="privacy budget ε",
        share_y=False,
        notes=(
            "Without OUE, as in the paper: its error is much larger.",
            "The paper's figure has OUE-Zero and Calibrate only.",
            "The law was computed at the points only; straight lines join it.",
        ),
        y_label="squared error per item (users²)",
    )


EXPERIMENT = Experiment(
    summary="Errors of OUE, OUE-Zero and Calibrate",
    source="Jia and Gong, Fig. 7",
    trial=errors,
    grid=[{"population": list(FILES), "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0], "beta": [0.05]}],
    measures=ERRORS,
    trials=TRIALS,
    quick={"epsilon": [1.0, 3.0, 5.0]},
    files=list(FILES.values()),
    data=PARTIAL,
    choices=(
        *CHOICES,
        "The error is the mean, over all items, of the squared error of the count (Eq. 5).",
        (
            "Calibrate's prior is the power law on 1..n whose mean is the mean of the estimates, "
            "as in the paper (Eq. 17); the text does not give the support. Besides, we compute "
            "Calibrate's errors with four other priors: the power law with the known mean n / d, "
            "the one without a largest count, the one with the likeliest exponent (Eq. 16), and "
            "the true distribution of the counts."
        ),
        "If a method fits a power law and finds none for a collection, this collection is left "
        "out of the method's mean.",
    ),
    words={
        "orders of magnitude": Word(
            100.0,
            "an error is smaller than another 'by orders of magnitude' if the other one is "
            "at least this many times as large",
        ),
        "negligible": Word(
            0.1,
            "a change of an error, up or down, is 'negligible' if it is at most this share "
            "of the error before the change",
        ),
    },
    quotes=list(quotes()),
    figure=draw,
    cost=errors_cost,
)
