"""Postconditions shared by several actions: pure functions of what happened."""

from __future__ import annotations

from deskcrew.actions.action import Finding, Happening
from deskcrew.environments.dates import means

NOTHING = "nothing changed on the screen"


def failed(happening: Happening) -> Finding | None:
    """The finding for an action that failed; None if it did not fail."""
    return None if happening.result.ok else Finding(held=False, why=happening.result.error)


def changed(happening: Happening) -> Finding:
    """Something must have changed: clicks, scrolling."""
    return _changed(happening, otherwise=False)


def changed_if_visible(happening: Happening) -> Finding:
    """A change is proof; its absence proves nothing (Ctrl+C shows nothing)."""
    return _changed(happening, otherwise=None)


def scrolled(happening: Happening) -> Finding:
    """Something must have changed; otherwise the page may be at its end."""
    finding = changed(happening)
    return finding if finding.why != NOTHING else Finding(held=False, why=f"{NOTHING}: it may be at its end")


def _changed(happening: Happening, *, otherwise: bool | None) -> Finding:
    if finding := failed(happening):
        return finding
    return Finding(held=otherwise, why=NOTHING) if happening.evidence.empty else Finding(held=True)


def value_after(happening: Happening) -> str | None:
    """What the control shows now; None if it is gone or has no value."""
    control = happening.after.control(happening.control.label) if happening.control else None
    return control.value if control else None


def squeezed(text: str) -> str:
    """Text normalized for comparison: case, spacing and punctuation do not count (a field may show 1000 as 1,000)."""
    return "".join(character for character in text.casefold() if character.isalnum())


def shows(value: str, wanted: str) -> bool:
    """Whether a control's value shows the wanted text, even if the value was cut or formatted."""
    if wanted in value or " ".join(wanted.split()) in " ".join(value.split()):
        return True
    cut = value.rstrip(".… ")
    if value.endswith(("…", "...")) and cut and wanted.startswith(cut):
        return True
    return bool(squeezed(wanted)) and squeezed(wanted) in squeezed(value)


def keeps(value: str, typed: str) -> bool:
    """Whether a field still holds what was typed into it, in any form: 16.50 may be shown as 16.5."""
    if shows(value, typed) or means(typed, value):
        return True
    try:
        return float(typed.replace(",", "")) == float(value.replace(",", ""))
    except ValueError:
        return False
