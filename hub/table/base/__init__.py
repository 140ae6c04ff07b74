"""Shared by all parts of a table: values on disk, notices, names, chance, and the ports to the outside."""
