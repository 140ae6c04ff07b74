"""The seats of a table, the people at them, and the questions that they decide together."""
