"""The page in a browser: what a reader sees and does. Skipped where there is no Chromium."""

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from simnet import Field, Seat, Tag, perform, reals, run, seats, timed
from simnet.network.presets import PRESETS
from simnet.page.page import page_of, script_json
from simnet.scenario.plain import PlainRun
from simnet.scenario.population import ItemPopulation
from simnet.scenario.synthetic import uniform_items
from tests.harness.certificates.pool import pool
from tests.harness.certificates.readers import python_reader
from tests.harness.marks import long_but
from tests.harness.pages import (
    CHROMIUM,
    NO_CHROMIUM,
    SCREENS,
    SIX,
    assert_readable,
    axe,
    data_of,
    equation,
    one_tick_at_a_time,
    opened,
    result_of,
    tasks,
    written,
)
from tests.harness.shell import simnet

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM),
    # Playwright leaves a loop and its pipes to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
HOSTILE = (
    "</script><script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "a\u2028b\u2029c",
    "\u202egnorw\u2066",
    "\"'`&amp;",
)


def shown(page: Any) -> dict[str, Any]:
    """What the page says about the ticked set."""
    found: dict[str, Any] = page.evaluate(
        """() => ({
            finding: document.getElementById("verdict").dataset.finding,
            equations: Array.from(
                document.querySelectorAll("#verdict .equation"), (each) => each.textContent),
            proved: document.querySelectorAll("#verdict .proved").length,
            text: document.getElementById("verdict").textContent,
        })"""
    )
    return found


@pytest.mark.parametrize("name", long_but(SIX, "secagg"))
def test_every_coalition_ticked_by_keyboard_has_the_verdict_of_verify(
    browser: "Browser", name: str, tmp_path: Path
) -> None:
    place, settings = SIX[name]
    options = [part for key, value in settings.items() for part in (f"--{key}", value)]
    names = result_of(name).run.roster.names
    with opened(browser, written(tmp_path, name)) as page:
        for changed, members in one_tick_at_a_time(len(names)):
            page.focus(f"#party-{changed}")
            page.keyboard.press("Space")
            found = shown(page)
            who = ",".join(names[number] for number in sorted(members))
            judged = simnet(
                "verify", place, *options, "--seed", 1, "--corrupt", who, "--json", "-"
            ).json
            shares = judged["shares"]
            assert found["finding"] == shares["verdict"], who
            assert found["equations"] == [equation(each) for each in shares["functions"]], who
            assert judged["discrete"]["argument"] in found["text"]
            assert found["proved"] == (found["finding"] != "no-shares"), "green only for a proof"
            for leak in shares["leaks"]:
                assert leak["party"] in found["text"]
        assert page.asked == [page.url]
        assert page.errors == []


@pytest.mark.parametrize("planted", ["finding", "coefficient", "flag", "exposed"])
def test_a_planted_mistake_is_caught(browser: "Browser", planted: str, tmp_path: Path) -> None:
    """The page says that its verdict is broken; a comparison with `verify` would fail as well."""
    file = written(tmp_path, "ring")
    text = file.read_text(encoding="utf-8")
    data = data_of("ring")
    at = next(i for i, v in enumerate(data["verdicts"]) if v["finding"] == "leaks")
    changed = json.loads(json.dumps(data))
    if planted == "finding":
        changed["verdicts"][at]["finding"] = "nothing"
    elif planted == "coefficient":
        changed["verdicts"][at]["functions"][0]["terms"][0][1] += 1
    elif planted == "flag":
        changed["verdicts"][at]["functions"][0]["in_output"] = True
    else:
        changed["verdicts"][at]["exposed"] = []
    begin = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", begin)
    file.write_text(text[:begin] + script_json(changed) + text[end:], encoding="utf-8")
    with opened(browser, file) as page:
        for number in data["verdicts"][at]["members"]:
            page.focus(f"#party-{number}")
            page.keyboard.press("Space")
        assert shown(page)["finding"] == "broken"
        assert "Do not trust this verdict" in shown(page)["text"]
        assert shown(page)["proved"] == 0


