"""The view of a coalition: its inputs, the messages it received and the messages it sent."""

from collections.abc import Mapping
from typing import Any

import attrs

from simnet.record.message import Message


@attrs.frozen(eq=False)
class View:
    """The view of a coalition. The coins are not stored: they follow from the seed and the party's
    name, and `Run.coins` finds them.

    `received` are the messages that honest parties sent to the coalition. `sent` are the
    messages that parties of the coalition sent to any party. Both sequences have the order of the
    transcript. `Run.view` and `Transcript.view` make views; the docstring of `Transcript` has an
    example.

    >>> View(("u1",), {"u1": 5}, received=(), sent=()).inputs
    {'u1': 5}
    """

    parties: tuple[str, ...]
    inputs: Mapping[str, Any]
    received: tuple[Message, ...]
    sent: tuple[Message, ...]
