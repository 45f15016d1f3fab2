"""Protocols as actor scripts, and their mathematics."""