def test_labels_are_texts_and_nothing_runs(browser: "Browser", tmp_path: Path) -> None:
    people = ItemPopulation(uniform_items(6, 5, seed=1).items, HOSTILE, HOSTILE[1])
    file = tmp_path / "run.html"
    result = perform("dpds", data=people, seed=1, claims=False)
    file.write_text(page_of(result), encoding="utf-8")
    with opened(browser, file) as page:
        cells = page.evaluate(
            "[...document.querySelectorAll('#estimate tbody th')].map((e) => e.textContent)"
        )
        assert tuple(cells) == HOSTILE
        assert page.evaluate("window.ran") is None
        assert page.asked == [page.url]
        assert page.errors == []


@attrs.frozen
class Told:
    """One user sends its number to another one, twice, under a tag that is not easy to write."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 2)

    async def user(self, me: Any, number: Any) -> None:
        mine = me.secret(lambda n: [n], number, field=Field(101), shape=(1,))
        for _ in range(2):
            if me.name == "u1":
                await me.send(Tag("".join(HOSTILE)), "u2", mine)
            else:
                await me.receive(Tag("".join(HOSTILE)), "u1", shape=(1,))


def test_tags_are_texts_that_change_nothing_around_them(browser: "Browser", tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    file.write_text(page_of(perform(Told(), seed=1), is_private=False), encoding="utf-8")
    tag = "".join(HOSTILE)
    with opened(browser, file) as page:
        page.check("#party-1")
        page.locator("#verdict .equations summary").first.click()
        page.wait_for_selector("#verdict .steps button bdi")
        texts = page.locator("#verdict .steps button").first.evaluate(
            "(e) => [...e.querySelectorAll('bdi')].map((each) => each.textContent)"
        )
        assert texts == [tag, "u1 → u2"]
        assert page.evaluate("window.ran") is None
        assert page.errors == []


@attrs.frozen
class Hostile:
    """Parties, roles and tags whose names are not easy to write: each party sends its number on."""

    def parties(self) -> dict[str, Seat]:
        return {
            name: Seat(self.user, place, role=HOSTILE[place % len(HOSTILE)])
            for place, name in enumerate(HOSTILE, start=1)
        }

    async def user(self, me: Any, number: Any) -> None:
        place = HOSTILE.index(me.name)
        mine = me.secret(lambda n: [n], number, field=Field(101), shape=(1,))
        if place > 0:
            await me.receive(Tag(HOSTILE[place - 1]), HOSTILE[place - 1], shape=(1,))
        await me.send(Tag(HOSTILE[place]), HOSTILE[(place + 1) % len(HOSTILE)], mine)
        if place == 0:
            await me.receive(Tag(HOSTILE[-1]), HOSTILE[-1], shape=(1,))


# The texts that have a mark of direction which is not in a part of its own with nothing but a label
# in it. The texts of a picture, and the words that follow a pointer, are such parts by themselves.
ASTRAY = """(labels) => {
    const marks = /[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
        const { parentElement, data } = walker.currentNode;
        if (parentElement.closest("script, svg") || !marks.test(data)) continue;
        const part = parentElement.closest("bdi");
        if (!part || !labels.includes(part.textContent)) found.push(parentElement.outerHTML);
    }
    return found;
}"""


@attrs.frozen
class Around:
    """A word goes round all parties, one after another: a long chain of messages."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 15)

    async def user(self, me: Any, number: Any) -> None:
        place = int(me.name[1:])
        if place > 1:
            await me.receive(Tag("word"), f"u{place - 1}")
        if place < 15:
            await me.send(Tag("word"), f"u{place + 1}", reals([1.0]))


