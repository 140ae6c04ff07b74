"""The command line: `table-hub run | demo | doctor | test-device | update-box | find-dice | ... | referee | ...`."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hub import packages
from hub.config import Config, DevicePart, HubPart, TablePart, WebPart, dump, load, owners_file
from hub.errors import ConfigError, HubError, TemporaryError
from hub.operations.bundle import add_arguments as add_bundle_arguments
from hub.operations.bundle import bundle as make_bundle
from hub.operations.diagnostics import report_error

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from hub.app import Hub
    from hub.network.staff_messages import Fault

UDEV_SECONDS = 2.0  # until udev has given a new port to the group that may open it


class _Parser(ArgumentParser):
    """Refuses a command line with one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help.\n")


class _Version(Action):
    """Print the version: found out only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **given: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **given)

    def __call__(self, parser: ArgumentParser, *_: object) -> NoReturn:
        from hub.version import version

        print(f"table-hub {version()}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.

    2: a wrong command line; 75: what may pass by itself; 78: what a person must change in the configuration.
    """
    try:
        args = parser().parse_args(arguments)
        _find_packages(args)
        code: int = args.command(args)
    except (ConfigError, TemporaryError) as error:
        report_error(error)
        return error.EXIT
    except HubError as error:
        report_error(error)
        return 1
    except (BrokenPipeError, KeyboardInterrupt):
        return 0
    return code


def _find_packages(args: Namespace) -> None:
    """Let this process find the packages of the hub that a command is about. If its configuration is wrong, the command says so.

    Only the hub's own user imports them: root, who may run a command as well, must not run what that user could write.
    """
    file = owners_file(getattr(args, "config", None))
    with suppress(ConfigError, OSError):
        folder = (_demo_state(args) if args.command in (_demo, _play) else Path(load(file).hub.state)) / packages.FOLDER
        if folder.stat().st_uid == os.geteuid():
            # The oldest first: of two packages with the same game, the one that was there before is used.
            wheels = [wheel for wheel in folder.glob("*.whl") if wheel.is_file()]
            wheels.sort(key=lambda wheel: (wheel.stat().st_mtime, wheel.name))
            packages.add_wheels(f"{wheel}" for wheel in wheels)


