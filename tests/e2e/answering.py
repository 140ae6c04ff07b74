"""Answering what a phone's page offers, at random and without knowing a game, whatever the page is worked with."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

PASSES = 0.5  # how often the last of several buttons is taken: passing and dropping out stand last, auctions end sooner
MOST_PRESSES = 60
"""For one answer: a page that wants more asks for something that cannot be answered."""
CONTROLS = (
    ".question .pick-move input, .question .open-hand, "
    ".question .fields :is(input[type=radio], input[type=checkbox]), .dock button.act"
)
# What can be worked now: its place among CONTROLS, what it is, the field that it belongs to.
OFFERED = """(controls) => {
  const fields = [...document.querySelectorAll(".question .fields fieldset")];
  const kinds = { ".pick-move": "move", ".open-hand": "lid", ".dock": "act" };
  return [...document.querySelectorAll(controls)].map((one, nth) => ({
    nth,
    kind: Object.entries(kinds).find(([place]) => one.closest(place))?.[1] ?? one.type,
    field: fields.indexOf(one.closest("fieldset")),
    checked: Boolean(one.checked),
    primary: one.classList.contains("primary"),
    words: one.textContent,
  })).filter(({ nth }) => !document.querySelectorAll(controls)[nth].matches(":disabled, [aria-disabled=true]"));
}"""

TAKES_BACK = ("Take back", "Keep it", "Zurück", "Behalten")
"""Buttons of the dock that undo, in the languages that tests play in."""

Control = dict[str, Any]


class Hands(Protocol):
    """What works a page: a finger, keys, another engine's driver."""

    def open(self, address: str) -> None:
        """Open a page."""

    def ask(self, script: str, argument: Any = None) -> Any:
        """Return what a function returns in the page."""

    def press(self, css: str, nth: int = 0) -> None:
        """Press or tick the nth of what the selector finds."""

    def fill(self, css: str, text: str) -> None:
        """Type into a field, in place of what is there."""


class CannotAnswer(Exception):
    """The page offers nothing that can be pressed."""


def answer(hands: Hands, random: Random) -> None:
    """Choose until a button can be pressed, and press it. Raise CannotAnswer where none can be."""

    def offered(true: Callable[[Control], Any]) -> list[Control]:
        return [one for one in hands.ask(OFFERED, CONTROLS) if true(one)]

    def press(one: Control) -> None:
        hands.press(CONTROLS, one["nth"])

    if moves := offered(lambda one: one["kind"] == "move"):
        press(random.choice(moves))
    while lids := offered(lambda one: one["kind"] == "lid"):
        press(lids[0])
    for _ in range(MOST_PRESSES):
        values = offered(lambda one: one["kind"] in ("radio", "checkbox"))
        chosen = {one["field"] for one in values if one["checked"]}
        acts = offered(lambda one: one["kind"] == "act" and one["words"] not in TAKES_BACK)
        empty = [one for one in values if one["field"] not in chosen]
        more = [one for one in values if one["kind"] == "checkbox" and not one["checked"]]
        if empty:
            press(random.choice(empty))
        elif more and not any(one["primary"] for one in acts):
            press(random.choice(more))
        elif acts:
            press(acts[-1] if random.random() < PASSES else random.choice(acts))
            return
        else:
            break
    raise CannotAnswer
