"""The command line as a person meets it: a real program, its exit code, and what it says."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from urllib.request import urlopen

import pytest

from hub.__main__ import main
from hub.app import Hub
from hub.config import Config, HubPart, WebPart, dump, load
from hub.operations.state_folder import forget
from hub.store import lock_state
from hub.version import version

LIMIT = 120.0  # seconds for a program that hangs; one that works takes 2, on a busy machine many times that


def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hub", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=LIMIT, check=False)


def run_here(capsys: pytest.CaptureFixture[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process: a second each time is not spent on the start of a program."""
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())


def one_sentence(result: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line of a refusal."""
    assert (result.returncode, result.stdout) == (code, "")
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr


@pytest.mark.real_chance
@pytest.mark.parametrize(
    "arguments",
    [
        ["referee", "chess", "--seats", "3"],
        ["referee", "bid-and-bait", "--seats", "x"],
        ["referee", "bid-and-bait", "--seats", "9"],
        ["referee", "bid-and-bait"],
        ["referee", "bid-and-bait", "--seats", "3", "--option", "sides=round"],
        ["referee", "bid-and-bait", "--seats", "3", "--option", "sides"],
        ["referee", "bid-and-bait", "--seats", "3", "--stack", "/nowhere.json"],
        ["referee", "bid-and-bait", "--seats", "3", "--log", "/nowhere/a.jsonl"],
        ["referee", "bid-and-bait", "--seats", "3", "--loud"],
        ["games", "chess"],
        ["dance"],
        [],
    ],
    ids=" ".join,
)
def test_a_command_that_cannot_be_is_one_sentence_and_exit_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    one_sentence(run_here(capsys, *arguments), 2)


def test_a_stack_of_the_wrong_form_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    stack = tmp_path / "stack.json"
    stack.write_text('{"attic": []}')
    assert "attic" in one_sentence(run("referee", "bid-and-bait", "--seats", "3", "--stack", str(stack)), 2)


def test_a_match_is_refereed_over_pipes_and_its_log_replayed(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    lines = [
        {"seat": 1, "move": "bid", "number": 3},
        {"seat": 2, "move": "bid", "number": 9},
        {"show": 1},
        {"undo": 1},
        {"seat": 1, "move": "bid", "number": 4},
        {"seat": 2, "move": "bid", "number": 2},
    ]
    given = "".join(json.dumps(line) + "\n" for line in lines) + "no json\n"
    result = run("referee", "bid-and-bait", "--seats", "2", "--seed", "1", "--log", str(log), given=given)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert (result.returncode, result.stderr) == (0, "")
    assert [answer["ok"] for answer in answers] == [True, True, False, True, True, True, True, False]
    assert set(answers[0]["waiting"]["seats"]) == {"1", "2"}
    again = run("replay", str(log))
    assert (again.returncode, again.stderr) == (0, "")
    assert json.loads(again.stdout)["ok"]
    log.write_text(log.read_text().replace('"number":4', '"number":5'))
    one_sentence(run("replay", str(log)), 1)


def odd_files(folder: Path) -> dict[str, Path]:
    """Files that are none, or that are traps for whoever reads them."""
    found = {name: folder / name for name in ("pipe", "zeros", "mark", "deep", "dotted", "binary")}
    os.mkfifo(found["pipe"])
    found["zeros"].symlink_to("/dev/zero")
    found["mark"].write_bytes(b"\xef\xbb\xbfdeck = 1\n")
    found["deep"].write_bytes(b"a = " + b"[" * 100_000)
    found["dotted"].write_bytes(b"a." * 50_000 + b"a = 1\n")
    found["binary"].write_bytes(bytes(range(256)))
    return found


@pytest.mark.real_chance
@pytest.mark.real_time
@pytest.mark.parametrize("odd", ["pipe", "zeros", "mark", "deep", "dotted", "binary"])
def test_an_odd_file_is_one_sentence_at_once_and_exit_78(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], odd: str
) -> None:
    file, config = odd_files(tmp_path)[odd], tmp_path / "hub.toml"
    assert str(file) in one_sentence(run_here(capsys, "run", "--check", "--config", str(file)), 78)
    config.write_text(f"[hub]\nstate = '{tmp_path}/state'\n[[deck]]\ngame = 'bid-it'\ncards = '{file}'\n")
    assert str(file) in one_sentence(run_here(capsys, "run", "--check", "--config", str(config)), 78)
    assert str(file) in one_sentence(run_here(capsys, "referee", "bid-it", "--seats", "2", "--deck", str(file)), 78)
    one_sentence(run_here(capsys, "replay", str(file)), 1)


def test_games_are_listed() -> None:
    result = run("games")
    assert result.returncode == 0
    assert "bid-and-bait" in result.stdout
    assert "sides=basic" in run("games", "bid-and-bait").stdout


def test_the_whole_configuration_is_printed() -> None:
    result = run("run", "--print-config")
    assert (result.returncode, result.stderr) == (0, "")
    assert "[web]" in result.stdout


@pytest.mark.real_chance
@pytest.mark.real_time
@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        (None, "no such file"),
        ("[web\n", "TOML"),
        ("[web]\nprot = 80\n", "port"),
        ("[web]\nport = 'x'\n", "port"),
        ("[[table]]\ngame = 'chess'\n", "chess"),
        ("[[device]]\ndriver = 'abacus'\n", "abacus"),
        ("[hub]\nid = 'my/hub'\n", "id"),
    ],
)
def test_a_mistake_in_the_configuration_is_one_sentence_and_exit_78(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toml: str | None, expected: str
) -> None:
    file = tmp_path / "hub.toml"
    if toml is not None:
        state = "" if "[hub]" in toml else f"[hub]\nstate = '{tmp_path}/state'\n"
        file.write_text(toml + state)
    assert expected in one_sentence(run_here(capsys, "run", "--config", str(file)), 78)


def test_a_port_that_is_taken_is_one_sentence_and_exit_75(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        file = tmp_path / "hub.toml"
        file.write_text(f"[hub]\nstate = '{tmp_path}/state'\n[web]\nhost = '127.0.0.1'\nport = {port}\n")
        assert str(port) in one_sentence(run("run", "--config", str(file)), 75)


def test_what_may_pass_without_a_change_of_the_configuration_is_one_sentence_and_exit_75(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"  # RFC 5737: no machine has that address
    file.write_text(f"[hub]\nstate = '{tmp_path}/state'\n[web]\nhost = '203.0.113.7'\nport = 8080\n")
    assert "203.0.113.7" in one_sentence(run("run", "--config", str(file)), 75)


@pytest.mark.real_chance
@pytest.mark.real_time
def test_a_state_folder_that_another_hub_has_is_one_sentence_and_exit_75(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(dump(Config(hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", 0))))
    with Hub(load(file)) as hub:
        hub.start()
        assert "another hub" in one_sentence(run("run", "--config", str(file)), 75)
        assert "a hub runs" in one_sentence(run("demo", "--state", str(tmp_path / "state"), "--fresh"), 75)
    assert (tmp_path / "state" / "table-hub.db").exists()


def photographs(folder: Path) -> dict[str, bytes]:
    """Put somebody's own files into a folder."""
    files = {"a.jpg": b"\xff\xd8 summer", "broker/b.jpg": b"\xff\xd8 winter", "2024/c.db": b"not ours", ".hidden": b"x"}
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return files


@pytest.mark.slow
def test_a_fresh_demo_forgets_what_the_hub_wrote_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    files = photographs(folder)
    arguments = [sys.executable, "-m", "hub", "demo", "--port", "0", "--state", str(folder), "--fresh"]
    keys = []
    for _ in range(2):
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as hub:
            assert hub.stdout
            assert "plays on simulated hardware" in hub.stdout.readline()
            keys.append((folder / "hub.key").read_bytes())
            hub.send_signal(signal.SIGTERM)
            assert hub.wait(LIMIT) == 0
    assert keys[0] != keys[1], "the first demo is forgotten"
    assert {name: (folder / name).read_bytes() for name in files} == files


@pytest.mark.parametrize("fresh", [[], ["--fresh"]])
def test_a_second_demo_is_told_of_the_first_and_of_what_a_demo_can_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fresh: list[str]
) -> None:
    with lock_state(tmp_path):
        assert main(["demo", "--port", "0", "--state", str(tmp_path), *fresh]) == 75
    said = capsys.readouterr().err
    assert "a hub runs there, such as an earlier demo: stop it with Ctrl-C where it was started" in said
    assert "[hub]" not in said


