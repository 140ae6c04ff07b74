"""Turn the public state into pictures for lamps and panels. All functions are pure."""

from hub.display.facts import with_names
from hub.display.panels import SIZES, PanelSize, checkerboard, panel, png
from hub.display.rings import LAMPS, dimmed, frame, rings

__all__ = ["LAMPS", "SIZES", "PanelSize", "checkerboard", "dimmed", "frame", "panel", "png", "rings", "with_names"]
