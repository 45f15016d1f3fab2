"""LDP-SGD: a linear model learnt by gradient descent; every user sends at most one gradient.

In each of T steps the server publishes the model to a group of users who have not been asked yet.
Each of these users computes the gradient of its loss at the model, clips it to [-1, 1]^d, perturbs
it and sends it. The server moves the model against the mean of the reports. The server learns one
report of each user whom it asks; such a user learns the model that its group receives, which
depends on the reports of earlier groups.

For the same ε, a user that is asked m times would have to perturb each gradient with ε/m. Groups
would have to be m² times as large, so the number of steps would fall like 1/m. This is why no user
is asked twice.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section V.
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
    """The parameters of LDP-SGD, which every party knows, and the scripts of its roles.

    `users` is n >= 1, `loss` a `Loss`, `perturbation` perturbs gradients, `group_size` is the
    number of users per step, and `first_step` is γ_1 > 0. A user's input is a row of d + 1 numbers,
    its features and its label. The output of the server is the model; shape (d,).

    Raises `ValueError` for parameters out of range.

    >>> from protocols.ldp_sgd.losses import LOGISTIC
    >>> from protocols.ldp_sgd.perturbation import gradient_mechanism
    >>> from simnet import run
    >>> mechanism = gradient_mechanism("hm", epsilon=1.0, attributes=2)
    >>> descent = LDPSGD(4, LOGISTIC, mechanism, group_size=2, first_step=0.5)
    >>> rows = [[0.1, 0.9, 1], [0.2, -0.5, -1], [0.3, 0.4, 1], [0.4, -0.2, -1]]
    >>> descent.steps, run(descent, rows, seed=7).outputs["server"].shape
    (2, (2,))
    """

    users: int  # n >= 1
    loss: Loss
    perturbation: Perturbation
    group_size: int  # |G|, 1 <= |G| <= n
    first_step: float  # γ_1 > 0
    regularisation: float = 1e-4  # λ >= 0
    # who adds λ b to the gradient: the user, before clipping, or the server, without bias
    regularise: Regularise = "user"
    schedule: str = "inverse-root"
    population: Seating = "actors"
    held_out: int = 0  # the number of users who are seated last, never asked, and test the model

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
        """The number of features, d."""
        return self.perturbation.attributes.count

    @property
    def steps(self) -> int:
        """The number of groups, T; users who do not fill a group are not asked."""
        return (self.users - self.held_out) // self.group_size

    @property
    def users_asked(self) -> int:
        """The number of users who are asked."""
        return self.steps * self.group_size

    def parties(self) -> Mapping[str, Seat]:
        """Return the users, in the order in which they are asked, and the server.

        Users are `u1`..`un`, or the crowds `group1`..`groupT` and, if users are left, `rest`. The
        order must not depend on the users' inputs: see `in_chance_order`.
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
        """Return the names of the parties that are asked in a step; steps are counted from 1."""
        if self.population == "crowd":
            return [f"group{step}"]
        return [
            f"u{user}"
            for user in range((step - 1) * self.group_size + 1, step * self.group_size + 1)
        ]

    async def user(self, me: Party, rows: Sealed) -> None:
        """Wait for the model, send one perturbed gradient, and finish; a crowd answers for its
        members. A user who is not asked only finishes.
        """
        if me.index > (self.steps if self.population == "crowd" else self.users_asked):
            return
        model = await me.receive(MODEL, "server", (self.attributes,))
        reports = me.disclose(self.reports, rows, model.numbers())
        await me.send_rows(GRADIENT, to="server", rows=reports)

    async def server(self, me: Party) -> Floats:
        """Ask group after group, and return the model after the last step; shape (d,)."""
        model = np.zeros(self.attributes)
        for step in range(1, self.steps + 1):
            group = me.group(self.group(step))
            await me.publish(MODEL, group, reals(model))
            rows = await me.gather_rows(GRADIENT, group)
            pieces = rows if isinstance(rows, tuple) else (rows,)
            model = self.moved(model, step, self.perturbation.received(pieces).numbers)
        return model

    def reports(self, rows: Floats, model: Floats, coins: Coins) -> Pieces:
        """Return the users' perturbed gradients at a model, encoded for sending."""
        gradients = self.clipped(model, np.atleast_2d(rows))
        return self.perturbation.payload(self.perturbation.perturb(gradients, None, coins))

    def clipped(self, model: Floats, rows: Floats) -> Floats:
        """Return the users' clipped gradients, shape (n, d), for rows of shape (n, d + 1).

        Raises `ValueError` for features outside [-1, 1], for labels that the loss does not take,
        and for rows of another length.
        """
        examples = checks.shaped("rows of features and a label", rows, (None, self.attributes + 1))
        gradients = self.loss.gradients(
            model, *self.loss.checked(examples[:, :-1], examples[:, -1])
        )
        return clip(
            gradients + self.regularisation * model if self.regularise == "user" else gradients
        )

    def moved(self, model: Floats, step: int, reports: Floats) -> Floats:
        """Return the model after a step, shape (d,), from the group's reports, shape (|G|, d)."""
        gradient = np.mean(reports, axis=0)
        if self.regularise == "server":
            gradient = gradient + self.regularisation * model
        return np.asarray(model - self.first_step * SCHEDULES[self.schedule](step) * gradient)

    def without_noise(self, rows: Floats) -> Floats:
        """Return the model of the same steps from gradients that are clipped but not perturbed;
        shape (d,).

        `rows`, shape (n, d + 1), are the users' rows in their order; only rows of users who are
        asked are used.
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
        int | None,
        "how many entries of a gradient hm and pm report; by default max(1, min(d, ⌊ε/2.5⌋)) of d",
    ] = None,
    group_size: Annotated[
        int | None,
        "how many users a step averages; by default about d ln(d + 1) / ε² for d features, at "
        "least 50, then at most a tenth of the users that may be asked, and not below 1",
    ] = None,
    regularisation: Annotated[
        float, "λ, from 0: the loss has the added term λ/2 times the squared length of the model"
    ] = 1e-4,
    regularise: Annotated[
        Regularise,
        "who adds λ times the model to gradients: users, before they clip, or the server",
    ] = "user",
    first_step: Annotated[
        float | None, "γ_1, the length of the first step, above 0; by default from loss, ε and d"
    ] = None,
    schedule: Annotated[
        str, f"how the length of steps changes: {', '.join(SCHEDULES)}"
    ] = "inverse-root",
    population: Annotated[Seating, "whether each user is one party, or each group is a crowd"] = (
        "crowd"
    ),
    held_out: int = 0,
) -> LDPSGD:
    """Return a descent with a loss (squared, logistic, hinge) and a mechanism by name.

    The defaults of `group_size` and `first_step` are `usual_group_size` and `usual_first_step`.
    Mechanisms are hm and pm (on `chosen` entries), duchi, duchi-as-printed, laplace, and none,
    whose ε is infinite whatever `epsilon` is. Raises `ValueError` for other names and for
    parameters out of range.
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
    """Return the inputs of a run, rows of features and a label; every order is equally likely.

    The features have shape (n, d), the labels (n,), and the result (n, d + 1).
    """
    rows = np.column_stack(
        [np.asarray(features, dtype=np.float64), np.asarray(labels, dtype=np.float64)]
    )
    return np.asarray(rows[np.argsort(coins.uniform(len(rows)).plain, kind="stable")])
