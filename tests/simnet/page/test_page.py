"""The page as bytes: it asks for nothing, shows texts as texts, and keeps given inputs back."""

import base64
import gzip
import html
import json
import re
import shlex
from html.parser import HTMLParser
from math import log
from pathlib import Path
from typing import Any

import attrs
import pytest

from simnet import Field, Performance, Run, Seat, Tag, perform, reals, run, seats, timed
from simnet.network.timeline import shown_parties
from simnet.page.beside import depends_on_truth, estimate_of
from simnet.page.keeping import Keeping, words_of
from simnet.page.page import page_data, page_of, script_json, source_hash
from simnet.page.times import times_of
from simnet.scenario.population import ItemPopulation
from simnet.scenario.synthetic import uniform_items
from simnet.stated.privacy import PrivacyStatement, Statements
from tests.harness.pages import SIX, data_of, equation, result_of
from tests.harness.shell import RING, simnet

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a\u2028b\u2029c",
    "\u202egnorw\u2066",
    "\"'`&amp;",
)
FAST = ("dpds", "ring")
FIELD, NOTE = Field(1009), Tag("note")


class Parts(HTMLParser):
    """The parts of a page that a policy is about: scripts, styles, attributes and the policy."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inside: list[tuple[str, dict[str, str | None], str]] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.policy = ""
        self._open: tuple[str, dict[str, str | None]] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag in ("script", "style"):
            self._open = tag, dict(attrs)
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = str(dict(attrs)["content"])

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self.inside.append((*self._open, data))
            self._open = None


@attrs.frozen
class Sum:
    """Users send their numbers to a server without a mask, so the server learns each of them."""

    users: int = 3

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Any, number: Any) -> None:
        mine = me.secret(lambda n: [n], number, field=FIELD, shape=(1,))
        await me.send(NOTE, "server", mine + me.coins.field(FIELD, (1,)) * 0)

    async def server(self, me: Any) -> Any:
        users = me.group([f"u{place}" for place in range(1, self.users + 1)])
        sent = await me.gather(NOTE, senders=users, shape=(1,))
        return me.output(lambda rows: rows.tolist(), sum(sent[1:], sent[0]).open())


@pytest.fixture(scope="module")
def page() -> str:
    return page_of(result_of("dpds"), command="simnet show dpds --html run.html")


def test_nothing_leaves_the_file_and_only_its_own_scripts_run(page: str) -> None:
    parts = Parts(page)
    assert parts.policy.startswith("default-src 'none'; ")
    assert "unsafe" not in parts.policy
    run = [
        (tag, text) for tag, given, text in parts.inside if given.get("type") != "application/json"
    ]
    assert len(run) == 4
    for tag, text in run:
        rule = next(r for r in parts.policy.split("; ") if r.startswith(f"{tag}-src"))
        assert f"'{source_hash(text)}'" in rule
    for _, name, value in parts.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "style", "srcset", "action", "background")
        assert name != "href" or str(value).startswith("#")
    style = next(text for tag, text in run if tag == "style")
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.slow
def test_a_page_about_given_inputs_says_that_its_commands_need_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the inputs and the seed of the run, the command judges the run of the page."""
    monkeypatch.chdir(RING.parent)
    own, file = ("--inputs", "1,2,1", "--seed", "3"), tmp_path / "page.html"
    for given in (own, ()):
        assert simnet("show", RING, "--users", 3, *given, "--html", file).status == 0
        shown = file.read_text()
        data = json.loads(shown.split('id="data">')[1].split("<")[0])
        assert data["private"] == bool(given)
        assert ("give it the inputs and the seed" in shown) == bool(given)
        words = shlex.split(data["verify"])[1:]
        assert ("--seed" in words) != bool(given)
        for verdict in data["verdicts"][::3]:
            who = ",".join(data["parties"]["names"][number] for number in verdict["members"])
            found = simnet(*words, *given, "--corrupt", who, "--json", "-").json
            assert verdict["finding"] == found["shares"]["verdict"]
            if not given:
                values = [each["value"] for each in found["shares"]["functions"]]
                assert [each["value"] for each in verdict.get("functions", [])] == values


