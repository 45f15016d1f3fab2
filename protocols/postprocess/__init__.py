"""What a collector makes of raw estimates.

These functions read estimates only, never a user's report, so they cost no privacy.
"""
