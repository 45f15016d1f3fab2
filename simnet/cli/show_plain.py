"""Prints a run without an estimate beside the truth: outputs, privacy, claims and bill."""

from rich.console import Console
from rich.text import Text

from simnet.cli.bills import print_bill, print_copies
from simnet.cli.grid import Grid
from simnet.cli.privacy import print_privacy
from simnet.cli.verdicts import print_claims
from simnet.kernel.run import Run
from simnet.printable import count_of, printable
from simnet.record.ledger import Ledger, Traffic
from simnet.scenario.compared_outputs import NO_FUNCTIONALITY, ComparedOutputs
from simnet.scenario.drops import outcome_in_words
from simnet.scenario.perform import parameters_in_words
from simnet.scenario.plain import PlainRun, plain
from simnet.stated.about import About
from simnet.stated.bill import count_in_words
from simnet.values.residues import Residues

OUTPUTS_SHOWN = 12
LONGEST_OUTPUT = 60  # characters


def show_plain(result: PlainRun, compared: ComparedOutputs, console: Console) -> None:
    """Print the outputs, privacy, claims, traffic and bill, and what else could be shown."""
    run = result.run
    console.print(Text(result.scenario.summary, "bold"))
    parameters = parameters_in_words(result.parameters)
    parts = [run.roster.describe(), *([parameters] if parameters else []), f"seed {run.seed}"]
    console.print(Text("; ".join(parts) + "\n"))
    if result.numbering is not None:
        console.print(Text(f"{result.numbering}\n"))
    if result.guess is not None:
        console.print(Text(f"note: {result.guess}\n", "yellow"))
    print_drop_outs(run, result.about, console)
    _print_outputs(result, console)
    print_compared(compared, console)
    console.print()
    print_privacy(console, result.privacy)
    print_claims(console, result.adversaries, run.seed)
    print_traffic(run, console)
    if result.bill:
        print_bill(console, result.bill, "Bill")
        print_copies(run.ledger, console)
    total = run.ledger.total()
    console.print(
        f"\n{run.ledger.messages_in_words}, {run.ledger.payload_in_words} "
        f"({total.frame_bytes:,} with frames), {run.ledger.rounds_in_words}; "
        f"{run.seconds:.2f} s"
    )
    print_unread(run.ledger, console)
    if result.is_aborted:
        return
    more = "; ".join(f"{words} (`{method}`)" for method, words in result.more_to_show.items())
    if more:
        how = 'See the page "Write a protocol in several files" in the documentation.'
        console.print(Text(f"Could also be shown: {more}. {how}", "dim"))


def print_compared(
    compared: ComparedOutputs, console: Console, *, only_differences: bool = False
) -> None:
    """Print whether the outputs equal the ideal world's, and which numbers were taken mod q."""
    if compared.differences:
        console.print(Text(compared.in_words, "bold red"))
    elif not only_differences and NO_FUNCTIONALITY not in compared.reasons.values():
        console.print(Text(compared.in_words))
    for sentence in compared.reductions:
        console.print(Text(f"note: {sentence}", "yellow"))


def print_drop_outs(run: Run, about: About, console: Console) -> None:
    """Print lines about who dropped out, which messages went astray or came late, and who
    aborted.
    """
    sentences = outcome_in_words(run, about)
    for sentence in sentences:
        console.print(Text(sentence, "yellow"))
    if sentences:
        console.print()


def print_unread(ledger: Ledger, console: Console) -> None:
    """Print a line for each tag under which messages were sent that nobody received."""
    on_wire = ledger.unread("wire")
    for tag, count in ledger.unread().items():
        counted, were = count_of(count, "message"), "was" if count == 1 else "were"
        own = count - on_wire.get(tag, 0)
        some = "" if own == count else f"{own:,} of them "
        kept = f", {some}from a party to itself" if own else ""
        said = f"{counted} with tag {tag!r} {were} sent but never received{kept}"
        console.print(Text(said, "yellow"))


def _print_outputs(result: PlainRun, console: Console) -> None:
    outputs = list(result.run.outputs.items())
    if not outputs:
        console.print("no party returned an output")
        return
    table = Grid("party", "output")
    for name, output in outputs[:OUTPUTS_SHOWN]:
        text = " ".join(_in_words(output).split())
        short = text if len(text) <= LONGEST_OUTPUT else text[: LONGEST_OUTPUT - 1] + "…"
        table.add_row(name, Text(printable(short)))
    console.print(table)
    if len(outputs) > OUTPUTS_SHOWN:
        hidden = len(outputs) - OUTPUTS_SHOWN
        console.print(f"and {count_of(hidden, 'more output')}; --json writes all of them")


def _in_words(output: object) -> str:
    if isinstance(output, Residues):
        return f"{output.numbers()} mod {output.field.modulus}"
    if isinstance(output, tuple | list | dict):  # numpy's numbers inside would be np.int64(3)
        return str(plain(output))
    return str(output)


def print_traffic(run: Run, console: Console) -> None:
    """Print how many messages and bytes each role sent and received."""
    ledger, roles = run.ledger, run.roster.roles
    sent, received = ledger.by("role", "sent"), ledger.by("role", "received")
    heads = "role", "messages sent", "bytes sent", "messages received", "bytes received"
    table = Grid(*heads, numbers=range(1, 5))
    for role in roles:
        ways = sent.get(role, Traffic()), received.get(role, Traffic())
        counts = [count for way in ways for count in (way.messages, way.payload_bytes)]
        table.add_row(role, *map(count_in_words, counts))
    console.print(table)
