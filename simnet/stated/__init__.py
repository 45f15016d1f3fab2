"""What is stated about a protocol, in numbers and words: never how it is worked out."""
