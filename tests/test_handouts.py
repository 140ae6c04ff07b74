"""What staff take away from their page: it leads to their own table, and says what an owner has to know."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from nacl.public import PrivateKey

from hub.access import wifi_of
from hub.config import WifiPart
from hub.display import table_card
from hub.errors import HubError
from hub.handouts import Handouts
from hub.network.encryption import HubKey, to_base64
from hub.network.staff_messages import StaffAsk, StaffFile
from hub.state import PublicState, Wifi
from phone_ui.own_screens import OwnScreens
from tests.acceptance.screen import read_code
from tests.test_venue import HouseRig

KEY = HubKey(PrivateKey(bytes(32)))


class Screens(OwnScreens):
    """Big screens whose links are numbered; `fails`: the disk is full."""

    def __init__(self, *, fails: bool = False) -> None:
        self.number, self.fails = 1, fails

    def renew_token(self) -> None:
        if self.fails:
            raise HubError("The link cannot be kept.")
        self.number += 1

    def link(self, url: str, table: str) -> str:
        return f"{url}/t/{table}/kiosk#{self.number}"


WIFI = wifi_of(WifiPart("Cafe", "dice-and-tea"))


def picture_in(pdf: bytes) -> bytes:
    """Return the picture of a card in its PDF, as JPEG."""
    start = pdf.index(b"\xff\xd8\xff")
    return pdf[start : pdf.index(b"endstream", start)]


def handouts(
    wifi: Wifi | None = WIFI, languages: Sequence[str] = ("en",), *, fixed: bool = True, screens: Screens | None = None
) -> Handouts:
    return Handouts(KEY, screens or Screens(), lambda: wifi, {"1": languages}, lambda: fixed)


def table() -> PublicState:
    rig = HouseRig()
    rig.rig.table._show()
    assert rig.feed.newest
    return rig.feed.newest


def test_the_card_leads_to_the_table_with_the_hubs_key() -> None:
    public = table()
    sentence, file = handouts(None).table_card(public)
    assert (file.name, file.type) == ("card-1.pdf", "application/pdf")
    assert file.data.startswith(b"%PDF-")
    assert read_code(picture_in(file.data)) == f"{public.url}/t/1#k={to_base64(KEY.public)}"
    assert sentence == (
        "The card is saved. Print it at its full size, A5. It names no Wi-Fi: you can enter the one of your guests in "
        "the settings."
    )


def test_an_owner_learns_that_the_address_may_change() -> None:
    assert handouts().table_card(table())[0] == "The card is saved. Print it at its full size, A5."
    assert "names the address 10.42.0.1:8080" in handouts(fixed=False).table_card(table())[0]


@pytest.mark.parametrize(
    ("spoken", "printed"),
    [(["de"], ["de"]), (["de", "en"], ["de", "en"]), (["xx", "de"], ["de"]), (["xx"], ["en"])],
)
def test_a_card_speaks_the_languages_of_its_tables_screen(
    spoken: list[str], printed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Sequence[str]] = []

    def draw(invitation: table_card.Invitation, wifi: Wifi | None, languages: Sequence[str]) -> bytes:
        drawn.append(languages)
        return b"%PDF-"

    monkeypatch.setattr("hub.handouts.table_card_pdf", draw)
    handouts(languages=spoken).table_card(table())
    assert drawn == [printed]


def test_without_a_network_there_is_no_card() -> None:
    with pytest.raises(HubError, match="no network yet"):
        handouts().table_card(replace(table(), url=""))


def test_staff_get_the_card_of_a_table_that_is_there() -> None:
    rig = HouseRig()
    rig.desk._handouts = handouts()
    with pytest.raises(HubError, match="no such table"):
        rig.desk.hand_out(StaffAsk(1, "card", "1"))  # it has shown no state yet
    rig.rig.table._show()
    file = rig.desk.hand_out(StaffAsk(1, "card", "1"))[1]
    assert isinstance(file, StaffFile)
    assert file.name == "card-1.pdf"
    with pytest.raises(HubError, match="no such table"):
        rig.desk.hand_out(StaffAsk(1, "card", "7"))


def test_the_link_of_a_screen_is_the_same_until_staff_want_a_new_one() -> None:
    rig = HouseRig()
    rig.desk._handouts = handouts()
    rig.rig.table._show()
    shown = ("", "http://10.42.0.1:8080/t/1/kiosk#1")
    assert rig.desk.hand_out(StaffAsk(1, "screen_link", "1")) == shown
    assert rig.desk.hand_out(StaffAsk(2, "screen_link", "1", {"new": False})) == shown
    sentence, link = rig.desk.hand_out(StaffAsk(3, "screen_link", "1", {"new": True}))
    assert link == "http://10.42.0.1:8080/t/1/kiosk#2"
    assert sentence == "The earlier links are no longer valid. Open the new link on each tablet."


def test_without_a_network_or_a_working_disk_no_link_is_renewed() -> None:
    screens = Screens()
    with pytest.raises(HubError, match="no network yet"):
        handouts(screens=screens).screen_link(replace(table(), url=""), new=True)
    assert screens.number == 1
    with pytest.raises(HubError, match="cannot be kept"):
        handouts(screens=Screens(fails=True)).screen_link(table(), new=True)
