"""Verdicts on runs in which many parties are alike.

From a run to a verdict::

    rows       the rows of one sender, with its coins eliminated
    outline    the run, read sender by sender: what every message was computed from
    structure  which parties are alike, and the tables that a coalition sees
    tables     matrices that do not change when alike parties change places
    solving    what a coalition learns, from such tables, with a proof that anybody can check
    lift       what a coalition learns from all parts of the run

`by_symmetry` does all this for a `Judge`, as `simnet.adversary.by_elimination` does for other runs.
"""
