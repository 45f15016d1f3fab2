"""A scenario passes its protocol the arguments that the protocol takes, and refuses all others."""

from typing import Any, Literal

import attrs
import pytest

from protocols.dpds.about import about
from protocols.dpds.script import DPDS
from simnet import Field, Party, Scenario, Sealed, Seat, Tag, perform, seats
from simnet.errors import BadInput
from simnet.scenario.drops import outcome_in_words
from simnet.scenario.perform import Performance
from simnet.scenario.settings import Setting
from simnet.scenario.verify import verify
from simnet.stated.about import About
from tests.harness.shell import refusal, simnet


@pytest.mark.parametrize(
    ("annotation", "words"),
    [(Literal["a"], "a"), (Literal["a", "b"], "a or b"), (Literal["a", "b", "c"], "a, b or c")],
)
def test_the_choices_of_a_setting_are_listed(annotation: Any, words: str) -> None:
    assert Setting("x", "a", annotation, "").type_in_words == words


@attrs.frozen
class Whole:
    """Its `items` follow from `most`, so the class takes no argument `items`."""

    users: int = 3
    most: int = 4

    @property
    def items(self) -> int:
        return self.most + 1

    def parties(self) -> dict[str, Seat]:
        return {"server": Seat(self.server)}

    async def server(self, me: Any) -> tuple[int, int]:
        return self.users, self.items


@attrs.frozen
class Listed(Whole):
    """A class that takes `items` as well."""

    items: int = 2


def scenario(protocol: Any, parameters: dict[str, Any], **others: Any) -> Scenario:
    return Scenario(summary="own", protocol=protocol, parameters=parameters, **others)


@pytest.mark.parametrize(
    ("protocol", "sizes"),
    [
        (Whole, ("users",)),
        (Listed, ("users", "items")),
        (lambda: Whole(), ()),
        (lambda **settings: Listed(**settings), ("users", "items")),
        (lambda *, items, **settings: Listed(items=items, **settings), ("users", "items")),
    ],
)
def test_the_sizes_are_the_arguments_of_the_protocol(protocol: Any, sizes: Any) -> None:
    assert scenario(protocol, {}).sizes == sizes


def test_a_class_with_a_property_items_runs() -> None:
    done = perform(scenario(Whole, {"most": 60}, users=5))
    assert done.run.outputs["server"] == (5, 61)
    assert set(scenario(Whole, {"most": 60}).settings()) == {"users", "most"}


@pytest.mark.parametrize(
    ("protocol", "parameters", "others", "told"),
    [
        (
            Whole,
            {},
            {"sizes": ("users", "items")},
            'passes `items`, but Whole takes only users, most: write `sizes=("users",)` in the',
        ),
        (Listed, {}, {"sizes": ("schema",)}, "write `sizes=()`"),
        (
            Listed,
            {},
            {"sizes": ("users", "items", "schema")},
            'write `sizes=("users", "items")`',
        ),
        (Whole, {"least": 0}, {}, "only users, most: take `least` out of the `param"),
        (lambda: Whole(), {"most": 3}, {}, "passes `most`, but <lambda> takes no arguments"),
    ],
)
def test_an_argument_that_the_protocol_does_not_take_is_refused(
    protocol: Any, parameters: dict[str, Any], others: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput) as refused:
        scenario(protocol, parameters, **others)
    assert told in str(refused.value)


def test_the_command_names_the_file_of_such_a_scenario(tmp_path: Any) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from tests.simnet.scenario.test_scenario import Whole, scenario\n"
        'SCENARIO = scenario(Whole, {}, sizes=("users", "items"))\n'
    )
    told = refusal(simnet("run", file))
    assert f"{file}: the scenario passes `items`, but Whole takes only users, most" in told


@attrs.frozen
class Village:
    """A class whose number of users is called `homes`."""

    homes: int = 6

    def parties(self) -> dict[str, Seat]:
        return {"server": Seat(self.server)}

    async def server(self, me: Any) -> int:
        return self.homes


