"""The people of a run: labels in order, domains, samples, supports."""

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.errors import BadInput
from simnet.scenario.columns import Column
from simnet.scenario.from_columns import items_by_counts, numbers_of_column
from simnet.scenario.population import ItemPopulation, NumberPopulation
from simnet.scenario.synthetic import uniform_items, uniform_numbers, zipf_items
from tests.harness.data import ROOT
from tests.harness.people import people

seeds = st.integers(0, 2**64)
texts = st.text("abcXYZ012é", min_size=1, max_size=3)


def held(population: ItemPopulation) -> list[str]:
    """What each user holds, by its label."""
    return [population.labels[item - 1] for item in population.items]


# Labels


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1))
def test_whole_numbers_are_in_order_of_size(numbers: list[int]) -> None:
    population = people([str(number) for number in numbers])
    assert population.labels == tuple(str(number) for number in sorted(set(numbers)))


def test_numbers_are_in_order_of_size_however_they_are_written() -> None:
    assert people(["10", "9", "-1.5", "1e3", "2.5"]).labels == (
        "-1.5",
        "2.5",
        "9",
        "10",
        "1e3",
    )


def test_numbers_beyond_the_precision_of_floats_are_in_order_of_size() -> (
    None
):  # such as 64-bit identifiers
    numbers = [2**60 + k for k in range(40)]
    assert people([str(number) for number in numbers[::-1]]).labels == tuple(map(str, numbers))


@given(st.lists(texts, min_size=1))
def test_text_is_in_order_of_text(values: list[str]) -> None:
    assert people([*values, "no number"]).labels == tuple(sorted({*values, "no number"}))


def test_one_label_that_is_no_number_makes_all_of_them_text() -> None:
    assert people(["10", "9", "?"]).labels == ("10", "9", "?")


@pytest.mark.slow
def test_labels_of_one_size_have_an_order_that_no_hash_seed_changes() -> None:
    columns = [["1", "1.0", "01", "1.00", "+1", "1e0"], ["1", "2", "3", "-nan", "+nan"]]
    code = (
        f"from tests.harness.people import people; print([people(one).labels for one in {columns}])"
    )
    orders = set()
    for hash_seed in "123":
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, check=True
        )
        orders.add(done.stdout)
    assert len(orders) == 1


@given(st.lists(texts, min_size=1), st.booleans())
def test_everyone_holds_what_the_row_says(values: list[str], reverse: bool) -> None:
    domain = sorted({*values, "elsewhere"}, reverse=True) if reverse else None
    assert held(people(values, domain)) == values


# Domains


def test_a_domain_keeps_its_order_and_its_empty_items() -> None:
    population = people(["b", "a", "b"], ["c", "b", "10", "a", "9"])
    assert population.labels == ("c", "b", "10", "a", "9")
    assert population.items.tolist() == [2, 4, 2]
    assert population.support.tolist() == [0, 2, 0, 1, 0]


def test_a_value_outside_the_domain_is_named_with_its_row() -> None:
    with pytest.raises(BadInput) as caught:
        people(["a", "b", "Ulm", "Bonn"], list("abcdef"))
    assert str(caught.value) == (
        "row 3 of column 'city' of x.csv holds 'Ulm', which is outside the domain of 6 "
        "items (a, b, c, d, e, ...)"
    )


def test_a_domain_that_names_an_item_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="the domain names 'b' more than once"):
        people(["a"], ["a", "b", "c", "b"])


def test_an_empty_domain_holds_nobody() -> None:
    with pytest.raises(BadInput, match=r"row 1 .* outside the domain of 0 items"):
        people(["a"], [])


# Supports and frequencies


@given(st.lists(texts, min_size=1))
def test_support_and_frequencies_are_counts(values: list[str]) -> None:
    population, count = people(values), Counter(values)
    assert population.support.tolist() == [count[label] for label in population.labels]
    assert population.frequencies.tolist() == [
        count[label] / len(values) for label in population.labels
    ]


# Samples


