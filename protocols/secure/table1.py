"""Table I: what each role computes and sends, as the paper prints it and as it is.

Source: Yang et al., Table I; exact values and misprints are derived from the algorithms' steps.
"""

from simnet.record.bill import Expectation


def dpds(n: int, N: int) -> list[Expectation]:  # noqa: N803  # the paper's letter
    """DPDS for n users and N items. No entry depends on the coins."""
    draws = (n - 1) * N
    return [
        _work("user", "FA", "per-user", 2 * draws, paper=2 * draws),
        _work("user", "FS", "per-user", draws, paper=draws),
        _work("user", "BS", "per-user", 1, paper=1),
        _work("server", "FA", "total", draws, paper=draws),
        _work("server", "RM", "total", N, paper=N),
        _elements("user", "sent", "per-user", "wire", n * N),
        _elements("user", "received", "per-user", "wire", draws),
        _elements("user", "sent", "per-user", "logical", n * N + N),
        _elements("user", "received", "per-user", "logical", n * N),
        Expectation(
            "user", "communication", "qd", "none", "per-user", "logical", 2 * n * N + N, 2 * n * N + N,
            paper=2 * n * N + N**2,
            note="the paper prints 2nN + N², a misprint for 2nN + N: sent plus received, own share included",
        ),
        _elements("server", "sent", "total", "wire", 0, paper=0),
        _elements("server", "received", "total", "wire", n * N),
        Expectation("user", "communication", "rounds", "none", "total", "wire", 2, 2, paper=2),
    ]  # fmt: skip


def _work(role: str, operation: str, scope: str, exact: float, paper: float) -> Expectation:
    return Expectation(role, "computation", operation, "none", scope, "wire", exact, exact, paper)  # type: ignore[arg-type]


def _elements(
    role: str, direction: str, scope: str, counting: str, exact: float, paper: float | None = None
) -> Expectation:
    return Expectation(role, "communication", "qd", direction, scope, counting, exact, exact, paper)  # type: ignore[arg-type]
