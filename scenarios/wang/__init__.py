"""What the experiments of Wang et al. share."""
