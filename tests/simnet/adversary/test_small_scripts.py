"""Verdicts on random small scripts are compared with brute force."""

from math import inf, log

import pytest

from tests.harness.many_cases import for_each
from tests.harness.marks import long_but, slow_but
from tests.harness.small_scripts.bases import beaver, masks_in_a_ring, reshared_product, threshold
from tests.harness.small_scripts.checking import (
    Question,
    check,
    check_seeds,
    inputs_of,
    is_possible,
    played,
)
from tests.harness.small_scripts.counterexamples import COUNTEREXAMPLES
from tests.harness.small_scripts.drawing import drawn
from tests.harness.small_scripts.rewriting import smallest
from tests.harness.small_scripts.source import protocol_of
from tests.harness.small_scripts.steps import (
    Coins,
    Disclose,
    Handed,
    Mix,
    Pick,
    Script,
    Secret,
    Send,
    Step,
    Times,
    Toss,
)
from tests.harness.small_scripts.truth import Truth
from tests.harness.small_scripts.worlds import Worlds

INPUT = Secret("a", ("s",), 3, ("x_a",), ((0,), (1,), (2,)))


def truth_of(*steps: Step, ideal: tuple[Handed, ...] = ()) -> Truth:
    """Return the truth about party a, whose input is in F_3, for the coalition of party b."""
    return Truth(Worlds(Script(("a", "b"), (("a", 3),), (INPUT, *steps), ideal)))


def sent(*forms: str) -> Send:
    return Send("a", ("b",), "message", ((forms,),))


def test_a_masked_input_tells_nothing_and_a_bare_one_all() -> None:
    mask = Coins("a", ("r",), 3), Mix("a", "m", ((1, "s"), (2, "r")))
    assert truth_of(*mask, sent("m")).findings(["b"]) == {(): "nothing"}
    assert truth_of(*mask, sent("m", "r")).findings(["b"]) == {(): "leaks"}
    assert truth_of(sent("s")).findings(["b"]) == {(): "leaks"}
    handed = (Handed("b", ((2, ("s",)),)),)
    assert truth_of(sent("s"), ideal=handed).findings(["b"]) == {(): "output-only"}
    assert truth_of(sent("s")).findings(["a"]) == {(): "nothing"}, "it is its own"


def test_a_square_is_what_is_handed_of_it() -> None:
    square = Times("a", "p", "s", "s"), sent("p")
    assert truth_of(*square).findings(["b"]) == {(): "leaks"}
    handed = (Handed("b", ((1, ("s", "s")),)),)
    assert truth_of(*square, ideal=handed).findings(["b"]) == {(): "output-only"}


def test_what_was_disclosed_is_given() -> None:
    is_0 = Disclose("a", "v", 2, ("s",), (1, 0, 0))
    # If the input is not 0, the message tells it; for the input 0 no world is left.
    assert truth_of(is_0, sent("s")).findings(["b"]) == {(0,): "leaks", (1,): "nothing"}


def test_a_noisy_answer_has_the_epsilon_of_its_table() -> None:
    # The answer is the input's parity with probability 3/4, otherwise the other bit.
    table = tuple(int((value % 2) ^ (coin == 0)) for value in range(3) for coin in range(4))
    truth = truth_of(Disclose("a", "v", 2, ("x_a",), table, coin=4))
    assert truth.epsilons(["b"]) == pytest.approx({(0,): log(3), (1,): log(3)})
    assert truth.view_epsilons(["b"]) == {(0,): 0, (1,): 0}, "nobody hears of it"
    note = Send("a", ("b",), "note", (((),), ()), Pick((0, 1), ("v",)))
    heard = truth_of(Disclose("a", "v", 2, ("x_a",), table, coin=4), note)
    assert heard.view_epsilons(["b"]) == pytest.approx({(0,): log(3), (1,): log(3)})


def test_silence_number_order_size_and_recipient_are_seen() -> None:
    value = Disclose("a", "v", 3, ("x_a",), (0, 1, 2))
    coins = Coins("a", ("r", "w"), 3)
    for choices in (
        ((("r",),), (("r",), ("r",)), ()),
        ((("r",),), (("r", "w"),), (("r", "w", "r"),)),
        ((("r", "r"), ("w",)), (("r",), ("w", "w")), (("r",), ("w",))),
    ):
        step = Send("a", ("b",), "note", choices, Pick((0, 1, 2), ("v",)))
        assert set(truth_of(value, coins, step).view_epsilons(["b"]).values()) == {inf}
    order = (("r",), ("w",)), (("w",), ("r",)), (("r",), ("w",))
    step = Send("a", ("b",), "note", order, Pick((0, 1, 2), ("v",)))
    assert set(truth_of(value, coins, step).view_epsilons(["b"]).values()) == {0}
    one_of_two = Send("a", ("b", "c"), "note", ((("r",),),), 0, Pick((0, 1, 1), ("v",)))
    script = Script(("a", "b", "c"), (("a", 3),), (value, coins, one_of_two))
    assert set(Truth(Worlds(script)).view_epsilons(["c"]).values()) == {inf}


