"""Ways to corrupt what a certificate says of seeds, keys and boxes; see `corruptions`.

The module adds its kinds to `KINDS` when it is imported.
"""

import random
from typing import Any

from tests.harness.certificates.corruptions import Content, _field, _kind, _other_residue


def _seed(content: Content, draw: random.Random, key: str = "rows") -> tuple[Any, Any]:
    """Return a random field with seeds, and one of its seeds whose list under this key is not
    empty.
    """
    field = _field(content, draw, "seeds")
    return field, draw.choice([seed for seed in field["seeds"] if seed[key]])


def _number(content: Content, draw: random.Random) -> int:
    return draw.randrange(len(content["seeds"]))


@_kind("known: a seed dropped")
def _known_dropped(content: Content, draw: random.Random) -> Content:
    content["known"].remove(draw.choice(content["known"]))
    return content


@_kind("known: a seed dropped, with what it opens")
def _known_hidden(content: Content, draw: random.Random) -> Content:
    """Say of a known seed that it is unknown, and leave out what the coalition then cannot read."""
    number = draw.choice(content["known"])
    content["known"].remove(number)
    for field in content["fields"]:
        field["messages"] = [m for m in field["messages"] if (m["box"] or [0, -1])[1] != number]
        for seed in field["seeds"]:
            if seed["seed"] == number:
                seed["told"] = []
    return content


@_kind("known: a seed added")
def _known_added(content: Content, draw: random.Random) -> Content:
    unknown = sorted(set(range(len(content["seeds"]))) - set(content["known"]))
    number = draw.choice(unknown)
    content["known"].insert(draw.randint(0, len(content["known"])), number)
    if draw.random() < 0.7:  # as a known seed would be written
        content["closed"] = [box for box in content["closed"] if box["box"][1] != number]
        for field in content["fields"]:
            for seed in field["seeds"]:
                if seed["seed"] == number:
                    seed["private"] = []
    return content


@_kind("known: another order")
def _known_order(content: Content, draw: random.Random) -> Content:
    draw.shuffle(content["known"])
    return content


@_kind("known: a seed twice, or none")
def _known_odd(content: Content, draw: random.Random) -> Content:
    content["known"].append(
        draw.choice([*content["known"], len(content["seeds"]), -1, True, None, "0"])
    )
    return content


@_kind("public keys")
def _public_keys(content: Content, draw: random.Random) -> Content:
    keys = content["public_keys"]
    if keys and draw.random() < 0.5:
        keys.remove(draw.choice(keys))
    else:
        keys.append(_number(content, draw))
        keys.sort()
    return content


@_kind("keys of an agreed seed")
def _agreed_keys(content: Content, draw: random.Random) -> Content:
    agreed = [keys for keys in content["seeds"] if keys]
    keys = draw.choice(agreed)
    keys[draw.randrange(2)] = draw.choice([_number(content, draw), -1, 10**6, 1.0])
    if draw.random() < 0.7:
        keys.sort()
    return content


@_kind("a made seed as an agreed one, or the other way round")
def _other_sort(content: Content, draw: random.Random) -> Content:
    number = _number(content, draw)
    keys = sorted([_number(content, draw), _number(content, draw)])
    content["seeds"][number] = [] if content["seeds"][number] else keys
    return content


@_kind("an agreed seed listed twice")
def _agreed_twice(content: Content, draw: random.Random) -> Content:
    content["seeds"].append([*draw.choice([keys for keys in content["seeds"] if keys])])
    streams = [family for family in content["families"] if family["kind"] == "stream"]
    draw.choice(streams)["seed"] = len(content["seeds"]) - 1
    return content


@_kind("a seed added that nothing needs")
def _seed_added(content: Content, draw: random.Random) -> Content:
    content["seeds"].append([])
    if draw.random() < 0.5:
        content["known"].append(len(content["seeds"]) - 1)
    field = _field(content, draw, "unknowns")
    rows = draw.choice([[[]], [[[0, 1]]]])
    entry = {"seed": len(content["seeds"]) - 1, "rows": rows, "told": [], "private": []}
    field["seeds"].append(entry)
    return content


