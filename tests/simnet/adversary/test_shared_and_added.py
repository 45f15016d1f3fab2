"""Secrets that are shared and added: what a coalition determines, against an elimination that
starts from the matrices of the sharing and not from forms; and the theorem of
docs/proofs/shared-and-added.md.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import attrs
import numpy as np
import pytest

from protocols.dpds.script import DPDS
from simnet import Field, Party, Seat, Summed, Tag, run, seats, verdict
from simnet.adversary.field_view import forms_received
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import Verdict
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.linear.terms import refine
from simnet.linear.unknowns import PLACES
from simnet.scenario.find import find
from tests.harness.fuzz import FACTOR, SHARE
from tests.harness.many_cases import for_each
from tests.harness.matrices import reduced
from tests.harness.timing import stopwatch

Rows = list[list[int]]


@attrs.frozen
class SharedSums:
    """Senders share secrets by public matrices; recipients report sums of shares to a server.

    `maps[s]` has a row for each recipient: the coefficients of sender s's coins, and last that of
    its secret. `sums` lists the senders of each sum. Sender s also gives recipient 1 its coin
    number `spilled[s]`, if it is named there.
    """

    field: Field
    maps: tuple[Ints, ...]
    sums: tuple[tuple[int, ...], ...]
    spilled: Mapping[int, int] = attrs.field(factory=dict)

    @property
    def recipients(self) -> int:
        return len(self.maps[0])

    def parties(self) -> Mapping[str, Seat]:
        return {
            **seats("s", self.sender, len(self.maps)),
            **seats("r", self.recipient, self.recipients),
            "server": Seat(self.server),
        }

    def tag(self, number: int) -> Summed:
        return Summed(f"share{number}")

    async def sender(self, me: Party, number: int) -> None:
        place = int(me.name[1:]) - 1
        mine = me.secret(lambda x: [x], number, field=self.field, shape=(1,))
        weights = self.maps[place]
        coins = me.coins.field(self.field, (weights.shape[1] - 1, 1))
        rows = coins.append(mine).combine(weights)
        for at, senders in enumerate(self.sums):
            if place in senders:
                await me.scatter(self.tag(at), to=me.all("recipient"), rows=rows)
        if place in self.spilled:
            await me.send(Tag("spilled"), "r1", coins[self.spilled[place]])

    async def recipient(self, me: Party) -> None:
        for at, senders in enumerate(self.sums):
            named = me.group([f"s{place + 1}" for place in senders])
            partial = await me.gather_sum(self.tag(at), senders=named)
            await me.send(Tag(f"partial{at}"), "server", partial)
        if me.name == "r1":
            for place in sorted(self.spilled):
                await me.receive(Tag("spilled"), f"s{place + 1}")

    async def server(self, me: Party) -> None:
        for at in range(len(self.sums)):
            await me.gather(Tag(f"partial{at}"), me.all("recipient"))

    # What a coalition sees, as rows over all senders' coins and then all senders' secrets.

    def seen(self, coalition: Iterable[str]) -> Rows:
        members = set(coalition)
        honest = [s for s in range(len(self.maps)) if f"s{s + 1}" not in members]
        corrupt = [j for j in range(self.recipients) if f"r{j + 1}" in members]
        rows = []
        for senders in self.sums:
            for s in honest:
                rows += [self._row({s: self.maps[s][j]}) for j in corrupt if s in senders]
            if "server" in members:
                for j in set(range(self.recipients)) - set(corrupt):
                    rows.append(self._row({s: self.maps[s][j] for s in senders if s in honest}))
        if 0 in corrupt:
            for s, coin in self.spilled.items():
                if s in honest:
                    rows.append(self._row({s: np.eye(self.maps[s].shape[1], dtype=int)[coin]}))
        return rows

    def _row(self, by_sender: Mapping[int, Ints]) -> list[int]:
        coins: list[int] = []
        secrets: list[int] = []
        for s, weights in enumerate(self.maps):
            own = by_sender.get(s, np.zeros(weights.shape[1], dtype=int)).tolist()
            coins, secrets = coins + own[:-1], [*secrets, own[-1]]
        return [*coins, *secrets]

    def determined(self, coalition: Iterable[str]) -> Rows:
        """L by Gaussian elimination, as a reduced basis over the secrets of all senders."""
        q, wide = self.field.modulus, sum(weights.shape[1] - 1 for weights in self.maps)
        both = reduced(self.seen(coalition), q)
        return [row[wide:] for row in both if not any(row[:wide])]

    def by_theorem(self, coalition: Iterable[str]) -> Rows:
        """L from one sender's block: what the page of proofs states for one sum over all senders
        who share alike.
        """
        members = set(coalition)
        honest = [s for s in range(len(self.maps)) if f"s{s + 1}" not in members]
        block = self.maps[honest[0]]
        corrupt = [j for j in range(self.recipients) if f"r{j + 1}" in members]
        alone = self._kernel(block[corrupt])
        rows = [[int(s == one) for s in range(len(self.maps))] for one in honest if alone]
        if "server" in members and self._kernel(block):
            rows.append([int(s in honest) for s in range(len(self.maps))])
        return reduced(rows, self.field.modulus)

    def _kernel(self, block: Ints) -> bool:
        """Whether some combination of these rows is a multiple of the secret alone."""
        both = reduced(block.tolist(), self.field.modulus)
        return any(not any(row[:-1]) for row in both)


def found_by(judge: Judge, done: Run, coalition: Sequence[str], senders: int) -> Rows:
    """L as the judge finds it, as a reduced basis over the secrets of all senders."""
    found = judge.verdict(list(coalition))
    rows = []
    for function in found.functions:
        assert function.value == function.true  # the attack works
        row = [0] * senders
        for secret, coefficient in function.terms:
            row[int(secret.party[1:]) - 1] = coefficient
        rows.append(row)
    assert found.tier == "proved"
    return reduced(rows, found.knowledge[0].modulus if found.knowledge else 2)


def coalitions(protocol: SharedSums, random: Random, count: int) -> list[list[str]]:
    """Some coalitions that leave a sender out."""
    senders = [f"s{s + 1}" for s in range(len(protocol.maps))]
    recipients = [f"r{j + 1}" for j in range(protocol.recipients)]
    chosen = []
    for _ in range(count):
        few = random.sample(senders, random.choice([0, 0, 1, len(senders) - 1]))
        some = random.sample(recipients, random.randint(0, len(recipients)))
        server = ["server"] * random.choice([0, 1, 1])
        if few or some or server:
            chosen.append([*few, *some, *server])
    return chosen


def some_map(random: Random, q: int, recipients: int, coins: int) -> Ints:
    """A random share map; sometimes with many zeros, sometimes with equal rows."""
    entry = random.choice([lambda: random.randrange(q), lambda: random.choice([0, 0, 1])])
    weights = [[entry() for _ in range(coins + 1)] for _ in range(recipients)]
    if random.random() < 0.2:
        weights[-1] = weights[0]
    return np.array(weights, dtype=np.int64)


def some_protocol(random: Random, kind: str) -> SharedSums:
    """A random sharing of one kind; see `KINDS`."""
    field = Field(random.choice([2, 3, 5]))
    q, senders = field.modulus, random.randint(2, 5)
    recipients, coins = random.randint(1, 5), random.randint(1, 3)
    one = some_map(random, q, recipients, coins)
    maps, everyone = [one] * senders, tuple(range(senders))
    sums: tuple[tuple[int, ...], ...] = (everyone,)
    spilled: dict[int, int] = {}
    odd = random.randrange(senders)
    if kind == "odd sender":
        maps[odd] = some_map(random, q, recipients, random.randint(1, 3))
    elif kind == "every sender its own":
        maps = [some_map(random, q, recipients, coins) for _ in everyone]
    elif kind == "two sums":
        sums = (everyone, tuple(s for s in everyone if s != odd))
    elif kind == "one sum leaves a sender out":
        sums = (tuple(s for s in everyone if s != odd),)
    elif kind == "coins reused":
        spilled = {odd: random.randrange(coins)}
    return SharedSums(field, tuple(maps), sums, spilled)


KINDS = (
    "alike",
    "odd sender",
    "every sender its own",
    "two sums",
    "one sum leaves a sender out",
    "coins reused",
)


def assert_right(kind: str, seed: int) -> tuple[int, int]:
    """Compare the judge with the elimination for some coalitions of a random protocol. Return how
    many coalitions were compared, and in how many the theorem's formula differs.
    """
    random = Random(f"{kind} {seed}")
    protocol = some_protocol(random, kind)
    done = run(protocol, [random.randrange(9) for _ in protocol.maps], seed)
    judge = Judge([done], done.roster.names)
    differ, chosen = 0, coalitions(protocol, random, 4)
    for coalition in chosen:
        wanted = protocol.determined(coalition)
        assert found_by(judge, done, coalition, len(protocol.maps)) == wanted, (seed, coalition)
        differ += protocol.by_theorem(coalition) != wanted
    return len(chosen), differ


@pytest.mark.parametrize("kind", KINDS)
def test_random_sharings_are_judged_rightly(kind: str) -> None:
    assert sum(assert_right(kind, seed)[0] for seed in range(12 // SHARE)) > 0


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize("count", [12, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_more_random_sharings_are_judged_rightly(kind: str, count: int) -> None:
    """The theorem holds where senders share alike, and only there."""
    first = 0 if FACTOR == 1 else 1000
    counted = [assert_right(kind, seed) for seed in range(first, first + count * FACTOR)]
    differ = sum(differ for _, differ in counted)
    assert differ == 0 if kind == "alike" else differ > 0


@for_each("seed", range(36 // SHARE))
def test_one_senders_block_decides(seed: int) -> None:
    """The formula of the theorem against elimination, for every coalition."""
    protocol = some_protocol(Random(seed), "alike")
    names = list(protocol.parties())
    for size in range(1, len(names) + 1):
        for coalition in itertools.combinations(names, size):
            if any(f"s{s + 1}" not in coalition for s in range(len(protocol.maps))):
                assert protocol.by_theorem(coalition) == protocol.determined(coalition)


def test_two_sums_over_different_survivors_are_outside_the_theorem() -> None:
    """Additive shares of two sums: their difference is the secret of the sender left out."""
    weights = np.array([[1, 0], [-1, 1]]) % 5
    protocol = SharedSums(Field(5), (weights,) * 3, ((0, 1, 2), (0, 1)))
    done = run(protocol, [1, 2, 3], 1)
    found = found_by(Judge([done], ["server"]), done, ["server"], 3)
    assert found == protocol.determined(["server"]) == [[1, 1, 0], [0, 0, 1]]
    assert protocol.by_theorem(["server"]) == [[1, 1, 1]]


# One sender's coins under several secrets, and scripts that change with the number of users.


@attrs.frozen
class TwoItems:
    """Senders share two secrets among three recipients; `reuse` says from how many senders on both
    secrets have the same coins.
    """

    users: int
    reuse: int
    field: Field = attrs.field(factory=lambda: Field(101))

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, self.users), **seats("r", self.recipient, 3)}

    async def user(self, me: Party, number: int) -> None:
        mine = me.secret(lambda x: [x, 2 * x + 1], number, field=self.field, shape=(2,))
        powers = np.array([[x * x, x, 1] for x in (1, 2, 3)])
        coins = me.coins.field(self.field, (2,))
        for item in range(2):
            if self.users < self.reuse:
                coins = me.coins.field(self.field, (2,))
            both = coins.append(mine[item])
            rows = both.combine(powers)
            await me.scatter(Summed(f"item{item}"), to=me.all("recipient"), rows=rows)

    async def recipient(self, me: Party) -> None:
        for item in range(2):
            await me.gather_sum(Summed(f"item{item}"), senders=me.all("user"))


@pytest.mark.parametrize(("users", "finding"), [(9, "nothing"), (10, "leaks")])
def test_masks_that_are_reused_from_ten_users_on(users: int, finding: str) -> None:
    """Each item by itself hides its secret; both together give the difference of the secrets."""
    done = run(TwoItems(users, reuse=10), list(range(users)), 3)
    found = Judge([done], ["r2"]).verdict("r2")
    assert found.finding == finding
    terms = [[(secret.item, c) for secret, c in one.terms] for one in found.functions]
    assert terms == ([[(1, 1), (2, 100)]] * users if users == 10 else [])
    assert all(function.value == function.true for function in found.functions)


# The protocols of the house: every coalition, against elimination of the rows written out.

# The settings of a run, and how many users it may have so that all coalitions take a few seconds.
HOUSE: dict[str, tuple[dict[str, str], int]] = {
    "dpds": ({"items": "2"}, 6),
    "dpds_shamir": ({"items": "2", "sharing": "shamir:2"}, 6),
    "dpds_shamir, threshold 3": ({"items": "1", "sharing": "shamir:3"}, 6),
    "dpds_robust": ({"items": "1", "sharing": "shamir:2"}, 7),
    "dpds_robust, threshold 4": ({"items": "1", "sharing": "shamir:4"}, 7),
    "dpdg": ({"items": "2"}, 7),
    "dpcs_star": ({}, 5),
    "committee": ({"items": "2", "members": "3", "sharing": "shamir:2"}, 5),
    "tss": ({"items": "2", "reported": "1"}, 5),
    "tss, threshold 2": ({"items": "3", "reported": "2", "sharing": "shamir:2"}, 3),
    "tss_prime": ({"items": "3", "reported": "2", "bound": "2"}, 5),
    "tss_robust": ({"items": "2", "reported": "1"}, 5),
    "sampling_privacy": ({}, 5),
    "sampling_privacy_clear": ({}, 6),
    "weighted": ({}, 5),
}
LEAST = {"weighted": 8, "dpds_robust, threshold 4": 5}  # users
FAST = ("dpds_shamir", 4)


def cases_of_the_house() -> list[Any]:
    """All protocols with up to eight users; runs that take long are marked so."""
    return [
        pytest.param(
            name,
            users,
            marks=()
            if (name, users) == FAST
            else pytest.mark.long
            if users > most
            else pytest.mark.slow,
        )
        for name, (_, most) in HOUSE.items()
        for users in range(LEAST.get(name, 3), 9)
    ]


def played(name: str, settings: Mapping[str, str], seed: int) -> Run:
    scenario = find(name.partition(",")[0])[1].with_settings(dict(settings))
    protocol = scenario.build(scenario.users, scenario.items)
    held: list[Any] = [1 + place % scenario.items for place in range(scenario.users)]
    return run(protocol, held, seed)


def written_out_rows(found: Verdict) -> dict[int, tuple[Rows, list[int]]]:
    """L over each field, by elimination of what the messages contain element by element; the
    second list has the unknowns of the columns.
    """
    done, members = found.runs[0], set(found.corrupt.parties)
    numbers = frozenset(done.roster.number[name] for name in members)
    held = found.unknowns.held_by(members)
    rows: dict[int, list[dict[int, int]]] = {}
    for part in forms_received(0, done.transcript.blocks, numbers):
        rows.setdefault(part.field.modulus, []).extend(refine(part.terms, 1).vectors())
    result = {}
    for modulus, vectors in rows.items():
        names = {u for row in vectors for u in row if not held[u // PLACES]}
        kinds = {u: found.unknowns.families[u // PLACES].kind for u in names}
        coins = sorted(u for u in names if kinds[u] == "coin")
        targets = sorted(names.difference(coins))
        both = reduced([[row.get(u, 0) for u in [*coins, *targets]] for row in vectors], modulus)
        wide = len(coins)
        result[modulus] = ([row[wide:] for row in both if not any(row[:wide])], targets)
    return result


def assert_equals_elimination(judge: Judge, coalition: Sequence[str]) -> None:
    found = judge.verdict(list(coalition))
    by_hand = written_out_rows(found)
    for knowledge in found.knowledge:
        basis, targets = by_hand.get(knowledge.modulus, ([], []))
        rows = [
            [{u + lane: c for u, c in function.terms.items()}.get(target, 0) for target in targets]
            for function in knowledge.functions
            for lane in range(knowledge.view.lanes)
        ]
        assert reduced(rows, knowledge.modulus) == basis, coalition


def all_coalitions(done: Run) -> list[tuple[str, ...]]:
    names, owners = done.roster.names, set(done.inputs)
    sets = (c for k in range(1, len(names)) for c in itertools.combinations(names, k))
    return [coalition for coalition in sets if not owners <= set(coalition)]


@pytest.mark.parametrize(("name", "users"), cases_of_the_house())
def test_every_coalition_of_small_runs_equals_elimination(name: str, users: int) -> None:
    done = played(name, {**HOUSE[name][0], "users": str(users)}, 2)
    judge = Judge([done], done.roster.names)
    for coalition in all_coalitions(done):
        assert_equals_elimination(judge, coalition)


@pytest.mark.slow
def test_a_server_with_too_few_users_is_judged_without_writing_sums_out() -> None:
    """The rows written out have 2.7 million terms."""
    protocol = DPDS(users=300, items=2, participation=0.5, sharing="shamir:30")
    done = run(protocol, [1 + place % 2 for place in range(300)], 1)
    with stopwatch() as watch:
        found = verdict(done, ["server", *(f"u{place}" for place in range(1, 30))])
        functions = found.functions
    assert watch.seconds < 30
    assert found.finding == "output-only"
    assert [len(function.terms) for function in functions] == [271, 271]
    assert all({c for _, c in function.terms} == {1} for function in functions)
    assert all(function.value == function.true for function in functions)
    (knowledge,) = found.knowledge
    assert knowledge.view.size > 2_000_000
