"""Whoever is at a table can always bring it on, whatever people, phones, boxes, staff and time do."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from hub import games
from hub.ports import CONTROLS, BoxBid, BoxDown, BoxLocked, BoxUnlocked, BoxUp, Key, StaffRequest, Turn
from hub.table.people.absence import ASK_HERE_SECONDS, ASK_SECONDS
from hub.table.people.house_seats import SECONDS as HOUSE_SECONDS
from hub.table.people.lobby import START_SECONDS
from hub.table.seating.questions import VOTE_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import bring_on, pass_time, question, sleep, wake


@pytest.mark.parametrize(
    ("look", "within"),
    [(VOTE_SECONDS / 2, 2 * (ASK_SECONDS + VOTE_SECONDS)), (ASK_SECONDS + HOUSE_SECONDS, 10 * ASK_SECONDS)],
    ids=["who looks", "who looks once a minute"],
)
@pytest.mark.parametrize("game", games.names())
def test_whoever_is_there_can_always_bring_the_table_on(game: str, look: float, within: float) -> None:
    """People, phones and time at random; then one who stays: in time something is done, or the lobby is open.

    A question about an absent seat is open for `VOTE_SECONDS` after `ASK_SECONDS`, and once more after twice as long. Who looks
    within a question's time is there for the first one or for the second. Who looks once a minute may miss some, and
    gets there later.
    """
    random, found = Random(game), games.find(game)
    for _ in range(3):
        seats = max(3, found.seats[0])
        rig = TableRig(seats, boxes=False, offered=[found], seed=random.randrange(99))
        rig.sit(*range(1, seats + 1))
        rig.start(game)
        for _ in range(30):
            seat = random.choice(list(rig.sids))
            random.choice([sleep, sleep, wake])(rig, seat)
            if random.random() < 0.3:
                rig.say(seat, *random.choice([("pause", {}), ("ask", {"what": "put_aside"}), ("ask", {"what": "end"})]))
            if question(rig) and random.random() < 0.5:
                rig.say(seat, "vote", {"say": random.choice(list(question(rig)["options"]))})
            pass_time(rig, random.randrange(20))
            if rig.state["state"] != "playing":
                break
        if rig.state["state"] != "playing":
            continue
        stays = random.choice(list(rig.sids))
        sleep(rig, *(seat for seat in rig.sids if seat != stays))
        wake(rig, stays)
        if rig.state["paused"]:
            rig.say(stays, "pause")
        for _ in range(12):
            before = len(rig.match.log)
            for _ in range(int(within / look)):
                bring_on(rig, stays)
                pass_time(rig, look)
                if rig.state["state"] != "playing" or len(rig.match.log) > before:
                    break
            assert rig.state["state"] != "playing" or len(rig.match.log) > before
            if rig.state["state"] != "playing":
                break


STEP_SECONDS = 15
"""How often who stays looks at what is asked."""


class Evening:
    """People, phones, boxes, staff and time at random; then one who stays and does what is asked of them."""

    def __init__(self, game: str, random: Random) -> None:
        self.random, self.game = random, game
        found = games.find(game)
        self.seats = max(3, found.seats[0])
        self.rig = TableRig(self.seats, offered=[found], seed=random.randrange(99))
        self.rig.boxes_up()
        self.lock: dict[str, int] = {}  # by box: the round that it has locked

    @property
    def state(self) -> str:
        found: str = self.rig.state["state"]
        return found

    def begin(self) -> None:
        """Some sit down on phones, the others on their boxes; a match begins."""
        rig = self.rig
        phones = [seat for seat in range(1, self.seats + 1) if self.random.random() < 0.5]
        if phones:
            rig.sit(*phones)
        for seat in phones:
            rig.say(seat, "ready", {"ready": True})
        boxes = [seat for seat in range(1, self.seats + 1) if seat not in phones]
        for seat in boxes:
            rig.press(seat, "push")
        if phones:
            rig.say(phones[0], "start", {"game": self.game, "options": {}})
            pass_time(rig, START_SECONDS + 1)
        else:
            rig.press(boxes[0], "push", "push")
        assert self.state == "playing", rig.notice()

    def staff(self, verb: str, **args: Any) -> bool:
        done: list[bool] = []
        self.rig.take(StaffRequest(verb, args, lambda ok, _: done.append(ok)))
        assert len(done) == 1
        return done[0]

    def plug(self, seat: int, *, on: bool) -> None:
        """Put a box's cable in or out. It kept its power, and so its lock."""
        box = f"box-{seat}"
        self.rig.take(BoxUp(box, "b1", "1", 8) if on else BoxDown(box, "unplugged"))
        sealed = self.rig.boxes.rounds.get(box)
        if on and sealed and self.lock.get(box) == sealed.round:
            self.rig.take(BoxLocked(box, sealed.round))

    def press_at_random(self, seat: int) -> None:
        """A person's hands on a box, as its firmware tells of them: in a sealed choice of the lock alone."""
        box, random = f"box-{seat}", self.random
        sealed = self.rig.boxes.rounds.get(box)
        if not self.rig.table._seats[seat].box_on:
            return
        if sealed and self.lock.get(box) != sealed.round:
            if random.random() < 0.7:
                self.lock[box] = sealed.round
                self.rig.take(BoxLocked(box, sealed.round))
        elif sealed:
            if random.random() < 0.2:
                del self.lock[box]
                self.rig.take(BoxUnlocked(box, sealed.round))
            else:
                self.rig.press(seat, random.choice(["k1", "k2", "k3"]))
        elif random.random() < 0.3:
            self.rig.take(Turn(box, random.choice([-2, -1, 1, 3])))
        else:
            self.rig.take(Key(box, random.choice(CONTROLS), random.choice(["down", "down", "down", "hold"])))
        self.open_boxes()

    def open_boxes(self) -> None:
        """Boxes that are asked to open what they have locked do."""
        rig = self.rig
        for what in list(rig.boxes.sent):
            if what[0] == "reveal" and self.lock.get(what[1]) == what[2] and what[1] in rig.boxes.rounds:
                del self.lock[what[1]]
                rig.take(BoxBid(what[1], what[2], 0))
        rig.boxes.sent.clear()

    def step(self) -> None:
        """Something happens at the table."""
        rig, random = self.rig, self.random
        seat = random.randint(1, self.seats)
        kind = random.random()
        if seat in rig.sids and kind < 0.3:
            random.choice([sleep, wake])(rig, seat)
        elif seat in rig.sids and kind < 0.4:
            rig.say(
                seat,
                *random.choice([("pause", {}), ("ask", {"what": "put_aside"}), ("ask", {"what": "end"}), ("help", {})]),
            )
        elif seat in rig.sids and kind < 0.55 and self.state == "playing":
            bring_on(rig, seat)
        elif kind < 0.7:
            self.plug(seat, on=random.random() < 0.6)
        elif kind < 0.94:
            self.press_at_random(seat)
        else:
            self.staff_at_random(seat)
        self.open_boxes()
        if question(rig) and random.random() < 0.3:
            voters = [one for one in question(rig)["voters"] if one in rig.sids]
            if voters:
                rig.say(random.choice(voters), "vote", {"say": random.choice(list(question(rig)["options"]))})
        pass_time(rig, random.randrange(12))
        self.open_boxes()

    def staff_at_random(self, seat: int) -> None:
        events = self.rig.state["events"]
        asks: list[tuple[str, dict[str, Any]]] = [
            ("free", {"seat": seat}), ("undo", {"after": events[-1]["n"] if events else -1}), ("aside", {}), ("end", {}),
            ("reset", {"match": self.random.choice(["aside", "end"])}), ("light", {"percent": 60}),
            ("volume", {"percent": self.random.randrange(101)}),
        ]  # fmt: skip
        verb, args = self.random.choice(asks)
        self.staff(verb, **args)
        taken = [one["seat"] for one in self.rig.state["seats"] if one["phone"] == "none"]
        for gone in taken:
            self.rig.sids.pop(gone, None)

    def one_stays(self) -> int:
        """All go but one, who has a phone or a box that is plugged in; the others' boxes lie there, on or off."""
        rig, random = self.rig, self.random
        stays = random.choice([int(number) for number in rig.state["view"]["seats"]])
        sleep(rig, *(seat for seat in rig.sids if seat != stays))
        for seat in range(1, self.seats + 1):
            if seat != stays and random.random() < 0.5:
                self.plug(seat, on=False)
        self.plug(stays, on=True)
        if stays in rig.sids:
            wake(rig, stays)
        return stays

    def answer(self, seat: int) -> None:
        """Do what is asked of who stays, on the phone, else on the box."""
        rig = self.rig
        if rig.state["paused"]:
            self.go_on(seat)
        if seat in rig.sids:
            bring_on(rig, seat)
        else:
            self.press_what_is_asked(seat)
        self.open_boxes()

    def go_on(self, seat: int) -> None:
        if seat in self.rig.sids:
            self.rig.say(seat, "pause")
        elif f"box-{seat}" not in self.rig.boxes.rounds:
            self.rig.take(Turn(f"box-{seat}", -9))
            self.rig.press(seat, "push")

    def press_what_is_asked(self, seat: int) -> None:
        """A question: let the house play, else no. A sealed choice: lock. Else yes, and then something else."""
        rig, box = self.rig, f"box-{seat}"
        asked = question(rig)
        sealed = rig.boxes.rounds.get(box)
        if asked and seat in asked["voters"]:
            rig.press(seat, "k3" if len(asked["options"]) == 3 else "bar")
        elif sealed and self.lock.get(box) != sealed.round:
            self.lock[box] = sealed.round
            rig.take(BoxLocked(box, sealed.round))
        elif sealed:  # a box tells of nothing else now
            if rig.state["paused"]:
                del self.lock[box]
                rig.take(BoxUnlocked(box, sealed.round))
        elif rig.state["dice"]:
            rig.take(Key(box, "push", "down"))
            if rig.state["dice"] and rig.state["dice"]["seat"] == seat:
                rig.press(seat, "k3", "push")
        elif str(seat) not in rig.state["view"]["waiting"]["seats"]:
            return
        elif self.random.random() < 0.7:
            rig.press(seat, "push")
        else:
            rig.take(Turn(box, 1))
            rig.press(seat, self.random.choice(["push", "bar", "k1"]))


