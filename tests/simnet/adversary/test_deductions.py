"""What verdicts say of seeds, random rows, keys and boxes: small scripts with known answers.

In each case alice, who has one secret x, sends some arrays to eve. The expected answers follow from
docs/concepts/ideal-primitives.md; `test_ideal_primitives.py` compares random scripts with
enumeration.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from simnet import (
    Field,
    FieldArray,
    Party,
    PublicKeys,
    ScriptError,
    Seat,
    Signatures,
    SimnetError,
    Tag,
    bits,
    constant,
    index,
    run,
    verdict,
)
from simnet.adversary.whole_view import disclosed_in_words, meets
from simnet.coins.coins import Coins
from simnet.values.sealed import Sealed
from tests.harness.many_cases import for_each

F, S = Field(101), Field(2**32 - 5)
NOTE, KEY, SAID = Tag("note"), Tag("key"), Tag("said")

Said = Callable[[Party, FieldArray], list[Any]]


def coins(me: Party) -> FieldArray:
    return me.coins.field(S, (4,))


def row(me: Party, seed: FieldArray, label: str = "m") -> FieldArray:
    return me.expand(seed, S, (4,), label)


class Told:
    """Alice sends to eve what `said` makes from her secret."""

    def __init__(self, said: Said) -> None:
        self.said = said

    def parties(self) -> dict[str, Seat]:
        return {"alice": Seat(self.alice), "eve": Seat(self.eve)}

    async def alice(self, me: Party, number: Sealed) -> None:
        mine = me.secret(lambda x: [x] * 4, number, field=S, shape=(4,))
        for place, payload in enumerate(self.said(me, mine)):
            await me.send(Tag(f"note {place}"), "eve", payload)

    async def eve(self, me: Party) -> None:
        """Eve reads nothing: what is sent to her is in her view all the same."""


def only_masked(me: Party, x: FieldArray) -> list[Any]:
    return [x + row(me, coins(me))]


def with_the_seed(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, seed), seed]


def with_half_of_the_seed(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, seed), seed[:2]]


def one_mask_twice(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, seed), x * 2 + row(me, seed)]


def two_labels(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, seed), x * 2 + row(me, seed, "n")]


def a_shifted_seed(me: Party, x: FieldArray) -> list[Any]:
    seed, shift = coins(me), coins(me)
    return [x + row(me, seed), row(me, seed + shift), shift]


def one_share_of_two(me: Party, x: FieldArray) -> list[Any]:
    seed, share = coins(me), coins(me)
    return [x + row(me, seed), seed - share]


def both_shares(me: Party, x: FieldArray) -> list[Any]:
    seed, share = coins(me), coins(me)
    return [x + row(me, seed), share, seed - share]


def a_seed_below_its_own_row(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [seed + row(me, seed), x + row(me, seed, "n")]


def a_chain_from_a_told_seed(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, row(me, row(me, seed))), seed]


def a_seed_and_the_secret(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, seed), seed + x]


def a_plain_seed(me: Party, x: FieldArray) -> list[Any]:
    return [x + row(me, constant(S, [1, 2, 3, 4]))]


def the_secret_as_a_seed(me: Party, x: FieldArray) -> list[Any]:
    return [row(me, x)]


def a_box(me: Party, x: FieldArray) -> list[Any]:
    return [me.encrypt(coins(me), x)]


def a_box_and_its_key(me: Party, x: FieldArray) -> list[Any]:
    key = coins(me)
    return [me.encrypt(key, x), key]


def a_seed_in_a_box_with_its_key(me: Party, x: FieldArray) -> list[Any]:
    key, seed = coins(me), coins(me)
    return [x + row(me, seed), me.encrypt(key, seed), key]


def an_equal_form(me: Party, x: FieldArray) -> list[Any]:
    seed, other = coins(me), coins(me)
    return [x + row(me, seed), row(me, seed + other - other)]


def seeds_that_differ_by_the_secret(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [row(me, seed), row(me, seed + x)]


def seeds_with_a_known_difference(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, seed), row(me, seed + constant(S, [1, 0, 0, 0]))]


def a_seed_from_a_small_range(me: Party, x: FieldArray) -> list[Any]:
    return [x + row(me, constant(S, me.coins.integers(2**16, 4)))]


def a_short_seed(me: Party, x: FieldArray) -> list[Any]:
    return [x + row(me, me.coins.field(F, (2,)))]


def a_public_key(me: Party, x: FieldArray) -> list[Any]:
    return [me.public_key(coins(me)), x + coins(me)]


def a_short_secret_key(me: Party, x: FieldArray) -> list[Any]:
    return [me.public_key(me.coins.field(F, (2,))), x + coins(me)]


def a_secret_as_a_secret_key_of_a_known_agreement(me: Party, x: FieldArray) -> list[Any]:
    known = coins(me)
    return [known, row(me, me.agree(x, me.public_key(known), S, (4,)))]


def a_box_under_a_known_agreement(me: Party, x: FieldArray) -> list[Any]:
    known = coins(me)
    key = me.agree(x, me.public_key(known), S, (4,))
    return [known, me.encrypt(key, constant(S, [1, 2]))]


def an_agreement_without_the_public_key(me: Party, x: FieldArray) -> list[Any]:
    known = coins(me)
    return [known, x + me.agree(coins(me), me.public_key(known), S, (4,))]


def an_agreement_with_the_public_key(me: Party, x: FieldArray) -> list[Any]:
    known, own = coins(me), coins(me)
    return [known, me.public_key(own), x + me.agree(own, me.public_key(known), S, (4,))]


def an_agreement_with_a_signature_of_the_public_key(me: Party, x: FieldArray) -> list[Any]:
    known, own = coins(me), coins(me)
    signature = me.sign(me.public_key(own))
    return [known, signature, x + me.agree(own, me.public_key(known), S, (4,))]


def a_signature_of_the_secret(me: Party, x: FieldArray) -> list[Any]:
    return [me.sign(me.public_key(x))]


def whether_a_key_is_signed(me: Party, x: FieldArray) -> list[Any]:
    key = coins(me)
    signature = me.sign(me.public_key(key + x))
    return [bits(int(me.is_signed("alice", me.public_key(key), signature)))]


def whether_keys_are_distinct(me: Party, x: FieldArray) -> list[Any]:
    key = coins(me)
    secrets = [coins(me), key, key + x]
    keys = PublicKeys.stack([me.public_key(secret) for secret in secrets])
    return [bits(int(me.are_distinct(keys)))]


def whether_fresh_keys_are_distinct(me: Party, x: FieldArray) -> list[Any]:
    secrets = [coins(me), coins(me)]
    keys = PublicKeys.stack([me.public_key(secret) for secret in secrets])
    return [bits(int(me.are_distinct(keys))), x + coins(me)]


def whether_a_key_opens_a_box(me: Party, x: FieldArray) -> list[Any]:
    key = coins(me)
    box = me.encrypt(key, constant(S, [1]))
    try:
        me.decrypt(key + x, box)
    except ScriptError:
        return [bits(0)]
    return [bits(1)]


def related_secret_keys(me: Party, x: FieldArray) -> list[Any]:
    one, other = coins(me), coins(me)
    near = one + constant(S, [1, 0, 0, 0])
    public = me.public_key(other)
    return [x + me.agree(one, public, S, (4,)), me.agree(near, public, S, (4,))]


def a_seed_with_a_product(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [row(me, seed + seed * x)]


def a_seed_that_a_door_cancels(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    minus = me.secret(lambda row: [-number for number in row], seed.open(), field=S, shape=(4,))
    return [x + row(me, seed + minus)]


def a_seed_in_its_own_mask(me: Party, x: FieldArray) -> list[Any]:
    seed = coins(me)
    return [x + row(me, seed) - seed]


def a_chain_of_seeds(me: Party, x: FieldArray) -> list[Any]:
    return [x + row(me, row(me, coins(me)))]


def a_signature_of_a_short_key(me: Party, x: FieldArray) -> list[Any]:
    return [me.sign(me.public_key(me.coins.field(F, (2,)))), x + coins(me)]


def a_signature(me: Party, x: FieldArray) -> list[Any]:
    return [me.sign(me.public_key(coins(me))), me.sign(bits([True])), x + coins(me)]


EXPECTED: list[tuple[Said, str]] = [
    (only_masked, "nothing"),
    (with_the_seed, "leaks"),
    (with_half_of_the_seed, "undecided"),
    (one_mask_twice, "leaks"),
    (two_labels, "nothing"),
    (a_shifted_seed, "nothing"),
    (one_share_of_two, "nothing"),
    (both_shares, "leaks"),
    (a_seed_below_its_own_row, "nothing"),
    (a_chain_from_a_told_seed, "leaks"),
    (a_seed_and_the_secret, "undecided"),
    (a_plain_seed, "leaks"),
    (the_secret_as_a_seed, "undecided"),
    (a_box, "nothing"),
    (a_box_and_its_key, "leaks"),
    (a_seed_in_a_box_with_its_key, "leaks"),
    (an_equal_form, "leaks"),
    (seeds_that_differ_by_the_secret, "undecided"),
    (seeds_with_a_known_difference, "nothing"),
    (a_seed_from_a_small_range, "undecided"),
    (a_short_seed, "undecided"),
    (a_public_key, "nothing"),
    (a_short_secret_key, "undecided"),
    (a_secret_as_a_secret_key_of_a_known_agreement, "undecided"),
    (a_box_under_a_known_agreement, "undecided"),
    (an_agreement_without_the_public_key, "nothing"),
    (an_agreement_with_the_public_key, "leaks"),
    (an_agreement_with_a_signature_of_the_public_key, "undecided"),
    (a_signature, "nothing"),
    (a_signature_of_a_short_key, "undecided"),
    (a_signature_of_the_secret, "undecided"),
    (whether_a_key_is_signed, "undecided"),
    (whether_keys_are_distinct, "undecided"),
    (whether_fresh_keys_are_distinct, "nothing"),
    (whether_a_key_opens_a_box, "undecided"),
    (related_secret_keys, "undecided"),
    (a_seed_with_a_product, "undecided"),
    (a_seed_that_a_door_cancels, "undecided"),
    (a_seed_in_its_own_mask, "nothing"),
    (a_chain_of_seeds, "nothing"),
]


@for_each("said, finding", EXPECTED)
def test_edge_cases_get_their_verdicts(said: Said, finding: str) -> None:
    assert verdict(run(Told(said), {"alice": 5}, seed=3), "eve").finding == finding


@attrs.frozen
class Agreed:
    """Eve gives alice a public key. Alice sends her secret plus a part of her own secret key, and
    something that depends on what they agree on. Alice's key has so many words of F_101.
    """

    words: int
    says: str

    def parties(self) -> dict[str, Seat]:
        return {"alice": Seat(self.alice), "eve": Seat(self.eve)}

    async def alice(self, me: Party, number: Sealed) -> None:
        x = me.secret(lambda x: [x], number, field=F, shape=(1,))
        own = me.coins.field(F, (self.words,))
        agreed = me.agree(own, await me.receive(KEY, "eve"), S, (4,))
        await me.send(NOTE, "eve", x + own[:1])
        if self.says == "seed":
            await me.send(SAID, "eve", agreed)
        elif self.says == "row":
            await me.send(SAID, "eve", row(me, agreed))
        elif self.says == "box":
            await me.send(SAID, "eve", me.encrypt(agreed, me.coins.field(S, (2,))))

    async def eve(self, me: Party) -> None:
        await me.send(KEY, "alice", me.public_key(coins(me)))


@pytest.mark.parametrize(
    ("words", "says", "finding"),
    [
        (1, "nothing", "nothing"),
        (1, "seed", "undecided"),
        (1, "row", "undecided"),
        (1, "box", "undecided"),
        (20, "seed", "nothing"),
        (20, "row", "nothing"),
        (20, "box", "nothing"),
    ],
)
def test_whoever_knows_one_secret_key_can_test_guesses_of_the_other(
    words: int, says: str, finding: str
) -> None:
    assert verdict(run(Agreed(words, says), {"alice": 5}, seed=3), "eve").finding == finding


def test_a_verdict_names_its_model_and_what_may_be_guessed() -> None:
    hidden = verdict(run(Told(only_masked), {"alice": 5}, seed=3), "eve")
    assert "the model of an ideal random function" in hidden.notes[-1]
    assert "at least 128 bits" in hidden.notes[-1]
    guessed = verdict(run(Told(with_half_of_the_seed), {"alice": 5}, seed=3), "eve")
    assert any(
        "has only 64 bits that the coalition does not know" in each for each in guessed.notes
    )


def test_a_single_bit_is_counted_in_the_singular() -> None:
    def said(me: Party, x: FieldArray) -> list[Any]:
        return [x + me.expand(me.coins.field(Field(3), (1,)), S, (4,), "m")]

    found = verdict(run(Told(said), {"alice": 5}, seed=3), "eve")
    assert any("has only 1 bit that" in each for each in found.notes)


def test_a_model_with_keys_of_boxes_alone_names_no_random_function() -> None:
    """Eve gets a masked number, and no box. Alice tries a wrong key for a box of her own."""

    def tries_a_wrong_key(me: Party, x: FieldArray) -> list[Any]:
        box = me.encrypt(coins(me), x)
        with contextlib.suppress(ScriptError):
            me.decrypt(coins(me), box)
        return [x + coins(me)]

    found = verdict(run(Told(tries_a_wrong_key), {"alice": 5}, seed=3), "eve")
    assert found.finding == "nothing"
    assert "would have to guess one of 2 seeds and keys, each with at least" in found.notes[-1]
    assert "generator" not in found.notes[-1]


class ToldByTheOutput(Told):
    """Alice sends to eve what `said` makes from her secret, and the ideal output is the secret."""

    def functionality(self, numbers: list[Sealed], users: list[Any]) -> dict[str, FieldArray]:
        made = users[0].secret(lambda x: [x] * 4, numbers[0], field=S, shape=(4,))
        return {"eve": made}


def test_a_seed_that_only_the_ideal_output_tells_is_named_in_a_note() -> None:
    """Nothing but a random row is sent. Its seed is the ideal output, which no message tells."""

    found = verdict(run(ToldByTheOutput(lambda me, x: [row(me, x)]), {"alice": 5}, seed=3), "eve")
    assert (found.at_least, found.at_most) == ("nothing", "output-only")
    assert any("the ideal output may tell seeds" in note for note in found.notes)


def test_two_seeds_of_equal_numbers_and_different_forms_are_refused() -> None:
    def said(me: Party, x: FieldArray) -> list[Any]:
        seed = coins(me)
        return [row(me, seed), row(me, seed + x)]

    with pytest.raises(
        SimnetError, match=r"have the same value.* append a constant to one of them"
    ):
        verdict(run(Told(said), {"alice": 0}, seed=3), "eve")

    def appended(me: Party, x: FieldArray) -> list[Any]:
        seed = coins(me)
        return [row(me, seed), row(me, (seed + x).append(constant(S, 0)))]

    assert verdict(run(Told(appended), {"alice": 0}, seed=3), "eve").finding == "nothing"


@pytest.mark.parametrize(
    ("said", "is_enough"),
    [
        (only_masked, True),
        (two_labels, True),
        (one_share_of_two, True),
        (a_chain_of_seeds, True),
        (a_seed_in_its_own_mask, False),
        (a_seed_below_its_own_row, False),
        (seeds_with_a_known_difference, False),
        (a_shifted_seed, False),
    ],
    ids=lambda case: getattr(case, "__name__", case),
)
def test_a_verdict_says_whether_a_generator_is_enough(said: Said, is_enough: bool) -> None:
    found = verdict(run(Told(said), {"alice": 5}, seed=3), "eve")
    assert found.finding == "nothing"
    assert ("a pseudo-random generator is enough in place of" in found.notes[-1]) is is_enough


class Recognised(Told):
    """The ideal world gives eve alice's secret."""

    def functionality(self, numbers: Any, users: Any) -> dict[str, FieldArray]:
        return {"eve": users[0].secret(four_times, numbers[0], field=S, shape=(4,))}

    async def alice(self, me: Party, number: Sealed) -> None:
        mine = me.secret(four_times, number, field=S, shape=(4,))
        await me.send(NOTE, "eve", row(me, mine))


