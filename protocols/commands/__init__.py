"""Commands that the protocols contribute to the command line."""
