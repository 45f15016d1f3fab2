"""The built-in protocols: what each of them offers, listed where mypy reads it.

A protocol stands in a list of a facet of `simnet.contract` if it has that facet. A missing or
misspelt method, or one that takes or returns something else, is then a type error here. A new
protocol is added here, and the tests that run every protocol through the same mill find it.
"""

from collections.abc import Mapping
from typing import Any

from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpdg.simulator import DPDGSimulator
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.dpds.simulator import DPDSSimulator
from protocols.ldp_sgd import about as ldp_sgd
from protocols.ldp_sgd.script import LDPSGD
from protocols.ldp_sgd.table import TableDescent
from protocols.local_frequency import about as local_frequency
from protocols.local_frequency.script import FrequencyCollection
from protocols.local_mean import about as local_mean
from protocols.local_mean.script import MeanCollection
from protocols.local_table import about as local_table
from protocols.local_table.script import TableCollection
from protocols.postprocess import processed_about
from protocols.postprocess.processed import Processed
from protocols.reports.collection import SharesCollection
from protocols.sampled_frequency import about as sampled_frequency
from protocols.sampled_frequency.script import SampledCollection
from protocols.tss import about as tss
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from protocols.tss.simulator import TSSSimulator
from protocols.two_rounds import about as two_rounds
from protocols.two_rounds.script import SamplingPrivacy
from protocols.weighted import about as weighted
from protocols.weighted.script import GroupProtocol, Weighted
from simnet.contract import Ideal, Identification, OverItems, Protocol, Simulator, Thresholds
from simnet.stated.about import About, Describe

PROTOCOLS: tuple[type[Protocol], ...] = (
    DPDS,
    DPDG,
    TSS,
    TSSPrime,
    SamplingPrivacy,
    FrequencyCollection,
    SampledCollection,
    MeanCollection,
    TableCollection,
    LDPSGD,
    TableDescent,
    Processed,
    Weighted,
)
IDEAL: tuple[type[Ideal], ...] = (DPDS, DPDG, TSS, TSSPrime, SamplingPrivacy, Weighted)
THRESHOLDS: tuple[type[Thresholds], ...] = (DPDS, DPDG, TSS, TSSPrime, SamplingPrivacy)
IDENTIFICATION: tuple[type[Identification], ...] = (DPDS, TSS, TSSPrime)
OVER_ITEMS: tuple[type[OverItems], ...] = (
    DPDS,
    DPDG,
    TSS,
    TSSPrime,
    SamplingPrivacy,
    FrequencyCollection,
    SampledCollection,
    Processed,
    Weighted,
)
SIMULATORS: tuple[type[Simulator], ...] = (DPDSSimulator, DPDGSimulator, TSSSimulator)

# What may be processed afterwards, and what may be a group of a weighted aggregation.
SHARES: tuple[type[SharesCollection], ...] = (
    FrequencyCollection,
    SampledCollection,
    TableCollection,
)
GROUPS: tuple[type[GroupProtocol], ...] = (DPDS, DPDG, TSS, FrequencyCollection, MeanCollection)

_DESCRIBE: Mapping[type, Describe] = {
    DPDS: dpds.about,
    DPDG: dpdg.about,
    TSS: tss.about,
    SamplingPrivacy: two_rounds.about,
    FrequencyCollection: local_frequency.about,
    SampledCollection: sampled_frequency.about,
    MeanCollection: local_mean.about,
    TableCollection: local_table.about,
    LDPSGD: ldp_sgd.about,
    TableDescent: ldp_sgd.about_table,
    Weighted: weighted.about,
}


def about(protocol: Any) -> About:
    """What is said about a built-in protocol, whichever it is.

    Raises `LookupError` for any other: its scenario says where its record is.
    """
    if isinstance(protocol, Processed):
        return processed_about.about(protocol, about(protocol.collection))
    for kind, describe in _DESCRIBE.items():
        if isinstance(protocol, kind):
            return describe(protocol)
    raise LookupError(f"{type(protocol).__name__} is no built-in protocol")


def simulator_of(protocol: Any) -> Simulator:
    """The simulator of a protocol's proof. Raises `LookupError` where nothing is proved."""
    match protocol:
        case DPDS():
            return DPDSSimulator(protocol)
        case DPDG():
            return DPDGSimulator(protocol)
        case TSS():
            return TSSSimulator(protocol)
    raise LookupError(f"no simulator is known for {type(protocol).__name__}")
