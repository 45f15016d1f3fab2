"""The kernel: parties as trio tasks, the messages between them, and the run that plays them."""
