"""Certificates of a scenario's runs: written so that the run can be read again, and compared.

Theory of operation. A certificate proves what a list of equations tells. Whether these are the
equations of the run that it names, only the run can say. So the run is made again from what the
certificate says of it, its verdict is found anew, and the certificate of this verdict is compared
with the one at hand. As certificates are canonical, equal verdicts give equal texts, and nothing in
the file can be changed without a difference.

What a certificate leaves out, because it would give inputs away, has to be said again: the seed and
the people's inputs.
"""

import json
from collections.abc import Iterator
from typing import Any

from simnet.adversary.certificate import certificate_of
from simnet.adversary.check import Certificate
from simnet.errors import BadInput
from simnet.scenario.verify import Verified

# What a reader looks at first comes first.
FIRST = ("format", "version", "protocol", "runs", "set", "statement", "disclosed", "families")


def certificate_of_scenario(verified: Verified, name: str, with_seed: bool) -> dict[str, Any]:
    """The certificate of a verdict on runs of a scenario, which is found again by this name."""
    settings = verified.scenario.settings()
    return certificate_of(verified.verdict, scenario=name, parameters=settings, with_seed=with_seed)


class Claimed:
    """What a certificate says of its run, as far as that is needed to read the run again."""

    def __init__(self, text: str) -> None:
        """Read it. Raises `BadCertificate` when it is no certificate."""
        self.certificate = Certificate(text)
        self._content: dict[str, Any] = self.certificate.content

    @property
    def scenario(self) -> str | None:
        """What the scenario is called on the command line."""
        found: str | None = self._content["protocol"]["scenario"]
        return found

    @property
    def parameters(self) -> dict[str, str]:
        """The scenario's settings as text."""
        return dict(self._content["protocol"]["parameters"])

    @property
    def corrupt(self) -> str:
        """Who colludes, in words."""
        return ",".join(self._content["set"])

    @property
    def collections(self) -> int:
        """How many runs were judged together."""
        return len(self._content["runs"])

    @property
    def names_seed(self) -> bool:
        """Whether the seeds stand in it, with digests of inputs and traces."""
        return any(run["seed"] is not None for run in self._content["runs"])

    def seed(self, given: int | None) -> int:
        """The first run's seed. Raises `BadInput` where it is neither named nor given."""
        seeds = [run["seed"] for run in self._content["runs"]]
        if seeds[0] is None:
            if given is None:
                raise BadInput("this certificate leaves the seed out: give --seed")
            return given
        if given is not None and given != seeds[0]:
            raise BadInput(f"this certificate is about seed {seeds[0]}, not {given}")
        if seeds != list(range(seeds[0], seeds[0] + len(seeds))):
            raise BadInput(
                "the runs of this certificate have seeds that do not follow one another: it was "
                "made in Python, and has to be made again there"
            )
        return int(seeds[0])

    def difference(self, verified: Verified, name: str) -> str | None:
        """Where the certificate of this verdict first differs from it; None if it does not."""
        found = certificate_of_scenario(verified, name, self.names_seed)
        return first_difference(self._content, found)


def first_difference(stated: Any, found: Any) -> str | None:
    """The first place where two certificates differ, with what stands there; None if none does."""
    return next(_differences(stated, found, ""), None)


def _differences(stated: Any, found: Any, place: str) -> Iterator[str]:
    if isinstance(stated, dict) and isinstance(found, dict):
        for key in sorted(stated.keys() | found.keys(), key=_rank):
            within = f"{place}.{key}" if place else str(key)
            if key not in stated or key not in found:
                yield f"{within} is {'not in the file' if key in found else 'in the file alone'}"
            else:
                yield from _differences(stated[key], found[key], within)
    elif isinstance(stated, list) and isinstance(found, list):
        for at, (one, other) in enumerate(zip(stated, found, strict=False)):
            yield from _differences(one, other, f"{place}[{at}]")
        if len(stated) != len(found):
            yield f"{place} has {len(stated)} entries in the file, and {len(found)} in the run"
    elif type(stated) is not type(found) or stated != found:
        yield f"{place} is {_short(stated)} in the file, and {_short(found)} in the run"


def _rank(key: str) -> tuple[int, str]:
    return (FIRST.index(key) if key in FIRST else len(FIRST)), key


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 66 else f"{text[:63]}..."  # a digest is shown in full
