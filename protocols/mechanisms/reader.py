"""What is stated of a local mechanism's report: whoever reads it learns at most its exact ε."""

from math import inf, isclose

from simnet.stated.privacy import PrivacyStatement

EXACT_REALS = "exact reals: the doubles that are drawn and sent tell more"


def reader_of_reports(
    exact: float, continuous: bool, epsilon: float | None = None
) -> PrivacyStatement:
    """Whoever reads the report of a local mechanism with this exact pure ε.

    Stated at a larger ε too. The ε of a `continuous` law, which has a density, is that of reals:
    two values do not give the same doubles. Raises `ValueError` for a smaller one, whose δ is not
    worked out.
    """
    at = exact if epsilon is None else epsilon
    # An ε from a law is off by some roundings
    if at < exact and not isclose(at, exact, rel_tol=1e-12):
        raise ValueError(
            f"reports have a pure ε of {exact:g}; what δ the smaller ε = {at:g} has is not "
            f"worked out"
        )
    assumption = EXACT_REALS if continuous else "nothing: it holds for every user by itself"
    return PrivacyStatement(max(at, exact), -inf, "replace", "whoever reads its report", assumption)
