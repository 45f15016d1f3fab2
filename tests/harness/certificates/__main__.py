"""Try to forge certificates: `python -m tests.harness.certificates --corruptions 10000 --valid
1000`.

The exit status is 1 if a forged certificate is accepted or a valid one is refused.
"""

import argparse
import sys
import time
from collections import Counter
from contextlib import nullcontext
from itertools import islice

from tests.harness.certificates.audit import Audit, draw_corruptions
from tests.harness.certificates.corruptions import KINDS
from tests.harness.certificates.readers import NODE, NodeReader
from tests.harness.certificates.valid import Valid, valid_certificates

MOST_SHOWN = 20  # failures


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Give the readers valid certificates, then corrupted ones; return 1 if one is misjudged, else
    0.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corruptions", type=int, default=10_000)
    parser.add_argument("--valid", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    if NODE is None:
        _say("check.mjs: skipped, as there is no node")
    with nullcontext() if NODE is None else NodeReader() as second:
        audit = Audit(second_reader=second)
        pool: list[Valid] = []
        for valid in islice(valid_certificates(options.seed), options.valid):
            audit.take_valid(valid)
            pool.append(valid)
        _say(
            f"{len(pool):,} valid certificates ({_words(audit.statements)}): "
            f"{len(audit.failures)} failures, {time.monotonic() - started:.0f} s"
        )
        before = len(audit.failures)
        draw_corruptions(audit, pool, options.corruptions, options.seed)
    _say(str(audit))
    accepted = sum("the comparison" in failure.why for failure in audit.failures)
    fates = Counter[str]()
    for (_, fate), count in audit.fates.items():
        fates[fate] += count
    _say(
        f"{fates.total():,} corruptions of {len(KINDS)} kinds: the comparison with the run refused "
        f"{audit.compared - accepted:,}; the lone readers refused {fates['refused']:,} and printed "
        f"a line that is true of {fates['true']:,}; {len(audit.failures) - before} failures, "
        f"{time.monotonic() - started:.0f} s"
    )
    for failure in audit.failures[:MOST_SHOWN]:
        _say(f"{failure}\n{failure.data[:3000]!r}")
    return 1 if audit.failures else 0


def _words(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    sys.exit(main())
