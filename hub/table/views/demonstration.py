"""Show a short match by the house on the table's own screens while the table is free.

The match exists in memory only: no log, no record, no decision for boxes, dice or phones. Phones and staff see the lobby
meanwhile. Any touch ends the demonstration.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from msgspec.structs import replace

from hub.chance import Chance
from hub.engine import house_player
from hub.engine.decision import CHANCE, Action, Roll
from hub.engine.game import Game
from hub.engine.labels import Labels
from hub.engine.match import Match
from hub.engine.text import say
from hub.errors import HubError
from hub.ports import (
    BoxBid,
    BoxCheated,
    BoxLocked,
    BoxUnlocked,
    ClaimRequest,
    DiceSeen,
    HelpRequest,
    Key,
    PhoneRequest,
    StaffRequest,
    Turn,
)
from hub.state import Batch, PublicDice, PublicState
from hub.table.base.part import Part
from hub.table.core import Core
from hub.table.match import feed
from hub.table.match.highlights import highlights
from hub.table.seating.seat import house_name
from hub.table.views.snapshot import view

log = logging.getLogger(__name__)

TOUCHES = (
    Key, Turn, BoxLocked, BoxUnlocked, BoxBid, BoxCheated, DiceSeen, ClaimRequest, HelpRequest, PhoneRequest, StaffRequest,
)  # fmt: skip
"""The signals caused by a person at the table or on the staff page."""
STEP_SECONDS = 2.5
"""About how long a decision is open before the house takes it; the dice of a roll lie as long."""
SEALED_SHARE = 0.25
"""The share of it that each further seat takes in the same sealed choice."""
MOST_SECONDS = 240.0
RESULT_SECONDS = 15.0
LOBBY_SECONDS = 60.0
"""How long the lobby is shown between two demonstrations."""
PAPER_SECONDS = 60.0
"""How long a panel keeps a picture of it: electronic paper wears with each refresh."""
MOST_SEATS = 3
"""The most seats that play: few enough to follow."""
MOST_BATCH = 6


# Not a real match of house seats: the log, the history and claims of seats would have to ignore it.
class Demonstration(Part):
    """The demonstration of one table. Called from the table's thread.

    It starts when the table was free and untouched for `after` seconds; 0: never.
    """

    def __init__(self, core: Core, after: float) -> None:
        self._play, self._seats, self._clock, self._after = core.play, core.seats, core.ports.clock, after
        self._random, self._chance = core.ports.random, Chance(core.ports.random)
        minutes = {game.name: game.labels.minutes for game in self._play.games.values()}
        self._games: list[Game] = sorted(self._play.games.values(), key=lambda game: (minutes[game.name], game.name))
        self._count = 0  # demonstrations so far
        self._match: Match | None = None
        self._roll: Action | None = None  # dice on the table, before the rules take them
        self._dice: PublicDice | None = None
        self._panel_picture: PublicState | None = None
        self._due_at = self._clock.now() + after  # when it starts, or takes its next step
        self._ends_at = self._panel_due_at = 0.0

    # --- when ------------------------------------------------------------------------------------------

    def handle_signal(self, signal: object) -> bool:
        """End the demonstration if a person caused the signal; return whether one was shown."""
        return isinstance(signal, TOUCHES) and self._hide_for(self._after)

    @property
    def due_at(self) -> float | None:
        """Return when the next step is due, in the clock's seconds; None while the table is not free."""
        return self._due_at if self._is_free() else None

    def refresh(self) -> bool:
        """Start, take a step or end if due; return whether the picture has changed."""
        now = self._clock.now()
        if not self._is_free():
            return self._hide_for(self._after)
        if now < self._due_at:
            return False
        if self._match is None:
            return self._begin(now)
        if now >= self._ends_at:
            return self._hide_for(LOBBY_SECONDS)
        try:
            self._step(self._match, now)
        except HubError as error:
            self._exclude(self._match.game, error)
        return True

    def _is_free(self) -> bool:
        """Return whether no person has or claims a seat, no match is under way, and the table works."""
        if not self._after or not self._games or self._play.stopped or self._play.seats:
            return False
        return not self._seats.claimed_seats and not any(
            seat.sid or (seat.joined and not seat.is_house) for seat in self._seats
        )

    def _hide_for(self, seconds: float) -> bool:
        """Show none for some seconds; return whether one was shown."""
        was = self._match is not None
        self._match = self._roll = self._dice = self._panel_picture = None
        self._due_at = self._clock.now() + seconds
        return was

    # --- the match -------------------------------------------------------------------------------------

    def _begin(self, now: float) -> bool:
        """Start the next game that this number of seats can play; return whether the picture has changed."""
        places = len(list(self._seats))
        game = next((game for game in self._games if game.seats[0] <= places), None)
        if game is None:
            return self._hide_for(LOBBY_SECONDS)
        self._games.remove(game)
        self._games.append(game)
        self._count += 1
        seats = range(1, max(game.seats[0], min(game.seats[1], places, MOST_SEATS)) + 1)
        try:
            self._match = Match(game, list(seats))
            self._chance.settle(self._match)
        except HubError as error:
            self._exclude(game, error)
            return False
        log.debug("a demonstration of %s begins", game.name)
        self._ends_at, self._panel_due_at = now + MOST_SECONDS, now + PAPER_SECONDS
        self._due_at = now + self._step_seconds()
        return True

    def _exclude(self, game: Game, error: HubError) -> None:
        """Exclude a game whose rules or house player failed, or which cannot start."""
        log.error("there is no demonstration of %s", game.name, exc_info=error)
        self._games.remove(game)
        self._hide_for(LOBBY_SECONDS)

    def _step_seconds(self) -> float:
        return STEP_SECONDS * (0.8 + 0.4 * self._random.random())

    def _step(self, match: Match, now: float) -> None:
        """Take one decision, or show the dice that the next step passes to the rules. Raise HubError."""
        asked, action = match.open, self._roll or self._next_action(match)
        self._due_at = min(now + self._step_seconds(), self._ends_at)
        if action.seat == CHANCE and self._roll is None and asked and asked.roll:
            self._roll, self._dice = action, _public_dice(asked.roll, action.args["faces"])
            return
        self._roll = self._dice = None
        match.act(action)
        self._chance.settle(match)
        if match.over:
            self._due_at = self._ends_at = now + RESULT_SECONDS
        elif asked and match.open is asked and asked.kind == "sealed":
            self._due_at = min(now + self._step_seconds() * SEALED_SHARE, self._ends_at)

    def _next_action(self, match: Match) -> Action:
        for seat in match.setup.seats:
            action = house_player.play(match, seat, "steady", self._random)
            if action is not None:
                return action
        raise HubError("Nobody is asked.")

    @property
    def labels(self) -> Labels | None:
        """Return the labels of the game that is shown, or None."""
        return self._match.game.labels if self._match else None

    # --- what is shown ---------------------------------------------------------------------------------

    def picture(self, lobby: PublicState) -> PublicState | None:
        """Return the state that rings and screens show instead of `lobby`; None without a demonstration.

        It has public information only.
        """
        match = self._match
        if match is None or not self._is_free():
            return None
        asked = match.open
        playing = set(match.setup.seats)
        seats = [
            replace(one, name=house_name(one.seat), held=True, phone="none", presence="here", house="steady")
            if one.seat in playing
            else one
            for one in lobby.seats
        ]
        return replace(
            lobby,
            state="over" if match.over else "playing",
            match=f"demonstration-{self._count}",
            game=match.game.name,
            title=match.game.title,
            seats=seats,
            view=view(match),
            locked=sorted(asked.answers) if asked and asked.kind == "sealed" else [],
            want=asked.others if asked else "",
            events=feed.events(match),
            dice=self._dice,
            over=match.over,
            highlights=highlights(match.events, match.game.labels.screen.highlights) if match.over else [],
            games=[],
            put_aside=[],
            kit=None,
            dispute=None,
            preset="",
            options={},
        )

    def panel_picture(self, picture: PublicState | None) -> PublicState | None:
        """Return the state for panels: `picture` once per `PAPER_SECONDS`, None before the first one."""
        if picture is None:
            self._panel_picture = None
        elif self._clock.now() >= self._panel_due_at:
            self._panel_due_at = self._clock.now() + PAPER_SECONDS
            self._panel_picture = replace(picture, title=say("Demo: {game}", game=picture.title))
        return self._panel_picture


def _public_dice(roll: Roll, faces: Sequence[int]) -> PublicDice:
    """Return dice rolled by the hub as everybody sees them: the last batch open, those before it done."""
    batches = [list(faces[first : first + MOST_BATCH]) for first in range(0, len(faces), MOST_BATCH)]
    return PublicDice(
        state="settled",
        seat=roll.seat,
        count=roll.count,
        sides=roll.sides,
        why=roll.why,
        batch=len(batches[-1]),
        faces=batches[-1],
        read="hub",
        done=[Batch(known, "hub") for known in batches[:-1]],
        total=sum(faces),
    )
