"""The public originals of the data: their addresses and digests, and how files for `--data` are
made from these originals.
"""
