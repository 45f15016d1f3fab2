"""Protocols of one's own on a column of a file: no value may silently become another number."""

from pathlib import Path

import pytest

from simnet import perform, read_column
from simnet.errors import BadInput
from tests.harness.many_cases import for_each
from tests.harness.shell import Result, refusal, simnet, words

HOURS = '''"""The sum of whole numbers from 0 to 60."""

import attrs

from simnet import Field, Seat, Summed, seats

SHARE = Summed("share")


@attrs.frozen
class Hours:
    users: int = 4
    most: int = 60

    @property
    def items(self):
        return self.most + 1

    @property
    def field(self):
        return Field.above(self.users * self.most)

    def parties(self):
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me, hours):
        secret = me.secret(self.number, hours, field=self.field, shape=())
        await me.send(SHARE, to="server", payload=secret)

    def number(self, item):
        return item - 1

    async def server(self, me):
        return me.output(int, await me.gather_sum(SHARE, senders=me.all("user")))
'''
ITEMS = """    most: int = 60

    @property
    def items(self):
        return self.most + 1
"""
ELEVEN = ",".join(map(str, range(11)))


@pytest.fixture
def hours(tmp_path: Path) -> Path:
    """A file with a protocol whose input i stands for the number i - 1."""
    path = tmp_path / "hours.py"
    path.write_text(HOURS)
    return path


@pytest.fixture
def unlimited(tmp_path: Path) -> Path:
    """A file with a protocol of two users that has no `items`, and takes no arguments."""
    path = tmp_path / "unlimited.py"
    text = HOURS.replace("    users: int = 4\n" + ITEMS, "    users, most = 2, 60\n")
    assert text != HOURS
    path.write_text(text.replace("@attrs.frozen\n", ""))
    return path


@pytest.fixture
def with_argument(tmp_path: Path) -> Path:
    """A file with a protocol that takes its number of items as an argument."""
    path = tmp_path / "with_argument.py"
    text = HOURS.replace(ITEMS, "    items: int = 61\n    most = 60\n")
    assert text != HOURS
    path.write_text(text)
    return path


def on(place: Path, values: str, *options: str, command: str = "run") -> Result:
    """Run a command on a file with a column of these values, separated by commas."""
    data = place.parent / "data.csv"
    data.write_text("\n".join(["hours", *values.split(",")]) + "\n")
    corrupt = ("--corrupt", "server") if command == "verify" else ()
    return simnet(command, place, "--input", data, "--column", "hours", *corrupt, *options)


@pytest.mark.slow
@for_each("command", ["run", "verify", "show"])
@for_each(
    "values, why",
    [
        ("0,5,5,10", "numbers, but not 1, 2, 3 or 0, 1, 2 and so on: 0, 5, 10 would become"),
        ("7,5,5,6", "numbers, but not 1, 2, 3 or 0, 1, 2 and so on: 5, 6, 7 would become"),
        ("0.5,1,1.5,1", "are numbers, but not 1, 2, 3"),
        ("0,1,1,2", "has 61 items, and column 'hours' of data.csv has 3 different values: 0, 1, 2"),
        ("Rome,Oslo,Rome,Rome", "has 2 different values: Oslo, Rome would become the inputs 1, 2"),
        ("1,1,1,1", "has 1 different value: 1 would become the input 1"),
    ],
)
def test_a_column_whose_values_would_become_other_numbers_is_refused(
    hours: Path, command: str, values: str, why: str
) -> None:
    told = refusal(on(hours, values, command=command))
    assert why in told
    assert "--domain" in told


@pytest.mark.slow
def test_a_declared_domain_says_which_input_each_value_is(hours: Path) -> None:
    result = on(hours, "0,5,5,10", "--domain", ELEVEN)
    assert "11 items from column 'hours' of data.csv: 0 is input 1, 1 is input 2" in words(
        result.out
    )
    document = on(hours, "0,5,5,10", "--domain", ELEVEN, "--json", "-").json
    assert document["outputs"] == {"server": 20}
    assert "10 is input 11" in document["numbering"]
    judged = on(hours, "0,5,5,10", "--domain", ELEVEN, command="verify")
    assert "5 is input 6" in words(judged.out)
    document = on(hours, "0,5,5,10", "--domain", ELEVEN, "--json", "-", command="verify").json
    assert "5 is input 6" in document["numbering"]
    by_symmetry = on(hours, "5,5", "--domain", ELEVEN, "--by", "symmetry", command="verify")
    assert "5 is input 6" in words(by_symmetry.out) + by_symmetry.err


@pytest.mark.slow
def test_a_check_of_a_certificate_numbers_the_values_in_the_same_way(hours: Path) -> None:
    proof = str(hours.parent / "proof.json")
    domain = ("--domain", ELEVEN)
    assert on(hours, "0,5", *domain, "--certificate", proof, command="verify").status == 0
    data = ("--input", hours.parent / "data.csv", "--column", "hours", "--seed", 0)
    checked = simnet("verify", hours, "--check", proof, *data, *domain)
    assert checked.status == 0
    assert "5 is input 6" in words(checked.out)
    assert "are numbers, but not 1, 2, 3" in refusal(
        simnet("verify", hours, "--check", proof, *data)
    )


