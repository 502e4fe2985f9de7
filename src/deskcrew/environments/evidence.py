"""Evidence: the differences between two observations. Facts for rules and reviewer, no opinion (COLA's reviewer, C9)."""

from __future__ import annotations

import io
import math
from typing import Literal

from PIL import Image, ImageChops

from deskcrew.environments import workspace
from deskcrew.environments.names import SHOWN, shorten, told_value
from deskcrew.facts.observation import Control, ControlChange, Evidence, FileEntry, Observation, Window

_ALIKE = 40
"""The number of characters shown before the first difference in a long value."""
_CARET = 4
"""Pixels. A difference no wider than this is a blinking text cursor, not a change."""


def compare(before: Observation, after: Observation, *, exit_code: int | None = None) -> Evidence:
    """All differences. Pure. Controls are named by label, windows by title, files by path.

    What was not observed on one side (clipboard, screenshot) is not a difference. An action's ``exit_code`` is added.
    """
    opened, closed, titles, active = _windows(before, after)
    old = {control.label: control for control in before.controls}
    new = {control.label: control for control in after.controls}
    changes = [change for label in old.keys() & new.keys() for change in _changes(old[label], new[label])]
    created, changed, deleted = _files(before.files, after.files)
    clipboard = (before.clipboard, after.clipboard)
    return Evidence(
        windows_opened=opened,
        windows_closed=closed,
        titles_changed=titles,
        active_window=active,
        controls_appeared=tuple(label for label in new if label not in old),
        controls_gone=tuple(label for label in old if label not in new),
        controls_changed=tuple(sorted(changes, key=lambda change: (change.label, change.field))),
        focus=(before.focus or "", after.focus or "") if before.focus != after.focus else None,
        files_created=created,
        files_changed=changed,
        files_deleted=deleted,
        clipboard=(clipboard[0], clipboard[1])
        if clipboard[0] is not None and clipboard[1] is not None and clipboard[0] != clipboard[1]
        else None,
        pixels_changed=_pixels(before.screenshot, after.screenshot),
        exit_code=exit_code,
        sent=tuple(each.model_copy(update={"answer": ""}) for each in after.sent) if after is not before else (),
        put_away=after.put_away,
        loaded=_loaded(before, after),
    )


def _loaded(before: Observation, after: Observation) -> tuple[str, ...]:
    """The titles of pages that were reloaded: they may show the same as before although they were requested again."""
    old = {(window.id, window.url): window.loads for window in before.windows}
    return tuple(one.title for one in after.windows if old.get((one.id, one.url), one.loads) < one.loads)


def _windows(
    before: Observation, after: Observation
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, str] | None]:
    old = {window.id: window for window in before.windows}
    new = {window.id: window for window in after.windows}
    titles = [(old[key].title, new[key].title) for key in new if key in old and old[key].title != new[key].title]
    was, now = before.active_window, after.active_window
    moved = (was.id if was else None) != (now.id if now else None)
    return (
        tuple(window.title for key, window in new.items() if key not in old),
        tuple(window.title for key, window in old.items() if key not in new),
        tuple(sorted(titles)),
        (_title(was), _title(now)) if moved else None,
    )


def _title(window: Window | None) -> str:
    return window.title if window else ""


def _changes(old: Control, new: Control) -> list[ControlChange]:
    sides: tuple[tuple[Literal["name", "value", "states"], str, str], ...] = (
        ("name", old.name, new.name),
        ("value", old.value or "", new.value or ""),
        ("states", ", ".join(sorted(old.states)), ", ".join(sorted(new.states))),
    )
    found: list[ControlChange] = []
    for field, was, now in sides:
        if was != now:
            before, after = _told(new.role, was, now)
            change = ControlChange(label=new.label, role=new.role, name=new.name, field=field, before=before, after=after)
            found.append(change)
    return found


def _told(role: str, was: str, now: str) -> tuple[str, str]:
    """Two values, shortened for display; if they begin alike, from shortly before their first difference."""
    before, after = told_value(role, was), told_value(role, now)
    if before != after:
        return before, after
    differs = (at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one != other)
    at = max(0, next(differs, min(len(was), len(now))) - _ALIKE)
    return shorten(f"…{was[at:]}", SHOWN), shorten(f"…{now[at:]}", SHOWN)


def _files(
    before: tuple[FileEntry, ...], after: tuple[FileEntry, ...]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    old = {entry.path: entry for entry in before}
    new = {entry.path: entry for entry in after}
    return (
        _not_in(_whole(before), new.keys() - old.keys()),
        tuple(sorted(path for path in old.keys() & new.keys() if _differs(old[path], new[path]))),
        _not_in(_whole(after), old.keys() - new.keys()),
    )


def _whole(files: tuple[FileEntry, ...]) -> float:
    """The depth down to which an observation has listed everything. A truncated observation is complete except for the
    deepest of its entries, as shallow ones are listed first; deeper ones may exist unlisted."""
    return math.inf if len(files) < workspace.MAX_ENTRIES else max(entry.path.count("/") for entry in files)


def _not_in(depth: float, missing: set[str]) -> tuple[str, ...]:
    return tuple(sorted(path for path in missing if path.count("/") < depth))


def _differs(old: FileEntry, new: FileEntry) -> bool:
    if old.kind != new.kind:
        return True
    if old.kind == "folder":  # its time changes with what is in it, which is listed on its own
        return False
    if old.digest is not None and new.digest is not None:
        return old.digest != new.digest
    return (old.size, old.mtime_ns) != (new.size, new.mtime_ns)


def _pixels(before: bytes | None, after: bytes | None) -> bool | None:
    if before is None or after is None:
        return None
    if before == after:
        return False
    with Image.open(io.BytesIO(before)) as old, Image.open(io.BytesIO(after)) as new:
        if old.size != new.size:
            return True
        box = ImageChops.difference(old.convert("RGB"), new.convert("RGB")).getbbox()
    return box is not None and box[2] - box[0] > _CARET
