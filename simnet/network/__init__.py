"""Networks: how long a run takes, and which parties it waits for."""
