"""Linear algebra over prime fields that the adversary and the exhaustive reading share."""
