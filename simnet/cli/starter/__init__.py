"""What `simnet new` writes: a small protocol, a scenario and a test, to be changed into one's own.

These are ordinary modules, so that ruff, mypy and the project's tests read them like any other.
"""
