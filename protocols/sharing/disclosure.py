"""What the parts of a view that are no field elements tell about inputs, as protocols state it.

A statement covers only messages whose tags the protocol's own script uses, and the view of the
network, which has the tag `TRAFFIC`. If a view has other tags, nothing is stated about it.

Source: Yang et al., Theorem 3.3.
"""

from collections.abc import Collection

from protocols.mechanisms.reporting import epsilon_of_set
from simnet.stated.disclosure import TRAFFIC, Disclosure


def field_elements_only(tags: Collection[str], own: Collection[str]) -> Disclosure | None:
    """State that all parts of a view but its field elements are independent of the inputs, because
    messages carry field elements only.

    `own` are the tags that the protocol's script sends. Returns None for a view with a tag that is
    neither one of these nor `TRAFFIC`, which stands for a view of the network.
    """
    if not set(tags) <= {TRAFFIC, *own}:
        return None
    argument = (
        "messages carry field elements alone, and who sends how much to whom depends on no input"
    )
    return Disclosure(independent=True, epsilon=0.0, bound=0.0, tier="proved", argument=argument)


def reporting_sets(k: int, items: int, participation: float, gamma: float | None) -> Disclosure:
    """Return the statement of a protocol that shows users' reporting sets.

    Besides field elements and reporting sets, a view has only values that follow from these sets
    and from coins. So the ε of a user's set is a bound for every view.
    """
    epsilon, bound = epsilon_of_set(k, items, participation, gamma)
    if epsilon == 0:
        argument = (
            "reporting sets are uniform, whatever the users' items are; all other discrete "
            "values follow from them and from coins"
        )
        return Disclosure(
            independent=True, epsilon=0.0, bound=bound, tier="proved", argument=argument
        )
    argument = (
        "each user's reporting set is ε-LDP in its item; all other discrete values follow from "
        "the sets and from coins, so ε is exact for a party that sees a set and a bound for every "
        "other party"
    )
    return Disclosure(
        independent=False, epsilon=epsilon, bound=bound, tier="proved", argument=argument
    )
