"""A model of one column of a table, learnt from the other columns by LDP-SGD.

Users scale and encode their rows by what is declared about the columns, and answer as in `LDPSGD`.
With `table_descent` some users are never asked; the model is tested on them.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Sections V and VI.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Annotated, Any

import attrs
import numpy as np

from protocols import checks
from protocols.checks import one_of
from protocols.ldp_sgd.features import encoded, items_of, names_of, with_constant
from protocols.ldp_sgd.losses import LOSSES, Loss
from protocols.ldp_sgd.script import LDPSGD, ldp_sgd
from protocols.mechanisms.value_range import ValueRange
from simnet.arrays import Floats
from simnet.kernel.party import Party
from simnet.roster import Seat
from simnet.scenario.schema import Categorical, Numeric, Schema
from simnet.scenario.settings import hands_settings_to
from simnet.values.sealed import Sealed

INTERCEPT = "intercept"


@attrs.frozen
class TableDescent:
    """The parameters of the descent, which every party knows, and the script of the users.

    A user's input is a row: first a number for each numeric column, then an item, from 1, for each
    categorical column. The order of users must not depend on their inputs. Raises `ValueError` for
    a target that does not fit the loss, for a table without other columns, and if the number of
    features, with the constant, differs from the number of the descent's weights.
    """

    schema: Schema
    target: str  # the column that is learnt
    descent: LDPSGD
    target_column: Numeric | Categorical = attrs.field(init=False, repr=False)
    features: Schema = attrs.field(init=False, repr=False)  # the other columns

    def __attrs_post_init__(self) -> None:
        count = len(weights_of(self.features))
        if self.descent.attributes != count:
            raise ValueError(
                f"the table has {count} features, the constant included, but the descent was made "
                f"for {self.descent.attributes}"
            )

    @target_column.default
    def _target_column(self) -> Numeric | Categorical:
        return target_of(self.schema, self.target, self.descent.loss)

    @features.default
    def _features(self) -> Schema:
        return features_of(self.schema, self.target)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties of the descent; its users first encode their rows."""
        seats = self.descent.parties()
        return {
            name: attrs.evolve(seat, script=self.user) if seat.takes_input else seat
            for name, seat in seats.items()
        }

    async def user(self, me: Party, rows: Sealed) -> None:
        """Encode the row, or a group's rows, and answer as in the descent."""
        await self.descent.user(me, me.output(self.examples, rows))

    def examples(self, rows: Floats) -> Floats:
        """Return a row for each user: d features, of which the last is a constant 1, and then the
        label; shape (n, d + 1).

        `rows` has shape (n, columns). Raises `ValueError` for rows of another length, numbers out
        of range, and items out of their domain.
        """
        table = checks.shaped("rows", np.atleast_2d(rows), (None, len(self.schema.names)))
        place = self.schema.names.index(self.target)
        features = with_constant(encoded(np.delete(table, place, axis=1), self.features))
        return np.column_stack([features, _labels(table[:, place], self.target_column)])


def target_of(schema: Schema, name: str, loss: Loss) -> Numeric | Categorical:
    """Return the column to learn.

    Raises `ValueError` if there is no column of this name, or if the loss does not fit the column.
    """
    classes = [column for column in schema.categorical if len(column.labels) == 2]
    fitting: Sequence[Numeric | Categorical] = classes if loss.of_classes else schema.numeric
    for column in fitting:
        if column.name == name:
            return column
    kind = "a column of two categories" if loss.of_classes else "a column of numbers"
    there = (
        f"such columns are {', '.join(column.name for column in fitting)}"
        if fitting
        else "the table has no such column"
    )
    raise ValueError(f"with the {loss.name} loss, target is {kind}, got {name!r}: {there}")


def features_of(schema: Schema, target: str) -> Schema:
    """Return the columns from which a target is learnt.

    Raises `ValueError` if there is no other column.
    """
    numeric = tuple(column for column in schema.numeric if column.name != target)
    categorical = tuple(column for column in schema.categorical if column.name != target)
    if not (numeric or categorical):
        raise ValueError(
            f"{target} is learnt from other columns, and the table has no other column"
        )
    return Schema(numeric, categorical)


def weights_of(features: Schema) -> tuple[str, ...]:
    """Return the names of a model's weights: the features, and the intercept."""
    return (*names_of(features), INTERCEPT)


def _labels(column: Floats, target: Numeric | Categorical) -> Floats:
    if isinstance(target, Numeric):
        return ValueRange(target.low, target.high).scaled(column)
    return np.where(items_of(column, len(target.labels)) == 2, 1.0, -1.0)


@hands_settings_to(ldp_sgd)
def table_descent(
    *,
    users: int,
    schema: Schema,
    target: Annotated[str, "the column that is learnt from the others"],
    loss: str = "logistic",
    held_out: Annotated[
        float,
        "the share of the users who are never asked, above 0 and below 1; they, and users who do "
        "not fill a group, test the model",
    ] = 0.1,
    **settings: Any,
) -> TableDescent:
    """Return LDP-SGD on a column of a table.

    The share `held_out` of the users, rounded up to whole users, is never asked, but at least one
    user is asked. If the other users do not divide evenly into groups, those who are left are not
    asked either. The model is tested on all users who are never asked. `settings` are those of
    `ldp_sgd`. Raises `ValueError` for fewer than two users, for a target that does not fit the
    loss, for a table without other columns, for a `held_out` that is not above 0 and below 1,
    and where `ldp_sgd` does.
    """
    checks.whole("users", users, 2)
    checks.number("held_out", held_out)
    if not 0 < held_out < 1:
        raise ValueError(
            f"held_out is the share of the users who are never asked, above 0 and below 1, got "
            f"{held_out}"
        )
    one_of("loss", loss, tuple(LOSSES))
    target_of(schema, target, LOSSES[loss])  # raises if the target does not fit
    attributes = len(weights_of(features_of(schema, target)))
    spared = min(ceil(held_out * users), users - 1)
    descent = ldp_sgd(users=users, attributes=attributes, loss=loss, held_out=spared, **settings)
    return TableDescent(schema, target, descent)
