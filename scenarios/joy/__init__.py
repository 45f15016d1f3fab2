"""What the experiments of Joy and Gerla have in common."""
