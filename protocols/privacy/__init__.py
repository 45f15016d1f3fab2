"""Privacy mathematics."""
