"""The curves between the points of Wang et al.'s figures follow the same law as the points."""

import pytest

from scenarios.wang.law import expected_error
from scenarios.wang.trials import collected
from simnet.studies.find import find_experiment


@pytest.mark.parametrize("estimates", ["MX-Numeric", "MX-Categorical", "μ=1/3"])
@pytest.mark.parametrize(
    ("method", "k", "epsilon"), [("hm", None, 1.0), ("hm", 3, 1.0), ("pm", "best", 6.0)]
)
def test_the_law_of_a_figure_is_that_of_a_trial_that_samples_attributes(
    estimates: str, method: str, k: int | str | None, epsilon: float
) -> None:
    check_law(estimates, method, k, epsilon)


@pytest.mark.parametrize("estimates", ["MX-Numeric", "MX-Categorical", "μ=1/3"])
def test_the_law_of_a_figure_is_that_of_a_trial_on_all_attributes(estimates: str) -> None:
    check_law(estimates, "duchi", None, 1.0)


def check_law(estimates: str, method: str, k: int | str | None, epsilon: float) -> None:
    experiment = find_experiment("wang_fig7")[1]
    point = {"estimates": estimates, "users": 2000, "epsilon": epsilon, "method": method, "k": k}
    numbers = collected(point, 1, None)
    row = {**point, **numbers, "trial": 0, "seed": 1}
    law = expected_error(experiment.table([row], synthetic=True))
    # the numbers of a drawn population have not quite the mean square of their law
    assert law(point) == pytest.approx(numbers["expected_mse"], rel=0.01)
