"""Many small cases in one test."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def for_each(names: str, values: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test once for each value, like `pytest.mark.parametrize`, but count it as one test.

    pytest needs some milliseconds for every test, so thousands of cases that take less should not
    be tests of their own. An error has a note that names the case.
    """
    arguments = [name.strip() for name in names.split(",")]
    cases = [
        dict(zip(arguments, value if len(arguments) > 1 else (value,), strict=True))
        for value in values
    ]
    assert cases, f"no case of {names}"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def all_cases(**others: Any) -> None:
            for case in cases:
                try:
                    test(**case, **others)
                except BaseException as error:
                    error.add_note(f"with {case}")
                    raise

        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in arguments]
        assert len(kept) == len(signature.parameters) - len(arguments), names
        all_cases.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return all_cases

    return decorate
