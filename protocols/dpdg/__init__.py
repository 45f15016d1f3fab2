"""DPDG: item counts with Gaussian noise that nobody knows."""
