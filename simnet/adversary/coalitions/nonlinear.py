"""Whether linear forms show all that coalitions learn from the field elements of a run."""

import numpy as np

from simnet.adversary.symbolic import Symbolic
from simnet.linear.mixtures import written_out
from simnet.linear.unknowns import PLACES


def nonlinear_reason(reading: Symbolic) -> str:
    """Say why linear forms do not show all that coalitions learn from field elements; empty if they
    show all of it.

    They do not if parties multiply field elements, because products are no linear forms. They do
    not if there are seeds, keys or boxes, which give field elements to whoever knows a seed or key;
    if a door is given field elements that contain coins, because its value may tell something about
    the coins; or if a secret is made from field elements, because it depends on them. Doors of
    outputs do not count.
    """
    families = reading.unknowns.families
    if reading.products or reading.unknowns.queries:
        return "parties multiply field elements, or use seeds, keys or boxes"
    for use in reading.door_uses:
        if use.kind == "output":
            continue
        kinds = {
            families[number].kind
            for forms in use.rows
            for number in np.unique(written_out(forms.rows).unknowns // PLACES).tolist()
        }
        if not kinds <= {"secret", "public"}:
            return f"{use.party} gives a door field elements that contain coins"
        if use.kind == "secret" and use.rows:
            return f"{use.party} makes a secret from field elements"
    return ""