def test_labels_are_texts_wherever_they_are_shown(browser: "Browser", tmp_path: Path) -> None:
    """Names of parties and roles, tags and networks. No mark of direction leaves its label."""
    network = attrs.evolve(PRESETS["mobile"], name=HOSTILE[3], source=HOSTILE[1])
    result = perform(Hostile(), data=[1, 2, 3, 4, 5], seed=1)
    assert isinstance(result, PlainRun)
    text = page_of(
        result, is_private=False, verify="simnet verify", timings=[timed(result.run, network)]
    )
    file = tmp_path / "run.html"
    file.write_text(text, encoding="utf-8")
    labels = [*HOSTILE, *(f"{name}[1]" for name in HOSTILE)]
    with opened(browser, file) as page:
        assert page.evaluate(ASTRAY, labels) == []
        for place in range(len(HOSTILE)):
            page.check(f"#party-{place}")
            for how in page.locator("#verdict .equations summary").all():
                how.click()
                assert page.evaluate(ASTRAY, labels) == []
            page.focus("#picture")
            page.keyboard.press("ArrowDown")
            page.locator("#message").get_by_text("being searched").wait_for(state="detached")
            assert page.evaluate(ASTRAY, labels) == []
            assert HOSTILE[0] in page.text_content("#verdict")
        page.locator("#list summary").click()
        page.fill("#named", f"nobody {HOSTILE[3]}")
        page.press("#named", "Enter")
        assert page.evaluate(ASTRAY, labels) == []
        for part in ("#parties", "#picture .heads", "#list", "#time", "#bill"):
            shown_there = page.text_content(part)
            for label in HOSTILE:
                assert label in shown_there, (part, label)
        assert page.evaluate("window.ran") is None
        assert page.asked == [page.url]
        assert page.errors == []


def test_long_lists_are_folded_and_printed_whole(browser: "Browser", tmp_path: Path) -> None:
    result = perform("dpds", users=4, items=30, seed=1, claims=False)
    file = tmp_path / "run.html"
    file.write_text(
        page_of(result, timings=[timed(run(Around(), [1] * 15), "mobile")]), encoding="utf-8"
    )
    with opened(browser, file) as page:
        page.fill("#named", "u1, server")
        page.press("#named", "Enter")
        page.locator("#verdict .fold").wait_for()
        assert page.locator("#verdict .equations").first.locator("> li").count() == 8
        folds = page.locator("details.fold")
        assert folds.count() >= 3
        places = {fold.evaluate("(e) => e.closest('section').id") for fold in folds.all()}
        assert {"coalition", "estimate", "time"} <= places
        is_open = "[...document.querySelectorAll('details.fold')].map((e) => e.open)"
        assert not any(page.evaluate(is_open))
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert all(page.evaluate(is_open))
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert not any(page.evaluate(is_open))


def test_the_policy_forbids_what_the_page_does_not_do(browser: "Browser", tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, "ring")) as page:
        page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://x.test/a'}))")
        page.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), "
            "{textContent: 'window.ran = 1'}))"
        )
        assert page.evaluate("window.ran") is None
        assert page.evaluate("fetch('http://x.test/').then(() => 1, () => 0)") == 0
        assert len(page.errors) >= 3, "the browser says what it refused"


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_it_can_be_read_by_everybody(
    browser: "Browser", width: int, scheme: str, tmp_path: Path
) -> None:
    for name in ("dpds", "tss"):
        # The policy forbids scripts from outside, so this one is there before the page.
        with opened(browser, written(tmp_path, name), width, scheme, scripts=[axe()]) as page:
            page.fill("#named", "u1, server" if name == "dpds" else "u1, S1, S2")
            page.press("#named", "Enter")
            if page.locator("#verdict .equations summary").count():
                page.locator("#verdict .equations summary").first.click()
            page.locator("#list summary").click()
            page.focus("#picture")
            page.keyboard.press("ArrowDown")
            assert_readable(page)


def drawn(page: Any) -> tuple[set[str], list[str]]:
    """The marks that the arrows of the picture have, and the lines of its legend."""
    marks = page.evaluate(
        "[...document.querySelectorAll('#picture .arrow')].map((e) => [...e.classList])"
    )
    found = {mark for each in marks for mark in each} & {"seen", "attack", "told", "later"}
    return found, page.locator("#legend li").all_inner_texts()


