"""The demonstration: a match by the house on the table's own screens while nobody is there, gone at the first touch."""

from __future__ import annotations

import logging
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from hub import games
from hub.engine import house_player
from hub.engine.decision import Roll, ask, ask_all, offer, roll
from hub.engine.game import Rulebook
from hub.errors import RulesBug, StartRefused
from hub.ports import DiceKit, DiceSeen, Key, StaffRequest, Tick, Turn
from hub.state import Batch, Kit, PublicDispute, PublicState, PutAside, ScreenState
from hub.table.people.house_seats import HouseSettings
from hub.table.views.demonstration import (
    LOBBY_SECONDS,
    MOST_SECONDS,
    PAPER_SECONDS,
    RESULT_SECONDS,
    SEALED_SHARE,
    STEP_SECONDS,
    _public_dice,
)
from hub.venue import StaffFeed
from tests.engine.ladder import Climb
from tests.table.fakes import TableRig
from tests.table.test_table import SHORT, made_up

AFTER = 120
ALL = [games.find(name) for name in games.names()]
FIRST, SECOND, *_ = [game.name for game in sorted(ALL, key=lambda game: (game.labels.minutes, game.name))]
"""The quick games come first."""


def free_table(seats: int = 3, **more: Any) -> TableRig:
    """A table at which nobody sits, with every game."""
    asked: dict[str, Any] = {"offered": ALL, "attract_seconds": AFTER} | more
    rig = TableRig(seats, **asked)
    rig.boxes_up()
    return rig


def screen(rig: TableRig) -> ScreenState:
    assert rig.page.newest
    return rig.page.newest


def shown(rig: TableRig) -> PublicState | None:
    return screen(rig).demonstration


def wait(rig: TableRig, seconds: float, until: Callable[[], object] = lambda: False) -> float:
    """Let time pass until something holds; return how many seconds it took."""
    begun = rig.clock.time
    while not until() and rig.clock.time < begun + seconds:
        rig.clock.time += 0.25
        rig.take(Tick())
    return rig.clock.time - begun


def begin(rig: TableRig) -> PublicState:
    wait(rig, AFTER + 1, lambda: shown(rig))
    demonstration = shown(rig)
    assert demonstration
    return demonstration


def test_a_free_table_shows_a_match_of_the_house_and_phones_have_the_lobby() -> None:
    rig = free_table(4)
    before, rings = len(rig.phones.public), rig.lamps.shown[-1]
    assert wait(rig, 300, lambda: shown(rig)) == AFTER
    wait(rig, 30)
    demonstration = shown(rig)
    assert demonstration
    assert (demonstration.state, demonstration.game) == ("playing", FIRST)
    assert [(one.name, one.house) for one in demonstration.seats] == [
        ("House 1", "steady"), ("House 2", "steady"), ("House 3", "steady"), ("", ""),
    ]  # fmt: skip
    assert demonstration.events
    assert rig.lamps.shown[-1] != rings
    assert {picture.pattern for picture in rig.lamps.shown[-1].values()} != {"attract"}
    assert (screen(rig).state, screen(rig).view, set(screen(rig).claim_codes)) == ("lobby", None, {*"1234"})
    assert [state["state"] for state in rig.phones.public[before:]] == [], "phones are told nothing of it"


def test_nothing_of_it_is_written_and_a_restart_knows_nothing_of_it() -> None:
    rig = free_table()
    kept, epoch, seq = dict(rig.store.kept), rig.state["epoch"], rig.state["seq"]
    rig.order.clear()
    begin(rig)
    wait(rig, 600)
    assert set(rig.order) == {"rings"}, "no write to the disk, nothing to phones"
    assert (rig.store.heads, rig.store.kept) == ({}, kept)
    assert (rig.state["epoch"], screen(rig).seq) == (epoch, seq)
    again = TableRig(3, store=rig.store, offered=ALL, attract_seconds=AFTER)
    assert again.state["state"] == "lobby"
    assert shown(again) is None


