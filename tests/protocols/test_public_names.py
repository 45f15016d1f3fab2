"""The public names of the package."""

import subprocess
import sys

import protocols


def test_no_public_name_is_the_name_of_a_folder() -> None:  # importing the folder would replace it
    assert all(not isinstance(getattr(protocols, name), type(sys)) for name in dir(protocols))


def test_the_package_is_imported_without_its_modules() -> None:
    code = "import sys, protocols; print('numpy' in sys.modules, 'protocols.checks' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_every_public_name_has_a_docstring_with_an_example() -> None:
    without = [n for n in dir(protocols) if ">>> " not in (getattr(protocols, n).__doc__ or "")]
    assert not without, f"these have no example: {', '.join(without)}"
