"""The scripts of the page, run by node on pages of small runs."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from simnet import Field, Seat, Tag, perform, seats
from simnet.adversary.certificate import certificate_of, certificate_text
from simnet.adversary.check import check
from simnet.errors import SimnetError
from simnet.page.beside import Result
from simnet.page.coalitions import judge_all
from simnet.page.page import page_data
from tests.harness.certificates.readers import NODE
from tests.harness.pages import SIX, data_of, result_of
from tests.harness.readers import smallest_readers

WIDE = Field((1 << 61) - 1)


def proved(result: Result) -> list[str | None]:
    """What Python's certificates of all coalitions prove; None where there is no certificate."""
    lines: list[str | None] = []
    for verdict in judge_all(result.run, result.about).verdicts:
        try:
            lines.append(check(certificate_text(certificate_of(verdict))).proved)
        except SimnetError:
            lines.append(None)
    return lines


def readers(name: str) -> list[list[Any]] | None:
    """The smallest sets that can compute each message, by an elimination in Python.

    For each message there are its round, sender, recipient, tag and key, and the sets as lists of
    numbers.
    """
    result = result_of(name)
    names = result.run.roster.names
    found = smallest_readers(judge_all(result.run, result.about).verdicts[-1])
    if found is None:
        return None
    return [
        [list(place), sorted([names.index(member) for member in members] for members in sets)]
        for place, sets in found.items()
    ]


class Wide:
    """A secret behind a mask, and the mask, over a field whose numbers a double cannot hold."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Any, number: Any) -> None:
        mine = me.secret(lambda n: [n], number, field=WIDE, shape=(1,))
        if me.name == "u1":
            mask = me.coins.field(WIDE, (1,))
            await me.send(Tag("mask"), "u2", mask)
            await me.send(Tag("sum"), "u3", (mine + mask) * (WIDE.modulus - 5))
        elif me.name == "u2":
            await me.receive(Tag("mask"), "u1", shape=(1,))
        else:
            await me.receive(Tag("sum"), "u1", shape=(1,))


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="the scripts of the page are run by node")
def test_the_scripts_of_the_page(tmp_path: Path) -> None:
    pages = [
        {
            "name": name,
            "isPrivate": is_private,
            "data": data_of(name, is_private),
            "proved": proved(result_of(name)),
            "readers": readers(name),
        }
        for name in SIX
        for is_private in (False, True)
    ]
    wide = perform(Wide(), data=[2**60 + 1, 5, 7], seed=1)
    pages.append(
        {
            "name": "wide",
            "isPrivate": False,
            "data": page_data(wide, is_private=False),
            "proved": proved(wide),
        }
    )
    given = {"pages": pages}
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
