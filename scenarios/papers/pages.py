"""The pages of the papers, made from their claims.

`python -m scenarios.papers.pages` writes the pages. With a folder of data and a store it first runs
the trials that the store lacks, and records what they measured:

    python -m scenarios.papers.pages DIR build/claims.jsonl
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from scenarios.papers.judging import PAPERS, experiments, judged
from simnet.files import write_whole
from simnet.studies.here import reproduce
from simnet.studies.page import claims_table, summary, wrong_claims
from simnet.studies.paper_claim import Judged
from simnet.studies.table import Table

HERE = Path(__file__).parents[1]
DOCS = HERE.parent / "docs" / "papers"
# So many trials at each point of these experiments have to do, or they would take many hours.
FEW_TRIALS = {
    **dict.fromkeys(("fig1", "fig3", "fig4", "yang_fig1_delta"), 3),
    **dict.fromkeys(("fig2", "table2"), 6),
    **dict.fromkeys((f"wang_fig{number}" for number in (4, 5, 6, 8, 9, 10, 11)), 3),
    "wang_fig7": 50,
}
MADE = "<!-- made by the program: python -m scenarios.papers.pages -->\n"
WRONG = f"""\
{MADE}# What is wrong in the papers

Each line says what is wrong, by how much, and how to check that by hand or with a command. These
are the errors that change a conclusion or a table; the pages of the papers have all, and all
claims. [This page](index.md) says how a verdict is reached. `simnet claims PAPER --show "NAME"`
shows one claim.
"""


def record(data: Path, store: Path) -> None:
    """Run the trials that the store lacks, and write what the claims of each paper read off."""
    for paper in PAPERS:
        tables = {
            name: reproduce(name, data=data, store=store, trials=FEW_TRIALS.get(name)).table
            for name in experiments(paper)
        }
        text = json.dumps(readings(paper, tables), indent=0, ensure_ascii=False, sort_keys=True)
        write_whole(HERE / paper / "measured.json", text + "\n")


def readings(paper: str, tables: Mapping[str, Table]) -> dict[str, dict[str, Any]]:
    """Return what the claims of a paper read off the tables of its experiments, by name."""
    found = {}
    for name, experiment in experiments(paper).items():
        for claim in experiment.claims:
            read = claim.read(tables[name])
            if read is not None:
                data = claim.data_of(tables[name])
                found[claim.name] = {**attrs.asdict(read), "data": [data.status, data.what]}
    return found


def page_of(paper: str, claims: list[Judged]) -> str:
    """Return the page of a paper: what is wrong, the figures, all claims, how it is run."""
    text = (HERE / paper / "page.md").read_text(encoding="utf-8")
    head, figures, rest = text.split("<!-- claims -->\n")
    wrong = "\n".join(wrong_claims(claims))
    return (
        f"{MADE}{head}{summary(claims)} [How a verdict is reached](index.md#verdicts).\n\n"
        f"## What is wrong, and by how much\n\n{wrong}\n\n{figures}"
        f"## All claims\n\n{claims_table(claims)}\n\n{rest}"
    )


def page_of_errors(found: Mapping[str, list[Judged]]) -> str:
    """Return the page of what is wrong: the claims of all papers that have a sentence for it."""
    lines = [WRONG]
    for paper, claims in found.items():
        lines.append(f"## [{PAPERS[paper]}]({paper}.md)\n")
        for one in claims:
            if one.claim.top and one.verdict not in ("right", "cannot be checked"):
                numbers = (
                    f" ({one.printed_in_words} in place of {one.exact_in_words})"
                    if one.printed_in_words and one.search is None
                    else ""
                )
                example = one.search.in_words if one.search is not None else ""
                check = f" Check: {one.claim.check}." if one.claim.check else ""
                text = f"{one.claim.top} *{one.in_words}*{numbers}. {example}".rstrip()
                lines.append(f"- {text}{check}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def pages() -> dict[Path, str]:
    """Return the text of every page that the program makes."""
    found = {paper: judged(paper) for paper in PAPERS}
    made = {DOCS / f"{paper}.md": page_of(paper, claims) for paper, claims in found.items()}
    return {**made, DOCS / "wrong.md": page_of_errors(found)}


def main(*words: str) -> None:
    """Write the pages; with a folder of data and a store, record first."""
    if words:
        data, store = words
        record(Path(data), Path(store))
    for path, text in pages().items():
        write_whole(path, text)


if __name__ == "__main__":
    main(*sys.argv[1:])
