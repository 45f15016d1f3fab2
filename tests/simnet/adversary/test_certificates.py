"""Certificates: valid ones are accepted. Corrupted ones are refused, or the printed line is true of
them.

`make fuzz` does the same with 1,000 valid certificates and 10,000 corruptions.
"""

import random
import subprocess
import sys
import types
from functools import cache
from pathlib import Path

import pytest

from protocols.dpds.script import DPDS
from simnet import Party, Sealed, Seat, certificate_of, certificate_text, run, verdict
from simnet.adversary import check as checker
from tests.harness.certificates.audit import Audit, draw_corruptions
from tests.harness.certificates.corruptions import KINDS, corrupted
from tests.harness.certificates.own_elimination import Listing
from tests.harness.certificates.pool import pool
from tests.harness.certificates.readers import NODE, Lines, NodeReader, python_reader
from tests.harness.certificates.tiny_law import refutation
from tests.harness.marks import slow_but
from tests.harness.scripts import NOTE, F


def unless_failed(audit: Audit) -> None:
    assert not audit.failures, f"{audit.failures[0]}\n{audit.failures[0].data!r}"


@pytest.mark.slow
def test_valid_certificates_are_accepted_and_corrupted_ones_refused() -> None:
    audit = Audit()
    for valid in pool():
        audit.take_valid(valid)
    assert len(pool()) >= 40
    assert set(audit.statements) == {"nothing", "output-only", "leaks", "no-shares"}
    draw_corruptions(audit, pool(), 300, seed=0)
    assert audit.compared == audit.fates.total() == 300
    assert len(KINDS) >= 30
    unless_failed(audit)


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="the second reader needs node")
def test_both_readers_say_the_same() -> None:
    with NodeReader() as second:
        audit = Audit(second_reader=second)
        for valid in pool():
            audit.take_valid(valid)
        draw_corruptions(audit, pool(), 300, seed=1, compares=False)
    unless_failed(audit)


