"""Find what the output alone determines. In a small run, an output may determine nearly every
input.

Theory of operation. A verdict `output-only` says that a coalition learns only what the ideal world
hands to it. With few honest parties this may be a lot: if two bits have the sum 2, this sum tells
both bits. We find such consequences from three things: the functions that the coalition determines,
their values, and all values that a secret can have. To find the values of a secret, we call its
door with every input and every outcome of its coins. There are three rules. The last two are used
only if there are too many assignments to list::

    few values together   we list every assignment of values to secrets that gives the functions
                          these values; what all assignments have in common is fixed
    a value at an end     a sum that is as large, or as small, as possible fixes each of its terms
    counts                suppose that for each place the sum over all secrets of the element at
                          this place is known, and that each secret has one of the values w_1,
                          ..., w_m. If (w_1, 1), ..., (w_m, 1) are linearly independent, and there
                          are fewer than q secrets, these sums fix how often each value occurs: a
                          multiset

What a rule finds does follow from the output, but each rule may miss something. If the coalition
knows more about the inputs, for example from disclosed values, then more may follow.

Example. u1 and u2 each answer with one of two items, as a row with a 1 at the item and a 0 at the
other. The output has the counts 1 and 1. Then the answers are (1, 0) and (0, 1), or (0, 1) and (1,
0): the output fixes which answers were given, but not who gave which answer.
"""

import functools
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import prod

import attrs

from simnet.linear.span import Span

MOST_ASSIGNMENTS = 4_000  # the largest number of assignments of values to secrets that we list
MOST_ENTRIES = 40_000  # the largest number of entries of a matrix whose rank we compute
PARTIES_SHOWN = 3

Numbers = tuple[int, ...]
SecretKey = tuple[str, int]  # a party, and the number of its secret
Element = tuple[SecretKey, int]  # a secret, and an item from 1


@attrs.frozen
class SecretValues:
    """The possible values of a secret, by the input behind it."""

    by_input: Mapping[int, frozenset[Numbers]]

    @functools.cached_property
    def all(self) -> tuple[Numbers, ...]:
        """All possible values of the secret, in ascending order."""
        return tuple(sorted(frozenset().union(*self.by_input.values())))

    @functools.cached_property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """The least and the largest number of each element."""
        return tuple((min(column), max(column)) for column in zip(*self.all, strict=True))

    @functools.cached_property
    def tell_input(self) -> bool:
        """Whether the value determines the input: no two inputs have a common value."""
        return sum(map(len, self.by_input.values())) == len(self.all)


@attrs.frozen
class KnownSum:
    """A linear function of elements of secrets, and its value modulo q."""

    terms: Mapping[Element, int]
    value: int
    modulus: int


@attrs.frozen
class OutputFixes:
    """What follows from an output about the secrets of `parties`.

    `elements` maps fixed elements to their values, without elements that the coalition determines
    as functions of their own. `everything` says that all elements are fixed, and `elements` is not
    empty. `is_multiset` says that the secrets, one of each party, are fixed except for who has
    which. `are_inputs` says that, in these two cases, the inputs are fixed in the same way.
    `has_others` says that the parties have other secrets, about which nothing is said.
    """

    parties: tuple[str, ...] = ()
    elements: Mapping[Element, int] = attrs.field(factory=dict)
    everything: bool = False
    is_multiset: bool = False
    are_inputs: bool = False
    has_others: bool = False

    @property
    def is_of_few(self) -> bool:
        """Whether everything is fixed, or something is fixed and there are at most `PARTIES_SHOWN`
        parties.
        """
        is_something = self.is_multiset or bool(self.elements)
        return self.everything or (is_something and len(self.parties) <= PARTIES_SHOWN)

    @property
    def in_words(self) -> str | None:
        """The consequences as a text; None if there are no consequences."""
        what = "some secrets" if self.has_others else "the secrets"
        whose = f"{'the inputs' if self.are_inputs else what} of {_listed(self.parties)}"
        if self.everything:
            return whose
        parts = []
        if self.is_multiset:
            parts.append(f"{whose} without their owners (which values there are and how often)")
        for value in sorted(set(self.elements.values())):
            named = [_name(element) for element, other in self.elements.items() if other == value]
            parts.append(f"{_listed(named)} = {value}")
        return "; ".join(parts) or None


