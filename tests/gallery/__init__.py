"""Every game, every phase, on every screen, on one HTML page: what `make gallery` runs."""
