"""The staff's way in: log-ins, sessions, and what somebody else can do with what passes by."""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hub.errors import ConfigError, HubError
from hub.network.encryption import HubKey, from_base64, to_base64
from hub.network.staff_messages import CameraSeen, Evenings, Fault, Settings, StaffAsk, StaffFile, Venue
from hub.network.staff_verbs import SettingsArgs, SettingsRequest
from hub.state import PublicState
from phone_ui import staff_door, staff_pin
from phone_ui.latest import Latest
from phone_ui.staff_door import SESSION_SECONDS, StaffDoor, Turns
from phone_ui.staff_pin import FIRST_TRIES, FREE_TRIES, Guesses, StaffPin
from tests.patience import PATIENCE
from tests.phone_ui.rig import Keys

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

EVENING = 4 * 3600


class FakeVenue:
    """A venue with one picture, which does what it is asked."""

    def __init__(self) -> None:
        self.picture: tuple[int, Venue | None] = (1, Venue(0, "hub", "1", []))
        self.done: list[StaffAsk] = []
        self.wrong = 0
        self._latest = Latest()
        self.followers = 0

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        leave = self._latest.subscribe(callback)
        self.followers += 1

        def end() -> None:
            self.followers -= 1
            leave()

        return end

    def show(self, number: int) -> None:
        self.picture = number, Venue(number, "hub", "1", [])
        self._latest.put(b"")

    def do(self, ask: StaffAsk) -> tuple[str, list[Fault] | None]:
        if ask.verb == "end":
            raise HubError("No match is under way.")
        self.done.append(ask)
        return f"{ask.verb} is done.", None

    def settings(self, asked: SettingsRequest) -> tuple[str, Settings]:
        if not isinstance(asked, SettingsArgs):
            raise HubError("Somebody has changed the file.")
        return "", Settings("hub.toml", "1", {}, {}, {}, {"asked": {"drivers": asked.drivers}}, [])

    def camera(self, table: str, step: str) -> CameraSeen:
        if table != "1":
            raise HubError("No camera reads the dice of this table.")
        return CameraSeen("", "empty", f"asked: {step}")

    def evenings(self, month: str) -> Evenings:
        if month == "2000-01":
            raise SystemExit
        return Evenings(month or "2026-11", ["2026-11"], [], [])

    def hand_out(self, ask: StaffAsk) -> tuple[str, StaffFile | str]:
        if ask.table != "1":
            raise HubError("This hub has no such table.")
        if ask.verb == "screen_link":
            return "", "http://hub/t/1/kiosk#s=token"
        return "The card is saved.", StaffFile("card-1.pdf", "application/pdf", b"%PDF- the code of the table")

    def note_wrong_pins(self, wrong: int) -> None:
        self.wrong = wrong


class Browser:
    """A browser of the staff: keys of its own, and the numbers of its requests."""

    def __init__(self, front: Front, address: str = "10.0.0.7", kept: str = "") -> None:
        self.front, self.address, self.kept = front, address, kept
        self.keys = Keys(front.key.public)
        self.session, self.n, self.table = "", 0, "1"

    def sealed(self, message: object) -> dict[str, str]:
        whole = self.keys.encrypt(message)
        return {"nonce": to_base64(whole[:24]), "box": to_base64(whole[24:])}

    def login_body(self, pin: str) -> dict[str, str]:
        return {"pk": to_base64(self.keys.public), **self.sealed({"pin": pin, "browser": self.kept})}

    def login(self, pin: str) -> int:
        status, answer = self.front.post("/staff/login", self.login_body(pin), self.address)
        if status == 200:
            told = self.opened(answer)
            self.session, self.kept = told["session"], told["browser"]
        return status

    def opened(self, answer: dict[str, str]) -> dict[str, Any]:
        return self.keys.decrypt(from_base64(answer["nonce"]) + from_base64(answer["box"]))

    def body(self, verb: str, number: int | None = None, **args: Any) -> dict[str, str]:
        self.n += 1
        ask = {"n": self.n if number is None else number, "verb": verb, "table": self.table, "args": args}
        return {"session": self.session, **self.sealed(ask)}

    def ask(self, verb: str, **args: Any) -> tuple[int, dict[str, Any]]:
        status, answer = self.front.post("/staff/ask", self.body(verb, **args), self.address)
        return status, self.opened(answer) if status == 200 else answer


