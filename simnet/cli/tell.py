"""The line on standard error that says what went wrong, or what was kept.

It stands apart from `output`, so that the frame of the command line need not load rich to use it.
"""

import sys

from simnet.printable import printable


def tell(text: str) -> None:
    """Write one line to standard error, whatever the text quotes."""
    sys.stderr.write(f"simnet: {printable(' '.join(text.split()))}\n")


def asked(question: str) -> bool:
    """Whether the person at the terminal says yes to a question."""
    sys.stderr.write(f"simnet: {printable(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
