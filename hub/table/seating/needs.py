"""What a game needs and a table has not, as sentences: from `[needs]` of the game's data file and what is there now.

`phone` names what of a seat a phone alone shows; `dice` is how many dice a reader has to have for a throw.
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
    """Return what `game` needs for those who sit at `seats`, and is not there: first what keeps somebody from playing.

    `has_reader`: dice are read at this table; `kit` is how many its reader has, where it tells.
    """
    found = [phones] if (phones := missing_phones(game, seats)) else []
    wanted = game.labels.needs.dice
    if wanted and not has_reader:
        found.append(say("No dice reader is here: throws of {game} are typed, or rolled by the hub.", game=game.title))
    elif kit and kit.dice < wanted:
        text = say_count(
            "{game} throws {wanted} dice at once, and the reader has 1 die: the rest is typed.",
            "{game} throws {wanted} dice at once, and the reader has {count} dice: the rest is typed.",
            kit.dice,
            game=game.title,
            wanted=wanted,
        )
        found.append(text)
    return found


def missing_phones(game: Game, seats: Sequence[Seat], options: Mapping[str, object] | None = None) -> str:
    """Return the sentence about seats that play `game` without a phone and would need one; "" where there is none.

    With printed cards, if the `options` say so, people hold what a phone would show.
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
    """Raise StartRefused where the house would play at one of `seats` with cards that only people can hold."""
    house = [seat.number for seat in seats if seat.is_house]
    if options.get(OPTION) and house:
        text = say_count(
            "The house cannot hold printed cards, and it plays at seat {seats}: free that, or play without printed cards.",
            "The house cannot hold printed cards, and it plays at seats {seats}: free them, or play without printed cards.",
            len(house),
            seats=listed(house),
        )
        raise StartRefused(text)
