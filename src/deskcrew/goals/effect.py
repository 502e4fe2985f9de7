"""Effect: did this operation do what it was meant to? Rules answer from evidence; a model only where they cannot (C9)."""

from __future__ import annotations

from deskcrew.actions.action import Action, Finding, Happening
from deskcrew.environments.describe import sent_line
from deskcrew.excerpts import shorten
from deskcrew.observation import Evidence

EXPECTED_WINDOW_CHANGES = frozenset({"open_application", "switch_window", "close_window"})

_REQUESTS, _FIELDS = 3, 6
"""Requests, and fields of each, that a line of evidence tells of."""


def finding(action: Action, happening: Happening) -> Finding:
    """What the rules say. A failed action never held, whatever the screen shows."""
    if not happening.result.ok:
        return Finding(held=False, why=happening.result.error or happening.result.text)
    return action.postcondition(happening)


def surprise(action: Action, evidence: Evidence) -> str:
    """Why the rest of a decision no longer fits the screen, '' when it does: windows came or went unasked."""
    if action.name in EXPECTED_WINDOW_CHANGES:
        return ""
    if evidence.windows_opened:
        return f"A window opened: {', '.join(repr(t) for t in evidence.windows_opened)}."
    if evidence.windows_closed:
        return f"A window closed: {', '.join(repr(t) for t in evidence.windows_closed)}."
    return ""


def evidence_text(evidence: Evidence, *, length: int = 300) -> str:
    """Evidence in words, for a reviewer's prompt and for people."""
    said: list[str] = []
    for what, names in (
        ("opened", evidence.windows_opened),
        ("closed", evidence.windows_closed),
        ("new controls", evidence.controls_appeared[:6]),
        ("gone controls", evidence.controls_gone[:6]),
        ("created", evidence.files_created),
        ("changed", evidence.files_changed),
        ("deleted", evidence.files_deleted),
    ):
        if names:
            said.append(f"{what}: {', '.join(names)}")
    said += [f"title {old!r} -> {new!r}" for old, new in evidence.titles_changed]
    said += [f"{c.role} {c.name!r} {c.field}: {c.before!r} -> {c.after!r}" for c in evidence.controls_changed[:6]]
    said += [f"sent: {sent_line(each, _FIELDS)}" for each in evidence.sent[:_REQUESTS]]
    if evidence.clipboard:
        said.append("the clipboard changed")
    if evidence.exit_code is not None:
        said.append(f"exit code {evidence.exit_code}")
    if not said:
        said.append("some pixels changed" if evidence.pixels_changed else "nothing changed")
    return shorten("; ".join(said), length)
