"""How Sphinx builds the site: `make docs` reads the pages here and writes build/site, offline."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

project = "simnet"
author = "The simnet authors"
project_copyright = "the simnet authors; licence: Apache-2.0"
release = version = version_of("simnet-workbench")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "extensions.markdown_docstrings",
    "extensions.made_pages",
    "extensions.checks",
    "extensions.links",
    "extensions.fast_build",
    "extensions.unbroken_code",
]
exclude_patterns = ["extensions", "static"]
suppress_warnings = ["toc.empty_glob"]  # a section may have no page yet

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_inherit_docstrings = False
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"simnet {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
highlight_language = "text"
pygments_dark_style = "github-dark"  # the style of furo underlines the names of modules like links
smartquotes = False  # they would turn the two hyphens of an option into a dash
