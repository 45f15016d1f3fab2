"""`simnet coalitions`: its table, its certificates, and what it refuses."""

from pathlib import Path

from simnet.adversary.check import check
from tests.harness.shell import simnet


def test_each_coalition_that_is_listed_gets_a_certificate_that_reads_again(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    found = simnet(
        *("coalitions", "secagg", "--users", 3, "--items", 1, "--drop", "u3@masked"),
        *("--certificates", folder),
    )
    assert found.status == 0
    files = sorted(folder.glob("*.json"))
    assert f"{len(files)} certificates are in" in " ".join(found.out.split())
    assert {"server.json", "u1-server.json"} <= {file.name for file in files}
    for file in files:
        assert check(file.read_text(encoding="utf-8")).proved
        if file.name == "u1-server.json":
            assert simnet("verify", "--check", file).status == 0


def test_a_large_run_is_refused_before_it_is_played() -> None:
    refused = simnet("coalitions", "dpds", "--users", 50)
    assert refused.status == 2
    assert "51 parties" in refused.err
    assert "simnet breaking" in " ".join(refused.err.split())
