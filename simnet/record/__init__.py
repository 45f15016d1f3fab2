"""The records of a run: its bill, messages, log, fates and trace hash."""
