"""Ideal primitives: random functions of seeds, key agreement, boxes, and signatures.

Theory of operation. Many protocols for secure aggregation stretch short seeds to long masks with a
pseudo-random generator. They may also agree on seeds by Diffie-Hellman, encrypt what a server
passes on, and sign what others must be able to check. A script gets ideal versions of these
operations::

    me.expand(seed, F, (d,), "mask")      an ideal random function of the seed
    me.public_key(secret)                 32 octets, an ideal random function of a secret key
    me.agree(secret, public, F, (4,))     an ideal random function of two secret keys
    me.encrypt(key, rows)                 a box: its length is public, its content is not
    me.decrypt(key, box)                  the content
    me.sign(bits(...))                    64 octets that nobody else can make

A *seed*, a *secret key* and a *key* are all arrays of field elements. So they can be drawn, shared
with Shamir's scheme, sent and recovered like other field elements. The rules by which a verdict
judges them are in docs/concepts/ideal-primitives.md.

A *signing key* is not an array of a script: each party has one, and everybody knows from the start
who signs with which key. So a signature is checked with the name of the signer. Papers call this a
public-key infrastructure.

The functions here raise the errors that the methods of `Party` with the same names document:
`ValueError` for shapes and numbers that do not fit, and `ScriptError` for a wrong key. They also
raise `ScriptError` for field elements, public keys, signatures and boxes that another party holds.
They raise `TypeError` for seeds, keys, boxes, signatures, statements and labels of another type,
and for a seed or a key in a deferred block.
"""

import hashlib
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from simnet.coins.coins import evaluates_block
from simnet.kernel.actor import Actor, refuse
from simnet.kernel.reading import Reading
from simnet.printable import count_of
from simnet.values.field import HELD_BY_ANOTHER, Field, FieldArray
from simnet.values.opaque import SIGNATURE_BYTES, Boxes, PublicKeys, Signatures, bare
from simnet.values.typed import Typed

Statement = Typed | PublicKeys  # what a party can sign


def expand(
    actor: Actor,
    reading: Reading,
    seeds: FieldArray,
    field: Field,
    shape: tuple[int, ...] | int,
    label: str,
    weights: Sequence[int] | None,
) -> FieldArray:
    """Stretch one seed, or each of several seeds, and bill the elements."""
    rows = _rows_of_seeds(actor, seeds, "seed")
    digests = reading.digests("seed", rows)
    return _stretched(actor, reading, digests, field, shape, label, weights, seeds.shape[:-1])


def public_key(actor: Actor, reading: Reading, secret: FieldArray) -> PublicKeys:
    """Return the public key of a secret key."""
    rows = _rows_of_seeds(actor, secret, "secret key")
    if len(secret.shape) != 1:
        raise ValueError(f"a secret key has shape (w,), got shape {secret.shape}")
    (digest,) = reading.digests("secret key", rows)
    return PublicKeys(np.frombuffer(digest, dtype=np.uint8), actor.meter)


def agree(
    actor: Actor,
    reading: Reading,
    secret: FieldArray,
    public: PublicKeys,
    field: Field,
    shape: tuple[int, ...] | int,
    label: str,
) -> FieldArray:
    """Return the seed, or the seeds, that two holders of secret keys share."""
    if not isinstance(public, PublicKeys):
        raise TypeError(
            f"me.agree takes public keys of other parties, got {type(public).__name__}: make them "
            "with me.public_key, and send them"
        )
    _check_held(actor, public)
    own = bare(public_key(actor, reading, secret)).texts()[0]
    digests = [reading.agreed(own, other) for other in bare(public).texts()]
    return _stretched(actor, reading, digests, field, shape, label, None, public.shape[:-1])


def sign(actor: Actor, reading: Reading, statement: Statement) -> Signatures:
    """Return the party's signature of plain values or of public keys."""
    text = _signature(actor, actor.name, statement)
    reading.signed(text, _public_keys(statement))
    return Signatures(np.frombuffer(text, dtype=np.uint8), actor.meter)


def is_signed(
    actor: Actor, reading: Reading, signer: str, statement: Statement, signature: Signatures
) -> bool:
    """Return whether this is the signature of the party called `signer` for this statement."""
    if not isinstance(signature, Signatures):
        raise TypeError(f"me.is_signed takes a signature, got {type(signature).__name__}")
    if len(signature.shape) != 1:
        raise ValueError(f"one signature has shape (64,), got shape {signature.shape}")
    _check_held(actor, signature)
    (text,) = bare(signature).texts()
    keys = _public_keys(statement)
    for key, other in zip(keys, reading.signed_keys(text) if keys else (), strict=False):
        if key != other:
            reading.found_different([key, other])  # this may be why the answer is no
    return text == _signature(actor, signer, statement)


def are_distinct(actor: Actor, reading: Reading, keys: PublicKeys) -> bool:
    """Return whether no two of these public keys are equal."""
    if not isinstance(keys, PublicKeys):
        raise TypeError(f"me.are_distinct takes public keys, got {type(keys).__name__}")
    _check_held(actor, keys)
    texts = bare(keys).texts()
    if len(set(texts)) < len(texts):
        return False
    reading.found_different(texts)
    return True


def _public_keys(statement: Statement) -> list[bytes]:
    return bare(statement).texts() if isinstance(statement, PublicKeys) else []


