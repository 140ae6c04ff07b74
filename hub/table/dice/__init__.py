"""Rolls: what the readers see, how people confirm or dispute it, and the statistics of each die."""
