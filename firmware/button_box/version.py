"""What the hello says of this program. `build_uf2.py` writes the release's number and a digest of the program's bytes here."""

VERSION = "0.0.0-source"  # copied onto the board by hand
