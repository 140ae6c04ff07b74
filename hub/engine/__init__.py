"""The engine that plays any game: actions in, events and views out; no clock, file, die or thread."""
