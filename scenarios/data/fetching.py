"""The command `simnet fetch-data`: download public originals, check them, and make the files of a
folder of data.
"""

import csv
import gzip
import hashlib
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scenarios.data.registry import ELSEWHERE, FILES, Derived, Original
from simnet.errors import BadInput
from simnet.files import make_folder, write_whole
from simnet.installed import extra_missing

MOST_BYTES = 1 << 29  # the largest unpacked size: five times the size of the largest known file


def fetch_data(folder: Path, /, *names: str) -> int:
    """Fetch the public data that experiments use with `--data FOLDER`.

    Every download and every file made from downloads is checked against its digest. So is a wanted
    file that is already in the folder. A file with other content, such as one that a full disk cut
    short, is made again; the old file is kept with `.old` behind its name. For
    gowalla_nyc_locations.csv.gz no public original is known: joy_fig2 needs it from elsewhere, or
    runs on made-up people without `--data`.

    Example: `simnet fetch-data data gowalla_cells.csv.gz`.

    Parameters
    ----------
    folder
        The folder to fill.
    names
        The files to make; by default all that have public originals.
    """
    from simnet.cli.output import console

    unknown = next((name for name in names if name not in FILES), None)
    if unknown is not None:
        hint = f" (it has {ELSEWHERE[unknown]})" if unknown in ELSEWHERE else ""
        raise BadInput(
            f"no public original is known of {unknown!r}{hint}: the files that can be made are "
            f"{', '.join(FILES)}"
        )
    screen = console(None)
    for name in names or FILES:
        file, is_other = folder / name, False
        if file.exists():
            is_other = _digest(file) != FILES[name].sha256
            if not is_other:
                screen.print(f"{name} is already in {folder}", soft_wrap=True)
                continue
            screen.print(
                f"{name} in {folder} is damaged, unreadable or another file: it must be made again",
                soft_wrap=True,
            )
        content = made(
            name, FILES[name], [fetched(one, folder / "originals") for one in FILES[name].originals]
        )
        packed = gzip.compress(content, mtime=0) if name.endswith(".gz") else content
        if is_other:
            kept = file.with_name(f"{name}.old")
            try:
                file.replace(kept)
            except OSError as error:
                raise BadInput(f"{file} cannot be renamed: {error.strerror}") from error
            screen.print(f"the old {name} is now called {kept.name}")
        write_whole(file, packed)
        screen.print(f"{name} is made")
    for name in () if names else ELSEWHERE:
        if not (folder / name).exists():
            screen.print(
                f"{name} cannot be fetched, because no public original is known; "
                f"{' and '.join(readers(name))} needs it. It has {ELSEWHERE[name]}. Without it: "
                f"simnet reproduce all --data {folder} --make-up-missing",
                soft_wrap=True,
            )
    return 0


def readers(name: str) -> list[str]:
    """Return the names of the registered experiments that read this file of the data."""
    from simnet.studies.find import find_experiment, names

    return [one for one in names() if name in find_experiment(one)[1].files]


def fetched(original: Original, cache: Path) -> bytes:
    """Return an original's unpacked content, from the cache or from its address.

    Raises `BadInput` if pooch is missing, if the cache cannot be made, if the download fails, or if
    the digest differs.
    """
    try:
        import pooch
    except ImportError:
        raise BadInput(extra_missing("fetching data", "pooch", "data")) from None
    make_folder(cache)
    packed = original.url.endswith(".gz")
    known = (
        None if packed else f"sha256:{original.sha256}"
    )  # the digest is that of the unpacked content
    try:
        file = Path(pooch.retrieve(original.url, known, path=cache))
        found = _digest(file)
        if found == original.sha256:  # if the digest differs, nothing is unpacked into memory
            return gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
        file.unlink()  # remove the file, so that the next call downloads it again
    except (OSError, EOFError) as error:
        what = " ".join(str(error).split())
        raise BadInput(
            f"{original.url} could not be downloaded to {cache}; is there a connection to the "
            f"internet? {what}"
        ) from error
    except ValueError as error:  # pooch has found another digest
        what = " ".join(str(error).split())
        raise BadInput(f"{original.url} is another file, or has changed: {what}") from error
    raise BadInput(
        f"{original.url} is another file, or has changed: its SHA-256 is {found}, where "
        f"{original.sha256} is expected"
    )


def _digest(file: Path) -> str:
    """Return the SHA-256 of a file's content, unpacked if its name ends in .gz.

    If the file cannot be read, or is too large, return a text that says so.
    """
    opener: Any = gzip.open if file.suffix == ".gz" else open
    whole, left = hashlib.sha256(), MOST_BYTES
    try:
        with opener(file, "rb") as stream:
            while piece := stream.read(1 << 20):
                left -= len(piece)
                if left < 0:
                    return f"unknown, because it unpacks to more than {MOST_BYTES:,} bytes"
                whole.update(piece)
    except (OSError, EOFError, zlib.error):
        return "unknown, because it cannot be read"
    return whole.hexdigest()


def made(name: str, derived: Derived, originals: Sequence[bytes]) -> bytes:
    """Make a file's content as CSV from the originals.

    Raises `BadInput` if its digest differs from the known one.
    """
    text = io.StringIO(newline="")
    lines = [content.decode("utf-8").splitlines() for content in originals]
    csv.writer(text, lineterminator="\n").writerows(derived.derive(lines))
    content = text.getvalue().encode()
    found = hashlib.sha256(content).hexdigest()
    if found != derived.sha256:
        raise BadInput(
            f"the content made for {name} has the SHA-256 {found}, where {derived.sha256} is "
            "expected"
        )
    return content