def output_fixes(
    sums: Sequence[KnownSum],
    values: Mapping[SecretKey, SecretValues],
    declared: Collection[SecretKey] = (),
) -> OutputFixes:
    """Return what these sums fix. An element that is a sum by itself is not listed again.
    `declared` are the secrets of all parties.
    """
    usable = [each for each in sums if all(key in values for key, _ in each.terms)]
    secrets = sorted({key for each in usable for key, _ in each.terms}, key=_in_order)
    if not secrets:
        return OutputFixes()
    possible = [values[key].all for key in secrets]
    parties = tuple(dict.fromkeys(party for party, _ in secrets))
    if prod(map(len, possible)) <= MOST_ASSIGNMENTS:
        found = list(_consistent(usable, secrets, possible))
        if not found:  # some input is not one of the inputs by which `values` are listed
            return OutputFixes()
        fixed = _common_elements(secrets, values, found)
        multisets = {tuple(sorted(assignment)) for assignment in found}
        is_multiset = len(multisets) == 1 and len(found) > 1
    else:
        fixed = dict(item for each in usable for item in _terms_at_an_end(each, values).items())
        is_multiset = _are_counts(usable, secrets, possible)
    shown = {next(iter(each.terms)) for each in usable if len(each.terms) == 1}
    elements = {element: value for element, value in fixed.items() if element not in shown}
    still_open = {
        (key, item)
        for key in secrets
        for item, (low, high) in enumerate(values[key].ends, start=1)
        if low < high
    } - fixed.keys()
    everything = bool(elements) and not still_open - shown
    # The values of a multiset tell inputs if they come from inputs in the same way for all parties.
    by_input = [values[key].by_input for key in secrets]
    is_one_way = everything or all(each == by_input[0] for each in by_input)
    return OutputFixes(
        parties=parties,
        elements=elements,
        everything=everything,
        is_multiset=is_multiset and len(parties) == len(secrets),
        are_inputs=is_one_way and all(values[key].tell_input for key in secrets),
        has_others=any(key[0] in parties and key not in secrets for key in declared),
    )


def _consistent(
    sums: Sequence[KnownSum], secrets: Sequence[SecretKey], possible: Sequence[Sequence[Numbers]]
) -> Iterator[tuple[Numbers, ...]]:
    place = {key: number for number, key in enumerate(secrets)}
    equations = [
        ([(place[key], item - 1, factor) for (key, item), factor in each.terms.items()], each)
        for each in sums
    ]
    for assignment in itertools.product(*possible):
        if all(
            (sum(factor * assignment[k][item] for k, item, factor in terms) - each.value)
            % each.modulus
            == 0
            for terms, each in equations
        ):
            yield assignment


def _common_elements(
    secrets: Sequence[SecretKey],
    values: Mapping[SecretKey, SecretValues],
    found: Sequence[tuple[Numbers, ...]],
) -> dict[Element, int]:
    """The elements that have the same value in all assignments of `found`, although the inputs
    would also allow another value.
    """
    fixed = {}
    for place, key in enumerate(secrets):
        columns = zip(*(assignment[place] for assignment in found), strict=True)
        for item, (column, (low, high)) in enumerate(
            zip(columns, values[key].ends, strict=True), start=1
        ):
            if len(set(column)) == 1 and low < high:
                fixed[key, item] = column[0]
    return fixed


def _terms_at_an_end(
    known: KnownSum, values: Mapping[SecretKey, SecretValues]
) -> dict[Element, int]:
    """The elements of a sum that has its smallest or largest possible value, with their values;
    empty for other sums.

    The result is empty, too, if the sum of the integers may wrap modulo q: then the residue does
    not show how large the sum is.
    """
    ends: dict[Element, tuple[int, int]] = {}
    least = most = 0
    for (key, item), factor in known.terms.items():
        low, high = values[key].ends[item - 1]
        signed = factor - known.modulus if factor > known.modulus // 2 else factor
        first, last = (low, high) if signed > 0 else (high, low)
        ends[key, item] = first, last
        least, most = least + signed * first, most + signed * last
    if most - least >= known.modulus:
        return {}
    for place, end in enumerate((least, most)):
        if least < most and (known.value - end) % known.modulus == 0:
            return {element: pair[place] for element, pair in ends.items() if pair[0] != pair[1]}
    return {}


def _are_counts(
    sums: Sequence[KnownSum], secrets: Sequence[SecretKey], possible: Sequence[Sequence[Numbers]]
) -> bool:
    first, modulus = possible[0], sums[0].modulus
    items = len(first[0])
    if any(each != first for each in possible) or len(secrets) >= modulus or len(secrets) < 2:
        return False
    if len(first) * (items + 1) > MOST_ENTRIES or any(each.modulus != modulus for each in sums):
        return False
    everybody = {*secrets}
    summed = set()  # the items whose elements, of all secrets, some sum adds up with equal factors
    for each in sums:
        if len(each.terms) == len(everybody) and len(set(each.terms.values())) == 1:
            of_items = {item for _, item in each.terms}
            if len(of_items) == 1 and {key for key, _ in each.terms} == everybody:
                summed |= of_items
    if not summed.issuperset(range(1, items + 1)):
        return False
    span = Span(modulus)
    for value in first:
        if not span.add({place: number for place, number in enumerate((*value, 1)) if number}):
            return False
    return True


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:PARTIES_SHOWN])
    hidden = len(names) - PARTIES_SHOWN
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown


def _name(element: Element) -> str:
    (party, number), item = element
    return f"{party}{chr(39) * number}[{item}]"


def _in_order(key: SecretKey) -> tuple[int, str, int]:
    party, number = key
    return len(party), party, number
