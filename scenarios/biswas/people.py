"""The data of the experiments of Biswas, Cormode and Maple (section 4), and the choices that its
text leaves open.
"""

from collections.abc import Callable, Mapping

from scenarios.biswas.study import Floats, Ints, apportioned, mixture_of_two, one_hump, sum_of_two

USERS = 50_000
LAWS: Mapping[str, Callable[[], Floats]] = {
    "binomial": one_hump,
    "sum": sum_of_two,
    "mixture": mixture_of_two,
}
TITLES = {
    "binomial": "Binomial(100, 0.5)",
    "sum": "Binomial(50, 0.6)\nplus Binomial(50, 0.4)",
    "mixture": "half Binomial(50, 0.6),\nhalf Binomial(50, 0.4)",
}
CHOICES = (
    "ε of 1, 2, 4 and 6: the text names none",
    (
        "the values 0 to 100, of which there are 101 and not 100; as many users hold each as "
        "its chance says, rounded"
    ),
    (
        "distances are of raw estimates, and of estimates clipped at 0 and scaled to add up to "
        "1 beside them"
    ),
)


def holders(law: str, users: int) -> Ints:
    """How many users hold each of the values 0 to 100; shape (101,).

    Raises `KeyError` for another law.
    """
    return apportioned(LAWS[law](), users)
