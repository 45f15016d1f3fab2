"""A record for each protocol, from which tests/contract makes the same tests for all protocols.

To test a new protocol, add one record for it here. The record has small instances to draw from, one
tiny instance whose every coin is played out, parameters that must be refused, and what coalitions
learn in the tiny instance. At least two coalitions must learn different things.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from hypothesis import strategies as st

from protocols.committee import about as committee
from protocols.committee.script import Committee, RobustDPDS
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG, NOISES
from protocols.dpds import about as dpds
from protocols.dpds import central_about as dpcs
from protocols.dpds.central import DPCS, DPCSStar
from protocols.dpds.script import DPDS
from protocols.ldp_sgd import about as sgd
from protocols.ldp_sgd.script import ldp_sgd
from protocols.local_frequency import about as frequency
from protocols.local_frequency.script import local_frequency
from protocols.local_mean import about as mean
from protocols.local_mean.script import local_mean
from protocols.local_table import about as table
from protocols.local_table.script import local_table
from protocols.postprocess.processed import postprocessed
from protocols.postprocess.processed_about import about_either
from protocols.sampled_frequency import about as sampled
from protocols.sampled_frequency.script import sampled_frequency
from protocols.secagg import about as secagg_about
from protocols.secagg.build import secagg, secagg_plus
from protocols.tss import about as tss_about
from protocols.tss import robust_about
from protocols.tss.prime import tss
from protocols.tss.robust import RobustTSS
from protocols.two_rounds import about as two_rounds
from protocols.two_rounds.script import SamplingPrivacy
from protocols.weighted import about as weights
from protocols.weighted.groups import weighted, weighted_mean
from simnet.scenario.schema import Categorical, Numeric, Schema
from simnet.stated.about import Describe

Parameters = Mapping[str, Any]
Held = Any  # the inputs of all users: a list of items, or an array of numbers or rows
CHANCES = st.sampled_from([0.3, 1.0])
SHARINGS = st.sampled_from(["additive", "shamir:1", "shamir:2"])
SEATINGS = st.sampled_from(["actors", "crowd", "aggregate"])
SCHEMA = Schema((Numeric("age", 20, 60),), (Categorical("dish", ("a", "b", "c")),))


def items_held(parameters: Parameters) -> st.SearchStrategy[Held]:
    """Draw an item for each user."""
    users = parameters["users"]
    return st.lists(st.integers(1, parameters["items"]), min_size=users, max_size=users)


def numbers_held(parameters: Parameters) -> st.SearchStrategy[Held]:
    """Draw a number from -1 to 1 for each user."""
    users = parameters["users"]
    return st.lists(st.floats(-1, 1), min_size=users, max_size=users)


def rows_held(parameters: Parameters) -> st.SearchStrategy[Held]:
    """Draw a row of `SCHEMA` for each user."""
    row = st.tuples(st.integers(20, 60), st.integers(1, 3))
    users = parameters["users"]
    return st.lists(row, min_size=users, max_size=users).map(lambda rows: np.array(rows, float))


def examples_held(parameters: Parameters) -> st.SearchStrategy[Held]:
    """Draw features from -1 to 1 and a class, -1 or 1, for each user."""
    feature = st.sampled_from([-1.0, -0.25, 0.5, 1.0])
    row = st.tuples(*[feature] * parameters["attributes"], st.sampled_from([-1.0, 1.0]))
    users = parameters["users"]
    return st.lists(row, min_size=users, max_size=users).map(np.array)


@attrs.frozen(kw_only=True)
class Case:
    """What the tests of tests/contract need to know about one protocol."""

    make: Callable[..., Any]
    """Makes the protocol from its parameters, which are given by name."""

    about: Describe
    """Returns the record of statements about the protocol: cost, error, privacy, disclosure."""

    drawn: Mapping[str, st.SearchStrategy[Any]]
    """Parameters of small instances."""

    held: Callable[[Parameters], st.SearchStrategy[Held]] = items_held
    """Draws the inputs of all users, given the parameters."""

    outputs: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Returns each party's output, given what the ideal world hands to each party; None if the
    protocol has no ideal world."""

    tiny: Parameters
    """Parameters of the tiny instance."""

    tiny_held: Sequence[Any]
    """The inputs of the tiny instance's users."""

    truth: Sequence[float] | None = None
    """The exact mean of the tiny instance's estimate; None if a coin has infinitely many outcomes,
    or if no estimate is unbiased."""

    refused: Sequence[tuple[Parameters, str]]
    """Changes of the tiny instance's parameters that the protocol refuses, and words of the error
    message."""

    findings: Mapping[str, str]
    """What each coalition of the tiny instance learns from shares; at least two findings differ."""


