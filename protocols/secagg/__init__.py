"""Secure aggregation with pairwise masks: Bonawitz et al., and SecAgg+ of Bell et al."""
