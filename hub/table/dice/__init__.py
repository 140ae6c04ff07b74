"""Rolls: what the dice readers report, how people accept or type it, and how they dispute it."""
