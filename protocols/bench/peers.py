"""Measures two published libraries, pure-ldp and multi-freq-ldpy, with whose speed we compare ours.

The libraries and our code do the same work: they draw the reports of all users, and count how many
reports support each item. The libraries handle one user after another, so we measure their speed on
a sample of users. We call multi-freq-ldpy in a compiled loop, which is faster than a loop in
Python. The extra `bench` installs both libraries.
"""

import functools
import importlib
import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE
from simnet.arrays import Ints
from simnet.bench.benchmark import Noted, NotInstalled
from simnet.coins.sampled import SampledCoins
from simnet.installed import extra_missing

Name = Literal["GRR", "OUE"]
# Takes the users' values, counted from 0, and the number of items; returns the number of reports
# that support each item, shape (items,)
Count = Callable[[Ints, int], Any]

MECHANISMS: dict[Name, Callable[[float, int], GRR | OUE]] = {"GRR": GRR, "OUE": OUE}
EPSILON = 1.0
# The numbers of users for our code, for a library in a compiled loop, and for a library in Python
USERS, LOOPED, CALLED = 1_000_000, 200_000, 10_000


def times_faster(name: Name, items: int) -> Noted:
    """Return our number of users per second, divided by that of the faster library.

    Raises `NotInstalled` when a library is missing.
    """
    libraries = {
        "multi-freq-ldpy in a compiled loop": _speed(_multi_freq(name), LOOPED, items),
        "pure-ldp": _speed(_pure_ldp(name, items), CALLED, items),
    }
    ours = _speed(_ours(name, items), USERS, items)
    best = max(libraries, key=lambda library: libraries[library])
    speeds = ", ".join(f"{library} {speed:,.0f}" for library, speed in libraries.items())
    return Noted(
        ours / libraries[best],
        f"users a second: ours {ours:,.0f}, {speeds}; the faster library is {best}",
    )


def _speed(count: Count, users: int, items: int) -> float:
    values = np.arange(users) % items
    count(values[:10], items)  # the first call compiles the loop
    start = time.perf_counter()
    supports = count(values, items)
    elapsed = time.perf_counter() - start
    assert len(supports) == items
    return users / elapsed


def _ours(name: Name, items: int) -> Count:
    mechanism, coins = MECHANISMS[name](EPSILON, items), SampledCoins(1, "users")

    def count(values: Ints, _: int) -> Any:
        if isinstance(mechanism, GRR):
            return mechanism.supports(mechanism.perturb(values + 1, coins))
        return np.sum(
            [mechanism.supports(block) for block in mechanism.perturbed(values + 1, coins)], axis=0
        )

    return count


@functools.cache
def _multi_freq(name: Name) -> Count:
    njit = _library("numba", "multi-freq-ldpy").njit
    module = _library(
        f"multi_freq_ldpy.pure_frequency_oracles.{'GRR' if name == 'GRR' else 'UE'}",
        "multi-freq-ldpy",
    )
    client = module.GRR_Client if name == "GRR" else module.UE_Client

    def direct(values: Any, items: int) -> Any:
        supports = np.zeros(items)
        for value in values:
            supports[client(value, items, EPSILON)] += 1
        return supports

    def unary(values: Any, items: int) -> Any:
        supports = np.zeros(items)
        for value in values:
            supports += client(value, items, EPSILON)
        return supports

    compiled: Count = njit(direct if name == "GRR" else unary)
    return compiled


def _pure_ldp(name: Name, items: int) -> Count:
    oracles = _library("pure_ldp.frequency_oracles", "pure-ldp")
    if name == "GRR":
        client, server = oracles.DEClient(EPSILON, items), oracles.DEServer(EPSILON, items)
    else:
        client = oracles.UEClient(EPSILON, items, True)
        server = oracles.UEServer(EPSILON, items, True)

    def count(values: Ints, _: int) -> Any:
        for value in values.tolist():
            server.aggregate(client.privatise(value + 1))
        return server.aggregated_data

    return count


def _library(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise NotInstalled(
            extra_missing(f"the comparison with {package}", str(missing.name), "bench")
        ) from None
