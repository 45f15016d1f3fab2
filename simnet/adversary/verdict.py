"""Verdicts: what a coalition learns about the secrets of honest parties, at least and at most.

A verdict is about one run, or about several runs that are judged together. Let L be the span of the
functions of honest secrets that the coalition's messages determine. Let F be the span of what the
ideal world hands to the coalition's members in the same runs. Then the finding is ::

    nothing       L = 0
    output-only   L is not 0, and lies in F
    leaks         L does not lie in F
    no-shares     no secret was declared, and no field element was sent: only disclosed values can
                  tell anything

If doors were given field elements, the coalition may learn more than L, or L may tell less than it
seems to. Related secrets, and seeds that may be guessed, are other reasons. So a verdict has two
ends: what is learned `at_least`, which is certain, and what can be learned `at_most`. If the ends
differ, the finding is `undecided`, and the notes of the verdict say why.

For example, three users add up their numbers by secret sharing, and the server is handed the sum::

    u1              nothing       what u1 receives is masked by coins of u2 and u3
    server          output-only   u1 + u2 + u3 = 12, which the ideal world also hands to the server
    server, u1, u2  output-only   u3 = 5: the output itself reveals it, so it is listed in `leaks`

If u3 sends the server its number without a mask, the server alone knows u3 = 5. The sum does not
tell this, so the verdict is `leaks`.

A verdict is about *classes* of parties. If it was found by elimination, each party is a class of
its own. If it was found by symmetry, parties who are alike form a class, and equations with one
coefficient for each kind of message show what is learned (`simnet.adversary.orbits`).

A verdict is about the disclosed values of each run and its discrete coins outside doors, and about
parties that follow the protocol and pool what they see.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import attrs

from simnet import markup
from simnet.adversary.attack import own_part, replay_attack, sampled_sum, sorted_entries
from simnet.adversary.bounds import ShareBounds
from simnet.adversary.coalition import NETWORK, Coalition
from simnet.adversary.discrete import DiscreteView
from simnet.adversary.door_laws.refusals import RefusedInputs
from simnet.adversary.field_view import Excerpt
from simnet.adversary.knowledge import BasisFunction, Knowledge
from simnet.adversary.orbits.lift import Lifted
from simnet.adversary.output_fixes import (
    KnownSum,
    OutputFixes,
    SecretKey,
    SecretValues,
    output_fixes,
)
from simnet.adversary.reading_again import called_json
from simnet.contract import OverItems
from simnet.errors import SimnetError
from simnet.kernel.run import Run
from simnet.linear.unknowns import ONE, PLACES, Unknowns
from simnet.linear.vectors import Vector
from simnet.printable import count_of

ShareFinding = Literal["nothing", "output-only", "leaks", "undecided", "no-shares"]
# in a notebook and in the `repr` of a verdict: the largest number of functions shown, and of
# elements of messages shown for each function
SHOWN = 5
WRITTEN = 100  # the most numbers of messages of one function in JSON
SHARE_FINDINGS: tuple[ShareFinding, ...] = get_args(ShareFinding)


@attrs.frozen
class Secret:
    """One element of a declared secret of a party.

    `number` counts the party's secrets from 0, and `item` the elements of a secret from 1. `run` is
    the run, from 1; it is None if the runs have only one secret of the party with this number, for
    example in a single run. `size` is the number of elements of the secret. `is_by_item` tells
    whether the secret has as many elements as the protocol has items.
    """

    party: str
    number: int
    item: int
    run: int | None = None
    size: int = attrs.field(default=0, eq=False)
    is_by_item: bool = attrs.field(default=True, eq=False)


@attrs.frozen
class SecretProduct:
    """A product of several elements of declared secrets."""

    factors: tuple[Secret, ...]


@attrs.frozen(kw_only=True)
class LearnedFunction:
    """A function of honest secrets that the coalition determines, in one lane.

    The function is linear in secrets and, if scripts multiply secrets, in products of secrets.
    """

    terms: tuple[tuple[Secret, int], ...]  # secrets with their coefficients
    products: tuple[tuple[SecretProduct, int], ...] = ()  # products with their coefficients
    value: int  # the value that the attack computes from messages
    true: int  # the value that follows from the sampled secrets
    in_output: bool  # whether the ideal output determines the function, too
    own: int  # the part of the messages used that the coalition knows itself
    modulus: int
    source: tuple[int, int, int]  # the indices of the field, the function and the lane

    @property
    def exposes(self) -> Secret | None:
        """The secret, if the function is a single secret; else None."""
        return self.terms[0][0] if len(self.terms) == 1 and not self.products else None


@attrs.frozen(eq=False, kw_only=True, repr=False)
class Verdict:
    """What a coalition learns at least and at most, with the attacks that show it.

    `runs` were read symbolically. `sampled_runs` are the same runs in numbers, on which attacks are
    replayed. `knowledge` has the functions that were found, field by field.
    `simnet.verdict` makes verdicts:

    >>> from simnet import Field, Tag, run, seats, verdict
    >>> F, NUMBER = Field(101), Tag("number")
    >>> class Tell:
    ...     def parties(self):
    ...         return seats("u", self.user, 2)
    ...     async def user(self, me, number):
    ...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
    ...         if me.name == "u1":
    ...             await me.send(NUMBER, "u2", mine)
    ...         else:
    ...             await me.receive(NUMBER, "u1", shape=(1,))
    >>> found = verdict(run(Tell(), [5, 7], seed=1), "u2")
    >>> found.finding, found.tier, [function.value for function in found.functions]
    ('leaks', 'proved', [5])
    """

    corrupt: Coalition
    at_least: ShareFinding
    at_most: ShareFinding
    notes: tuple[str, ...]
    discrete: DiscreteView
    knowledge: tuple[Knowledge, ...]
    runs: tuple[Run, ...] = attrs.field(repr=False)
    sampled_runs: tuple[Run, ...] = attrs.field(repr=False)
    unknowns: Unknowns = attrs.field(repr=False)
    # The object that computed both ends of the verdict, by elimination or by symmetry.
    both_ends: ShareBounds | Lifted = attrs.field(repr=False)
    # the possible values of honest secrets, computed when they are needed
    secret_values: Callable[[], Mapping[SecretKey, SecretValues]] = attrs.field(repr=False)
    find_refused: Callable[[], tuple[RefusedInputs, ...]] = attrs.field(repr=False)

    @property
    def bounds(self) -> ShareBounds:
        """Both ends of a verdict that was found by elimination."""
        assert isinstance(self.both_ends, ShareBounds)
        return self.both_ends

    @property
    def alike(self) -> Lifted | None:
        """The classes of parties who are alike, with the proof about them; None if the verdict was
        found by elimination.
        """
        return self.both_ends if isinstance(self.both_ends, Lifted) else None

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the runs."""
        return tuple(done.seed for done in self.runs)

    @property
    def refused(self) -> tuple[RefusedInputs, ...]:
        """Inputs that the verdict is not about: the function of some door refuses them."""
        return self.find_refused()

    @property
    def finding(self) -> ShareFinding:
        """The finding about secret shares; `undecided` if the two ends differ."""
        return self.at_least if self.at_least == self.at_most else "undecided"

    @property
    def tier(self) -> str:
        """`proved`; or `bound` if the verdict is undecided."""
        return "bound" if self.finding == "undecided" else "proved"

    @functools.cached_property
    def functions(self) -> tuple[LearnedFunction, ...]:
        """The reduced basis of L, lane by lane.

        A function is left out if it contains a product that could not be written out
        (`simnet.adversary.rewriting`), or a product of anything but secrets.
        """
        return tuple(
            learned
            for field, knowledge in enumerate(self.knowledge)
            for number, function in enumerate(knowledge.functions)
            if all(map(self._has_name, function.terms))
            for learned in self._in_lanes(knowledge, function, (field, number))
        )

    @property
    def leaks(self) -> tuple[LearnedFunction, ...]:
        """Every single secret in L, whatever the verdict is: an output can also expose a secret."""
        return tuple(function for function in self.functions if function.exposes is not None)

    @functools.cached_property
    def exposed_parties(self) -> tuple[str, ...]:
        """The parties whose single secrets are in L; by symmetry, as far as tables show it."""
        if self.alike is not None:
            numbers = sorted({number for members, _ in self.alike.exposed for number in members})
            return tuple(self.runs[0].roster.names[number] for number in numbers)
        return tuple(dict.fromkeys(leak.exposes.party for leak in self.leaks if leak.exposes))

    @property
    def has_true_attacks(self) -> bool:
        """Whether the attack on every single secret in L gives its true value. No attack is
        replayed for a verdict by symmetry, where equations prove what is learned.
        """
        return all(learned.value == learned.true for learned in self.leaks)

    @property
    def is_aborted(self) -> bool:
        """Whether one of the runs was aborted."""
        return any(done.aborts for done in self.runs)

    @functools.cached_property
    def output_fixes(self) -> OutputFixes:
        """What follows from the output alone; empty unless the verdict is `output-only` and about
        one run.
        """
        if self.finding != "output-only" or len(self.runs) > 1 or self.alike is not None:
            return OutputFixes()
        sums = [
            KnownSum(
                {
                    ((secret.party, secret.number), secret.item): coefficient
                    for secret, coefficient in learned.terms
                },
                learned.value,
                learned.modulus,
            )
            for learned in self.functions
            if not learned.products
        ]
        declared = {(holders[0], int(number)) for holders, number in self._secret_counts}
        return output_fixes(sums, self.secret_values(), declared)

    def attack(self, party: str, item: int, number: int = 0, run: int | None = None) -> int:
        """Return the value of an exposed secret, computed from the messages that the coalition saw.

        The arguments are the fields of the `Secret` that an entry of `leaks` exposes; `run` is None
        for a single run.

        Raises `SimnetError` for a secret that is not exposed.
        """
        wanted = Secret(party, number, item, run)
        for function in self.leaks:
            if function.exposes == wanted:
                return function.value
        raise SimnetError(
            f"{{{self.corrupt}}}: no secret in `leaks` is element {item} of {party}'s secret "
            f"{number + 1} with `run={run}`"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as an object for JSON; later versions keep these keys.

        Under the key `item`, the number of an item is written as a text.
        """
        shares: dict[str, Any] = {
            "verdict": self.finding,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "tier": self.tier,
            "notes": list(self.notes),
            "doors": list(map(called_json, self.sampled_runs)),
            "refused": [attrs.asdict(refused) for refused in self.refused],
            "functions": [
                {**_function_json(function), "computed_from": self._attack_json(function)}
                for function in self.functions
            ],
            "leaks": [_leak_json(function) for function in self.leaks],
            "output_fixes": self.output_fixes.in_words,
        }
        if self.alike is not None:
            shares["by_symmetry"] = self.alike.as_json()
        else:
            shares["vectors"] = sum(knowledge.view.rows for knowledge in self.knowledge)
        return {
            "corrupt": [*self.corrupt.parties, *[NETWORK] * self.corrupt.network],
            "shares": shares,
            "discrete": self.discrete.as_json(),
        }

    def __repr__(self) -> str:
        return "\n".join([self._sentence, *(f"  {line}" for line in self._shown_functions)])

    @property
    def _sentence(self) -> str:
        from simnet.adversary.words import verdict_in_words  # the module `words` imports this class

        return verdict_in_words(self)

    @property
    def _shown_functions(self) -> list[str]:
        from simnet.adversary.words import evidence_in_words, function_in_words

        return [
            f"{function_in_words(learned)}{'' if learned.in_output else ' (beyond the output)'}"
            f" = {evidence_in_words(self, learned, SHOWN)}"
            for learned in self.functions[:SHOWN]
        ]

    def _repr_html_(self) -> str:
        from simnet.adversary.words import evidence_in_words, function_in_words

        shown = markup.paragraph(self._sentence, bold=True)
        rows = [
            [
                function_in_words(learned),
                evidence_in_words(self, learned, SHOWN),
                "yes" if learned.in_output else "no",
            ]
            for learned in self.functions[:SHOWN]
        ]
        if rows:
            heads = ["learned", "computed from", "also told by the output?"]
            shown += markup.table(heads, rows)
        hidden = len(self.functions) - len(rows)
        more = f"and {count_of(hidden, 'more function')}"
        return shown + (markup.paragraph(more) if hidden else "")

    def evidence(
        self, learned: LearnedFunction, most: int | None = None
    ) -> tuple[int, list[tuple[int, Excerpt, int]]]:
        """How the coalition computes a function: from how many elements of messages, and at most
        `most` of these elements.

        Each element comes with its coefficient, its message and its number. From the weighted sum
        of the numbers the coalition subtracts its own part, `learned.own`.
        """
        field, number, lane = learned.source
        weights = self._weights[field, number]
        view = self.knowledge[field].view
        messages = []
        for row in sorted(weights)[:most]:
            excerpt = view.excerpt(row)
            messages.append((weights[row], excerpt, int(excerpt.numbers[lane])))
        return len(weights), messages

    def _attack_json(self, learned: LearnedFunction) -> dict[str, Any]:
        count, evidence = self.evidence(learned, WRITTEN)
        names = self.runs[0].roster.names
        messages = [
            {
                "factor": factor,
                "number": number,
                "tag": message.tag,
                "key": None if message.key is None else str(message.key),
                "round": message.round,
                "sender": names[message.sender],
                "recipient": names[message.recipient],
                "element": message.element + learned.source[2] + 1,
                "run": message.run,
            }
            for factor, message, number in evidence
        ]
        return {"messages": messages, "numbers": count, "own_part": learned.own}

    def own_part_has_numbers(self, learned: LearnedFunction) -> bool:
        """Whether plain numbers in the messages are a part of `learned.own`."""
        field, number, _ = learned.source
        rows, factors = sorted_entries(self._weights[field, number])
        known, _ = own_part(self.knowledge[field], rows, factors)
        return bool((known == ONE).any())

    @functools.cached_property
    def _weights(self) -> dict[tuple[int, int], Vector]:
        """For each function of the reduced bases, the coefficient of each row of the view. Keys are
        pairs: the index of the field, and the number of the function.
        """
        return {
            (field, number): knowledge.weights(function.origin)
            for field, knowledge in enumerate(self.knowledge)
            for number, function in enumerate(knowledge.functions)
        }

    def _in_lanes(
        self, knowledge: Knowledge, function: BasisFunction, source: tuple[int, int]
    ) -> Iterator[LearnedFunction]:
        weights = self._weights[source]
        values, own = replay_attack(knowledge, weights, self.sampled_runs, self.unknowns)
        true_values = sampled_sum(
            self.unknowns,
            *sorted_entries(function.terms),
            knowledge.view.lanes,
            knowledge.modulus,
        ).tolist()
        for lane, value in enumerate(values.tolist()):
            terms, products = [], []
            for unknown, coefficient in function.terms.items():
                factors = self.unknowns.families[unknown // PLACES].factors
                if factors:
                    secrets = tuple(map(self._secret, factors))
                    products.append((SecretProduct(secrets), coefficient))
                else:
                    terms.append((self._secret(unknown + lane), coefficient))
            yield LearnedFunction(
                terms=tuple(sorted(terms, key=lambda term: _place(term[0]))),
                products=tuple(sorted(products, key=lambda term: _places(term[0]))),
                value=value,
                true=true_values[lane],
                in_output=function.in_output,
                own=int(own[lane]),
                modulus=knowledge.modulus,
                source=(*source, lane),
            )

    def _has_name(self, unknown: int) -> bool:
        family = self.unknowns.families[unknown // PLACES]
        if family.factors:
            return all(map(self._has_name, family.factors))
        return family.kind == "secret"

    def _secret(self, unknown: int) -> Secret:
        name = self.unknowns.name(unknown)
        number, _, run = name.label.partition("/")
        differs = self._secret_counts[name.holders, number] > 1
        size = self.unknowns.families[unknown // PLACES].values.size
        return Secret(
            name.holders[0],
            int(number),
            name.place + 1,
            int(run) if differs else None,
            size=size,
            is_by_item=size == self._items,
        )

    @functools.cached_property  # asking whether a protocol has a facet takes 20 µs
    def _items(self) -> int | None:
        protocol = self.runs[0].protocol
        return protocol.items if isinstance(protocol, OverItems) else None

    @functools.cached_property
    def _secret_counts(self) -> Counter[tuple[tuple[str, ...], str]]:
        """How many different secrets the runs have, for each party and each number of a secret."""
        secrets = [family for family in self.unknowns.families if family.kind == "secret"]
        return Counter(
            (tuple(sorted(family.holders)), family.label.partition("/")[0]) for family in secrets
        )


def uncovered_in_words(silent: Sequence[str]) -> list[str]:
    """A note on honest parties that have an input but declared no secret; no note if there are no
    such parties.
    """
    if not silent:
        return []
    if len(silent) == 1:
        return [
            f"{silent[0]} has an input but declared no secret: what the verdict says about secret "
            "shares does not cover this input"
        ]
    more = f"{len(silent) - 1:,} more part{'ies' if len(silent) > 2 else 'y'}"
    return [
        f"{silent[0]} and {more} have inputs but declared no secret: what the verdict says about "
        "secret shares does not cover these inputs"
    ]


def _place(secret: Secret) -> tuple[int, str, int, int, int]:
    """A sort key for secrets in a function: short names first, so that u2 comes before u10."""
    return len(secret.party), secret.party, secret.number, secret.item, secret.run or 0


def _places(product: SecretProduct) -> list[tuple[int, str, int, int, int]]:
    return list(map(_place, product.factors))


def _function_json(function: LearnedFunction) -> dict[str, Any]:
    terms = [
        {**_secret_json(secret), "coefficient": coefficient}
        for secret, coefficient in function.terms
    ]
    products = [
        {"factors": list(map(_secret_json, product.factors)), "coefficient": coefficient}
        for product, coefficient in function.products
    ]
    return {
        "terms": terms,
        **({"products": products} if products else {}),
        "value": function.value,
        "in_output": function.in_output,
        "modulus": function.modulus,
    }


def _leak_json(function: LearnedFunction) -> dict[str, Any]:
    return {
        **_secret_json(function.terms[0][0]),
        "value": function.true,
        "recovered": function.value,
        "in_output": function.in_output,
    }


def _secret_json(secret: Secret) -> dict[str, Any]:
    of_run = {} if secret.run is None else {"run": secret.run}
    return {"party": secret.party, "secret": secret.number, "item": str(secret.item), **of_run}
