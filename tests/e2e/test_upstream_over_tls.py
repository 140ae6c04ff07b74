"""Two real hubs and a real broker above them that takes TLS and a password only; what is wrong is said wherever one looks for it."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.chaos.hub import ChaosHub
from tests.chaos.players import Guests
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.e2e.hub_process import PROGRAM
from tests.network.upstream_broker import PASSWORD, Certificates, Reader, UpstreamBroker
from tests.patience import PATIENCE
from tests.phone_ui.axe import findings, small_targets
from tests.phone_ui.rig import until

pytestmark = [
    pytest.mark.broker,
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[dict[str, UpstreamBroker]]:
    """One whose certificate is good, and one whose certificate has expired."""
    made = {
        name: UpstreamBroker(tmp_path / name, certificates=Certificates(tmp_path / f"{name}-tls", days=days))
        for name, days in (("good", 2), ("expired", -1))
    }
    for one in made.values():
        one.start()
    yield made
    for one in made.values():
        one.stop(signal.SIGKILL)


def hub_of(folder: Path, name: str, more: str) -> ChaosHub:
    (folder / name).mkdir()
    return ChaosHub(folder / name, 1, hub=name, more=more)


def signed_in(page: Page, hub: ChaosHub) -> Page:
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"http://127.0.0.1:{hub.port}/staff?part=hubs")
    page.get_by_label("PIN").fill(hub.screen("1")["staff_pin"])
    page.get_by_role("button", name="Sign in").click()
    return page


def doctor_of(hub: ChaosHub) -> dict[str, str]:
    """Return what the doctor finds of the broker above."""
    command = [str(PROGRAM), "doctor", "--json", "--config", str(hub._config)]
    told = json.loads(subprocess.run(command, check=False, capture_output=True, text=True, timeout=120).stdout)
    (found,) = [one for one in told["findings"] if one["check"] == "upstream"]
    assert isinstance(found, dict)
    return found


def play_on(hub: ChaosHub) -> None:
    """Play some actions."""
    guests = Guests("1", "goofspiel", hub.address_of("1"), 3)
    guests.start()
    until(lambda: sum(one.answered for one in guests.promised.asked) > 10, "the table plays on")
    guests.end()
    guests.join(30)
    assert guests.trouble is None


def test_two_hubs_meet_over_tls(brokers: dict[str, UpstreamBroker], tmp_path: Path) -> None:
    above = brokers["good"]
    reader = Reader(above)
    north, south = (hub_of(tmp_path, name, above.toml(name)) for name in ("north", "south"))
    with north, south, headless() as browser:
        until(lambda: reader.here("north") and reader.here("south"), "both are there")
        hubs = signed_in(browser.new_context(viewport=PHONE).new_page(), north).get_by_role("region", name="All hubs")
        expect(
            hubs.get_by_role("listitem").filter(has_text="south").first.get_by_text("here", exact=True)
        ).to_be_visible()
        play_on(south)
        assert doctor_of(north)["state"] == "ok"
        assert str(above.port) not in json.dumps(north.status())
    reader.close()


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("another authority", "was not signed by an authority that the hub trusts: check `ca_file`."),
        ("expired", "has expired: it needs a new one, if the hub's clock is right."),
        ("password", "refuses the hub's login (Not authorized)."),
    ],
)
def test_what_keeps_a_hub_out_is_one_sentence_for_staff_journal_and_doctor_and_the_tables_play_on(
    brokers: dict[str, UpstreamBroker], tmp_path: Path, which: str, said: str
) -> None:
    above = brokers.get(which, brokers["good"])
    wrong = tmp_path / "wrong"
    wrong.write_text("what nobody has chosen\n")
    more = {
        "another authority": {"ca_file": f'"{tmp_path}/expired-tls/ca.pem"'},
        "password": {"password_file": f'"{wrong}"'},
    }
    with hub_of(tmp_path, "north", above.toml("north", 0, **more.get(which, {}))) as hub, headless() as browser:
        page = signed_in(browser.new_context(viewport=PHONE).new_page(), hub)
        hubs = page.get_by_role("region", name="All hubs")
        expect(hubs.get_by_text(said)).to_be_visible()
        expect(hubs.get_by_text("There is no news from the other hubs since")).to_be_visible()
        play_on(hub)
        found = doctor_of(hub)
        assert (found["state"], said in found["seen"]) == ("look", True), found
        journal = [line for line in hub.output if said in line]
        assert len(journal) == 1, hub.output
        told = json.dumps(hub.status())
        assert str(above.port) not in told
        assert PASSWORD not in "".join(hub.output) + told
        assert [*findings(page), *small_targets(page)] == []
