"""One value of a TOML file is changed, and every other line stays as it was."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.config import Config, dump
from hub.toml_edit import REMOVED, CannotEdit, changed, placed

ROOT = Path(__file__).parent.parent
BETWEEN = """\
# The venue.
[[table]]
id = "1" # the big one

# Dice for it:
[[device]]
driver = "dice_tray"

[[table]]
id = "2"
[[device]]
driver = "gpio_box"
names = [ # in order
  "a",
]
  [[device.boxes]]
  id = "x"    # left
  [[device.boxes]]
  id = "y"

# The door is here.
[web]
port = 8080      # "#" is no comment here
"""
FILES = {
    "between": BETWEEN,
    "every device": (ROOT / "systemd/every-device.toml").read_text("utf-8"),
    "installed": (ROOT / "systemd/table-hub.toml").read_text("utf-8"),
    "dumped": dump(Config()),
}


def test_a_value_is_replaced_and_its_comment_stays_where_it_was() -> None:
    made = changed(BETWEEN, ("web", "port"), 80)
    assert made == BETWEEN.replace('port = 8080      # "', 'port = 80        # "')
    assert 'id = "x0"   # left' in changed(BETWEEN, ("device", 1, "boxes", 0, "id"), "x0")
    assert 'id = "a # b" # the big one' in changed(BETWEEN, ("table", 0, "id"), "a # b")


def test_a_list_over_several_lines_becomes_one_of_one_line() -> None:
    assert 'names = ["a", "b"]\n  [[device.boxes]]' in changed(BETWEEN, ("device", 1, "names"), ["a", "b"])


def test_a_new_key_comes_below_the_last_one_of_its_block() -> None:
    assert 'id = "1" # the big one\nseats = 5\n\n# Dice' in changed(BETWEEN, ("table", 0, "seats"), 5)
    assert 'driver = "dice_tray"\nname = "d"\n\n[[table]]' in changed(BETWEEN, ("device", 0, "name"), "d")


def test_a_new_part_comes_at_the_end() -> None:
    assert changed(BETWEEN, ("hub", "id"), "bar") == f'{BETWEEN}\n[hub]\nid = "bar"\n'
    assert changed("", ("hub", "id"), "bar") == '[hub]\nid = "bar"\n'
    assert changed("[web]\nport = 1", ("hub", "id"), "bar") == '[web]\nport = 1\n\n[hub]\nid = "bar"\n'
    assert changed("[web]\nport = 1", ("web", "host"), "x") == '[web]\nport = 1\nhost = "x"\n'


def test_a_new_block_comes_behind_the_last_one_of_its_list() -> None:
    made = changed(BETWEEN, ("device", 2), {"driver": "x", "boxes": [{"id": "z"}]})
    assert '  id = "y"\n\n[[device]]\ndriver = "x"\n[[device.boxes]]\nid = "z"\n\n# The door' in made
    assert '  id = "y"\n\n[[device.boxes]]\nid = "z"\n' in changed(BETWEEN, ("device", 1, "boxes", 2), {"id": "z"})
    assert 'driver = "dice_tray"\n\n[[device.boxes]]\nid = "z"\n' in changed(
        BETWEEN, ("device", 0, "boxes", 0), {"id": "z"}
    )
    assert changed("", ("preset", 0), {"name": "n"}) == '[[preset]]\nname = "n"\n'


def test_a_removed_block_takes_its_own_blocks_along_and_no_comment() -> None:
    made = changed(BETWEEN, ("device", 1), REMOVED)
    assert (
        made == BETWEEN[: BETWEEN.index('[[device]]\ndriver = "gpio_box"')] + BETWEEN[BETWEEN.index("\n# The door") :]
    )
    assert "# Dice for it:\n\n[[table]]" in changed(BETWEEN, ("device", 0), REMOVED)


def test_a_removed_key_is_left_out_and_one_that_is_not_there_changes_nothing() -> None:
    assert changed(BETWEEN, ("web", "port"), REMOVED).endswith("[web]\n")
    assert changed(BETWEEN, ("web", "host"), REMOVED) == BETWEEN
    assert changed(BETWEEN, ("hub", "id"), REMOVED) == BETWEEN


def test_tables_on_one_line_and_dotted_keys_are_changed_where_they_are() -> None:
    text = 'web = {port = 1, host = "x"} # one line\nhub.id = "a"\ntable = [{id = "1"}, {id = "2"}]\n'
    made = changed(text, ("web", "port"), 2)
    made = changed(made, ("hub", "id"), "b")
    made = changed(made, ("table", 1), REMOVED)
    made = changed(made, ("table", 1), {"id": "3"})
    assert made == 'web = {port = 2, host = "x"} # one line\nhub.id = "b"\ntable = [{id = "1"}, {id = "3"}]\n'


def test_a_block_becomes_a_value_of_one_line() -> None:
    text = '[[preset]]\nname = "n"\n[preset.options]\nadvanced = true\n'
    assert changed(text, ("preset", 0, "options"), {}) == '[[preset]]\nname = "n"\noptions = {}\n'


def test_line_ends_of_another_system_stay() -> None:
    assert changed("[web]\r\nport = 1\r\n", ("web", "port"), 2) == "[web]\r\nport = 2\r\n"
    assert changed("[web]\r\nport = 1\r\n", ("web", "host"), "x") == '[web]\r\nport = 1\r\nhost = "x"\r\n'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("table", 5), {"id": "x"}),  # behind the next one
        (("table", 0), {"id": "x"}),  # a block is changed key by key
        (("table", 0), 7),
        (("table", 2), 7),
        (("table", 5), REMOVED),
        (("table", "id"), "x"),
        (("table", "id", "x"), "x"),
        (("web", 0), "x"),
        (("web", "port", "x"), 1),
        (("web", "port", 0), REMOVED),
    ],
)
def test_a_change_that_does_not_fit_is_refused(path: Any, value: Any) -> None:
    with pytest.raises(CannotEdit):
        changed(BETWEEN, path, value)


def test_a_file_that_is_written_in_a_way_that_cannot_be_changed_safely_is_refused() -> None:
    with pytest.raises(CannotEdit):
        changed("web.port = 1\n", ("web", "host"), "x")  # [web] may not follow


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every path to a value, a block or a list."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = [one for key, below in items for one in paths(below, (*path, key))]
    return [*([path] if path else []), *inner]


def filled(value: Any) -> Any:
    """A value without empty lists: the file has none of a list whose last block was removed."""
    if isinstance(value, dict):
        return {key: filled(one) for key, one in value.items() if one != []}
    return [filled(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_any_change_of_any_file_says_what_is_wanted_and_keeps_every_comment(name: str, data: st.DataObject) -> None:
    text = FILES[name]
    path = data.draw(st.sampled_from([one for one in paths(tomllib.loads(text)) if len(one) > 1]))
    value = data.draw(st.sampled_from([REMOVED, 7, "a # b", [1, 2], True]))
    try:
        made = changed(text, path, value)
    except CannotEdit:
        assert isinstance(path[-1], int)  # a block does not become a value
        return
    assert filled(tomllib.loads(made)) == filled(placed(tomllib.loads(text), path, value))
    kept = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    assert [line for line in made.splitlines() if line.lstrip().startswith("#")] == kept
