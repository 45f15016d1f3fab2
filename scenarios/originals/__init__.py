"""The public originals of the data: where they are, what their digests are, and how the files of `--data` follow."""
