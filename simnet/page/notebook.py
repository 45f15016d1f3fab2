"""The page of a run inside a notebook: what `show()` of a result returns."""

import html
from pathlib import Path

import attrs

from simnet.files import write_whole
from simnet.kernel.run import Run
from simnet.page.beside import Result
from simnet.page.page import page_of
from simnet.scenario.plain import PlainRun
from simnet.scenario.scenario import Scenario
from simnet.stated.about import About

HEIGHT = 900  # pixels of the frame in a notebook


@attrs.frozen(repr=False)
class Page:
    """A page as `simnet show` writes it; a notebook displays it in a frame.

    >>> from simnet import perform
    >>> page = perform("dpds", users=3, items=2, seed=1).show()
    >>> page
    the page of dpds; in a notebook it is displayed, and page.save("run.html") writes it
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """

    name: str
    html: str

    def save(self, file: str | Path) -> None:
        """Write the page into a file. Only its owner may read a new file. Raises `BadInput` if
        the file cannot be written.
        """
        write_whole(Path(file), self.html, private=True)

    def __repr__(self) -> str:
        return (
            f"the page of {self.name}; in a notebook it is displayed, and "
            'page.save("run.html") writes it'
        )

    def _repr_html_(self) -> str:
        # The frame may run the page's own scripts, and has no access to the notebook.
        return (
            f'<iframe title="{html.escape(self.name)}" sandbox="allow-scripts" width="100%" '
            f'height="{HEIGHT}" srcdoc="{html.escape(self.html)}"></iframe>'
        )


def shown(result: Result | Run) -> Page:
    """Return the page of a result, or of a run about whose protocol nothing else is known.

    Inputs that a scenario did not draw itself count as inputs of people: see `page_of`.
    """
    if isinstance(result, Run):
        protocol, name = result.protocol, type(result.protocol).__name__
        scenario = Scenario(
            summary=name, protocol=lambda: protocol, parameters={}, sizes=(), users=result.people
        )
        result = PlainRun(name=name, scenario=scenario, run=result, about=About(name=name))
        return Page(name, page_of(result, is_private=bool(result.run.inputs)))
    return Page(result.name, page_of(result))
