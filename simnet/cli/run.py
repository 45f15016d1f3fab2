"""`simnet run`."""

from pathlib import Path

from simnet.cli.options import Data, JsonFile, Settings, settings_of, with_short


def run(
    scenario: str,
    *,
    set_: Settings = None,
    seed: int = 0,
    data: Data | None = None,
    max_elements: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    postprocess: str | None = None,
    figure: Path | None = None,
    claims: bool = True,
    json: JsonFile = None,
) -> int:
    """Run a scenario once and show what came of it.

    The estimate stands beside the truth; then come exact privacy, what coalitions learn, and the
    bill.

    Exit status 1 when a claim about a coalition fails.

    Examples: `simnet run dpds --set users=200`, `simnet run dpds --input people.csv --column city
    --users 3000`, `simnet run local_table --input people.csv --numeric age:0:120,hours:0:99
    --categorical sex,region --drop-missing`.

    Parameters
    ----------
    scenario
        A scenario's name (see `simnet list`) or the path of a scenario file.
    set_
        Set a parameter: `--set participation=0.2`. May be given several times.
    seed
        All randomness follows from it.
    data
        The people of the run.
    max_elements
        Refuse a run that moves more field elements than this.
    epsilon
        State the exact δ at this ε; by default at the one that the protocol's parameters stand for.
    delta
        State the exact ε at this δ.
    postprocess
        What the server of a local collection does with its estimates: raw, clip, normalise,
        norm-sub or project, and
        zero, calibrate-total, calibrate, calibrate-infinite, calibrate-gaussian, calibrate-laplace,
        calibrate-poisson
        or calibrate-likelihood. Short for `--set postprocess=...`; the unbiased estimates stay in
        the JSON as `raw`.
        With `--set heavy=0.01` heavy hitters are items that more than a hundredth of the users
        hold.
    figure
        Draw the estimate into this file (PNG, SVG or PDF; needs simnet[plots]).
    claims
        Judge the scenario's claims about coalitions; `--no-claims` leaves them out.
    json
        Write JSON to this file; `-` for standard output.
    """
    from simnet.cli.output import console, write_json
    from simnet.cli.progress import progress_bar
    from simnet.cli.show import show
    from simnet.scenario.find import find
    from simnet.scenario.perform import LIMIT, judged, perform

    name, chosen = find(scenario)
    settings = with_short(settings_of(set_), postprocess=postprocess)
    chosen = chosen.with_settings(settings)
    limit = LIMIT if max_elements is None else max_elements
    population = (data or Data()).population(chosen, settings, seed, limit)
    protocol = chosen.build_for(population)
    work = chosen.described(protocol).workload
    with progress_bar(name, 0 if work is None else work.elements) as progress:
        result = perform(
            name,
            chosen,
            population,
            seed,
            limit=limit,
            progress=progress,
            epsilon=epsilon,
            delta=delta,
        )
    if claims and chosen.claims:
        with progress_bar("claims", len(chosen.claims) + 1) as progress:
            result = judged(result, progress)
    if (
        figure is not None
    ):  # files first: a reader of the output who leaves early stops what comes after
        from simnet.scenario.figure import draw_estimate

        draw_estimate(result, figure)
    write_json(result.as_json(), json)
    show(result, console(json))
    return 0 if all(row.holds for row in result.adversaries) else 1