@pytest.mark.parametrize("touch", ["key", "turn", "dice", "claim", "wrong code", "staff"])
def test_the_first_touch_shows_the_lobby_and_it_begins_again_only_after_the_whole_time(touch: str) -> None:
    rig = free_table()
    begin(rig)
    wait(rig, 20)
    match touch:
        case "key":
            rig.take(Key("box-2", "bar", "down"))
        case "turn":
            rig.take(Turn("box-1", 1))
        case "dice":
            rig.take(DiceSeen("tray", 99, "rolling", ()))
        case "claim":
            rig.claim(1)
        case "wrong code":
            rig.claim(1, "BBBBBB")
        case "staff":
            rig.take(StaffRequest("light", {"percent": 30}, lambda *_: None))
    assert shown(rig) is None
    assert screen(rig).state == "lobby"
    rings = rig.lamps.shown[-1]
    assert all(rings[seat].pattern in ("attract", "claim", "locked", "waiting") for seat in rings)
    assert wait(rig, AFTER - 1, lambda: shown(rig)) == AFTER - 1


def test_who_sits_down_in_the_middle_of_it_is_in_the_lobby_and_plays() -> None:
    rig = free_table()
    begin(rig)
    wait(rig, 10)
    rig.sit(1, 2)
    assert (rig.state["state"], shown(rig)) == ("lobby", None)
    wait(rig, 10 * AFTER, lambda: shown(rig))
    assert shown(rig) is None, "somebody sits here"
    rig.start()
    wait(rig, 10)
    assert rig.state["state"] == "playing"
    assert screen(rig).demonstration is None


def test_a_push_in_the_middle_of_it_sits_down() -> None:
    rig = free_table()
    begin(rig)
    rig.press(2, "push")
    assert rig.state["seats"][1]["held"]
    assert shown(rig) is None


def test_a_claim_that_waits_for_its_box_holds_it_up() -> None:
    rig = free_table(attract_seconds=5)
    rig.claim(1)
    wait(rig, 20, lambda: shown(rig))
    assert shown(rig) is None
    assert wait(rig, 60, lambda: shown(rig)) < 60


def test_it_never_begins_where_the_owner_does_not_want_it() -> None:
    rig = free_table(attract_seconds=0)
    wait(rig, 1000, lambda: shown(rig))
    assert shown(rig) is None


def test_seats_of_the_house_are_free_too() -> None:
    rig = free_table(house=HouseSettings(seats=2))
    assert begin(rig).game == FIRST


def test_games_come_in_turn_the_quick_ones_first_and_each_ends_in_time() -> None:
    rig = free_table(4)
    begin(rig)
    played = []
    for _ in ALL:
        first = shown(rig)
        assert first
        took = wait(rig, 600, lambda: shown(rig) is None or shown(rig).state == "over")  # type: ignore[union-attr]
        assert took <= MOST_SECONDS + 1
        played.append(first.game)
        if over := shown(rig):
            assert over.over
            assert wait(rig, 60, lambda: shown(rig) is None) == RESULT_SECONDS
        assert wait(rig, 120, lambda: shown(rig)) == LOBBY_SECONDS
    minutes = {game.name: game.labels.minutes for game in ALL}
    assert played == sorted(played, key=lambda name: minutes[name or ""])
    assert len(set(played)) == len(ALL)


def test_a_table_for_two_shows_what_two_can_play() -> None:
    rig = free_table(2, offered=[games.find("big-idea"), games.find("bid-it")])
    assert begin(rig).game == "bid-it"


def test_no_hand_is_shown_and_people_can_follow() -> None:
    rig = free_table(offered=[games.find("bid-it")])
    begin(rig)
    steps, events, at = [], -1, rig.clock.time
    for _ in range(240):
        wait(rig, 0.25)
        demonstration = shown(rig)
        if demonstration is None or demonstration.view is None:
            break
        assert "you" not in demonstration.view.seats["1"]
        if len(demonstration.events) != events:
            steps.append(rig.clock.time - at)
            events, at = len(demonstration.events), rig.clock.time
    assert 1.5 <= sum(steps[1:-1]) / len(steps[1:-1]) <= 6


def test_dice_of_the_hub_lie_there_to_be_read() -> None:
    rig = free_table()
    begin(rig)
    assert wait(rig, MOST_SECONDS, lambda: shown(rig) and shown(rig).dice) < MOST_SECONDS  # type: ignore[union-attr]
    demonstration = shown(rig)
    assert demonstration
    dice = demonstration.dice
    assert dice
    assert (dice.state, dice.read, len(dice.faces)) == ("settled", "hub", dice.count)
    assert rig.dice.armed == [], "no reader is asked"
    assert 1.5 <= wait(rig, 10, lambda: shown(rig) and not shown(rig).dice) <= 3.5  # type: ignore[union-attr]


