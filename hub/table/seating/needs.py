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


def lacks(game: Game, seats: Sequence[Seat], *, has_reader: bool, kit: Kit | None) -> list[str]:
    """Return what `game` needs for those who sit at `seats`, and is not there: first what keeps somebody from playing.

    `has_reader`: dice are read at this table; `kit` is how many its reader has, where it tells.
    """
    found = [phones] if (phones := lacking_phones(game, seats)) else []
    wanted = game.labels.needs.dice
    if wanted and not has_reader:
        found.append(
            say("No dice reader is here: throws of {title} are typed, or rolled by the hub.", title=game.title)
        )
    elif kit and kit.dice < wanted:
        count = f"{kit.dice} {'die' if kit.dice == 1 else 'dice'}"
        found.append(
            say(
                "{title} throws {wanted} dice at once, and the reader has {count}: the rest is typed.",
                title=game.title,
                wanted=wanted,
                count=count,
            )
        )
    return found


def lacking_phones(game: Game, seats: Sequence[Seat], options: Mapping[str, object] | None = None) -> str:
    """Return the sentence about seats that play `game` without a phone and would need one; "" where there is none.

    With printed cards, if the `options` say so, people hold what a phone would show.
    """
    if options and options.get(OPTION):
        return ""
    what = game.labels.needs.phone
    without = [seat.number for seat in seats if not seat.sid and not seat.house]
    if not what or not without:
        return ""
    where = say_count("seat {named} has none", "seats {named} have none", len(without), named=listed(without))
    return say("{title} needs a phone for {what}: {where}.", title=game.title, what=what, where=where)


def check_house(options: Mapping[str, object], seats: Sequence[Seat]) -> None:
    """Raise StartRefused where the house would play at one of `seats` with cards that only people can hold."""
    house = [seat.number for seat in seats if seat.is_house]
    if options.get(OPTION) and house:
        where = say_count("seat {seats}", "seats {seats}", len(house), seats=listed(house))
        raise StartRefused(
            f"The house cannot hold printed cards, and it plays at {where}: free that, or play without printed cards."
        )
