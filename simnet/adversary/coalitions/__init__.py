"""Whom the coalitions of a run expose, and whom they touch.

In a run with at most 12 parties and no crowd, `every_coalition` judges all coalitions. In a larger
run one of these modules is used::

    by_count         all coalitions, by the number of members of each kind, if parties are alike
    shares_by_count  the same, if all field elements sent are Shamir's shares and their sums
    grown_sets       otherwise: one minimal and one maximal coalition for a party

`breaking_sets` finds minimal sets of users that read something of another user's secret. `reach`
says whom one coalition exposes and touches, and `staircase` finds minimal and maximal counts.
"""
