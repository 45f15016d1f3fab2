"""The theorems of the papers: all are listed, and each verdict is the right one."""

from fractions import Fraction
from math import comb, exp, log

import pytest

from scenarios.theorems.all_theorems import THEOREMS, of_papers, theorem
from scenarios.theorems.theorem import PAGE, Instance, not_judged, searched
from tests.harness.data import ROOT

# The numbered statements, typed from the papers. Definitions that claim nothing are left out.
NUMBERED = {
    "yang": {
        "Proposition": "2.1 2.2",
        "Definition": "2.3 3.1",
        "Theorem": "3.1 3.2 3.3 3.4 3.5",
        "Lemma": "3.1 3.2 3.3 3.4",
    },
}
FAILING = {"yang": "Theorem 3.1, Theorem 3.2"}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_statement_of_the_papers_is_listed(paper):
    numbered = {
        f"{kind} {number}" for kind, text in NUMBERED[paper].items() for number in text.split()
    }
    names = [each.name for each in of_papers([paper])]
    assert sorted(names) == sorted(numbered)


@pytest.mark.parametrize("paper", FAILING)
def test_the_statements_that_fail_are_known(paper):
    failing = [each.name for each in of_papers([paper]) if each.finding.state == "fails"]
    assert ", ".join(failing) == FAILING[paper]
    for each in of_papers([paper]):
        found = each.finding
        assert (found.counterexample is not None) == (found.state == "fails")
        assert found.counterexample is None or not found.counterexample.holds


def test_what_is_proved_has_no_counterexample():
    page = (ROOT / PAGE).read_text()
    proved = [each for each in THEOREMS if each.finding.how == "proved"]
    assert len(proved) > 10
    for each in proved:
        assert each.finding.state == "holds"
        assert each.finding.points > 0
        assert f"\n## {each.source.split(', Eq.')[0]}\n" in page


def binomial(trials: int, chance: Fraction) -> list[Fraction]:
    return [comb(trials, x) * chance**x * (1 - chance) ** (trials - x) for x in range(trials + 1)]


Law = dict[tuple[int, int], Fraction]


def delta(first: Law, second: Law, power: Fraction) -> Fraction:
    places = first.keys() | second.keys()
    none = Fraction(0)
    return max(
        sum((max(p.get(x, none) - power * q.get(x, none), none) for x in places), none)
        for p, q in ((first, second), (second, first))
    )


@pytest.mark.parametrize("name", ["Theorem 3.1", "Theorem 3.2"])
def test_the_counterexamples_on_sampling_are_those_of_a_plain_sum(name):
    for reading in theorem("yang", name).readings:
        found = reading.finding.counterexample
        a, b = found.where["rarest counts"]
        share = Fraction(round(20 * exp(-found.where["ε"])), 20)
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


def test_what_is_not_judged_says_why():
    assert not_judged("it has no number").as_json()["state"] == "not judged"


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ValueError, match="the papers are yang"):
        of_papers(["young"])
    with pytest.raises(ValueError, match="Theorem 9"):
        theorem("yang", "Theorem 9")
