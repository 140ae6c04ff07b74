"""Devices that are plugged in and that no driver of this hub uses: dice trays, cameras, and Picos that wait for firmware."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from drivers.common import boot_drive, probe
from drivers.common.boot_drive import BY_LABEL, BootMode
from drivers.common.frames import Hello
from drivers.common.serial_lines import usb_ports
from hub.errors import DeviceLost
from hub.ports import Clock

CAMERAS = Path("/dev/v4l/by-id")
CAMERA_SUFFIX = "-video-index0"  # of a camera's stable name; index 1 is metadata
PI_CAMERAS = Path("/sys/class/video4linux")
# The kernel's names for the receiver of a camera on the Pi's own connector, which it registers once a sensor has answered:
# drivers/media/platform/broadcom/bcm2835-unicam.c (Pi 4 and older), drivers/media/platform/raspberrypi/rp1_cfe/cfe.c (Pi 5)
PI_CAMERA_NAMES = ("unicam-image", "rp1-cfe-csi2_ch0", "rp1-cfe-csi2-ch0")


class Found(NamedTuple):
    """A device that is plugged in, and the settings of the `[[device]]` block that would use it."""

    id: str
    """It stays the same as long as the device is plugged in."""
    name: str
    """For people: the id of a board, the name of a camera."""
    driver: str
    settings: Mapping[str, object]


class TrayFinder:
    """Asks the boards at free serial ports what they are, each board once."""

    def __init__(
        self,
        clock: Clock,
        ports: Callable[[], Sequence[str]] = usb_ports,
        ask: Callable[[str, Clock], probe.Answer | None] = probe.ask,
    ) -> None:
        self._clock, self._ports, self._ask = clock, ports, ask
        self._seen: set[str] = set()  # ports that were there at the last look: a driver had the time to open them
        self._asked: dict[str, Found | None] = {}

    def forget(self) -> None:
        """Ask all boards again, because drivers have begun or ended to use some."""
        self._seen.clear()
        self._asked.clear()

    def trays(self) -> list[Found]:
        """Return the dice trays at free ports. This takes up to 2.5 seconds for each new port."""
        present = self._ports()
        for port in [port for port in self._asked if port not in present]:
            del self._asked[port]
        for port in present:
            if port in self._seen and port not in self._asked:
                try:
                    answer = self._ask(port, self._clock)
                except DeviceLost:  # a driver uses it, or it was just unplugged
                    continue
                self._asked[port] = _tray(port, answer)
        self._seen = set(present)
        return [tray for tray in self._asked.values() if tray]


def _tray(port: str, answer: probe.Answer | None) -> Found | None:
    """Return the dice tray that has answered, if it is one. A board of another protocol needs firmware, not a driver."""
    if answer is None or not isinstance(answer.hello, Hello) or answer.hello.k != "tray":
        return None
    return Found(f"tray {port} {answer.hello.id}", answer.hello.id, "dice_tray", {"tray": answer.hello.id})


def cameras(used: Sequence[str], by_id: Path = CAMERAS, pi: Path = PI_CAMERAS) -> list[Found]:
    """Return the cameras that no `[[device]]` uses; `used` are the sources of those that do."""
    nodes = {_node(source, by_id) for source in used if source.startswith("v4l2:")}
    found = []
    for link in sorted(by_id.glob(f"*{CAMERA_SUFFIX}")):
        if link.resolve() not in nodes:
            name = link.name.removesuffix(CAMERA_SUFFIX).removeprefix("usb-").replace("_", " ")
            found.append(Found(f"camera {link.name}", name, "camera_tray", {"source": f"v4l2:{link}"}))
    names = {file.read_text("ascii", "replace").strip() for file in pi.glob("*/name")}
    if names & set(PI_CAMERA_NAMES) and not any(source.startswith("rpicam:") for source in used):
        found.append(Found("camera rpicam", "", "camera_tray", {"source": "rpicam:0"}))
    return found


def _node(source: str, by_id: Path) -> Path:
    """Return the device file of a source of pictures, such as "v4l2:0"."""
    _, _, where = source.partition(":")
    return (by_id.parent.parent / f"video{where or 0}" if (where or "0").isdigit() else Path(where)).resolve()


def waiting_picos(by_label: Path = BY_LABEL) -> dict[BootMode, Path]:
    """Return the Picos that wait for firmware, one of each kind at most, with the drive of each."""
    return {mode: drive for mode in boot_drive.MODES.values() if (drive := boot_drive.find(mode, by_label))}
