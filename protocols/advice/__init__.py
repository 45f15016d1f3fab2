"""Which protocol and which parameters, for a target of privacy."""
