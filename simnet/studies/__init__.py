"""Many runs: experiments, their trials, the store of results, tables, quoted numbers and
figures.
"""
