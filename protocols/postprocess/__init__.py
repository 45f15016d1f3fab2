"""What a collector makes of raw estimates.

Nothing here sees a report, so nothing here costs privacy.
"""
