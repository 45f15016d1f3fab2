"""Commands that the protocols contribute to the command line."""

from simnet.cli.options import JsonFile


def table1(
    *,
    users: int,
    items: int,
    participation: float,
    seed: int = 0,
    json: JsonFile = None,
) -> int:
    """Table I of the paper: each role's cost as printed, exact, expected and measured.

    Exit status 1 when a measured value is not the exact one.

    Example: `simnet table1 --users 1000 --items 30 --participation 0.5`.

    Parameters
    ----------
    users
        Number of users, n.
    items
        Number of items, N.
    participation
        Chance p that a user takes part.
    seed
        All randomness follows from it.
    json
        Write JSON to this file; `-` for standard output.

    """
    from protocols.secure.dpds import DPDS
    from simnet.cli.bills import print_bill
    from simnet.cli.output import console, write_json
    from simnet.study.perform import perform, synthetic
    from simnet.study.scenario import Scenario

    scenario = Scenario("DPDS", DPDS, {"participation": participation}, users, items)
    rows = perform("table1", scenario, synthetic(scenario, users, seed), seed).bill
    print_bill(console(json), rows, f"Table I: DPDS, n={users}, N={items}, p={participation}", expected=True)
    write_json([row.as_json() for row in rows], json)
    return 0 if all(row.holds for row in rows) else 1
