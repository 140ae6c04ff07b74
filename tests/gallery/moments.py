"""Moments of matches and of a table, played on a table without devices: what each screen of the gallery shows.

The house plays all seats. A moment is kept the first time that it is another kind of question than those before it: phase,
sealed or not, dice, the moves that are offered. With the same code the moments are the same in every run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

import msgspec

from hub import games
from hub.engine import house_player
from hub.engine.game import Game
from hub.engine.printed import OPTION, is_printed
from hub.engine.text import english, say
from hub.network.messages import to_bytes
from hub.ports import BoxDown, DiceKit, PhoneLink, Tick
from hub.state import PublicState, ScreenState
from hub.table.dice.roll_states import ACCEPT_SECONDS
from hub.table.people.people import Patience
from tests.table.fakes import TableRig
from tests.table.test_pitches import launch

NAMES = {
    1: "MMMMMMMMMM WWWWWWWWW",
    2: "Ångström-Ñúñez Žižka",
    3: "Zoë",
    4: "Maximiliane Überwald",
    5: "Bartholomäus van Dyk",
    6: "Jean-Étienne Lefèvre",
}
MOST_SEATS = 6
STEPS = 700
"""Actions of one match that is looked through for moments."""
MOST_OF_A_PHASE = 4
"""Moments of one phase: which moves are offered differs with every hand."""
SEEDS = (3, 8)

Json = dict[str, Any]


@dataclass(frozen=True)
class Moment:
    """What everybody, the table's own screens and each hand see at one moment.

    `asked` and `other` are the seats whose phones are shown: one that has something to do, and one that looks on.
    `before` is what stood there just before, for screens that show a change. `whole` asks for every size and the panels.
    """

    section: str
    name: str
    screen: Json
    hands: Mapping[int, Json]
    asked: int = 1
    other: int | None = None
    before: Moment | None = None
    game: str = ""
    tabs: tuple[str, ...] = ()
    own: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the table's own screens that phones have not."""


PRINTED_STEPS = 40
"""Answers of a match with printed cards: more than a round of any game."""


class Sitting(TableRig):
    """A table whose guests have long names; at most six seats, as many as the games take."""

    def __init__(self, *played: Game, seed: int = 1, guests: int | None = None, **more: Any) -> None:
        places = min(MOST_SEATS, max(game.seats[1] for game in played))
        super().__init__(places, offered=played, seed=seed, **more)
        self.boxes_up()
        for seat in range(1, (places if guests is None else guests) + 1):
            decided = self.claim(seat, self.code(seat), NAMES[seat])
            assert decided
            assert decided.held
            self.sids[seat] = decided.sid
            self.take(PhoneLink(decided.sid, True))

    def moment(self, section: str, name: str, **more: Any) -> Moment:
        """Keep what is to be seen now."""
        assert self.page.newest
        screen = deepcopy(msgspec.to_builtins(self.page.newest, enc_hook=english))
        if texts := json.loads(to_bytes(self.page.newest)).get("texts"):
            screen["texts"] = texts
        hands = {seat: deepcopy(self.hand(seat)) for seat in self.sids}
        asked, other = self._shown(screen)
        kept: Json = {"asked": asked, "other": other, "game": screen["game"] or ""} | more
        return Moment(section, name, _steady(screen), {seat: _steady(hand) for seat, hand in hands.items()}, **kept)

    def _shown(self, state: Json) -> tuple[int, int | None]:
        """Return the seat that has something to do, and one that has not; those with the longest hands first."""
        busy = []
        if state["view"]:
            busy = [int(seat) for seat in state["view"]["waiting"]["seats"] if int(seat) not in state["locked"]]
        if state["dice"]:
            busy = [state["dice"]["seat"], *busy]
        busy = [seat for seat in busy if seat in self.sids]
        rest = [seat for seat in self.sids if seat not in busy]
        asked = busy[-1] if busy and not state["dice"] else busy[0] if busy else min(self.sids, default=1)
        locked = [seat for seat in state["locked"] if seat in rest]
        others = [seat for seat in [*locked, *rest] if seat != asked]
        return asked, others[0] if others else None

    # --- what the house does ---

    def wait(self, seconds: float) -> None:
        self.clock.time += seconds
        self.take(Tick())

    def step(self, random: Random) -> bool:
        """Let the house answer for one seat that is asked, or let dice fall; return False once nobody is asked."""
        match = self.table.match
        assert match
        if match.over or match.fault:
            return False
        for seat in match.setup.seats:
            # Of printed cards the game's own house player knows nothing.
            player = house_player.ANY_GAME if is_printed(match.setup) else None
            action = house_player.play(match, seat, "steady", random, player=player)
            if action is None:
                continue
            if action.seat == 0:
                self.let_fall(
                    [random.randint(1, self.state["dice"]["sides"]) for _ in range(self.state["dice"]["batch"])]
                )
            else:
                answer = self.act(seat, action.move, **action.args)
                assert answer["ok"], answer
            return True
        return False

    def let_fall(self, faces: list[int]) -> None:
        """The dice that are asked for fall, and are accepted."""
        if self.state["dice"]["state"] == "no_reader":
            self.roll(*faces)
            return
        self.see("rolling")
        self.see("settled", *faces)
        self.wait(ACCEPT_SECONDS)


