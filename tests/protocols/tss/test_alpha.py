"""The share α of the items that a user of TSS reports on, in place of their number k."""

import pytest

from protocols.tss.prime import TSSPrime, items_reported, tss


def test_alpha_gives_k_and_may_be_rounded_to_four_decimals() -> None:
    assert tss(users=9, items=12, participation=0.5, alpha=0.25).reported == 3
    assert tss(users=9, items=12, participation=0.5, alpha=0.4167).reported == 5
    prime = tss(users=9, items=12, participation=0.5, alpha=1.0, bound=2)
    assert isinstance(prime, TSSPrime)
    assert prime.reported == 12


@pytest.mark.parametrize("items", [32, 96, 160, 199])
def test_every_alpha_with_four_decimals_is_accepted_for_few_items(items: int) -> None:
    # 1/32 is 0.03125, which lies exactly between 0.0312 and 0.0313
    for k in range(1, items + 1):
        assert items_reported(items, None, round(k / items, 4)) == k


@pytest.mark.parametrize("alpha", [0.0, 0.00004, -0.5, 0.3, 1.5, float("nan")])
def test_an_alpha_without_a_whole_number_of_items_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha is the share of the 12 items"):
        items_reported(12, None, alpha)


def test_the_alpha_that_a_refusal_proposes_is_accepted() -> None:
    with pytest.raises(ValueError, match=r"as with alpha=0\.399715504979; alpha=0\.5 gives 351\.5"):
        items_reported(703, None, 0.5)
    assert items_reported(703, None, 0.399715504979) == 281


def test_no_items_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 item"):
        items_reported(0, None, 0.5)


def test_alpha_and_k_together_are_refused() -> None:
    with pytest.raises(ValueError, match=r"give reported=3 or alpha=.*, not both"):
        items_reported(12, 3, 0.25)
