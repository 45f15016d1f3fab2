"""The scripts of the page, run by node on pages of small runs."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from simnet.adversary.certificate import certificate_of, certificate_text
from simnet.adversary.check import check
from simnet.errors import SimnetError
from simnet.page.coalitions import judge_all
from simnet.page.proofs import Proofs
from tests.harness.certificates.pool import pool
from tests.harness.certificates.readers import NODE
from tests.harness.pages import SIX, data_of, result_of


def proved(name: str) -> list[str | None]:
    """What Python's certificates of all coalitions prove; None where there is no certificate."""
    result = result_of(name)
    lines: list[str | None] = []
    for verdict in judge_all(result.run, result.about).verdicts:
        try:
            lines.append(check(certificate_text(certificate_of(verdict))).proved)
        except SimnetError:
            lines.append(None)
    return lines


def stored(text: str) -> dict[str, Any]:
    """A page that has nothing but this certificate, and what the certificate proves."""
    certificate = json.loads(text)
    proofs = Proofs()
    place = proofs.add(certificate)
    names = certificate["set"]
    data = {"parties": {"names": names}, "proofs": proofs.as_json()}
    verdict = {"members": list(range(len(names))), "proof": place}
    return {"data": data, "verdict": verdict, "proved": check(text).proved}


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="the scripts of the page are run by node")
def test_the_scripts_of_the_page(tmp_path: Path) -> None:
    pages = [
        {
            "name": name,
            "isPrivate": is_private,
            "data": data_of(name, is_private),
            "proved": proved(name),
        }
        for name in SIX
        for is_private in (False, True)
    ]
    given = {"pages": pages, "certificates": [stored(valid.text) for valid in pool()]}
    file = tmp_path / "pages.json"
    file.write_text(json.dumps(given), encoding="utf-8")
    done = subprocess.run(
        [str(NODE), "--test", str(Path(__file__).with_name("script.test.mjs"))],
        env={**os.environ, "PAGES": str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
