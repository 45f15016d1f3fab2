"""`Party`: what a script uses to communicate, to draw coins and to open doors.

A script gets its name, its coins and its messages through its party. `Party` checks the script's
requests and passes them on to a `Link`, which carries the messages (see `simnet.kernel.link`).
"""

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import attrs
import numpy as np

from simnet.checks import integer, real
from simnet.coins.coins import Coins, Deferred, RowBlock, evaluates_block
from simnet.doors.call import DoorKind, door_call
from simnet.doors.record import Toss
from simnet.errors import Abort, ScriptError
from simnet.kernel import primitives
from simnet.kernel.actor import Actor, refuse
from simnet.kernel.crowds import post_rows, rows_from, tally_of
from simnet.kernel.link import Link, Payload
from simnet.kernel.primitives import Statement
from simnet.kernel.reading import Reading
from simnet.kernel.tags import Summed, Tag, Voluntary
from simnet.kernel.turns import hand_over
from simnet.printable import count_of
from simnet.roster import Group, Roster
from simnet.values.field import HELD_BY_ANOTHER, Field, FieldArray
from simnet.values.opaque import Boxes, PublicKeys, Signatures
from simnet.values.sealed import WAYS_OUT, Made, Sealed, source_of
from simnet.values.typed import Typed

# After so many calls of `send` a party lets other parties go on, so that mailboxes stay small.
BURST = 256

To = str | Group | Sequence[str]


