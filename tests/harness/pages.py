"""Pages of small runs, which several tests read, and the browser that shows them."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simnet import perform
from simnet.page.beside import Result
from simnet.page.page import page_data, page_of
from tests.harness.marks import long_but
from tests.harness.shell import RING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OVERFLOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
CHROMIUM = shutil.which("chromium")
NO_CHROMIUM = "the page is shown in Chromium, and there is none here"
# Switches without which a browser without a screen would not start, or would call home.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Widths in pixels and colour schemes with which a page is read; CI has one case of each.
SCREENS = long_but(
    [(360, "dark"), (1280, "light"), (360, "light"), (1280, "dark")],
    (360, "dark"),
)
# Six protocols with at most 6 parties: place and settings.
SIX: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "dpds": ("dpds", {"users": 3, "items": 2}),
    "dpds_shamir": ("dpds_shamir", {"users": 4, "items": 1}),
    "tss": ("tss", {"users": 3, "items": 2, "reported": 1}),
    "sampling_privacy": ("sampling_privacy", {"users": 2, "items": 2}),
    "ring": (str(RING), {}),
    "secagg": ("secagg", {"users": 3, "items": 1}),
}


@cache
def result_of(name: str) -> Result:
    """Run one of the six protocols, with seed 1."""
    place, settings = SIX[name]
    return perform(place, seed=1, claims=False, **settings)


@cache
def data_of(name: str, is_private: bool = False) -> Any:
    """Return the data of the page of one of the six protocols."""
    return page_data(result_of(name), is_private)


def written(folder: Path, name: str) -> Path:
    """Write the page of one of the six protocols into a folder."""
    file = folder / f"{name}.html"
    file.write_text(page_of(result_of(name), command=f"simnet show {name}"), encoding="utf-8")
    return file


def equation(function: Mapping[str, Any]) -> str:
    """Return a function of the JSON of `simnet verify` as the page writes it."""
    modulus = function["modulus"]
    named = [(_name(term), term["coefficient"]) for term in function["terms"]]
    named += [
        ("·".join(map(_name, product["factors"])), product["coefficient"])
        for product in function.get("products", ())
    ]
    parts = []
    for name, coefficient in named:
        signed = coefficient - modulus if coefficient > modulus // 2 else coefficient
        size = "" if abs(signed) == 1 else f"{abs(signed)} "
        parts.append(f"{'-' if signed < 0 else '+'} {size}{name}")
    return f"{' '.join(parts).removeprefix('+ ')} = {function['value']}"


def _name(secret: Mapping[str, Any]) -> str:
    return secret["party"] + "'" * secret["secret"] + f"[{secret['item']}]"


def one_tick_at_a_time(parties: int) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield all sets that are not empty, each with the one party by which it differs from the set
    before.
    """
    before = 0
    for number in range(1, 1 << parties):
        code = number ^ (number >> 1)
        changed = (code ^ before).bit_length() - 1
        before = code
        yield changed, frozenset(place for place in range(parties) if code >> place & 1)


def axe() -> str:
    """Return the script that looks for what a screen reader cannot read on a page."""
    import axe_playwright_python

    script = Path(str(axe_playwright_python.__file__)).with_name("axe.min.js")
    return script.read_text(encoding="utf-8")


def assert_readable(page: Any) -> None:
    """Assert that a page has no sideways scroll, and nothing serious in the way of a screen
    reader. The page must have been opened with the script `axe`.
    """
    assert not page.evaluate(OVERFLOW)
    violations = page.evaluate("axe.run().then(({violations}) => violations)")
    serious = [each for each in violations if each["impact"] in ("serious", "critical")]
    assert not serious, json.dumps(serious, indent=1)[:3000]


@contextmanager
def tasks(page: Any) -> Iterator[list[float]]:
    """Measure the tasks of a page inside the block: afterwards the list has the processor time of
    the longest one, in milliseconds.
    """
    longest: list[float] = []
    browser = page.context.browser
    browser.start_tracing(page=page, categories=["toplevel"])
    yield longest
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    measured = [
        event["tdur"] / 1000
        for event in events
        if event["ph"] == "X" and "tdur" in event and (event["pid"], event["tid"]) in main
    ]
    longest.append(max(measured))


@contextmanager
def browser_started() -> Iterator["Browser"]:
    """Start Chromium, which takes longer than most tests of a page. Yield the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(SWITCHES))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: "Browser",
    file: Path,
    width: int = 1280,
    scheme: str = "light",
    scripts: Sequence[str] = (),
) -> Iterator[Any]:
    """Open a page in a profile of its own; yield the page, whose `asked` are the addresses that it
    asked for.

    `scripts` run before the page's own.
    """
    page = browser.new_page(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    try:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        for script in scripts:
            page.add_init_script(script)
        page.goto(file.as_uri())
        vars(page)["asked"], vars(page)["errors"] = asked, errors
        yield page
    finally:
        page.close()
