"""Every protocol behaves behind the vault as it does in place."""

from typing import Any

import pytest

from simnet import run
from simnet.adversary.judge import verdict
from simnet.exhaustive.compare import Comparison
from simnet.vault import vault as vaults
from tests.harness.cases import CASES


def told(name: str) -> list[Any]:
    """What a tiny run, verdicts on it and, where this is quick, an exact view say."""
    case = CASES[name]
    protocol = case.make(**case.tiny)
    done = run(protocol, case.tiny_held, 3)
    assert not done.in_place
    about = case.about(protocol)
    verdicts = []
    for corrupt in case.findings:
        found = verdict(done, corrupt, about=about).as_json()
        found["shares"].pop("doors")
        verdicts.append(found)
    bills = [done.ledger.by("party", way) for way in ("sent", "received")]
    return [done.trace, bills, done.ledger.operations("party"), verdicts]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_protocol_is_the_same_behind_the_vault(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = told(name)
    monkeypatch.setattr(vaults, "comes_installed", lambda _: False)
    with vaults.said_in_place(False):
        assert told(name) == here


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "corrupt"), [("dpds", "server"), ("tss", "S1"), ("dpcs", "server")]
)
def test_an_exact_view_is_the_same_behind_the_vault(
    name: str, corrupt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    protocol = case.make(**case.tiny)
    other = [*case.tiny_held[1:], case.tiny_held[0] % protocol.items + 1]

    def law() -> Any:
        found = Comparison(protocol, corrupt).compare(case.tiny_held, other)
        return found.epsilon, found.delta()

    here = law()
    monkeypatch.setattr(vaults, "comes_installed", lambda _: False)
    with vaults.said_in_place(False):
        assert law() == here
