"""Composition is compared with dp-accounting, which needs an environment of its own: make
.venv-accounting/ready.
"""

import json
import subprocess
from math import inf
from typing import Any

import numpy as np
import pytest

from protocols.privacy.binomial import log_pmf
from protocols.privacy.composition import Composition
from protocols.privacy.count_losses import removal
from protocols.privacy.loss import gaussian_pair
from tests.harness.data import ROOT

PEER = ROOT / ".venv-accounting" / "bin" / "python"
SCRIPT = ROOT / "tests" / "harness" / "peer_deltas.py"

HOLDERS, CHANCE = 60, 0.4
SEEN = [(1, 0.5), (30, 1.0), (30, 3.0)]  # times, ε


def gaussian_cases() -> list[dict[str, Any]]:
    return [
        {"kind": "gaussian", "deviation": 8.0, "times": k, "epsilon": e, "spacing": 1e-4}
        for k, e in SEEN
    ]


def binomial_cases() -> list[dict[str, Any]]:
    x = np.arange(HOLDERS + 1)
    p = log_pmf(x, HOLDERS, CHANCE).tolist()
    q = [*log_pmf(x[:-1], HOLDERS - 1, CHANCE).tolist(), None]
    return [
        {"kind": "finite", "log_p": p, "log_q": q, "times": k, "epsilon": e, "spacing": 1e-4}
        for k, e in SEEN
    ]


@pytest.mark.slow
@pytest.mark.skipif(
    not PEER.exists(), reason="dp-accounting is not installed: make .venv-accounting/ready"
)
def test_dp_accounting_agrees() -> None:
    """Its pessimistic and optimistic δ enclose what lies in our interval, which is far narrower."""
    asked = json.dumps(gaussian_cases() + binomial_cases())
    done = subprocess.run([PEER, SCRIPT], input=asked, capture_output=True, text=True, check=True)
    pairs = [gaussian_pair(1.0, 8.0), removal(HOLDERS, CHANCE)]
    ours = [
        Composition([(pair, times)]).delta(epsilon) for pair in pairs for times, epsilon in SEEN
    ]
    for (low, high), found in zip(json.loads(done.stdout), ours, strict=True):
        assert low <= found.high
        assert found.low <= high
        assert found.high - found.low <= (high - low) + 1e-12
        assert high < inf
