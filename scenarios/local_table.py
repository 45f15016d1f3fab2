"""The scenario `local_table`: ten thousand users send one locally private report each on its row
of numbers and categories.
"""

from protocols.local_table.about import about
from protocols.local_table.script import local_table
from protocols.postprocess.processed import postprocessed
from protocols.postprocess.processed_about import about_either
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario
from simnet.scenario.schema import Categorical, Numeric, Schema

SCENARIO = Scenario(
    summary=(
        "Local table: every user reports on k columns of its row, or on all columns, which share ε"
    ),
    protocol=postprocessed(local_table),
    about=about_either(about),
    parameters={
        "method": "hm",
        "epsilon": 1.0,
        "k": None,
        "postprocess": "raw",
        "population": "crowd",
        "fewest_reports": None,
    },
    users=10_000,
    claims=(SeesNoShares("server"), SeesNoShares("network")),
    sizes=("users", "schema"),
    data="table",
    schema=Schema(
        numeric=(Numeric("age", 0, 100), Numeric("hours", 0, 80)),
        categorical=(
            Categorical("sex", ("female", "male")),
            Categorical("region", ("north", "east", "south", "west")),
        ),
    ),
)
