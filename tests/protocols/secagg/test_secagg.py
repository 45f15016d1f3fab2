"""Secure aggregation: whoever drops out and whatever the server says, a coalition learns what
counting shares says.
"""

import itertools
from collections import Counter
from collections.abc import Iterator

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import DPDG, DPDS, SecAgg, SecAggPlus, server_of_noisy_counts
from protocols.secagg.about import about
from protocols.secagg.build import secagg, secagg_plus
from protocols.secagg.coalitions import CLAIMS
from protocols.secagg.script import MASKED
from simnet import Fate, certificate_of, certificate_text, run, sends, verdict
from simnet.adversary import check as certificate
from simnet.adversary.judge import Judge
from simnet.scenario.claims import Exposes
from simnet.scenario.judging import judge_claims
from simnet.scenario.perform import bill
from simnet.testing import fates as fate_strategy
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.secagg_prediction import STAYS, Liar, Pattern, question

LIST_CHUNKS = 12


def check(pattern: Pattern, with_server_only: bool = False, certifies: bool = True) -> int:
    """Compare all verdicts on one run with the prediction; return their number.

    With `certifies`, a lone reader must accept the certificate of each verdict.
    """
    users = pattern.users
    done = run(pattern.protocol, [1] * len(users), seed=1, fates=pattern.fates)
    is_result = len(set(pattern.answering()) & set(pattern.reached("opened")))
    assert pattern.lists or (done.outcome == "result") == (is_result >= pattern.threshold)
    judge = Judge([done], [*users, "server"])
    count = 0
    for size in range(len(users)):
        for some in itertools.combinations(users, size):
            for coalition in ([*some], [*some, "server"]):
                if not coalition or (with_server_only and "server" not in coalition):
                    continue
                found = judge.verdict(coalition)
                assert found.finding == pattern.finding(coalition), (pattern, coalition)
                if certifies:
                    certified = certificate.check(certificate_text(certificate_of(found)))
                    assert certified.statement == found.finding, (pattern, coalition)
                count += 1
    return count


def patterns(users: int, threshold: int) -> Iterator[Pattern]:
    """Every pattern of drop-outs, up to renaming users."""
    for leaves in itertools.combinations_with_replacement(range(STAYS + 1), users):
        yield Pattern(leaves, threshold)


@pytest.mark.parametrize("leaves", [(4, 4, 4), (4, 3, 2), (4, 1, 4), (0, 4, 4), (2, 2, 4)])
def test_what_a_coalition_learns_under_drop_outs(leaves: tuple[int, ...]) -> None:
    assert check(Pattern(leaves, 2)) == 13


@pytest.mark.parametrize(
    ("left", "holders", "threshold"),
    [(0.29, 100, 30), (0.57, 100, 58), (0.58, 50, 30), (0.5, 5, 3), (0.0, 10, 2), (0.999, 10, 10)],
)
def test_the_share_left_of_the_holders_cannot_open_a_secret(
    left: float, holders: int, threshold: int
) -> None:
    assert secagg(users=holders, items=1, left=left).threshold == threshold
    assert secagg(users=holders, items=1, left=np.float64(left)).threshold == threshold


@pytest.mark.slow
@pytest.mark.parametrize(
    ("users", "threshold"),
    long_but([(2, 2), (3, 2), (3, 3), (4, 2), (4, 3), (4, 4)], (2, 2)),
)
def test_every_pattern_of_drop_outs(users: int, threshold: int) -> None:
    """Every verdict is compared. Of three users, one pattern of those that differ in names alone is
    certified.
    """
    found = sum(
        check(Pattern(leaves, threshold), certifies=users > 3 or list(leaves) == sorted(leaves))
        for leaves in itertools.product(range(STAYS + 1), repeat=users)
    )
    assert found == (STAYS + 1) ** users * (2 * (2**users - 1) - 1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("users", "threshold"),
    [(4, 3), (5, 2), (5, 3), (5, 4), (5, 5), (6, 3), (6, 4), (6, 5)],
)
def test_every_pattern_of_more_users_up_to_their_names(users: int, threshold: int) -> None:
    """Of four users every third pattern is certified; the long test above certifies all."""
    for number, pattern in enumerate(patterns(users, threshold)):
        check(pattern, certifies=users > 4 or number % 3 == 0)


# A server that lies.


