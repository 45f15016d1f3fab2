"""Table I: what is measured is what the formulas say, run by run and in the mean.

The paper's entries and errata.
"""

import itertools
import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.dpdg.script import DPDG, NOISES
from protocols.dpds.script import DPDS
from protocols.sharing import table1
from protocols.sharing.schemes import Additive, Shamir
from protocols.tss.prime import TSSPrime, tss
from protocols.tss.script import TSS
from protocols.weighted.script import Weighted
from simnet import run
from simnet.scenario.perform import bill
from simnet.stated.bill import BillRow, Expectation
from tests.harness.laws import law_of_definition
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.shell import simnet
from tests.harness.weighted import weighted_groups

Key = tuple[str, str, str, str]  # role, quantity, direction, counting
SHARINGS = ("additive", "shamir:2", "shamir:3")
KINDS = ("dpds", "tss", "tss_prime", "dpdg")


def key(row: Expectation) -> Key:
    return row.role, row.quantity, row.direction, row.counting


@st.composite
def protocols(draw: st.DrawFn, kind: str, items: int) -> Any:
    n, sharing = draw(st.integers(2, 7)), draw(st.sampled_from(SHARINGS))
    p = draw(st.sampled_from([0.3, 1.0]))
    if kind == "dpds":
        return DPDS(n, items, p, sharing)
    if kind == "dpdg":
        bits, noise = draw(st.sampled_from([0, 8])), draw(st.sampled_from(NOISES))
        return DPDG(n, items, 0.5, 1e-5, bits, noise, sharing=sharing)
    bound = draw(st.integers(0, n - 1)) if kind == "tss_prime" else None
    reported, gamma = draw(st.integers(1, items)), draw(st.sampled_from([None, 2.0]))
    return tss(
        users=n,
        items=items,
        participation=p,
        reported=reported,
        gamma=gamma,
        bound=bound,
        sharing=sharing,
    )


@st.composite
def instances(draw: st.DrawFn, kind: str) -> tuple[Any, list[int]]:
    items = draw(st.integers(1, 4))
    if kind == "weighted":
        groups = draw(
            st.lists(
                st.sampled_from(KINDS).flatmap(lambda one: protocols(one, items)),
                min_size=1,
                max_size=3,
            )
        )
        protocol: Any = Weighted(weighted_groups(groups), "uwa")
    else:
        protocol = draw(protocols(kind, items))
    held = draw(st.lists(st.integers(1, items), min_size=protocol.users, max_size=protocol.users))
    return protocol, held


@pytest.mark.parametrize("kind", [*KINDS, "weighted"])
@given(st.data(), st.integers(0, 1000))
def test_every_measured_count_is_its_exact_formula(
    kind: str, data: st.DataObject, seed: int
) -> None:
    protocol, held = data.draw(instances(kind))
    done = run(protocol, held, seed)
    rows = bill(about(protocol), done)
    assert [row for row in rows if not row.holds] == []
    billed = {(row.expectation.role, row.expectation.quantity) for row in rows}
    for (
        role,
        operations,
    ) in done.ledger.operations().items():  # nothing is done that the bill does not speak of
        for operation, count in operations.items():
            free = {("server", "RM"), ("server", "RA")} if kind == "weighted" else set()
            assert not count or (role, operation) in billed | free, (role, operation, count)


def section_8(protocol: TSS, m: Any, elected: Any, both: Any) -> dict[Key, float]:
    """The spec's exact values, written out again: totals for these reporters, elected users, and
    users who are both.
    """
    n, N = protocol.users, protocol.items  # noqa: N806
    some = [
        (int(m_j), int(e_j), b_j) for m_j, e_j, b_j in zip(m, elected, both, strict=True) if m_j
    ]
    totals: Counter[Key] = Counter()

    def put(*entry: Any) -> None:
        *where, amount = entry
        totals[tuple(where)] += amount

    for m_j, e_j, b_j in some:
        t = min(protocol.sharing.threshold, e_j) if isinstance(protocol.sharing, Shamir) else 0
        put("user", "FS", "none", "wire", m_j * ((t or e_j) - 1))
        put("user", "FA", "none", "wire", m_j * (e_j * (t - 1) if t else e_j - 1) + e_j * (m_j - 1))
        put("S2", "FA", "none", "wire", (t or e_j) - 1)
        if t:
            put("user", "FM", "none", "wire", m_j * e_j * t)
            put("S2", "FM", "none", "wire", t)
        for kind in ("qd", "Nd"):
            put("user", kind, "sent", "logical", m_j * e_j + e_j)
            put("user", kind, "sent", "wire", m_j * e_j + e_j - b_j)
        put("S2", "qd", "received", "wire", e_j)
    put("S1", "nS", "none", "wire", sum(elected))
    extra = N if isinstance(protocol, TSSPrime) else 0
    put("S1", "nd", "sent", "wire", (n + 1) * (sum(elected) + extra))
    put("S1", "Nd", "sent", "wire", (n + 1) * N)
    put("S1", "nA", "none", "wire", (n - 1) * N)
    put("S2", "RM", "none", "wire", N)
    put("user", "bd", "sent", "wire", n * N)
    put("user", "BS", "none", "wire", n)
    put("user", "aS", "none", "wire", n)
    return dict(totals)


