"""The match of a table: its log on disk, its events, the time that it may still take, and its highlights."""