def parser() -> ArgumentParser:
    """Return the parser of all commands and their arguments."""
    top = _Parser(prog="table-hub", description="Bidding games at a real table: the hub.")
    top.add_argument("--version", action=_Version, help="print which version this is and end")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run the hub")
    run.add_argument("--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any")
    run.add_argument("--check", action="store_true", help="try the configuration without starting anything, and end")
    run.add_argument("--print-config", action="store_true", help="print the whole configuration, or the defaults; end")
    run.set_defaults(command=_run)

    demo = commands.add_parser("demo", help="a whole table on simulated hardware, on this machine")
    _add_bench_arguments(demo)
    demo.add_argument("--lan", action="store_true", help="let real phones of this network join, too")
    demo.add_argument(
        "--open-bench",
        action="store_true",
        help="with --lan: everybody on this network may press every box and see what each seat picks in secret",
    )
    demo.set_defaults(command=_demo, first_game="")

    doctor = commands.add_parser("doctor", help="what is wrong here, and what to do about it")
    doctor.add_argument(
        "--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any"
    )
    doctor.add_argument("--json", action="store_true", help="for a program")
    doctor.set_defaults(command=_doctor)

    bundle = commands.add_parser("bundle", help="a file for somebody who helps, without secrets")
    add_bundle_arguments(bundle)
    bundle.set_defaults(command=make_bundle)

    matches = commands.add_parser("matches", help="the matches that the hub has kept")
    matches.add_argument(
        "--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any"
    )
    matches.set_defaults(command=_matches)

    past = commands.add_parser(
        "history", help="the finished matches: how long, won from which seat, and are the dice fair"
    )
    past.add_argument("--table", metavar="ID", default="", help="of this table only")
    past.add_argument("--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any")
    past.set_defaults(command=_history)

    export = commands.add_parser("export", help="the log of a match as a file that `replay` reads")
    export.add_argument("match", metavar="MATCH", help="its id, as `matches` lists it")
    export.add_argument(
        "file", metavar="FILE.jsonl", nargs="?", type=Path, help="where to; without it MATCH.jsonl in this folder"
    )
    export.add_argument(
        "--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any"
    )
    export.set_defaults(command=_export)

    make_backup = commands.add_parser("backup", help="all that the hub keeps, as one file; it may run meanwhile")
    make_backup.add_argument("file", metavar="FILE", type=Path, help="where to; it is for you alone, and holds secrets")
    make_backup.add_argument(
        "--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any"
    )
    make_backup.set_defaults(command=_backup)

    restore = commands.add_parser("restore", help="bring back what `backup` wrote; the hub must not run")
    restore.add_argument("file", metavar="FILE", type=Path, help="a file that `backup` wrote")
    restore.add_argument(
        "--config", metavar="FILE", help="where the owner's TOML file is to be; without one the installed one's"
    )
    restore.add_argument("--keep-config", action="store_true", help="leave this machine's configuration as it is")
    restore.set_defaults(command=_restore)

    stick = commands.add_parser("stick", help="save a backup on a USB stick, look for one there, or restore it")
    stick.add_argument("step", choices=("save", "look", "restore"), help="what to do; look before you restore")
    stick.add_argument("--config", metavar="FILE", help="the owner's TOML file; without one the installed one's")
    stick.set_defaults(command=_stick)

    test_device = commands.add_parser("test-device", help="try one device: each key, each lamp, a test picture, a roll")
    test_device.add_argument("name", nargs="?", metavar="NAME", help="its name or driver in the configuration")
    test_device.add_argument("--config", metavar="FILE", help="the owner's TOML file")
    test_device.add_argument("--simulated", action="store_true", help="try a table made of software instead")
    test_device.add_argument("--seconds", type=float, default=60.0, metavar="N", help="how long at most")
    test_device.set_defaults(command=_test_device)

    test_box = commands.add_parser("test-box", help="try one seat box or dice tray, without a configuration")
    test_box.add_argument("port", metavar="PORT", help="its serial port, such as /dev/ttyACM0")
    test_box.add_argument(
        "--seconds",
        type=float,
        default=120.0,
        metavar="N",
        help="how long it waits for the port, and how long it tests, at most",
    )
    test_box.set_defaults(command=_test_box)

    find_dice = commands.add_parser("find-dice", help="the smart dice in the air, each lit up for a moment")
    find_dice.add_argument("--seconds", type=float, default=8.0)
    find_dice.set_defaults(command=_find_dice)

    calibrate = commands.add_parser("calibrate-tray", help="show the camera its empty tray and one die")
    calibrate.add_argument("name", nargs="?", metavar="NAME", help="the [[device]], where there are several trays")
    calibrate.add_argument("--config", metavar="FILE", help="the owner's TOML file")
    calibrate.set_defaults(command=_calibrate_tray)

    update_box = commands.add_parser("update-box", help="give a seat box, a dice tray or a new Pico its firmware")
    update_box.add_argument(
        "id", nargs="?", default="", metavar="ID", help="as doctor names it, where several are plugged in"
    )
    update_box.add_argument("--port", action="append", metavar="PORT", help="look there instead of at every USB port")
    update_box.add_argument(
        "--file", metavar="X.uf2", type=Path, help="copy this file onto its drive; without one the drive waits for it"
    )
    update_box.set_defaults(command=_update_box)

    staff_pin = commands.add_parser(
        "staff-pin", help="make another PIN for the staff; whoever is signed in is signed out"
    )
    staff_pin.add_argument(
        "--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any"
    )
    staff_pin.add_argument("--new", action="store_true", help="make it, and print it here")
    staff_pin.set_defaults(command=_staff_pin)

    screen_link = commands.add_parser(
        "screen-link", help="the link that makes a tablet or another computer the big screen of a table"
    )
    screen_link.add_argument(
        "--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any"
    )
    screen_link.add_argument("--table", default="", metavar="ID", help="without it: each table's")
    screen_link.add_argument("--new", action="store_true", help="make another link: the earlier ones end at once")
    screen_link.set_defaults(command=_screen_link)

    forget = commands.add_parser("forget", help="wipe the hands of finished matches; who won what stays")
    forget.add_argument(
        "--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any"
    )
    forget.add_argument(
        "--days", type=float, default=0.0, metavar="N", help="those that ended so long ago or earlier; 0"
    )
    forget.add_argument(
        "--all", action="store_true", help="each table's newest one and all logins of seats, too; the hub must not run"
    )
    forget.set_defaults(command=_forget)

    pinout = commands.add_parser("pinout", help="how the devices of a configuration are wired to the Pi")
    pinout.add_argument("--config", metavar="FILE", help="the owner's TOML file")
    pinout.add_argument("--svg", metavar="FILE", help="a drawing into this file, instead of text")
    pinout.set_defaults(command=_pinout)

    card = commands.add_parser("table-card", help="a card to print, with the codes by which guests join a table")
    card.add_argument("file", metavar="FILE.pdf", type=Path, help="where to")
    card.add_argument("--table", metavar="ID", default="", help="the table; without it the first one")
    card.add_argument(
        "--languages", metavar="en,de", default="en", help="of what it says, at most three: en, de, fr, es, it, nl; en"
    )
    card.add_argument("--config", metavar="FILE", help="the owner's TOML file; without one the installed one's, if any")
    card.set_defaults(command=_table_card)

    referee = commands.add_parser("referee", help="one match, JSON lines in and out")
    referee.add_argument("game", metavar="GAME", help="its name, or the folder of a package")
    referee.add_argument("--seats", type=int, required=True, metavar="N")
    referee.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    referee.add_argument(
        "--house", action="append", default=[], metavar="SEAT[=STRENGTH]", help="a seat that the house plays"
    )
    referee.add_argument("--seed", metavar="S")
    referee.add_argument("--stack", metavar="FILE.json")
    referee.add_argument("--deck", metavar="FILE.toml", type=Path, help="cards of your own in place of the game's")
    referee.add_argument("--log", metavar="FILE.jsonl")
    referee.set_defaults(command=_referee)

    replay = commands.add_parser("replay", help="play a match's log again")
    replay.add_argument("file", metavar="FILE.jsonl")
    replay.add_argument("--deck", metavar="FILE.toml", type=Path, help="the cards of your own that it was played with")
    replay.set_defaults(command=_replay)

    games = commands.add_parser("games", help="the games, or one game's options")
    games.add_argument("game", nargs="?", metavar="GAME")
    games.set_defaults(command=_games)

    cards = commands.add_parser("cards", help="a game's cards as a list to write your own in; with --check, try yours")
    cards.add_argument("game", metavar="GAME")
    cards.add_argument(
        "--check", metavar="FILE.toml", type=Path, help="say whether the game can be played with this list"
    )
    cards.set_defaults(command=_cards)
    _add_commands_for_authors(commands)
    return top


