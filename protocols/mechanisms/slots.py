"""How reports on k attributes of several kinds travel: k slots of one form, whatever they are on.

A slot has the attribute, a real and as many bits as the largest domain; of the last two only one is
used, the other is zero. So a report has one length whichever attributes it is on, and whoever sees
its length alone learns nothing.
"""

import numpy as np

from protocols.mechanisms.attributes import Attributes, Reports
from simnet.values.typed import Typed, bits, index, reals

Pieces = tuple[Typed, ...]


def payload(attributes: Attributes, k: int, reports: Reports) -> Pieces:
    """The attributes (n, k) in rising order, the reals (n, k) and the bits (n, k, largest domain).

    Reals and bits are there only if there are such attributes.
    """
    which = np.nonzero(reports.reported)[1].reshape(-1, k)
    pieces = [index(which, attributes.count, "Nd")]
    if attributes.numeric:
        places = np.minimum(which, attributes.numeric - 1)
        numbers = np.take_along_axis(reports.numbers, places, axis=1)
        pieces.append(reals(np.where(which < attributes.numeric, numbers, 0.0)))
    if attributes.domains:
        encoded = np.zeros((*which.shape, max(attributes.domains)), dtype=np.bool_)
        for place, encodings in enumerate(reports.encodings, start=attributes.numeric):
            encoded[..., : encodings.shape[1]][which == place] = encodings
        pieces.append(bits(encoded))
    return tuple(pieces)


def received(attributes: Attributes, pieces: Pieces) -> Reports:
    """Reports from what arrived."""
    which = pieces[0].numbers()
    users = np.arange(len(which))[:, np.newaxis]
    reported = np.zeros((len(which), attributes.count), dtype=np.bool_)
    reported[users, which] = True
    numbers = np.zeros((len(which), attributes.count))
    if attributes.numeric:
        numbers[users, which] = pieces[1].numbers()
    encodings = [
        pieces[-1].numbers()[which == place][:, :size].astype(np.bool_)
        for place, size in enumerate(attributes.domains, start=attributes.numeric)
    ]
    return Reports(numbers[:, : attributes.numeric], tuple(encodings), reported)
