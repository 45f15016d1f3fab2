"""Sweeps on networks: seconds beside errors, and files of networks that change."""

from pathlib import Path

import pytest

from protocols.dpds.script import DPDS
from scenarios.yang.fig2 import EXPERIMENT
from simnet import BadInput, run
from simnet.network.presets import PRESETS
from simnet.network.timing import timed
from simnet.network.toml_file import as_toml
from simnet.studies.experiment import SECONDS, network_key, network_of
from simnet.studies.here import table_here
from tests.harness.shell import refusal, simnet

TINY = {"users": "20", "epsilon": "1.0", "population": "synthetic"}


def test_a_table_has_the_seconds_of_each_network() -> None:
    networks = ["mobile", "wide-area"]
    asked = EXPERIMENT.with_settings({**TINY, "network": ",".join(networks)}).with_trials(2)
    table = table_here(asked, "fig2")
    assert [measure.name for measure in table.measures] == ["squared_l2", SECONDS.name]
    protocol = DPDS(20, 30, 0.5)  # all runs of DPDS take as long, whatever their coins and p
    for name in networks:
        found = table.at("seconds", network=name)
        done = run(protocol, [1 + user % 30 for user in range(20)])
        assert found.mean == pytest.approx(timed(done, PRESETS[name]).completion)
        assert found.trials == 2
    without = table_here(EXPERIMENT.with_settings(TINY).with_trials(1), "fig2")
    assert "seconds" not in without.rows[0]
    assert [measure.name for measure in without.measures] == ["squared_l2"]


def test_a_file_of_a_network_is_kept_with_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("office.toml").write_text(as_toml(PRESETS["mobile"]))
    key = network_key("office.toml")
    assert network_of(key).classes == PRESETS["mobile"].classes
    Path("office.toml").write_text(as_toml(PRESETS["broadband"]))
    assert network_key("office.toml") != key
    with pytest.raises(BadInput, match="another network than when the sweep began"):
        network_of(key)


@pytest.mark.slow
def test_the_command_line_takes_networks(tmp_path: Path) -> None:
    store = ("--store", tmp_path / "store.jsonl", "--workers", 1, "--trials", 1)
    settings = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]
    out = tmp_path / "out"
    done = simnet(
        *("reproduce", "fig2", *settings, "--network", "mobile", "--network", "broadband"),
        *(*store, "--out", out, "--json", "-"),
    )
    rows = done.json["experiments"][0]["rows"]
    assert {(row["measure"], row["network"]) for row in rows} == {
        (measure, network)
        for measure in ("squared_l2", "seconds")
        for network in ("mobile", "broadband")
    }
    assert "seconds" in (out / "fig2.csv").read_text().splitlines()[0]
    wrong = ("--store", tmp_path / "store.jsonl")
    assert "has no measure for --network" in refusal(
        simnet("sweep", "table2", "--network", "mobile", *wrong)
    )
    assert "did you mean mobile" in refusal(simnet("sweep", "fig2", "--network", "mobil", *wrong))
