"""What a message is, how a language's file is renewed and read, and that translations keep the placeholders."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from hub import games
from hub import languages as hub_languages
from hub.authoring.messages import Message, of_module
from hub.authoring.translations import missing, template, written
from hub.display.language import Language
from hub.docs import catalogues
from hub.docs.messages import game_of
from hub.engine.text import message, say, say_count
from hub.errors import ConfigError
from hub.languages import Speech, language_of, languages, read_catalogues
from phone_ui import javascript

PLACES = re.compile(r"\{\w*\}")

every_file = pytest.mark.parametrize("file", catalogues.files(), ids=lambda file: file.parent.parent.name)


@every_file
def test_a_translation_names_only_places_that_its_message_has(file: Path) -> None:
    with file.open("rb") as opened:
        read = [one for one in read_po(opened, locale=file.parent.parent.name) if one.id]
    strange = {
        str(one.id): form
        for one in read
        for form in ([one.string] if isinstance(one.string, str) else one.string or ())
        if set(PLACES.findall(form))
        - set(PLACES.findall(str(one.id)))
        - ({"{count}"} if isinstance(one.id, tuple) else set())
    }

    assert strange == {}


def test_every_language_names_itself_and_speaks_of_every_game() -> None:
    speech = Speech({"1": ("de", "en")})

    assert speech.names["de"] == "Deutsch"
    assert next(iter(speech.names)) == "en"
    for name in speech.names:
        for game in ("", *games.names()):
            assert (speech.catalogue(name, game) is None) == (name == "en")
    assert speech.catalogue("tlh", "") is None
    assert speech.catalogue("de", "chess") is None
    assert language_of("en", "goofspiel").say(say("Seat {seat}", seat=1)) == "Seat 1"
    assert language_of("de", "goofspiel").say(say("Seat {seat}", seat=1)) == "Platz 1"
    assert set(languages()) == {"en", *(file.parent.parent.name for file in catalogues.files())}


def test_a_language_begun_in_one_file_is_there_and_its_plurals_are_its_own(tmp_path: Path) -> None:
    file = tmp_path / "pl.po"
    file.write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\\n"\n\n'
        'msgid "{count} point"\nmsgid_plural "{count} points"\n'
        'msgstr[0] "{count} punkt"\nmsgstr[1] "{count} punkty"\nmsgstr[2] "{count} punktów"\n\n'
        '#, fuzzy\nmsgid "Seat {seat}"\nmsgstr "a guess"\n'
    )
    polish = Language(read_catalogues(file, "pl")[""])

    said = [polish.say(say_count(*POINT, count)) for count in (1, 3, 5, 12, 22, 212, 223, -1)]
    assert said == [
        "1 punkt", "3 punkty", "5 punktów", "12 punktów", "22 punkty", "212 punktów", "223 punkty", "-1 punkt",
    ]  # fmt: skip
    assert polish.say(say("Seat {seat}", seat=2)) == "Seat 2"


def test_a_language_with_six_forms_has_each_at_its_numbers(tmp_path: Path) -> None:
    file = tmp_path / "ar.po"
    file.write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : '
        'n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);\\n"\n\nmsgid "{count} point"\nmsgid_plural "{count} points"\n'
        + "".join(f'msgstr[{form}] "{form} of {{count}}"\n' for form in range(6))
    )
    arabic = Language(read_catalogues(file, "ar")[""])

    assert arabic.direction == "rtl"
    for count, form in (
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
        (10, 3),
        (11, 4),
        (99, 4),
        (100, 5),
        (102, 5),
        (103, 3),
        (250, 4),
    ):
        assert arabic.say(say_count(*POINT, count)) == f"{form} of {count}"


POINT = message("{count} point", "{count} points")


def test_a_file_that_is_no_catalogue_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"lost\.po"):
        read_catalogues(tmp_path / "lost.po", "de")


HEAD = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: nplurals=2; plural={};\\n"\n\n'
)
POINTS = 'msgid "{count} point"\nmsgid_plural "{count} points"\nmsgstr[0] "{count} Punkt"\n'


def test_a_language_with_a_form_too_few_leaves_that_message_in_english(tmp_path: Path) -> None:
    file = tmp_path / "de.po"
    file.write_text(HEAD.format("(n != 1)") + POINTS)
    assert Language(read_catalogues(file, "de")[""]).say(say_count(*POINT, 3)) == "3 points"


@pytest.mark.parametrize(
    "written",
    [b"\xff\xfe garbage", b'msgid "x', HEAD.format("open(n)").encode(), HEAD.format("n/0").encode(), None],
    ids=["no text", "cut off", "a program", "no number", "a folder"],
)
def test_a_broken_language_is_left_out_and_who_wants_it_reads_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, written: bytes | None
) -> None:
    for name, content in (("fr", written), ("de", (HEAD.format("(n != 1)") + POINTS).encode()), ("zz", b"")):
        file = tmp_path / name / hub_languages.FILE
        file.parent.mkdir(parents=True)
        file.mkdir() if content is None else file.write_bytes(content)
    monkeypatch.setattr(hub_languages, "LOCALE", tmp_path)
    hub_languages.languages.cache_clear()
    try:
        assert languages() == {"en": "English", "de": "Deutsch"}
        assert "fr" in caplog.text
        with pytest.raises(ConfigError, match=r"^The language 'fr' cannot be read from \S+: .*[^.]\.$"):
            hub_languages.check_language("fr")
        with pytest.raises(ConfigError, match=r"^There is no language 'zz'"):
            hub_languages.check_language("zz")
        with pytest.raises(ConfigError, match=r"^There is no language 'eo'; there are en, de\.$"):
            hub_languages.check_language("eo")
        hub_languages.check_language("de")
    finally:
        hub_languages.languages.cache_clear()


# --- what a message is ---------------------------------------------------------------------------------


def test_messages_of_a_module_are_the_literals_of_the_functions_that_make_texts(tmp_path: Path) -> None:
    module = tmp_path / "rules.py"
    module.write_text(
        '"""Not a message."""\n'
        "def f(s, seat, n, here):\n"
        '    """Not one either."""\n'
        "    log.info('Seat %d sat down')\n"
        "    tell(s, 'Seat {seat} bids {bid}.', rule='GS-01', kind='not a kind', bid=say('{count} x', count=n))\n"
        "    tell(s, say_count('{count} card', '{count} cards', n))\n"
        "    say('{product} {name}', product='Giant', name='Hat')\n"
        "    say('{count} = {sum}', count=n, sum=n)\n"
        "    return say('He is here' if here else 'He has left')\n"
    )

    found = [(one.text, one.plural, one.context) for one in of_module(module, "rules.py", "goofspiel")]
    assert sorted(found) == [
        ("He has left", "", "goofspiel"),
        ("He is here", "", "goofspiel"),
        ("Seat {seat} bids {bid}.", "", "goofspiel"),
        ("{count} card", "{count} cards", "goofspiel"),
        ("{count} x", "", "goofspiel"),
        ("{product} {name}", "", "goofspiel"),
    ]


def test_the_context_of_a_rulebooks_messages_is_its_own_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "built_in", lambda: ["bid", "bid-it"])
    folder = Path("hub/games")

    assert [game_of(folder / f"{name}.py") for name in ("bid", "bid_house", "bid_it", "bid_it_house", "bidding")] == [
        "bid", "bid", "bid-it", "bid-it", "",
    ]  # fmt: skip
    assert game_of(Path("hub/table/bid.py")) == ""


SCRIPT = """
  // Not said here.
  const NOT_YET = message("Not yet");
  export function Part({ seats, away, name }) {
    ask("claim", { seat }, "claim");
    return html`<p class=${`line ${away ? "far away" : ""}`} aria-label=${say("Not here")} title="A seat">
      ${sayCount("{count} seat", "{count} seats", seats.length)}
      <b>${away ? html`<i>lost
        for good</i>` : say("live")}</b>
      <span translate="no">PIN 7</span> <em>${sayAround("Ask {name}", { name: html`<b>${name}</b>` })}</em>
    </p>`;
  }
