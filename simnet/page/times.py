"""The times of a run on a network, as the page shows them: a picture whose axis is time."""

import attrs

from simnet.network.timeline import shown_parties
from simnet.network.timing import ROLE_HEADS, ROLE_NOTE, Timing, in_units
from simnet.page.beside import Table
from simnet.page.keeping import Keeping

WIDTH, ROW = 560.0, 24.0  # of the picture and of a lane, in units of the picture
TICKS = 4
MOST_LEGS = 1000  # steps of the chain that the page has; the template folds all but the first few


@attrs.frozen
class Lane:
    """A party of the picture: it computes from 0 to `ended`, except in its waits. Each wait is a
    pair: where it begins, and its width.
    """

    name: str
    y: float
    ended: float
    waits: tuple[tuple[float, float], ...]


@attrs.frozen
class Arrow:
    """A message of the longest chain: from its sender, when it is sent, to its recipient, when it
    is there.
    """

    x1: float
    y1: float
    x2: float
    y2: float


@attrs.frozen
class Times:
    """The times of a run on one network: a picture, a table of roles, and the longest chain of
    messages and work in words. `others` is the number of parties without a lane, and `hidden` the
    number of steps of the chain that are left out.
    """

    network: str
    source: str
    lanes: tuple[Lane, ...]
    arrows: tuple[Arrow, ...]
    ticks: tuple[tuple[float, str], ...]
    height: float
    others: int
    roles: Table
    chain: tuple[str, ...]
    hidden: int


def times_of(timing: Timing, kept: Keeping) -> Times:
    """Return the times of a run as the page shows them; `kept` says how tags are written."""
    names = shown_parties(timing)
    middle = {name: ROW * (place + 0.5) for place, name in enumerate(names)}
    scale = WIDTH / timing.completion if timing.completion > 0 else 0.0
    numbers = {name: number for number, name in enumerate(timing.log.names)}
    waits: dict[int, list[tuple[float, float]]] = {}
    for wait in timing.waits:
        place = wait.began * scale, (wait.ended - wait.began) * scale
        waits.setdefault(wait.party, []).append(place)
    legs = [
        attrs.evolve(leg, tag=None if leg.tag is None else kept.tag(leg.tag)) for leg in timing.legs
    ]
    return Times(
        network=timing.network.name,
        source=timing.network.source,
        lanes=tuple(
            Lane(
                name, middle[name], timing.ended[name] * scale, tuple(waits.get(numbers[name], ()))
            )
            for name in names
        ),
        arrows=tuple(
            Arrow(leg.began * scale, middle[leg.sender], leg.ended * scale, middle[leg.party])
            for leg in legs
            if leg.tag is not None and leg.sender in middle and leg.party in middle
        ),
        ticks=tuple(
            (WIDTH * place / TICKS, in_units(timing.completion * place / TICKS))
            for place in range(TICKS + 1)
        ),
        height=ROW * len(names),
        others=len(numbers) - len(names),
        roles=_roles(timing),
        chain=tuple(str(leg) for leg in legs[:MOST_LEGS]),
        hidden=max(len(legs) - MOST_LEGS, 0),
    )


def _roles(timing: Timing) -> Table:
    rows = [role.in_words for role in timing.roles]
    numbers = frozenset(range(1, len(ROLE_HEADS)))
    return Table("Times of each role", ROLE_HEADS, rows, numbers, [ROLE_NOTE])
