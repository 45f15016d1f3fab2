"""Sealed values: values that a script can carry but not look at.

Theory of operation. A verdict says what messages reveal about inputs. The verdict can be right only
if every way from an input to a message is known. So a script does not get its input as a plain
value. The script gets a `Sealed`, which it can pass on, keep in a list, return or print (as a
constant text). A `Sealed` refuses most other uses. Opening a field array gives a sealed value as
well, since the numbers behind field elements may depend on inputs and on the coins that mask them.

Only the three *doors* of a party (`simnet.doors`) take sealed values. A door gets a function and
sealed values, and calls the function with the values behind the seals.

Example. A vote is sealed, so the script cannot make a decision that depends on it:

>>> vote = Sealed(Input("u1", 2))
>>> print(vote)
<sealed: the input of u1>
>>> vote == 2  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
simnet.values.sealed.SealBroken: compares the input of u1, which is sealed. Use a door: ...

The refusal is the same whatever the value is, so a script that catches the error learns nothing.
Seals prevent mistakes, not malice: a determined Python program can look into any object.
"""

from typing import Any, NoReturn

import attrs

from simnet.values.field import FieldArray


class SealBroken(TypeError):
    """Raised when a script looks into a sealed value, field elements, a public key, a signature or
    a box.
    """


class _NoSuchAttribute(SealBroken, AttributeError):
    """Raised for special names that a sealed value does not have, such as `__wrapped__`. A tool
    that asks whether an object has such a name takes this error for "no such attribute".
    """


@attrs.frozen(eq=False)
class Input:
    """The input of a party."""

    party: str
    value: Any = attrs.field(repr=False)

    def __str__(self) -> str:
        return f"the input of {self.party}"


@attrs.frozen(eq=False)
class Opened:
    """The numbers of field elements, as a source of a sealed value or an argument of a door.

    The numbers are `0..q-1` or, if `signed`, those nearest to zero.
    """

    array: FieldArray
    signed: bool = False

    def __str__(self) -> str:
        return "the numbers of field elements"


@attrs.frozen(eq=False)
class Made:
    """The value that the function of an output door returned; `call` is the call of the door."""

    call: Any

    def __str__(self) -> str:
        return "an output"


Source = Input | Opened | Made


@attrs.frozen(eq=False, repr=False)
class Hidden:
    """Stands for an input in a reading that runs without inputs."""

    def __repr__(self) -> str:
        return "<not given>"


HIDDEN = Hidden()


def _refusing(deed: str) -> Any:
    def refuse(self: "Sealed", *arguments: object, **options: object) -> NoReturn:
        del arguments, options
        raise SealBroken(_refusal(deed, self))

    return refuse


WAYS_OUT = (
    "Use a door: me.secret(function, value, field=..., shape=...) makes what messages must "
    "protect, me.disclose(function, value) makes what everybody may know, and "
    "me.output(function, value) makes what the script returns"
)


def _refusal(deed: str, sealed: "Sealed") -> str:
    return f"{deed} {source_of(sealed)}, which is sealed. {WAYS_OUT}"


# How to describe an access to an attribute that only the kernel or numpy asks for.
_ASKING_FOR = {"wire": "sends", "field": "takes for field elements"}


