"""View to picture, all of it pure: what lamps and panels show, from the public state alone."""

from hub.display.facts import named
from hub.display.panels import SIZES, PanelSize, panel, png
from hub.display.rings import LAMPS, frame, rings

__all__ = ["LAMPS", "SIZES", "PanelSize", "frame", "named", "panel", "png", "rings"]