@pytest.mark.slow
def test_texts_of_the_data_are_texts() -> None:
    people = ItemPopulation(uniform_items(6, 5, seed=1).items, HOSTILE, HOSTILE[1])
    result = perform("dpds", data=people, seed=1, claims=False)
    shown = page_of(result, command=f"simnet show {HOSTILE[0]}")
    tags = re.findall(r"<(script|img|style)\b", shown)
    assert tags == ["style", "script", "script", "script", "script"]
    assert "\u202e" in shown, "a label is shown as it is, in a part of its own"
    text = script_json({"label": "".join(HOSTILE)})
    assert json.loads(text) == {"label": "".join(HOSTILE)}
    assert text.isascii()
    assert not set("<>&") & set(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in SIX]
)
def test_the_page_says_what_verify_says(name: str) -> None:
    data, result = data_of(name), result_of(name)
    place, settings = SIX[name]
    assert data["complete"]
    assert len(data["verdicts"]) == 2 ** len(result.run.roster) - 1
    options = [part for key, value in settings.items() for part in (f"--{key}", value)]
    for verdict in data["verdicts"][:: max(1, len(data["verdicts"]) // 4)]:
        who = ",".join(data["parties"]["names"][number] for number in verdict["members"])
        found = simnet("verify", place, *options, "--seed", 1, "--corrupt", who, "--json", "-").json
        shares = found["shares"]
        assert (verdict["finding"], verdict["least"], verdict["most"]) == (
            shares["verdict"],
            shares["at_least"],
            shares["at_most"],
        )
        assert [_equation(data, function) for function in verdict.get("functions", ())] == [
            equation(function) for function in shares["functions"]
        ]
        disclosed = data["disclosures"][verdict["disclosed"]]
        assert (disclosed["tier"], disclosed["argument"]) == (
            found["discrete"]["tier"],
            found["discrete"]["argument"],
        )


def _equation(data: Any, function: Any) -> str:
    def secret(place: int) -> dict[str, Any]:
        party, number, item, _ = data["secrets"][place]
        return {"party": data["parties"]["names"][party], "secret": number, "item": item}

    terms = [{**secret(place), "coefficient": factor} for place, factor in function["terms"]]
    return equation({**function, "terms": terms})


def whole_text(page: str) -> str:
    """A page with its data as they are, also if the page has them compressed."""
    found = re.search(r'data-packed="gzip, base64">([^<]*)<', page)
    return page + (gzip.decompress(base64.b64decode(found[1])).decode() if found else "")


def assert_lacks(page: str, *numbers: int) -> None:
    """Assert that numbers do not occur on a page: not in digits, and not in base64."""
    text = whole_text(page)
    for number in numbers:
        assert not re.search(rf"(?<![\w.]){number}(?![\w.])", text), number
        for start in range(3):
            encoded = base64.b64encode(b" " * start + str(number).encode()).decode()
            inner = encoded[4 if start else 0 : -4]
            assert len(inner) < 4 or inner not in text


@attrs.frozen
class Priced:
    """u1 discloses its number. u2 multiplies its secret by it, and the tag has the number too."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Any, number: Any) -> None:
        if me.name == "u1":
            price = me.disclose(lambda n: n, number)
            await me.scatter(NOTE, to=me.group(["u2", "u3"]), rows=[reals([price])] * 2)
            return
        price = int((await me.receive(NOTE, "u1")).numbers()[0])
        plain, masked = Tag(f"at {price}"), Tag("masked")
        if me.name == "u2":
            mine = me.secret(lambda n: [n], number, field=FIELD, shape=(1,))
            await me.send(plain, "u3", mine * price)
            await me.send(masked, "u3", (mine + me.coins.field(FIELD, (1,))) * (price + 4))
        else:
            await me.receive(plain, "u2", shape=(1,))
            await me.receive(masked, "u2", shape=(1,))


@pytest.mark.slow
def test_given_inputs_are_kept_back() -> None:
    """Three of the inputs are markers. Neither they, nor the seed, nor their encodings occur."""
    markers, seed = [733, 839, 947], 86_028_121
    result = perform(Sum(), data=markers, seed=seed)
    assert not result.is_drawn
    shown = page_of(result, timings=[timed(result.run, "mobile")])
    data = page_data(result, is_private=True)
    assert_lacks(shown, *markers, seed, sum(markers) % 1009, sum(markers))
    server = next(v for v in data["verdicts"] if v["members"] == [3])
    assert server["finding"] == "leaks"
    assert "value" not in server["functions"][0]
    assert data["numbers"] is False
    assert data["traffic"]["content"] == []
    public = page_of(result, is_private=False)
    assert all(str(number) in public for number in (*markers, seed)), "the test can see them"


@pytest.mark.slow
def test_disclosed_inputs_are_no_coefficients_of_a_page_about_given_inputs() -> None:
    result = perform(Priced(), data=[733, 839, 947], seed=86_028_121)
    data = page_data(result, is_private=True)
    clock = [timed(result.run, name) for name in ("mobile", "wide-area")]
    shown = page_of(result, timings=clock)
    assert_lacks(shown, 733, 737, 839, 947, 733 * 839 % 1009, 86_028_121)
    assert "at #" in shown.partition('id="time"')[2]
    assert data["hides_coefficients"]
    verdict = next(v for v in data["verdicts"] if v["members"] == [2])
    assert verdict["finding"] == "leaks"
    assert "proof" not in verdict
    assert "at #" in data["traffic"]["tags"]
    public = page_of(result, is_private=False)
    assert all(str(number) in public for number in (733, 737, 839)), "the test can see them"


@pytest.mark.slow
def test_given_inputs_that_equal_drawn_ones_are_kept_back() -> None:
    drawn = perform("dpds", users=5, items=3, seed=4)
    assert isinstance(drawn, Performance)
    given = perform("dpds", users=5, items=3, seed=4, data=drawn.population)
    assert dict(given.run.inputs) == dict(drawn.run.inputs)
    assert (drawn.is_drawn, given.is_drawn) == (True, False)
    assert "seed 4" in page_of(drawn)
    assert "seed 4" not in page_of(given)


def test_errors_and_aborts_quote_no_numbers_of_given_inputs() -> None:
    kept = Keeping(numbers=True, names=words_of(["u1", "u_1", "server2", "7", "ring7.u1"]))
    for said, shown in (
        ("u1: 733 is above 12.5, in round 3 of server2", "u1: # is above #, in round # of server2"),
        ("bid733, bid_733 and u733 of u_1", "bid#, bid_# and u# of u_1"),
        ("1,234.5 7e5 1.5e-07 0x7f [7, 8]", "# # # #x#f [#, #]"),
        ("u1.7, 7 and ring7.u1[3]", "u1.#, # and ring7.u1[#]"),
    ):
        assert kept.text(said) == shown


@pytest.mark.slow
def test_large_data_are_compressed_and_read_the_same() -> None:
    result = perform("dpds", users=40, items=3, seed=1)
    page = page_of(result)
    assert "data-packed" in page
    data = json.loads(whole_text(page).rpartition("</html>\n")[2])
    assert data == json.loads(json.dumps(page_data(result, is_private=False)))


@pytest.mark.slow
def test_the_page_of_a_data_file_has_no_truth(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("pay\n" + "\n".join(["731.625", "12.5", "7"] * 4), encoding="utf-8")
    page = tmp_path / "run.html"
    common = ("--input", file, "--column", "pay", "--low", 0, "--high", 1000, "--seed", 86_028_121)
    done = simnet("run", "local_mean", *common, "--html", page)
    assert done.status == 0, done.err
    shown = page.read_text(encoding="utf-8")
    assert "250.375" in done.out, "the true mean, which the terminal shows"
    for text in ("250.375", "731.625", "86028121", "86_028_121", str(tmp_path), "truth</"):
        assert text not in shown, text
    assert "simnet run local_mean" in shown
    assert "--input people.csv" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "settings", "depends"),
    [
        ("dpds", {}, True),
        ("local_frequency", {}, False),
        ("local_mean", {}, False),
        *((name, {}, True) for name in ("secagg", "committee", "dpds_robust")),
    ],
)
def test_privacy_that_depends_on_the_truth_is_kept_back(
    scenario: str, settings: dict[str, Any], depends: bool
) -> None:
    """DPDS states a δ for the number of holders of the rarest item, in other protocols too."""
    result = perform(scenario, users=30, claims=False, **settings)
    assert depends_on_truth(result) == depends
    shown = page_of(result, is_private=True)
    assert ("ε and δ are left out" in shown) == depends
    assert "item has at least" not in shown.split('<script type="application/json"')[0]
    assert "ε and δ are left out" not in page_of(result, is_private=False)


def test_privacy_that_depends_on_the_truth_only_at_the_stated_delta_is_kept_back() -> None:
    def privacy(_: Run, totals: Any, epsilon: float | None, delta: float | None) -> list[Any]:
        at = 1e-6 if delta is None else delta
        found = float(totals[0]) if at > 0.1 else 1.0
        return [PrivacyStatement(found, log(at), "replace", "a report", "", given_delta=at)]

    result = perform("local_frequency", users=3, items=2, claims=False)
    assert isinstance(result, Performance)
    about = attrs.evolve(result.about, privacy=privacy)
    for delta, depends in ((None, False), (0.5, True)):
        stated = Statements(privacy(result.run, result.population.totals, None, delta))
        changed = attrs.evolve(result, about=about, privacy=stated)
        assert depends_on_truth(changed) == depends


def test_privacy_that_depends_on_the_truth_only_on_its_curve_is_kept_back() -> None:
    def privacy(_: Run, totals: Any, epsilon: float | None, __: float | None) -> list[Any]:
        at = 0.1 if epsilon is None else epsilon
        found = -1.0 - at * float(totals[0]) if at > 0.5 and depends else -1.0
        return [PrivacyStatement(at, found, "replace", "a report", "")]

    result = perform("local_frequency", users=3, items=2, claims=False)
    assert isinstance(result, Performance)
    about = attrs.evolve(result.about, privacy=privacy)
    for depends in (False, True):
        stated = Statements(privacy(result.run, result.population.totals, None, None))
        assert depends_on_truth(attrs.evolve(result, about=about, privacy=stated)) == depends


def test_the_page_has_no_sentence_that_it_cannot_check() -> None:
    """The page makes the sentence about a verdict itself. What follows from the values of the
    output is apart, and a page without values does not have it.
    """
    data = data_of("dpds")
    fixed = [v["fixes"] for v in data["verdicts"] if "fixes" in v]
    assert fixed
    assert any("without their owners" in data["sentences"][place] for (place,) in fixed)
    texts = {text for text in data["sentences"] if "learns" in text}
    assert not texts
    private = data_of("dpds", is_private=True)
    assert not any("fixes" in verdict for verdict in private["verdicts"])


@pytest.mark.slow
def test_an_estimate_outside_its_interval_is_explained() -> None:
    result = perform("secagg", users=3, items=2, seed=0, claims=False)
    shown = page_of(result)
    assert "1.3333 †" in shown
    assert "The estimate is not cut off at impossible values" in shown
    inside = perform("local_frequency", users=100, items=3, seed=0, claims=False)
    assert "†" not in page_of(inside)


@pytest.mark.parametrize(
    ("seed", "formula", "postprocess", "words"),
    [
        (0, "direct", "raw", "The formula of the estimate has a bias"),
        (5, "direct", "clip", "before post-processing, without the bias of its formula; the"),
        (0, "per-report", "zero", "before post-processing; the number"),
    ],
)
def test_a_page_says_of_which_estimate_an_interval_is(
    seed: int, formula: str, postprocess: str, words: str
) -> None:
    done = perform(
        "sampled_frequency",
        users=400,
        items=3,
        seed=seed,
        claims=False,
        formula=formula,
        postprocess=postprocess,
        epsilon=0.3,
    )
    estimate = estimate_of(done, is_private=False)
    assert estimate is not None
    (note,) = estimate.table.notes
    assert words in note
    assert "unbiased" not in note


@pytest.mark.slow
def test_words_and_numbers_of_the_tables_are_explained_in_place() -> None:
    shown = page_of(perform("tss", users=4, items=3, seed=4, claims=False))
    before = shown.split('<script type="application/json"')[0]
    assert "<bdi>∞</bdi>" in before
    assert not re.search(r"\binf\b", before.split('id="words"')[0])
    for words in (
        "ε = ∞ promises no protection",
        "Closed form: an upper bound from a formula.",
        "Remove: one user is missing.",
        "wire = what travels between different parties",
        "logical = what travels and what a party keeps for itself",
        "Not set: alpha, gamma.",
        "<dt>disclosure</dt>",
    ):
        assert words in before, words
    assert "<bdi>None</bdi>" not in before


def test_the_parameters_are_those_of_the_run() -> None:
    people = ItemPopulation(uniform_items(5, 3, seed=1).items, ("a", "b", "c"), "five")
    parameters = perform("secagg", data=people, claims=False).parameters
    assert (parameters["users"], parameters["items"]) == (5, 3)


@pytest.mark.slow
def test_proofs_about_given_inputs_have_no_keys_of_messages() -> None:
    def keys(is_private: bool) -> set[int | None]:
        certificates = map(json.loads, data_of("tss", is_private)["proofs"])
        return {
            message["key"]
            for certificate in certificates
            for messages in (*(f["messages"] for f in certificate["fields"]), certificate["closed"])
            for message in messages
        }

    assert keys(is_private=False) > {1}
    assert keys(is_private=True) == {None}


def test_rows_about_given_inputs_stand_in_the_order_of_the_estimates() -> None:
    result = perform("dpds", users=90, items=50, claims=False)
    private, public = (estimate_of(result, is_private=hides) for hides in (True, False))
    numbers = [float(row[1].split()[0]) for row in private.table.rows]
    assert numbers == sorted(numbers, reverse=True)
    truths = [float(row[3]) for row in public.table.rows]
    assert truths == sorted(truths, reverse=True)
    # The order of the true values would tell about inputs that the page keeps back.
    assert [row[0] for row in private.table.rows] != [row[0] for row in public.table.rows]
    assert len(numbers) == len(truths) == 40
    assert private.hidden == 10


@pytest.mark.slow
def test_the_legend_of_the_estimates_lists_what_is_drawn() -> None:
    result = result_of("dpds")
    for is_private in (False, True):
        section = page_of(result, is_private=is_private).partition('id="estimate"')[2]
        chart = section.partition("<table")[0]
        assert ("</svg>truth</li>" in chart) == ('class="truth"' in chart) == (not is_private)


@pytest.mark.slow
def test_show_writes_the_page_with_the_command_that_makes_it_again(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    few = ("--users", 3, "--items", 2, "--seed", 7)
    done = simnet("show", "dpds", *few, "--html", file)
    assert (done.status, done.err) == (0, "")
    shown = file.read_text(encoding="utf-8")
    again = tmp_path / "again.html"
    words = re.search(r"<code><bdi>simnet (show [^<]*) --html run.html</bdi></code>", shown)
    assert words
    assert simnet(*words[1].split(), "--html", again).status == 0
    assert again.read_text(encoding="utf-8") == shown.replace("run.html", "again.html")


@pytest.mark.slow
def test_a_run_with_too_many_parties_has_only_verdicts_that_were_found() -> None:
    result = perform("dpds", users=12, items=2, seed=1)
    data = page_data(result, is_private=False)
    assert not data["complete"]
    verdicts = [row.verdict for row in result.adversaries if row.verdict]
    judged = {v.corrupt.parties for v in verdicts if not v.corrupt.network}
    names = data["parties"]["names"]
    assert {tuple(names[n] for n in v["members"]) for v in data["verdicts"]} == judged
    more = page_data(result, is_private=False, judge=["u1..u3", "u1, server"])["verdicts"]
    assert [v["members"] for v in more[-2:]] == [[0, 1, 2], [0, 12]]
    bare = page_data(perform("dpds", users=12, items=2, claims=False), is_private=False)
    assert "--judge" in bare["why_none"]


@pytest.mark.slow
def test_the_page_says_who_waits_when_on_a_network(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    options = ("secagg", "--users", 4, "--items", 3, "--seed", 2)
    simnet("show", *options, "--network", "mobile", "--html", file)
    shown = html.unescape(file.read_text())
    timing = timed(perform("secagg", users=4, items=3, seed=2, claims=False).run, "mobile")
    for leg in timing.legs:
        assert f"<bdi>{leg}</bdi>" in shown
    assert shown.count('<rect class="wait"') == 1 + sum(
        timing.log.names[wait.party] in shown_parties(timing) for wait in timing.waits
    )
    assert re.search("simnet show secagg [^<]* --network mobile [^<]* --html run.html", shown)
    simnet("show", *options, "--html", file)
    assert 'id="time"' not in file.read_text()


@pytest.mark.slow
def test_a_long_chain_says_how_many_steps_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("ring")
    timing = timed(result.run, "mobile")
    assert "steps of the chain" not in page_of(result, timings=[timing])
    monkeypatch.setattr("simnet.page.times.MOST_LEGS", 4)
    monkeypatch.setattr("simnet.page.page.MOST_STEPS", 3)
    shown = html.unescape(page_of(result, timings=[timing])).partition('id="time"')[2]
    assert [str(leg) in shown for leg in timing.legs] == [True] * 4 + [False] * (
        len(timing.legs) - 4
    )
    assert "more step" not in shown  # the line that unfolds one step would be as long as the step
    assert f"leaves out the last {len(timing.legs) - 4} steps of the chain" in shown
    assert "longest_chain" in shown
    assert len(timing.as_json()["longest_chain"]) == len(timing.legs)
    monkeypatch.setattr("simnet.page.page.MOST_STEPS", 2)
    assert "<summary>2 more steps</summary>" in page_of(result, timings=[timing])


def test_times_hide_what_a_script_writes_into_tags() -> None:
    class Bids:
        def parties(self) -> dict[str, Seat]:
            return {"a": Seat(self.bidder), "b": Seat(self.reader)}

        async def bidder(self, me: Any) -> None:
            await me.send(Tag("bid 733"), "b", reals([1.0]))

        async def reader(self, me: Any) -> None:
            await me.receive(Tag("bid 733"), "a")

    timing = timed(run(Bids()), "mobile")
    assert "bid 733" in times_of(timing, Keeping()).chain[-1]
    hidden = times_of(timing, Keeping(numbers=True, coefficients=True))
    assert "733" not in str(hidden)
    assert "b has a's bid #" in hidden.chain[-1]


def test_the_page_says_whose_truth_survivors_are_compared_with() -> None:
    def sentences(**more: Any) -> str:
        result = perform("committee", users=4, items=2, seed=1, claims=False, **more)
        return " ".join(estimate_of(result, is_private=False).sentences)

    assert "The truth is that of all users; those who were counted" in sentences(drop=["u2@share"])
    assert "those who were counted" not in sentences()
