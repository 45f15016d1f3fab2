"""`simnet compare`: its margins are those of runs, its crossing points are crossings, its page is
safe.
"""

import csv
import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
import pytest

from protocols.advice.advice import NAMES, Question, options_of
from protocols.advice.compared_page import (
    as_csv,
    cells,
    compared_figure,
    curves_of,
    cut_off,
    heads,
    page_of,
)
from protocols.advice.comparing import IN_WORDS, Compared, Quantity, assumptions, compare
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.mechanisms.named import FREQUENCY
from simnet import run
from simnet.network.presets import PRESETS
from simnet.network.recorded import recorded
from simnet.network.timing import timed
from tests.harness.pages import CHROMIUM, NO_CHROMIUM, SCREENS, assert_readable, axe, opened
from tests.harness.shell import simnet

if TYPE_CHECKING:
    from playwright.sync_api import Browser


SHARES = [0.4, 0.3, 0.2, 0.1]
TARGET = {"epsilon": 1.0, "delta": 1e-4}


@pytest.fixture(scope="module")
def compared() -> Compared:
    return compare(NAMES, SHARES, [300, 3000, 30_000], **TARGET)


def test_a_variance_is_the_one_that_the_protocol_states_of_its_runs() -> None:
    support = np.array([24, 18, 12, 6])
    question = Question(users=60, items=4, rarest=6, **TARGET)
    held = np.repeat([1, 2, 3, 4], support)
    (sampled,) = options_of("dpds", question)
    made = DPDS(60, 4, 1 / (1 + 60 * sampled.slope))  # slope = (1 - p) / (p n)
    found = dpds.about(made).assess(run(made, held.tolist(), 1), support, 0.95)
    assert np.allclose(found.variance, sampled.floor + sampled.slope * support / 60)
    (noisy,) = options_of("dpdg", question)
    drawn = DPDG(60, 4, 1.0, 1e-4, calibration="analytic")
    found = dpdg.about(drawn).assess(run(drawn, held.tolist(), 1), support, 0.95)
    assert np.allclose(found.variance, noisy.floor + noisy.slope * support / 60)


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "hadamard"])
def test_the_variance_of_a_local_mechanism_is_linear_in_the_frequency(name: str) -> None:
    (option,) = options_of(name, Question(users=500, items=4, rarest=1, **TARGET))
    shares = np.linspace(0, 1, 7)
    exact = FREQUENCY[name](1.0, 4).variance(shares, 500)
    assert np.allclose(exact, option.floor + option.slope * shares)


def test_protocols_that_do_not_sample_need_no_holder_of_the_rarest_item() -> None:
    found = compare(["grr", "dpdg", "secagg", "dpds"], [0.2] * 5, [3], **TARGET).rows
    assert {row.label for row in found if row.option} == {"grr", "dpdg", "secagg with noise"}
    assert [row.why_not for row in found if not row.option] == [
        "the rarest item would have no holder"
    ]


@pytest.mark.slow
def test_rows_are_sorted_and_no_number_is_missing(compared: Compared) -> None:
    for users in compared.users:
        rows = [row for row in compared.rows if row.users == users]
        assert {row.label.removesuffix(" with noise") for row in rows} == set(NAMES)
        assert [row.typical for row in rows] == sorted(row.typical for row in rows)
        for row in rows:
            assert row.option is not None
            assert row.option.epsilon == TARGET["epsilon"]
            assert row.typical >= row.rarest or row.label in ("hadamard",)


@pytest.mark.slow
def test_protocols_change_places_exactly_at_the_crossing_points(compared: Compared) -> None:
    """Between neighbouring numbers of users, two curves change order if a crossing names them."""
    named = {(each.quantity, frozenset((each.better, each.other))) for each in compared.crossings}
    quantities: tuple[Quantity, ...] = ("error", "bytes")
    for quantity, pair in itertools.product(quantities, itertools.combinations(compared.labels, 2)):
        curves = [np.array(compared.series(label, quantity)) for label in pair]
        signs = np.sign(curves[0] - curves[1])
        changes = any(a * b < 0 for a, b in itertools.pairwise(signs))
        assert changes == ((quantity, frozenset(pair)) in named)
    assert named
    for each in compared.crossings:
        around = [round(each.users / 1.05), round(each.users * 1.05)]
        names = [label.removesuffix(" with noise") for label in (each.better, each.other)]
        near = compare(names, SHARES, around, **TARGET)
        better, other = (near.series(label, each.quantity) for label in (each.better, each.other))
        assert better[1] < other[1]
        assert better[0] > other[0]


