"""Compares the outputs of a run with what the ideal world hands to the parties.

Theory of operation. A functionality says which field arrays a trusted party would hand to each
party. We play it in numbers, on the inputs of the run, and compare its arrays with the field
elements that the party returned, or gave to the functions of its outputs. A script whose masks do
not cancel may be private and still return a wrong sum; this comparison shows it::

    u1 sends x1 + m, u2 sends x2 + m    the server returns x1 + x2 + 2m
                                        the ideal world hands it x1 + x2

A door with coins gets the coins that it had in the run. If the functionality opens other doors with
coins than the script, nothing is compared. If the arrays differ, we do not call this a difference

- if a party drew discrete coins that the ideal world does not have, for example outside doors;
- if one public factor makes the arrays equal, also in runs with other inputs and coins that change
  the ideal arrays: a script may return counts / n where the ideal world hands out counts.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.coins.coins import Coins, discrete_of
from simnet.coins.sampled import SampledDiscrete
from simnet.contract import Ideal, OverItems
from simnet.doors.call import Caller, DoorCall
from simnet.doors.record import Toss
from simnet.errors import SimnetError
from simnet.kernel.ideal import ideal_world, takes_happened
from simnet.kernel.reading import Sampled
from simnet.kernel.run import Run, run
from simnet.printable import count_of
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import reduced_constants
from simnet.vault.place import vault_of

OTHER_COINS, OTHER_SHAPE, MULTIPLE = "other coins", "another shape", "a public multiple"
NO_FUNCTIONALITY = "the protocol has no functionality"
# How inputs change in further runs: to other items; to one party's input for its whole role; to
# those of other parties; to larger numbers, if nothing else changed the ideal arrays.
WAYS = ("items", "one for all", "exchanged", "numbers")
REPLAYS = 3  # how many further runs of each way show that a factor is public
MOST_INPUTS = 20_000  # `simnet run` compares no larger runs
MOST_DOORS = 2_000  # about how many doors are opened to look for a sum that can reach q
LARGE = Field(2**61 - 1)
SHOWN = 10  # elements of an array, and differences


Handed = Mapping[str, Sequence[Any]]  # field arrays, by party


@attrs.frozen
class ComparedOutputs:
    """Which parties returned what the ideal world hands them.

    `equal` names them, `differences` has a sentence about each party that returned something else,
    and `reasons` says of other parties why nothing was compared. If nothing was compared at all,
    its only entry has the name "". `reductions` are sentences about numbers that were taken mod q.
    """

    equal: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    reasons: Mapping[str, str] = attrs.field(factory=dict)
    reductions: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """The result of the comparison as a sentence without a full stop."""
        if self.differences:
            hidden = len(self.differences) - SHOWN
            more = [f"{count_of(hidden, 'other')} returned something else"] if hidden > 0 else []
            return "; ".join([*self.differences[:SHOWN], *more])
        reasons = "; ".join(dict.fromkeys(self.reasons.values()))
        if not self.equal:
            return f"outputs are not compared with the ideal world's ({reasons})"
        if not self.reasons:
            return "outputs equal the ideal world's"
        names = ", ".join(self.equal[:SHOWN]) + (" and others" if self.equal[SHOWN:] else "")
        return f"outputs of {names} equal the ideal world's; others are not compared ({reasons})"

    def as_json(self) -> dict[str, Any]:
        """Return the result for JSON."""
        outputs = "differ" if self.differences else "equal" if self.equal else "not compared"
        compared = {
            "outputs": outputs,
            "differences": list(self.differences),
            "reasons": dict(self.reasons),
        }
        return {"ideal_world": compared, "reductions": list(self.reductions)}


def compare_outputs(
    done: Run, most_inputs: int | None = None, *, finds_reductions: bool = True
) -> ComparedOutputs:
    """Compare the outputs of a run with the ideal world's. If `finds_reductions`, also look for
    numbers that were taken mod q.

    Nothing is compared if the run has more than `most_inputs` inputs.
    """
    vault = _vault(done)
    try:
        handed, has_other_coins = _handed(done, vault, most_inputs)
    except SimnetError as error:
        return ComparedOutputs(reasons={"": str(error)}, reductions=_reductions(done, None, vault))
    equal: list[str] = []
    differences: list[str] = []
    reasons: dict[str, str] = {}
    for name in filter(handed.__contains__, done.outputs):
        own, theirs = done.door_notes.returned.get(name, ()), handed[name]
        reason = _why_not_compared(own, theirs)
        if reason is None and _numbers(own) != _numbers(theirs):
            if has_other_coins:
                reason = OTHER_COINS
            elif _is_public_multiple(done, name, own, theirs):
                reason = MULTIPLE
            else:
                differences.append(_difference(name, own, theirs))
                continue
        if reason is None:
            equal.append(name)
        else:
            reasons[name] = reason
    if not (equal or differences or reasons):
        reasons[""] = "no party that gets something has an output"
    reductions = _reductions(done, handed, vault) if finds_reductions else ()
    return ComparedOutputs(tuple(equal), tuple(differences), reasons, reductions)


def _reductions(done: Run, handed: Handed | None, vault: Caller | None) -> tuple[str, ...]:
    """Return sentences about numbers that were taken mod q although this was not asked for: numbers
    that secrets and constants were made of, and sums that the ideal world hands out.

    A sum is also mentioned if it can reach q for other inputs. This is known only for a protocol
    with `items` whose doors take no coins.
    """
    sentences = []
    secrets = done.door_notes.reduced
    if secrets:
        assert secrets[0].field is not None
        others = (
            f" (and so did {count_of(len(secrets) - 1, 'other function')})" if secrets[1:] else ""
        )
        sentences.append(
            f"{secrets[0].party}'s function gave {secrets[0].reduced}, taken mod "
            f"{secrets[0].field.modulus}{others}; me.secret(..., reduce=True) says that this is "
            "meant"
        )
    for number, modulus in reduced_constants:
        sentences.append(
            f"a constant was made of {number}, taken mod {modulus}; constant(field, values, "
            "reduce=True) says that this is meant"
        )
    wrapped = None if secrets or handed is None else _wrapped(done, handed, vault)
    return tuple(sentences if wrapped is None else [*sentences, wrapped])


def _wrapped(done: Run, handed: Handed, vault: Caller | None) -> str | None:
    """Return a sentence about a sum of the ideal world that is taken mod q."""
    try:
        fields = {name: [array.field for array in arrays] for name, arrays in handed.items()}
        whole = _whole_sums(done, done.inputs, fields, vault)
        if any(
            [number % field.modulus for number in numbers] != _numbers([array])
            for name in handed
            for field, numbers, array in zip(fields[name], whole[name], handed[name], strict=True)
        ):
            return None  # not a sum: what the functionality computes depends on q
        found = _at_least_q(fields, whole)
        if found is not None:
            return f"the ideal world hands {found[0]} the sum {found[1]}, taken mod {found[2]}"
        protocol = done.protocol
        if (
            done.door_notes.tosses
            or not isinstance(protocol, OverItems)
            or not isinstance(protocol.items, int)
        ):
            return None
        items = itertools.chain([protocol.items], range(1, protocol.items))
        for item in itertools.islice(items, max(2, MOST_DOORS // max(done.people, 1))):
            same = {
                name: np.full_like(value, item) if isinstance(value, np.ndarray) else item
                for name, value in done.inputs.items()
            }
            found = _at_least_q(fields, _whole_sums(done, same, fields, vault))
            if found is not None:
                return (
                    f"if every input is {item}, the ideal world hands {found[0]} the sum "
                    f"{found[1]}, taken mod {found[2]}"
                )
    except SimnetError:  # what cannot be computed is not known to wrap around
        pass
    return None


Fields = Mapping[str, Sequence[Field]]


def _at_least_q(
    fields: Fields, whole: Mapping[str, Sequence[Sequence[int]]]
) -> tuple[str, int, int] | None:
    return next(
        (
            (name, number, field.modulus)
            for name, arrays in whole.items()
            for field, numbers in zip(fields[name], arrays, strict=True)
            for number in numbers
            if number >= field.modulus
        ),
        None,
    )


def _whole_sums(
    done: Run, inputs: Mapping[str, Any], fields: Fields, vault: Caller | None
) -> dict[str, list[list[int]]]:
    """Return what the ideal world hands out if secrets are elements of a very large field.

    Raises `SimnetError` if the functionality cannot be played so, or hands out other arrays.
    """
    reading = _WholeNumbers(done.door_notes.tosses)
    handed = _lists(ideal_world(done.protocol, inputs, done.seed, reading, done.happened, vault))
    if {name: len(arrays) for name, arrays in handed.items()} != {
        name: len(own) for name, own in fields.items()
    }:
        raise SimnetError("the functionality hands out other arrays")
    return {
        name: [np.ravel(array.numbers(signed=True)).tolist() for array in arrays]
        for name, arrays in handed.items()
    }


class _OtherCoins(SimnetError):
    pass


class _SameCoins(Sampled):
    """The reading of an ideal world whose doors draw the same coins as in a run."""

    def __init__(self, tosses: Mapping[str, Sequence[Toss]]) -> None:
        self._tosses = tosses
        self._made = Counter[str]()
        self._fails = False

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the door's function with the coins that it had in the run."""
        if coins is not None:
            own = self._tosses.get(call.party, ())[self._made[call.party] :]
            self._made[call.party] += 1
            source = discrete_of(coins)
            assert isinstance(source, SampledDiscrete)
            # The functionality may catch the error.
            self._fails |= not own or own[0][:-1] != Toss.of(call, coins)[:-1]
            if self._fails or own[0].position < source.position:
                self._fails = True
                raise _OtherCoins(OTHER_COINS)
            source.skip(own[0].position - source.position)
        return super().door(call, coins, meter)

    def has_other_coins(self) -> bool:
        """Return whether the run has doors with coins that the ideal world did not open.

        Raises `_OtherCoins` if the ideal world opened a door that could not have its coins.
        """
        if self._fails:
            raise _OtherCoins(OTHER_COINS)
        return {party: len(own) for party, own in self._tosses.items()} != self._made


