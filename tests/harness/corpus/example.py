"""An example of the corpus: a script, its mistake, its inputs, and what coalitions really learn."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tests.harness.corpus.truth import Ensemble, Held, Truth

NOTHING = Truth(view="nothing", shares="nothing")
ONLY_OUTPUT = Truth(view="output-only", shares="output-only")
LEAKS = Truth(view="leaks", shares="leaks")
LEAKS_AS_DISCLOSED = Truth(view="leaks", shares="nothing")
"""The input, or a part of it, is disclosed; the messages protect everything else."""


@attrs.frozen(eq=False, kw_only=True)
class Example:
    """One script of the corpus.

    `source` says what escapes: an input, a coin, an opened value, or several of them together.
    `channel` says by which way. `refused` is set if the kernel refuses the script on every input,
    because the script uses a sealed value outside a door.
    """

    name: str
    source: str
    channel: str
    is_leaking: bool
    protocols: Sequence[Any]
    inputs: Sequence[Held]
    truths: Mapping[str, Truth]  # by coalition
    refused: bool = False
    one_seed: bool = False
    """Whether all runs are played from one seed, as with a seed left in by mistake."""

    same_inputs: bool = False
    """Whether it is known that all runs are of the same people with the same inputs."""

    seeds: Sequence[int] = (0,)
    """Seeds of the runs that are judged; several where discrete coins decide what is told."""

    ending: Sequence[Held] = ()
    """Inputs on which every run ends by an error.

    A verdict speaks of inputs on which runs do not end so: it is compared with the truth about
    those."""

    may_end: bool = False
    """Whether coins decide that some runs end by an error."""

    @property
    def ensemble(self) -> Ensemble:
        """Return the script, or its several runs, for the interpreter."""
        return Ensemble(self.protocols, self.one_seed)


def members_of(coalition: str) -> list[str]:
    """Return the names in a coalition that is written as `A, B`."""
    return coalition.split(", ")


def pair(
    name: str,
    source: str,
    channel: str,
    leaking: Any,
    sound: Any,
    inputs: Sequence[Held],
    leaks: Mapping[str, Truth],
    holds: Mapping[str, Truth],
    sound_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Example]:
    """A leaking script and its sound twin; options are those of `Example`, for the leaking script.

    The twin is judged on runs from the same seeds, unless `sound_options` say otherwise.

    A script is given as a protocol, or as a tuple of protocols that are run one after another.
    """
    twin_options = {"one_seed", "same_inputs", "seeds"} & options.keys()
    leaking_one = Example(
        name=name,
        source=source,
        channel=channel,
        is_leaking=True,
        protocols=_runs(leaking),
        inputs=inputs,
        truths=leaks,
        **options,
    )
    sound_one = Example(
        name=f"{name}, mended",
        source=source,
        channel=channel,
        is_leaking=False,
        protocols=_runs(sound),
        inputs=inputs,
        truths=holds,
        **{**{key: options[key] for key in twin_options}, **(sound_options or {})},
    )
    return [leaking_one, sound_one]


def _runs(protocols: Any) -> Sequence[Any]:
    return protocols if isinstance(protocols, tuple) else (protocols,)
