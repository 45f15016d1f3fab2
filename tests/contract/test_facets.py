"""The facets of the contract are types: a missing or misspelt method is a type error."""

from pathlib import Path

import pytest
from mypy import api

from protocols import catalogue
from simnet import contract
from tests.harness.data import ROOT

GOOD = """
from collections.abc import Mapping, Sequence
from typing import Any

from simnet.contract import Holder, Ideal, Protocol
from simnet.roster import Seat
from simnet.values.field import FieldArray


class Mine:
    def parties(self) -> Mapping[str, Seat]:
        return {}

    def functionality(
        self, inputs: Sequence[int], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        return {}


IDEAL: type[Ideal] = Mine
PROTOCOL: type[Protocol] = Mine
"""
BAD = {
    "misspelt": (GOOD.replace("def functionality", "def functionalty"), "type[Ideal]"),
    "of another type": (
        GOOD.replace("-> Mapping[str, FieldArray]", "-> Mapping[str, str]"),
        "type[Ideal]",
    ),
    "without parties": (GOOD.replace("def parties", "def partners"), "type[Runnable]"),
}


def told_by_mypy(code: str, path: Path) -> tuple[str, int]:
    file = path / "mine.py"
    file.write_text(code)
    config, cache = str(ROOT / "pyproject.toml"), str(ROOT / ".mypy_cache")
    out, err, status = api.run(["--config-file", config, "--cache-dir", cache, str(file)])
    assert not err
    return out, status


@pytest.mark.slow
def test_a_missing_or_misspelt_method_is_a_type_error(tmp_path: Path) -> None:
    assert told_by_mypy(GOOD, tmp_path) == ("Success: no issues found in 1 source file\n", 0)
    for name, (code, facet) in BAD.items():
        out, status = told_by_mypy(code, tmp_path)
        assert status == 1, name
        assert facet in out, name


@pytest.mark.parametrize(
    ("kinds", "facet"),
    [
        (catalogue.PROTOCOLS, contract.Protocol),
        (catalogue.IDEAL, contract.Ideal),
    ],
    ids=["protocol", "ideal"],
)
def test_the_catalogue_leaves_no_protocol_out(kinds: tuple[type, ...], facet: type) -> None:
    """If a protocol's class has the methods of a facet, the catalogue lists the protocol for this
    facet.
    """
    assert set(kinds) == {kind for kind in catalogue.PROTOCOLS if issubclass(kind, facet)}
