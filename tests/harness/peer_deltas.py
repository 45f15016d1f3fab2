"""Composed δ by dp-accounting, in the environment of its own: a JSON list of cases on stdin, ends
of δ on stdout.

A case has a kind (gaussian or finite), its laws, how often they are seen, ε and the grid's spacing.
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
