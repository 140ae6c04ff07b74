"""The owner's presets, from the configuration to the lobby: what is wrong is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub import config, games
from hub.engine.game import Game
from hub.engine.match import Match
from hub.errors import ConfigError
from hub.presets import presets_by_game

OFFERED = [games.find(name) for name in games.names()]


def loaded(folder: Path, text: str) -> config.Config:
    file = folder / "hub.toml"
    file.write_text(text)
    return config.load(file)


def test_presets_are_read_with_their_options(tmp_path: Path) -> None:
    parts = loaded(
        tmp_path,
        '[[preset]]\ngame = "bid-it"\nname = "full"\neffect = "All of it."\noptions = { advanced = true }\n'
        '[[preset]]\ngame = "bid-it"\nname = "long"\n[preset.options]\nmatch = 5\n',
    ).preset
    found = presets_by_game(parts, OFFERED)
    assert [(one.name, one.effect, one.options) for one in found["bid-it"]] == [
        ("full", "All of it.", {"advanced": True}),
        ("long", "", {"match": 5}),
    ]


@pytest.mark.parametrize("game", OFFERED, ids=[game.name for game in OFFERED])
def test_the_presets_of_a_game_can_be_played_and_named_on_a_button(game: Game) -> None:
    for one in game.labels.presets:
        game.check_options(one.options)
        assert len(one.name) <= 20
        usual = {name: option.default for name, option in game.options.items()}
        assert any(usual[name] != value for name, value in one.options.items()), "else it is the usual game"
        for count in range(game.seats[0], game.seats[1] + 1):
            Match(game, range(1, count + 1), one.options)


def test_the_presets_of_a_game_come_first_and_an_owner_may_replace_them(tmp_path: Path) -> None:
    own = '[[preset]]\ngame = "goofspiel"\nname = "{name}"\noptions = {{ cards = 9 }}\n'
    beside = loaded(tmp_path, own.format(name="nine")).preset
    assert [one.name for one in presets_by_game(beside, OFFERED)["goofspiel"]] == ["Short first match", "nine"]
    instead = loaded(tmp_path, own.format(name="Short first match")).preset
    (only,) = presets_by_game(instead, OFFERED)["goofspiel"]
    assert only.options == {"cards": 9}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('game = "chess"\nname = "x"', "[[preset]] \"x\": there is no game 'chess'"),
        ('game = "bid-it"\nname = "x"\noptions = { advancd = true }', "has no option advancd: do you mean advanced?"),
        ('game = "bid-it"\nname = "x"\noptions = { match = 100 }', "a whole number from 0 to 99, not 100"),
        ('game = "bid-it"', "must have both a game and a name"),
        ('game = "bid-it"\nname = "a name that nobody could read on a button"', "of at most 20 letters"),
    ],
)
def test_a_preset_that_cannot_be_played_is_refused_by_name(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        presets_by_game(loaded(tmp_path, f"[[preset]]\n{text}\n").preset, OFFERED)
    assert sentence in str(refused.value)


def test_two_presets_of_a_game_have_two_names(tmp_path: Path) -> None:
    block = '[[preset]]\ngame = "bid-it"\nname = "full"\n'
    with pytest.raises(ConfigError, match='has two presets "full"'):
        loaded(tmp_path, block + block)


@pytest.mark.parametrize("closes", ["24:00", "9:30", "eleven", "23:00 "])
def test_a_closing_time_that_is_none_is_refused(tmp_path: Path, closes: str) -> None:
    with pytest.raises(ConfigError, match='a time such as "23:00"'):
        loaded(tmp_path, f'[hours]\ncloses = "{closes}"\n')


def test_a_day_may_have_its_own_closing_time(tmp_path: Path) -> None:
    hours = loaded(tmp_path, '[hours]\ncloses = "23:00"\nfri = "01:00"\n').hours
    assert hours.evenings == ("23:00", "23:00", "23:00", "23:00", "01:00", "23:00", "23:00")


def test_a_configuration_with_presets_and_hours_is_written_and_read_again(tmp_path: Path) -> None:
    first = loaded(
        tmp_path,
        '[hours]\nsat = "02:00"\n[[preset]]\ngame = "bid-it"\nname = "full"\noptions = { advanced = true, match = 3 }\n',
    )
    assert loaded(tmp_path, config.dump(first)) == first