# For each weakness: the text of the checker that is replaced, the new text, and kinds of corruption
# that show the weakness.
WEAKNESSES = {
    "no prime test": (
        '_require(_is_prime(self.modulus), f"{where}.modulus: {self.modulus} is not prime")',
        "pass",
        ["modulus 4", "modulus squared"],
    ),
    "one unknown under two numbers": (
        '_require(is_apart, f"{where}: one unknown is listed twice")',
        "pass",
        ["one unknown under two numbers", "a secret takes its mask's number in a copy"],
    ),
    "families that are the same": (
        '_require(identity not in seen, f"{where}: this family is listed twice")',
        "pass",
        ["one family under two numbers"],
    ),
    "texts as lists": (
        "names = [_name(name, where) for name in _list(value, where)]",
        "names = [_name(name, where) for name in value]",
        ["set as a text", "holders as a text"],
    ),
    "names twice": (
        "_require(len(set(names)) == len(names) >= least,",
        "_require(len(names) >= least,",
        ["set with a repeated name"],
    ),
    "an empty set": (
        '_names(content["set"], "set", least=1)',
        '_names(content["set"], "set")',
        ["set empty"],
    ),
    "coins that nobody holds": (
        'is_right = bool(holders) == (kind != "stream")',
        "is_right = True",
        ["coins that nobody holds"],
    ),
    "repeated keys": (
        '_require(is_canonical, "the file: it is not written in the canonical form")',
        "pass",
        ["repeated key"],
    ),
    "booleans as numbers": (
        "is_right = type(value) is int and (least is None or value >= least)",
        "is_right = isinstance(value, int) and (least is None or value >= least)",
        ["size of a family", "number of lanes", "an integer as a float, a boolean or a text"],
    ),
    "places from the end": (
        "is_right = type(value) is int and (least is None or value >= least)",
        "is_right = type(value) is int",
        ["negative place"],
    ),
    "one family in two fields": (
        '_require(is_right, f"families[{family}]: it has unknowns in two fields")',
        "pass",
        ["families in two fields"],
    ),
    "no shifts": (
        '_require(not rest, f"{where} may tell more than what is listed")',
        "pass",
        ["a row that tells a secret", "a function dropped", "shift and form changed together"],
    ),
    "no weights": (
        '_require(total == entry.function, f"{where}: the messages give another function")',
        "pass",
        ["a function that nobody can compute"],
    ),
    "no numbers": (
        '_require(is_value, f"{where}: `weights` and `own` give other values than `values`")',
        "pass",
        ["the value of a function", "a number of a message"],
    ),
    "an ideal output that is not compared": (
        '_require(is_right, "statement: a function does not follow from the ideal output")',
        "pass",
        ["the ideal output without one form"],
    ),
    "changes that the output notices": (
        '_require(not change, f"{self._where}.witness: it changes the ideal output")',
        "pass",
        ["a leak that is none, shown by a change that the output notices"],
    ),
    "factors that give another function": (
        '_require(given == entry.function, f"{where}: `factor` gives another function")',
        "pass",
        ["a leak that is said to follow from the output"],
    ),
    "rows that tell more after all changes": (
        '_require(is_right, f"{self._where}: row {at} may tell more than what is listed")',
        "pass",
        ["a row that tells a secret", "changes: one dropped or moved to another place"],
    ),
    "coins that do not occur alone": (
        "factor != 0 and not any(coin in monomial for monomial in value),",
        "True,",
        ["changes: another row or coin"],
    ),
    "doors that depend on messages": (
        '_require(is_right, f"doors[{door}]: what it makes or tells may depend on messages")',
        "pass",
        ["opened: a row added", "opened: seen or of another door", "what is said of a door"],
    ),
    "messages of others": (
        '_require(is_right, f"{where}: the recipient is not in the coalition")',
        "pass",
        ["a message from a member, or to another"],
    ),
    "elements twice": (
        '_require(element >= free, f"{where}: two rows overlap or are not in ascending order")',
        "pass",
        ["a row twice"],
    ),
    "more than was sent": (
        '_require(is_right, f"runs[{run - 1}].sent: more is listed under {tag} than was sent")',
        "pass",
        ["numbers sent"],
    ),
    "shares where none are": (
        "not any(any(run.values()) for run in sent)",
        "True",
        ["no shares, all removed"],
    ),
    "seeds that do not follow": (
        '_require(is_own, f"{where}: before it, the coalition does not know unknown {unknown}")',
        "pass",
        ["known: a seed added"],
    ),
    "seeds that follow from themselves": (
        "return self._own[family] and (seed is None or seed in known)",
        "return self._own[family]",
        ["a seed made from its own random rows"],
    ),
    "derivations that are not computed": (
        '_require(total == row, f"{where}: the messages give another row")',
        "pass",
        ["rows of a seed", "told: a derivation"],
    ),
    "boxes that are opened before their keys": (
        "is_open = box is None or box in known",
        "is_open = True",
        ["a box that contains its own key"],
    ),
    "boxes without a known key": (
        '_require(is_open, f"{where}: the coalition does not know the key of this box")',
        "pass",
        ["box of a message"],
    ),
    "closed boxes with a known key": (
        '_require(is_unknown, f"{where}: the coalition knows the key of this box")',
        "pass",
        ["a closed box"],
    ),
    "agreements of others": (
        '_require(is_agreed, f"known: seed {number} does not follow from seeds before it")',
        "pass",
        ["known: a seed added", "public keys"],
    ),
    "agreements that are called unknown": (
        '_require(not is_open, f"known: seed {number} is missing: the coalition can agree on it")',
        "pass",
        ["public keys"],
    ),
    "one agreement under two numbers": (
        '_require(len(set(agreed)) == len(agreed), "seeds: one seed is agreed on twice")',
        "pass",
        ["an agreed seed listed twice"],
    ),
    "seeds that may be guessed": (
        '_require(is_long, f"{where}: it may be guessed: it has too few private shifts")',
        "pass",
        ["known: a seed dropped, with what it opens", "rows of a seed"],
    ),
    "secret keys that are told in part": (
        '_require(is_whole, f"{where}: a row of this secret key has no private shift")',
        "pass",
        ["a part of a seed told, and its shift dropped"],
    ),
    "private shifts that change messages": (
        '_require(not changes, f"{self._where}: a private shift changes a seen row")',
        "pass",
        ["private: a row of the view that tells a part of a seed"],
    ),
    "private shifts that change other seeds": (
        "is_right = changes == ({(entry.seed, at): 1} if at in own else {})",
        "is_right = True",
        ["private: two seeds that hang together"],
    ),
    "names as they are": (
        r'return re.sub(r"[^A-Za-z0-9._-]", lambda found: f"\\u{{{ord(found[0]):x}}}", name)',
        "return name",
        ["a name that goes on with a sentence"],
    ),
}
MOST_TRIES = 20_000


