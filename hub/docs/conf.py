"""Sphinx's configuration: the Markdown files of this repository, where they lie, as a site (`make docs`).

No file knows that it is a page: the tables of contents stand here, so that each reads as well in a clone. What is wrong in
a page, a link that leads nowhere among it, ends the build.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from hub.version import version as version_of_this  # noqa: E402 - found by the line above

# The order of the pages. One that is listed nowhere stands in the place of OTHERS.
OTHERS = "*"
TITLES = {"phone_ui/README": "Pages of phones and screen"}  # where a page's own is too short beside others
CONTENTS = {
    "Play": ["hub/docs/try", "hub/docs/games"],
    "Own a table": [
        "hub/docs/build",
        OTHERS,  # what drivers, boxes and their hardware say of themselves
        "hub/docs/run",
        "hub/docs/many_hubs",
        "hub/docs/configuration",
        "hub/docs/troubleshooting",
        "SECURITY",
    ],
    "Change it": [
        "hub/docs/develop",
        "hub/docs/translate",
        "hub/docs/own_player",
        "hub/docs/own_device",
        "hub/docs/packages",
        "hub/docs/engine",
        "ARCHITECTURE",
        "CONTRIBUTING",
        "hub/games/README",
        "hub/docs/labels",
        "phone_ui/README",
        "tests/bench/README",
        "hub/docs/house",
        "DECISIONS",
        "CHANGELOG",
    ],
    "Rights": ["hub/docs/licences"],
}
GAMES = sorted(f"hub/docs/games/{page.stem}" for page in ROOT.glob("hub/docs/games/*.md"))

project = "table-hub"
author = "table-hub contributors"
copyright = "2026 table-hub contributors"  # noqa: A001 - Sphinx's name for it
version = release = version_of_this()
root_doc = "README"
include_patterns = ["**.md"]
exclude_patterns = [".*", "**/.venv", "build", "dist", "**/node_modules", "**/__pycache__"]
extensions = ["myst_parser"]
nitpicky = True
smartquotes = False  # a value of the configuration is copied as it stands

myst_heading_anchors = 4  # links to a heading are written as in any other Markdown file
myst_links_external_new_tab = False

html_theme = "furo"
html_title = project
html_favicon = "../../phone_ui/static/favicon.svg"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#8a4b08", "color-brand-content": "#8a4b08"},
    "dark_css_variables": {"color-brand-primary": "#f2b544", "color-brand-content": "#f2b544"},
}


def setup(app: Sphinx) -> None:
    """Add what Sphinx cannot be told by a value."""
    app.add_lexer("mermaid", TextLexer)  # drawings stand as the text that they are written in
    app.connect("source-read", add_contents)
    app.connect("build-finished", make_front_page)


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the tables of contents to the pages that lead to others."""
    if page == root_doc:
        listed = {root_doc, *GAMES, *(one for pages in CONTENTS.values() for one in pages)}
        others = sorted(
            app.project.docnames - listed, key=lambda one: (one.split("/")[0], not one.endswith("/README"), one)
        )
        for caption, pages in CONTENTS.items():
            source[0] += contents([part for one in pages for part in (others if one == OTHERS else [one])], caption)
    elif page == "hub/docs/games":
        source[0] += contents(GAMES)


def contents(pages: list[str], caption: str = "") -> str:
    """Return a hidden table of contents."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "", "```{toctree}", *options, "", *(titled(page) for page in pages), "```", ""])


def titled(page: str) -> str:
    """Return a page's line in a table of contents."""
    return f"{TITLES[page]} </{page}>" if page in TITLES else f"/{page}"


def make_front_page(app: Sphinx, error: Exception | None) -> None:
    """Give the first page the name that a web server opens; its links stay right, for it is in the same folder."""
    if error is None and app.builder.format == "html":
        shutil.copyfile(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")
