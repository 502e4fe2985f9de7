"""Recorded operations, to be done again: where their controls are now, what their values are, whether they did the same."""
