"""The protocols that the experiments on time compare, with the parameters that `simnet compare`
finds for equal privacy.

All of them estimate the frequencies of the same items.
"""

from functools import cache
from typing import Any

import attrs
import numpy as np

from protocols.advice.advice import Option, Question, options_of
from protocols.committee.script import Committee, RobustDPDS
from protocols.dpds.script import DPDS
from protocols.local_frequency.script import FrequencyCollection
from protocols.secagg.script import SecAgg
from protocols.tss.robust import RobustTSS
from protocols.tss.script import TSS
from simnet.errors import BadInput
from simnet.network.presets import PRESETS
from simnet.scenario.population import ItemPopulation

ITEMS, EPSILON, DELTA = 10, 1.0, 1e-6
NETWORKS = tuple(PRESETS[name] for name in ("data-centre", "wide-area", "broadband", "mobile"))
LOCAL = ("oue", "grr")  # local mechanisms: every user sends one noisy answer
# These protocols have no result if one message of one user does not come.
NEED_EVERYBODY = ("dpds", "tss", "dpdg")
FAMILIES = (*NEED_EVERYBODY, "secagg", "secagg_plus", "committee", *LOCAL)
ROBUST = ("dpds_robust", "tss_robust")  # variants that survive drop-outs
CHOICES = (
    f"There are {ITEMS} items, which the users hold in turn. A user's item is protected with ε = "
    f"{EPSILON:g} and δ = {DELTA:g} (δ = 0 for local mechanisms), with the parameters of `simnet "
    "compare`.",
    "The networks are data-centre, wide-area, broadband and mobile, with their prices of "
    "operations.",
)


@cache
def option(label: str, users: int) -> Option:
    """Return the protocol with this label in `simnet compare`, at equal privacy. Committees and
    secure aggregation have the p of dpds: in `simnet compare` theirs is smaller, for runs in which
    users drop out.

    Raises `BadInput` if no parameters give so few users this privacy, and `ValueError` for fewer
    users than items.
    """
    question = Question(users, ITEMS, EPSILON, DELTA, rarest=users // ITEMS)
    for one in options_of(label, question):
        if one.label == label:
            return _as_if_nobody_dropped_out(one, users)
    raise BadInput(
        f"no parameters of {label} give {users} users ε = {EPSILON:g} and δ = {DELTA:g}: take more "
        "users"
    )


def _as_if_nobody_dropped_out(one: Option, users: int) -> Option:
    script = one.script
    if not isinstance(script, Committee | SecAgg):
        return one
    plain = option("dpds", users)
    question = plain.script
    assert isinstance(question, DPDS)
    if isinstance(script, SecAgg):
        return attrs.evolve(one, script=attrs.evolve(script, question=question), error=plain.error)
    script = attrs.evolve(script, participation=question.participation)
    return attrs.evolve(one, script=script, error=plain.error)


def people(users: int) -> ItemPopulation:
    """Return users who hold the items 1, 2, …, 10, 1, 2 and so on."""
    return ItemPopulation(
        1 + np.arange(users) % ITEMS,
        tuple(str(item) for item in range(1, ITEMS + 1)),
        "users who hold the items in turn",
    )


def script_of(name: str, users: int) -> Any:
    """Return the protocol with the parameters of `simnet compare`; dpds_robust and tss_robust have
    the p of dpds and tss.

    Every user is an actor of its own, so that single users can drop out.
    """
    if name == "dpds_robust":
        sampled = option("dpds", users).script
        assert isinstance(sampled, DPDS)
        p = sampled.participation
        return RobustDPDS(users, ITEMS, p, sharing=f"shamir:{users // 2 + 1}")
    if name == "tss_robust":
        staged = option("tss", users).script
        assert isinstance(staged, TSS)
        return RobustTSS(users, ITEMS, staged.participation, staged.reported)
    script = option(name, users).script
    if isinstance(script, FrequencyCollection):
        return attrs.evolve(script, population="actors")
    return script
