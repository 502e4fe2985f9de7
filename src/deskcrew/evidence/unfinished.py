"""Signs of unfinished work on the screen: a window with unsaved changes, or a dialog that was left open.

Finished work leaves neither behind. A correct file on disk will be overwritten by the next Ctrl+S in a window that holds
another text. The marks in titles come from toolkits and are the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterator

from deskcrew.facts.contract import Contract, TypedCheck
from deskcrew.facts.observation import Observation, Window

_MARKS = ("*", "•", "●")
_DASHES = str.maketrans("–—", "--")


def unsaved(title: str) -> bool:
    """Whether a window's title shows that its content was not saved: ``*notes.txt - Editor``, ``● notes.txt``,
    ``notes.txt * - Editor``, ``notes.txt*``."""
    names = (part.rstrip() for part in title.translate(_DASHES).split("-"))
    ends = (name for name in names if name.endswith(_MARKS))
    return title.lstrip().startswith(_MARKS) or any(_is_mark(name[-2:-1], name[-1]) for name in ends)


def _is_mark(before: str, sign: str) -> bool:
    return before.isspace() or (sign == "*" and (before.isalnum() or before == "_"))


def unfinished(contract: Contract, first: Observation, now: Observation) -> tuple[str, ...]:
    """What has been left open on the screen since ``first``, one sentence each. A window that a requirement checks is meant
    to be open, except for unsaved changes to one of the contract's files, which must be on disk."""
    return tuple(_said(contract, first, now))


def _said(contract: Contract, first: Observation, now: Observation) -> Iterator[str]:
    before = {(window.id, window.title) for window in first.windows}
    files = [path.rstrip("/").rpartition("/")[2] for path in contract.files]
    for window in now.windows:
        if (window.id, window.title) in before:
            continue
        wanted = any(_looks_at(check, window, now) for each in contract.standing for check in each.checks)
        if unsaved(window.title) and (not wanted or any(name and name in window.title for name in files)):
            yield f"what is in the window {window.title!r} was not saved"
        elif window.dialog and not wanted and all(window.id != id for id, _ in before):
            yield f"the dialog {window.title!r} was left open"


def asked_in_page(look: Observation) -> tuple[str, ...]:
    """The names of what a dialog of the page in front lets a person choose, if nothing else of the page can be operated;
    () if there is no such dialog, or it can only be closed."""
    able = [(each.name, each.behind.has) for each in look.in_front if each.behind is not None]
    names = tuple(name for name, has in able if "corner" not in has)
    return names if len(names) > 1 and all("dialog" in has for _, has in able) else ()


def _looks_at(check: TypedCheck, window: Window, look: Observation) -> bool:
    """Whether a check is about what a window shows."""
    target = check.target.strip().casefold()
    match check.kind:
        case "window_shows" | "page_at":
            return target in window.title.casefold()
        case "program_runs":
            return target == window.app.casefold()
        case "control_value" | "control_is":
            return any(c.window == window.id and c.name.strip().casefold() == target for c in look.controls)
        case _:
            return False
