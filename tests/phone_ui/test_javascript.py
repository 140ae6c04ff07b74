"""The pages' logic without a browser: its own tests under node, and that it says the same as the hub."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
from nacl.public import PrivateKey

from hub.display.labels import fill
from hub.display.rings import frame
from hub.network.encryption import HubKey, fingerprint, from_base64, to_base64
from hub.ports import SEAT_MARKS, LampPicture, Pattern
from phone_ui import javascript
from phone_ui.static_files import minified
from tests.made_labels import made_labels

JS = Path(__file__).parent / "js"
TIMES = [0.0, 0.1, 0.29, 0.5, 1.3, 2.7, 6.1]
COLOUR = "f28c28"
SAID = {"name": "Zoë ★", "code": None, "seat": 2}
VIEW = {
    "table": {"rolled": [3, 4], "none": None, "spots": [{"number": 4, "fish": "perch"}], "cash": 2250, "worth": -3,
              "offer": [{"card": 12, "kind": "perch"}, {"card": -7, "kind": "perch"}], "shares": {"1": 2, "4": 1, "5": 0}},
    "round": 4,
}  # fmt: skip
LABELS = {"cards": {"perch": {"name": "Perch"}}, "face": {"key": "card", "kind": "kind", "title": "{card}"}}
TEMPLATES = [
    "SPOT {table.spots.0.number}", "{table.rolled}", "{table.rolled.1} of {round}", "{table.none} · {round}",
    "{table.spots.0.fish}", "{table.cash:cents}", "{table.cash:dollars}", "a {missing.path} b", "{table.spots.7.fish}",
    "{table.worth:+} of {round:+}", "{table.none:+}", "{table.offer}",
    "Spot {table.none} · {table.shares} shared · as always", "{table.spots.0}",
]  # fmt: skip


@pytest.fixture(scope="module")
def key() -> HubKey:
    return HubKey(PrivateKey(bytes(range(32))))


@pytest.fixture(scope="module")
def pages(key: HubKey) -> dict[str, Any]:
    """What the pages' modules make of the same cases."""
    cases = {
        "templates": TEMPLATES,
        "view": VIEW,
        "labels": LABELS,
        "rings": get_args(Pattern),
        "colour": COLOUR,
        "times": TIMES,
        "hubKey": to_base64(key.public),
        "said": SAID,
    }
    done = subprocess.run(
        [javascript.node(), str(JS / "golden.js")],
        check=False,
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_logic_of_the_pages_passes_its_own_tests() -> None:
    files = sorted(map(str, JS.glob("*.test.js")))
    assert files
    done = subprocess.run(
        [javascript.node(), "--test", *files], check=False, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.real_chance
def test_templates_are_filled_alike_in_python_and_on_the_pages(pages: dict[str, Any]) -> None:
    assert pages["filled"] == [fill(template, VIEW, None, made_labels(LABELS)) for template in TEMPLATES]


@pytest.mark.parametrize("pattern", get_args(Pattern))
def test_rings_on_the_bench_are_drawn_as_on_the_boxes(pages: dict[str, Any], pattern: Pattern) -> None:
    drawn = pages["rings"][get_args(Pattern).index(pattern)]
    for t, lamps in zip(TIMES, drawn, strict=True):
        seen = [tuple(round(int(lamp["colour"][i : i + 2], 16) * lamp["level"]) for i in (0, 2, 4)) for lamp in lamps]
        for ours, theirs in zip(seen, frame(LampPicture(pattern, 5, COLOUR), t), strict=True):
            assert all(abs(a - b) <= 1 for a, b in zip(ours, theirs, strict=True)), t


def test_the_fingerprint_of_the_hubs_key_is_the_same_on_hub_and_phone(pages: dict[str, Any], key: HubKey) -> None:
    assert pages["fingerprint"] == fingerprint(key.public)


def test_seat_marks_are_those_of_the_hub(pages: dict[str, Any]) -> None:
    assert {int(seat): (mark["symbol"], mark["name"]) for seat, mark in pages["marks"].items()} == {
        seat: (mark.symbol, mark.name) for seat, mark in SEAT_MARKS.items()
    }


def test_the_hub_opens_what_a_page_has_encrypted(pages: dict[str, Any], key: HubKey) -> None:
    pair = key.with_phone(from_base64(pages["phoneKey"]))
    assert json.loads(pair.decrypt(from_base64(pages["encrypted"]))) == SAID


def test_the_types_of_the_pages_are_those_of_the_messages() -> None:
    assert javascript.MESSAGES.read_text("utf-8") == javascript.messages(), "run: make renew"


def test_every_field_that_the_hub_writes_is_there_and_a_request_may_leave_defaults_out() -> None:
    parts = javascript.schema()["$defs"]
    assert set(parts["PublicState"]["required"]) == set(parts["PublicState"]["properties"])
    assert "notices" in parts["PublicState"]["required"]
    assert set(parts["Act"]["required"]) == {"v", "id", "n", "epoch", "verb"}
    assert parts["GameOffer"]["properties"]["seats"]["items"] == [{"type": "integer"}] * 2


def test_no_tool_of_developers_is_part_of_a_hub() -> None:
    package = json.loads((javascript.HERE / "package.json").read_text())
    lock = json.loads((javascript.HERE / "package-lock.json").read_text())["packages"]
    for name in package["devDependencies"]:
        assert lock[f"node_modules/{name}"].get("dev"), name
    assert set(package["dependencies"]) == {"htm", "lean-qr", "mqtt", "tweetnacl"}


def test_the_lock_file_names_every_package_by_its_hash_and_no_registry() -> None:
    lock = json.loads((javascript.HERE / "package-lock.json").read_text())["packages"]
    assert [name for name, entry in lock.items() if name and "integrity" not in entry] == []
    # `npm ci` refuses a lock file in which a package of another platform is named and not locked.
    named = {part for entry in lock.values() for part in entry.get("optionalDependencies", {})}
    assert sorted(part for part in named if f"node_modules/{part}" not in lock) == []
    assert not [name for name, entry in lock.items() if "resolved" in entry], (
        "a registry's address stands in the lock file"
    )


PARSE = """
import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
for (const file of process.argv.slice(1)) new SourceTextModule(readFileSync(file, "utf-8"), { identifier: file });
"""


def test_every_script_is_whole_without_its_doc_comments(tmp_path: Path) -> None:
    scripts = []
    for file in (javascript.HERE / "static").rglob("*.js"):
        scripts.append(tmp_path / f"{file.parent.name}-{file.stem}.js")
        scripts[-1].write_bytes(minified(file.read_bytes()))
        assert b"@param" not in scripts[-1].read_bytes(), file
    parse = [javascript.node(), "--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", PARSE]
    done = subprocess.run([*parse, *map(str, scripts)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_page_draws_through_the_one_html_that_speaks_its_language() -> None:
    static = javascript.HERE / "static"
    direct = [
        file.relative_to(static).as_posix()
        for file in static.rglob("*.js")
        if '"/vendor/htm-preact.js"' in file.read_text("utf-8")
    ]

    assert direct == ["lib/html.js"]


def test_pages_turn_round_for_languages_from_right_to_left() -> None:
    """Sides are the text's own; what lies along a line of numbers, and the knob of a switch, are the screen's."""
    sided = re.compile(
        r"(?:(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|^\s*(?:left|right))\b", re.MULTILINE
    )
    rules = re.compile(r"([^{}]+)\{([^{}]*)\}")
    found = [
        rule.strip()
        for file in (javascript.HERE / "static").rglob("*.css")
        for rule, body in rules.findall(file.read_text("utf-8"))
        if sided.search(body) and not re.search("number-line|line-way|switch", rule)
    ]

    assert found == []
