"""Verdicts: exactly what a collusion set learns from a run, or from several, about what honest
parties declared.

L is the span of the functions of honest secrets that the set's view determines, F the span of what
the ideal world hands to its members in the same runs. `nothing`: L = 0; `output-only`: L lies in F;
`leaks`: it does not; `undecided`: it depends on numbers that scripts made themselves, or on numbers
sent after forms were opened; `no-shares`: nothing was declared, as the protocol states that
perturbation alone protects inputs. A verdict is about these runs, one draw of the discrete coins
each, and about honest-but-curious parties.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import attrs

from simnet.adversary.attack import replay_attack
from simnet.adversary.coalition import Coalition
from simnet.adversary.discrete import DiscreteView
from simnet.adversary.field_view import Excerpt
from simnet.adversary.knowledge import BasisFunction, Knowledge
from simnet.arrays import Ints
from simnet.errors import SimnetError
from simnet.kernel.run import Run
from simnet.linear.unknowns import Unknowns
from simnet.linear.vectors import Vector

ShareFinding = Literal["nothing", "output-only", "leaks", "undecided", "no-shares"]
SHARE_FINDINGS: tuple[ShareFinding, ...] = (
    "nothing",
    "output-only",
    "leaks",
    "undecided",
    "no-shares",
)


@attrs.frozen
class Secret:
    """One element of a declared secret: whose, the party's how-manieth from 0, and which element,
    from 1.

    `run` says of which of several runs judged together, from 1, where not all of them have the
    same.
    """

    party: str
    number: int
    item: int
    run: int | None = None


@attrs.frozen
class LearnedFunction:
    """A linear function of honest secrets that the set determines, with the value that its attack
    gives.

    `in_output` says whether the ideal world's output determines it too; `true` is the sampled
    secrets' own value.
    """

    terms: tuple[tuple[Secret, int], ...]
    value: int
    true: int
    in_output: bool
    own: int  # what the set's own coins and secrets put into the messages that give it
    modulus: int
    source: tuple[int, int, int]  # which field, which function over it, which lane

    @property
    def exposes(self) -> Secret | None:
        """The single secret that the function is, if it is one."""
        return self.terms[0][0] if len(self.terms) == 1 else None


@attrs.frozen(eq=False)
class Verdict:
    """What a collusion set learns.

    `runs` were read symbolically; `knowledge` is what was found over each field.
    """

    corrupt: Coalition
    finding: ShareFinding
    notes: tuple[str, ...]
    discrete: DiscreteView
    seeds: tuple[int, ...]
    knowledge: tuple[Knowledge, ...]
    runs: tuple[Run, ...] = attrs.field(repr=False)
    _sampled: Callable[[], tuple[Run, ...]] = attrs.field(repr=False)
    unknowns: Unknowns = attrs.field(repr=False)

    @property
    def tier(self) -> str:
        """`proved`, unless the verdict is undecided: then what is listed is a bound from below."""
        return "bound" if self.finding == "undecided" else "proved"

    @property
    def sampled(self) -> tuple[Run, ...]:
        """The same runs in numbers, for attacks."""
        return self._sampled()

    @functools.cached_property
    def functions(self) -> tuple[LearnedFunction, ...]:
        """The reduced basis of L, element by element."""
        return tuple(
            learned
            for place, over in enumerate(self.knowledge)
            for number, one in enumerate(over.functions)
            for learned in self._learned(over, one, (place, number))
        )

    @property
    def leaks(self) -> tuple[LearnedFunction, ...]:
        """Every single secret in L, whatever the verdict: an output too can expose one."""
        return tuple(learned for learned in self.functions if learned.exposes is not None)

    def attack(self, party: str, item: int, number: int = 0, run: int | None = None) -> int:
        """An exposed secret's value, computed from the messages seen; `run` says of which of
        several runs.

        Raises `SimnetError` for one that is not exposed.
        """
        wanted = Secret(party, number, item, run)
        found = next((learned for learned in self.leaks if learned.exposes == wanted), None)
        if found is None:
            raise SimnetError(
                f"{{{self.corrupt}}} does not determine item {item} of what {party} declared"
            )
        return found.value

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on; items are labels."""
        corrupt = [*self.corrupt.parties, *["network"] * self.corrupt.network]
        shares = {
            "verdict": self.finding,
            "tier": self.tier,
            "notes": list(self.notes),
            "functions": [_function_json(learned) for learned in self.functions],
            "leaks": [_leak_json(learned) for learned in self.leaks],
        }
        return {"corrupt": corrupt, "shares": shares, "discrete": self.discrete.as_json()}

    def evidence(
        self, learned: LearnedFunction, most: int | None = None
    ) -> tuple[int, list[tuple[int, Excerpt, int]]]:
        """How a function is computed: how many messages it takes, and the first of them.

        Each comes with its coefficient and its number; of their sum the set's own part comes off.
        """
        place, number, lane = learned.source
        weights = self._weights[place, number]
        carried = [
            (weights[row], self.knowledge[place].seen.carried(row))
            for row in sorted(weights)[:most]
        ]
        return len(weights), [(weight, one, int(one.numbers[lane])) for weight, one in carried]

    @functools.cached_property
    def _weights(self) -> dict[tuple[int, int], Vector]:
        """The messages' coefficients for every function, by field and place."""
        return {
            (place, number): over.elimination.weights(one.origin)
            for place, over in enumerate(self.knowledge)
            for number, one in enumerate(over.functions)
        }

    def _learned(
        self, knowledge: Knowledge, function: BasisFunction, source: tuple[int, int]
    ) -> Iterator[LearnedFunction]:
        """A function in each of its lanes."""
        values, own = replay_attack(knowledge, self._weights[source], self.sampled, self.unknowns)
        truth = self._truth(knowledge, function)
        for lane, (value, true, taken) in enumerate(
            zip(values.tolist(), truth, own.tolist(), strict=True)
        ):
            terms = tuple(
                sorted(
                    ((self._secret(unknown + lane), c) for unknown, c in function.terms.items()),
                    key=_place,
                )
            )
            yield LearnedFunction(
                terms, value, true, function.in_output, taken, knowledge.modulus, (*source, lane)
            )

    def _truth(self, knowledge: Knowledge, function: BasisFunction) -> Sequence[int]:
        lanes = knowledge.seen.terms.lanes
        held: list[tuple[Ints, int]] = [
            (self.unknowns.values(u, lanes), c) for u, c in function.terms.items()
        ]
        return [
            sum(int(values[lane]) * c for values, c in held) % knowledge.modulus
            for lane in range(lanes)
        ]

    def _secret(self, unknown: int) -> Secret:
        name = self.unknowns.name(unknown)
        number, _, run = name.label.partition("/")
        several = self._declared[name.holders, number] > 1
        return Secret(name.holders[0], int(number), name.place + 1, int(run) if several else None)

    @functools.cached_property
    def _declared(self) -> Counter[tuple[tuple[str, ...], str]]:
        """How many different secrets there are of each party and number."""
        secrets = [family for family in self.unknowns.families if family.kind == "secret"]
        return Counter((tuple(sorted(one.holders)), one.label.partition("/")[0]) for one in secrets)


def _place(term: tuple[Secret, int]) -> Any:
    """Where a term stands in a function: by the length of the name first, so that u2 comes before
    u10.
    """
    secret, _ = term
    return len(secret.party), secret.party, secret.number, secret.item, secret.run or 0


def _function_json(learned: LearnedFunction) -> dict[str, Any]:
    terms = [
        {**_secret_json(secret), "coefficient": coefficient}
        for secret, coefficient in learned.terms
    ]
    return {
        "terms": terms,
        "value": learned.value,
        "in_output": learned.in_output,
        "modulus": learned.modulus,
    }


def _leak_json(learned: LearnedFunction) -> dict[str, Any]:
    secret = _secret_json(learned.terms[0][0])
    return {
        **secret,
        "value": learned.true,
        "recovered": learned.value,
        "in_output": learned.in_output,
    }


def _secret_json(secret: Secret) -> dict[str, Any]:
    of_run = {} if secret.run is None else {"run": secret.run}
    return {"party": secret.party, "secret": secret.number, "item": str(secret.item), **of_run}
