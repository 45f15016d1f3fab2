"""LDP-SGD: a linear model learnt by gradient descent; a user is asked once for its gradient.

In each of T steps the server publishes the model to a group of users who have not been asked yet;
each of them computes the gradient of its loss there, clips it to [-1, 1]^d, perturbs it and sends
it; the server moves the model against the mean of the reports. Learns: the server, one ε-locally
private report of each user; a user, the model of its group, made of the reports of the groups
before. Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section V.

A user that were asked m times would have to perturb each gradient with ε/m, so groups m² as large
would be needed: the number of steps falls like 1/m. So nobody is asked twice. What is said about it
stands in `about.py`.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Literal, get_args

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import one_of
from protocols.ldp_sgd.losses import LOSSES, Loss
from protocols.ldp_sgd.perturbation import Perturbation, clip, gradient_mechanism
from protocols.ldp_sgd.schedule import SCHEDULES, positive, usual_first_step, usual_group_size
from protocols.mechanisms.attributes import Pieces
from simnet.arrays import Floats
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.roster import Seat, seats
from simnet.values.sealed import Sealed
from simnet.values.typed import reals

MODEL, GRADIENT = Tag("model"), Tag("gradient")

Regularise = Literal["user", "server"]
Seating = Literal["actors", "crowd"]


@attrs.frozen
class LDPSGD:
    """What every party knows.

    An input is a row of d + 1 numbers, a user's features and its label.
    """

    users: int  # n >= 1
    loss: Loss
    perturbation: Perturbation
    group_size: int  # |G|, 1 <= |G| <= n
    first_step: float  # γ_1 > 0
    regularisation: float = 1e-4  # λ >= 0
    # Who adds λ b: the user, before clipping, or the server, without bias
    regularise: Regularise = "user"
    schedule: str = "inverse-root"
    population: Seating = "actors"
    held_out: int = 0  # users who are seated last and never asked, to judge the model by

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        checks.whole("held_out", self.held_out, 0, self.users - 1)
        checks.whole("group_size", self.group_size, 1, self.users - self.held_out)
        checks.number("regularisation", self.regularisation)
        if not (self.regularisation >= 0 and isfinite(self.regularisation)):
            raise ValueError(f"regularisation is finite and at least 0, got {self.regularisation}")
        positive("first_step", self.first_step)
        one_of("regularise", self.regularise, get_args(Regularise))
        one_of("schedule", self.schedule, tuple(SCHEDULES))
        one_of("population", self.population, get_args(Seating))

    @property
    def attributes(self) -> int:
        """d, the number of features."""
        return self.perturbation.attributes.count

    @property
    def steps(self) -> int:
        """T, the number of groups; users who fill no group are not asked."""
        return (self.users - self.held_out) // self.group_size

    @property
    def users_asked(self) -> int:
        """How many users are asked."""
        return self.steps * self.group_size

    def parties(self) -> Mapping[str, Seat]:
        """The server, and the users in the order in which they are asked.

        Users are `u1`..`un`, or the crowds `group1`..`groupT` and `rest`.

        The order must not depend on what users hold: see `in_chance_order`.
        """
        return {**self._people(), "server": Seat(self.server)}

    def _people(self) -> Mapping[str, Seat]:
        if self.population == "actors":
            return seats("u", self.user, self.users)
        groups = {
            f"group{t}": Seat(self.user, t, members=self.group_size)
            for t in range(1, self.steps + 1)
        }
        left = self.users - self.users_asked
        return {
            **groups,
            **({"rest": Seat(self.user, self.steps + 1, members=left)} if left else {}),
        }

    def group(self, step: int) -> list[str]:
        """The names of those who are asked in a step, from 1."""
        if self.population == "crowd":
            return [f"group{step}"]
        return [
            f"u{user}"
            for user in range((step - 1) * self.group_size + 1, step * self.group_size + 1)
        ]

    async def user(self, me: Party, rows: Sealed) -> None:
        """Wait for the model and answer it once; a crowd answers for all its members."""
        if me.index > (self.steps if self.population == "crowd" else self.users_asked):
            return
        model = await me.receive(MODEL, "server", (self.attributes,))
        reports = me.disclose(self.reports, rows, model.numbers())
        await me.send_rows(GRADIENT, to="server", rows=reports)

    async def server(self, me: Party) -> Floats:
        """Ask group after group; shape (d,), the model after the last step."""
        model = np.zeros(self.attributes)
        for step in range(1, self.steps + 1):
            group = me.group(self.group(step))
            await me.publish(MODEL, group, reals(model))
            rows = await me.gather_rows(GRADIENT, group)
            pieces = rows if isinstance(rows, tuple) else (rows,)
            model = self.moved(model, step, self.perturbation.received(pieces).numbers)
        return model

    def reports(self, rows: Floats, model: Floats, coins: Coins) -> Pieces:
        """The users' perturbed gradients at a model, as they travel."""
        gradients = self.clipped(model, np.atleast_2d(rows))
        return self.perturbation.payload(self.perturbation.perturb(gradients, None, coins))

    def clipped(self, model: Floats, rows: Floats) -> Floats:
        """The users' gradients as they are perturbed; shapes (d,), (n, d + 1) and (n, d).

        Raises `ValueError` for features outside [-1, 1] and for labels that the loss does not take.
        """
        examples = checks.shaped("rows of features and a label", rows, (None, self.attributes + 1))
        gradients = self.loss.gradients(
            model, *self.loss.checked(examples[:, :-1], examples[:, -1])
        )
        return clip(
            gradients + self.regularisation * model if self.regularise == "user" else gradients
        )

    def moved(self, model: Floats, step: int, reports: Floats) -> Floats:
        """The model after a step, from the group's reports as vectors.

        Shapes (d,), (|G|, d) and (d,).
        """
        gradient = np.mean(reports, axis=0)
        if self.regularise == "server":
            gradient = gradient + self.regularisation * model
        return np.asarray(model - self.first_step * SCHEDULES[self.schedule](step) * gradient)

    def without_noise(self, rows: Floats) -> Floats:
        """The model of the same steps from gradients that are clipped and not perturbed.

        Shapes (n, d + 1) and (d,). Rows are those of the users who are asked, in their order.
        """
        model = np.zeros(self.attributes)
        for step, group in enumerate(np.split(rows[: self.users_asked], self.steps), start=1):
            model = self.moved(model, step, self.clipped(model, group))
        return model