@_kind("seed of a stream")
def _stream_seed(content: Content, draw: random.Random) -> Content:
    streams = [family for family in content["families"] if family["kind"] == "stream"]
    draw.choice(streams)["seed"] = draw.choice([_number(content, draw), None, -1, 10**6, True])
    return content


@_kind("a stream as a coin, or a coin as a stream")
def _stream_kind(content: Content, draw: random.Random) -> Content:
    family = draw.choice([f for f in content["families"] if f["kind"] in ("coin", "stream")])
    if family["kind"] == "coin":
        family |= {"kind": "stream", "holders": [], "seed": _number(content, draw)}
    else:
        family |= {"kind": "coin", "holders": ["z"], "seed": None}
    return content


@_kind("rows of a seed")
def _seed_rows(content: Content, draw: random.Random) -> Content:
    field, seed = _seed(content, draw)
    at = draw.randrange(len(seed["rows"]))
    choice = draw.randrange(5)
    if choice == 0:
        seed["rows"].pop(at)
    elif choice == 1:
        seed["rows"].append(seed["rows"][at])
    elif choice == 2:
        pair = draw.choice(seed["rows"][at])
        pair[1] = _other_residue(pair[1], field["modulus"], draw)
    elif choice == 3:
        seed["rows"][at] = draw.choice([[], [[draw.randrange(len(field["unknowns"])), 1]]])
    else:
        other = draw.choice(field["seeds"])
        seed["rows"] = [[*row] for row in other["rows"]]
    return content


@_kind("a seed's place in its field")
def _seed_moved(content: Content, draw: random.Random) -> Content:
    field, seed = _seed(content, draw)
    if draw.random() < 0.5:
        field["seeds"].remove(seed)
    else:
        seed["seed"] = draw.choice([_number(content, draw), -1, 10**6, False])
        field["seeds"].sort(key=lambda each: each["seed"])
    return content


@_kind("private: a shift dropped")
def _private_dropped(content: Content, draw: random.Random) -> Content:
    _, seed = _seed(content, draw, "private")
    seed["private"].pop(draw.randrange(len(seed["private"])))
    return content


@_kind("private: a shift changed")
def _private_changed(content: Content, draw: random.Random) -> Content:
    field, seed = _seed(content, draw, "private")
    entry = draw.choice(seed["private"])
    choice = draw.randrange(4)
    if choice == 0:
        entry[0] = draw.choice([entry[0] + 1, -1, 10**6, 0.0])
    elif choice == 1:
        entry[1] = []
    elif choice == 2:
        pair = draw.choice(entry[1])
        pair[1] = _other_residue(pair[1], field["modulus"], draw)
    else:
        draw.choice(entry[1])[0] = draw.randrange(len(field["unknowns"]))
        entry[1].sort()
    return content


@_kind("private: a shift given to every row of a seed")
def _private_repeated(content: Content, draw: random.Random) -> Content:
    _, seed = _seed(content, draw, "private")
    moves = draw.choice(seed["private"])[1]
    seed["private"] = [[row, moves] for row in range(len(seed["rows"]))]
    return content


@_kind("private: a row of the view that tells a part of a seed")
def _seed_told(content: Content, draw: random.Random) -> Content:
    """Let a message carry a row of an unknown seed."""
    field, seed = _seed(content, draw, "private")
    row = draw.choice(draw.choice(field["messages"])["rows"])
    row[1] = [[*pair] for pair in draw.choice(seed["rows"])]
    return content


@_kind("private: two seeds that hang together")
def _seeds_equal(content: Content, draw: random.Random) -> Content:
    """Make a row of an unknown seed from a row of another one."""
    field = _field(content, draw, "seeds")
    one, other = draw.sample([seed for seed in field["seeds"] if seed["private"]], 2)
    at = draw.randrange(min(len(one["rows"]), len(other["rows"])))
    one["rows"][at] = [[*pair] for pair in other["rows"][at]]
    return content


