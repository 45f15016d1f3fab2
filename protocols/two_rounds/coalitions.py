"""Claims about what colluding owners, aggregators and the reader learn from two rounds of answers.

The paper asks for one aggregator that does not collude. With additive sharing the other aggregators
then learn nothing. That is not enough for privacy: if owners keep their roll, no ε is finite for
the sums that the reader receives.
"""

from typing import Any

from protocols.sharing.coalitions import refuse_unreachable
from simnet.kernel.run import Run
from simnet.scenario.claims import Chosen, Exposes, LearnsNothing, LearnsOnlyOutput


def refuse_threshold(protocol: Any) -> None:
    """Raise `ValueError` for a threshold above the number of aggregators."""
    refuse_unreachable(protocol.sharing, protocol.aggregators, "aggregators")


def enough_aggregators(run: Run) -> list[str]:
    """Return the fewest aggregators who together can open an owner's secret."""
    aggregators = list(run.roster.role("aggregator"))
    return aggregators[: run.protocol.sharing.needed(len(aggregators))]


def too_few_aggregators(run: Run) -> list[str]:
    """Return aggregators, one fewer than are needed to open an owner's secret."""
    return enough_aggregators(run)[:-1]


def _owners(run: Run) -> list[str]:
    return list(run.roster.role("user"))[:-1]


ALL_OWNERS_BUT_ONE = Chosen("all users but one", _owners)
READER_AND_OWNERS = Chosen(
    "reader, all users but one",
    lambda run: ["reader", *_owners(run)] if _owners(run) else [],
)
ENOUGH_AGGREGATORS = Chosen("aggregators, enough to open shares", enough_aggregators)
TOO_FEW_AGGREGATORS = Chosen("aggregators, one too few to open shares", too_few_aggregators)
TOO_FEW_AND_OWNERS = Chosen(
    "all users but one, aggregators, one too few to open shares",
    lambda run: [*_owners(run), *too_few_aggregators(run)] if too_few_aggregators(run) else [],
)
TOO_FEW_AND_READER = Chosen(
    "reader, aggregators, one too few to open shares",
    lambda run: [*too_few_aggregators(run), "reader"],
)

CLAIMS_OF_AGGREGATORS = (
    LearnsNothing(ALL_OWNERS_BUT_ONE),
    LearnsNothing(TOO_FEW_AGGREGATORS),
    LearnsNothing(TOO_FEW_AND_OWNERS),
    LearnsOnlyOutput("reader"),
    LearnsOnlyOutput(TOO_FEW_AND_READER),
    Exposes(READER_AND_OWNERS),
    Exposes(ENOUGH_AGGREGATORS),
    LearnsNothing("network"),
)
CLAIMS_IN_THE_CLEAR = (
    LearnsNothing(ALL_OWNERS_BUT_ONE),
    LearnsOnlyOutput("reader"),
    Exposes("A1"),
)
