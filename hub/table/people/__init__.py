"""How people start, pause, suspend, end and leave a match, and what happens to seats that nobody uses."""
