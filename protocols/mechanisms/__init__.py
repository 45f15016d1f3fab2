"""Local mechanisms: what one user reports so that no report says much about the value behind it."""
