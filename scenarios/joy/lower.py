"""The sentence that Sampling Privacy has a significantly lower error bound than the response."""

from collections.abc import Callable

from simnet.studies.paper_claim import Counterpart
from simnet.studies.statements import MeasureByAxis, everywhere
from simnet.studies.table import Table

SIGNIFICANT = 0.9  # an error is significantly smaller if it is at most so many times the other


def lower_errors(axis: str) -> Callable[[Table], Counterpart]:
    """Return the reading of the sentence at every value of an axis."""

    def holds(bounds: MeasureByAxis) -> bool:
        ours = [bound for (name, _), bound in bounds.items() if name == "sampling"]
        return max(ours) <= SIGNIFICANT * bounds["response", None]

    return everywhere("bound", ["mechanism", "sampling"], [axis], holds)
