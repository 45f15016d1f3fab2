"""The solver that eliminates coins: the runs are read symbolically, form by form.

Each party is a class of its own. The rules are those of `simnet.adversary.bounds`.
"""

from collections.abc import Hashable, Sequence

from simnet.adversary.bounds import ShareBounds
from simnet.adversary.coalition import Coalition
from simnet.adversary.deductions import Sight
from simnet.adversary.discrete import DiscreteView, discrete_view
from simnet.adversary.door_laws.disclosed import Disclosures
from simnet.adversary.door_laws.door_judge import DoorJudge
from simnet.adversary.door_uses import DoorUse
from simnet.adversary.field_view import (
    BlockForms,
    BoxesReceived,
    boxes_received,
    forms_received,
    public_keys_received,
)
from simnet.adversary.hidden_structure import OtherWorlds
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.reading_again import Recorded, read_blind
from simnet.adversary.rewriting import DoorChecks, Doors
from simnet.adversary.symbolic import SharedSecrets, Symbolic
from simnet.doors.captured import knowledge_of
from simnet.kernel.ideal import ideal_world
from simnet.kernel.run import Run
from simnet.linear.forms import Forms
from simnet.linear.unknowns import Unknowns
from simnet.record.trace import NoCanonicalForm, canonical
from simnet.stated.about import About
from simnet.values.field import FieldArray


class ByElimination(DoorChecks):
    """Reads runs symbolically, and says what coalitions of observed parties learn.

    `runs` were read without inputs. `door_judge` judges their disclosed values.
    """

    def __init__(
        self,
        given: Sequence[Run],
        both: Sequence[Recorded],
        observed: Sequence[str],
        same_inputs: bool,
    ) -> None:
        """`given` are the runs as they were given, and `both` the same runs with their doors.

        Raises `ScriptError` and `SimnetError` as `Judge` does.
        """
        self.unknowns = Unknowns()
        shared = SharedSecrets()
        self._readings = [
            Symbolic(
                record,
                self.unknowns,
                shared,
                run=_identity(done) if same_inputs else id(done),
                inputs="the same" if same_inputs else None,
                place=place,
            )
            for place, (done, (_, record)) in enumerate(zip(given, both, strict=True))
        ]
        self.runs = tuple(
            read_blind(sampled, observed, reading)
            for (sampled, _), reading in zip(both, self._readings, strict=True)
        )
        self._other_worlds = [
            OtherWorlds(sampled, reading, record, observed)
            for (sampled, record), reading in zip(both, self._readings, strict=True)
        ]
        self._ideal_outputs = [
            ideal_world(done.protocol, done.inputs, done.seed, reading, done.happened)
            for done, reading in zip(self.runs, self._readings, strict=True)
        ]
        self._doors = Doors(
            self.unknowns,
            [use for reading in self._readings for use in reading.door_uses],
            [product for reading in self._readings for product in reading.products],
            self,
            same_inputs,
        )
        self.door_judge = DoorJudge(
            self.runs,
            self._readings,
            self.unknowns,
            lambda: list(map(_identity, given)),
            same_inputs,
        )

    @property
    def declaring(self) -> set[str]:
        """The parties that have declared a secret in some run."""
        return {name for reading in self._readings for name in reading.declared}

    def bounds(self, coalition: Coalition) -> ShareBounds:
        """What a coalition learns from field elements, at least and at most."""
        handed = [
            array
            for outputs in self._ideal_outputs
            for name in coalition.parties
            for array in arrays_of(outputs.get(name))
            # A functionality may also hand out plain numbers; these are no functions of secrets.
            if isinstance(array, Forms)
        ]
        parts: list[BlockForms] = []
        boxes: list[BoxesReceived] = []
        public_keys: set[bytes] = set()
        shown_keys: set[bytes] = set()
        for place, done in enumerate(self.runs):
            numbers = done.roster.number
            members = frozenset(numbers[name] for name in coalition.parties if name in numbers)
            parts += forms_received(place, done.transcript.blocks, members)
            if self.unknowns.queries:
                boxes += boxes_received(place, done.transcript.blocks, members)
                signed = self.unknowns.signed
                public_keys.update(public_keys_received(done.transcript.blocks, members, signed))
                shown_keys.update(public_keys_received(done.transcript.blocks, members, {}))
        sight = Sight(parts, boxes, frozenset(public_keys), frozenset(shown_keys), handed)
        return ShareBounds(self._doors, coalition.parties, sight)

    def discrete(
        self, coalition: Coalition, disclosures: Disclosures, about: About | None
    ) -> DiscreteView:
        """What a coalition sees besides field elements."""
        return discrete_view(
            self.runs, coalition, disclosures, about, self.door_judge.independent_runs
        )

    # What the bounds ask.

    def knows_structure(self, corrupt: Sequence[str]) -> bool:
        """Whether we take the coalition to know the forms of its messages (`hidden_structure`)."""
        return all(worlds.all_noticed_by(corrupt) for worlds in self._other_worlds)

    def refuses_by_inputs_alone(self, use: DoorUse) -> bool:
        """See `DoorJudge.refuses_by_inputs_alone`."""
        return self.door_judge.refuses_by_inputs_alone(use)

    def has_witness(self, corrupt: Sequence[str], knowledge: Sequence[Knowledge]) -> bool:
        """See `DoorJudge.has_witness`."""
        return self.door_judge.has_witness(corrupt, knowledge)


def _identity(done: Run) -> Hashable:
    """Return a key of a run; a run that is given twice has one key. Runs have different keys if
    their protocols differ in anything. In this comparison, an object whose contents are not visible
    is equal to itself alone.

    Raises `NoCanonicalForm` if an input has no canonical form.
    """
    try:
        inputs = canonical(done.inputs)
    except NoCanonicalForm as error:
        raise NoCanonicalForm(f"the inputs of a run contain {error}") from None
    fates = tuple(sorted((name, str(fate)) for name, fate in done.fates.items()))
    return (
        done.seed,
        knowledge_of(done.protocol),
        inputs,
        knowledge_of(dict(done.inputs)),  # a function of a door may tell 2 from `np.int64(2)`
        knowledge_of(done.schedule),
        fates,
        done.deadlines,
        done.message_fates,
    )


def arrays_of(handed: FieldArray | Sequence[FieldArray] | None) -> Sequence[FieldArray]:
    """The arrays that the ideal world hands to one party."""
    if handed is None:
        return ()
    return list(handed) if isinstance(handed, Sequence) else [handed]
