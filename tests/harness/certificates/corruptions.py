"""Ways to corrupt a certificate: some 160 named kinds, each with an aim of its own, and some kinds
that change a random place.

A kind is a function. It takes the content of a certificate, which it may change, and draws the
place to change. It returns the changed content, or the bytes of a file, or None if the certificate
has no place of this sort. Contents are written in the canonical form, so that a reader cannot
refuse them for their layout alone; kinds that change the layout return bytes.

Example: the modulus 0.5 instead of a prime.

>>> content = {"fields": [{"modulus": 7}]}
>>> KINDS["modulus 0.5"](content, random.Random(0))
{'fields': [{'modulus': 0.5}]}
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

Content = Any
Kind = Callable[[Content, random.Random], Any]

KINDS: dict[str, Kind] = {}


def written(content: Content) -> bytes:
    """Return a content as bytes in the canonical form, as far as it has a canonical form."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    return text.encode("utf-8", "surrogatepass")


def corrupted(text: str, kind: str, draw: random.Random) -> bytes | None:
    """Return a certificate with this kind of corruption; None if the kind does not apply, or
    changes nothing.
    """
    try:
        made = KINDS[kind](json.loads(text), draw)
        if made is None:
            return None
        result = made if isinstance(made, bytes) else written(made)
    except (IndexError, KeyError, ValueError, TypeError):
        # The certificate has no field, row or coin to choose, or a node would contain itself.
        return None
    return None if result == text.encode() else result


def _kind(name: str) -> Callable[[Kind], Kind]:
    def add(kind: Kind) -> Kind:
        assert name not in KINDS
        KINDS[name] = kind
        return kind

    return add


# Places in a certificate.


def _field(content: Content, draw: random.Random, key: str | None = None) -> Any:
    """Return a random field of the certificate; with `key`, one whose list under this key is not
    empty.
    """
    return draw.choice([f for f in content["fields"] if key is None or f[key]])


def _fields_with_rows(content: Content) -> list[Any]:
    return [field for field in content["fields"] if field["messages"]]


def _message(content: Content, draw: random.Random) -> Any:
    return draw.choice(_field(content, draw, "messages")["messages"])


def _forms(field: Any) -> Iterator[Any]:
    """Yield all forms of a field that are not empty."""
    for message in field["messages"]:
        yield from (form for _, form in message["rows"] if form)
    if field["alike"] is not None:
        yield from (form for _, _, form in field["alike"]["rows"] if form)
    yield from (row["form"] for row in field["opened"] if row["form"])
    yield from (entry["function"] for entry in field["learned"])
    yield from field["ideal"]
    yield from (form for _, form in field["shift"])


def _form(content: Content, draw: random.Random) -> tuple[Any, Any]:
    """Return a random field and one of its forms."""
    field = _field(content, draw, "unknowns")
    return field, draw.choice(list(_forms(field)))


