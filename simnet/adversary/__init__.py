"""What a coalition learns: the symbolic reading of a run, elimination over F_q, verdicts.

Read `judge` first: it makes every verdict, and asks a solver (`by_elimination`, or `by_symmetry` in
`orbits`) what field elements tell. Then `symbolic` (how a run is read), `field_view`, `knowledge`
and `bounds` (what elimination says), and `certificate` (why you can believe a verdict).
"""
