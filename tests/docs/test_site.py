"""The site as `make docs` builds it: no warning, nothing asked of other hosts, headings in order, a word for each picture."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VOID = {"img", "link", "meta", "br", "hr", "input"}


class Page(HTMLParser):
    """What a page asks for, how deep its headings are, and which pictures have no words."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.headings: list[int] = []
        self.wordless: list[str] = []
        self.language = ""

    def handle_starttag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in given}
        if tag == "html":
            self.language = attributes.get("lang", "")
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed"):
            self.asked.append(attributes.get("src", ""))
        if tag == "link" and attributes.get("rel") not in ("next", "prev", "index", "search", "canonical"):
            self.asked.append(attributes.get("href", ""))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "img" and not attributes.get("alt"):
            self.wordless.append(attributes.get("src", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built by the Makefile's own command into a folder of its own."""
    (line,) = re.findall(r"^SITE = (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    built = tmp_path_factory.mktemp("site")
    command = shlex.split(line.replace("build/docs", str(built)))
    command[0] = str(Path(sys.executable).with_name("sphinx-build"))
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return built / "html"


def pages(site: Path) -> dict[str, Page]:
    found = {}
    for file in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(file.read_text("utf-8"))
        found[file.relative_to(site).as_posix()] = page
    return found


@pytest.mark.long
def test_the_site_is_whole_asks_nobody_else_and_can_be_read_aloud(site: Path) -> None:
    found = pages(site)
    documents = {f"{name.removesuffix('.md')}.html" for name in tracked()}
    assert documents <= {*found}
    assert (site / "index.html").read_bytes() == (site / "README.html").read_bytes()
    for name, page in found.items():
        assert [link for link in page.asked if re.match(r"(https?:)?//", link)] == [], name
        assert page.wordless == [], name
        assert page.language == "en", name
        if name in documents:
            assert page.headings[0] == 1, name
            assert page.headings.count(1) == 1, name
            assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False)), (
                name
            )
    for sheet in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^\s)]+", sheet.read_text("utf-8")) == [], sheet


def tracked() -> list[str]:
    """Return the Markdown files that are the repository's own."""
    names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.md")]
    return [name for name in names if not re.search(r"(^|/)(node_modules|build|dist|\.[^/]+)/", name)]
