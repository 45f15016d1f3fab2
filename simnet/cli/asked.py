"""The options of `simnet run` and `simnet show` that say how one run is made."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from simnet.cli.options import Data, settings_of, whole_numbers, with_short

if TYPE_CHECKING:
    from simnet.network.network import Network
    from simnet.network.timing import Timing
    from simnet.page.worlds import Worlds
    from simnet.scenario.perform import Performance
    from simnet.scenario.plain import PlainRun
    from simnet.scenario.scenario import Scenario


def _claims_announced(result: "Performance | PlainRun") -> AbstractContextManager[None]:
    from simnet.cli.long_work import announced, seconds_to_judge
    from simnet.cli.reproduce import duration
    from simnet.scenario.judging import Size, first_way

    way = first_way(result.scenario.claims, result.run)
    seconds = seconds_to_judge(way, Size.of(result.run), result.run.seconds)
    what = f"claims: judged by {way}, about {duration(seconds)}; --no-claims leaves them out"
    return announced("claims", seconds, what)


@attrs.frozen(kw_only=True)
class Asked:
    """A scenario with its settings, the people of a run, and how the run is to be made.

    `place` is the scenario as the command line names it, `name` its name, and `found` the scenario
    with its default settings. `privacy` has the ε and the δ at which privacy is stated; the
    protocol chooses those that are None.
    """

    place: str
    name: str
    found: "Scenario"
    settings: Mapping[str, str]
    seed: int
    data: Data
    inputs: str | None
    privacy: tuple[float | None, float | None]
    claims: bool
    drop: Sequence[str]
    network: str | None
    yes: bool

    @classmethod
    def of(
        cls,
        place: str,
        *,
        set_: Sequence[str] | None,
        seed: int,
        data: Data | None,
        inputs: str | None,
        at_epsilon: float | None = None,
        at_delta: float | None = None,
        claims: bool = True,
        drop: Sequence[str] | None,
        network: str | None = None,
        yes: bool,
    ) -> "Asked":
        """Find the scenario that the options are about. Raises `BadInput` if there is none, and as
        `settings_of` does for the texts in `set_`.
        """
        from simnet.scenario.find import find

        name, found = find(place)
        return cls(
            place=place,
            name=name,
            found=found,
            settings=settings_of(set_),
            seed=seed,
            data=data or Data(),
            inputs=inputs,
            privacy=(at_epsilon, at_delta),
            claims=claims,
            drop=drop or (),
            network=network,
            yes=yes,
        )

    @property
    def assesses(self) -> bool:
        """Whether the protocol compares its estimate with the truth.

        We ask the protocol with its default settings, because the chosen settings may fit only the
        columns of the data.
        """
        return self.found.assesses

    @property
    def is_private(self) -> bool:
        """Whether inputs were given, so that they may be those of real people."""
        return self.inputs is not None or self.data.input is not None

    def performed(self) -> "Performance | PlainRun":
        """Run the scenario, with a progress bar, and judge its claims if they are wanted.

        Raises `BadInput` for options that do not fit together, for data that cannot be used, and
        for a run that is too large.
        """
        from simnet.cli.progress import progress_bar

        chosen = self.found.with_settings(self.settings)
        result = self._assessed(chosen) if self.assesses else self._plain(chosen)
        if not (self.claims and chosen.claims):
            return result
        with (
            _claims_announced(result),
            progress_bar("claims", len(chosen.claims) + 1) as progress,
        ):
            return result.judged(progress)

    def timed(
        self, result: "Performance | PlainRun", networks: "Sequence[Network]", log: Path | None
    ) -> "list[Timing]":
        """Return how long the run takes on each network, and write its log if a file is named."""
        if not networks and log is None:
            return []
        from simnet.network.recorded import recorded
        from simnet.network.timing import timed

        command = shlex.join(self._repeating(result)._words("run"))
        record = recorded(result.run, command, with_seed=not self.is_private)
        if log is not None:
            record.save(log)
        return [timed(record, network, result.run.seed) for network in networks]

    def write_page(
        self,
        result: "Performance | PlainRun",
        html: Path,
        *,
        by: str,
        further: Sequence[str] = (),
        worlds: "Worlds | None" = None,
        judge: Sequence[str] = (),
        timings: "Sequence[Timing]" = (),
    ) -> None:
        """Write the page about a result.

        The page shows the command `by` (`run` or `show`) with the options that this object has, and
        then the words `further`. `judge` has the coalitions to judge in a run that is too large to
        judge all.
        """
        from simnet.cli.progress import progress_bar
        from simnet.files import write_whole
        from simnet.page.coalitions import is_small
        from simnet.page.page import page_of

        repeating = self._repeating(result)
        asked = self if timings else repeating
        count = 2 ** len(result.run.roster) - 1 if is_small(result.run) else len(judge)
        with progress_bar("coalitions", count, announces=True) as progress:
            page = page_of(
                result,
                command=shlex.join([*asked._words(by), *further, "--html", html.name]),
                verify=shlex.join(repeating._words("verify")),
                is_private=self.is_private,
                worlds=worlds,
                judge=judge,
                timings=timings,
                progress=progress,
            )
        write_whole(html, page, private=True)

    def _repeating(self, result: "Performance | PlainRun") -> "Asked":
        return self if result.run.deadlines else attrs.evolve(self, network=None)

    def _words(self, command: str) -> list[str]:
        """Return the words of a command on the same run, without `--inputs` and `--yes`. If inputs
        were given, the seed, `--at-epsilon` and `--at-delta` are left out, too. Paths are
        shortened to their last part.
        """
        words = ["simnet", command, Path(self.place).name]
        for setting, text in self.settings.items():
            words += ["--set", f"{setting}={text}"]
        for field in attrs.fields(Data):
            value = getattr(self.data, field.name)
            if value == field.default:
                continue
            words.append(f"--{field.name.replace('_', '-')}")
            if not isinstance(value, bool):
                words.append(value.name if isinstance(value, Path) else str(value))
        for text in self.drop:
            words += ["--drop", text]
        if self.network is not None:
            words += network_option(self.network)
        if not self.is_private:
            words += ["--seed", str(self.seed)]
        if command == "verify":
            return words
        for option, at in zip(("--at-epsilon", "--at-delta"), self.privacy, strict=True):
            words += [] if at is None or self.is_private else [option, str(at)]
        return words if self.claims else [*words, "--no-claims"]

    def _plain(self, scenario: "Scenario") -> "PlainRun":
        """Run a protocol whose `About` record has no `assess`."""
        from simnet.cli.progress import progress_bar
        from simnet.errors import BadInput
        from simnet.scenario.by_name import perform
        from simnet.scenario.plain import Inputs, PlainRun
        from simnet.scenario.population import Population

        if self.inputs is not None and self.data.input is not None:
            raise BadInput(
                "--inputs and --input both give the inputs of the parties: use one of them"
            )
        own_inputs: Inputs | Population | None = None
        if self.data.input is not None:
            own_inputs = self.data.own_population(scenario, self.settings, self.seed)
        else:
            self.data.refuse_options_of_files()
            scenario = scenario.with_settings(with_short({}, users=self.data.users))
            if self.inputs is not None:
                own_inputs = whole_numbers("--inputs", self.inputs)
        with progress_bar(self.name, 0) as progress:
            result = perform(scenario, data=own_inputs, progress=progress, **self._options)
        assert isinstance(result, PlainRun)
        return result

    def _assessed(self, scenario: "Scenario") -> "Performance | PlainRun":
        """Run a scenario whose estimate is compared with the truth."""
        from simnet.cli.long_work import long_work
        from simnet.cli.progress import progress_bar
        from simnet.errors import BadInput
        from simnet.scenario.by_name import perform

        if self.inputs is not None:
            raise BadInput(
                "--inputs is for protocols of your own that do not compare an estimate with the "
                "truth: this scenario reads its users from a file (--input), or makes them up"
            )
        people = self.data.population(scenario, self.settings, self.seed)
        about = scenario.described(scenario.build_for(people))
        work = about.workload
        elements = 0 if work is None else work.elements
        with long_work(self.name, work, self.yes), progress_bar(self.name, elements) as progress:
            return perform(scenario, data=people, progress=progress, **self._options)

    @property
    def _options(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "claims": False,
            "at_epsilon": self.privacy[0],
            "at_delta": self.privacy[1],
            "name": self.name,
            "drop": self.drop,
            "network": self.network,
        }


def network_option(network: str) -> list[str]:
    """Return the words of `--network` for a network; the path of a file is shortened to its last
    part.
    """
    return ["--network", Path(network).name]
