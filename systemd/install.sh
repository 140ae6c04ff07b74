#!/bin/sh
# Put table-hub on this machine as a system service, or bring an installed one up to this clone.
#   sh systemd/install.sh [--kiosk] [--say] [--remove]      (or: make install ARGS="--kiosk")
#     --kiosk   also the big screen: Chromium alone on the first console
#     --say     only say what would be changed
#     --remove  take it away again; configuration and games stay
# May be run again at any time. DESTDIR=folder writes the files below that folder and starts nothing (for packagers).
set -eu
from=$(cd "$(dirname "$0")/.." && pwd)
dest=${DESTDIR:-}
opt=/opt/table-hub etc=/etc/table-hub state=/var/lib/table-hub
units=/etc/systemd/system rules=/etc/udev/rules.d
kiosk= say= remove=
for flag in "$@"; do
    case $flag in
        --kiosk) kiosk=1 ;;
        --say) say=1 ;;
        --remove) remove=1 ;;
        *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 64 ;;
    esac
done

if [ -n "$remove" ]; then
    echo "This removes $opt, the services table-hub and table-hub-kiosk, and $rules/70-table-hub.rules."
    echo "$etc and $state (configuration and games) stay."
else
    echo "This changes, under ${dest:-/}:"
    echo "  $opt  the program, a copy of $from, with its own Python packages"
    echo "  $units/table-hub.service  started now and with every boot"
    [ -z "$kiosk" ] || echo "  $units/table-hub-kiosk.service  the first console becomes the big screen"
    echo "  $rules/70-table-hub.rules  names for the seat boxes"
    [ -e "$dest$etc/table-hub.toml" ] || echo "  $etc/table-hub.toml  the configuration, to be edited by you"
    [ ! -e "$dest$etc/table-hub.toml" ] || echo "  $etc/table-hub.toml stays as it is"
    echo "  user table-hub${kiosk:+ and user table-hub-kiosk}  without a login; games are kept in $state"
fi
[ -z "$say" ] || exit 0

if [ -z "$dest" ] && [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "install: there is no sudo here; run this as root." >&2; exit 1; }
    exec sudo EXTRAS="${EXTRAS:-}" sh "$0" "$@" # sudo passes no variables on by itself
fi
if [ -z "$dest" ] && [ ! -d /run/systemd/system ]; then
    echo "install: this machine is not run by systemd; use \`make demo\` or \`.venv/bin/table-hub run\`." >&2
    exit 1
fi

if [ -n "$remove" ]; then
    [ -n "$dest" ] || systemctl disable --now --quiet table-hub.service table-hub-kiosk.service 2>/dev/null || true
    rm -f "$dest$units/table-hub.service" "$dest$units/table-hub-kiosk.service" "$dest$rules/70-table-hub.rules"
    [ "$from" = "$dest$opt" ] || rm -rf "$dest$opt" # a clone made in that very folder is the owner's
    [ -n "$dest" ] || systemctl daemon-reload
    exit 0
fi

# The program. Its Python packages and page libraries are kept from the last installation; set-up renews them if needed.
if [ "$from" != "$dest$opt" ]; then
    new="$dest$opt.new"
    rm -rf "$new"
    mkdir -p "$new"
    tar -C "$from" -cf - --exclude=./.git --exclude=./.venv --exclude=node_modules --exclude=./.state \
        --exclude=__pycache__ --exclude='./.*_cache' --exclude=./.hypothesis --exclude='*.egg-info' . |
        tar -C "$new" -xf - --no-same-owner
    for kept in .venv phone_ui/node_modules; do
        [ ! -d "$dest$opt/$kept" ] || mv "$dest$opt/$kept" "$new/$kept"
    done
    rm -rf "$dest$opt"
    mv "$new" "$dest$opt"
fi
[ -n "$dest" ] || python3 -I "$opt/hub/operations/setup.py" setup --extras "${EXTRAS:-}"

if [ -z "$dest" ]; then
    id table-hub >/dev/null 2>&1 ||
        useradd --system --user-group --home-dir "$state" --no-create-home --shell /usr/sbin/nologin table-hub
    for group in gpio spi i2c dialout bluetooth video; do
        ! getent group "$group" >/dev/null || usermod -a -G "$group" table-hub
    done
    if [ -n "$kiosk" ]; then
        id table-hub-kiosk >/dev/null 2>&1 ||
            useradd --system --user-group --home-dir /var/lib/table-hub-kiosk --no-create-home \
                --shell /usr/sbin/nologin table-hub-kiosk
        for group in video render input audio; do
            ! getent group "$group" >/dev/null || usermod -a -G "$group" table-hub-kiosk
        done
        command -v cage >/dev/null && { command -v chromium || command -v chromium-browser; } >/dev/null ||
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends cage chromium fonts-dejavu-core
    fi
fi

mkdir -p "$dest$etc" "$dest$units" "$dest$rules"
if [ ! -e "$dest$etc/table-hub.toml" ]; then
    sed "s|^state = \"[^\"]*\"|state = \"$state\"|" "$from/systemd/table-hub.toml" >"$dest$etc/table-hub.toml"
    chmod 644 "$dest$etc/table-hub.toml"
fi
install -m 644 "$from/systemd/table-hub.service" "$dest$units/"
[ -z "$kiosk" ] || install -m 644 "$from/systemd/table-hub-kiosk.service" "$dest$units/"
install -m 644 "$from/systemd/70-table-hub.rules" "$dest$rules/"

if [ -z "$dest" ]; then
    systemctl daemon-reload
    udevadm control --reload
    udevadm trigger --subsystem-match=tty
    systemctl enable --quiet table-hub.service
    systemctl restart table-hub.service
    if [ -n "$kiosk" ]; then
        systemctl enable --quiet table-hub-kiosk.service
        systemctl restart table-hub-kiosk.service
    fi
    echo "table-hub runs. Configuration: $etc/table-hub.toml, then \`sudo systemctl restart table-hub\`."
fi
