"""What the command line says in words of its own, in words for a page."""

from __future__ import annotations

from deskcrew.report import render
from deskcrew.report.text import one_line
from deskcrew.verdict import Outcome

HINTS = {"`deskcrew runs` lists them.": "All runs are on the first page."}
"""Hints of errors that name commands, and what a page says instead."""
SAME = {"stopped, by you": "stopped by the user"}
"""Outcomes in words, and the reason that says the same again."""


def hint(text: str) -> str:
    """A hint for whoever reads it on a page."""
    return HINTS.get(text, text)


def ended(outcome: Outcome) -> tuple[str, str]:
    """How a run ended, as a sentence, and the reason; '' where that says the same twice."""
    words = render.outcome_words(outcome)
    if outcome.reason.startswith("bound:"):
        name = one_line(outcome.reason.removeprefix("bound:"), 40)
        words = f"{outcome.status}: the limit {name!r} was reached"
    why = "" if SAME.get(words) == outcome.why else outcome.why
    return words.rstrip(".") + ".", why