def four_times(number: int) -> list[int]:
    return [number] * 4


def test_a_row_of_the_ideal_output_is_not_nothing() -> None:
    found = verdict(run(Recognised(the_secret_as_a_seed), {"alice": 5}, seed=3), "eve")
    assert (found.at_least, found.at_most) == ("nothing", "output-only")


@pytest.mark.parametrize("is_known", [False, True])
def test_a_door_that_is_given_a_masked_secret_is_judged(is_known: bool) -> None:
    def said(me: Party, x: FieldArray) -> list[Any]:
        seed = coins(me)
        told = me.disclose(lambda numbers: numbers[0] % 2, (x + row(me, seed)).open())
        return [bits(told), *([seed] if is_known else [])]

    found = verdict(run(Told(said), {"alice": 5}, seed=3), "eve")
    assert found.discrete.as_json()["independent"] is (None if is_known else True)


G = Field(5)


class Padded:
    """Alice hides her number with a coin k of F_5, and discloses the sum, which says nothing about
    the number to somebody who does not know k. She declares a secret, too. Then she sends what
    `said` makes from k.
    """

    items = 4

    def __init__(self, said: Said) -> None:
        self.said = said

    def parties(self) -> dict[str, Seat]:
        return {"alice": Seat(self.alice), "eve": Seat(self.eve)}

    async def alice(self, me: Party, number: Sealed) -> None:
        k = me.coins.field(G, (1,))
        padded = me.disclose(lambda x, k: int(x + k[0]) % 5, number, k.open())
        x = me.secret(four_times, number, field=S, shape=(4,))
        for payload in [index(padded, 5), x + coins(me), *self.said(me, k)]:
            await me.send(NOTE, "eve", payload)

    async def eve(self, me: Party) -> None:
        """Eve reads nothing."""


