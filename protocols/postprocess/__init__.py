"""What a server calculates from its raw estimates."""
