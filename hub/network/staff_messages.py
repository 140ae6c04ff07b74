"""Messages between the staff page and the hub, all encrypted with the key of one session.

A browser generates a key pair, encrypts the PIN for the hub's key, and gets a session. After that, each request has a number that
was not used before, and each answer names the number of its request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from hub.network.messages import Key64, reader
from hub.network.screen_messages import ScreenSeen
from hub.network.staff_verbs import STAFF_ARGS
from hub.state import Count, Plain, PublicState, SeatNumber, Texts

ANSWER_SIZE = 2048  # answers are padded to multiples of this

Nonce = Annotated[str, msgspec.Meta(min_length=32, max_length=32)]
SEALED_LENGTH = 7168  # the encrypted deck of I Bid You Not takes 5 kB
Sealed = Annotated[str, msgspec.Meta(max_length=SEALED_LENGTH)]
if TYPE_CHECKING:
    StaffVerb: TypeAlias = str
else:
    StaffVerb = Literal[tuple(STAFF_ARGS)]


class StaffLogin(Plain, frozen=True):
    """Body of `POST /staff/login`: the browser's public key and the encrypted StaffSecret with its nonce."""

    pk: Key64
    nonce: Nonce
    box: Sealed


class StaffSecret(Plain, frozen=True):
    """Plain text of a login.

    - `pin`: the PIN.
    - `browser`: the token that this browser got from its last login; empty for the first login.
    - `setup`: to set up the hub. A first PIN stays on the screen, because its reader may be gone before the end.
    """

    pin: Annotated[str, msgspec.Meta(pattern="^[0-9]{6}$")]
    browser: Annotated[str, msgspec.Meta(max_length=64)] = ""
    setup: bool = False


class StaffSession(Plain, frozen=True):
    """Plain text of the answer to a login.

    - `session`, `seconds`: the session and its duration.
    - `browser`: a token that the browser keeps for the next login.
    - `first`: the PIN is the first one of this hub, which the screens show.
    """

    session: str
    seconds: int
    browser: str
    first: bool = False


class StaffBody(Plain, frozen=True):
    """Body of `POST /staff/ask`: the session, and the encrypted StaffAsk with its nonce."""

    session: Annotated[str, msgspec.Meta(max_length=64)]
    nonce: Nonce
    box: Sealed


class StaffAsk(Plain, frozen=True):
    """A request. Each `n` is used once per session. `look` waits for a picture of the venue newer than `args.since`."""

    n: Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
    verb: StaffVerb
    table: Annotated[str, msgspec.Meta(max_length=32)] = ""
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class StaffBox(Plain, frozen=True):
    """An encrypted answer with its nonce."""

    nonce: str
    box: str


# --- the venue -----------------------------------------------------------------------------------------------


class Fault(Plain, frozen=True):
    """A problem in plain words, and what to do about it."""

    what: str
    do: str = ""
    severity: Literal["error", "warning"] = "warning"


class Did(Plain, frozen=True):
    """An action of staff at a table: its time (Unix time), and the match that it changed."""

    at: int
    text: str
    match: str | None = None
    entries: int = 0


class BoxTest(Plain, frozen=True):
    """The box of a seat during a test: the controls that were not pressed or turned yet."""

    seat: SeatNumber
    left: list[str]


class HardwareTest(Plain, frozen=True):
    """A test of boxes, rings, dice or panels at a table. `seconds` is the time left, `dice` a sentence.

    `panels`: they show a test picture.
    """

    seconds: int
    boxes: list[BoxTest]
    dice: str = ""
    panels: bool = False


class KeptMatch(Plain, frozen=True):
    """A suspended match of this table: since when (Unix time), and the names of the players by seat."""

    match: str
    title: str
    since: int
    seats: dict[str, str]


class Desk(Plain, frozen=True):
    """The state of a table that only staff see, in addition to its public state.

    - `did`: the latest actions of staff.
    - `until`: when the table's time ends (Unix time); None if there is no limit.
    - `light`, `volume`: brightness of rings and screens, and volume of sounds, in percent.
    - `test`: the test of the hardware that runs now.
    - `by_hours`: the time limit comes from the opening hours of the venue, not from staff.
    - `put_aside`: all suspended matches that can be resumed here, the newest first.
    """

    did: list[Did] = msgspec.field(default_factory=list)
    until: int | None = None
    light: int = 100
    volume: int = 60
    test: HardwareTest | None = None
    by_hours: bool = False
    put_aside: list[KeptMatch] = msgspec.field(default_factory=list)


class StaffTable(Plain, frozen=True):
    """One table as staff see it: the public state without long lists, and nothing that only one seat may see.

    - `begun`: when the match began (Unix time).
    - `screens`: the big screens that were seen within the last day.
    - `camera`: a camera reads its dice.
    - `panels`: it has panels.
    """

    public: PublicState
    desk: Desk
    begun: int | None = None
    faults: list[Fault] = msgspec.field(default_factory=list)
    screens: list[ScreenSeen] = msgspec.field(default_factory=list)
    camera: bool = False
    panels: bool = False


