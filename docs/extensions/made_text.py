"""Markdown that is made from the code: the commands, the glossary and the JSON schemas."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent


def commands() -> str:
    """Every command with its arguments and options, from the command line itself."""
    os.environ.setdefault("COLUMNS", "100")
    from simnet.cli.main import build

    text: str = build(()).generate_docs(output_format="markdown")
    text = text.replace(" -m sphinx", "")  # cyclopts takes the running program into the usage line
    _, _, text = text.partition("\n## simnet run\n")
    text = re.sub(r"(?<!`)`[^`]+`(?!`)", lambda code: re.sub(r"\s+", " ", code[0]), text)
    text = re.sub(r"^Examples?: ", "\n\\g<0>", text, flags=re.MULTILINE)
    return f"## simnet run\n{text}"


def glossary() -> str:
    """Every entry of every installed glossary."""
    from simnet.glossary import glossary as installed_glossary

    parts = []
    for entry in installed_glossary():
        aliases = ", ".join(entry.aliases).replace("*", r"\*")
        also = f"*also: {aliases}*\n\n" if aliases else ""
        parts.append(f"## {entry.term}\n\n{also}{entry.text}\n")
    return "\n".join(parts)


def schemas() -> str:
    """Every JSON output, key by key, from the schema files beside the page."""
    parts = []
    for file in sorted((DOCS / "reference" / "schemas").glob("*.json")):
        schema = json.loads(file.read_text())
        rows = [
            f"| `{path}` | {_type_of(part)} | {part['description'].replace('|', '/')} |"
            for path, part in _keys(schema, "")
        ]
        table = ["| key | type | meaning |", "| --- | --- | --- |", *rows] if rows else []
        parts += [
            f"## {schema['title']}",
            f"{schema['description']} {_SHAPE[str(schema['type'])]} Schema: "
            f"[{file.name}](schemas/{file.name}).",
            "\n".join(table),
        ]
    return "\n\n".join(parts) + "\n"


_SHAPE = {"object": "One JSON object.", "array": "A list of JSON objects."}


def _keys(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key with its path; `[]` stands for an entry of a list, `*` for a name."""
    for key, part in schema.get("properties", {}).items():
        below = f"{path}.{key}" if path else key
        yield below, part
        yield from _keys(part, below)
    for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), dict):
            yield from _keys(schema[key], f"{path}{mark}")


def _type_of(part: dict[str, Any]) -> str:
    """The type in words; a number whose pattern allows `inf` may be that word."""
    if "enum" in part:
        return ", ".join(f"`{value}`" for value in part["enum"])
    kinds = part.get("type", "any")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "pattern" in part:
        kinds = ["`inf`" if kind == "string" else kind for kind in kinds]
    return " or ".join({"array": "list", "integer": "whole number"}.get(k, k) for k in kinds)
