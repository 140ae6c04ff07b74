"""An evening on the real program: a group puts its match aside, another one plays, the first comes back and goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.chromium import HEADLESS, NONE, headless
from tests.e2e import hub_process
from tests.e2e.hub_process import HubProcess, SeatPhone, State, sealed
from tests.e2e.random_players import ready
from tests.e2e.test_staff import pin_of, staff_at
from tests.free_port import free_port

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

ABSENT_SECONDS = 10


def patient_hub(folder: Path, port: int) -> list[str]:
    """A hub with a simulated table that asks soon about a seat whose phone sleeps."""
    config = folder / "table-hub.toml"
    config.write_text(
        f'[hub]\nstate = "{folder / "state"}"\n[web]\nhost = "127.0.0.1"\nport = {port}\n'
        f'[[table]]\nseats = 4\nabsent_seconds = {ABSENT_SECONDS}\n[[device]]\ndriver = "simulated"\nseats = 4\n'
    )
    return [str(hub_process.PROGRAM), "run", "--config", str(config)]


def start(hub: HubProcess, game: str, *phones: SeatPhone) -> None:
    for phone in phones[1:]:
        phone.page.get_by_role("button", name="I am ready").click()
    phones[0].page.get_by_role("radio", name=game).check(force=True)
    phones[0].page.get_by_role("button", name=f"Start {game}").click()
    hub.until(lambda s: s["state"] == "playing", f"{game} begins")


def open_seat_tab(phone: SeatPhone) -> None:
    if not phone.page.get_by_role("heading", name="This phone").count():
        phone.page.get_by_role("navigation").get_by_role("button", name="Seat").click()


def leave(hub: HubProcess, phone: SeatPhone) -> None:
    open_seat_tab(phone)
    phone.page.get_by_role("button", name="Leave this seat…").click()
    phone.page.get_by_role("button", name="Leave the seat").click()
    hub.until(lambda s: s["seats"][phone.seat - 1]["phone"] == "none", "the seat is free")


def has_answered(seat: int) -> Callable[[State], bool]:
    """Return whether a seat has answered the question to the table, or it is over."""
    return lambda state: not state["question"] or f"{seat}" in state["question"]["votes"]


def vote(hub: HubProcess, asks: SeatPhone, button: str, answers: SeatPhone, answer: str) -> None:
    """One asks the table on its Seat tab, the other one answers; the match leaves the table."""
    open_seat_tab(asks)
    asks.page.get_by_role("button", name=button, exact=True).click()
    answers.vote(answer, lambda s: s["state"] == "lobby")
    # What a phone sends before it knows is refused as too late.
    expect(asks.page.get_by_role("button", name=button, exact=True)).to_have_count(0)
    expect(answers.page.get_by_role("alertdialog", name="A question to the table")).to_have_count(0)


def test_a_match_waits_for_its_people_while_others_play(tmp_path: Path) -> None:
    port = free_port()
    with HubProcess(tmp_path / "state", port, patient_hub(tmp_path, port)) as hub, headless() as browser:
        ana, ben = SeatPhone(hub, browser, 1), SeatPhone(hub, browser, 2)
        hub_process.sit({ana: "Ana", ben: "Ben"})
        hub.bench(box=3, press="push")
        hub.until(ready(3), "seat 3 is ready on its box")
        start(hub, "Bid & Bait!", ana, ben)
        hub.until(sealed, "all are asked for a bid")
        fish = {phone.seat: phone.secret_fish() for phone in (ana, ben)}
        vote(hub, ana, "Suspend it…", ben, "Suspend it")
        leave(hub, ana)
        leave(hub, ben)

        # Others come, play something else, and end it for good.
        cleo, dan = SeatPhone(hub, browser, 1), SeatPhone(hub, browser, 2)
        hub_process.sit({cleo: "Cleo", dan: "Dan"})
        expect(cleo.page.get_by_role("button", name="Resume", exact=True)).to_have_count(0)
        assert hub.public.now["put_aside"] == [], "strangers are offered nothing, and read no names"
        start(hub, "BID★IT!", cleo, dan)
        vote(hub, dan, "End it…", cleo, "End it")
        leave(hub, cleo)
        leave(hub, dan)

        # The first group is back: their phones are known, their hands are theirs.
        hub_process.sit({ana: "Ana", ben: "Ben"})
        ben.page.get_by_role("button", name="Resume", exact=True).click()
        expect(ben.page.get_by_role("alert")).to_contain_text("somebody at seat 3 is missing")
        hub.bench(box=3, press="push")
        hub.until(ready(3), "seat 3 is back on its box")
        ben.page.get_by_role("button", name="Resume", exact=True).click()
        hub.until(sealed, "the match goes on")
        for phone in (ana, ben):
            assert phone.secret_fish() == fish[phone.seat]

        # Ben's phone is gone: Ana lets the house play, and Ben has his hand when he is back.
        ana.bid(3)
        hub.boxes.until(lambda b: b["boxes"]["3"]["sealed"], "box 3 is open")
        hub.bench(box=3, press="k2")
        hub.bench(box=3, press="push")
        hub.until(lambda s: sorted(s["locked"]) == [1, 3], "all but Ben have bid")
        ben.page.goto("about:blank")
        hub.until(lambda s: s["seats"][1]["presence"] == "asleep", "Ben's phone is asleep")
        hub.until(lambda s: s["nudged"] == [2] or s["question"], "Ben is called")
        ana.vote("The house plays on", lambda s: s["seats"][1]["house"])
        hub.until(lambda s: not sealed(s), "the bids are open")
        ben.page.goto(f"{hub.address}/t/1")
        hub.until(lambda s: s["seats"][1]["presence"] == "here" and not s["seats"][1]["house"], "Ben is back")
        assert ben.secret_fish() == fish[2]
        assert ana.errors + ben.errors + cleo.errors + dan.errors == []


def test_a_box_is_unplugged_staff_put_aside_take_back_and_reset_and_the_power_goes(tmp_path: Path) -> None:
    port = free_port()
    with HubProcess(tmp_path / "state", port, patient_hub(tmp_path, port)) as hub, headless() as browser:
        staff = staff_at(hub, browser)
        pin = pin_of(hub)
        staff.sign_in(pin)
        ana, ben = SeatPhone(hub, browser, 1), SeatPhone(hub, browser, 2)
        hub_process.sit({ana: "Ana", ben: "Ben"})
        hub.bench(box=3, press="push")
        hub.until(ready(3), "seat 3 is ready on its box")
        start(hub, "Bid & Bait!", ana, ben)
        hub.until(sealed, "all are asked for a bid")
        fish = {phone.seat: phone.secret_fish() for phone in (ana, ben)}

        # Seat 3 has locked nothing when its cable is out: the others are asked, and the match goes on without it.
        ana.bid(3)
        ben.bid(5)
        hub.until(lambda s: s["locked"] == [1, 2], "two have bid")
        staff.do("Undo…", "Take it back")
        hub.until(lambda s: s["locked"] == [1], "Ben's bid is taken back")
        ben.bid(2)
        hub.until(lambda s: s["locked"] == [1, 2], "and made again")
        hub.bench(box=3, unplug=True)
        hub.until(lambda s: s["seats"][2]["box"] == "lost", "box 3 is unplugged")
        expect(staff.table.get_by_text("box disconnected")).to_be_visible()
        for phone in (ana, ben):
            phone.vote("Play safe for them", has_answered(phone.seat))
        hub.until(lambda s: not sealed(s), "the bids are open")
        hub.bench(box=3, plug=True)
        hub.until(lambda s: s["seats"][2]["box"] == "on", "box 3 is back")

        # The power goes in the middle of it; staff sign in again, put the match aside, and let it go on.
        hub.cut()
        hub.until(lambda s: s["state"] == "playing", "the match is there again")
        for phone in (ana, ben):
            phone.covered.wait_for()
            assert phone.secret_fish() == fish[phone.seat]
        expect(staff.page.get_by_text("You are signed out")).to_be_visible()
        staff.sign_in(pin)
        staff.do("Suspend…", "Suspend it")
        hub.until(lambda s: s["state"] == "lobby" and s["put_aside"], "the match is put aside")
        hub.bench(box=3, press="push")
        hub.until(ready(3), "seat 3 is back on its box")
        staff.do("Resume Bid & Bait!", "Resume")
        hub.until(lambda s: s["state"] == "playing", "staff let it go on")
        for phone in (ana, ben):
            assert phone.secret_fish() == fish[phone.seat]

        # One touch for the next guests: nobody sits there, and nothing of the match is left for them.
        staff.do("Reset for the next guests… Table 1", "End the match and reset")
        hub.until(lambda s: s["state"] == "lobby" and not any(one["held"] for one in s["seats"]), "the table is free")
        assert hub.public.now["put_aside"] == []
        expect(ana.page.get_by_text("This seat was freed.")).to_be_visible()
        assert [*ana.errors, *ben.errors, *staff.errors] == []
