"""TOML tables as Structs: one sentence for whatever an owner may write, and a printed table that reads back equal."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from hub import toml, toml_structs
from hub.config import load
from hub.errors import ConfigError


class Ring(msgspec.Struct, frozen=True):
    lamps: Annotated[int, Meta(gt=0, lt=25)] = 24
    order: Literal["rgb", "grb"] = "rgb"


class Settings(msgspec.Struct, frozen=True):
    port: Annotated[str, Meta(description="the cable")]
    tries: Annotated[int, Meta(ge=1)] | None = None
    most: Annotated[int, Meta(le=6)] = 6
    height: Annotated[float, Meta(ge=80, le=2000)] = 320.0
    dark: bool = False
    dial: tuple[int, int] = (5, 6)
    keys: Annotated[list[int], Meta(max_length=2)] = msgspec.field(default_factory=list)
    seats: Annotated[list[int], Meta(min_length=1, max_length=6)] = msgspec.field(default_factory=lambda: [1])
    names: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["a"])
    lines: dict[str, int] = msgspec.field(default_factory=dict)
    rings: Annotated[list[Ring], Meta(min_length=1)] = msgspec.field(default_factory=lambda: [Ring()])
    spare: Ring | None = None
    own: Ring = Ring()

    def __post_init__(self) -> None:
        if self.port == "nowhere":
            raise ValueError("there is no cable to nowhere")


def refusal(text: str) -> str:
    with pytest.raises(toml_structs.SettingError) as refused:
        toml_structs.convert(Settings, tomllib.loads(text), '[[device]] driver = "lamp"', header="device")
    return str(refused.value).removeprefix('[[device]] driver = "lamp"')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", " needs port: the cable."),
        ("port = 3", " port = 3 will not do; port is text in quotes."),
        ("port = 'nowhere'", " will not do: there is no cable to nowhere."),
        ("prot = 3", " has no key prot: did you mean port?"),
        ('"a\\nb" = 3', ' has no key "a\\nb"; there are '),
        ("tries = 0", " tries = 0 will not do; tries is a whole number, 1 or more."),
        ("tries = 1.5", " tries = 1.5 will not do; tries is a whole number, 1 or more."),
        ("most = 7", " most = 7 will not do; most is a whole number, 6 or less."),
        ("height = 3", " height = 3 will not do; height is a number from 80 to 2000."),
        ("height = nan", " height = nan will not do; height is a number from 80 to 2000."),
        ("dark = 1", " dark = 1 will not do; dark is true or false."),
        ("dark = 'no'", ' dark = "no" will not do; dark is true or false.'),
        ("dial = [1]", " dial = [1] will not do; dial is a list of 2 values: a whole number, a whole number."),
        ("keys = [1, 2, 3]", " keys = [1, 2, 3] will not do; keys is a list of at most 2, each a whole number."),
        ("seats = []", " seats = [] will not do; seats is a list of 1 to 6, each a whole number."),
        ("names = [1]", " names = [1] will not do; names is a list of 1 or more, each text in quotes."),
        ("lines = 3", " lines = 3 will not do; lines is a block of keys and values."),
        ("lines = {a = 'b'}", ' lines = {a = "b"} will not do; lines is a block of keys and values.'),
        ("rings = []", " rings = [] will not do; rings is a list of 1 or more of blocks."),
        ("rings = 3", " there may be several of rings: write [[device.rings]] in double brackets."),
        ("rings = {}", " there may be several of rings: write [[device.rings]] in double brackets."),
        ("own = 3", " own is a part: write [device.own] on its own line and its keys below it."),
        (
            "[[rings]]\n[[rings]]\nlamps = 25",
            ": [[device.rings]] number 2 lamps = 25 will not do; lamps is a whole number from 1 to 24.",
        ),
        ("[own]\norder = 'bgr'", ': [device.own] order = "bgr" will not do; order is one of "rgb", "grb".'),
        ("[[rings]]\nlamp = 3", ": [[device.rings]] number 1 has no key lamp: did you mean lamps?"),
        ("port = 1979-05-27", " port = 1979-05-27 will not do; port is text in quotes."),
        (
            f"dark = {list(range(100))}",
            " dark = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16... will not do; dark is true or false.",
        ),
    ],
)
def test_whatever_does_not_fit_is_one_sentence_with_what_does(text: str, sentence: str) -> None:
    refused = refusal(text)
    assert refused.startswith(sentence)
    assert refused == sentence or not sentence.endswith("."), "a whole sentence is meant"
    assert "\n" not in refused


def test_a_table_of_a_table_may_be_left_out_or_stand_as_one() -> None:
    read = toml_structs.convert(Settings, tomllib.loads("port = 'a'\n[spare]\nlamps = 3\n[[rings]]\n[[rings]]"))
    assert (read.spare, read.own, read.rings) == (Ring(3), Ring(), [Ring(), Ring()])
    with pytest.raises(toml_structs.SettingError, match=r"\[spare\] has no key lamp: did you mean lamps"):
        toml_structs.convert(Settings, tomllib.loads("port = 'a'\n[spare]\nlamp = 3"))


FILE = """\
# a comment
[web]
host = "127.0.0.1"

