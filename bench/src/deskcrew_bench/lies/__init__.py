"""Situations in which something lies, done by a crew that believes it."""
