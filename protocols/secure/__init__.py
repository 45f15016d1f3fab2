"""Protocols that protect inputs by secret sharing."""