def ldp_sgd(
    *,
    users: int,
    attributes: int,
    loss: Annotated[str, f"the loss that is minimised: {', '.join(LOSSES)}"] = "logistic",
    mechanism: Annotated[
        str,
        "how a user perturbs its gradient: hm, pm, duchi, duchi-as-printed, laplace, or none, "
        "which hides nothing",
    ] = "hm",
    epsilon: Annotated[float, "ε of a gradient, above 0"] = 1.0,
    chosen: Annotated[
        int | None, "how many entries of a gradient hm and pm report; the paper's rule unless set"
    ] = None,
    group_size: Annotated[
        int | None, "how many users a step averages; about d ln d / ε² unless set"
    ] = None,
    regularisation: Annotated[float, "λ, the weight of the squared model in the loss, from 0"] = (
        1e-4
    ),
    regularise: Annotated[
        Regularise,
        "who adds λ times the model to gradients: users, before they clip, or the server",
    ] = "user",
    first_step: Annotated[
        float | None, "γ_1, the length of the first step, above 0; by loss and ε unless set"
    ] = None,
    schedule: Annotated[str, f"how steps get shorter: {', '.join(SCHEDULES)}"] = "inverse-root",
    population: Annotated[Seating, "whether users are actors of their own, or groups crowds"] = (
        "crowd"
    ),
    held_out: int = 0,
) -> LDPSGD:
    """A descent with loss (squared, logistic, hinge) and mechanism by name.

    Usual groups and first step unless given. Mechanisms are hm and pm (on `chosen` entries), duchi,
    duchi-as-printed, laplace, and none, whose ε is infinite whatever `epsilon`. Raises `ValueError`
    for other names and for parameters out of range.
    """
    one_of("loss", loss, tuple(LOSSES))
    checks.whole("users", users, 1)
    checks.whole("held_out", held_out, 0, users - 1)
    perturbation = gradient_mechanism(mechanism, epsilon, attributes, chosen)
    size = (
        usual_group_size(users - held_out, attributes, perturbation.epsilon)
        if group_size is None
        else group_size
    )
    first = (
        usual_first_step(LOSSES[loss], attributes, perturbation.epsilon)
        if first_step is None
        else first_step
    )
    return LDPSGD(
        users,
        LOSSES[loss],
        perturbation,
        size,
        first,
        regularisation,
        regularise,
        schedule,
        population,
        held_out,
    )


def in_chance_order(features: npt.ArrayLike, labels: npt.ArrayLike, coins: Coins) -> Floats:
    """Inputs of a run: rows of features and a label, every order equally likely.

    Shapes (n, d), (n,), (n, d + 1).
    """
    rows = np.column_stack(
        [np.asarray(features, dtype=np.float64), np.asarray(labels, dtype=np.float64)]
    )
    return np.asarray(rows[np.argsort(coins.uniform(len(rows)).plain, kind="stable")])
