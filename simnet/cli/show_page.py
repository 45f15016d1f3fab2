"""`simnet show`."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from simnet.cli.asked import Asked
from simnet.cli.options import Data, DropOuts, OneNetwork, OutputFile, Settings, whole_numbers

if TYPE_CHECKING:
    from simnet.page.worlds import Worlds


def show_page(
    scenario: str,
    /,
    *,
    html: OutputFile = None,
    svg: OutputFile = None,
    judge: Annotated[list[str] | None, Parameter(negative=())] = None,
    worlds: str | None = None,
    corrupt: str | None = None,
    set_: Settings = None,
    seed: int = 0,
    data: Data | None = None,
    inputs: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    claims: bool = True,
    drop: DropOuts = None,
    network: OneNetwork = None,
    yes: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Run a scenario once and draw its messages: in the terminal, or on a page for a browser.

    Without `--html` and `--svg`, the command prints a sequence diagram.

    The page is one file and needs no internet. It draws the messages. When you tick parties whose
    coalition was judged, the page says what they learn together, and shows an attack, if there is
    one: step by step, if the page has room. The page also has the parameters and, if the protocol
    states them, the bill, an estimate and the privacy of one user.

    In a run with at most 10 parties and 3,000 messages, the page has verdicts on all coalitions
    that can be judged. For a larger run, it may have verdicts on the coalitions of the scenario's
    claims, and on those that `--judge` names.

    If you give inputs, the page leaves out what could give them away: the seed, the numbers in
    messages, the truth, what scripts return except the estimate, and privacy statements that depend
    on the inputs.

    For example:

    - `simnet show dpds --users 4 --items 3`
    - `simnet show dpds --users 4 --items 3 --html run.html`
    - `simnet show tss --users 6 --items 3 --seed 4 --html run.html`
    - `simnet show dpds --input people.csv --column city --users 3000 --html run.html`
    - `simnet show my_protocol.py:Mine --html run.html`
    - `simnet show dpds --users 2 --items 2 --worlds 1,1/1,2 --corrupt server --html run.html`

    Parameters
    ----------
    scenario
        The name of a scenario (see `simnet list`), a file that has a scenario or one protocol, or
        `FILE.py:Class`. Every setting of the scenario is an option of this command: `simnet show
        dpds --help` shows them.
    html
        Write the page into this file.
    svg
        Write a sequence diagram of the messages into this file, for example for a paper.
    judge
        A coalition to judge, written as for `simnet verify --corrupt`, if the run is too large to
        judge all coalitions. You can give this option several times.
    worlds
        Two lists of inputs for a tiny instance, such as `1,1/1,2`. The page then shows side by side
        what the coalition that `--corrupt` names sees on each list, with exact probabilities.
    corrupt
        The coalition for `--worlds`, written as for `simnet verify`.
    set_
        Set a setting of the scenario: `--set participation=0.2` means the same as `--participation
        0.2`. You can give this option several times.
    seed
        The seed of the run's random numbers.
    data
        The users and their inputs.
    inputs
        The inputs of the parties of your own protocol: whole numbers separated by commas.
    claims
        With `--html`, judge the scenario's claims about coalitions. `--no-claims` skips this step.
    drop
        Let parties drop out: `0.1`, or `u3@share` (see `simnet run --help`).
    network
        Show on the page when each role ends on this network, and who waits when: a name (see
        `simnet network`) or a TOML file. If scripts wait with deadlines, the network also decides
        which messages come in time.
    yes
        Run without a question, even if the run has 1,000,000,000 field elements or more.
    """
    from simnet.cli.output import console, print_note
    from simnet.cli.show_plain import print_drop_outs
    from simnet.errors import BadInput
    from simnet.files import write_whole
    from simnet.network.toml_file import network_named
    from simnet.page.diagram import diagram_svg, diagram_text
    from simnet.scenario.plain import PlainRun

    asked = Asked.of(
        scenario,
        set_=set_,
        seed=seed,
        data=data,
        inputs=inputs,
        claims=claims and html is not None,
        drop=drop,
        network=network,
        yes=yes,
    )
    if (worlds is None) != (corrupt is None) or (worlds is not None and html is None):
        raise BadInput(
            "--worlds, --corrupt and --html go together: --worlds 1,1/1,2 --corrupt server --html "
            "run.html"
        )
    if judge and html is None:
        raise BadInput(
            "--judge goes with --html: it names coalitions whose verdicts the page shows"
        )
    result = asked.performed()
    out = console(None)
    if html is not None:
        further = [word for text in judge or () for word in ("--judge", text)]
        if worlds is not None and corrupt is not None:
            further += ["--worlds", worlds, "--corrupt", corrupt]
        compared = _worlds(asked, worlds, corrupt)
        asked.write_page(
            result,
            html,
            by="show",
            further=further,
            worlds=compared,
            judge=judge or (),
            timings=asked.timed(result, [network_named(network)] if network else [], None),
        )
        out.print(f"{html} is written: open it in a browser", highlight=False)
    if svg is not None:
        write_whole(svg, diagram_svg(result.run))
    if html is None and svg is None:
        out.print(diagram_text(result.run), highlight=False, markup=False, soft_wrap=True)
    print_drop_outs(result.run, result.about, out)
    print_note(out, result.guess if isinstance(result, PlainRun) else None)


def _worlds(asked: Asked, worlds: str | None, corrupt: str | None) -> "Worlds | None":
    from simnet.errors import BadInput
    from simnet.page.worlds import worlds_of

    if worlds is None or corrupt is None:
        return None
    first, slash, second = worlds.partition("/")
    if not slash:
        raise BadInput(f"--worlds takes two inputs with a slash between them, got {worlds!r}")
    inputs = [whole_numbers("--worlds", text) for text in (first, second)]
    scenario = asked.found.with_settings(asked.settings)
    users = scenario.users if asked.data.users is None else asked.data.users
    return worlds_of(scenario.build(users, scenario.items), corrupt, *inputs)
