"""Text that may be shown to a person, on a terminal or in a picture.

The names of columns and files, and the errors of other people's code, may contain control
characters. An escape character can move a terminal's cursor or change its title, a direction mark
shows letters in another order, and XML cannot represent most control characters. This module
replaces them.

Some encodings, such as cp1252, which Windows uses for pipes, lack ε and the characters that draw
bars. There the program prints a word or sign that the encoding has, such as `eps`, `<=` and `|`.
"""

import codecs
import re
import unicodedata
from decimal import Decimal

LONGEST_WORD = 255  # characters, as in a name of a file: errors show the beginning of longer ones
MANY_DIGITS = 1e15  # a number from here on is written with an exponent


def printable(text: str) -> str:
    """Return the text with a dot in place of each character that Python does not count as
    printable, such as a line break.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "·" for letter in text)


def short_words(text: str) -> str:
    """Return the text with the beginning of each word that is longer than 255 characters.

    >>> short_words(f"got {'9' * 5000}") == f"got {'9' * 60}… (5,000 characters)"
    True
    """
    return re.sub(
        rf"\S{{{LONGEST_WORD + 1},}}",
        lambda word: f"{word[0][:60]}… ({len(word[0]):,} characters)",
        text,
    )


def rounded(value: float) -> str:
    """Return a number without digits after the point, with commas between thousands; from 10^15 on,
    with three digits and an exponent. An integer may be larger than any float.

    >>> rounded(1234.5), rounded(1e308), rounded(10**400)
    ('1,234', '1e+308', '1.00e+400')
    """
    if abs(value) < MANY_DIGITS:
        return f"{value:,.0f}"
    is_beyond = isinstance(value, int) and value.bit_length() > 1000
    return f"{Decimal(value) if is_beyond else value:.3g}"


def count_of(count: int, noun: str) -> str:
    """Return a number with its noun, whose plural ends in s: `1 user`, `1,000 users`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


_WORDS = {
    "ε": "eps", "λ": "lambda", "Λ": "Lambda", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "−": "-",
    "×": "x", "·": ".", "→": "->", "←": "<-", "∞": "inf", "√": "sqrt", "∈": "in", "‖": "||",
    "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "●": "o", "─": "-", "━": "-",
    "│": "|", "┃": "#", "╸": "-", "╺": "-", "±": "+-", "²": "^2", "³": "^3", "⁹": "^9", "⁴": "^4",
    "Σ": "sum", "∑": "sum", "∅": "{}", "§": "section ", "′": "'", "µ": "u", "├": "|", "┤": "|",
    "⌊": "floor(", "⌋": ")", "⌈": "ceil(", "⌉": ")", "∏": "prod", "†": "+",
}  # fmt: skip


def transliterated(text: str, encoding: str) -> str:
    """Return the text with a replacement, such as `eps` for `ε`, for each letter or sign that the
    encoding lacks.
    """
    return text.encode(encoding, ERRORS).decode(encoding)


def _transliterate(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(letter: str) -> str:
    if letter in _WORDS:
        return _WORDS[letter]
    name = unicodedata.name(letter, "")
    if name.startswith(("GREEK SMALL LETTER ", "GREEK CAPITAL LETTER ")) and name.count(" ") == 3:
        word = name.rpartition(" ")[2].lower()
        return word.capitalize() if "CAPITAL" in name else word
    bare = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return bare or "?"


ERRORS = "simnet.transliterate"  # the name under which Python finds `_transliterate`
codecs.register_error(ERRORS, _transliterate)
