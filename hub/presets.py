"""The owner's sets of options, which the lobby offers by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hub.config import PresetPart
from hub.engine.game import Game
from hub.errors import ConfigError, StartRefused
from hub.state import Preset


def presets_by_game(parts: Sequence[PresetPart], games: Sequence[Game]) -> Mapping[str, Sequence[Preset]]:
    """Return the presets of each game, in the owner's order. Raise ConfigError where a game or an option does not exist."""
    known = {game.name: game for game in games}
    found: dict[str, list[Preset]] = {}
    for part in parts:
        if part.game not in known:
            raise ConfigError(
                f'[[preset]] "{part.name}": there is no game {part.game!r}: there are {", ".join(known)}.'
            )
        try:
            known[part.game].check_options(part.options)
        except StartRefused as error:
            raise ConfigError(f'[[preset]] "{part.name}": {error}') from error
        found.setdefault(part.game, []).append(Preset(part.name, part.effect, dict(part.options)))
    return found
