"""Scripts of replies that a test wrote: one that is too short is the test's own mistake."""

from __future__ import annotations


class ScriptRanOut(AssertionError):
    """A scripted model was called more often than its script has replies. Nothing in the loop catches it."""


def ran_out(text: str, more: str) -> Exception:
    """What a script that ran out raises in tests."""
    return ScriptRanOut(f"{text} {more}")
