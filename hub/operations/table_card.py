"""`table-hub table-card`: a card to print for a table of the hub that runs on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import msgspec

from hub.display.table_card import LANGUAGES, MOST_LANGUAGES, Invitation, table_card_pdf
from hub.errors import HubError, TemporaryError
from hub.state import PublicState, Wifi

SECONDS = 10.0
"""How long the hub may take to say how its table is joined."""


class _Joined(msgspec.Struct):
    table: str
    k: str


def ask_hub(base: str, table: str) -> Invitation:
    """Return how a table of the hub that answers at `base` is joined. Raise HubError where it says so, TemporaryError."""
    try:
        with urlopen(f"{base}/t/{table}/events", timeout=SECONDS) as stream:  # noqa: S310 - the hub's own address
            line = next(line for line in stream if line.startswith(b"data: {"))
        state = msgspec.json.decode(line[6:], type=PublicState)
        with urlopen(f"{base}/code/{state.code}.json", timeout=SECONDS) as answer:  # noqa: S310
            key = msgspec.json.decode(answer.read(), type=_Joined).k
    except (URLError, TimeoutError, StopIteration) as error:
        if getattr(error, "code", 0) == 404:
            raise HubError(f"The hub has no table {table}.") from None
        raise TemporaryError(f"No hub answers at {base}: start it, then make the card.") from None
    if not state.url:
        raise TemporaryError("The hub has no network yet, so there is no address to print.")
    return Invitation(state.name, state.url.removeprefix("http://"), state.code, f"{state.url}/t/{table}#k={key}")


def write_card(file: Path, base: str, table: str, wifi: Wifi | None, languages: Sequence[str], *, fixed: bool) -> str:
    """Ask the hub at `base`, write the card as a PDF; return what the owner should know. Raise HubError.

    `fixed`: the owner has given the hub its address, which does not change.
    """
    unknown = [language for language in languages if language not in LANGUAGES]
    if len(languages) > MOST_LANGUAGES:
        raise HubError(f"A card has room for {MOST_LANGUAGES} languages.")
    if unknown:
        raise HubError(f"There are cards in {', '.join(LANGUAGES)}; not in {', '.join(unknown)}.")
    invitation = ask_hub(base, table)
    try:
        file.write_bytes(table_card_pdf(invitation, wifi, languages))
    except OSError as error:
        raise HubError(f"{file} cannot be written ({error.strerror or error}).") from error
    said = f"{file}: an A5 card for {invitation.name}, to be printed at its full size.\n"
    if not fixed:
        said += (
            f"It names {invitation.address}: give the hub this address for good in the router, or the card leads nowhere "
            "one day.\n"
        )
    if wifi is None:
        said += "It names no Wi-Fi: [wifi] in the configuration says which one guests join.\n"
    return said
