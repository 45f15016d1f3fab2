"""What the experiments of Yang et al. have in common."""