def test_the_legend_lists_what_is_drawn(browser: "Browser", tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, "ring")) as page:
        assert drawn(page) == (set(), ["a message"])
        for number in (0, 2):
            page.check(f"#party-{number}")
        assert drawn(page)[0] == {"seen"}
        page.locator("#verdict .equations summary").first.click()
        page.wait_for_selector("#picture .attack")
        marks, legend = drawn(page)
        assert marks == {"seen", "attack"}
        assert any("enters the attack" in line for line in legend)
        assert not any("the output tells the same" in line for line in legend)
        assert page.locator("#picture .attack .badge path").count() == 1
        assert page.inner_text("#verdict .steps li:nth-child(2)").startswith("Start from this")
        assert "with me.disclose" in page.inner_text("#verdict")
    with opened(browser, written(tmp_path, "dpds")) as page:
        page.fill("#named", "u1, server")
        page.press("#named", "Enter")
        page.locator("#verdict .equations summary").first.click()
        page.wait_for_selector("#picture .told")
        marks, legend = drawn(page)
        assert "told" in marks
        assert "attack" not in marks
        assert not any("attack" in line for line in legend)
        assert page.locator("#picture .told .badge circle").count() > 0
        assert "u2[1] means element 1 of the secret of u2" in page.inner_text("#verdict")


def test_the_steps_of_secure_aggregation_take_off_masks(browser: "Browser", tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, "secagg")) as page:
        page.fill("#named", "u1, server")
        page.press("#named", "Enter")
        page.locator("#verdict .equations summary").first.click()
        page.wait_for_selector("#verdict .steps")
        steps = page.inner_text("#verdict .steps")
        assert "Take off a mask: subtract" in steps
        assert "How the set knows this seed." in steps
        assert "can be put together from these messages" in steps
        assert "[object" not in steps
        assert "somebody" not in steps


def test_what_can_be_scrolled_says_so(browser: "Browser", tmp_path: Path) -> None:
    fits = "(e) => e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 1"
    for name in ("secagg", "tss"):
        for width in (360, 1280):
            with opened(browser, written(tmp_path, name), width) as page:
                page.locator("#list summary").click()
                page.wait_for_timeout(100)
                boxes = page.locator(".wide, #picture").all()
                seen = []
                for box in boxes:
                    if box.is_visible():
                        seen.append(box.evaluate(fits))
                        words = box.evaluate("(e) => e.previousElementSibling.hidden")
                        assert words == seen[-1]
                assert all(seen) == (width == 1280)
                if width == 1280:
                    last = page.locator("#picture .round").last.inner_html()
                    assert last == f"round {data_of(name)['rounds']}"


def test_messages_can_be_stepped_through_by_keyboard(browser: "Browser", tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, "ring")) as page:
        page.focus("#picture")
        seen = []
        for _ in range(5):
            page.keyboard.press("ArrowDown")
            seen.append(page.inner_text("#message dd:nth-of-type(2)"))
        assert seen == ["1", "2", "3", "4", "5"], "the rounds of the messages"
        assert (
            page.locator("#picture .later").count() == page.locator("#picture .arrow").count() - 5
        )
        page.get_by_role("button", name="Show all").click()
        assert page.locator(".later").count() == 0


def test_the_checker_of_the_page_agrees_with_pythons(browser: "Browser", tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, "ring")) as page:
        for valid in pool():
            expected = python_reader(valid.text.encode())
            assert expected
            found = page.evaluate("(text) => globalThis.simnet.check(text).proved", valid.text)
            assert found == expected[1]
            refused = page.evaluate(
                "(text) => { try { globalThis.simnet.check(text); return null; }"
                " catch (error) { return error.message; } }",
                valid.text.replace('"version":6', '"version":5'),
            )
            assert "version" in refused