def test_paper_gets_a_picture_a_minute() -> None:
    rig = free_table(offered=[games.find("bidness")])  # takes longer than a demonstration does
    begin(rig)
    assert screen(rig).paper is None
    papers: list[PublicState] = []
    for _ in range(int(3.5 * PAPER_SECONDS)):
        wait(rig, 1)
        paper = screen(rig).paper
        if paper and paper not in papers:
            papers.append(paper)
    assert len(papers) == 3
    assert papers[0].title == "Demo: Bidness"
    rig.press(1, "bar")
    assert screen(rig).paper is None


def test_staff_see_the_lobby_and_are_not_woken_by_it() -> None:
    changes: list[int] = []
    feed = StaffFeed(lambda: changes.append(1))
    rig = free_table(start=False)
    rig.ports.pages.append(feed)
    rig.table.start()
    before = len(changes)
    begin(rig)
    wait(rig, 60)
    assert feed.newest
    assert (feed.newest.state, feed.newest.title) == ("lobby", "")
    assert len(changes) == before


def test_the_light_of_the_staff_holds_for_it() -> None:
    rig = free_table()
    rig.take(StaffRequest("light", {"percent": 30}, lambda *_: None))
    bright = free_table().lamps.shown[-1][1].colour
    begin(rig)
    assert screen(rig).light == 30
    assert rig.lamps.shown[-1][1].colour != bright


def test_a_house_player_that_fails_is_left_out_and_the_table_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    play = house_player.play

    def fail(match: Any, *args: Any, **more: Any) -> Any:
        if match.game.name == FIRST:
            raise RulesBug("The house player failed.")
        return play(match, *args, **more)

    monkeypatch.setattr(house_player, "play", fail)
    rig = free_table()
    assert begin(rig).game == FIRST
    wait(rig, 10, lambda: shown(rig) is None)
    assert wait(rig, 120, lambda: shown(rig)) == LOBBY_SECONDS
    demonstration = shown(rig)
    assert demonstration
    assert demonstration.game == SECOND
    wait(rig, 600)
    rig.sit(1)
    assert rig.state["seats"][0]["held"]


def test_a_table_whose_disk_fails_shows_none() -> None:
    rig = free_table()
    rig.store.broken = "The disk is full."
    rig.press(1, "push")
    wait(rig, 3 * AFTER, lambda: shown(rig))
    assert shown(rig) is None
    rig.store.broken = ""
    wait(rig, 10)
    assert rig.state["state"] == "lobby"


def test_where_no_game_is_for_so_few_seats_the_lobby_stays() -> None:
    rig = free_table(2, offered=[games.find("big-idea")])
    assert games.find("big-idea").seats[0] > 2
    wait(rig, AFTER + 2 * LOBBY_SECONDS, lambda: shown(rig))
    assert shown(rig) is None
    assert rig.table.fault == ""
    assert rig.table._demonstration.due_at


def test_somebody_who_sat_down_with_a_box_alone_is_there_too() -> None:
    rig = free_table()
    rig.press(2, "push")
    wait(rig, 2 * AFTER, lambda: shown(rig))
    assert shown(rig) is None
    assert rig.table._demonstration.due_at is None


def test_each_demonstration_is_a_match_of_its_own_that_shows_nothing_of_the_lobby() -> None:
    rig = free_table()
    first = begin(rig)
    assert (first.match, first.title, first.games, first.put_aside) == (
        "demonstration-1",
        games.find(FIRST).title,
        [],
        [],
    )
    assert (first.kit, first.dispute, first.preset, first.options, first.over) == (None, None, "", {}, None)
    assert first.highlights == []
    assert [(one.held, one.phone, one.presence) for one in first.seats] == [(True, "none", "here")] * 3
    rig.press(1, "bar")
    assert begin(rig).match == "demonstration-2"


def test_between_two_steps_nothing_is_published() -> None:
    rig = free_table()
    begin(rig)
    pictures = len(rig.page.shown)
    rig.take(Tick(), Tick(), Tick())
    assert len(rig.page.shown) == pictures
    assert rig.table._demonstration.due_at
    rig.clock.time = rig.table._demonstration.due_at
    rig.take(Tick())
    assert len(rig.page.shown) == pictures + 1