def test_a_domain_has_no_more_values_than_the_protocol_has_items(hours: Path) -> None:
    hours.write_text(HOURS.replace("most: int = 60", "most: int = 9"))
    told = refusal(on(hours, "0,5,5,10", "--domain", ELEVEN))
    assert "11 possible values are named, and the protocol has 10 items" in told


@pytest.mark.parametrize("command", ["run", "verify"])
def test_gaps_are_refused_if_the_protocol_takes_its_items_from_the_column(
    with_argument: Path, command: str
) -> None:
    assert "are numbers, but not 1, 2, 3" in refusal(on(with_argument, "0,5,5,10", command=command))
    assert "0 is input 1, 1 is input 2" in words(on(with_argument, "0,1,1", command=command).out)
    named = on(with_argument, "0,5,5,10", "--domain", ELEVEN, "--json", "-")
    assert named.json["outputs"] == {"server": 20}


@pytest.mark.slow
@for_each("command", ["run", "verify"])
@for_each(
    "values, options",
    [
        ("0.5,5", ()),
        ("0,5", ("--domain", "0,5")),
        ("1e3,5", ()),
        ("Rome,Oslo", ()),
        (f"1,{10**18}", ()),
    ],
)
def test_without_items_a_value_is_no_input(
    unlimited: Path, values: str, options: tuple[str, ...], command: str
) -> None:
    told = refusal(on(unlimited, values, *options, command=command))
    assert "the protocol has no `items`, so its possible inputs are unknown" in told
    assert "--inputs" in told


@pytest.mark.slow
@for_each("values, total", [("2,1", 3), ("0,5", 5), ("-3,50", 47), ("07,7", 14), ("9,9", 18)])
def test_without_items_whole_numbers_are_inputs_as_they_are(
    unlimited: Path, values: str, total: int
) -> None:
    document = on(unlimited, values, "--json", "-").json
    assert document["outputs"] == {"server": total - 2}  # input i stands for the number i - 1
    assert document["numbering"] == "the inputs are the whole numbers of column 'hours' of data.csv"
    judged = on(unlimited, values, "--json", "-", command="verify").json
    assert judged["numbering"] == document["numbering"]
    result = perform(str(unlimited), data=read_column(unlimited.parent / "data.csv", "hours"))
    assert result.run.outputs["server"] == total - 2
    drawn = on(unlimited, f"{values},4,4", "--users", "2", "--json", "-").json
    assert set(drawn["outputs"]) == {"server"}


def test_without_items_other_values_are_numbered_if_they_are_declared(unlimited: Path) -> None:
    named = on(unlimited, "Rome,Oslo", "--domain", "Rome,Oslo")
    assert "Rome is input 1, Oslo is input 2" in words(named.out)


@pytest.mark.parametrize("command", ["run", "verify"])
def test_a_protocol_that_takes_no_users_says_how_many_inputs_it_takes(
    unlimited: Path, command: str
) -> None:
    told = refusal(on(unlimited, "1,2,3", command=command))
    assert "gives 3 inputs, and the protocol takes 2" in told
    assert "does not take its number of users as an argument (`users`)" in told
    assert "--inputs" in told
    assert on(unlimited, "1,1,1", "--users", "2", command=command).status == 0


def test_perform_refuses_the_same_columns(hours: Path) -> None:
    data = hours.parent / "data.csv"
    data.write_text("hours\n0\n5\n5\n10\n")
    with pytest.raises(BadInput, match=r"are numbers, but not 1, 2, 3.*as a list"):
        perform(str(hours), data=read_column(data, "hours"))
    assert perform(str(hours), data=[1, 6, 6, 11]).run.outputs["server"] == 20


def test_perform_shows_the_numbering(with_argument: Path) -> None:
    data = with_argument.parent / "data.csv"
    data.write_text("hours\n0\n1\n1\n")
    result = perform(str(with_argument), data=read_column(data, "hours"))
    numbering = "2 items from column 'hours' of data.csv: 0 is input 1, 1 is input 2"
    assert numbering in repr(result)
    assert "0 is input 1" in result._repr_html_()


def test_the_catalogue_takes_any_column(tmp_path: Path) -> None:
    place = tmp_path / "data.csv"
    place.write_text("hours\n0\n5\n5\n10\n")
    options = ("--input", place, "--column", "hours")
    assert "4 users, 3 items from column 'hours'" in words(simnet("run", "dpds", *options).out)
    judged = simnet("verify", "dpds", *options, "--corrupt", "u1")
    assert judged.status == 0
    assert "is input" not in judged.out
