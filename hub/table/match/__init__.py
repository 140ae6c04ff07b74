"""The match that is played: its log on disk, the moves of people and house, and what is told of it afterwards."""
