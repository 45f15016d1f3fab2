"""The errors of runs and commands.

Functions may also raise `ValueError` for an argument that is out of range, and `TypeError` for an
argument of the wrong type: see docs/reference/api/index.md.

>>> from simnet import BadInput, SimnetError
>>> issubclass(BadInput, SimnetError)
True
"""


class SimnetError(Exception):
    """The base class of the errors of runs and commands.

    >>> from simnet import BadInput
    >>> try:
    ...     raise BadInput("users is 0, expected at least 1")
    ... except SimnetError as error:
    ...     print(error)
    users is 0, expected at least 1
    """


class BadInput(SimnetError, ValueError):
    """An argument, an option or a file cannot be used.

    >>> from simnet import Seat, run
    >>> class Silent:
    ...     def parties(self):
    ...         return {"S": Seat(self.server)}
    ...     async def server(self, me): ...
    >>> run(Silent(), inputs=[5])
    Traceback (most recent call last):
        ...
    simnet.errors.BadInput: 1 input was given for 0 parties that take an input; parties: server: S
    """


class ScriptError(SimnetError):
    """A role's script broke a rule or raised an error. Where they are known, the text names the
    party, the round and the tag. If the script raised another error, `__cause__` is this error.

    >>> from simnet import Seat, run
    >>> class Broken:
    ...     def parties(self):
    ...         return {"server": Seat(self.server)}
    ...     async def server(self, me):
    ...         raise ValueError("no budget is left")
    >>> run(Broken())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    simnet.errors.ScriptError: server in round 1: no budget is left...
    """


class Stall(SimnetError):
    """A run cannot go on because every party that has not finished waits for a message. The text
    says who waits for what.

    >>> from simnet import Seat, Tag, run
    >>> class Waiting:
    ...     def parties(self):
    ...         return {"a": Seat(self.waits), "b": Seat(self.quits)}
    ...     async def waits(self, me):
    ...         await me.receive(Tag("note"), "b")
    ...     async def quits(self, me): ...
    >>> run(Waiting())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    simnet.errors.Stall: the run cannot go on: a waits for b in round 1 (tag "note"), ...
    """


class Abort(SimnetError):
    """A party ends its part in a run, for example because too few other parties are left. The text
    is the reason.

    `Party.gather_some`, `Party.gather_rows` and `Party.heard` raise it when too few senders have
    sent, and a script may raise it as well. An `Abort` that leaves a script ends this script, and
    the other parties go on.

    >>> from simnet import Abort, Seat, run
    >>> class Careful:
    ...     def parties(self):
    ...         return {"server": Seat(self.server)}
    ...     async def server(self, me):
    ...         raise Abort("nobody answered")
    >>> run(Careful()).aborts
    (Ending(party='server', round=1, reason='nobody answered'),)
    """


class CodecError(SimnetError, ValueError):
    """A value does not fit its wire type, or bytes are not a valid encoding.

    >>> from simnet import load
    >>> issubclass(CodecError, ValueError)
    True
    """
