"""Which value of a column becomes which input of a protocol of one's own.

The values of a column are items, sorted, or in the order in which the user names them: the first
value becomes the input 1, the second value the input 2. For item frequencies any order is as good
as another one. But a protocol of one's own may compute with its inputs. If a column has the numbers
0, 5 and 10, the protocol would add up 1, 2 and 3. So we refuse some numberings, and print the
others with the result. A protocol without `items` gets whole numbers as they are.
"""

import re
from collections.abc import Sequence

import numpy as np

from simnet.contract import OverItems
from simnet.errors import BadInput
from simnet.kernel.seating import seated
from simnet.printable import count_of, printable
from simnet.scenario.columns import number
from simnet.scenario.data_file import LONGEST_QUOTE
from simnet.scenario.population import IntegerPopulation, ItemPopulation
from simnet.scenario.scenario import Scenario
from simnet.stated.about import About

VALUES_SHOWN = 12
# A whole number of at most 18 digits, so that it fits into 64 bits.
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)


def own_inputs(
    scenario: Scenario,
    people: ItemPopulation,
    *,
    is_declared: bool,
    declare: str = "Name all possible values with --domain: the first one becomes the input 1",
    give: str = "give the inputs themselves with --inputs",
) -> ItemPopulation | IntegerPopulation:
    """Return the users of a column with the inputs that a protocol of one's own gets from them:
    whole numbers as they are if the protocol has no `items` and no values are declared, and items
    otherwise.

    Raises `BadInput` for a numbering of a column's values that is probably a mistake, and for a
    wrong number of inputs.

    `is_declared` says whether the user named the values in their order. `declare` and `give`
    complete the messages: they say how to name the values, and how to give inputs without a column.
    """
    labels, count = people.labels, len(people.labels)
    values = [number(label) for label in labels]
    numbers = [value for value in values if value is not None] if None not in values else None
    would = f"{_shown(labels)} would become {_inputs(count)}"
    start = None if numbers is None or not numbers else numbers[0]
    is_gapless = start in (0, 1) and numbers == [start + place for place in range(count)]
    protocol = scenario.build_for(people)
    if "users" not in scenario.sizes:
        seats = sum(seat.size for seat in seated(protocol).seats if seat.takes_input)
        if seats != len(people.items):
            raise BadInput(
                f"{people.source} gives {count_of(len(people.items), 'input')}, and the protocol "
                f"takes {seats:,}: it does not take its number of users as an argument (`users`). "
                f"{give[0].upper()}{give[1:]}"
            )
    if not isinstance(protocol, OverItems):
        if not is_declared and all(map(_WHOLE.fullmatch, labels)):
            by_label = np.array([int(label) for label in labels], dtype=np.int64)
            return IntegerPopulation(by_label[people.items - 1], people.source)
        is_same = is_gapless and start == 1
        if not is_same and (numbers is not None or not is_declared):
            raise BadInput(
                f"the protocol has no `items`, so its possible inputs are unknown, and the values "
                f"of {people.source} would be numbered: {would}. {give[0].upper()}{give[1:]}"
            )
        return people
    if is_declared:
        if count > protocol.items:
            raise BadInput(
                f"{count:,} possible values are named, and the protocol has "
                f"{count_of(protocol.items, 'item')}: name at most as many"
            )
        return people
    if numbers is not None and not is_gapless:
        raise BadInput(
            f"the values of {people.source} are numbers, but not 1, 2, 3 or 0, 1, 2 and so on: "
            f"{would}, and a protocol that computes with its inputs would give a wrong number. "
            f"{declare}, or {give}"
        )
    if count != protocol.items:
        raise BadInput(
            f"the protocol has {count_of(protocol.items, 'item')}, and {people.source} has "
            f"{count_of(count, 'different value')}: {would}. {declare}, or {give}"
        )
    return people


def numbering_in_words(people: ItemPopulation | IntegerPopulation) -> str:
    """Return in words how many items there are, and which input each of the first ones is; or that
    whole numbers are inputs as they are.

    >>> import numpy as np
    >>> numbering_in_words(ItemPopulation(np.array([2, 1, 2]), ("Oslo", "Rome"), "column 'city'"))
    "2 items from column 'city': Oslo is input 1, Rome is input 2"
    """
    if isinstance(people, IntegerPopulation):
        return f"the inputs are the whole numbers of {people.source}"
    count = len(people.labels)
    parts = [
        f"{printable(label[:LONGEST_QUOTE])} is input {item}"
        for item, label in enumerate(people.labels[:VALUES_SHOWN], start=1)
    ]
    if count > VALUES_SHOWN:
        parts.append(f"and so on, up to input {count:,}")
    return f"{count_of(count, 'item')} from {people.source}: {', '.join(parts)}"


def numbering_of(about: About, people: object) -> str | None:
    """Return in words which value of a column becomes which input, for a protocol of one's own.
    Return None for people who hold neither items nor whole numbers, and for a protocol whose
    estimate is compared with the truth.
    """
    if about.assess is not None or not isinstance(people, ItemPopulation | IntegerPopulation):
        return None
    return numbering_in_words(people)


def _shown(labels: Sequence[str]) -> str:
    shown = ", ".join(printable(label[:LONGEST_QUOTE]) for label in labels[:3])
    return f"{shown} and so on" if len(labels) > 3 else shown


def _inputs(count: int) -> str:
    shown = ", ".join(str(item) for item in range(1, min(count, 3) + 1))
    return f"the input{'' if count == 1 else 's'} {shown}{' and so on' if count > 3 else ''}"
