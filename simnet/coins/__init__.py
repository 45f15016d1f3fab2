"""Where randomness comes from: streams of raw words, exact draws that are made from these words,
and the coins of a party. There are also coins that play a tape of outcomes (`tape`), which give
exact laws (`law`).
"""
