"""What the discrete part of a view tells about inputs, stated with its grounds.

A statement covers the messages that the protocol's own script sends, by tag; of a view with others
nothing is stated. Source: Yang et al., Theorem 3.3.
"""

from collections.abc import Collection

from protocols.mechanisms.reporting import epsilon_of_set
from simnet.stated.disclosure import TRAFFIC, Disclosure


def field_elements_only(tags: Collection[str], own: Collection[str]) -> Disclosure | None:
    """The statement of a protocol whose messages carry field elements alone.

    `own` are the tags that its script sends, in an order that depends on no input. None for a view
    with other tags.
    """
    if not set(tags) <= {TRAFFIC, *own}:
        return None
    argument = (
        "messages carry field elements alone, and who sends how much to whom depends on no input"
    )
    return Disclosure(independent=True, epsilon=0.0, bound=0.0, tier="proved", argument=argument)


def reporting_sets(k: int, items: int, participation: float, gamma: float | None) -> Disclosure:
    """The statement of a protocol that shows users' reporting sets.

    All else that is discrete follows from the reporting sets and from coins, so the law of the sets
    is the bound for every view.
    """
    epsilon, bound = epsilon_of_set(k, items, participation, gamma)
    if epsilon == 0:
        argument = (
            "reporting sets are uniform whatever a user holds; all else that is discrete "
            "follows from them"
        )
        return Disclosure(
            independent=True, epsilon=0.0, bound=bound, tier="proved", argument=argument
        )
    argument = (
        "each user's reporting set is ε-LDP in its item; all else that is discrete follows from "
        "the sets, so ε is exact for who sees a set and a bound for everybody else"
    )
    return Disclosure(
        independent=False, epsilon=epsilon, bound=bound, tier="proved", argument=argument
    )
