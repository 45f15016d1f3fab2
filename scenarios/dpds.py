"""The scenario `dpds`: a thousand users, each with one of thirty items, uniformly."""

from protocols.dpds.about import about
from protocols.dpds.script import DPDS
from protocols.sharing.coalitions import CLAIMS_OF_SUMS, refuse_threshold
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="DPDS: item frequencies from a secret-shared random sample of the users",
    protocol=DPDS,
    about=about,
    parameters={"participation": 0.5, "sharing": "additive"},
    users=1000,
    items=30,
    refuse=refuse_threshold,
    claims=CLAIMS_OF_SUMS,
)
