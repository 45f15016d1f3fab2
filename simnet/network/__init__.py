"""Networks: how long a run takes, and which messages come before a deadline."""
