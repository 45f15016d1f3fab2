"""`simnet mechanism`: the exact numbers of a local mechanism."""

from typing import TYPE_CHECKING, Any

from simnet.cli.options import FigureFile, JsonFile
from simnet.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from protocols.mechanisms.described import Described


def mechanism(
    name: str,
    *,
    epsilon: float | None = None,
    items: int | None = None,
    attributes: int | None = None,
    variant: str | None = None,
    truthful: float | None = None,
    yes: float | None = None,
    sampling: float | None = None,
    at: float | None = None,
    figure: FigureFile = None,
    json: JsonFile = None,
) -> int:
    """Show a local mechanism: its actual ε, its bias and variance, and the law of a report.

    If the actual ε exceeds the requested one, the output says so, and the exit status is 0 all the
    same.

    For example:

    - `simnet mechanism pm --epsilon 1 --at 0.5`
    - `simnet mechanism oue --epsilon 1 --items 4`
    - `simnet mechanism duchi-multi --epsilon 1 --attributes 6 --variant as-printed`

    Parameters
    ----------
    name
        The name of the mechanism, such as grr, oue, pm. For an unknown name, the error lists all
        names.
    epsilon
        The requested ε.
    items
        The number of items, N, for a mechanism over items.
    attributes
        The number of numeric attributes, d, for duchi-multi.
    variant
        For duchi-multi: `corrected`, or `as-printed` for the mechanism as the paper prints it.
    truthful
        For joy-gerla: the probability that a user must tell the truth.
    yes
        For joy-gerla: the probability of the answer yes if the user need not tell the truth.
    sampling
        For joy-gerla: the probability that a user reports.
    at
        The value in [-1, 1] that a user holds; 0 by default. For a mechanism over items it is the
        share of the users who hold one item; 1/N by default.
    figure
        Draw the law into this file (PNG, SVG or PDF; this needs matplotlib).
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.mechanisms.described import described
    from protocols.mechanisms.named import mechanism as mechanism_named
    from simnet.cli.output import console, write_json

    try:
        chosen = mechanism_named(
            name,
            epsilon=epsilon,
            items=items,
            attributes=attributes,
            variant=variant,
            truthful=truthful,
            yes=yes,
            sampling=sampling,
        )
        description = described(chosen, at)
    except (ValueError, TypeError) as error:
        raise BadInput(str(error)) from error
    if figure is not None:
        from protocols.mechanisms.drawing import draw_law

        draw_law(chosen, description.at, figure)
    write_json(description.as_json(), json)
    _print(console(json), description)
    return 0


def _print(out: "Console", description: "Described") -> None:
    from rich.text import Text

    from protocols.mechanisms.reader import reader_of_reports
    from simnet.stated.privacy import assumptions_in_words

    where = f"at the {description.argument} {description.at:.6g}"
    made_with = "" if description.stated is None else f", requested {description.stated:.10g}"
    out.print(Text(repr(description.mechanism), "bold"))
    out.print(f"exact ε        {description.epsilon:.10g}{made_with}")
    if not description.keeps_what_it_states:
        out.print(Text("               the exact ε exceeds the requested ε", "bold red"))
    if description.mechanism.continuous:
        statement = reader_of_reports(description.epsilon, continuous=True)
        for assumption in assumptions_in_words([statement]):
            out.print(f"assuming {assumption}")
    if description.below_doubles:
        out.print(
            Text(
                "with so large an ε the noise may be smaller than the precision of doubles: then "
                "most reports equal the user's value, except for values near 0",
                "yellow",
            )
        )
    out.print(f"bias           {description.bias:.4g} {where}")
    out.print(
        f"variance       {description.variance:.8g} {where}, "
        f"at worst {description.worst_variance:.8g}, for one user\n"
    )
    out.print(_law(description.law))


def _law(law: tuple[dict[str, Any], ...]) -> Any:
    from rich.text import Text

    from simnet.cli.grid import Grid

    columns = list(dict.fromkeys(key for row in law for key in row))
    table = Grid(*columns)
    for row in law:
        table.add_row(*(Text(_cell(column, row.get(column, ""))) for column in columns))
    return table


def _cell(column: str, value: Any) -> str:
    if value is None:
        return "-∞" if column == "low" else "∞"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
