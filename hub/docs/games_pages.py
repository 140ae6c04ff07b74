"""What the documents say of each game beside its own page: the tables of `games.md`, and whose the games are.

`make renew` writes the tables from the data files (`[page]`), so that a game that is added is in them
without a hand, and the table of options in each game's own page; the sentence stands in the page of licences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import json

from hub import games
from hub.engine.game import Game

PAGE = Path(__file__).with_name("games.md")
FACTS = {"by": "by", "publisher": "published by"}
USES = {"sealed": "sealed choices", "dice": "real dice", "box": "at a box without a phone"}


def every_game() -> list[Game]:
    """Return the games that there are, by name."""
    return [games.find(name) for name in games.built_in()]


def who_made_them() -> str:
    """Return the table of the games: by whom, for how many, how long."""
    return table(
        ("game", *FACTS.values(), "players", "minutes"),
        (
            (
                f"[{game.title}](games/{game.name}.md)",
                *(game.data["page"][key] for key in FACTS),
                f"{game.seats[0]} to {game.seats[1]}",
                f"about {game.labels.minutes}",
            )
            for game in every_game()
        ),
    )


def what_they_use() -> str:
    """Return the table of what of the table each game uses."""
    rows = ((game.title, *(game.data["page"][key] for key in USES)) for game in every_game())
    return table(("game", *USES.values()), rows)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def options_of(game: Game) -> str:
    """Return the table of a game's options."""
    values = (
        (one.default if isinstance(one.default, str) else json.encode(one.default).decode())
        for one in game.options.values()
    )
    rows = (
        (f"`{name}`", f"`{value}`", one.effect) for (name, one), value in zip(game.options.items(), values, strict=True)
    )
    return table(("option", "default", "what it does"), rows)


def game_page(game: Game, text: str) -> str:
    """Return the page of a game with its table of options made anew."""
    return re.sub(r"(?m)^\| option .*\n(?:\|.*\n)*", lambda _: f"{options_of(game)}\n", text)


TABLES = {"made": who_made_them, "uses": what_they_use}
"""The tables of the page, by the name that stands in their markers."""


def page(text: str) -> str:
    """Return the page with its tables made anew, each between `<!-- name -->` and `<!-- /name -->`."""
    for name, made in TABLES.items():
        text, count = re.subn(rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)", rf"\1{made()}\2", text, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"{PAGE.name} has {count} tables between <!-- {name} --> and <!-- /{name} -->, not one.")
    return text


def owners() -> str:
    """Return whose the games are that are somebody's: "Pandaqi for I Bid You Not, ..."."""
    owned = [f"{owner} for {game.title}" for game in every_game() if (owner := game.data["page"]["owner"])]
    return ", ".join(owned)


def everybodys() -> str:
    """Return a sentence about the games that are nobody's; "" where there are none."""
    titles = " and ".join(game.title for game in every_game() if not game.data["page"]["owner"])
    return f"In the public domain, and played without a box: {titles}." if titles else ""


def pages() -> dict[Path, str]:
    """Return the page of all games and the page of each one."""
    each = {PAGE.with_name("games") / f"{game.name}.md": game for game in every_game()}
    return {PAGE: page(PAGE.read_text("utf-8"))} | {
        its_page: game_page(game, its_page.read_text("utf-8")) for its_page, game in each.items()
    }
