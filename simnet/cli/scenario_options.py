"""Makes options of the settings of a scenario.

`simnet run tss --reported 4` means the same as `simnet run tss --set reported=4`. The options
depend on the scenario. So we first look for the scenario among the words of the command line, then
add its settings to the command as options, and then parse the line.

An option that the command itself has keeps its meaning. `run --yes` agrees to a long run, so the
setting `yes` of a scenario becomes `--setting-yes`. But a command's own option `--users` or
`--items` sets the setting with this name.
"""

import functools
import inspect
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any, get_args

from cyclopts import App, Group, Parameter

from simnet.cli.frame_options import NAMES
from simnet.cli.options import strictly

if TYPE_CHECKING:
    from simnet.scenario.settings import Setting

Command = Callable[..., int | None]
SETTING = "setting_"  # the prefix of added parameters, which no parameter of a command has itself
HELP_FLAGS = ("--help", "-h")
SIZES = ("users", "items")  # a command's options with these names mean the settings


def scenario_word(command: Command, words: Sequence[str]) -> str | None:
    """Return the word that names the scenario: the first word that is neither an option nor the
    value of an option, or the word after `--`. Return None if there is no such word.
    """
    flags = _flags(command)
    rest = iter(words)
    for word in rest:
        if word == "--":
            return next(rest, None)
        if not word.startswith("-"):
            return word
        if "=" not in word and word not in flags:
            next(rest, None)  # an option for a setting always has a value
    return None


def with_setting_options(command: Command, words: Sequence[str]) -> Command:
    """Return the command with options for the settings of the scenario that the words name.

    Raises `BadInput` when there is no such scenario.
    """
    from simnet.scenario.find import find, found_already

    place = scenario_word(command, words)
    if place is None:
        return command
    found = find(place)
    own = option_names(command)
    group = Group(f"Settings of {found[0]}", sort_key=1)
    added = [
        inspect.Parameter(
            SETTING + setting.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_annotated(option, setting.in_words, group),
        )
        for setting in found[1].settings_in_words.values()
        for option in [setting_option(setting, own)]
        if option is not None
    ]

    @functools.wraps(command)
    def extended(*arguments: Any, **options: Any) -> int | None:
        given = {
            parameter.name.removeprefix(SETTING): options.pop(parameter.name, None)
            for parameter in added
        }
        texts = [f"{setting}={text}" for setting, text in given.items() if text is not None]
        if texts:
            options["set_"] = [*(options.get("set_") or ()), *texts]
        with found_already(place, found):
            return command(*arguments, **options)

    signature = inspect.signature(command)
    parameters = [*signature.parameters.values(), *added]
    vars(extended)["__signature__"] = signature.replace(parameters=parameters)
    return extended


def setting_option(setting: "Setting", own: Collection[str]) -> str | None:
    """Return the option for a setting, or None if one of the command's `own` options sets it."""
    if setting.option not in own:
        return setting.option
    return None if setting.name in SIZES else f"--setting-{setting.option.removeprefix('--')}"


def option_names(command: Command) -> frozenset[str]:
    """Return the names of the options that a command itself has, or that every command has."""
    own = (name for argument in _arguments(command) for name in argument.names)
    return frozenset((*own, *NAMES))


def _annotated(option: str, words: str, group: Group) -> Any:
    described = Parameter(
        name=option, help=words, group=group, show_default=False, allow_leading_hyphen=True
    )
    return Annotated[str | None, described]


def _flags(command: Command) -> Collection[str]:
    flags = {
        name
        for argument in _arguments(command)
        for name in argument.names
        if argument.token_count(())[0] == 0
        or bool in get_args(argument.hint)  # True, False or None
    }
    return flags | set(HELP_FLAGS)


def _arguments(command: Command) -> Any:
    app = App(default_parameter=Parameter(converter=strictly))
    app.default(command)
    return app.assemble_argument_collection()
