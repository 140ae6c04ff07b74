"""Laws of screens at the moments of a game: what decides is in sight on small phones, and nothing of a big screen is cut."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.gallery.moments import Moment
from tests.gallery.pictures import KIOSKS, PHONES, TWO_FRAMES, Gallery

Trouble = tuple[str, tuple[int, int], str]
"""The name of a moment, the size of a screen, and what is wrong there."""

# What a person who is asked presses or turns: the first of it has to be in sight.
DECIDES = (
    ".question :is(.stepper, .choice, .choices .choice, .lid-button, .number-keys .choice, button), .dice-part button"
)

# Texts on a screen that reach beyond it, beyond what cuts them off, or below the foot.
CUT = """() => {
  const foot = document.querySelector('.foot, .invitation')?.getBoundingClientRect().top ?? innerHeight;
  const wanted = '.now-who, .now-main, .now-caption, .now-want, .now-order, .now-headline, .dice-say, .winner > *, ' +
    '.winner-scores li, .welcome-right > *, .welcome-seats li, .seat-place, .felt, .felt .tile, .felt .fact';
  const below = [...document.querySelectorAll(wanted)].filter((one) => one.getBoundingClientRect().bottom > foot + 1);
  const now = document.querySelector('.now')?.getBoundingClientRect().bottom ?? innerHeight;
  below.push(...[...document.querySelectorAll('.now > :not(.now-log), .now-dice > *')].filter((one) =>
    one.getBoundingClientRect().bottom > now + 1));
  const last = '.foot > *, .invitation > *, .invitation p, .welcome-right > *, .now > *, .winner-scores li';
  const out = [...document.querySelectorAll(last)].filter((one) => {
    const { right, bottom } = one.getBoundingClientRect();
    return right > innerWidth + 1 || bottom > innerHeight + 1;
  });
  const above = [...document.querySelectorAll('.winner > *')].filter((one) => one.getBoundingClientRect().top < 0);
  return [...below, ...above, ...out].map((one) => `${one.className}: ${one.textContent.slice(0, 40)}`);
}"""
# What lies on the felt and is cut by its edge, or by the row that it lies in.
CUT_BY_THE_FELT = """() => {
  const felt = document.querySelector('.felt')?.getBoundingClientRect();
  const inFelt = '.felt > :not(.felt-face, .revealed), .felt .fact, .felt .card, .felt .tile, .felt .who, .felt b';
  const clipped = felt ? [...document.querySelectorAll(inFelt)].filter((one) => {
    const { top, bottom, left, right, width } = one.getBoundingClientRect();
    const hidden = !width || one.closest('.unseen, .felt-face, .game-title');
    return !hidden && (top < felt.top - 1 || bottom > felt.bottom + 1 || left < felt.left - 1 || right > felt.right + 1);
  }) : [];
  const inRow = [...document.querySelectorAll('.felt .row :is(.card, .tile)')].filter((one) => {
    return one.getBoundingClientRect().bottom > one.closest('.row').getBoundingClientRect().bottom + 1;
  });
  return [...clipped, ...inRow].map((one) => `${one.className}: ${one.textContent.slice(0, 40)}`);
}"""


# What a place on the table says and is cut off, and names of seats of which little is left.
LOST = """() => {
  const isCut = (one) => one.scrollHeight > one.clientHeight + 3 || one.scrollWidth > one.clientWidth + 3;
  const rows = [...document.querySelectorAll('.felt .row')].filter((row) => row.scrollHeight > row.clientHeight + 6);
  const names = [...document.querySelectorAll('.seat-called, .who-name:not(.now-log *, .tile-title *)')];
  const cut = names.filter((one) => one.clientWidth > 1 && isCut(one)); // of one pixel are names that are only heard
  return [...rows, ...cut].map((one) => `${one.parentElement.parentElement.className}: ${one.textContent.slice(0, 40)}`);
}"""


def at(page: Page, size: tuple[int, int]) -> None:
    """Give a page a size, and wait until it is drawn."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(TWO_FRAMES)


def hidden_decisions(gallery: Gallery, moments: list[Moment]) -> tuple[list[Trouble], int]:
    """Return where what a person presses or turns first is below the dock of a phone, and at how many places it was looked for."""
    hidden, looked = list[Trouble](), 0
    for one in moments:
        hand = one.hands.get(one.asked)
        if one.screen["state"] != "playing" or not hand or not (hand["moves"] or hand["faces"]) or one.before:
            continue
        gallery.show(one, [one.asked])
        page = gallery.phone(one.asked)
        for size in PHONES:
            at(page, size)
            place = page.evaluate(
                """(decides) => {
                  const first = document.querySelector(decides);
                  const under = document.querySelector('.dock:has(button)') ?? document.querySelector('.tabs');
                  return first && [first.getBoundingClientRect().bottom, under.getBoundingClientRect().top];
                }""",
                DECIDES,
            )
            if place is not None:
                looked += 1
                if place[0] > place[1]:
                    hidden.append((one.name, size, f"what decides ends {place[0] - place[1]:.0f} px below the dock"))
    return hidden, looked


def cut(shown: Gallery, moments: list[Moment], *laws: str) -> list[Trouble]:
    """Return what is cut on a big screen of every size, by all laws of big screens or by those that are named."""
    troubles: list[Trouble] = []
    laws = laws or (CUT, CUT_BY_THE_FELT, LOST)
    for one in moments:
        shown.show(one, [])
        for size in KIOSKS:
            at(shown.kiosk, size)
            if any(shown.kiosk.evaluate(law) for law in laws):
                shown.kiosk.wait_for_timeout(400)  # pictures of another size are laid out a moment later
            troubles += [(one.name, size, what) for law in laws for what in shown.kiosk.evaluate(law)]
    return troubles