@pytest.mark.slow
def test_protocols_that_change_places_together_share_a_sentence() -> None:
    names = ["dpds", "secagg", "secagg_plus", "grr"]
    found = compare(names, SHARES, [30, 30_000], **TARGET)
    sampling = {"dpds", "secagg", "secagg_plus"}
    assert {each.better for each in found.crossings if each.other == "grr"} == sampling
    sentences = [line for line in found.crossings_in_words if line.endswith("than grr")]
    assert any("secagg and secagg_plus have a smaller error" in line for line in sentences)
    assert len(found.crossings_in_words) < len(found.crossings)


@pytest.mark.slow
def test_curves_that_look_alike_are_one_line_with_all_names(compared: Compared) -> None:
    quantities: tuple[Quantity, ...] = ("error", "bytes")
    for quantity in quantities:
        curves = curves_of(compared, quantity)
        assert sorted(name for names, _ in curves for name in names) == sorted(compared.labels)
        for (_, one), (_, other) in itertools.combinations(curves, 2):
            assert not np.allclose(one, other, rtol=0.02)
    shown = page_of(compared, "title", "command")
    assert "One line stands for several protocols: their margins differ by at most 3%" in shown


@pytest.mark.slow
def test_the_page_says_what_is_cut_off_and_what_the_names_mean(compared: Compared) -> None:
    assert set(compared.labels) == set(IN_WORDS)
    shown = page_of(compared, "title", "command")
    for label in compared.labels:
        assert f"<dt>{label}</dt>" in shown
    assert "p is the probability with which a user takes part" in shown
    assert cut_off(compared) == []
    assert "not show all margins" not in shown
    wide = compare(["dpds", "grr"], SHARES, [12, 1000], **TARGET)
    assert cut_off(wide) == ["dpds"]
    shown = page_of(wide, "title", "command")
    assert "It does not show all margins of dpds." in shown


@pytest.mark.slow
def test_a_comparison_of_a_column_has_no_count_of_it(tmp_path: Path) -> None:
    """Columns that differ in counts, and agree in the first digit of the smallest share, give the
    same comparison, byte for byte.
    """
    written = []
    for counts in ((7341, 2318, 341), (7000, 2691, 309)):
        column = tmp_path / "people.csv"
        rows = [f"{city},{count}" for city, count in zip("abc", counts, strict=True)]
        column.write_text("\n".join(["city,n", *rows]), encoding="utf-8")
        out = {kind: tmp_path / f"out.{kind}" for kind in ("html", "csv", "md", "json")}
        done = simnet(
            *("compare", "dpds", "grr", "--input", column, "--column", "city", "--counts", "n"),
            *("--users", "1e3,1e4", "--epsilon", 1.25, "--delta", 1e-4, "--html", out["html"]),
            *("--csv", out["csv"], "--markdown", out["md"], "--json", out["json"]),
        )
        assert done.status == 0
        written.append([done.out, *(file.read_text(encoding="utf-8") for file in out.values())])
        assert "taken to be 0.03" in " ".join(done.out.split())
    assert written[0] == written[1]
    assert "--epsilon 1.25 --delta 0.0001" in written[0][1]


