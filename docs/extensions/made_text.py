"""Markdown that is made from the code: the commands, the glossary and the JSON schemas."""

import os
import re


def commands() -> str:
    """Every command with its arguments and options, from the command line itself."""
    os.environ.setdefault("COLUMNS", "100")
    from simnet.cli.main import build

    text: str = build(()).generate_docs(output_format="markdown")
    _, _, text = text.partition("\n## simnet run\n")
    text = re.sub(r"^Examples?: ", "\n\\g<0>", text, flags=re.MULTILINE)
    return f"## simnet run\n{text}"


def glossary() -> str:
    """Every entry of every installed glossary."""
    from simnet.glossary import glossary as installed_glossary

    parts = []
    for entry in installed_glossary():
        also = f"*also: {', '.join(entry.aliases)}*\n\n" if entry.aliases else ""
        parts.append(f"## {entry.term}\n\n{also}{entry.text}\n")
    return "\n".join(parts)


def schemas() -> str:
    """Every JSON output, key by key."""
    return ""
