"""Error messages for a wrong command line, which say what to write instead."""

from collections.abc import Sequence

from cyclopts import (
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from simnet.cli.frame_options import NAMES
from simnet.cli.scenario_options import SETTING
from simnet.nearest import did_you_mean

# The new names of two options. A scenario may have a setting that is called like the old option.
RENAMED = {"--epsilon": "--at-epsilon", "--delta": "--at-delta"}


def in_words(error: CycloptsError, tokens: Sequence[str], scenario: str | None = None) -> str:
    """Return the error as a sentence that tells a person what to do.

    `scenario` is the word of the command line that names a scenario, if there is one.
    """
    command = " ".join(error.command_chain or tokens[:1])
    match error:
        case UnknownCommandError():
            return _unknown_command(error)
        case UnknownOptionError():
            return _unknown_option(error, command, scenario)
        case UnusedCliTokensError():
            unused = " and ".join(map(repr, error.unused_tokens or ()))
            return (
                f"{command} does not take {unused} here: `simnet {command} --help` shows what it "
                "takes"
            )
        case MissingArgumentError() if error.argument is not None:
            return _missing(error, command)
        case ValidationError() if error.argument is not None and error.exception_message:
            return f"{error.argument.name}: {error.exception_message}"
    return str(error)


def _unknown_command(error: UnknownCommandError) -> str:
    word = next(iter(error.unused_tokens or ()), "")
    names = () if error.app is None else tuple(error.app)
    is_option = word.startswith("-")
    known = [name for name in names if name.startswith("-") is is_option]
    known += NAMES if is_option else ()
    kind = "option" if is_option else "command"
    return (
        f"no {kind} is called {word!r}{did_you_mean(word, known)}: the {kind}s are "
        f"{', '.join(known)}"
    )


def _unknown_option(error: UnknownOptionError, command: str, scenario: str | None) -> str:
    if scenario is not None:  # the options of such a command depend on the scenario
        command = f"{command} {scenario}"
    given = (error.token.keyword or error.token.value).partition("=")[0]
    arguments = error.argument_collection
    names = [name for argument in arguments for name in argument.names if name.startswith("-")]
    settings = [
        argument.name for argument in arguments if argument.field_info.name.startswith(SETTING)
    ]
    new = RENAMED.get(given)
    remedy = _lacking_parameter(given, scenario)
    if new in names:
        meant = f": {new} sets the number at which privacy is stated"
    elif remedy is not None:
        meant = f" ({remedy})"
    else:
        meant = did_you_mean(given, names)
    its = (
        f"; the options for settings of the scenario are {', '.join(settings)}" if settings else ""
    )
    return f"{command} has no option {given}{meant}{its}"


def _lacking_parameter(option: str, scenario: str | None) -> str | None:
    if scenario is None:
        return None
    from simnet.errors import SimnetError
    from simnet.scenario.find import find

    try:
        found = find(scenario)[1]
    except SimnetError:  # we are about to report another error
        return None
    return found.lacks_parameter(option.lstrip("-").replace("-", "_"))


def _missing(error: MissingArgumentError, command: str) -> str:
    argument = error.argument
    assert argument is not None
    option = error.keyword or next(
        (token.keyword for token in argument.tokens if token.keyword is not None), None
    )
    if option is not None:
        return f"{option} needs a value: `simnet {command} --help` explains it"
    name = next((name for name in argument.names if not name.startswith("-")), None)
    if name is None:
        positional = argument.field_info.is_positional
        name = argument.name.lstrip("-").upper() if positional else argument.name
    return f"{command} needs {name}, which is missing: `simnet {command} --help` explains it"
