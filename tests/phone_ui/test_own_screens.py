"""The big screens: what a listener learns from one on another machine, what its link is worth, and who was seen when."""

from __future__ import annotations

import errno
import hmac
import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from hub.app import Hub
from hub.config import Config, HubPart, TablePart, WebPart
from hub.errors import HubError
from hub.network.encryption import HubKey, from_base64, to_base64
from phone_ui.own_screens import (
    MOST_SESSIONS,
    OPENING_SECONDS,
    OwnScreens,
    PairedScreen,
    ScreenRefused,
    ScreenToken,
    link_of,
)
from tests.patience import PATIENCE
from tests.phone_ui.rig import Keys
from tests.wiretap import ANOTHER_MACHINE, Wiretap

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

HERE = {"client": ("127.0.0.1", 5000), "server": ("127.0.0.1", 8080), "headers": [], "query_string": b""}
THERE = {**HERE, "client": ("10.0.0.9", 5000)}
ID = "0123456789abcdef"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """`OwnScreens` with a clock of the test's, and the page of a screen on another machine."""

    def __init__(self, folder: Path) -> None:
        self.key, self.clock, self.token = HubKey.generate(), Clock(), ScreenToken(folder / "kiosk.token")
        self.screens = OwnScreens(
            self.key, self.token, lambda scope: scope is HERE or scope["client"] == HERE["client"], self.clock
        )
        self.page = Keys(self.key.public)

    def opening(self, token: str | None = None, page: Keys | None = None) -> bytes:
        page = page or self.page
        return sealed(page, {"token": self.token.value if token is None else token}, pk=to_base64(page.public))

    def session(self) -> str:
        """Pair, and return the name of the stream."""
        answer = json.loads(self.screens.open("1", THERE, self.opening()))
        return str(self.page.decrypt(from_base64(answer["nonce"]) + from_base64(answer["box"]))["session"])

    def begin(self, session: str, table: str = "1") -> PairedScreen:
        begun = self.screens.start_stream(table, {**THERE, "query_string": f"session={session}".encode()})
        assert begun
        return begun[1]

    def beat(self, session: str, n: int, page: Keys | None = None, table: str = "1") -> None:
        body = sealed(page or self.page, {"n": n}, session=session, screen=ID)
        self.screens.beat(table, THERE, body)


def sealed(page: Keys, secret: object, **clear: str) -> bytes:
    whole = page.encrypt(secret)
    return json.dumps({**clear, "nonce": to_base64(whole[:24]), "box": to_base64(whole[24:])}).encode()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# --- the token ----------------------------------------------------------------------------------


def test_the_token_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "state" / "kiosk.token"
    token = ScreenToken(file).value
    assert file.stat().st_mode & 0o777 == 0o600
    assert ScreenToken(file).value == token
    assert len(token) >= 32


def test_a_token_that_passed_as_a_cookie_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "kiosk.token"
    file.write_text("k" * 32)
    file.chmod(0o600)
    made = ScreenToken(file)
    assert "k" * 32 not in made.value
    assert file.read_text() == made.value
    assert made.notice == "", "an update is no damage"


