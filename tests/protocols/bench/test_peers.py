"""Benchmarks against libraries that may be missing. If one is missing, the output names it, and the
others are measured.
"""

import functools
from typing import Any

import numpy as np
import pytest

from protocols.bench import peers
from simnet.bench import benchmark
from simnet.bench.benchmark import Benchmark, NotInstalled
from simnet.cli.bench import bench


@pytest.fixture
def two_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = functools.partial(peers._library, "no_such_module", "no-such-package")
    both = [
        Benchmark("there", "1", "s", 2, True, lambda: 1),
        Benchmark("absent", "1", "×", 5, False, missing),
    ]
    monkeypatch.setattr(
        benchmark,
        "registered",
        lambda names: [one for one in both if one.name in names or not names],
    )


@pytest.mark.usefixtures("two_benchmarks")
def test_a_missing_library_is_named_and_the_rest_is_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench(repeat=1) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "there: 1" in shown
    assert "absent was not measured: the comparison with no-such-package needs" in shown


def test_what_stands_behind_a_ratio_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The note gives the speeds of both libraries, and names the faster one."""

    def count(values: Any, items: int) -> Any:
        return np.bincount(values, minlength=items)

    for maker in ("_ours", "_pure_ldp"):
        monkeypatch.setattr(peers, maker, lambda *_: count)
    monkeypatch.setattr(peers, "_multi_freq", lambda _: count)
    made = [Benchmark("grr", "4 items", "×", 1e-6, False, lambda: peers.times_faster("GRR", 4))]
    monkeypatch.setattr(benchmark, "registered", lambda _: made)
    assert bench(["grr"], repeat=1) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "grr: users a second: ours" in shown
    assert "pure-ldp" in shown
    assert "the faster library is" in shown


@pytest.mark.usefixtures("two_benchmarks")
def test_a_benchmark_asked_for_by_name_needs_its_library() -> None:
    with pytest.raises(
        NotInstalled,
        match=r"the comparison with no-such-package.*pip install 'simnet-workbench\[bench\]'",
    ):
        bench(["absent"], repeat=1)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", ["GRR", "OUE"])
@pytest.mark.parametrize("maker", ["_ours", "_multi_freq", "_pure_ldp"])
def test_every_side_does_the_same_work(name: Any, maker: str) -> None:
    """All 20,000 users hold the first of 4 items; the supports lie within 5.5 standard deviations
    of their mean.
    """
    pytest.importorskip("multi_freq_ldpy", reason="the extra `bench` is not installed")
    pytest.importorskip("pure_ldp", reason="the extra `bench` is not installed")
    made = getattr(peers, maker)
    count = made(name) if maker == "_multi_freq" else made(name, 4)
    supports = np.array(count(np.zeros(20_000, dtype=np.int64), 4))
    p, q = peers.MECHANISMS[name](peers.EPSILON, 4).support_chances
    chances = np.array([p, q, q, q])
    assert (
        np.abs(supports - 20_000 * chances) < 5.5 * np.sqrt(20_000 * chances * (1 - chances))
    ).all()
