"""What a collector makes of raw estimates: nothing here sees a report, so nothing here costs
privacy.
"""
