"""DPDS with a committee in the place of the users, which survives drop-outs."""
