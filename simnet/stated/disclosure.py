"""What a protocol states about the discrete part of a view: bits, indices, reals, and who sends."""

import attrs

TRAFFIC = "traffic"  # names the view of the network: who sends when, and how many bytes


@attrs.frozen(kw_only=True)
class Disclosure:
    """How much the discrete part of a view may reveal about one party's input, and why.

    >>> stated = Disclosure(independent=False, epsilon=0.5, tier="proved", argument="bits")
    >>> stated.repeated(3).epsilon
    1.5
    """

    independent: bool  # whether the discrete part of the view has the same law for every input
    epsilon: float | None  # a bound on the privacy loss of one party's input; None if unknown
    bound: float | None = None  # the ε that a paper states
    # The loss of the disclosed values alone. It is set if shares reveal something of the same
    # secrets. Then `epsilon` is larger, and bounds what disclosed values reveal beyond the shares.
    by_itself: float | None = None
    tier: str  # `proved`, `enumerated`, `bound`, `stated` or `sampled`
    argument: str  # why the statement is true, in a sentence
    condition: str | None = None  # what the argument needs and nobody could check: "if ..."
    # Only perturbation protects inputs: messages carry no field elements, and nothing is shared.
    alone: bool = False

    def repeated(self, times: int) -> "Disclosure":
        """Return the statement for several collections from the same inputs: losses add up."""
        return attrs.evolve(
            self,
            epsilon=None if self.epsilon is None else times * self.epsilon,
            bound=None if self.bound is None else times * self.bound,
            by_itself=None if self.by_itself is None else times * self.by_itself,
        )
