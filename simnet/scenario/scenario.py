"""A scenario: a protocol with its parameters and its users, ready to run."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Literal

import attrs

from simnet.errors import BadInput
from simnet.kernel.limits import BYTES_A_USER, BYTES_AN_ITEM, limited, refuse_above
from simnet.nearest import did_you_mean
from simnet.printable import rounded
from simnet.scenario.claims import Claim
from simnet.scenario.population import Population, TablePopulation
from simnet.scenario.schema import Schema
from simnet.scenario.settings import Required, Setting, plain_kind, settings_in_words
from simnet.scenario.synthetic import (
    normal_numbers,
    uniform_items,
    uniform_numbers,
    uniform_table,
    zipf_items,
)
from simnet.stated.about import About, Describe

CATEGORIES_SHOWN = 4  # the most categories shown for a column if several columns are shown


class _DefaultSize(int):
    """A number of users or items that nobody has chosen."""


NONE = "none"  # the label of the item of users who hold none of the other items


@attrs.frozen(kw_only=True)
class Scenario:
    """What `simnet run` runs: a protocol, its parameters, and people to take part in it.

    - `summary` is one line of text, `protocol` the class or function that returns the protocol, and
      `about` the function that returns what is stated about it.
    - `parameters` are default values of settings, beside `users` and `items`. `sizes` names the
      arguments of the protocol that say how large a run is, out of "users", "items" and "schema".
      Without `sizes`, they are "users" and "items", as far as the protocol takes arguments of these
      names. Raises `BadInput` if `sizes` or `parameters` name an argument that the protocol does
      not take.
    - `users` and `items` are passed to the protocol if `sizes` names them. They also say how many
      people are made up, and from which items, unless the protocol itself says so. If `sizes` is
      not given, raises `BadInput` for a number of users if the protocol takes no argument `users`,
      and for a number of items if its class has its own `items`, but takes no such argument.
    - `claims` are statements of what coalitions learn. `refuse` raises `ValueError` for settings
      that make no sense.
    - `data` says which inputs are made up if no data are given: "items" (each equally likely),
      "Zipf items" (item j with a probability in proportion to 1/j), "values" (real numbers, uniform
      between the parameters `low` and `high`), "normal values" (standard normal, truncated to this
      range) or "table" (made by `table`, with the `schema`).
    - With `in_chance_order` users get their places in a random order. `last_none` names a setting:
      if this setting is true, the last item stands for users who hold none of the other items.
    """

    summary: str  # one line of text, which `simnet list` prints and which stands above a result

    # The class or function that returns the protocol. It is called with the arguments that `sizes`
    # names and with the parameters, all by keyword.
    protocol: Callable[..., Any]

    # The function in `about.py`, beside the protocol's script, which returns what is stated about
    # the protocol. Without it a scenario can be run and judged, but its estimate is not assessed.
    about: Describe | None = None

    # Default values; whoever runs the scenario may change them.
    parameters: Mapping[str, Any] = attrs.Factory(dict)
    users: int = _DefaultSize(1000)
    items: int = _DefaultSize(30)
    # Statements of what coalitions learn; `simnet run` judges them.
    claims: Sequence[Claim] = ()

    # A function that raises `ValueError` for parameters which the protocol's class accepts but
    # which make no sense.
    refuse: Callable[[Any], None] = lambda _: None

    # Which of `users`, `items` and `schema` are arguments of the protocol. A class with a property
    # `items`, for example, takes no argument of this name.
    sizes: Sequence[str] = attrs.field(
        default=attrs.Factory(lambda self: self._usual_sizes(), takes_self=True)
    )

    # The users who take part if no data are given. Items are uniform on 1..items or have a Zipf
    # law: item j has a probability in proportion to 1/j. Values lie in the range that the
    # parameters `low` and `high` declare; they are uniform, or have the standard normal law
    # truncated to this range. The function `table` makes the rows of a table, from the number of
    # users, the `schema` and a seed.
    data: Literal["items", "Zipf items", "values", "normal values", "table"] = "items"
    schema: Schema | None = None
    table: Callable[[int, Schema, int], TablePopulation] = uniform_table

    # Users get their places in a random order, because the order matters.
    in_chance_order: bool = False

    # The name of a parameter. If this parameter is true, the last item stands for "none of the
    # other items".
    last_none: str | None = None

    def __attrs_post_init__(self) -> None:
        for size in ("users", "items"):
            # a protocol may look at the type of its arguments, so we pass it plain integers
            if isinstance(getattr(self, size), _DefaultSize):
                object.__setattr__(self, size, int(getattr(self, size)))
        taken = _arguments(self.protocol)
        if taken is None:
            return
        takes = _takes_in_words(self.protocol, taken)
        for size in self.sizes:
            if size not in taken:
                fitting = tuple(each for each in self.sizes if each in taken)
                raise BadInput(
                    f"the scenario passes `{size}`, but {takes}: write `sizes={_written(fitting)}` "
                    "in the Scenario"
                )
        for parameter in self.parameters:
            if parameter not in taken:
                raise BadInput(
                    f"the scenario passes `{parameter}`, but {takes}: take `{parameter}` out of "
                    "the `parameters` of the Scenario"
                )

    def _usual_sizes(self) -> tuple[str, ...]:
        """Return "users" and "items", as far as the protocol takes arguments of these names.

        Raises `BadInput` for a size that was chosen, and that the run would ignore. `attrs` calls
        this method only if a scenario is made without `sizes`.
        """
        taken = _arguments(self.protocol)
        if taken is None:
            return ("users", "items")
        # Without arguments or attributes `items`, made-up inputs are drawn from 1..items.
        ignored = {"users": True, "items": hasattr(self.protocol, "items")}
        for size in ("users", "items"):
            is_chosen = not isinstance(getattr(self, size), _DefaultSize)
            if is_chosen and size not in taken and ignored[size]:
                others = ", and write other sizes into its `parameters`" if taken else ""
                raise BadInput(
                    f"the scenario has `{size}={getattr(self, size)}`, but "
                    f"{_takes_in_words(self.protocol, taken)}: take `{size}` out of the Scenario"
                    f"{others}"
                )
        return tuple(name for name in ("users", "items") if name in taken)

    def lacks_parameter(self, name: str) -> str | None:
        """Return what to do, in words, if `name` is an argument of the protocol which is no setting
        of the scenario, so that nobody can set it; None for any other name.
        """
        if name in self.settings() or name not in (_arguments(self.protocol) or ()):
            return None
        return f"put `{name}` into the `parameters` of the scenario"

    def described(self, protocol: Any) -> About:
        """Return what is stated about the protocol. Without `about`, nothing is stated but the name
        of the protocol's class.
        """
        if self.about is None:
            return About(name=type(protocol).__name__)
        return self.about(protocol)

    @property
    def assesses(self) -> bool:
        """Whether the protocol compares its estimate with the truth."""
        if self.about is None:
            return False
        with limited(elements=inf, memory=inf):  # nothing is run
            return self.described(self.build(self.users, self.items)).assess is not None

    def settings(self) -> dict[str, Any]:
        """Return all settings by name, with their present values."""
        sizes = {"users": self.users, "items": self.items}
        return {**{name: sizes[name] for name in self.sizes if name in sizes}, **self.parameters}

    @property
    def settings_in_words(self) -> dict[str, Setting]:
        """All settings by name, each with its type and meaning in words."""
        described = settings_in_words(self.protocol, self.settings())
        return {setting.name: setting for setting in described}

    def with_settings(self, texts: Mapping[str, str]) -> "Scenario":
        """Return the scenario with some settings replaced; values are given as text.

        Raises `BadInput` for an unknown name, and as `parsed` does.
        """
        settings = self.settings()
        if not texts:
            return self
        described = self.settings_in_words
        for name, text in texts.items():
            if name not in settings:
                remedy = self.lacks_parameter(name)
                meant = did_you_mean(name, settings) if remedy is None else f" ({remedy})"
                raise BadInput(
                    f"no setting is called {name!r}{meant}: this scenario "
                    f"has {', '.join(settings) or 'no settings'}"
                )
            settings[name] = parsed(described[name], text)
        users, items = settings.pop("users", self.users), settings.pop("items", self.items)
        return attrs.evolve(self, users=users, items=items, parameters=settings)

    @property
    def on_values(self) -> bool:
        """Whether users hold numbers from a declared range."""
        return self.data in ("values", "normal values")

    @property
    def range(self) -> tuple[float, float]:
        """The declared range of the users' numbers."""
        return self.parameters["low"], self.parameters["high"]

    def synthetic(self, users: int, seed: int) -> Population:
        """Return `users` made-up users, drawn from the seed: the people of a run without data."""
        if self.schema is not None:
            return self.table(users, self.schema, seed)
        if self.on_values:
            drawn_numbers = uniform_numbers if self.data == "values" else normal_numbers
            return drawn_numbers(users, *self.range, seed)
        drawn = zipf_items if self.data == "Zipf items" else uniform_items
        people = drawn(users, self.items, seed)
        return attrs.evolve(people, labels=(*people.labels[:-1], NONE)) if self.has_none else people

    @property
    def has_none(self) -> bool:
        """Whether the last item stands for users who hold none of the other items."""
        return self.last_none is not None and bool(self.parameters[self.last_none])

    def refuse_unnamed_none(self, labels: Sequence[str]) -> None:
        """Raise `BadInput` if an item of real data would be taken for "none of the other items"."""
        if self.has_none and labels[-1].lower() != NONE:
            raise BadInput(
                f"with {self.last_none}=true the label of the last item must be {NONE!r}, which "
                f"stands for none of the other items, got {labels[-1]!r}: give "
                f"--{self.last_none} false, or a --domain whose last item is {NONE}"
            )

    def fitted(self, people: Population) -> "Scenario":
        """Return the scenario with as many users and items as these users have, and with their
        schema.
        """
        schema = people.schema if isinstance(people, TablePopulation) else self.schema
        return attrs.evolve(self, users=len(people.inputs), items=len(people.labels), schema=schema)

    def build_for(self, people: Population) -> Any:
        """Return the protocol for these users. Raises `BadInput` if the protocol refuses the
        parameters.
        """
        fitted = self.fitted(people)
        return fitted.build(fitted.users, fitted.items)

    def build(self, users: int, items: int) -> Any:
        """Return the protocol for a number of users and of items.

        Raises `BadInput` if the protocol refuses the parameters, for a setting that has neither
        a default nor a value, and if a run would take more than the limits allow (see
        `simnet.kernel.limits`).
        """
        columns = 1 if self.schema is None else len(self.schema.names)
        people = f"a run with users = {rounded(users)}"
        if "items" in self.sizes:
            people += f" and items = {rounded(items)}"
        memory = users * columns * BYTES_A_USER + items * BYTES_AN_ITEM
        refuse_above(people, memory=memory)
        missing = next(
            (name for name, value in self.parameters.items() if isinstance(value, Required)), None
        )
        if missing is not None:
            setting = self.settings_in_words[missing]
            meaning = f", {setting.meaning}," if setting.meaning else ""
            raise BadInput(f"{missing}{meaning} has no default: give {setting.option}")
        sizes = {"users": users, "items": items, "schema": self.schema}
        try:
            protocol = self.protocol(
                **{name: sizes[name] for name in self.sizes}, **self.parameters
            )
            self.refuse(protocol)
        except (ValueError, TypeError) as error:
            raise BadInput(str(error)) from error
        except Exception as error:
            raise BadInput(
                f"the protocol refuses its parameters: {type(error).__name__} {error}"
            ) from error
        work = self.described(protocol).workload
        if work is not None:
            refuse_above(
                f"{people}, which sends {rounded(work.messages)} messages,", elements=work.elements
            )
        return protocol


