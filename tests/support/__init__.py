"""Helpers that more than one test file uses."""
