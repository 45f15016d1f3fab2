"""DPDG: item counts with Gaussian noise that no single party knows."""