def _steady(told: Json) -> Json:
    """Return a message without what differs from run to run."""
    told = told | {"session": "gallery"}
    if "code" in told:
        told |= {"code": "FISH", "fingerprint": "12345 67890 12345 67890"}
        told.pop("claim_codes", None)
    if told.get("seat_code"):
        told["seat_code"] = "BCDFGH"
    if told.get("hand_over"):
        told["hand_over"] = "BCDFGH"
    if told.get("demonstration"):
        told["demonstration"] = _steady(told["demonstration"])
        told["demonstration"].pop("fingerprint", None)
    return told


# --- one game ------------------------------------------------------------------------------------------


def of_game(name: str) -> list[Moment]:
    """Return the moments of a game: one of each kind of question, dice, reveals and the result."""
    found: dict[str, Moment] = {}
    for seed in SEEDS:
        for moment in _match(games.find(name), seed):
            if moment.name not in found:
                found[moment.name] = moment
    return list(_with_tabs(list(found.values())))


def _match(game: Game, seed: int) -> Iterator[Moment]:
    rig, random = Sitting(game, seed=seed), Random(seed)
    rig.start(game.name)
    seen: set[tuple[Any, ...]] = set()
    phases: dict[str, int] = {}
    title = str(game.title)
    for _ in range(STEPS):
        state = rig.state
        phase = state["view"]["phase"]
        kind = _kind(rig)
        last = rig.moment(title, "")
        if kind not in seen and phases.get(phase, 0) < MOST_OF_A_PHASE:
            seen.add(kind)
            phases[phase] = phases.get(phase, 0) + 1
            yield _named(last, _name(kind, phases[phase]))
            if state["dice"] and state["dice"]["state"] == "armed":
                rig.see("rolling")
                rig.see("settled", *[random.randint(1, state["dice"]["sides"]) for _ in range(state["dice"]["batch"])])
                yield rig.moment(title, f"{phase}, dice lie")
                rig.wait(ACCEPT_SECONDS)
                yield rig.moment(title, f"{phase}, after the dice", before=last)
                continue
        locked = len(state["locked"])
        if not rig.step(random):
            break
        now = rig.state
        if locked and not now["locked"]:
            yield rig.moment(title, f"{phase}, revealed", before=last)
        elif locked + 1 == len(now["locked"]) == max(2, len(rig.sids) - 2):
            yield rig.moment(title, f"{phase}, some have locked")
    if rig.state["state"] == "over":
        yield rig.moment(title, "over")


def of_printed() -> list[Moment]:
    """Return moments of each game that may be played with printed cards: lay-out, and what is asked in a round or two."""
    return [moment for game in ALL if OPTION in game.options for moment in _printed(game)]


def _printed(game: Game) -> Iterator[Moment]:
    rig, random = Sitting(game, guests=4), Random(1)
    rig.start(game.name, **{OPTION: True})
    seen: set[tuple[Any, ...]] = set()
    for _ in range(PRINTED_STEPS):
        if (kind := _kind(rig)) not in seen:
            seen.add(kind)
            yield rig.moment("Printed cards", f"{game.title}: {_name(kind, len(seen))}")
        if not rig.step(random):
            return


