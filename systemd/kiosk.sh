#!/bin/sh
# The big screen: `kiosk.sh [URL]`. Without a display server it starts one (cage) and itself inside it.
# hub/operations/big_screen.py starts the browser in it, and starts it again when its page has failed.
set -eu
# The hub may write into the folder of this file, so it says an address only, and is no EnvironmentFile of the service.
kept=$(sed -nE 's/^KIOSK_URL="?([^"]*)"?$/\1/p' "${KIOSK_FILE:-/etc/table-hub/kiosk.env}" 2>/dev/null | tail -n 1)
kept=${kept:-http://127.0.0.1:8080/t/1/kiosk}
url=${1:-${KIOSK_URL:-$kept}}
here=$(cd "$(dirname "$0")" && pwd)

hub=$(printf %s "$url" | sed -nE 's|^(https?://[][A-Za-z0-9.:_-]+)(/.*)?$|\1|p')
[ -n "$hub" ] || { echo "kiosk: KIOSK_URL is $url, and no address such as http://127.0.0.1:8080/t/1/kiosk" >&2; exit 78; }

if [ -n "${RUNTIME_DIRECTORY:-}" ]; then # the service's own: the browser in it finds this as /etc/chromium/policies
    mkdir -p "$RUNTIME_DIRECTORY/managed"
    sed -e "s|@HUB@|$hub|" -e "s|@SPLASH@|file://$here/splash.html|" "$here/kiosk-policy.json" \
        >"$RUNTIME_DIRECTORY/managed/table-hub.json"
fi

if [ -z "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ]; then
    command -v cage >/dev/null || { echo "kiosk: there is no screen and no cage: sudo apt-get install cage" >&2; exit 78; }
    # A keyboard does nothing here; a screen without keyboard, mouse and touch panel is one all the same.
    export XKB_CONFIG_EXTRA_PATH="$here/xkb" XKB_DEFAULT_RULES=table-hub XKB_DEFAULT_LAYOUT=table-hub
    export WLR_LIBINPUT_NO_DEVICES=1
    exec cage -d -- "$0" "$url"
fi
browser=$(command -v chromium || command -v chromium-browser) ||
    { echo "kiosk: there is no Chromium: sudo apt-get install chromium" >&2; exit 78; }

# Chromium 156 ignores --ozone-platform-hint: without its own word for it, it runs through Xwayland, which takes 80 MB more.
# cage starts Xwayland as soon as anything connects to DISPLAY, so nothing of the browser may know that name.
if [ -n "${WAYLAND_DISPLAY:-}" ]; then platform=wayland; unset DISPLAY; else platform=x11; fi
python="$here/../.venv/bin/python"
[ -x "$python" ] || python=python3

# The local page comes first: it waits for the hub, so that nobody sees the browser's error page.
exec "$python" -I "$here/../hub/operations/big_screen.py" "$url" "file://$here/splash.html" -- "$browser" \
    --kiosk --ozone-platform="$platform" \
    --no-first-run --no-default-browser-check --noerrdialogs --hide-crash-restore-bubble \
    --disable-session-crashed-bubble --disable-infobars --disable-translate --disable-pinch \
    --overscroll-history-navigation=0 --autoplay-policy=no-user-gesture-required --password-store=basic \
    --disable-background-networking --disable-component-update --disable-sync \
    --disable-background-timer-throttling --disable-renderer-backgrounding --disable-backgrounding-occluded-windows
