"""Errors of Joy and Gerla's mechanism as the population grows.

The errors do not grow, because owners keep their faces for both rounds.
"""

from typing import Any

from scenarios.joy.drawing import way
from scenarios.joy.people import CHOICES
from scenarios.joy.trials import BOUND, RESPONSE, cost, populations
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Product
from simnet.studies.quote import Counterpart, Quote, Stated
from simnet.studies.readings import quotient
from simnet.studies.table import NoSuchPoint, Table

YES = 85
OWNERS: Product = {"owners": [286, 1000, 10_000, 100_000, 1_000_000], "yes": [YES]}
ROUNDS = {"kept": "", "fresh": ", thrown anew for round two", "round-two": ", round two alone"}


def growth(table: Table, **ours: Any) -> Counterpart:
    """The bound for the largest population divided by that for the smallest one."""
    found = table.where(**ours)
    sizes = sorted(found.values("owners"))
    if len(sizes) < 2:
        raise NoSuchPoint("one population does not grow")
    least, most = (found.at("bound", owners=size) for size in (sizes[0], sizes[-1]))
    return quotient(most, least)


def words(mechanism: str, sampling: float | None, rounds: str | None) -> str:
    """A curve's name."""
    return (
        way({"mechanism": mechanism, "sampling": sampling, "truthful": 0.8, "coin": 0.2})
        + ROUNDS[rounds or "kept"]
    )


EXPERIMENT = Experiment(
    summary=("Errors as the population grows: faces kept, faces thrown anew, or round two alone"),
    source="Joy and Gerla, sections 1 and 5.1",
    trial=populations,
    grid=[
        {**OWNERS, **RESPONSE},
        {**OWNERS, "mechanism": ["sampling"], "sampling": [0.45], "rounds": list(ROUNDS)},
    ],
    measures=[BOUND],
    trials=20,
    quick={"owners": [286, 1_000_000]},
    quick_trials=2,
    choices=(
        *CHOICES[:1],
        "85 owners hold yes, whatever the population",
        ('both faces besides "sampled" are equally likely, which matters where faces are not kept'),
    ),
    quotes=[
        Quote(
            "Joy and Gerla, section 1",
            "the error of sampling for the largest population divided by that for the smallest: it "
            "is constant",
            Stated(1.0),
            lambda table: growth(table, mechanism="sampling", rounds="kept"),
        ),
        Quote(
            "Joy and Gerla, section 5.1",
            "the error of randomised response for the largest population divided by that for the "
            "smallest: it quickly grows",
            Stated(1.0),
            lambda table: growth(table, mechanism="response"),
            bound="at least",
            points="286 and 10,000 owners are the paper's patients, a million its check-ins",
        ),
    ],
    figure=lambda table: curves(
        table,
        "owners",
        panel="yes",
        line=["mechanism", "sampling", "rounds"],
        words=words,
        titles={YES: f"{YES} owners hold yes"},
        x_label="owners",
        log_x=True,
        notes=(
            (
                "Points: 1.96 root mean square errors, with 99.9 % intervals for all points "
                "together. Lines: exact."
            ),
            "Without the first round the error is that of a randomised response.",
        ),
    ),
    cost=cost,
)
