"""`simnet time`."""

from pathlib import Path

from simnet.cli.options import FigureFile, JsonFile, Networks


def time(
    log: Path,
    /,
    *,
    network: Networks = None,
    seed: int | None = None,
    figure: FigureFile = None,
    json: JsonFile = None,
) -> None:
    """Say how long a recorded run takes on one or more networks.

    The run is not repeated: the log says who sent how much to whom, and who waited for what. The
    output shows when each role ends, how long its parties compute, wait and send, and the longest
    chain of messages.

    For example:

    - `simnet run dpds --log run.log`
    - `simnet time run.log --network broadband --network mobile`
    - `simnet time run.log --network office.toml --figure timeline.svg`

    Parameters
    ----------
    log
        The log of a run; `simnet run --log` writes it.
    network
        The name of a network (see `simnet network`), or a TOML file that describes one. You can
        give this option several times. Without it, the run is timed on all networks that have a
        name; a run with deadlines is timed on its own network.
    seed
        The seed of the jitter and of the losses of packets. Without this option it is the seed of
        the run, or 0 if the log has no seed.
    figure
        Draw the times of some parties on the first network into this file (PNG, SVG or PDF; needs
        matplotlib).
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.cli.output import console, write_json
    from simnet.cli.times import print_times
    from simnet.network.presets import PRESETS
    from simnet.network.recorded import load
    from simnet.network.timing import timed
    from simnet.network.toml_file import network_from_toml, network_named

    recorded = load(log)
    networks = [network_named(name) for name in network or PRESETS]
    if recorded.deadlines and not network:
        networks = [network_from_toml(recorded.network)]
    timings = [timed(recorded, one, seed) for one in networks]
    if figure is not None:
        from simnet.network.timeline import timeline_figure
        from simnet.scenario.figure import write_figure

        write_figure(timeline_figure(timings[0]), figure)
    write_json(
        {"command": recorded.command, "times": [timing.as_json() for timing in timings]}, json
    )
    print_times(console(json), timings)
