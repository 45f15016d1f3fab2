"""One run as one HTML file: who sends what to whom, and what coalitions learn.

Theory of operation
-------------------

Everything is in the file: the data as JSON, three scripts, and a style sheet. A content-security
policy forbids every request, and allows only these scripts and this style sheet, by their hashes.
So a reader can open the page without a network, and nothing in somebody's data can run: texts of
the data reach the page through the template, which escapes them, or through the script, which only
makes elements and sets their texts and attributes.

The first script is the reader of certificates `simnet/adversary/check.mjs`, the same file that
Node.js runs on the command line. The second script compares what the page says with its
certificates. The third script draws.

Inputs of real people. A page about given inputs leaves out what these inputs can be computed from:
the seed, the truth and the error, the numbers and keys of messages, the values of attacks, outputs
except the estimate, and statements of privacy that depend on the truth (`simnet.page.keeping` has
more). Attacks on such a page are equations without values. If the caller of `page_of` does not say
whether the inputs are private, the page shows these things only if the scenario itself drew all
inputs from the seed, so that they are nobody's data.

Size. The proofs of many coalitions repeat each other. Data above 100,000 letters are compressed
with gzip, which browsers can undo by themselves since 2023, and written in base64.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from simnet.adversary.coalition import coalition_of
from simnet.adversary.verdict import Verdict
from simnet.contract import OverItems
from simnet.network.timeline import MOST_LANES
from simnet.network.timing import Timing
from simnet.page.beside import (
    MOST_LETTERS_OF_A_LABEL,
    Result,
    bill_of,
    claims_of,
    curves_of,
    depends_on_truth,
    estimate_of,
    outputs_of,
    parameters_of,
    privacy_explained,
    privacy_of_page,
    roles_of_bill,
    terms_of_page,
)
from simnet.page.coalitions import (
    Judged,
    coalitions_json,
    is_small,
    judge_all,
    judge_some,
)
from simnet.page.isolating import isolator
from simnet.page.keeping import Keeping, kept_of, played, words_of
from simnet.page.times import times_of
from simnet.page.traffic import MOST_MESSAGES, flows_json, messages_json, parties_json
from simnet.page.worlds import Worlds
from simnet.scenario.drops import outcome_in_words
from simnet.scenario.perform import Performance

HERE = Path(__file__).parent
CHECKER = HERE.parent / "adversary" / "check.mjs"
# JSON inside a script element: these letters could end the element, or change how it is read.
_UNSAFE = re.compile("[<>&]")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "[^"]*";$', re.MULTILINE)
NO_SETS = (
    "the run is too large to judge every set of parties. No set was judged by elimination: neither "
    "a set in a claim of the scenario nor a set that the command names (with the option --judge of "
    "simnet show)"
)
MOST_LETTERS_PLAIN = 100_000  # data with more letters of JSON are compressed
MOST_ROWS = 16  # a table with more rows is folded
MOST_STEPS = 10  # the other steps of a chain are folded
MOST_COLUMNS = 4  # on a narrow screen the cells of wider tables stand below each other
MOST_LETTERS_OF_A_LINE = 16  # a cell with at most this number of letters is one line

Json = dict[str, Any]


def page_of(
    result: Result,
    *,
    command: str | None = None,
    verify: str | None = None,
    is_private: bool | None = None,
    worlds: Worlds | None = None,
    judge: Sequence[str] = (),
    timings: Sequence[Timing] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> str:
    """Return the page of a result as one HTML text.

    `command` is the command that makes the page again, and `verify` the beginning of a command that
    judges a coalition of the same run. `is_private` says whether the inputs are those of real
    people; without `is_private`, all inputs count as inputs of real people unless the scenario
    itself drew them. `worlds` say what a coalition sees on two inputs of a tiny instance.
    `judge` are coalitions to judge in a run that is too large to judge all. `timings` are the times
    of the run on networks. `progress` is called with 1 for each coalition that is judged for the
    page.

    >>> from simnet import perform
    >>> page = page_of(perform("dpds", users=3, items=2, seed=1))
    >>> page.startswith("<!DOCTYPE html>"), "default-src 'none'" in page
    (True, True)
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    private = not result.is_drawn if is_private is None else is_private
    data = page_data(result, private, verify, judge, progress)
    said = script_json(data)
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["isolated"] = isolator(
        [
            *data["parties"]["names"],
            *data["parties"]["roles"],
            *data["traffic"]["tags"],
            *(result.labels if isinstance(result, Performance) else ()),
        ]
    )
    style = (HERE / "page.css").read_text(encoding="utf-8")
    scripts = page_scripts()
    done = result.run
    kept = Keeping(private, data["hides_coefficients"], words_of(done.roster.names))
    people = getattr(result, "population", None)
    hides_privacy = private and depends_on_truth(result)
    privacy = [] if hides_privacy else privacy_of_page(result.privacy)
    page = environment.get_template("page.html").render(
        title=result.name,
        summary=result.scenario.summary,
        facts=_facts(result, private),
        outcome=[kept.text(said) for said in outcome_in_words(done, result.about)],
        is_private=private,
        source=getattr(people, "source", ""),
        estimate=estimate_of(result, private),
        outputs=outputs_of(result, private),
        privacy=privacy,
        privacy_explained=privacy_explained(privacy),
        hides_privacy=hides_privacy,
        curves=None if hides_privacy else curves_of(result),
        bill=bill_of(result.bill),
        roles=roles_of_bill(result),
        worlds=worlds,
        times=[times_of(timing, kept) for timing in timings],
        claims=claims_of(result.adversaries),
        parameters=parameters_of(result),
        terms=terms_of_page(),
        most_rows=MOST_ROWS,
        most_steps=MOST_STEPS,
        most_lanes=MOST_LANES,
        most_columns=MOST_COLUMNS,
        most_of_label=MOST_LETTERS_OF_A_LABEL,
        most_letters=MOST_LETTERS_OF_A_LINE,
        command=command,
        is_packed=len(said) > MOST_LETTERS_PLAIN,
        data=packed(said) if len(said) > MOST_LETTERS_PLAIN else said,
        style=style,
        scripts=scripts,
        script_hashes=[source_hash(script) for script in scripts],
        style_hash=source_hash(style),
    )
    return page.lstrip()