@pytest.mark.slow
@pytest.mark.parametrize("game", games.names())
def test_whoever_is_there_can_always_bring_the_table_on_with_boxes_and_staff_about(game: str) -> None:
    """Whatever people, cables and staff do, one who stays with a phone or a box brings the match on, or the lobby opens."""
    random = Random(f"boxes and staff, {game}")
    tried = 0
    for _ in range(12):
        evening = Evening(game, random)
        evening.begin()
        for _ in range(random.randrange(40)):
            evening.step()
            if evening.state != "playing":
                break
        if evening.state != "playing":
            continue
        stays = evening.one_stays()
        tried += 1
        for _ in range(6):
            before, rig = rig_log(evening.rig), evening.rig
            for _ in range(int(2 * evening.seats * (ASK_HERE_SECONDS + VOTE_SECONDS) / STEP_SECONDS)):
                evening.answer(stays)
                pass_time(rig, STEP_SECONDS)
                if evening.state != "playing" or rig_log(rig) != before:
                    break
            assert evening.state != "playing" or rig_log(rig) != before, stuck(evening, stays)
            if evening.state != "playing":
                break
    assert tried


def rig_log(rig: TableRig) -> tuple[str, int]:
    """Which match the table plays, and how long its log is."""
    match = rig.store.current["1"]
    return match, len(rig.store.entries[match])


def stuck(evening: Evening, stays: int) -> str:
    rig = evening.rig
    state = {
        key: rig.state[key]
        for key in ("state", "question", "paused", "locked", "nudged", "dice", "notices", "seats", "want")
    }
    return f"seat {stays} cannot bring it on: {state} {rig.state['view']['waiting']} {rig.boxes.texts}"
