"""Rounds of random edits, pushes and accidents, and an oracle of its own that knows what must be true."""