@pytest.mark.real_chance
@pytest.mark.real_time
def test_forgetting_leaves_no_trace_of_a_hub(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Hub(Config(hub=HubPart(state=str(folder)), web=WebPart("127.0.0.1", 0))) as hub:
        hub.start()
    assert (folder / "hub.key").exists()
    forget(folder)
    assert not folder.exists()
    forget(folder)
    files = photographs(folder)
    forget(folder)
    assert {name: (folder / name).read_bytes() for name in files} == files


def test_a_drawing_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text('[[device]]\ndriver = "gpio_box"\n')
    assert "/nowhere/a.svg" in one_sentence(run("pinout", "--config", str(file), "--svg", "/nowhere/a.svg"), 1)
    file.write_text('[[device]]\ndriver = "gpio_box"\n[[device]]\ndriver = "simulated"\n')
    assert "camera_tray" in one_sentence(run("calibrate-tray", "--config", str(file)), 78)


def test_the_program_says_which_version_it_is() -> None:
    result = run("--version")
    assert (result.returncode, result.stderr, result.stdout) == (0, "", f"table-hub {version()}\n")
    assert version().startswith(metadata.version("table-hub"))


def test_a_configuration_is_tried_without_starting_anything(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(
        f'[hub]\nstate = "{tmp_path}/state"\n[[device]]\ndriver = "gpio_box"\n[[device]]\ndriver = "simulated"\n'
    )
    result = run("run", "--check", "--config", str(file))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"{file} can be used: 1 table(s), 2 device(s).\n"
    assert not (tmp_path / "state").exists()


@pytest.mark.real_chance
@pytest.mark.real_time
@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ("[[device]]\ndriver = 'abacus'\n", "abacus"),
        ("[[device]]\ndriver = 'gpio_box'\npins = 'lgpoi'\n", "pins"),
        ("[[table]]\ngame = 'chess'\n", "chess"),
        ("[[deck]]\ngame = 'bid-it'\ncards = 'nowhere.toml'\n", "nowhere.toml"),
        ("[web]\ntls_cert = 'nowhere.pem'\ntls_key = 'nowhere.key'\n", "tls_cert"),
        ("[broker]\nurl = 'mqtts://cafe'\nca_file = 'nowhere.pem'\n", "nowhere.pem"),
        ("[broker]\nprogram = '/nowhere/mosquitto'\n", "'/nowhere/mosquitto' is not installed"),
        ("[broker]\nprogram = 'hub.toml'\n", "'hub.toml' is not installed"),
        ("[web]\nhost = '/proc/self/mem'\n", "host is an address or a name of this machine"),
        ("[hub]\nstate = 'hub.toml'\n", "hub.toml is not a folder"),
        ("[hub]\nstate = 'hub.toml/state'\n", "hub.toml is not a folder"),
        (2 * "[[device]]\ndriver = 'simulated'\n", "one simulated device is enough"),
    ],
)
def test_a_configuration_that_cannot_run_is_refused_by_the_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toml: str, expected: str
) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(toml)
    assert expected in one_sentence(run_here(capsys, "run", "--check", "--config", str(file)), 78)


