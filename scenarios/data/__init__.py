"""The public originals of the data: where they are, their digests, and how the files of `--data`
follow.
"""
