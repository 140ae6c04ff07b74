"""The catalogues of all languages are those of today's texts, whole, and keep the places of every message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from hub import games
from hub import languages as hub_languages
from hub.docs import catalogues
from hub.docs.sentences import Message
from hub.docs.sentences_pages import Script
from hub.docs.sentences_python import of_module
from hub.errors import ConfigError
from hub.languages import Speech, language_of, languages, read_catalogues

PLACES = re.compile(r"\{\w*\}")

every_file = pytest.mark.parametrize("file", catalogues.files(), ids=lambda file: file.parent.parent.name)


@pytest.fixture(scope="module")
def today() -> list[Message]:
    return catalogues.messages()


def test_the_template_has_the_texts_of_today(today: list[Message]) -> None:
    written = catalogues.written(catalogues.template(today))

    assert written == catalogues.TEMPLATE.read_bytes(), "run `make catalogues`, and translate what is new"


@every_file
def test_a_language_has_the_texts_of_today_and_each_is_translated(file: Path, today: list[Message]) -> None:
    assert file.read_bytes() == catalogues.renewed(file, catalogues.template(today)), "run `make catalogues`"
    assert catalogues.missing(file) == []


@every_file
def test_a_translation_names_only_places_that_its_message_has(file: Path) -> None:
    with file.open("rb") as opened:
        read = [one for one in read_po(opened, locale=file.parent.parent.name) if one.id]
    strange = {
        str(one.id): form
        for one in read
        for form in ([one.string] if isinstance(one.string, str) else one.string or ())
        if set(PLACES.findall(form)) - set(PLACES.findall(str(one.id)))
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
    assert language_of("en", "goofspiel").say("Seat 1 takes the Ace: 1 point.") == "Seat 1 takes the Ace: 1 point."
    assert language_of("de", "goofspiel").say("Seat 1 takes the Ace: 1 point.") == "Platz 1 nimmt Ass: 1 Punkt."
    assert set(languages()) == {"en", *(file.parent.parent.name for file in catalogues.files())}


def test_a_language_begun_in_one_file_is_there_and_its_plurals_are_its_own(tmp_path: Path) -> None:
    file = tmp_path / "pl.po"
    file.write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\\n"\n\n'
        'msgid "1 point"\nmsgid_plural "{count} points"\n'
        'msgstr[0] "1 punkt"\nmsgstr[1] "{count} punkty"\nmsgstr[2] "{count} punktów"\n\n'
        '#, fuzzy\nmsgid "Seat {seat}"\nmsgstr "a guess"\n'
    )
    catalogue = read_catalogues(file, "pl")[""]

    said = [catalogues_say(catalogue, f"{count} points") for count in (3, 5, 12, 22, 212, 223)]
    assert said == ["3 punkty", "5 punktów", "12 punktów", "22 punkty", "212 punktów", "223 punkty"]
    assert catalogues_say(catalogue, "1 point") == "1 punkt"
    assert catalogues_say(catalogue, "Seat 2") == "Seat 2"


def catalogues_say(catalogue: object, text: str) -> str:
    from hub.display.language import Language

    return Language(catalogue).say(text)  # type: ignore[arg-type]


def test_a_file_that_is_no_catalogue_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"lost\.po"):
        read_catalogues(tmp_path / "lost.po", "de")


HEAD = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: nplurals=2; plural={};\\n"\n\n'
)
POINTS = 'msgid "1 point"\nmsgid_plural "{count} points"\nmsgstr[0] "1 Punkt"\n'


def test_a_language_with_a_form_too_few_leaves_that_message_in_english(tmp_path: Path) -> None:
    file = tmp_path / "de.po"
    file.write_text(HEAD.format("(n != 1)") + POINTS)
    assert catalogues_say(read_catalogues(file, "de")[""], "3 points") == "3 points"


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


def test_sentences_are_found_in_f_strings_with_their_forms_and_places(tmp_path: Path) -> None:
    module = tmp_path / "rules.py"
    module.write_text(
        '"""Not said."""\n'
        "def f(s, seat, n):\n"
        '    """Not said either."""\n'
        "    log.info('Seat %d sat down')\n"
        "    tell(s, f'Seat {seat} bids ${n}.', rule='GS-01', kind='not a kind')\n"
        "    tell(s, f\"{who(s)} {'has' if n == 1 else 'have'} the most.\")\n"
        "    return '1 card' if n == 1 else f'{n} cards'\n"
    )

    found = [(one.text, one.plural) for one in of_module(module, "rules.py")]
    assert found == [
        ("Seat {seat} bids {n}.", ""),
        ("{who} has the most.", "{who} have the most."),
        ("1 card", "{n} cards"),
    ]


def test_texts_are_found_in_pages_and_names_of_styles_are_not() -> None:
    source = """
      // Not said here.
      export function Part({ seats, away }) {
        const label = `Not ${away ? "here" : "yet"}`;
        ask("claim", { seat }, "claim");
        return html`<p class=${`line ${away ? "far away" : ""}`} aria-label=${label} title="A seat">
          ${seats.length} of ${count} seats${away && ", away"}
          <b>${away ? html`<i>lost</i>` : "live"}</b>
        </p>`;
      }
    """

    assert {one.text for one in Script(source, "part.js").messages()} == {
        "Not here",
        "Not yet",
        "A seat",
        "{length} of {count} seats, away",
        "{length} of {count} seats",
        "lost",
        "live",
    }
