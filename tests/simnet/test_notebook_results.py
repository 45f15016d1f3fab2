"""How a notebook shows results, and the functions that a person calls there."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import attrs
import pytest
from matplotlib.figure import Figure

import simnet
from protocols import DPDS, GRR, described
from simnet import (
    BadInput,
    Comparison,
    Party,
    Performance,
    PlainRun,
    Seat,
    find,
    perform,
    run,
    seats,
    verdict,
)
from simnet.scenario.breaking import Sizes
from tests.harness.data import ROOT

NASTY = "<img onerror=alert(1)>"


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(thing: Any) -> Tags:
    page = Tags(thing._repr_html_())
    assert page.names <= {"p", "strong", "table", "tr", "th", "td", "details", "summary"}
    assert repr(thing)
    assert len(repr(thing)) < 2000
    return page


@pytest.fixture(scope="module")
def result() -> Performance:
    done = perform("dpds", data=[NASTY, "tea", "tea", "milk", "tea"], seed=1)
    assert isinstance(done, Performance)
    return done


def test_a_label_with_markup_comes_out_as_text(result: Performance) -> None:
    page = shown(result)
    assert "img" not in page.names
    assert NASTY in page.text


def test_every_part_of_a_result_is_a_small_table(result: Performance) -> None:
    assert "measured" in shown(result.bill).text
    assert "Privacy of one user" in shown(result.privacy).text
    assert "relation" in shown(result.privacy[0]).text
    assert "coalition" in shown(result.adversaries).text
    assert "messages sent" in shown(result.run).text
    assert isinstance(result.plot(), Figure)


def test_markup_in_the_name_of_a_setting_of_a_protocol_comes_out_as_text() -> None:
    class Nasty(DPDS):
        def __repr__(self) -> str:
            return NASTY

    assert NASTY in shown(run(Nasty(2, 2, 0.5), [1, 2], 0)).text


def test_a_verdict_shows_its_attack() -> None:
    done = run(DPDS(3, 2, 0.5), [1, 2, 2], seed=1)
    found = verdict(done, "server, u1, u2")
    page = shown(found)
    assert "u3[1]" in page.text
    assert "u3[1]" in repr(found)


def test_views_mechanisms_and_sizes_are_shown_and_drawn() -> None:
    compared = Comparison(DPDS(2, 2, 0.5), "server").compare([1, 1], [1, 2])
    things: list[Any] = [compared, described(GRR(1.0, 3)), Sizes(((2, 3), (2, None)))]
    for thing in things:
        shown(thing)
        assert isinstance(thing.plot(), Figure)
    comparison = Comparison(DPDS(2, 2, 0.5), "u1")
    assert "equal" in repr(comparison.compare([1, 1], [1, 2]))
    assert repr(comparison.compare_ideal([1, 1], [1, 2])) == (
        "the two laws are equal (1 and 1 outcomes)"
    )
    told = Comparison(DPDS(2, 2, 1.0), "server").compare([1, 1], [1, 2])
    assert "ε = inf, δ(0) = 1 (" in repr(told)  # a whole number is not shown twice


def test_a_search_that_was_not_complete_does_not_say_that_no_set_exists() -> None:
    nothing: tuple[tuple[int | None, ...], ...] = ((None, None),)
    assert repr(Sizes(nothing)).startswith("no set of users")
    assert repr(Sizes(nothing, overlooked="why")).startswith("of the sets that were searched, none")


@pytest.mark.long
def test_an_experiment_is_reproduced_and_its_trials_are_kept(tmp_path: Path) -> None:
    store = tmp_path / "results.jsonl"
    small = {"population": "gowalla", "users": 500, "epsilon": [0.6, 1.0], "store": store}
    first = simnet.reproduce("fig2", trials=1, processes=1, **small)
    more = simnet.reproduce("fig2", trials=2, processes=1, **small)
    assert (first.counts.done, more.counts.done, more.counts.skipped) == (2, 2, 2)
    small.pop("store")
    assert simnet.reproduce("fig2", trials=2, **small).table.rows == more.table.rows
    assert "expected" in shown(more).text
    assert isinstance(more.plot(), Figure)


def test_settings_are_those_of_the_command_line() -> None:
    assert find("dpds", users=7, participation=0.25).settings()["participation"] == 0.25
    with pytest.raises(BadInput, match="participation"):
        find("dpds", partcipation=0.25)
    with pytest.raises(BadInput, match="neither the name of a scenario"):
        perform(3)


def test_privacy_is_stated_without_a_comparison_with_the_truth() -> None:
    whole = find("dpds", users=20, items=2)
    lean = attrs.evolve(whole, about=lambda made: attrs.evolve(whole.described(made), assess=None))
    people = [1] * 12 + [2] * 8
    plain = perform(lean, data=people, claims=False)
    assert isinstance(plain, PlainRun)
    assert plain.privacy
    assert plain.privacy == perform(whole, data=people, claims=False).privacy
    assert "About.privacy" not in plain.more_to_show
    aborted = perform("dpds", users=20, items=2, drop="u1@share")
    assert isinstance(aborted, PlainRun)
    assert "About.privacy" not in aborted.more_to_show


def test_the_number_of_items_holds_for_inputs_that_are_handed_on_as_they_are() -> None:
    class Items:
        def __init__(self, users: int = 2, items: int = 3) -> None:
            self.users, self.items = users, items

        def parties(self) -> dict[str, Seat]:
            return seats("u", self.user, self.users)

        async def user(self, me: Party, number: Any) -> int:
            return self.items

    assert perform(Items, data=[1, 5], items=7).run.outputs == {"u1": 7, "u2": 7}


def test_a_file_a_class_and_an_object_give_the_same_run() -> None:
    file = str(ROOT / "notebooks" / "ring_sum.py")
    protocol = find(file).build(5, 3)
    results = [
        perform(what, data=[1, 2, 3, 1, 1], seed=2) for what in (file, type(protocol), protocol)
    ]
    assert len({done.run.trace_hash for done in results}) == 1
    assert all(isinstance(done, PlainRun) for done in results)
    assert "8" in shown(results[0]).text
    with pytest.raises(BadInput, match="no estimate to draw"):
        results[0].plot()
    with pytest.raises(BadInput, match=r"no estimate to assess .*`assess`.*`run\.outputs`"):
        _ = results[0].assessment


def test_an_aborted_run_says_that_it_has_no_assessment() -> None:
    done = perform("dpds", users=4, items=2, drop=["u3@share"], claims=False)
    with pytest.raises(BadInput, match=r"because parties dropped out .*`run\.aborts`"):
        _ = done.assessment


def test_data_may_be_numbers_and_some_of_the_users() -> None:
    mean = perform("local_mean", data=[0.5, -0.25, 1.0], epsilon=2.0, seed=1)
    assert isinstance(mean, Performance)
    assert mean.assessment.truth.tolist() == [pytest.approx(1.25 / 3)]
    few = perform("dpds", data=[1, 2, 2, 1, 4], items=4, users=3, claims=False)
    assert isinstance(few, Performance)
    assert (len(few.population.inputs), few.labels) == (3, ("1", "2", "3", "4"))
    assert "3 users from a list" in shown(mean).text