def test_many_dice_lie_there_six_at_a_time() -> None:
    roll = Roll(2, 8, 6, "trial")
    dice = _public_dice(roll, [1, 2, 3, 4, 5, 6, 1, 1])
    assert (dice.state, dice.read, dice.seat, dice.count, dice.sides, dice.why) == ("settled", "hub", 2, 8, 6, "trial")
    assert (dice.batch, dice.faces, dice.total) == (2, [1, 1], 23)
    assert dice.done == [Batch([1, 2, 3, 4, 5, 6], "hub")]
    whole = _public_dice(roll, [6] * 6)
    assert (whole.batch, whole.faces, whole.done) == (6, [6] * 6, [])


# --- games of these tests -----------------------------------------------------------------------------------


async def endless(s: Climb) -> None:
    """Ask one seat after the other, without an end."""
    while True:
        for seat in s.seats:
            await ask(s, seat, [offer("climb"), offer("rest")], "Climb or rest.", "All wait for a climber.")


async def secret(s: Climb) -> None:
    """Let all choose in secret, without an end."""
    while True:
        await ask_all(s, {seat: [offer("climb"), offer("rest")] for seat in s.seats}, "Choose.", into="bid")


async def throws(s: Climb) -> None:
    """Let seat 2 roll one die after the other."""
    while True:
        await roll(s, 2, 1, 6, "trial", "Roll a die.")


class Even(Random):
    """Chance that always draws the same share of a range; what the house chooses is not its matter."""

    def __init__(self, share: float) -> None:
        super().__init__(1)
        self.share = share

    def random(self) -> float:
        return self.share

    def getrandbits(self, k: int, /) -> int:
        return super().getrandbits(k)


def steady(rig: TableRig, share: float = 0.5) -> None:
    """Let chance choose the middle between the shortest and the longest step, or another share."""
    rig.table._demonstration._random = Even(share)


def step(rig: TableRig) -> float:
    """Take the next step at its time; return how many seconds after that the following one is due."""
    due = rig.table._demonstration.due_at
    assert due is not None
    rig.clock.time = due
    rig.take(Tick())
    due = rig.table._demonstration.due_at
    assert due is not None
    return due - rig.clock.time


def seats_shown(demonstration: PublicState) -> list[int]:
    assert demonstration.view
    return sorted(map(int, demonstration.view.seats))


@pytest.mark.parametrize(
    ("share", "seconds"), [(0.0, 0.8 * STEP_SECONDS), (0.5, STEP_SECONDS), (1.0, 1.2 * STEP_SECONDS)]
)
def test_each_decision_stands_for_about_two_and_a_half_seconds(share: float, seconds: float) -> None:
    rig = free_table(offered=[made_up("endless", endless)])
    steady(rig, share)
    begin(rig)
    demonstration = rig.table._demonstration
    assert demonstration.due_at
    assert demonstration.due_at - rig.clock.time == pytest.approx(seconds), "the first one as well"
    assert [step(rig) for _ in range(3)] == pytest.approx([seconds] * 3)


def test_in_a_secret_choice_the_seats_after_the_first_one_take_a_quarter_of_that() -> None:
    rig = free_table(offered=[made_up("secret", secret)])
    steady(rig)
    begin(rig)
    assert step(rig) == pytest.approx(STEP_SECONDS * SEALED_SHARE)
    first = shown(rig)
    assert step(rig) == pytest.approx(STEP_SECONDS * SEALED_SHARE)
    second = shown(rig)
    assert step(rig) == pytest.approx(STEP_SECONDS), "the next choice"
    third = shown(rig)
    assert first and second and third  # noqa: PT018 - for mypy
    assert (first.locked, second.locked, third.locked) == ([1], [1, 2], [])


def test_dice_lie_there_for_a_step_before_the_rules_take_them() -> None:
    rig = free_table(offered=[made_up("throws", throws)])
    steady(rig)
    begin(rig)
    for _ in range(3):
        assert shown(rig).dice is None  # type: ignore[union-attr]
        assert step(rig) == pytest.approx(STEP_SECONDS)
        dice = shown(rig).dice  # type: ignore[union-attr]
        assert dice
        assert (dice.seat, dice.count) == (2, 1)
        assert step(rig) == pytest.approx(STEP_SECONDS)


@pytest.mark.parametrize("play", [endless, secret, throws])
def test_a_demonstration_without_an_end_is_over_after_four_minutes_sharp(play: Any) -> None:
    rig = free_table(offered=[made_up("long", play)])
    begin(rig)
    assert wait(rig, 600, lambda: shown(rig) is None) == MOST_SECONDS


