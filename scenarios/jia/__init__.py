"""What the experiments of Jia and Gong have in common."""
