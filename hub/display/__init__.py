"""Turn the public state into pictures for lamps and panels. All functions are pure."""

from hub.display.facts import with_names
from hub.display.panels import SIZES, PanelSize, panel, png
from hub.display.rings import LAMPS, dimmed, frame, rings

__all__ = ["LAMPS", "SIZES", "PanelSize", "dimmed", "frame", "panel", "png", "rings", "with_names"]
