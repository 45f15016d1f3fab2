"""What a set of parties knows together: its inputs, what it was sent and what it sent."""

from collections.abc import Mapping
from typing import Any

import attrs

from simnet.record.message import Message


@attrs.frozen(eq=False)
class View:
    """A coalition's view. Its coins are not stored: they follow from seed and name, and
    `Run.coins` finds them.

    `received` are the messages that came to a member from outside the set, `sent` those that
    members sent, to anybody; both in the transcript's order.
    """

    parties: tuple[str, ...]
    inputs: Mapping[str, Any]
    received: tuple[Message, ...]
    sent: tuple[Message, ...]
