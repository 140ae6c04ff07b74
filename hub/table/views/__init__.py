"""What a table shows: the public state, hands with hints and lessons, the reveal, and attract mode."""
