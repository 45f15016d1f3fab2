"""What the privacy commands share."""

from collections.abc import Callable
from typing import Annotated, Any

from cyclopts import Parameter

from simnet.errors import BadInput

Counts = Annotated[str, Parameter(allow_leading_hyphen=True)]


def refusing(make: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """The same, with what a formula refuses as bad input."""
    try:
        return make(*given, **named)
    except (ValueError, TypeError) as error:
        raise BadInput(str(error)) from error
    except ArithmeticError as error:
        raise BadInput(f"these numbers leave the range of floating point: {error}") from error
