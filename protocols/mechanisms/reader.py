"""The privacy statement of a local mechanism's report."""

from math import inf, isclose

from protocols.privacy.statement import positive_epsilon
from simnet.stated.privacy import PrivacyStatement

# The ε of a density holds for exact real numbers. What is sent are doubles, which can tell more.
EXACT_REALS = "exact reals: the doubles that are drawn and sent can tell more"


def reader_of_reports(
    exact: float, continuous: bool, epsilon: float | None = None
) -> PrivacyStatement:
    """Return the privacy statement about somebody who reads a local mechanism's report.

    `exact` is the mechanism's exact pure ε; the statement can also be made at a larger `epsilon`.
    If the law is `continuous` (has a continuous part), ε is that of exact real numbers. The doubles
    that are sent can tell more, because not every double that one value can give is possible for
    another value. Raises `ValueError` for a smaller `epsilon`, because its δ is not computed, and
    for an `epsilon` that is not positive and finite.
    """
    if epsilon is not None:
        positive_epsilon(epsilon)
    at = exact if epsilon is None else epsilon
    if at < exact == inf:
        raise ValueError(
            "reports have no finite pure ε, because a report can rule out a value; the δ of a "
            "finite ε is not computed: leave out epsilon"
        )
    # an ε that is computed from a law has a rounding error
    if at < exact and not isclose(at, exact, rel_tol=1e-12):
        raise ValueError(
            f"reports have a pure ε of {exact:.15g}; the δ of the smaller ε = {at:.15g} is not "
            "computed: choose an ε that is not smaller"
        )
    assumption = (
        EXACT_REALS if continuous else "nothing: the statement holds for each user separately"
    )
    return PrivacyStatement(max(at, exact), -inf, "replace", "whoever reads its report", assumption)
