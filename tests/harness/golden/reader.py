"""A second reader of the golden vectors, written from the descriptions alone.

It shares no code with the package and needs nothing but Python. So it shows that somebody else can
compute what the package promises to keep: the words of a stream from its key, draws from words,
payloads and frames as bytes, and a transcript, whose messages the reader also makes anew from the
seed and the inputs.

    python tests/harness/golden/reader.py tests/harness/golden/vectors.json

It prints one line for each section, and ends with an error at the first vector that differs.
"""

import hashlib
import json
import struct
import sys
import zlib
from fractions import Fraction
from math import isqrt, prod
from pathlib import Path

MASK = 2**64 - 1


class Words:
    """A stream of random words: SFC64, whose state is a BLAKE2b digest of the key; the first 12
    words are thrown away.
    """

    def __init__(self, seed, purpose, party):
        digest = hashlib.blake2b(f"{seed}/{purpose}/{party}".encode(), digest_size=24).digest()
        self.state = [*struct.unpack("<3Q", digest), 1]
        for _ in range(12):
            self.word()

    def word(self):
        a, b, c, counter = self.state
        result = (a + b + counter) & MASK
        turned = (c << 24 | c >> 40) & MASK
        self.state = [b ^ b >> 11, (c + (c << 3)) & MASK, (turned + result) & MASK, counter + 1]
        return result

    def lanes(self, count, width):
        """Return words cut into numbers of `width` bits, low bits first; unused bits of the last
        word are lost.
        """
        each = 64 // width
        words = [self.word() for _ in range(-(-count // each))]
        return [word >> width * k & (1 << width) - 1 for word in words for k in range(each)][:count]


def integers(words, below, count, spare=0):
    """Return uniform integers below the bound, from lanes of 16, 32 or 64 bits.

    A lane below the largest multiple of the bound is reduced modulo the bound. Every other lane is
    replaced by a later lane; for this, an eighth and four more lanes are drawn than are needed.
    With `spare`, so many lanes more are drawn at first, and not used.
    """
    width = next((bits for bits in (16, 32) if below <= 1 << bits - 2), 64)
    accepted = (1 << width) // below * below
    drawn = words.lanes(count + spare, width)[:count]
    holes = [place for place, lane in enumerate(drawn) if lane >= accepted]
    while holes:
        more = words.lanes(len(holes) + len(holes) // 8 + 4, width)
        good = [lane for lane in more if lane < accepted][: len(holes)]
        for place, lane in zip(holes, good, strict=False):
            drawn[place] = lane
        holes = holes[len(good) :]
    return [lane % below for lane in drawn]


def bernoulli(words, chance):
    """Return whether a uniform number, drawn word by word, lies below the probability."""
    while True:
        digit, chance = divmod(chance * 2**64, 1)
        drawn = words.word()
        if drawn != digit:
            return drawn < digit
        if not chance:
            return False


def bernoullis(words, chance, count):
    """Draw one word for each outcome if there are fewer than 64, otherwise one byte. If a draw
    equals the leading digit of the probability, the remaining digits decide by further draws.
    """
    if count < 64:
        digit, rest = divmod(chance * 2**64, 1)
        first = [words.word() for _ in range(count)]
        return [w < digit or (w == digit and rest > 0 and bernoulli(words, rest)) for w in first]
    digit, rest = divmod(chance * 256, 1)
    drawn = words.lanes(count, 8)
    ties = [place for place, byte in enumerate(drawn) if byte == digit] if rest else []
    result = [byte < digit for byte in drawn]
    for place, outcome in zip(ties, bernoullis(words, rest, len(ties)), strict=True):
        result[place] = outcome
    return result


def integer_below(words, bound):
    """Draw one integer from as many words as the bound has, high words first."""
    count = max(-(-(bound - 1).bit_length() // 64), 1)
    while True:
        drawn = 0
        for _ in range(count):
            drawn = drawn << 64 | words.word()
        if drawn < 2 ** (64 * count) // bound * bound:
            return drawn % bound


def few_of_many(words, count, below):
    """Choose fewer than one in 32 by Floyd's algorithm."""
    assert count * 32 < below
    chosen = set()
    for last in range(below - count, below):
        drawn = integer_below(words, last + 1)
        chosen.add(last if drawn in chosen else drawn)
    return sorted(chosen)


def exponential_coin(words, a, b):
    """Return True with probability exp(-a / b), by Algorithm 1 of Canonne, Kamath and Steinke."""
    while a > b:
        if not exponential_coin(words, 1, 1):
            return False
        a -= b
    run = 1
    while integer_below(words, b * run) < a:
        run += 1
    return run % 2 == 1


def discrete_laplace(words, scale):
    """Draw by Algorithm 2 of Canonne, Kamath and Steinke."""
    t, s = scale.numerator, scale.denominator
    while True:
        rest = integer_below(words, t)
        if exponential_coin(words, rest, t):
            whole = 0
            while exponential_coin(words, 1, 1):
                whole += 1
            size, negative = (rest + t * whole) // s, integer_below(words, 2) == 1
            if size or not negative:
                return -size if negative else size


def discrete_normal(words, variance):
    """Draw by Algorithm 3 of Canonne, Kamath and Steinke."""
    top, bottom = variance.numerator, variance.denominator
    t = isqrt(top // bottom) + 1
    while True:
        drawn = discrete_laplace(words, Fraction(t))
        gap = abs(drawn) * t * bottom - top
        if exponential_coin(words, gap * gap, 2 * top * bottom * t * t):
            return drawn


def draw(words, name, arguments):
    """Return the outcome of the draw with this name."""
    match name, [Fraction(text) for text in arguments]:
        case "integers", [below, count]:
            return integers(words, int(below), int(count))
        case "bernoullis", [chance, count]:
            return [int(outcome) for outcome in bernoullis(words, chance, int(count))]
        case "subset", [count, below]:
            return few_of_many(words, int(count), int(below))
        case "uniform", [count]:
            return [(words.word() >> 11) * 2.0**-53 for _ in range(int(count))]
        case "discrete_laplace", [scale, count]:
            return [discrete_laplace(words, scale) for _ in range(int(count))]
        case "discrete_normal", [variance, count]:
            return [discrete_normal(words, variance) for _ in range(int(count))]
        case "field", [modulus, rows, columns]:
            return elements(words, int(modulus), int(rows), int(columns))
    raise ValueError(f"no draw is called {name}")


def elements(words, modulus, rows, columns):
    """Return a matrix of field elements, as a list of rows.

    Lanes for one more row are drawn, and are not used.
    """
    flat = integers(words, modulus, rows * columns, spare=columns)
    return [flat[columns * row : columns * (row + 1)] for row in range(rows)]


def width(kind, below):
    """Return the number of bits that a value takes."""
    return 64 if kind == "rd" else (below - 1).bit_length()


def packed(pieces, values):
    """Return a payload: the bits of all values, high bit first, with zeros up to a whole byte."""
    bits = ""
    for (kind, below, _), piece in zip(pieces, values, strict=True):
        for value in piece:
            number = struct.unpack("<Q", struct.pack("<d", value))[0] if kind == "rd" else value
            bits += f"{number:0{width(kind, below)}b}" if width(kind, below) else ""
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[start : start + 8], 2) for start in range(0, len(bits), 8))


def unpacked(pieces, payload):
    """Return the values of a payload, piece by piece."""
    bits, start, values = "".join(f"{byte:08b}" for byte in payload), 0, []
    for kind, below, shape in pieces:
        assert kind != "rd"
        piece = []
        for _ in range(prod(shape)):
            piece.append(int(bits[start : start + width(kind, below)] or "0", 2))
            start += width(kind, below)
        assert all(value < below for value in piece)
        values.append(piece)
    assert "1" not in bits[start:]
    assert len(bits) - start < 8
    return values


def framed(tag, sender, payload):
    """Return a frame: tag, sender and length, the CRC-32 of these and the payload, and the payload;
    little endian.
    """
    head = struct.pack("<HII", tag, sender, len(payload))
    return head + struct.pack("<I", zlib.crc32(head + payload)) + payload


def messages(data):
    """Return the seed, the inputs and the messages of a transcript file."""
    magic = b"simnet transcript 1\n"
    assert data.startswith(magic)
    length, check = struct.unpack_from("<QI", data, len(magic))
    start = len(magic) + 12
    text = data[start : start + length]
    assert zlib.crc32(text) == check
    header, start, found = json.loads(text), start + length, []
    for round_, recipient, key, is_tuple, pieces in header["messages"]:
        tag, sender, size = struct.unpack_from("<HII", data, start)
        payload = data[start + 14 : start + 14 + size]
        assert data[start : start + 14 + size] == framed(tag, sender, payload)
        assert (key, is_tuple) == (None, False)
        names = header["names"]
        place = [round_, names[sender], names[recipient], header["tags"][tag]]
        found.append([*place, *unpacked(pieces, payload)])
        start += 14 + size
    assert start == len(data)
    return header, found


def played(header, items, participation, modulus):
    """Return the messages of a run of DPDS, made from the seed and the inputs: shares, then partial
    sums.

    With the probability of participation, a user's secret is its item as a one-hot vector;
    otherwise it is zeros. All shares but the last are random field elements, and the last share
    makes their sum the secret. Share j goes to the j-th user.
    """
    users = sorted(header["inputs"])
    rows = {}
    for user in users:
        takes_part = bernoulli(Words(header["seed"], "discrete", user), participation)
        own = header["inputs"][user] - 1
        secret = [int(takes_part and item == own) for item in range(items)]
        coins = Words(header["seed"], "block 1 field", user)
        shares = elements(coins, modulus, len(users) - 1, items)
        shares.append([(secret[k] - sum(row[k] for row in shares)) % modulus for k in range(items)])
        rows[user] = shares
    made = [
        [1, sender, recipient, "share", rows[sender][place]]
        for sender in users
        for place, recipient in enumerate(users)
    ]
    for place, user in enumerate(users):
        total = [sum(rows[sender][place][k] for sender in users) % modulus for k in range(items)]
        made.append([2, user, "server", "partial", total])
    return made


def check(vectors):
    """Compare every vector with what this module computes. Raises `AssertionError` with the name of
    a vector that differs.
    """
    for vector in vectors["streams"]:
        words = Words(vector["seed"], vector["purpose"], vector["party"])
        ours = [f"{words.word():016x}" for _ in vector["words"]]
        assert ours == vector["words"], f"streams: {vector}"
    for vector in vectors["draws"]:
        kind = "field" if vector["draw"] == "field" else "discrete"
        words = Words(vector["seed"], kind, vector["party"])
        ours = draw(words, vector["draw"], vector["arguments"])
        assert ours == vector["values"], f"draws: {vector}"
    for vector in vectors["payloads"]:
        ours = packed(vector["pieces"], vector["values"]).hex()
        assert ours == vector["bytes"], f"payloads: {vector}"
    for vector in vectors["frames"]:
        ours = framed(vector["tag"], vector["sender"], bytes.fromhex(vector["payload"])).hex()
        assert ours == vector["bytes"], f"frames: {vector}"
    for vector in vectors["transcripts"]:
        header, found = messages(bytes.fromhex(vector["bytes"]))
        assert found == vector["messages"], "transcripts: the file holds other messages"
        chance = Fraction(vector["participation"])
        ours = played(header, vector["items"], chance, vector["modulus"])
        assert sorted(ours) == sorted(found), "transcripts: the run has other messages"


if __name__ == "__main__":
    golden = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    check(golden)
    for section, entries in golden.items():
        sys.stdout.write(f"{section}: {len(entries)} vectors hold\n")
