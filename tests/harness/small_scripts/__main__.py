"""Compare verdicts on many random scripts with the truth: `--seeds 0:200000 --workers 2`."""

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context

from tests.harness.small_scripts.checking import Table, check_seeds, smallest_refutation

CHUNK = 250  # seeds that a worker takes at a time
MOST_SHOWN = 3  # refutations that are made small and printed


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> int:
    """Check a range of seeds; the exit status is 1 if a verdict is refuted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:200000", help="FIRST:AFTER")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    first, after = map(int, options.seeds.split(":"))
    chunks = iter([(one, min(one + CHUNK, after)) for one in range(first, after, CHUNK)])
    table, done, started = Table(), 0, time.monotonic()
    with ProcessPoolExecutor(options.workers, mp_context=get_context("forkserver")) as pool:
        for seeds, part in _results(pool, chunks, options.workers):
            table.add(part)
            done += seeds
            speed = done / (time.monotonic() - started)
            _say(
                f"\r{done:,} of {after - first:,} scripts, {speed:.0f} a second, "
                f"{table.counts.total():,} verdicts, {len(table.refutations)} refuted "
            )
            if len(table.refutations) >= MOST_SHOWN:
                break
        pool.shutdown(cancel_futures=True)
    _say(f"\n{table}\n")
    for found in table.refutations[:MOST_SHOWN]:
        _say(f"\n{smallest_refutation(found)}\n")
    return 1 if table.refutations else 0


def _results(
    pool: ProcessPoolExecutor, chunks: Iterator[tuple[int, int]], workers: int
) -> Iterator[tuple[int, Table]]:
    """Yield the table of each chunk of seeds as it is finished, with the number of its seeds."""
    running: dict[Future[Table], int] = {}

    def begin() -> None:
        for first, after in chunks:
            running[pool.submit(check_seeds, first, after)] = after - first
            return

    for _ in range(2 * workers):
        begin()
    while running:
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            begin()
            yield running.pop(future), future.result()


if __name__ == "__main__":
    sys.exit(main())
