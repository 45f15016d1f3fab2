"""Where randomness comes from: streams of raw words, exact draws made from them, and the coins of a
party.
"""