class Party:
    """The object `me` that every script gets: its name, its coins, its messages and its doors.

    A script runs once for each seat of its role. This protocol adds numbers: every user
    splits its number into two shares, one for each of two servers, and the first server learns the
    total only.

    >>> from simnet import Field, Seat, Summed, Tag, run, seats
    >>> F, SHARE, SUBTOTAL = Field(101), Summed("share"), Tag("subtotal")
    >>> class TwoServers:
    ...     def parties(self):
    ...         return {**seats("u", self.user, 3), "s1": Seat(self.first), "s2": Seat(self.second)}
    ...     async def user(self, me, number):
    ...         secret = me.secret(lambda n: [n], number, field=F, shape=(1,))
    ...         mask = me.coins.field(F, (1,))
    ...         await me.send(SHARE, to="s1", payload=secret + mask)
    ...         await me.send(SHARE, to="s2", payload=-mask)
    ...     async def second(self, me):
    ...         await me.send(SUBTOTAL, "s1", await me.gather_sum(SHARE, senders=me.all("user")))
    ...     async def first(self, me):
    ...         subtotal = await me.gather_sum(SHARE, senders=me.all("user"))
    ...         total = subtotal + await me.receive(SUBTOTAL, sender="s2", shape=(1,))
    ...         return me.output(lambda values: int(values[0]), total)
    >>> run(TwoServers(), [5, 6, 7]).outputs
    {'s1': 18}

    Rules for every method:

    - An argument that names one party (such as `sender`) is its name. An argument that can name
      several parties is a name, a sequence of names, or a `Group` (see `all`).
    - A *payload*, the content of a message, is an array of field elements, `bits(...)`,
      `index(...)`, `reals(...)`, public keys, signatures, boxes, or a tuple of these. Plain numbers
      become field elements with `constant(field, numbers)`.
    - Methods that send or receive are async: write `await` before the call. Messages from one
      sender under one tag are read in the order in which they were sent.
    - If a method raises an error and the script does not catch it, the run ends with a
      `ScriptError`. (An `Abort` is different: it ends only this party's part in the run.) An error
      in a door's function, a forgotten `await` and too many messages end the run, even if the
      script catches errors.
    - Names of unknown parties raise `BadInput`; a payload of another kind than above, and a tag
      that is not a `Tag`, raise `TypeError`. A payload that is sealed raises `ScriptError`, and so
      do field elements, keys, signatures and boxes that another party holds.
    - A script may act only with the party that it gets, and only in the thread of the run. (To ask
      for names, roles and groups is not to act.)

    A script's input is *sealed*: the script can carry a sealed value but not look at it. A script
    cannot look at the numbers of field elements either. Three methods, called *doors*, call a
    function with such values: `secret` for values that messages must protect, `disclose` for values
    that everybody may know, and `output` for the value that the script returns.
    """

    __slots__ = ("_actor", "_lifts", "_link", "_reading", "_roster", "_scope", "_seed", "_turn")

    def __init__(
        self, actor: Actor, roster: Roster, link: Link, reading: Reading, seed: int
    ) -> None:
        self._actor = actor
        self._roster = roster
        self._link = link
        self._turn = link.turn
        self._reading = reading
        self._lifts = reading.lifts
        self._seed = seed
        self._scope = ""  # what the run puts before the names that the script uses

    def __reduce__(self) -> tuple[Any, ...]:
        # In another process, the function of a door may know which party it is of.
        return NamesOnly, (self.name, self.role, self.index)

    def within(self, scope: str) -> "Party":
        """Return this party as it appears inside a protocol that runs as one part of a larger
        protocol.

        In the part's script every name, role and tag `x` means the name, role or tag `scope + x` of
        the whole run.

        For example, `await self.part.user(me.within("g2."), item)` runs the script `user` of a
        part. Its `u1` is the party `g2.u1`.
        """
        return ScopedParty(self._actor, self._roster, self._link, self._reading, self._seed, scope)

    @property
    def name(self) -> str:
        """The name of the party, such as `u3` or `server`."""
        return self._actor.name.removeprefix(self._scope)

    @property
    def role(self) -> str:
        """The name of the role that the party plays, such as `user`."""
        return self._actor.role.removeprefix(self._scope)

    @property
    def index(self) -> int:
        """The place of the party in its role, as its `Seat` says: 3 for `u3`. Places begin at 1."""
        return self._roster.seats[self._actor.number].index

    @property
    def coins(self) -> Coins:
        """The coins of the party, the only randomness that a script may use. See `simnet.Coins`.

        Coins are a function of the run's seed and the party's name. Raises `ScriptError` if the
        party may not act now. For example, `me.coins.field(F, (5,))` draws five uniform elements of
        the field `F`.
        """
        self._begin()
        actor = self._actor
        if actor.coins is None:
            actor.coins = self._reading.coins(self._seed, actor.name, actor.meter)
            actor.coins.check = self._check_draw
        return actor.coins

    def all(self, role: str) -> Group:
        """Return the group of all parties that play `role`, in the order of `parties()`, including
        this party if it plays `role`.

        Raises `BadInput` if no party plays `role`. For example, `me.all("user")`.
        """
        return self._roster.role(self._scope + role)

    def names(self, role: str) -> list[str]:
        """Return the names of all parties that play `role`, in the order of `parties()`.

        Raises `BadInput` if no party plays `role`. For example, `me.names("server")` is `["s1",
        "s2"]`.
        """
        names = self.all(role).names
        return [name.removeprefix(self._scope) for name in names] if self._scope else list(names)

    def group(self, names: To) -> Group:
        """Return the named parties as a group.

        Raises `BadInput` for unknown or repeated names. For example, `me.group(["s1", "s2"])`.
        """
        return self._group(names)

    def is_in(self, group: Group) -> bool:
        """Return whether this party belongs to `group`."""
        return group.position(self._actor.number) is not None

    # The three doors: the only ways from sealed values to values that a script can use.

    def secret(
        self,
        function: Callable[..., Any],
        *arguments: object,
        field: Field,
        shape: tuple[int, ...] | int,
        reduce: bool = False,
    ) -> FieldArray:
        """Declare a secret, which messages must protect, and return it as field elements.

        `function` is called with the values behind the arguments. It also gets discrete coins if it
        needs one more argument or if its next parameter has the name `coins`. The function must
        return whole numbers of at most 64 bits that fit `shape`; they are taken mod q. `field` and
        `shape` are public. The script can compute with the returned array and send it, but cannot
        look at its elements.

        `simnet run`, `simnet check` and `simnet verify` say if the function gave a number of at
        least q, because this may be a mistake; with `reduce` they do not.

        An error of `function` ends the run, even if the script catches the error. Raises
        `TypeError` in a deferred block.

        For example, `me.secret(lambda vote: [vote], vote, field=F, shape=(1,))`.
        """
        actor = self._actor
        elements: FieldArray = self._through("secret", function, arguments, field, shape, reduce)
        actor.secrets.append(elements)
        return elements.metered(actor.meter)

    def disclose(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Disclose a plain value, which the script may use for anything, and return it.

        `function` is called as for `secret`. The function may return numbers, texts, arrays, None,
        and tuples, lists, sets and dictionaries of these. A verdict assumes that everybody knows
        the value.

        Errors are as for `secret`. For example, `me.disclose(lambda vote: vote > 2, vote)`.
        """
        return self._through("disclose", function, arguments)

    def output(self, function: Callable[..., Any], *arguments: object) -> Sealed:
        """Return the output of the script, sealed until the run has ended.

        `function` is called with the values behind the arguments, without coins. If the function
        raises an error, the run ends with a `ScriptError`, at the latest when the scripts have
        ended. Raises `TypeError` in a deferred block.

        For example, `return me.output(np.mean, total)`.
        """
        sealed: Sealed = self._through("output", function, arguments)
        return sealed

    def _through(
        self,
        kind: DoorKind,
        function: Callable[..., Any],
        arguments: Sequence[object],
        field: Field | None = None,
        shape: tuple[int, ...] | int = (),
        reduce: bool = False,
    ) -> Any:
        if evaluates_block():
            raise TypeError(
                f"calls me.{kind} in a deferred block: call me.{kind} before the block is made"
            )
        self._begin()
        actor = self._actor
        number = actor.doors_opened[kind]
        call = door_call(
            kind, actor.name, number, function, arguments, actor.meter, field, shape, reduce
        )
        call.vault = self._turn.vault
        actor.doors_opened[kind] = number + 1
        coins = self.coins.for_doors if call.takes_coins else None
        if coins is not None:
            actor.tosses.append(Toss.of(call, coins))
        actor.door, self._turn.actor = kind, None  # no party may act while the function runs
        self._turn.opener, self._turn.door_coins = actor, coins
        in_doors = actor.meter.in_doors
        before = None if in_doors is None else actor.meter.counts.copy()
        try:
            result = self._reading.door(call, coins, actor.meter)
            if in_doors is not None and before is not None:
                in_doors.update(actor.meter.counts - before)
        except Exception as error:
            self._turn.failure = error
            raise
        finally:
            actor.door, self._turn.actor = None, actor
            self._turn.opener = self._turn.door_coins = None
        if call.reduced is not None and actor.reduced is None:
            actor.reduced = call
        if kind != "output":
            return result
        if call.error is not None:
            actor.output_failure = actor.output_failure or call.error
        return Sealed(Made(call))

    # Ideal primitives: see `simnet.kernel.primitives`.

    def expand(
        self,
        seeds: FieldArray,
        field: Field,
        shape: tuple[int, ...] | int,
        label: str = "",
        weights: Sequence[int] | None = None,
    ) -> FieldArray:
        """Return field elements that an ideal random function makes from a seed.

        `seeds` is one seed, of shape (w,), and the result has shape `shape`; or k seeds, of shape
        (k, w), and the result has shape (k, *shape). With `weights`, one whole number for each of
        the k seeds, the result is the weighted sum of the k rows, of shape `shape`. With the same
        label, field and shape, whoever has the same seed gets the same elements. Different labels,
        fields or shapes give independent elements.

        Raises `ValueError` for seeds of another shape, and for another number of weights than of
        seeds.

        For example, `me.expand(seed, F, (d,), label="mask")`.
        """
        self._begin()
        return primitives.expand(self._actor, self._reading, seeds, field, shape, label, weights)

    def public_key(self, secret: FieldArray) -> PublicKeys:
        """Return the public key of a secret key: 32 octets.

        A secret key is an array of shape (w,), such as `me.coins.field(F, (8,))`. Raises
        `ValueError` for an array of another shape.
        """
        self._begin()
        return primitives.public_key(self._actor, self._reading, secret)

    def agree(
        self,
        secret: FieldArray,
        public: PublicKeys,
        field: Field,
        shape: tuple[int, ...] | int,
        label: str = "",
    ) -> FieldArray:
        """Return a seed that the holders of two secret keys share: hashed Diffie-Hellman key
        agreement.

        `secret` is this party's secret key, and `public` the other party's public key, or k public
        keys. The result has shape `shape`, or (k, *shape). With the same field, shape and label the
        other party gets the same elements from its secret key and this party's public key. Raises
        `ValueError` unless the secret key has shape (w,).

        For example, `seed = me.agree(secret, public, F, (4,))`.
        """
        self._begin()
        return primitives.agree(self._actor, self._reading, secret, public, field, shape, label)

    def encrypt(self, keys: FieldArray, rows: FieldArray) -> Boxes:
        """Return field elements in a box that only somebody with the key can open.

        With one key, of shape (w,), the array `rows` goes into one box. With k keys, of shape (k,
        w), each of the k rows of `rows` goes into a box of its own. Everybody who sees a box learns
        its length.

        Raises `ValueError` for keys of another shape, and for another number of keys than of rows.
        """
        self._begin()
        return primitives.encrypt(self._actor, self._reading, keys, rows)

    def decrypt(self, keys: FieldArray, boxes: Boxes) -> FieldArray:
        """Return the content of a box, or of k boxes as k rows.

        `keys` is one key, of shape (w,), for one box, or k keys, of shape (k, w), for k boxes.
        Raises `ScriptError` if a key is not the key of its box, and `ValueError` for keys of
        another shape or number.
        """
        self._begin()
        return primitives.decrypt(self._actor, self._reading, keys, boxes)

    def sign(self, statement: Statement) -> Signatures:
        """Return the party's signature of plain values or of public keys: 64 octets.

        Every party has a signing key. Everybody knows from the start who signs with which key, and
        can check the signature with `is_signed`. Raises `TypeError` for other statements.

        For example, `me.sign(me.public_key(secret))` vouches for a key that a server passes on.
        """
        self._begin()
        return primitives.sign(self._actor, self._reading, statement)

    def is_signed(self, signer: str, statement: Statement, signature: Signatures) -> bool:
        """Return whether `signature` is the signature of the party called `signer` for this
        statement.

        Raises `BadInput` if there is no such party, and `ValueError` for several signatures.
        """
        self._begin()
        (number,) = self._roster.single(self._scope + signer).numbers.tolist()
        name = self._roster.names[number]
        return primitives.is_signed(self._actor, self._reading, name, statement, signature)

    def are_distinct(self, keys: PublicKeys) -> bool:
        """Return whether no two of these public keys are equal."""
        self._begin()
        return primitives.are_distinct(self._actor, self._reading, keys)

    async def send(self, tag: Tag, to: str, payload: Payload) -> None:
        """Send one payload to one party.

        `to` is one name. Under a `Summed` tag the payload is added to the recipient's sum.

        Raises `TypeError` for several recipients: use `publish` or `scatter`.

        For example, `await me.send(NOTE, to="server", payload=constant(F, [1, 2]))`.
        """
        tag = self._own(tag) or await self._stop()
        if type(payload) is Sealed:
            raise self._sends_sealed(payload)
        if type(to) is not str:
            raise TypeError(
                f"send takes the name of one recipient, got {type(to).__name__}: use publish to "
                "send one payload to several parties, and scatter to send each party its own row"
            )
        actor = self._actor
        # Skip `_check_held` when it would find nothing: this code runs for every message.
        holder = getattr(payload, "meter", None)
        if (holder is not actor.meter and holder is not None) or isinstance(payload, tuple):
            self._check_held(payload)
        if self._lifts:
            payload = self._reading.outgoing(actor.name, payload)
        if isinstance(tag, Summed):
            group = self._roster.single(self._scope + to)
            self._link.put(actor, tag, [group], _one_row(payload), None)
        else:
            self._link.post(actor, tag, self._scope + to, payload)
        actor.burst += 1
        if actor.burst >= BURST:
            actor.burst = 0
            await self._link.breathe(actor)

    async def scatter(
        self,
        tag: Tag,
        to: To | Sequence[To],
        rows: RowBlock | Deferred | Sequence[Payload],
        keys: Typed | None = None,
    ) -> None:
        """Send row k of `rows` to the k-th recipient.

        `rows` is an array whose first dimension is the number of recipients, a `Deferred` block or,
        unless the tag is `Summed`, a sequence of payloads. A `Deferred` block under a tag that is
        not `Summed` is made at once.

        With `keys`, indices of shape (K,), the tag must be `Summed` and `to` is a sequence of K
        groups. The first rows go to the first group with the first key, the next rows to the second
        group with the second key, and so on. Rows with different keys go into different sums.

        Raises `ScriptError` unless there is one row for each recipient, and for keys under a tag
        that is not `Summed`.

        For example, `await me.scatter(SHARE, to=me.all("server"), rows=shares)`, with shares of
        shape (M, d) for M servers.
        """
        tag = self._own(tag) or await self._stop()
        actor = self._actor
        if isinstance(rows, Sequence):
            rows = list(rows)
        self._check_held(rows)
        if self._lifts:
            rows = self._reading.outgoing(actor.name, rows)
        if isinstance(tag, Summed):
            places: Any = [to] if keys is None else to
            groups = [self._group(names) for names in places]
            self._link.put(actor, tag, groups, _block(rows), keys)
            return
        if keys is not None:
            raise refuse(
                actor,
                tag.name,
                f'only a summed tag takes keys: declare the tag as Summed("{tag.name}"), or leave '
                "out the keys",
            )
        recipients: Any = to
        group = self._group(recipients)
        payloads: Any = rows.evaluate() if isinstance(rows, Deferred) else rows
        is_array = hasattr(payloads, "wire")
        if not is_array and not isinstance(payloads, Sequence):
            raise TypeError(
                f"scatter takes an array or a sequence of payloads, got {type(rows).__name__}"
            )
        shape = payloads.shape if is_array else (len(payloads),)
        if shape[:1] != (len(group),):
            rows_sent = count_of(shape[0], "row") if shape else "an array of shape ()"
            raise refuse(
                actor,
                tag.name,
                f"sends {rows_sent} to {count_of(len(group), 'recipient')}: each recipient needs "
                "exactly one row",
            )
        post = self._link.post_rows if is_array else self._link.post_each
        post(actor, tag, group, payloads)

    async def send_rows(self, tag: Tag, to: str, rows: Any) -> None:
        """Send one message for each member of a crowd: row k is the message of the k-th member.

        `rows` are `bits(...)`, `index(...)`, `reals(...)`, a tuple of these, or a `Tally`. A party
        that is not a crowd counts as a crowd of one member. Under a `Voluntary` tag members may
        stay silent; `rows` are then the rows of the other members, in order.

        The recipient uses `gather_rows`, or `gather_tally`, which also takes a `Tally`. Raises
        `ScriptError` for a wrong number of rows and for a `Summed` tag; `BadInput` if the recipient
        is another crowd. A party that names itself as the recipient gets a `ScriptError` if it is a
        crowd, if the tag is `Voluntary`, or if `rows` is a `Tally`.

        For example, if each member reports a number from 0 to 4:
        `await me.send_rows(REPORT, to="server", rows=index(reports, below=5))`.
        """
        tag = self._own(tag) or await self._stop()
        actor = self._actor
        seat = self._roster.seats[actor.number]
        self._check_held(rows)
        post_rows(self._link, actor, seat, tag, self._scope + to, rows)

    async def publish(self, tag: Tag, to: To, payload: Payload) -> None:
        """Send the same payload to each recipient.

        Every member of a crowd is billed as a recipient, and the script of the crowd receives the
        payload once. Raises `ScriptError` for a `Summed` tag.

        For example, `await me.publish(MODEL, to=me.all("user"), payload=reals(weights))`.
        """
        await self.publish_each(tag, to, [payload])

    async def publish_each(self, tag: Tag, to: To, payloads: Sequence[Payload]) -> None:
        """Send the same sequence of payloads, one message for each payload, to each recipient.

        Raises `ScriptError` for a `Summed` tag.
        """
        tag = self._own(tag) or await self._stop()
        actor = self._actor
        if isinstance(tag, Summed):
            raise refuse(
                actor,
                tag.name,
                "publish cannot use a summed tag: use scatter, with one row for each recipient",
            )
        self._check_held(payloads)
        if self._lifts:
            payloads = [self._reading.outgoing(actor.name, payload) for payload in payloads]
        self._link.post_copies(actor, tag, self._group(to), payloads)

    async def receive(self, tag: Tag, sender: str, shape: tuple[int, ...] | None = None) -> Payload:
        """Wait for the next payload from one sender, and return it.

        With `shape`, raises `ScriptError` for a payload of another shape. Raises `ScriptError` for
        a `Summed` tag: use `gather_sum`. If the message never comes, the run ends with `Stall`. But
        if a party has dropped out, aborted or stayed silent, or if a party waits for a lost
        message, the run ends without an error. `Run.aborts` then says that this party waited in
        vain.

        For example, `total = await me.receive(TOTAL, sender="server", shape=(5,))`.
        """
        # This repeats the body of `_kept_apart` to save a call: parties receive streams this way.
        tag = self._own(tag) or await self._stop()
        if isinstance(tag, Summed):
            raise self._only_added_up(tag)
        payload = await self._link.take(self._actor, tag, self._roster.find(self._scope + sender))
        if shape is not None:
            self._check_shape(tag, sender, payload, shape)
        return payload

    async def receive_each(self, tag: Tag, sender: str, count: int) -> list[Payload]:
        """Wait for the next `count` payloads from one sender, and return them in the order of
        sending. Errors are as for `receive`.
        """
        tag = self._kept_apart(tag) or await self._stop()
        number = self._roster.find(self._scope + sender)
        return await self._link.take_many(self._actor, tag, number, count)

    async def receive_any(self, tag: Tag) -> tuple[str, Payload]:
        """Wait for a payload from any sender, and return the name of the sender and the payload.

        If payloads of several senders wait, the schedule of the run chooses the sender; in a run
        without a schedule, the kernel chooses. Errors are as for `receive`.
        """
        tag = self._kept_apart(tag) or await self._stop()
        sender, payload = await self._link.take_any(self._actor, tag)
        return sender.removeprefix(self._scope), payload

    async def gather(
        self, tag: Tag, senders: To, shape: tuple[int, ...] | None = None
    ) -> list[Payload]:
        """Wait for one payload from each named sender, and return the payloads in the order of
        `senders`.

        Raises `ScriptError` for a `Summed` tag and, with `shape`, for a payload of another shape. A
        message that never comes has the same effects as for `receive`.

        For example, `partials = await me.gather(PARTIAL, senders=me.all("server"), shape=(5,))`.
        """
        tag = self._kept_apart(tag) or await self._stop()
        group = self._group(senders)
        payloads = await self._link.take_each(self._actor, tag, group)
        if shape is not None:
            for sender, payload in zip(group, payloads, strict=True):
                self._check_shape(tag, sender.removeprefix(self._scope), payload, shape)
        return payloads

    async def gather_some(
        self,
        tag: Tag,
        senders: To,
        at_least: int = 1,
        shape: tuple[int, ...] | None = None,
        within: float | None = None,
    ) -> dict[str, Payload]:
        """Wait for one payload from each named sender that still sends one, and return the payloads
        by the name of the sender, in the order of `senders`.

        The call ends when every payload has come or its sender counts as silent, and not as soon as
        `at_least` payloads have come. Without `within`, a sender counts as silent only when no
        party can go on (see `simnet.kernel.silence`). The payload that a silent sender did not send
        in time is never read, even if it comes later.

        With `within`, the call waits for at most `within` seconds, on the clock of the run's
        network. A sender counts as silent if its payload has not come by then. `Run.late` names
        messages that came later (see `simnet.kernel.deadlines`).

        Raises `Abort` if fewer than `at_least` payloads have come. Raises `ScriptError` for a
        deadline in a run without a network, for a deadline if this party or a sender is a crowd,
        and for a deadline that is infinite, NaN or not above 0. Other errors are as for `gather`.

        For example, `masked = await me.gather_some(MASKED, me.all("user"), at_least=t)`.
        """
        tag = self._kept_apart(tag) or await self._stop()
        group = self._group(senders)
        self._check_deadline(tag, within)
        came = await self._link.take_some(self._actor, tag, group, within)
        names = self._note_heard(tag, list(came), group)
        self._refuse_few(tag, len(came), len(group), at_least)
        payloads = dict(zip(names, came.values(), strict=True))
        if shape is not None:
            for sender, payload in payloads.items():
                self._check_shape(tag, sender, payload, shape)
        return payloads

    async def heard(
        self,
        tag: Tag,
        senders: To,
        at_least: int = 1,
        key: int | None = None,
        within: float | None = None,
    ) -> list[str]:
        """Wait until each named sender, except those that no longer send, has sent one message into
        the sum that `gather_sum` returns next. Return the names of those who have sent. The tag is
        `Summed`. With `key`, the sum is that of the messages with this key.

        Afterwards `await me.gather_sum(SHARE, senders=agreed)` adds up the messages of `agreed`,
        who are among the names returned, and leaves out all other messages. So recipients can agree
        on senders that they all have heard. A message can be left out only in a run with fates of
        parties, or if it is part of a deferred block that was not yet evaluated when a party first
        called `heard` for the tag; otherwise `gather_sum` raises `ScriptError`.

        The call waits as `gather_some` does without `within`. Raises `Abort` if fewer than
        `at_least` senders have sent, and `ScriptError` for a tag that is not `Summed`, for a second
        call for one sum, and for a deadline: `within` must be None.
        """
        summed = self._added_up(tag) or await self._stop()
        if within is not None:
            raise refuse(
                self._actor,
                summed.name,
                "waits for a sum with a deadline, and messages under a summed tag belong to a sum "
                "as soon as they are sent, whenever they come: declare the tag as "
                f'Tag("{summed.name}"), wait with gather_some(..., within=...), and add up what '
                "came",
            )
        group = self._group(senders)
        came = await self._link.heard(self._actor, summed, key, group)
        names = self._note_heard(summed, came, group)
        self._refuse_few(summed, len(came), len(group), at_least)
        return names

    async def gather_rows(
        self,
        tag: Tag,
        senders: To,
        at_least: int | None = None,
        within: float | None = None,
    ) -> Payload:
        """Wait for what each sender sends with `send_rows`, and return all rows as one array, or as
        a tuple of arrays if the senders send tuples.

        The array has one row for each party: each member of a crowd counts, and the rows are in the
        order of the senders. Under a `Voluntary` tag, silent parties have no row. Raises
        `ScriptError` if a sender has sent a `Tally` (use `gather_tally`), and, without `at_least`,
        if there are no senders.

        With `at_least`, a number from 1, the call waits as `gather_some` does, also with a deadline
        (`within`): senders that send nothing in time have no row either. Raises `Abort` if there
        are fewer rows than `at_least`. Raises `ScriptError` for an `at_least` below 1, for a
        deadline without `at_least`, and for an `at_least` under a `Voluntary` tag: there nobody can
        tell a silent party from one that has dropped out. Other errors are as for `gather_some`,
        and without `at_least` as for `gather`.

        For example, `rows = await me.gather_rows(REPORT, me.all("user"), at_least=1)`.
        """
        if at_least is None:
            if within is not None:
                own = self._own(tag) or await self._stop()
                raise refuse(
                    self._actor, own.name, "a deadline needs at_least: how many rows are enough"
                )
            payloads = await self.gather(tag, senders)
            numbers = self._group(senders).numbers.tolist()
            return rows_from(self._actor, tag, numbers, self._roster.crowds, payloads)
        tag = self._kept_apart(tag) or await self._stop()
        actor, group = self._actor, self._group(senders)
        if isinstance(tag, Voluntary):
            raise refuse(
                actor,
                tag.name,
                "a silent party and one that has dropped out look alike under a voluntary tag: "
                "leave out at_least, and wait for every sender",
            )
        if at_least < 1:
            raise refuse(actor, tag.name, f"at_least is a number from 1, got {at_least}")
        self._check_deadline(tag, within)
        came = await self._link.take_some(actor, tag, group, within)
        self._note_heard(tag, list(came), group)
        seats = self._roster.seats  # a crowd counts with each of its members
        self._refuse_few(tag, sum(seats[number].size for number in came), group.size, at_least)
        return rows_from(actor, tag, list(came), self._roster.crowds, list(came.values()))

    async def gather_tally(
        self, tag: Tag, senders: To, count: Callable[[Payload], Payload]
    ) -> Payload:
        """Wait for what each sender sends with `send_rows`, and return counts: what `count` makes
        of the rows or, if the senders have sent tallies, the sum of the tallies.

        `count` gets all rows, as `gather_rows` returns them, and returns whole numbers. Raises
        `ScriptError` if there are no senders, and if some senders have sent rows and others
        tallies. Other errors are as for `gather`.

        For example, `counts = await me.gather_tally(REPORT, me.all("user"), count=ones)`, where
        `ones(rows)` returns the column sums.
        """
        payloads = await self.gather(tag, senders)
        numbers = self._group(senders).numbers.tolist()
        return tally_of(self._actor, tag, numbers, self._roster.crowds, payloads, count)

    async def gather_sum(
        self, tag: Tag, senders: To | None = None, key: int | None = None, count: int | None = None
    ) -> FieldArray:
        """Wait for one message from each named sender, and return the sum of the messages; the tag
        is `Summed`.

        With `key`, the sum is that of the messages with this key. Instead of `senders`, `count`
        says how many messages make up the sum, whoever sends them. The run fails if more messages
        go into the sum, or messages of other parties than `senders`, unless this party has called
        `heard` for the sum.

        Raises `ScriptError` for a tag that is not `Summed`, for a sum without messages, and unless
        exactly one of `senders` and `count` is given. After `heard` it is also raised unless
        `senders` names only parties that `heard` has returned. Raises `TypeError` for a `count`
        that is no integer.

        For example, `total = await me.gather_sum(SHARE, senders=me.all("user"))`.
        """
        summed = self._added_up(tag) or await self._stop()
        actor = self._actor
        group = None if senders is None else self._group(senders)
        if group is not None and count is None:
            number = len(group)
        elif group is None and count is not None:
            number = integer("the count of messages", count)
        else:
            raise refuse(
                actor, summed.name, "gather_sum takes exactly one of senders=... and count=..."
            )
        if number < 1:
            raise refuse(
                actor,
                summed.name,
                f"gather_sum adds up at least one message, and was asked for {number}",
            )
        return await self._link.take_sum(actor, summed, key, group, number)

    async def gather_sums(self, tag: Tag, keys: Sequence[int], counts: Sequence[int]) -> FieldArray:
        """Wait for several sums, one for each key, and return them in one array of shape (K, ...),
        K >= 1.

        The sum for `keys[k]` consists of the `counts[k]` messages with this key, whoever sends
        them. Raises `ScriptError` for a tag that is not `Summed`, if there is no key, unless there
        is one count for each key, for a count below 1, for sums of different fields or shapes, and
        after `heard` for one of these sums.
        """
        summed = self._added_up(tag) or await self._stop()
        actor = self._actor
        if len(keys) != len(counts) or not keys or min(counts) < 1:
            least = f", the least of them {min(counts)}" if len(counts) else ""
            raise refuse(
                actor,
                summed.name,
                f"gather_sums needs a count of at least 1 for each key, got "
                f"{count_of(len(keys), 'key')} and {count_of(len(counts), 'count')}{least}",
            )
        return await self._link.take_sums(actor, summed, keys, counts)

    # Every public method that sends, waits, draws, computes or opens a door begins with one of the
    # following checks. `ScopedParty` overrides `_own`.

    def _own(self, tag: Tag) -> Tag | None:
        """Return the tag under which the run carries the script's `tag`, or None if it is not the
        party's turn.

        A caller that gets None must await `_stop`, which raises an error or waits for ever.
        """
        if self._turn.actor is not self._actor:
            return None
        if not isinstance(tag, Tag):
            raise TypeError(
                f"a tag must be a Tag, got {tag!r}: declare one at the top of the module, such as "
                f'SHARE = Tag("share")'
            )
        self._actor.last_tag = tag.name
        if tag.phase is not None:
            self._actor.receipts.phases.add((tag.name, tag.phase))
        return tag

    async def _stop(self) -> NoReturn:
        """Raise `ScriptError` if a door's function, another script, another thread or a deferred
        block uses this party; otherwise wait for ever.
        """
        self._check_turn()
        while True:
            await hand_over()

    def _check_turn(self) -> None:
        if evaluates_block():
            raise refuse(
                self._actor,
                self._actor.last_tag,
                "uses its party in a deferred block: a deferred block may use only the coins that "
                "it gets as an argument",
            )
        if threading.get_ident() != self._turn.thread:
            raise refuse(
                self._actor,
                self._actor.last_tag,
                "its party is used in another thread: a script must run in a single thread",
            )
        acting = self._turn.actor or self._turn.opener
        if acting is not None and acting.door is not None:
            whose = "its party" if acting is self._actor else f"the party of {self._actor.name}"
            raise refuse(
                acting,
                acting.last_tag,
                f"uses {whose} in the function of me.{acting.door}: such a function may use no "
                "party",
            )
        if acting is not None and acting is not self._actor:
            raise refuse(
                acting,
                acting.last_tag,
                f"uses the party of {self._actor.name}: a script may use only the party that it "
                "gets as an argument",
            )

    def _begin(self) -> None:
        if self._turn.actor is not self._actor or threading.get_ident() != self._turn.thread:
            self._check_turn()
            raise refuse(
                self._actor, self._actor.last_tag, "uses its party after the run has ended"
            )

    def _check_draw(self, coins: Coins) -> None:
        """Raise an error if the code that runs now may not draw from these coins."""
        actor = self._actor
        opener = self._turn.opener
        if coins is not actor.coins:
            if coins is self._turn.door_coins:
                return
            raise TypeError(
                "draws from the coins of a door's function: only a function that gets them as an "
                "argument may draw from them"
            )
        if opener is None:
            self._begin()
        elif opener is actor and actor.door == "output":
            raise TypeError(
                "the function of me.output draws coins: draw them in the script, before the call"
            )
        elif opener is actor:
            raise TypeError(
                f"the function of me.{actor.door} draws from the coins of the script: add a "
                "parameter, as in function(value, coins), and draw from these coins"
            )
        else:
            raise TypeError(
                f"the function of me.{opener.door} draws from the coins of {actor.name}: such a "
                "function may draw only from coins that it gets as an argument"
            )

    def _check_held(self, payload: Any) -> None:
        """Raise `ScriptError` if a payload is sealed or contains an array that another party holds.

        Verdicts assume that every array of a party is its own or came to it in a message.
        """
        if isinstance(payload, tuple | list):
            for piece in payload:
                self._check_held(piece)
            return
        if type(payload) is Sealed:
            raise self._sends_sealed(payload)
        holder = getattr(payload, "meter", None)
        if holder is not None and holder is not self._actor.meter:
            raise refuse(self._actor, self._actor.last_tag, f"sends {HELD_BY_ANOTHER}")

    def _sends_sealed(self, payload: Sealed) -> ScriptError:
        what = f"sends {source_of(payload)}, which is sealed. {WAYS_OUT}"
        return refuse(self._actor, self._actor.last_tag, what)

    def _kept_apart(self, tag: Tag) -> Tag | None:
        own = self._own(tag)
        if isinstance(own, Summed):
            raise self._only_added_up(own)
        return own

    def _only_added_up(self, tag: Summed) -> ScriptError:
        what = "a recipient gets only the sum of messages under a summed tag: use gather_sum"
        return refuse(self._actor, tag.name, what)

    def _added_up(self, tag: Tag) -> Summed | None:
        own = self._own(tag)
        if own is not None and not isinstance(own, Summed):
            raise refuse(
                self._actor,
                own.name,
                f'a sum needs a summed tag: declare the tag as Summed("{own.name}")',
            )
        return own

    def _group(self, names: To) -> Group:
        if isinstance(names, Group):
            return names
        if isinstance(names, str):
            return self._roster.single(self._scope + names)
        return self._roster.group([self._scope + name for name in names])

    def _note_heard(self, tag: Tag, came: Sequence[int], senders: Group) -> list[str]:
        names = [self._roster.names[number] for number in came]
        silent = set(senders).difference(names)
        self._actor.came.setdefault(tag.name, []).append(tuple(names))
        self._actor.missed.setdefault(tag.name, []).append(
            tuple(name for name in senders if name in silent)
        )
        return [name.removeprefix(self._scope) for name in names]

    def _check_deadline(self, tag: Tag, within: float | None) -> None:
        if within is not None and not 0 < real("a deadline in seconds", within) < math.inf:
            raise refuse(
                self._actor,
                tag.name,
                f"a deadline is a finite number of seconds above 0, got {within!r}",
            )

    def _refuse_few(self, tag: Tag, came: int, senders: int, at_least: int) -> None:
        if came < integer("at_least", at_least):
            raise Abort(
                f'messages "{tag.name}" came from only {came} of {senders} senders, and '
                f"{at_least} or more are needed"
            )

    def _check_shape(self, tag: Tag, sender: str, payload: Payload, shape: tuple[int, ...]) -> None:
        if getattr(payload, "shape", None) != shape:
            raise refuse(
                self._actor,
                tag.name,
                f"{self._scope}{sender} sent {_described(payload)}, expected a payload of shape "
                f"{shape}",
            )


@attrs.frozen
class NamesOnly:
    """What the function of a door gets in place of a party."""

    name: str
    role: str
    index: int

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ScriptError(
            f"uses its party ({name}) in the function of a door: such a function may use no party"
        )


class ScopedParty(Party):
    """A party inside one part of a larger protocol: its names and tags get a prefix, the scope.

    Example. In the scope `g2.` the name `u1` of the script means the party `g2.u1` of the run, and
    the tag `share` means the run's tag `g2.share`.
    """

    __slots__ = ("_tags",)

    def __init__(
        self,
        actor: Actor,
        roster: Roster,
        link: Link,
        reading: Reading,
        seed: int,
        scope: str,
    ) -> None:
        super().__init__(actor, roster, link, reading, seed)
        self._scope = scope
        self._tags: dict[Tag, Tag] = {}

    def within(self, scope: str) -> Party:
        """Return the party as it appears inside a part of this part."""
        return super().within(self._scope + scope)

    def _own(self, tag: Tag) -> Tag | None:
        given: Any = tag
        if not isinstance(given, Tag):
            return super()._own(given)
        inner = self._tags.get(tag)
        if inner is None:
            inner = self._tags[tag] = attrs.evolve(tag, name=self._scope + tag.name)
        return super()._own(inner)


def _block(rows: Any) -> Any:
    if isinstance(rows, Deferred | Typed) or hasattr(rows, "field"):
        return rows
    raise TypeError(
        f"a summed tag carries field elements only, got {type(rows).__name__}: write "
        "constant(field, ...)"
    )


def _one_row(payload: Any) -> Any:
    if isinstance(payload, Deferred):
        raise TypeError(
            "send cannot take a deferred block: use scatter, with one row for each recipient"
        )
    return _block(payload)[np.newaxis]


def _described(payload: Any) -> str:
    if hasattr(payload, "shape"):
        return f"a payload of shape {payload.shape}"
    return f"a {type(payload).__name__}"
