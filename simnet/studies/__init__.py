"""Many runs: experiments, the store of results, tables, quoted numbers and figures."""
