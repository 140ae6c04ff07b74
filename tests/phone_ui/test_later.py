"""Parts of the pages that are loaded when they are first shown."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.phone_ui.fake_hub import FakeHub

# The first place asks for the part. The second is drawn while it is on its way; it comes before the second has looked.
TWO_PLACES = """async () => {
  const [{ later }, { html, render }] = await Promise.all([import("/static/parts/later.js"), import("/static/lib/html.js")]);
  const places = [0, 1].map(() => document.body.appendChild(document.createElement("p")));
  const asked = [];
  const Part = later(() => new Promise((come) => asked.push(come)));
  const drawn = () => places.map((place) => (place.querySelector("[data-coming]") ? "coming" : place.textContent));
  const turn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
  const seen = [];
  render(html`<${Part} />`, places[0]);
  await turn();
  render(html`<${Part} />`, places[1]);
  seen.push(drawn());
  asked[0](() => html`<b>here</b>`);
  while (drawn()[0] !== "here") await turn();
  await turn();
  return [...seen, drawn(), asked.length];
}"""


@pytest.mark.browser
def test_a_part_that_comes_while_another_place_for_it_is_drawn_is_shown_at_both(browser: Browser, hub: FakeHub) -> None:
    page = browser.new_page()
    page.goto(f"{hub.address}/t/1/kiosk")
    assert page.evaluate(TWO_PLACES) == [["coming", "coming"], ["here", "here"], 1]
    page.close()
