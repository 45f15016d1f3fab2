"""`simnet network`."""

from typing import Annotated

from cyclopts import Parameter

from simnet.cli.options import JsonFile


def network(
    name: str | None = None,
    /,
    *,
    prices: Annotated[bool, Parameter(negative=())] = False,
    json: JsonFile = None,
) -> None:
    """Show the networks that have a name.

    With a name, the command prints the network as a TOML file, which you can change and use.

    For example:

    - `simnet network`
    - `simnet network mobile > office.toml`
    - `simnet network --prices`

    Parameters
    ----------
    name
        The name of a network, or a TOML file.
    prices
        Measure how long an operation of each kind takes on this machine, and print the prices as
        the part `[prices_ns]` of a TOML file.
    json
        Write the networks, or with `--prices` the prices, as JSON to this file; `-` writes it to
        standard output.
    """
    from rich.text import Text

    from simnet.cli.grid import Grid
    from simnet.cli.output import console, write_json
    from simnet.errors import BadInput
    from simnet.network.presets import PRESETS
    from simnet.network.toml_file import NANO, as_toml, network_named
    from simnet.printable import printable

    out = console(json)
    if prices and name is not None:
        raise BadInput(f"--prices measures this machine, not a network: leave out {name!r}")
    if prices:
        from simnet.network.prices import measured_prices

        measured = measured_prices()
        write_json({"prices": measured}, json)
        out.print("[prices_ns]", markup=False)
        for kind, seconds in measured.items():
            out.print(f"{kind} = {seconds / NANO:.3g}", markup=False, highlight=False)
        return
    chosen = list(PRESETS.values()) if name is None else [network_named(name)]
    write_json(
        [{"name": one.name, "source": one.source, "toml": as_toml(one)} for one in chosen], json
    )
    if name is not None:
        out.print(Text(as_toml(chosen[0]).rstrip()), soft_wrap=True)
        return
    grid = Grid("network", "where its numbers come from")
    for one in chosen:
        grid.add_row(Text(printable(one.name)), Text(printable(one.source)))
    out.print(grid)
