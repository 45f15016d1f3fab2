"""Every complete command that a table, a page or an advice prints runs to its end."""

import html
import re
import shlex
from pathlib import Path

import pytest

from tests.harness.shell import simnet, words

TARGET = "--epsilon 1 --delta 1e-3"
DEGREE = "privacy degree --corrupt 0.1 --drop 0.1"
# What prints a command, and how many.
PRINTING = {
    f"{DEGREE} --users 30": 1,
    f"compare grr dpds --items 3 --users 50,200 {TARGET} --network mobile --html page.html": 1,
    f"compare --input x.csv --column city --counts n --users 50 {TARGET} --html page.html": 1,
    f"compare grr --input x.csv --column city --delimiter ; {TARGET} --html page.html": 1,
    f"compare grr secagg_plus --items 2 --users 100 {TARGET}": 0,
    f"privacy advise --users 40 --items 2 --rarest 20 {TARGET}": 0,
    "verify dpds": 1,
}


def commands_in(text: str) -> list[str]:
    """The commands with options in a text, each of which stands at the end of its line."""
    return re.findall(r"(?:^|[:,] )(simnet [a-z].* --.*)$", text, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "count"), PRINTING.items())
def test_a_printed_command_runs(
    asked: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "city,n\na,30\nb,20\n"
    Path("x.csv").write_text(rows.replace(",", ";") if "delimiter" in asked else rows)
    done = simnet(*asked.split())
    page = Path("page.html")
    written = page.read_text(encoding="utf-8") if page.exists() else ""
    shown = re.sub("<[^>]*>", "", "\n".join(re.findall("<pre>(.*)</pre>", written)))
    printed = commands_in(done.out + done.err) + commands_in(html.unescape(shown))
    assert len(printed) == count, done
    for command in printed:
        page.unlink(missing_ok=True)
        again = simnet(*shlex.split(command)[1:])
        assert again.status == 0, (command, again.err)
        assert not written or page.read_text(encoding="utf-8") == written


def test_commands_that_an_advice_names_have_the_options_that_it_names() -> None:
    advice = words(simnet(*f"privacy advise --users 40 --items 2 --rarest 20 {TARGET}".split()).out)
    named = re.search(r"\(((?:simnet [\w ]+? and )?simnet [\w ]+) have (--\w+)\)", advice)
    assert named is not None
    for command in named[1].split(" and "):
        assert named[2] in simnet(*command.split()[1:], "--help").out
