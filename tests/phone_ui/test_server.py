"""Pages, claims and the port: what a browser gets, and what a bad request gets."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import io
import json
import logging
import math
import re
import socket
from typing import TYPE_CHECKING, Any

import pytest

from hub.engine.labels import Labels
from hub.errors import ConfigError, TemporaryError
from hub.network.encryption import HubKey, from_base64, to_base64
from hub.ports import ClaimDecided
from hub.state import Ack
from phone_ui.claims import (
    ASKS_EACH_ADDRESS,
    CALLS_EACH_NETWORK,
    FORGET_SECONDS,
    FREE_TRIES,
    LONGEST_PAUSE,
    Claims,
    WrongCodes,
)
from phone_ui.gateway import dial_unix
from phone_ui.origin import Screens, is_known_host, network_of, own_names
from phone_ui.pages import STATIC, VENDOR, make_app
from phone_ui.server import PortSettings, listen, serve
from phone_ui.static_files import StaticFiles
from tests.patience import PATIENCE
from tests.phone_ui.rig import FakeBench, FakeTable, Keys, Phone, Rig, act, hand

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

SCRIPT = "export const words = 'a page';\n" * 100


class Site:
    """The app with one table, and a clock that stands still."""

    def __init__(self, folder: Path, *, benched: bool = True) -> None:
        (folder / "pages").mkdir()
        for page in ("join", "phone", "kiosk", "bench", "history", "till"):
            (folder / "pages" / f"{page}.html").write_text(f"<!doctype html><title>{page}</title>")
        (folder / "widgets").mkdir()
        (folder / "widgets" / "amount.js").write_text(SCRIPT)
        (folder / ".hidden.js").write_text("secret")
        (folder / "notes.py").write_text("secret")
        (folder.parent / "outside.js").write_text("secret")
        (folder / "link.js").symlink_to(folder.parent / "outside.js")
        self.key = HubKey.generate()
        self.now = 1000.0
        self.table = FakeTable(bench=FakeBench() if benched else None)
        self.app = make_app(
            {"1": self.table, "2": FakeTable(id="2", code="DUCK")},
            self.key,
            "hub",
            lambda: "http://10.42.0.1:8080",
            {"bid-and-bait": Labels(title="Bid & Bait!")},
            claims=Claims(self.key, "hub", lambda: self.now),
            static=folder,
        )
        self.get = self.app.test_client().get
        self.phone = Keys(self.key.public)

    @property
    def client(self) -> FlaskClient:
        return self.app.test_client()

    def claim(self, details: dict[str, Any], *, seat: int | None = None, address: str = "10.0.0.2") -> TestResponse:
        letter = self.phone.encrypt(details)
        body = {
            "seat": seat or details["seat"],
            "pk": to_base64(self.phone.public),
            "nonce": to_base64(letter[:24]),
            "box": to_base64(letter[24:]),
        }
        return self.client.post("/t/1/claim", json=body, environ_base={"REMOTE_ADDR": address})


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "static").mkdir()
    return Site(tmp_path / "static")


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/", "join"),
        ("/t/1", "phone"),
        ("/t/2", "phone"),
        ("/t/1/kiosk", "kiosk"),
        ("/t/1/bench", "bench"),
        ("/t/1/history", "history"),
    ],
)
def test_each_address_has_its_page(site: Site, path: str, page: str) -> None:
    answer = site.get(path)
    assert answer.status_code == 200
    assert f"<title>{page}</title>" in answer.text


def test_earlier_events_are_asked_for_by_a_number(site: Site) -> None:
    answer = site.get("/t/1/events/120.json")
    assert (answer.status_code, answer.json) == (200, {"before": 120})
    assert answer.headers["Cache-Control"] == "no-store"


def test_what_changed_is_asked_for_and_never_kept(site: Site) -> None:
    answer = site.get("/t/1/changes.json")
    assert (answer.status_code, answer.json) == (200, {"changes": []})
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("benched", [True, False])
def test_a_page_is_framed_by_the_bench_alone(tmp_path: Path, benched: bool) -> None:
    (tmp_path / "static").mkdir()
    policy = Site(tmp_path / "static", benched=benched).get("/t/1").headers["Content-Security-Policy"]
    allowed = "'self'" if benched else "'none'"
    assert f"frame-src {allowed};" in policy
    assert policy.endswith(f"frame-ancestors {allowed}")


def test_pages_run_no_script_but_our_own_and_load_nothing_from_elsewhere(site: Site) -> None:
    answer = site.get("/t/1", headers={"Host": "10.42.0.1:8080"})
    rules = dict(rule.strip().split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert rules["connect-src"] == "'self' ws://10.42.0.1:8080 wss://10.42.0.1:8080"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_what_a_page_may_do_is_said_with_pages_and_the_worker_and_not_with_every_module() -> None:
    app = make_app({"1": FakeTable()}, HubKey.generate(), "hub", lambda: "", {})
    with app.test_client() as client:
        for path in ("/", "/t/1", "/worker.js", "/static/icon-180.png", "/static/nothing.js"):
            assert "script-src 'self'" in client.get(path).headers["Content-Security-Policy"], path
        for path in ("/static/pages/phone.js", "/static/pages/phone.css", "/vendor/mqtt.js"):
            answer = client.get(path)
            assert answer.status_code == 200
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert sum(len(name) + len(value) + 4 for name, value in answer.headers) < 330, path


def test_a_strange_host_name_cannot_widen_the_rules(site: Site) -> None:
    answer = site.get("/", headers={"Host": "x; script-src *"})
    assert "script-src *" not in answer.headers["Content-Security-Policy"]


def test_only_an_empty_answer_may_be_asked_for_by_another_origin(site: Site) -> None:
    up = site.get("/up")
    assert (up.status_code, up.data, up.headers["Cross-Origin-Resource-Policy"]) == (204, b"", "cross-origin")
    for path in ("/", "/t/1/kiosk", "/status.json", "/nothing"):
        assert site.get(path).headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_scripts_come_packed_and_only_once(site: Site) -> None:
    answer = site.get("/static/widgets/amount.js", headers={"Accept-Encoding": "gzip, br"})
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.data).decode() == SCRIPT
    again = site.get("/static/widgets/amount.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert not again.data
    plain = site.get("/static/widgets/amount.js", headers={"Accept-Encoding": "identity"})
    assert plain.text == SCRIPT


@pytest.mark.parametrize("path", ["/static/widgets/amount.js", "/static/widgets/none.js", "/vendor/mqtt.js"])
@pytest.mark.parametrize("packing", ["gzip, br", "identity", "gzip;q=0", ""])
def test_the_port_sends_a_script_without_a_worker_as_a_worker_would(site: Site, path: str, packing: str) -> None:
    served = serve(site.app, {}, dial_unix(str), PortSettings())
    try:
        etag = ""
        for asks_again in (False, True):
            headers = {"Host": "127.0.0.1", "Accept-Encoding": packing} | (
                {"If-None-Match": etag} if asks_again else {}
            )
            worker = site.get(path, headers=headers)
            asked = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
            with contextlib.closing(asked):
                asked.request("GET", path, headers=headers)
                answer = asked.getresponse()
                assert (answer.status, answer.read()) == (worker.status_code, worker.data)
            told = {name.lower(): value for name, value in answer.getheaders() if name.lower() != "date"}
            assert told == {name.lower(): value for name, value in worker.headers.items()}
            etag = worker.headers.get("ETag", "")
    finally:
        served.close()


def test_the_port_knows_which_of_its_addresses_other_machines_have_reached(site: Site) -> None:
    served = serve(site.app, {}, dial_unix(str), PortSettings("0.0.0.0"))

    def ask(to: str, source: str) -> None:
        asked = http.client.HTTPConnection(to, served.port, timeout=PATIENCE, source_address=(source, 0))
        with contextlib.closing(asked):
            asked.request("GET", "/static/widgets/amount.js")
            assert asked.getresponse().status == 200

    try:
        ask("127.0.0.1", "127.0.0.1")
        ask("127.0.0.2", "127.0.0.2")
        assert served.reached_at(other_than="") == -math.inf, "only this machine has asked"
        ask("127.0.0.2", "127.0.0.9")
        first = served.reached_at(other_than="127.0.0.1")
        assert first > 0
        assert served.reached_at(other_than="127.0.0.2") == -math.inf
        ask("127.0.0.3", "127.0.0.9")
        assert served.reached_at(other_than="127.0.0.2") >= first
    finally:
        served.close()


def test_fifty_scripts_of_a_first_visit_take_no_worker(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.app, "wsgi_app", lambda *_: pytest.fail("a worker was asked"))
    served = serve(site.app, {}, dial_unix(str), PortSettings())
    try:
        asked = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
        with contextlib.closing(asked):
            asked.request("GET", "/static/widgets/amount.js")
            assert asked.getresponse().status == 200
    finally:
        served.close()


def test_a_script_goes_without_types_and_indents_and_comments_on_lines_of_their_own_and_keeps_its_lines(
    site: Site, tmp_path: Path
) -> None:
    script = (
        "// Gone: what the file is for.\n/**\n * Gone.\n * @param {string} a\n */\nexport function f(a) {\n"
        "  /** @type {Map<string, string>} */\n  const m = new Map();\n"
        "  const n = /** @type {any} */ (a);\n  /** @type {any} */ (m).n = n; /* stays */\n  return `/** ${m} */`;\n}\n"
    )
    (tmp_path / "static" / "widgets" / "amount.js").write_text(script)
    sent = site.get("/static/widgets/amount.js").text
    assert sent.splitlines() == [
        "", "", "", "", "", "export function f(a) {", "", "const m = new Map();",
        "const n = (a);", "(m).n = n; /* stays */", "return `/** ${m} */`;", "}",
    ]  # fmt: skip


def test_a_changed_file_is_read_again(site: Site, tmp_path: Path) -> None:
    old = site.get("/static/widgets/amount.js").headers["ETag"]
    (tmp_path / "static" / "widgets" / "amount.js").write_text("changed")
    answer = site.get("/static/widgets/amount.js", headers={"If-None-Match": old})
    assert answer.text == "changed"


def sheets(static: Path, **texts: str) -> None:
    for name, text in texts.items():
        (static / "widgets" / f"{name}.css").write_text(text)


def test_a_style_sheet_contains_those_that_it_imports_in_their_order(site: Site, tmp_path: Path) -> None:
    lists = {
        "page": '/* What is in it. */\n@import "shared.css";\n@import "../widgets/part.css";\n\n.own {\n  top: 4px;\n}\n',
        "shared": '@import "first.css";\n@import "second.css";\n',
    }
    rules = {"first": ".first {\n  top: 1px;\n}\n", "second": ".second {}\n", "part": "/* Gone. */\n.part {}\n"}
    sheets(tmp_path / "static", **lists, **rules)
    sent = site.get("/static/widgets/page.css").text
    assert [line for line in sent.splitlines() if line] == [
        ".first {", "top: 1px;", "}", ".second {}", ".part {}", ".own {", "top: 4px;", "}",
    ]  # fmt: skip


def test_a_style_sheet_is_read_again_when_one_in_it_has_changed_and_only_then(site: Site, tmp_path: Path) -> None:
    sheets(tmp_path / "static", page='@import "shared.css";\n', shared='@import "part.css";\n', part=".old {}\n")
    files = StaticFiles(below=tmp_path / "static")
    old = files.get("widgets/page.css")
    assert old
    assert files.get("widgets/page.css") is old
    sheets(tmp_path / "static", part=".changed {}\n")
    changed = files.get("widgets/page.css")
    assert changed
    assert changed.plain.split() == [b".changed", b"{}"]
    assert changed.etag != old.etag


def test_a_style_sheet_without_one_of_its_parts_is_not_sent(site: Site, tmp_path: Path) -> None:
    sheets(tmp_path / "static", page='@import "part.css";\n')
    assert site.get("/static/widgets/page.css").status_code == 404
    sheets(tmp_path / "static", part=".part {}\n")
    assert site.get("/static/widgets/page.css").text.split() == [".part", "{}"]


def test_each_page_asks_for_its_style_sheets_whole_and_each_sheet_is_in_a_page() -> None:
    files = StaticFiles(below=STATIC)
    asked = {
        name
        for file in (*STATIC.rglob("*.html"), *STATIC.rglob("*.js"))
        for name in re.findall(r'<link rel="stylesheet" href="/static/([^"]+)"', file.read_text("utf-8"))
    }
    loading = " ".join(file.read_text("utf-8") for file in STATIC.rglob("*.js"))
    asked |= {
        f"parts/{name}"
        for call in re.findall(r"= later\((.*?)\);\n", loading, re.DOTALL)
        for name in re.findall(r'"([\w.]+\.css)"', call)
    }
    assert {name for name in asked if not (sent := files.get(name)) or b"@import" in sent.plain} == set()
    ahead = [STATIC / name for name in asked]
    for file in ahead:
        ahead += [(file.parent / name).resolve() for name in re.findall(r'@import "([^"]+)"', file.read_text("utf-8"))]
    assert {file.resolve() for file in STATIC.rglob("*.css")} - {file.resolve() for file in ahead} == set()


@pytest.mark.parametrize(
    "path",
    [
        "/static/../outside.js",
        "/static/%2e%2e/outside.js",
        "/static/widgets/../../outside.js",
        "/static//etc/passwd",
        "/static/.hidden.js",
        "/static/notes.py",
        "/static/link.js",
        "/static/widgets",
        "/static/widgets/",
        "/static/nothing.js",
        "/static/a%00.js",
        "/vendor/package.json",
        "/vendor/..%2fserver.py",
        "/games/nothing.json",
        "/t/9",
        "/t/9/kiosk",
        "/t/2/bench",
        "/t/9/qr.svg",
        "/t/9/events/5.json",
        "/t/9/changes.json",
        "/t/9/history",
        "/t/9/history.json",
        "/t/1/events/-1.json",
        "/t/1/events/five.json",
        f"/t/1/events/{'9' * 5000}.json",
        "/nothing",
    ],
)
def test_nothing_else_is_given_out(site: Site, path: str) -> None:
    answer = site.get(path)
    assert answer.status_code == 404
    assert answer.json is not None
    assert answer.json["error"].endswith(".")
    assert "secret" not in answer.text


def test_the_till_sees_tables_and_no_guest(site: Site) -> None:
    seats = [{"seat": 1, "name": "Ana", "held": True}, {"seat": 2}, {"seat": 3, "held": True, "house": "easy"}]
    state = {
        "table": "1", "name": "Table 1", "code": "FISH", "url": "", "epoch": 1, "seq": 1, "state": "playing", "title": "BID★IT!",
        "seats": seats, "minutes_left": [10, 20], "until": 1_790_000_000,
        "notices": [{"key": "help:1", "severity": "warning", "text": "Seat 1 calls for help."}],
    }  # fmt: skip
    assert site.get("/till.json").json == {"tables": []}, "before a table has shown itself"
    site.table.public.put(json.dumps(state).encode())
    answer = site.get("/till.json")
    assert answer.json == {
        "tables": [
            {
                "table": "1", "name": "Table 1", "state": "playing", "title": "BID★IT!", "seats": 3, "free": 2, "calls": 1,
                "minutes_left": [10, 20], "until": 1_790_000_000,
            }
        ]
    }  # fmt: skip
    assert "Ana" not in answer.text
    assert "FISH" not in answer.text


def test_a_person_who_went_astray_gets_a_page(site: Site) -> None:
    answer = site.get("/nothing", headers={"Accept": "text/html,*/*"})
    assert answer.status_code == 404
    assert "There is no such page" in answer.text


def test_a_wrong_method_is_one_sentence(site: Site) -> None:
    answer = site.client.put("/t/1")
    assert answer.status_code == 405
    assert answer.json == {"error": "This address does not take that method."}
    assert "GET" in answer.headers["Allow"]


def test_the_libraries_of_the_page_are_served_by_name(site: Site) -> None:
    assert set(VENDOR) == {"htm-preact.js", "mqtt.js", "nacl.js", "qr.js"}
    for name, file in VENDOR.items():
        if file.exists():
            assert site.get(f"/vendor/{name}").status_code == 200


def test_the_labels_of_a_game_are_served(site: Site) -> None:
    assert site.get("/games/bid-and-bait.json").json == {"title": "Bid & Bait!"}


def test_the_seat_code_leads_to_the_table_and_its_key(site: Site) -> None:
    assert site.get("/code/fish.json").json == {"table": "1", "k": to_base64(site.key.public)}
    assert site.get("/code/DUCK.json").json == {"table": "2", "k": to_base64(site.key.public)}
    lost = site.get("/code/NOPE.json", headers={"Accept": "*/*"})
    assert lost.status_code == 404
    assert lost.json is not None
    assert "code" in lost.json["error"]


def test_the_qr_is_a_small_picture_of_the_tables_address(site: Site) -> None:
    answer = site.get("/t/1/qr.svg")
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.data.startswith(b"<svg")
    assert len(answer.data) < 20_000
    assert answer.data != site.get("/t/2/qr.svg").data


def test_the_bench_takes_commands_where_there_is_one(site: Site) -> None:
    assert site.client.post("/t/1/bench", json={"key": "push"}).json == {"done": {"key": "push"}}
    assert site.client.post("/t/1/bench", data="nonsense").status_code == 400
    assert site.client.post("/t/1/bench", json=[1]).status_code == 400
    assert site.client.post("/t/2/bench", json={}).status_code == 404


def test_another_sites_page_cannot_post(site: Site) -> None:
    answer = site.client.post("/t/1/bench", json={}, headers={"Origin": "http://evil.example", "Host": "hub:8080"})
    assert answer.status_code == 403
    own = site.client.post("/t/1/bench", json={}, headers={"Origin": "http://hub:8080", "Host": "hub:8080"})
    assert own.status_code == 200


# --- Claims ------------------------------------------------------------------------------------------------


def test_a_claim_is_asked_pressed_and_held(site: Site) -> None:
    name = site.claim({"seat": 2, "code": None, "name": "Ana"}).json["claim"]  # type: ignore[index]
    asked = site.table.claims.get(timeout=PATIENCE)
    assert (asked.claim, asked.seat, asked.code, asked.name) == (name, 2, None, "Ana")
    assert asked.phone_key == site.phone.public
    waiting = site.get(f"/t/1/claim/{name}")
    assert waiting.json["state"] == "asked"  # type: ignore[index]
    assert waiting.headers["Cache-Control"] == "no-store"
    asked.answer(ClaimDecided(name, held=True, say="Welcome.", sid="s1", password="pw"))
    held = site.get(f"/t/1/claim/{name}").json
    assert held is not None
    assert (held["state"], held["say"]) == ("held", "Welcome.")
    login = site.phone.decrypt(from_base64(held["nonce"]) + from_base64(held["box"]))
    assert login == {"sid": "s1", "user": "s1", "password": "pw", "hub": "hub", "table": "1", "seat": 2}


def test_a_claim_is_held_only_once_the_login_works(site: Site) -> None:
    known: set[str] = set()
    site.table.login_of = lambda sid: "made" if sid in known else "awaited"
    name = site.claim({"seat": 2}).json["claim"]  # type: ignore[index]
    site.table.claims.get(timeout=PATIENCE).answer(ClaimDecided(name, held=True, say="", sid="s1", password="pw"))
    assert site.get(f"/t/1/claim/{name}").json["state"] == "asked"  # type: ignore[index]
    known.add("s1")
    assert site.get(f"/t/1/claim/{name}").json["state"] == "held"  # type: ignore[index]


def test_a_refused_claim_says_why(site: Site) -> None:
    name = site.claim({"seat": 2, "code": "BBBBBB"}).json["claim"]  # type: ignore[index]
    site.table.claims.get(timeout=PATIENCE).answer(ClaimDecided(name, held=False, say="That is not this seat's code."))
    assert site.get(f"/t/1/claim/{name}").json == {
        "state": "refused",
        "say": "That is not this seat's code.",
    }


def test_a_claim_is_known_at_its_own_table_only_and_not_for_ever(site: Site) -> None:
    name = site.claim({"seat": 2}).json["claim"]  # type: ignore[index]
    assert site.get(f"/t/2/claim/{name}").status_code == 404
    assert site.get("/t/1/claim/guessed").status_code == 404
    site.now += 121
    assert site.get(f"/t/1/claim/{name}").status_code == 404
    site.table.claims.get(timeout=PATIENCE).answer(ClaimDecided(name, held=False, say=""))  # too late: nothing happens


def guess(site: Site, seat: int = 2, address: str = "10.0.0.2", *, wrong: bool = True) -> int:
    """Try a code that the table finds wrong, or right; the status."""
    answer = site.claim({"seat": seat, "code": "BCDFGH"}, address=address)
    if answer.status_code == 200:
        asked = site.table.claims.get(timeout=PATIENCE)
        asked.answer(ClaimDecided(asked.claim, held=not wrong, say="", sid="s", password="p", wrong_code=wrong))
    return answer.status_code


def test_who_guesses_codes_waits_longer_and_longer_and_nobody_else_does(site: Site) -> None:
    pauses = []
    for _ in range(FREE_TRIES + 8):
        since = site.now
        while guess(site) == 429:
            site.now += 1
        pauses.append(site.now - since)
        assert guess(site, address="10.0.0.9", wrong=False) == 200, "the right code from anywhere else"
    assert pauses == [0] * FREE_TRIES + [1, 2, 4, 8, 16, 32, 60, 60]
    refused = site.claim({"seat": 3, "code": "BCDFGH"}, address="10.0.0.2")
    said = json.loads(refused.data)
    assert said["error"] == "Too many wrong codes came from this network. Try again in 61 seconds."
    assert said["texts"]["made"] == [[0, 61]]
    assert refused.headers["Retry-After"] == "61"
    assert site.claim({"seat": 2}, address="10.0.0.2").status_code == 200, "the box needs no code"
    site.now += FORGET_SECONDS + 1
    assert [guess(site) for _ in range(FREE_TRIES)] == [200] * FREE_TRIES


def test_of_two_right_codes_at_once_the_one_that_looked_at_the_clock_first_may_come_second() -> None:
    codes = WrongCodes()
    assert [codes.wait("10.0.0.2", now) for now in (5.0, 4.999)] == [0.0, 0.0]


def test_three_wrong_codes_keep_nobodys_right_one_out(site: Site) -> None:
    for number in range(60):
        guess(site, address=f"10.0.1.{number % 20}")
    for _ in range(3):
        guess(site)
    assert guess(site, wrong=False) == 200


def test_the_right_code_wins_within_a_minute_however_hard_its_own_network_guesses(site: Site) -> None:
    for _ in range(FREE_TRIES + 20):
        site.now += LONGEST_PAUSE
        guess(site)
    for _ in range(50):  # tries in a pause do not make it longer
        site.now += 1
        assert guess(site) == 429
    site.now += LONGEST_PAUSE - 50
    assert guess(site, wrong=False) == 200


def test_a_right_code_counts_nothing_and_forgives_no_wrong_one(site: Site) -> None:
    """Else who has a seat would type its own code after every guess."""
    for _ in range(FREE_TRIES - 1):
        guess(site)
    assert [guess(site, wrong=False) for _ in range(10)] == [200] * 10
    assert guess(site) == 200
    assert guess(site) == 429


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.2", "10.0.0.2"),
        ("::ffff:10.0.0.2", "10.0.0.2"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("fe80::1%wlan0", "fe80::/64"),
        ("?", "?"),
    ],
)
def test_addresses_that_one_machine_can_have_count_as_one(address: str, network: str) -> None:
    assert network_of(address) == network


def test_one_address_cannot_flood_the_table_with_claims(site: Site) -> None:
    statuses = [site.claim({"seat": 2}).status_code for _ in range(ASKS_EACH_ADDRESS + 1)]
    assert statuses == [200] * ASKS_EACH_ADDRESS + [429]
    assert site.claim({"seat": 2}, address="10.0.0.3").status_code == 200
    assert site.table.claims.qsize() == ASKS_EACH_ADDRESS + 1


def test_somebody_without_a_seat_calls_staff_a_few_times_a_minute(site: Site) -> None:
    def call(address: str = "10.0.0.2", **headers: str) -> int:
        return site.client.post("/t/1/help", headers=headers, environ_base={"REMOTE_ADDR": address}).status_code

    assert [call() for _ in range(CALLS_EACH_NETWORK + 1)] == [200] * CALLS_EACH_NETWORK + [429]
    assert call("10.0.0.9") == 200, "others are not kept waiting"
    assert site.table.calls == CALLS_EACH_NETWORK + 1
    assert call("10.0.0.9", origin="http://elsewhere.example") == 403
    assert site.client.post("/t/9/help").status_code == 404
    assert site.get("/t/1/help").status_code == 405


def test_a_claim_that_names_two_seats_is_refused(site: Site) -> None:
    assert site.claim({"seat": 2}, seat=3).status_code == 400
    assert site.table.claims.empty()


@pytest.mark.parametrize(
    "change",
    [
        {"pk": "A" * 43},
        {"pk": "short"},
        {"nonce": "A" * 32},
        {"nonce": "!" * 32},
        {"box": ""},
        {"box": "A" * 600},
        {"seat": 0},
        {"seat": "2"},
        {"extra": 1},
    ],
)
def test_a_claim_that_does_not_open_is_one_sentence(site: Site, change: dict[str, Any]) -> None:
    letter = site.phone.encrypt({"seat": 2})
    body = {
        "seat": 2,
        "pk": to_base64(site.phone.public),
        "nonce": to_base64(letter[:24]),
        "box": to_base64(letter[24:]),
    }
    answer = site.client.post("/t/1/claim", json={**body, **change})
    assert answer.status_code == 400
    assert answer.json is not None
    assert answer.json["error"].endswith(".")
    assert site.table.claims.empty()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff" * 100, b"x" * 5000])
def test_a_body_that_is_no_claim_is_one_sentence(site: Site, body: bytes) -> None:
    answer = site.client.post("/t/1/claim", data=body)
    assert answer.status_code == 400
    assert answer.json is not None
    assert answer.json["error"].endswith(".")


# --- The port ----------------------------------------------------------------------------------------------


@pytest.fixture
def port(site: Site) -> Iterator[int]:
    server = serve(site.app, {"1": site.table}, dial_unix(lambda: "/nowhere"), PortSettings())
    yield server.port
    server.close()


def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> http.client.HTTPResponse:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    link.request(method, path, body, headers, encode_chunked=isinstance(body, io.BytesIO))
    answer = link.getresponse()
    answer.body = answer.read()  # type: ignore[attr-defined]
    link.close()
    return answer


def first_event(port: int, path: str, **headers: str) -> str:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    link.request("GET", path, headers=headers)
    lines = link.getresponse()
    lines.readline()
    found = lines.readline().decode()
    lines.close()
    link.close()
    return found


@pytest.mark.parametrize(
    ("host", "fits"),
    [
        ("127.0.0.1:8080", True),
        ("10.42.0.1", True),
        ("[::1]:8080", True),
        ("[fe80::1]", True),
        ("localhost:8080", True),
        ("LOCALHOST", True),
        ("table-hub.local", True),
        ("table-hub.local.", True),
        ("hub.cafe.example:8080", True),
        (socket.gethostname(), True),
        ("evil.example", False),
        ("evil.example:8080", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("local", False),
        ("hub.cafe.example.evil.example", False),
        ("", False),
        ("[::1", False),
        ("10.42.0.1:8080@evil.example", False),
        ("evil.example/.local", False),
        ("evil.example .local", False),
    ],
)
def test_only_names_of_this_hub_are_answered(host: str, fits: bool) -> None:
    assert is_known_host(host, own_names(["Hub.Cafe.example"])) is fits


@pytest.mark.parametrize("path", ["/", "/t/1", "/t/1/events", "/t/1/screen/events", "/status.json", "/up"])
def test_a_page_whose_name_was_bent_to_the_hub_gets_nothing(port: int, path: str) -> None:
    """DNS rebinding: Host and Origin agree, for both are the stranger's."""
    stranger = {"Host": "evil.example", "Origin": "http://evil.example"}
    refused = ask(port, "GET", path, **stranger)
    assert refused.status == 421
    assert b"does not go by that name" in refused.body  # type: ignore[attr-defined]


