"""`simnet fetch-data`: download public originals, check them, and make the files of a folder of
data.
"""

import csv
import gzip
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

from scenarios.data.registry import ELSEWHERE, FILES, Derived, Original
from simnet.errors import BadInput
from simnet.files import write_whole
from simnet.installed import extra_missing


def fetch_data(folder: Path, /, *names: str) -> int:
    """Fetch the public data that experiments use with `--data FOLDER`.

    What is there is left as it is. Every download, and every file made from it, is checked against
    its digest. Of gowalla_nyc_locations.csv.gz no public original is known: joy_fig2 then needs it
    from elsewhere, or is run on made-up people without `--data`.

    Example: `simnet fetch-data data gowalla_cells.csv.gz`.

    Parameters
    ----------
    folder
        The folder to fill.
    names
        Files to make; all that are known without any.
    """
    from simnet.cli.output import console

    unknown = next((name for name in names if name not in FILES), None)
    if unknown is not None:
        hint = f" (it is {ELSEWHERE[unknown]})" if unknown in ELSEWHERE else ""
        raise BadInput(
            f"no public original is known of {unknown!r}{hint}: there are {', '.join(FILES)}"
        )
    screen = console(None)
    for name in names or FILES:
        if (folder / name).exists():
            screen.print(f"{name} is there")
            continue
        content = made(
            name, FILES[name], [fetched(one, folder / "originals") for one in FILES[name].originals]
        )
        packed = gzip.compress(content, mtime=0) if name.endswith(".gz") else content
        write_whole(folder / name, packed)
        screen.print(f"{name} is made")
    for name in () if names else ELSEWHERE:
        if not (folder / name).exists():
            screen.print(
                f"{name} cannot be fetched, for no public original is known; "
                f"{' and '.join(readers(name))} needs it. It is {ELSEWHERE[name]}. Without it: "
                f"simnet reproduce all --data {folder} --make-up-missing",
                soft_wrap=True,
            )
    return 0


def readers(name: str) -> list[str]:
    """The registered experiments that read a file of the data."""
    from simnet.studies.find import find_experiment, names

    return [one for one in names() if name in find_experiment(one)[1].files]


def fetched(original: Original, cache: Path) -> bytes:
    """An original's content, unpacked, from the cache or from its address.

    Raises `BadInput` without pooch, when it cannot be had, or when its digest is another.
    """
    try:
        import pooch
    except ImportError:
        raise BadInput(extra_missing("fetching data", "pooch", "data")) from None
    packed = original.url.endswith(".gz")
    known = None if packed else f"sha256:{original.sha256}"  # the digest is that of what is in it
    try:
        file = Path(pooch.retrieve(original.url, known, path=cache))
        content = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
    except (OSError, EOFError, ValueError) as error:
        what = " ".join(str(error).split())
        raise BadInput(
            f"{original.url} cannot be had, is there a connection to the internet? {what}"
        ) from error
    return checked(original.url, content, original.sha256)


def made(name: str, derived: Derived, originals: Sequence[bytes]) -> bytes:
    """A file's content as CSV. Raises `BadInput` when it does not come out as it should."""
    text = io.StringIO(newline="")
    lines = [content.decode("utf-8").splitlines() for content in originals]
    csv.writer(text, lineterminator="\n").writerows(derived.derive(lines))
    return checked(name, text.getvalue().encode(), derived.sha256)


def checked(name: str, content: bytes, sha256: str) -> bytes:
    """The content. Raises `BadInput` when its digest is another."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise BadInput(
            f"{name} has SHA-256 {found} where {sha256} is expected: it is another file, or has "
            "changed"
        )
    return content
