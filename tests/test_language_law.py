"""What any match says is known to every language's catalogue: events, questions, refusals, facts and reasons."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from hub import games
from hub.authoring.players import random_action, random_match, random_options
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.match import Match
from hub.languages import WRITTEN_IN, language_of, languages
from hub.network.messages import to_bytes
from hub.state import EventsPage, PublicEvent
from phone_ui.javascript import HERE, node
from tests import made_language

MATCHES = int(os.environ.get("LAWS", "6"))
MOST = 160
"""Actions of a match that are listened to."""

NOT_SHOWN = re.compile(r"needs \d$|The move \w+ wants |\w+ -?\d+ [+-]\d+( [AB])?$")
"""How a turn of Bid & Bait! stands, what no page asks for, and the cards of a list that an owner wrote."""

WRONG = re.compile(r"[,:]:|:,|: (?:und|oder) | ,")

FIND = """
import { readFileSync } from "node:fs";
import { readMessage } from "%(lib)s/language.js";
import { Language } from "%(lib)s/translate.js";
const { pages, languages } = JSON.parse(readFileSync(0, "utf-8"));
const said = pages.map((page, i) => {
  const made = new Language(...languages[i]);
  return readMessage(page).events.map(({ text }) => made.say(text));
});
process.stdout.write(JSON.stringify(said));
"""
"""What a page makes of events: it finds a sentence by filling the templates that came with the message."""

JUNK: list[Any] = [None, -1, 0, 7, 99, "", "x", [], ["a"], True]


def sentences(value: Any) -> Iterator[str]:
    """All texts of several words in a view."""
    if isinstance(value, str):
        if " " in value.strip():
            yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from sentences(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from sentences(one)


def refusals(match: Match, random: Random) -> Iterator[str]:
    """What is said to actions that cannot be."""
    number = match.open.number if match.open else 0
    moves = list(match.game.labels.moves)
    for seat in match.state.seats:
        offered = [str(move["move"]) for move in match.moves(seat)] if match.open else []
        name = random.choice(moves + offered)
        parameters = list(match.game.labels.parameters)
        args = {
            key: random.choice(JUNK) for key in random.sample(parameters, min(len(parameters), random.randint(0, 2)))
        }
        refused = match.refusal(Action(seat=seat, move=name, args=args, number=number))
        if refused:
            yield refused.args[0]


def heard(match: Match, random: Random) -> Iterator[str]:
    """What is said after an action."""
    for viewer in (None, *match.state.seats):
        yield from sentences(match.view(viewer))
    for seat in match.state.seats if match.open else ():
        yield from (bar["why"] for bar in match.barred(seat))
        yield from sentences(match.notes(seat))
    yield from refusals(match, random)


def said(name: str, seed: int) -> Iterator[str]:
    """All that is said in a match."""
    game, random = games.find(name), Random(f"{name} {seed}")
    count = random.randint(*game.seats)
    match = Match(game, range(1, count + 1), random_options(game, count, random))
    chance, told = Chance(seed), 0
    while match.open and len(match.log) < MOST:
        match.act(random_action(match, random, chance))
        for event in match.events[told:]:
            yield event.text
            yield from sentences(event.data)
        told = len(match.events)
        yield from heard(match, random)
    if match.over:
        yield match.over.why


@pytest.mark.parametrize("name", games.names())
def test_whatever_a_match_says_can_be_translated(name: str) -> None:
    spoken_here = made_language.language(name)
    texts = {text for seed in range(MATCHES) for text in said(name, seed) if not NOT_SHOWN.match(text)}
    unknown = {text: parts for text in texts if (parts := spoken_here.translate(text).unknown)}

    assert not unknown, "\n".join(f"{text!r}: {parts}" for text, parts in list(unknown.items())[:40])


@pytest.mark.parametrize("language", [one for one in languages() if one != WRITTEN_IN])
@pytest.mark.parametrize("name", games.names())
def test_no_two_signs_stand_side_by_side_in_what_a_match_says(name: str, language: str) -> None:
    spoken_here = language_of(language, name)
    texts = {text for text in said(name, 0) if not WRONG.search(text)}
    wrong = [made for text in texts if WRONG.search(made := spoken_here.say(text))]

    assert not wrong, "\n".join(wrong[:40])


def test_a_page_finds_what_each_sentence_was_made_from() -> None:
    pages, spoken_here, wanted = [], [], []
    for name in games.names():
        game = games.find(name)
        match = random_match(game, tuple(range(1, game.seats[1] + 1)), {}, Random(3))
        events = [PublicEvent(n, event.text) for n, event in enumerate(match.events)]
        pages.append(to_bytes(EventsPage(match="1", epoch=1, events=events)).decode())
        spoken_here.append(made_language.language(name))
        wanted.append([spoken_here[-1].say(event.text) for event in match.events])
    told = {"pages": pages, "languages": [one._catalogues for one in spoken_here]}
    done = subprocess.run(
        [node(), "--input-type=module", "-e", FIND % {"lib": HERE / "static" / "lib"}],
        input=msgspec.json.encode(told), capture_output=True, check=True,
    )  # fmt: skip

    assert json.loads(done.stdout) == wanted
    assert sum(map(len, wanted)) > 1000
