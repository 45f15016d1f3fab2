"""An `Enum` whose members give one name, although they differ."""

import enum


class Answer(enum.Enum):
    YES = 1
    NO = 2

    @property
    def name(self) -> str:
        return "answer"
