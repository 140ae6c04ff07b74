"""Frames: the golden file in both directions, every frame there and back, and lines that are none."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.common import frames
from drivers.common.frames import Chatter, Frame, FrameReader, Garbled, OtherProtocol
from drivers.simulated.firmware import load

GOLDEN = tomllib.loads((Path(__file__).parents[2] / "firmware" / "frames.toml").read_text(encoding="utf-8"))
DECODERS = {"hub": frames.TO_BOX, "box": frames.TO_HUB}
KINDS: dict[str, type[Frame]] = {
    kind.__struct_config__.tag: kind for kind in (*frames.HubFrame.__args__, *frames.BoxFrame.__args__)
}


def listed(part: str) -> list[Any]:
    return [pytest.param(entry, id=entry.get("what", str(number))) for number, entry in enumerate(GOLDEN[part])]


def read(sender: str, line: bytes) -> list[object]:
    return list(FrameReader(DECODERS[sender]).feed(line + b"\n"))


@pytest.mark.parametrize("golden", listed("frame"))
def test_a_golden_frame_is_read(golden: dict[str, Any]) -> None:
    (frame,) = read(golden["from"], golden["line"].encode())
    assert msgspec.to_builtins(frame) == golden["fields"]


@pytest.mark.parametrize("golden", listed("frame"))
def test_a_golden_frame_is_written_to_the_byte(golden: dict[str, Any]) -> None:
    frame = msgspec.convert(golden["fields"], KINDS[golden["fields"]["t"]])
    assert frames.encode(frame).decode() == golden["line"] + "\n"


def test_the_golden_file_holds_every_frame_there_is() -> None:
    assert {golden["fields"]["t"] for golden in GOLDEN["frame"]} == set(KINDS)


@pytest.mark.parametrize("golden", listed("garbled"))
def test_a_garbled_frame_is_named_and_not_believed(golden: dict[str, Any]) -> None:
    (garbled,) = read(golden["from"], golden["line"].encode())
    assert isinstance(garbled, Garbled)
    assert golden["why"] in garbled.sentence


@pytest.mark.parametrize("golden", listed("chatter"))
def test_a_line_that_is_no_frame_is_chatter(golden: dict[str, Any]) -> None:
    assert read("box", golden["line"].encode()) == [Chatter(golden["line"])]


@pytest.mark.parametrize("golden", listed("other_protocol"))
def test_a_hello_of_another_protocol_is_told_from_garbage(golden: dict[str, Any]) -> None:
    (other,) = read("box", golden["line"].encode())
    assert isinstance(other, OtherProtocol)
    assert (other.protocol, other.id) == (golden["protocol"], golden["id"])


@pytest.mark.parametrize("golden", listed("commitment"))
def test_a_commitment_is_the_one_every_codec_makes(golden: dict[str, Any]) -> None:
    assert frames.commitment(golden["id"], golden["r"], golden["b"], golden["n"]) == golden["c"]


@pytest.mark.parametrize("golden", listed("check"))
def test_the_check_that_people_compare_is_the_one_of_the_golden_file(golden: dict[str, Any]) -> None:
    assert f"{len(golden['c'])} {load('frames').check(golden['c'])}" == golden["shown"]


def test_the_numbers_of_the_protocol_are_those_of_the_golden_file() -> None:
    protocol = GOLDEN["protocol"]
    assert frames.checksum(GOLDEN["crc"]["of"].encode()) == GOLDEN["crc"]["is"]
    assert (protocol["number"], protocol["longest"]) == (frames.PROTOCOL, frames.LONGEST)
    assert (protocol["remembered"], protocol["tries"]) == (frames.SeenFrames.SIZE, frames.Link.TRIES)
    assert protocol["repeat_ms"] == frames.Link.REPEAT * 1000


def numbers(least: int = 0, most: int = frames.HIGHEST) -> st.SearchStrategy[int]:
    return st.integers(least, most)


def texts(longest: int) -> st.SearchStrategy[str]:
    return st.text("0123456789abcdefABCDEF_.-", min_size=1, max_size=longest)


def hexes(length: int) -> st.SearchStrategy[str]:
    return st.text("0123456789abcdef", min_size=length, max_size=length)


def names(longest: int) -> st.SearchStrategy[str]:
    return st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=longest)


CONTROLS = st.sampled_from(["push", "bar", "k1", "k2", "k3", "k4", "k5", "k6"])
PATTERNS = st.sampled_from(["off", "turn", "number", "leader", "dice_trouble"])
S = numbers()
MADE = {
    frames.Who: st.builds(frames.Who, s=S),
    frames.Ack: st.builds(frames.Ack, s=S, re=S),
    frames.Open: st.builds(frames.Open, s=S, r=numbers(1), lo=S, hi=S, at=S),
    frames.Name: st.builds(
        frames.Name,
        s=S,
        r=S,
        i=S,
        x=st.lists(names(40), min_size=1, max_size=1) | st.lists(names(8), min_size=1, max_size=6),
    ),
    frames.Reveal: st.builds(
        frames.Reveal, s=S, r=S, c=st.lists(st.from_regex(r"^[0-9a-f]{16}\Z"), min_size=1, max_size=6)
    ),
    frames.Cancel: st.builds(frames.Cancel, s=S, r=S),
    frames.Ring: st.builds(frames.Ring, s=S, p=PATTERNS, n=numbers(0, 16), c=hexes(6)),
    frames.Say: st.builds(frames.Say, s=S, x=st.text(st.characters(exclude_categories=["C", "Z"]), max_size=40)),
    frames.Buzz: st.builds(frames.Buzz, s=S, k=st.sampled_from(["lock", "error", "reveal"])),
    frames.Boot: st.builds(frames.Boot, s=S),
    frames.Arm: st.builds(frames.Arm, s=S, a=S, n=numbers(1, 20), f=numbers(2, 100), l=numbers(0, 1)),
    frames.Disarm: st.builds(frames.Disarm, s=S),
    frames.Thrown: st.builds(
        frames.Thrown,
        s=S,
        a=S,
        st=st.sampled_from(["armed", "rolling", "settled", "cocked", "wrong_count", "no_reader"]),
        f=st.lists(numbers(1, 100), max_size=20),
    ),
    frames.Hello: st.builds(
        frames.Hello,
        s=S,
        id=texts(32),
        boot=texts(16),
        p=st.just(frames.PROTOCOL),
        v=texts(16),
        k=texts(16),
        n=numbers(0, 64),
    ),
    frames.Beat: st.builds(frames.Beat, s=S, up=S, st=st.one_of(S, texts(16))),
    frames.Press: st.builds(frames.Press, s=S, k=CONTROLS, e=st.sampled_from(["down", "hold"])),
    frames.Detents: st.builds(frames.Detents, s=S, d=st.integers(-127, 127)),
    frames.Locked: st.builds(frames.Locked, s=S, r=S, c=hexes(32)),
    frames.Unlocked: st.builds(frames.Unlocked, s=S, r=S),
    frames.Bid: st.builds(frames.Bid, s=S, r=S, b=S, n=hexes(16)),
    frames.Ok: st.builds(frames.Ok, s=S, re=S),
    frames.Nak: st.builds(frames.Nak, s=S),
}
FROM_HUB = st.one_of(*(MADE[kind] for kind in frames.HubFrame.__args__))
FROM_BOX = st.one_of(*(MADE[kind] for kind in frames.BoxFrame.__args__))


@given(FROM_HUB)
def test_every_frame_of_the_hub_comes_back_as_it_was(frame: Frame) -> None:
    assert FrameReader(frames.TO_BOX).feed(frames.encode(frame)) == [frame]


@given(FROM_BOX)
def test_every_frame_of_a_box_comes_back_as_it_was(frame: Frame) -> None:
    assert FrameReader(frames.TO_HUB).feed(frames.encode(frame)) == [frame]


@given(FROM_HUB | FROM_BOX)
def test_no_frame_is_longer_than_the_longest(frame: Frame) -> None:
    assert len(frames.encode(frame)) <= frames.LONGEST


@given(st.lists(FROM_BOX, max_size=6), st.data())
def test_frames_do_not_depend_on_where_the_bytes_were_cut(sent: list[Frame], data: st.DataObject) -> None:
    stream = b"".join(frames.encode(frame) for frame in sent)
    reader = FrameReader(frames.TO_HUB)
    heard: list[object] = []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        heard += reader.feed(stream[:cut])
        stream = stream[cut:]
    assert heard == sent


@given(FROM_BOX, st.data())
def test_a_frame_with_a_wrong_byte_is_never_taken_for_another_frame(frame: Frame, data: st.DataObject) -> None:
    line = bytearray(frames.encode(frame))
    line[data.draw(st.integers(0, len(line) - 1))] ^= data.draw(st.integers(1, 255))
    heard = FrameReader(frames.TO_HUB).feed(bytes(line) + b"\n")
    assert [one for one in heard if isinstance(one, Frame) and one != frame] == []


@given(st.binary(max_size=600), FROM_BOX)
def test_after_any_garbage_the_next_whole_frame_is_read(garbage: bytes, frame: Frame) -> None:
    heard = FrameReader(frames.TO_HUB).feed(garbage + b"\n" + frames.encode(frame))
    assert heard[-1] == frame


def test_a_frame_that_was_never_numbered_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        frames.encode(frames.Who())


def test_deeply_nested_json_is_garbled_and_not_the_end_of_the_hub() -> None:
    payload = b"[" * 190
    (garbled,) = read("box", b"~" + payload + b"*" + frames.checksum(payload).encode())
    assert isinstance(garbled, Garbled)


def test_a_garbled_bid_does_not_show_its_value_in_the_sentence() -> None:
    payload = b'{"t":"bid","s":1,"r":7,"b":"secret","n":"1f0ecaf431e13a76"}'
    (garbled,) = read("box", b"~" + payload + b"*" + frames.checksum(payload).encode())
    assert isinstance(garbled, Garbled)
    assert "secret" not in garbled.sentence