def lists(users: int, threshold: int, chunk: int = 0, chunks: int = 1) -> Iterator[Pattern]:
    """Every pattern of drop-outs before the lists, with every list for every reader, up to renaming
    users.

    A list of fewer than t users makes its reader stop, so one such list stands for all. A list
    that does not name its reader does the same. Both kinds are drawn, so that the tests on all
    patterns hold them against each other; `_names_its_reader` leaves the second kind out.
    """
    for leaves in itertools.combinations_with_replacement(range(STAYS + 1), users):
        if STAYS - 1 in leaves:  # to drop out now is to be told too few users
            continue
        honest = Pattern(leaves, threshold)
        readers = [honest.users.index(name) for name in honest.reached("masked")]
        sharers = [honest.users.index(name) for name in honest.reached("shares")]
        if len(readers) < threshold:
            continue
        options = [
            some
            for size in range(threshold, len(sharers) + 1)
            for some in itertools.combinations(sharers, size)
        ]
        for told in _up_to_names(leaves, readers, [(), *options])[chunk::chunks]:
            yield Pattern(
                leaves,
                threshold,
                {
                    f"u{reader + 1}": tuple(f"u{user + 1}" for user in which)
                    for reader, which in zip(readers, told, strict=True)
                },
            )


def _names_its_reader(pattern: Pattern) -> bool:
    """Whether each list that has users names its reader."""
    return all(not told or reader in told for reader, told in pattern.lists.items())


def _up_to_names(
    leaves: tuple[int, ...], readers: list[int], options: list[tuple[int, ...]]
) -> list[list[tuple[int, ...]]]:
    """One assignment of options to readers of each class that renaming users makes equal."""
    count, width = len(options), len(readers)
    number = {option: place for place, option in enumerate(options)}
    digits = np.indices((count,) * width).reshape(width, -1)
    weights = count ** np.arange(width)[::-1]
    own = weights @ digits
    least = own.copy()
    for renamed in itertools.permutations(range(len(leaves))):
        if any(leaves[renamed[user]] != leaves[user] for user in range(len(leaves))):
            continue
        table = np.array(
            [number[tuple(sorted(renamed[user] for user in some))] for some in options]
        )
        image = np.zeros_like(own)
        for place, reader in enumerate(readers):
            image += weights[readers.index(renamed[reader])] * table[digits[place]]
        np.minimum(least, image, out=least)
    return [[options[digit] for digit in digits[:, at]] for at in np.flatnonzero(own == least)]


# Different lists, t > n / 2: the server opens sums of fewer than t users, but nobody's two secrets.
DIFFERENT_LISTS = Pattern(
    (4, 4, 4, 4, 4),
    3,
    {
        "u1": ["u1", "u2", "u3"],
        "u2": ["u1", "u2", "u3"],
        "u3": ["u1", "u3", "u4"],
        "u4": ["u1", "u3", "u4"],
        "u5": ["u1", "u3", "u5"],
    },
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        # one list for all: both secrets of u4 come out exactly if 2t <= answers + 2 corrupt
        Pattern((4, 4, 4, 4), 2, {"u1": ["u1", "u2"], "u2": ["u1", "u2"]}),
        DIFFERENT_LISTS,
    ],
)
def test_a_server_that_lies(pattern: Pattern) -> None:
    assert check(pattern) > 20
    assert pattern.finding(["server"]) == "leaks"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("users", "threshold", "chunks"),  # only the first of so many chunks of lists is checked
    long_but([(3, 2, 1), (3, 2, 4), (3, 3, 1), (4, 3, 1), (4, 4, 1)], (3, 2, 4), (3, 3, 1)),
)
def test_every_list_for_every_reader(users: int, threshold: int, chunks: int) -> None:
    for pattern in lists(users, threshold, chunks=chunks):
        check(pattern, certifies=(users, threshold) != (4, 3))  # with certificates below


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LIST_CHUNKS))
@pytest.mark.parametrize(("users", "threshold"), [(4, 2), (4, 3), (5, 4), (5, 3)])
def test_every_list_for_every_reader_up_to_names(users: int, threshold: int, chunk: int) -> None:
    for pattern in lists(users, threshold, chunk, LIST_CHUNKS):
        if users < 5 or _names_its_reader(pattern):
            check(pattern, with_server_only=True)


def _least_sum(users: int, threshold: int, helpers: tuple[str, ...]) -> int:
    """The fewest users whose sum a lying server and its helpers learn, the helpers included; n if
    they learn no sum. (Helpers may say that they were there.)
    """
    least = users
    for pattern in lists(users, threshold):
        pattern = Pattern(pattern.leaves, threshold, pattern.lists, True, helpers)
        for some in pattern.learned(["server", *helpers]):
            least = min(least, len(some) + len(helpers))
    return least


def test_a_consistency_round_prevents_sums_of_few_users() -> None:
    users, threshold, helpers = 4, 3, ("u1",)  # 2t > n + c
    assert _least_sum(users, threshold, helpers) == threshold