@given(st.integers(1, 40), st.data())
def test_a_sample_never_repeats_a_row(rows: int, data: st.DataObject) -> None:
    users, seed = data.draw(st.integers(1, rows)), data.draw(seeds)
    everyone = people([str(row) for row in range(rows)])  # whoever holds an item is one row
    sample = everyone.sample(users, seed)
    assert len(sample.items) == len(set(sample.items.tolist())) == users
    assert sample.labels == everyone.labels
    assert sample.items.tolist() == everyone.sample(users, seed).items.tolist()


def test_a_sample_depends_on_the_seed_and_reaches_everyone() -> None:
    everyone = people([str(row) for row in range(20)])
    samples = [tuple(everyone.sample(5, seed).items.tolist()) for seed in range(40)]
    assert len(set(samples)) > 30
    assert {item for sample in samples for item in sample} == set(range(1, 21))


def test_a_sample_of_all_is_everyone() -> None:
    everyone = people(list("abcab"))
    assert sorted(held(everyone.sample(5, 1))) == sorted("abcab")


def test_a_sample_says_where_it_comes_from() -> None:
    assert (
        people(list("abcab")).sample(2, 0).source
        == "column 'city' of x.csv, drawn from its 5 users"
    )


@pytest.mark.parametrize("users", [0, -1, 4])
def test_more_than_there_are_cannot_be_drawn(users: int) -> None:
    with pytest.raises(
        BadInput,
        match=f"from 1 to 3 users can be drawn from .* of x.csv, got {users}$",
    ):
        people(list("abc")).sample(users, 0)


# Synthetic people


@given(st.integers(1, 50), st.integers(1, 9), seeds)
def test_a_uniform_population_follows_from_its_seed(users: int, items: int, seed: int) -> None:
    population, again = (
        uniform_items(users, items, seed),
        uniform_items(users, items, seed),
    )
    assert population.labels == tuple(str(item) for item in range(1, items + 1))
    assert population.items.shape == (users,)
    assert set(population.items.tolist()) <= set(range(1, items + 1))
    assert population.items.tolist() == again.items.tolist()


@given(st.integers(1, 50), st.integers(1, 9), seeds)
def test_a_zipf_population_follows_from_its_seed(users: int, items: int, seed: int) -> None:
    population, again = zipf_items(users, items, seed), zipf_items(users, items, seed)
    assert population.labels == uniform_items(users, items, seed).labels
    assert population.items.shape == (users,)
    assert set(population.items.tolist()) <= set(range(1, items + 1))
    assert population.items.tolist() == again.items.tolist()


def test_a_zipf_population_has_its_law() -> None:
    law = 1 / np.arange(1, 11) / np.sum(1 / np.arange(1, 11))
    for population, far in (
        (zipf_items(10_000, 10, 3), False),
        (uniform_items(10_000, 10, 3), True),
    ):
        distance = float(np.sum((population.support - 10_000 * law) ** 2 / (10_000 * law)))
        assert (distance > 33.7) == far  # chi-squared with 9 degrees of freedom: false alarm 1e-4


def test_a_uniform_population_is_uniform_and_depends_on_the_seed() -> None:
    population = uniform_items(10_000, 10, 3)
    excess = population.support - 1000
    assert (
        float(np.sum(excess**2)) / 1000 < 33.7
    )  # chi-squared with 9 degrees of freedom: false alarm 1e-4
    assert population.items.tolist() != uniform_items(10_000, 10, 4).items.tolist()


@pytest.mark.parametrize(("users", "items"), [(0, 3), (-1, 3), (3, 0), (3, -1)])
def test_an_empty_population_is_refused(users: int, items: int) -> None:
    with pytest.raises(BadInput, match=f"got users={users}, items={items}"):
        uniform_items(users, items, 0)


# Numbers


def numbers(*values: str, low: float = 0, high: float = 10) -> NumberPopulation:
    return numbers_of_column(Column.of("age", "x.csv", values), low, high)


