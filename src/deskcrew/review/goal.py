"""Goal: is the task done? Typed checks whose arguments occur in the task or in collected evidence.

Checks are made before anything is executed (``demands.py``); they are evaluated from the workspace and the last look, never
from what a model says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deskcrew.errors import ActionError
from deskcrew.journal.fold import RunState
from deskcrew.observation import FileEntry, Observation
from deskcrew.review.origin import Origins
from deskcrew.review.wording import normal, stands_in
from deskcrew.roles.view import shorten
from deskcrew.verdict import EMPTY, RESULT, Check, CheckKind, CheckResult


@dataclass(frozen=True, slots=True)
class World:
    """What checks are evaluated against. ``before``: the run's first look, ``now``: the last.

    ``read``: text of a workspace file; ``cell``: value of one cell of it, None where it cannot be looked at. Both raise
    ActionError where there is none. ``clipboard``: its text, None where there is no desktop; asked only for a check.
    """

    before: Observation
    now: Observation
    read: Callable[[str], str]
    cell: Callable[[str, str], str | None]
    clipboard: Callable[[], str | None] = lambda: None


def evaluate(checks: Sequence[Check], state: RunState, world: World) -> tuple[CheckResult, ...]:
    """Each check with whether it holds; None where it could not be looked at."""
    evaluators: dict[CheckKind, Callable[[Check, RunState, World], tuple[bool | None, str]]] = {
        "file_exists": _file_exists,
        "file_absent": _file_absent,
        "nothing_else": _nothing_else,
        "file_contains": _file_contains,
        "same_as": _same_as,
        "cell_equals": _cell_equals,
        "changed_since_start": _changed_since_start,
        "window_shows": _window_shows,
        "control_value": _control_value,
        "clipboard_holds": _clipboard_holds,
        "exit_code": _exit_code,
    }
    found: list[CheckResult] = []
    for check in checks:
        holds, what = evaluators[check.kind](check, state, world) if check.kind in evaluators else (None, "nothing shows it")
        found.append(CheckResult(check=check, holds=holds, found=shorten(what, 200)))
    return tuple(found)


def describe(result: CheckResult) -> str:
    """A check in words with what was found instead where it does not hold, for prompts and people."""
    words = result.check.words
    return words if result.holds else f"{words}: no{f' ({result.found})' if result.found else ''}"


def unmet(results: Sequence[CheckResult]) -> list[str]:
    """The checks that do not hold, in words; of a file that is missing only that it is."""
    missing = {r.check.target for r in results if r.check.kind == "file_exists" and r.holds is False}
    return [
        describe(r) for r in results if r.holds is False and (r.check.kind == "file_exists" or r.check.target not in missing)
    ]


def unseen(results: Sequence[CheckResult]) -> str:
    """That some checks could not be looked at, and which; '' when all could."""
    open_ = [f"{r.check.words} ({r.found})" if r.found else r.check.words for r in results if r.holds is None]
    return f"a check could not be looked at: {'; '.join(open_)}" if open_ else ""


def _file_exists(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    entry = _entry(world.now, check.target)
    if entry is not None and (entry.size > 0 or check.text == EMPTY):
        stray = Origins(state, world.before, world.read).strays(check.target)
        return not stray, f"it was made from {stray}" if stray else ""
    if entry is not None:
        return False, "it is empty"
    alike = [e.path for e in world.now.files if e.path.rsplit("/", 1)[-1].startswith(check.target.rsplit("/", 1)[-1])]
    return False, f"there is {alike[0]}" if alike else "not yet"


def _file_absent(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    there = any(entry.path == check.target for entry in world.now.files)
    return not there, "it is still there" if there else ""


def _file_contains(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    try:
        text = world.read(check.target)
    except ActionError as error:
        return False, str(error)
    if check.text != RESULT:
        return stands_in(check.text, text), text
    origins = Origins(state, world.before, world.read)
    if origins.made(check.target):
        return True, text
    wanted = results(origins)
    if not wanted:
        return None, NO_RESULT
    return any(stands_in(result, text) for result in wanted), text


def _nothing_else(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    """None where more stands in the file than the task says: it may be meant, but no rule can say so."""
    try:
        left = normal(world.read(check.target))
    except ActionError as error:
        return False, str(error)
    said = [c.text for c in state.checks if c.kind == "file_contains" and c.target == check.target]
    for text in sorted((text for text in said if text != RESULT), key=len, reverse=True):
        left = left.replace(normal(text), " ", 1)
    if RESULT in said:
        worked_out = [text for text in results(Origins(state, world.before, world.read)) if stands_in(text, left)]
        left = left.replace(max(worked_out, key=len), " ", 1) if worked_out else left
    return (True, "") if not re.search(r"\w", left) else (None, f"it also holds {shorten(left.strip(), 80)!r}")


def _same_as(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    copy = _entry(world.now, check.target)
    if copy is None:
        return False, "it is not there"
    sources = [entry for look in (world.before, world.now) if (entry := _entry(look, check.text))]
    if any(entry.digest is not None and entry.digest == copy.digest for entry in sources):
        return True, ""
    unknown = any(entry.size == copy.size and None in (entry.digest, copy.digest) for entry in sources)
    return (None, "it is too large to compare") if unknown else (False, "its content is another")


def _cell_equals(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    file, _, address = check.target.partition("!")
    try:
        value = world.cell(file, address)
    except ActionError as error:
        return False, str(error)
    if value is None:
        return None, "its value cannot be looked at"
    if check.text == RESULT:
        wanted = results(Origins(state, world.before, world.read))
        return (normal(value) in wanted, value) if wanted else (None, NO_RESULT)
    return normal(value) == normal(check.text), value


def _changed_since_start(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    before, now = _entry(world.before, check.target), _entry(world.now, check.target)
    if before is None or now is None:
        return before is not now, "it is not there" if now is None else ""
    changed = (before.digest, before.size) != (now.digest, now.size)
    return changed, "" if changed else "it is as it was"


def _window_shows(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    meant = [w for w in world.now.windows if normal(check.target) in normal(w.title)]
    if not world.now.windows:
        return None, "no window is open"
    if not meant:
        return False, "there is no such window"
    ids = {window.id for window in meant}
    shown = [window.title for window in meant]
    shown += [text for c in world.now.controls if c.window in ids for text in (c.name, c.value or "")]
    shown += [world.now.text] if any(window.active for window in meant) else []
    wanted = results(Origins(state, world.before, world.read)) if check.text == RESULT else (check.text,)
    return any(stands_in(text, part) for text in wanted for part in shown if part), "it does not"


def _control_value(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    values = [c.value or "" for c in world.now.controls if normal(c.name) == normal(check.target)]
    if not values:
        return None, "it is not on the screen"
    return any(normal(value) == normal(check.text) for value in values), values[0]


def _clipboard_holds(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    held = world.clipboard()
    if held is None:
        return None, "there is no desktop"
    wanted = results(Origins(state, world.before, world.read)) if check.text == RESULT else (normal(check.text),)
    return normal(held) in wanted, held or "it is empty"


def _exit_code(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    """Of the last command that runs the target and nothing else: behind another one its code would not be seen."""
    runs = re.compile(rf"(?:{INTERPRETERS}\s+(?:-\w+\s+)*)?(?:\./|/workspace/)?{re.escape(check.target)}(?:\s[^;|&\n]*)?")
    for done in (done for turn in reversed(state.turns) for done in reversed(turn.done)):
        command = str(done.operation.params.get("command") or "").strip()
        if done.exit_code is not None and runs.fullmatch(command):
            return str(done.exit_code) == check.text, str(done.exit_code)
    return None, "it was not run by itself"


INTERPRETERS = r"(?:(?:ba|da|z)?sh|python3?|perl|ruby|node)"
NO_RESULT = "no program has worked out a result from what the task names"


def results(origins: Origins) -> tuple[str, ...]:
    """Normalised outputs of programs, newest first: what ``{result}`` stands for. What the crew only had printed, or worked
    out of something else than the task names, is none."""
    outputs = [found for found in reversed(origins.state.collected_by("output")) if origins.supports(found, found.text)]
    return tuple(dict.fromkeys(text for found in outputs if (text := normal(found.text))))


def _entry(look: Observation, path: str) -> FileEntry | None:
    return next((entry for entry in look.files if entry.path == path and entry.kind == "file"), None)
