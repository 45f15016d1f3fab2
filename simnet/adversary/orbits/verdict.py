"""The verdict on a run in which many parties are alike, and what was checked for it.

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
messages: if honest parties drew discrete coins outside doors, `played_alone` must find this. If one
of these conditions fails, the verdict is `undecided`.

>>> from simnet import Field, Summed, run, seats
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
>>> judge = AlikeJudge(Sharing(), list(range(30)), seed=1)
>>> judge.verdict("u1..u28").finding, judge.verdict("u1..u28").classes
('nothing', (('corrupt users, kind 1', 28), ('honest users, kind 2', 2)))
>>> class Twice(Sharing):
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         await me.scatter(SHARE, to=me.all("user"), rows=type(mine).stack([mine] * 30))
...         await me.gather_sum(SHARE, senders=me.all("user"))
>>> AlikeJudge(Twice(), list(range(30)), seed=1).verdict("u1").exposed
('honest users, kind 2: secret 1, element 1',)
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from simnet.adversary.coalition import NETWORK, Coalition, CoalitionLike, coalition_of
from simnet.adversary.discrete import DiscreteView, discrete_view
from simnet.adversary.door_laws.door_judge import DoorJudge
from simnet.adversary.door_laws.refusals import RefusedInputs
from simnet.adversary.door_laws.surroundings import WidestView
from simnet.adversary.orbits.lift import Lifted, lift
from simnet.adversary.orbits.outline import outline_of
from simnet.adversary.orbits.played_alone import knows_forms
from simnet.adversary.orbits.rows import NotAlike
from simnet.adversary.orbits.solving import OrbitProof, exposed_types
from simnet.adversary.orbits.structure import Component, Structure, secret_in_words
from simnet.adversary.reading_again import Recording, called_json, refuse_memory
from simnet.adversary.roles import Roles
from simnet.adversary.verdict import ShareFinding, uncovered_in_words
from simnet.contract import Protocol
from simnet.kernel.inputs import Inputs
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run

THEOREM = 'Theorem 1 of the page "Verdicts on many parties that are alike" in the documentation'


@attrs.frozen(eq=False, kw_only=True)
class AlikeVerdict:
    """What a coalition learns from a run in which many parties are alike.

    `at_most` is proved by tables (`lifted`). `at_least` is the same finding, or `nothing` if
    `notes` say why the upper end may be too high. `checked` are sentences about what was checked on
    the run. `exposed` names single elements of secrets that the coalition determines, as far as
    tables show it, each with the kind of the parties who hold them, and `exposed_parties` names
    these parties. The list `sees` of `discrete` is empty: what the coalition sees in clear is not
    listed.
    """

    corrupt: Coalition
    at_least: ShareFinding
    at_most: ShareFinding
    notes: tuple[str, ...]
    checked: tuple[str, ...]
    exposed: tuple[str, ...]
    exposed_parties: tuple[str, ...]
    # Inputs that the verdict is not about: the function of some door refuses them.
    refused: tuple[RefusedInputs, ...]
    discrete: DiscreteView
    seed: int
    lifted: Lifted = attrs.field(repr=False)
    run: Run = attrs.field(repr=False)
    lanes: int
    theorem: str = THEOREM

    @property
    def runs(self) -> tuple[Run, ...]:
        """The one run, read as an outline."""
        return (self.run,)

    sampled_runs = runs

    @property
    def finding(self) -> ShareFinding:
        """The finding about secret shares; `undecided` if the two ends differ."""
        return self.at_least if self.at_least == self.at_most else "undecided"

    @property
    def finds_all_exposed(self) -> bool:
        """Whether it is certain that `exposed_parties` lists all parties of whose secrets the
        coalition determines single elements.

        It is certain if the field has more elements than every class has parties. The reason is as
        follows. Suppose that an equation gives a single element. Then we can exchange alike parties
        in it, in all possible ways, and take the mean of the resulting equations. (Such a mean
        exists, because its divisor is not 0 in the field.) The mean can be written as a table.
        """
        return all(
            component.system.modulus > max(component.system.sizes.values(), default=0)
            for component, _ in self.lifted.found
        )

    @property
    def has_true_attacks(self) -> bool:
        """True: no attack is replayed in numbers, because equations prove what is learned."""
        return True

    @property
    def is_aborted(self) -> bool:
        """False: no aborted run is judged by symmetry."""
        return False

    @property
    def tier(self) -> str:
        """`proved`, or `bound` for an undecided verdict, which is an upper bound."""
        return "bound" if self.finding == "undecided" else "proved"

    @property
    def classes(self) -> tuple[tuple[str, int], ...]:
        """The classes of the largest system, with their sizes."""
        if not self.lifted.found:
            return ()
        largest = max(self.lifted.found, key=lambda each: sum(each[0].system.sizes.values()))
        return tuple(largest[0].system.sizes.items())

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as an object for JSON; later versions keep these keys."""
        shares = {
            "verdict": self.finding,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "tier": self.tier,
            "notes": list(self.notes),
            "doors": [called_json(self.run)],
            "refused": [attrs.asdict(refused) for refused in self.refused],
            "functions": [],
            "leaks": [],
            "output_fixes": None,
            "by_symmetry": {
                "theorem": self.theorem,
                "checked": list(self.checked),
                "exposed": list(self.exposed),
                "systems": [
                    {"classes": dict(component.system.sizes), "verdict": proof.finding}
                    for component, proof in self.lifted.found
                ],
            },
        }
        return {
            "corrupt": [*self.corrupt.parties, *[NETWORK] * self.corrupt.network],
            "shares": shares,
            "discrete": self.discrete.as_json(),
        }


