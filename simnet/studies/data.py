"""Where the people of a number came from: the paper's data, a part of them, or others."""

from typing import Literal, get_args

import attrs

DataStatus = Literal["none needed", "original", "partial", "stand-in", "made up"]
STATUSES: tuple[DataStatus, ...] = get_args(DataStatus)
FAITHFUL: tuple[DataStatus, ...] = ("none needed", "original")


@attrs.frozen
class Data:
    """Where the people of a number came from.

    `status` is "none needed" if the number does not depend on data, or if the paper states the law
    of its made-up people; "original" for the paper's data; "partial" for a part of these;
    "stand-in" for other real data; "made up" where no data were at hand. `what` says in words
    which part, or which other data.
    """

    status: DataStatus
    what: str = ""

    @property
    def in_words(self) -> str:
        """The status, with the words that explain it.

        >>> stand_in("Adult for BR").in_words
        'stand-in: Adult for BR'
        """
        return f"{self.status}: {self.what}" if self.what else self.status


NONE_NEEDED, ORIGINAL, MADE_UP = Data("none needed"), Data("original"), Data("made up")


def partial(what: str) -> Data:
    """Return the status of a part of the paper's data; `what` says which share."""
    return Data("partial", what)


def stand_in(what: str) -> Data:
    """Return the status of other real data in place of the paper's; `what` names both data sets."""
    return Data("stand-in", what)
