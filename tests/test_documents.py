"""The outputs that the documents show are the real ones; tests/harness/documents.py says how to
write them.
"""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.harness.data import ROOT
from tests.harness.documents import (
    NOT_RUN,
    Differs,
    agrees,
    mentioned,
    pages,
    run_page,
    takes_long,
    written_pages,
)
from tests.harness.marks import long_but
from tests.harness.mentions import Mention, mentions_of

MENTIONS = {
    page: mentions
    for page in (*sorted(ROOT.glob("[CRS]*.md")), *written_pages())
    if page.name != "CHANGELOG.md" and (mentions := mentions_of(page))
}
# These commands need no file and less than half a second.
QUICK = ("--help", "explain", "mechanism", "network")
# These pages take more than ten seconds each.
LONG = {
    *("docs/howto/choosing", "docs/howto/ci", "docs/howto/networks", "docs/howto/teaching"),
    *("docs/howto/whole-numbers", "docs/papers/biswas", "docs/papers/joy"),
    *("docs/papers/wrong", "docs/papers/yang"),
    *("docs/tutorial/5-own-package", "docs/tutorial/6-study"),
}


def place(page: Path) -> str:
    return str(page.relative_to(ROOT)).removesuffix(".md")


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    long_but(pages(), *(page for page in pages() if place(page) not in LONG)),
    ids=place,
)
def test_the_blocks_of_a_page_do_what_it_shows(page: Path, tmp_path: Path) -> None:
    run_page(page, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    "page",
    [
        page
        for page, mentions in MENTIONS.items()
        if any(mention.is_complete and takes_long(mention) for mention in mentions)
    ],
    ids=place,
)
def test_the_long_commands_that_a_page_mentions_run(page: Path, tmp_path: Path) -> None:
    run_page(page, tmp_path, long=True)


@pytest.mark.slow
def test_the_readme_is_short_and_does_what_it_shows(tmp_path: Path) -> None:
    readme = ROOT / "README.md"
    assert len(readme.read_text().splitlines()) <= 150
    run_page(readme, tmp_path)


@pytest.mark.parametrize("page", MENTIONS, ids=place)
def test_every_command_that_a_page_mentions_exists(page: Path) -> None:
    for mention in MENTIONS[page]:
        assert mention.unknown() == [], mention


@pytest.mark.parametrize(
    "mention",
    [
        mention
        for mentions in MENTIONS.values()
        for mention in mentions
        if not set(QUICK).isdisjoint(mention.words) and mention.is_complete
    ],
    ids=lambda mention: f"{place(mention.page)}:{mention.line}",
)
def test_a_quick_command_that_a_page_mentions_does_what_it_says(
    mention: Mention, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mentioned(mention) is None


def test_few_commands_are_not_run() -> None:
    every = [mention.text for mentions in MENTIONS.values() for mention in mentions]
    assert len(NOT_RUN) == 2
    for words in NOT_RUN:
        assert any(words in text for text in every), words


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_every_file_that_a_page_links_to_is_there(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()):
        assert link.startswith("https://") or (ROOT / link).exists(), link


LIST_MARK = re.compile(r"\s*([-+*]|\d+[.)]) ")


def broken_formulas(text: str) -> list[str]:
    """Return the lines that Markdown takes for items of a list in the middle of a sentence, because
    a formula was broken before a minus, a plus, or a number with a point; and those that it takes
    for comments, because they begin with a percent sign.
    """
    found, is_code, in_list, indent = [], False, False, 0
    for above, line in pairwise(["", *text.splitlines()]):
        is_code ^= line.lstrip().startswith("```")
        begins = is_code or not above.strip() or above.startswith(("|", "#", "<!--", "```"))
        if line.lstrip().startswith("%") and not is_code:
            found.append(line)  # a comment, which no reader sees
        elif LIST_MARK.match(line):
            ends = above.rstrip().endswith((":", ".", ";"))
            deeper = len(line) - len(line.lstrip()) > indent
            if not (begins or ends or (in_list and not deeper)):
                found.append(line)
            in_list, indent = True, len(line) - len(line.lstrip())
        elif begins:
            in_list = False
    return found


def test_no_page_breaks_a_formula_into_a_list() -> None:
    assert broken_formulas("The sum is a\n- b, and so on.\n") == ["- b, and so on."]
    assert broken_formulas("We saw 35\n% of them.\n") == ["% of them."]
    assert broken_formulas("There are two:\n- b\n- c\n\n- d:\n  + e\n- f\n") == []
    assert broken_formulas("- The sum is a\n  - b, and so on.\n") == ["  - b, and so on."]
    for page in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs").glob("*/*.md"),
    ):
        assert not broken_formulas(page.read_text()), page


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a  b\n", "a b\n\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("...\nc\n", "a\nb\nc\n", True),
        ("took ... s\n", "took 0.3 s\n", True),
        ("took ... s\n", "took long\n", False),
    ],
)
def test_output_is_compared_without_white_space(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) == same


PAGE = """
```csv
# file: people.csv
city
Bern
Basel
```

```python
# file: vote.py
SIZE = 3
```

```python
from vote import SIZE
```

```pycon
>>> SIZE + 1
4
```

```console
$ simnet --version
...
# exit status 2
$ simnet explode
simnet: ...
$ cat people.csv
city
Bern
Basel
```
"""


def test_a_page_runs_in_a_folder_of_its_own(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    (tmp_path / "work").mkdir()
    run_page(page, tmp_path / "work")
    for number, (true, false) in enumerate(
        [("\n4\n", "\n5\n"), ("status 2", "status 1"), ("Bern\nBasel\n```\n\n", "Bern\n```\n\n")]
    ):
        page.write_text(PAGE.replace(true, false, 1))
        (tmp_path / str(number)).mkdir()
        with pytest.raises(Differs):
            run_page(page, tmp_path / str(number))


SENTENCES = """
To look a word up, write `simnet explain TERM`; `simnet explain R1` prints `Theorem` and `bound`.
Without a file, `simnet time
no.log` ends with status 2. The option of `simnet verify … --corrupt WHO` is for `make test`.

    simnet explain seed      # what a seed is

```text
- run: simnet network mobile
```
"""


@pytest.mark.slow
def test_commands_in_sentences_are_found_and_judged(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(SENTENCES)
    found = {mention.text: mention for mention in mentions_of(page)}
    assert [text for text, one in found.items() if one.is_complete] == [
        "simnet explain R1",
        "simnet time no.log",
        "simnet explain seed",
        "simnet network mobile",
    ]
    assert found["simnet explain R1"].prints == ("Theorem", "bound")
    assert not any(mention.unknown() for mention in found.values())
    (tmp_path / "work").mkdir()
    run_page(page, tmp_path / "work")
    for number, (true, false) in enumerate(
        [("`bound`", "`chair`"), ("status 2", "status 1"), ("explain seed", "explain sead")]
    ):
        page.write_text(SENTENCES.replace(true, false))
        (tmp_path / str(number)).mkdir()
        with pytest.raises(Differs):
            run_page(page, tmp_path / str(number))
    for true, false in [
        ("verify", "verfiy"),
        ("--corrupt", "--corupt"),
        ("make test", "make tset"),
    ]:
        page.write_text(SENTENCES.replace(true, false))
        assert any(mention.unknown() for mention in mentions_of(page))