"""


def extract(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    (folder / "static").mkdir()
    (folder / "static" / "part.js").write_text(script)
    return subprocess.run(
        [javascript.node(), str(javascript.HERE / "extract_messages.js")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_messages_of_a_page_are_its_texts_between_tags_and_what_say_is_called_with(tmp_path: Path) -> None:
    done = extract(tmp_path, SCRIPT)

    assert {one.id for one in read_po(io.StringIO(done.stdout)) if one.id} == {
        "Not yet", "Not here", "A seat", ("{count} seat", "{count} seats"), "lost for good", "live", "Ask {name}",
    }  # fmt: skip
    assert done.returncode == 0


@pytest.mark.parametrize(
    "half", ["html`<p>Round ${round}</p>`", "html`${count} seats`", 'html`<b>${name} ${"won"} twice</b>`']
)
def test_half_a_sentence_beside_a_value_is_refused_by_its_place(tmp_path: Path, half: str) -> None:
    done = extract(tmp_path, f"\nexport const Part = () => {half};\n")

    assert done.returncode == 1
    assert re.fullmatch(r'static/part\.js:2: "\w+" stands beside a value: use say\(\)\.\n', done.stderr)


def test_a_text_beside_an_element_is_a_message(tmp_path: Path) -> None:
    assert extract(tmp_path, "const a = html`<p>Waiting for ${html`<b>Ana</b>`}</p>`;").returncode == 0


# --- a file that is renewed ----------------------------------------------------------------------------


TWO = [Message("Pass", "a.py"), Message("Seat {seat}", "b.py")]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of two messages, and its French file."""
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    monkeypatch.setattr(catalogues, "TEMPLATE", tmp_path / "table-hub.pot")
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    monkeypatch.setattr(catalogues, "messages", lambda: TWO)
    catalogues.TEMPLATE.write_bytes(written(template(TWO)))
    file = catalogues.start("fr")
    file.write_bytes(file.read_bytes().replace(b'"Seat {seat}"\nmsgstr ""', b'"Seat {seat}"\nmsgstr "Place {seat}"'))
    return file


