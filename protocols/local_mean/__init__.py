"""The mean of numbers from locally perturbed reports."""