@pytest.mark.parametrize("users", [3, 1000])  # 1000 is also the default
def test_a_chosen_size_that_the_run_would_ignore_is_refused(users: int) -> None:
    with pytest.raises(BadInput, match=f"has `users={users}`, but Village takes only homes: .*"):
        scenario(Village, {}, users=users)
    with pytest.raises(BadInput, match="take `items` out of the Scenario, and write other sizes"):
        scenario(Whole, {}, items=3)  # its `items` are those of the class
    assert scenario(Village, {}, items=3).items == 3  # made-up inputs are drawn from these
    assert scenario(Village, {}, users=users, sizes=()).with_settings({}).users == users


def test_an_estimate_is_about_as_many_users_as_the_protocol_seats() -> None:
    def village(homes: int = 6) -> DPDS:
        return DPDS(users=homes, items=2, participation=0.5)

    result = perform(scenario(village, {"homes": 4}, about=about))
    assert isinstance(result, Performance)
    assert (len(result.population.inputs), len(result.labels)) == (4, 2)


def test_a_scenario_needs_no_parameters() -> None:
    own = Scenario(summary="own", protocol=Village)
    assert perform(own).run.outputs["server"] == 6
    assert (type(own.users), type(own.items)) == (int, int)


def test_an_argument_that_is_no_setting_is_to_be_put_into_the_parameters(tmp_path: Any) -> None:
    file = tmp_path / "own.py"
    text = (
        "from tests.simnet.scenario.test_scenario import Scenario, Village\n"
        'SCENARIO = Scenario(summary="own", protocol=Village)\n'
    )
    file.write_text(text)
    remedy = "(put `homes` into the `parameters` of the scenario)"
    assert f"has no option --homes {remedy}" in refusal(simnet("run", file, "--homes", 4))
    assert f"called 'homes' {remedy}" in refusal(simnet("run", file, "--set", "homes=4"))
    file.write_text(text.replace("Village)\n", 'Village, parameters={"homes": 2})\n'))
    told = simnet("run", file, "--homes", 4, "--json", "-").json
    assert told["outputs"] == {"server": 4}


FIELD, NOTE = Field(101), Tag("note")


@attrs.frozen
class Sums:
    """Every user sends its input to the server, and then learns the sum."""

    users: int = 4
    items: int = 50

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> Sealed:
        number = me.secret(lambda item: [item], item, field=FIELD, shape=(1,))
        await me.send(NOTE, "server", number)
        return me.output(int, (await me.receive(NOTE, "server"))[0])

    async def server(self, me: Party) -> None:
        came = await me.gather_some(NOTE, me.all("user"))
        await me.publish(NOTE, me.all("user"), type(came["u1"]).stack([*came.values()]).sum())


def test_messages_of_observed_parties_are_kept_also_without_an_estimate() -> None:
    run = perform(Sums(), observe=["u1"]).run
    assert [message.tag for message in run.transcript.messages] == ["note", "note"]
    assert perform(Sums()).run.transcript.messages == ()


def test_a_verdict_is_about_the_inputs_of_the_run_also_in_a_random_order() -> None:
    own = scenario(Sums, {}, users=6, in_chance_order=True)
    judged = verify(own, "u1", seed=1).verdict.runs[0]
    assert perform(own, seed=1).run.inputs == judged.inputs
    in_order = verify(attrs.evolve(own, in_chance_order=False), "u1", seed=1).verdict.runs[0]
    assert sorted(in_order.inputs.values()) == sorted(judged.inputs.values())
    assert in_order.inputs != judged.inputs


@pytest.mark.parametrize(
    ("drop", "where"),
    [
        ("u2@note:after", "after its last message: only its output is lost"),
        ("server@note:after", "after its last message: no effect"),
        ("u2@note", 'before sending "note"'),
    ],
)
def test_a_drop_out_after_the_last_message_is_told_as_one(drop: str, where: str) -> None:
    run = perform(Sums(), drop=drop).run
    assert outcome_in_words(run, About(name="sums"))[0].endswith(f"({where})")


def test_a_drop_out_before_further_messages_is_not_told_as_one_after_the_last() -> None:
    run = perform("secagg", users=5, drop="u2@shares:after", claims=False).run
    told = outcome_in_words(run, About(name="secagg"))[0]
    assert told.endswith('u2 (after sending "shares")')