def test_a_new_message_is_added_and_an_old_translation_stays(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        catalogues, "messages", lambda: [Message("Seat {seat}", "b.py"), Message("Seats {seats}", "c.py")]
    )

    assert {*catalogues.renew()} == {small, catalogues.TEMPLATE}
    assert missing(small) == ["fr: c.py: Seats {seats}"], "and nothing is guessed"
    assert b"Place {seat}" in small.read_bytes()
    assert catalogues.renew() == []


def test_a_guess_is_offered_only_to_those_who_ask_for_it(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogues, "messages", lambda: [Message("Pass", "a.py"), Message("Seats {seat}", "c.py")])

    catalogues.renew(guess=True)
    assert b"#, fuzzy" in small.read_bytes()
    assert missing(small) == ["fr: a.py: Pass", "fr: c.py: Seats {seat}"]


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (
            lambda whole: whole[: whole.rindex(b"#:")],
            "has lost 1 of the messages in table-hub.pot, the first is 'Seat {seat}'",
        ),
        (lambda whole: whole[: whole.rindex(b'"')], "cannot be read: its last line is cut off."),
        (lambda whole: whole[: whole.rindex(b"msgstr")], "cannot be read"),
        (lambda whole: b"\n", "has lost 2 of the messages in table-hub.pot, the first is 'Pass'"),
    ],
    ids=["cut between two", "cut inside of a line", "cut inside of one", "empty"],
)
def test_a_damaged_file_is_refused_and_nothing_is_written(
    small: Path, damage: Callable[[bytes], bytes], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    template, damaged = catalogues.TEMPLATE.read_bytes(), damage(small.read_bytes())
    small.write_bytes(damaged)

    assert catalogues.main([]) == 1
    assert re.fullmatch(rf"{re.escape(str(small))} {re.escape(what)}.*[Rr]estore it first\.\n", capsys.readouterr().err)
    assert (catalogues.TEMPLATE.read_bytes(), small.read_bytes()) == (template, damaged)