def _add_bench_arguments(command: ArgumentParser) -> None:
    """Add what every table on simulated hardware can be told."""
    command.add_argument("--port", type=int, default=8080, metavar="PORT", help="the web port; 8080")
    command.add_argument("--seats", type=int, default=4, choices=range(2, 7), help="places at the table; 4")
    command.add_argument(
        "--house", type=int, choices=range(6), metavar="N", help="seats that the house plays; without it all but one"
    )
    command.add_argument("--state", metavar="FOLDER", help="where the match is kept")
    command.add_argument("--fresh", action="store_true", help="forget the last match first")


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _add_commands_for_authors(commands: _SubParsersAction[_Parser]) -> None:
    new_game = commands.add_parser("new-game", help="a small game that works, in a folder, to make your own game of")
    new_game.add_argument("name", metavar="NAME", help="small letters, digits and hyphens: oh-hell")
    new_game.add_argument("--in", dest="within", default=".", metavar="FOLDER", help="where to; here")
    new_game.add_argument("--like", metavar="FOLDER", help="copy the game in this folder instead")
    new_game.set_defaults(command=_new_game)

    play = commands.add_parser("play", help="play your own game on simulated hardware")
    play.add_argument("game", metavar="FOLDER", help="the folder of the game, or the name of an installed one")
    play.add_argument("--watch", action="store_true", help="start again whenever a file of the game changes")
    _add_bench_arguments(play)
    play.set_defaults(command=_play, lan=False, open_bench=False)

    check_game = commands.add_parser("check-game", help="what is wrong or missing in your own game, and how good it is")
    check_game.add_argument("game", metavar="FOLDER", help="the folder of the game, or the name of an installed one")
    check_game.add_argument(
        "--matches", type=_at_least_one, default=6, metavar="N", help="how many matches each law is tried on; 6"
    )
    check_game.add_argument(
        "--level", choices=("bronze", "silver", "gold", "platinum"), default="bronze",
        help="the level below which the command fails; bronze",
    )  # fmt: skip
    check_game.add_argument("--record", action="store_true", help="record matches; later versions must look the same")
    check_game.set_defaults(command=_check_game)

    translate_game = commands.add_parser("translate-game", help="the files with translations of your own game")
    translate_game.add_argument("game", metavar="FOLDER", help="the folder of the game")
    translate_game.add_argument("languages", nargs="*", metavar="LANGUAGE", help="languages to start, such as de")
    translate_game.set_defaults(command=_translate_game)


