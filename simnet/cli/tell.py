"""Writes errors and other lines to standard error, and asks questions there.

This module does not import `output`, so that an error message does not have to load rich.
"""

import sys

from simnet.printable import printable, short_words


def tell(text: str) -> None:
    """Write the text to standard error as one line, without characters that move the cursor, and
    without the rest of very long words.
    """
    sys.stderr.write(f"simnet: {printable(short_words(' '.join(text.split())))}\n")


def asked(question: str) -> bool:
    """Ask the person at the terminal a question, and return whether the answer is yes."""
    sys.stderr.write(f"simnet: {printable(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
