"""The theorems of the papers: all are listed, and each verdict is the right one."""

import shlex
from fractions import Fraction
from math import comb, exp, log

import pytest

from scenarios.theorems.all_theorems import THEOREMS, of_papers, theorem
from scenarios.theorems.rows import theorem_quotes
from scenarios.theorems.theorem import PAPERS, Instance, not_judged, searched
from simnet.studies.find import names
from simnet.studies.table import Table
from tests.harness.data import ROOT
from tests.harness.shell import refusal, simnet, words

PAGE = ROOT / "docs/proofs/papers.md"

# The numbered statements, typed from the papers.
NUMBERED = {
    "yang": {
        "Proposition": "2.1 2.2",
        "Definition": "2.1 2.2 2.3 3.1",
        "Theorem": "3.1 3.2 3.3 3.4 3.5",
        "Lemma": "3.1 3.2 3.3 3.4",
    },
    "wang": {"Definition": "1", "Lemma": "1 2 3 4 5 6", "Corollary": "1 2"},
    # The paper has no Theorem 1 and no Lemma 1; of its equations, those that state a fact are here.
    "jia": {"Definition": "1", "Theorem": "2", "Lemma": "3", "Equation": "13 14"},
    # The paper numbers equations alone: here are those that state a mean, a ratio or an ε.
    "joy": {
        "Definition": "4.1",
        "Equation": "4 5 9 10 11 12 14 15 16 19 20 21 23 24 25 27 28 29 30",
        "Section": "4.3",
    },
    "biswas": {
        "Definition": "2.1 2.2 2.3 2.4 3.1",
        "Remark": "1 2",
        "Theorem": "2.1 3.1 3.2 3.3 3.4 3.5 3.6 5.1",
    },
}
FAILING = {
    "yang": "Theorem 3.1, Theorem 3.2",
    "wang": "Lemma 6",
    "jia": "Equation 14",
    "joy": ("Equation 12, Equation 15, Equation 19, Equation 20, Equation 30, Section 4.3"),
    "biswas": "Definition 2.3, Theorem 3.3, Theorem 3.5, Theorem 5.1",
}
ONLY_READ_OTHERWISE = {  # statements that hold as they are read first, and fail in another reading
    "Lemma 2",
    "Equation 14",
    "Lemma 5",
    "Corollary 2",
    "Theorem 2",
    "Equation 21",
    "Equation 25",
    "Equation 29",
    "Theorem 3.6",
}
NOT_JUDGED = {
    "Definition 1",
    "Definition 2.1",
    "Definition 2.2",
    "Definition 3.1",
    "Definition 4.1",
}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_statement_of_the_papers_is_listed(paper):
    numbered = {
        f"{kind} {number}" for kind, text in NUMBERED[paper].items() for number in text.split()
    }
    listed = [each.name for each in of_papers([paper])]
    assert sorted(listed) == sorted(numbered)


@pytest.mark.slow
@pytest.mark.parametrize(
    "paper",
    [pytest.param(each, marks=[pytest.mark.slow] * (each == "yang")) for each in FAILING],
)
def test_the_statements_that_fail_are_known(paper):
    failing = [each.name for each in of_papers([paper]) if each.finding.state == "fails"]
    assert ", ".join(failing) == FAILING[paper]
    for each in of_papers([paper]):
        found = each.finding
        assert (found.counterexample is not None) == (found.state == "fails")
        assert found.counterexample is None or not found.counterexample.holds
        assert found.state != "not judged" or each.name in NOT_JUDGED


@pytest.mark.slow
def test_readings_that_differ_are_known():
    differing = {
        each.name
        for each in THEOREMS
        if each.finding.state == "holds"
        and any(reading.finding.state == "fails" for reading in each.readings)
    }
    assert differing == ONLY_READ_OTHERWISE


@pytest.mark.slow
def test_what_is_proved_has_no_counterexample():
    sections = {part.partition("\n")[0]: part for part in PAGE.read_text().split("\n## ")}
    proved = [
        (each, reading.finding)
        for each in THEOREMS
        for reading in each.readings
        if reading.finding.how == "proved"
    ]
    assert len(proved) > 40
    for each, found in proved:
        assert found.state == "holds"
        assert found.points > 0
        assert f"\n**{each.name}.** " in sections[PAPERS[each.paper]], each.source


Law = dict[tuple[int, int], Fraction]


def binomial(trials: int, chance: Fraction) -> list[Fraction]:
    return [comb(trials, x) * chance**x * (1 - chance) ** (trials - x) for x in range(trials + 1)]