# Each command imports only what it needs: the referee starts fast and loads no network code.


def _new_game(args: Namespace) -> int:
    from hub.authoring.commands import write_new_game

    return write_new_game(args)


def _play(args: Namespace) -> int:
    from hub.authoring.commands import watch
    from hub.authoring.find import find_game

    if args.watch:
        house = [] if args.house is None else [f"--house={args.house}"]
        fresh = ["--fresh"] if args.fresh else []
        numbers = [f"--port={args.port}", f"--seats={args.seats}", *house]
        return watch(args, ["play", args.game, *numbers, f"--state={_demo_state(args)}"], fresh)
    args.first_game = find_game(args.game)
    return _demo(args)


def _check_game(args: Namespace) -> int:
    from hub.authoring.commands import check_game

    return check_game(args)


def _translate_game(args: Namespace) -> int:
    from hub.authoring.commands import translate_game

    return translate_game(args)


def _referee(args: Namespace) -> int:
    from hub.operations.referee import referee

    return referee(args)


def _replay(args: Namespace) -> int:
    from hub.operations.referee import replay

    return replay(args)


def _table_card(args: Namespace) -> int:
    from hub.access import wifi_of
    from hub.operations.table_card import write_card

    config = load(owners_file(args.config))
    web, table = config.web, args.table or config.table[0].id
    base = f"http{'s' if web.tls_cert else ''}://127.0.0.1:{web.port}"
    languages = [language.strip() for language in args.languages.split(",")]
    print(write_card(args.file, base, table, wifi_of(config.wifi), languages, fixed=bool(web.address)), end="")
    return 0


def _cards(args: Namespace) -> int:
    from hub.operations.card_list import print_cards

    return print_cards(args)


def _games(args: Namespace) -> int:
    from hub.operations.referee import list_games

    return list_games(args)


def _matches(args: Namespace) -> int:
    from hub.operations.matches import matches

    return matches(args)


def _history(args: Namespace) -> int:
    from hub.operations.matches import show_history

    return show_history(args)