class TableSeen(Plain, frozen=True):
    """A table of a hub of this venue, as reported to the broker above the hubs, without names of guests."""

    table: str
    name: str
    state: Literal["lobby", "playing", "over", "stopped"]
    game: str
    round: Count | None
    seats: Count
    people: Count
    calls: Count
    minutes_left: Count | None


class HubSeen(Plain, frozen=True):
    """A hub of this venue, as reported to the broker above the hubs.

    - `state`: `own` is this hub. `unknown` means that this hub itself has no connection to that broker.
    - `heard`: when the last message arrived (Unix time).
    """

    hub: str
    state: Literal["own", "here", "away", "unknown"]
    heard: Count | None
    version: str
    tables: list[TableSeen]


class Upstream(Plain, frozen=True):
    """The broker above the hubs of a venue, as this hub sees it.

    - `up`, `since`: whether this hub is connected, and since when it is or is not (Unix time).
    - `why`: the reason if it is not connected.
    - `waiting`: the number of finished matches that are not sent yet.
    - `twin`: another hub there uses the same id.
    """

    broker: str
    venue: str
    up: bool
    since: Count
    why: str
    waiting: Count
    twin: bool
    hubs: list[HubSeen]


class UpdateSeen(Plain, frozen=True):
    """What staff can do about a newer version of table-hub now, and what came of the last attempt (`at`: Unix time)."""

    can: Literal["", "look", "install"]
    text: str = ""
    at: Count = 0


class BackupSeen(Plain, frozen=True):
    """Backups on USB sticks.

    - `can`: "" while a step is under way; `save` a backup, or look for one; `restore` the one that was found, too.
    - `text`: what is being done, or came of the last step.
    """

    can: Literal["", "save", "restore"]
    text: str = ""


class WifiNetwork(Plain, frozen=True):
    """A Wi-Fi network in reach of the hub. `is_open`: it needs no password."""

    name: str
    is_open: bool


class VenueWifi(Plain, frozen=True):
    """The hub's radio, if the hub may use it.

    - `state`: see `WifiRule` in `hub/network/wifi.py`.
    - `name`: the network that the hub is in, or is joining; "" if it has none, or is in its own.
    - `own`: the name of the hub's own Wi-Fi.
    - `networks`: those in reach, the strongest first.
    - `problem`: why the last attempt failed; "" if all is well.
    """

    state: Literal["off", "waiting", "network", "joining", "hotspot"]
    name: str
    own: str
    networks: list[WifiNetwork]
    problem: str


class FoundDevice(Plain, frozen=True):
    """A device that is plugged in and not in use.

    - `text`: what it is.
    - `tables`: the ids of the tables whose dice it could read.
    - `programs`: what a Pico that waits for firmware can become.
    - `note`: what happens to it now, or why nothing can be made of it.
    """

    device: str
    text: str
    tables: list[str] = msgspec.field(default_factory=list)
    programs: list[Literal["box", "tray"]] = msgspec.field(default_factory=list)
    note: str = ""


class Venue(Plain, frozen=True):
    """All tables of this hub.

    - `now`: the hub's clock (Unix time).
    - `restart`, `off`: why the hub cannot restart, or switch off its machine; "" if it can.
    - `upstream`: the broker above the hubs of this venue, if the owner configured one.
    - `update`: updates of this hub; None if it was not installed as a package.
    - `backup`: backups on USB sticks; None if the hub was not installed as a package.
    - `wifi`: the hub's Wi-Fi; None if the hub leaves the network alone.
    - `found`: devices that are plugged in and not in use.
    """

    now: int
    hub: str
    version: str
    tables: list[StaffTable]
    faults: list[Fault] = msgspec.field(default_factory=list)
    restart: str = ""
    off: str = ""
    upstream: Upstream | None = None
    update: UpdateSeen | None = None
    wifi: VenueWifi | None = None
    found: list[FoundDevice] = msgspec.field(default_factory=list)
    backup: BackupSeen | None = None


# --- the configuration ----------------------------------------------------------------------------------------


class ChoicePicture(Plain, frozen=True):
    """A product among which an owner chooses by looking at it.

    - `text`: what is printed on it.
    - `width`, `height`: of what it shows, in tenths of a millimeter. `columns`, `rows`: in pixels.
    - `colors`: what each pixel can show, by names of CSS.
    """

    text: str
    width: Count
    height: Count
    columns: Count
    rows: Count
    colors: list[str]


