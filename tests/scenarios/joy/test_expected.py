"""The exact errors of Joy and Gerla's mechanism, and the people of its figures."""

from pathlib import Path

import pytest

from protocols.two_rounds.estimators import variance
from protocols.two_rounds.mechanism import binary
from scenarios.joy.expected import crossover, errors, holders_for
from scenarios.joy.people import CHECKINS, ENLARGED, PATIENTS, at_locations, patients
from tests.harness.data import DATA

TABLE = [
    (286, 29, 4.638, 5.954, 9.327),
    (286, 85, 5.469, 10.193, 15.969),
    (10_000, 29, 24.584, 5.954, 9.327),
    (10_000, 85, 24.754, 10.193, 15.969),
    (10**6, 85, 244.975, 10.193, 15.969),
    (10**6, 201, 245.011, 15.674, 24.556),
]


@pytest.mark.parametrize("row", TABLE)
def test_the_table_of_deviations(row: tuple[int, int, float, float, float]) -> None:
    owners, yes, response, *samplings = row
    found = errors(owners, yes)
    assert (found.response, *found.sampling) == pytest.approx((response, *samplings), abs=6e-4)
    assert found.bars[0] == pytest.approx(1.96 * response, abs=2e-3)
    sampling_is_better = owners > 286 and (owners, yes) != (286, 85)
    assert (found.response > max(found.sampling)) == sampling_is_better


def test_the_variances_meet_where_they_should() -> None:
    assert [crossover(s) for s in (0.45, 0.25)] == pytest.approx([17.87, 47.5], abs=0.005)
    for s in (0.45, 0.25):
        yes = round(holders_for(10**6, 2.0, s))
        assert errors(10**6, yes, samplings=[s]).factors[0] == pytest.approx(2, rel=1e-3)
    found = [holders_for(10**6, factor, s) for s in (0.45, 0.25) for factor in (1.6, 3.5)]
    assert found == pytest.approx([20_140, 4_050, 7_970, 1_640], abs=5)


@pytest.mark.data
@pytest.mark.parametrize(("group", "groups", "most"), [("age", 9, 96), ("tumor_size", 12, 60)])
def test_patients_by_group(group: str, groups: int, most: int) -> None:
    counts, _ = patients(group, DATA)
    few, many = (
        [errors(owners, count, label) for label, count in counts.items()]
        for owners in (PATIENTS, ENLARGED)
    )
    assert len(few) == groups
    assert (sum(counts.values()), max(counts.values())) == (PATIENTS, most)
    for one, more in zip(few, many, strict=True):
        assert one.sampling == more.sampling  # constant in those who are no patients
        assert more.response > 4 * one.response
    largest = max(few, key=lambda one: one.yes)
    # Among patients alone randomised response errs less.
    assert largest.response < min(largest.sampling)


@pytest.mark.data
def test_the_quoted_factor_needs_more_check_ins_than_any_location_of_the_city_has() -> None:
    counts, _ = at_locations(DATA)
    assert list(counts.values()) == [1680, 1654, 1089, 1089]
    found = [errors(CHECKINS, count) for count in counts.values()]
    assert min(one.factors[0] for one in found) > 5.4  # with π_s = 0.45, where 1.6 to 3.5 is quoted
    assert min(one.factors[1] for one in found) == pytest.approx(3.46, abs=0.005)
    assert variance(binary(0.3, 0.45), 1680)[0] == pytest.approx(found[0].sampling[0] ** 2)


def test_people_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="yes is at most 5"):
        errors(5, 6)
    with pytest.raises(ValueError, match="grouped by age or tumor_size"):
        patients("size", None)
    (tmp_path / "breast_cancer_ljubljana.csv").write_text("age\n5-9\n")
    with pytest.raises(ValueError, match="has '5-9' as age, which is none of"):
        patients("age", tmp_path)
