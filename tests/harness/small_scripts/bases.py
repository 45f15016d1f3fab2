"""Small protocols that random scripts vary: most are sound, and all are close to leaking."""

from tests.harness.small_scripts.counterexamples import COUNTEREXAMPLES
from tests.harness.small_scripts.steps import (
    Coins,
    Disclose,
    Handed,
    Mix,
    Pick,
    Script,
    Secret,
    Send,
    Share,
    Step,
    Take,
    Times,
    Total,
)


def _identity(field: int) -> tuple[tuple[int], ...]:
    return tuple((value,) for value in range(field))


def _own_secret(who: str, name: str, field: int) -> Secret:
    return Secret(who, (name,), field, (f"x_{who}",), _identity(field))


def _post(sender: str, to: str, form: str, name: str | None = None) -> tuple[Step, ...]:
    """Return the steps that send one form; the recipient's copy of it is called `name`."""
    tag = f"{form} for {to}"
    sent = Send(sender, (to,), tag, (((form,),),))
    return (sent, Take(to, sender, tag, (name,))) if name else (sent,)


def beaver(field: int) -> Script:
    """Parties a and b multiply their secrets with the help of a triple that d has dealt; c gets the
    product.

    Each holds its own factor; d_x = x - a and e_y = y - b are opened.
    """
    minus = field - 1
    numbers = tuple(range(field))
    return Script(
        ("a", "b", "c", "d"),
        (("a", field), ("b", field)),
        (
            _own_secret("a", "x", field),
            _own_secret("b", "y", field),
            Coins("d", ("u", "w", "z"), field),
            Times("d", "uw", "u", "w"),
            Mix("d", "uw-z", ((1, "uw"), (minus, "z"))),
            *_post("d", "a", "u", "u_a"),
            *_post("d", "b", "w", "w_b"),
            *_post("d", "a", "z", "z_a"),
            *_post("d", "b", "uw-z", "z_b"),
            Mix("a", "x-u", ((1, "x"), (minus, "u_a"))),
            Mix("b", "y-w", ((1, "y"), (minus, "w_b"))),
            Disclose("a", "e", field, ("x-u",), numbers),
            Disclose("b", "f", field, ("y-w",), numbers),
            Send("a", ("b",), "e", (((),),), plain=("e",)),
            Send("b", ("a",), "f", (((),),), plain=("f",)),
            Take("b", "a", "e", (), ("e_b",)),
            Take("a", "b", "f", (), ("f_a",)),
            # xy = (e + u)(f + w) = f x + e w + u w, because f x = f (e + u)
            Mix("a", "part a", ((Pick(numbers, ("f_a",)), "x"), (1, "z_a"))),
            Mix("b", "part b", ((Pick(numbers, ("e_b",)), "w_b"), (1, "z_b"))),
            *_post("a", "c", "part a"),
            *_post("b", "c", "part b"),
        ),
        (Handed("c", ((1, ("x", "y")),)),),
    )


def square(field: int) -> Script:
    """Party a squares its secret for c, with a mask u that d has dealt beside u².

    The masked secret is opened as e = x - u; then x² = e² + 2eu + u².
    """
    minus, numbers = field - 1, tuple(range(field))
    return Script(
        ("a", "b", "c", "d"),
        (("a", field),),
        (
            _own_secret("a", "x", field),
            Coins("d", ("u", "z"), field),
            Times("d", "uu", "u", "u"),
            Mix("d", "uu-z", ((1, "uu"), (minus, "z"))),
            *_post("d", "a", "u", "u_a"),
            *_post("d", "a", "z", "z_a"),
            *_post("d", "b", "uu-z", "z_b"),
            Mix("a", "x-u", ((1, "x"), (minus, "u_a"))),
            Disclose("a", "e", field, ("x-u",), numbers),
            Mix(
                "a",
                "part a",
                ((Pick(tuple(2 * n % field for n in numbers), ("e",)), "u_a"), (1, "z_a")),
                Pick(tuple(n * n % field for n in numbers), ("e",)),
            ),
            *_post("a", "c", "part a"),
            *_post("b", "c", "z_b"),
        ),
        (Handed("c", ((1, ("x", "x")),)),),
    )


def masked_product(field: int) -> Script:
    """The product of two secrets is sent behind a coin, and another party is sent this coin."""
    minus = field - 1
    return Script(
        ("a", "b", "c"),
        (("a", field), ("b", field)),
        (
            _own_secret("a", "x", field),
            _own_secret("b", "y", field),
            Coins("a", ("r", "w"), field),
            Mix("a", "x+r", ((1, "x"), (1, "r"))),
            *_post("a", "b", "x+r", "masked"),
            *_post("a", "b", "w", "w_b"),
            Times("b", "p", "masked", "y"),
            Mix("b", "p-w", ((1, "p"), (minus, "w_b"))),
            *_post("b", "c", "p-w", "p_c"),
            *_post("a", "c", "r"),
            Disclose("c", "v", field, ("p_c",), tuple(range(field))),
        ),
        (Handed("c", ((1, ("x", "y")),)),),
    )