@pytest.mark.real_chance
@pytest.mark.real_time
@pytest.mark.parametrize(
    "toml",
    [
        "[broker]\nprogram = './broker'\n",
        "[broker]\nurl = 'mqtt://cafe'\nprogram = '/nowhere/mosquitto'\n",
        "[web]\nhost = 'localhost'\n",
        "[web]\nhost = '::1'\n",
        "[hub]\nstate = 'not/there/yet'\n",
        "".join(
            f"[[table]]\nid = '{table}'\n[[device]]\ndriver = 'simulated'\ntable = '{table}'\nname = '{table}'\n"
            for table in "12"
        ),
    ],
)
def test_a_configuration_that_can_run_passes_the_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toml: str
) -> None:
    (tmp_path / "broker").write_text("#!/bin/sh\n")
    (tmp_path / "broker").chmod(0o755)
    file = tmp_path / "hub.toml"
    file.write_text(toml)
    done = run_here(capsys, "run", "--check", "--config", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert "can be used" in done.stdout


def journal(*arguments: str, ending: str = "") -> tuple[int, list[str]]:
    """Run the program as systemd does, its standard error being the journal's; until it has written `ending`."""
    reading, writing = os.pipe()
    status = os.fstat(writing)
    environment = os.environ | {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
    command = [sys.executable, "-m", "hub", *arguments]
    with subprocess.Popen(command, stderr=writing, stdout=subprocess.PIPE, env=environment) as hub:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as lines:
            written = []
            for line in lines:
                written.append(line.rstrip("\n"))
                if ending and ending in line:
                    hub.send_signal(signal.SIGTERM)
        return hub.wait(LIMIT), written


def test_the_journal_gets_the_version_first_and_the_priority_of_each_line(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(
        f"[hub]\nstate = '{tmp_path}/state'\n[web]\nhost = '127.0.0.1'\nport = 0\n"
        "[broker]\nprogram = 'no-such-mosquitto'\n"
    )
    code, lines = journal("run", "--config", str(file), ending="no-such-mosquitto")
    assert (code, lines[0]) == (0, f"<6>hub: table-hub {version()} starts.")
    assert next(line for line in lines if "no-such-mosquitto" in line).startswith("<3>")
    code, lines = journal("run", "--config", str(tmp_path / "nowhere.toml"))
    assert code == 78
    assert lines[0].startswith("<3>")


def test_a_hub_that_the_watchdog_kills_leaves_the_stack_of_each_thread(tmp_path: Path) -> None:
    file = tmp_path / "hub.toml"
    file.write_text(f"[hub]\nstate = '{tmp_path}/state'\n[web]\nhost = '127.0.0.1'\nport = 0\n")
    unit = (Path(__file__).parents[1] / "systemd" / "table-hub.service").read_text()
    name, _, value = re.findall(r"^Environment=(.*)$", unit, re.MULTILINE)[0].partition("=")
    arguments = [sys.executable, "-m", "hub", "run", "--config", str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdout=pipe, stderr=pipe, text=True, env=os.environ | {name: value}) as hub:
        assert hub.stdout
        line = hub.stdout.readline()
        # faulthandler reads the stacks of threads that run on: while they come and go at the start, CPython may crash there.
        urlopen(line.split()[2], timeout=LIMIT).close()
        hub.send_signal(signal.SIGABRT)  # systemd's signal when the watchdog is not fed
        _, said = hub.communicate(timeout=LIMIT)
    assert hub.returncode == -signal.SIGABRT
    assert said.count("most recent call first") > 1
    assert "restarts.py" in said, "the table's own thread is among them"


STARTING = """
import os, signal, sys

class CtrlC:
    def find_spec(self, name, *_):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
from hub.start import main
sys.argv[1:] = ["games"]
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("module", "heeds", "code"),
    [
        ("hub.__main__", "default", -signal.SIGINT),
        ("hub.config", "default", -signal.SIGINT),
        ("hub.operations.referee", "default", 0),  # the command itself has begun
        ("hub.config", "ignore", 0),  # with nohup
    ],
)
def test_ctrl_c_in_the_first_moments_shows_no_traceback(module: str, heeds: str, code: int) -> None:
    command = ["env", f"--{heeds}-signal=INT", sys.executable, "-c", STARTING.format(module=module)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert ("goofspiel" in done.stdout) is (heeds == "ignore")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_hub_runs_until_it_is_told_to_stop(tmp_path: Path, number: signal.Signals) -> None:
    made = Config(hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", 0))
    file = tmp_path / "hub.toml"
    file.write_text(dump(made))
    # Tests that a shell started in the background ignore SIGINT, and so would their children, as under nohup.
    heard = ["env", f"--default-signal={number.name[3:]}"]
    arguments = [*heard, sys.executable, "-m", "hub", "run", "--config", str(file)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as hub:
        try:
            assert hub.stdout
            assert hub.stdout.readline().startswith("Table 1: http://127.0.0.1:")
            hub.send_signal(number)
            assert hub.wait(LIMIT) == 0
        finally:
            hub.kill()  # else the end of `with` waits for a hub that has not heard


@pytest.mark.real_chance
def test_another_pin_for_the_staff_is_printed_once_and_kept_as_a_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "hub.toml"
    config.write_text(f'[hub]\nstate = "{tmp_path}/state"\n')
    assert main(["staff-pin", "--new", "--config", str(config)]) == 1
    assert "start the hub once" in capsys.readouterr().err
    (tmp_path / "state").mkdir()
    assert main(["staff-pin", "--config", str(config)]) == 0
    assert "--new" in capsys.readouterr().out
    assert not (tmp_path / "state" / "staff.json").exists()
    assert main(["staff-pin", "--new", "--config", str(config)]) == 0
    pin = capsys.readouterr().out.split()[4].rstrip(".")
    assert len(pin) == 6
    assert pin.encode() not in (tmp_path / "state" / "staff.json").read_bytes()