def test_a_column_of_numbers_is_held_as_it_is() -> None:
    population = numbers("3", "0", "10", "2.5", "1e1")
    assert population.inputs.tolist() == [3, 0, 10, 2.5, 10]
    assert population.totals.tolist() == [25.5]
    assert (population.low, population.high) == (0, 10)


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        (("3", "old"), "row 2 of column 'age' of x.csv holds 'old', which is no number"),
        (
            ("3", "10.5"),
            "row 2 of column 'age' of x.csv holds 10.5, which is outside the declared range 0..10",
        ),
        (("-1e-9", "3"), "row 1 .* holds -1e-9, which is outside the declared range"),
        (("inf",), "which is no number"),
        (("nan",), "which is no number"),
        (("1_000",), "holds '1_000', which is no number: write numbers such as -1234.5"),
        (("3", "5\uff15"), "row 2 of column 'age' of x.csv holds '5\uff15', which is no number"),
    ],
)
def test_a_row_that_is_no_number_in_the_range_is_refused(
    cells: tuple[str, ...], wrong: str
) -> None:
    with pytest.raises(BadInput, match=wrong):
        numbers(*cells)


@given(st.integers(1, 200), st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), seeds)
def test_synthetic_numbers_lie_in_the_range(
    users: int, low: float, width: float, seed: int
) -> None:
    population = uniform_numbers(users, low, low + width, seed)
    assert population.inputs.shape == (users,)
    assert ((population.inputs >= low) & (population.inputs <= low + width)).all()
    assert (
        population.inputs.tolist() == uniform_numbers(users, low, low + width, seed).inputs.tolist()
    )


def test_synthetic_numbers_are_uniform() -> None:
    """The mean of 10,000 lies within 5 standard deviations: a false alarm in 1.7 million."""
    held = uniform_numbers(10_000, 2, 4, 1).inputs
    assert abs(held.mean() - 3) < 5 * 2 / np.sqrt(12 * 10_000)
    with pytest.raises(BadInput, match="at least one user, got users=0"):
        uniform_numbers(0, 0, 1, 0)


@given(st.integers(1, 9), seeds)
def test_a_sample_of_numbers_is_of_different_users(users: int, seed: int) -> None:
    everyone = numbers(*map(str, range(9)))
    sample = everyone.sample(users, seed)
    assert len(set(sample.inputs.tolist())) == users
    assert sample.source == "column 'age' of x.csv, drawn from its 9 users"
    with pytest.raises(BadInput, match="from 1 to 9 users can be drawn"):
        everyone.sample(10, seed)


# Counts


def counted(
    labels: list[str], counts: list[str], domain: list[str] | None = None
) -> ItemPopulation:
    return items_by_counts(
        Column.of("city", "x.csv", tuple(labels)),
        Column.of("people", "x.csv", tuple(counts)),
        domain,
    )


counted_rows = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), min_size=1)


@given(counted_rows.filter(lambda rows: any(times for _, times in rows)))
def test_counts_are_rows_repeated(rows: list[tuple[str, int]]) -> None:
    population = counted(
        [label for label, _ in rows], [str(times) for _, times in rows], list("cba")
    )
    spelled = people([label for label, times in rows for _ in range(times)], list("cba"))
    assert population.items.tolist() == spelled.items.tolist()
    assert population.labels == spelled.labels
    assert population.source == "column 'city' of x.csv, with as many users as column 'people' says"


def test_an_item_that_is_counted_0_times_belongs_to_the_domain() -> None:
    assert counted(["a", "b"], ["0", "2"]).support.tolist() == [0, 2]


@pytest.mark.parametrize("wrong", ["-1", "2.5", "many", "²"])
def test_what_is_no_number_of_users_is_named_with_its_row(wrong: str) -> None:
    with pytest.raises(
        BadInput, match=rf"row 2 of column 'people' .* holds '{wrong}', which is no number of"
    ):
        counted(["a", "b"], ["1", wrong])


@pytest.mark.parametrize("counts", [["0", "0"], ["99999999", "2"]])
def test_nobody_and_too_many_are_refused(counts: list[str]) -> None:
    with pytest.raises(BadInput, match="between 1 and 100,000,000 are expected"):
        counted(["a", "b"], counts)
