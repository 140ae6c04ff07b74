"""Choose the next game and its options between two matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType

from hub.engine.text import say
from hub.errors import LogError, NotAsked, StartRefused
from hub.state import GameOffer, Preset
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.match import feed
from hub.table.seating import needs
from hub.table.seating.seat import Seat


class GameChoice:
    """The next game of a table.

    - `chosen`: the name of the game that a push on a box starts; "" before the first choice.
    - `preset`: the name of a set of options for it; "" for default options, and for options chosen by hand.
    - `options`: the chosen options that differ from the defaults.
    """

    def __init__(self, core: Core, rolls: Rolls, presets: Mapping[str, Sequence[Preset]]) -> None:
        self._play, self._seats, self._notices, self._rolls = core.play, core.seats, core.notices, rolls
        self._has_reader, self._presets = core.ports.dice is not None, presets
        self.chosen = ""
        self.preset = ""
        self.options: Mapping[str, object] = {}
        self._offered = ("", "")  # game and preset that staff offer first

    # --- what there is to play -------------------------------------------------------------------------

    def offers(self) -> list[GameOffer]:
        """Return the games as the lobby offers them now."""
        return [feed.offer(game, self._missing(name), self.presets(name)) for name, game in self._play.games.items()]

    def presets(self, name: str) -> Sequence[Preset]:
        """Return the sets of options that the lobby offers for a game."""
        return self._presets.get(name, ())

    def choose(self, name: str, preset: str) -> None:
        """Choose a game and a preset of it, "" for none. Raise NotAsked."""
        if self._play.seats or name not in self._play.games:
            raise NotAsked(say("Choose one of this table's games, between matches."), "LOBBY")
        if preset and preset not in [one.name for one in self.presets(name)]:
            raise NotAsked(say("This game has no such preset."), "LOBBY")
        self._choose(name, preset)

    def offer(self, name: str, preset: str) -> None:
        """Offer a game and a preset of it first, to these guests and the next ones. Raise NotAsked."""
        self.choose(name, preset)
        self._offered = name, preset

    def forget_guests(self) -> bool:
        """Choose again what staff offer, or nothing, once the guests who chose have gone; return whether that was a change."""
        before = self.chosen, self.preset, self.options
        self._choose(*self._offered)
        return before != (self.chosen, self.preset, self.options)

    def _choose(self, name: str, preset: str = "", options: Mapping[str, object] | None = None) -> None:
        """Choose a game with the options of a preset, or with `options`."""
        self.chosen, self.preset = name, preset
        if options is None:
            options = next((one.options for one in self.presets(name) if one.name == preset), {})
        self.options = options

    def _unusual(self, name: str, options: Mapping[str, object]) -> dict[str, object]:
        """Return the options that differ from their defaults."""
        usual = {one: option.default for one, option in self._play.games[name].options.items()}
        return {one: value for one, value in options.items() if value != usual.get(one)}

    def preset_with(self, name: str, options: Mapping[str, object]) -> str:
        """Return the preset with these options, or ""."""
        return next((one.name for one in self.presets(name) if one.options == options), "")

    def _missing(self, name: str) -> list[str]:
        if self._play.seats:  # not shown during a match
            return []
        here = [self._seats[number] for number in self._seats.dealt_in()]
        return needs.missing_needs(
            self._play.games[name], here, has_reader=self._has_reader, kit=self._rolls.dice.public_kit()
        )  # fmt: skip

    def lacking_phones(self, name: str, options: Mapping[str, object] | None = None) -> str:
        """Return a sentence about the phones that the seats dealt in lack for a game; "" if they lack none."""
        here = [self._seats[number] for number in self._seats.dealt_in()]
        return needs.missing_phones(self._play.games[name], here, options)

    def check_house(self, options: Mapping[str, object]) -> None:
        """Raise StartRefused if the house cannot play with these options."""
        needs.check_house(options, [self._seats[number] for number in self._seats.dealt_in()])

    # --- what people would like ------------------------------------------------------------------------

    def choose_starting(self, name: str, options: Mapping[str, object]) -> None:
        """Choose the game that a seat is about to start, with its options."""
        self._choose(name, self.preset_with(name, options), self._unusual(name, options))

    def choose_played(self, name: str, options: Mapping[str, object]) -> None:
        """Choose the game that is played now, with its options, for the next match as well."""
        unusual = self._unusual(name, options)
        self._choose(name, self.preset_with(name, unusual), unusual)

    def add_wish(
        self, seat: Seat, name: str, preset: str | UnsetType = UNSET, options: Mapping[str, object] | UnsetType = UNSET
    ) -> None:
        """Record the game that a seat would like, and choose the one with most wishes.

        The newest wish for the chosen game sets its options by `preset` or `options`; with neither they stay as they are.
        Raise NotAsked, StartRefused or LogError.
        """
        before = self.chosen, self.preset, self.options
        self.choose(name, preset or "")
        if preset is UNSET and options is UNSET and name == before[0]:
            self._choose(*before)
        if options is not UNSET:
            try:
                self._wish_options(options)
            except (NotAsked, StartRefused):
                self._choose(*before)
                raise
        try:
            with self._seats.changing(seat):
                seat.wish = self.chosen
        except LogError:
            self._choose(*before)
            raise
        most = self._most_wished(seat.wish)
        if most != seat.wish:
            self._choose(most, *before[1:]) if before[0] == most else self._choose(most)

    def _wish_options(self, options: Mapping[str, object]) -> None:
        """Set options of the chosen game. Raise NotAsked or StartRefused if the game does not have one of them."""
        known = self._play.games[self.chosen].options
        if not set(options) <= set(known):
            raise NotAsked(say("Choose options that this game has."), "LOBBY")
        legal = {name: known[name].check(name, value) for name, value in options.items()}
        self.choose_played(self.chosen, legal)

    def _most_wished(self, first: str) -> str:
        """Return the game with most wishes; in a tie `first`, if it is among them."""
        wishes = [one.wish for one in self._seats if one.wish in self._play.games]
        return max(dict.fromkeys([first, *wishes]), key=wishes.count)

    def choose_wished(self) -> None:
        """Choose the game with most wishes from before a restart."""
        if not self._play.seats:
            most = self._most_wished(self.chosen)
            if most != self.chosen:
                self._choose(most)

    # --- at a table without phones -------------------------------------------------------------------

    def turn_dial(self, detents: int) -> None:
        """Move the choice of game and preset by some detents of a dial."""
        self._notices.end_all("answered")
        places = [
            (name, preset) for name in self._play.games for preset in ("", *(one.name for one in self.presets(name)))
        ]
        chosen = (self.chosen, self.preset)
        at = places.index(chosen) if chosen in places else -1 if detents > 0 else 0
        self._choose(*places[(at + detents) % len(places)])
        game = self._play.games[self.chosen]
        least, most = game.seats
        preset = next((one for one in self.presets(self.chosen) if one.name == self.preset), None)
        named: str = game.title
        if preset and preset.effect:
            named = say("{game} “{preset}” ({effect})", game=game.title, preset=preset.name, effect=preset.effect)
        elif preset:
            named = say("{game} “{preset}”", game=game.title, preset=preset.name)
        text = say(
            "Push a dial to start {game}, for {least} to {most} players. Turn a dial to choose another game.",
            game=named, least=least, most=most,
        )  # fmt: skip
        if lack := self.lacking_phones(self.chosen):
            text = say("{text} {more}", text=text, more=lack)
        self._notices.post("dial", text)

    @property
    def caption(self) -> str:
        """Return the caption of a box that is about to start a game: a missing phone, else game and preset."""
        game = self._play.games[self.chosen]
        if self.lacking_phones(self.chosen):
            return say("{game}: no phone for {what}", game=game.title, what=game.labels.needs.phone)
        return say("{game}: {preset}", game=game.title, preset=self.preset) if self.preset else game.title
