"""Signatures: everybody can check who has signed what, and nobody signs for another."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from simnet import (
    BadInput,
    Field,
    Party,
    PublicKeys,
    Seat,
    Signatures,
    SimnetError,
    Tag,
    bits,
    index,
    reals,
    run,
)
from simnet.exhaustive.compare import Comparison
from simnet.values.sealed import Sealed

F = Field(2**32 - 5)
SIGNED = Tag("signed")


class Signing:
    """Anna and ben each sign some statements. Carl checks every signature against every name and
    statement.
    """

    def parties(self) -> dict[str, Seat]:
        return {
            "anna": Seat(self.signer),
            "ben": Seat(self.signer),
            "carl": Seat(self.carl),
        }

    @staticmethod
    def statements(keys: PublicKeys) -> list[Any]:
        """Statements that look alike."""
        plain = [bits(1), bits([1]), bits([1, 0]), bits([[1, 0]]), index([1, 0], 2), index(1, 3)]
        return [*plain, index(1, 2), reals([1.0, 0.0]), keys, keys[[1, 0]], keys[:1], keys[0]]

    async def signer(self, me: Party) -> None:
        first, second = (me.public_key(me.coins.field(F, (8,))) for _ in range(2))
        keys = PublicKeys.stack([first, second])
        signed = Signatures.stack([me.sign(each) for each in self.statements(keys)])
        await me.send(SIGNED, "carl", (keys, signed))

    async def carl(self, me: Party) -> list[list[bool]]:
        sent = await me.gather(SIGNED, ["anna", "ben"])
        of_anna = self.statements(sent[0][0])
        return [
            [me.is_signed(name, statement, each[place]) for place in range(len(of_anna))]
            for name, statement in itertools.product(("anna", "ben"), of_anna)
            for _, each in sent
        ]


def test_a_signature_is_valid_for_its_signer_and_its_statement_alone() -> None:
    found = iter(run(Signing(), {}).outputs["carl"])
    valid = 0
    count = 12
    for claimed, statement, signer in itertools.product(("anna", "ben"), range(count), (0, 1)):
        row = next(found)
        is_signer = claimed == ("anna", "ben")[signer]
        # the last four statements are keys of anna, which ben has not signed
        is_signed = is_signer and (signer == 0 or statement < count - 4)
        assert row == [is_signed and place == statement for place in range(count)]
        valid += sum(row)
    assert valid == count + count - 4


class Vouching:
    """Anna signs a bit for carl."""

    def parties(self) -> dict[str, Seat]:
        return {"anna": Seat(self.anna), "carl": Seat(self.carl)}

    async def anna(self, me: Party, number: Sealed) -> None:
        await me.send(SIGNED, "carl", me.sign(bits(1)))

    async def carl(self, me: Party) -> None:
        await me.receive(SIGNED, "anna")


def test_exact_views_refuse_signatures() -> None:
    with pytest.raises(SimnetError, match="uses a signature"):
        Comparison(Vouching(), "carl").compare([1], [2])


class Doing:
    """One party does something."""

    def __init__(self, action: Callable[[Party], object]) -> None:
        self.action = action

    def parties(self) -> dict[str, Seat]:
        return {"anna": Seat(self.anna)}

    async def anna(self, me: Party) -> object:
        return self.action(me)


def two_signatures(me: Party) -> Signatures:
    return Signatures.stack([me.sign(bits(1)), me.sign(bits(0))])


def one_key(me: Party) -> PublicKeys:
    return me.public_key(me.coins.field(F, (8,)))


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (lambda me: me.sign([1]), TypeError, "a signed statement is"),
        (lambda me: me.is_signed("bert", bits(1), me.sign(bits(1))), BadInput, "bert"),
        (lambda me: me.is_signed("anna", bits(1), bits(1)), TypeError, "takes a signature"),
        (lambda me: me.is_signed("anna", bits(1), two_signatures(me)), ValueError, "one signature"),
        (lambda me: me.are_distinct(bits(1)), TypeError, "takes public keys"),
    ],
)
def test_what_signatures_refuse(
    action: Callable[[Party], object], error: type[Exception], words: str
) -> None:
    with pytest.raises(Exception, match=words) as caught:
        run(Doing(action), {})
    found: BaseException | None = caught.value
    while found is not None and type(found) is not error:
        found = found.__cause__
    assert found is not None


def test_equal_keys_are_found_wherever_they_stand() -> None:
    def distinct(me: Party) -> list[bool]:
        one, other, third = one_key(me), one_key(me), one_key(me)
        rows = [[one], [one, other], [one, other, third], [one, other, one], [one, one]]
        return [me.are_distinct(PublicKeys.stack(row)) for row in rows]

    assert run(Doing(distinct), {}).outputs["anna"] == [True, True, True, False, False]


def test_a_part_signs_with_the_name_of_its_party_in_the_whole_run() -> None:
    """The name `anna` means another party in each part."""

    def crossed(me: Party) -> list[bool]:
        inner = me.within("")
        signature = inner.sign(bits(1))
        return [
            me.is_signed("anna", bits(1), signature),
            inner.is_signed("anna", bits(1), signature),
        ]

    assert run(Doing(crossed), {}).outputs["anna"] == [True, True]


class Looking:
    """A party that looks at the octets of its public key, or of its signature of this key."""

    def __init__(self, look: Callable[[Any], object], is_signature: bool) -> None:
        self.look = look
        self.is_signature = is_signature

    def parties(self) -> dict[str, Seat]:
        return {"anna": Seat(self.anna)}

    async def anna(self, me: Party) -> None:
        key = me.public_key(me.coins.field(F, (8,)))
        self.look(me.sign(key) if self.is_signature else key)


@pytest.mark.parametrize("is_signature", [False, True])
@pytest.mark.parametrize("look", [lambda octets: octets.numbers(), lambda octets: octets.texts()])
def test_a_script_cannot_look_into_a_key_or_a_signature(
    look: Callable[[Any], object], is_signature: bool
) -> None:
    with pytest.raises(SimnetError, match="looks into a public key or a signature"):
        run(Looking(look, is_signature), {})


@pytest.mark.parametrize(
    "look",
    [lambda boxes: boxes.numbers(), lambda boxes: boxes.content, lambda boxes: boxes.keys],
)
def test_a_script_cannot_look_into_a_box(look: Callable[[Any], object]) -> None:
    class Boxing:
        def parties(self) -> dict[str, Seat]:
            return {"anna": Seat(self.anna)}

        async def anna(self, me: Party) -> None:
            look(me.encrypt(me.coins.field(F, (8,)), me.coins.field(F, (2,))))

    with pytest.raises(SimnetError, match="looks into a box"):
        run(Boxing(), {})
