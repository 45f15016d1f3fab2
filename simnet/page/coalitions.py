"""The verdicts that the page shows: which coalitions are judged, and what is kept of each verdict.

Theory of operation
-------------------

A page cannot judge a coalition, so all verdicts on it are found before. Up to `MOST_PARTIES`
parties there are few enough coalitions to judge them all. In a larger run we judge those that the
scenario makes claims about, and the page says of every other set that it was not judged. Two facts
about such a set follow from judged ones (docs/proofs/breaking-sets.md), and only these two are
shown:

- A set that contains a judged set which *exposes* u, and does not contain u, exposes u as well.
- A set that lies in a judged set with the verdict `nothing` tells nothing about a party u that is
  outside the judged set.

To learn more than the output is not monotone, so no other verdict is passed on.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs

from simnet.adversary.certificate import certificate_of
from simnet.adversary.judge import Judge
from simnet.adversary.verdict import LearnedFunction, Secret, Verdict
from simnet.adversary.whole_view import besides_in_words, disclosed_in_words
from simnet.adversary.words import (
    evidence_in_words,
    exposed_in_words,
    finding_in_words,
    function_in_words,
    seen_in_words,
    tier_in_words,
)
from simnet.errors import ScriptError, SimnetError
from simnet.kernel.run import Run
from simnet.page.proofs import Interned, Proofs, exact
from simnet.stated.about import About

MOST_PARTIES = 10  # with so many parties, all coalitions are judged
MOST_JUDGED_MESSAGES = 3000  # of a run whose coalitions are all judged
MOST_FUNCTIONS = 40  # functions of one verdict that the page lists
MOST_TERMS = 2000  # terms of all these functions together
MOST_ROWS_OF_A_PROOF = 25_000  # terms of the messages in one proof
MOST_LETTERS_OF_PROOFS = 400_000  # JSON of all proofs together
EVIDENCE_SHOWN = 5  # messages of an attack in words, where there is no proof on the page

NO_PROOF_ROOM = (
    "This proof is too long for the page. The command below writes it into a file, and checks it."
)
UNDECIDED = "An undecided verdict is a bound, and has no proof that could be checked."

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
    """Judge these coalitions of a run, from one symbolic reading."""
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

    def __init__(self, is_private: bool, names: Sequence[str]) -> None:
        self._is_private = is_private
        self._number = {name: place for place, name in enumerate(names)}
        self._sentences = Interned()
        self._secrets = Interned()
        self._disclosures = Interned()
        self._proofs = Proofs(without_numbers=is_private)
        self._letters = 0
        self._listed: list[Json] = []

    def add(self, verdict: Verdict) -> None:
        """Add the record of a verdict."""
        shown = self._shown(verdict)
        record: Json = {
            "members": [self._number[name] for name in verdict.corrupt.parties],
            "finding": verdict.finding,
            "least": verdict.at_least,
            "most": verdict.at_most,
            "sentence": self._sentences.place(self._sentence(verdict)),
            "tier": self._sentences.place(tier_in_words(verdict)),
            "notes": [self._sentences.place(note) for note in verdict.notes],
            "disclosed": self._disclosures.place(_disclosure(verdict)),
            "functions": [self._function(function) for function in shown],
            "more": len(verdict.functions) - len(shown),
            "exposes": sorted({self._number[leak.terms[0][0].party] for leak in verdict.leaks}),
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
            "proofs": self._proofs.as_json(),
        }

    def _sentence(self, verdict: Verdict) -> str:
        """What the coalition learns, in words; without a value if inputs are somebody's data."""
        if verdict.finding == "output-only":
            return self._output_in_words(verdict) + besides_in_words(verdict)
        words = finding_in_words(verdict)
        if not self._is_private:
            return words
        for learned in verdict.functions:
            shown = function_in_words(learned)
            words = words.replace(shown, shown.rpartition(" = ")[0])
        return words

    def _output_in_words(self, verdict: Verdict) -> str:
        """One sentence for both: nothing beyond the output, and what the output itself gives."""
        exposed = exposed_in_words(leak.exposes for leak in verdict.leaks if leak.exposes)
        fixed = None if self._is_private else verdict.output_fixes.in_words
        given = "; ".join(filter(None, (exposed, fixed)))
        sums = "the sums that are listed below"
        return f"learns nothing beyond the output; the output itself gives {given or sums}"

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

    def _function(self, learned: LearnedFunction) -> Json:
        products = [
            [[self._secret(factor) for factor in product.factors], exact(factor)]
            for product, factor in learned.products
        ]
        return {
            "terms": [[self._secret(secret), exact(factor)] for secret, factor in learned.terms],
            **({"products": products} if products else {}),
            **({} if self._is_private else {"value": exact(learned.value)}),
            "in_output": learned.in_output,
            "modulus": exact(learned.modulus),
        }

    def _secret(self, secret: Secret) -> int:
        entry = [self._number[secret.party], secret.number, secret.item]
        return self._secrets.place(entry if secret.run is None else [*entry, secret.run])

    def _proof(self, verdict: Verdict, shown: Sequence[LearnedFunction]) -> Json:
        """The place of the proof, or the reason why there is none on the page."""
        why = NO_PROOF_ROOM
        if verdict.finding == "undecided":
            why = UNDECIDED
        elif self._letters < MOST_LETTERS_OF_PROOFS and _size(verdict) <= MOST_ROWS_OF_A_PROOF:
            try:
                certificate = certificate_of(verdict)
            except SimnetError as error:
                why = f"{str(error)[0].upper()}{str(error)[1:]}."
            else:
                if self._is_private:
                    certificate["protocol"]["parameters"] = {}
                self._letters += _letters(certificate)
                return {"proof": self._proofs.add(certificate)}
        evidence = (
            []
            if self._is_private
            else [
                self._sentences.place(evidence_in_words(verdict, learned, EVIDENCE_SHOWN))
                for learned in shown[:EVIDENCE_SHOWN]
            ]
        )
        return {"unproved": self._sentences.place(why), "evidence": evidence}


def coalitions_json(judged: Judged, done: Run, is_private: bool) -> Json:
    """Return what the page needs of these verdicts."""
    records = _Records(is_private, done.roster.names)
    for verdict in judged.verdicts:
        records.add(verdict)
    declaring = {name for name, secrets in done.secrets.items() if secrets}
    return {
        **records.as_json(),
        "complete": judged.is_complete and not judged.why_none,
        "why_none": judged.why_none,
        "declaring": [number for number, name in enumerate(done.roster.names) if name in declaring],
    }


def _disclosure(verdict: Verdict) -> Json:
    """What is disclosed to everybody, and how it is judged."""
    discrete = verdict.discrete
    stated = discrete.disclosure
    return {
        "words": disclosed_in_words(verdict),
        "tier": "not judged" if stated is None else stated.tier,
        "argument": discrete.reason if stated is None else stated.argument,
        "sees": [seen_in_words(kind) for kind in discrete.sees],
    }


def _size(verdict: Verdict) -> int:
    """How many terms the messages of a verdict have."""
    return sum(len(knowledge.view.terms.unknowns) for knowledge in verdict.knowledge)


def _letters(certificate: Json) -> int:
    """About how many letters a proof adds to the page, without the messages that proofs share."""
    own = ("learned", "shift", "apart", "combined", "hiding", "ideal", "at_most", "opened")
    parts = [[field[key] for key in own] for field in certificate["fields"]]
    return 200 + len(str(parts))