def _export(args: Namespace) -> int:
    from hub.operations.matches import export

    return export(args)


def _backup(args: Namespace) -> int:
    from hub.operations.backup import backup

    return backup(args)


def _restore(args: Namespace) -> int:
    from hub.operations.backup import restore

    return restore(args)


def _stick(args: Namespace) -> int:
    from hub.operations.stick_backup import stick

    return stick(args)


def _run(args: Namespace) -> int:
    if args.print_config:
        print(dump(load(args.config)), end="")
        return 0
    file = owners_file(args.config)
    config = load(file)
    if args.check:
        return _check(config, file or "the defaults")
    return _serve(config, (), file)


def _check(config: Config, shown: str) -> int:
    tables, devices = _wire(config)
    print(f"{shown} can be used: {tables} table(s), {devices} device(s).")
    return 0


def _wire(config: Config) -> tuple[int, int]:
    """Wire the whole hub, with a state folder that is thrown away, and start nothing.

    Return the numbers of tables and devices. Raise ConfigError or TemporaryError.
    """
    from tempfile import TemporaryDirectory

    from msgspec.structs import replace

    from hub.app import Hub
    from hub.errors import BrokerError
    from hub.network.mosquitto import find_program
    from phone_ui.tls import check_tls

    if config.web.tls_cert:
        check_tls(config.web.tls_cert, config.web.tls_key)
    if not config.broker.url:
        try:
            find_program(config.broker.program)
        except BrokerError as error:
            raise ConfigError(f"[broker] program: {error}") from None
    folder = Path(config.hub.state)
    place = next(one for one in (folder, *folder.parents) if one.exists())
    if not place.is_dir():
        raise ConfigError(f"[hub] state: {place} is not a folder.")
    with TemporaryDirectory() as state, Hub(replace(config, hub=replace(config.hub, state=state))) as hub:
        return len(hub.tables), len(hub.devices)


def _doctor(args: Namespace) -> int:
    from hub.operations import doctor
    from hub.operations.diagnostics import configure_logging

    configure_logging("error")
    findings = doctor.examine(*doctor.choose_target(args.config))
    print(doctor.as_json(findings) if args.json else doctor.as_text(findings), end="")
    return 0 if doctor.healthy(findings) else 1


def _test_device(args: Namespace) -> int:
    blocks = load(owners_file(args.config)).device
    if args.simulated:
        blocks = (DevicePart("simulated", "1", "simulated", {"seats": 2}),)
    return _try(_named(blocks, args.name or (blocks[0].driver if len(blocks) == 1 else "")), args.seconds)


def _test_box(args: Namespace) -> int:
    from drivers.common import probe
    from drivers.common.frames import OtherProtocol
    from hub.errors import Cause, DeviceLost
    from hub.ports import MonotonicClock

    _wait_for_port(args.port, args.seconds)
    try:
        answer = probe.ask(args.port, MonotonicClock())
    except DeviceLost as error:
        cures = {
            Cause.PERMISSION: f"You may not open {args.port}: sudo usermod -a -G dialout $USER, then log in again.",
            Cause.BUSY: f"{args.port} is open in another program: stop the hub (sudo systemctl stop table-hub) or that program.",
        }
        raise HubError(cures.get(error.cause, str(error))) from None
    hello = answer.hello if answer else None
    if isinstance(hello, OtherProtocol):
        raise HubError(hello.refusal(args.port))
    driver = "dice_tray" if hello and hello.k == "tray" else "button_box"
    return _try(DevicePart(driver, "1", args.port, {"ports": [args.port]}), args.seconds, six=True)