@pytest.mark.slow
def test_the_command_on_the_page_has_the_options_of_the_file(tmp_path: Path) -> None:
    column, page = tmp_path / "people.csv", tmp_path / "page.html"
    column.write_text("city;n\na;700\nb;300\n", encoding="utf-8")
    done = simnet(
        *("compare", "grr", "--input", column, "--column", "city", "--counts", "n"),
        *("--delimiter", ";", "--max-rows", 99, "--epsilon", 1, "--delta", 1e-4, "--html", page),
    )
    assert done.status == 0
    written = page.read_text(encoding="utf-8")
    assert "--counts n --delimiter &#39;;&#39; --max-rows 99" in written


def test_a_file_of_rows_has_a_column_of_seconds_for_each_network() -> None:
    names = ["broadband", "mobile"]
    for networks in ([], [PRESETS[name] for name in names]):
        found = compare(["oue", "dpds"], [0.5, 0.5], [50], **TARGET, networks=networks)
        columns = as_csv(found).partition("\n")[0].split(",")
        times = [column for column in columns if column.startswith("seconds")]
        assert times == [f"seconds {network.name}" for network in networks]
        assert "{" not in as_csv(found)


def test_a_figure_without_any_value_has_no_legend() -> None:
    impossible = compare(["dpds"], [0.5, 0.5], [1], **TARGET)
    assert all(axes.get_legend() is None for axes in compared_figure(impossible).axes)


def test_sampling_needs_a_holder_of_the_rarest_item() -> None:
    found = compare(["dpds", "secagg", "oue"], [0.99, 0.01], [50], **TARGET)
    by_label = {row.label: row for row in found.rows}
    assert by_label["dpds"].option is None
    assert "no holder" in by_label["dpds"].why_not
    assert set(by_label) == {"dpds", "secagg with noise", "oue"}


@pytest.mark.slow
def test_the_files_say_the_same_and_the_page_loads_nothing(tmp_path: Path) -> None:
    column = tmp_path / "people.csv"
    nasty = "</style><img src=x onerror=alert(1)>"
    lines = f"{nasty},n\n{nasty},60\nOslo,30\nRiga,10\n?,5\n"
    column.write_text(lines, encoding="utf-8")
    out = {kind: tmp_path / f"out.{kind}" for kind in ("html", "csv", "md", "json", "svg")}
    done = simnet(
        *("compare", "dpds", "grr", "--input", column, "--column", nasty, "--counts", "n"),
        *("--drop-missing", "--users", "1e3,1e5", "--epsilon", 1, "--delta", 1e-4),
        *(
            "--html",
            out["html"],
            "--csv",
            out["csv"],
            "--markdown",
            out["md"],
            "--json",
            out["json"],
        ),
        *("--figure", out["svg"], "--network", "mobile"),
    )
    assert done.status == 0
    rows = json.loads(out["json"].read_text(encoding="utf-8"))["rows"]
    with out["csv"].open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["seconds mobile"] for row in read] == [
        str(row["seconds"]["mobile"]) for row in rows
    ]
    assert [row["typical"] for row in read] == [str(row["typical"]) for row in rows]
    page = out["html"].read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert str(tmp_path) not in page
    assert "--input people.csv" in page
    assert "--counts n --drop-missing --users" in page
    assert re.findall(r"""(?:src|href)=["'](?!data:)""", page) == []
    assert "<img src=x" not in page
    assert page.count("</style>") == 1
    text = out["md"].read_text(encoding="utf-8")
    assert "| 1,000 | dpds |" in text
    assert "<img" not in text
    for row in rows:
        assert f"{row['users']:,} users" in page


@pytest.mark.slow
def test_times_stand_beside_bytes_and_change_places_where_it_says() -> None:
    networks = [PRESETS["mobile"], PRESETS["wide-area"]]
    names = ["dpds", "secagg_plus", "oue"]
    found = compare(names, SHARES, [100, 3000], **TARGET, networks=networks)
    for row in found.rows:
        assert row.option is not None
        if row.users == 100:
            items = np.repeat([1, 2, 3, 4], [40, 30, 20, 10]).tolist()
            log = recorded(run(row.option.script, items))
            exact = [timed(log, network).completion for network in networks]
            assert row.seconds == pytest.approx(exact)
    assert {each.network for each in found.crossings if each.quantity == "seconds"}
    for each in found.crossings:
        if each.quantity == "seconds":
            number = [one.name for one in networks].index(each.network)
            around = [round(each.users / 1.03), round(each.users * 1.03)]
            near = compare(names, SHARES, around, **TARGET, networks=networks)
            better, other = (
                near.series(label, "seconds", number) for label in (each.better, each.other)
            )
            assert better[1] < other[1]
            assert better[0] > other[0]
    assert heads(found)[7:9] == ["done, mobile", "done, wide-area"]
    assert any(sentence.endswith("done earlier than dpds") for sentence in found.crossings_in_words)