def _kind(rig: Sitting) -> tuple[Any, ...]:
    """Return what tells this question from others: phase, dice, secrecy, moves that are offered, what stands open."""
    state = rig.state
    waiting = state["view"]["waiting"]
    asked = [int(seat) for seat in waiting["seats"]]
    dice = state["dice"]["batch"] > 1 if state["dice"] else None
    moves = {
        (one["move"], *sorted(key for key, value in one.items() if isinstance(value, dict)))
        for seat in asked[:1]
        for one in rig.hand(seat)["moves"]
        if not one.get("standing")
    }
    return state["view"]["phase"], dice, waiting.get("secret"), frozenset(moves)


def _name(kind: tuple[Any, ...], number: int) -> str:
    phase, dice, secret, _ = kind
    how = ", dice" if dice is not None else ", sealed" if secret else ""
    return f"{phase}{how}{f' {number}' if number > 1 else ''}"


def _named(moment: Moment, name: str) -> Moment:
    return Moment(**{**vars(moment), "name": name})


def _with_tabs(moments: list[Moment]) -> Iterator[Moment]:
    """Give the moment in the middle of the match the tabs of the phone as well."""
    middle = len(moments) * 2 // 3
    for place, moment in enumerate(moments):
        yield (
            Moment(**{**vars(moment), "tabs": ("Rules", "Log", "Why did money and points change?")})
            if place == middle
            else moment
        )


# --- the table -----------------------------------------------------------------------------------------


def of_table() -> list[Moment]:
    """Return moments that no game decides: lobby, questions, trouble with dice, notices, a demonstration."""
    return [moment for moments in (_lobby, _questions, _dice, _around, _demonstrations) for moment in moments()]


ALL = [games.find(name) for name in games.names()]
SECTIONS = ("Lobby", "Questions of the table", "Dice", "Notices", "Demonstration", "Printed cards", "Staff and bench")
WIFI = {"name": "Café Zum Grünen Würfel Gäste", "code": "WIFI:T:WPA;S:Cafe;P:guest-guest;;"}


def _lobby() -> Iterator[Moment]:
    section = "Lobby"
    yield Sitting(*ALL, guests=0).moment(section, "nobody")
    yield Sitting(*ALL, guests=0).moment(
        section, "nobody, with Wi-Fi and PIN", own={"wifi": WIFI, "staff_pin": "123456"}
    )
    new = {"wifi": WIFI, "staff_pin": "123456", "setup": f"http://10.42.0.1:8080/setup#k={'A' * 43}&pin=123456"}
    yield Sitting(*ALL, guests=0).moment(section, "a new hub", own=new)
    yield Sitting(*ALL, guests=0, boxes=False).moment(section, "nobody, no boxes")
    rig = Sitting(*ALL, guests=3)
    yield rig.moment(section, "three sit", tabs=("Help", "Seat"))
    rig.say(2, "wish", {"game": "bidness"})
    rig.say(3, "ready", {"ready": True})
    yield rig.moment(section, "a wish")
    chosen = {"printed_cards": True, "round_limit": 8, "tech_cards": False}
    rig.say(1, "wish", {"game": "bidness", "options": chosen})
    yield rig.moment(section, "options are chosen")
    rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    yield rig.moment(section, "a match begins")
    full = Sitting(*ALL)
    yield full.moment(section, "six sit")
    full.take(BoxDown("box-2", "unplugged"), BoxDown("box-3", "unplugged"))
    full.take(DiceKit("tray", 6, ("red",)))
    full.say(4, "help")
    yield full.moment(section, "boxes lost, a call for help")


def _bait(guests: int | None = None, **more: Any) -> Sitting:
    rig = Sitting(games.find("bid-and-bait"), guests=guests, **more)
    rig.start("bid-and-bait")
    return rig


def _questions() -> Iterator[Moment]:
    section = "Questions of the table"
    rig = _bait()
    rig.say(1, "ask", {"what": "end"})
    yield rig.moment(section, "end the match?", asked=2, other=1)
    rig = _bait()
    rig.say(1, "ask", {"what": "put_aside"})
    yield rig.moment(section, "put it aside?", asked=2, other=1)
    for seat in (2, 3, 4, 5):
        rig.say(seat, "vote", {"say": "yes"})
    yield rig.moment(section, "a match is put aside")
    rig = _bait()
    rig.say(2, "pause")
    yield rig.moment(section, "paused", asked=1, other=2)
    rig = _bait()
    rig.say_leave(3)
    rig.wait(1)
    yield rig.moment(section, "somebody has left")
    rig = _bait()
    rig.take(PhoneLink(rig.sids[2], False), BoxDown("box-2", "unplugged"))
    for _ in range(12):
        rig.wait(30)
    yield rig.moment(section, "somebody is away")
    idea = Sitting(games.find("big-idea"), patience=Patience(pitch=45))
    launch(idea)
    yield idea.moment(section, "somebody reads aloud", asked=1, other=2)


