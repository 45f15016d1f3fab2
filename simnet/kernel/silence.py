"""Silence: who may stop waiting for messages that will not come.

Theory of operation. `gather_some` and `heard` wait for messages of named senders, and accept that
some senders stay silent. (So does `gather_rows` with `at_least`; below, `gather_some` stands for
both.) Without a deadline, the kernel lets all parties go on until nobody can. Then it decides from
the *wait-for graph*, in which an arrow leads from every waiting party to each party whose message
it lacks:

- A party is *moving* if it may still go on: it waits in `gather_some` or `heard`, or all parties
  whose messages it lacks are moving. A party that waits for messages of any senders (in
  `receive_any`, or for a sum of `count` messages) is moving if any other party is. A party that has
  finished or dropped out is not moving, and neither is a party that cannot go on without a
  message of such a party.
- Among the moving parties, we look for groups that wait for no moving party outside the group (the
  sink components of the graph of moving parties). Everybody in such a group who waits in
  `gather_some` or `heard` is released, all at once: silence is what each of them got from the
  senders that it lacks.

Until nobody can go on, all waits, except those of `receive_any`, are for messages of named senders
or for sums. So, without `receive_any`, the state at that moment does not depend on the schedule,
and neither does the release.

Example. Users u1, u2, u3 send "masked" to the server; u3 has dropped out. The server waits in
`gather_some` for all three, u1 and u2 wait for the server's answer::

    u1 -> server    u2 -> server    server -> u3    u3 has dropped out

The server is moving, and so are u1 and u2. {server} waits for no moving party, so the server is
released with the messages of u1 and u2. If the users waited in `gather_some` as well, the server
alone would still be released first.

*Rounds.* Silence may tell something, because a party may send nothing because of what it has read.
So the silence of a sender s counts as an empty message, which s sent when s, and everybody whom s
waits for, had gone as far as they could. The depth of a party is the largest round of all that it
has got. Let m be the largest depth of the parties that s can reach in the wait-for graph (s
included). The round of the silence of s is m + 1, or m + 2 if s itself still waits.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from simnet.kernel.actor import Actor
from simnet.kernel.waits import ForSum, FromAnyone, FromNamed, FromSome
from simnet.record.fate import Silence

Graph = Mapping[int, frozenset[int]]
# By waiting party: the parties whose message it lacks; None if any party may send the message.
Lacks = Mapping[int, frozenset[int] | None]


def may_stop_waiting(actor: Actor) -> bool:
    """Return whether the party may stop waiting for messages that do not come."""
    wait = actor.wait
    return isinstance(wait, FromSome) or (isinstance(wait, ForSum) and wait.may_lack)


def lacking(actor: Actor) -> frozenset[int] | None:
    """Return the parties whose messages a waiting party lacks; None if any party may send them."""
    wait = actor.wait
    if isinstance(wait, FromSome):
        return frozenset(wait.missing)
    if isinstance(wait, FromNamed):
        held = actor.box(wait.tag).held
        return frozenset(number for number in wait.senders[wait.place :] if number not in held)
    if isinstance(wait, ForSum) and wait.senders is not None:
        return frozenset(wait.senders.numbers.tolist()).difference(wait.arrived(actor.number))
    assert isinstance(wait, FromAnyone | ForSum)
    return None


def release(actors: Sequence[Actor]) -> list[Silence]:
    """Release the parties that need not wait any longer, and return one silence for each of them.

    A released party no longer waits. Its attribute `silent` has the senders that stayed silent, and
    its depth is at least the latest round of their silences. The result is empty if nobody is
    released.
    """
    waiting = {actor.number: actor for actor in actors if not actor.finished and actor.wait}
    may_stop = [number for number, actor in waiting.items() if may_stop_waiting(actor)]
    if not may_stop:
        return []
    lacks = {number: lacking(actor) for number, actor in waiting.items()}
    released = parties_to_release(lacks, may_stop)
    depths = times_of_silence(lacks, released, [actor.depth for actor in actors])
    silences = []
    for number in released:
        actor = waiting[number]
        assert actor.wait is not None
        silent = tuple(sorted(lacks[number] or ()))
        silences.append((actor, Silence(depths[number], number, actor.wait.tag, silent)))
    for actor, silence in silences:
        actor.silent = frozenset(silence.senders)
        actor.depth = max(actor.depth, silence.round)
        if isinstance(actor.wait, FromSome):
            actor.give_up(silence.tag, silence.senders)
        elif isinstance(actor.wait, ForSum):
            actor.wait.arrivals.stop_expecting(actor.number)
        actor.wait = None
    return [silence for _, silence in silences]


def parties_to_release(lacks: Lacks, may_stop: Collection[int]) -> list[int]:
    """Return the parties that are released when nobody can go on, in order of their numbers.

    `lacks` has every waiting party, and `may_stop` those who accept that senders stay silent.
    """
    moving = _moving(lacks, may_stop)
    arrows = {
        number: moving - {number} if lacks[number] is None else moving & (lacks[number] or set())
        for number in moving
    }
    return sorted(
        number
        for component in components(arrows)
        if all(arrows[number] <= component for number in component)
        for number in component
        if number in may_stop
    )


def times_of_silence(lacks: Lacks, released: Iterable[int], times: Sequence[int]) -> dict[int, int]:
    """Return, by released party, the round of the last empty message that counts as sent by its
    silent senders (see the module's docstring).

    `times` has the depth of each party, in the order of their numbers. The exhaustive reading also
    calls this function with steps in the place of rounds.
    """
    farthest = _farthest(_all_arrows(lacks, len(times)), dict(enumerate(times)))
    arrivals = {}
    for number in released:
        letters = [
            farthest[sender] + (2 if sender in lacks else 1) for sender in lacks[number] or ()
        ]
        arrivals[number] = max(letters, default=0)
    return arrivals


def stuck_for_ever(lacks: Lacks, parties: int, lost: Iterable[int]) -> list[tuple[int, int | None]]:
    """Return the waiting parties, each with a party of `lost` that it can reach in the wait-for
    graph (perhaps itself), or with None.

    `lost` has the parties that may be the reason why others wait: for example, they dropped out.
    """
    arrows = _all_arrows(lacks, parties)
    nearest = {number: number for number in lost}
    waited_for_by: dict[int, list[int]] = {}
    for number, others in arrows.items():
        for other in others:
            waited_for_by.setdefault(other, []).append(number)
    new = sorted(nearest)
    for number in new:  # breadth first: the list grows
        for waiter in waited_for_by.get(number, ()):
            if waiter not in nearest:
                nearest[waiter] = nearest[number]
                new.append(waiter)
    return [(number, nearest.get(number)) for number in lacks]


def why_for_ever(
    tag: str,
    other: str | None,
    is_gone: bool,
    is_aborted: bool,
    is_lost: bool = False,
    waits_for_lost: bool = False,
) -> str:
    """Return why a party waits for ever under a tag. `other` is the party that may be the reason:
    it is gone, it aborted, it went on without a message, its message was lost, or it waits for a
    lost message itself. `other` is None if there is no such party.
    """
    if is_lost:
        fault = f", because the message of {other} was lost"
    elif waits_for_lost:
        fault = f"; {other} waits for a lost message"
    elif other is None:
        fault = ", although no party that it waits for dropped out or aborted"
    elif is_gone:
        fault = f"; {other} dropped out"
    elif is_aborted:
        fault = f"; {other} aborted"
    else:
        fault = f"; {other} went on without a message that it waited for"
    return f'waits for "{tag}" for ever{fault}'


def _all_arrows(lacks: Lacks, parties: int) -> dict[int, frozenset[int]]:
    """Return whom each waiting party waits for.

    A party that waits for a message of any sender waits for all other parties.
    """
    everybody = frozenset(range(parties))
    return {
        number: everybody - {number} if lack is None else lack for number, lack in lacks.items()
    }


def _moving(lacks: Lacks, may_stop: Collection[int]) -> frozenset[int]:
    """Return the parties that may still go on: the least set that contains everybody who may stop
    waiting, and everybody who lacks messages of parties of the set only.

    A party that waits for a message of any sender is in the set if anybody else is.
    """
    moving = set(may_stop)
    lacked_by: dict[int, list[int]] = {}
    open_ = {}
    for number, lack in lacks.items():
        if number in moving:
            continue
        if lack is None:
            moving.add(number)  # somebody may stop waiting, and may then send to this party
        elif lack <= lacks.keys():
            open_[number] = len(lack)
            for sender in lack:
                lacked_by.setdefault(sender, []).append(number)
    new = list(moving)
    while new:
        for number in lacked_by.get(new.pop(), ()):
            open_[number] -= 1
            if not open_[number] and number not in moving:
                moving.add(number)
                new.append(number)
    return frozenset(moving)


def _farthest(arrows: Graph, values: Mapping[int, int]) -> dict[int, int]:
    """Return, for every party, the largest value of the parties that it can reach, itself
    included.
    """
    farthest = dict(values)
    for component in components(arrows):  # every component comes after those that it points to
        top = max(farthest[number] for number in component)
        for number in component:
            for other in arrows.get(number, ()):
                top = max(top, farthest[other])
        for number in component:
            farthest[number] = top
    return farthest


def components(arrows: Graph) -> Iterable[frozenset[int]]:
    """Yield the strongly connected components of a graph, each after all components that it has
    arrows to (Tarjan, *Depth-first search and linear graph algorithms*, 1972).
    """
    order: dict[int, int] = {}  # by the time of the first visit
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    for root in sorted(arrows):
        if root in order:
            continue
        stack = [(root, iter(sorted(arrows[root])))]
        order[root] = low[root] = len(order)
        path.append(root)
        on_path.add(root)
        while stack:
            node, others = stack[-1]
            for other in others:
                if other not in order:
                    order[other] = low[other] = len(order)
                    path.append(other)
                    on_path.add(other)
                    stack.append((other, iter(sorted(arrows.get(other, ())))))
                    break
                if other in on_path:
                    low[node] = min(low[node], order[other])
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == order[node]:
                    component = set()
                    while node not in component:
                        component.add(path.pop())
                    on_path -= component
                    yield frozenset(component)
