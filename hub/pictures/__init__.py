"""View to picture, all of it pure: what lamps and panels show, from the public state alone."""

from hub.pictures.panels import SIZES, PanelSize, panel, png
from hub.pictures.rings import LAMPS, frame, rings
from hub.pictures.words import named

__all__ = ["LAMPS", "SIZES", "PanelSize", "frame", "named", "panel", "png", "rings"]
