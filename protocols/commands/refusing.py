"""What several commands share: an error of a formula becomes a message of the command."""

from collections.abc import Callable
from typing import Annotated, Any

from cyclopts import Parameter

from simnet.errors import BadInput

Counts = Annotated[str, Parameter(allow_leading_hyphen=True)]


def call_or_refuse(make: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """Call a function. Raises `BadInput`, which a command prints, if the function raises
    `ValueError`, `TypeError` or `ArithmeticError`.
    """
    try:
        return make(*arguments, **settings)
    except (ValueError, TypeError) as error:
        raise BadInput(str(error)) from error
    except ArithmeticError as error:
        raise BadInput(f"these numbers exceed the range of floating point: {error}") from error