def threshold(field: int) -> Script:
    """The server c adds up two masked inputs, and publishes the sum if it is large."""
    minus = field - 1
    return Script(
        ("a", "b", "c", "d"),
        (("a", field), ("b", field)),
        (
            _own_secret("a", "x", field),
            _own_secret("b", "y", field),
            Coins("a", ("r",), field),
            *_post("a", "b", "r", "r_b"),
            Mix("a", "x+r", ((1, "x"), (1, "r"))),
            Mix("b", "y-r", ((1, "y"), (minus, "r_b"))),
            Share("a", ("c",), "sum", ("x+r",)),
            Share("b", ("c",), "sum", ("y-r",)),
            Total("c", ("a", "b"), "sum", "total"),
            Disclose("c", "large", 2, ("total",), tuple(int(n > 0) for n in range(field))),
            Send("c", ("d",), "published", ((), (("total",),)), Pick((0, 1), ("large",))),
        ),
        (Handed("c", ((1, ("x",)), (1, ("y",)))),),
    )


def masked_opening(field: int) -> Script:
    """A shared secret is opened under a mask that b knows; c works with what was opened."""
    minus, numbers = field - 1, tuple(range(field))
    return Script(
        ("a", "b", "c"),
        (("a", field),),
        (
            _own_secret("a", "x", field),
            Coins("b", ("r",), field),
            *_post("b", "a", "r", "r_a"),
            Mix("a", "x+r", ((1, "x"), (1, "r_a"))),
            *_post("a", "c", "x+r", "masked"),
            Disclose("c", "v", field, ("masked",), numbers),
            Coins("c", ("w",), field),
            Mix("c", "v-w", ((minus, "w"),), Pick(numbers, ("v",))),
            *_post("c", "b", "v-w", "share"),
            Mix("b", "share-r", ((1, "share"), (minus, "r"))),
        ),
    )


def masks_in_a_ring(field: int) -> Script:
    """Each neighbour of three shares a mask; everyone publishes its masked input to d."""
    steps: list[Step] = []
    for who, after in ("ab", "bc", "ca"):
        steps += [
            _own_secret(who, f"s_{who}", field),
            Coins(who, (f"r_{who}",), field),
            *_post(who, after, f"r_{who}", f"r_{who} at {after}"),
        ]
    for who, before in ("ac", "ba", "cb"):
        terms = ((1, f"s_{who}"), (1, f"r_{who}"), (field - 1, f"r_{before} at {who}"))
        steps += [Mix(who, f"m_{who}", terms), *_post(who, "d", f"m_{who}")]
    sums = tuple((1, (f"s_{who}",)) for who in "abc")
    inputs = tuple((who, field) for who in "abc")
    return Script(("a", "b", "c", "d"), inputs, tuple(steps), (Handed("d", sums),))


def noisy_report(field: int) -> Script:
    """A secret is an input with noise; a later door may disclose the noise."""
    numbers = tuple(range(field))
    noisy = tuple((value if coin else 0,) for value in numbers for coin in range(2))
    return Script(
        ("a", "b", "c"),
        (("a", field),),
        (
            Secret("a", ("s",), field, ("x_a",), noisy, coin=2),
            Coins("a", ("r",), field),
            Mix("a", "s+r", ((1, "s"), (1, "r"))),
            *_post("a", "b", "s+r"),
            *_post("a", "c", "r"),
            Disclose("a", "v", 2, ("s",), tuple(int(n > 0) for n in numbers)),
        ),
        (Handed("b", ((1, ("s",)),)),),
    )


def reshared_product(field: int) -> Script:
    """A party multiplies two shares that it received, and shares the product again with a fresh
    mask.
    """
    return Script(
        ("a", "b", "c", "d"),
        (("a", field),),
        (
            _own_secret("a", "x", field),
            Coins("a", ("r",), field),
            Mix("a", "x-r", ((1, "x"), (field - 1, "r"))),
            *_post("a", "b", "r", "r_b"),
            *_post("a", "c", "x-r", "d_c"),
            *_post("c", "b", "d_c", "d_b"),
            Times("b", "p", "r_b", "d_b"),
            Coins("b", ("w",), field),
            Mix("b", "p+w", ((1, "p"), (1, "w"))),
            *_post("b", "d", "p+w"),
            *_post("b", "c", "w"),
        ),
    )


BASES = (
    *(one.script for one in COUNTEREXAMPLES.values()),
    *(
        base(field)
        for field in (2, 3)
        for base in (threshold, masked_opening, noisy_report, reshared_product)
    ),
    *[beaver(2), beaver(3)] * 4,
    *[square(2), square(3), masked_product(2), masked_product(3)] * 2,
    *[masks_in_a_ring(2)] * 2,
    *[threshold(2), masked_opening(2), reshared_product(2)] * 2,
)