def in_total(entry: Expectation, value: float, users: int) -> float:
    return value * users if entry.scope == "per-user" else value


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tss", "tss_prime"])
@given(st.data(), st.integers(0, 1000))
def test_measured_counts_are_those_of_section_8(kind: str, data: st.DataObject, seed: int) -> None:
    protocol, held = data.draw(instances(kind))
    done = run(protocol, held, seed)
    sets, groups = done.outputs["S1"]
    both = [
        len(set(np.flatnonzero(sets[:, item])) & set(group.tolist()))
        for item, group in enumerate(groups)
    ]
    expected = section_8(protocol, sets.sum(axis=0), [len(group) for group in groups], both)
    rows = {key(row.expectation): row for row in bill(about(protocol), done)}
    for where, total in expected.items():
        row = rows[where]
        assert in_total(row.expectation, row.measured, protocol.users) == pytest.approx(total), (
            where
        )
    assert sets.sum() == protocol.reported * protocol.users  # Σ m_j = kn


@given(st.data(), st.integers(2, 7), st.integers(1, 4), st.integers(0, 1000))
def test_measured_counts_of_dpds_are_those_of_section_8(
    data: st.DataObject,
    n: int,
    N: int,
    seed: int,
) -> None:
    done = run(
        DPDS(n, N, 0.5), data.draw(st.lists(st.integers(1, N), min_size=n, max_size=n)), seed
    )
    rows = {key(row.expectation): row.measured for row in bill(about(DPDS(n, N, 0.5)), done)}
    assert rows["user", "qd", "sent", "logical"] == n * N + N
    assert rows["user", "qd", "sent", "wire"] == n * N
    assert rows["user", "qd", "received", "logical"] == n * N
    assert rows["user", "qd", "received", "wire"] == (n - 1) * N
    assert rows["server", "qd", "received", "wire"] == n * N
    assert rows["user", "qd", "none", "logical"] == 2 * n * N + N  # erratum 9.3
    assert rows["user", "FA", "none", "wire"] == 2 * (n - 1) * N
    assert rows["user", "FS", "none", "wire"] == (n - 1) * N
    assert rows["server", "FA", "none", "wire"] == (n - 1) * N
    assert rows["user", "rounds", "none", "wire"] == 2


# Expectations


def enumerated(protocol: TSS, held: list[int]) -> tuple[dict[Key, float], float]:
    """The means of the totals, and of the rounds, over all reporting sets and elections."""
    n, N, k = protocol.users, protocol.items, protocol.reported  # noqa: N806
    p = Fraction(protocol.participation)
    idle = law_of_definition(k, N, None, protocol.gamma)
    laws = []
    for item in held:
        active = law_of_definition(k, N, item - 1, protocol.gamma)
        laws.append({one: p * active[one] + (1 - p) * idle[one] for one in idle})
    means: defaultdict[Key, float] = defaultdict(float)
    rounds = 0.0
    for sets in itertools.product(idle, repeat=n):
        chance = math.prod(law[one] for law, one in zip(laws, sets, strict=True))
        reporters = [[i for i, one in enumerate(sets) if item in one] for item in range(N)]
        m = [len(who) for who in reporters]
        elected = [max(protocol.bound + 1, c) if isinstance(protocol, TSSPrime) else c for c in m]
        both, home = [Fraction(0)] * N, Fraction(1)
        for item, who in enumerate(reporters):
            groups = list(itertools.combinations(range(n), elected[item]))
            both[item] = Fraction(sum(len(set(group) & set(who)) for group in groups), len(groups))
            if who:  # every share stays at home when one reports and is alone elected
                home *= Fraction(
                    sum(list(group) == who for group in groups) * (len(who) == 1), len(groups)
                )
        for where, total in section_8(protocol, m, elected, both).items():
            means[where] += float(chance * total)
        rounds += float(chance * (4 - home))
    return dict(means), rounds