def _signature(actor: Actor, signer: str, statement: Statement) -> bytes:
    if isinstance(statement, PublicKeys):
        _check_held(actor, statement)
        kind = "public keys"
        content = b"".join(bare(statement).texts())
    elif isinstance(statement, Typed):
        numbers = np.asarray(statement.numbers())
        kind = f"{statement.wire.kind} {statement.wire.below}"
        content = numbers.astype("<f8" if numbers.dtype.kind == "f" else "<i8").tobytes()
    else:
        raise TypeError(
            f"a signed statement is bits(...), index(...), reals(...) or public keys, got "
            f"{type(statement).__name__}"
        )
    name = signer.encode()
    head = f"simnet sign {kind} {statement.shape} by {len(name)}:".encode()
    return hashlib.shake_256(head + name + b":" + content).digest(SIGNATURE_BYTES)


_OPAQUE: tuple[type, ...] = (Boxes, PublicKeys, Signatures)


def encrypt(actor: Actor, reading: Reading, keys: FieldArray, rows: FieldArray) -> Boxes:
    """Put an array into a box or, with several keys, each row of an array into a box of its own."""
    pieces = list(_pieces(rows))
    opaque = [piece for piece in pieces if type(piece) in _OPAQUE]
    if opaque:
        raise TypeError(
            f"a box contains field elements, and never {type(opaque[0]).__name__}: send these in a "
            "message of their own. Boxes inside boxes, as in onion routing, cannot be simulated"
        )
    if not hasattr(rows, "field"):
        is_stacked = any(hasattr(piece, "field") for piece in pieces)
        advice = "make one array of them, with type(row).stack(rows)"
        raise TypeError(
            f"a box contains field elements, got {type(rows).__name__}: "
            f"{advice if is_stacked else 'write constant(field, ...)'}"
        )
    _check_held(actor, rows)
    if reading.lifts:
        rows = reading.outgoing(actor.name, rows)
    digests = reading.digests("key", _rows_of_seeds(actor, keys, "key"))
    if len(keys.shape) == 1:
        return Boxes(rows[np.newaxis], digests, is_single=True, meter=actor.meter)
    if rows.shape[:1] != (len(digests),):
        raise ValueError(
            f"each key needs one row: got {count_of(len(digests), 'key')}, and rows of shape "
            f"{rows.shape}"
        )
    return Boxes(rows, digests, meter=actor.meter)


def _pieces(payload: object) -> Iterator[object]:
    if isinstance(payload, tuple | list | dict):
        for piece in payload.values() if isinstance(payload, dict) else payload:
            yield from _pieces(piece)
    else:
        yield payload


def decrypt(actor: Actor, reading: Reading, keys: FieldArray, boxes: Boxes) -> FieldArray:
    """Take out the content of a box, or of several boxes."""
    if not isinstance(boxes, Boxes):
        raise TypeError(f"me.decrypt takes boxes, got {type(boxes).__name__}")
    _check_held(actor, boxes)
    digests = reading.digests("key", _rows_of_seeds(actor, keys, "key"))
    opened = bare(boxes)  # scripts still run, and only the kernel may look into boxes
    if (len(keys.shape) == 1) != boxes.is_single or len(digests) != len(opened.keys):
        wanted = (
            "this box needs a key of shape (w,)"
            if boxes.is_single
            else f"these boxes need keys of shape ({len(opened.keys)}, w), one key for each box"
        )
        raise ValueError(f"{wanted}, got shape {keys.shape}")
    for place, (mine, needed) in enumerate(zip(digests, opened.keys, strict=True)):
        if mine != needed:
            reading.found_different([mine, needed])  # the script may catch the error
            which = "the box" if boxes.is_single else f"box {place}"
            raise refuse(
                actor, actor.last_tag, f"decrypts with a key that is not the key of {which}"
            )
    content = opened.content.metered(actor.meter)
    return content[0] if boxes.is_single else content


def _stretched(
    actor: Actor,
    reading: Reading,
    digests: Sequence[bytes],
    field: Field,
    shape: tuple[int, ...] | int,
    label: str,
    weights: Sequence[int] | None,
    outer: tuple[int, ...],
) -> FieldArray:
    if not isinstance(label, str):
        raise TypeError(
            f"a label is a text, got {type(label).__name__}: write, for example, "
            'label=f"mask {round}"'
        )
    sizes = (shape,) if isinstance(shape, int | np.integer) else shape
    inner = tuple(map(operator.index, sizes))  # equal shapes must give equal texts
    if weights is not None:
        weights = list(map(operator.index, weights))
        if len(weights) != len(digests):
            raise ValueError(
                f"each seed needs one weight: got {count_of(len(digests), 'seed')} and "
                f"{count_of(len(weights), 'weight')}"
            )
    rows = reading.stretched(digests, field, inner, label, weights).metered(actor.meter)
    elements = len(digests) * math.prod(inner)
    actor.meter.bill("FS", elements)
    if weights is not None:
        actor.meter.bill("FA", max(elements - math.prod(inner), 0))
        return rows
    return rows if outer else rows[0]


def _rows_of_seeds(actor: Actor, seeds: Any, what: str) -> FieldArray:
    if evaluates_block():
        raise TypeError(
            f"uses a {what} in a deferred block: use the {what} before the block is made"
        )
    if not hasattr(seeds, "field"):
        raise TypeError(
            f"a {what} is an array of field elements, got {type(seeds).__name__}: draw it with "
            "me.coins.field"
        )
    _check_held(actor, seeds)
    if len(seeds.shape) not in (1, 2) or not seeds.shape[-1]:
        # A public key is made, and a seed agreed on, with a single secret key.
        several = "" if what == "secret key" else ", and several have shape (k, w)"
        raise ValueError(
            f"a {what} has shape (w,){several}, with w above 0, got shape {seeds.shape}"
        )
    rows: FieldArray = seeds[np.newaxis] if len(seeds.shape) == 1 else seeds
    return rows


def _check_held(actor: Actor, array: Any) -> None:
    if array.meter is not None and array.meter is not actor.meter:
        raise refuse(actor, actor.last_tag, f"uses {HELD_BY_ANOTHER}")