[[device]]
driver = "simulated"
text = '''
[[device]]
driver = "led_strip"
'''
list = [
  1,
]
[[device]]
driver = "eink"
table = "9"
[hub]
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "fragment"),
    [
        ("", "", 16, 'is for table "9"'),
        ('host = "127.0.0.1"', "hosd = 1", 3, "did you mean host"),
        ('host = "127.0.0.1"', "tls_key = 'a'", 2, "needs tls_cert too"),
        ("[hub]", "[hubb]", 17, "did you mean [hub]"),
        ("[hub]", "[hub]\nx = 1", 18, "[hub] has no key x"),
        ("  1,", "  1979-05-27,", 11, "list must be text"),
        ('driver = "eink"', "drivr = 'eink'", 14, "is drivr meant to be driver"),
        ("[hub]", "[[table]]\n[[table]]", 18, "two tables have the id"),
        ("[hub]", "[broker]\nurl = 'mqtt://a'\nca_file = '''\na'''", 19, "ca_file is for a url"),
    ],
)
def test_a_refusal_names_the_line_where_the_key_stands(
    tmp_path: Path, old: str, new: str, line: int, fragment: str
) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(FILE.replace(old, new, 1) if old else FILE)
    with pytest.raises(ConfigError) as refused:
        load(file)
    assert str(refused.value).startswith(f"{file}, line {line}: ")
    assert fragment in str(refused.value)


VALUES = ["1", "'''\n\n[[device]]\nk0 = 3\n'''", "[\n  1,\n  # more\n]", '"\u2028"', "[[\n],\n[\n]]"]


@given(st.lists(st.sampled_from(["", "# a comment", *VALUES]), max_size=30))
def test_the_line_of_every_value_is_found_whatever_lines_the_others_have(lines: list[str]) -> None:
    written, begins = "", {}
    for number, value in enumerate(lines):
        begins[f"k{number}"] = written.count("\n") + 1 if value in VALUES else None
        written += (f"k{number} = {value}" if value in VALUES else value) + "\n"
    assert {key: toml_structs.Document("x", written, {}).line((key,)) for key in begins} == begins


DEEP = 100_000


@pytest.mark.parametrize(
    ("data", "fragment"),
    [
        (b"\xef\xbb\xbf[hub]\n", "byte order mark"),
        ("[hub]\n".encode("utf-16"), r"not UTF-8 text \(byte 0\)"),
        (b"a = " + b"[" * DEEP + b"]" * DEEP, "nested too deeply"),
        (b"a = " + b"[" * DEEP, "nested too deeply"),
        (b"a = " + b"{a=" * DEEP + b"1" + b"}" * DEEP, "nested too deeply"),
        (b"[[device]]\ndriver = 'eink'\n" + b"a." * 3_000 + b"a = 1979-05-27", "nested too deeply"),
        (b"a." * DEEP + b"a = 1", "nested too deeply"),
        (b"# " * DEEP * 10, "larger than 1000 kB"),
        (b"a = " + b"9" * 5000, "this is not TOML"),
        (b"a = \0", "this is not TOML"),
        (b"[hub]\nid = 1\nid = 2", "this is not TOML"),
    ],
)
def test_a_file_that_is_no_configuration_is_one_sentence(tmp_path: Path, data: bytes, fragment: str) -> None:
    file = tmp_path / "hub.toml"
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=fragment) as refused:
        load(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_pipe_is_refused_at_once_instead_of_being_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "hub.toml"
    os.mkfifo(pipe)
    with pytest.raises(ConfigError, match="a pipe or a device, not a file"):
        load(pipe)


@given(st.binary(max_size=60) | st.text("[]{}=.,'\"\n#-_ \x000123abhubdevict", max_size=60).map(str.encode))
def test_no_file_at_all_is_more_than_one_sentence(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(data)
    try:
        load(file)
    except ConfigError as error:
        assert str(error).startswith(str(file))  # noqa: PT017 - most files are refused, some are not
        assert "\n" not in str(error)  # noqa: PT017


text = st.text(max_size=10)
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
values: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | numbers | text | st.datetimes() | st.dates() | st.times(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(text, values, max_size=4))
def test_any_value_is_written_on_one_line_and_read_back_equal(table: dict[str, Any]) -> None:
    written = toml.item({"a": table}).as_string()
    assert "\n" not in written
    assert tomllib.loads(f"a = {written}")["a"]["a"] == table