TINY = [
    (TSS(2, 2, 0.5, 1), [1, 2]),
    (TSS(2, 1, 0.5, 1, 2.0), [1, 1]),
    (TSS(3, 3, 0.5, 1, 2.0), [1, 1, 3]),
    (TSS(3, 3, 0.25, 2, 3.0), [2, 2, 2]),
    (TSS(4, 2, 0.75, 1, 10.0), [1, 1, 1, 2]),
    (TSS(3, 2, 1.0, 2), [1, 1, 2]),
    (TSSPrime(users=3, items=3, participation=0.5, reported=1, gamma=2.0, bound=1), [1, 1, 3]),
    (TSSPrime(users=4, items=2, participation=0.5, reported=1, gamma=2.0, bound=3), [1, 1, 1, 2]),
    (TSSPrime(users=3, items=2, participation=0.5, reported=1, gamma=None, bound=0), [1, 2, 2]),
]
tiny = for_each("protocol, held", TINY)


@tiny
@for_each("sharing", SHARINGS)
def test_expectations_are_the_enumerated_means(
    protocol: TSS, held: list[int], sharing: str
) -> None:
    protocol = attrs.evolve(protocol, sharing=sharing)
    rows = {key(row): row for row in about(protocol).expected_bill(run(protocol, held))}
    for where, mean in enumerated(protocol, held)[0].items():
        assert in_total(rows[where], rows[where].expected, protocol.users) == pytest.approx(
            mean, rel=1e-9
        ), where


@tiny
def test_the_expected_number_of_rounds_is_the_enumerated_mean(
    protocol: TSS, held: list[int]
) -> None:
    bill_of_run = about(protocol).expected_bill(run(protocol, held))
    (row,) = (row for row in bill_of_run if (row.quantity, row.role) == ("rounds", "user"))
    mean = enumerated(protocol, held)[1]
    assert (
        mean < 4 if row.expected is None else row.expected + 1 == pytest.approx(mean)
    )  # S1 sends in one


@pytest.mark.slow
@pytest.mark.parametrize("runs", long_but([200, 600], 200))
@pytest.mark.parametrize(
    "protocol",
    long_but(
        [
            TSS(6, 3, 0.5, 1, 3.0),
            TSS(6, 4, 0.8, 2, 2.0, "shamir:2"),
            TSSPrime(users=6, items=3, participation=0.5, reported=1, gamma=3.0, bound=2),
        ],
        TSS(6, 3, 0.5, 1, 3.0),
    ),
    ids=lambda protocol: about(protocol).name,
)
def test_the_mean_over_seeds_meets_the_expectation(protocol: TSS, runs: int) -> None:
    """Every entry within 6 standard errors of its mean: about 2e-9 each, below 1e-6 together."""
    bills = [bill(about(protocol), run(protocol, [1, 1, 1, 1, 2, 3], seed)) for seed in range(runs)]
    for rows in zip(*bills, strict=True):
        measured, entry = np.array([row.measured for row in rows]), rows[0].expectation
        if entry.quantity != "rounds":
            assert (
                abs(measured.mean() - entry.expected) <= 6 * measured.std() / math.sqrt(runs) + 1e-9
            ), entry


@st.composite
def large(draw: st.DrawFn) -> tuple[TSS, int]:
    n, N = draw(st.integers(2, 1000)), draw(st.integers(1, 40))  # noqa: N806
    k, gamma = draw(st.integers(1, N)), draw(st.sampled_from([None, 1.5, 2.0, 10.0]))
    return TSS(n, N, draw(st.floats(0.01, 1)), k, gamma), n if N == 1 else draw(st.integers(0, n))


@given(large())
def test_the_law_of_the_reporters_has_the_moments_of_section_8(case: tuple[TSS, int]) -> None:
    protocol, support = case
    n, N, k, p = protocol.users, protocol.items, protocol.reported, protocol.participation  # noqa: N806
    alpha, gamma = k / N, protocol.gamma or 1
    inside = alpha * gamma / (alpha * gamma + 1 - alpha)
    r = p * inside + (1 - p) * alpha
    other = p * (k - inside) / (N - 1) + (1 - p) * alpha if N > 1 else 0
    first, law = table1.reporters_law(protocol, support)
    m = first + np.arange(len(law))
    mean = support * r + (n - support) * other
    assert law.sum() == pytest.approx(1, rel=1e-9)
    assert law @ m == pytest.approx(mean, rel=1e-9)
    pairs = mean**2 - support * r**2 - (n - support) * other**2
    assert law @ (m * (m - 1)) == pytest.approx(pairs, rel=1e-8, abs=1e-9)
    if protocol.gamma is None:
        assert mean == pytest.approx(alpha * n)
        assert pairs == pytest.approx(n * (n - 1) * alpha**2, rel=1e-8, abs=1e-9)


