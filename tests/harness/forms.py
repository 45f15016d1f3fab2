"""The values of linear forms, for the tests of the algebra and of the symbolic reading."""

from math import prod
from typing import Any

import numpy as np

from simnet.linear.forms import Forms
from simnet.linear.unknowns import Unknowns
from simnet.values.field import Field

FIELDS = [Field.above(4), Field.above(100), Field.above(2**61)]


def evaluated(forms: Forms, unknowns: Unknowns) -> list[Any]:
    """Return the values of the forms, given the sampled values of their unknowns."""
    terms, values = forms.terms, np.zeros(prod(forms.shape), dtype=object)
    assert terms.rows * terms.lanes == values.size
    for row in range(terms.rows):
        own = slice(int(terms.starts[row]), int(terms.starts[row + 1]))
        assert (np.diff(terms.unknowns[own]) > 0).all()
        assert (
            (terms.coefficients[own] > 0) & (terms.coefficients[own] < forms.field.modulus)
        ).all()
        for unknown, coefficient in zip(terms.unknowns[own], terms.coefficients[own], strict=True):
            number = unknowns.values(int(unknown), terms.lanes).astype(object)
            values[row * terms.lanes : (row + 1) * terms.lanes] += int(coefficient) * number
    evaluation: list[Any] = (values % forms.field.modulus).reshape(forms.shape).tolist()
    return evaluation
