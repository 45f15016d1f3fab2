"""The list of the built-in protocols, and of the facets that each protocol offers.

A *facet* is an interface that some protocols offer, such as those of `simnet.contract`. Each facet
has a list of protocols that offer it. The types of these lists make mypy report a missing or
misspelt method, or a wrong signature, as an error in this file. Add a new protocol here.
"""

from collections.abc import Mapping
from typing import Any

from protocols.committee import about as committee
from protocols.committee.script import Committee, RobustDPDS
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpdg.simulator import DPDGSimulator
from protocols.dpds import about as dpds
from protocols.dpds import central_about as dpcs
from protocols.dpds.central import DPCS, DPCSStar
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
from protocols.secagg import about as secagg
from protocols.secagg.script import SecAgg, SecAggPlus
from protocols.tss import about as tss
from protocols.tss import robust_about as tss_robust
from protocols.tss.prime import TSSPrime
from protocols.tss.robust import RobustTSS
from protocols.tss.script import TSS
from protocols.tss.simulator import TSSSimulator
from protocols.two_rounds import about as two_rounds
from protocols.two_rounds.script import SamplingPrivacy
from protocols.weighted import about as weighted
from protocols.weighted.script import GroupProtocol, Weighted
from simnet.contract import Ideal, OverItems, Protocol, Simulator
from simnet.stated.about import About, Describe

PROTOCOLS: tuple[type[Protocol], ...] = (
    DPCS,
    DPCSStar,
    DPDS,
    Committee,
    RobustDPDS,
    SecAgg,
    SecAggPlus,
    DPDG,
    TSS,
    TSSPrime,
    RobustTSS,
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
IDEAL: tuple[type[Ideal], ...] = (
    DPCS,
    DPCSStar,
    DPDS,
    Committee,
    RobustDPDS,
    SecAgg,
    SecAggPlus,
    DPDG,
    TSS,
    TSSPrime,
    RobustTSS,
    SamplingPrivacy,
    Weighted,
)
OVER_ITEMS: tuple[type[OverItems], ...] = (
    DPCS,
    DPCSStar,
    DPDS,
    Committee,
    RobustDPDS,
    SecAgg,
    SecAggPlus,
    DPDG,
    TSS,
    TSSPrime,
    RobustTSS,
    SamplingPrivacy,
    FrequencyCollection,
    SampledCollection,
    Processed,
    Weighted,
)
SIMULATORS: tuple[type[Simulator], ...] = (DPDSSimulator, DPDGSimulator, TSSSimulator)

# `SHARES` can be post-processed; `GROUPS` can be a group of a weighted aggregation.
SHARES: tuple[type[SharesCollection], ...] = (
    FrequencyCollection,
    SampledCollection,
    TableCollection,
)
GROUPS: tuple[type[GroupProtocol], ...] = (DPDS, DPDG, TSS, FrequencyCollection, MeanCollection)

_DESCRIBE: Mapping[type, Describe] = {
    Committee: committee.about,
    SecAgg: secagg.about,
    DPCS: dpcs.about,
    DPDS: dpds.about,
    DPDG: dpdg.about,
    RobustTSS: tss_robust.about,  # before TSS, which it extends
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
    """Return the record of statements about a built-in protocol: cost, error, privacy, disclosure.

    Raises `LookupError` for any other protocol.

    >>> from protocols import DPDS
    >>> record = about(DPDS(users=100, items=5, participation=0.5))
    >>> record.name, record.expected_squared_l2
    ('dpds', 0.01)
    """
    if isinstance(protocol, Processed):
        return processed_about.about(protocol, about(protocol.collection))
    for kind, describe in _DESCRIBE.items():
        if isinstance(protocol, kind):
            return describe(protocol)
    raise LookupError(f"{type(protocol).__name__} is not a built-in protocol")


def simulator_of(protocol: Any) -> Simulator:
    """Return the simulator of a protocol's security proof.

    Raises `LookupError` for a protocol without a simulator.

    >>> from protocols import DPDS
    >>> type(simulator_of(DPDS(users=3, items=2, participation=0.5))).__name__
    'DPDSSimulator'
    """
    match protocol:
        case DPDS():
            return DPDSSimulator(protocol)
        case DPDG():
            return DPDGSimulator(protocol)
        case TSS() if not isinstance(protocol, RobustTSS):
            return TSSSimulator(protocol)
    raise LookupError(f"no simulator is known for {type(protocol).__name__}")