class _WholeNumbers(_SameCoins):
    """The reading of an ideal world whose secrets are whole numbers, as far as possible."""

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the door's function, and make its numbers elements of a large field."""
        if call.reduce:
            raise _OtherCoins("a secret is meant to be taken mod q")
        if call.kind == "secret":
            call.field = LARGE
        return super().door(call, coins, meter)


def _handed(done: Run, vault: Caller | None, most_inputs: int | None = None) -> tuple[Handed, bool]:
    """Return the arrays that the ideal world hands to each party, on the inputs, coins and fates of
    the run, and whether the run has further discrete coins.

    Raises `SimnetError`, which says why, if the arrays are not computed.
    """
    if not isinstance(done.protocol, Ideal):
        raise SimnetError(NO_FUNCTIONALITY)
    if most_inputs is not None and done.people > most_inputs:
        raise SimnetError(f"more than {most_inputs:,} inputs")
    missed = any(map(any, done.happened.missed.values()))
    if (missed or done.gone or done.aborts or done.message_fates or done.late) and (
        not takes_happened(done.protocol)
    ):
        raise SimnetError("the functionality is not told who dropped out")
    reading = _SameCoins(done.door_notes.tosses)
    handed = ideal_world(done.protocol, done.inputs, done.seed, reading, done.happened, vault)
    has_other_coins = reading.has_other_coins() or bool(done.door_notes.tossing)
    return _lists(handed), has_other_coins


