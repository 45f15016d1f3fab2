"""Verdicts on runs in which many parties are alike, at the cost of a run with few parties.

- `tables`: matrices that do not change when alike parties change places, as short tables.
- `solving`: what a coalition learns, from such tables, with a proof that anybody can check.
"""
