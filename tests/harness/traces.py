"""The trace hash of a small run of every scenario: `python -m tests.harness.traces` prints them."""

import sys

from simnet.scenario.determinism import trace
from simnet.scenario.find import find, names


def traces() -> dict[str, str]:
    """Return the trace hash of each scenario, by the scenario's name."""
    hashes = {}
    for name in names():
        sizes = find(name)[1].sizes
        settings = {
            size: value for size, value in (("users", "24"), ("items", "3")) if size in sizes
        }
        hashes[name] = trace(name, settings, 7).hash
    return hashes


if __name__ == "__main__":
    print("python", "{}.{}".format(*sys.version_info))  # noqa: T201
    for name, hash_ in traces().items():
        print(name, hash_)  # noqa: T201
