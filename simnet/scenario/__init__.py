"""Scenarios: the protocols and people of runs, and the claims that are judged on a run."""
