"""Sequence diagrams of small and large runs, two worlds, and pages in notebooks."""

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from simnet import perform, run
from simnet.adversary.reading_again import played_again
from simnet.errors import BadInput
from simnet.kernel.reading import Sampled
from simnet.page.diagram import diagram_svg, diagram_text
from simnet.page.keeping import Keeping
from simnet.page.traffic import flows_json, messages_json
from simnet.page.worlds import worlds_of
from simnet.scenario.find import find
from tests.harness.pages import SIX, result_of
from tests.harness.shell import RING, refusal, simnet


@pytest.mark.parametrize("name", SIX)
def test_a_diagram_has_an_arrow_for_every_message(name: str) -> None:
    done = result_of(name).run
    text, svg = diagram_text(done), diagram_svg(done)
    count = done.ledger.total().messages
    assert text.count(">") + text.count("<") == count
    assert len(ET.fromstring(svg).findall(".//{http://www.w3.org/2000/svg}polygon")) == count


@pytest.mark.parametrize("name", SIX)
def test_flows_of_the_ledger_are_those_of_the_messages(name: str) -> None:
    done = result_of(name).run
    roles = done.roster.roles
    role = [roles.index(seat.role) for seat in done.roster.seats]
    found = messages_json(played_again(done, done.roster.names, Sampled()), Keeping(numbers=True))
    counted = Counter(
        (round_, found["tags"][tag], size, role[source], role[target])
        for round_, tag, size, source, target in zip(
            *(found[key] for key in ("round", "tag", "bytes", "from", "to")), strict=True
        )
    )
    flows = flows_json(done, Keeping(numbers=True))
    assert counted == {
        (round_, flows["tags"][tag], size, source, target): total
        for round_, tag, size, source, target, total in flows["flows"]
    }


def test_show_draws_in_the_terminal_and_into_a_file(tmp_path: Path) -> None:
    file = tmp_path / "run.svg"
    assert simnet("show", RING, "--svg", file).out == ""
    assert ET.fromstring(file.read_text(encoding="utf-8")).tag.endswith("svg")
    assert "├──running─>│" in simnet("show", RING, "--users", 4).out
    dropping = ("show", "dpds", "--users", 3, "--items", 2, "--drop", "u3@share:2")
    assert "1 party dropped out: u3" in simnet(*dropping).out
    assert "the run was aborted: server" in simnet(*dropping, "--svg", file).out


@pytest.mark.slow
def test_two_worlds_have_the_views_of_the_exact_laws(tmp_path: Path) -> None:
    protocol = find("dpds")[1].build(2, 2)
    server = worlds_of(protocol, "server", [1, 1], [1, 2])
    assert not server.is_same
    assert server.epsilon_in_words == "∞"
    assert [row.differs for row in server.rows] == [True] * 4 + [False]
    user = worlds_of(protocol, "u1", [1, 1], [1, 2])
    assert user.is_same
    assert {row.view for row in user.rows} == {"u1 drew True", "u1 drew False"}
    page = tmp_path / "run.html"
    tiny = ("show", "dpds", "--users", 2, "--items", 2)
    worlds = ("--worlds", "1,1/1,2", "--corrupt", "server")
    assert simnet(*tiny, *worlds, "--html", page).status == 0
    shown = page.read_text(encoding="utf-8")
    assert "δ(0) = 1/2" in shown
    assert "--worlds 1,1/1,2 --corrupt server --html run.html" in shown
    assert "go together" in refusal(simnet(*tiny, *worlds))
    assert "--judge goes with --html" in refusal(simnet(*tiny, "--judge", "u1"))
    assert "slash" in refusal(simnet(*tiny, "--worlds", "1,1", *worlds[2:], "--html", page))
    with pytest.raises(BadInput, match="network"):
        worlds_of(protocol, "network", [1, 1], [1, 2])


@pytest.mark.slow
def test_show_in_a_notebook_is_the_page_in_a_frame(tmp_path: Path) -> None:
    page = perform("dpds", users=3, items=2, seed=1).show()
    frame = page._repr_html_()
    assert 'sandbox="allow-scripts"' in frame
    assert "<script" not in frame
    page.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == page.html
    bare = run(result_of("ring").run.protocol, [3, 1, 2, 2, 1], seed=86_028_121).show()
    assert "86028121" not in bare.html
