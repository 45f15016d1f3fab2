"""What a coalition truly learns from a tiny script, by the exact law of its view: every coin is
played out.

A view is what members receive, with rounds and order, and their coins. We ask two questions about a
view, over all inputs of honest parties that an example lists, with the members' own inputs fixed:

    the whole view   is its law the same for all inputs?  Or at least given what the ideal world
                     hands to members?
    from shares      the same, given the history: all outer discrete coins and disclosed values.

An answer is one of `nothing`, `output-only`, `leaks`. A script that discloses its input openly and
hides all else tells nothing from shares, and its whole view leaks.
"""

import functools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import attrs

from tests.harness.corpus.plain_world import Tape, World, worlds

Finding = Literal["nothing", "output-only", "leaks"]
Held = tuple[Any, ...]
Law = Mapping[Hashable, Fraction]


@attrs.frozen
class Truth:
    """What a coalition learns from its whole view, and what it learns from shares given the
    history.
    """

    view: Finding
    shares: Finding


@attrs.frozen(eq=False)
class Played:
    """One world of an ensemble: its probability, and the world of each run."""

    chance: Fraction
    worlds: tuple[World, ...]


class Ensemble:
    """Several protocols run on the same people, one after another; most ensembles have only one
    protocol.

    With `one_seed`, every run has the coins of the first run.
    """

    def __init__(self, protocols: Sequence[Any], one_seed: bool = False) -> None:
        self.protocols = tuple(protocols)
        self._one_seed = one_seed
        self._played: dict[Held, list[Played]] = {}

    def played(self, inputs: Held) -> list[Played]:
        """Return every world on these inputs. `inputs` is a row of inputs for the only run, or a
        list of one row for each run.
        """
        if inputs not in self._played:
            held = self._by_run(inputs)

            def play(tape: Tape) -> Any:
                known: Any = {} if self._one_seed else None
                return tuple(
                    World(protocol, list(own), tape, known)
                    for protocol, own in zip(self.protocols, held, strict=True)
                )

            self._played[inputs] = [Played(chance, of_runs) for chance, of_runs in worlds(play)]
        return self._played[inputs]

    def member_inputs(self, inputs: Held, members: Sequence[str]) -> Hashable:
        """Return what the coalition's members hold. They know these inputs, so it is no leak that
        they can tell them apart.
        """
        first = self.played(inputs)[0]
        return tuple(
            tuple(repr(world.inputs[name]) for name in members if name in world.inputs)
            for world in first.worlds
        )

    def law(self, inputs: Held, members: Sequence[str]) -> Law:
        """Return the exact law of the whole view on these inputs."""
        return _law(self.played(inputs), lambda one: _view(one, members))

    def _by_run(self, inputs: Held) -> Sequence[Sequence[Any]]:
        return [inputs] if len(self.protocols) == 1 else inputs


class TruthOfSet:
    """What a coalition learns about the inputs of honest parties, over all the listed inputs."""

    def __init__(self, ensemble: Ensemble, inputs: Iterable[Held], members: Sequence[str]) -> None:
        groups: dict[Hashable, list[list[Played]]] = {}
        for held in inputs:
            known = ensemble.member_inputs(held, members)
            groups.setdefault(known, []).append(ensemble.played(held))
        self._groups = list(groups.values())
        self._members = members
        self._by_history: dict[Hashable, Finding] = {}

    @functools.cached_property
    def view(self) -> Finding:
        """What the whole view tells."""
        return self._finding(lambda _: ())

    @functools.cached_property
    def shares(self) -> Finding:
        """What the view tells if the history is known, for the history at which it tells most."""
        return self._finding(lambda one: (history(one), _own(one, self._members)))

    def shares_at(self, past: Hashable) -> Finding:
        """Return what the view tells in the worlds that have the history `past`."""
        if past not in self._by_history:
            self._by_history[past] = self._finding(
                lambda one: _own(one, self._members),
                [
                    [[one for one in played if history(one) == past] for played in group]
                    for group in self._groups
                ],
            )
        return self._by_history[past]

    def _finding(
        self,
        condition: Callable[[Played], Hashable],
        groups: Sequence[Sequence[Sequence[Played]]] | None = None,
    ) -> Finding:
        groups = self._groups if groups is None else groups
        if self._is_independent(condition, groups):
            return "nothing"
        if self._is_independent(lambda one: (condition(one), _handed(one, self._members)), groups):
            return "output-only"
        return "leaks"

    def _is_independent(
        self,
        condition: Callable[[Played], Hashable],
        groups: Sequence[Sequence[Sequence[Played]]],
    ) -> bool:
        """Return whether the law of the view, given the condition, is the same on all inputs on
        which the condition occurs.
        """
        for group in groups:
            known: dict[Hashable, Law] = {}
            for played in group:
                for value, law in self._conditional(played, condition).items():
                    if known.setdefault(value, law) != law:
                        return False
        return True

    def _conditional(
        self, played: Sequence[Played], condition: Callable[[Played], Hashable]
    ) -> Mapping[Hashable, Law]:
        parts: dict[Hashable, list[Played]] = {}
        for one in played:
            parts.setdefault(condition(one), []).append(one)
        laws = {}
        for value, part in parts.items():
            law = _law(part, lambda one: _view(one, self._members))
            # Without a condition we compare the probabilities themselves. So inputs differ if more
            # worlds are given up on one of them than on the other.
            total = sum(law.values(), Fraction(0)) if value != () else Fraction(1)
            laws[value] = {view: chance / total for view, chance in law.items()}
        return laws


def truth(ensemble: Ensemble, inputs: Iterable[Held], members: Sequence[str]) -> Truth:
    """Return what the members learn, in the form in which an example declares it."""
    of_set = TruthOfSet(ensemble, inputs, members)
    return Truth(view=of_set.view, shares=of_set.shares)


def _law(played: Iterable[Played], of: Callable[[Played], Hashable]) -> Law:
    law: dict[Hashable, Fraction] = {}
    for one in played:
        key = of(one)
        law[key] = law.get(key, Fraction(0)) + one.chance
    return law


def _view(one: Played, members: Sequence[str]) -> Hashable:
    return tuple((world.own(members), world.view(members)) for world in one.worlds)


def _own(one: Played, members: Sequence[str]) -> Hashable:
    return tuple(world.own(members) for world in one.worlds)


def history(one: Played) -> Hashable:
    """Return the outer discrete coins and disclosed values of all runs, and whether each run ended
    early.
    """
    return tuple((world.history, world.error is not None) for world in one.worlds)


def _handed(one: Played, members: Sequence[str]) -> Hashable:
    return tuple(tuple(world.handed.get(name) for name in members) for world in one.worlds)


@functools.cache
def order(finding: str) -> int:
    """Return a finding's place in the order of how much is learned: `nothing` is 0, `leaks` is
    2.
    """
    return ("nothing", "output-only", "leaks").index(finding)
