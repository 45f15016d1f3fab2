"""Whom the coalitions of a run expose, and whom they touch.

There is one search, `staircase`, for minimal and maximal vectors of counts. `answer` says what is
asked, and what the answer is, and three modules answer about single vectors: `alike`, `shamir` and
`one_by_one`. `every_coalition` also judges each coalition of a run with at most 12 parties.
"""
