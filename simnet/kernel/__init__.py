"""The kernel: scripts that take turns, the messages between them, and the run that plays them."""
