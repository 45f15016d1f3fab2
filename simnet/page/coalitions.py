"""The verdicts that the page shows: which coalitions are judged, and what is kept of each verdict.

Theory of operation
-------------------

A page cannot judge a coalition, so we find all verdicts before we write the page. We judge all
coalitions of a run with at most `MOST_PARTIES` parties and `MOST_JUDGED_MESSAGES` messages. Of a
larger run the page has the verdicts by elimination on the coalitions of the scenario's claims, and
the verdicts on those that the caller names. It says of every other set that it was not judged. Two
facts about such a set follow from the verdicts on judged sets (docs/proofs/breaking-sets.md), and
the page shows only these two:

- Let a judged set *expose* a party u. Then every larger set without u exposes u as well.
- Let a judged set have the verdict `nothing`. Then no set within it learns anything from secret
  shares about a party outside the judged set.

If a set learns more than its output, a larger set need not, because the output of the larger set
may say more, too.

The proof of a verdict is its certificate, which the page checks with the reader of certificates in
JavaScript. JavaScript reads numbers in the page's other data as doubles, which are exact below
2^53. Any other number is written as a text that begins with `#`.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from simnet.adversary.certificate import certificate_of, certificate_text
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import LearnedFunction, Secret, Verdict
from simnet.adversary.whole_view import disclosed_in_words, discloses_nothing
from simnet.adversary.words import evidence_in_words, seen_in_words, tier_in_words
from simnet.errors import ScriptError, SimnetError
from simnet.kernel.run import Run
from simnet.page.keeping import Keeping
from simnet.stated.about import About

MOST_PARTIES = 10  # of a run whose coalitions are all judged
MOST_JUDGED_MESSAGES = 3000  # of a run whose coalitions are all judged
MOST_FUNCTIONS = 40  # functions of one verdict that the page lists
MOST_TERMS = 2000  # terms of all these functions together
MOST_ROWS_OF_A_PROOF = 25_000  # terms of the messages in one proof
MOST_LETTERS_OF_PROOFS = 4_000_000  # of all certificates together; the page compresses them
EXACT = 1 << 53  # JavaScript's numbers are exact below this
EVIDENCE_SHOWN = 5  # messages of an attack in words, where there is no proof on the page

NO_PROOF_ROOM = (
    "The page has no room for this proof. The command simnet verify writes it into a file with the "
    "option --certificate FILE, and python -m simnet.adversary.check FILE checks it."
)
NO_COEFFICIENTS = (
    "The proof is left out: it has coefficients that may be disclosed values, and these may depend "
    "on inputs. The command simnet verify writes the proof into a file with the option "
    "--certificate FILE, and python -m simnet.adversary.check FILE checks it."
)
UNDECIDED = "An undecided verdict consists of two bounds, and has no proof that could be checked."

Json = dict[str, Any]


@attrs.frozen
class Judged:
    """The verdicts on one run. `verdicts` are in the order in which the page lists them.

    `is_complete` says whether all coalitions were judged. `why_none` says why there is no verdict
    at all; otherwise it is empty.
    """

    verdicts: tuple[Verdict, ...]
    is_complete: bool
    why_none: str = ""


def judge_all(done: Run, about: About, progress: Callable[[int], None] = lambda _: None) -> Judged:
    """Judge all coalitions of a run that is small enough; see `is_small`."""
    names = done.roster.names
    return judge_some(done, about, _every_set(names), True, progress)


def judge_some(
    done: Run,
    about: About,
    sets: Iterable[Sequence[str]],
    is_complete: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Judged:
    """Judge these coalitions of a run, from one symbolic reading. Coalitions that cannot be judged
    are left out. If none of the given coalitions can be judged, `why_none` of the result says why
    the last one cannot, or why no coalition can.
    """
    chosen = [tuple(members) for members in sets]
    verdicts: list[Verdict] = []
    why = ""
    try:
        judge = Judge([done], sorted({name for members in chosen for name in members}), about)
    except ScriptError as error:
        return Judged((), is_complete=False, why_none=str(error))
    for members in chosen:
        try:
            verdicts.append(judge.verdict(members))
        except SimnetError as error:  # nothing to judge: no other party declared a secret
            is_complete, why = False, str(error)
        progress(1)
    return Judged(tuple(verdicts), is_complete, "" if verdicts else why)


def is_small(done: Run) -> bool:
    """Whether a run has so few parties and messages that all its coalitions are judged."""
    return len(done.roster) <= MOST_PARTIES and done.ledger.total().messages <= MOST_JUDGED_MESSAGES


def _every_set(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for size in range(1, len(names) + 1):
        yield from itertools.combinations(names, size)


class _Records:
    """Writes verdicts as JSON for the page; what several verdicts share is written once."""

    def __init__(self, kept: Keeping, names: Sequence[str]) -> None:
        self._kept = kept
        self._number = {name: place for place, name in enumerate(names)}
        self._sentences = Interned()
        self._secrets = Interned()
        self._disclosures = Interned()
        self._certificates: list[str] = []
        self._listed: list[Json] = []

    def add(self, verdict: Verdict) -> None:
        """Add the record of a verdict."""
        shown = self._shown(verdict)
        record: Json = {
            "members": [self._number[name] for name in verdict.corrupt.parties],
            "finding": verdict.finding,
            "least": verdict.at_least,
            "most": verdict.at_most,
            "fixes": self._fixes(verdict),
            "tier": self._sentences.place(self._kept.text(tier_in_words(verdict))),
            "notes": [self._sentences.place(self._kept.text(note)) for note in verdict.notes],
            "disclosed": self._disclosures.place(self._disclosure(verdict)),
            "functions": [
                self._function(function, self._kept.hides_proof(verdict)) for function in shown
            ],
            "more": len(verdict.functions) - len(shown),
            "exposed": [self._secret(leak.terms[0][0]) for leak in verdict.leaks],
            **self._proof(verdict, shown),
        }
        self._listed.append({key: value for key, value in record.items() if value != []})

    def as_json(self) -> Json:
        """Return all records and the tables that they point into."""
        return {
            "sentences": self._sentences.listed,
            "secrets": self._secrets.listed,
            "disclosures": self._disclosures.listed,
            "verdicts": self._listed,
            "proofs": self._certificates,
            "numbers": not self._kept.numbers,
        }

    def _fixes(self, verdict: Verdict) -> list[int]:
        """A list with the place of a text that says what follows from the values of the output. The
        list is empty if nothing follows, or if the page keeps numbers back.
        """
        words = None if self._kept.numbers else verdict.output_fixes.in_words
        return [] if words is None else [self._sentences.place(words)]

    @staticmethod
    def _shown(verdict: Verdict) -> list[LearnedFunction]:
        shown: list[LearnedFunction] = []
        room = MOST_TERMS
        for function in verdict.functions[:MOST_FUNCTIONS]:
            room -= len(function.terms) + len(function.products)
            if room < 0:
                break
            shown.append(function)
        return shown

    def _function(self, learned: LearnedFunction, hides: bool) -> Json:
        """A function; `hides` says whether its coefficients may be disclosed values."""

        def shown(coefficient: int) -> int | str | None:
            is_left_out = hides and self._kept.hides(coefficient, learned.modulus)
            return None if is_left_out else exact(coefficient)

        products = [
            [[self._secret(factor) for factor in product.factors], shown(factor)]
            for product, factor in learned.products
        ]
        return {
            "terms": [[self._secret(secret), shown(factor)] for secret, factor in learned.terms],
            **({"products": products} if products else {}),
            **({} if self._kept.numbers else {"value": exact(learned.value)}),
            "in_output": learned.in_output,
            "modulus": exact(learned.modulus),
        }

    def _secret(self, secret: Secret) -> int:
        entry = [self._number[secret.party], secret.number, secret.item, secret.size]
        return self._secrets.place(entry if secret.run is None else [*entry, secret.run])

    def _proof(self, verdict: Verdict, shown: Sequence[LearnedFunction]) -> Json:
        """The place of the proof, or the reason why there is none on the page."""
        why = NO_PROOF_ROOM
        if verdict.finding == "undecided":
            why = UNDECIDED
        elif self._kept.hides_proof(verdict):
            why = NO_COEFFICIENTS
        elif self._has_room(verdict):
            try:
                certificate = certificate_of(verdict)
            except SimnetError as error:
                why = self._kept.text(f"{str(error)[0].upper()}{str(error)[1:]}.")
            else:
                if not self._kept.hides_in(certificate):
                    text = certificate_text(self._kept.certificate(certificate))
                    self._certificates.append(text)
                    return {"proof": len(self._certificates) - 1}
                why = NO_COEFFICIENTS
        evidence = (
            []
            if self._kept.numbers
            else [
                self._sentences.place(evidence_in_words(verdict, learned, EVIDENCE_SHOWN))
                for learned in shown[:EVIDENCE_SHOWN]
            ]
        )
        return {"unproved": self._sentences.place(why), "evidence": evidence}

    def _has_room(self, verdict: Verdict) -> bool:
        letters = sum(map(len, self._certificates))
        return letters < MOST_LETTERS_OF_PROOFS and _size(verdict) <= MOST_ROWS_OF_A_PROOF

    def _disclosure(self, verdict: Verdict) -> Json:
        """What disclosed values tell the coalition, and how this is judged."""
        discrete = verdict.discrete
        stated = discrete.disclosure
        sees = ({**kind, "what": self._kept.tag(kind["what"])} for kind in discrete.sees)
        return {
            "words": disclosed_in_words(verdict),
            "is_nothing": discloses_nothing(verdict),
            "tier": "not judged" if stated is None else stated.tier,
            "argument": discrete.reason if stated is None else stated.argument,
            "sees": [seen_in_words(kind) for kind in sees],
        }


def coalitions_json(judged: Judged, done: Run, kept: Keeping) -> Json:
    """Return what the page needs of these verdicts."""
    records = _Records(kept, done.roster.names)
    for verdict in judged.verdicts:
        records.add(verdict)
    declaring = {name for name, secrets in done.secrets.items() if secrets}
    return {
        **records.as_json(),
        "complete": judged.is_complete and not judged.why_none,
        "why_none": kept.text(judged.why_none),
        "declaring": [number for number, name in enumerate(done.roster.names) if name in declaring],
    }


def _size(verdict: Verdict) -> int:
    """About how many terms the messages of a verdict have."""
    return sum(knowledge.view.size for knowledge in verdict.knowledge)


class Interned:
    """A list in which equal values have one place.

    >>> table = Interned()
    >>> table.place(["u1", 3]), table.place(["u2", 0]), table.place(["u1", 3])
    (0, 1, 0)
    """

    def __init__(self) -> None:
        self.listed: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: Mapping[str, Any] | Sequence[Any] | str) -> int:
        """Return the place of a value, which is added if no equal value is there."""
        key = json.dumps(value, sort_keys=True)
        place = self._places.setdefault(key, len(self.listed))
        if place == len(self.listed):
            self.listed.append(value)
        return place


def exact(number: int) -> int | str:
    """Return a whole number of at least 0 as JSON that a script reads exactly.

    >>> exact(7), exact(2**60)
    (7, '#1152921504606846976')
    """
    return number if number < EXACT else f"#{number}"
