"""Sealed messages: nobody but the two ends reads or changes them, and their size tells nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nacl.public import Box, PrivateKey, PublicKey

from hub.errors import ConfigError
from hub.network.encryption import DecryptionError, HubKey, fingerprint, from_base64, pad, to_base64, unpad

pytestmark = pytest.mark.real_chance

if TYPE_CHECKING:
    from pathlib import Path

HUB, PHONE = HubKey.generate(), PrivateKey.generate()
SHARED_KEY = HUB.with_phone(bytes(PHONE.public_key))
PHONE_BOX = Box(PHONE, PublicKey(HUB.public))


def test_a_phone_decrypts_what_the_hub_encrypted_and_the_other_way_round() -> None:
    assert unpad(PHONE_BOX.decrypt(SHARED_KEY.encrypt(b'{"you":"carp"}', 2048))) == b'{"you":"carp"}'
    assert SHARED_KEY.decrypt(bytes(PHONE_BOX.encrypt(pad(b'{"v":1}', 512)))) == b'{"v":1}'


def test_a_flipped_bit_anywhere_is_noticed() -> None:
    message = bytearray(PHONE_BOX.encrypt(pad(b'{"v":1}', 512)))
    for place in (0, 23, 24, 39, 40, len(message) - 1):
        changed = bytearray(message)
        changed[place] ^= 1
        with pytest.raises(DecryptionError):
            SHARED_KEY.decrypt(bytes(changed))


def test_another_phone_cannot_open_or_make_a_message() -> None:
    stranger = HUB.with_phone(bytes(PrivateKey.generate().public_key))
    with pytest.raises(DecryptionError):
        stranger.decrypt(bytes(PHONE_BOX.encrypt(pad(b"{}", 512))))


@pytest.mark.parametrize("message", [b"", b"x" * 10, b"x" * 40, b"\0" * 600])
def test_garbage_is_not_opened(message: bytes) -> None:
    with pytest.raises(DecryptionError):
        SHARED_KEY.decrypt(message)


def test_an_unpadded_message_is_not_opened() -> None:
    with pytest.raises(DecryptionError):
        SHARED_KEY.decrypt(bytes(PHONE_BOX.encrypt(b'{"v":1}')))


@given(st.binary(max_size=2047), st.binary(max_size=2047))
def test_every_hand_has_the_same_size_whatever_it_holds(one: bytes, other: bytes) -> None:
    assert len(SHARED_KEY.encrypt(one, 2048)) == len(SHARED_KEY.encrypt(other, 2048)) == 2048 + 24 + 16


@given(st.binary(max_size=6000), st.sampled_from([512, 2048]))
def test_padding_comes_off_again(text: bytes, size: int) -> None:
    padded = pad(text, size)
    assert len(padded) % size == 0
    assert len(padded) - len(text) <= size
    assert unpad(padded) == text


def padded_by_the_standard(text: bytes, size: int) -> bytes:
    """ISO/IEC 7816-4 spelled out: one byte 0x80, then zeros up to the end of a block."""
    return text + b"\x80" + bytes(-(len(text) + 1) % size)


@given(st.binary(max_size=1200) | st.integers(0, 4200).map(bytes), st.sampled_from([512, 2048]) | st.integers(1, 70))
@example(bytes(511), 512)
@example(bytes(512), 512)
@example(b"\x80" * 2047, 2048)
def test_the_librarys_padding_is_the_standards_byte_for_byte(text: bytes, size: int) -> None:
    assert pad(text, size) == padded_by_the_standard(text, size)


@given(
    st.builds(lambda text, zeros: text + bytes(zeros), st.binary(max_size=80), st.integers(0, 1500))
    | st.builds(lambda text, zeros: text + b"\x80" + bytes(zeros), st.binary(max_size=80), st.integers(0, 1500))
)
@example(b"")
@example(b"\x80")
@example(bytes(512))
def test_whatever_blocks_a_message_was_padded_to_what_stands_before_the_mark_is_read(padded: bytes) -> None:
    text, mark, zeros = padded.rpartition(b"\x80")
    if mark and not zeros.strip(b"\0"):
        assert unpad(padded) == text
    else:
        with pytest.raises(DecryptionError):
            unpad(padded)


@given(st.binary(max_size=100))
def test_base64_needs_no_padding(data: bytes) -> None:
    assert from_base64(to_base64(data)) == data if data else to_base64(data) == ""


@pytest.mark.parametrize("text", ["a", "ab=", "a+b/", "ä", "a b", ""])
def test_other_base64_is_refused(text: str) -> None:
    with pytest.raises(DecryptionError):
        from_base64(text)


@pytest.mark.parametrize("key", [b"", b"x" * 31, b"x" * 33])
def test_a_phone_key_has_32_bytes(key: bytes) -> None:
    with pytest.raises(DecryptionError):
        HUB.with_phone(key)


def test_a_key_of_zeros_is_no_key() -> None:
    with pytest.raises(DecryptionError):
        HUB.with_phone(bytes(32))


def test_the_hub_stores_its_key_so_that_printed_codes_stay_valid(tmp_path: Path) -> None:
    file = tmp_path / "state" / "hub.key"
    first = HubKey.load(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert HubKey.load(file).public == first.public
    assert [found.name for found in file.parent.iterdir()] == ["hub.key"]


def test_a_key_that_others_can_read_is_refused_with_the_command_that_helps(tmp_path: Path) -> None:
    file = tmp_path / "hub.key"
    HubKey.load(file)
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        HubKey.load(file)


def test_half_a_key_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "hub.key"
    HubKey.load(file)
    file.write_bytes(b"short")
    with pytest.raises(ConfigError, match="not a key"):
        HubKey.load(file)


@pytest.mark.real_time
@pytest.mark.parametrize("damaged", [b"", b"k" * 31, b"k" * 33])
def test_a_hub_with_a_damaged_key_has_another_one_and_says_so(tmp_path: Path, damaged: bytes) -> None:
    file = tmp_path / "hub.key"
    first = HubKey.load(file)
    file.write_bytes(damaged)
    second, told = HubKey.load_or_replace(file)
    assert told == "The file with the hub's key was damaged, so the hub has a new key."
    assert second.public != first.public
    assert [one.read_bytes() for one in tmp_path.glob("hub.key.unreadable-*")] == [damaged]
    assert HubKey.load_or_replace(file)[1] == "", "it is said once"
    assert HubKey.load_or_replace(file)[0].public == second.public


def test_a_key_that_is_whole_or_not_there_yet_is_not_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "hub.key"
    made, told = HubKey.load_or_replace(file)
    assert told == ""
    assert HubKey.load_or_replace(file)[0].public == made.public
    assert [found.name for found in tmp_path.iterdir()] == ["hub.key"]


def test_a_whole_key_that_others_can_read_is_refused_and_stays_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "hub.key"
    HubKey.load_or_replace(file)
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        HubKey.load_or_replace(file)
    assert [found.name for found in tmp_path.iterdir()] == ["hub.key"]


def test_a_fingerprint_has_four_groups_of_five_digits_of_the_keys_hash() -> None:
    assert fingerprint(bytes(range(32))) == "25545 96804 03806 04776"
    keys = [bytes(PrivateKey.generate().public_key) for _ in range(50)]
    assert all(re.fullmatch(r"\d{5}( \d{5}){3}", fingerprint(key)) for key in keys)
    assert len({fingerprint(key) for key in keys}) == len(keys)
