"""The scenario `secagg_plus`: secure aggregation in which every user has a few neighbours."""

from protocols.secagg.about import about
from protocols.secagg.build import secagg_plus
from protocols.secagg.coalitions import CLAIMS, refuse_degree
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="secure aggregation in which every user has a few neighbours; users may drop out",
    protocol=secagg_plus,
    about=about,
    parameters={
        "answer": "dpds",
        "participation": 0.5,
        "epsilon": 0.5,
        "delta": 1e-5,
        "degree": 20,
        "left": 0.5,
    },
    users=100,
    items=30,
    refuse=refuse_degree,
    claims=CLAIMS,
)
