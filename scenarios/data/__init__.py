"""The public originals of the data: their addresses and digests, and how the files for `--data` are
made from these originals.
"""