@pytest.mark.slow
def test_marks_of_direction_stay_inside_names_that_others_have_written() -> None:
    odd = "\u202egnorw"
    network = attrs.evolve(PRESETS["mobile"], name=odd, source="</style><img src=x onerror=run()>")
    found = compare(["dpds", "secagg_plus"], SHARES, [300, 10_000], **TARGET, networks=[network])
    shown = page_of(found, f"Protocols compared for {odd} of {odd}", odd, [odd])
    assert shown.count(odd) > 5
    title, body = shown.partition("</title>")[::2]
    assert title.count(odd) == 2
    assert body.count(f"<bdi>{odd}</bdi>") == body.count(odd)
    assert "<img src=x" not in shown
    assert any(odd in sentence for sentence in found.crossings_in_words)


@pytest.mark.slow
def test_a_time_that_nobody_can_compute_is_unknown_and_said_so() -> None:
    found = compare(["tss"], SHARES, [200_000], **TARGET, networks=[PRESETS["mobile"]])
    assert np.isnan(found.rows[0].seconds[0])
    assert cells(found.rows[0])[7] == "?"
    assert any("unknown (?)" in sentence for sentence in assumptions(found))
    tiny = compare(["tss", "dpds"], SHARES, [20, 60], **TARGET, networks=[PRESETS["mobile"]])
    assert not np.isnan([row.seconds[0] for row in tiny.rows]).any()
    for each in tiny.crossings:
        if each.quantity == "seconds":
            assert (each.after, each.users) == (20, 60)
            assert "somewhere between 20 and 60" in each.place


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)
# Playwright leaves a loop and its pipes to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_page_can_be_read_by_everybody(
    browser: "Browser", width: int, scheme: str, tmp_path: Path, compared: Compared
) -> None:
    file = tmp_path / "compare.html"
    file.write_text(page_of(compared, "<Four> cities", "simnet compare"), encoding="utf-8")
    with opened(browser, file, width, scheme, scripts=[axe()]) as page:
        assert_readable(page)
        assert page.inner_text("h1") == "<Four> cities"
        rooms = page.locator(".wide").all()
        fits = [room.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1") for room in rooms]
        assert all(fits) == (width == 1280), "a wide screen shows all columns"
        look = page.locator("img").evaluate("(e) => getComputedStyle(e).filter")
        assert look.startswith("invert(1)") == (scheme == "dark"), "the figure is dark in the dark"
        assert page.asked[0] == page.url
        assert all(address.startswith("data:") for address in page.asked[1:])
        assert page.errors == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--users", "ten"), "whole numbers from 1"),
        (("--items", 0), "from 1"),
        (("--epsilon", -1), "epsilon"),
    ],
)
def test_what_cannot_be_compared_is_refused(words: tuple[object, ...], message: str) -> None:
    given = {"--items": 5, "--epsilon": 1, "--delta": 1e-4, words[0]: words[1]}
    refused = simnet("compare", "dpds", *itertools.chain.from_iterable(given.items()))
    assert refused.status == 2
    assert message in " ".join(refused.err.split()).lower()


@pytest.mark.parametrize("shares", [[], [0.5, 0.4], [1.5, -0.5], [float("nan"), 0.5]])
def test_shares_that_are_no_frequencies_are_refused(shares: list[float]) -> None:
    with pytest.raises(ValueError, match="must be positive and add up to 1"):
        compare(["oue"], shares, [100], 1.0, 1e-6)
