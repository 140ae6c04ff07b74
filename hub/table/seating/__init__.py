"""The seats of a table, the people who hold them, and the questions that they answer together."""
