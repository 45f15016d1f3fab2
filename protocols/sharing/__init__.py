"""Secret sharing, and what protocols on shares have in common."""
