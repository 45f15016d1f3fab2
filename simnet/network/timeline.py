"""A figure of which parties of a run wait when."""

from typing import Any

from simnet.drawing import COLOURS, ESTIMATE, INK, PAGE, SMALL, TRUTH, blank_figure, dress
from simnet.network.timing import Timing
from simnet.printable import printable

MOST_LANES = 14
OTHERS_OF_A_ROLE = 2  # the first parties of a role are shown also if they are on no chain


def timeline_figure(timing: Timing) -> Any:
    """Return a matplotlib figure of the times of some parties.

    Each of these parties has a lane, which is dark while the party computes, and light while it
    waits. Arrows are those messages of the longest chain whose sender and recipient have a lane
    each. Raises `BadInput` when matplotlib is not installed.
    """
    lanes = shown_parties(timing)
    place = {name: number for number, name in enumerate(reversed(lanes))}
    unit, scale = ("ms", 1e3) if timing.completion < 1 else ("s", 1.0)
    figure = blank_figure()(figsize=(PAGE, 0.9 + 0.24 * len(lanes)), layout="constrained")
    axes = figure.subplots()
    numbers = {name: number for number, name in enumerate(timing.log.names)}
    by_party: dict[int, list[tuple[float, float]]] = {}
    for wait in timing.waits:
        by_party.setdefault(wait.party, []).append((wait.began, wait.ended))
    for name, y in place.items():
        axes.barh(y, timing.ended[name] * scale, 0.5, color=COLOURS[0], zorder=2)
        for began, ended in by_party.get(numbers[name], ()):
            axes.barh(y, (ended - began) * scale, 0.5, began * scale, color=TRUTH, zorder=3)
    for leg in timing.legs:
        if leg.tag is not None and leg.sender in place and leg.party in place:
            axes.annotate(
                "",
                (leg.ended * scale, place[leg.party]),
                (leg.began * scale, place[leg.sender]),
                arrowprops={"arrowstyle": "->", "color": ESTIMATE, "linewidth": 1.1},
                zorder=5,
            )
    axes.set_yticks(list(place.values()), [printable(name) for name in place])
    axes.set_xlim(0, timing.completion * scale * 1.02 or 1)
    axes.set_ylim(-0.7, len(lanes) - 0.3)
    dress(axes, "", f"time on the network {timing.network.name} [{unit}]", "")
    handles = [
        axes.barh([0], [0], color=COLOURS[0], label="computes"),
        axes.barh([0], [0], color=TRUTH, label="waits"),
        axes.plot([], [], color=ESTIMATE, label="message of the longest chain")[0],
    ]
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=3,
        frameon=False,
        fontsize=SMALL,
        labelcolor=INK,
    )
    return figure


def shown_parties(timing: Timing) -> list[str]:
    """Return the parties that get a lane, in the order of the run: those of the longest chain and
    the first two of each role. If these are more than 14, the last ones are left out.
    """
    chosen = {name for leg in timing.legs for name in (leg.party, leg.sender) if name is not None}
    for role in dict.fromkeys(timing.log.roles):
        own = [
            name
            for name, one in zip(timing.log.names, timing.log.roles, strict=True)
            if one == role
        ]
        chosen.update(own[:OTHERS_OF_A_ROLE])
    return [name for name in timing.log.names if name in chosen][:MOST_LANES]
