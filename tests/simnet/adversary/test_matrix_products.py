"""Matrix products and inverses in scripts: verdicts and exact views are those of the same sums of
single products, and no verdict is given on inverses of unknown elements.
"""

import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction

import attrs
import numpy as np
import pytest

from simnet import Field, FieldArray, Party, ScriptError, Sealed, Seat, Tag, constant, run, verdict
from simnet.exhaustive.compare import Comparison

F = Field(3)
NOTE = Tag("note")
ONES: FieldArray = constant(F, [1, 1])
MATRIX = np.array([[1, 2], [0, 1], [1, 1]])

Message = Callable[[FieldArray, FieldArray], FieldArray]


@attrs.frozen
class Sends:
    """u1 has an item in 1..9, two digits mod 3, draws two coins, and sends u2 what is made of
    them.
    """

    message: Message

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.sender), "u2": Seat(self.reader)}

    async def sender(self, me: Party, item: Sealed) -> None:
        digits = me.secret(lambda x: [(x - 1) // 3, (x - 1) % 3], item, field=F, shape=(2,))
        await me.send(NOTE, "u2", self.message(digits, me.coins.field(F, (2,))))

    async def reader(self, me: Party) -> None:
        await me.receive(NOTE, "u1")


def vector(*elements: FieldArray) -> FieldArray:
    return type(elements[0]).stack(list(elements))


# a message by matrix products, and the same message by single ones
PAIRS: dict[str, tuple[Message, Message]] = {
    "public matrix": (
        lambda s, c: MATRIX[:2] @ s + c,
        lambda s, c: vector(s[0] + s[1] * 2, s[1]) + c,
    ),
    "too few coins": (
        lambda s, c: MATRIX @ (s + c * 0) + MATRIX @ c,
        lambda s, c: vector(
            s[0] + c[0] + (s[1] + c[1]) * 2, s[1] + c[1], s[0] + c[0] + s[1] + c[1]
        ),
    ),
    "leaking": (
        lambda s, c: s.reshape(1, 2) @ MATRIX.T[:, 2] + c[:1] @ np.array([0]),
        lambda s, _: vector(s[0] + s[1]),
    ),
    "secret times coins": (
        lambda s, c: s.reshape(1, 2) @ c,
        lambda s, c: vector(s[0] * c[0] + s[1] * c[1]),
    ),
    "square": (lambda s, _: vector(s @ s), lambda s, _: vector(s[0] * s[0] + s[1] * s[1])),
}

pairs = pytest.mark.parametrize(("matrix", "single"), PAIRS.values(), ids=list(PAIRS))


@pairs
def test_a_verdict_on_matrix_products_is_that_on_single_products(
    matrix: Message, single: Message
) -> None:
    for item in (1, 6):
        ours, theirs = (
            verdict(run(Sends(message), [item], 3, observe=["u2"]), ["u2"])
            for message in (matrix, single)
        )
        assert (ours.at_least, ours.at_most) == (theirs.at_least, theirs.at_most)


@pairs
def test_exact_laws_are_the_same_and_no_proof_of_nothing_belies_them(
    matrix: Message, single: Message
) -> None:
    differs = False
    for one, other in itertools.combinations((1, 5, 9), 2):
        found = [
            Comparison(Sends(message), "u2", numbers).compare([one], [other])
            for message in (matrix, single)
            for numbers in (False, True)
        ]
        assert len({(each.epsilon, each.delta()) for each in found}) == 1
        differs |= not found[0].same
    judged = verdict(run(Sends(matrix), [5], 3, observe=["u2"]), ["u2"])
    if differs:
        assert judged.at_most != "nothing"


def test_a_verdict_is_refused_for_the_inverse_of_an_unknown_and_a_law_is_not() -> None:
    def hidden(s: FieldArray, c: FieldArray) -> FieldArray:
        # a coin that is 0 has no inverse, so 1 or 2 is made of it: 1 + c² is 1 or 2 mod 3
        return s * (c * c + ONES).inverse()

    done = run(Sends(hidden), [5], 3, observe=["u2"])
    with pytest.raises(ScriptError, match=r"u1 in round 1.* inverts field elements that are not"):
        verdict(done, ["u2"])
    found = Comparison(Sends(hidden), "u2").compare([5], [9])
    assert found.delta() == Fraction(1, 3)
    assert Comparison(Sends(hidden), "u2", True).compare([5], [9]).delta() == found.delta()


def test_a_script_that_catches_the_refusal_gets_no_verdict_and_its_exact_law() -> None:
    """A digit of 0 has no inverse, and the script tells it: where it is 0, a reading that goes on
    after a refusal would see the same messages.
    """

    def zero_or_not(s: FieldArray, c: FieldArray) -> FieldArray:
        try:
            return s[:1].inverse() * 0 + c[:1] * 0 + ONES[:1]
        except (ValueError, TypeError):
            return ONES[:1] * 0

    for item in (1, 5):
        with pytest.raises(ScriptError, match="inverts field elements that are not"):
            verdict(run(Sends(zero_or_not), [item], 3, observe=["u2"]), ["u2"])
    found = Comparison(Sends(zero_or_not), "u2")
    assert found.compare([1], [5]).delta() == 1
    assert found.compare([1], [2]).same  # the first digit is 0 in both


def test_inverses_of_public_numbers_are_public() -> None:
    def halved(s: FieldArray, c: FieldArray) -> FieldArray:
        return s * (ONES + ONES).inverse() + c

    assert verdict(run(Sends(halved), [5], 3, observe=["u2"]), ["u2"]).at_most == "nothing"


def test_what_has_no_product_is_refused_in_every_reading() -> None:
    def wrong(s: FieldArray, c: FieldArray) -> FieldArray:
        return s.reshape(2, 1) @ c

    with pytest.raises(ScriptError, match=r"cannot multiply shapes \(2, 1\) and \(2,\)"):
        run(Sends(wrong), [5], 3)
    with pytest.raises(Exception, match=r"cannot multiply shapes \(2, 1\) and \(2,\)"):
        Comparison(Sends(wrong), "u2").compare([5], [9])
