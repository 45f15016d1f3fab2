"""Docstrings name the errors that functions raise, as docs/reference/api/index.md promises."""

import ast
import builtins
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

import attrs
import pytest

from tests.harness.data import ROOT
from tests.harness.timing import without_collection

Function = ast.FunctionDef | ast.AsyncFunctionDef
NAME = re.compile(r"\b[A-Z]\w+\b")
# A docstring with this heading is the help text of a command. A command prints every `BadInput`.
HELP_OF_COMMAND = "Parameters\n----------"
COVERED = {
    "TypeError",  # for a value of the wrong type: docs/reference/api/index.md
    "NoSuchPoint",  # for what is read from a table: the docstring of `NoSuchPoint`
}
MAKES = {"refuse": "ScriptError"}  # functions that return an error
MAKERS_OF_INSTANCES = {"__init__", "__attrs_post_init__"}


@attrs.frozen
class Place:
    """A function or method, with the documentation of its class and module above its own."""

    where: str
    node: Function
    documentation: str

    @property
    def raised(self) -> list[str]:
        """The names of the errors that the body itself raises, and does not catch."""
        return list(dict.fromkeys(_raised(self.node.body)))


def _raised(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(made).split(".")[-1]
            name = MAKES.get(name, name)
            if name in bases():
                yield name
        elif isinstance(node, ast.Try):
            caught = {
                name
                for handler in node.handlers
                for name in NAME.findall(ast.unparse(handler.type) if handler.type else "Exception")
            }
            yield from (name for name in _raised(node.body) if not caught & ancestors(name))
            yield from _raised([*node.handlers, *node.orelse, *node.finalbody])
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            yield from _raised(ast.iter_child_nodes(node))


@cache
def read() -> tuple[Sequence[Place], Mapping[str, set[str]]]:
    """The public functions and methods that raise errors, and what makes instances of classes; and
    the names of the bases of every class.
    """
    places: list[Place] = []
    classes: dict[str, set[str]] = {}
    with without_collection():  # see tests/test_architecture.py
        for package in ("simnet", "protocols", "scenarios"):
            for file in sorted((ROOT / package).rglob("*.py")):
                text = file.read_text(encoding="utf-8")
                if "raise " in text or "Error)" in text:
                    tree = ast.parse(text)
                    places += _places(str(file.relative_to(ROOT)), tree, text)
                    classes |= {
                        node.name: {ast.unparse(base).split(".")[-1] for base in node.bases}
                        for node in tree.body
                        if isinstance(node, ast.ClassDef) and node.bases
                    }
    return places, classes


@cache
def bases() -> Mapping[str, set[str]]:
    """The bases of every class of errors, by name."""
    found = {
        name: {base.__name__ for base in kind.__mro__[1:]}
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    }
    _, classes = read()
    while more := {
        name: of for name, of in classes.items() if name not in found and of & set(found)
    }:
        found |= more
    return found


def ancestors(name: str) -> set[str]:
    """The class of errors with this name, and all its bases."""
    return {name}.union(*(ancestors(base) for base in bases().get(name, ())))


def _places(file: str, tree: ast.Module, text: str) -> Iterator[Place]:
    lines = enumerate(text.splitlines(), start=1)
    raising = [number for number, line in lines if "raise " in line]
    above = ast.get_docstring(tree) or ""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            of_class = above + (ast.get_docstring(node) or "")
            yield from _public(f"{file} {node.name}.", node.body, of_class, raising)
    yield from _public(f"{file} ", tree.body, above, raising)


def _public(
    prefix: str, body: Iterable[ast.stmt], above: str, raising: Sequence[int]
) -> Iterator[Place]:
    for node in body:
        if (
            isinstance(node, Function)
            and (not node.name.startswith("_") or node.name in MAKERS_OF_INSTANCES)
            and bisect(raising, node.end_lineno or 0) > bisect(raising, node.lineno)
        ):
            own = ast.get_docstring(node) or ""
            if HELP_OF_COMMAND not in own:
                yield Place(prefix + node.name, node, f"{above}\n{own}")


@pytest.mark.slow
def test_docstrings_name_the_errors_that_a_body_raises() -> None:
    offences = [
        f"{place.where} raises {name}, which its documentation does not name"
        for place in read()[0]
        for name in place.raised
        if not (ancestors(name) & (COVERED | set(NAME.findall(place.documentation))))
    ]
    assert not offences, "\n".join(offences)


def test_the_errors_are_seen_at_all() -> None:  # a reader that saw none would pass the test above
    seen = {place.where: set(place.raised) for place in read()[0]}
    assert seen["protocols/checks.py number_of_users"] == {"TypeError", "ValueError"}
    assert seen["simnet/kernel/party.py Party.gather_rows"] == {"ScriptError"}
    assert ancestors("BadInput") >= {"BadInput", "SimnetError", "ValueError", "Exception"}


def test_a_value_of_the_wrong_type_does_not_raise_a_value_error() -> None:
    """Where nothing but a type is tested, the error is a `TypeError`, or one that is documented."""
    offences = [
        f"{place.where} raises ValueError if {ast.unparse(node.test)}"
        for place in read()[0]
        for node in ast.walk(place.node)
        if isinstance(node, ast.If) and _is_about_type(node.test)
        for name in _raised(node.body[:1])
        if name == "ValueError"
    ]
    assert not offences, "\n".join(offences)


def _is_about_type(test: ast.expr) -> bool:
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(
        isinstance(part, ast.UnaryOp)
        and isinstance(part.operand, ast.Call)
        and ast.unparse(part.operand.func) == "isinstance"
        for part in parts
    )
