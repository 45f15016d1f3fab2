"""`simnet table1`: Table I of Yang et al., printed and measured, and such tables for protocols that
survive drop-outs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simnet.cli.options import JsonFile
from simnet.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.stated.about import Describe
    from simnet.stated.bill import BillRow


def table1(
    *,
    users: int,
    items: int,
    participation: float,
    reported: int | None = None,
    gamma: float | None = None,
    phi: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    fraction_bits: int = 16,
    left: float | None = None,
    degree: int | None = None,
    members: int | None = None,
    trials: int = 1,
    seed: int = 0,
    json: JsonFile = None,
) -> int:
    """Show Table I of Yang et al.: each role's cost as printed, exact, expected and measured.

    The table has DPDS. `--reported` adds TSS, `--phi` adds TSS', and `--epsilon` with `--delta`
    adds DPDG. `--left` adds the secure aggregation of Bonawitz et al., beside the formula of its
    paper. `--degree` adds SecAgg+, and `--members` adds a committee of servers. The last three
    protocols add up the answers of DPDS. The users' items are drawn uniformly. The exit status is 1
    if a measured value differs from the exact one.

    For example:

    - `simnet table1 --users 1000 --items 30 --participation 0.5`
    - `simnet table1 --users 1000 --items 30 --participation 0.5 --reported 12 --gamma 2 --trials 5`
    - `simnet table1 --users 100 --items 30 --participation 0.5 --left 0.5 --degree 20 --members 5`

    Parameters
    ----------
    users
        The number of users, n.
    items
        The number of items, N.
    participation
        The probability p that a user takes part.
    reported
        The number of items that a user reports on, k = αN.
    gamma
        The weight γ of the adaptive law of reporting sets. Without this option the law is uniform.
    phi
        The number φ of TSS': any φ colluding users learn nothing from shares.
    epsilon
        The ε of DPDG, at most 1.
    delta
        The δ of DPDG.
    fraction_bits
        The number of fractional bits in DPDG's fixed-point numbers.
    left
        For secure aggregation: the largest fraction of a secret's holders that cannot open the
        secret. The threshold is the next larger whole number of holders, and at least 2.
    degree
        The even number of neighbours of a user in SecAgg+; with few users, as many as possible.
        More than half of the holders open a secret.
    members
        The number of servers in the committee; more than half of them open the sum.
    trials
        The number of runs, with consecutive seeds that begin with `--seed`. Exact and measured
        values are the means over these runs.
    seed
        The number from which all randomness follows.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from protocols.dpdg.about import about as about_dpdg
    from protocols.dpdg.script import DPDG
    from protocols.dpds.about import about as about_dpds
    from protocols.dpds.script import DPDS
    from protocols.tss.about import about as about_tss
    from protocols.tss.prime import tss
    from protocols.tss.script import TSS
    from simnet.cli.bills import print_bill
    from simnet.cli.output import console, write_json

    for name, value, of in (("--gamma", gamma, "TSS"), ("--phi", phi, "TSS'")):
        if value is not None and reported is None:
            raise BadInput(f"{name} goes with --reported: {name} is a parameter of {of}")
    if (epsilon is None) != (delta is None):
        raise BadInput("--epsilon and --delta go together: both are parameters of DPDG")
    if epsilon is not None and epsilon > 1:
        raise BadInput(
            f"--epsilon is at most 1, got {epsilon:g}: the table has DPDG as in the paper, with "
            "the classic calibration of its noise, which is proved for ε up to 1"
        )
    columns: list[tuple[Any, Describe, dict[str, Any]]] = [
        (DPDS, about_dpds, {"participation": participation})
    ]
    of_tss = {"participation": participation, "reported": reported, "gamma": gamma}
    if reported is not None:
        columns.append((TSS, about_tss, of_tss))
    if phi is not None:
        columns.append((tss, about_tss, {**of_tss, "bound": phi}))
    if epsilon is not None:
        columns.append(
            (DPDG, about_dpdg, {"epsilon": epsilon, "delta": delta, "fraction_bits": fraction_bits})
        )
    columns += _surviving_drop_outs(participation, left, degree, members)
    out, rows = console(json), []
    for protocol, about, parameters in columns:
        mean = _mean_bill(protocol, about, parameters, users, items, seed, trials)
        print_bill(out, mean, f"{mean[0].protocol}, n={users}, N={items}", expected=True)
        rows += mean
    if reported is not None:
        _print_saving(out, rows, TSS(users, items, participation, reported, gamma))
    write_json([row.as_json() for row in rows], json)
    return 0 if all(row.holds for row in rows) else 1


def _surviving_drop_outs(
    participation: float, left: float | None, degree: int | None, members: int | None
) -> list[tuple[Any, "Describe", dict[str, Any]]]:
    from protocols.committee.about import about as about_committee
    from protocols.committee.script import Committee
    from protocols.secagg.about import about as about_secagg
    from protocols.secagg.build import secagg, secagg_plus

    columns: list[tuple[Any, Describe, dict[str, Any]]] = []
    sampled = {"participation": participation}
    if left is not None:
        columns.append((secagg, about_secagg, {**sampled, "left": left}))
    if degree is not None:
        columns.append((secagg_plus, about_secagg, {**sampled, "degree": degree}))
    if members is not None:
        sharing = f"shamir:{members // 2 + 1}"
        columns.append(
            (Committee, about_committee, {**sampled, "members": members, "sharing": sharing})
        )
    return columns


def _mean_bill(
    protocol: Any,
    about: "Describe",
    parameters: dict[str, Any],
    users: int,
    items: int,
    seed: int,
    trials: int,
) -> list["BillRow"]:
    from simnet.cli.long_work import announced, seconds_of
    from simnet.kernel.limits import refuse_runs
    from simnet.scenario.perform import perform, synthetic
    from simnet.scenario.scenario import Scenario
    from simnet.stated.bill import mean_row

    if trials < 1:
        raise BadInput(f"--trials takes a whole number from 1, got {trials}")
    scenario = Scenario(
        summary="table1",
        protocol=protocol,
        about=about,
        parameters=parameters,
        users=users,
        items=items,
    )
    people = synthetic(scenario, users, seed)
    work = scenario.described(scenario.build_for(people)).workload
    refuse_runs(trials, 0 if work is None else work.elements)
    with announced(f"table1, {protocol.__name__}", trials * seconds_of(work)):
        bills = [perform("table1", scenario, people, seed + trial).bill for trial in range(trials)]
    return [mean_row(rows) for rows in zip(*bills, strict=True)]


def _print_saving(out: "Console", rows: Sequence["BillRow"], protocol: Any) -> None:
    """Print how many times as many field elements a user of DPDS sends as a user of TSS.

    Shares that a user keeps for itself are counted.
    """
    from protocols.mechanisms.reporting import inclusion

    sent = {}
    for row in rows:
        entry = row.expectation
        labels = entry.role, entry.quantity, entry.direction, entry.counting
        if labels == ("user", "qd", "sent", "logical"):
            sent[row.protocol] = row.measured
    alpha = protocol.reported / protocol.items
    claimed = 1 / (float(inclusion(protocol.reported, protocol.items, protocol.gamma)) * alpha)
    out.print(
        f"A user of DPDS sends {sent['dpds'] / sent['tss']:.2f} times as many field elements as a "
        f"user of TSS; the paper's 1/(p_χ α) is {claimed:.2f}, 1/α² is {1 / alpha**2:.2f}"
    )
