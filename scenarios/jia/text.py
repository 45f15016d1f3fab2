"""Sentences of Jia and Gong that have no figure of their own, or that describe Fig. 3. They are
computed from the true counts, without a collection.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import nan
from pathlib import Path

import numpy as np

from protocols.mechanisms.unary import OUE
from protocols.postprocess.noise import Noise
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.power_law import exponent_of_mean
from protocols.postprocess.priors import PowerLaw
from scenarios.jia.noise import MECHANISMS, NoiseLaw, mechanism_of
from scenarios.jia.noise import TITLES as NAMES
from scenarios.jia.people import CHOICES, DATA, FILES, PARTIAL, TITLES, holders
from simnet.arrays import Ints
from simnet.studies.experiment import Experiment, Measurements, Parameters
from simnet.studies.quote import STATED, Bound, Stated
from simnet.studies.sentences import AXIS, Computed, Sentence, evaluated
from simnet.studies.table import Measure

EPSILONS = (1.0, 2.0, 3.0, 4.0, 5.0)
NEAR = 0.01  # a distribution function at most this far from a Gaussian's is about a Gaussian
MANY_TIMES = 10  # a frequency of more than so many times the mean is large
# A curve is close to a line if a straight line explains at least this share of the variance.
LINE = 0.95
# Estimates are tried at so many points between the significance threshold and the largest count.
POINTS = 200


def counts_of(population: str, compute: Callable[[Ints], float]) -> Computed:
    """Return a function of the folder of data that computes something from the true counts."""
    return lambda data: compute(holders(population, data)[0])


def off_gaussian(mechanism: str) -> Callable[[Ints], float]:
    """Return a function of the true counts. It gives the distance between the law of an item's
    noise at ε = 1 and a Gaussian with the same variance. Of two items, the one that most users
    hold and one that nobody holds, the larger distance counts.
    """

    def distance(counts: Ints) -> float:
        users, found = int(counts.sum()), mechanism_of(mechanism, 1.0, len(counts))
        p, q = (float(chance) for chance in found.support_chances)
        noise = Noise.of(found, users)
        return max(
            NoiseLaw.of(p, q, users, held).distance(float(noise.variance(held)) ** 0.5)
            for held in (int(counts.max()), 0)
        )

    return distance


def small(counts: Ints) -> float:
    """The share of the items with a frequency below the mean."""
    return float((counts < counts.mean()).mean())


def large(counts: Ints) -> float:
    """The share of the items with a frequency of more than `MANY_TIMES` times the mean."""
    return float((counts > MANY_TIMES * counts.mean()).mean())


def straight(counts: Ints, least: int) -> float:
    """The share of the variance of the logarithm of the number of items that is explained by a
    straight line over the logarithm of the count.

    We use the counts below the first count that fewer than `least` items have. The result is nan if
    there are fewer than two such counts.
    """
    numbers = np.bincount(counts)[1:]
    rare = np.flatnonzero(numbers < least)
    numbers = numbers[: rare[0]] if len(rare) else numbers
    if len(numbers) < 2:
        return nan
    x, y = np.log(np.arange(1, len(numbers) + 1)), np.log(numbers)
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def reduces(counts: Ints) -> float:
    """The share of the ε at which Calibrate lowers each of `POINTS` estimates between the
    significance threshold and the largest count.

    The power law has the mean of the true counts.
    """
    users, items = int(counts.sum()), len(counts)
    prior = PowerLaw(exponent_of_mean(users / items, users), users)
    lowers = []
    for epsilon in EPSILONS:
        noise = Noise.of(OUE(epsilon, items), users)
        estimates = np.geomspace(noise.threshold(items), counts.max(), POINTS)
        lowers.append(bool((posterior_mean(estimates, prior, noise.alike) < estimates).all()))
    return sum(lowers) / len(lowers)


def better_fit(counts: Ints) -> float:
    """The share of the steps to a larger ε at which the mean of the estimates has a smaller
    variance. The power law is fitted to this mean.
    """
    users, items = int(counts.sum()), len(counts)
    scatter = [
        float(Noise.of(OUE(epsilon, items), users).variance(users / items)) / items
        for epsilon in EPSILONS
    ]
    return sum(a > b for a, b in pairwise(scatter)) / (len(scatter) - 1)


SHAPE, RESULTS = "Jia and Gong, section IV-A1, Fig. 3", "Jia and Gong, section IV-B"


def of_population(name: str) -> list[Sentence]:
    """Return the sentences about one population."""
    data, title = DATA[name], TITLES[name]
    of_epsilon = f"ε of {', '.join(f'{epsilon:g}' for epsilon in EPSILONS)}"

    def shape(
        what: str,
        number: float,
        compute: Callable[[Ints], float],
        bound: Bound,
        under: str,
        disputed: str = "The text has no number, and we chose the bound.",
    ) -> Sentence:
        return Sentence(
            SHAPE,
            f"{what}, {title}",
            Stated(number),
            counts_of(name, compute),
            why="Under this reading the data do not keep the bound.",
            bound=bound,
            under=under,
            data=data,
            disputed=disputed,
            counted=True,
        )

    return [
        shape(
            "a large fraction of the items have small frequencies",
            0.5,
            small,
            "at least",
            "at least half of the items have a frequency below the mean",
        ),
        shape(
            "a very small fraction of the items have large frequencies",
            0.05,
            large,
            "at most",
            f"at most 5 % have more than {MANY_TIMES} times the mean",
        ),
        *(
            shape(
                "below some frequency the curve is close to a line on log-log axes",
                LINE,
                partial(straight, least=least),
                "at least",
                "the share of the variance of the logarithm of the number of items that a straight "
                f"line explains, up to the first frequency that {words}",
                "The text names no frequency, and no measure of being close to a line.",
            )
            for least, words in ((1, "no item has"), (10, "fewer than ten items have"))
        ),
        *(
            Sentence(
                "Jia and Gong, section III-B",
                f"the noise of an item over many collections by {NAMES[mechanism]} is about a "
                f"Gaussian with its own variance, {title}, ε = 1",
                Stated(NEAR),
                counts_of(name, off_gaussian(mechanism)),
                bound="at most",
                why="Few reports name the item, so its noise is skewed and takes few values.",
                under="the largest difference of its exact distribution function from the "
                "Gaussian's",
                disputed="The text has no measure of 'approximately', and we chose the bound."
                if mechanism == "k-rr"
                else "",
                data=data,
                points="the larger of two distances: that of the most held item, and that of an "
                "item that nobody holds",
            )
            for mechanism in MECHANISMS
        ),
        Sentence(
            RESULTS,
            f"Calibrate tends to reduce the high frequencies that OUE estimates, {title}",
            STATED,
            counts_of(name, reduces),
            why="For some high estimates the posterior mean under a power law is not below the "
            "estimate.",
            under="every estimate from the significance threshold to the largest count; the power "
            "law has the mean of the counts",
            data=data,
            points=f"{of_epsilon}, {POINTS} estimates at each",
        ),
        Sentence(
            RESULTS,
            f"with a larger ε Calibrate can better estimate the law of the counts, {title}",
            STATED,
            counts_of(name, better_fit),
            under="the variance of the mean of the estimates, which the power law is fitted to, "
            "falls at every step",
            data=data,
            points=of_epsilon,
        ),
    ]


SENTENCES = tuple(one for name in FILES for one in of_population(name))


def trial(parameters: Parameters, seed: int, data: Path | None) -> Measurements:
    """Return the numbers that are computed for a sentence, and what the people are."""
    del seed
    people = "synthetic, by Zipf's law" if data is None else "true counts"
    return {**evaluated(SENTENCES, parameters, data), "people": people}


EXPERIMENT = Experiment(
    summary="Sentences without a figure, and on the shape of Fig. 3",
    source="Jia and Gong, sections III and IV",
    trial=trial,
    grid=[{AXIS: [one.name for one in SENTENCES]}],
    measures=[Measure("value", "what is right", exact=True)],
    files=list(FILES.values()),
    data=PARTIAL,
    choices=CHOICES,
    quotes=[one.quote() for one in SENTENCES],
    cost=lambda _: 0.3,
)