@pytest.mark.slow
def test_a_consistency_round_stops_a_server_with_different_lists() -> None:
    assert [len(some) for some in DIFFERENT_LISTS.learned(["server"])] == [2]
    closed = attrs.evolve(DIFFERENT_LISTS, active=True)
    check(closed)
    assert closed.learned(["server"]) == []


HELPERS = [("u1",), ("u2", "u3")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "helpers",
    [(), *(pytest.param(some, marks=pytest.mark.long) for some in HELPERS)],
)
@pytest.mark.parametrize(
    ("users", "threshold", "chunks"),  # only the first of so many chunks of lists is checked
    long_but([(3, 2, 1), (4, 3, 8), (4, 3, 1)], (3, 2, 1), (4, 3, 8)),
)
def test_verdicts_with_a_consistency_round(
    users: int, threshold: int, chunks: int, helpers: tuple[str, ...]
) -> None:
    for pattern in lists(users, threshold, chunks=chunks):
        pattern = Pattern(pattern.leaves, threshold, pattern.lists, True, helpers)
        done = run(pattern.protocol, [1] * users, seed=1, fates=pattern.fates)
        judge = Judge([done], [*pattern.users, "server"])
        for coalition in (["server", *helpers], ["server", *helpers, "u3"]):
            expected = pattern.finding(coalition)
            assert judge.verdict(coalition).finding == expected, (pattern, coalition)


# What a run gives.


@st.composite
def runs(draw):
    """A run in which any users drop out anywhere."""
    answer = draw(st.sampled_from(["dpds", "dpdg"]))
    settings = {"items": 2, "answer": answer, "participation": 1.0, "epsilon": 1.0}
    settings["left"] = draw(st.sampled_from([0.0, 0.4, 0.5]))
    made = draw(
        st.sampled_from(
            [
                secagg(users=draw(st.integers(2, 5)), **settings),
                secagg(users=draw(st.integers(3, 5)), active=True, **settings),
                secagg_plus(users=draw(st.integers(5, 8)), degree=4, **settings),
            ]
        )
    )
    held = draw(st.lists(st.integers(1, 2), min_size=made.users, max_size=made.users))
    sent = {name: own for name, own in sends(made, held).items() if name != "server"}
    return run(made, held, draw(st.integers(0, 99)), fates=draw(fate_strategy(sent)))


@pytest.mark.slow
@cases(60)
@given(runs())
def test_a_result_is_the_frequency_among_the_users_who_were_counted(done) -> None:
    protocol = done.protocol
    counted = protocol.counted(done.happened)
    for row in bill(about(protocol), done):
        assert row.holds, row
    if "server" not in done.outputs:
        assert done.outcome == "aborted"
        return
    if isinstance(protocol.question, DPDS):
        held = [done.inputs[name] for name in counted]
        expected = np.bincount(held, minlength=3)[1:] / len(counted)
        assert np.allclose(done.outputs["server"], expected)