def rows_at(protocol: TSS, support: list[int]) -> dict[Key, Expectation]:
    """Table I for a protocol, whatever the run."""
    m = np.full(protocol.items, protocol.users // 3)
    tally = table1.ReportingCounts(m, m, np.zeros(protocol.items, dtype=np.int64))
    return {
        key(row): row
        for row in table1.tss(protocol, tally, np.array(support), publishes_reporters=False)
    }


@pytest.mark.parametrize("support", [[4, 2, 1, 1], [8, 0, 0, 0]])
def test_the_uniform_expectations_have_closed_forms(support: list[int]) -> None:
    n, N, k = 8, 4, 2  # noqa: N806
    rows, alpha = rows_at(TSS(n, N, 0.5, k), support), k / N
    assert rows["user", "qd", "sent", "logical"].expected == pytest.approx(
        alpha * N * (2 - alpha + alpha * n)
    )
    assert rows["user", "FS", "none", "wire"].expected == pytest.approx(N * (n - 1) * alpha**2)
    assert rows["user", "FA", "none", "wire"].expected == pytest.approx(2 * N * (n - 1) * alpha**2)
    assert rows["S1", "nS", "none", "wire"].expected == pytest.approx(k * n)
    assert rows["S1", "nd", "sent", "wire"].expected == pytest.approx((n + 1) * k * n)


# The paper


def test_the_papers_entries_are_as_printed() -> None:
    n, N, k, alpha = 1000, 30, 12, 0.4  # noqa: N806
    for gamma in (None, 2.0, 10.0):
        inside = alpha if gamma is None else alpha * gamma / (alpha * gamma + 1 - alpha)
        rows = rows_at(TSS(n, N, 0.5, k, gamma), [34] * 10 + [33] * 20)
        printed = {where: row.paper for where, row in rows.items()}
        assert printed["user", "FA", "none", "wire"] == pytest.approx(
            (inside * n - 1) * (inside + alpha) * N
        )
        assert printed["user", "FS", "none", "wire"] == pytest.approx((inside * n - 1) * alpha * N)
        assert printed["user", "BS", "none", "wire"] == printed["user", "aS", "none", "wire"] == 1
        assert printed["S1", "nA", "none", "wire"] == (n - 1) * N
        assert printed["S1", "nS", "none", "wire"] == pytest.approx(alpha * n * N)
        assert printed["S2", "FA", "none", "wire"] == pytest.approx((alpha * n - 1) * N)
        assert printed["S2", "RM", "none", "wire"] == N
        assert printed["S1", "nd", "sent", "wire"] == pytest.approx(alpha * n * N * (n + 1))
        assert printed["S1", "Nd", "sent", "wire"] == (n + 1) * N
        assert printed["user", "bd", "sent", "wire"] == N
        for kind in ("qd", "Nd"):
            assert printed["user", kind, "sent", "logical"] == pytest.approx(
                alpha * N * (1 + inside * n)
            )
    dpds = {key(row): row.paper for row in table1.dpds(n, N, Additive())}
    assert dpds["user", "qd", "none", "logical"] == 2 * n * N + N
    assert dpds["user", "FA", "none", "wire"] == 2 * (n - 1) * N
    assert dpds["user", "FS", "none", "wire"] == dpds["server", "FA", "none", "wire"] == (n - 1) * N
    assert (dpds["user", "BS", "none", "wire"], dpds["server", "RM", "none", "wire"]) == (1, N)
    assert dpds["user", "rounds", "none", "wire"] == 2
    for sharing in (
        Additive(),
        Shamir(3),
    ):  # the paper has no column for DPDG, none for TSS′, none for Shamir
        assert {row.paper for row in table1.dpdg(n, N, sharing)} == {None}
    prime = TSSPrime(users=n, items=N, participation=0.5, reported=k, bound=9)
    tally = table1.ReportingCounts(*(np.full(N, 400),) * 3)
    assert {
        row.paper for row in table1.tss(prime, tally, np.full(N, 33), publishes_reporters=True)
    } == {None}


@pytest.mark.parametrize(("gamma", "qd", "saving"), [(2.0, 6869, 4.37), (10.0, 10447, 2.87)])
def test_erratum_9_7(gamma: float, qd: int, saving: float) -> None:
    rows = rows_at(TSS(1000, 30, 0.5, 12, gamma), [34] * 10 + [33] * 20)
    sent, additions = rows["user", "qd", "sent", "logical"], rows["user", "FA", "none", "wire"]
    dpds = next(
        row
        for row in table1.dpds(1000, 30, Additive())
        if key(row) == ("user", "qd", "sent", "logical")
    )
    assert (round(sent.expected), round(sent.paper or 0)) == (4819, qd)
    assert dpds.expected / sent.expected == pytest.approx(6.23, abs=0.005)
    assert dpds.expected / (sent.paper or 0) == pytest.approx(saving, abs=0.005)
    if gamma == 2:
        assert (round(additions.expected), round(additions.paper or 0)) == (9590, 16624)
    assert "kn/N" in sent.note
    assert "kn/N" in additions.note


# The command


SMALL = ("table1", "--users", 8, "--items", 3, "--participation", 0.5)
TWO_STAGE = (*SMALL, "--reported", 2, "--gamma", 2)


def test_the_command_bills_all_protocols() -> None:
    budget = ("--epsilon", 0.5, "--delta", 1e-5)
    status, out, _ = simnet(*TWO_STAGE, "--phi", 3, *budget, "--trials", 3, "--json", "-")
    rows = json.loads(out)
    assert status == 0
    assert {row["protocol"] for row in rows} == {"dpds", "tss", "tss_prime", "dpdg"}
    fields = {field.name for field in attrs.fields(Expectation)} | {"protocol", "measured", "bytes"}
    for row in rows:
        assert set(row) == fields
        assert row["measured"] == pytest.approx(row["exact"], rel=1e-12)
        assert (row["bytes"] is None) == (
            row["kind"] == "computation" or row["quantity"] == "rounds"
        )
    entries = {
        (row["protocol"], row["role"], row["quantity"], row["direction"], row["counting"]): row
        for row in rows
    }
    assert len(entries) == len(rows)
    assert entries["dpds", "user", "qd", "none", "logical"]["paper"] == 2 * 8 * 3 + 3
    assert entries["dpds", "user", "qd", "none", "logical"]["measured"] == 2 * 8 * 3 + 3
    assert entries["dpdg", "user", "RS", "none", "wire"]["measured"] == 3
    assert entries["tss", "S1", "nS", "none", "wire"]["measured"] == 2 * 8
    wide, narrow = (
        entries[name, "user", "qd", "sent", "wire"]["bytes"] for name in ("dpdg", "dpds")
    )
    assert wide > narrow  # wider elements


def test_the_command_tells_the_true_saving() -> None:
    status, out, _ = simnet(
        "table1", "--users", 60, "--items", 5, "--participation", 0.5, "--reported", 2
    )
    assert status == 0
    assert "1/α² is 6.25" in " ".join(out.split())


@pytest.mark.slow
@for_each(
    "arguments, what",
    [
        ((*SMALL, "--gamma", 2), "--gamma goes with --reported"),
        ((*SMALL, "--phi", 1), "--phi goes with --reported"),
        ((*SMALL, "--epsilon", 0.5), "--epsilon and --delta go together"),
        ((*SMALL, "--delta", 0.5), "--epsilon and --delta go together"),
        ((*SMALL, "--trials", 0), "takes a whole number from 1, got 0"),
        ((*SMALL, "--reported", 4), "1 to 3 items"),
        ((*SMALL, "--reported", 2, "--gamma", 1), "gamma is above 1"),
        ((*SMALL, "--reported", 2, "--phi", 8), "bound lies in 0..7"),
        ((*SMALL, "--epsilon", 2, "--delta", 1e-5), "classic calibration"),
        (("table1", "--users", 1, "--items", 3, "--participation", 0.5), "at least 2 users"),
        (("table1", "--users", 8, "--items", 0, "--participation", 0.5), "at least 1 item"),
        (("table1", "--users", 8, "--items", 3, "--participation", 0), "above 0 and at most 1"),
    ],
)
def test_the_command_refuses(arguments: tuple[object, ...], what: str) -> None:
    status, out, err = simnet(*arguments)
    assert status == 2
    assert what in err
    assert not out or "Traceback" not in out


def test_a_wrong_count_does_not_hold() -> (
    None
):  # a bill blind to the measured value would pass the tests above
    rows = bill(about(DPDS(3, 2, 0.5)), run(DPDS(3, 2, 0.5), [1, 2, 2]))
    assert all(isinstance(row, BillRow) and row.holds for row in rows)
    changed = [attrs.evolve(row, measured=row.measured + 1) for row in rows]
    assert not any(row.holds for row in changed)
