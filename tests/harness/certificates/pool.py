"""Some valid certificates of every kind, which several tests read."""

from functools import cache

from tests.harness.certificates.valid import (
    Valid,
    alike_leak,
    bounded,
    of_example,
    of_scenario,
    of_script,
    with_seeds,
)

FEW = {"users": "3", "items": "2"}
SCENARIOS = (
    ("dpds", FEW, "u1", 0, 1),
    ("dpds", FEW, "u1,server", 1, 1),
    ("dpds", FEW, "u1,u2", -3, 2),
    ("dpds", FEW, "network", 0, 1),
    ("dpds_shamir", {**FEW, "users": "4"}, "u2,u3,u4", 2, 1),
    ("dpdg", FEW, "server", 0, 1),
    ("dpdg", FEW, "u2,u3,server", 0, 2),
    ("tss", FEW, "u1,S1", 0, 1),
    ("tss_prime", {**FEW, "bound": "1"}, "u1,u2,S2", 0, 1),
    ("weighted", {"users": "8", "items": "2"}, "g1.u1,g1.server", 0, 1),
    ("tss", FEW, "u1,S2", 0, 1),
    ("sampling_privacy", FEW, "A1,A2", 0, 1),
    ("sampling_privacy_clear", FEW, "reader", 0, 1),
    ("local_mean", {"users": "5"}, "server", 0, 1),
    ("secagg", FEW, "server", 0, 1),
    ("secagg", FEW, "u1", 1, 1),
    ("secagg", FEW, "u1,server", 0, 2),
)
ALIKE = (
    ("dpds", "u1,u2,u3"),
    ("dpds", "u1,u2,server"),
    ("dpds", "u1,u2,u3,u4,u5,server"),
    ("tss", "u1,u2,u3,S2"),
    ("tss", "u1,u2,u3,u4,S1,S2"),
)
# Doors with seen and other rows, hidden and told secrets, products of secrets and of coins, two
# fields, several runs, and attacks.
EXAMPLES = (
    "a copy of a coin, mended",
    "a mask and its product with a secret, mended",
    "a multiplication with one coin for two, mended",
    "a secret plus a known coin, mended",
    "a secret plus an echo, mended",
    "a value and its square behind one mask",
    "an output made of coins, mended",
    "coin by field, mended",
    "one bit as an element of two fields",
    "the parity of a mask, mended",
    "two multiples behind one mask, mended",
)
# Random scripts, with a told secret that the messages determine, and with a disclosed value of rows
# of which the set can compute some, with coins and without.
SCRIPTS = (1, 190)


@cache
def pool() -> tuple[Valid, ...]:
    """Return at least 40 certificates, with all statements and with doors of all kinds."""
    scenarios = [of_scenario(*each) for each in SCENARIOS]
    scenarios += [
        of_scenario(name, {"users": "6", "items": "2"}, corrupt, 1, 1, "symmetry")
        for name, corrupt in ALIKE
    ]
    examples = [valid for name in EXAMPLES for valid in of_example(name)]
    examples += [valid for seed in SCRIPTS for valid in of_script(seed)]
    return (
        *scenarios,
        *{valid.text: valid for valid in examples}.values(),
        bounded(4),
        alike_leak(),
        *with_seeds(5),
    )