def of_all(protocol: Any, handed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the output of a protocol that estimates frequencies among the users who were counted,
    if all were.
    """
    return {"server": protocol.estimate(handed["server"].numbers(), protocol.users)}


def in_the_mean(*counts: int) -> list[float]:
    """Return the share of the users who hold each item, from the number of these users."""
    return [count / sum(counts) for count in counts]


USERS: Sequence[tuple[Parameters, str]] = [
    ({"users": 1}, "at least 2 users"),
    ({"users": 0}, "at least 2 users"),
    ({"users": 2.5}, "whole number"),
    ({"users": True}, "whole number"),
]
FEW_ITEMS = ({"items": 0}, "at least 1 item")
CHANCE: Sequence[tuple[Parameters, str]] = [
    ({"participation": value}, "above 0 and at most 1")
    for value in (0.0, -0.5, 1.01, 1.5, float("nan"))
]
BAD_SHARING = ({"sharing": "shamir"}, "sharing is 'additive' or 'shamir:t'")
BAD_EPSILON = ({"epsilon": 0.0}, "(?i)epsilon|ε")
BOUND: Sequence[tuple[Parameters, str]] = [
    ({"bound": 3}, r"bound lies in 0\.\.2, got 3"),
    ({"bound": -1}, r"bound lies in 0\.\.2, got -1"),
    ({"bound": 1.0}, "bound is a whole number"),
]
OF_SUMS = {
    "all users but one": "nothing",
    "server": "output-only",
    "server, all users but one": "output-only",
}

CASES: Mapping[str, Case] = {
    "dpcs": Case(
        make=DPCS,
        about=dpcs.about,
        drawn={
            "users": st.integers(2, 7),
            "items": st.integers(1, 4),
            "participation": CHANCES,
        },
        outputs=lambda protocol, handed: {"server": protocol.estimate(handed["server"].numbers())},
        tiny={"users": 3, "items": 2, "participation": 0.3},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[*USERS, FEW_ITEMS, *CHANCE],
        findings={"all users but one": "nothing", "server": "output-only"},
    ),
    "dpcs_star": Case(
        make=DPCSStar,
        about=dpcs.about,
        drawn={
            "users": st.integers(2, 7),
            "items": st.integers(1, 4),
            "participation": CHANCES,
        },
        outputs=lambda protocol, handed: {"server": protocol.estimate(handed["server"].numbers())},
        tiny={"users": 3, "items": 2, "participation": 0.3},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[*USERS, FEW_ITEMS, *CHANCE],
        findings={"all users but one": "nothing", "server": "output-only"},
    ),
    "committee": Case(
        make=Committee,
        about=committee.about,
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(1, 4),
            "participation": CHANCES,
            "members": st.integers(1, 4),
            "sharing": SHARINGS,
        },
        outputs=of_all,
        tiny={"users": 3, "items": 2, "participation": 0.3, "members": 2, "sharing": "shamir:2"},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[
            *USERS,
            FEW_ITEMS,
            *CHANCE,
            BAD_SHARING,
            ({"members": 0}, "at least 1 member"),
        ],
        findings={
            "c1": "nothing",
            "server, c1": "output-only",
            "all users but one, server": "output-only",
        },
    ),
    "dpds_robust": Case(
        make=RobustDPDS,
        about=committee.about,
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(1, 4),
            "participation": CHANCES,
            "sharing": SHARINGS,
        },
        outputs=of_all,
        tiny={"users": 3, "items": 2, "participation": 0.3, "sharing": "shamir:2"},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[*USERS, FEW_ITEMS, *CHANCE, BAD_SHARING],
        findings={"u1": "nothing", "server": "output-only", "u1, u2": "leaks"},
    ),
    "secagg": Case(
        make=secagg,
        about=secagg_about.about,
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(1, 4),
            "participation": CHANCES,
            "left": st.sampled_from([0.0, 0.5, 0.9]),
            "active": st.booleans(),
        },
        outputs=of_all,
        tiny={"users": 3, "items": 2, "participation": 0.3},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[
            *USERS,
            FEW_ITEMS,
            *CHANCE,
            ({"left": 1.0}, "left is a share from 0 to below 1"),
            ({"answer": "tss"}, "answer"),
        ],
        findings={
            "u1": "nothing",
            "u1, u2": "nothing",
            "server": "output-only",
            "server, u1": "output-only",
            "all users but one, server": "output-only",
        },
    ),
    "secagg_plus": Case(
        make=secagg_plus,
        about=secagg_about.about,
        drawn={
            "users": st.integers(5, 8),
            "items": st.integers(1, 4),
            "participation": CHANCES,
            "degree": st.sampled_from([2, 4]),
            "left": st.sampled_from([0.0, 0.5, 0.9]),
        },
        outputs=of_all,
        tiny={"users": 4, "items": 2, "participation": 0.3, "degree": 2},
        tiny_held=[1, 2, 2, 2],
        truth=in_the_mean(1, 3),
        refused=[
            *USERS,
            FEW_ITEMS,
            *CHANCE,
            ({"degree": 1}, "the degree must be even"),
            ({"users": 2}, "users is at least 3, got 2"),
        ],
        findings={
            "u1": "nothing",
            "server": "output-only",
            "server, u1": "output-only",
            "server, u1, u2, u3": "output-only",
        },
    ),
    "dpds": Case(
        make=DPDS,
        about=dpds.about,
        drawn={
            "users": st.integers(2, 7),
            "items": st.integers(1, 4),
            "participation": CHANCES,
            "sharing": SHARINGS,
        },
        outputs=lambda protocol, handed: {"server": protocol.estimate(handed["server"].numbers())},
        tiny={"users": 3, "items": 2, "participation": 0.3},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[*USERS, FEW_ITEMS, *CHANCE, BAD_SHARING],
        findings=OF_SUMS,
    ),
    "dpdg": Case(
        make=DPDG,
        about=dpdg.about,
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(1, 4),
            "epsilon": st.sampled_from([0.01, 1.0]),
            "delta": st.sampled_from([1e-9, 0.3]),
            "fraction_bits": st.sampled_from([4, 16]),
            "noise": st.sampled_from(NOISES),
            "sharing": SHARINGS,
        },
        outputs=lambda protocol, handed: {
            "server": handed["server"].numbers(signed=True)
            / (protocol.users * 2.0**protocol.fraction_bits)
        },
        tiny={"users": 3, "items": 2, "epsilon": 0.5, "delta": 1e-5, "fraction_bits": 4},
        tiny_held=[1, 2, 2],
        refused=[*USERS, FEW_ITEMS, BAD_EPSILON, ({"delta": 1.0}, "delta"), BAD_SHARING],
        findings=OF_SUMS,
    ),
    "tss": Case(
        make=tss,
        about=tss_about.about,
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(2, 4),
            "participation": CHANCES,
            "reported": st.integers(1, 2),
            "gamma": st.sampled_from([None, 2.0]),
            "sharing": SHARINGS,
        },
        outputs=lambda protocol, handed: {
            "S2": protocol.estimate(range(protocol.items), handed["S2"].numbers())
        },
        tiny={"users": 3, "items": 2, "participation": 0.5, "reported": 1, "gamma": 2.0},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[
            *USERS,
            FEW_ITEMS,
            *CHANCE,
            ({"reported": 0}, "1 to 2 items"),
            ({"reported": 3}, "1 to 2 items"),
            ({"reported": 0.4 * 3}, "whole number of type int"),
            ({"reported": True}, "whole number of type int"),
            *(({"gamma": gamma}, "gamma is above 1") for gamma in (1, 0.5, float("nan"))),
            ({"gamma": float("inf")}, "gamma is above 1"),
            BAD_SHARING,
        ],
        findings={"S1": "nothing", "S2": "output-only", "S1, S2": "output-only"},
    ),
    "tss_prime": Case(
        make=tss,
        about=tss_about.about,
        drawn={
            "users": st.integers(3, 6),
            "items": st.integers(2, 4),
            "participation": CHANCES,
            "reported": st.integers(1, 2),
            "bound": st.integers(0, 2),
            "sharing": SHARINGS,
        },
        outputs=lambda protocol, handed: {
            "S2": protocol.estimate(range(protocol.items), handed["S2"].numbers())
        },
        tiny={"users": 3, "items": 2, "participation": 0.5, "reported": 1, "bound": 1},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[*USERS, *BOUND, BAD_SHARING],
        findings={"u1, S1": "nothing", "S2": "output-only"},
    ),
    "tss_robust": Case(
        make=RobustTSS,
        about=robust_about.about,
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(2, 4),
            "participation": CHANCES,
            "reported": st.integers(1, 2),
            "gamma": st.sampled_from([None, 2.0]),
            "sharing": st.sampled_from(["additive", "shamir:1", "shamir:2", "shamir:60%"]),
        },
        outputs=lambda protocol, handed: {
            "S2": protocol.estimate(range(protocol.items), handed["S2"].numbers())
        },
        tiny={"users": 3, "items": 2, "participation": 0.5, "reported": 1, "gamma": 2.0},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[
            *USERS,
            FEW_ITEMS,
            *CHANCE,
            ({"reported": 3}, "1 to 2 items"),
            ({"gamma": 1}, "gamma is above 1"),
            ({"sharing": "shamir:0%"}, "percentage is from 1 to 100"),
            BAD_SHARING,
        ],
        findings={"S1": "nothing", "S2": "output-only", "S1, S2": "output-only"},
    ),
    "sampling_privacy": Case(
        make=SamplingPrivacy,
        about=two_rounds.about,
        drawn={
            "users": st.integers(1, 6),
            "items": st.integers(2, 4),
            "sampling": st.sampled_from([0.1, 0.45]),
            "variant": st.sampled_from(["kept", "fresh", "round-two"]),
            "aggregators": st.integers(2, 3),
            "sharing": SHARINGS,
        },
        outputs=lambda protocol, handed: {
            "reader": protocol.estimate(*(of_round.numbers() for of_round in handed["reader"]))
        },
        tiny={"users": 2, "items": 2, "none": False},
        tiny_held=[1, 2],
        truth=in_the_mean(1, 1),
        refused=[
            ({"users": 0}, "user"),
            ({"items": 1}, "item"),
            ({"sampling": 1.5}, "sampling"),
            ({"variant": "new"}, "variant"),
            BAD_SHARING,
        ],
        findings={"A1": "nothing", "A2": "nothing", "reader": "output-only", "A1, A2": "leaks"},
    ),
    "local_frequency": Case(
        make=local_frequency,
        about=frequency.about,
        drawn={
            "users": st.integers(1, 6),
            "items": st.integers(2, 4),
            "mechanism": st.sampled_from(["oue", "sue", "grr", "olh", "hadamard"]),
            "population": SEATINGS,
        },
        tiny={"users": 3, "items": 2, "mechanism": "grr"},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[({"users": 0}, "user"), ({"mechanism": "none"}, "mechanism"), BAD_EPSILON],
        findings={"server": "no-shares"},
    ),
    "processed": Case(
        make=postprocessed(local_frequency),
        about=about_either(frequency.about),
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(2, 4),
            "mechanism": st.sampled_from(["oue", "grr"]),
            "postprocess": st.sampled_from(["clip", "normalise", "norm-sub", "project"]),
            "population": SEATINGS,
        },
        tiny={"users": 3, "items": 2, "mechanism": "grr", "postprocess": "clip"},
        tiny_held=[1, 2, 2],
        refused=[({"postprocess": "none"}, "postprocess"), ({"heavy": 2.0}, "heavy")],
        findings={"server": "no-shares"},
    ),
    "local_mean": Case(
        make=local_mean,
        about=mean.about,
        drawn={
            "users": st.integers(1, 6),
            "mechanism": st.sampled_from(["hm", "pm", "duchi", "laplace"]),
            "population": st.sampled_from(["actors", "crowd"]),
        },
        held=numbers_held,
        tiny={"users": 3, "mechanism": "duchi"},
        tiny_held=[-1.0, 0.25, 1.0],
        refused=[({"mechanism": "none"}, "mechanism"), ({"low": 1.0}, "low"), BAD_EPSILON],
        findings={"server": "no-shares"},
    ),
    "local_table": Case(
        make=lambda **parameters: local_table(schema=SCHEMA, **parameters),
        about=table.about,
        drawn={
            "users": st.integers(1, 6),
            "method": st.sampled_from(["hm", "duchi"]),
            "population": st.sampled_from(["actors", "crowd"]),
        },
        held=rows_held,
        tiny={"users": 2, "method": "hm"},
        tiny_held=[[20.0, 1.0], [50.0, 3.0]],
        refused=[({"method": "none"}, "method"), BAD_EPSILON],
        findings={"server": "no-shares"},
    ),
    "sampled_frequency": Case(
        make=sampled_frequency,
        about=sampled.about,
        drawn={
            "users": st.integers(2, 6),
            "items": st.integers(2, 4),
            "sampling": st.sampled_from([0.25, 1.0, "0.25,0.5"]),
            "population": SEATINGS,
        },
        tiny={"users": 3, "items": 2, "sampling": 0.25},
        tiny_held=[1, 2, 2],
        truth=in_the_mean(1, 2),
        refused=[({"sampling": 0.0}, "sampling"), ({"formula": "none"}, "formula"), BAD_EPSILON],
        findings={"server": "no-shares"},
    ),
    "ldp_sgd": Case(
        make=ldp_sgd,
        about=sgd.about,
        drawn={
            "users": st.integers(4, 9),
            "attributes": st.integers(1, 3),
            "mechanism": st.sampled_from(["hm", "pm", "laplace"]),
            "group_size": st.integers(1, 4),
            "population": st.sampled_from(["actors", "crowd"]),
        },
        held=examples_held,
        tiny={"users": 3, "attributes": 1, "group_size": 1, "population": "actors"},
        tiny_held=[[-1.0, 1.0], [0.5, -1.0], [1.0, 1.0]],
        refused=[({"group_size": 4}, "group"), ({"mechanism": "nothing"}, "mechanism")],
        findings={"server": "no-shares"},
    ),
    "weighted": Case(
        make=weighted,
        about=weights.about,
        drawn={
            "users": st.integers(4, 8),
            "items": st.integers(2, 3),
            "epsilons": st.sampled_from(["0.5,1", "1"]),
            "method": st.sampled_from(["vwa", "uwa"]),
            "protocol": st.sampled_from(["dpds", "tss", "dpdg", "oue"]),
        },
        tiny={"users": 4, "items": 2, "epsilons": "0.5,1"},
        tiny_held=[1, 2, 2, 1],
        refused=[({"epsilons": "0,1"}, "(?i)epsilon|ε|budget"), ({"method": "none"}, "method")],
        findings={"g1.u1, g2.u1": "nothing", "g1.server": "output-only"},
    ),
    "weighted_mean": Case(
        make=weighted_mean,
        about=weights.about,
        drawn={
            "users": st.integers(4, 8),
            "epsilons": st.sampled_from(["0.5,1", "1"]),
            "protocol": st.sampled_from(["pm", "duchi"]),
        },
        held=numbers_held,
        tiny={"users": 4, "epsilons": "0.5,1"},
        tiny_held=[-1.0, 0.0, 0.5, 1.0],
        refused=[({"protocol": "none"}, "protocol")],
        findings={"server": "no-shares"},
    ),
}
