"""Networks: how long a run takes, and on whom it waits."""
