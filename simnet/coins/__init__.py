"""Where randomness comes from: streams of raw words, exact draws made from them, and the coins of a
party; and coins that play a tape of outcomes (`tape`), which give exact laws (`law`).
"""
