"""Built-in scenarios and experiments.

A scenario is a protocol with its parameters, its people and its claims: what certain coalitions are
expected to learn. Each module at this level has one scenario. A folder that is named after an
author has the experiments on one paper. The folder `theorems` has the checks of the papers' claims,
`completion` has the study of time and error, and `data` downloads real data.
"""
