"""Certificates of a scenario's runs, and their comparison with a repeated run.

Theory of operation. A certificate proves what follows from a list of equations. A certificate
cannot prove that these are the equations of the run that it names. So we repeat the run with the
settings in the certificate, find its verdict, and write a second certificate. Then we compare the
two, because equal verdicts give equal certificates.

A certificate may leave out the seed, which could give inputs away. Whoever compares such a
certificate has to give the seed.
"""

import json
from collections.abc import Iterator
from typing import Any

from simnet.adversary.certificate import certificate_of
from simnet.adversary.check import Certificate
from simnet.adversary.judge import By
from simnet.errors import BadInput
from simnet.record.fate import Fate, MessageFate
from simnet.scenario.verify import Verified

# Differences in these keys are reported first, in this order.
FIRST = ("format", "version", "protocol", "runs", "set", "statement", "disclosed", "families")


def certificate_of_scenario(verified: Verified, name: str, with_seed: bool) -> dict[str, Any]:
    """Return the certificate of a verdict; `name` is the name by which the scenario is found."""
    settings = verified.scenario.settings()
    return certificate_of(verified.verdict, scenario=name, parameters=settings, with_seed=with_seed)


class Claimed:
    """The facts in a certificate that are needed to repeat its run."""

    def __init__(self, text: str) -> None:
        """Read a certificate's text. Raises `BadCertificate` for any other text."""
        self.certificate = Certificate(text)
        self._content: dict[str, Any] = self.certificate.content

    @property
    def by(self) -> By:
        """The solver that found the verdict."""
        is_alike = any(field["alike"] for field in self._content["fields"])
        return "symmetry" if is_alike else "elimination"

    @property
    def scenario(self) -> str | None:
        """The name of the scenario on the command line; None if the certificate names none."""
        found: str | None = self._content["protocol"]["scenario"]
        return found

    @property
    def parameters(self) -> dict[str, str]:
        """The scenario's settings, as texts by name."""
        return dict(self._content["protocol"]["parameters"])

    @property
    def corrupt(self) -> str:
        """The coalition, as the option `--corrupt` takes it."""
        return ",".join(self._content["set"])

    @property
    def collections(self) -> int:
        """The number of runs that were judged together."""
        return len(self._content["runs"])

    @property
    def fates(self) -> list[dict[str, Fate]]:
        """The fates of parties in each run. Raises `BadInput` for a text that is no fate."""
        return [
            {party: Fate.parse(text) for party, text in run["fates"].items()}
            for run in self._content["runs"]
        ]

    @property
    def message_fates(self) -> list[list[MessageFate]]:
        """The fates of messages in each run. Raises `BadInput` for a text that is no fate of a
        message.
        """
        return [
            [fate for text in run.get("message_fates", ()) for fate in MessageFate.parse(text)]
            for run in self._content["runs"]
        ]

    @property
    def names_seed(self) -> bool:
        """Whether the certificate names seeds, and so has digests of inputs and traces."""
        return any(run["seed"] is not None for run in self._content["runs"])

    def seed(self, given: int | None) -> int:
        """Return the seed of the first run: the seed in the certificate or, if the certificate has
        none, the `given` seed.

        Raises `BadInput` if there is neither of these seeds, if the two differ, or if the seeds of
        the runs are not consecutive.
        """
        seeds = [run["seed"] for run in self._content["runs"]]
        if seeds[0] is None:
            if given is None:
                raise BadInput("this certificate leaves the seed out: give --seed")
            return given
        if given is not None and given != seeds[0]:
            raise BadInput(f"the first run of this certificate has seed {seeds[0]}, not {given}")
        if seeds != list(range(seeds[0], seeds[0] + len(seeds))):
            raise BadInput(
                "the runs of this certificate do not have consecutive seeds: it was made in "
                "Python, so repeat its runs in Python"
            )
        return int(seeds[0])

    def difference(self, verified: Verified, name: str) -> str | None:
        """Return the first difference between this certificate and the certificate of a verdict, or
        None.
        """
        found = certificate_of_scenario(verified, name, self.names_seed)
        return first_difference(self._content, found)


def first_difference(stated: Any, found: Any) -> str | None:
    """Return the first difference of two certificates, in words, or None if they are equal."""
    return next(_differences(stated, found, ""), None)


def _differences(stated: Any, found: Any, place: str) -> Iterator[str]:
    if isinstance(stated, dict) and isinstance(found, dict):
        for key in sorted(stated.keys() | found.keys(), key=_rank):
            within = f"{place}.{key}" if place else str(key)
            if key not in stated or key not in found:
                yield f"{within} is {'not in the file' if key in found else 'only in the file'}"
            else:
                yield from _differences(stated[key], found[key], within)
    elif isinstance(stated, list) and isinstance(found, list):
        for at, (one, other) in enumerate(zip(stated, found, strict=False)):
            yield from _differences(one, other, f"{place}[{at}]")
        if len(stated) != len(found):
            yield f"{place} has length {len(stated)} in the file, and {len(found)} in the run"
    elif type(stated) is not type(found) or stated != found:
        yield f"{place} is {_short(stated)} in the file, and {_short(found)} in the run"


def _rank(key: str) -> tuple[int, str]:
    return (FIRST.index(key) if key in FIRST else len(FIRST)), key


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # 66 characters are enough for a whole digest.
    return text if len(text) <= 66 else f"{text[:63]}..."
