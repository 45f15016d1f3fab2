"""What a collector makes of raw estimates."""
