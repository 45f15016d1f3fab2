"""The claims of the papers, their records, and the pages that are made of them."""

import re
from collections import Counter
from math import exp, expm1, log
from pathlib import Path

import pytest

from scenarios.papers.command import claims as claims_command
from scenarios.papers.judging import PAPERS, claims_of, experiments, judged, measured
from scenarios.papers.pages import DOCS, pages
from simnet.errors import BadInput
from simnet.studies.page import RULES
from simnet.studies.paper_claim import Judged, reads_as_sentences
from tests.harness.data import ROOT
from tests.harness.shell import refusal, simnet

FOUND = {paper: {one.claim.name: one for one in judged(paper)} for paper in PAPERS}
# Numbers of the specifications, which were computed without the project's code.
EXACT = {
    ("yang", "DPDG, noise share"): 0.869155,
    ("yang", "DPDG, crossover"): 3654.45,
    ("yang", "Fig. 1, crossing"): 0.045,
    ("yang", "Table I, AS γ=2, user FA"): 9590.4,
    ("yang", "Table I, AS γ=10, user qd"): 4819.2,
    ("yang", "LDP, OUE"): 191_600,
    ("wang", "Algorithm 3"): log(1 + exp(1)),
    ("wang", "Fig. 3, HM"): 1.0956,
    ("wang", "Fig. 3, PM"): 1.1493,
    ("wang", "Eq. 12, HM"): 1.455,
    ("wang", "Section IV-C"): 0.2689,
    ("jia", "Fig. 4, variance"): 5434.297**2,
    ("jia", "Eq. 22, Retail"): 0.05881,
    ("joy", "Introduction, 212"): 207.35,
    ("joy", "Eq. 29, only leakage"): 2.3026,
    ("joy", "Four times"): 3.141,
    ("biswas", "Eq. 4, third line"): -25_789,
    ("biswas", "Theorem 3.2, proof"): 24.0276,
    ("biswas", "Theorem 3.5, proof"): 18.5036,
    ("biswas", "Theorem 5.1, proof"): 16.874,
}
VERDICTS = {
    "wrong": (
        *(("yang", name) for name in ("Theorem 3.1", "Theorem 3.2", "Table II, normal data")),
        *(("wang", name) for name in ("Eq. 12, PM", "Eq. 12, HM")),
        ("biswas", "Theorem 3.5"),
    ),
    "wrong, corrected": (
        *(
            ("yang", f"Table I, AS γ={gamma}, user {entry}")
            for gamma in (2, 10)
            for entry in ("FA", "FS", "qd", "Nd")
        ),
        ("yang", "DPDG, noise share"),
        ("wang", "Algorithm 3"),
        ("wang", "Lemma 6"),
        ("jia", "Eq. 14"),
        ("jia", "Fig. 4, variance"),
        ("joy", "Section 4.3"),
        ("joy", "Eq. 19"),
        ("joy", "Eq. 29, only leakage"),
        ("biswas", "Theorem 3.5, proof"),
    ),
    "holds under a condition": (
        ("wang", "Corollary 2"),
        ("wang", "Table I, d > 1"),
        ("joy", "Eq. 30"),
        ("joy", "Four times"),
        *(("biswas", f"Theorem {number}") for number in ("3.3", "3.6", "5.1")),
    ),
    "right": (
        *(("yang", name) for name in ("Lemma 3.1", "Theorem 3.3", "Theorem 3.4", "Theorem 3.5")),
        *(("wang", f"Lemma {number}") for number in range(1, 6)),
        *(("jia", name) for name in ("Theorem 2", "Eq. 13")),
        *(("joy", f"Eq. {number}") for number in (4, 5, 9, 10, 11, 14, 15, 16, 21, 25, 29)),
        *(("biswas", f"Theorem {number}") for number in ("2.1", "3.1", "3.2", "3.4")),
    ),
}


@pytest.mark.parametrize(("paper", "name"), EXACT)
def test_exact_numbers_are_those_of_the_specifications(paper: str, name: str) -> None:
    assert FOUND[paper][name].found.expected == pytest.approx(EXACT[paper, name], rel=5e-4)


def test_verdicts_are_those_of_the_specifications() -> None:
    for verdict, claims in VERDICTS.items():
        for paper, name in claims:
            assert FOUND[paper][name].verdict == verdict, (paper, name)


