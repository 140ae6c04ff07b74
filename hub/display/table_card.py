"""A card to print and put on a table: how guests join, with codes to scan, in the owner's languages."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import segno
from PIL import Image, ImageChops, ImageDraw, ImageFont

from hub.state import Wifi

DOTS = 300
"""Dots an inch."""
WIDTH, HEIGHT, MARGIN = 1748, 2480, 120
"""The card in dots: A5, upright."""
SIZES = (60, 52, 44, 36)
"""Of the letters: the first one with which all languages fit."""
MOST_LANGUAGES = 3
QUIET = 4
"""White modules around a code, as ISO/IEC 18004 wants."""


class Steps(NamedTuple):
    """What a card says in one language. {wifi} is the network's name, {address} what is typed, {code} the table's letters."""

    wifi: str
    scan: str
    by_hand: str
    sit: str
    play: str


LANGUAGES: Mapping[str, Steps] = {
    "en": Steps(
        "Join the Wi-Fi “{wifi}”: scan the code Wi-Fi.",
        "Scan the code {code} with your phone's camera.",
        "Or open {address} and type {code}.",
        "Pick your seat. Press the box in front of you, or type the six letters that the big screen shows.",
        "Say which game you would like. No app, no account.",
    ),
    "de": Steps(
        "Ins WLAN „{wifi}“: den Code Wi-Fi scannen.",
        "Den Code {code} mit der Kamera des Handys scannen.",
        "Oder {address} öffnen und {code} eintippen.",
        "Platz wählen. Die Box vor dir drücken, oder die sechs Buchstaben vom großen Bildschirm eintippen.",
        "Sagen, welches Spiel du möchtest. Keine App, kein Konto.",
    ),
    "fr": Steps(
        "Se connecter au Wi-Fi « {wifi} » : scanner le code Wi-Fi.",
        "Scanner le code {code} avec l'appareil photo du téléphone.",
        "Ou ouvrir {address} et taper {code}.",
        "Choisir sa place. Appuyer sur le boîtier devant soi, ou taper les six lettres du grand écran.",
        "Dire à quel jeu on aimerait jouer. Ni application, ni compte.",
    ),
    "es": Steps(
        "Conéctate al wifi «{wifi}»: escanea el código Wi-Fi.",
        "Escanea el código {code} con la cámara del teléfono.",
        "O abre {address} y escribe {code}.",
        "Elige tu sitio. Pulsa la caja que tienes delante o escribe las seis letras de la pantalla grande.",
        "Di a qué juego te gustaría jugar. Sin aplicación, sin cuenta.",
    ),
    "it": Steps(
        "Collegati al Wi-Fi «{wifi}»: inquadra il codice Wi-Fi.",
        "Inquadra il codice {code} con la fotocamera del telefono.",
        "Oppure apri {address} e scrivi {code}.",
        "Scegli il posto. Premi la scatola davanti a te, o scrivi le sei lettere dello schermo grande.",
        "Di' a quale gioco vorresti giocare. Senza app, senza account.",
    ),
    "nl": Steps(
        "Verbind met de wifi ‘{wifi}’: scan de code Wi-Fi.",
        "Scan de code {code} met de camera van je telefoon.",
        "Of open {address} en typ {code}.",
        "Kies je plaats. Druk op het kastje voor je, of typ de zes letters van het grote scherm.",
        "Zeg welk spel je wilt spelen. Geen app, geen account.",
    ),
}


class Invitation(NamedTuple):
    """How a table is joined: its `name`, the `address` that people type, its `code`, and the `url` that phones scan."""

    name: str
    address: str
    code: str
    url: str


def table_card(invitation: Invitation, wifi: Wifi | None, languages: Sequence[str]) -> Image.Image:
    """Draw the card, in grey. `languages` are keys of LANGUAGES, three at most."""
    card = Image.new("L", (WIDTH, HEIGHT), 255)
    draw = ImageDraw.Draw(card)
    draw.text((WIDTH // 2, MARGIN), invitation.name, font=_font(150, bold=True), fill=0, anchor="ma")
    side = 640 if wifi else 820
    top = MARGIN + 230
    codes = [("Wi-Fi", wifi.code)] if wifi else []
    codes.append((invitation.code, invitation.url))
    for number, (title, text) in enumerate(codes):
        middle = WIDTH * (2 * number + 1) // (2 * len(codes))
        code = _code(text, side)
        card.paste(code, (middle - code.width // 2, top))
        draw.text((middle, top + side + 20), title, font=_font(90, bold=True), fill=0, anchor="ma")
    words = card
    for size in SIZES:
        words = Image.new("L", card.size, 255)
        down = float(top + side + 170)
        for language in languages:
            down = _write(ImageDraw.Draw(words), LANGUAGES[language], invitation, wifi, down, size) + size
        if down - size <= HEIGHT - MARGIN:
            break
    return ImageChops.darker(card, words)


def table_card_pdf(invitation: Invitation, wifi: Wifi | None, languages: Sequence[str]) -> bytes:
    """Return the card as a PDF of one page, A5. `languages` are keys of LANGUAGES, three at most."""
    out = io.BytesIO()
    table_card(invitation, wifi, languages).save(out, "PDF", resolution=DOTS, title=f"{invitation.name}: join")
    return out.getvalue()


def _write(
    draw: ImageDraw.ImageDraw, steps: Steps, invitation: Invitation, wifi: Wifi | None, down: float, size: int
) -> float:
    """Write the steps of one language from `down` on; return where they end."""
    named = {"wifi": wifi.name if wifi else "", "address": invitation.address, "code": invitation.code}
    lines = [steps.wifi] * bool(wifi) + [f"{steps.scan} {steps.by_hand}", steps.sit, steps.play]
    for number, line in enumerate(lines, 1):
        draw.text((MARGIN, down), f"{number}", font=_font(size, bold=True), fill=0)
        for part in _wrapped(line.format_map(named), WIDTH - 2 * MARGIN - 90, size):
            draw.text((MARGIN + 90, down), part, font=_font(size, bold=False), fill=0)
            down += size * 1.25
        down += size * 0.2
    return down


def _wrapped(text: str, width: int, size: int) -> list[str]:
    """Return a text in lines that fit a width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _font(size, bold=False).getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _code(text: str, side: int) -> Image.Image:
    """Return a QR code with its quiet zone, as large as fits a square of `side` dots."""
    rows = [bytes(row) for row in segno.make(text, error="m", micro=False).matrix]
    modules = len(rows) + 2 * QUIET
    scale = max(1, side // modules)
    mask = Image.frombytes("L", (len(rows), len(rows)), b"".join(rows)).point(lambda dark: 0 if dark else 255)
    image = Image.new("L", (modules, modules), 255)
    image.paste(mask, (QUIET, QUIET))
    return image.resize((modules * scale, modules * scale), Image.Resampling.NEAREST)


@lru_cache(maxsize=16)
def _font(size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    file = files("font_source_sans_pro") / "files" / f"SourceSansPro-{'Bold' if bold else 'Regular'}.ttf"
    return ImageFont.truetype(str(file), size)