@pytest.mark.parametrize("users", [3, 8])
def test_signatures_are_all_that_the_active_variant_adds_to_the_bill(users: int) -> None:
    """A user sends a signature of its keys and one of the list, and gets those of all others."""
    honest, active = (
        run(secagg(users=users, items=2, active=which), [1] * users, seed=1).ledger.by(
            "tag", "sent"
        )
        for which in (False, True)
    )
    others = users * (users - 1)
    marks = users * -(-(users - 1) // 8)  # a bit for each other user, in whole octets
    more = {"keys": 64 * users, "ring": 64 * others}
    more |= {"signed": 64 * users, "signatures": 64 * others + marks}
    expected = {tag: sent.payload_bytes + more.get(tag, 0) for tag, sent in honest.items()}
    expected |= {tag: more[tag] for tag in ("signed", "signatures")}
    assert {tag: sent.payload_bytes for tag, sent in active.items()} == expected
    assert active["keys"].messages == honest["keys"].messages


@pytest.mark.slow
@pytest.mark.parametrize("trials", long_but([160, 400], 160))
@pytest.mark.parametrize("answer", long_but(["dpds", "dpdg"], "dpds"))
def test_estimates_after_drop_outs_are_unbiased_and_their_intervals_hold(
    answer: str, trials: int
) -> None:
    """A false alarm of each of the two statistics has a chance of about 1 in 10,000."""
    users, held = 12, [1] * 5 + [2] * 4 + [3] * 3
    protocol = secagg(users=users, items=3, answer=answer, participation=0.5, epsilon=1.0)
    support, errors, inside = np.array([5, 4, 3]), [], 0
    rng = np.random.default_rng(1)
    for seed in range(trials):
        leaving = rng.choice(users, 3, replace=False) + 1
        fates = {f"u{number}": Fate(MASKED.name) for number in leaving}
        done = run(protocol, held, seed, fates=fates)
        found = about(protocol).assess(done, support, 0.95)
        errors.append(found.estimate - found.truth)
        inside += int(((found.low <= found.truth) & (found.truth <= found.high)).sum())
    deviation = np.std(errors, axis=0) / np.sqrt(trials)
    assert np.all(np.abs(np.mean(errors, axis=0)) < 4.3 * deviation)
    squared = np.square(errors).sum(axis=1)
    assert abs(squared.mean() - found.expected_squared_l2) < 4 * squared.std() / np.sqrt(trials)
    assert inside >= 3 * trials * (0.95 if answer == "dpds" else 0.92)


def test_the_noise_of_users_who_dropped_out_is_missing_in_the_stated_privacy() -> None:
    asked = DPDG(users=6, items=2, epsilon=1.0, delta=1e-3)
    protocol = SecAgg(asked, threshold=3)
    done = run(protocol, [1, 1, 2, 2, 1, 1], fates={"u2": Fate("masked")})
    after = about(protocol).privacy(done, np.array([4, 2]), None, None)
    before = about(protocol).privacy(run(protocol, [1] * 6), np.array([6, 0]), None, None)
    assert after[1].epsilon > before[1].epsilon
    assert "1 user dropped out" in after[0].assumption
    assert server_of_noisy_counts is not None


@pytest.mark.parametrize("tag", ["shares", "masked"])
def test_no_secret_is_said_to_open_whose_owner_dropped_out(tag: str) -> None:
    """With four users of whom one drops out, three open nobody's secret; with five they open one
    of somebody whose vector came.
    """
    exposes = [claim for claim in CLAIMS if isinstance(claim, Exposes)]
    for users, is_judged in ((4, False), (5, True)):
        protocol = secagg(users=users, items=2)
        done = run(protocol, [1] * users, seed=1, fates={"u1": Fate(tag)})
        (found,) = judge_claims(exposes, done, about(protocol))
        assert (found.holds, found.verdict is not None) == (True, is_judged)


@pytest.mark.slow
def test_a_server_alone_on_a_circle_that_was_cut_learns_two_sums() -> None:
    """With degree 2, two users who drop out cut the circle into two parts of two users."""
    protocol = SecAggPlus(question(6), threshold=2, degree=2)
    whole = run(protocol, [1] * 6, seed=3)
    assert verdict(whole, "server").finding == "output-only"
    found: Counter[tuple[str, str]] = Counter()
    for pair in itertools.combinations(range(1, 7), 2):
        done = run(protocol, [1] * 6, seed=3, fates={f"u{at}": Fate("shares") for at in pair})
        found[done.outcome, verdict(done, "server").finding] += 1
    # neighbours on the circle; users with one user between them, who then has no neighbour; others
    assert found == {
        ("result", "output-only"): 6,
        ("aborted", "nothing"): 6,
        ("result", "leaks"): 3,
    }


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: SecAgg(question(4), threshold=1), "the threshold is from 2"),
        (lambda: SecAgg(question(4), threshold=5), "the threshold is from 2"),
        (lambda: SecAggPlus(question(5), threshold=4, degree=2), "the degree must be even"),
        (
            lambda: SecAggPlus(question(5), threshold=2, degree=2, active=True),
            "active=True is for SecAgg alone",
        ),
    ],
)
def test_bad_parameters_are_refused_by_the_class(made, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        made()


@for_each("build", [secagg, secagg_plus])
@for_each("answer", ["dpds", "dpdg"])
@for_each("wrong", [{"epsilon": -1.0}, {"delta": 5.0}, {"delta": 0.0}, {"participation": 7.0}])
def test_parameters_out_of_range_are_refused_whatever_users_send(build, answer, wrong) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        build(users=10, items=3, answer=answer, **wrong)


@for_each("build", [secagg, secagg_plus])
def test_epsilon_of_noisy_answers_is_at_most_1(build) -> None:
    with pytest.raises(ValueError, match="with answer=dpdg epsilon is at most 1"):
        build(users=10, items=3, answer="dpdg", epsilon=2.0)
    assert build(users=10, items=3, answer="dpds", epsilon=2.0)


def test_the_liar_of_these_tests_is_the_protocol_if_it_tells_the_truth() -> None:
    honest, liar = SecAgg(question(3), 2), Liar(question(3), 2)
    assert run(honest, [1, 1, 1], 1).trace_hash == run(liar, [1, 1, 1], 1).trace_hash