def test_the_smallest_counterexample_to_theorem_3_1_is_one() -> None:
    """n = 10, N = 5, two holders of an item, e^ε = 2: removed, an item of two has δ = p²."""
    search = FOUND["yang"]["Theorem 3.1"].search
    assert search is not None
    worst = search.counterexample
    assert worst is not None
    assert (worst.where["n"], worst.where["N"], worst.where["rarest counts"]) == (10, 5, (2, 2))
    assert worst.where["ε"] == pytest.approx(log(2))
    x = 2 * 3.141592653589793 * 10 * 0.2 * (0.5 - 0.25)
    claimed = max(2 * 3.141592653589793 * x**-3, x**-2.5)
    assert exp(float(worst.claimed or 0)) == pytest.approx(claimed)
    assert exp(float(worst.exact or 0)) == pytest.approx(0.25)
    assert expm1(worst.where["ε"]) == pytest.approx(1)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_has_a_record_of_every_claim_with_runs(paper: str) -> None:
    claims = claims_of(paper)
    assert [name for name, times in Counter(one.name for one in claims).items() if times > 1] == []
    kept = measured(paper)
    assert set(kept) <= {one.name for one in claims if one.runs is not None}
    unread = {one.name for one in claims if one.runs is not None} - set(kept)
    assert all("Kosarak" in name for name in unread)  # sizes of data that we do not have
    for one in FOUND[paper].values():
        assert one.holds, one.claim.name


def test_what_is_proved_has_no_counterexample() -> None:
    proved = [one for found in FOUND.values() for one in found.values() if one.claim.proved]
    assert len(proved) >= 30
    for one in proved:
        assert one.verdict == "right", one.claim.name
        assert one.search is None or one.search.counterexample is None


@pytest.mark.parametrize("paper", PAPERS)
def test_notes_and_choices_are_sentences(paper: str) -> None:
    for experiment in experiments(paper).values():
        assert all(map(reads_as_sentences, experiment.choices))
    for claim in claims_of(paper):
        assert not claim.words.removesuffix("al.").endswith(".")
        assert claim.condition or claim.under is None, claim.name


def checks(found: dict[str, Judged]) -> list[str]:
    """The commands that the claims name as checks."""
    return [
        command
        for one in found.values()
        for command in re.findall(r"`simnet ([^`]+)`", one.claim.check)
    ]


def test_wrong_claims_can_be_checked() -> None:
    for found in FOUND.values():
        for one in found.values():
            if one.claim.top or one.verdict == "wrong, corrected":
                assert one.claim.check, one.claim.name


@pytest.mark.parametrize(
    "command", sorted({one for found in FOUND.values() for one in checks(found) if "show" in one})
)
def test_a_check_by_a_command_names_a_claim(command: str) -> None:
    paper, name = re.findall(r'^claims (\w+) --show "(.+)"$', command)[0]
    assert name in FOUND[paper]


def test_the_pages_are_those_that_the_program_makes() -> None:
    made = pages()
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, f"make papers: {path.name} is old"
    assert len(made[DOCS / "wrong.md"].splitlines()) <= 60
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in DOCS.glob("*.md"))
    assert words <= 25_000
    assert "docs/papers/wrong.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert RULES in (DOCS / "index.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_command_shows_claims_and_refuses_unknown_ones(tmp_path: Path) -> None:
    told = simnet("claims", "jia", "--json", "-").json
    assert [one["name"] for one in told] == list(FOUND["jia"])
    assert set(told[0]) == {
        *("name", "source", "words", "verdict", "printed", "exact", "measured", "factor"),
        *("why", "check"),
    }
    given = ("users=1000", "items=30", "beta=0.033", "epsilon=0.5")
    words = [word for one in given for word in ("--set", one)]
    shown = simnet("claims", "yang", "--show", "theorem 3.1", *words).out
    assert "claimed 3.829e-26, exact 0.0007624" in " ".join(shown.split())
    assert "there is no paper 'x'" in refusal(simnet("claims", "x"))
    assert "no claim of Jia and Gong is called 'x'" in refusal(
        simnet("claims", "jia", "--show", "x")
    )
    assert "has no parameters" in refusal(
        simnet("claims", "jia", "--show", "Eq. 13", "--set", "n=1")
    )
    assert "it has users" in refusal(
        simnet("claims", "yang", "--show", "Theorem 3.1", "--set", "n=1")
    )
    with pytest.raises(BadInput, match="--set goes with --show"):
        claims_command("jia", set_=["n=1"])
