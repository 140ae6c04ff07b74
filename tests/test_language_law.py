"""What any match says is known to every language's catalogue: events, questions, refusals, facts and reasons."""

from __future__ import annotations

import json
import os
import re
import subprocess
from random import Random

import msgspec
import pytest

from hub import games
from hub.authoring.players import random_match
from hub.authoring.sentences import UNASKED, questions, said
from hub.languages import WRITTEN_IN, language_of, languages
from hub.network.messages import to_bytes
from hub.state import EventsPage, PublicEvent
from phone_ui.javascript import HERE, node
from tests import made_language

MATCHES = int(os.environ.get("LAWS", "6"))
NOT_SHOWN = re.compile(rf"needs \d$|\w+ -?\d+ [+-]\d+( [AB])?$|{UNASKED.pattern}")
"""How a turn of Bid & Bait! stands, the cards of a list that an owner wrote, and what no page asks for."""

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


@pytest.mark.parametrize("name", games.names())
def test_whatever_a_match_says_can_be_translated(name: str) -> None:
    spoken_here = made_language.language(name)
    heard = (text for seed in range(MATCHES) for text in (*said(name, seed), *questions(name, seed)))
    texts = {text for text in heard if not NOT_SHOWN.match(text)}
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
