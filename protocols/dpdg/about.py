"""What is stated about DPDG: its cost, its error, and what views tell."""

from collections.abc import Collection, Sequence
from math import sqrt

import attrs
import numpy as np

from protocols.dpdg.noise import integer_variance
from protocols.dpdg.privacy import UserNoise, server_of_noisy_counts
from protocols.dpdg.script import DPDG, SHARE
from protocols.sharing import table1
from protocols.sharing.disclosure import field_elements_only
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement


def result_variance(protocol: DPDG) -> float:
    """The variance of each estimated frequency, by the law of the integers that are drawn."""
    rounded = protocol.noise == "rounded-gaussian"
    drawn = integer_variance(float(protocol.share_variance), rounded=rounded)
    return drawn / (protocol.users * 4.0**protocol.fraction_bits)


def expected_squared_l2(protocol: DPDG) -> float:
    """The expected squared L2 error: N times the variance of each frequency."""
    return protocol.items * result_variance(protocol)


def about(protocol: DPDG) -> About:
    """Return the record of statements about DPDG with these parameters."""
    n, N = protocol.users, protocol.items  # noqa: N806  # the papers' letters
    variance = result_variance(protocol)
    own_tags = (SHARE.name, protocol.sharing.partial.name)

    def expected_bill(_: Run) -> Sequence[Expectation]:
        return table1.dpdg(n, N, protocol.sharing)

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        from scipy.special import ndtri  # imported only here: scipy loads slowly

        estimate = run.outputs["server"]
        margin = float(ndtri((1 + confidence) / 2)) * sqrt(variance)
        return Assessment(
            estimate=estimate,
            truth=support / n,
            low=estimate - margin,
            high=estimate + margin,
            confidence=confidence,
            expected_squared_l2=N * variance,
            deviation_squared_l2=variance * sqrt(2 * N),
            variance=np.full(N, variance),
            estimated_variance=np.full(N, variance),
        )

    def disclosure(tags: Collection[str]) -> Disclosure | None:
        return field_elements_only(tags, own_tags)

    return About(
        name="dpdg",
        estimator="server",
        # each user sends a vector of N elements to every other user, and one to the server
        workload=Workload(
            messages=n**2, elements=n**2 * N, element_bits=protocol.field.modulus.bit_length()
        ),
        expected_squared_l2=expected_squared_l2(protocol),
        expected_bill=expected_bill,
        assess=assess,
        privacy=lambda _run, _support, epsilon, delta: privacy(protocol, epsilon, delta),
        disclosure=disclosure,
    )


def privacy(
    protocol: DPDG, epsilon: float | None, delta: float | None, dropped: int = 0
) -> list[PrivacyStatement]:
    """Return the privacy of the server's view: δ at `epsilon`, and ε at `delta`.

    On a fine grid the noise is treated as a Gaussian: see `protocols.dpdg.privacy`. The noise of
    `dropped` users is missing. By default `epsilon` and `delta` are the requested ε and δ of the
    protocol. A statement at the requested value also has the value that the calibration promises.
    """
    noise = UserNoise(
        float(protocol.share_variance) / 4.0**protocol.fraction_bits,
        protocol.noise,
        protocol.fraction_bits,
    )
    at = protocol.epsilon if epsilon is None else epsilon
    target = protocol.delta if delta is None else delta
    at_epsilon = server_of_noisy_counts(protocol.users, noise, epsilon=at, dropped=dropped)
    at_delta = server_of_noisy_counts(protocol.users, noise, delta=target, dropped=dropped)
    return [
        attrs.evolve(
            at_epsilon,
            claim="calibrated",
            claimed=protocol.delta if at == protocol.epsilon else None,
        ),
        attrs.evolve(
            at_delta,
            claim="calibrated",
            claimed=protocol.epsilon if target == protocol.delta else None,
        ),
    ]
