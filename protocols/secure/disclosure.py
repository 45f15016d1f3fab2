"""What the discrete part of a view tells about inputs: statements that protocols make, with their grounds.

Source: Yang et al., Theorem 3.3; spec of what users see besides shares: the sets travel in clear to S1, and show in who
shares which item.
"""

from protocols.secure.reporting import epsilon_of_set
from simnet.adversary.discrete import Disclosure

FIELD_ELEMENTS_ONLY = Disclosure(
    independent=True, epsilon=0.0, bound=0.0, tier="proved",
    argument="messages carry field elements alone, and who sends how much to whom depends on no input",
)  # fmt: skip


def reporting_sets(k: int, items: int, participation: float, gamma: float | None) -> Disclosure:
    """All that is discrete follows from the reporting sets and from coins, so their law is the bound for every view."""
    epsilon, bound = epsilon_of_set(k, items, participation, gamma)
    if epsilon == 0:
        argument = "reporting sets are uniform whatever a user holds; all else that is discrete follows from them"
        return Disclosure(True, 0.0, bound, "proved", argument)
    argument = (
        "each user's reporting set is ε-LDP in its item; all else that is discrete follows from the sets, so ε is exact "
        "for who sees a set and a bound for everybody else"
    )
    return Disclosure(False, epsilon, bound, "proved", argument)