def test_a_game_that_has_ended_is_shown_again_after_a_minute_in_the_lobby(caplog: pytest.LogCaptureFixture) -> None:
    rig = free_table(offered=[SHORT])
    for number in (1, 2, 3):
        demonstration = begin(rig) if number == 1 else shown(rig)
        assert demonstration
        assert (demonstration.match, demonstration.state) == (f"demonstration-{number}", "playing")
        assert wait(rig, 60, lambda: shown(rig).state == "over") <= 1.2 * STEP_SECONDS + 0.25  # type: ignore[union-attr]
        assert wait(rig, 60, lambda: shown(rig) is None) == RESULT_SECONDS
        assert wait(rig, 120, lambda: shown(rig)) == LOBBY_SECONDS
    assert [one for one in caplog.records if one.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    ("fits", "places", "playing"),
    [((2, 6), 2, 2), ((2, 6), 3, 3), ((2, 6), 5, 3), ((2, 2), 4, 2), ((4, 6), 5, 4), ((3, 3), 3, 3)],
)
def test_three_seats_play_or_as_few_or_many_as_the_game_and_the_table_have(
    fits: tuple[int, int], places: int, playing: int
) -> None:
    rig = free_table(places, offered=[made_up("endless", endless, fits)])
    assert seats_shown(begin(rig)) == [*range(1, playing + 1)]


def test_what_it_shows_is_its_own_match_and_nothing_of_the_lobby_or_of_an_earlier_match() -> None:
    rig = free_table(4, offered=[made_up("endless", endless)])
    rig.take(DiceKit("tray", 6))
    begin(rig)
    lobby = replace(
        rig.table._snapshots.public(rig.table._resumption.table),
        kit=Kit(6),
        put_aside=[PutAside("m-1", "x", "X", 0, [1, 2], [1])],
        dispute=PublicDispute("open", 1, [3], "read"),
        preset="full",
        options={"rungs": 9},
    )
    picture = rig.table._demonstration.picture(lobby)
    assert picture
    assert (picture.kit, picture.put_aside, picture.dispute, picture.preset, picture.options) == (
        None,
        [],
        None,
        "",
        {},
    )
    assert (picture.game, picture.title, picture.state, picture.over) == ("endless", "Endless", "playing", None)
    assert (picture.want, picture.locked, picture.games) == ("All wait for a climber.", [], [])
    assert picture.seats[3] == lobby.seats[3]
    assert (picture.table, picture.name, picture.code, picture.seq) == (lobby.table, lobby.name, lobby.code, lobby.seq)


def test_the_result_of_a_demonstration_has_highlights() -> None:
    rig = free_table(offered=[games.find("bid-it")])
    assert begin(rig).highlights == []
    wait(rig, MOST_SECONDS, lambda: shown(rig) is None or shown(rig).state == "over")  # type: ignore[union-attr]
    over = shown(rig)
    assert over
    assert over.over
    assert over.highlights


def test_a_game_that_cannot_start_is_left_out() -> None:
    def refuse(_: object) -> Climb:
        raise StartRefused("It has no cards.")

    rules = Rulebook(deal=refuse, play=endless, explain=lambda *_: None)
    rig = free_table(offered=[replace(made_up("bad", endless), rulebook=rules), made_up("good", endless)])
    pictures = len(rig.page.shown)
    assert wait(rig, 10 * AFTER, lambda: shown(rig)) == AFTER + LOBBY_SECONDS
    assert shown(rig).game == "good"  # type: ignore[union-attr]
    assert len(rig.page.shown) == pictures + 1, "the lobby stayed as it was"


def test_a_house_that_has_nothing_to_do_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_player, "play", lambda *_: None)
    rig = free_table(offered=[made_up("endless", endless)])
    begin(rig)
    wait(rig, 10, lambda: shown(rig) is None)
    wait(rig, 10 * AFTER, lambda: shown(rig))
    assert shown(rig) is None, "there is no other game"
    assert rig.table._demonstration.due_at is None


def test_paper_gets_its_picture_at_the_first_step_after_a_minute() -> None:
    for early, has_picture in ((0.5, False), (0.0, True)):
        rig = free_table(offered=[made_up("endless", endless)])
        begin(rig)
        rig.clock.time += PAPER_SECONDS - early
        rig.take(Tick())
        assert bool(screen(rig).paper) is has_picture