def _wait_for_port(port: str, seconds: float) -> None:
    """Wait until a box is plugged in. Raise HubError if none is."""
    from drivers.common.serial_lines import usb_ports

    if Path(port).exists():
        return
    print(f"There is no {port} yet: plug the box in. On USB there is {', '.join(usb_ports()) or 'none'}.", flush=True)
    end = time.monotonic() + seconds
    while not Path(port).exists():
        if time.monotonic() >= end:
            raise HubError(f"Nothing was plugged in at {port}.")
        time.sleep(0.1)
    end = time.monotonic() + UDEV_SECONDS
    while not os.access(port, os.R_OK | os.W_OK) and time.monotonic() < end:
        time.sleep(0.1)


def _try(block: DevicePart, seconds: float, *, six: bool = False) -> int:
    from hub.devices import connect
    from hub.display import SIZES, checkerboard
    from hub.operations.device_test import DeviceTest
    from hub.operations.diagnostics import configure_logging
    from hub.ports import DriverContext, MonotonicClock, machine_chance  # noqa: TID251 - a program makes it

    configure_logging("error")  # the test prints every signal already
    test = DeviceTest(block.name or block.driver, partial(print, flush=True), MonotonicClock(), six=six)
    draws = {str(size): lambda _, size=size: checkerboard(size) for size in SIZES}
    device = connect(block, DriverContext(test.inbox, draws, machine_chance()))
    return 0 if test.run(device, seconds) else 1