def _dice() -> Iterator[Moment]:
    section = "Dice"
    rig, random = _bait(), Random(5)
    while not rig.state["dice"]:
        rig.step(random)
    yield rig.moment(section, "armed")
    rig.see("rolling")
    yield rig.moment(section, "rolling")
    leaning = say("One die is leaning: roll only that one again.")
    too_many = say("I see {seen} of {count} dice.", seen=2, count=1)
    for state, faces, text in (("cocked", (2,), leaning), ("wrong_count", (2, 3), too_many)):
        rig.see(state, *faces, say=text)  # type: ignore[arg-type]
        yield rig.moment(section, state.replace("_", " "))
    rig.say(rig.state["dice"]["seat"], "roll", {"faces": [2]})
    yield rig.moment(section, "typed", asked=_another(rig), other=rig.state["dice"]["seat"])
    rig.say(_another(rig), "dice", {"say": "accept"})
    yield rig.moment(section, "may be disputed")
    rig.say(_another(rig), "dice", {"say": "reread"})
    yield rig.moment(section, "dispute, a vote")
    rig = _bait(reader=False)
    while not rig.state["dice"]:
        rig.step(random)
    yield rig.moment(section, "no reader")
    rig.say(_another(rig), "dice", {"say": "hub"})
    yield rig.moment(section, "a vote for the hub's roll")


def _another(rig: Sitting) -> int:
    """Return a seat that does not roll."""
    rolls = (rig.state["dice"] or rig.state["dispute"] or {"seat": 0})["seat"]
    return next(seat for seat in rig.sids if seat != rolls)


def _around() -> Iterator[Moment]:
    section = "Notices"
    rig = _bait()
    rig.say(2, "help")
    rig.take(BoxDown("box-1", "unplugged"), BoxDown("box-4", "unplugged"))
    yield rig.moment(section, "help and two lost boxes in a match", own={"staff_pin": "123456"})
    calm = _bait().moment(section, "")
    stopped = calm.screen | {
        "state": "stopped", "want": "", "locked": [],
        "notices": [{"key": "rules", "severity": "error", "text": "The rules met something new. Undo one step to go on."}],
    }  # fmt: skip
    yield Moment(section, "stopped", stopped, calm.hands, game=calm.game)
    yield Moment(section, "dim light", calm.screen, calm.hands, game=calm.game, own={"light": 30})


def _demonstrations() -> Iterator[Moment]:
    section = "Demonstration"
    for game in ALL:
        rig = Sitting(game, guests=0, attract_seconds=60)
        rig.wait(61)
        for _ in range(12):
            rig.wait(3)
        yield rig.moment(section, f"of {game.title}")
    with_all = {"staff_pin": "123456", "wifi": WIFI}
    rig = Sitting(*ALL, guests=0, attract_seconds=60)
    rig.wait(61)
    rig.wait(3)
    rig.take(BoxDown("box-2", "unplugged"))
    yield rig.moment(section, "with a notice and the PIN", own=with_all)


def section_names(begins: str) -> list[str]:
    """Return the names of the sections that begin so."""
    names = [*SECTIONS, *(str(game.title) for game in ALL)]
    return [name for name in names if name.lower().startswith(begins.lower())]


def every(*sections: str) -> list[Moment]:
    """Return the moments of the sections whose names begin so, of all without any: table first, then game by game."""
    begins = tuple(section.lower() for section in sections) or ("",)
    found = [moment for moment in of_table() if moment.section.lower().startswith(begins)]
    if "printed cards".startswith(begins):
        found += of_printed()
    for game in ALL:
        if game.title.lower().startswith(begins):
            found += of_game(game.name)
    return found


def seen_by_all(moment: Moment) -> Json:
    """Return the public part of a moment's screen."""
    own = set(ScreenState.__struct_fields__) - set(PublicState.__struct_fields__)
    return {key: value for key, value in moment.screen.items() if key not in own}


def repeated(moments: list[Moment]) -> list[str]:
    """Return names that two moments of a section share: one picture would be written over the other."""
    names = sorted(f"{moment.section}: {moment.name}" for moment in moments)
    return [one for one, two in pairwise(names) if one == two]