class SettingField(Plain, frozen=True):
    """One key of the configuration.

    - `kind`: `switch` is true or false, `choice` one of `choices` (with `pictures`, if they are to be told apart by
      looking at them, in the same order), `list` several values of the kind `item`,
      `secret` a text that is never sent, `password` a path to a file with a password, which is never sent either,
      `tables` blocks with the fields of `part`, `toml` any other value as TOML. `fixed` is changed in the file only.
    - `allowed`: a description of possible values.
    - `default`: the value if the file has none; None if there is no default.
    - `most`: the largest number of values in a `list`; 0 if there is no limit.
    - `group`: the group of the page, if it differs from that of the part.
    """

    key: str
    about: str
    kind: Literal[
        "text", "whole", "number", "switch", "choice", "list", "secret", "password", "tables", "toml", "fixed"
    ]
    allowed: str
    default: Any = None
    choices: list[str] = msgspec.field(default_factory=list)
    item: Literal["", "text", "whole", "number"] = ""
    most: Count = 0
    part: str = ""
    group: str = ""
    pictures: list[ChoicePicture] = msgspec.field(default_factory=list)


class SettingPart(Plain, frozen=True):
    """A part of the configuration: one block of the file, or (`several`) any number of them."""

    about: str
    several: bool
    group: str
    fields: list[SettingField]


class DriverOffer(Plain, frozen=True):
    """A driver for devices that staff can add."""

    about: str
    group: str


class SettingRefused(Plain, frozen=True):
    """Why nothing was changed. `at` leads to the key or block at fault; it is empty if that is not known."""

    at: list[str | Count]
    say: str


class PackageSeen(Plain, frozen=True):
    """A package with games or drivers that is here.

    - `package`: its name and version.
    - `games`: the titles of its games. `drivers`: the names of its drivers.
    - `problems`: a sentence for each game or driver that cannot be used.
    - `file`: its file in the hub's folder, which staff can remove; "" if it was installed in another way.
    - `waits`: the hub uses it, or no longer uses it, after a restart.
    """

    package: str
    games: list[str] = msgspec.field(default_factory=list)
    drivers: list[str] = msgspec.field(default_factory=list)
    problems: list[str] = msgspec.field(default_factory=list)
    file: str = ""
    waits: bool = False


class Settings(Plain, frozen=True):
    """The configuration, its form, and what became of a change.

    - `file`: the owner's file. `seen` identifies its present content.
    - `groups`: the titles of the groups of the page, in order.
    - `parts`: each part by its name in the file; those of drivers by "device" and the driver's name.
    - `values`: what the file says. A secret that is set is `true`.
    - `waiting`: the changed keys that take effect after a restart.
    - `fault`: why the hub would not start with this file.
    - `restart_is_planned`: the hub restarts when no match is played.
    - `packages`: games and drivers of others.
    """

    file: str
    seen: str
    groups: dict[str, str]
    parts: dict[str, SettingPart]
    drivers: dict[str, DriverOffer]
    values: dict[str, Any]
    waiting: list[str]
    fault: str = ""
    refused: SettingRefused | None = None
    is_playing: bool = False
    restart_is_planned: bool = False
    packages: list[PackageSeen] = msgspec.field(default_factory=list)


class CameraSeen(Plain, frozen=True):
    """What the camera of a table's dice tray shows.

    - `picture`: a JPEG in base64; "" while the camera starts.
    - `step`: what has to lie in the tray for the next step of the calibration; `ready`: it is calibrated.
    - `text`: what it reads, or why the last step failed.
    """

    picture: str
    step: Literal["empty", "die", "ready"]
    text: str


class StaffFile(Plain, frozen=True):
    """A file for staff to save: its name, its media type and its content."""

    name: str
    type: str
    data: bytes


class PlayedGame(Plain, frozen=True):
    """The matches of one game that a table has played to the end in an evening, which lasts until six in the morning.

    - `evening`: a date ("2026-11-27"). `table`, `title`: the names of the table and the game.
    - `seats`: those that played, added up over the matches; the house is one, too.
    - `minutes`: added up; matches of more than 12 hours do not count.
    """

    evening: str
    table: str
    title: str
    matches: Count
    seats: Count
    minutes: Count


class CallsOfEvening(Plain, frozen=True):
    """The calls for staff that were answered in an evening: how many, and the middle and longest time until then, in seconds.

    A call that was taken back does not count.
    """

    evening: str
    calls: Count
    middle: Count
    longest: Count


class Evenings(Plain, frozen=True):
    """The evenings of a month ("2026-11"), and all months with finished matches, in order."""

    month: str
    months: list[str]
    played: list[PlayedGame]
    calls: list[CallsOfEvening]


class StaffAnswer(Plain, frozen=True):
    """The answer to the request with the number `re`. `picture` is the number of the newest picture; `look` returns it in `venue`.

    `link` is that of a big screen. It holds a token.
    """

    re: Count
    ok: bool
    say: str = ""
    picture: Count = 0
    venue: Venue | None = None
    findings: list[Fault] | None = None
    settings: Settings | None = None
    camera: CameraSeen | None = None
    file: StaffFile | None = None
    link: str = ""
    evenings: Evenings | None = None
    texts: Texts = msgspec.UNSET


read_login = reader(StaffLogin, "The log-in")
read_secret = reader(StaffSecret, "The log-in")
read_body = reader(StaffBody, "The request", SEALED_LENGTH + 512)
read_ask = reader(StaffAsk, "The request", SEALED_LENGTH)