def page_data(
    result: Result,
    is_private: bool,
    verify: str | None = None,
    judge: Sequence[str] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> Json:
    """Return the data that the scripts of the page draw and check."""
    done = result.run
    judged = _judged(result, judge, progress)
    if done.ledger.total().messages > MOST_MESSAGES:
        kept = kept_of(done, is_private)
        traffic = flows_json(done, kept)
    else:
        sampled, kept = played(done, is_private)
        traffic = messages_json(sampled, kept)
    protocol = done.protocol
    return {
        "protocol": result.about.name,
        "private": is_private,
        "hides_coefficients": kept.coefficients,
        "rounds": done.ledger.rounds,
        "verify": verify,
        "parties": parties_json(done.roster),
        "items": protocol.items if isinstance(protocol, OverItems) else None,
        "traffic": traffic,
        **coalitions_json(judged, done, kept),
    }


def _judged(result: Result, judge: Sequence[str], progress: Callable[[int], None]) -> Judged:
    """The verdicts of the page: on all coalitions, or on the coalitions of the claims and of
    `judge`.
    """
    done = result.run
    if is_small(done):
        return judge_all(done, result.about, progress)
    verdicts = [row.verdict for row in result.adversaries if isinstance(row.verdict, Verdict)]
    own = {v.corrupt.parties: v for v in verdicts if v.seeds == (done.seed,)}
    sets = [coalition_of(text, done.roster).parties for text in judge]
    wanted = [members for members in sets if members and members not in own]
    named = (
        judge_some(done, result.about, wanted, progress=progress) if wanted else Judged((), False)
    )
    found = [v for v in (*own.values(), *named.verdicts) if not v.corrupt.network]
    return Judged(
        tuple(found), is_complete=False, why_none="" if found else named.why_none or NO_SETS
    )


def _facts(result: Result, is_private: bool) -> list[str]:
    done = result.run
    people = getattr(result, "population", None)
    users = f"{done.people:,} user{'' if done.people == 1 else 's'}"
    facts = [users] if done.people else []
    if people is not None:
        facts[-1:] = [f"{users} from {people.source}"]
    if not is_private:
        facts.append(f"seed {done.seed}")
    return [
        *facts,
        done.ledger.messages_in_words,
        done.ledger.payload_in_words,
        done.ledger.rounds_in_words,
    ]


def script_json(data: Json) -> str:
    r"""Return JSON that may stand inside a script element: it is ASCII, without `<`, `>` and `&`.

    >>> script_json({"label": "</script>"})
    '{"label":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def packed(text: str) -> str:
    """Return a text compressed with gzip, in base64; equal texts give equal results.

    >>> gzip.decompress(base64.b64decode(packed("{}")))
    b'{}'
    """
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode()


def page_scripts() -> list[str]:
    """Return the scripts of the page in order.

    Each is a module of its own, so that two scripts may use the same names. What a module exports
    is collected in one object, `globalThis.simnet`, because a module inside a page has no address
    from which another module could import it.
    """
    return [_inlined(path) for path in (CHECKER, HERE / "proof.mjs", HERE / "page.mjs")]


def _inlined(path: Path) -> str:
    source = path.read_text(encoding="utf-8")
    source = _IMPORT.sub(r"const \1 = globalThis.simnet;", source)
    exported = re.findall(
        r"^export (?:async function|function\*?|const|class) (\w+)", source, re.MULTILINE
    )
    if exported:
        source += f"globalThis.simnet = {{ ...globalThis.simnet, {', '.join(exported)} }};\n"
    assert "</script" not in source.lower()
    assert "<!--" not in source
    return source


def source_hash(source: str) -> str:
    """Return the hash of an inline script or style sheet, as a content-security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
