"""Whom the coalitions of a run expose, and whom they touch.

In a run with at most 12 parties, `every_coalition` judges all coalitions. In a larger run one of
the following three modules is used; the first two need a run without drop-outs and without a
network. A run with a crowd is refused. ::

    by_count         all coalitions, by the number of members of each kind, if parties are alike
    shares_by_count  the same, if all field elements sent are Shamir's shares and their sums
    grown_sets       otherwise: for a party, one minimal coalition that exposes it, and one maximal
                     coalition that does not; and the same for touching

`breaking_sets` finds minimal sets of users that read something of another user's secret. `reach`
says whom one coalition exposes and touches, and `staircase` finds minimal and maximal counts.
"""
