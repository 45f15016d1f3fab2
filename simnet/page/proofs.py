"""The proofs of many verdicts on one run, stored so that what they share is written once.

Theory of operation
-------------------

The page checks the proofs that it has room for. It uses the reader of certificates in JavaScript,
so it needs a certificate for each of these proofs. Certificates of one run share much text: many
messages and coins occur in several of them. So we keep three tables for all of them::

    families   every family of unknowns, once
    unknowns   for each modulus: pairs of a family and a place in it
    messages   every message with its forms, once for each way in which it is listed

A proof then names messages by their place in the table. In the forms of a message, and in the rest
of the proof, an unknown is its place in the table of its modulus. A script of the page reads the
proof, numbers families and unknowns as they occur, and writes the certificate. The result may
number the unknowns of a message in another order than Python's own certificate.

JavaScript reads numbers as doubles, which are exact below 2^53. Any other number is written as a
text that begins with `#`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simnet.page.keeping import Keeping

Json = dict[str, Any]
EXACT = 1 << 53  # JavaScript's numbers are exact below this


class Proofs:
    """Certificates of one run, as the page stores them. If the page keeps numbers back, the stored
    certificates leave out the numbers and the keys of messages, and the values learned.

    >>> Proofs(Keeping()).as_json()["proofs"]
    []
    """

    def __init__(self, kept: Keeping) -> None:
        self._kept = kept
        self._without_numbers = kept.numbers
        self._families = Interned()
        self._unknowns: dict[int, Interned] = {}
        self._messages = Interned()
        self._header: Json = {}
        self._proofs: list[Json] = []

    def add(self, certificate: Json) -> int:
        """Store a certificate, and return its place."""
        self._header = {key: certificate[key] for key in ("format", "version", "protocol")}
        self._header["runs"] = [self._run(run) for run in certificate["runs"]]
        families = [self._family(certificate, place) for place in self._in_order(certificate)]
        self._proofs.append(
            {
                **{
                    key: certificate[key]
                    for key in (
                        *("statement", "disclosed", "notes", "reveals", "written_out"),
                        *("seeds", "public_keys", "known"),
                    )
                },
                "closed": [
                    {
                        **box,
                        "tag": self._kept.tag(box["tag"]),
                        "key": None if self._without_numbers else box["key"],
                    }
                    for box in certificate["closed"]
                ],
                "told": [families[number] for number in certificate["told"]],
                "doors": [
                    {**door, "made": None if door["made"] is None else families[door["made"]]}
                    for door in certificate["doors"]
                ],
                "fields": [self._field(field, families) for field in certificate["fields"]],
            }
        )
        if self._without_numbers:
            self._proofs[-1]["reveals"] = []
        return len(self._proofs) - 1

    def as_json(self) -> Json:
        """Return all tables for the data of the page."""
        return {
            "header": self._header,
            "families": self._families.listed,
            "unknowns": {str(q): table.listed for q, table in self._unknowns.items()},
            "messages": self._messages.listed,
            "proofs": self._proofs,
            "numbers": not self._without_numbers,
        }

    def _run(self, run: Json) -> Json:
        """The entry of a run in the header of the certificates. Tags that look the same on the page
        are counted together.
        """
        sent: dict[str, list[int]] = {}
        for tag, counts in run["sent"].items():
            before = sent.get(self._kept.tag(tag), [0, 0])
            sent[self._kept.tag(tag)] = [a + b for a, b in zip(before, counts, strict=True)]
        return {**run, "sent": sent}

    @staticmethod
    def _in_order(certificate: Json) -> range:
        return range(len(certificate["families"]))  # factors stand before their monomials already

    def _family(self, certificate: Json, place: int) -> int:
        family = certificate["families"][place]
        factors = [
            [self._family(certificate, number), within] for number, within in family["factors"]
        ]
        return self._families.place({**family, "factors": sorted(factors)})

    def _field(self, field: Json, families: Sequence[int]) -> Json:
        modulus = field["modulus"]
        table = self._unknowns.setdefault(modulus, Interned())
        places = [table.place([families[number], place]) for number, place in field["unknowns"]]

        def form(pairs: Sequence[Sequence[int]]) -> list[list[Any]]:
            # All proofs use one order, so that a message is stored once.
            return sorted([places[unknown], exact(coefficient)] for unknown, coefficient in pairs)

        messages = [
            self._messages.place(
                {
                    **message,
                    "tag": self._kept.tag(message["tag"]),
                    "key": None if self._without_numbers else message["key"],
                    "modulus": exact(modulus),
                    "lanes": field["lanes"],
                    "rows": [[element, form(pairs)] for element, pairs in message["rows"]],
                }
            )
            for message in field["messages"]
        ]
        stored = {
            "modulus": exact(modulus),
            "lanes": field["lanes"],
            "messages": messages,
            "opened": [{**row, "form": form(row["form"])} for row in field["opened"]],
            "learned": [self._learned(entry, form, places) for entry in field["learned"]],
            "ideal": list(map(form, field["ideal"])),
            "shift": [[places[coin], form(pairs)] for coin, pairs in field["shift"]],
            "changes": field["changes"] and [[row, places[coin]] for row, coin in field["changes"]],
            "given": [places[coin] for coin in field["given"]],
            "seeds": [
                {
                    "seed": entry["seed"],
                    "rows": list(map(form, entry["rows"])),
                    "told": [
                        [[[row, exact(factor)] for row, factor in weights], form(own)]
                        for weights, own in entry["told"]
                    ],
                    "private": [[row, form(moves)] for row, moves in entry["private"]],
                }
                for entry in field["seeds"]
            ],
        }
        # Most proofs have none of some kind, so an empty list is left out.
        return {key: value for key, value in stored.items() if key == "changes" or value != []}

    def _learned(self, entry: Json, form: Callable[..., Any], places: Sequence[int]) -> Json:
        function = form(entry["function"])
        if self._without_numbers:
            return {
                "function": function,
                "weights": [[row, exact(factor)] for row, factor, _ in entry["weights"]],
                "own": [[places[unknown], exact(factor)] for unknown, factor, _ in entry["own"]],
            }
        return {
            "function": function,
            "weights": [[row, exact(f), list(map(exact, n))] for row, f, n in entry["weights"]],
            "own": [[places[u], exact(f), list(map(exact, n))] for u, f, n in entry["own"]],
            "values": list(map(exact, entry["values"])),
        }


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