class Front:
    """The door with a held clock."""

    def __init__(self, folder: Path) -> None:
        self.key, self.venue, self.now = HubKey.generate(), FakeVenue(), 1000.0
        self.file = folder / "staff.json"
        self.pin = StaffPin(self.file)
        self.door = StaffDoor(self.pin, self.key, self.venue, lambda: self.now)
        self.right = self.pin.shown
        self.wire: list[bytes] = []

    @property
    def wrong(self) -> str:
        return f"{(int(self.right) + 1) % 10**6:06}"

    async def asking(
        self, path: str, body: bytes, address: str = "10.0.0.7", *, here: bool = False, **more: Any
    ) -> tuple[int, dict[str, str]]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"hub.local"), *more.get("headers", [])]
        scope: Any = {"method": more.get("method", "POST"), "path": path, "headers": headers, "client": (address, 1)}
        await self.door(scope, send, body, more.get("closing") or asyncio.Event(), here=here)
        self.wire += [body, sent[1]["body"]]
        return sent[0]["status"], json.loads(sent[1]["body"])

    def post(self, path: str, body: object, address: str = "10.0.0.7", **more: Any) -> tuple[int, dict[str, str]]:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return asyncio.run(self.asking(path, raw, address, **more))


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    made = Front(tmp_path)
    yield made
    made.door.close()


# --- the PIN ---------------------------------------------------------------------------------------------------


