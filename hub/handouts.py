"""What staff take away from their page: the card to print for a table, and the link of a big screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hub.display.table_card import LANGUAGES, MOST_LANGUAGES, Invitation, table_card_pdf
from hub.engine.text import Text, say
from hub.errors import HubError
from hub.languages import WRITTEN_IN
from hub.network.encryption import HubKey, to_base64
from hub.network.staff_messages import StaffFile
from hub.state import PublicState, Wifi
from phone_ui.own_screens import OwnScreens


class Handouts:
    """Files and links for staff. What they hold is secret: it leaves the hub only in an encrypted answer.

    - `key`: the hub's key, which a phone gets from the code of a table.
    - `screens`: keeps the token of the big screens on other devices.
    - `wifi`: returns the Wi-Fi that guests join first, if the hub knows one.
    - `languages`: the languages of each table's screen, by table.
    - `has_fixed_address`: returns whether the hub's address stays what it is.
    """

    def __init__(
        self,
        key: HubKey,
        screens: OwnScreens,
        wifi: Callable[[], Wifi | None],
        languages: Mapping[str, Sequence[str]],
        has_fixed_address: Callable[[], bool],
    ) -> None:
        self._key, self._screens, self._wifi = key, screens, wifi
        self._languages, self._has_fixed_address = languages, has_fixed_address

    def table_card(self, table: PublicState) -> tuple[Text, StaffFile]:
        """Return the card of a table as a PDF, and what the owner should know about it. Raise HubError."""
        if not table.url:
            raise HubError(say("The hub has no network yet, so there is no address to print."))
        address = table.url.removeprefix("http://")
        url = f"{table.url}/t/{table.table}#k={to_base64(self._key.public)}"
        wifi = self._wifi()
        languages = [one for one in self._languages[table.table] if one in LANGUAGES] or [WRITTEN_IN]
        pdf = table_card_pdf(Invitation(table.name, address, table.code, url), wifi, languages[:MOST_LANGUAGES])
        sentence = say("The card is saved. Print it at its full size, A5.")
        if not self._has_fixed_address():
            sentence = say(
                "The card is saved. Print it at its full size, A5. It names the address {address}: let the router keep "
                "that address for this hub, or the card leads nowhere one day.",
                address=address,
            )
        if wifi is None:
            sentence = say(
                "{sentence} It names no Wi-Fi: you can enter the one of your guests in the settings.", sentence=sentence
            )
        return sentence, StaffFile(f"card-{table.table}.pdf", "application/pdf", pdf)

    def screen_link(self, table: PublicState, *, new: bool) -> tuple[str, str]:
        """Return a sentence, and the link that makes another device a big screen of a table. Raise HubError.

        `new`: all earlier links end at once.
        """
        if not table.url:
            raise HubError(say("The hub has no network yet, so no other device can open a link."))
        if new:
            self._screens.renew_token()
        sentence = say("The earlier links are no longer valid. Open the new link on each tablet.") if new else ""
        return sentence, self._screens.link(table.url, table.table)
