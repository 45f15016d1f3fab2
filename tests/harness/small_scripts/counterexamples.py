"""Scripts that refuted earlier rules of verdicts: each script tells more than such a rule said.

They are over F_2 unless another field is named; `x` is an honest input, `r`, `w` and `u` are honest
field coins. `COUNTEREXAMPLES` has each script under the name of what the rule overlooked.
"""

from collections.abc import Callable, Mapping
from itertools import product

import attrs

from tests.harness.small_scripts.steps import (
    Argument,
    Coins,
    Disclose,
    Handed,
    Mix,
    Output,
    Pick,
    Script,
    Secret,
    Send,
    Step,
    Toss,
)

Function = Callable[..., int | None]


@attrs.frozen
class Counterexample:
    """A script, the coalition that learns from it, and whether its messages alone tell it
    something.

    Without `by_messages`, the disclosed values together tell the input, and the messages tell
    nothing more to somebody who knows the disclosed values.
    """

    script: Script
    coalition: tuple[str, ...] = ("b",)
    by_messages: bool = True


def table(function: Function, *sizes: int) -> tuple[int | None, ...]:
    """Return a function's values at all arguments, in the order in which doors look them up."""
    return tuple(function(*arguments) for arguments in product(*map(range, sizes)))


def secret(
    name: str, function: Function, *args: Argument, sizes: tuple[int, ...], field: int = 2
) -> Secret:
    rows = tuple(None if one is None else (one,) for one in table(function, *sizes))
    return Secret("a", (name,), field, args, rows)


def tossed_secret(name: str) -> Secret:
    """Return a step that makes a secret which is a fair coin."""
    return Secret("a", (name,), 2, (), ((0,), (1,)), coin=2)


def disclosed(
    name: str, function: Function, *args: Argument, sizes: tuple[int, ...], size: int = 2
) -> Disclose:
    return Disclose("a", name, size, args, table(function, *sizes))


def coins(*names: str, field: int = 2) -> tuple[Coins, ...]:
    return tuple(Coins("a", (name,), field) for name in names)


def total(name: str, *forms: str) -> Mix:
    return Mix("a", name, tuple((1, form) for form in forms))


def sent(*forms: str) -> Send:
    return Send("a", ("b",), f"message {'+'.join(forms)}", (((forms),),))


def script(*steps: Step, ideal: tuple[Handed, ...] = (), values: int = 2) -> Script:
    return Script(("a", "b"), (("a", values),), steps, ideal)


def same(value: int) -> int:
    return value


def plus(left: int, right: int) -> int:
    return (left + right) % 2


def times(left: int, right: int) -> int:
    return left * right


def plus_3(left: int, right: int) -> int:
    return (left + right) % 3


INPUT = secret("s", same, "x_a", sizes=(2,))

