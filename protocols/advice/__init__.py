"""Find protocols and parameters that meet a target (ε, δ), and compare them."""
