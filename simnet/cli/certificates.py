"""Certificates on the command line: written beside a verdict, and compared with the run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from simnet.cli.options import Data, whole_numbers
from simnet.errors import BadInput
from simnet.files import write_whole

if TYPE_CHECKING:
    from simnet.scenario.population import Population
    from simnet.scenario.scenario import Scenario
    from simnet.scenario.verify import Verified


@attrs.frozen
class Held:
    """What the parties hold, as the command line says it: people of a file, or numbers."""

    data: Data
    inputs: str | None

    @property
    def is_drawn(self) -> bool:
        """Whether inputs are drawn from the seed, so that they belong to nobody."""
        return self.inputs is None and self.data.input is None

    def scenario(
        self, place: str, settings: Mapping[str, str], seed: int
    ) -> "tuple[Scenario, Sequence[int] | Population | None]":
        """The scenario with its settings, and what its parties hold; None where it is drawn.

        Raises `BadInput` when the options do not fit together.
        """
        from simnet.cli.options import with_short
        from simnet.scenario.find import find
        from simnet.scenario.perform import LIMIT

        found = find(place)[1]
        if self.inputs is not None and self.data.input is not None:
            raise BadInput("--inputs and --input both say what parties hold: give one of them")
        if self.data.input is None:
            settings = with_short({**settings}, users=self.data.users)
            numbers = None if self.inputs is None else whole_numbers("--inputs", self.inputs)
            return found.with_settings(settings), numbers
        scenario = found.with_settings(settings)
        return scenario, self.data.population(scenario, settings, seed, LIMIT)


@attrs.frozen
class Written:
    """A certificate to be written: the file, if any, what the scenario is called, and whether seeds
    and digests stand in it.
    """

    file: Path | None
    place: str
    with_seed: bool

    def write(self, verified: "Verified") -> Sequence[str]:
        """Write the certificate of a verdict; returns what the file gives away, in sentences."""
        from simnet.adversary.certificate import certificate_text
        from simnet.scenario.certified import certificate_of_scenario

        if self.file is None or self.is_refused(verified):
            return ()
        content = certificate_of_scenario(verified, _portable(self.place), self.with_seed)
        write_whole(self.file, certificate_text(content))
        reveals: Sequence[str] = content["reveals"]
        return reveals

    def is_refused(self, verified: "Verified") -> bool:
        """Whether a certificate is asked for and there is none of this verdict."""
        return self.file is not None and verified.verdict.finding == "undecided"


def check_certificate(
    file: Path,
    place: str | None,
    settings: Mapping[str, str],
    held: Held,
    seed: int | None,
    json: str | None,
) -> int:
    """Compare a certificate with the run that it names; exit status 1 where they differ."""
    from simnet.adversary.check import BadCertificate, text_of
    from simnet.cli.output import console, write_json
    from simnet.scenario.certified import Claimed
    from simnet.scenario.verify import verify

    out = console(json)
    try:
        claimed = Claimed(text_of(file))
        checked = claimed.certificate.checked()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from error
    except BadCertificate as error:
        out.print(f"the certificate does not hold: {error}", style="bold red")
        write_json({"certificate": str(file), "proved": None, "difference": str(error)}, json)
        return 1
    scenario_name = claimed.scenario
    if place is not None and scenario_name not in (None, _portable(place)):
        raise BadInput(f"this certificate is about {scenario_name!r}, not {place}")
    named = place or scenario_name
    # A path in the file would have us run a program that its writer chose.
    if named is None or (place is None and named != _portable(named)):
        raise BadInput(
            "this certificate names no scenario that is looked up: simnet verify NAME --check FILE"
        )
    first = claimed.seed(seed)
    parameters = {**claimed.parameters, **settings}
    if held.data.input is not None:  # the file's people say how many users and items there are
        parameters = {
            name: text for name, text in parameters.items() if name not in ("users", "items")
        }
    scenario, people = held.scenario(named, parameters, first)
    verified = verify(scenario, claimed.corrupt, first, people, claimed.collections)
    difference = claimed.difference(verified, _portable(named))
    out.print(checked.proved)
    if not claimed.names_seed:
        inputs = "inputs drawn from it" if held.is_drawn else "the inputs given"
        out.print(
            f"The file names neither seed nor inputs. It is compared with the run on seed {first} "
            f"and {inputs}; other runs may have the same certificate."
        )
    if difference is None:
        out.print(f"{file} is the certificate of this run, read again.", style="green")
    else:
        out.print(f"This run has another certificate: {difference}.", style="bold red")
    write_json({"certificate": str(file), "proved": checked.proved, "difference": difference}, json)
    return 0 if difference is None else 1


def _portable(place: str) -> str:
    """What to call a scenario in a file that others get: of a path, only its last part."""
    return Path(place).name
