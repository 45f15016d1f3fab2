"""What a collector makes of raw estimates.

These functions read only what the collector already has, so they cost no privacy.
"""