def test_a_full_disk_keeps_no_table_from_its_guests_and_the_pin_holds_until_the_hub_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "staff.json"
    StaffPin(file)  # never used, so each start makes another one

    def full(path: Path, _: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", f"{path}")

    monkeypatch.setattr(staff_pin, "write_private", full)
    for there in (True, False):
        if not there:
            file.unlink()
        pin = StaffPin(file)
        assert pin.matches(pin.shown)
        assert not pin.reload(), "it is not the file's"
        assert pin.admit("")
        assert pin.shown == "", "it was used"
    monkeypatch.setattr(
        staff_pin, "write_private", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
    )
    with pytest.raises(ConfigError):
        StaffPin(file)


def test_the_pin_is_on_no_disk_and_its_file_is_the_hubs_alone(front: Front) -> None:
    assert len(front.right) == 6
    assert front.right.isdigit()
    assert front.right.encode() not in front.file.read_bytes()
    assert stat.S_IMODE(front.file.stat().st_mode) == 0o600


def test_a_pin_that_nobody_used_is_made_anew_and_shown_and_a_used_one_stays(front: Front) -> None:
    again = StaffPin(front.file)
    assert again.shown
    assert not again.matches(front.wrong if again.shown == front.right else front.right)
    assert again.matches(again.shown)
    told = again.shown
    again.admit("")
    assert again.shown == ""
    third = StaffPin(front.file)
    assert third.shown == ""
    assert third.matches(told)


def test_the_screens_show_the_pin_until_it_was_used_once(front: Front) -> None:
    assert Browser(front).login(front.wrong) == 403
    assert front.pin.shown == front.right
    assert Browser(front).login(front.right) == 200
    assert front.pin.shown == ""


def test_a_pin_made_in_a_terminal_holds_at_once_and_ends_every_session(front: Front) -> None:
    browser = Browser(front)
    assert browser.login(front.right) == 200
    new = StaffPin.renew(front.file)
    assert browser.ask("undo", after=0)[0] == 401
    assert front.venue.done == []
    assert Browser(front, "10.0.0.8").login(front.right) in ({403} if new != front.right else {200})
    assert Browser(front, "10.0.0.9").login(new) == 200
    assert StaffPin(front.file).shown == ""  # whoever made it was told it


# --- guessing --------------------------------------------------------------------------------------------------


def tries_of(guesses: Guesses, networks: Callable[[int], str], seconds: int = EVENING, each: int = 1) -> int:
    """How often somebody gets to try in that time, who tries `each` networks anew every second."""
    done = asked = 0
    for second in range(seconds):
        for _ in range(each):
            done += guesses.wait(networks(asked), float(second), known=False) == 0
            asked += 1
    return done


def test_one_address_has_seventeen_tries_in_an_evening() -> None:
    assert tries_of(Guesses(), lambda _: "10.0.0.9", each=4) == 17


def test_any_number_of_addresses_has_two_tries_in_a_thousand_pins_in_an_evening() -> None:
    fresh = tries_of(Guesses(), lambda n: f"network {n}", each=2)
    both = tries_of(Guesses(), lambda n: f"network {n % 300}", each=10)
    assert fresh <= 800 + EVENING / 20 + 1
    assert both <= 2022
    assert both / 10**6 < 0.0021


def test_all_addresses_of_a_network_that_guess_keep_no_other_one_out() -> None:
    guesses = Guesses()
    for address in range(1, 255):
        for _ in range(20):
            guesses.wait(f"10.0.0.{address}", 0.0, known=False)
    assert 254 * FREE_TRIES < FIRST_TRIES
    assert all(guesses.wait("fe80::1", 0.0, known=False) == 0 for _ in range(FREE_TRIES))


def test_a_known_browser_and_this_machine_wait_for_nobody(front: Front) -> None:
    browser = Browser(front)
    assert browser.login(front.right) == 200
    for address in range(2000):
        front.door._guesses.wait(f"network {address}", front.now, known=False)
    assert Browser(front, "10.1.1.1").login(front.right) == 429
    assert Browser(front, "10.1.1.1", kept=browser.kept).login(front.right) == 200
    assert front.post("/staff/login", Browser(front).login_body(front.right), "127.0.0.1", here=True)[0] == 200


def test_who_guesses_holds_up_neither_the_known_nor_the_web_ports_loop(
    front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve strangers' PINs wait to be hashed, which takes a slow Pi seconds."""
    browser = Browser(front)
    assert browser.login(front.right) == 200
    made, go = staff_pin._hash, threading.Event()

    def slow(pin: str, salt: bytes) -> bytes:
        if pin == front.wrong:
            go.wait(PATIENCE)
        return made(pin, salt)

    monkeypatch.setattr(staff_pin, "_hash", slow)

    async def evening() -> None:
        guesses = [
            asyncio.create_task(
                front.asking("/staff/login", json.dumps(Browser(front).login_body(front.wrong)).encode(), f"10.2.0.{n}")
            )
            for n in range(12)
        ]
        await asyncio.sleep(0.1)
        begun = time.monotonic()
        assert not front.door.reload_pin(), "it waits for no hash"
        here = json.dumps(Browser(front).login_body(front.right)).encode()
        known = json.dumps(Browser(front, kept=browser.kept).login_body(front.right)).encode()
        async with asyncio.timeout(PATIENCE):
            assert (await front.asking("/staff/login", here, "127.0.0.1", here=True))[0] == 200
            assert (await front.asking("/staff/login", known, "10.2.0.1"))[0] == 200
        assert time.monotonic() - begun < PATIENCE / 2
        assert not any(one.done() for one in guesses)
        go.set()
        assert {status for status, _ in await asyncio.gather(*guesses)} == {403}

    asyncio.run(evening())


def test_the_owners_new_device_waits_for_one_pin_of_each_network_that_guesses(
    front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty addresses of other networks have three PINs each to be hashed when the owner comes."""
    hashed: list[str] = []
    go = threading.Event()

    def slow(pin: str, salt: bytes) -> bytes:
        go.wait(PATIENCE)
        hashed.append(pin)
        return made(pin, salt) if pin == front.right else b""

    made = staff_pin._hash
    monkeypatch.setattr(staff_pin, "_hash", slow)

    def login(pin: str, address: str) -> asyncio.Task[tuple[int, dict[str, str]]]:
        return asyncio.create_task(
            front.asking("/staff/login", json.dumps(Browser(front).login_body(pin)).encode(), address)
        )

    async def evening() -> None:
        strangers = [f"10.{n}.0.1" for n in range(40)]
        guesses = [login(front.wrong, address) for address in strangers for _ in range(FREE_TRIES)]
        await asyncio.sleep(0)
        owner = login(front.right, "192.168.7.7")
        for _ in range(3):
            await asyncio.sleep(0)
        go.set()
        assert (await owner)[0] == 200
        assert len(hashed) <= len(strangers) + 2, "one round: those that were asked first have one turn each"
        assert {status for status, _ in await asyncio.gather(*guesses)} == {403}
        assert len(hashed) == len(guesses) + 1

    asyncio.run(evening())


def test_a_guess_whose_browser_has_gone_takes_nobodys_turn() -> None:
    turns = Turns()
    order: list[str] = []

    async def take(network: str) -> None:
        async with turns.turn(network):
            order.append(network)
            await asyncio.sleep(0)

    async def evening() -> None:
        tasks = [asyncio.create_task(take(network)) for network in ("a", "b", "b", "c")]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await take("d")

    asyncio.run(evening())
    assert sorted(order) == ["a", "b", "c", "d"]


def test_a_browser_that_has_gone_when_its_turn_comes_hands_it_on() -> None:
    turns = Turns()
    order: list[str] = []

    async def take(network: str) -> None:
        async with turns.turn(network):
            order.append(network)

    async def evening() -> None:
        async with turns.turn("a"):
            gone, next_one = asyncio.create_task(take("b")), asyncio.create_task(take("c"))
            await asyncio.sleep(0)
        gone.cancel()
        await asyncio.wait_for(next_one, PATIENCE)
        await take("d")
        assert gone.cancelled()

    asyncio.run(evening())
    assert order == ["c", "d"]


def test_pins_of_strangers_are_hashed_with_what_others_leave_of_the_processor(front: Front) -> None:
    def nice() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert Browser(front).login(front.wrong) == 403
    assert front.door._hashing[False].submit(nice).result() == 19
    assert front.door._hashing[True].submit(nice).result() == nice(), "and nobody else is"


def test_who_guesses_waits_longer_and_longer_and_another_address_does_not(front: Front) -> None:
    bad = Browser(front, "10.0.0.66")
    assert [bad.login(front.wrong) for _ in range(FREE_TRIES + 1)] == [403] * FREE_TRIES + [429]
    assert bad.login(front.right) == 429
    front.now += 1.0
    assert bad.login(front.wrong) == 403
    front.now += 1.0
    assert bad.login(front.wrong) == 429
    assert front.venue.wrong == FREE_TRIES + 1
    assert Browser(front, "10.0.0.7").login(front.right) == 200


def test_right_pins_are_no_guesses(front: Front) -> None:
    assert [Browser(front).login(front.right) for _ in range(FREE_TRIES + 3)] == [200] * (FREE_TRIES + 3)
    assert front.venue.wrong == 0


# --- a session -------------------------------------------------------------------------------------------------


def test_nothing_of_pin_or_picture_is_in_what_passes_by(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    status, answer = browser.ask("look", since=0)
    assert status == 200
    assert answer["venue"]["hub"] == "hub"
    assert browser.ask("free", seat=3)[1]["say"] == "free is done."
    passed = b"".join(front.wire)
    for word in (front.right.encode(), b"venue", b"verb", b"free", b"seat", browser.kept.encode()):
        assert word not in passed


def test_a_file_reaches_only_the_browser_that_asks(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    file = browser.ask("card")[1]["file"]
    assert (file["name"], file["type"]) == ("card-1.pdf", "application/pdf")
    assert base64.b64decode(file["data"]) == b"%PDF- the code of the table"
    assert b"card-1.pdf" not in b"".join(front.wire)
    assert file["data"].encode() not in b"".join(front.wire)


def test_a_link_reaches_only_the_browser_that_asks(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    answer = browser.ask("screen_link")[1]
    assert answer["link"] == "http://hub/t/1/kiosk#s=token"
    assert answer.get("file") is None
    assert b"token" not in b"".join(front.wire)


def test_a_file_that_the_hub_cannot_make_is_a_sentence(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    body = browser.sealed({"n": 1, "verb": "card", "table": "7"})
    answer = browser.opened(front.post("/staff/ask", {"session": browser.session, **body})[1])
    assert (answer["ok"], answer["say"], answer.get("file")) == (False, "This hub has no such table.", None)


def test_a_request_is_done_once_whoever_sends_it_again(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    body = browser.body("undo", after=0)
    assert front.post("/staff/ask", body)[0] == 200
    assert front.post("/staff/ask", body, "10.0.0.66")[0] == 409
    assert [ask.verb for ask in front.venue.done] == ["undo"]


def test_requests_that_overtake_each_other_are_all_done_once(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    bodies = [browser.body("undo", after=0) for _ in range(5)]
    assert [front.post("/staff/ask", body)[0] for body in reversed(bodies)] == [200] * 5
    late = browser.body("undo", after=0, number=1000)
    assert front.post("/staff/ask", late)[0] == 200
    assert front.post("/staff/ask", browser.body("undo", after=0, number=1000 - staff_door.WINDOW))[0] == 409


def test_another_key_a_changed_box_and_another_session_do_nothing(front: Front) -> None:
    browser, other = Browser(front), Browser(front, "10.0.0.8")
    browser.login(front.right)
    other.login(front.right)
    body = browser.body("undo", after=0)
    assert front.post("/staff/ask", {**body, "session": other.session})[0] == 400
    assert front.post("/staff/ask", {**body, "box": body["box"][:-2] + "AA"})[0] == 400
    assert front.post("/staff/ask", {**body, "session": "nobody"})[0] == 401
    assert front.post("/staff/ask", b"{")[0] == 400
    assert front.venue.done == []


def test_an_answer_is_no_request_and_names_the_one_it_answers(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    _, sealed = front.post("/staff/ask", browser.body("undo", after=0))
    assert browser.opened(sealed)["re"] == 1
    assert front.post("/staff/ask", {"session": browser.session, **sealed})[0] == 400
    assert len(front.venue.done) == 1


def test_a_session_ends_by_itself_and_by_signing_out(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    assert browser.ask("out")[1]["ok"]
    assert browser.ask("undo", after=0)[0] == 401
    browser.login(front.right)
    front.now += SESSION_SECONDS - 1
    assert browser.ask("undo", after=0)[0] == 200
    front.now += 1
    assert browser.ask("undo", after=0)[0] == 401


def test_only_so_many_sessions_are_kept(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staff_door, "MAX_SESSIONS", 2)
    browsers = [Browser(front) for _ in range(3)]
    for browser in browsers:
        browser.login(front.right)
    assert browsers[0].ask("undo", after=0)[0] == 401
    assert browsers[1].ask("undo", after=0)[0] == 200


def test_what_cannot_be_done_is_a_sentence(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)
    _, answer = browser.ask("end")
    assert not answer["ok"]
    assert answer["say"] == "No match is under way."


def test_a_request_of_another_page_or_by_another_method_is_refused(front: Front) -> None:
    body = json.dumps(Browser(front).login_body(front.right)).encode()
    assert front.post("/staff/login", body, headers=[(b"origin", b"http://evil.example")])[0] == 403
    assert front.post("/staff/login", body, method="GET")[0] == 405
    assert front.pin.shown


def test_a_log_in_for_another_hubs_key_says_so(front: Front) -> None:
    browser = Browser(front)
    browser.keys = Keys(HubKey.generate().public)
    status, answer = front.post("/staff/login", browser.login_body(front.right))
    assert status == 400
    assert "key is not the one" in answer["error"]


def test_a_look_waits_for_the_next_picture(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)

    async def look() -> dict[str, Any]:
        body = json.dumps(browser.body("look", since=1)).encode()
        waiting = asyncio.create_task(front.asking("/staff/ask", body))
        while not front.venue.followers:
            await asyncio.sleep(0)
        assert not waiting.done()
        front.venue.show(2)
        return browser.opened((await waiting)[1])

    answer = asyncio.run(look())
    assert answer["picture"] == 2
    assert answer["venue"]["now"] == 2
    assert front.venue.followers == 0


def test_a_look_ends_with_the_hub(front: Front) -> None:
    browser = Browser(front)
    browser.login(front.right)

    async def look() -> dict[str, Any]:
        closing = asyncio.Event()
        body = json.dumps(browser.body("look", since=1)).encode()
        waiting = asyncio.create_task(front.asking("/staff/ask", body, closing=closing))
        while not front.venue.followers:
            await asyncio.sleep(0)
        closing.set()
        return browser.opened((await waiting)[1])

    assert asyncio.run(look())["venue"] is None


def test_a_picture_of_the_house_has_no_field_for_a_secret() -> None:
    table = set(PublicState.__struct_fields__)
    assert not table & {"you", "moves", "claim_codes", "seat_code", "hands", "dial"}


@pytest.mark.parametrize("content", [b"{", b"", b"[]"])
def test_a_damaged_pin_is_set_aside_and_another_one_is_shown(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "staff.json"
    file.write_bytes(content)
    file.chmod(0o600)
    pin = StaffPin(file)
    assert pin.matches(pin.shown)
    assert "renewed" in pin.notice
    assert [one.read_bytes() for one in tmp_path.glob("staff.json.unreadable-*")] == [content]
    assert pin.admit("")
    assert (StaffPin(file).shown, StaffPin(file).notice) == ("", ""), "the new one is kept, and it is said once"


def test_a_pin_whose_hash_others_could_read_is_not_used_any_more(tmp_path: Path) -> None:
    file = tmp_path / "staff.json"
    before = StaffPin.renew(file)
    file.chmod(0o644)
    pin = StaffPin(file)
    assert not pin.matches(before)
    assert "renewed" in pin.notice


def test_the_configuration_is_read_and_changed_through_the_door(front: Front) -> None:
    browser = Browser(front)
    assert browser.login(front.right) == 200
    _, answer = browser.ask("settings", drivers=["eink"])
    assert answer["settings"]["values"] == {"asked": {"drivers": ["eink"]}}
    change = {"at": ["web", "port"], "to": 80}
    _, answer = browser.ask("change_settings", seen="0", changes=[change])
    assert (answer["ok"], answer["say"]) == (False, "Somebody has changed the file.")
    assert answer["settings"] is None
    for args in ({}, {"seen": "0", "changes": []}, {"seen": "0", "changes": [{"at": []}]}, {"seen": "0", "changes": 7}):
        _, answer = browser.ask("change_settings", **args)
        assert not answer["ok"]
    _, answer = browser.ask("change_settings", seen="0", changes=[{**change, "at": ["table", -1]}])
    assert not answer["ok"]


@pytest.mark.parametrize(("letters", "status"), [(4900, 200), (5600, 400)])
def test_a_request_may_hold_all_cards_of_a_list_or_five_thousand_bytes_of_changes(
    front: Front, letters: int, status: int
) -> None:
    browser = Browser(front)
    assert browser.login(front.right) == 200
    answered, answer = browser.ask("cards", game="i-bid-you-not", changes={"deck": "1" * letters})
    assert answered == status
    assert status == 400 or answer["say"] == "cards is done."


def test_packages_are_added_and_removed_through_the_door(front: Front) -> None:
    browser = Browser(front)
    assert browser.login(front.right) == 200
    for verb, args in (
        ("add_package", {"file": "x.whl", "size": 3000, "at": 0, "piece": "A" * 4096}),
        ("remove_package", {"file": "x.whl"}),
    ):
        _, answer = browser.ask(verb, **args)
        assert answer["say"] == "Somebody has changed the file.", "it has come to the venue"
    for args in (
        {},
        {"file": "", "size": 1, "at": 0, "piece": "AAAA"},
        {"file": "x", "size": 10**7, "at": 0, "piece": "AAAA"},
    ):
        assert not browser.ask("add_package", **args)[1]["ok"]


def test_staff_read_the_evenings_of_a_month(front: Front) -> None:
    browser = Browser(front)
    assert browser.login(front.right) == 200
    _, answer = browser.ask("evenings")
    assert answer["evenings"] == {"month": "2026-11", "months": ["2026-11"], "played": [], "calls": []}
    _, answer = browser.ask("evenings", month="2026-02")
    assert answer["evenings"]["month"] == "2026-02"
    _, answer = browser.ask("evenings", month="2000-01")
    assert (answer["ok"], answer["say"]) == (False, "This has failed: the journal says why.")
    for wrong in ("2026-13", "2026-1", "2026", "2026-02\n"):
        _, answer = browser.ask("evenings", month=wrong)
        assert not answer["ok"]
        assert answer.get("evenings") is None


def test_staff_look_through_the_camera_of_a_table(front: Front) -> None:
    browser = Browser(front)
    assert browser.login(front.right) == 200
    _, answer = browser.ask("camera", step="die")
    assert answer["camera"] == {"picture": "", "step": "empty", "text": "asked: die"}
    browser.table = "2"
    _, answer = browser.ask("camera", step="look")
    assert (answer["ok"], answer["say"]) == (False, "No camera reads the dice of this table.")
    browser.table = "1"
    _, answer = browser.ask("camera", step="zoom")
    assert not answer["ok"]


# --- setting up --------------------------------------------------------------------------------------------------


def test_the_code_on_the_screen_leaves_the_pin_there_until_another_one_is_chosen(front: Front) -> None:
    phone = Browser(front)
    body = {"pk": to_base64(phone.keys.public), **phone.sealed({"pin": front.right, "browser": "", "setup": True})}
    status, answer = front.post("/staff/login", body)
    assert status == 200
    told = phone.opened(answer)
    assert told["first"]
    phone.session = told["session"]
    assert front.pin.shown == front.right, "the phone may die here, and nobody has read the PIN"
    assert not json.loads(front.file.read_text("utf-8"))["used"], "after a restart the screen shows one, too"
    assert phone.ask("pin", pin="281734")[1]["ok"]
    assert front.pin.shown == ""
    assert Browser(front, "10.0.0.8").login(front.right) == 403
    later = Browser(front, "10.0.0.9")
    body = {"pk": to_base64(later.keys.public), **later.sealed({"pin": "281734", "browser": "", "setup": True})}
    told = later.opened(front.post("/staff/login", body, later.address)[1])
    assert not told.get("first"), "whoever sets up the hub once more is signed in like all staff"
    assert front.pin.knows(told["browser"])
    assert StaffPin(front.file).matches("281734"), "after a restart, too"
    assert not front.pin.reload(), "it is the door's own change"


def test_a_new_pin_ends_every_session_but_that_of_who_changed_it(front: Front) -> None:
    one, other = Browser(front), Browser(front, "10.0.0.8")
    assert one.login(front.right) == other.login(front.right) == 200
    one.ask("pin", pin="281734")
    assert one.ask("light")[0] == 200
    assert other.ask("light")[0] == 401
    assert not front.pin.knows(other.kept), "it guesses like everybody else"


@pytest.mark.parametrize("pin", ["000000", "121212", "123456", "654321", "012345", "098765"])
def test_a_pin_that_is_easy_to_guess_is_refused(front: Front, pin: str) -> None:
    browser = Browser(front)
    browser.login(front.right)
    answer = browser.ask("pin", pin=pin)[1]
    assert (answer["ok"], answer["say"]) == (False, "That PIN is easy to guess. Choose another one.")
    assert front.pin.matches(front.right)


@pytest.mark.parametrize("pin", ["", "12345", "1234567", "12a456", 281734, None])
def test_what_is_no_pin_changes_nothing(front: Front, pin: Any) -> None:
    browser = Browser(front)
    browser.login(front.right)
    assert browser.ask("pin", pin=pin)[1]["ok"] is False
    assert front.pin.matches(front.right)


def test_a_pin_that_cannot_be_kept_is_not_changed(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(front)
    browser.login(front.right)

    def full(path: Path, _: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", f"{path}")

    monkeypatch.setattr(staff_pin, "write_private", full)
    answer = browser.ask("pin", pin="281734")[1]
    assert not answer["ok"]
    assert answer["say"] == "The PIN cannot be kept (No space left on device). Check the card and its free space."
    assert front.pin.matches(front.right)
