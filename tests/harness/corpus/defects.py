"""Kinds of defects, each planted in a protocol. Some kinds were seen in published code.

`python -m tests.harness.corpus.defects` writes the table of defects in MUTANTS.md; a test compares
the file with it. Every case says what an instrument finds in the faulty protocol, and what it finds
in a sound twin of the protocol.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols.dpdg.about import result_variance
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.unary import OUE
from protocols.privacy.gaussian import delta_of
from protocols.secagg.script import SecAgg
from protocols.sharing.schemes import Shamir
from protocols.tss.script import TSS
from simnet import (
    Field,
    Party,
    Sealed,
    Seat,
    Shuffled,
    Tag,
    bits,
    every_coalition,
    index,
    run,
    seats,
    verdict,
)
from simnet.adversary.words import finding_in_words
from simnet.arrays import Bools
from simnet.cli.page import write_part
from simnet.coins.coins import Coins
from simnet.exhaustive.compare import Comparison
from tests.harness.exact_mutants import (
    Dealing,
    IntegerMask,
    LastBitAsIs,
    MaskFromRange,
    Masking,
    NonZero,
    TellsWhoTakesPart,
)
from tests.harness.mutants import (
    CopiesLastShare,
    ForwardsUnsummed,
    LeavesOneOut,
    OneMaskForAllItems,
    PublishesPartialSums,
    one_coin_stream,
)
from tests.harness.secagg_flaws import (
    EVERYBODY,
    BothShares,
    KeysAlong,
    LiarWithoutSelfMask,
    ShortSeeds,
    TwoIterations,
    collected_twice,
    in_the_middle,
    liar,
    sound,
)
from tests.harness.secagg_prediction import Liar, question

NOTE = Tag("note")


@attrs.frozen
class Case:
    """A kind of defect: what is wrong, which instrument catches it (`tier`), what this instrument
    finds, and what it finds in the sound twin.
    """

    defect: str
    tier: str
    found: Callable[[], str]
    sound: Callable[[], str]


def told(protocol: Any, inputs: Sequence[int], corrupt: str, seed: int = 0) -> Callable[[], str]:
    return lambda: (
        f"{{{corrupt}}} {finding_in_words(verdict(run(protocol, inputs, seed), corrupt))}"
    )


def apart(protocol: Any, one: list[int], other: list[int], corrupt: str) -> Callable[[], str]:
    def found() -> str:
        compared = Comparison(protocol, corrupt).compare(one, other)
        return (
            "views equal"
            if compared.same
            else f"ε = {compared.epsilon:.4g}, δ(0) = {compared.delta()}"
        )

    return found


def shared_stream(shared: bool) -> str:
    if not shared:
        return told(DPDS(3, 1, 1.0), [1, 1, 1], "u3")()
    with one_coin_stream("u1", "u2"):
        return told(DPDS(3, 1, 1.0), [1, 1, 1], "u3")()


def twice(seeds: tuple[int, int]) -> str:
    runs = [
        run(DPDS(3, 2, 1.0), inputs, seed)
        for inputs, seed in zip(([1, 1, 1], [2, 1, 1]), seeds, strict=True)
    ]
    return f"{{u3}} {finding_in_words(verdict(runs, 'u3'))}"


def aggregated(defect: str, flawed: SecAgg, twin: SecAgg | None = None) -> Case:
    """Return a case of secure aggregation in which the server is the coalition."""
    own = told(flawed, [1] * 4, "server", seed=1)
    return Case(defect, "proved", own, told(twin or sound(), [1] * 4, "server", seed=1))


def noise(share: str) -> str:
    protocol = DPDG(1000, 12, 0.5, 1e-5, noise_share=share)
    return (
        f"δ(0.5) = {delta_of(result_variance(protocol) ** 0.5, protocol.sensitivity, 0.5):.2g}, "
        f"claimed 1e-05"
    )


@attrs.frozen
class Reports:
    """A user sends one report of a mechanism."""

    mechanism: OUE

    def parties(self) -> dict[str, Seat]:
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        me.secret(lambda held: held, item, field=Field(5), shape=())
        await me.send(NOTE, "server", self.mechanism.payload(me.disclose(self.report, item)))

    def report(self, item: int, coins: Coins) -> Bools:
        return self.mechanism.perturb([item], coins)[0]

    async def server(self, me: Party) -> None:
        await me.receive(NOTE, "u1")


def coordinates(mechanism: OUE) -> str:
    """Say in words the exact ε of a report, and which single bits can tell two items apart with
    certainty.
    """
    comparison, items = Comparison(Reports(mechanism), "server"), range(1, mechanism.items + 1)
    laws = [comparison.compare([1], [item]).second for item in items]
    rows = [{_report(view): chance for view, chance in law.items()} for law in laws]
    seen = sorted(set().union(*rows))
    worst = epsilon_of([[row.get(report, 0) for report in seen] for row in rows])
    chances = [
        [sum(chance for report, chance in row.items() if report[bit]) for row in rows]
        for bit in range(len(rows))
    ]
    bare = [
        str(bit + 1)
        for bit, ones in enumerate(chances)
        if epsilon_of([[1 - one, one] for one in ones]) == inf
    ]
    return f"ε = {worst:.4g}" + (f"; bit {', '.join(bare)} unprotected" if bare else "")


def _report(view: Any) -> tuple[int, ...]:
    (_, received), *_ = view
    return tuple(np.frombuffer(received[0][-1][3], dtype=np.uint8).tolist())


def small_modulus(modulus: int) -> str:
    class Forced(DPDS):
        field = Field(modulus)

    done = run(Forced(4, 1, 1.0), [1, 1, 1, 1])
    return f"counts {round(float(done.outputs['server'][0]) * 4)} of 4 users who take part"


def breaking(protocol: Any) -> str:
    found = every_coalition(run(protocol, [1] * protocol.users, 0)).of("u4")
    sizes = [len(members) for members in found.exposing if "server" not in members]
    return f"{min(sizes)} users read u4" if sizes else "no set of users reads u4"


@attrs.frozen
class Forgetful:
    """Party `b` receives all messages of party `a`, or all but one if `forgets` is set."""

    forgets: bool

    def parties(self) -> dict[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party) -> None:
        await me.send(NOTE, "b", bits([1]))
        await me.send(NOTE, "b", bits([0]))

    async def b(self, me: Party) -> None:
        await me.receive_each(NOTE, "a", 1 if self.forgets else 2)


def conservation(forgets: bool) -> str:
    unread = run(Forgetful(forgets)).ledger.unread()
    return f"sent and never received: {unread}" if unread else "sent = received"


def changed(after: bool) -> str:
    payload = index([1, 2], 5)
    if not after:
        return "sent as it was"
    try:
        payload.numbers()[0] = 4
    except ValueError:
        return "a payload cannot be written to"
    return "changed after sending"


@attrs.frozen
class First:
    """The server returns the number of the user whose message comes first; if `ordered`, it returns
    u1's number.
    """

    ordered: bool

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, 4), "server": Seat(self.server)}

    async def user(self, me: Party) -> None:
        await me.send(NOTE, "server", index(me.index, 5))

    async def server(self, me: Party) -> int:
        received = (
            await me.gather(NOTE, me.all("user"))
            if self.ordered
            else [(await me.receive_any(NOTE))[1] for _ in range(4)]
        )
        return int(received[0].numbers())


def orders(ordered: bool) -> str:
    traces = {run(First(ordered), schedule=Shuffled(seed)).trace_hash for seed in range(8)}
    return (
        "the same trace in 8 schedules"
        if len(traces) == 1
        else f"{len(traces)} different traces in 8 schedules"
    )


CASES = (
    Case(
        "the last residue is never drawn",
        "enumerated",
        apart(MaskFromRange(5, 4), [1], [2], "server"),
        apart(Masking(5), [1], [2], "server"),
    ),
    Case(
        "masks from a small range",
        "enumerated",
        apart(MaskFromRange(11, 4), [1], [2], "server"),
        apart(Masking(11), [1], [2], "server"),
    ),
    Case(
        "two parties play with one coin stream",
        "proved",
        lambda: shared_stream(True),
        lambda: shared_stream(False),
    ),
    Case("a fixed seed in two runs", "proved", lambda: twice((4, 4)), lambda: twice((4, 5))),
    Case(
        "masks added over the integers",
        "enumerated",
        apart(IntegerMask(5, 5), [1], [2], "server"),
        apart(Masking(5), [1], [2], "server"),
    ),
    Case(
        "a share of noise n times too small",
        "computed",
        lambda: noise("as-printed"),
        lambda: noise("exact"),
    ),
    Case(
        "one bit of a report left without noise",
        "enumerated",
        lambda: coordinates(LastBitAsIs(1.5, 3)),
        lambda: coordinates(OUE(1.5, 3)),
    ),
    Case(
        "Shamir's coefficients never zero",
        "enumerated",
        apart(Dealing(2, NonZero(2)), [1], [2], "h1"),
        apart(Dealing(2, Shamir(2)), [1], [2], "h1"),
    ),
    Case(
        "the last share sent to a neighbour too",
        "proved",
        told(CopiesLastShare(4, 2, 0.5), [1, 2, 1, 2], "u1, u2, u3"),
        told(DPDS(4, 2, 0.5), [1, 2, 1, 2], "u1, u2, u3"),
    ),
    Case(
        "elected users forward unsummed shares",
        "proved",
        told(ForwardsUnsummed(4, 2, 0.5, 1), [1, 2, 1, 2], "S2"),
        told(TSS(4, 2, 0.5, 1), [1, 2, 1, 2], "S2"),
    ),
    Case(
        "one mask for all items",
        "proved",
        told(DPDS(4, 2, 0.5, OneMaskForAllItems()), [1, 2, 1, 2], "u4"),
        told(DPDS(4, 2, 0.5), [1, 2, 1, 2], "u4"),
    ),
    Case(
        "the server publishes partial sums",
        "proved",
        told(PublishesPartialSums(4, 1, 0.5, "shamir:2"), [1, 1, 1, 1], "u1"),
        told(DPDS(4, 1, 0.5, "shamir:2"), [1, 1, 1, 1], "u1"),
    ),
    Case(
        "the participation bit in clear",
        "enumerated",
        apart(TellsWhoTakesPart(3, 2, 0.5), [1, 1, 2], [1, 2, 1], "server"),
        apart(DPDS(3, 2, 0.5), [1, 1, 2], [1, 2, 1], "server"),
    ),
    Case(
        "shared among one user too few",
        "searched",
        lambda: breaking(LeavesOneOut(4, 1, 0.5)),
        lambda: breaking(DPDS(4, 1, 0.5)),
    ),
    Case(
        "a modulus too small for the sum",
        "run",
        lambda: small_modulus(3),
        lambda: small_modulus(5),
    ),
    Case(
        "messages that nobody receives",
        "run",
        lambda: conservation(True),
        lambda: conservation(False),
    ),
    Case("a payload changed after sending", "run", lambda: changed(True), lambda: changed(False)),
    Case("a result that depends on the order", "run", lambda: orders(False), lambda: orders(True)),
    aggregated("shares of both secrets of a user asked for", BothShares(question(4), 3)),
    aggregated("a threshold of half the users, and a server that lies", liar(2), liar(3)),
    aggregated(
        "masks used again in the next iteration",
        TwoIterations(question(4), 3),
        TwoIterations(question(4), 3, label="mask 2"),
    ),
    Case(
        "masks used again in the next collection",
        "proved",
        lambda: f"{{server}} {finding_in_words(collected_twice((1, 1)))}",
        lambda: f"{{server}} {finding_in_words(collected_twice((1, 2)))}",
    ),
    aggregated(
        "seeds of masks from a small range",
        ShortSeeds(question(4), 3),
        ShortSeeds(question(4), 3, words=8),
    ),
    aggregated(
        "a vector that comes late, without a mask of its own",
        LiarWithoutSelfMask(question(4), 3, lists=dict.fromkeys(EVERYBODY, EVERYBODY[:3])),
        Liar(question(4), 3, lists=dict.fromkeys(EVERYBODY, EVERYBODY[:3])),
    ),
    aggregated("keys of boxes sent along", KeysAlong(question(4), 3)),
    aggregated("public keys that the server can swap", in_the_middle(False), in_the_middle(True)),
)


def table() -> Iterator[str]:
    """Yield the lines of the table of defects, in Markdown."""
    yield "| # | defect | caught by | what is found | in the sound protocol |"
    yield "| --- | --- | --- | --- | --- |"
    for number, case in enumerate(CASES, start=1):
        yield f"| {number} | {case.defect} | {case.tier} | {case.found()} | {case.sound()} |"


if __name__ == "__main__":
    write_part(Path(__file__).with_name("MUTANTS.md"), "corpus", table())
