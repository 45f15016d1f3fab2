"""Text that may be shown to a person, on a terminal or in a picture.

Names of columns, files and settings and the errors of other people's code come from elsewhere. An
escape character in them moves a terminal's cursor or changes its title, a mark of direction shows
letters in another order, and XML has no way to write most of them at all. So whatever prints or
draws such text takes these characters out here: the command line's console and its line of error,
and the labels of figures.

An encoding such as cp1252, which Windows gives to pipes, lacks ε and the signs of which pictures
are made. There a word stands for the letter: `eps`, `<=`, `|`.
"""

import codecs
import unicodedata


def printable(text: str) -> str:
    """Return the text with a dot in place of every character that cannot be shown."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "·" for letter in text)


_WORDS = {
    "ε": "eps", "λ": "lambda", "Λ": "Lambda", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "−": "-",
    "×": "x", "·": ".", "→": "->", "←": "<-", "∞": "inf", "√": "sqrt", "∈": "in", "‖": "||",
    "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "●": "o", "─": "-", "━": "-",
    "│": "|", "┃": "#", "╸": "-", "╺": "-", "±": "+-", "²": "^2", "³": "^3", "⁹": "^9", "⁴": "^4",
    "Σ": "sum", "∑": "sum", "∅": "{}", "§": "section ",
}  # fmt: skip


def transliterated(text: str, encoding: str) -> str:
    """Return the text with words in place of letters and signs that the encoding lacks."""
    return text.encode(encoding, ERRORS).decode(encoding)


def _transliterate(error: UnicodeError) -> tuple[str, int]:
    """What stands for letters that cannot be encoded: a word, a letter without its accent, or ?."""
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


ERRORS = "simnet.transliterate"  # the name of this way to handle errors of encoding
codecs.register_error(ERRORS, _transliterate)