def _named(blocks: Sequence[DevicePart], name: str) -> DevicePart:
    """Return the one device of that name or driver. Raise ConfigError where there is none, or several."""
    found = [block for block in blocks if name and name in (block.name, block.driver)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(block.name or block.driver for block in blocks)
    if found:
        raise ConfigError(f"Several devices are called {name}: give each [[device]] a name of its own.")
    if not blocks:
        raise ConfigError("There is no [[device]] in the configuration; `--simulated` tries a table made of software.")
    raise ConfigError(
        f"There is no device {name!r}: there are {known}." if name else f"Which device? There are {known}."
    )


def _find_dice(args: Namespace) -> int:
    from hub.devices import load_driver
    from hub.operations.diagnostics import configure_logging

    configure_logging("error")
    load_driver("ble_dice")  # says which package is missing
    from drivers.ble_dice import find

    found = find(args.seconds)
    for name, address, die in found:
        print(f"{name}  {address}" if die else f"{name}  {address}  is no die, or did not answer as one")
    if not any(die for _, _, die in found):
        print("No smart die was heard: shake each die, and charge what stays dark.", file=sys.stderr)
        return 1
    return 0


def _update_box(args: Namespace) -> int:
    from drivers.common.boot_drive import PICO, PICO_2
    from drivers.common.serial_lines import usb_ports
    from hub.operations.update_box import become_drive, update
    from hub.ports import MonotonicClock

    clock = MonotonicClock()
    if args.file is None:
        board = become_drive(args.id, args.port or usb_ports(), clock)
        drive = f"{PICO.label} ({PICO_2.label}: a Pico 2)"
        print(f"{board} is a drive now, {drive}: drag the new .uf2 file onto it, and it comes back by itself.")
    else:
        update(args.file, args.id, lambda: args.port or usb_ports(), clock, partial(print, flush=True))
    return 0


def _calibrate_tray(args: Namespace) -> int:
    from hub.devices import load_driver
    from hub.operations.diagnostics import configure_logging

    configure_logging("error")
    blocks = [block for block in load(owners_file(args.config)).device if block.driver == "camera_tray"]
    if not blocks:
        raise ConfigError('No [[device]] of the configuration has the driver "camera_tray".')
    block = _named(blocks, args.name or (blocks[0].driver if len(blocks) == 1 else ""))
    load_driver("camera_tray")  # says which package is missing
    from drivers.camera_tray import calibrate

    calibrate(block.settings, input, print)
    return 0


def _forget(args: Namespace) -> int:
    from contextlib import nullcontext

    from hub.operations.state_folder import while_no_hub_runs
    from hub.store import wipe_logs

    state = Path(load(owners_file(args.config)).hub.state)
    with while_no_hub_runs(state) if args.all else nullcontext():
        wiped = wipe_logs(state / "table-hub.db", args.days, newest=args.all)
    print(f"The hands of {wiped} finished match{'' if wiped == 1 else 'es'} are wiped; who won what stays.")
    return 0


def _staff_pin(args: Namespace) -> int:
    from phone_ui.staff_pin import StaffPin

    state = Path(load(owners_file(args.config)).hub.state)
    if not args.new:
        print(
            "The hub keeps only the PIN's hash. It is on the table's screens until it was used once; --new makes another."
        )
        return 0
    if not state.is_dir():
        raise HubError(f"{state} is not there yet: start the hub once, and it shows a PIN on the table's screens.")
    print(f"The staff PIN is {StaffPin.renew(state / 'staff.json')}. Whoever was signed in is signed out.")
    return 0


def _screen_link(args: Namespace) -> int:
    from hub.errors import of_file
    from hub.network.address import public_url
    from hub.network.encryption import HubKey
    from phone_ui.own_screens import ScreenToken, link_of

    config = load(owners_file(args.config))
    state, web = Path(config.hub.state), config.web
    if not (state / "hub.key").exists():
        raise HubError(f"{state} holds no key of a hub yet: start the hub once, then ask again.")
    if args.table and args.table not in [table.id for table in config.table]:
        raise ConfigError(f"There is no table {args.table!r} in the configuration.")
    try:
        token = ScreenToken.renew(state / "kiosk.token") if args.new else ScreenToken(state / "kiosk.token").value
    except OSError as error:
        raise of_file(error, f"The link cannot be kept in {state} ({error.strerror}).") from None
    url = public_url(web.address, web.host, web.port, secure=bool(web.tls_cert)) or f"http://ADDRESS:{web.port}"
    for table in config.table:
        if args.table in ("", table.id):
            print(
                f"{table.name or f'Table {table.id}'}: {link_of(url, table.id, HubKey.load(state / 'hub.key').public, token)}"
            )
    print("Keep it as you keep a key: a browser that opens this link shows the codes of seats.")
    return 0


def _pinout(args: Namespace) -> int:
    from drivers.common.gpio_header import check_devices
    from drivers.common.pinout import as_svg, as_text
    from hub.devices import header_wiring

    devices = header_wiring(load(owners_file(args.config)).device)
    check_devices(devices)
    if not devices:
        print("No device of this configuration is wired to the header.")
    elif args.svg:
        try:
            Path(args.svg).write_text(as_svg(devices), "utf-8")
        except OSError as error:
            raise HubError(f"{args.svg} cannot be written ({error.strerror}); choose a folder of your own.") from None
    else:
        print(as_text(devices), end="")
    return 0


def _demo_state(args: Namespace) -> Path:
    return Path(args.state or Path(HubPart().state) / ("play" if args.command is _play else "demo")).expanduser()


def _demo(args: Namespace) -> int:
    state = str(_demo_state(args))
    host = "0.0.0.0" if args.lan else "127.0.0.1"  # noqa: S104 - asked for by --lan
    house = args.seats - 1 if args.house is None else args.house
    config = Config(
        hub=HubPart(state=state, log_level="warning"),
        web=WebPart(host, args.port, open_bench=args.open_bench),
        table=(TablePart(seats=args.seats, game=args.first_game, house_seats=house),),
        device=(DevicePart("simulated", "1", "bench", {"seats": args.seats}),),
    )
    _check_owner(Path(state))
    _check_alone(Path(state))
    if args.fresh:
        from hub.operations.state_folder import forget

        forget(Path(config.hub.state))
    return _serve(config, ("bench", "kiosk"))


def _check_alone(state: Path) -> None:
    """Raise TemporaryError where another demo runs: it has no configuration in which its folder could be changed."""
    from hub.errors import TemporaryError
    from hub.operations.state_folder import while_no_hub_runs

    try:
        with while_no_hub_runs(state):
            pass
    except TemporaryError:
        raise TemporaryError(
            f"{state}: a hub runs there, such as an earlier demo: stop it with Ctrl-C where it was started, or start this "
            "one beside it with `--state FOLDER --port 8081`."
        ) from None


def _who_sees_the_bench(*, everybody: bool) -> str:
    if everybody:
        return "Everybody on this network can open the bench, press every box and see what each seat picks in secret."
    return (
        "The bench shows what each seat picks in secret: only this machine can open it (--open-bench opens it to all)."
    )


def _check_owner(folder: Path) -> None:
    """Raise ConfigError where the demo's folder, or a file in it, is somebody else's: after `sudo table-hub demo`."""
    place = folder
    while not place.exists():
        place = place.parent
    for path in (place, *(folder.iterdir() if os.access(folder, os.R_OK) else ())):
        if not os.access(path, os.W_OK):
            raise ConfigError(
                f"{path} belongs to {path.owner()}, so this user cannot write there; after a demo with sudo: "
                f"`sudo chown -R $(id -un): {folder}`."
            )


STOP_SECONDS = 8.0  # until a hub that was told to stop has ended, whatever hangs; systemd waits longer


def _stop(hub: Hub) -> None:
    """Let the hub stop in order; where something hangs, end the process all the same. What is on the disk stays."""
    hub.stop()
    late = threading.Timer(STOP_SECONDS, _end)
    late.daemon = True
    late.start()


def _end() -> None:
    names = ", ".join(thread.name for thread in threading.enumerate() if not thread.daemon)
    logging.getLogger("hub").error("The hub did not stop within %.0f s (%s); it is ended.", STOP_SECONDS, names)
    os._exit(1)


def _examined(file: str | None) -> Sequence[Fault]:
    """Return what the doctor has to say of this machine and a configuration, but for what is well."""
    from hub.network.staff_messages import Fault
    from hub.operations import doctor

    found = doctor.examine(*doctor.choose_target(file))
    return [
        Fault(one.seen, one.do, "error" if one.state == "broken" else "warning") for one in found if one.state != "ok"
    ]


def _serve(config: Config, pages: Sequence[str], file: str | None = None) -> int:
    from hub.app import Hub
    from hub.operations.diagnostics import configure_logging, goes_to_journal
    from hub.operations.systemd import ServiceNotifier
    from hub.version import version

    configure_logging(config.hub.log_level)
    if goes_to_journal():  # a person at a terminal knows what was started
        logging.getLogger("hub").info("table-hub %s starts.", version())
    examine = None if pages else partial(_examined, file)  # a demo has no configuration of its own
    network = None
    if config.wifi.hotspot and not pages:
        from hub.network.network_manager import NetworkManagerBus

        network = NetworkManagerBus
    with Hub(
        config, ServiceNotifier(), demo=bool(pages), examine=examine, file=file, check=_wire, network=network
    ) as hub:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores SIGHUP
                signal.signal(number, lambda *_: _stop(hub))
        hub.start()
        for table in hub.tables.values():
            url = f"{hub.url() or hub.local_url()}/t/{table.id}"
            if pages:
                print("table-hub plays on simulated hardware. Open in a browser on this machine:")
                here = f"{hub.local_url()}/t/{table.id}"
                print(f"  {here}/bench/play   sit down and play: the house has the other seats")
                print(f"  {here}/kiosk        the big screen")
                print(f"  {here}/bench        boxes, dice and panels; a link for each seat's phone")
                if config.web.host not in ("127.0.0.1", "::1"):
                    print(f"Phones of this network join at {url}.")
                    print(_who_sees_the_bench(everybody=config.web.open_bench))
                print("Stop with Ctrl-C; the match goes on when you come back.")
            else:
                print(f"{table.name}: {url}  code {table.code}{'' if hub.url() else '  (there is no network yet)'}")
        sys.stdout.flush()
        return hub.wait()


if __name__ == "__main__":
    sys.exit(main())
