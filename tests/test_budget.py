"""Each room of the house has a budget of code, so that it grows only on purpose.

A change that needs more raises the number in the same commit, whose message says why. Tokens are
counted without comments, docstrings and line breaks.
"""

import ast
import tokenize
from collections import Counter
from pathlib import Path

import pytest

from tests.harness.data import ROOT

ROOM_TO_SPARE = 1.05
BUDGET: dict[str, int] = {
    "protocols": 2_400,
    "protocols/advice": 12_600,
    "protocols/bench": 4_100,
    "protocols/commands": 7_400,
    "protocols/committee": 2_400,
    "protocols/dpdg": 2_800,
    "protocols/dpds": 2_800,
    "protocols/ldp_sgd": 6_700,
    "protocols/local_frequency": 1_600,
    "protocols/local_mean": 1_200,
    "protocols/local_table": 2_100,
    "protocols/mechanisms": 20_800,
    "protocols/multiplication": 800,
    "protocols/postprocess": 10_500,
    "protocols/privacy": 21_900,
    "protocols/reports": 3_000,
    "protocols/sampled_frequency": 7_600,
    "protocols/secagg": 7_800,
    "protocols/sharing": 7_800,
    "protocols/tss": 8_300,
    "protocols/two_rounds": 7_200,
    "protocols/weighted": 4_200,
    "scenarios": 2_900,
    "scenarios/biswas": 6_400,
    "scenarios/completion": 6_000,
    "scenarios/data": 1_800,
    "scenarios/jia": 12_800,
    "scenarios/joy": 12_400,
    "scenarios/papers": 1_900,
    "scenarios/wang": 17_100,
    "scenarios/yang": 15_900,
    "simnet": 10_200,
    "simnet/adversary": 101_800,
    "simnet/bench": 4_100,
    "simnet/cli": 32_400,
    "simnet/coins": 9_300,
    "simnet/doors": 8_300,
    "simnet/exhaustive": 17_600,
    "simnet/kernel": 39_200,
    "simnet/linear": 18_500,
    "simnet/network": 17_800,
    "simnet/page": 12_000,
    "simnet/record": 10_600,
    "simnet/scenario": 31_900,
    "simnet/stated": 3_100,
    "simnet/studies": 25_800,
    "simnet/values": 11_800,
    "simnet/vault": 7_000,
    "tests": 699_200,
}

LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_tokens(file: Path) -> int:
    """Return how many tokens of code a file has."""
    with file.open("rb") as lines:
        tokens = [each for each in tokenize.tokenize(lines.readline) if each.type not in LAYOUT]
    prose = set(_texts_alone(ast.parse(file.read_bytes())))
    return sum(token.start not in prose for token in tokens)


def _texts_alone(tree: ast.Module) -> list[tuple[int, int]]:
    """Return where each docstring starts, as a line and a column."""
    return [
        (node.lineno, node.col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]


def counted() -> Counter[str]:
    """Return the tokens of each room: of each folder below `simnet`, `protocols` and `scenarios`
    (the folder's own files count as one room), and of all tests.
    """
    found: Counter[str] = Counter()
    for house in ("simnet", "protocols", "scenarios", "tests"):
        for file in (ROOT / house).rglob("*.py"):
            inside = file.relative_to(ROOT).parts[:-1]
            found["tests" if house == "tests" else "/".join(inside[:2])] += code_tokens(file)
    return found


@pytest.mark.slow
def test_no_room_is_larger_than_its_budget() -> None:
    found = counted()
    assert found.keys() == BUDGET.keys()
    for room, tokens in found.items():
        assert tokens <= ROOM_TO_SPARE * BUDGET[room], (room, tokens)


def test_only_code_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text('"""About it."""\n\n# A comment.\nx = 1  # and more\n"""About x."""\n')
    assert code_tokens(file) == 3
    file.write_text('def f() -> None:\n    """Do nothing."""\n')
    assert code_tokens(file) == 7