def test_a_stranger_cannot_claim_or_connect_by_a_name_of_its_own(site: Site, port: int) -> None:
    stranger = {"Host": "evil.example", "Origin": "http://evil.example"}
    assert ask(port, "POST", "/t/1/claim", b"{}", **stranger).status == 421
    shake = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
    more = {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Protocol": "mqtt"}
    assert ask(port, "GET", "/mqtt", **stranger, **shake, **more).status == 421
    assert site.table.claims.empty()


@pytest.mark.parametrize("origin", ["http://[::1", "http://[", "http://]::1[", "//[v1.x"])
def test_an_origin_that_is_no_address_is_refused(port: int, origin: str) -> None:
    assert ask(port, "POST", "/t/1/claim", b"{}", Origin=origin).status == 403


@pytest.mark.parametrize("path", ["/t/1/bench", "/t/1/bench/events", "/t/1/bench/panel/2.9.png"])
def test_the_bench_is_for_the_hubs_own_machine(site: Site, path: str) -> None:
    """It shows what each seat picks in secret."""

    def status(method: str = "GET", *, open_bench: bool, **headers: str) -> int:
        settings = PortSettings(open_bench=open_bench)
        served = serve(site.app, {"1": site.table}, dial_unix(lambda: "/nowhere"), settings)
        site.table.bench.newest.put(b"{}")  # type: ignore[union-attr]
        try:
            link = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
            link.request(method, path, headers=headers)
            answer = link.getresponse()
            found = answer.status
            answer.close()
            link.close()
        finally:
            served.close()
        return found

    phone = {"X-Forwarded-For": "10.0.0.7"}  # what a proxy says of a phone
    assert status(open_bench=False) == 200
    assert status(open_bench=False, **phone) == 403
    assert status("POST", open_bench=False, **phone) == 403
    assert status(open_bench=True, **phone) == 200


def test_the_codes_of_seats_are_for_the_tables_own_screens(site: Site) -> None:
    site.table.public.put(b'"everybody"')
    site.table.screen.put(b'"codes"')

    def seen(screens: Screens, **headers: str) -> str:
        table = {"1": site.table}
        server = serve(site.app, table, dial_unix(lambda: "/nowhere"), PortSettings(screens=screens))
        try:
            return first_event(server.port, "/t/1/screen/events", **headers)
        finally:
            server.close()

    own, everybody = 'data: "codes"\n', 'data: "everybody"\n'
    assert seen(Screens()) == own, "this machine"
    assert seen(Screens(), **{"X-Forwarded-For": "10.0.0.7"}) == everybody, "a phone behind a proxy"
    assert seen(Screens(), **{"X-Forwarded-For": "127.0.0.1"}) == everybody
    assert seen(Screens(loopback=False)) == everybody


def test_pages_and_the_bench_stream_come_from_one_port(site: Site, port: int) -> None:
    assert ask(port, "GET", "/t/1").status == 200
    site.table.bench.newest.put(b'{"boxes":[]}')  # type: ignore[union-attr]
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    link.request("GET", "/t/1/bench/events")
    answer = link.getresponse()
    assert answer.readline() == b"id: 1\n"
    assert answer.readline() == b'data: {"boxes":[]}\n'
    answer.close()
    link.close()


def test_a_body_that_is_too_large_is_refused(port: int) -> None:
    answer = ask(port, "POST", "/t/1/claim", b"x" * 10_000)
    assert answer.status == 413
    chunked = ask(port, "POST", "/t/1/claim", io.BytesIO(b"x" * 10_000))
    assert chunked.status == 413


def test_the_port_says_nothing_of_the_program_behind_it(port: int) -> None:
    assert ask(port, "GET", "/").getheader("server") is None


def test_head_and_unknown_methods_are_answered(port: int) -> None:
    head = ask(port, "HEAD", "/t/1")
    assert (head.status, head.body) == (200, b"")  # type: ignore[attr-defined]
    assert ask(port, "DELETE", "/t/1").status == 405
    assert ask(port, "POST", "/t/1/events").status == 405


def test_a_slow_body_does_not_hold_up_other_pages(port: int) -> None:
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    for link in slow:
        link.sendall(b"POST /t/1/claim HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    assert ask(port, "GET", "/t/1").status == 200
    for link in slow:
        link.close()


def test_a_port_in_use_is_the_owners_sentence(port: int) -> None:
    with pytest.raises(TemporaryError, match=rf"\[web\] port {port}: another program uses it; .*{port + 1}"):
        listen("127.0.0.1", port)


def test_answers_to_phones_do_not_wait_for_the_network(site: Site) -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # asyncio's condition for TCP_NODELAY


@pytest.mark.parametrize(
    ("host", "number", "kind", "reason"),
    [
        ("203.0.113.7", 8080, TemporaryError, "has no address 203.0.113.7"),
        ("127.0.0.1", 70_000, ConfigError, "a number from 1 to 65535"),
        ("no host", 8080, ConfigError, "[web] port 8080: "),
    ],
)
def test_a_place_that_cannot_be_had_is_the_owners_sentence(
    host: str, number: int, kind: type[Exception], reason: str
) -> None:
    with pytest.raises(kind, match=re.escape(reason)):
        listen(host, number)


def test_a_wrong_certificate_is_the_owners_sentence(site: Site) -> None:
    with pytest.raises(ConfigError, match=r"\[web\] tls_cert /nowhere.pem"):
        serve(site.app, {}, dial_unix(lambda: ""), PortSettings(tls=("/nowhere.pem", "/nowhere.key")))


def test_the_port_is_free_again_when_the_server_is_closed(site: Site) -> None:
    server = serve(site.app, {"1": site.table}, dial_unix(lambda: "/nowhere"), PortSettings())
    follower = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    site.table.public.put(b"{}")
    follower.request("GET", "/t/1/events")
    answer = follower.getresponse()
    assert answer.readline() == b"id: 1\n"
    server.close()
    assert answer.read().endswith(b"\n\n")  # ended in order
    follower.close()
    listen("127.0.0.1", server.port).close()


@pytest.mark.broker
def test_a_whole_evening_of_one_phone_leaves_no_secret_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Scan, claim, connect, hand, request, answer, release: over the real port, at DEBUG."""
    with caplog.at_level(logging.DEBUG):
        rig = Rig(tmp_path)
        try:
            phone = Keys(rig.key.public)
            letter = phone.encrypt({"seat": 1, "code": "BCDFGH", "name": "Ana"})
            body = {
                "seat": 1,
                "pk": to_base64(phone.public),
                "nonce": to_base64(letter[:24]),
                "box": to_base64(letter[24:]),
            }
            response = ask(rig.port, "POST", "/t/1/claim", json.dumps(body))
            name = json.loads(response.body)["claim"]  # type: ignore[attr-defined]
            asked = rig.table.claims.get(timeout=PATIENCE)
            rig.link.admit("sid1", "pass-word", asked.phone_key)
            asked.answer(ClaimDecided(name, held=True, say="", sid="sid1", password="pass-word"))
            reply: dict[str, Any] = {"state": "asked"}
            while reply["state"] == "asked":
                reply = json.loads(ask(rig.port, "GET", f"/t/1/claim/{name}").body)  # type: ignore[attr-defined]
            login = phone.decrypt(from_base64(reply["nonce"]) + from_base64(reply["box"]))
            rig.link.show_hands({"sid1": hand(1, you={"secret_fish": "carp"})})
            with Phone(rig.port, login["sid"], login["user"], login["password"]) as client:
                assert client.dial()
                assert client.subscribe(rig.topics.hand("sid1"))
                assert phone.decrypt(client.message()[1])["you"] == {"secret_fish": "carp"}
                client.publish(rig.topics.act("sid1"), phone.encrypt(act(1, args={"number": 5})))
                said = rig.heard.get(timeout=PATIENCE)
                rig.link.answer("sid1", Ack(said.id, ok=True))
            rig.link.release("sid1")
        finally:
            rig.close()
    for secret in ("pass-word", "BCDFGH", "carp", '"number"', rig.broker._mosquitto.password):  # type: ignore[union-attr]
        assert secret not in caplog.text
