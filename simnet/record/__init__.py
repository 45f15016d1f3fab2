"""What a run leaves behind: the ledger, the transcript, views, and files of them."""