class Sealed:
    """A value that a script may pass to the doors of its party, return, pass on, keep in a list or
    print. Most other uses raise `SealBroken`.

    >>> vote = Sealed(Input("u1", 2))
    >>> try:
    ...     vote + 1
    ... except SealBroken as error:
    ...     print(str(error).partition(' Use')[0])
    calculates with the input of u1, which is sealed.
    """

    __slots__ = ("__source",)

    def __init__(self, source: Source) -> None:
        object.__setattr__(self, "_Sealed__source", source)

    def __repr__(self) -> str:
        return _SealedText.of(self)

    def __format__(self, form: str) -> str:
        if form:
            raise SealBroken(_refusal("formats", self))
        return repr(self)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__array"):
            raise SealBroken(_refusal("hands to numpy", self))
        error = _NoSuchAttribute if name.startswith("__") else SealBroken
        raise error(_refusal(_ASKING_FOR.get(name, f"asks for `.{name}` of"), self))

    def __deepcopy__(self, memo: object) -> "Sealed":
        return self  # it never changes

    __copy__ = __reduce_ex__ = __reduce__ = _refusing("copies")
    __bool__ = _refusing("branches on")
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refusing("compares")
    __hash__ = _refusing("uses as a key")
    __len__ = __length_hint__ = _refusing("asks for the length of")
    __iter__ = __next__ = __reversed__ = _refusing("goes through")
    __contains__ = _refusing("searches")
    __getitem__ = __setitem__ = __delitem__ = _refusing("takes an item of")
    __index__ = _refusing("counts with, or takes for an index,")
    __int__ = __float__ = __complex__ = __trunc__ = _refusing("takes for a number")
    __round__ = __floor__ = __ceil__ = _refusing("rounds")
    __neg__ = __pos__ = __abs__ = __invert__ = _refusing("calculates with")
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refusing("calculates with")
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _refusing("calculates with")
    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _refusing(
        "calculates with"
    )
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _refusing("calculates with")
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refusing("calculates with")
    __matmul__ = __rmatmul__ = _refusing("calculates with")
    __array__ = __array_ufunc__ = __array_function__ = _refusing("hands to numpy")
    __buffer__ = __bytes__ = _refusing("reads the bytes of")
    __call__ = _refusing("calls")
    __enter__ = __exit__ = _refusing("opens a block with")
    __setattr__ = _refusing("changes")


class _SealedText(str):
    """The text of a sealed value, which can be printed, and which refuses comparisons and searches.

    Without the refusal, a script with the test `str(vote) == "1"` would go on as if the answer were
    no.
    """

    sealed: Sealed

    @classmethod
    def of(cls, sealed: Sealed) -> "_SealedText":
        text = cls(f"<sealed: {source_of(sealed)}>")
        text.sealed = sealed
        return text


def _refusing_text(deed: str) -> Any:
    def refuse(self: _SealedText, *arguments: object, **options: object) -> NoReturn:
        del arguments, options
        raise SealBroken(_refusal(f"{deed} the text of", self.sealed))

    return refuse


# Methods that printing tools call. Their results are the same for all values, so they may pass.
_FOR_PRINTING = {"encode", "translate", "expandtabs", "ljust", "rjust", "center", "format"}
_COMPARING = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__")
for _name in (*_COMPARING, "__contains__", "__getitem__", "__iter__", *dir(str)):
    if _name in _COMPARING:
        setattr(_SealedText, _name, _refusing_text("compares"))
    elif _name in ("__contains__", "__getitem__", "__iter__"):
        setattr(_SealedText, _name, _refusing_text("searches"))
    elif not _name.startswith("_") and _name not in _FOR_PRINTING:
        setattr(_SealedText, _name, _refusing_text(f"asks for `.{_name}` of"))


def source_of(sealed: Sealed) -> Source:
    """Return what a sealed value stands for. Scripts must not call this function."""
    source: Source = object.__getattribute__(sealed, "_Sealed__source")
    return source


READS_NUMBERS = (
    "reads the numbers of field elements, which may depend on inputs and on coins: pass the array "
    "to me.disclose(function, array) or me.output(function, array)"
)
ONLY_DOORS = (
    "their numbers may depend on inputs and on coins. Write, for example, `return me.output(int, "
    "total)` for a number that the script returns, or me.disclose(function, array) for a number "
    "that everybody may know"
)
BRANCHES = (
    "branches on field elements, whose numbers may depend on inputs and on coins: pass the array "
    "to me.disclose(function, array)"
)
COMPARES = (
    "compares field elements, whose numbers may depend on inputs and on coins: pass the arrays to "
    "me.disclose(function, array) or me.output(function, array)"
)
