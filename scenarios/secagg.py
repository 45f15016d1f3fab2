"""The scenario `secagg`: the secure aggregation of Bonawitz et al. adds up the answers of DPDS."""

from protocols.secagg.about import about
from protocols.secagg.build import secagg
from protocols.secagg.coalitions import CLAIMS
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="item frequencies by secure aggregation with one server; users may drop out",
    protocol=secagg,
    about=about,
    parameters={
        "answer": "dpds",
        "participation": 0.5,
        "epsilon": 0.5,
        "delta": 1e-5,
        "left": 0.5,
        "active": False,
    },
    users=50,
    items=30,
    claims=CLAIMS,
)
