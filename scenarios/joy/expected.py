"""The exact errors of Joy and Gerla's mechanism beside the errors of randomised response.

An error is the standard deviation of an estimated number of owners. A bar in a figure is a 95 %
bound, `BAR` standard deviations. For given π_s and given coins of randomised response, the errors
depend only on the number of owners and on how many of them hold the value. In particular they do
not depend on the background faces, for which the paper has no numbers.

Source: Joy and Gerla, *Differential Privacy By Sampling*, section 5 and Fig. 2 to 7.
"""

from collections.abc import Sequence
from math import inf, sqrt

import attrs

from protocols import checks
from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.estimators import variance
from protocols.two_rounds.mechanism import TwoRounds

BAR = 1.96  # standard deviations
COMPETITOR = JoyGerla(0.8, 0.2)
SAMPLINGS = (0.45, 0.25)  # "H Privacy 1" and "H Privacy 2"


@attrs.frozen
class Errors:
    """The standard deviations of an estimate: by randomised response, and by sampling with each
    π_s.
    """

    label: str
    owners: int
    yes: int
    response: float
    sampling: tuple[float, ...]

    @property
    def factors(self) -> tuple[float, ...]:
        """The error of randomised response divided by the error of sampling, for each π_s; inf if
        sampling has no error.
        """
        return tuple(self.response / one if one else inf for one in self.sampling)

    @property
    def bars(self) -> tuple[float, ...]:
        """The 95 % bounds: of randomised response, and of sampling with each π_s."""
        return tuple(BAR * one for one in (self.response, *self.sampling))


def errors(
    owners: int,
    yes: int,
    label: str = "",
    competitor: JoyGerla = COMPETITOR,
    samplings: Sequence[float] = SAMPLINGS,
) -> Errors:
    """Return the errors when `yes` of the owners hold the value.

    Raises `ValueError` for less than one owner, for fewer holders than 0, and for more holders than
    owners; `TypeError` for numbers that are not whole.

    >>> found = errors(owners=10_000, yes=85)
    >>> round(found.response, 1), [round(one, 1) for one in found.sampling]
    (24.8, [10.2, 16.0])
    """
    checks.whole("owners", owners, 1)
    checks.whole("yes", yes, 0, owners)
    response = owners * sqrt(competitor.variance(yes / owners, owners))
    mechanisms = [TwoRounds.even(s, 1, none=True) for s in samplings]
    return Errors(
        label, owners, yes, response, tuple(sqrt(variance(one, yes)[0]) for one in mechanisms)
    )


def crossover(sampling: float, factor: float = 1.0, competitor: JoyGerla = COMPETITOR) -> float:
    """Return the number of owners per holder at which randomised response has `factor` times the
    error of sampling.
    """
    # Both variances are linear in the number of holders, and that of randomised response is linear
    # in the number of owners, too. So their ratio depends on owners per holder alone.
    holder, other = competitor.variance(1.0, 1), competitor.variance(0.0, 1)
    per_holder = variance(TwoRounds.even(sampling, 1, none=True), 1)[0]
    return float(1 + (factor**2 * per_holder - holder) / other)


def holders_for(owners: int, factor: float, sampling: float) -> float:
    """Return how many holders there are if randomised response has `factor` times the error of
    sampling.
    """
    return owners / crossover(sampling, factor)
