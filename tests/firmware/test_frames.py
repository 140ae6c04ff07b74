"""The box's end of the golden file: the same frames, read and written by MicroPython."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.common import frames
from drivers.common.frames import TO_HUB, Frame, FrameReader
from tests.drivers.test_frames import FROM_HUB, GOLDEN, listed
from tests.firmware.pico import Probe, needs_micropython

pytestmark = needs_micropython


def decoded(probe: Probe, line: bytes) -> Any:
    return probe(f"frames.decode({line!r})")


def heard(probe: Probe, line: bytes) -> list[Any]:
    ended = line + b"\n"
    frames: list[Any] = probe(f"frames.FrameReader().feed({ended!r})")
    return frames


@pytest.mark.parametrize("golden", [one for one in listed("frame") if one.values[0]["from"] == "hub"])
def test_a_golden_frame_of_the_hub_is_read_by_the_box(probe: Probe, golden: dict[str, Any]) -> None:
    assert decoded(probe, golden["line"].encode()) == golden["fields"]


@pytest.mark.parametrize("golden", [one for one in listed("frame") if one.values[0]["from"] == "box"])
def test_a_golden_frame_of_a_box_is_written_by_the_box(probe: Probe, golden: dict[str, Any]) -> None:
    """MicroPython puts keys in an order of its own, so what is read back is compared, not the bytes."""
    line = probe(f"frames.encode({golden['fields']!r}).decode()").encode()
    assert line.endswith(b"\n")
    (heard,) = FrameReader(TO_HUB).feed(line)
    assert heard == FrameReader(TO_HUB).feed(golden["line"].encode() + b"\n")[0]
    assert len(line) == len(golden["line"]) + 1, "not a byte more than needed"


@pytest.mark.parametrize("golden", [one for one in listed("garbled") if one.values[0]["from"] == "hub"])
def test_a_garbled_frame_of_the_hub_is_none_to_the_box(probe: Probe, golden: dict[str, Any]) -> None:
    assert decoded(probe, golden["line"].encode()) is None


@pytest.mark.parametrize("golden", [one for one in listed("frame") if one.values[0]["from"] == "box"])
def test_a_box_does_not_listen_to_another_box(probe: Probe, golden: dict[str, Any]) -> None:
    assert decoded(probe, golden["line"].encode()) is None


@pytest.mark.parametrize("golden", listed("chatter"))
def test_chatter_is_left_out_without_an_answer(probe: Probe, golden: dict[str, Any]) -> None:
    assert heard(probe, golden["line"].encode()) == []


@pytest.mark.parametrize("golden", listed("commitment"))
def test_a_commitment_is_the_one_that_the_hub_expects(probe: Probe, golden: dict[str, Any]) -> None:
    said = probe(f"frames.commitment({golden['id']!r}, {golden['r']}, {golden['b']}, {golden['n']!r})")
    assert said == golden["c"]


@pytest.mark.parametrize("golden", listed("check"))
def test_the_check_that_people_compare_is_the_one_of_the_golden_file(probe: Probe, golden: dict[str, Any]) -> None:
    assert f"{len(golden['c'])} " + probe(f"frames.check({golden['c']!r})") == golden["shown"]


def test_the_numbers_of_the_protocol_are_those_of_the_golden_file(probe: Probe) -> None:
    protocol = GOLDEN["protocol"]
    assert probe(f"'%04X' % frames.checksum({GOLDEN['crc']['of'].encode()!r})") == GOLDEN["crc"]["is"]
    assert probe("[frames.PROTOCOL, frames.LONGEST, frames.HIGHEST]") == [
        protocol["number"],
        protocol["longest"],
        frames.HIGHEST,
    ]
    assert probe("[link.REMEMBERED, link.REPEAT, link.TRIES]") == [
        protocol["remembered"],
        protocol["repeat_ms"],
        protocol["tries"],
    ]


@settings(max_examples=150, deadline=None)
@given(frame=FROM_HUB)
def test_whatever_the_hub_may_say_is_read_as_it_was_meant(probe: Probe, frame: Frame) -> None:
    line = frames.encode(frame)
    assert decoded(probe, line[:-1]) == json.loads(line[1:-6])


@settings(max_examples=150, deadline=None)
@given(frame=FROM_HUB, data=st.data())
def test_a_frame_with_a_wrong_byte_is_never_taken_for_another(probe: Probe, frame: Frame, data: st.DataObject) -> None:
    line = bytearray(frames.encode(frame)[:-1])
    line[data.draw(st.integers(0, len(line) - 1))] ^= data.draw(st.integers(1, 255))
    assert [
        one for one in heard(probe, bytes(line)) if one is not None and one != json.loads(frames.encode(frame)[1:-6])
    ] == []


@settings(max_examples=60, deadline=None)
@given(garbage=st.binary(max_size=700), frame=FROM_HUB, cut=st.integers(1, 300))
def test_after_any_garbage_the_next_whole_frame_is_read(probe: Probe, garbage: bytes, frame: Frame, cut: int) -> None:
    stream = garbage + b"\n" + frames.encode(frame)
    probe("globals().update(reader=frames.FrameReader())")
    frames_read: list[Any] = []
    for start in range(0, len(stream), cut):
        frames_read += probe(f"reader.feed({stream[start : start + cut]!r})")
    assert frames_read[-1] == json.loads(frames.encode(frame)[1:-6])


@pytest.mark.parametrize(
    "line",
    [
        "~*",
        "~",
        "~{}*",
        "~[]*FFFF",
        '~{"t":"who","s":1.0}*',
        '~{"t":"who","s":true}*',
        '~{"t":["who"],"s":1}*',
        '~"who"*',
    ],
)
def test_a_line_that_is_nearly_a_frame_is_none(probe: Probe, line: str) -> None:
    payload = line[1:].rstrip("*")
    assert decoded(probe, f"~{payload}*{frames.checksum(payload.encode())}".encode()) is None
    assert decoded(probe, line.encode()) is None