class AlikeJudge:
    """Plays and reads a run once, and gives verdicts on coalitions of its parties.

    Raises `NotAlike` if the run has something for which there is no rule here, and if the state of
    a global generator such as `random` changed in it. The method `verdict` raises `NotAlike` if the
    parties of the run are not alike, if no proof was found, or if no honest party has declared a
    secret.

    `same_as` is a run that was made before: `ScriptError` is raised if it differs from the played
    run in the numbers or sizes of messages, in an output, or in how a party ended. Contents of
    messages are not compared. `ScriptError` is also raised for the reasons that `outline_of` names,
    and if a function of a door, or a script, was seen to leave something behind. `progress` is
    called with the number of field elements just added to sums, in both readings.
    `with_polynomials` is explained at `outline_of`.
    """

    def __init__(
        self,
        protocol: Protocol,
        inputs: Inputs,
        seed: int,
        *,
        same_as: Run | None = None,
        progress: Callable[[int], None] | None = None,
        with_polynomials: bool = True,
    ) -> None:
        recording = Recording()
        in_place = None if same_as is None else same_as.in_place
        sampled = run(
            protocol, inputs, seed, reading=recording, progress=progress, in_place=in_place
        )
        before = [] if same_as is None else [same_as]
        for done in before:
            compare_runs(done, sampled)
        _refuse_foreign_randomness([*before, sampled])
        refuse_memory(*before, sampled)
        recording.record.check_again()
        self.outline = outline_of(sampled, recording.record, progress, with_polynomials)
        _refuse_foreign_randomness([self.outline.run])
        self.structure = Structure(self.outline)

    def verdict(self, corrupt: CoalitionLike) -> AlikeVerdict:
        """Return what a coalition learns.

        Who sends how much to whom follows from disclosed values and from coins that say nothing
        about inputs, because the run was read without inputs. So a coalition that sees the traffic
        learns no more than without it: all disclosed values are judged in any case.
        """
        done = self.outline.run
        coalition = coalition_of(corrupt, done.roster)
        members = frozenset(done.roster.number[name] for name in coalition.parties)
        notes = self._notes(coalition)
        lifted = lift(self.structure, members)
        at_most: ShareFinding = lifted.finding
        at_least = at_most
        if at_most == "leaks":
            doubt = self._doubt(coalition, lifted)
            if doubt is not None:
                at_least = "nothing"
                notes.append(doubt)
        exposed = self._exposed(lifted)
        exposed_numbers = sorted({number for members, _ in exposed for number in members})
        return AlikeVerdict(
            corrupt=coalition,
            at_least=at_least,
            at_most=at_most,
            notes=tuple(notes),
            checked=self._checked(lifted),
            exposed=tuple(words for _, words in exposed),
            exposed_parties=tuple(done.roster.names[number] for number in exposed_numbers),
            refused=self._door_judge.refused_inputs,
            discrete=self._discrete(coalition, lifted),
            seed=done.seed,
            lifted=lifted,
            run=done,
            lanes=self.outline.lanes,
        )

    def _notes(self, coalition: Coalition) -> list[str]:
        members = set(coalition.parties)
        declaring = set(self.outline.reading.declared)
        if not declaring - members:
            raise NotAlike("no honest party has declared a secret")
        silent = set(self.outline.run.inputs) - members - declaring
        return uncovered_in_words(sorted(silent, key=lambda name: (len(name), name)))

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
        members = frozenset(self.outline.run.roster.number[name] for name in coalition.parties)
        if not knows_forms(self.outline, members):
            return (
                "computing the functions beyond the output may need discrete coins that were drawn "
                "outside doors, and perhaps the coalition does not know these coins; only the "
                "upper end is proved"
            )
        return None

    def _checked(self, lifted: Lifted) -> tuple[str, ...]:
        total = self.outline.run.ledger.total()
        types = sum(
            len(component.system.rows) + len(component.system.variables)
            for component, _ in lifted.found
        )
        return (
            f"structure: each of {total.elements.get('qd', 0):,} field elements that were sent was "
            f"read, the parties fall into classes, and each type of honest parties' messages has "
            f"exactly one message for each choice of parties ({types:,} types of rows "
            f"and variables in {len(lifted.found):,} "
            f"system{'s' if len(lifted.found) != 1 else ''} of equations)",
            "relations: alike honest parties compute their messages in the same way, by the forms "
            "of the messages, in all coefficients and lanes",
            "freshness: the coins were eliminated from all messages of each sender together, and "
            "every coin belongs to one sender alone",
        )

    def _exposed(self, lifted: Lifted) -> list[tuple[Sequence[int], str]]:
        """For each type of secrets of which tables show that every single one is determined: the
        parties who hold these secrets; and their kind, with the secret, in words.

        Secrets that the output alone determines are listed, too.
        """
        found = []
        for component, proof in lifted.found:
            if not proof.learned:
                continue
            for place in exposed_types(component.system, proof):
                (kind,) = component.system.secrets[place].word
                words = secret_in_words(component.secrets[place], self.outline.lanes)
                found.append((component.members[kind], f"{kind}: {words}"))
        return found

    @functools.cached_property
    def _door_judge(self) -> DoorJudge:
        reading = self.outline.reading
        return DoorJudge([self.outline.run], [reading], reading.unknowns, lambda: [0], False)

    def _discrete(self, coalition: Coalition, lifted: Lifted) -> DiscreteView:
        outline, judge = self.outline, self._door_judge
        unknowns = outline.reading.unknowns
        view = None
        if lifted.finding == "nothing":
            roles = Roles(unknowns, coalition.parties, [])
            view = WidestView(functions={}, roles=roles, unknowns=unknowns)
        disclosures = judge.disclosures(coalition.parties, view)
        # The outline keeps no summed messages, so it knows neither the traffic nor all tags, and
        # what the protocol states about its tags is left out.
        view_of_run = discrete_view(
            [outline.run],
            attrs.evolve(coalition, network=False),
            disclosures,
            None,
            judge.independent_runs,
        )
        # A list of what is seen in clear would lack the keys of summed messages. What honest
        # parties disclose is judged whether a message carries it or not.
        return attrs.evolve(view_of_run, sees=())


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
