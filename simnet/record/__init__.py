"""The records of a run: the ledger, the transcript, views, and transcript files."""
