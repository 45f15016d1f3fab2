"""The law of a component: how its disclosed values are distributed, given the inputs behind them.

Theory of operation. Let x be the inputs behind a component, s its secrets, y the field elements
that its doors are given, and v the values that it discloses. We find every door's law given its
arguments by calling the door (`calling`). We put these laws together for every possible x::

    P(v, s | x) = Σ_y P(y) ∏ P(each secret | its arguments) ∏ P(each v | its arguments)

The coins in y are uniform if they are independent of the coins in messages
(`Surroundings.are_apart`); we run through all values of a basis of these coins. The part of y that
the coalition knows is fixed, at every value in turn: such a value is called a *context*. From this
law we compute two *losses*, values of ε, each the largest over all contexts:

- `epsilon`: the largest log ratio of P(v | x) between two inputs of one party, over all inputs of
  the other parties. This number bounds what v tells somebody who learns nothing else about the
  secrets.
- `strong_epsilon`: the largest log ratio of P(v | x, s) between two pairs (x, s) that can occur.
  This number bounds what v tells somebody who may know anything else about the secrets.

Example (the protocol TSS): a user with item x takes part with probability p. Its answer s is the
item if the user takes part, and zeros otherwise. The user discloses a set of some, not all, items;
each set that contains the answered item is γ times as likely as each other set. `strong_epsilon` is
log γ, because it compares two answers. `epsilon` compares two items, and a user that does not take
part has the same answer for both, so `epsilon` is smaller than log γ if p < 1 < γ.

*Bounds.* If the joint law has too many outcomes, we add up the losses of the disclosing doors. The
loss of a door is the largest log ratio of its laws at any two lists of arguments that can occur. If
even the secrets have too many values (for example, a sum over all users), we find a bound on
`epsilon` only if no disclosing door is given an input, and no secret is made from field elements.
A party's loss is then at most the loss of the party's own secrets.

*Conditions.* The exact law leaves out inputs for which some door refuses, whatever the coins and
the context are. `refused` counts the inputs that are left out. Any other refusal is an outcome. The
law holds for the plain arguments of this run: if a plain argument depends on values disclosed
earlier, another run may have another law.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import attrs

from simnet.adversary.door_laws.calling import (
    ACCEPTED,
    REFUSED,
    NotEnumerable,
    log_ratio,
    widest_ratio,
)
from simnet.adversary.door_laws.components import Component, DoorGraph, HonestDoor
from simnet.adversary.door_laws.door_law import DoorLaws, residues_key
from simnet.adversary.door_laws.rows import Element, basis_of
from simnet.coins.law import Law
from simnet.doors.plain_keys import NoKey, key_of
from simnet.linear.unknowns import PLACES
from simnet.values.residues import residues_of

MOST_STATES = 200_000  # limit on the joint values of inputs, coins, secrets and outcomes
MOST_COIN_ELEMENTS = 64  # limit on the elements with coins, for which a basis is computed

Place = tuple[int, str]  # the place of an input: the run, and the party that has the input
Inputs = Mapping[Place, int]
Numbers = tuple[int, ...]
# The values of a component's secrets, by number of the door; None where a door has refused, so that
# the run has ended.
Secrets = Mapping[int, Numbers] | None
# Gives the inputs that a party may have in a run, as a range or a tuple. Raises `NotEnumerable` if
# the possible inputs are not known.
DomainOf = Callable[[Place], Sequence[int]]
Ratio = Fraction | None  # None stands for an infinite loss


@attrs.frozen(kw_only=True)
class ComponentLaw:
    """How much the disclosed values of a component tell about one party's input."""

    epsilon: float
    strong_epsilon: float | None  # None if this loss could not be computed
    is_exact: bool  # whether `epsilon` is exact; if not, it is an upper bound
    # The number of assignments of inputs for which some door refuses, whatever the coins and the
    # context are. A bound does not count them.
    refused: int = 0
    assignments: int = 1  # the number of all assignments of inputs


DOES_NOT_COME_OUT = (
    "the value that the function gave in the run is impossible for every possible input"
)