def _vault(done: Run) -> Caller | None:
    """Return who calls functions of ideal worlds, so that they leave nothing for later runs."""
    if done.in_place or not isinstance(done.protocol, Ideal):
        return None
    # No verdict rests on these calls, so they share a process, as in a run of many parties.
    scripts = [*done.roster.scripts.values()]  # then the nursery of the run serves again
    return vault_of(done.protocol, scripts, done.inputs, shares=True)


def _lists(handed: Mapping[str, Any]) -> Handed:
    return {
        name: list(arrays) if isinstance(arrays, list | tuple) else [arrays]
        for name, arrays in handed.items()
    }


def _why_not_compared(own: Sequence[Any], theirs: Sequence[Any]) -> str | None:
    if not own:
        return "no field elements"
    return None if list(map(_form, own)) == list(map(_form, theirs)) else OTHER_SHAPE


def _form(array: FieldArray) -> tuple[object, ...]:
    """The field and the shape of an array. An axis of size 1 makes no difference."""
    return array.field, *(size for size in array.shape if size != 1)


def _numbers(arrays: Sequence[FieldArray]) -> list[int]:
    return [number for array in arrays for number in np.ravel(array.numbers()).tolist()]


def _is_public_multiple(done: Run, name: str, own: Sequence[Any], theirs: Sequence[Any]) -> bool:
    """Whether the same factor makes the arrays of the ideal world equal to those of the run, in
    this run and in others.
    """
    q = own[0].field.modulus
    pairs = zip(_numbers(own), _numbers(theirs), strict=True)
    first = next((pair for pair in pairs if pair[1]), None)
    if first is None or not first[0] or any(array.field.modulus != q for array in own):
        return False
    factor = first[0] * pow(first[1], -1, q) % q

    def is_multiple(rows: Sequence[Any], handed: Sequence[Any]) -> bool:
        return _numbers(rows) == [number * factor % q for number in _numbers(handed)]

    if not is_multiple(own, theirs):
        return False
    is_shown = False  # while the ideal arrays stay the same, a difference has one factor, too
    for way in WAYS:
        if is_shown and way == "numbers":
            break
        for rows, handed in _replays(done, name, way):
            if not is_multiple(rows, handed):
                return False
            changes = zip(_numbers(handed), _numbers(theirs), strict=True)
            is_shown |= any(number not in (0, before) for number, before in changes)
    return is_shown


