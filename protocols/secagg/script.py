"""Secure aggregation: a server learns the sum of the users' vectors, and users may drop out.

Every two users agree on a mask that one adds and the other subtracts, so that all masks cancel in
the sum. If a user drops out, its masks do not cancel. So each user also shares, by Shamir's scheme,
the secrets from which its masks can be computed. Each user also adds a second mask of its own. The
second mask protects the user if the server says that the user dropped out, although its vector only
came late.

1. *Keys.* Every user sends two public keys. The server passes them on.
2. *Shares.* Every user draws a seed and shares it, and one secret key, among the users. The server
   passes on the shares in boxes that it cannot open.
3. *Masked vectors.* Every user masks its vector with all its masks and sends it to the server.
4. *Unmasking.* The server says whose vectors came. For each of these users, every user sends its
   share of that user's seed; for each user that dropped out after step 2, its share of that user's
   secret key. Nobody sends both for the same user.

The server learns the sum over the users whose vectors came, if at least t users stay until the end.
Users learn nothing. With the server, t users learn everything; t - 1 learn nothing about the others
beyond the sum, if the server follows its script.

A server that lies needs fewer users, or none: it can hand out public keys of its own, or tell
different users different things. The variant against *active* adversaries prevents this if 2t > n +
c, where c users help the server. Every user signs its public keys in step 1. Before step 4 every
user who is on the list that the server told it signs this list, and waits for t signatures of the
same list.

Sources: Bonawitz et al., *Practical Secure Aggregation for Privacy-Preserving Machine Learning*,
CCS 2017, figure 4; (R2) below is round 2 of that figure, and U2 is a set of users in it.
`SecAggPlus` is Bell et al., *Secure Single-Server Aggregation with (Poly)Logarithmic Overhead*, CCS
2020, algorithm 2: each user has k neighbours, and does with its neighbours what a user above does
with all users.

The vectors are the answers of DPDS or of DPDG. If nobody drops out, the server learns the same sum
as in these protocols.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import attrs
import numpy as np

from protocols import checks
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.sharing.schemes import Shamir
from simnet.arrays import Numbers
from simnet.coins.coins import Coins
from simnet.contract import Holder
from simnet.errors import Abort, ScriptError
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.record.fate import Happened
from simnet.roster import Seat, seats
from simnet.values.field import Field, FieldArray
from simnet.values.opaque import Boxes, PublicKeys, Signatures
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed, bits, index

KEYS, RING = Tag("keys", phase="keys"), Tag("ring", phase="keys")
SHARES, BOXES = Tag("shares", phase="shares"), Tag("boxes", phase="shares")
MASKED, ALIVE = Tag("masked", phase="masked"), Tag("alive", phase="masked")
SIGNED, SIGNATURES = Tag("signed", phase="consistency"), Tag("signatures", phase="consistency")
OPENED = Tag("opened", phase="unmasking")

# Seeds have 4 words and secret keys 8 words of 32 bits: 128 and 256 bits, on the wire too.
WORDS = Field(2**32 - 5)
SEED, KEY = (4,), (8,)


@attrs.frozen
class SecAgg:
    """The parameters of secure aggregation, which every party knows, and the scripts of its roles.

    `question` says what a user's vector is: the answer of a `DPDS` or a `DPDG` with these users.
    `threshold` is t, the number of users that must be left at the end; 2 <= t <= n. With
    `active`, the script has the lines that the paper adds against active adversaries: users sign
    their keys, and the list of users that they were told. The server returns the estimated
    frequencies among the users whose vectors came, shape (N,).

    Raises `ValueError` for parameters outside these ranges.

    >>> from simnet import Fate, run
    >>> protocol = SecAgg(DPDS(users=4, items=3, participation=1.0), threshold=3)
    >>> done = run(protocol, [1, 3, 3, 2], seed=7, fates={"u4": Fate("masked", reached=0)})
    >>> done.outcome, protocol.counted(done.happened)
    ('result', ('u1', 'u2', 'u3'))
    >>> done.outputs["server"].round(2).tolist()
    [0.33, 0.0, 0.67]
    """

    question: DPDS | DPDG
    threshold: Annotated[int, "t, how many users must be left for a result, 2 <= t <= n"]
    active: Annotated[
        bool, "whether users sign their keys and the list of users, against a server that lies"
    ] = False

    def __attrs_post_init__(self) -> None:
        checks.integer("threshold", self.threshold)
        if not 2 <= self.threshold <= self.users:
            raise ValueError(
                f"the threshold is from 2 to the number of users, {self.users}, got "
                f"threshold={self.threshold}"
            )

    @property
    def users(self) -> int:
        """The number of users, n."""
        return self.question.users

    @property
    def items(self) -> int:
        """The length of a user's vector, N. An input is an item from 1 to N."""
        return self.question.items

    @property
    def field(self) -> Field:
        """The field F_q of the vectors."""
        return self.question.field

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un play `user`, and one party plays `server`."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, item: Sealed) -> None:
        """Mask the answer, and help the server to remove masks from the sum.

        Raises `Abort` if the server names fewer than t users or says that this user's vector has
        not come, and if a box cannot be opened. With `active`, also if the server passes on the
        same key twice, and if a signature is wrong.
        """
        mine = self.question.answer(item, me)  # x_u, shape (N,)

        # (R0) Advertise keys: one pair for boxes, one for masks.
        box_secret = me.coins.field(WORDS, KEY)
        shared = me.coins.field(WORDS, (3, 4))  # the seed b_u, and the secret key for masks
        seed, mask_secret = shared[0], shared[1:].reshape(*KEY)
        keys = PublicKeys.stack([me.public_key(box_secret), me.public_key(mask_secret)])
        signature = [me.sign(keys)] if self.active else []
        await me.send(KEYS, to="server", payload=(keys, *signature))

        # (R1) Share the seed and the secret key among the neighbours and oneself.
        places, publics, *signatures = await me.receive(RING, sender="server")
        ring = _chosen(me.names("user"), places)
        self._check_enough("have sent keys", 1 + len(ring))
        if self.active:
            self._check_keys(me, ring, keys, publics, *signatures)
        holders = _in_order([me.name, *ring])
        shares = Shamir(self.threshold).share(shared, len(holders), me.coins).evaluate()
        own = shares[holders.index(me.name)]
        theirs = shares[[holders.index(name) for name in ring]]
        to, by = self._box_keys(me, box_secret, publics[0::2], ring)
        await me.send(SHARES, to="server", payload=me.encrypt(to, theirs))

        # (R2) Mask the answer.
        marks, boxes = await me.receive(BOXES, sender="server")
        where = np.flatnonzero(marks.numbers()).tolist()
        shared_by = [ring[place] for place in where]
        self._check_enough("have shared their secrets", 1 + len(shared_by))
        pair_seeds = me.agree(mask_secret, publics[1::2][where], WORDS, SEED, "pair")
        signs = [_sign(me.name, name) for name in shared_by]
        await me.send(MASKED, to="server", payload=self.masked(me, mine, seed, pair_seeds, signs))

        # (R3) Consistency check: the list of users whose vectors came.
        alive = await me.receive(ALIVE, sender="server")
        members = [me.name, *shared_by]
        is_present = [bool(mark) for mark in alive.numbers()]
        present = [name for name, here in zip(members, is_present, strict=True) if here]
        if me.name not in present:
            raise Abort(f"the server says that the vector of {me.name} has not come")
        self._check_enough("have sent vectors", len(present))
        if self.active:
            await self._check_consistent(me, ring, present)

        # (R4) Unmasking.
        kept = self._opened_boxes(me, by[where], boxes)
        held = type(shares).join([own.reshape(1, 3, 4), kept])
        pieces = self.opened(held, is_present)
        await me.send(OPENED, to="server", payload=pieces)

    def masked(
        self,
        me: Party,
        answer: FieldArray,
        seed: FieldArray,
        pair_seeds: FieldArray,
        signs: Sequence[int],
    ) -> FieldArray:
        """Return y_u = x_u + PRG(b_u) + the sum of ±PRG(s_uv) over the users v that shared secrets;
        shape (N,).

        `answer` is x_u, shape (N,), `seed` is b_u, shape (4,), and `pair_seeds` are the seeds s_uv,
        shape (users, 4).
        """
        shape = (self.items,)
        masks = me.expand(pair_seeds, self.field, shape, "mask", weights=list(signs))
        return answer + me.expand(seed, self.field, shape, "mask") + masks

    def opened(self, held: FieldArray, present: Sequence[bool]) -> tuple[FieldArray, ...]:
        """Return a share of one secret of each user that shared secrets, never of both secrets: of
        the seed if the user is present, and else of the secret key.

        `held` are the shares that a user holds, in the order of `present`; shape (users, 3, 4).
        """
        seeds = [place for place, here in enumerate(present) if here]
        secrets = [place for place, here in enumerate(present) if not here]
        return held[seeds][:, 0], *([held[secrets][:, 1:]] if secrets else [])

    async def server(self, me: Party) -> Sealed:
        """Carry keys and boxes, and remove the masks from the sum; shape (N,).

        Raises `Abort` if fewer users, or fewer holders of a secret, are left than the threshold.
        """
        users, t = me.names("user"), self.threshold
        sent = await me.gather_some(KEYS, me.all("user"), at_least=t)  # (R0) U1
        keys = {name: pair for name, (pair, *_) in sent.items()}
        rings = self.rings(list(keys), me.coins)
        self._check_neighbours(rings)
        place = {name: at for at, name in enumerate(users)}
        for name, ring in rings.items():
            places = index([place[other] for other in ring], len(users))
            parts = self.passed_on(me, name, {other: sent[other] for other in ring})
            publics = PublicKeys.join([pair for pair, *_ in parts])
            signatures = [Signatures.stack([signed for _, signed in parts])] if self.active else []
            await me.send(RING, to=name, payload=(places, publics, *signatures))

        boxes = await me.gather_some(SHARES, list(keys), at_least=t)  # (R1) U2
        sharers = {name: [other for other in rings[name] if other in boxes] for name in boxes}
        self._check_neighbours(sharers)
        await self._pass_on(me, rings, sharers, boxes)

        masked = await me.gather_some(MASKED, list(boxes), at_least=t)  # (R2) U3
        for name in masked:
            members = [name, *sharers[name]]
            told = self.told(name, masked.keys())
            await me.send(ALIVE, to=name, payload=bits([other in told for other in members]))
        if self.active:
            await self._pass_on_signatures(me, rings, list(masked))  # (R3)

        opened = await me.gather_some(OPENED, list(masked), at_least=t)  # (R4) U4
        total = self._unmasked(me, rings, sharers, keys, masked, opened)
        return me.output(
            self.estimate, total.open(signed=isinstance(self.question, DPDG)), len(masked)
        )

    def rings(self, users: Sequence[str], coins: Coins) -> Mapping[str, list[str]]:
        """Return the neighbours of each user: here all other users."""
        del coins
        return {name: [other for other in users if other != name] for name in users}

    def passed_on(
        self, me: Party, name: str, sent: Mapping[str, tuple[Any, ...]]
    ) -> Sequence[tuple[Any, ...]]:
        """Return the keys, perhaps with signatures, that the server passes on to this user: those
        that its neighbours have sent.
        """
        del me, name
        return list(sent.values())

    def told(self, name: str, alive: Collection[str]) -> Collection[str]:
        """Return the users whose vectors came, by what the server says to this user.

        Here the server tells the truth.
        """
        del name
        return alive

    async def _pass_on(
        self,
        me: Party,
        rings: Mapping[str, Sequence[str]],
        sharers: Mapping[str, Sequence[str]],
        boxes: Mapping[str, Boxes],
    ) -> None:
        names = list(boxes)
        together = Boxes.join([boxes[name] for name in names])
        first, begins = 0, {}
        for name in names:
            begins[name], first = first, first + len(rings[name])
        places = {name: {other: at for at, other in enumerate(rings[name])} for name in names}
        for name in names:
            marks = bits([other in boxes for other in rings[name]])
            mine = together[[begins[other] + places[other][name] for other in sharers[name]]]
            await me.send(BOXES, to=name, payload=(marks, mine))

    def _unmasked(
        self,
        me: Party,
        rings: Mapping[str, Sequence[str]],
        sharers: Mapping[str, Sequence[str]],
        keys: Mapping[str, PublicKeys],
        masked: Mapping[str, FieldArray],
        opened: Mapping[str, tuple[FieldArray, ...]],
    ) -> FieldArray:
        vectors = list(masked.values())
        total = type(vectors[0]).stack(vectors).sum()
        reports: dict[str, list[tuple[int, FieldArray]]] = {name: [] for name in sharers}
        points = {
            name: {holder: point for point, holder in enumerate(_in_order([name, *rings[name]]), 1)}
            for name in sharers
        }
        for helper, pieces in opened.items():
            members, taken = [helper, *sharers[helper]], [0, 0]
            for name in members:
                piece = 0 if name in masked else 1
                if len(reports[name]) < self.threshold:
                    share = pieces[piece][taken[piece]]
                    reports[name].append((points[name][helper], share))
                taken[piece] += 1
        seeds, pairs = [], []
        shape = (self.items,)
        for name, found in reports.items():
            if len(found) < self.threshold:
                raise Abort(
                    f"too few shares of a secret of {name} have come: {len(found)}, and "
                    f"{self.threshold} are needed"
                )
            at, shares = zip(*found, strict=True)
            secret = Shamir(self.threshold).interpolate(list(shares), list(at))
            if name in masked:
                seeds.append(secret)
                continue
            alive = [other for other in sharers[name] if other in masked]
            if alive:
                publics = PublicKeys.stack([keys[other][1] for other in alive])
                agreed = me.agree(secret.reshape(*KEY), publics, WORDS, SEED, "pair")
                signs = [_sign(other, name) for other in alive]
                pairs.append(me.expand(agreed, self.field, shape, "mask", weights=signs))
        own = type(seeds[0]).stack(seeds)
        total = total - me.expand(own, self.field, shape, "mask", weights=[1] * len(seeds))
        for masks in pairs:
            total = total - masks
        return total

    # What users check.

    def _check_keys(
        self,
        me: Party,
        ring: Sequence[str],
        keys: PublicKeys,
        publics: PublicKeys,
        signatures: Signatures,
    ) -> None:
        if not me.are_distinct(PublicKeys.join([keys, publics])):
            raise Abort("the server has passed on the same key twice")
        for place, name in enumerate(ring):
            pair = publics[2 * place : 2 * place + 2]
            if not me.is_signed(name, pair, signatures[place]):
                raise Abort(f"{name} has not signed the keys that the server passed on as its keys")

    def _box_keys(
        self, me: Party, secret: FieldArray, publics: PublicKeys, ring: Sequence[str]
    ) -> tuple[FieldArray, FieldArray]:
        """Return the keys of the boxes to the users in the ring, and of the boxes from them; each
        of shape (users, 4).

        In the paper a box also names its sender and its recipient, so that a server cannot return
        a user's own box to it. Here, with `active`, the boxes of two users to each other have two
        different keys instead.
        """
        if not self.active:
            same = me.agree(secret, publics, WORDS, SEED, "box")
            return same, same
        both = me.agree(secret, publics, WORDS, (2, *SEED), "box").reshape(2 * len(ring), *SEED)
        ahead = [2 * place + (_sign(me.name, name) < 0) for place, name in enumerate(ring)]
        back = [2 * place + (_sign(me.name, name) > 0) for place, name in enumerate(ring)]
        return both[ahead], both[back]

    def _opened_boxes(self, me: Party, keys: FieldArray, boxes: Boxes) -> FieldArray:
        try:
            return me.decrypt(keys, boxes)
        except ScriptError as error:
            raise Abort("the server has passed on a box that cannot be opened") from error

    async def _check_consistent(
        self, me: Party, ring: Sequence[str], present: Sequence[str]
    ) -> None:
        """Sign the list, and abort unless t users, oneself included, have signed it, and all
        signatures that the server passes on are signatures of this list by users on it.

        The user signs one bit for each user of the run. It does not sign places in its ring,
        because a lying server may have told other users different rings.
        """
        listed = set(present)
        statement = bits([name in listed for name in me.names("user")])
        await me.send(SIGNED, to="server", payload=me.sign(statement))
        marks, signatures = await me.receive(SIGNATURES, sender="server")
        signers = [ring[place] for place in np.flatnonzero(marks.numbers()).tolist()]
        self._check_enough("have signed the list", 1 + len(signers))
        for name, signature in zip(signers, signatures, strict=True):
            if name not in listed or not me.is_signed(name, statement, signature):
                raise Abort(f"{name} has not signed the list that {me.name} was told")

    def _check_enough(self, what: str, count: int) -> None:
        if count < self.threshold:
            raise Abort(
                f"the server names too few users who {what}: {count} with this user, and "
                f"{self.threshold} are needed"
            )

    # What the server checks and passes on.

    async def _pass_on_signatures(
        self, me: Party, rings: Mapping[str, Sequence[str]], alive: Sequence[str]
    ) -> None:
        signed = await me.gather_some(SIGNED, list(alive), at_least=self.threshold)
        for name in signed:
            signers = [other for other in rings[name] if other in signed]
            marks = bits([other in signed for other in rings[name]])
            found = Signatures.stack([signed[other] for other in signers])
            await me.send(SIGNATURES, to=name, payload=(marks, found))

    def _check_neighbours(self, neighbours: Mapping[str, Sequence[str]]) -> None:
        for name, others in neighbours.items():
            if 1 + len(others) < self.threshold:
                raise Abort(
                    f"too few neighbours of {name} are left: {len(others)}, and at least "
                    f"{self.threshold - 1} are needed"
                )

    # The ideal world.

    def functionality(
        self,
        items: Sequence[Sealed],
        users: Sequence[Holder],
        happened: Happened | None = None,
    ) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the sum over the users whose vectors came, for the
        server alone; nothing if these users are fewer than t. Without `happened`, all vectors came.
        """
        names = [user.name for user in users]
        counted = set(names if happened is None else self.counted(happened))
        if not counted:
            return {}
        answers = [
            self.question.answer(item, user)
            for item, user in zip(items, users, strict=True)
            if user.name in counted
        ]
        return {"server": type(answers[0]).stack(answers).sum()}

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the users whose vectors came to the server; nobody if they are fewer than t."""
        came = happened.heard("server", MASKED.name)
        return tuple(came) if len(came) >= self.threshold else ()

    def estimate(self, counts: Numbers, users: int) -> Numbers:
        """Return the frequencies among `users` users, from the sum of their vectors; shape (N,)."""
        return self.question.estimate(counts) * (self.users / users)


