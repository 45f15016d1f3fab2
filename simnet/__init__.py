"""A workbench for multi-party private aggregation: kernel, instruments and command line.

Names are loaded when first used, so that importing the package costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simnet.adversary.certificate import certificate_of
    from simnet.adversary.judge import Judge, verdict
    from simnet.adversary.verdict import Verdict
    from simnet.coins.coins import Coins, Deferred
    from simnet.contract import Holder
    from simnet.errors import BadInput, CodecError, ScriptError, SimnetError, Stall
    from simnet.kernel.party import Party
    from simnet.kernel.replay import replay
    from simnet.kernel.run import Run, run
    from simnet.kernel.schedule import Schedule, Shuffled
    from simnet.kernel.tags import Summed, Tag, Voluntary
    from simnet.record.file import load, save
    from simnet.record.transcript import Transcript
    from simnet.record.view import View
    from simnet.roster import Group, Seat, seats
    from simnet.scenario.scenario import Scenario
    from simnet.stated.about import About, Workload
    from simnet.stated.assessment import Assessment, Scores
    from simnet.stated.bill import Expectation
    from simnet.stated.disclosure import Disclosure
    from simnet.stated.privacy import PrivacyStatement
    from simnet.studies.experiment import Experiment
    from simnet.studies.quote import Counterpart, Quote
    from simnet.studies.table import Measure
    from simnet.values.field import Field, FieldArray
    from simnet.values.residues import constant
    from simnet.values.rows import tally
    from simnet.values.typed import bits, index, reals

_HOMES = {
    "simnet.adversary.certificate": ("certificate_of",),
    "simnet.adversary.judge": ("Judge", "verdict"),
    "simnet.adversary.verdict": ("Verdict",),
    "simnet.coins.coins": ("Coins", "Deferred"),
    "simnet.errors": ("BadInput", "CodecError", "ScriptError", "SimnetError", "Stall"),
    "simnet.kernel.party": ("Party",),
    "simnet.contract": ("Holder",),
    "simnet.kernel.run": ("Run", "run"),
    "simnet.kernel.schedule": ("Schedule", "Shuffled"),
    "simnet.kernel.tags": ("Summed", "Tag", "Voluntary"),
    "simnet.roster": ("Group", "Seat", "seats"),
    "simnet.record.transcript": ("Transcript",),
    "simnet.record.view": ("View",),
    "simnet.record.file": ("load", "save"),
    "simnet.studies.experiment": ("Experiment",),
    "simnet.studies.quote": ("Counterpart", "Quote"),
    "simnet.kernel.replay": ("replay",),
    "simnet.scenario.scenario": ("Scenario",),
    "simnet.stated.about": ("About", "Workload"),
    "simnet.stated.assessment": ("Assessment", "Scores"),
    "simnet.stated.bill": ("Expectation",),
    "simnet.stated.disclosure": ("Disclosure",),
    "simnet.stated.privacy": ("PrivacyStatement",),
    "simnet.studies.table": ("Measure",),
    "simnet.values.field": ("Field", "FieldArray"),
    "simnet.values.residues": ("constant",),
    "simnet.values.rows": ("tally",),
    "simnet.values.typed": ("bits", "index", "reals"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "About",
    "Assessment",
    "BadInput",
    "CodecError",
    "Coins",
    "Counterpart",
    "Deferred",
    "Disclosure",
    "Expectation",
    "Experiment",
    "Field",
    "FieldArray",
    "Group",
    "Holder",
    "Judge",
    "Measure",
    "Party",
    "PrivacyStatement",
    "Quote",
    "Run",
    "Scenario",
    "Schedule",
    "Scores",
    "ScriptError",
    "Seat",
    "Shuffled",
    "SimnetError",
    "Stall",
    "Summed",
    "Tag",
    "Transcript",
    "Verdict",
    "View",
    "Voluntary",
    "Workload",
    "bits",
    "certificate_of",
    "constant",
    "index",
    "load",
    "reals",
    "replay",
    "run",
    "save",
    "seats",
    "tally",
    "verdict",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'simnet' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