@pytest.mark.parametrize("content", [b"\xff\xfe\0\n", b"short", b""])
def test_a_damaged_token_is_set_aside_and_the_hub_starts(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "kiosk.token"
    file.write_bytes(content)
    file.chmod(0o600)
    made = ScreenToken(file)
    assert len(made.value) >= 32
    assert "no longer valid" in made.notice
    assert [one.read_bytes() for one in tmp_path.glob("kiosk.token.unreadable-*")] == [content]


def test_a_token_that_others_could_read_is_not_used_any_more(tmp_path: Path) -> None:
    file = tmp_path / "kiosk.token"
    read = ScreenToken(file).value
    file.chmod(0o644)
    assert ScreenToken(file).value != read


# --- pairing ------------------------------------------------------------------------------------


def test_a_screen_that_proves_the_token_gets_states_that_it_alone_opens(desk: Desk) -> None:
    screen = desk.begin(desk.session())
    sent = from_base64(screen.seal(b'{"claim_codes":{"1":"BCDFGH"}}').decode())
    assert b"BCDFGH" not in sent
    assert desk.page.decrypt(sent) == {"claim_codes": {"1": "BCDFGH"}}


@pytest.mark.parametrize("token", ["", "2.", "2." + "x" * 32])
def test_a_wrong_token_opens_nothing(desk: Desk, token: str) -> None:
    with pytest.raises(ScreenRefused, match="no longer valid"):
        desk.screens.open("1", THERE, desk.opening(token))


def test_a_box_for_another_hub_opens_nothing(desk: Desk) -> None:
    with pytest.raises(ScreenRefused):
        desk.screens.open("1", THERE, desk.opening(page=Keys(HubKey.generate().public)))


def test_a_stream_is_opened_once_at_its_own_table_and_in_time(desk: Desk) -> None:
    used = desk.session()
    desk.begin(used)
    for session, table in ((used, "1"), (desk.session(), "2"), ("made up", "1")):
        with pytest.raises(ScreenRefused):
            desk.begin(session, table)
    in_time, late = desk.session(), desk.session()
    desk.clock.now += OPENING_SECONDS - 0.1
    desk.begin(in_time)
    desk.clock.now += 0.1
    with pytest.raises(ScreenRefused):
        desk.begin(late)


def test_a_request_that_was_recorded_opens_no_stream(desk: Desk) -> None:
    recorded = desk.opening()
    desk.screens.open("1", THERE, recorded)
    again = json.loads(desk.screens.open("1", THERE, recorded))
    listener = Keys(desk.key.public)
    with pytest.raises(Exception, match=r"."):  # the name of the stream is for the page alone
        listener.decrypt(from_base64(again["nonce"]) + from_base64(again["box"]))


def test_openings_without_end_fill_no_memory_and_a_screen_still_gets_in(desk: Desk) -> None:
    sessions = [desk.session() for _ in range(MOST_SESSIONS + 10)]
    assert len(desk.screens._waiting) == MOST_SESSIONS
    desk.begin(sessions[-1])


def test_another_page_cannot_open_a_screen(desk: Desk) -> None:
    foreign = {**THERE, "headers": [(b"origin", b"http://elsewhere"), (b"host", b"hub:8080")]}
    with pytest.raises(ScreenRefused) as refused:
        desk.screens.open("1", foreign, desk.opening())
    assert refused.value.status == 403


def test_a_renewed_token_ends_the_screens_that_are_open(desk: Desk, tmp_path: Path) -> None:
    old, screen, waiting = desk.opening(), desk.begin(desk.session()), desk.session()
    desk.screens.reload_token()
    held = [screen.is_valid]
    ScreenToken.renew(tmp_path / "kiosk.token")
    desk.screens.reload_token()
    assert [*held, screen.is_valid] == [True, False]
    with pytest.raises(ScreenRefused):
        desk.begin(waiting)
    with pytest.raises(ScreenRefused):
        desk.screens.open("1", THERE, old)
    assert desk.begin(desk.session()).is_valid, "the new link"


# --- when a screen was seen -----------------------------------------------------------------------


def test_the_staff_page_renews_the_token_at_once(desk: Desk, tmp_path: Path) -> None:
    session, before = desk.session(), desk.screens.link("http://hub", "1")
    screen = desk.begin(session)
    assert before == link_of("http://hub", "1", desk.key.public, desk.token.value)
    assert desk.screens.link("http://hub", "2") == before.replace("/t/1/", "/t/2/")
    desk.screens.renew_token()
    assert not screen.is_valid
    assert desk.screens.link("http://hub", "1") != before
    assert ScreenToken(tmp_path / "kiosk.token").value in desk.screens.link("http://hub", "1"), "it lasts"


def test_a_token_that_the_disk_does_not_take_is_not_renewed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before = desk.screens.link("http://hub", "1")
    screen = desk.begin(desk.session())

    def fail(file: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("phone_ui.own_screens.write_private", fail)
    with pytest.raises(HubError, match="No space left on device"):
        desk.screens.renew_token()
    assert desk.screens.link("http://hub", "1") == before
    assert screen.is_valid


def heard(desk: Desk, scope: dict[str, Any] = HERE, name: str = ID) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(desk.screens.beat_age("1", {**scope, "query_string": f"screen={name}".encode()}))
    return found


def test_the_hub_knows_when_each_screen_of_a_table_was_seen(desk: Desk) -> None:
    assert heard(desk)["seconds"] is None
    desk.screens.beat("1", HERE, json.dumps({"screen": ID}).encode())
    desk.clock.now += 10
    session = desk.session()
    desk.begin(session)
    desk.beat(session, 1)
    desk.clock.now += 2.5
    assert heard(desk)["seconds"] == 2.5, "both call themselves alike: the last one counts"
    seen = [(one.address, one.seconds) for one in desk.screens.last_seen("1")]
    assert seen == [("", 12), ("10.0.0.9", 2)]
    assert desk.screens.last_seen("2") == []


def test_a_screen_that_was_not_seen_for_a_day_is_forgotten(desk: Desk) -> None:
    desk.screens.beat("1", HERE, json.dumps({"screen": ID}).encode())
    desk.clock.now += 86_399
    assert desk.screens.last_seen("1")
    desk.clock.now += 1
    assert not desk.screens.last_seen("1")


def test_a_beat_of_somebody_else_counts_for_no_screen(desk: Desk) -> None:
    session = desk.session()
    with pytest.raises(ScreenRefused):
        desk.beat(session, 1)  # its stream is not open yet
    desk.begin(session)
    desk.beat(session, 1)
    for name, n, page in ((session, 1, None), (session, 2, Keys(desk.key.public)), ("made up", 2, None)):
        with pytest.raises(ScreenRefused):  # recorded and sent again, with another key, of no session
            desk.beat(name, n, page)
    with pytest.raises(ScreenRefused):
        desk.screens.beat("1", THERE, json.dumps({"screen": ID}).encode())
    with pytest.raises(ScreenRefused):
        desk.beat(session, 2, table="2")
    desk.beat(session, 2)
    desk.screens.end_stream(session)
    with pytest.raises(ScreenRefused):
        desk.beat(session, 3)


def test_a_screen_of_the_link_before_is_seen_no_more(desk: Desk, tmp_path: Path) -> None:
    session = desk.session()
    desk.begin(session)
    desk.beat(session, 1)
    ScreenToken.renew(tmp_path / "kiosk.token")
    desk.screens.reload_token()
    with pytest.raises(ScreenRefused):
        desk.beat(session, 2)


def test_a_screen_that_opens_while_the_token_is_renewed_keeps_no_stream(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def renew() -> None:
        ScreenToken.renew(tmp_path / "kiosk.token")
        desk.screens.reload_token()

    renewal = threading.Thread(target=renew)
    compare = hmac.compare_digest

    def renewed_meanwhile(given: bytes, kept: bytes) -> bool:
        if renewal.ident is None:
            renewal.start()
            renewal.join(0.5)  # as far as it comes: it must not end before the screen is known
        return compare(given, kept)

    with monkeypatch.context() as patch:
        patch.setattr(hmac, "compare_digest", renewed_meanwhile)
        session = desk.session()  # the token was right when it was compared
    renewal.join(PATIENCE)
    with pytest.raises(ScreenRefused, match="already used"):
        desk.begin(session)
    assert desk.begin(desk.session()).is_valid, "the new link opens another one"


# --- on the wire ------------------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Hub]:
    config = Config(
        hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", 0), table=(TablePart("1", seats=3),)
    )
    with Hub(config) as hub:
        hub.start()
        yield hub


def first_state(port: int, path: str, **headers: str) -> dict[str, Any]:
    there = (ANOTHER_MACHINE, 0)
    with closing(http.client.HTTPConnection("127.0.0.1", port, PATIENCE, source_address=there)) as link:
        link.request("GET", path, headers=headers)
        answer = link.getresponse()
        while line := answer.readline():
            if line.startswith(b"data: {"):
                found: dict[str, Any] = json.loads(line[6:])
                return found
    raise AssertionError("the stream has ended")


@pytest.mark.broker
@pytest.mark.browser
def test_who_listens_to_a_tablet_that_is_the_big_screen_learns_no_code_no_pin_and_nothing_to_be_a_screen_with(
    running: Hub, browser: Browser
) -> None:
    assert running.web
    table = running.tables["1"].id
    with Wiretap(running.web.port) as wire:
        context = browser.new_context()
        page = context.new_page()
        page.goto(link_of(wire.address, table, running.key.public, running.screen_token.value))
        secret = json.loads(running.access[table].screen.get()[1])
        codes, pin = secret["claim_codes"], secret["staff_pin"]
        assert len(codes) == 3
        assert re.fullmatch("[0-9]{6}", pin)
        for shown in (*codes.values(), pin):
            expect(page.get_by_text(shown).first).to_be_visible(timeout=PATIENCE * 1000)
        page.wait_for_function("() => performance.getEntriesByName(location.origin + '/t/1/screen/alive').length > 0")
        assert context.cookies() == []
        heard = wire.heard
        context.close()
    assert b"/t/1/screen/events?session=" in heard, "the listener sits at the right cable"
    token = running.screen_token.value
    for shown in (*codes.values(), pin, token, to_base64(token.encode())):
        assert shown.encode() not in heard
    assert [one.address for one in running.screens.last_seen("1")] == [ANOTHER_MACHINE]

    # ... and all that was heard, said again from another machine, makes nobody a screen.
    port = running.web.port
    for request in re.findall(rb"GET (/t/1/screen/events\?\S+) HTTP", heard):
        with closing(http.client.HTTPConnection("127.0.0.1", port, 10, source_address=(ANOTHER_MACHINE, 0))) as link:
            link.request("GET", request.decode())
            assert link.getresponse().status == 403
    for cookie in (token, running.screen_token.value):
        assert "claim_codes" not in first_state(port, "/t/1/screen/events", Cookie=f"screen={cookie}")


@pytest.mark.broker
@pytest.mark.browser
def test_a_tablet_whose_link_was_renewed_shows_no_codes_and_says_what_to_do(
    running: Hub, browser: Browser, tmp_path: Path
) -> None:
    assert running.web
    with Wiretap(running.web.port) as wire:
        context = browser.new_context()
        page = context.new_page()
        page.goto(link_of(wire.address, "1", running.key.public, running.screen_token.value))
        code = next(iter(json.loads(running.access["1"].screen.get()[1])["claim_codes"].values()))
        expect(page.get_by_text(code).first).to_be_visible(timeout=PATIENCE * 1000)
        ScreenToken.renew(tmp_path / "state" / "kiosk.token")
        running.screens.reload_token()
        expect(page.get_by_text("This screen's link is no longer valid")).to_be_visible(timeout=PATIENCE * 1000)
        expect(page.get_by_text(code)).to_have_count(0)
        page.goto("about:blank")  # the same page would only take another fragment
        page.goto(link_of(wire.address, "1", running.key.public, running.screen_token.value))
        expect(page.get_by_text(code).first).to_be_visible(timeout=PATIENCE * 1000)
        expect(page.get_by_text("This screen's link")).to_have_count(0)
        context.close()


@pytest.mark.broker
@pytest.mark.browser
def test_the_screen_of_the_hubs_own_machine_needs_no_link(running: Hub, browser: Browser) -> None:
    assert running.web
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{running.web.port}/t/1/kiosk")
    for code in json.loads(running.access["1"].screen.get()[1])["claim_codes"].values():
        expect(page.get_by_text(code).first).to_be_visible(timeout=PATIENCE * 1000)
    page.wait_for_function("() => performance.getEntriesByName(location.origin + '/t/1/screen/alive').length > 0")
    assert [one.address for one in running.screens.last_seen("1")] == [""]
    assert running.status()["tables"]["1"]["screens"][0]["here"]
    page.close()