@attrs.frozen
class SecAggPlus(SecAgg):
    """SecAgg+: every user does with `degree` neighbours what it does with all users in `SecAgg`.

    The server puts the users into a random order on a circle; the neighbours of a user are the
    `degree` / 2 users on each side of it (a Harary graph). A user and each of its
    neighbours hold one share of a secret of the user, and t shares open it.

    Raises `ValueError` unless the degree is even, below n, and at least t - 1, for parameters that
    `SecAgg` refuses, and with `active`.

    >>> from simnet import run
    >>> protocol = SecAggPlus(DPDS(users=9, items=3, participation=1.0), threshold=3, degree=4)
    >>> run(protocol, [1, 3, 3, 2, 1, 1, 1, 1, 1], seed=7).outputs["server"].round(2).tolist()
    [0.67, 0.11, 0.22]
    """

    degree: Annotated[int, "k, how many neighbours a user has; even, t - 1 <= k < n"] = 4

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        checks.integer("degree", self.degree)
        if self.degree % 2 or not self.threshold - 1 <= self.degree < self.users:
            raise ValueError(
                f"the degree must be even, below the number of users, {self.users}, and at least "
                f"{self.threshold - 1}, got degree={self.degree}"
            )
        if self.active:
            raise ValueError(
                "active=True is for SecAgg alone, where every user gets the keys of all other users"
            )

    def rings(self, users: Sequence[str], coins: Coins) -> Mapping[str, list[str]]:
        """Return the neighbours of each user that are left, in the order of their numbers."""
        at_place = [f"u{number}" for number in range(1, self.users + 1)]
        for last in range(self.users - 1, 0, -1):  # Fisher and Yates's shuffle
            chosen = int(coins.integers(last + 1, 1)[0])
            at_place[last], at_place[chosen] = at_place[chosen], at_place[last]
        place = {name: at for at, name in enumerate(at_place)}
        present = set(users)
        rings = {}
        for name in users:
            steps = [s for s in range(-self.degree // 2, self.degree // 2 + 1) if s]
            near = {at_place[(place[name] + step) % self.users] for step in steps}
            rings[name] = _in_order(near & present)
        return rings


def _in_order(names: "Sequence[str] | set[str]") -> list[str]:
    return sorted(names, key=_number)


def _number(name: str) -> int:
    return int(name[1:])


def _sign(name: str, other: str) -> int:
    """Return whether a user adds (1) or subtracts (-1) the mask that it has with another user."""
    return 1 if _number(name) < _number(other) else -1


def _chosen(names: Sequence[str], places: Typed) -> list[str]:
    return [names[place] for place in places.numbers().tolist()]