def _arguments(protocol: Callable[..., Any]) -> list[str] | None:
    """Return the names of the arguments that can be passed by keyword; None if they can have any
    name, or if Python does not know them.
    """
    try:
        parameters = inspect.signature(protocol).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
        return None
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [each.name for each in parameters if each.kind in by_keyword]


def _takes_in_words(protocol: Callable[..., Any], taken: Sequence[str]) -> str:
    name = getattr(protocol, "__name__", "the protocol")
    return f"{name} takes only {', '.join(taken)}" if taken else f"{name} takes no arguments"


def _written(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"({quoted[0]},)" if len(quoted) == 1 else f"({', '.join(quoted)})"


def parsed(setting: Setting, text: str) -> Any:
    """Return a setting's value, read from text as the setting's type.

    If the default is None, the text `none` gives None. A setting with default None and no type can
    also be a number or a text. Raises `BadInput` if the type is a number or a truth value, and the
    text does not give such a value.
    """
    kind = plain_kind(setting.annotation, setting.default)
    if setting.default is None and text.lower() == "none":
        return None
    if kind is None:
        # no plain type is declared, so the protocol itself interprets the text
        return _number_or_text(text) if setting.default is None else text
    if kind is bool and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    try:
        if kind is not bool:
            return kind(text)
    except (ValueError, OverflowError):
        pass
    unfit = setting.default is None or isinstance(setting.default, Required | bool)
    such = "" if unfit else f", such as {setting.default}"
    meaning = f"; {setting.name} is {setting.meaning}" if setting.meaning else ""
    if kind is bool:
        says = f": {setting.name} says {setting.meaning}" if setting.meaning else ""
        raise BadInput(f"{setting.name} takes true or false, got {text!r}{says}")
    raise BadInput(f"{setting.name}={text} is not {setting.type_in_words}{such}{meaning}")


_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _number_or_text(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
