"""Every protocol behaves behind the vault as it does in place."""

import subprocess
import sys
from typing import Any

import pytest

from simnet import run
from simnet.adversary.judge import verdict
from simnet.exhaustive.compare import Comparison
from simnet.kernel.seating import seated
from simnet.vault import place
from simnet.vault.installed_code import comes_installed
from simnet.vault.place import said_in_place, vault_of
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
    monkeypatch.setattr(place, "comes_installed", lambda _: False)
    with said_in_place(False):
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
    monkeypatch.setattr(place, "comes_installed", lambda _: False)
    with said_in_place(False):
        assert law() == here


@pytest.mark.parametrize("name", CASES)
def test_every_protocol_of_the_house_is_played_in_place(name: str) -> None:
    protocol = CASES[name].make(**CASES[name].tiny)
    with said_in_place(False):
        assert vault_of(protocol, [*seated(protocol).scripts.values()], {}, shares=False) is None


def test_a_function_put_into_an_installed_class_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    protocol = CASES["dpds"].make(**CASES["dpds"].tiny)
    monkeypatch.setattr(type(protocol), "response", lambda _, item, coins: [item] * coins)
    assert not comes_installed(protocol)


def test_a_run_of_installed_code_does_not_import_the_vault() -> None:
    code = (
        "import sys, simnet.cli.verify, simnet.scenario.find as place; from simnet import run; "
        "run(place.find('dpds')[1].build(2, 2), [1, 2]); "
        "assert not {'cloudpickle', 'simnet.vault.vault', 'simnet.vault.chamber'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
