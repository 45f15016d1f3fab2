"""What the experiments of Biswas et al. share."""
