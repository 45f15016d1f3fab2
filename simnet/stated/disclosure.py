"""What a protocol states about the discrete part of a view: bits, indices, reals, and who sends."""

import attrs

TRAFFIC = "traffic"  # stands among the tags for watching the network: who sends when, how much


@attrs.frozen(kw_only=True)
class Disclosure:
    """How much the discrete part of a view may tell about one party's input, and why.

    Shown with a verdict, beside what the coalition determines from field elements.
    """

    independent: bool  # what is seen has the same law whatever the input
    epsilon: float | None  # bounds the local privacy loss of one party's input; None if unknown
    bound: float | None = None  # what a paper states for ε
    # The loss of disclosed values by themselves, where `epsilon` is larger because shares tell of
    # the same secrets: it then bounds what disclosed values tell on top of these.
    by_itself: float | None = None
    tier: str  # `proved`, `enumerated`, `bound`, `stated` or `sampled`
    argument: str  # why it holds, in a sentence
    # Nothing else protects inputs: messages carry no field elements, and no secret is shared.
    alone: bool = False

    def repeated(self, times: int) -> "Disclosure":
        """The statement for so many collections from the same inputs: losses add up."""
        return attrs.evolve(
            self,
            epsilon=None if self.epsilon is None else times * self.epsilon,
            bound=None if self.bound is None else times * self.bound,
        )
