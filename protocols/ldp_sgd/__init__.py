"""LDP-SGD: linear models learnt from locally perturbed gradients."""