@pytest.mark.slow
def test_the_law_of_what_is_listed_shows_a_row_that_tells_a_secret() -> None:
    draw, refuted = random.Random(0), 0
    for valid in pool():
        data = corrupted(valid.text, "a row that tells a secret", draw)
        refuted += data is not None and refutation(Listing(data.decode())) is not None
    assert refuted >= 5


@pytest.mark.parametrize("number", ["1.5", "1" * 1001])
def test_a_number_of_another_form_is_named_alone(number: str) -> None:
    with pytest.raises(
        checker.BadCertificate, match=r"^the file: '1.*is not a whole number of at most"
    ):
        checker.check(f"[{number}]\n")


@pytest.mark.slow
@pytest.mark.parametrize("weakness", slow_but(WEAKNESSES, *list(WEAKNESSES)[::4]))
def test_a_weakness_of_the_checker_is_noticed(weakness: str) -> None:
    """The elimination alone notices it, without a second reader."""
    stated, replaced, kinds = WEAKNESSES[weakness]
    weak = weakened(stated, replaced)

    def read(data: bytes) -> Lines | None:
        return python_reader(data, weak)

    audit = Audit(read)
    draw = random.Random(weakness)
    for at in range(MOST_TRIES):
        kind, valid = kinds[at % len(kinds)], pool()[at // len(kinds) % len(pool())]
        data = corrupted(valid.text, kind, draw)
        if data is not None:
            audit.take_corrupted(valid, kind, data, compares=False)
        if audit.failures:
            return
    pytest.fail(f"no file shows it in {MOST_TRIES} tries")


@cache
def source() -> str:
    return Path(checker.__file__).read_text()


def weakened(stated: str, replaced: str) -> types.ModuleType:
    """Return the checker with one line replaced."""
    assert stated in source(), f"the checker has no such line any more: {stated}"
    module = types.ModuleType("weakened_check")
    exec(compile(source().replace(stated, replaced), "weakened_check.py", "exec"), module.__dict__)
    return module


class Quiet:
    """A protocol in which `c` sees no message."""

    def parties(self) -> dict[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b), "c": Seat(self.c)}

    async def a(self, me: Party, number: Sealed) -> None:
        await me.send(NOTE, "b", me.secret(lambda n: [n], number, field=F, shape=(1,)))

    async def b(self, me: Party) -> None:
        await me.receive(NOTE, "a")

    async def c(self, me: Party) -> None:
        pass


def refused_by_commands(file: Path) -> list[bool]:
    commands = [[sys.executable, checker.__file__, str(file)]]
    if NODE is not None:
        commands.append([NODE, str(Path(checker.__file__).with_suffix(".mjs")), str(file)])
    done = [subprocess.run(each, capture_output=True, text=True, check=False) for each in commands]
    assert all(each.returncode == ("lists no message" in each.stderr) for each in done)
    return [bool(each.returncode) for each in done]


@pytest.mark.slow
def test_a_file_that_lists_nothing_proves_nothing_by_itself(tmp_path: Path) -> None:
    """Also if its author has taken the fields out of it. The run itself shows whether it is right:
    then the coalition has seen no message.
    """
    file = tmp_path / "c.json"
    quiet = certificate_of(verdict(run(Quiet(), [3]), "c"))
    assert checker.check(certificate_text(quiet)).statement == "nothing"
    file.write_text(certificate_text(quiet))
    assert all(refused_by_commands(file))
    content = certificate_of(verdict(run(DPDS(3, 2, 0.5), [1, 1, 1]), "u1"))
    file.write_text(certificate_text(content))
    assert not any(refused_by_commands(file))
    file.write_text(certificate_text({**content, "fields": []}))
    assert all(refused_by_commands(file))
