"""The card that an owner prints: its codes are read as a phone's camera reads them, its address is the running hub's."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from hub.access import wifi_of
from hub.config import WifiPart
from hub.display.table_card import HEIGHT, LANGUAGES, WIDTH, Invitation, table_card
from hub.errors import HubError, TemporaryError
from hub.operations.table_card import write_card
from tests.acceptance.screen import read_code
from tests.e2e.hub_process import HubProcess
from tests.free_port import free_port

WIFI = wifi_of(WifiPart('Ca;fé "guests"', "dice:and-tea"))
INVITATION = Invitation("Table 1", "192.168.0.17:8080", "QXDC", f"http://192.168.0.17:8080/t/1#k={'Ab0_' * 10}abc")
CODES = HEIGHT // 2  # they are above it


def png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def test_a_camera_reads_both_codes_of_a_card() -> None:
    card = table_card(INVITATION, WIFI, ["en", "de"])
    assert card.size == (WIDTH, HEIGHT)
    left, right = (card.crop((x, 0, x + WIDTH // 2, CODES)) for x in (0, WIDTH // 2))
    assert read_code(png(left)) == 'WIFI:T:WPA;S:Ca\\;fé \\"guests\\";P:dice\\:and-tea;;'
    assert read_code(png(right)) == INVITATION.url


def test_without_a_network_there_is_one_code() -> None:
    assert wifi_of(WifiPart()) is None
    assert read_code(png(table_card(INVITATION, None, ["en"]).crop((0, 0, WIDTH, CODES)))) == INVITATION.url


def test_an_open_network_says_so() -> None:
    wifi = wifi_of(WifiPart("Open"))
    assert wifi
    assert wifi.code == "WIFI:T:nopass;S:Open;;"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_names_the_network_the_address_and_the_code(language: str) -> None:
    steps = LANGUAGES[language]
    assert "{wifi}" in steps.wifi
    assert "{code}" in steps.scan
    assert "{address}" in steps.by_hand
    assert all(step.endswith(".") for step in steps)


def test_three_languages_and_a_long_address_stay_on_the_card() -> None:
    long = INVITATION._replace(address="table-hub.a-long-name.example.org:18080", name="The table at the window")
    card = table_card(long, WIFI, ["de", "fr", "es"])
    edge = card.point(lambda level: 255 if level < 128 else 0).getbbox()
    assert edge
    assert edge[2] < WIDTH - 40
    assert edge[3] < HEIGHT - 60


@pytest.mark.real_chance
def test_a_card_of_a_running_hub_is_a_pdf_and_leads_to_its_table(tmp_path: Path) -> None:
    file = tmp_path / "card.pdf"
    with HubProcess(tmp_path / "state", seats=2) as hub:
        said = write_card(file, hub.address, "1", None, ["en"], fixed=False)
        with pytest.raises(HubError, match="The hub has no table 7"):
            write_card(tmp_path / "other.pdf", hub.address, "7", None, ["en"], fixed=False)
        with pytest.raises(HubError, match="cannot be written"):
            write_card(tmp_path / "none" / "card.pdf", hub.address, "1", None, ["en"], fixed=False)
    assert file.read_bytes().startswith(b"%PDF-")
    assert "give the hub this address for good" in said
    assert not (tmp_path / "other.pdf").exists()


@pytest.mark.parametrize(
    ("languages", "sentence"),
    [(["en", "xx"], "not in xx"), ([""], "There are cards in en, de"), (["en", "de", "fr", "es"], "room for 3")],
)
def test_a_language_that_there_is_not_is_said(tmp_path: Path, languages: list[str], sentence: str) -> None:
    with pytest.raises(HubError, match=sentence):
        write_card(tmp_path / "card.pdf", "http://127.0.0.1:1", "1", None, languages, fixed=True)


@pytest.mark.real_chance
def test_without_a_hub_there_is_no_card(tmp_path: Path) -> None:
    with pytest.raises(TemporaryError, match="No hub answers"):
        write_card(tmp_path / "card.pdf", f"http://127.0.0.1:{free_port()}", "1", None, ["en"], fixed=True)
    assert not (tmp_path / "card.pdf").exists()
