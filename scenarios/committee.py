"""The scenario `committee`: DPDS with a committee of five servers; users may drop out."""

from protocols.committee.about import about
from protocols.committee.coalitions import CLAIMS_OF_A_COMMITTEE, refuse_threshold
from protocols.committee.script import Committee
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="item frequencies from a sample, shared among a committee; users may drop out",
    protocol=Committee,
    about=about,
    parameters={"participation": 0.5, "members": 5, "sharing": "shamir:3"},
    users=1000,
    items=30,
    refuse=refuse_threshold,
    claims=CLAIMS_OF_A_COMMITTEE,
)
