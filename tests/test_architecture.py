"""The doors open one way: simnet <- protocols <- scenarios, and within simnet from values to the
command line.
"""

import ast
from pathlib import Path

import pytest

from tests.harness.data import ROOT

ROOMS = ["simnet", "protocols", "scenarios"]
FLOORS = [
    "errors",
    "arrays",
    "values",
    "coins",
    "roster",
    "contract",
    "record",
    "kernel",
    "stated",
    "linear",
    "adversary",
    "exhaustive",
    "scenario",
    "studies",
    "testing",
    "bench",
    "cli",
]


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize(
    "path", [p for room in ROOMS for p in modules(room)], ids=lambda p: str(p.relative_to(ROOT))
)
def test_a_room_imports_only_what_stands_to_its_left(path: Path) -> None:
    allowed = ROOMS[: ROOMS.index(path.relative_to(ROOT).parts[0]) + 1]
    reached = {name.split(".")[0] for name in imports(path)} & {*ROOMS, "tests", "notebooks"}
    assert reached <= set(allowed)


@pytest.mark.parametrize("path", modules("simnet"), ids=lambda p: str(p.relative_to(ROOT)))
def test_simnet_is_built_floor_by_floor(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[1] == "__init__":
        return
    reached = {name.split(".")[1] for name in imports(path) if name.startswith("simnet.")}
    assert reached <= set(FLOORS[: FLOORS.index(parts[1]) + 1])


def test_the_imports_are_seen_at_all() -> None:  # a reader that saw none would pass the tests above
    assert "simnet.kernel.party" in imports(ROOT / "protocols" / "dpds" / "script.py")


SCRIPTS = [
    path
    for path in modules("protocols")
    if path.parent.name != "commands" and path.parent.name != "bench"
]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_protocol_script_bills_prints_or_draws_its_own_coins(path: Path) -> None:
    tree = ast.parse(path.read_text())
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not {name for name in called if name.split(".")[-1] in ("bill", "print", "Meter")}
    assert "trio" not in {name.split(".")[0] for name in imports(path)}
    seeds = {
        name for name in called if name.startswith("check_random_state")
    }  # of scikit-learn's users, not coins
    assert not {name for name in called if "random" in name} - seeds


def test_the_top_level_holds_the_five_rooms() -> None:
    ignored = {"build", "dist", "__pycache__"}
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".")}
    folders = {name for name in folders if name not in ignored and not name.endswith(".egg-info")}
    assert folders - {"docs"} == {"simnet", "protocols", "scenarios", "tests", "notebooks"}
