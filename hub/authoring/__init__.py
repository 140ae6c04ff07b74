"""What the author of a game works with: a first game to change, and the checks that every game passes (`hub/docs/packages.md`)."""
