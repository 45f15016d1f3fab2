"""Commands about protocols, which this package adds to the command line."""
