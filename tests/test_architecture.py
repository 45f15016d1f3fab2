"""Imports go one way: simnet <- protocols <- scenarios.

Within simnet, each layer imports only layers below it.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.harness.data import ROOT
from tests.harness.timing import without_collection

ROOMS = ["simnet", "protocols", "scenarios"]
FLOORS = [
    "errors",
    "nearest",
    "files",
    "foreign",
    "printable",
    "presses",
    "markup",
    "installed",
    "glossary",
    "drawing",
    "closure",
    "arrays",
    "checks",
    "values",
    "coins",
    "roster",
    "contract",
    "record",
    "doors",
    "vault",
    "kernel",
    "network",
    "stated",
    "linear",
    "adversary",
    "exhaustive",
    "scenario",
    "page",
    "studies",
    "testing",
    "bench",
    "cli",
    "__main__",
]
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w. \t,]+))", re.MULTILINE
)


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    # CPython 3.11 counts the depth of a tree wrongly when garbage is collected during the parse.
    with without_collection():
        return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules that a file imports, by its lines: ten times as fast as by its tree. An import in
    a text counts too, so this set can be too large, and never too small.
    """
    found: set[str] = set()
    for line in IMPORT.finditer(path.read_text(encoding="utf-8")):
        names = [line[1]] if line[1] else line[2].split(",")
        found |= {name.split(" as ")[0].strip() for name in names}
    return frozenset(found)


def place(path: Path) -> tuple[str, ...]:
    """The parts of a module's dotted name."""
    return path.relative_to(ROOT).with_suffix("").parts


def test_a_room_imports_only_what_stands_to_its_left() -> None:
    offences = [
        f"{path.relative_to(ROOT)} imports {name}"
        for number, room in enumerate(ROOMS)
        for path in modules(room)
        for name in sorted(imports(path))
        if name.split(".")[0] in {*ROOMS[number + 1 :], "tests", "notebooks"}
    ]
    assert not offences, "\n".join(offences)


def test_simnet_is_built_floor_by_floor() -> None:
    offences = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("simnet")
        for floor in [place(path)[1]]
        if floor != "__init__"
        for name in sorted(imports(path))
        if name.startswith("simnet.") and FLOORS.index(name.split(".")[1]) > FLOORS.index(floor)
    ]
    assert not offences, "\n".join(offences)


# A folder of protocols imports folders of lower floors alone, and none of its own floor.
PROTOCOL_FLOORS = [
    {"checks"},
    {"privacy"},
    {"mechanisms"},
    {"sharing", "reports"},
    {
        "dpds",
        "dpdg",
        "tss",
        "two_rounds",
        "ldp_sgd",
        "local_frequency",
        "local_mean",
        "local_table",
        "sampled_frequency",
    },
    {"committee", "postprocess", "secagg", "weighted"},
    {"advice", "catalogue"},
    {"commands", "bench"},
]


def folders(room: str) -> dict[str, set[str]]:
    """The folders, or single modules, of a room, and which others of the room each imports."""
    graph: dict[str, set[str]] = {}
    for path in modules(room):
        folder = place(path)[1]
        if folder == "__init__":
            continue
        reached = {name for name in imports(path) if name.startswith(f"{room}.")}
        graph.setdefault(folder, set()).update(
            part for name in reached for part in [name.split(".")[1]] if part != folder
        )
    return graph


def test_protocols_are_built_floor_by_floor() -> None:
    number = {name: place for place, floor in enumerate(PROTOCOL_FLOORS) for name in floor}
    offences = [
        f"protocols/{folder} imports protocols.{other}"
        for folder, others in folders("protocols").items()
        for other in sorted(others)
        if number[other] >= number[folder]
    ]
    assert not offences, "\n".join(offences)


def test_no_folders_import_each_other_in_a_ring() -> None:
    for room in ROOMS:
        graph = folders(room)
        while graph:  # take off what imports nothing that is left
            leaves = {folder for folder, others in graph.items() if not others & set(graph)}
            assert leaves, f"in {room} these import each other in a ring: {', '.join(graph)}"
            graph = {folder: graph[folder] for folder in graph.keys() - leaves}


def test_the_imports_are_seen_at_all() -> None:  # a reader that saw none would pass the tests above
    assert "simnet.kernel.party" in imports(ROOT / "protocols" / "dpds" / "script.py")


def test_no_test_module_imports_another() -> None:
    """What tests share stands in tests/harness."""
    offences = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("tests")
        for name in sorted(imports(path))
        if name.startswith("tests.") and not name.startswith("tests.harness.")
    ]
    assert not offences, "\n".join(offences)


@pytest.mark.slow
def test_no_protocol_bills_prints_or_draws_its_own_coins() -> None:
    offences = []
    for path in modules("protocols"):
        if place(path)[1] in ("commands", "bench"):
            continue
        called = {
            ast.unparse(node.func) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)
        }
        offences += [
            f"{path.relative_to(ROOT)} calls {name}"
            for name in sorted(called)
            if name.split(".")[-1] in ("bill", "print", "Meter")
            # `check_random_state` reads what a user of scikit-learn gives: seeds, not coins
            or ("random" in name and not name.startswith("check_random_state"))
        ]
        if "trio" in {name.split(".")[0] for name in imports(path)}:
            offences.append(f"{path.relative_to(ROOT)} imports trio")
    assert not offences, "\n".join(offences)


def test_the_top_level_holds_the_five_rooms() -> None:
    """`docs/` is a sixth folder, which teaches and is imported by nobody."""
    ignored = {"build", "dist", "__pycache__"}
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".")}
    folders = {name for name in folders if name not in ignored and not name.endswith(".egg-info")}
    assert folders - {"docs"} == {"simnet", "protocols", "scenarios", "tests", "notebooks"}