def delta(first: Law, second: Law, power: Fraction) -> Fraction:
    places = first.keys() | second.keys()
    none = Fraction(0)
    return max(
        sum((max(p.get(x, none) - power * q.get(x, none), none) for x in places), none)
        for p, q in ((first, second), (second, first))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Theorem 3.1", pytest.param("Theorem 3.2", marks=pytest.mark.slow)]
)
def test_the_counterexamples_on_sampling_are_those_of_a_plain_sum(name):
    for reading in theorem("yang", name).readings:
        found = reading.finding.counterexample
        a, b = found.where["rarest counts"]
        share = Fraction(round(10 * exp(-found.where["ε"])), 10)
        chance = 1 - share * Fraction(round(20 * exp(-found.where.get("z", 0))), 20)

        def pairs(x, y, chance=chance):
            return {
                (i, j): p * q
                for i, p in enumerate(binomial(x, chance))
                for j, q in enumerate(binomial(y, chance))
            }

        exact = max(
            delta(pairs(a, b), pairs(a - 1, b + 1), 1 / share),
            delta(pairs(a, 0), pairs(a - 1, 0), 1 / share),
        )
        assert found.exact == pytest.approx(log(exact), abs=1e-9)
        assert found.claimed < log(exact)


def test_the_smallest_population_that_refutes_theorem_3_1_has_ten_users():
    found = theorem("yang", "Theorem 3.1").finding.counterexample
    assert (found.where["n"], found.where["N"]) == (10, 5)
    assert exp(found.exact) == pytest.approx(1 / 4)
    assert exp(found.claimed) == pytest.approx(0.203, abs=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted({each.command for each in THEOREMS if each.command}))
def test_the_commands_that_show_a_verdict_exist(command):
    program, *arguments = shlex.split(command)
    assert program == "simnet"
    if arguments[0] == "reproduce":
        assert set(arguments[1:]) <= set(names())
    else:
        assert simnet(*arguments).status == 0


def test_a_search_stops_at_the_first_that_fails():
    def instances():
        for n in range(1, 100):
            assert n <= 7, "the search goes on after a counterexample"
            yield Instance(where={"n": n}, claimed=6, exact=n, holds=n <= 6)

    found = searched(instances(), "n = 1..99")
    assert (found.state, found.points) == ("fails", 7)
    assert found.counterexample.place == "n = 7"
    assert found.counterexample.excess == "1.167 times the claimed number"


def test_a_search_without_instances_is_an_error():
    with pytest.raises(ValueError, match="no instance"):
        searched([], "nothing")


def test_rows_of_quotes_have_the_verdicts_of_the_theorems():
    quotes = theorem_quotes("jia")
    rulings = [quote.judge(Table([], [], [])) for quote in quotes]
    laws = {(ruling.source, ruling.under): ruling.law for ruling in rulings}
    assert laws["Jia and Gong, Equation 14", ""] == "disagrees"
    assert laws["Jia and Gong, Equation 14", "items that nobody holds"] == "agrees"
    assert len(laws) == len(quotes) == 6
    failing = next(ruling for ruling in rulings if ruling.law == "disagrees")
    assert "Counterexample: n = 3, d = 2" in failing.points


def test_what_is_not_judged_says_why():
    assert not_judged("it has no number").as_json()["state"] == "not judged"


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ValueError, match="there is no paper 'young'"):
        of_papers(["young"])
    with pytest.raises(ValueError, match="Theorem 9"):
        theorem("yang", "Theorem 9")


@pytest.mark.slow
def test_the_command_lists_verdicts_and_counterexamples():
    shown = words(simnet("theorems", "biswas").out)
    assert "Biswas et al.: 8 hold, 4 fail, 3 not judged" in shown
    assert "Read otherwise (c gets the same sampled reports as g" in shown
    assert "claimed 36, exact 24" in shown


def test_the_command_shows_all_about_one_statement():
    shown = words(simnet("theorems", "joy", "--show", "equation 30").out)
    assert "Joy and Gerla, Equation 30" in shown
    assert "π_1 = 1/10, π_2 = 3/5" in shown
    assert "Reading: π_2 <= 1/2. holds (proved)" in shown


def test_the_command_refuses_what_is_not_there():
    assert "the papers are yang, wang, jia, joy, biswas" in refusal(simnet("theorems", "bis"))
    assert "no statement is called '7'" in refusal(simnet("theorems", "jia", "--show", "7"))
