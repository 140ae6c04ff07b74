"""What a table lacks for a game, as sentences, from `[needs]` of the game's data file.

`phone` names what only a phone shows to a seat; `dice` is the number of dice that a reader needs for one throw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hub.engine.game import Game
from hub.engine.printed import OPTION
from hub.engine.text import listed, say, say_count
from hub.errors import StartRefused
from hub.state import Kit
from hub.table.seating.seat import Seat


def missing_needs(game: Game, seats: Sequence[Seat], *, has_reader: bool, kit: Kit | None) -> list[str]:
    """Return what `game` lacks at these `seats`, with the most serious first.

    `has_reader`: the table has a dice reader. `kit` holds the dice that the reader has reported, if any.
    """
    found = [phones] if (phones := missing_phones(game, seats)) else []
    wanted = game.labels.needs.dice
    if wanted and not has_reader:
        found.append(
            say("This table has no dice reader: type the rolls of {game}, or let the hub roll.", game=game.title)
        )
    elif kit and kit.dice < wanted:
        text = say_count(
            "{game} rolls {wanted} dice at once, but the reader has 1 die: type the rest.",
            "{game} rolls {wanted} dice at once, but the reader has {count} dice: type the rest.",
            kit.dice,
            game=game.title,
            wanted=wanted,
        )
        found.append(text)
    return found


def missing_phones(game: Game, seats: Sequence[Seat], options: Mapping[str, object] | None = None) -> str:
    """Return a sentence about the seats that need a phone for `game` and have none; "" if there are none.

    With printed cards (see `options`), no phone is needed.
    """
    if options and options.get(OPTION):
        return ""
    what = game.labels.needs.phone
    without = [seat.number for seat in seats if not seat.sid and not seat.house]
    if not what or not without:
        return ""
    return say_count(
        "{game} needs a phone for {what}: seat {seats} has none.",
        "{game} needs a phone for {what}: seats {seats} have none.",
        len(without),
        game=game.title,
        what=what,
        seats=listed(without),
    )


def check_house(options: Mapping[str, object], seats: Sequence[Seat]) -> None:
    """Raise StartRefused if the house plays at one of `seats` and the options choose printed cards."""
    house = [seat.number for seat in seats if seat.is_house]
    if options.get(OPTION) and house:
        text = say_count(
            "The house cannot hold printed cards, and it plays at seat {seats}: free that seat, or play without "
            "printed cards.",
            "The house cannot hold printed cards, and it plays at seats {seats}: free those seats, or play "
            "without printed cards.",
            len(house),
            seats=listed(house),
        )
        raise StartRefused(text)
