"""Whether linear forms show all that coalitions learn from the field elements of a run."""

import numpy as np

from simnet.adversary.symbolic import Symbolic
from simnet.linear.mixtures import written_out
from simnet.linear.unknowns import PLACES


def nonlinear_reason(reading: Symbolic) -> str:
    """Say why linear forms do not show all that coalitions learn from field elements; empty if they
    show all of it.

    Products are no linear forms. Seeds, keys and boxes give field elements to whoever knows a seed
    or key. The value of a door may tell something about coins that the door was given. A secret
    that is made from field elements depends on them.
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
            return f"{use.party} gives a door field elements with coins"
        if use.kind == "secret" and use.rows:
            return f"{use.party} makes a secret from field elements"
    return ""
