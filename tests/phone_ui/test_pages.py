"""The pages in a real Chromium, against a hub that says what a test wants."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocket, expect

from hub import games
from hub.languages import Speech
from hub.network import messages
from hub.network.encryption import fingerprint, from_base64
from hub.ports import SEAT_MARKS
from phone_ui.pages import make_app
from tests.acceptance.screen import read_code
from tests.chromium import HEADLESS, NONE, PHONE, SMALL_PHONE, headless
from tests.patience import PATIENCE
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import ROOT, STATIC, FakeHub, labels_of
from tests.phone_ui.rig import FakeTable

pytestmark = pytest.mark.browser
expect.set_options(timeout=15_000)  # a busy machine is slow, not wrong

HALF_MINUTE = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if HEADLESS is None:
        pytest.skip(NONE)
    with headless("--host-resolver-rules=MAP hub.test 127.0.0.1") as opened:
        yield opened


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    fake = FakeHub().start()
    fake.labels = {"bid-and-bait": labels_of("bid-and-bait"), "odd": scenes.ODD_LABELS, "row": scenes.ROW_LABELS}
    fake.public(scenes.public(seats=scenes.seats(held=1)))
    yield fake
    fake.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=PHONE, color_scheme="dark") as context:
        context.set_default_timeout(15_000)
        opened = context.new_page()
        faults: list[str] = []
        opened.on("pageerror", lambda fault: faults.append(str(fault)))
        opened.on("console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None)
        yield opened
        assert faults == []


def sit(page: Page, hub: FakeHub, seat: str = "seat 2, orange triangle") -> None:
    """Scan, choose a seat, and be in the lobby."""
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    page.get_by_label(seat).click()
    expect(page.get_by_text("What shall we play?")).to_be_visible()


def play(page: Page, hub: FakeHub, state: dict[str, Any], hand: dict[str, Any], seq: int = 50) -> None:
    """Bring the table and the hand of seat 2 to a moment."""
    hub.public(state | {"seq": seq})
    hub.hand(2, hand | {"seq": seq})
    if hand["want"]:
        expect(page.get_by_text(hand["want"])).to_be_visible()


def dock(page: Page) -> Any:
    return page.get_by_role("group", name="Actions")


# --- Sitting down --------------------------------------------------------------------------------------


def test_the_key_of_the_hub_leaves_the_address_at_once(page: Page, hub: FakeHub) -> None:
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    expect(page.get_by_text("Where do you sit?")).to_be_visible()
    assert page.url == f"{hub.address}/t/1"
    assert hub.k not in page.evaluate("JSON.stringify(history.state)+location.href")


def test_a_seat_is_held_after_the_press_on_its_box(page: Page, hub: FakeHub) -> None:
    hub.press_at_once = False
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    page.get_by_label("Your name").fill("Ben")
    page.get_by_label("seat 2, orange triangle, free").click()
    expect(page.get_by_role("heading", name="Press the button on the box in front of you")).to_be_visible()
    (claim,) = hub.claims.values()
    assert claim.asked == {"seat": 2, "code": None, "name": "Ben", "earlier": []}
    hub.press(2)
    expect(page.get_by_text("What shall we play?")).to_be_visible()


def test_a_phone_that_comes_back_proves_the_keys_that_it_had_to_this_hub_alone(page: Page, hub: FakeHub) -> None:
    for times in (1, 2):
        page.goto("about:blank")
        page.goto(f"{hub.address}/t/1#k={hub.k}")
        page.evaluate("localStorage.setItem('th/1/earlier', JSON.stringify([{ sid: 'old', password: 'old' }]))")
        page.get_by_label("seat 2, orange triangle, free").click()
        expect(page.get_by_text("What shall we play?")).to_be_visible()
        assert page.evaluate("localStorage.getItem('th/1/earlier')") is None, "no password is kept"
        if times == 1:
            of_another_hub = {"pk": "A" * 43, "sk": "A" * 43, "hubkey": "B" * 43}
            page.evaluate(
                "one => { const kept = JSON.parse(localStorage.getItem('th/1/keys'));"
                " localStorage.setItem('th/1/keys', JSON.stringify([one, ...kept])); localStorage.removeItem('th/1'); }",
                of_another_hub,
            )
    first, second = hub.claims.values()
    (earlier,) = second.asked["earlier"]
    assert earlier["pk"] == first.pk != second.pk
    proof = messages.read_key_proof(hub.key.with_phone(from_base64(first.pk)).decrypt(from_base64(earlier["proof"])))
    assert proof == messages.KeyProof(second.pk, "1")


def test_the_six_letters_are_the_other_door(page: Page, hub: FakeHub) -> None:
    hub.public(scenes.public(seats=scenes.seats(held=0, boxes="none")))
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    page.get_by_label("seat 3, green square, free").click()
    page.get_by_label("The 6 letters").fill("bcd fgh")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_text("What shall we play?")).to_be_visible()
    assert [claim.asked["code"] for claim in hub.claims.values()] == ["BCDFGH"]


def test_a_refused_seat_says_why_and_can_be_asked_for_again(page: Page, hub: FakeHub) -> None:
    hub.press_at_once = False
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    page.get_by_label("seat 2, orange triangle, free").click()
    expect(page.get_by_role("heading", name="Press the button")).to_be_visible()
    hub.press(2, refuse="Somebody else pressed first.")
    expect(page.get_by_role("alert")).to_have_text("Somebody else pressed first.")
    page.get_by_role("button", name="Another seat").click()
    expect(page.get_by_text("Where do you sit?")).to_be_visible()


def test_four_letters_typed_in_any_way_find_the_table(page: Page, hub: FakeHub) -> None:
    page.goto(f"{hub.address}/")
    page.get_by_label("Table code").press_sequentially("zz-zz")
    expect(page.get_by_role("alert")).to_contain_text("No table here has that code.")
    page.get_by_label("Table code").press_sequentially("fi sh")
    expect(page.get_by_text("Where do you sit?")).to_be_visible()


FIRST_USE = "trusts it because this is its first visit"


def digits_on(page: Page) -> str:
    return " ".join(page.locator(".fingerprint").first.inner_text().split())


@pytest.mark.parametrize("path", ["/?code=fish", "/t/1"], ids=["four letters typed", "an address without a key"])
def test_a_key_that_came_over_the_network_is_said_to_be_trusted_with_the_digits_that_the_screen_shows(
    page: Page, screen: Page, hub: FakeHub, path: str
) -> None:
    page.goto(f"{hub.address}{path}")
    expect(page.get_by_text(FIRST_USE)).to_be_visible()
    screen.goto(f"{hub.address}/t/1/kiosk")
    screen.locator(".key-digits").wait_for()
    assert digits_on(page) == digits_on(screen) == fingerprint(hub.key.public)
    page.reload()
    expect(page.get_by_text(FIRST_USE)).to_be_visible()
    page.get_by_label("seat 2, orange triangle").click()
    page.get_by_role("button", name="Seat", exact=True).click()
    assert digits_on(page) == digits_on(screen), "and later, too"


def test_a_false_hub_with_our_own_pages_has_other_digits(page: Page, screen: Page, hub: FakeHub) -> None:
    false = FakeHub().start()
    try:
        false.public(scenes.public())
        page.goto(f"{false.address}/?code=fish")
        expect(page.get_by_text(FIRST_USE)).to_be_visible()
        screen.goto(f"{hub.address}/t/1/kiosk")
        screen.locator(".key-digits").wait_for()
        assert digits_on(page) != digits_on(screen)
    finally:
        page.goto("about:blank")
        false.stop()


def test_a_key_that_was_scanned_needs_no_comparison(page: Page, hub: FakeHub) -> None:
    for address in (f"{hub.address}/t/1#k={hub.k}", f"{hub.address}/?code=fish"):  # scanned, then typed: the same key
        page.goto(address)
        expect(page.get_by_text("Where do you sit?")).to_be_visible()
        expect(page.get_by_text(FIRST_USE)).to_have_count(0)


def test_the_screen_shows_the_digits_of_the_key_in_play_too(screen: Page, hub: FakeHub) -> None:
    hub.public(scenes.BIDDING | {"seq": 60})
    screen.goto(f"{hub.address}/t/1/kiosk")
    screen.locator(".foot-key").wait_for()
    assert digits_on(screen) == fingerprint(hub.key.public)


def test_a_link_with_the_code_goes_straight_to_the_table(page: Page, hub: FakeHub) -> None:
    page.goto(f"{hub.address}/?code=fish")
    expect(page.get_by_text("Where do you sit?")).to_be_visible()


def test_a_phone_on_plain_http_sits_down_too(page: Page, hub: FakeHub) -> None:
    page.goto(f"http://hub.test:{hub.port}/t/1#k={hub.k}")
    assert page.evaluate("[typeof crypto.subtle, typeof crypto.randomUUID]") == ["undefined", "undefined"]
    page.get_by_label("seat 2, orange triangle").click()
    expect(page.get_by_text("What shall we play?")).to_be_visible()


def test_the_bench_seats_several_phones_in_one_browser(browser: Browser, hub: FakeHub) -> None:
    with browser.new_context(viewport=PHONE) as context:
        for seat in (2, 3):
            tab = context.new_page()
            tab.goto(f"{hub.address}/t/1?phone={seat}#k={hub.k}&seat={seat}&code=BCDFGH")
            expect(tab.get_by_text("What shall we play?")).to_be_visible()
        assert sorted(claim.seat for claim in hub.claims.values()) == [2, 3]
        expect(context.pages[0].get_by_text("live")).to_be_visible()


def test_the_way_back_closes_what_is_open_and_does_not_leave_the_table(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    address = page.url
    page.get_by_role("button", name="Rules").click()
    page.get_by_role("button", name="Log").click()
    page.go_back()
    expect(page.locator(".want.mine")).to_be_visible()
    assert page.url == address
    expect(page.get_by_text("live")).to_be_visible()
    page.get_by_role("button", name="Rules").click()
    page.get_by_role("button", name="Rules").click()  # closed by hand: the way back has nothing of it
    expect(page.locator(".want.mine")).to_be_visible()
    assert page.evaluate("history.state?.tab ?? null") is None
    page.get_by_role("button", name="Seat").click()
    page.go_back()
    expect(page.locator(".want.mine")).to_be_visible()
    assert page.url == address


def test_a_phone_stays_awake_while_a_match_is_played_and_no_longer(page: Page, hub: FakeHub) -> None:
    page.add_init_script("""
        window.locks = [];
        Object.defineProperty(navigator, "wakeLock", {value: {request: async (kind) => {
            const lock = {kind, released: false, release: async () => { lock.released = true; }};
            window.locks.push(lock);
            return lock;
        }}});
    """)
    sit(page, hub)
    assert page.evaluate("locks.length") == 0
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    page.wait_for_function("() => locks.length === 1 && locks[0].kind === 'screen' && !locks[0].released")
    hub.public(scenes.public(seq=90))
    page.wait_for_function("() => locks.every((lock) => lock.released)")


def test_who_only_watches_has_no_button(page: Page, hub: FakeHub) -> None:
    hub.public(scenes.TAKE)
    page.goto(f"{hub.address}/t/1")
    page.get_by_role("button", name="Just watch").click()
    expect(page.locator(".want")).to_have_text(re.compile(r"Ben\s+takes a prize"))
    expect(dock(page)).to_have_count(0)
    expect(page.get_by_role("region", name="The table")).to_contain_text("Spot 4")


# --- Playing ---------------------------------------------------------------------------------------------


def test_a_bid_is_chosen_in_one_place_and_confirmed_in_another(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    expect(dock(page).get_by_role("button")).to_be_disabled()
    page.get_by_role("radio", name="5").check()
    dock(page).get_by_role("button", name="Bid 5").click()
    said = hub.asks.get(timeout=PATIENCE)
    assert (said["seat"], said["verb"], said["args"]) == (2, "act", {"move": "bid", "number": 5})
    assert (said["epoch"], said["number"]) == (3, 17)


def test_a_locked_choice_is_shown_only_while_it_is_held(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    play(page, hub, scenes.BIDDING, scenes.LOCKED_HAND | {"want": ""}, seq=51)
    expect(page.get_by_role("button", name="Locked ✓ tap to change")).to_be_visible()
    assert "Bid 5" not in page.content()
    assert "Carp" not in page.locator(".secret").inner_text()
    zone = page.get_by_role("button", name="Hold to see your hand")
    zone.hover()
    page.mouse.down()
    expect(page.get_by_text("You locked: Bid 5", exact=True)).to_be_visible()
    expect(page.locator(".secret")).to_contain_text("Carp")
    page.mouse.up()
    expect(page.get_by_text("You locked: Bid 5")).to_have_count(0)


def test_the_covered_hand_opens_by_the_space_bar_and_closes_when_the_page_is_hidden(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    page.get_by_role("button", name="Hold to see your hand").focus()
    page.keyboard.down("Space")
    expect(page.locator(".secret")).to_contain_text("Carp")
    expect(page.locator(".secret")).to_contain_text("dial of your box starts at 4")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".secret")).not_to_contain_text("Carp")


def test_a_phone_may_keep_its_hand_open(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    page.get_by_role("button", name="Seat", exact=True).click()
    page.get_by_label("Keep my hand open").check()
    page.get_by_role("button", name="The table").click()
    expect(page.locator(".secret")).to_contain_text("Carp")
    page.reload()
    expect(page.locator(".secret")).to_contain_text("Carp")


def test_a_locked_choice_may_be_changed_until_the_last_lock(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.LOCKED_HAND | {"want": ""})
    page.get_by_role("button", name="Locked ✓ tap to change").click()
    page.get_by_role("radio", name="2").check()
    dock(page).get_by_role("button", name="Bid 2").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "bid", "number": 2}
    play(page, hub, scenes.BIDDING, scenes.LOCKED_HAND | {"want": "", "moves": []}, seq=52)
    expect(page.get_by_text("Locked.", exact=True)).to_be_visible()
    expect(dock(page).get_by_role("button")).to_have_count(0)


def test_a_choice_locked_in_the_box_is_locked_on_the_phone_too(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    hub.public(scenes.BIDDING | {"locked": [1, 2, 3], "seq": 51})
    expect(page.get_by_text("Locked on your box.")).to_be_visible()
    page.get_by_role("button", name="Locked ✓ tap to change").click()
    page.get_by_role("radio", name="1").check()
    dock(page).get_by_role("button", name="Bid 1").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "bid", "number": 1}


def test_a_refusal_stands_at_the_button_and_is_read_out(page: Page, hub: FakeHub) -> None:
    hub.answer = lambda said: {"ok": False, "error": "Seat 4 was quicker: that Fish is gone.", "code": "BB-X06"}
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    page.get_by_role("radio", name="Perch").check()
    dock(page).get_by_role("button", name="Take Perch").click()
    expect(dock(page).get_by_role("alert")).to_have_text(re.compile(r"Seat 4\s+was quicker: that Fish is gone\."))
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "take_fish", "slot": 1}
    dock(page).get_by_role("button", name="Take the Spot").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "take_spot"}


def test_an_unanswered_action_is_sent_again_as_the_same_one(page: Page, hub: FakeHub) -> None:
    answers: list[dict[str, Any] | None] = [None, {"ok": True}, {"ok": True}]
    hub.answer = lambda said: answers.pop(0)
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.PAY_HAND)
    dock(page).get_by_role("button", name="Spend 2 Baits").click()
    expect(dock(page).get_by_role("button", name="Sending…")).to_be_disabled()
    first, second = hub.sent.get(timeout=PATIENCE), hub.sent.get(timeout=PATIENCE)
    assert first == second == hub.asks.get(timeout=PATIENCE)
    expect(dock(page).get_by_role("button", name="Spend 2 Baits")).to_be_enabled()
    dock(page).get_by_role("button", name="Catch nothing").click()
    third = hub.asks.get(timeout=PATIENCE)
    assert third["n"] > second["n"]
    assert third["id"] != second["id"]


def test_the_fish_on_a_spot_are_cards_to_choose_from(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    fish = page.get_by_role("group", name="Fish on this Spot").get_by_role("radio")
    expect(fish).to_have_count(2)
    expect(page.get_by_role("radio", name="Eel")).to_be_visible()


def test_who_waits_is_told_for_whom_and_has_no_live_button(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    rolling = scenes.ROLLING["view"]["waiting"]["roll"] | {"seat": 3}
    view = scenes.ROLLING["view"] | {"waiting": {"seats": [], "roll": rolling, "secret": False}}
    hub.public(scenes.ROLLING | {"view": view, "dice": None, "seq": 50, "want": "Seat 3 needs 4 or more."})
    hub.hand(2, scenes.hand(seq=50))
    expect(page.locator(".want")).to_have_text(re.compile(r"Cem\s+needs 4 or more\."))
    expect(dock(page).get_by_role("button")).to_have_count(0)


def test_a_reveal_is_shown_for_a_while(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND, seq=51)
    expect(page.get_by_role("region", name="Revealed")).to_contain_text("6")


def test_a_page_that_comes_late_finds_what_was_before_and_holds_nothing_old_up(page: Page, hub: FakeHub) -> None:
    state, own = scenes.row([{"move": "drop"}])
    (order,) = state["events"]
    told = {"text": "Seat 1 passes.", "rule": "RO-02", "kind": "pass", "data": {}}
    reveal = {"n": 4, "text": "The bids.", "rule": "RO-01", "kind": "reveal", "data": {"bids": {"1": 5, "2": 2}}}
    hub.events = [reveal, order, *(told | {"n": n} for n in range(6, 40))]
    held: list[Route] = []
    page.route("**/events/*.json", lambda route: held.append(route))  # noqa: PLW0108 (playwright asks a function)
    sit(page, hub)
    play(page, hub, state | {"events": hub.events[-8:]}, own)
    expect(page.locator(".places")).to_be_visible()
    expect(page.locator(".number-line")).to_have_count(0)
    (asked,) = held
    asked.continue_()
    expect(page.locator(".number-line")).to_be_visible()
    revealed = page.get_by_role("region", name="Revealed")
    assert revealed.count() == 0, "at once, not only after a while"
    back = state | {"events": hub.events[:3], "epoch": state["epoch"] + 1}
    play(page, hub, back, own | {"epoch": back["epoch"]})
    page.get_by_role("button", name="Log", exact=True).click()
    expect(page.locator(".log-line")).to_have_count(3)
    page.get_by_role("button", name="The table").click()
    expect(page.locator(".number-line")).to_be_visible()
    assert revealed.count() == 0
    again = [*hub.events[:3], reveal | {"n": 7}]
    hub.public(back | {"events": again, "seq": 99})
    expect(revealed).to_contain_text("5")


def reveal_on(screen: Page, hub: FakeHub, bids: dict[str, int] | None = None) -> None:
    """Bids are locked, and then revealed; the screen has seen both."""
    told = [
        event | {"data": event["data"] | {"bids": bids}} if bids and event.get("kind") == "reveal" else event
        for event in scenes.TAKE["events"]
    ]
    screen.goto(f"{hub.address}/t/1/kiosk")
    hub.public(scenes.BIDDING | {"seq": 50})
    expect(screen.locator(".now-phase")).to_be_visible()
    hub.public(scenes.TAKE | {"events": told, "seq": 51})


def test_the_big_screen_turns_all_values_at_once_and_says_who_goes_first(screen: Page, hub: FakeHub) -> None:
    screen.add_init_script(
        """window.turned = [];
        addEventListener("animationstart", (event) => {
          if (event.animationName !== "face-up") return;
          window.turned.push([event.target.getAnimations()[0].startTime, event.target.textContent]);
        });"""
    )
    reveal_on(screen, hub)
    stage = screen.get_by_role("region", name="Revealed")
    expect(stage.locator("b")).to_have_text(["5", "2", "5", "6"])
    expect(stage.locator("li.first")).to_have_count(1)
    expect(stage.locator("li.first")).to_contain_text("Seat 4")
    expect(stage.locator("li.first")).to_contain_text("goes first")
    expect(stage.locator("li.tied").first).to_contain_text("tied, goes last")
    screen.wait_for_function("() => window.turned.length >= 4")  # the browser tells of it with its next picture
    times = screen.evaluate("window.turned")
    assert sorted(text for _, text in times) == ["2", "5", "5", "6"]
    assert len({time for time, _ in times}) == 1, "all in one picture"


@pytest.mark.parametrize(("seats", "value"), [(4, 6), (6, 13), (6, 250)])
def test_a_value_is_not_wider_than_its_card_on_a_low_screen(screen: Page, hub: FakeHub, seats: int, value: int) -> None:
    screen.set_viewport_size({"width": 1280, "height": 720})
    reveal_on(screen, hub, {f"{seat}": value for seat in range(1, seats + 1)})
    cards = screen.locator(".revealed .turned-card")
    expect(cards).to_have_count(seats)
    wide = cards.evaluate_all("all => all.filter((card) => card.scrollWidth > card.clientWidth).length")
    assert wide == 0


def test_a_screen_that_is_opened_later_holds_no_old_reveal_up(screen: Page, hub: FakeHub) -> None:
    hub.public(scenes.TAKE | {"seq": 51})
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.locator(".now-phase")).to_be_visible()
    expect(screen.get_by_role("region", name="Revealed")).to_have_count(0)


def test_where_the_system_asks_for_less_motion_the_values_are_there_at_once(screen: Page, hub: FakeHub) -> None:
    screen.emulate_media(reduced_motion="reduce")
    reveal_on(screen, hub)
    card = screen.get_by_role("region", name="Revealed").locator("b").first
    expect(card).to_be_visible()
    longest = screen.evaluate(
        "Math.max(...document.getAnimations().map((one) => one.effect.getComputedTiming().endTime), 0)"
    )
    assert longest < 1, "ms"


def dice(**dice_change: Any) -> dict[str, Any]:
    """A moment in which seat 2 rolls."""
    return scenes.ROLLING | {"dice": scenes.ROLLING["dice"] | dice_change}


TEN = {"count": 10, "batch": 4, "done": [{"faces": [1, 2, 3, 4, 5, 6], "read": "read"}], "total": 21}


def test_typed_dice_go_off_together(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, dice(count=3, batch=3), scenes.ROLL_HAND | {"faces": {"count": 3, "sides": 6}})
    page.get_by_role("button", name="Type what you see").click()
    for face in (6, 1, 4):
        page.get_by_role("button", name=f"die shows {face}").click()
    expect(page.get_by_text("3 of 3, total 11")).to_be_visible()
    page.get_by_role("button", name="I rolled 6, 1, 4").click()
    said = hub.asks.get(timeout=PATIENCE)
    assert (said["verb"], said["args"]) == ("roll", {"faces": [6, 1, 4]})


def test_many_dice_are_typed_in_batches_with_a_running_total(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, dice(**TEN, state="no_reader"), scenes.ROLL_HAND | {"faces": {"count": 4, "sides": 6}})
    region = page.get_by_role("region", name="Dice")
    expect(region).to_contain_text("6 of 10 dice rolled, total 21")
    for face in (6, 6, 6, 6):
        page.get_by_role("button", name=f"die shows {face}").click()
    expect(page.get_by_text("4 of 4, total 45")).to_be_visible()


def test_who_has_begun_to_type_goes_on_when_the_reader_is_back(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, dice(count=3, batch=3, state="no_reader"), scenes.ROLL_HAND | {"faces": {"count": 3, "sides": 6}})
    page.get_by_role("button", name="die shows 5").click()
    hub.public(dice(count=3, batch=3) | {"seq": 51})
    expect(page.get_by_text("1 of 3, total 5")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Type what you see")).to_be_visible()


def test_a_second_seat_says_yes_to_typed_dice_and_the_roller_may_correct_them(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    typed = {"state": "typed", "faces": [5], "read": "typed", "total": 5, "say": "Seat 3 typed 5: is that right?"}
    play(page, hub, dice(**typed, seat=3), scenes.hand(want=""))
    region = page.get_by_role("region", name="Dice")
    expect(region).to_contain_text("typed")
    region.get_by_role("button", name="That is right").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "accept"}
    region.get_by_role("button", name="No, look again").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "again"}
    play(page, hub, dice(**typed), scenes.ROLL_HAND, seq=52)
    expect(region.get_by_role("button", name="That is right")).to_have_count(0)
    region.get_by_role("button", name="Type it again").click()
    region.get_by_role("button", name="die shows 6").click()
    region.get_by_role("button", name="I rolled 6").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"faces": [6]}


def test_the_odds_stand_by_the_dice_before_they_fall(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    wants = {"say": "against 2 dice, ties lose: 44 in 100", "exact": "575 in 1,296"}
    play(page, hub, dice(count=2, batch=2, wants=wants), scenes.ROLL_HAND)
    expect(page.get_by_role("region", name="Dice")).to_contain_text("44 in 100 exactly 575 in 1,296")


def test_what_the_rules_say_of_a_number_stands_under_it(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND | {"notes": {"number": {"6": "1 in 6, with 2 Baits 3 in 6"}}})
    expect(page.locator(".number-keys")).to_contain_text("1 in 6, with 2 Baits 3 in 6")


def test_a_seat_may_let_the_hub_roll_and_see_who_agrees(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.ROLLING, scenes.ROLL_HAND)
    page.get_by_role("button", name="Let the hub roll").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "hub"}
    play(page, hub, dice(votes=[2, 3]), scenes.ROLL_HAND, seq=51)
    expect(page.get_by_text("2 of 4 agree")).to_be_visible()
    expect(page.get_by_role("button", name="Take my vote back")).to_be_visible()


def test_a_phone_says_how_long_the_match_may_still_take_once_the_hub_knows(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    page.get_by_role("button", name="Seat", exact=True).click()
    expect(page.get_by_role("heading", name="This match")).to_be_visible()
    left = page.get_by_text("10 to 20 minutes left")
    expect(left).to_have_count(0)
    hub.public(scenes.BIDDING | {"minutes_left": [10, 20], "seq": 51})
    expect(left).to_be_visible()


@pytest.mark.parametrize(("people", "offered"), [([2], 0), ([1, 2], 1)])
def test_alone_with_the_house_nobody_need_let_the_hub_roll_for_it(
    page: Page, hub: FakeHub, people: list[int], offered: int
) -> None:
    sit(page, hub)
    house = [place | {"house": "" if place["seat"] in people else "easy"} for place in scenes.seats()]
    play(page, hub, dice(seat=3) | {"seats": house}, scenes.hand())
    expect(page.get_by_role("region", name="Dice")).to_be_visible()
    expect(page.get_by_role("button", name="Let the hub roll")).to_have_count(offered)
    play(page, hub, dice(seat=2) | {"seats": house}, scenes.ROLL_HAND, seq=51)
    expect(page.get_by_role("button", name="Let the hub roll")).to_have_count(1)


def test_read_dice_are_tagged_and_can_be_accepted_by_the_roller(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, dice(state="settled", faces=[3], read="read", total=3), scenes.ROLL_HAND)
    expect(page.get_by_role("region", name="Dice").get_by_role("img", name="die shows 3")).to_be_visible()
    expect(page.get_by_role("region", name="Dice")).to_contain_text("read")
    page.get_by_role("button", name="That is right").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "accept"}


def disputed(stage: str, state: dict[str, Any] = scenes.TAKE, **change: Any) -> dict[str, Any]:
    """A moment in which the three of seat 4 may be disputed, is voted on, or was."""
    dispute = {"stage": stage, "seat": 4, "faces": [3], "read": "read", "yes": [], "no": [], "needs": 3, "say": ""}
    return state | {"dispute": dispute | change}


def test_a_roll_that_stands_can_be_disputed_by_a_quiet_button_beside_the_game(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, disputed("open"), scenes.TAKE_HAND)
    last = page.get_by_role("region", name="The last roll")
    expect(last.get_by_role("img", name="die shows 3")).to_be_visible()
    button = last.get_by_role("button", name="Read again")
    box = button.bounding_box()
    assert box
    assert box["height"] >= 44, "a thumb hits it"
    button.click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "reread"}
    expect(dock(page).get_by_role("button").first).to_be_visible()
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND, seq=51)
    expect(last).to_have_count(0)


def test_a_vote_on_the_dice_has_two_buttons_and_nothing_else_to_do(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    vote = disputed("vote", yes=[1], no=[3], say="Seat 1 asks for it.")
    play(page, hub, vote, scenes.hand(want="", moves=[]))
    asks = page.get_by_role("region", name="A vote on the dice")
    expect(asks).to_contain_text("Read the dice again?")
    expect(asks).to_contain_text("Ana asks for it.")
    expect(asks).to_contain_text("1 of 3 needed")
    asks.get_by_role("button", name="It counts").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "stands"}
    asks.get_by_role("button", name="Read again").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "reread"}
    expect(dock(page).get_by_role("button")).to_have_count(0)
    play(page, hub, disputed("told", say="The dice show the same: the roll counts."), scenes.TAKE_HAND, seq=51)
    expect(page.get_by_role("status").filter(has_text="The dice show the same")).to_be_visible()


def test_dice_that_are_read_again_are_tagged_so_and_nobody_rolls(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    again = {"again": True, "lying": True, "say": "The dice are read again as they lie."}
    play(page, hub, dice(**again), scenes.ROLL_HAND)
    region = page.get_by_role("region", name="Dice")
    expect(region).to_contain_text("The dice are read again as they lie.")
    expect(region.get_by_role("button", name="Let the hub roll")).to_have_count(0)
    play(
        page,
        hub,
        dice(state="settled", faces=[5], read="read", total=5, again=True, lying=True),
        scenes.ROLL_HAND,
        seq=51,
    )
    expect(region.locator(".tag")).to_have_text("read again")


def test_a_leaning_die_is_read_as_it_lies_where_enough_seats_say_so(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    leans = {"state": "cocked", "say": "One die is leaning: roll only that one again.", "as_it_lies": [1], "enough": 3}
    play(page, hub, dice(**leans), scenes.ROLL_HAND)
    region = page.get_by_role("region", name="Dice")
    expect(region).to_contain_text("1 of 3 to read it as it lies")
    expect(region.get_by_role("button", name="Type what you see")).to_have_count(0)
    region.get_by_role("button", name="Read it as it lies").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"say": "lies"}


def test_why_shows_the_rule_and_the_sum_of_each_change_of_points(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.changes = scenes.WHY
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    tab = page.get_by_role("button", name="Why did money and points change?")
    box = tab.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 44, "a thumb hits it"
    tab.click()
    now, last = page.get_by_role("region", name="Round 4"), page.get_by_role("region", name="Round 3")
    expect(now.locator("h3").first).to_contain_text("you")
    expect(now).to_contain_text("Baits 3 → 1−2")
    expect(now).to_contain_text("3 - 2 = 1")
    expect(now).to_contain_text("BB-14 If you roll less, you may spend exactly as many Baits as you are short.")
    expect(now).to_contain_text("All Fish 1 → 2+1")
    expect(last).to_contain_text("1 + 2")
    expect(last).not_to_contain_text("→")


def test_why_stays_right_while_it_is_open(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.changes = scenes.WHY[1:]
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    page.get_by_role("button", name="Why did money and points change?").click()
    changes = page.locator(".why-change")
    expect(changes).to_have_count(2)
    hub.changes = scenes.WHY
    event = {"n": 31, "text": "Seat 2 spends 2 Baits and succeeds.", "rule": "BB-14", "kind": "roll", "data": {}}
    hub.public(scenes.TAKE | {"seq": 60, "events": [*scenes.TAKE["events"], event]})
    expect(changes).to_have_count(3)
    hub.changes = scenes.WHY[2:]
    hub.public(scenes.TAKE | {"seq": 61, "epoch": 4, "events": scenes.TAKE["events"]})
    expect(changes).to_have_count(1)


def test_why_says_that_the_hub_does_not_answer_and_asks_it_again(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.changes = scenes.WHY
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    page.route("**/changes.json", lambda route: route.abort())
    page.get_by_role("button", name="Why did money and points change?").click()
    expect(page.get_by_role("alert")).to_have_text("The hub did not answer. Try once more.")
    page.unroute("**/changes.json")
    hub.public(scenes.TAKE | {"seq": 60})
    expect(page.locator(".why-change")).to_have_count(3)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_lobby_starts_a_game_with_its_options(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    page.get_by_role("radio", name="Bid & Bait!").check()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"game": "bid-and-bait"}, "everybody sees what is wished for"
    page.get_by_text("Options").click()
    page.get_by_label("Sides").select_option("advanced")
    page.get_by_label("Dummy", exact=True).check()
    page.get_by_label("Who last went fishing?").select_option("Cem")
    dock(page).get_by_role("button", name="Start Bid & Bait!").click()
    while (said := hub.asks.get(timeout=PATIENCE))["verb"] == "wish":  # whoever takes long over options shows them
        pass
    assert said["verb"] == "start"
    assert said["args"] == {"game": "bid-and-bait", "options": {"sides": "advanced", "dummy": True, "duck": 3}}


def test_a_wish_on_its_way_keeps_no_finger_from_a_button(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    hub.answer = lambda act: None if act["verb"] == "wish" else {"ok": True}  # as on a slow Wi-Fi
    page.get_by_role("radio", name="Bid & Bait!").check()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "wish"
    start = dock(page).get_by_role("button", name="Start Bid & Bait!")
    assert start.is_enabled()
    start.click()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "start"


def test_a_start_on_its_way_is_pressed_once(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    page.get_by_role("radio", name="Bid & Bait!").check()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "wish"
    hub.answer = lambda act: None
    dock(page).get_by_role("button", name="Start Bid & Bait!").click()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "start"
    expect(dock(page).get_by_role("button", name="Sending…")).to_be_disabled()
    expect(dock(page).get_by_role("button", name="I am ready")).to_be_disabled()


def test_an_option_that_the_hub_does_not_know_yet_outlasts_the_state_before_it(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    page.get_by_role("radio", name="Bid & Bait!").check()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "wish"
    page.get_by_text("Options").click()
    page.get_by_label("Sides").select_option("advanced")
    assert hub.asks.get(timeout=PATIENCE)["args"]["options"] == {"sides": "advanced"}
    hub.answer = lambda act: None if act["verb"] == "wish" else {"ok": True}  # what comes next is not told in time
    page.get_by_label("Dummy", exact=True).check()
    hub.public(scenes.public(seq=51) | {"game": "bid-and-bait", "options": {"sides": "advanced"}, "name": "Told"})
    expect(page.locator("body")).to_contain_text("Told")
    dock(page).get_by_role("button", name="Start Bid & Bait!").click()
    while (said := hub.asks.get(timeout=PATIENCE))["verb"] == "wish":
        pass
    assert said["args"]["options"] == {"sides": "advanced", "dummy": True}


def test_the_table_decides_once_the_hub_has_answered(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    page.get_by_role("radio", name="Bid & Bait!").check()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "wish"
    page.get_by_text("Options").click()
    hub.answer = lambda act: None
    page.get_by_label("Dummy", exact=True).check()
    assert hub.asks.get(timeout=PATIENCE)["args"]["options"] == {"dummy": True}
    hub.public(scenes.public(seq=51) | {"game": "bid-and-bait", "options": {"sides": "advanced"}})
    expect(page.get_by_label("Dummy", exact=True)).to_be_checked()
    hub.answer = lambda act: {"ok": True}  # the page asks again
    expect(page.get_by_label("Sides", exact=True)).to_have_value("advanced")
    expect(page.get_by_label("Dummy", exact=True)).not_to_be_checked()


def test_a_preset_after_an_option_is_told_last(page: Page, hub: FakeHub) -> None:
    full = {"name": "full", "effect": "All the rules.", "options": {"sides": "advanced"}}
    games = [scenes.GAMES[0] | {"presets": [full]}, *scenes.GAMES[1:]]
    sit(page, hub)
    hub.public(scenes.public(seq=50, games=games, game="bid-and-bait"))
    page.get_by_text("Options").click()
    page.get_by_label("Dummy", exact=True).check()
    page.get_by_role("radio", name="full").check(force=True)
    page.wait_for_timeout(1_000)
    wishes = [hub.asks.get(timeout=PATIENCE) for _ in range(hub.asks.qsize())]
    assert wishes[-1]["args"] == {"game": "bid-and-bait", "preset": "full"}


def test_options_that_somebody_else_changes_later_replace_mine(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    page.get_by_role("radio", name="Bid & Bait!").check()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "wish"
    page.get_by_text("Options").click()
    page.get_by_label("Dummy", exact=True).check()
    assert hub.asks.get(timeout=PATIENCE)["args"]["options"] == {"dummy": True}
    dock(page).get_by_role("button", name="I am ready").click()  # its answer comes after the one to the wish
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "ready"
    expect(dock(page).get_by_role("button", name="I am ready")).to_be_enabled()
    hub.public(scenes.public(seq=51) | {"game": "bid-and-bait", "options": {"dummy": True}})
    hub.public(scenes.public(seq=52) | {"game": "bid-and-bait", "options": {"sides": "advanced"}})
    expect(page.get_by_label("Sides", exact=True)).to_have_value("advanced")
    dock(page).get_by_role("button", name="Start Bid & Bait!").click()
    assert hub.asks.get(timeout=PATIENCE)["args"]["options"] == {"sides": "advanced"}


def test_a_refused_wish_says_why(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    hub.answer = lambda act: {"ok": False, "error": "Choose one of this table's games, between matches."}
    page.get_by_role("radio", name="Bid & Bait!").check()
    expect(page.get_by_role("alert")).to_have_text("Choose one of this table's games, between matches.")


def test_what_lies_under_the_dock_takes_no_finger_from_it(page: Page, hub: FakeHub) -> None:
    page.set_viewport_size({"width": 320, "height": 568})
    page.add_init_script("""localStorage.setItem("th/settings", JSON.stringify({ size: 150 }))""")
    sit(page, hub)
    start = dock(page).get_by_role("button").last
    expect(start).to_be_visible()
    hit = "(one) => { const { x, y, width, height } = one.getBoundingClientRect();"
    hit += " return document.elementFromPoint(x + width / 2, y + height / 2).closest('.dock') !== null; }"
    page.wait_for_function("() => document.documentElement.scrollHeight > innerHeight")
    for scrolled in range(0, 1000, 60):
        page.evaluate(f"scrollTo(0, {scrolled})")
        assert start.evaluate(hit), scrolled


def test_what_is_typed_into_an_option_stays_while_others_get_ready(page: Page, hub: FakeHub) -> None:
    labels = hub.labels["bid-and-bait"]
    hub.labels["bid-and-bait"] = labels | {"options": {"round_limit": {"default": 0, "max": 99}}}
    sit(page, hub)
    hub.public(scenes.public(seq=50))
    page.get_by_role("radio", name="Bid & Bait!").check()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "wish"
    page.get_by_text("Options").click()
    page.get_by_label("Round limit").fill("1")
    seats = [seat | {"ready": True, "name": "Somebody else"} for seat in scenes.public()["seats"]]
    hub.public(scenes.public(seq=51) | {"seats": seats})
    expect(page.locator("main")).to_contain_text("Somebody else")
    dock(page).get_by_role("button", name="Start Bid & Bait!").click()
    assert hub.asks.get(timeout=PATIENCE)["args"]["options"] == {"round_limit": 1}


def test_a_game_that_does_not_fit_the_table_says_so(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    page.get_by_role("radio", name="Bid & Bait!").check()
    expect(page.get_by_text("Bid & Bait! is for 2 to 5 players; 1 is here.")).to_be_visible()
    expect(dock(page).get_by_role("button", name="Start")).to_be_disabled()


def test_the_end_tells_who_won_and_offers_another_round(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.OVER)
    hub.hand(2, scenes.hand(seq=90))
    expect(page.get_by_role("heading", name="Cem wins")).to_be_visible()
    dock(page).get_by_role("button", name="Again, same seats").click()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "again"


def test_rules_log_help_and_seat_are_one_tap_away(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    page.get_by_role("button", name="Rules", exact=True).click()
    expect(page.get_by_text("BB-16, just used")).to_be_visible()
    page.get_by_role("button", name="Log", exact=True).click()
    expect(page.get_by_role("listitem").first).to_contain_text("takes a Fish: Trout.")
    page.get_by_role("button", name="Help", exact=True).click()
    expect(page.get_by_text("http://10.42.0.1:8080")).to_be_visible()
    page.get_by_role("button", name="Seat", exact=True).click()
    page.get_by_label("Name at the table").fill("Benno")
    page.get_by_role("button", name="Save", exact=True).click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"name": "Benno"}
    assert "7712" not in page.content()


def test_leaving_takes_two_presses_and_gives_the_seat_back(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    page.get_by_role("button", name="Seat", exact=True).click()
    page.get_by_role("button", name="Leave this seat…").click()
    page.get_by_role("button", name="Leave the seat").click()
    assert hub.asks.get(timeout=PATIENCE)["verb"] == "leave"
    expect(page.get_by_text("Where do you sit?")).to_be_visible()
    assert page.evaluate("localStorage.getItem('th/1')") is None


# --- A move of every kind --------------------------------------------------------------------------------


def odd(page: Page, hub: FakeHub, *moves: dict[str, Any], **change: Any) -> None:
    sit(page, hub)
    state, hand = scenes.odd(list(moves), **change)
    play(page, hub, state, hand)


def test_a_new_question_is_seen_from_its_beginning(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "bid", "amount": {"min": 45, "max": 340, "step": 5}}, {"move": "drop"})
    page.locator(".place").last.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Hold to see your hand")).not_to_be_in_viewport()
    state, hand = scenes.odd([{"move": "drop"}], number=77)
    play(page, hub, state, hand)
    expect(page.get_by_role("button", name="Hold to see your hand")).to_be_in_viewport()
    expect(page.locator(".strip")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0


def test_with_a_long_name_the_strip_keeps_the_phase_whole(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "drop"})
    expect(page.locator(".strip-game span")).to_be_in_viewport(ratio=1)
    state, _ = scenes.odd([])
    state["seats"][1]["name"] = "Maximiliane"
    hub.public(state | {"seq": 51})
    expect(page.locator(".strip")).to_contain_text("Maximiliane")
    phase = page.locator(".strip-game b")
    assert phase.evaluate("one => one.scrollWidth <= one.clientWidth"), "not shortened"
    expect(page.locator(".strip-game span")).not_to_be_in_viewport(ratio=1)


def test_what_came_of_a_trial_stays_to_be_read_while_the_match_goes_on(page: Page, screen: Page, hub: FakeHub) -> None:
    hub.labels["odd"] = scenes.ODD_LABELS | {"screen": scenes.ODD_LABELS["screen"] | {"headline": ["verdict"]}}
    screen.goto(f"{hub.address}/t/1/kiosk")
    odd(page, hub, {"move": "drop"})
    expect(screen.locator(".now")).to_be_visible()
    state, _ = scenes.odd([])
    events = [{"n": 60, "text": "Seat 2 wins in court, 9 : 7.", "kind": "verdict", "rule": "OD-01", "data": {}}]
    events += [
        {"n": 61 + n, "text": f"Seat {n} passes.", "kind": "pass", "rule": "OD-01", "data": {}} for n in range(1, 5)
    ]
    hub.public(state | {"seq": 51, "events": events})
    expect(page.locator(".news")).to_contain_text("wins in court, 9 : 7.")
    expect(screen.locator(".now-headline")).to_contain_text("wins in court, 9 : 7.")
    expect(screen.locator(".now-headline")).to_have_count(0, timeout=15_000)


def test_an_amount_is_stepped_typed_and_kept_legal(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "bid", "amount": {"min": 45, "max": 340, "step": 5}}, {"move": "drop"})
    page.get_by_role("button", name="more").click()
    page.get_by_role("button", name="more").press("Enter")
    expect(dock(page).get_by_role("button", name="Bid $55")).to_be_enabled()
    page.get_by_role("textbox", name="Amount").fill("203")
    page.get_by_role("textbox", name="Amount").press("Enter")
    dock(page).get_by_role("button", name="Bid $200").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "bid", "amount": 200}


def test_an_amount_is_typed_as_the_language_writes_it(browser: Browser, hub: FakeHub) -> None:
    hub.speech = Speech({"1": ["de"]})
    with browser.new_context(viewport=SMALL_PHONE, locale="de") as context:
        page = context.new_page()
        page.goto(f"{hub.address}/t/1#k={hub.k}")
        page.get_by_label("Platz 2").click()
        page.locator(".lobby").wait_for()
        state, hand = scenes.odd([{"move": "offer", "amount": {"min": 5, "max": 995, "step": 5}}])
        hub.public(state | {"seq": 50})
        hub.hand(2, hand | {"seq": 50})
        field = page.locator(".step-value input")
        for typed, taken in (("40", "40 $"), ("40,4", "40 $"), ("995 $", "995 $")):
            field.fill(typed)
            field.press("Enter")
            expect(field).to_have_value(re.compile(taken.replace(" ", r"\s").replace("$", r"\$")))
            assert field.evaluate("one => one.scrollWidth <= one.clientWidth"), "it is cut"


def test_holding_the_step_button_goes_on_stepping(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "bid", "amount": {"min": 45, "max": 340, "step": 5}})
    page.get_by_role("button", name="more").hover()
    page.mouse.down()
    expect(dock(page).get_by_role("button", name=re.compile(r"Bid \$(6[5-9]|[7-9]\d|\d{3})"))).to_be_visible()
    page.mouse.up()


def test_a_move_listed_twice_is_one_form_in_which_the_first_choice_limits_the_second(page: Page, hub: FakeHub) -> None:
    odd(
        page,
        hub,
        {"move": "raise", "quantity": 3, "rank": {"one_of": [6]}},
        {"move": "raise", "quantity": {"min": 4, "max": 99}, "rank": {"one_of": [1, 2, 3, 4, 5, 6]}},
    )
    ranks = page.get_by_role("group", name="Of what").get_by_role("radio")
    expect(ranks).to_have_count(6)
    expect(dock(page).get_by_role("button", name="Bid 3 of 6")).to_be_enabled()
    page.get_by_role("button", name="more").click()
    expect(dock(page).get_by_role("button", name="Bid 4 of …")).to_be_disabled()
    page.get_by_role("radio", name="2", exact=True).check()
    expect(dock(page).get_by_role("button", name="Bid 4 of 2")).to_be_enabled()
    page.get_by_role("button", name="less").click()
    expect(dock(page).get_by_role("button", name="Bid 3 of 6")).to_be_enabled()
    page.get_by_role("radio", name="2", exact=True).check()  # to be had with one card more
    dock(page).get_by_role("button", name="Bid 4 of 2").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "raise", "quantity": 4, "rank": 2}


def test_choosing_from_a_secret_hand_starts_covered(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "swap", "cards": {"choose": {"min": 1, "max": 2}, "from": ["55", "45", "5*", "45"]}})
    expect(page.get_by_role("checkbox")).to_have_count(0)
    page.get_by_role("button", name="Show my hand to choose").click()
    page.get_by_role("checkbox", name="45").nth(1).check()
    expect(page.get_by_role("checkbox", name="45").nth(0)).not_to_be_checked()
    page.get_by_role("checkbox", name="5*").check()
    expect(page.get_by_role("checkbox", name="55")).to_be_disabled()
    dock(page).get_by_role("button", name="Swap").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "swap", "cards": ["5*", "45"]}


def test_a_hand_to_choose_from_is_covered_though_such_cards_lie_on_the_table_and_again_when_the_page_is_hidden(
    page: Page, hub: FakeHub
) -> None:
    sit(page, hub)
    state, hand = scenes.odd([{"move": "swap", "cards": {"choose": {"min": 1, "max": 2}, "from": ["55", "45"]}}])
    state["view"]["table"]["discards"] = ["45", "55"]
    play(page, hub, state, hand)
    page.get_by_role("button", name="Show my hand to choose").click()
    expect(page.get_by_role("checkbox")).to_have_count(2)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("checkbox")).to_have_count(0)


def test_the_only_card_to_be_played_has_no_name_on_its_button_while_the_hand_is_covered(
    page: Page, hub: FakeHub
) -> None:
    odd(page, hub, {"move": "swap", "cards": ["45"]}, {"move": "drop"})
    expect(dock(page).get_by_role("button", name="Swap …")).to_be_disabled()  # nor does it tell that there is only one
    expect(page.locator(".question, .dock").get_by_text("45")).to_have_count(0)
    page.get_by_role("button", name="Show my hand to choose").click()
    expect(dock(page).get_by_role("button", name="Swap 45")).to_be_enabled()
    page.get_by_role("button", name="Cover my hand").click()
    dock(page).get_by_role("button", name="Swap …").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "swap", "cards": ["45"]}


def test_a_chosen_card_loses_its_name_when_the_hand_is_covered_again(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "swap", "cards": {"choose": {"min": 1, "max": 1}, "from": ["55", "45"]}})
    page.get_by_role("button", name="Show my hand to choose").click()
    page.get_by_role("checkbox", name="45").check()
    expect(dock(page).get_by_role("button", name="Swap 45")).to_be_enabled()
    page.get_by_role("button", name="Cover my hand").click()
    expect(page.locator(".question, .dock").get_by_text("45")).to_have_count(0)
    dock(page).get_by_role("button", name="Swap …").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "swap", "cards": ["45"]}


def test_dice_that_nobody_else_sees_are_entered_under_a_cover(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "rolled", "faces": {"faces": {"count": 2, "sides": 6}}})
    keys, done = page.get_by_role("button", name="die shows"), dock(page).get_by_role("button", name="Rolled")
    expect(done).to_be_disabled()
    expect(keys).to_have_count(0)
    page.get_by_role("button", name="Enter my dice").click()
    keys.nth(4).click()
    expect(done).to_be_disabled()
    keys.nth(1).click()
    expect(keys.nth(0)).to_be_disabled()
    page.get_by_role("button", name="take the last die back").click()
    expect(done).to_be_disabled()
    keys.nth(5).click()
    page.get_by_role("button", name="Cover my hand").click()
    expect(page.locator(".question .die")).to_have_count(0)
    done.click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "rolled", "faces": [5, 6]}


def test_a_reader_under_the_cup_says_what_it_does_while_the_seat_is_asked(page: Page, hub: FakeHub) -> None:
    move = {"move": "rolled", "faces": {"faces": {"count": 2, "sides": 6}}}
    sit(page, hub)
    state, hand = scenes.odd([move])
    play(page, hub, state, hand | {"cup": "I see 1 of 2 dice."})
    expect(page.get_by_text("I see 1 of 2 dice.")).to_be_visible()
    locked = {"move": "rolled", "faces": [5, 6]}
    hub.hand(2, hand | {"seq": 60, "cup": "", "locked": locked})
    expect(page.get_by_text("I see 1 of 2 dice.")).to_have_count(0)


def test_a_choice_among_open_cards_is_not_covered_though_one_such_is_in_the_hand(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "swap", "cards": {"choose": {"min": 1, "max": 2}, "from": ["55", "7"]}})
    expect(page.get_by_role("checkbox")).to_have_count(2)


def test_where_only_some_sets_are_legal_what_does_not_go_with_the_first_pick_is_off(page: Page, hub: FakeHub) -> None:
    sets = [["45", "55"], ["5*", "55"], ["45", "4"], ["5*", "4"]]
    odd(page, hub, *({"move": "swap", "cards": {"choose": {"min": 2, "max": 2}, "from": cards}} for cards in sets))
    page.get_by_role("button", name="Show my hand to choose").click()
    expect(page.get_by_text("0 chosen, choose 2")).to_be_visible()
    boxes = page.get_by_role("checkbox")
    expect(boxes).to_have_count(4)
    page.get_by_role("checkbox", name="55").check()
    expect(page.get_by_role("checkbox", name="4", exact=True)).to_be_disabled()
    expect(dock(page).get_by_role("button", name="Swap")).to_be_disabled()
    page.get_by_role("checkbox", name="5*").check()
    expect(page.get_by_role("checkbox", name="45")).to_be_disabled()
    dock(page).get_by_role("button", name="Swap 5* and 55").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "swap", "cards": ["5*", "55"]}


def test_an_order_is_made_with_buttons(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "line", "order": {"order": [5, 6, 7]}}, {"move": "drop"})
    page.get_by_role("button", name="7 earlier").click()
    page.get_by_role("button", name="5 later").click()
    dock(page).get_by_role("button", name="Keep this order").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "line", "order": [7, 5, 6]}


def test_many_moves_become_a_list_with_the_safe_answer_beside_it(page: Page, hub: FakeHub) -> None:
    odd(
        page,
        hub,
        {"move": "bid", "amount": {"min": 1, "max": 4}},
        {"move": "sue", "target": {"one_of": [1, 3, 4]}},
        {"move": "drop"},
    )
    expect(dock(page).get_by_role("button")).to_have_count(2)
    page.get_by_role("radio", name="Sue").check()
    page.get_by_role("radio", name="Cem").check()
    dock(page).get_by_role("button", name="Sue Cem").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "sue", "target": 3}


def test_a_standing_offer_has_a_row_of_its_own(page: Page, hub: FakeHub) -> None:
    odd(
        page,
        hub,
        {"move": "drop"},
        {"move": "borrow", "amount": {"min": 100, "max": 300, "step": 100}, "standing": True},
    )
    expect(dock(page).get_by_role("button")).to_have_count(1)
    offers = page.get_by_role("region", name="At any time")
    offers.get_by_role("button", name="Borrow…").click()
    offers.get_by_role("radio", name="$200").check()
    offers.get_by_role("button", name="Borrow $200").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "borrow", "amount": 200}


def test_a_record_that_is_chosen_is_called_by_its_title_with_the_rulebooks_words_beside_it(
    page: Page, hub: FakeHub
) -> None:
    notes = {"product": {"P3": "3 shares worth $2 each."}}
    odd(page, hub, {"move": "back", "product": {"one_of": ["P2", "P3"]}}, {"move": "drop"}, notes=notes)
    page.get_by_role("radio", name="Solar Lamp 3 shares worth $2 each.").check()
    dock(page).get_by_role("button", name="Back Solar Lamp").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "back", "product": "P3"}


def test_a_long_label_stands_small_under_the_moves_short_name(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "back", "product": "P2"}, {"move": "bid", "amount": {"min": 1, "max": 4}})
    expect(dock(page).get_by_role("button", name="Back Vegan Hat")).to_have_text("Back Vegan Hat")
    state, _ = scenes.odd([])
    hub.public(state | {"seq": 51, "view": renamed(state["view"], "Remote-Control Guitar")})
    button = dock(page).get_by_role("button", name="Back Remote-Control Guitar")
    expect(button.locator("small")).to_have_text("Remote-Control Guitar")


def renamed(view: dict[str, Any], name: str) -> dict[str, Any]:
    """The view with another name for what seat 2 has on the table."""
    products = [one | ({"name": name} if one["id"] == "P2" else {}) for one in view["table"]["products"]]
    return view | {"table": view["table"] | {"products": products}}


def test_records_show_who_has_a_part_which_counts_now_and_what_is_mine_to_read(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "drop"})
    tiles = page.get_by_role("region", name="Products").get_by_role("listitem")
    expect(tiles).to_have_count(2)  # the one of an earlier round is not told now
    expect(tiles.nth(0).locator(".counts")).to_have_text("13")
    expect(tiles.nth(0)).not_to_have_class(re.compile("here"))
    expect(tiles.nth(1)).to_have_class(re.compile("here"))
    expect(tiles.nth(1)).to_contain_text("Picture a lamp. · costs $1.50")
    expect(page.locator(".own-record")).to_have_text("Read aloud Vegan Hat Picture a hat.")


def test_help_has_the_tables_of_the_game(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "drop"})
    page.get_by_role("button", name="Help").click()
    expect(page.get_by_role("table").get_by_role("row")).to_have_text(["SharesEach", "1$0.33", "2$1"])
    expect(page.get_by_text("Before the roll.")).to_be_visible()


def test_of_a_fact_that_all_may_see_nothing_more_lies_under_the_lid(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "drop"}, you={"hand": ["55"], "cash": 200})
    page.get_by_role("button", name="Hold to see your hand").focus()
    page.keyboard.down("Space")
    expect(page.locator(".secret.open")).to_be_visible()
    expect(page.get_by_text("Your cash")).to_have_count(0)
    page.keyboard.up("Space")
    state, hand = scenes.odd([{"move": "drop"}], you={"hand": ["55"], "cash": 900})
    play(page, hub, state, hand, seq=51)
    page.get_by_role("button", name="Hold to see your hand").focus()
    page.keyboard.down("Space")
    expect(page.locator(".secret.open")).to_contain_text("Your cash$900")


def test_a_move_that_cannot_be_had_says_why(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "drop"}, barred=[{"move": "sue", "why": "No lawsuits in the first round."}])
    expect(page.get_by_text("No lawsuits in the first round.")).to_be_visible()
    expect(dock(page).get_by_role("button")).to_have_count(1)


BARRED = [{"move": "change", "cards": ["5*"], "why": "5-star cannot be changed: stars stay."}]


def test_a_card_that_cannot_be_chosen_stays_under_the_lid_and_says_why_on_a_tap(page: Page, hub: FakeHub) -> None:
    change = {"move": "change", "cards": {"choose": {"min": 1, "max": 2}, "from": ["55", "45"]}}
    odd(page, hub, change, {"move": "drop"}, barred=BARRED)
    expect(page.get_by_text("stars stay")).to_have_count(0)
    page.get_by_role("button", name="Show my hand to choose").click()
    card = page.get_by_role("button", name="5-star cannot be changed: stars stay.")
    expect(card).to_have_attribute("aria-disabled", "true")
    card.click(force=True)
    expect(page.get_by_role("status")).to_have_text("5-star cannot be changed: stars stay.")
    expect(page.get_by_text("0 chosen, choose 1 to 2")).to_be_visible()


def test_a_move_of_which_no_card_is_to_be_had_still_shows_them(page: Page, hub: FakeHub) -> None:
    odd(page, hub, {"move": "bid", "amount": {"min": 1, "max": 4}}, {"move": "drop"}, barred=BARRED)
    page.get_by_role("radio", name="Change").check()
    page.get_by_role("button", name="Show my hand to choose").click()
    expect(page.get_by_role("button", name="5-star cannot be changed: stars stay.")).to_be_visible()
    expect(dock(page).get_by_role("button", name="Change")).to_be_disabled()


# --- Cards of the state --------------------------------------------------------------------------------


def in_a_row(page: Page, hub: FakeHub, *moves: dict[str, Any], **change: Any) -> None:
    sit(page, hub)
    state, own = scenes.row(list(moves), **change)
    play(page, hub, state, own)


ADD = {"move": "add", "card": {"one_of": [33, 40]}}
SKIP = {"move": "skip", "card": {"one_of": [5, 33]}, "place": {"min": 0, "max": 2}}


def test_a_card_of_the_state_is_told_by_number_price_and_product_and_what_it_does_is_one_tap_away(
    page: Page, hub: FakeHub
) -> None:
    in_a_row(page, hub, ADD, {"move": "take"})
    offered = page.get_by_role("region", name="Offer")
    expect(offered.get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_text("The row is worth -3.")).to_be_visible()
    offered.get_by_role("button", name=re.compile("^28 -7 Flown Mower A.*: Add only new products")).click()
    expect(offered.get_by_role("status")).to_have_text("28 (-7) Flown Mower A · blue · Add only new products")
    expect(page.get_by_text("Quiet turns")).to_have_count(0)
    page.get_by_role("button", name="Show my hand to choose").click()
    page.get_by_role("radio", name="33 0 Camerat brown").check()
    expect(page.get_by_text("33 (0) Camerat · brown · no action")).to_be_visible()
    dock(page).get_by_role("button", name="Add 33 (0) Camerat").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "add", "card": 33}


def test_a_hand_of_such_cards_is_secret_and_a_row_of_them_is_not(page: Page, hub: FakeHub) -> None:
    in_a_row(page, hub, {"move": "add", "card": {"one_of": [20, 28]}}, {"move": "take"})
    expect(page.get_by_role("radio", name="28 -7 Flown Mower A blue")).to_be_attached()
    in_place = page.get_by_role("button", name="Hold to see your hand")
    expect(in_place).to_be_visible()
    expect(page.get_by_text("33")).to_have_count(0)


def test_a_place_in_the_row_is_tapped_between_the_cards(page: Page, hub: FakeHub) -> None:
    in_a_row(page, hub, SKIP, {"move": "take"})
    expect(dock(page).get_by_role("button", name="Take (-3)")).to_be_enabled()
    page.get_by_role("button", name="Show my hand to choose").click()
    page.get_by_role("radio", name="5 +5 Flown Mower A blue").check()
    for place in ("left of 20", "right of 28", "between 20 and 28"):
        page.get_by_role("radio", name=place).check(force=True)
    dock(page).get_by_role("button", name="Skip: 5 (+5) Flown Mower A between 20 and 28").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "skip", "card": 5, "place": 1}


def test_of_many_pairs_the_first_card_is_picked_and_then_one_that_goes_with_it(page: Page, hub: FakeHub) -> None:
    in_a_row(page, hub, {"move": "add", "cards": {"one_of": [[5, 33], [5, 40], [33, 40]]}}, {"move": "take"})
    page.get_by_role("button", name="Show my hand to choose").click()
    page.get_by_role("group", name="First").get_by_role("radio", name="33 0 Camerat brown").check()
    expect(page.get_by_role("group", name="Second").get_by_role("radio")).to_have_count(1)
    expect(dock(page).get_by_role("button", name="Add")).to_be_disabled()
    page.get_by_role("group", name="Second").get_by_role("radio").check()
    dock(page).get_by_role("button", name="Add 33 (0) Camerat, 40 (-1) Camerat").click()
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"move": "add", "cards": [33, 40]}


def test_an_order_that_turns_over_is_seen_to_flip(page: Page, hub: FakeHub) -> None:
    in_a_row(page, hub, ADD, {"move": "take"})
    line = page.get_by_role("img", name="Offer from 20 to 28. Turned over, lowest first: Cem 22, Ana 24, Ben 25")
    expect(line).not_to_have_class("number-line turned")
    expect(line).to_have_class("number-line turned")
    expect(line).to_contain_text("turned over: lowest first")
    places = page.get_by_role("list").last.get_by_role("listitem")
    expect(places.first).to_contain_text("Cem")


def test_where_no_card_is_to_be_had_the_cards_say_why_and_the_way_out_is_first(page: Page, hub: FakeHub) -> None:
    barred = [{"move": "add", "card": 5, "why": "Needs a number above 28."}]
    in_a_row(page, hub, {"move": "take"}, barred=barred)
    expect(dock(page).get_by_role("button")).to_have_count(1)
    page.get_by_role("button", name="Show my hand to choose").click()
    page.get_by_role("button", name="5 (+5) Flown Mower A. Needs a number above 28.").click(force=True)
    expect(page.get_by_text("Needs a number above 28.")).to_be_visible()


# --- The link ----------------------------------------------------------------------------------------------


def test_a_reloaded_phone_has_its_hand_again(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    page.reload()
    expect(page.get_by_text("Bid a number from 1 to 6.")).to_be_visible()
    assert len(hub.claims) == 1


def test_a_waking_phone_drops_its_old_socket_and_is_right_again(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    before = hub.connects
    hub.hand(2, scenes.LOCKED_HAND | {"seq": 60})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_text("tap to change")).to_be_visible()
    expect(page.get_by_text("live")).to_be_visible()
    assert hub.connects == before + 1


def test_a_link_that_blinks_is_mended_in_silence(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    page.evaluate(
        "window.lost=0;new MutationObserver(()=>{if(document.querySelector('.away-bar'))window.lost=1})"
        ".observe(document.body,{subtree:true,childList:true})"
    )
    hub.drop()
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND, seq=61)
    assert page.evaluate("window.lost") == 0


def test_a_hub_that_restarts_gives_the_same_hand_back(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    hub.restart()
    play(page, hub, scenes.TAKE | {"epoch": 4}, scenes.TAKE_HAND | {"epoch": 4}, seq=1)
    assert len(hub.claims) == 1


def test_an_older_message_never_replaces_a_newer_one(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND, seq=60)
    hub.public(scenes.BIDDING | {"seq": 59})
    hub.hand(2, scenes.BID_HAND | {"seq": 59})
    play(page, hub, scenes.TAKE, scenes.PAY_HAND, seq=61)
    hub.hand(2, scenes.BID_HAND | {"epoch": 2, "seq": 99})
    hub.public(scenes.TAKE | {"seq": 62, "notices": [scenes.notice("Box 3 is back.")]})
    expect(page.get_by_text("Box 3 is back.")).to_be_visible()
    expect(page.get_by_text(scenes.PAY_HAND["want"])).to_be_visible()


def test_a_silent_hub_is_told_after_some_seconds_and_no_button_looks_alive(page: Page, hub: FakeHub) -> None:
    page.clock.install()
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    hub.deaf = True
    for _ in range(30):
        page.clock.run_for(500)
    expect(page.get_by_text("No connection since round 4.")).to_be_visible()
    for button in dock(page).get_by_role("button").all():
        expect(button).to_be_disabled()
    hub.deaf = False
    for _ in range(12):
        page.clock.run_for(500)
    expect(page.get_by_text("live")).to_be_visible()


def test_a_phone_that_is_let_in_but_told_nothing_dials_again(page: Page, hub: FakeHub) -> None:
    page.clock.install()
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.TAKE_HAND)
    before = hub.connects
    hub.mute = True
    hub.drop()
    for _ in range(10):
        page.clock.run_for(500)
    expect(page.get_by_text("This phone reconnects by itself")).to_be_visible()
    assert hub.connects == before + 1
    hub.mute = False
    for _ in range(12):
        page.clock.run_for(500)
    expect(page.get_by_text("live")).to_be_visible()
    assert hub.connects > before + 1


def test_a_seat_that_was_lost_with_the_link_is_alive_when_it_is_taken_again(page: Page, hub: FakeHub) -> None:
    page.clock.install()
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    hub.deaf = True
    for _ in range(30):
        page.clock.run_for(500)
    expect(page.get_by_text("This phone reconnects by itself")).to_be_visible()
    hub.claims.clear()
    hub.deaf = False
    for _ in range(20):
        page.clock.run_for(500)
    expect(page.get_by_role("alert")).to_have_text("This seat was freed. Choose a seat to continue.")
    hub.press_at_once = False
    page.get_by_label("seat 2, orange triangle").click()
    hub.press(2)
    hub.hand(2, scenes.BID_HAND | {"seq": 60})
    page.clock.resume()
    expect(page.get_by_text("Bid a number from 1 to 6.")).to_be_visible()
    expect(page.get_by_text("This phone reconnects by itself")).not_to_be_visible()


def test_a_seat_whose_login_is_refused_for_long_stays_the_phones(page: Page, hub: FakeHub) -> None:
    page.clock.install()
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    hub.refuses_logins = True
    hub.drop()
    before = hub.connects
    for _ in range(40):
        page.clock.run_for(500)
    expect(page.get_by_text("This phone reconnects by itself")).to_be_visible()
    assert hub.connects > before + 3
    hub.refuses_logins = False
    page.clock.resume()
    expect(page.get_by_text("Bid a number from 1 to 6.")).to_be_visible()
    expect(page.get_by_text("This phone reconnects by itself")).not_to_be_visible()


def test_a_released_seat_says_so_and_lets_choose_again(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    hub.release(2)
    expect(page.get_by_role("alert")).to_have_text("This seat was freed. Choose a seat to continue.")
    expect(page.get_by_text("Where do you sit?")).to_be_visible()
    assert "Carp" not in page.content()


def test_a_seat_released_while_the_phone_slept_says_so_too(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    page.goto("about:blank")
    hub.claims.clear()
    page.goto(f"{hub.address}/t/1")
    expect(page.get_by_role("alert")).to_have_text(
        "This seat was freed. Choose a seat to continue.", timeout=PATIENCE * 1000
    )


def test_the_same_seat_in_two_tabs_is_used_by_the_newer_one(browser: Browser, hub: FakeHub) -> None:
    with browser.new_context(viewport=PHONE) as context:
        first = context.new_page()
        sit(first, hub)
        second = context.new_page()
        second.goto(f"{hub.address}/t/1")
        expect(second.get_by_text("What shall we play?")).to_be_visible()
        expect(first.get_by_text("This seat is open in another tab")).to_be_visible()
        first.get_by_role("button", name="Use it here").click()
        expect(first.get_by_text("What shall we play?")).to_be_visible()
        expect(second.get_by_text("This seat is open in another tab")).to_be_visible()


def test_what_a_phone_sends_and_gets_is_encrypted(page: Page, hub: FakeHub) -> None:
    frames: list[bytes] = []

    def tap(link: WebSocket) -> None:
        link.on("framesent", lambda sent: frames.append(_bytes(sent)))
        link.on("framereceived", lambda got: frames.append(_bytes(got)))

    page.on("websocket", tap)
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    page.get_by_role("radio", name="5").check()
    dock(page).get_by_role("button", name="Bid 5").click()
    hub.asks.get(timeout=PATIENCE)
    private = [frame for frame in frames if b"/seat/" in frame]
    assert private
    assert not any(word in frame for frame in private for word in (b"carp", b'"bid"', b"7712"))


def _bytes(frame: str | bytes) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()


# --- For everybody -----------------------------------------------------------------------------------------


def test_the_page_reads_well_to_a_screen_reader(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    expect(page.locator("main")).to_match_aria_snapshot(
        """
        - main:
          - paragraph: Bid a number from 1 to 6.
          - paragraph: SPOT 4 bids 2 of 4
          - button "Hold to see your hand"
          - group "Number":
            - radio "1"
            - radio "2"
            - radio "3"
            - radio "4"
            - radio "5"
            - radio "6"
          - region "Yours":
            - term: All Fish
          - region "The table":
            - region "Spots":
              - list:
                - listitem:
                  - heading "Spot 4"
          - group "Actions":
            - button "Bid …" [disabled]
        """
    )
    expect(page.get_by_role("navigation", name="More").get_by_role("button")).to_have_text(
        ["Rules", "Log", "Why?", "Help", "Seat"]
    )
    nameless = page.evaluate(
        "[...document.querySelectorAll('button,input,select,a,img')].filter(e=>!(e.getAttribute('aria-label')||e.labels?.length||e.textContent.trim()||e.alt)).length"
    )
    assert nameless == 0


@pytest.mark.parametrize("size", [100, 200])
def test_large_text_on_a_small_phone_neither_overflows_nor_hides_the_action(
    browser: Browser, hub: FakeHub, size: int
) -> None:
    with browser.new_context(viewport=SMALL_PHONE) as context:
        tab = context.new_page()
        tab.add_init_script(f"localStorage.setItem('th/settings', JSON.stringify({{size: {size}}}))")
        sit(tab, hub)
        play(tab, hub, scenes.BIDDING, scenes.BID_HAND)
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        tab.get_by_role("radio", name="6").check()
        dock(tab).get_by_role("button", name="Bid 6").click()
        assert hub.asks.get(timeout=PATIENCE)["args"]["number"] == 6


def test_targets_are_large_enough_for_a_thumb(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.TAKE, scenes.PAY_HAND)
    for button in dock(page).get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 64
    primary, other = (
        dock(page).get_by_role("button", name=name).bounding_box() for name in ("Spend 2 Baits", "Catch nothing")
    )
    assert primary is not None
    assert other is not None
    assert primary["x"] > other["x"], "the first answer lies at the right thumb"


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("light", ["dark", "light"])
def test_text_stands_seven_to_one_on_its_ground(light: str) -> None:
    css = (STATIC / "pages" / "base.css").read_text()
    blocks = {"dark": css.split(":root {")[1], "light": css.split(':root[data-theme="light"] {')[1]}
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks["dark"].split("}")[0]))
    if light == "light":
        colours |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks["light"].split("}")[0]))
    grounds = ["ground", "raised", "lifted", "felt"]
    pairs = [("ink", ground) for ground in grounds] + [("soft", ground) for ground in grounds]
    pairs += [("on-call", "call"), ("on-calm", "calm"), ("warn", "warn-ground"), ("on-paper", "paper")]
    weak = {pair: round(contrast(colours[pair[0]], colours[pair[1]]), 1) for pair in pairs}
    assert {pair: value for pair, value in weak.items() if value < 7} == {}
    marks = {seat: contrast(colours[f"seat-{seat}"], colours["ground"]) for seat in SEAT_MARKS}
    assert {seat: round(value, 1) for seat, value in marks.items() if value < 3} == {}


LATER = "/static/parts/install.js"  # comes seconds after all else, when nobody waits for it


def test_the_first_visit_weighs_less_than_200_kilobytes(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    names = page.evaluate("performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)")
    shown = {"bid-and-bait": games.find("bid-and-bait").labels}
    table = FakeTable()
    app = make_app({"1": table}, hub.key, "hub", lambda: hub.address, shown)  # the hub's own way of sending
    wanted = {name for name in names if name.startswith(("/static/", "/vendor/", "/games/"))} | {"/t/1"}
    wanted -= {LATER}
    with app.test_client() as client:
        answers = [client.get(name, headers={"Accept-Encoding": "gzip"}) for name in sorted(wanted)]
    assert {answer.status_code for answer in answers} == {200}
    weight = sum(len(answer.data) for answer in answers)
    assert weight < 200_000, weight


def test_every_module_of_the_phone_is_asked_for_at_once(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    names = page.evaluate("performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)")
    html = (STATIC / "pages" / "phone.html").read_text()
    assert [name for name in names if name.endswith(".js") and name != LATER and name not in html] == []


def test_no_page_knows_a_game() -> None:
    text = "\n".join(file.read_text().lower() for file in STATIC.rglob("*") if file.is_file() and file.suffix != ".png")
    for file in (ROOT / "hub/games/data").glob("*.toml"):
        labels = tomllib.loads(file.read_text())
        names = {labels["name"], labels["title"].lower(), labels["name"].replace("-", "_"), *labels.get("cards", {})}
        for name in filter(re.compile("[a-z]").search, names):  # a card may be named by a number, as much else is
            assert not re.search(rf"\b{re.escape(name)}\b", text), f"{name} stands in a page"


# --- The screen and the bench ------------------------------------------------------------------------------------


@pytest.fixture
def screen(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1920, "height": 1080}) as context:
        yield context.new_page()


def test_the_screen_invites_before_a_match(screen: Page, hub: FakeHub) -> None:
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.get_by_text("FISH", exact=True)).to_be_visible()
    expect(screen.get_by_text("10.42.0.1:8080")).to_be_visible()
    expect(screen.get_by_role("img", name="code to scan")).to_be_visible()
    expect(screen.get_by_text("BCDFGJ")).to_be_visible()


def test_codes_of_the_houses_seats_take_turns_in_the_foot_while_a_match_is_played(screen: Page, hub: FakeHub) -> None:
    houses = [seat | ({"house": "steady", "held": False} if seat["seat"] > 1 else {}) for seat in scenes.seats()]
    screen.clock.install()
    screen.goto(f"{hub.address}/t/1/kiosk")
    hub.public(scenes.BIDDING | {"seq": 50, "seats": houses})
    foot = screen.locator(".foot-free")
    expect(foot).to_have_text("2 BCDFGJ")
    expect(screen.get_by_text("BCDFGK")).to_have_count(0)
    expect(screen.locator(".seat-free")).to_have_count(0)
    screen.clock.run_for(6_000)
    expect(foot).to_have_text("3 BCDFGK")


def test_the_screen_shows_the_venues_network_first_where_there_is_one(screen: Page, hub: FakeHub) -> None:
    code = "WIFI:T:WPA;S:Cafe;P:dice-and-tea;;"
    hub.public(scenes.public(seq=50), wifi={"name": "Cafe", "code": code})
    screen.set_viewport_size({"width": 1280, "height": 720})
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.locator(".steps li").first).to_have_text("Wi-Fi “Cafe”")
    drawn = screen.get_by_role("img", name="code to scan for the Wi-Fi Cafe")
    expect(drawn).to_be_in_viewport(ratio=1)
    assert read_code(drawn.screenshot()) == code
    expect(screen.get_by_role("img", name="code to scan", exact=True)).to_be_in_viewport(ratio=1)


def test_a_demonstration_shows_the_code_of_the_wifi_too(screen: Page, hub: FakeHub) -> None:
    code = "WIFI:T:WPA;S:table-hub-abcd;P:a2b3c4d5e6f7;;"
    shown = scenes.public(seq=50)
    hub.public(shown, wifi={"name": "table-hub-abcd", "code": code}, demonstration=scenes.public(seq=51))
    screen.set_viewport_size({"width": 1280, "height": 720})
    screen.goto(f"{hub.address}/t/1/kiosk")
    drawn = screen.locator(".invitation").get_by_role("img", name="code to scan for the Wi-Fi table-hub-abcd")
    expect(drawn).to_be_in_viewport(ratio=1)
    assert read_code(drawn.screenshot()) == code
    expect(screen.locator(".invitation .invitation-qr")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("boxes", "held", "asked"),
    [
        (["on", "on"], [], "Press the box in front of you"),
        (["none", "none"], [], "Type the six letters of your seat"),
        (["lost", "none"], [], "Type the six letters of your seat"),
        (["on", "none"], [], "Press the box in front of you, or type the six letters of your seat"),
        (["on", "none"], [2], "Press the box in front of you"),
        (["on", "none"], [1], "Type the six letters of your seat"),
        (["none", "none"], [1, 2], None),
    ],
)
def test_the_screen_asks_for_a_box_only_where_there_is_one(
    screen: Page, hub: FakeHub, boxes: list[str], held: list[int], asked: str | None
) -> None:
    places = [
        {"seat": seat, "box": box, "held": seat in held, "phone": "on" if seat in held else "none"}
        for seat, box in enumerate(boxes, 1)
    ]
    hub.public(scenes.public(seq=50, seats=places))
    screen.goto(f"{hub.address}/t/1/kiosk")
    steps = screen.locator(".steps li")
    expect(steps.first).to_contain_text("Scan")
    expect(steps).to_have_count(2 if asked else 1)
    if asked:
        expect(steps.last).to_have_text(asked)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1280, 800), (1920, 1080), (1024, 768)])
@pytest.mark.parametrize("notices", [0, 2])
def test_all_of_the_invitation_is_on_the_screen(
    screen: Page, hub: FakeHub, width: int, height: int, notices: int
) -> None:
    screen.set_viewport_size({"width": width, "height": height})
    places = scenes.seats(held=3, ready=2)
    told = [scenes.notice(f"Turn a dial for another game, {n}.", key=str(n)) for n in range(notices)]
    for place in places[:2]:  # at their boxes alone
        place["phone"] = "none"
    hub.public(scenes.public(seq=50, seats=places, url="http://10.42.0.1:8080", notices=told))
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.get_by_text("No phone?")).to_be_visible()
    below = screen.evaluate("document.querySelector('.welcome').getBoundingClientRect().bottom")
    for part in ".welcome-seats li:last-child", ".steps li:last-child", ".no-phone":
        assert screen.locator(part).evaluate("e => e.getBoundingClientRect().bottom") <= below, part
    above = screen.locator(".welcome-qr").evaluate("e => e.getBoundingClientRect().top")
    wide, high = screen.locator(".welcome-qr").evaluate("e => [e.offsetWidth, e.offsetHeight]")
    assert above >= 0
    assert wide == high >= 120
    assert screen.locator(".attract h1").evaluate("e => e.getBoundingClientRect().top") >= 0


def test_the_screen_has_a_code_to_scan_once_there_is_a_network_and_another_for_another_address(
    screen: Page, hub: FakeHub
) -> None:
    hub.public(scenes.public(seq=50, url=""))
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.get_by_text("No network yet").first).to_be_visible()
    code = screen.get_by_role("img", name="code to scan")
    expect(code).to_have_count(0)
    hub.public(scenes.public(seq=51, url="http://10.9.8.7:8080"))
    expect(screen.get_by_text("10.9.8.7:8080")).to_be_visible()
    expect(code).to_have_attribute("src", re.compile(r"\?http%3A%2F%2F10\.9\.8\.7%3A8080$"))
    hub.public(scenes.public(seq=52, url="http://10.9.8.8:8080"))
    expect(code).to_have_attribute("src", re.compile(r"10\.9\.8\.8"))


FREE = [place | {"name": "", "held": False, "phone": "none", "ready": False} for place in scenes.seats()]


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (800, 480)])
def test_a_demonstration_says_that_it_is_one_and_how_to_play(screen: Page, hub: FakeHub, size: tuple[int, int]) -> None:
    lobby = scenes.public(seats=FREE)
    house = {"held": True, "presence": "here", "house": "steady"}
    seats = [place | house | {"name": f"House {place['seat']}"} for place in FREE]
    demonstration = scenes.ROLLING | {"seq": lobby["seq"], "seats": seats, "games": []}
    screen.set_viewport_size({"width": size[0], "height": size[1]})
    screen.goto(f"{hub.address}/t/1/kiosk")
    hub.public(lobby, demonstration=demonstration)
    invitation = screen.get_by_role("contentinfo", name="Demonstration")
    expect(invitation).to_contain_text("Demonstration. Scan to play")
    expect(invitation).to_contain_text("Set your rod, bluff your friends, fish the lake.")
    expect(invitation).to_contain_text("2 to 5 players, about 15 minutes")
    expect(invitation).to_contain_text("FISH")
    expect(invitation.get_by_role("img", name="code to scan")).to_be_visible()
    for seat in "HJKL":
        expect(invitation.get_by_text(f"BCDFG{seat}")).to_be_in_viewport(ratio=1)
    now = screen.get_by_role("region", name="Now")
    expect(now.get_by_text("House 2").first).to_be_visible()
    expect(now.locator(".now-main")).to_be_in_viewport(ratio=1)
    assert screen.evaluate(
        "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
    )
    over = scenes.OVER | {"seq": lobby["seq"], "seats": seats}
    hub.public(lobby, demonstration=over)
    expect(screen.get_by_role("heading", name="House 3 wins")).to_be_in_viewport(ratio=1)
    expect(screen.get_by_text("Push a dial twice")).to_have_count(0)
    expect(invitation).to_be_in_viewport(ratio=1)
    hub.public(lobby | {"seq": lobby["seq"] + 1})
    expect(screen.get_by_role("region", name="Join")).to_be_visible()
    expect(screen.get_by_text("Demonstration")).to_have_count(0)


def test_a_phone_sees_the_lobby_during_a_demonstration(page: Page, hub: FakeHub) -> None:
    hub.public(scenes.public(seats=FREE), demonstration=scenes.ROLLING | {"seq": 40})
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    expect(page.get_by_label("seat 1, ")).to_be_visible()
    expect(page.get_by_text("Demonstration")).to_have_count(0)


def test_the_screen_shows_the_moment_large_and_everything_on_one_page(screen: Page, hub: FakeHub) -> None:
    hub.public(scenes.ROLLING)
    screen.goto(f"{hub.address}/t/1/kiosk")
    now = screen.get_by_role("region", name="Now")
    expect(now.get_by_text("bid 2")).to_be_visible()
    size = now.locator(".now-main").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 140
    assert screen.locator("body").evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 28
    assert screen.evaluate(
        "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
    )
    for seat in (1, 2, 3, 4):
        expect(screen.locator(f".seat-place .mark.seat-{seat}")).to_be_visible()


def test_the_screen_tells_how_to_dispute_a_roll_and_shows_the_vote(screen: Page, hub: FakeHub) -> None:
    hub.public(disputed("open") | {"seq": 50})
    screen.goto(f"{hub.address}/t/1/kiosk")
    now = screen.get_by_role("region", name="Now")
    expect(now).to_contain_text("Read wrong? Press the bar.")
    hub.public(disputed("vote", yes=[1], no=[3], say="Seat 1 asks for it.") | {"seq": 51})
    expect(now).to_contain_text("Read the dice again?")
    expect(now).to_contain_text("Ana asks for it.")
    expect(now).to_contain_text("Push: yes. Bar: no.")
    hub.public(disputed("vote", scenes.OVER, yes=[1], say="Seat 1 asks for it.") | {"seq": 91})
    expect(screen.get_by_role("region", name="The end")).to_contain_text("Read the dice again?")
    assert screen.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_the_seats_of_the_screen_go_clockwise(screen: Page, hub: FakeHub) -> None:
    hub.public(scenes.ROLLING)
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.locator(".seat-place")).to_have_count(4)
    expect(screen.get_by_text("Baits left")).to_be_visible()
    one, two, three, four = screen.evaluate(
        "[1, 2, 3, 4].map(seat => document.querySelector(`.seat-place:has(.seat-${seat})`).getBoundingClientRect())"
        ".map(box => [box.x, box.y])"
    )
    assert one[0] == two[0] < three[0] == four[0]
    assert two[1] == three[1] < one[1] == four[1]


def test_the_screen_shows_the_winner(screen: Page, hub: FakeHub) -> None:
    hub.public(scenes.OVER)
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.get_by_role("heading", name="Cem wins")).to_be_visible()


def test_a_notice_is_a_line_and_never_covers_the_match(screen: Page, hub: FakeHub) -> None:
    hub.public(scenes.ROLLING | {"notices": [scenes.notice("Box 3 is unplugged; Cem plays on the phone.")]})
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.get_by_role("status")).to_have_text("Box 3 is unplugged; Cem plays on the phone.")
    expect(screen.get_by_role("region", name="Now")).to_be_visible()


NOTICES = [
    scenes.notice("The disk is full.", key="disk", severity="error"),
    scenes.notice("Seat 3 calls for help.", key="help 3", can_acknowledge=True),
    scenes.notice("Load the dice.", key="dice", severity="info", can_acknowledge=True),
]


def test_every_notice_stands_on_the_screen_the_most_severe_first(screen: Page, hub: FakeHub) -> None:
    hub.public(scenes.ROLLING | {"notices": NOTICES})
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.locator(".notice")).to_have_text([re.compile("disk"), re.compile(r"Cem\s+calls"), re.compile("Load")])
    expect(screen.locator(".notice").first).to_have_class("notice error")
    expect(screen.get_by_role("button", name="Done")).to_have_count(0)
    hub.public(scenes.ROLLING | {"notices": [], "seq": 99})
    expect(screen.locator(".notice")).to_have_count(0)


def test_a_phone_acknowledges_a_notice_that_it_may(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    hub.public(scenes.ROLLING | {"notices": NOTICES, "seq": 60})
    expect(page.locator(".notice:visible")).to_have_count(0)
    line = page.locator(".more-notices > summary")
    expect(line).to_contain_text(re.compile("disk"))
    room = line.bounding_box()
    assert room
    assert room["height"] <= 48, "one line"
    page.get_by_text("3 notices").click()
    expect(page.locator(".notice:visible")).to_have_count(3)
    expect(page.get_by_role("button", name="Done")).to_have_count(2)
    page.get_by_role("button", name="Done: Seat 3 calls for help.").click()
    said = hub.asks.get(timeout=PATIENCE)
    assert (said["seat"], said["verb"], said["args"]) == (2, "acknowledge", {"key": "help 3"})


@pytest.mark.parametrize(("button", "say"), [("Keep it", "keep"), ("Hand over", "give")])
def test_the_phone_of_a_seat_that_another_one_asks_for_decides(page: Page, hub: FakeHub, button: str, say: str) -> None:
    sit(page, hub)
    hub.hand(2, scenes.hand(seq=60, claim=7))
    wanted = page.get_by_role("alertdialog", name="Another phone wants your seat")
    wanted.get_by_role("button", name=button).click()
    said = hub.asks.get(timeout=PATIENCE)
    assert (said["seat"], said["verb"], said["args"]) == (2, "claim", {"claim": 7, "say": say})
    hub.hand(2, scenes.hand(seq=61))
    expect(wanted).to_have_count(0)


@pytest.mark.parametrize("connected", [True, False], ids=["connected", "before its first log-in"])
def test_a_phone_whose_seat_was_taken_over_says_so(page: Page, hub: FakeHub, *, connected: bool) -> None:
    hub.deaf = not connected
    sit(page, hub)
    moved = scenes.notice("Seat 2 has moved to another phone.", key="taken:2", can_acknowledge=True)
    if connected:
        play(page, hub, scenes.ROLLING | {"notices": [moved]}, scenes.ROLL_HAND, seq=60)
    else:
        hub.public(scenes.ROLLING | {"notices": [moved], "seq": 60})
    hub.release(2)
    hub.deaf = False
    told = "Seat 2 has moved to another phone. If nobody here did that, tell the others."
    expect(page.get_by_role("alert")).to_have_text(told)


def test_who_only_watches_reads_the_notices_and_acknowledges_none(page: Page, hub: FakeHub) -> None:
    hub.public(scenes.TAKE | {"notices": NOTICES})
    page.goto(f"{hub.address}/t/1")
    page.get_by_role("button", name="Just watch").click()
    expect(page.locator(".notice")).to_have_count(3)
    expect(page.get_by_role("button", name="Done")).to_have_count(0)


def test_a_screen_without_its_hub_waits_and_comes_back(screen: Page, hub: FakeHub) -> None:
    screen.clock.install()
    screen.goto(f"{hub.address}/t/1/kiosk")
    expect(screen.get_by_text("FISH", exact=True)).to_be_visible()
    hub.stop()
    for _ in range(17):
        screen.clock.run_for(1_000)
    expect(screen.get_by_text("Waiting for the hub")).to_be_visible()
    hub.restart()
    for _ in range(5):
        screen.clock.run_for(1_000)
    expect(screen.get_by_text("FISH", exact=True)).to_be_visible(timeout=HALF_MINUTE)


@pytest.fixture
def bench(browser: Browser, hub: FakeHub) -> Iterator[Page]:
    hub.public(scenes.BIDDING)
    hub.bench(scenes.BENCH)
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        opened = context.new_page()
        opened.goto(f"{hub.address}/t/1/bench")
        expect(opened.get_by_role("region", name="Dice")).to_be_visible()
        yield opened


def test_the_bench_says_what_to_do_next(bench: Page, hub: FakeHub) -> None:
    said = bench.locator(".bench-next")
    hub.public(scenes.public(seats=scenes.seats(held=0), seq=90))
    expect(said).to_have_text("Next: Sit down: open “Sit down with a phone” at a box, or push its dial.")
    hub.public(scenes.public(seats=scenes.seats(held=2), seq=91))
    expect(said).to_contain_text("Choose a game on a phone and start it, or turn a dial and push it.")
    hub.public(scenes.public(seats=scenes.seats(held=2, ready=2), seq=92))
    expect(said).to_contain_text("Everybody is ready: push a dial once more to start.")
    hub.public(scenes.BIDDING | {"seq": 93, "locked": [1, 3, 4]})
    expect(said).to_contain_text("Ben answers on its phone or its box.")
    hub.public(scenes.ROLLING | {"seq": 94})
    expect(said).to_contain_text("rolls: press “Throw”.")
    hub.public(scenes.public(seats=scenes.seats(held=1), claiming=[2], seq=95))
    expect(said).to_have_text("Next: Somebody wants Seat 2: use “Hold bar and push” at its box.")


def test_the_bench_shows_phones_and_the_screen_in_its_page(bench: Page, hub: FakeHub) -> None:
    show = bench.get_by_role("button", name="Show phones and screen here")
    expect(bench.locator("iframe")).to_have_count(0)
    show.click()
    expect(bench.frame_locator("iframe[name=kiosk]").locator("main")).to_be_visible()
    expect(bench.get_by_title("Phone of seat 1", exact=False)).to_be_visible()
    bench.reload()
    expect(show).to_have_attribute("aria-pressed", "true")
    expect(bench.frame_locator("iframe[name=kiosk]").locator("main")).to_be_visible()
    show.click()
    expect(bench.locator("iframe")).to_have_count(0)


def test_a_dark_display_on_the_bench_says_so(bench: Page, hub: FakeHub) -> None:
    dark = {seat: {**box, "display": "", "sealed": False} for seat, box in scenes.BENCH["boxes"].items()}
    hub.bench({**scenes.BENCH, "boxes": dark})
    expect(bench.locator(".oled").first).to_have_text("dark: nothing to choose")


def test_a_box_on_the_bench_is_pressed_turned_and_unplugged(bench: Page, hub: FakeHub) -> None:
    box = bench.get_by_role("region", name="Box of seat 2, orange triangle")
    box.get_by_role("button", name="3", exact=True).click()
    box.get_by_role("button", name="dial right").click()
    box.get_by_role("button", name="push the dial").click()
    box.get_by_role("button", name="pass").click()
    box.get_by_role("button", name="Hold bar", exact=True).click()
    box.get_by_role("button", name="Unplug").click()
    got = [hub.bench_asks.get(timeout=5) for _ in range(6)]
    assert got == [
        {"box": 2, "press": "k3", "hold": False}, {"box": 2, "turn": 1}, {"box": 2, "press": "push", "hold": False},
        {"box": 2, "press": "bar", "hold": False}, {"box": 2, "press": "bar", "hold": True}, {"box": 2, "unplug": True},
    ]  # fmt: skip


def test_a_box_on_the_bench_is_worked_by_the_keyboard(bench: Page, hub: FakeHub) -> None:
    bench.get_by_role("region", name="Box of seat 1, blue circle").focus()
    for key in ("4", "ArrowLeft", "Enter", "Backspace"):
        bench.keyboard.press(key)
    assert [hub.bench_asks.get(timeout=5) for _ in range(4)] == [
        {"box": 1, "press": "k4", "hold": False}, {"box": 1, "turn": -1},
        {"box": 1, "press": "push", "hold": False}, {"box": 1, "press": "bar", "hold": False},
    ]  # fmt: skip


def test_the_dial_of_a_sealed_box_is_seen_only_under_its_hood(bench: Page, hub: FakeHub) -> None:
    box = bench.get_by_role("region", name="Box of seat 1, blue circle")
    expect(box.get_by_text("dial at")).to_have_count(0)
    box.get_by_role("button", name="Look at the display").click()
    expect(box.get_by_text("dial at 5, locked")).to_be_visible()


def test_dice_on_the_bench_are_thrown_laid_and_spoiled(bench: Page, hub: FakeHub) -> None:
    tray = bench.get_by_role("region", name="Dice")
    tray.get_by_role("button", name="Throw one die").click()
    tray.get_by_role("button", name="lay a 3").click()
    tray.get_by_role("button", name="Next die leans").click()
    tray.get_by_role("button", name="Disconnect the reader").click()
    assert [hub.bench_asks.get(timeout=5) for _ in range(4)] == [
        {"dice": "throw"}, {"dice": "throw", "faces": [3]}, {"dice": "cock"}, {"dice": "lose"},
    ]  # fmt: skip


def test_a_ring_on_the_bench_tells_its_pattern_in_words(bench: Page, hub: FakeHub) -> None:
    expect(bench.get_by_role("img", name="ring: number 5")).to_be_visible()
    expect(bench.get_by_role("img", name="ring: turn")).to_be_visible()


# --- presets, and what is missing ------------------------------------------------------------------------------


def test_a_preset_is_chosen_with_one_press_and_started_with_its_options(page: Page, hub: FakeHub) -> None:
    full = {"name": "full", "effect": "All the advanced rules.", "options": {"advanced": True}}
    lacks = "Bid*It! needs a phone for each hand: seat 3 has none."
    games = [*scenes.GAMES[:1], scenes.GAMES[1] | {"presets": [full], "lacks": [lacks]}]
    sit(page, hub)
    hub.public(scenes.public(seats=scenes.seats(held=3), games=games, game="bid-it"))
    expect(page.get_by_text(lacks)).to_be_visible()
    expect(page.get_by_text("All the advanced rules.")).to_be_visible()
    expect(page.get_by_role("radio", name="The usual game")).to_be_checked()
    page.get_by_role("radio", name="full").check(force=True)
    assert hub.asks.get(timeout=PATIENCE)["args"] == {"game": "bid-it", "preset": "full"}
    hub.public(scenes.public(seats=scenes.seats(held=3), games=games, game="bid-it", preset="full"))
    expect(page.get_by_role("radio", name="full")).to_be_checked()
    page.get_by_role("button", name="Start Bid*It!").click()
    started = hub.asks.get(timeout=PATIENCE)
    assert (started["verb"], started["args"]) == ("start", {"game": "bid-it", "options": {"advanced": True}})


# --- a phone that was asleep -----------------------------------------------------------------------------------


SHAKES = "window.shakes = []; navigator.vibrate = (pattern) => window.shakes.push(pattern)"


def put_away(page: Page, seconds: float) -> None:
    """The phone's screen is dark for so long, by the page's own clock."""
    page.evaluate(
        """(ms) => {
          const set = (value) => Object.defineProperty(document, "visibilityState", { value, configurable: true });
          const told = () => document.dispatchEvent(new Event("visibilitychange"));
          const now = Date.now;
          set("hidden");
          told();
          Date.now = () => now() + ms;
          set("visible");
          told();
          Date.now = now;
        }""",
        seconds * 1000,
    )


LONG_SHAKES = "window.shakes.filter((one) => Array.isArray(one) && one.length === 5).length"


def long_shakes(page: Page) -> int:
    found: int = page.evaluate(LONG_SHAKES)
    return found


def until_it_shakes(page: Page) -> None:
    """Wait for a shake, which comes after the words have been painted, and check that it is the only one."""
    page.wait_for_function(f"() => {LONG_SHAKES} > 0")
    assert long_shakes(page) == 1


def test_a_phone_that_wakes_and_is_awaited_shakes_and_says_so_until_it_has_answered(page: Page, hub: FakeHub) -> None:
    page.add_init_script(SHAKES)
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    line = page.get_by_text("It is your turn.")
    expect(line).to_have_count(0)
    put_away(page, 1)
    page.wait_for_timeout(1_000)
    expect(line).to_have_count(0)
    put_away(page, 30)
    expect(line).to_be_visible()
    until_it_shakes(page)
    play(page, hub, scenes.BIDDING, scenes.LOCKED_HAND | {"want": ""}, seq=51)
    expect(line).to_have_count(0)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND | {"number": 18}, seq=52)
    expect(page.get_by_text(scenes.BID_HAND["want"])).to_be_visible()
    expect(line).to_have_count(0)
    assert long_shakes(page) == 1


def test_a_phone_that_wakes_and_is_not_awaited_says_nothing(page: Page, hub: FakeHub) -> None:
    page.add_init_script(SHAKES)
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.LOCKED_HAND | {"want": ""})
    expect(page.get_by_role("button", name="Locked ✓ tap to change")).to_be_visible()
    put_away(page, 30)
    page.wait_for_timeout(1_500)
    expect(page.get_by_text("It is your turn.")).to_have_count(0)
    assert long_shakes(page) == 0


def gone(*seats: int, box: str = "none") -> list[dict[str, Any]]:
    """Four seats that people have; the phones of some are gone."""
    places = scenes.seats(boxes=box)
    return [one | ({"phone": "away", "presence": "away"} if one["seat"] in seats else {}) for one in places]


def test_a_newcomer_at_a_deserted_table_asks_for_it_and_reads_when_it_is_free(page: Page, hub: FakeHub) -> None:
    hub.press_at_once = False
    hub.public(scenes.public(seats=gone(1, 2, 3, 4)))
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    expect(page.get_by_text("nobody seems to be here")).to_be_visible()
    page.get_by_label("seat 2, orange triangle").click()
    expect(page.get_by_role("heading", name="Is somebody still here?")).to_be_visible()
    expect(page.get_by_text("free within 30 seconds")).to_be_visible()
    hub.public(scenes.public(seats=scenes.seats(held=0, boxes="none"), seq=41))
    hub.press(2, refuse="Seat 2 is free now: type its code from the big screen.")
    expect(page.get_by_role("heading", name="Type this seat's code")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_text("Seat 2 is free now: type its code from the big screen.")


def test_a_newcomer_at_a_full_table_calls_staff(page: Page, hub: FakeHub) -> None:
    hub.public(scenes.public(seats=gone(2)))
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    expect(page.get_by_text("Pick the seat of somebody who has gone, watch, or ask staff.")).to_be_visible()
    page.get_by_role("button", name="Call staff", exact=True).click()
    call = {"key": "help:guest", "severity": "warning", "text": "Somebody without a seat calls for staff."}
    hub.public(scenes.public(seats=gone(2), notices=[call | {"can_acknowledge": True}], seq=41))
    expect(page.get_by_text("Staff are called.")).to_be_visible()
    assert hub.calls == 1
    hub.public(scenes.public(seats=gone(2), minutes_left=[10, 20], seq=42))
    expect(page.get_by_text("This match takes 10 to 20 more minutes.")).to_be_visible()
    hub.public(scenes.public(seats=scenes.seats(held=3), seq=43))
    expect(page.get_by_role("button", name="Call staff", exact=True)).to_have_count(0)


def test_a_match_is_offered_to_its_people_alone(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    offer = {"match": "m-1", "game": "bid-and-bait", "title": "Bid & Bait!", "since": 1_700_000_000, "seats": [1, 2, 3]}
    hub.public(scenes.public(put_aside=[offer | {"people": [1]}], seq=41))
    expect(page.get_by_text("What shall we play?")).to_be_visible()
    expect(page.get_by_text("Resume a match")).to_have_count(0)
    hub.public(scenes.public(put_aside=[offer | {"people": [1, 2]}], seq=42))
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_visible()


def test_a_sleeper_whom_the_table_waits_for_is_not_said_to_be_choosing(page: Page, hub: FakeHub) -> None:
    sit(page, hub)
    state = scenes.BIDDING | {"seats": gone(3), "locked": [2]}
    play(page, hub, state, scenes.LOCKED_HAND | {"want": ""})
    expect(page.locator("[data-part=seats] .place").nth(2)).to_contain_text("phone asleep")
    hub.public(scenes.BIDDING | {"locked": [2], "seq": 52})
    expect(page.locator("[data-part=seats] .place").nth(2)).to_contain_text("choosing")


def test_a_phone_that_the_table_calls_shakes_and_leads_back_from_a_tab(page: Page, hub: FakeHub) -> None:
    page.add_init_script(SHAKES)
    sit(page, hub)
    play(page, hub, scenes.BIDDING, scenes.BID_HAND)
    page.get_by_role("button", name="Rules", exact=True).click()
    hub.public(scenes.BIDDING | {"nudged": [2], "seq": 51})
    expect(page.get_by_role("alert")).to_contain_text("The others are waiting for you.")
    until_it_shakes(page)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_text(scenes.BID_HAND["want"])).to_be_visible()
    assert long_shakes(page) == 1


@pytest.mark.parametrize("file", ["pages/phone.js", "lib/claim.js", "pages/phone.css"])
def test_a_page_without_room_for_one_of_its_files_says_so_and_loads_again(page: Page, hub: FakeHub, file: str) -> None:
    refused: list[str] = []

    def refuse(route: Route) -> None:
        refused.append(route.request.url)
        route.fulfill(status=503, body="no room")

    page.clock.install(time=0)
    page.clock.pause_at(1_000)  # or a slow machine loads again before the test has looked
    page.route(f"**/static/{file}", refuse)
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    expect(page.get_by_text("this page tries again")).to_be_visible()
    page.unroute(f"**/static/{file}")
    page.clock.run_for(4_900)
    expect(page.get_by_text("this page tries again")).to_be_visible()
    page.clock.run_for(5_200)
    page.clock.resume()
    expect(page.get_by_label("seat 2, orange triangle")).to_be_visible()
    assert refused


def test_a_page_whose_picture_is_missing_does_not_load_again(page: Page, hub: FakeHub) -> None:
    page.clock.install()
    page.goto(f"{hub.address}/t/1#k={hub.k}")
    expect(page.get_by_label("seat 2, orange triangle")).to_be_visible()
    with page.expect_response("**/none.png"):
        page.evaluate("document.body.append(Object.assign(new Image(), { src: '/static/none.png', id: 'none' }))")
    page.clock.run_for(11_000)
    expect(page.locator("#none")).to_be_attached()
    expect(page.get_by_text("this page tries again")).to_have_count(0)


@pytest.mark.parametrize("name", ["phone", "join", "staff", "till", "kiosk", "history"])
def test_a_page_looks_for_missing_files_before_any_can_be_missing(name: str) -> None:
    files = re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css))"', (STATIC / "pages" / f"{name}.html").read_text())
    assert files[0] == "/static/lib/again.js"
    assert len(files) > 2
