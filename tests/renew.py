"""Renew the files that are made from the program: `make renew`, or `make renew ARGS=--check` to see which are out of date.

Each is replaced as a whole. The digests of recorded matches are among them: if one changes and no rule or sentence was to
change, that is a fault.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from hub import games
from hub.authoring.playthroughs import digests
from hub.authoring.translations import replace
from hub.docs import catalogues, configuration, contract, games_pages, labels, licences, rulebook_api
from phone_ui import javascript
from tests.games.test_playthroughs import HERE as PLAYED
from tests.games.test_playthroughs import SEEN

Files: TypeAlias = Mapping[Path, bytes]
ROOT = Path(__file__).parent.parent


def _texts(texts: Mapping[Path, str]) -> Files:
    return {path: text.encode() for path, text in texts.items()}


MADE: Mapping[str, Callable[[], Files]] = {
    "catalogs": catalogues.made,
    "page of the configuration": lambda: _texts({configuration.PAGE: configuration.page()}),
    "page of the labels": lambda: _texts({labels.PAGE: labels.page()}),
    "page of what a rulebook calls": lambda: _texts({rulebook_api.PAGE: rulebook_api.page()}),
    "page of the licenses": lambda: _texts({licences.PAGE: licences.page()}),
    "pages of the games": lambda: _texts(games_pages.pages()),
    "contract": lambda: _texts({contract.FILES[name]: text for name, text in contract.documents().items()}),
    "types of the pages": lambda: _texts(
        {javascript.MESSAGES: javascript.messages(), javascript.DEFAULTS: javascript.defaults()}
    ),
    "digests of recorded matches": lambda: _texts(
        {SEEN / f"{name}.toml": digests(name, PLAYED) for name in games.names()}
    ),
}
"""What makes each group of files."""


def main(argv: Sequence[str]) -> int:
    """Renew the files, or only say which ones are out of date and return 1 if there is any."""
    check = list(argv) == ["--check"]
    old = 0
    for what, make in MADE.items():
        for path, content in make().items():
            if path.read_bytes() == content:
                continue
            old += 1
            sys.stdout.write(
                f"{path.relative_to(ROOT)} ({what}) {'is out of date: make renew' if check else 'is renewed'}.\n"
            )
            if not check:
                replace(path, content)
    sys.stdout.write("Every generated file is up to date.\n" if not old else f"{old} files.\n")
    return int(check and old > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