@_kind("told: a derivation")
def _told_changed(content: Content, draw: random.Random) -> Content:
    field, seed = _seed(content, draw, "told")
    at = draw.randrange(len(seed["told"]))
    weights, own = seed["told"][at]
    choice = draw.randrange(4)
    if choice == 0:
        seed["told"].pop(at)
    elif choice == 1:
        pair = draw.choice(weights)
        pair[1] = _other_residue(pair[1], field["modulus"], draw)
    elif choice == 2:
        seed["told"][at] = [[], [[*pair] for pair in seed["rows"][at]]]
    else:
        own.append([len(field["unknowns"]) - 1, 1])
    return content


@_kind("told: nothing")
def _told_nothing(content: Content, draw: random.Random) -> Content:
    _, seed = _seed(content, draw, "told")
    seed["told"] = []
    return content


@_kind("box of a message")
def _message_box(content: Content, draw: random.Random) -> Content:
    message = draw.choice(_field(content, draw, "messages")["messages"])
    message["box"] = draw.choice([None, [0, _number(content, draw)], [0], [-1, 0], 5])
    return content


@_kind("a closed box")
def _closed_box(content: Content, draw: random.Random) -> Content:
    box = draw.choice(content["closed"])
    choice = draw.randrange(3)
    if choice == 0:
        box["box"][1] = draw.choice(content["known"] or [_number(content, draw)])
    elif choice == 1:
        box["to" if draw.random() < 0.5 else "from"] = draw.choice(["z", content["set"][0], ""])
    else:
        box["run"] = draw.choice([0, 10**6, -1])
    return content


@_kind("a closed box left out")
def _closed_dropped(content: Content, draw: random.Random) -> Content:
    content["closed"].pop(draw.randrange(len(content["closed"])))
    return content


@_kind("a door beside seeds")
def _door_beside_seeds(content: Content, draw: random.Random) -> Content:
    if not content["seeds"] or content["doors"]:
        raise ValueError("nothing to change")
    holders = {name for family in content["families"] for name in family["holders"]}
    party = draw.choice(sorted(holders - set(content["set"])))
    content["doors"].append(
        {
            "party": party,
            "kind": "disclose",
            "function": "f",
            "has_input": False,
            "discloses": True,
            "in_full": False,
            "made": None,
        }
    )
    return content


@_kind("a part of a seed told, and its shift dropped")
def _part_told(content: Content, draw: random.Random) -> Content:
    """Let a message tell a row of an unknown seed, and claim nothing about this row."""
    field, seed = _seed(content, draw, "private")
    row, _ = seed["private"].pop(draw.randrange(len(seed["private"])))
    draw.choice(draw.choice(field["messages"])["rows"])[1] = [[*pair] for pair in seed["rows"][row]]
    return content


@_kind("a box that contains its own key")
def _own_key(content: Content, draw: random.Random) -> Content:
    field, seed = _seed(content, draw, "told")
    used = {row for weights, _ in seed["told"] for row, _ in weights}
    first = 0
    for message in field["messages"]:
        if used.intersection(range(first, first + len(message["rows"]))):
            message["box"] = [0, seed["seed"]]
        first += len(message["rows"])
    return content


@_kind("a seed made from its own random rows")
def _from_itself(content: Content, draw: random.Random) -> Content:
    field, seed = _seed(content, draw)
    own = [
        unknown
        for unknown, (family, _) in enumerate(field["unknowns"])
        if content["families"][family]["seed"] == seed["seed"]
    ]
    seed |= {"rows": [[[draw.choice(own), 1]]], "told": [], "private": []}
    if seed["seed"] not in content["known"]:
        content["known"].append(seed["seed"])
    return content
