"""The solver for runs in which many parties are alike: tables stand for matrices.

Theory of operation. The run is played in numbers, and its doors are recorded. Then the run is read
again as an outline. Three things are checked in each part of the run in which honest parties have
secrets (`structure` says what parts, types and full types are):

- *structure*: every message of an honest party belongs to a type, and every type is full;
- *relations*: alike honest parties compute their messages in the same way, in all coefficients and
  lanes;
- *freshness*: all rows of a sender are read together, and each coin belongs to one sender alone,
  so all relations follow from those that were read.

Then the tables of the run are solved at the sizes that its classes have.

*At least.* `leaks` means that what the coalition sees determines a function beyond the output. We
count this as certain under four conditions. No honest party makes more than one secret. Every
secret of an honest party is made from an input. The function does not combine elements of one
secret (in the secret [x, 1 - x] their sum is constant). The coalition knows the forms of its
messages: if honest parties drew discrete coins outside doors, `hidden_structure` must find this. If
one of these conditions fails, the verdict is `undecided`.

>>> from simnet import Field, Judge, Summed, run, seats
>>> F, SHARE = Field(10_007), Summed("share")
>>> class Sharing:
...     def parties(self):
...         return seats("u", self.user, 30)
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         masks = me.coins.field(F, (29, 1))
...         rows = masks.append(mine - masks.sum())
...         await me.scatter(SHARE, to=me.all("user"), rows=rows)
...         await me.gather_sum(SHARE, senders=me.all("user"))
>>> judge = Judge([run(Sharing(), list(range(30)), seed=1)], by="symmetry")
>>> found = judge.verdict("u1..u28")
>>> found.finding, found.alike.classes
('nothing', (('corrupt users, kind 1', 28), ('honest users, kind 2', 2)))
>>> class Twice(Sharing):
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         await me.scatter(SHARE, to=me.all("user"), rows=type(mine).stack([mine] * 30))
...         await me.gather_sum(SHARE, senders=me.all("user"))
>>> found = Judge([run(Twice(), list(range(30)), seed=1)], by="symmetry").verdict("u1")
>>> found.alike.as_json()["exposed"]
['honest users, kind 2: secret 1, element 1']
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence

import attrs

from simnet.adversary.coalition import Coalition
from simnet.adversary.discrete import DiscreteView, discrete_view
from simnet.adversary.door_laws.disclosed import Disclosures
from simnet.adversary.door_laws.door_judge import DoorJudge
from simnet.adversary.door_laws.surroundings import WidestView
from simnet.adversary.hidden_structure import PlayedAlone
from simnet.adversary.orbits.lift import Lifted, lift
from simnet.adversary.orbits.outline import outline_of
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import OrbitProof
from simnet.adversary.orbits.structure import Component, Structure
from simnet.adversary.reading_again import Recorded
from simnet.adversary.roles import Roles
from simnet.kernel.run import Run
from simnet.stated.about import About


class BySymmetry:
    """Reads a run as an outline, once, and says what coalitions of its parties learn.

    Raises `NotAlike` if the run has something for which there is no rule here, and if the state of
    a global generator such as `random` changed in it. The method `bounds` raises `NotAlike` if the
    parties of the run are not alike, if no proof was found, or if no honest party has declared a
    secret. `ScriptError` is raised for the reasons that `outline_of` names.
    """

    def __init__(
        self,
        given: Sequence[Run],
        both: Sequence[Recorded],
        progress: Callable[[int], None] | None = None,
        with_polynomials: bool = True,
    ) -> None:
        """`given` are the runs as they were given, and `both` the same runs with their doors."""
        if len(both) != 1:
            raise NotAlike("symmetry judges one run at a time")
        ((sampled, record),) = both
        _refuse_foreign_randomness([*given, sampled])
        self.outline = outline_of(sampled, record, progress, with_polynomials)
        _refuse_foreign_randomness([self.outline.run])
        self.structure = Structure(self.outline)
        self.runs = (self.outline.run,)
        self.unknowns = self.outline.reading.unknowns

    @property
    def declaring(self) -> set[str]:
        """The parties that have declared a secret."""
        return set(self.outline.reading.declared)

    @functools.cached_property
    def door_judge(self) -> DoorJudge:
        """Judges the disclosed values of the run."""
        return DoorJudge(self.runs, [self.outline.reading], self.unknowns, lambda: [0], False)

    def bounds(self, coalition: Coalition) -> Lifted:
        """What a coalition learns from field elements, at least and at most.

        Who sends how much to whom follows from disclosed values and from coins that say nothing
        about inputs, because the run was read without inputs. So a coalition that sees the traffic
        learns no more than without it: all disclosed values are judged in any case.
        """
        if self.declaring <= set(coalition.parties):
            raise NotAlike("no honest party has declared a secret")
        numbers = self.outline.run.roster.number
        lifted = lift(self.structure, frozenset(numbers[name] for name in coalition.parties))
        doubt = self._doubt(coalition, lifted) if lifted.at_most == "leaks" else None
        view = None
        if lifted.at_most == "nothing":
            roles = Roles(self.unknowns, coalition.parties, [])
            view = WidestView(functions={}, roles=roles, unknowns=self.unknowns)
        return attrs.evolve(lifted, doubt=doubt, widest=view)

    def _doubt(self, coalition: Coalition, lifted: Lifted) -> str | None:
        """Say why functions beyond the output are perhaps no leak; None if there is no doubt."""
        reading = self.outline.reading
        uses = [use for use in reading.door_uses if use.kind == "secret"]
        honest = [use for use in uses if use.party not in coalition.parties]
        parties = {use.party for use in honest}
        if len(parties) < len(honest) or not all(use.has_input for use in honest):
            return (
                "perhaps the functions beyond the output are made of related secrets, or of "
                "secrets that say nothing about an input; only the upper end is proved"
            )
        if any(map(_combines_elements, lifted.found)):
            return (
                "the functions beyond the output may combine several elements of one secret, and "
                "be the same for all inputs; only the upper end is proved"
            )
        if not PlayedAlone(self.outline).all_noticed_by(coalition.parties):
            return (
                "computing the functions beyond the output may need discrete coins that were drawn "
                "outside doors, and perhaps the coalition does not know these coins; only the "
                "upper end is proved"
            )
        return None

    def discrete(
        self,
        coalition: Coalition,
        disclosures: Disclosures,
        about: About | None,  # noqa: ARG002  # see below
    ) -> DiscreteView:
        """What disclosed values tell a coalition.

        The outline keeps no summed messages, so it knows neither the traffic nor all tags, and what
        the protocol states about its tags is left out. A list of what is seen in clear would lack
        the keys of summed messages. What honest parties disclose is judged whether a message
        carries it or not.
        """
        without = attrs.evolve(coalition, network=False)
        independent = self.door_judge.independent_runs
        view = discrete_view(self.runs, without, disclosures, None, independent)
        return attrs.evolve(view, sees=())


def _refuse_foreign_randomness(runs: Sequence[Run]) -> None:
    """Raise `NotAlike` if the state of a global generator such as `random` changed in a run.

    Messages may then have another content each time, and here contents are not compared.
    """
    generators = dict.fromkeys(name for done in runs for name in done.foreign_randomness)
    if generators:
        changed = " and of ".join(f"`{name}`" for name in generators)
        raise NotAlike(
            f"the state of {changed} changed during the run, so perhaps the script draws random "
            "numbers outside me.coins"
        )


def _combines_elements(found: tuple[Component, OrbitProof]) -> bool:
    """Whether a function beyond the output may combine several elements of one party's secret."""
    component, proof = found
    if proof.finding != "leaks":
        return False
    places: dict[tuple[int, object, int], set[int]] = defaultdict(set)
    for function, column, _ in proof.learned:
        secret = component.secrets[column].number
        places[function, component.system.secrets[column].word, secret].add(column)
    return any(len(columns) > 1 for columns in places.values())
