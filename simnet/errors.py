"""What can go wrong: bad input, a script at fault, a stalled run, damaged bytes."""


class SimnetError(Exception):
    """Base of every error that this package raises on purpose.

    Its text is one line that a person can act on.
    """


class BadInput(SimnetError, ValueError):
    """What the user gave cannot be used: says what was wrong, what was expected, what to do."""


class ScriptError(SimnetError):
    """A role's script broke a rule or raised; names party, round and tag. The cause is chained."""


class Stall(SimnetError):
    """A run cannot go on: says who waits for what from whom."""


class CodecError(SimnetError, ValueError):
    """Bytes that are no encoding of what they are said to be."""
