"""What a coalition learns: the symbolic reading of a run, elimination over F_q, verdicts.

Read `symbolic` first (how a run is read), then `field_view` and `knowledge` (what a coalition sees
and determines), `judge` (how a verdict follows) and `certificate` (why you can believe a verdict).
"""
