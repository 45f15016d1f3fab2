"""A scenario passes its protocol the arguments that the protocol takes, and refuses all others."""

from typing import Any

import attrs
import pytest

from simnet import Scenario, Seat, perform
from simnet.errors import BadInput
from tests.harness.shell import refusal, simnet


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
