"""Records of what is stated about a protocol: cost, accuracy, privacy and disclosures.

The formulas behind the statements stand beside each protocol, not here.
"""
