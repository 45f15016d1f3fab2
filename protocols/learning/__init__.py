"""Linear models learnt from locally perturbed gradients."""