ROW_ALREADY_SENT = script(
    *coins("r"),
    INPUT,
    sent("r"),
    disclosed("v", plus, "x_a", "r", sizes=(2, 2)),
)
FORMS_ALONE = script(
    *coins("r"),
    INPUT,
    sent("r"),
    disclosed("v", plus, "r", "s", sizes=(2, 2)),
)
ROWS_AND_MESSAGES = script(
    *coins("r", "w", "u"),
    INPUT,
    total("first", "r", "w"),
    total("second", "w", "u"),
    sent("first"),
    sent("second"),
    disclosed("v", plus, "x_a", "r", sizes=(2, 2)),
    disclosed("v2", same, "u", sizes=(2,)),
)
HIDDEN_BY_A_DISCLOSED_COIN = script(
    *coins("r", "w"),
    INPUT,
    secret("t", same, "r", sizes=(2,)),
    total("m", "t", "w", "s"),
    total("y", "w", "r"),
    sent("m"),
    disclosed("v", same, "y", sizes=(2,)),
)
DISCLOSED_DERIVED_SECRET = script(
    *coins("r"),
    INPUT,
    secret("t", plus, "x_a", "r", sizes=(2, 2)),
    disclosed("v", same, "t", sizes=(2,)),
    sent("r"),
)
NESTED = script(
    *coins("r"),
    INPUT,
    secret("t", same, "r", sizes=(2,)),
    secret("t2", times, "t", "x_a", sizes=(2, 2)),
    total("m", "r", "t2"),
    sent("m"),
)
TWO_DERIVED_SECRETS = script(
    *coins("r1", "r2"),
    INPUT,
    secret("t1", plus, "x_a", "r1", sizes=(2, 2)),
    secret("t2", same, "r2", sizes=(2,)),
    total("first", "t1", "r2"),
    total("second", "t2", "r1"),
    sent("first"),
    sent("second"),
)
ROWS_KNOWN_TOO = script(
    *coins("r", field=3),
    secret("s", same, "x_a", sizes=(3,), field=3),
    secret("t", same, "r", sizes=(3,), field=3),
    total("y", "r", "t"),
    sent("r"),
    disclosed("v", plus_3, "x_a", "y", sizes=(3, 3), size=3),
    values=3,
)
# The ideal world has no field coins, so a secret n, the coin of a door, takes their place here.
# Together with t, it tells x.
NOISE_BESIDE_AN_OUTPUT = Script(
    ("a", "b", "c"),
    (("a", 2), ("c", 2)),
    (
        tossed_secret("n"),
        secret("t", plus, "x_a", "n", sizes=(2, 2)),
        Secret("c", ("s",), 2, ("x_c",), ((0,), (1,))),
        Send("c", ("b",), "from c", ((("s",),),)),
        sent("n"),
    ),
    (Handed("b", ((1, ("s",)),)), Handed("b", ((1, ("t",)),))),
)
NOISE_DISCLOSED_TOO = script(
    tossed_secret("n"),
    secret("t", plus, "x_a", "n", sizes=(2, 2)),
    disclosed("v", same, "n", sizes=(2,)),
    disclosed("v2", same, "t", sizes=(2,)),
)
NOISE_OF_AN_OUTPUT = script(
    tossed_secret("n"),
    secret("t", plus, "x_a", "n", sizes=(2, 2)),
    sent("t"),
    disclosed("v", same, "n", sizes=(2,)),
    ideal=(Handed("b", ((1, ("t",)),)),),
)
COIN_AND_MASKED_INPUT = script(
    *coins("r"),
    INPUT,
    disclosed("v", same, "r", sizes=(2,)),
    disclosed("v2", plus, "x_a", "r", sizes=(2, 2)),
)
REFUSED_BY_A_COIN = script(
    *coins("r", field=3),
    secret(
        "s",
        lambda x, r: None if x == r else x,
        "x_a",
        "r",
        sizes=(3, 3),
        field=3,
    ),
    sent("r"),
    values=3,
)
HEARD_THROUGH_ANOTHER = script(
    INPUT,
    disclosed("v", same, "x_a", sizes=(2,)),
    Disclose("a", "v2", 2, ("v",), (0, 1)),
    Send("a", ("b",), "note", (((), ()), ((),)), which=Pick((0, 1), ("v2",))),
)
HEARD_TOGETHER = script(
    INPUT,
    disclosed("v", same, "x_a", sizes=(2,)),
    disclosed("v2", same, "x_a", sizes=(2,)),
    # The note comes if v and v2 agree. It does not come if only one of v and v2 is changed.
    Send("a", ("b",), "note", (((),), ()), which=Pick((0, 1, 1, 0), ("v", "v2"))),
    Send("a", ("b",), "other", (((),), ()), which=Pick((0, 1, 1, 1), ("v", "v2"))),
)
OUTPUT_IN_A_DOOR = script(
    *coins("r"),
    INPUT,
    Output("a", "z", 2, ("r",), (0, 1)),
    secret("t", times, "z", "x_a", sizes=(2, 2)),
    total("m", "t", "r"),
    sent("m"),
)
COIN_OUTSIDE = script(
    Toss("a", "c", 2),
    secret("s", plus, "x_a", "c", sizes=(2, 2)),
    sent("s"),
)

COUNTEREXAMPLES: Mapping[str, Counterexample] = {
    "an input and a row that was sent": Counterexample(ROW_ALREADY_SENT),
    "a secret and a row that was sent": Counterexample(FORMS_ALONE),
    "rows that messages and a disclosure give together": Counterexample(ROWS_AND_MESSAGES),
    "a derived secret hidden by a disclosed coin": Counterexample(HIDDEN_BY_A_DISCLOSED_COIN),
    "a derived secret that is disclosed": Counterexample(DISCLOSED_DERIVED_SECRET),
    "a secret made of a derived one": Counterexample(NESTED),
    "two derived secrets that hide each other": Counterexample(TWO_DERIVED_SECRETS),
    "a disclosed row of a derived secret": Counterexample(ROWS_KNOWN_TOO),
    "the noise of what an output holds": Counterexample(NOISE_BESIDE_AN_OUTPUT),
    "noise that is disclosed too": Counterexample(NOISE_DISCLOSED_TOO, by_messages=False),
    "noise of an output": Counterexample(NOISE_OF_AN_OUTPUT, by_messages=False),
    "a coin and an input masked by it": Counterexample(COIN_AND_MASKED_INPUT, by_messages=False),
    "a refusal that depends on a coin": Counterexample(REFUSED_BY_A_COIN),
    "a disclosed value heard through another": Counterexample(
        HEARD_THROUGH_ANOTHER, by_messages=False
    ),
    "two disclosed values heard together": Counterexample(HEARD_TOGETHER, by_messages=False),
    "an output used in a later door": Counterexample(OUTPUT_IN_A_DOOR),
    "an outer coin that a door is given": Counterexample(COIN_OUTSIDE),
}
