"""Certificates on the command line: writing them, and checking them against repeated runs."""

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
    """How the command line gives the parties' inputs: by a file, as numbers, or not at all."""

    data: Data
    inputs: str | None

    @property
    def is_drawn(self) -> bool:
        """Whether inputs are drawn from the seed, so that they are no person's data."""
        return self.inputs is None and self.data.input is None

    def scenario(
        self, place: str, settings: Mapping[str, str], seed: int
    ) -> "tuple[Scenario, Sequence[int] | Population | None]":
        """Return the scenario with its settings, and the inputs, or None if they are to be drawn.

        Raises `BadInput` for an unknown scenario, when the options do not fit together, and for
        data that cannot be used.
        """
        from simnet.cli.options import with_short
        from simnet.scenario.find import find

        found = find(place)[1]
        if self.inputs is not None and self.data.input is not None:
            raise BadInput(
                "--inputs and --input both give the inputs of the parties: use one of them"
            )
        if self.data.input is None:
            self.data.refuse_options_of_files()
            settings = with_short({**settings}, users=self.data.users)
            numbers = None if self.inputs is None else whole_numbers("--inputs", self.inputs)
            return found.with_settings(settings), numbers
        scenario = found.with_settings(settings)
        if found.assesses:
            return scenario, self.data.population(scenario, settings, seed)
        return scenario, self.data.own_population(scenario, settings, seed)


@attrs.frozen
class Written:
    """A certificate that is to be written.

    `file` is None if no certificate is wanted. `with_seed` says whether the certificate names the
    seed and the digests of inputs and trace.
    """

    file: Path | None
    place: str
    with_seed: bool

    def write(self, verified: "Verified") -> Sequence[str]:
        """Write the certificate of a verdict; return sentences that say what the file reveals.

        If no certificate is wanted, or if the verdict is undecided and so has none, nothing is
        written and the result is empty.
        """
        from simnet.adversary.certificate import certificate_text
        from simnet.scenario.certified import certificate_of_scenario

        if self.file is None or self.is_refused(verified):
            return ()
        content = certificate_of_scenario(verified, _portable(self.place), self.with_seed)
        write_whole(self.file, certificate_text(content), private=True)
        reveals: Sequence[str] = content["reveals"]
        return reveals

    def is_refused(self, verified: "Verified") -> bool:
        """Return whether a certificate is wanted, but the verdict is undecided and so has none."""
        return self.file is not None and verified.verdict.finding == "undecided"


def check_certificate(
    file: Path,
    place: str | None,
    settings: Mapping[str, str],
    held: Held,
    seed: int | None,
    json: str | None,
) -> int:
    """Check a certificate's proof, and compare the certificate with the run that it names.

    Returns 0 if the proof holds and the run has an equal certificate, else 1. Raises `BadInput` for
    a file that cannot be read, and for options that do not fit the certificate.
    """
    from simnet.adversary.check import BadCertificate, text_of
    from simnet.cli.output import console, print_numbering, write_json
    from simnet.scenario.certified import Claimed
    from simnet.scenario.find import own_file
    from simnet.scenario.numbered import numbering_of
    from simnet.scenario.verify import verify

    out = console(json)
    try:
        claimed = Claimed(text_of(file))
        checked = claimed.certificate.checked()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from error
    except BadCertificate as error:
        out.print(f"the certificate is refused: {error}", style="bold red")
        write_json({"certificate": str(file), "proved": None, "difference": str(error)}, json)
        return 1
    scenario_name = claimed.scenario
    if place is not None and scenario_name not in (None, _portable(place)):
        raise BadInput(f"this certificate is about {scenario_name!r}, not {place}")
    named = place or scenario_name
    # We do not follow a path that the file names: its writer could make us run any program.
    if named is None or (place is None and named != _portable(named)):
        raise BadInput(
            "this certificate does not name a registered scenario: name the scenario yourself, "
            "as in "
            "simnet verify NAME --check FILE"
        )
    own = own_file(named.partition(":")[0])
    if place is None and own is not None and not own.is_file():
        raise BadInput(
            f"this certificate is about {named!r}, and there is no such file in this folder: write "
            f"simnet verify FOLDER/{named} --check {file}, where FOLDER is the folder of that file"
        )
    first = claimed.seed(seed)
    parameters = {**claimed.parameters, **settings}
    if held.data.input is not None:  # the data file says how many users and items there are
        parameters = {
            name: text for name, text in parameters.items() if name not in ("users", "items")
        }
    scenario, people = held.scenario(named, parameters, first)
    verified = verify(
        scenario,
        claimed.corrupt,
        first,
        people,
        claimed.collections,
        fates=claimed.fates,
        message_fates=claimed.message_fates,
        by=claimed.by,
    )
    difference = claimed.difference(verified, _portable(named))
    print_numbering(out, numbering_of(verified.about, people))
    out.print(checked.proved)
    if not claimed.names_seed:
        inputs = "inputs drawn from that seed" if held.is_drawn else "the inputs that you gave"
        out.print(
            "The file names neither seed nor inputs. It is compared with the run with seed "
            f"{first} "
            f"and {inputs}; other runs may have the same certificate."
        )
    if difference is None:
        out.print(
            f"{file} is the certificate of this run: the repeated run has an equal one.",
            style="green",
        )
    else:
        out.print(f"{file} is not the certificate of this run: {difference}.", style="bold red")
    write_json({"certificate": str(file), "proved": checked.proved, "difference": difference}, json)
    return 0 if difference is None else 1


def _portable(place: str) -> str:
    """Return a scenario's place (`NAME`, `FILE.py` or `FILE.py:Class`) without its folders, for a
    file that other people get.
    """
    return Path(place).name
