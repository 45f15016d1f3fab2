"""The three doors of a party: what leads from sealed values to messages, choices and outputs."""
