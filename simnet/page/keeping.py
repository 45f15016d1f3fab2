"""What a page keeps back about a run whose inputs are somebody's data.

Theory of operation. A script cannot use a sealed input as a number. Here three other ways are
closed in which inputs could reach the page.

- *Numbers.* The truth, the seed, the contents of messages and their keys, values of attacks, and
  outputs except the estimate are left out.
- *Coefficients.* A script may disclose a value and multiply a secret by it. The value is then a
  coefficient of the form of a message, so it is also in equations and proofs. If a party has
  disclosed anything that was made from a sealed value, we leave out all coefficients but 1 and -1,
  and all proofs that need others.
- *Texts.* A script may write a disclosed value into a tag, and an error may quote a number. So `#`
  replaces numbers in errors and notes, and the digits of tags on a page without coefficients.

The page still shows who sent a message to whom and when, how large it was, and who can compute
what. In some protocols these facts depend on disclosed values.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import attrs

from simnet.adversary.reading_again import played_again, recorded
from simnet.adversary.verdict import Verdict
from simnet.doors.call import Plain
from simnet.doors.record import DoorRecord
from simnet.errors import ScriptError
from simnet.kernel.reading import Sampled
from simnet.kernel.run import Run

Json = dict[str, Any]
_WORD = re.compile(r"\w*\d\w*")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"#(?:[.,]#)*(?:e[-+]?#)?")  # with # in the place of its digits


@attrs.frozen
class Keeping:
    """What a page leaves out: `numbers` if the inputs are somebody's data, and `coefficients` if
    values were disclosed that may depend on these inputs. `names` has the words in the names of
    parties; the page keeps the digits of these words.

    >>> Keeping(numbers=True, coefficients=True).tag("bid 733")
    'bid #'
    """

    numbers: bool = False
    coefficients: bool = False
    names: Collection[str] = ()

    def tag(self, tag: str) -> str:
        """A tag as the page shows it."""
        return _DIGITS.sub("#", tag) if self.coefficients else tag

    def text(self, text: str) -> str:
        """A text as the page shows it. If the page leaves numbers out, `#` replaces them, except in
        names of parties.

        >>> Keeping(numbers=True, names={"u1"}).text("u1 sends 733 elements, bid733 and 7.1e-5")
        'u1 sends # elements, bid# and #'
        """
        if not self.numbers:
            return text
        return _NUMBER.sub("#", _WORD.sub(self._without_digits, text))

    def _without_digits(self, found: re.Match[str]) -> str:
        return found[0] if found[0] in self.names else _DIGITS.sub("#", found[0])

    def hides(self, coefficient: int, modulus: int) -> bool:
        """Whether the page leaves out a coefficient."""
        return self.coefficients and coefficient not in (1, modulus - 1)

    def hides_proof(self, verdict: Verdict) -> bool:
        """Whether the messages of a verdict have coefficients that the page leaves out."""
        return self.coefficients and any(
            self.hides(coefficient, knowledge.modulus)
            for knowledge in verdict.knowledge
            for coefficient in set(knowledge.view.terms.coefficients.tolist())
        )

    def hides_in(self, certificate: Json) -> bool:
        """Whether the forms that a certificate lists have coefficients that the page leaves out."""
        return self.coefficients and any(
            self.hides(coefficient, field["modulus"])
            for field in certificate["fields"]
            for form in _listed_forms(field)
            for _, coefficient in form
        )

    def certificate(self, content: Json) -> Json:
        """A certificate as the page shows it. If the page leaves numbers out, so does the
        certificate: keys of messages, settings and the numbers of messages, which are all 0.
        """
        if not self.numbers:
            return content
        runs = [{**run, "sent": self._sent(run["sent"])} for run in content["runs"]]
        fields = [
            {
                **field,
                "messages": list(map(self._message, field["messages"])),
                "learned": [_without_numbers(each, field, content) for each in field["learned"]],
            }
            for field in content["fields"]
        ]
        return {
            **content,
            "protocol": {**content["protocol"], "parameters": {}},
            "runs": runs,
            "reveals": [],
            "closed": list(map(self._message, content["closed"])),
            "fields": fields,
        }

    def _message(self, message: Json) -> Json:
        return {**message, "tag": self.tag(message["tag"]), "key": None}

    def _sent(self, sent: Json) -> Json:
        """Counts by tag. Tags that look the same on the page are counted together."""
        together: dict[str, list[int]] = {}
        for tag, counts in sent.items():
            before = together.get(self.tag(tag), [0, 0])
            together[self.tag(tag)] = [a + b for a, b in zip(before, counts, strict=True)]
        return together


def _without_numbers(entry: Json, field: Json, content: Json) -> Json:
    """A learned function with the number 0 for each message and unknown, but 1 for the number 1."""

    def number(unknown: int) -> int:
        family, _ = field["unknowns"][unknown]
        return int(content["families"][family]["kind"] == "public")

    lanes = field["lanes"]
    own = [[u, factor, [number(u)] * lanes] for u, factor, _ in entry["own"]]
    value = -sum(factor * numbers[0] for _, factor, numbers in own) % field["modulus"]
    weights = [[row, factor, [0] * lanes] for row, factor, _ in entry["weights"]]
    return {**entry, "weights": weights, "own": own, "values": [value] * lanes}


def _listed_forms(field: Json) -> Iterator[Sequence[Sequence[int]]]:
    """The forms of messages, of rows given to doors, and of the ideal output."""
    for message in field["messages"]:
        for _, form in message["rows"]:
            yield form
    for row in field["opened"]:
        yield row["form"]
    yield from field["ideal"]


def played(done: Run, is_private: bool) -> tuple[Run, Keeping]:
    """Play a run again with all parties observed. Return the new run, and what a page about this
    run keeps back.

    `is_private` says whether the inputs are somebody's data.
    """
    names = done.roster.names
    if not is_private:
        return played_again(done, names, Sampled()), Keeping()
    try:
        sampled, record = recorded(done, names)
    except ScriptError:  # the script behaves in another way when it is played again
        again = played_again(done, names, Sampled())
        return again, Keeping(numbers=True, coefficients=True, names=words_of(names))
    discloses = _discloses(record)
    return sampled, Keeping(numbers=True, coefficients=discloses, names=words_of(names))


def kept_of(done: Run, is_private: bool) -> Keeping:
    """What a page keeps back about a run whose messages it does not show one by one."""
    if not is_private:
        return Keeping()
    try:
        _, record = recorded(done, ())
    except ScriptError:
        return Keeping(numbers=True, coefficients=True, names=words_of(done.roster.names))
    discloses = _discloses(record)
    return Keeping(numbers=True, coefficients=discloses, names=words_of(done.roster.names))


def words_of(names: Sequence[str]) -> frozenset[str]:
    """The words in names that begin with a letter and have a digit, such as g1 and u2 in g1.u2."""
    words = _WORD.findall(" ".join(names))
    return frozenset(word for word in words if word[0].isalpha())


def _discloses(record: DoorRecord) -> bool:
    """Whether a party disclosed anything that was made from a sealed value."""
    return any(
        call.kind == "disclose" and not all(isinstance(each, Plain) for each in call.arguments)
        for calls in record.calls.values()
        for call in calls
    )
