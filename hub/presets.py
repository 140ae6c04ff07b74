"""Sets of options that the lobby offers by name: those of a game's data file, and the owner's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hub.config import PresetPart
from hub.engine.game import Game
from hub.errors import ConfigError, StartRefused
from hub.games import packaged
from hub.state import Preset


def presets_by_game(parts: Sequence[PresetPart], games: Sequence[Game]) -> Mapping[str, Sequence[Preset]]:
    """Return the presets of each game: its own, then the owner's. Of two with the same name, the owner's counts.

    The presets of a game that is left out are, too. Raise ConfigError if a game or an option does not exist.
    """
    known = {game.name: game for game in games}
    named = {(part.game, part.name) for part in parts}
    found = {
        game.name: [
            Preset(one.name, one.effect, dict(one.options))
            for one in game.labels.presets
            if (game.name, one.name) not in named
        ]
        for game in games
    }
    for part in parts:
        if part.game not in known:
            if packaged().lacks(part.game):
                continue
            raise ConfigError(
                f'[[preset]] "{part.name}": there is no game {part.game!r}: there are {", ".join(known)}.'
            )
        try:
            known[part.game].check_options(part.options)
        except StartRefused as error:
            raise ConfigError(f'[[preset]] "{part.name}": {error}') from error
        found[part.game].append(Preset(part.name, part.effect, dict(part.options)))
    return found