def _nodes(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all places in a JSON value: the list or object that contains the place, and its index
    or key there.
    """
    keys = list(node) if isinstance(node, dict) else range(len(node))
    for key in keys:
        yield node, key
        if isinstance(node[key], dict | list):
            yield from _nodes(node[key])


def _other_residue(value: int, modulus: int, draw: random.Random) -> int:
    return draw.choice([v for v in {1, 2, modulus - 1, (value + 1) % modulus} if v != value])


# The modulus.

for _value in (1, -1, 0, 0.5, True, None, "5", 4, 561, 3215031751, 2**64 + 13, 10**30):

    def _modulus(content: Content, draw: random.Random, value: Any = _value) -> Content:
        _field(content, draw)["modulus"] = value
        return content

    _kind(f"modulus {_value!r}")(_modulus)


@_kind("another prime as modulus")
def _other_prime(content: Content, draw: random.Random) -> Content:
    _field(content, draw)["modulus"] = draw.choice([2, 3, 5, 7, 11, 101, 2**61 - 1])
    return content


@_kind("modulus squared")
def _squared(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw)
    field["modulus"] **= 2
    return content


# Names.

_PLACES_OF_NAMES: dict[str, Callable[[Content, random.Random], tuple[Any, Any]]] = {
    "set": lambda content, _: (content, "set"),
    "holders": lambda content, draw: (draw.choice(content["families"]), "holders"),
}
for _place, _find in _PLACES_OF_NAMES.items():

    def _as_text(content: Content, draw: random.Random, find: Any = _find) -> Content:
        node, key = find(content, draw)
        node[key] = draw.choice(["".join(node[key]), node[key][0], "u1", ",".join(node[key])])
        return content

    def _emptied(content: Content, draw: random.Random, find: Any = _find) -> Content:
        node, key = find(content, draw)
        node[key] = draw.choice([[], "", None, [""], {}])
        return content

    def _repeated(content: Content, draw: random.Random, find: Any = _find) -> Content:
        node, key = find(content, draw)
        node[key] = sorted([*node[key], draw.choice(node[key])])
        return content

    def _odd_names(content: Content, draw: random.Random, find: Any = _find) -> Content:
        node, key = find(content, draw)
        node[key] = draw.choice([[1], [True], [None], [["u1"]], [{}], [*node[key], 7]])
        return content

    def _lookalike(content: Content, draw: random.Random, find: Any = _find) -> Content:
        node, key = find(content, draw)
        at = draw.randrange(len(node[key]))
        trick = draw.choice(
            ["\u200b", "\u202e", "\u0301", " ", "\n", "\x7f", "\U0001f6dc", "\ue000", "\u2028"]
        )
        node[key][at] += trick
        return content

    _kind(f"{_place} as a text")(_as_text)
    _kind(f"{_place} empty")(_emptied)
    _kind(f"{_place} with a repeated name")(_repeated)
    _kind(f"{_place} with what is no name")(_odd_names)
    _kind(f"{_place} with a letter that does not show")(_lookalike)


@_kind("a member dropped from the set")
def _member_dropped(content: Content, draw: random.Random) -> Content:
    content["set"].pop(draw.randrange(len(content["set"])))
    return content


@_kind("a member added to the set")
def _member_added(content: Content, draw: random.Random) -> Content:
    names = {name for family in content["families"] for name in family["holders"]}
    content["set"].append(draw.choice(sorted(names - set(content["set"]))))
    return content


@_kind("the set renamed everywhere but among holders")
def _renamed(content: Content, draw: random.Random) -> Content:
    old = draw.choice(content["set"])
    content["set"][content["set"].index(old)] = "z"
    for field in content["fields"]:
        for message in field["messages"]:
            message["to"] = "z" if message["to"] == old else message["to"]
    return content


@_kind("the set's names in another order")
def _set_order(content: Content, draw: random.Random) -> Content:
    draw.shuffle(content["set"])
    return content


@_kind("a name that goes on with a sentence")
def _sentence_as_name(content: Content, draw: random.Random) -> Content:
    old = draw.choice(content["set"])
    new = f"{old}}} nothing about the secrets of other parties." + draw.choice(" \n\r") + "{u9"
    text = json.dumps(content, ensure_ascii=False)
    return json.loads(text.replace(json.dumps(old), json.dumps(new, ensure_ascii=False)))


@_kind("two members under one name")
def _joined_names(content: Content, draw: random.Random) -> Content:
    first, second = draw.sample(content["set"], 2)
    both = f"{first}, {second}"
    text = json.dumps(content, ensure_ascii=False)
    made = json.loads(text.replace(f'"{first}"', f'"{both}"').replace(f'"{second}"', f'"{both}"'))
    made["set"] = sorted(set(made["set"]))
    return made


@_kind("one set's fields under another set's name")
def _other_set(content: Content, draw: random.Random) -> Content:
    names = {name for family in content["families"] for name in family["holders"]}
    names |= {message["from"] for field in content["fields"] for message in field["messages"]}
    content["set"] = sorted(draw.sample(sorted(names), draw.randint(1, len(names))))
    return content


# Families.


@_kind("coins that nobody holds")
def _nobody(content: Content, draw: random.Random) -> Content:
    draw.choice([f for f in content["families"] if f["kind"] == "coin"])["holders"] = []
    return content


@_kind("kind of a family")
def _family_kind(content: Content, draw: random.Random) -> Content:
    family = draw.choice(content["families"])
    family["kind"] = draw.choice(["coin", "secret", "product", "monomial", "public", "dealt", ""])
    return content


@_kind("all secrets as coins")
def _all_coins(content: Content, draw: random.Random) -> Content:
    for family in content["families"]:
        family["kind"] = "coin" if family["kind"] == "secret" else family["kind"]
    return content


@_kind("holders changed")
def _holders(content: Content, draw: random.Random) -> Content:
    names = sorted({name for f in content["families"] for name in f["holders"]} | {"z"})
    names = sorted({*names, *content["set"]})
    family = draw.choice(content["families"])
    family["holders"] = sorted(draw.sample(names, draw.randint(1, min(2, len(names)))))
    return content


@_kind("holders in another order")
def _holders_order(content: Content, draw: random.Random) -> Content:
    family = draw.choice(content["families"])
    family["holders"] = ["z", *family["holders"], "a"]
    return content


@_kind("label of a family")
def _label(content: Content, draw: random.Random) -> Content:
    family, other = draw.choice(content["families"]), draw.choice(content["families"])
    family["label"] = draw.choice([other["label"], "", "x", 5, None, "\ud800"])
    return content


@_kind("one family under two numbers")
def _family_twice(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    family, place = draw.choice(field["unknowns"])
    content["families"].append({**content["families"][family]})
    field["unknowns"].append([len(content["families"]) - 1, place])
    return content


@_kind("size of a family")
def _size(content: Content, draw: random.Random) -> Content:
    family = draw.choice(content["families"])
    family["size"] = draw.choice([0, -1, 1, family["size"] + 1, family["size"] - 1, 1.0, True, "1"])
    return content


@_kind("factors of a family")
def _factors(content: Content, draw: random.Random) -> Content:
    at = draw.randrange(len(content["families"]))
    family = content["families"][at]
    other = draw.randrange(len(content["families"]))
    family["factors"] = draw.choice([[[other, 0]], [[other, 0]] * 2, [[at, 0]] * 2, [[-1, 0]] * 2])
    if len(family["factors"]) == 2 and draw.random() < 0.7:
        family |= {"kind": "monomial", "holders": [], "label": "", "size": 1}
    return content


# Unknowns and lanes.


@_kind("one unknown under two numbers")
def _unknown_twice(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    first, second = draw.sample(range(len(field["unknowns"])), 2)
    field["unknowns"][first] = [*field["unknowns"][second]]
    return content


@_kind("a secret takes its mask's number in a copy")
def _mask_twice(content: Content, draw: random.Random) -> Content:
    """Give a message that tells a secret a coin that is listed a second time."""
    field = _field(content, draw, "shift")
    coin, form = draw.choice(field["shift"])
    copy = len(field["unknowns"])
    field["unknowns"].append([*field["unknowns"][coin]])
    rows = [row for message in field["messages"] for row in message["rows"]]
    row = draw.choice(rows)
    row[1] = [[u, value] for u, value in row[1] if u != coin] + [[copy, 1]]
    field["shift"].append([copy, form])
    return content


@_kind("lanes that overlap")
def _overlap(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    at = draw.randrange(len(field["unknowns"]))
    family, place = field["unknowns"][at]
    step = draw.choice([-1, 1]) * draw.randint(1, max(1, field["lanes"] - 1))
    content["families"][family]["size"] += 2 * field["lanes"]
    new = [family, max(0, place + step)]
    if draw.random() < 0.5:
        field["unknowns"].append(new)
    else:
        field["unknowns"][draw.randrange(len(field["unknowns"]))] = new
    return content


@_kind("number of lanes")
def _lanes(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw)
    lanes = field["lanes"]
    field["lanes"] = draw.choice([0, -1, lanes + 1, lanes * 2, 1, 1.0, True, 10**30, str(lanes)])
    return content


@_kind("negative place")
def _negative(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    draw.choice(field["unknowns"])[draw.randrange(2)] = -draw.randint(1, 3)
    return content


@_kind("place out of range")
def _out_of_range(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    at = draw.randrange(2)
    draw.choice(field["unknowns"])[at] += draw.choice([50, 10**6, 2**53, 2**64])
    return content


@_kind("an unknown of another family")
def _other_family(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    unknown = draw.choice(field["unknowns"])
    unknown[0] = draw.randrange(len(content["families"]))
    return content


@_kind("families in two fields")
def _two_fields(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    other: dict[str, Any] = {key: [] for key in field} | {
        "modulus": draw.choice([q for q in (2, 3, 11, 13) if q != field["modulus"]]),
        "alike": None,
        "changes": None if field["changes"] is None else [],
        "lanes": 1,
        "unknowns": [[*draw.choice(field["unknowns"])]],
    }
    if draw.random() < 0.7:  # a value that is masked in one field is sent in the clear in the other
        message = json.loads(json.dumps(_message(content, draw)))
        message["rows"] = [[0, [[0, 1]]]]
        content["runs"][0]["sent"][message["tag"]] = [9, 99]
        other["messages"] = [message]
    content["fields"] = sorted([field, other], key=lambda each: each["modulus"])
    return content


@_kind("fields in another order, or twice")
def _field_order(content: Content, draw: random.Random) -> Content:
    content["fields"] = [*content["fields"], draw.choice(content["fields"])]
    return content


@_kind("a field dropped")
def _field_dropped(content: Content, draw: random.Random) -> Content:
    content["fields"].pop(draw.randrange(len(content["fields"])))
    return content


# Forms.


@_kind("coefficient of a form")
def _coefficient(content: Content, draw: random.Random) -> Content:
    field, form = _form(content, draw)
    pair = draw.choice(form)
    pair[1] = _other_residue(pair[1], field["modulus"], draw)
    return content


@_kind("coefficient that is no residue")
def _no_residue(content: Content, draw: random.Random) -> Content:
    field, form = _form(content, draw)
    pair = draw.choice(form)
    q, value = field["modulus"], pair[1]
    pair[1] = draw.choice([0, q, value + q, value - q, -1, float(value), str(value), True, None])
    return content


@_kind("term dropped from a form")
def _term_dropped(content: Content, draw: random.Random) -> Content:
    _, form = _form(content, draw)
    form.pop(draw.randrange(len(form)))
    return content


@_kind("term added to a form")
def _term_added(content: Content, draw: random.Random) -> Content:
    field, form = _form(content, draw)
    left = set(range(len(field["unknowns"]))) - {u for u, _ in form}
    form.append([draw.choice(sorted(left)), 1])
    form.sort()
    return content


@_kind("term of a form twice, or out of order")
def _term_twice(content: Content, draw: random.Random) -> Content:
    _, form = _form(content, draw)
    form.append([*draw.choice(form)])
    return content


@_kind("unknown of a form that is none")
def _no_unknown(content: Content, draw: random.Random) -> Content:
    field, form = _form(content, draw)
    at = draw.choice([-1, len(field["unknowns"]), 0.0, False, "0", None, [0], 2**53 + 1])
    draw.choice(form)[0] = at
    return content


@_kind("two unknowns swapped in all forms but one kind")
def _swapped_unknowns(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    first, second = draw.sample(range(len(field["unknowns"])), 2)
    swap = {first: second, second: first}
    for message in field["messages"]:
        for row in message["rows"]:
            row[1] = sorted([swap.get(u, u), value] for u, value in row[1])
    return content


# Classes of parties who are alike.


def _classes(content: Content, draw: random.Random) -> Any:
    return draw.choice([field["alike"] for field in content["fields"] if field["alike"]])


@_kind("a class with more or fewer parties")
def _class_size(content: Content, draw: random.Random) -> Content:
    draw.choice(_classes(content, draw)["classes"])[1] += draw.choice([-1, 1, 2])
    return content


@_kind("another word")
def _other_word(content: Content, draw: random.Random) -> Content:
    alike = _classes(content, draw)
    word = draw.choice([[], [0], [0, 1], [1, 0], [0, 0], [9]])
    kind = draw.choice(["rows", "unknowns", "functions", "ideal", "columns"])
    if kind == "rows":
        draw.choice(alike[kind])[1] = word
    else:
        alike[kind][draw.randrange(len(alike[kind]))] = word
    return content


@_kind("another matching")
def _other_matching(content: Content, draw: random.Random) -> Content:
    _classes(content, draw)
    entry = draw.choice(_form(content, draw)[1])
    found = draw.choice([[], [[0, 0]], [[0, 1]], [[1, 0]], [[0, 0], [1, 1]], [[0, 0], [1, 0]]])
    entry[2:] = [found]
    return content


# Messages.


@_kind("a message dropped")
def _message_dropped(content: Content, draw: random.Random) -> Content:
    messages = _field(content, draw, "messages")["messages"]
    messages.pop(draw.randrange(len(messages)))
    return content


@_kind("all messages dropped, nothing stated")
def _all_dropped(content: Content, draw: random.Random) -> Content:
    for field in _fields_with_rows(content):
        field["messages"], field["learned"] = [], []
        field["changes"] = None if field["changes"] is None else []
    content["statement"] = "nothing"
    return content


@_kind("a message twice")
def _message_twice(content: Content, draw: random.Random) -> Content:
    messages = _field(content, draw, "messages")["messages"]
    messages.append(draw.choice(messages))
    return content


@_kind("messages in another order")
def _message_order(content: Content, draw: random.Random) -> Content:
    draw.shuffle(_field(content, draw, "messages")["messages"])
    return content


@_kind("a message from a member, or to another")
def _sender(content: Content, draw: random.Random) -> Content:
    message = _message(content, draw)
    message["from"], message["to"] = draw.choice(
        [
            (message["to"], message["to"]),
            (message["to"], message["from"]),
            (message["from"], message["from"]),
            (message["from"], "z"),
            ("z", message["to"]),
            ("", message["to"]),
            (message["from"], ""),
        ]
    )
    return content


@_kind("what is said of a message")
def _said_of_message(content: Content, draw: random.Random) -> Content:
    message = _message(content, draw)
    key = draw.choice(["key", "piece", "round", "run", "tag"])
    message[key] = draw.choice([0, 1, 2, -1, None, "t", "", 1.0, True, -(10**999), [], 2**70])
    return content


@_kind("a row dropped")
def _row_dropped(content: Content, draw: random.Random) -> Content:
    rows = _message(content, draw)["rows"]
    rows.pop(draw.randrange(len(rows)))
    return content


@_kind("a row twice")
def _row_twice(content: Content, draw: random.Random) -> Content:
    rows = _message(content, draw)["rows"]
    element, form = draw.choice(rows)
    rows.append([draw.choice([element, rows[-1][0] + 1, rows[-1][0] + 10]), form])
    return content


@_kind("two rows swapped")
def _rows_swapped(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "messages")
    first, second = draw.sample([row for m in field["messages"] for row in m["rows"]], 2)
    first[1], second[1] = second[1], first[1]
    return content


@_kind("element of a row")
def _element(content: Content, draw: random.Random) -> Content:
    row = draw.choice(_message(content, draw)["rows"])
    row[0] = draw.choice([row[0] + 1, -1, 0, row[0] - 1, 10**20, float(row[0]), False])
    return content


@_kind("a row that tells a secret")
def _telling_row(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "messages")
    message = draw.choice(field["messages"])
    content["runs"][message["run"] - 1]["sent"].setdefault(message["tag"], [0, 0])[1] += 99
    unknown = draw.randrange(len(field["unknowns"]))
    message["rows"].append([message["rows"][-1][0] + field["lanes"], [[unknown, 1]]])
    return content


@_kind("a row that tells a secret, which is said to move")
def _moving_secret(content: Content, draw: random.Random) -> Content:
    made = _telling_row(content, draw)
    for field in made["fields"]:
        moved = {unknown for unknown, _ in field["shift"]}
        secrets = [
            at
            for at, (family, _) in enumerate(field["unknowns"])
            if made["families"][family]["kind"] == "secret" and at not in moved
        ]
        field["shift"] = sorted(field["shift"] + [[at, [[at, 1]]] for at in secrets])
    return made


@_kind("a row that is told twice with another mask")
def _second_mask(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "messages")
    message = draw.choice(field["messages"])
    content["runs"][message["run"] - 1]["sent"].setdefault(message["tag"], [0, 0])[1] += 99
    _, form = draw.choice(message["rows"])
    again = [[*pair] for pair in form]
    again[draw.randrange(len(again))][1] = 1
    message["rows"].append([message["rows"][-1][0] + field["lanes"], again])
    return content


# What is learned.


@_kind("a function dropped")
def _function_dropped(content: Content, draw: random.Random) -> Content:
    learned = _field(content, draw, "learned")["learned"]
    learned.pop(draw.randrange(len(learned)))
    return content


@_kind("a function twice")
def _function_twice(content: Content, draw: random.Random) -> Content:
    learned = _field(content, draw, "learned")["learned"]
    learned.append(draw.choice(learned))
    return content


@_kind("a function that nobody can compute")
def _function_added(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "messages")
    unknown, zeros = draw.randrange(len(field["unknowns"])), [0] * field["lanes"]
    for entry in field["learned"]:
        entry["function"] = [pair for pair in entry["function"] if pair[0] != unknown]
    field["learned"].append(
        {"function": [[unknown, 1]], "weights": [[0, 1, zeros]], "own": [], "values": zeros}
    )
    if all(unknown not in dict(form) for form in field["ideal"]):
        field["witness"] = [[unknown, [[0, 1]]]]
    content["statement"] = "leaks"
    return content


@_kind("a function changed")
def _function(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "learned")
    entry = draw.choice(field["learned"])
    pair = draw.choice(entry["function"])
    pair[1] = _other_residue(pair[1], field["modulus"], draw)
    return content


@_kind("a function scaled")
def _scaled(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "learned")
    entry, q = draw.choice(field["learned"]), field["modulus"]
    factor = draw.randint(2, q - 1)
    entry["values"] = [value * factor % q for value in entry["values"]]
    for key in ("function", "weights", "own"):
        entry[key] = [[at, value * factor % q, *more] for at, value, *more in entry[key]]
    return content


@_kind("a weight")
def _weight(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "learned")
    entry = draw.choice(field["learned"])
    triple = draw.choice([*entry["weights"], *entry["own"]])
    q = field["modulus"]
    triple[1] = draw.choice([_other_residue(triple[1], q, draw), 0, -1, q, triple[1] + q, 1.0])
    return content


@_kind("a weight dropped, or twice")
def _weights(content: Content, draw: random.Random) -> Content:
    entry = draw.choice(_field(content, draw, "learned")["learned"])
    triples = entry[draw.choice(["weights", "own"])]
    at = draw.randrange(len(triples))
    triples[at : at + 1] = draw.choice([[], [triples[at]] * 2])
    return content


@_kind("row of a weight")
def _weight_row(content: Content, draw: random.Random) -> Content:
    entry = draw.choice(_field(content, draw, "learned")["learned"])
    triple = draw.choice([*entry["weights"], *entry["own"]])
    triple[0] = draw.choice([triple[0] + 1, triple[0] - 1, -1, 999, 0.0, False])
    return content


@_kind("a number of a message")
def _number(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "learned")
    entry = draw.choice(field["learned"])
    numbers = draw.choice([*entry["weights"], *entry["own"]])[2]
    at, q = draw.randrange(len(numbers)), field["modulus"]
    numbers[at] = draw.choice([_other_residue(numbers[at], q, draw), q, -1, numbers[at] + q, 0.0])
    return content


@_kind("numbers for too few or too many lanes")
def _numbers(content: Content, draw: random.Random) -> Content:
    entry = draw.choice(_field(content, draw, "learned")["learned"])
    lists = [entry["values"], *(triple[2] for triple in [*entry["weights"], *entry["own"]])]
    draw.choice(lists).append(0) if draw.random() < 0.5 else draw.choice(lists).pop()
    return content


@_kind("the value of a function")
def _function_value(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "learned")
    values = draw.choice(field["learned"])["values"]
    at = draw.randrange(len(values))
    values[at] = _other_residue(values[at], field["modulus"], draw)
    return content


@_kind("own unknowns of an attack that are not own")
def _own_part(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "learned")
    entry = draw.choice(field["learned"])
    unknown = draw.choice(entry["function"])[0]
    entry["own"] = [[unknown, 1, [0] * field["lanes"]]]
    entry["function"] = [pair for pair in entry["function"] if pair[0] != unknown]
    return content


@_kind("the ideal output enlarged")
def _enlarged(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    pivots = {pair[0] for form in field["ideal"] for pair in form}
    entries = [entry["function"] for entry in field["learned"]]
    if entries and draw.random() < 0.5:
        field["ideal"] = entries
        content["statement"] = "output-only"
    else:
        left = sorted(set(range(len(field["unknowns"]))) - pivots)
        field["ideal"].append([[draw.choice(left), 1]])
    return content


@_kind("the ideal output without one form")
def _ideal_less(content: Content, draw: random.Random) -> Content:
    """Also without what is said to follow from the form."""
    field = _field(content, draw, "ideal")
    gone = draw.randrange(len(field["ideal"]))
    field["ideal"].pop(gone)
    field["factor"] = [
        [at, [[form - (form > gone), value] for form, value in row]]
        for at, row in field["factor"]
        if gone not in {form for form, _ in row}
    ]
    return content


@_kind("factor, rest or witness: an entry changed")
def _matrix_changed(content: Content, draw: random.Random) -> Content:
    field, key = draw.choice(
        [(f, key) for f in content["fields"] for key in ("factor", "rest", "witness") if f[key]]
    )
    entry = draw.choice(draw.choice(field[key])[1])
    entry[1] = entry[1] % (field["modulus"] - 1) + 1
    return content


@_kind("a leak that is none, shown by a change that the output notices")
def _leak_claimed(content: Content, draw: random.Random) -> Content:
    if content["statement"] != "output-only":
        raise ValueError("all functions must follow from the output")
    content["statement"] = "leaks"
    field = _field(content, draw, "learned")
    unknown = draw.choice(field["learned"])["function"][0][0]
    field["witness"] = [[unknown, [[0, 1]]]]
    return content


@_kind("a leak that is said to follow from the output")
def _leak_denied(content: Content, draw: random.Random) -> Content:
    content["statement"] = "output-only"
    for field in content["fields"]:
        following = dict(field["factor"])
        form = [[draw.randrange(len(field["ideal"])), 1]] if field["learned"] else []
        field["factor"] = [[at, following.get(at, form)] for at in range(len(field["learned"]))]
        field["witness"] = []
    return content


@_kind("all secrets in the ideal output")
def _all_ideal(content: Content, draw: random.Random) -> Content:
    content["statement"] = "output-only"
    for field in content["fields"]:
        field["ideal"] = [[[unknown, 1]] for unknown in range(len(field["unknowns"]))]
    return content


# The proof that coins hide the rest.


@_kind("shift: an entry dropped")
def _shift_dropped(content: Content, draw: random.Random) -> Content:
    entries = _field(content, draw, "shift")["shift"]
    entries.pop(draw.randrange(len(entries)))
    return content


@_kind("shift: an entry changed")
def _shift_changed(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "shift")
    pair = draw.choice(draw.choice(field["shift"])[1])
    at = draw.randrange(2)
    pair[at] = draw.choice([pair[at] + 1, 0, -1, 1, field["modulus"] - 1, 1.0, True])
    return content


@_kind("shift: of another unknown")
def _shift_moved(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "shift")
    entry = draw.choice(field["shift"])
    entry[0] = draw.choice([*range(len(field["unknowns"])), -1, 0.0, 999])
    field["shift"].sort(key=lambda each: each[0])
    return content


@_kind("shift: an entry added")
def _shift_added(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    unknowns = range(len(field["unknowns"]))
    pairs = draw.choice([[], [[draw.choice(unknowns), 1]]])
    field["shift"].append([draw.choice(unknowns), pairs])
    field["shift"].sort(key=lambda each: each[0])
    return content


# The changes of coins.


@_kind("changes: one dropped or moved to another place")
def _change_dropped(content: Content, draw: random.Random) -> Content:
    changes = _field(content, draw, "changes")["changes"]
    change = changes.pop(draw.randrange(len(changes)))
    if draw.random() < 0.3:
        changes.insert(draw.randrange(len(changes) + 1), change)
    return content


@_kind("changes: another row or coin")
def _change_changed(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "changes")
    change = draw.choice(field["changes"])
    rows = sum(len(message["rows"]) for message in field["messages"]) + len(field["opened"])
    at = draw.randrange(2)
    places = range((rows, len(field["unknowns"]))[at])
    change[at] = draw.choice([*places, *places, -1, 99, True])
    return content


@_kind("changes: one added, or none listed")
def _change_added(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    field["changes"] = draw.choice([None, [], [[0, draw.randrange(len(field["unknowns"]))]]])
    return content


@_kind("given: a coin more or fewer")
def _given(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    if field["given"] and draw.random() < 0.5:
        field["given"].pop()
    else:
        field["given"].append(draw.randrange(len(field["unknowns"])))
    return content


@_kind("shift of an own coin or a secret")
def _shift_of_own(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "shift")
    held = [
        at
        for at, (family, _) in enumerate(field["unknowns"])
        if content["families"][family]["kind"] != "coin"
        or not set(content["set"]).isdisjoint(content["families"][family]["holders"])
    ]
    draw.choice(field["shift"])[0] = draw.choice(held)
    field["shift"].sort(key=lambda each: each[0])
    return content


@_kind("shift and form changed together")
def _shift_and_form(content: Content, draw: random.Random) -> Content:
    """Change a coin's shift, and in the same way one row or all rows that contain the coin."""
    field = _field(content, draw, "shift")
    coin, form = draw.choice(field["shift"])
    pair = draw.choice(form)
    new = _other_residue(pair[1], field["modulus"], draw)
    rows = [row for message in field["messages"] for row in message["rows"]]
    using = [row for row in rows if coin in [u for u, _ in row[1]]]
    for row in using[:1] if draw.random() < 0.5 else using:
        for term in row[1]:
            if term[0] == pair[0]:
                term[1] = new
    pair[1] = new
    return content


# Doors.


@_kind("opened: a row dropped")
def _opened_dropped(content: Content, draw: random.Random) -> Content:
    opened = _field(content, draw, "opened")["opened"]
    opened.pop(draw.randrange(len(opened)))
    return content


@_kind("opened: a row twice")
def _opened_twice(content: Content, draw: random.Random) -> Content:
    opened = _field(content, draw, "opened")["opened"]
    opened.append(draw.choice(opened))
    return content


@_kind("opened: seen or of another door")
def _opened_changed(content: Content, draw: random.Random) -> Content:
    row = draw.choice(_field(content, draw, "opened")["opened"])
    if draw.random() < 0.5:
        row["seen"] = draw.choice([not row["seen"], 0, 1, None, "false"])
    else:
        row["door"] = draw.choice([0, 1, 2, -1, False, 1.0])
    return content


@_kind("opened: a row added")
def _opened_added(content: Content, draw: random.Random) -> Content:
    field = _field(content, draw, "unknowns")
    terms = sorted(draw.sample(range(len(field["unknowns"])), draw.randint(1, 2)))
    opened = {
        "door": draw.randrange(len(content["doors"])),
        "seen": draw.random() < 0.5,
        "form": [[term, 1] for term in terms],
    }
    field["opened"].append(opened)
    return content


@_kind("a door dropped")
def _door_dropped(content: Content, draw: random.Random) -> Content:
    at = draw.randrange(len(content["doors"]))
    content["doors"].pop(at)
    for field in content["fields"]:
        field["opened"] = [row for row in field["opened"] if row["door"] != at]
        for row in field["opened"]:
            row["door"] -= row["door"] > at
    return content


@_kind("what is said of a door")
def _door(content: Content, draw: random.Random) -> Content:
    door = draw.choice(content["doors"])
    key = draw.choice(["discloses", "has_input", "in_full"])
    door[key] = draw.choice([not door[key], not door[key], int(door[key]), None, "true"])
    return content


@_kind("kind, party or made of a door")
def _door_kind(content: Content, draw: random.Random) -> Content:
    door = draw.choice(content["doors"])
    key = draw.choice(["kind", "party", "made", "function"])
    door[key] = {
        "kind": draw.choice(["secret", "disclose", "product", "output"]),
        "party": draw.choice([content["set"][0], "", "z", 7, None]),
        "made": draw.choice([None, *range(len(content["families"])), -1, 99, 1.0]),
        "function": draw.choice(["", "f", 7, None]),
    }[key]
    return content


@_kind("a door added to what has none")
def _door_added(content: Content, draw: random.Random) -> Content:
    made = draw.choice([None, *range(len(content["families"]))])
    content["doors"].append(
        {
            "party": "z",
            "kind": "disclose" if made is None else "secret",
            "function": "f",
            "has_input": False,
            "discloses": made is None,
            "in_full": False,
            "made": made,
        }
    )
    return content


@_kind("told")
def _told(content: Content, draw: random.Random) -> Content:
    families = range(len(content["families"]))
    told = set(content["told"])
    content["told"] = draw.choice(
        [
            sorted(told ^ {draw.choice(families)}),
            sorted(told ^ {draw.choice(families)}),
            [*content["told"], draw.choice(families)],
            [-1],
            [99],
            [False],
            ["0"],
            None,
        ]
    )
    return content


@_kind("a hidden secret undeclared")
def _made_forgotten(content: Content, draw: random.Random) -> Content:
    content["doors"] = [door for door in content["doors"] if door["made"] is None]
    return content


# The statement and the header.


@_kind("another statement")
def _statement(content: Content, draw: random.Random) -> Content:
    content["statement"] = draw.choice(
        ["nothing", "output-only", "leaks", "no-shares", "undecided", "", None, 0, "Nothing"]
    )
    return content


@_kind("no shares, all removed")
def _no_shares(content: Content, draw: random.Random) -> Content:
    content["statement"] = "no-shares"
    for key in ("families", "doors", "told", "fields"):
        content[key] = []
    if draw.random() < 0.5:
        for run in content["runs"]:
            run["sent"] = {tag: [messages, 0] for tag, (messages, _) in run["sent"].items()}
    return content


_HEADER: dict[str, list[Any]] = {
    "format": ["", "simnet certificate ", "certificate", None, 2],
    "version": [0, 2, 4, 3.0, True, "3", None, 3 + 2**64],
    "notes": [None, "", [1], ["note"], {}, [None]],
    "reveals": [None, "", [1], ["nothing"], {}, ["The seeds"]],
    "written_out": [1, -1, 1.5, True, None, "0", 10**1001],
    "families": [None, {}, [], ""],
    "doors": [None, {}, ""],
    "fields": [None, {}, [], "", [{}], [[]]],
    "runs": [None, [], {}, [{}], [None]],
    "disclosed": [None, {}, []],
    "protocol": [None, {}, "DPDS", []],
}
for _key, _values in _HEADER.items():

    def _header(
        content: Content, draw: random.Random, key: str = _key, values: list[Any] = _values
    ) -> Content:
        content[key] = draw.choice(values)
        return content

    _kind(f"{_key} replaced")(_header)


@_kind("protocol, scenario or version")
def _protocol(content: Content, draw: random.Random) -> Content:
    key = draw.choice(["name", "scenario", "simnet"])
    content["protocol"][key] = draw.choice(["", "dpds", "tss", "X", None, 1, "DPDS\u202e", "a\nb"])
    return content


@_kind("digest of the source")
def _source(content: Content, draw: random.Random) -> Content:
    old = content["protocol"]["source"] or "0" * 64
    content["protocol"]["source"] = draw.choice(
        [None, old[:-1] + "0", old[:-1] + "1", old.upper() + "A", old[1:], "g" * 64, 0, old + "\n"]
    )
    return content


@_kind("parameters")
def _parameters(content: Content, draw: random.Random) -> Content:
    parameters = content["protocol"]["parameters"]
    name = draw.choice(sorted(parameters))
    parameters[name] = draw.choice(
        [f"{parameters[name]} ", f" {parameters[name]}", "", "1", "3", 4, None, [], "-1"]
    )
    return content


@_kind("a parameter dropped or added")
def _parameter_names(content: Content, draw: random.Random) -> Content:
    parameters = content["protocol"]["parameters"]
    if draw.random() < 0.5:
        parameters[draw.choice(["", "another", "Users"])] = "1"
    else:
        parameters.pop(draw.choice(sorted(parameters)))
    return content


@_kind("seed")
def _seed(content: Content, draw: random.Random) -> Content:
    run = draw.choice(content["runs"])
    old = run["seed"]
    values = [-1, -(10**999), 0.5, "0", True, 10**20]
    run["seed"] = draw.choice([*values, 5] if old is None else [*values, old + 1, None])
    return content


@_kind("drop-outs")
def _fates(content: Content, draw: random.Random) -> Content:
    run = draw.choice(content["runs"])
    old = dict(run["fates"])
    if old and draw.random() < 0.5:
        name = draw.choice(sorted(old))
        run["fates"] = {**old, name: draw.choice([None, "", 1, f"{old[name]}#2", "share:after"])}
    else:
        run["fates"] = draw.choice([None, [], {"u1": "nothing"}, {"": "share"}, {**old, "u9": "x"}])
    return content


@_kind("digest of inputs, or trace hash")
def _digests(content: Content, draw: random.Random) -> Content:
    run = draw.choice(content["runs"])
    key, digits = draw.choice([("inputs", 64), ("trace", 32)])
    old = run[key] or "0" * digits
    run[key] = draw.choice([None, old[1:] + "0", old[1:] + "1", old[:-1], "G" * digits, 7, ""])
    return content


@_kind("numbers sent")
def _sent(content: Content, draw: random.Random) -> Content:
    sent = draw.choice(content["runs"])["sent"]
    pair = sent[draw.choice(sorted(sent))]
    at = draw.randrange(2)
    pair[at] = draw.choice([0, pair[at] + 1, pair[at] - 1, -1, float(pair[at]), None, True])
    return content


@_kind("tags sent")
def _tags(content: Content, draw: random.Random) -> Content:
    sent = draw.choice(content["runs"])["sent"]
    tag = draw.choice(sorted(sent))
    sent[draw.choice(["", "other", f"{tag} ", "\u0000"])] = sent.pop(tag)
    return content


@_kind("a run dropped or added")
def _runs(content: Content, draw: random.Random) -> Content:
    if draw.random() < 0.5:
        content["runs"].append(draw.choice(content["runs"]))
    else:
        content["runs"].pop()
    return content


@_kind("what was disclosed")
def _disclosed(content: Content, draw: random.Random) -> Content:
    disclosed = content["disclosed"]
    if disclosed["doors"] and draw.random() < 0.5:
        disclosed = draw.choice(disclosed["doors"])
    key = draw.choice(sorted(disclosed))
    disclosed[key] = draw.choice(
        [None, "", "0", "inf", "proved", "not judged", True, False, 0, 1, 0.5, [], ["x"], [{}]]
    )
    return content


# Keys.


@_kind("a key dropped")
def _key_dropped(content: Content, draw: random.Random) -> Content:
    objects = [content, *(n[k] for n, k in _nodes(content) if isinstance(n[k], dict) and n[k])]
    node = draw.choice(objects)
    node.pop(draw.choice(sorted(node)))
    return content


@_kind("a key added")
def _key_added(content: Content, draw: random.Random) -> Content:
    objects = [content, *(n[k] for n, k in _nodes(content) if isinstance(n[k], dict))]
    draw.choice(objects)[draw.choice(["extra", "", "\u00e9", "constructor", "__proto__"])] = 1
    return content


# Values of another type that Python takes for equal.


@_kind("an integer as a float, a boolean or a text")
def _other_type(content: Content, draw: random.Random) -> Content:
    places = [(n, k) for n, k in _nodes(content) if type(n[k]) is int]
    node, key = draw.choice(places)
    value = node[key]
    node[key] = draw.choice([float(value), str(value), bool(value), [value], None])
    return content


@_kind("a number changed by one, or very large")
def _number_changed(content: Content, draw: random.Random) -> Content:
    places = [(n, k) for n, k in _nodes(content) if type(n[k]) is int]
    node, key = draw.choice(places)
    node[key] = draw.choice(
        [node[key] + 1, node[key] - 1, -node[key], node[key] + 2**53, 2**64 + node[key], 10**999]
    )
    return content


@_kind("a boolean as a number")
def _boolean(content: Content, draw: random.Random) -> Content:
    node, key = draw.choice([(n, k) for n, k in _nodes(content) if type(n[k]) is bool])
    node[key] = int(node[key])
    return content


# The text.


def _text_kind(name: str) -> Callable[[Callable[[str, random.Random], str | bytes]], None]:
    """Register a kind of corruption that changes how a file is written, not what it says."""

    def add(change: Callable[[str, random.Random], str | bytes]) -> None:
        def kind(content: Content, draw: random.Random) -> bytes:
            changed = change(written(content).decode(), draw)
            return changed.encode() if isinstance(changed, str) else changed

        _kind(name)(kind)

    return add


@_text_kind("repeated key")
def _repeated_key(text: str, draw: random.Random) -> str:
    found = draw.choice(list(re.finditer(r'"\w+":(?:"[^"\\]*"|[0-9]+|null)', text)))
    key = found[0].partition(":")[0]
    other = draw.choice([found[0], f"{key}:1", f"{key}:null", f'{key}:"nothing"'])
    first, second = draw.sample([found[0], other], 2)
    return f"{text[: found.start()]}{first},{second}{text[found.end() :]}"


@_text_kind("keys in another order")
def _key_order(text: str, draw: random.Random) -> str:
    content = json.loads(text)
    keys = list(content)
    draw.shuffle(keys)
    return (
        json.dumps({k: content[k] for k in keys}, separators=(",", ":"), ensure_ascii=False) + "\n"
    )


@_text_kind("blanks")
def _blanks(text: str, draw: random.Random) -> str:
    at = draw.choice([found.end() for found in re.finditer(r"[{\[,:]", text)])
    return text[:at] + draw.choice([" ", "\t", "\n", "\r\n", "\u00a0", "\ufeff"]) + text[at:]


@_text_kind("end of the text")
def _end(text: str, draw: random.Random) -> str:
    tail = draw.choice(["", "\n\n", " \n", "\r\n", "{}\n", "\x00\n", "\n\ufeff", ",\n", "}\n"])
    return text[:-1] + tail


@_text_kind("text cut off")
def _cut(text: str, draw: random.Random) -> str:
    return text[: draw.randrange(len(text))]


@_text_kind("indented")
def _indented(text: str, draw: random.Random) -> str:
    return json.dumps(json.loads(text), indent=draw.choice([0, 1, 2]), sort_keys=True) + "\n"


@_text_kind("byte order mark, or another encoding")
def _encoding(text: str, draw: random.Random) -> bytes:
    return draw.choice(
        [
            b"\xef\xbb\xbf" + text.encode(),
            text.encode("utf-16"),
            text.encode("utf-32"),
            text.encode().replace(b'"format"', b'"f\xf6rmat"'),
            text.encode().replace(b'"u1"', b'"u\xc0\xb1"') + b" ",
            text.encode().replace(b'"label":"', b'"label":"\xed\xa0\x80'),
        ]
    )


@_text_kind("needless escapes")
def _escapes(text: str, draw: random.Random) -> str:
    found = draw.choice(list(re.finditer(r'(?<=["\w])[a-z](?=[\w"])', text)))
    letter = draw.choice([f"\\u{ord(found[0]):04x}", f"\\u{ord(found[0]):04X}", f"\\{found[0]}"])
    return text[: found.start()] + letter + text[found.end() :]


@_text_kind("lone surrogates")
def _surrogates(text: str, draw: random.Random) -> str:
    at = draw.choice([found.end() for found in re.finditer(r'":"', text)])
    return (
        text[:at]
        + draw.choice(["\\ud800", "\\udc00", "\\ud83d\\ude00", "\\udc00\\ud800"])
        + text[at:]
    )


@_text_kind("a number in another way of writing")
def _number_written(text: str, draw: random.Random) -> str:
    found = draw.choice(list(re.finditer(r"(?<=[\[:,])[0-9]+(?=[\],}])", text)))
    way = draw.choice(["{}.0", "{}e0", "0{}", "-{}", "+{}", "{}E+0", "0x{}", "{}n", "-0", "NaN"])
    return text[: found.start()] + way.format(found[0]) + text[found.end() :]


@_text_kind("an infinite number")
def _infinite(text: str, draw: random.Random) -> str:
    found = draw.choice(list(re.finditer(r"(?<=[\[:,])[0-9]+(?=[\],}])", text)))
    number = draw.choice(["Infinity", "-Infinity", "1e999", "9" * 1001, "-" + "9" * 1000])
    return text[: found.start()] + number + text[found.end() :]


@_text_kind("deep nesting")
def _deep(text: str, draw: random.Random) -> str:
    depth = draw.choice([8, 30, 3000, 200_000])
    opening, closing = draw.choice([("[", "]"), ('{"a":', "}")])
    nested = opening * depth + "1" + closing * draw.choice([depth, depth, 0])
    found = draw.choice(list(re.finditer(r'(?<=":)(\[[^\[\]]*\]|[0-9]+)', text)))
    return text[: found.start()] + nested + text[found.end() :]


# Random ones.


@_kind("random: a node replaced")
def _node_replaced(content: Content, draw: random.Random) -> Content:
    places = list(_nodes(content))
    node, key = draw.choice(places)
    other_node, other_key = draw.choice(places)
    node[key] = draw.choice(
        [other_node[other_key], 0, 1, -1, 2, 0.5, True, None, "", "u1", [], {}, [[]], [0, 1]]
    )
    return content


@_kind("random: a node deleted")
def _node_deleted(content: Content, draw: random.Random) -> Content:
    node, key = draw.choice(list(_nodes(content)))
    del node[key]
    return content


@_kind("random: a node twice")
def _node_twice(content: Content, draw: random.Random) -> Content:
    node, key = draw.choice([(n, k) for n, k in _nodes(content) if isinstance(n, list)])
    node.insert(draw.randint(0, len(node)), node[key])
    return content


@_kind("random: two nodes swapped")
def _nodes_swapped(content: Content, draw: random.Random) -> Content:
    (node, key), (other, other_key) = draw.sample(list(_nodes(content)), 2)
    node[key], other[other_key] = other[other_key], node[key]
    return content


@_kind("random: two numbers swapped")
def _numbers_swapped(content: Content, draw: random.Random) -> Content:
    places = [(n, k) for n, k in _nodes(content) if type(n[k]) is int]
    (node, key), (other, other_key) = draw.sample(places, 2)
    node[key], other[other_key] = other[other_key], node[key]
    return content


@_kind("random: three numbers changed")
def _three_numbers(content: Content, draw: random.Random) -> Content:
    places = [(n, k) for n, k in _nodes(content["fields"]) if type(n[k]) is int]
    for node, key in draw.sample(places, 3):
        node[key] = draw.choice([0, 1, 2, node[key] + 1])
    return content


@_text_kind("random: bytes changed")
def _bytes_changed(text: str, draw: random.Random) -> bytes:
    data = bytearray(text.encode())
    for _ in range(draw.randint(1, 2)):
        data[draw.randrange(len(data))] = draw.choice([*b'0123456789[]{},:"u', draw.randrange(256)])
    return bytes(data)


@_text_kind("random: a piece of text moved")
def _piece_moved(text: str, draw: random.Random) -> str:
    first, second, third = sorted(draw.sample(range(len(text)), 3))
    return text[:first] + text[second:third] + text[first:second] + text[third:]