def compared_with_one(me: Party, k: FieldArray) -> list[Any]:
    keys = PublicKeys.stack([me.public_key(k), me.public_key(constant(G, [1]))])
    return [bits(int(me.are_distinct(keys)))]


def two_rows(me: Party, k: FieldArray) -> list[Any]:
    """The rows are equal exactly if k is 0."""
    seed = me.coins.field(G, (40,))
    return [row(me, seed), row(me, seed + k)]


@pytest.mark.parametrize(
    ("said", "finding"),
    [
        (lambda _, __: [], "nothing"),
        (lambda me, _: [me.sign(me.public_key(me.coins.field(G, (40,))))], "nothing"),
        (lambda me, k: [row(me, k)], "undecided"),
        (lambda me, k: [me.public_key(k)], "undecided"),
        (lambda me, k: [me.sign(me.public_key(k))], "undecided"),
        (lambda me, k: [me.encrypt(k, constant(S, [1]))], "undecided"),
        (compared_with_one, "undecided"),
        (two_rows, "undecided"),
    ],
    ids=["none", "other key", "row", "public key", "signature", "box", "compared", "two rows"],
)
def test_a_seed_that_hides_a_disclosed_value_may_be_guessed(said: Said, finding: str) -> None:
    """Whoever guesses k gets the number from the sum that alice disclosed."""
    judged = verdict(run(Padded(said), {"alice": 2}, seed=3), "eve")
    assert judged.finding == finding
    assert meets(judged, "nothing") == (finding == "nothing")


