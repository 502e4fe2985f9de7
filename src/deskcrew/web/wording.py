"""What the command line says in words of its own, in words for a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from deskcrew.report import render
from deskcrew.report.text import one_line
from deskcrew.verdict import Outcome

HINTS = {"`deskcrew runs` lists them.": "All runs are on the first page."}
"""Hints of errors that name commands, and what a page says instead."""
SAME = {"stopped, by you": "stopped by the user"}
"""Outcomes in words, and the reason that says the same again."""
BARE = ("function", "control", "goal", "path", "agent", "params", "words")
"""Of the parts of a reply: what tells its own meaning, without its name."""


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
    return sentence(words.rstrip(".") + "."), sentence(why)


def sentence(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def spoken(reply: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """A reply for who has to say whether it may go on like that: the name of each field that says something, in words,
    and its lines. What is left at nothing is left out, as is going on, which every reply does that says nothing else."""
    told: list[tuple[str, list[str]]] = []
    for name, value in reply.items():
        if name == "branch":
            value = render.SIGNALS.get(str(value), "" if value == "Continue" else str(value))
            name = "So it"
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        lines = [line for each in items if (line := _line(each))]
        if lines:
            told.append((name.replace("_", " ").capitalize(), lines))
    return told


def _line(value: object) -> str:
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, Any]", value)
        texts = [(name, _line(part)) for name, part in parts.items()]
        return "  ".join(text if name in BARE else f"{name.replace('_', ' ')}: {text}" for name, text in texts if text)
    if isinstance(value, list):
        return ", ".join(filter(None, map(_line, cast("list[object]", value))))
    if value is None or value is False:
        return ""
    return "yes" if value is True else str(value).strip()