def _replays(done: Run, name: str, way: str) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """Yield a party's arrays and those of the ideal world in runs with other inputs and coins,
    where they can be compared.
    """
    for step in range(1, REPLAYS + 1):
        try:
            again = run(
                done.protocol,
                _other_inputs(done, way, step),
                done.seed + step,
                fates=done.fates,
                network=done.same_deadlines,
                message_fates=done.message_fates,
            )
            rows = again.door_notes.returned.get(name, ())
            handed = _handed(again, _vault(again))[0].get(name, [])
        except (SimnetError, TypeError):  # these inputs may be refused, or be no items
            continue
        if _why_not_compared(rows, handed) is None:
            yield rows, handed


def _other_inputs(done: Run, way: str, step: int) -> dict[str, Any]:
    """Return other inputs of these parties, found in one of the `WAYS`.

    Raises `TypeError` for inputs that cannot be changed in this way.
    """
    roster, protocol, changed = done.roster, done.protocol, dict(done.inputs)
    for role in roster.with_input:
        names = [name for name in roster.role(role) if name in changed]
        for place, name in enumerate(names):
            value, size = done.inputs[name], len(names)
            places: Any = place
            if (members := roster.seats[roster.number[name]].members) is not None:
                places, size = np.arange(members), members
            if way == "items":
                if not (isinstance(protocol, OverItems) and isinstance(protocol.items, int)):
                    raise TypeError("the inputs are no items")
                changed[name] = (value - 1 + step * (places + 1)) % protocol.items + 1
            elif way == "numbers":
                changed[name] = value + step * (places + 1)
            else:
                source = (step + places * (way == "exchanged")) % size
                changed[name] = (
                    done.inputs[names[source]] if members is None else value[source + 0 * places]
                )
    return changed


def _difference(name: str, own: Sequence[Any], theirs: Sequence[Any]) -> str:
    returned, handed = _numbers(own), _numbers(theirs)
    if len(own) == 1 and len(returned) <= SHOWN:
        return (
            f"{name} returned {own[0].numbers().tolist()}, the ideal world hands it "
            f"{theirs[0].numbers().tolist()}"
        )
    place = next(i for i, pair in enumerate(zip(returned, handed, strict=True)) if len({*pair}) > 1)
    return (
        f"{name} returned {returned[place]} as element {place + 1} of {len(returned):,}, the ideal "
        f"world hands it {handed[place]}"
    )
