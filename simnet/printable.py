"""Text that may be shown to a person, on a terminal or in a picture.

Names of columns, files and settings and the errors of other people's code come from elsewhere. An
escape character in them moves a terminal's cursor or changes its title, a mark of direction shows
letters in another order, and XML has no way to write most of them at all. So whatever prints or
draws such text takes these characters out here: the command line's console and its line of error,
and the labels of figures.
"""


def printable(text: str) -> str:
    """The text with a dot for every character that no letter, digit, sign or space stands for."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "·" for letter in text)
