"""DPDS: item frequencies from a secret-shared random sample of the users."""