def test_two_runs_of_the_same_people_are_judged_together() -> None:
    # Both runs tell the input plus a coin of the door: the coin is another one in each.
    table = tuple((int(value > 0 and coin > 0),) for value in range(3) for coin in range(2))
    noisy = Secret("a", ("t",), 3, ("x_a",), table, coin=2)
    coin = Toss("a", "c", 2)
    handed = (Handed("b", ((1, ("t",)),)),)
    truth = truth_of(coin, noisy, sent("t"), ideal=handed)
    assert truth.finding_of_two(["b"], ((0,), (1,))) == "output-only"
    # What is disclosed in the other run leaves nothing to tell.
    told = Disclose("a", "v", 3, ("x_a", "c"), (0, 0, 0, 1, 0, 2))
    truth = truth_of(coin, told, sent("s"))
    assert truth.findings(["b"])[0, 0] == "leaks"
    assert truth.finding_of_two(["b"], ((0, 0), (1, 2))) == "nothing"
    assert truth.finding_of_two(["b"], ((0, 0), (0, 0))) == "leaks"


@pytest.mark.parametrize("field", [2, 3])
def test_protocols_that_are_known(field: int) -> None:
    truth = Truth(Worlds(beaver(field)))
    for coalition, finding in {
        ("a",): "nothing",
        ("a", "b"): "nothing",
        ("d",): "nothing",
        ("a", "c"): "output-only",
        ("c",): "output-only",
        ("c", "d"): "nothing",  # the disclosed values already tell the dealer both factors
    }.items():
        assert set(truth.findings(coalition).values()) == {finding}, coalition
    server = Truth(Worlds(threshold(3))).findings(["d"])
    assert server == {(0,): "nothing", (1,): "leaks"}
    if field == 2:
        ring = Truth(Worlds(masks_in_a_ring(field)))
        assert ring.findings(["d", "a"]) == {(): "output-only"}
        assert ring.findings(["a", "b"]) == {(): "nothing"}
    assert Truth(Worlds(reshared_product(field))).findings(["c", "d"]) == {(): "leaks"}


@for_each("what", COUNTEREXAMPLES)
def test_counterexamples_tell_what_they_are_said_to(what: str) -> None:
    example = COUNTEREXAMPLES[what]
    truth = Truth(Worlds(example.script))
    findings = set(truth.findings(example.coalition).values())
    if example.by_messages:
        assert "leaks" in findings
    else:
        assert "leaks" not in findings
        assert set(truth.epsilons(example.coalition).values()) == {inf}


@pytest.mark.parametrize("first", slow_but(range(0, 150, 10), 0, 10, 20, 30))
def test_runs_of_the_kernel_are_worlds_of_the_description(first: int) -> None:
    for seed in range(first, first + 10):
        script = drawn(seed)
        worlds = Worlds(script)
        protocol = protocol_of(script, captured=seed % 3 == 0)
        everything = list(inputs_of(script))
        for inputs in (everything[0], everything[-1]):
            done = played(script, protocol, inputs, seed)
            assert done is None or is_possible(worlds, done), seed


@pytest.mark.parametrize("what", COUNTEREXAMPLES)
def test_no_verdict_says_too_little_of_a_counterexample(what: str) -> None:
    example = COUNTEREXAMPLES[what]
    questions = [
        Question(((inputs, seed),)) for inputs in inputs_of(example.script) for seed in range(4)
    ]
    truth = Truth(Worlds(example.script))
    table = check(example.script, truth, [example.coalition], questions)
    assert table.counts
    assert not table.refutations, table.refutations[0]


@pytest.mark.parametrize(
    "first", [0, 20, *slow_but(range(40, 180, 20)), *long_but(range(180, 300, 20))]
)
def test_no_verdict_says_too_little_of_a_random_script(first: int) -> None:
    table = check_seeds(first, first + 20)
    assert table.counts
    assert not table.refutations, table.refutations[0]


def test_what_can_go_goes_when_a_script_is_made_small() -> None:
    script = COUNTEREXAMPLES["rows that messages and a disclosure give together"].script

    def leaks(candidate: Script) -> bool:
        findings = Truth(Worlds(candidate)).findings(["b"])
        return "leaks" in findings.values()

    # Two messages and two disclosures: one of either with the mask is enough.
    small = smallest(script, leaks)
    assert len(small.steps) < len(script.steps)
    assert leaks(small)
