"""Built-in scenarios and experiments.

A scenario is a protocol with its parameters, its people and its claims: what certain coalitions are
expected to learn. Each module at this level has one scenario. Each folder has the experiments on
one paper. The modules hold data; the logic is in `simnet` and `protocols`.
"""