def law_of_component(
    component: Component, graph: DoorGraph, domain_of: DomainOf, doors: DoorLaws
) -> ComponentLaw:
    """Return how much a component tells, over all possible inputs: exactly, or as an upper bound if
    the joint law has too many outcomes. Raises `NotEnumerable` if neither can be found.
    """
    states = ComponentStates(component, graph, domain_of, doors)
    try:
        return _joint_law(states)
    except TooManyStates as error:
        reason = error
    try:
        return _sum_over_doors(states)
    except TooManyStates:
        pass
    bounded = _bound_by_secrets(states)
    if bounded is None:
        raise NotEnumerable(str(reason))
    return bounded


class TooManyStates(Exception):
    """Raised if a component has more states than the limit."""


class ComponentStates:
    """All possible values of a component: of its inputs, of its field coins (in a basis), of the
    part of its arguments that the coalition knows, and of its secrets.
    """

    def __init__(
        self,
        component: Component,
        graph: DoorGraph,
        domain_of: DomainOf,
        doors: DoorLaws,
    ) -> None:
        """Raises `NotEnumerable` if the possible values of an input are not known; if arguments
        contain products, or random rows of which we do not know whether the coalition knows them;
        and if more than `MOST_COIN_ELEMENTS` field elements contain coins.
        """
        self.component = component
        self.inputs = component.inputs
        self.domains = {place: domain_of(place) for place in self.inputs}
        self.doors = doors
        self._graph = graph
        self._maker = {
            door.family: door.number for door in component.secrets if door.family is not None
        }
        self.coin_moduli: list[int] = []
        self.context_moduli: list[int] = []
        self._parts: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        self._first_context: dict[int, int] = {}
        self._solve_elements()

    def _solve_elements(self) -> None:
        graph = self._graph
        doors = (*self.component.secrets, *self.component.doors)
        arrays = list({id(forms): forms for door in doors for forms in door.rows}.values())
        written = [forms for forms in arrays if not graph.is_computed(forms)]
        elements = [element for forms in written for element in graph.reader.elements(forms)]
        if any(element.products for element in elements):
            raise NotEnumerable(
                "the function's arguments contain products of field elements, or random rows of "
                "which we do not know whether the coalition knows them"
            )
        if sum(bool(element.coins) for element in elements) > MOST_COIN_ELEMENTS:
            raise NotEnumerable(
                f"more than {MOST_COIN_ELEMENTS} of the field elements behind the value contain "
                "coins"
            )
        for modulus in sorted({element.modulus for element in elements}):
            of_field = [element for element in elements if element.modulus == modulus]
            coins = _in_variables([each.coins for each in of_field], self.coin_moduli, modulus)
            known = _in_variables([each.known for each in of_field], self.context_moduli, modulus)
            for element, coin_part, known_part in zip(of_field, coins, known, strict=True):
                self._parts[id(element)] = coin_part, known_part
        for forms in arrays:
            if graph.is_computed(forms):
                self._first_context[id(forms)] = len(self.context_moduli)
                self.context_moduli += [forms.field.modulus] * residues_of(forms.sampled).size

    @property
    def count(self) -> int:
        """The number of all combinations of inputs, coins and contexts."""
        return self.assignments * math.prod(self.coin_moduli) * math.prod(self.context_moduli)

    @property
    def assignments(self) -> int:
        """The number of all assignments of inputs."""
        return math.prod(map(len, self.domains.values()))

    def every_input(self) -> Iterator[Inputs]:
        """Every assignment of inputs."""
        for values in itertools.product(*self.domains.values()):
            yield dict(zip(self.inputs, values, strict=True))

    def every_context(self) -> Iterator[Numbers]:
        """Yield every context: every value of the part of the doors' arguments that the coalition
        knows.
        """
        return itertools.product(*map(range, self.context_moduli))

    def every_coin(self) -> Iterator[Numbers]:
        """Yield every value of a basis of the coins; all values are equally likely."""
        return itertools.product(*map(range, self.coin_moduli))

    def secrets(
        self, inputs: Inputs, context: Numbers, coins: Numbers
    ) -> list[tuple[Secrets, Fraction]]:
        """The possible values of the secrets, with their probabilities.

        Raises `TooManyStates` if there are more of them than the limit.
        """
        states: list[tuple[Secrets, Fraction]] = [({}, Fraction(1))]
        for door in self.component.secrets:
            longer: list[tuple[Secrets, Fraction]] = []
            for values, chance in states:
                if values is None:
                    longer.append((None, chance))
                    continue
                for value, share in self.law(door, inputs, context, coins, values).items():
                    assert isinstance(value, tuple) or value == REFUSED
                    after = {**values, door.number: value} if isinstance(value, tuple) else None
                    longer.append((after, chance * share))
                if len(longer) > MOST_STATES:
                    raise TooManyStates("the secrets behind the value have too many joint values")
            states = longer
        return states

    def law(
        self,
        door: HonestDoor,
        inputs: Inputs,
        context: Numbers,
        coins: Numbers,
        secrets: Mapping[int, Numbers],
    ) -> Law:
        """The law of a door's value, given the values of inputs, context, coins and secrets."""
        law = self.doors.law(
            door.call,
            [inputs[place] for place in door.inputs],
            self.row_numbers(door, context, coins, secrets),
        )
        if not door.only_refusal:
            return law
        refused = law.get(REFUSED, Fraction(0))
        chances = {REFUSED: refused, ACCEPTED: 1 - refused}
        return {outcome: chance for outcome, chance in chances.items() if chance}

    def row_numbers(
        self,
        door: HonestDoor,
        context: Numbers,
        coins: Numbers,
        secrets: Mapping[int, Numbers],
    ) -> list[Numbers]:
        """The numbers of the symbolic arrays that a door is given, array by array."""
        found = []
        for forms in door.rows:
            first = self._first_context.get(id(forms))
            if first is not None:
                found.append(context[first : first + residues_of(forms.sampled).size])
            else:
                elements = self._graph.reader.elements(forms)
                found.append(
                    tuple(self._number(each, context, coins, secrets) for each in elements)
                )
        return found

    def _number(
        self,
        element: Element,
        context: Numbers,
        coins: Numbers,
        secrets: Mapping[int, Numbers],
    ) -> int:
        coin_part, known_part = self._parts[id(element)]
        number = element.number
        for place, weight in coin_part.items():
            number += weight * coins[place]
        for place, weight in known_part.items():
            number += weight * context[place]
        for unknown, weight in element.secrets.items():
            number += weight * secrets[self._maker[unknown // PLACES]][unknown % PLACES]
        return number % element.modulus


def _in_variables(
    vectors: Sequence[dict[int, int]], moduli: list[int], modulus: int
) -> list[dict[int, int]]:
    """Write the vectors as combinations of as many new variables as are needed. The variables are
    numbered by their places in `moduli`, to which the modulus of each is appended.
    """
    first = len(moduli)
    rank, combinations = basis_of(vectors, modulus)
    moduli += [modulus] * rank
    return [
        {first + place: weight for place, weight in combination.items()}
        for combination in combinations
    ]


def recorded_outcome(door: HonestDoor) -> Hashable:
    """The outcome of a door in the run. Raises `NotEnumerable` for a value that has no key."""
    if door.only_refusal:
        return ACCEPTED
    try:
        result = door.call.result
        return residues_key(result.sampled) if door.call.kind == "secret" else key_of(result)
    except NoKey as error:
        raise NotEnumerable(str(error)) from None


# The joint law.


def _joint_law(states: ComponentStates) -> ComponentLaw:
    """How much all disclosed values together tell, computed from their exact joint law.

    Raises `TooManyStates` if this takes too many states, and `NotEnumerable` if no possible input
    can give the values that were disclosed in the run.
    """
    if states.count > MOST_STATES:
        raise TooManyStates(
            "the inputs and field elements behind the value have too many joint values"
        )
    budget = [MOST_STATES]
    laws = {
        context: {
            tuple(inputs.values()): _law_by_secrets(states, inputs, context, budget)
            for inputs in states.every_input()
        }
        for context in states.every_context()
    }
    left_out = {
        key
        for key in next(iter(laws.values()))
        if all(_is_always_refused(by_input[key]) for by_input in laws.values())
    }
    outcomes = tuple(map(recorded_outcome, states.component.doors))
    recorded = outcomes[0] if len(outcomes) == 1 else outcomes
    if not any(
        recorded in law
        for by_input in laws.values()
        for by_secrets in by_input.values()
        for parts in by_secrets.values()
        for _, law in parts
    ):
        raise NotEnumerable(DOES_NOT_COME_OUT)
    epsilon: Ratio = Fraction(1)
    strong: Ratio = Fraction(1)
    for by_input in laws.values():
        accepted = {key: each for key, each in by_input.items() if key not in left_out}
        mixed = {
            key: _mixture(itertools.chain.from_iterable(each.values()))
            for key, each in accepted.items()
        }
        for neighbours in _neighbours(mixed, states.inputs):
            epsilon = _larger(epsilon, widest_ratio(neighbours))
        given_secrets = [
            _mixture(parts) for by_secrets in accepted.values() for parts in by_secrets.values()
        ]
        strong = _larger(strong, widest_ratio(given_secrets))
    return ComponentLaw(
        epsilon=log_ratio(epsilon),
        strong_epsilon=log_ratio(strong),
        is_exact=True,
        refused=len(left_out),
        assignments=states.assignments,
    )


# For each value of the secrets: the laws of the disclosed values, each with its probability. One
# value of the secrets has several laws if it occurs with several values of the coins.
LawBySecrets = dict[Hashable, list[tuple[Fraction, Law]]]


def _law_by_secrets(
    states: ComponentStates, inputs: Inputs, context: Numbers, budget: list[int]
) -> LawBySecrets:
    found: LawBySecrets = defaultdict(list)
    weight = Fraction(1, math.prod(states.coin_moduli))
    for coins in states.every_coin():
        for secrets, chance in states.secrets(inputs, context, coins):
            if secrets is None:
                found[REFUSED].append((weight * chance, {REFUSED: Fraction(1)}))
                continue
            doors = states.component.doors
            laws = [states.law(door, inputs, context, coins, secrets) for door in doors]
            key = tuple(secrets.values())
            found[key].append((weight * chance, _product(laws, budget)))
    return found


def _product(laws: Sequence[Law], budget: list[int]) -> Law:
    """The joint law of several independent values. If one of the values is a refusal, the joint
    value is a refusal, whatever the other values are.
    """
    budget[0] -= math.prod(map(len, laws))
    if budget[0] < 0:
        raise TooManyStates(
            "the disclosed values and what is behind them have too many joint values"
        )
    if len(laws) == 1:
        return laws[0]
    product: dict[Hashable, Fraction] = {}
    for combination in itertools.product(*(law.items() for law in laws)):
        outcomes = tuple(outcome for outcome, _ in combination)
        key: Hashable = REFUSED if REFUSED in outcomes else outcomes
        chance = math.prod((share for _, share in combination), start=Fraction(1))
        product[key] = product.get(key, Fraction(0)) + chance
    return product


def _is_always_refused(by_secrets: LawBySecrets) -> bool:
    return all(set(law) == {REFUSED} for laws in by_secrets.values() for _, law in laws)


def _mixture(laws: Iterable[tuple[Fraction, Law]]) -> Law:
    parts = list(laws)
    total = sum((chance for chance, _ in parts), Fraction(0))
    if all(law is parts[0][1] for _, law in parts):
        return parts[0][1]
    mixed: dict[Hashable, Fraction] = {}
    for chance, law in parts:
        share = chance / total
        for outcome, probability in law.items():
            mixed[outcome] = mixed.get(outcome, Fraction(0)) + share * probability
    return mixed


def _neighbours(laws: Mapping[Numbers, Law], inputs: Sequence[Place]) -> Iterator[list[Law]]:
    """For each party, and for each choice of the other parties' inputs, yield the laws at all
    inputs of this party.
    """
    for party in dict.fromkeys(name for _, name in inputs):
        groups: dict[Numbers, list[Law]] = defaultdict(list)
        for key, law in laws.items():
            others = tuple(
                value for (_, name), value in zip(inputs, key, strict=True) if name != party
            )
            groups[others].append(law)
        yield from groups.values()


def _larger(first: Ratio, second: Ratio) -> Ratio:
    return None if first is None or second is None else max(first, second)


# Bounds, if the joint law has too many outcomes.


def _sum_over_doors(states: ComponentStates) -> ComponentLaw:
    """Bounds by sums of the doors' losses.

    `strong_epsilon` is a sum over the disclosing doors: for each, the largest log ratio of its laws
    at two lists of arguments that can occur. It is infinite if a door of a secret may refuse.
    `epsilon` is the same sum or, if this is smaller, the largest sum for one party over all doors
    that are given this party's input: for each, the largest log ratio at two inputs, while the
    field elements that the door is given stay the same.
    """
    component = states.component
    found = _LawsByArguments(states)
    for door in component.doors:
        if not any(recorded_outcome(door) in law for law in found.of_door(door)):
            raise NotEnumerable(DOES_NOT_COME_OUT)
    total = sum(log_ratio(widest_ratio(found.of_door(door))) for door in component.doors)
    if (
        found.may_refuse
    ):  # refusals of secrets are disclosed too, and `total` does not count secrets
        total = math.inf
    # Otherwise a party's loss is the sum over the party's own doors: its disclosing doors, and the
    # doors that made the secrets behind them. The rows that the doors are given are held fixed.
    losses: dict[str, float] = defaultdict(float)
    for door in (*component.secrets, *component.doors):
        for party in {name for _, name in door.inputs}:
            losses[party] += found.loss_with_fixed_rows(door)
    return ComponentLaw(
        epsilon=min(total, max(losses.values(), default=0.0)),
        strong_epsilon=total,
        is_exact=False,
        assignments=states.assignments,
    )


class _LawsByArguments:
    """The laws of a component's doors at all arguments that can occur, sorted by the numbers of
    the field elements among the arguments.

    `may_refuse` says whether some door that makes a secret refuses at some of these arguments.
    """

    def __init__(self, states: ComponentStates) -> None:
        if states.count > MOST_STATES:
            raise TooManyStates(
                "the inputs and field elements behind the value have too many joint values"
            )
        self.may_refuse = False
        self._laws: dict[int, dict[Hashable, dict[Hashable, Law]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        visited = 0
        for context, inputs, coins in itertools.product(
            states.every_context(), list(states.every_input()), list(states.every_coin())
        ):
            for secrets, _ in states.secrets(inputs, context, coins):
                visited += 1
                if visited > MOST_STATES:
                    raise TooManyStates("the secrets behind the value have too many joint values")
                if secrets is None:
                    self.may_refuse = True
                else:
                    self._visit(states, inputs, context, coins, secrets)

    def _visit(
        self,
        states: ComponentStates,
        inputs: Inputs,
        context: Numbers,
        coins: Numbers,
        secrets: Mapping[int, Numbers],
    ) -> None:
        for door in (*states.component.secrets, *states.component.doors):
            own = tuple(inputs[place] for place in door.inputs)
            rows = tuple(states.row_numbers(door, context, coins, secrets))
            law = states.law(door, inputs, context, coins, secrets)
            self._laws[door.number][rows][own] = law

    def of_door(self, door: HonestDoor) -> list[Law]:
        return [law for by_input in self._laws[door.number].values() for law in by_input.values()]

    def loss_with_fixed_rows(self, door: HonestDoor) -> float:
        """Return the largest log ratio of the door's laws at two inputs, if the field elements that
        the door is given are the same at both.
        """
        ratios = [widest_ratio(list(laws.values())) for laws in self._laws[door.number].values()]
        return max(map(log_ratio, ratios), default=0.0)


def _bound_by_secrets(states: ComponentStates) -> ComponentLaw | None:
    """An upper bound on a party's loss: the loss of the party's own secrets. It holds if disclosed
    values depend on inputs only through secrets.

    Return None if no bound is found: for example, if a disclosing door is given an input, if a
    secret was made from field elements, or if a secret's law has an infinite loss.
    """
    component = states.component
    secrets_alone = not any(door.inputs for door in component.doors)
    if not secrets_alone or any(door.rows for door in component.secrets):
        return None
    losses: dict[str, float] = defaultdict(float)
    for door in component.secrets:
        parties = {name for _, name in door.inputs}
        places = list(dict.fromkeys(door.inputs))
        domains = [states.domains[place] for place in places]
        if math.prod(map(len, domains)) > MOST_STATES:
            return None
        laws = []
        for values in itertools.product(*domains):
            at = dict(zip(places, values, strict=True))
            laws.append(states.doors.law(door.call, [at[place] for place in door.inputs], []))
        if not any(recorded_outcome(door) in law for law in laws):
            raise NotEnumerable(DOES_NOT_COME_OUT)
        loss = log_ratio(widest_ratio(laws))
        if loss == math.inf:
            return None
        for party in parties:
            losses[party] += loss
    return ComponentLaw(
        epsilon=max(losses.values(), default=0.0),
        strong_epsilon=None,
        is_exact=False,
        assignments=states.assignments,
    )
