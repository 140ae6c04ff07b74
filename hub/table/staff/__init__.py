"""What staff can do at a table, and the limits that a venue sets."""