class Noised:
    """Alice's secret is noise, which hides her number in a value that she discloses. The ideal
    world gives eve the noise. Alice sends eve a public key whose secret key is the noise.
    """

    items = 4

    def parties(self) -> dict[str, Seat]:
        return {"alice": Seat(self.alice), "eve": Seat(self.eve)}

    async def alice(self, me: Party, number: Sealed) -> None:
        noise = me.secret(uniform, number, field=G, shape=(1,))
        padded = me.disclose(lambda x, noise: int(x + noise[0]) % 5, number, noise.open())
        await me.send(NOTE, "eve", index(padded, 5))
        await me.send(KEY, "eve", me.public_key(noise))

    async def eve(self, me: Party) -> None:
        """Eve reads nothing."""

    def functionality(self, numbers: Any, users: Any) -> dict[str, FieldArray]:
        return {"eve": users[0].secret(uniform, numbers[0], field=G, shape=(1,))}


def uniform(_: int, coins: Coins) -> list[int]:
    return [int(coins.integers(5, 1)[0])]


def test_disclosed_values_are_judged_with_an_output_that_seeds_may_tell() -> None:
    judged = verdict(run(Noised(), {"alice": 2}, seed=5), "eve")
    assert (judged.at_least, judged.at_most) == ("nothing", "output-only")
    assert disclosed_in_words(judged) == "ε ≤ 0 alone, no finite ε given what shares tell"


@pytest.mark.parametrize("catches", [False, True])
def test_a_signature_kept_from_an_earlier_run_is_refused(catches: bool) -> None:
    """The answer tells whether the secret is 0, but nobody signs anything when the run is read
    again.
    """
    kept: list[Signatures] = []

    def checks(me: Party, x: FieldArray) -> list[Any]:
        key = coins(me)
        if not kept:
            kept.append(me.sign(me.public_key(key + x)).metered(None))
        try:
            return [bits(int(me.is_signed("alice", me.public_key(key), kept[0])))]
        except ScriptError:
            if not catches:
                raise
        return [bits(0)]

    run(Told(checks), {"alice": 5}, seed=3)  # keeps the signature
    done = run(Told(checks), {"alice": 5}, seed=3)
    with pytest.raises(ScriptError, match="a signature that no party made in this run"):
        verdict(done, "eve")
