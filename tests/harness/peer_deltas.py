"""Composed δ by dp-accounting, which has an environment of its own: the program reads a JSON list
of cases, and prints the lower and upper end of each δ.

A case has a kind (gaussian or finite), its laws, how often each pair of laws is seen, ε and the
grid's spacing.
"""

import json
import sys

from dp_accounting.pld import privacy_loss_distribution as pld


def losses(case, pessimistic):
    if case["kind"] == "gaussian":
        return pld.from_gaussian_mechanism(
            case["deviation"],
            pessimistic_estimate=pessimistic,
            value_discretization_interval=case["spacing"],
            use_connect_dots=pessimistic,
        )
    p, q = (
        {x: mass for x, mass in enumerate(case[law]) if mass is not None}
        for law in ("log_p", "log_q")
    )
    return pld.from_two_probability_mass_functions(
        q, p, pessimistic_estimate=pessimistic, value_discretization_interval=case["spacing"]
    )


def delta(case, pessimistic):
    return (
        losses(case, pessimistic).self_compose(case["times"]).get_delta_for_epsilon(case["epsilon"])
    )


json.dump([[delta(case, False), delta(case, True)] for case in json.load(sys.stdin)], sys.stdout)
