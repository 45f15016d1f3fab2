"""Real and simulated views compared: the definition of security, with exact laws on both sides.

A protocol is secure against a coalition if a *simulator* can produce a view with the same law as
the real view, although the simulator is told only what the ideal world gives the coalition. This
module finds both laws exactly, so equality is a proof for these inputs::

    real_law(simulator.protocol, inputs, corrupt) == simulated_law(simulator, inputs, corrupt)

The simulated side has two draws, and its law is a mixture. First the ideal world tosses its coins,
and the simulator is told something of the outcome (`leaked_law`); then the simulator plays a
protocol with the corrupt parties, in which honest parties have no inputs to use.

Example. The ideal world of a secure sum tells the coalition {"server"} the sum and nothing else. A
simulator can run the protocol with other secrets of the honest parties that have the same sum: the
sum itself for one party, and zeros for the others.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from simnet.coins.law import Law, law_of
from simnet.coins.tape import Tape
from simnet.contract import Protocol, Simulator
from simnet.exhaustive.bases import ReducedView, on_common_bases
from simnet.exhaustive.model import Model
from simnet.exhaustive.reading import OnTape
from simnet.exhaustive.views import Views
from simnet.kernel.ideal import holders
from simnet.record.fate import Fates
from simnet.values.sealed import Input, Sealed

# The inputs of honest parties in a simulation. The simulator must not use them: if its view depends
# on honest inputs, it does not have the law of the real view.
PLACEHOLDER = 1


def leaked_law(simulator: Simulator, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """Return the law of what a simulator is told, over the coins of the ideal world.

    Raises `TypeError` for an object that is not a `Simulator`.
    """
    if not isinstance(simulator, Simulator):
        raise TypeError(
            f"{type(simulator).__name__} is no simulator: to compare the real view with a "
            "simulated one, write a class with a `protocol` and the methods `leaked` and "
            "`simulated` (simnet.contract.Simulator)"
        )
    model = Model(simulator.protocol)
    named = model.named(inputs)
    sealed = [Sealed(Input(name, value)) for name, value in named.items()]

    def draw(tape: Tape) -> Hashable:
        return simulator.leaked(sealed, holders(named, 0, OnTape(tape), model.vault), corrupt)

    return law_of(draw)


def simulated_law(simulator: Simulator, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """Return the exact law of the view that a simulator produces for a coalition.

    If the law equals `real_law`, the simulator is right for this coalition on these inputs:

    >>> from protocols import DPDS, simulator_of
    >>> from simnet import real_law, simulated_law
    >>> protocol = DPDS(users=2, items=2, participation=0.5)
    >>> simulated = simulated_law(simulator_of(protocol), [1, 2], ["u1"])
    >>> simulated == real_law(protocol, [1, 2], ["u1"])
    True
    """
    law: dict[ReducedView, Fraction] = {}
    leaks = leaked_law(simulator, inputs, corrupt)
    by_name = Model(simulator.protocol).named(inputs)
    blank = [value if name in corrupt else PLACEHOLDER for name, value in by_name.items()]
    for leaked, chance in leaks.items():
        played = simulator.simulated(corrupt, leaked)
        model = Model(played)
        reduced = Views(model, corrupt).reduced_law(model.worlds(blank))
        for view, probability in reduced.items():
            law[view] = law.get(view, Fraction(0)) + chance * probability
    (whole,) = on_common_bases([law])
    return whole


def real_law(
    protocol: Protocol, inputs: Sequence[Any], corrupt: Sequence[str], fates: Fates | None = None
) -> Law:
    """Return the exact law of a coalition's view: the probability of each view, as a fraction.

    Every outcome of the discrete coins is played out, so the protocol must be tiny. `fates` says
    which parties drop out.

    >>> from protocols import DPDS
    >>> from simnet import real_law
    >>> law = real_law(DPDS(users=2, items=2, participation=0.5), [1, 2], ["u1"])
    >>> sum(law.values())
    Fraction(1, 1)
    """
    return Views(Model(protocol, fates=fates), corrupt).law(inputs)
