"""Whoever drops out of a protocol: its run ends, always in the same way, and no output is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.cases import CASES
from tests.harness.fate_cases import check
from tests.harness.fuzz import cases

SURVIVING = ("committee", "dpds_robust", "secagg", "secagg_plus")


@pytest.mark.parametrize("name", SURVIVING)
@cases(15)
@given(data=st.data())
def test_protocols_that_survive_drop_outs_give_no_wrong_output(
    name: str, data: st.DataObject
) -> None:
    check(name, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@cases(30)
@given(data=st.data())
def test_runs_with_drop_outs_end_without_a_wrong_output(name: str, data: st.DataObject) -> None:
    check(name, data)