@pytest.mark.long
def test_large_runs_are_small_pages_that_answer_at_once(browser: "Browser", tmp_path: Path) -> None:
    """10,000 messages in 1 MB; 1,000 users in 3 MB, made in 10 s, loaded in 2 s; no task above
    200 ms while somebody ticks, unfolds and scrolls. All in processor time: other programs run.
    """
    for users, items, most in ((100, 30, 1e6), (1000, 30, 3e6)):
        result = perform("dpds", users=users, items=items, seed=1)
        begin = time.process_time()
        text = page_of(result)
        assert time.process_time() - begin < 10
        assert len(text.encode()) <= most
        file = tmp_path / "run.html"
        file.write_text(text, encoding="utf-8")
        with opened(browser, file) as page:
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            page.reload()
            page.wait_for_selector("#named")
            measured = session.send("Performance.getMetrics")["metrics"]
            loading = next(each["value"] for each in measured if each["name"] == "TaskDuration")
            assert 0 < loading < 2, "seconds"
            with tasks(page) as longest:
                for who in ("u1", "server", "u1, u7", "all users but one", "everyone"):
                    page.fill("#named", who)
                    page.press("#named", "Enter")
                    page.get_by_text("The proof is being checked.").wait_for(state="detached")
                    page.wait_for_timeout(100)
                page.locator("#parties button[aria-expanded]").first.click()
                page.mouse.move(800, 600)
                for _ in range(8):
                    page.mouse.wheel(0, 300)
                    page.wait_for_timeout(20)
            assert 0 < longest[0] < 200
            page.fill("#named", "u1")
            page.press("#named", "Enter")
            checking = page.get_by_text("The proof is being checked.")
            checking.wait_for(state="detached", timeout=60_000)
            assert page.locator("[data-finding]").first.get_attribute("data-finding") == "nothing"
            assert page.errors == []


@pytest.mark.parametrize("name", ["dpds", "secagg"])
def test_a_narrow_screen_shows_whole_charts_and_all_numbers_of_the_bill(
    browser: "Browser", name: str, tmp_path: Path
) -> None:
    file = tmp_path / "run.html"
    simnet("show", name, "--users", 12, "--items", 6, "--html", file)
    reach = """(chosen) => Array.from(document.querySelectorAll(chosen), (each) => {
        const {left, right, width} = each.getBoundingClientRect();
        return [left, right, width];
    })"""
    with opened(browser, file, width=360) as page:
        marks = page.evaluate(reach, "#estimate .wide :is(circle, .interval, .truth, text)")
        curves = page.evaluate(reach, ".curves :is(path, text)")
        numbers = page.evaluate(reach, "#bill td.number[data-head] bdi")
    assert len(marks) > 12
    assert curves
    assert len(numbers) > 12
    assert all(left >= 0 and right <= 360 for left, right, _ in [*marks, *curves, *numbers])
    assert all(width > 0 for _, _, width in numbers)
    legend = page_of(perform("dpds", users=12, items=6, seed=1)).partition('"Curves"')[2]
    assert re.search(r"</svg><span>against <bdi>[^<]+</bdi></span></li>", legend)


def test_the_messages_of_an_attack_do_not_fade_at_an_earlier_message(
    browser: "Browser", tmp_path: Path
) -> None:
    with opened(browser, written(tmp_path, "ring")) as page:
        for number in (0, 2):
            page.check(f"#party-{number}")
        page.locator("#verdict .equations summary").first.click()
        page.wait_for_selector("#picture .attack")
        page.get_by_role("button", name="First", exact=True).click()
        found = page.evaluate(
            """() => [...document.querySelectorAll("#picture .arrow")].map((each) =>
                [each.classList.contains("attack"), getComputedStyle(each).opacity])"""
        )
        attack = [place for place, (is_attack, _) in enumerate(found) if is_attack]
        assert attack
        assert attack[0] > 0, "an attack that begins with the first message tests nothing"
        assert {found[place][1] for place in attack} == {"1"}
        assert any(float(opacity) < 0.5 for _, opacity in found)
