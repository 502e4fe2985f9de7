"""Scripts of replies that a test wrote: one that is too short is the test's own mistake."""

from __future__ import annotations

from deskcrew.errors import ModelFailure


class ScriptRanOut(AssertionError):
    """A scripted model was called more often than its script has replies. Nothing in the loop catches it."""


def ran_out(text: str, more: str) -> Exception:
    """What a script that ran out raises in tests. One in a file is a user's: its run fails, as theirs do."""
    return ModelFailure(text, hint=more) if "the file" in more else ScriptRanOut(f"{text} {more}")
