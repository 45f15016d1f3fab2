"""The scenario `ldp_sgd`: a server learns a linear model of one column of a table of fifty thousand
users. Most of them send one locally private gradient each; on a tenth of them, who are not asked,
the model is tested.
"""

from protocols.ldp_sgd.about import about_table
from protocols.ldp_sgd.made_up import dependent_table
from protocols.ldp_sgd.table import table_descent
from simnet.scenario.claims import Chosen, SeesNoShares
from simnet.scenario.scenario import Scenario
from simnet.scenario.schema import Categorical, Numeric, Schema

SCENARIO = Scenario(
    summary=(
        "LDP-SGD: a server learns a linear model from users' gradients; no user answers twice"
    ),
    protocol=table_descent,
    about=about_table,
    parameters={
        "loss": "logistic",
        "target": "income",
        "mechanism": "hm",
        "epsilon": 1.0,
        "chosen": None,
        "group_size": None,
        "first_step": None,
        "schedule": "inverse-root",
        "regularisation": 1e-4,
        "regularise": "user",
        "held_out": 0.1,
        "population": "crowd",
    },
    users=50_000,
    claims=(
        SeesNoShares("server"),
        SeesNoShares(
            Chosen(
                "the last group", lambda run: run.protocol.descent.group(run.protocol.descent.steps)
            )
        ),
        SeesNoShares("network"),
    ),
    sizes=("users", "schema"),
    data="table",
    schema=Schema(
        numeric=(Numeric("education", 0, 20), Numeric("age", 18, 90), Numeric("hours", 0, 80)),
        categorical=(
            Categorical("region", ("north", "east", "south", "west")),
            Categorical("income", ("low", "high")),
        ),
    ),
    table=dependent_table,
    in_chance_order=True,
)
