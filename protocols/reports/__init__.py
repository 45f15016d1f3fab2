"""What local collections have in common: roles, bills and accuracy."""
