"""Goal: is the task done? Typed checks whose arguments occur in the task or in collected evidence.

Checks are created before anything is executed (``goals/from_orders.py``). They are evaluated from the workspace and the
last observation, never from what a model says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from deskcrew import verdict
from deskcrew.actions.tables import TABLES, rows_of
from deskcrew.english.openings import shows_program
from deskcrew.errors import ActionError
from deskcrew.excerpts import shorten
from deskcrew.goals import contents
from deskcrew.goals.origin import INTERPRETERS, Origins
from deskcrew.goals.screen import on_all
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Turn
from deskcrew.observation import FileEntry, Observation
from deskcrew.texts import normal, quoted, stands_in
from deskcrew.verdict import EMPTY, LACKS, RESULT, Check, CheckKind, CheckResult


@dataclass(frozen=True, slots=True)
class World:
    """The facts that checks are evaluated against. ``before``: the run's first observation, ``now``: the last.

    ``read`` returns the text of a workspace file, ``cell`` the value of one of its cells, or None if that cannot be
    determined; both raise ActionError if it does not exist. ``clipboard`` returns its text, None without a desktop; it
    is called only if a check needs it. ``was`` returns a file's text at the first observation, None if that is unknown.
    ``elsewhere``: the last observations of the run's other desktops or browsers; checks of the screen are evaluated on
    each of them as on ``now``.
    """

    before: Observation
    now: Observation
    read: Callable[[str], str]
    cell: Callable[[str, str], str | None]
    clipboard: Callable[[], str | None] = lambda: None
    was: Callable[[str], str | None] = lambda _: None
    elsewhere: tuple[Observation, ...] = ()


def evaluate(checks: Sequence[Check], state: RunState, world: World) -> tuple[CheckResult, ...]:
    """Each check with whether it holds; None if it could not be evaluated."""
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
        "opened": _opened,
        "deed": _deed,
    }
    found: list[CheckResult] = []
    for check in checks:
        holds, what = evaluators[check.kind](check, state, world) if check.kind in evaluators else (None, "nothing shows it")
        if check.kind in _ON_SCREEN and world.elsewhere:
            others = (replace(world, now=look) for look in world.elsewhere)
            there = [evaluators[check.kind](check, state, other) for other in others]
            holds, what = on_all([(holds, what), *there], check.kind)
        found.append(CheckResult(check=check, holds=holds, found=shorten(what, 200)))
    return tuple(found)


_ON_SCREEN: frozenset[CheckKind] = frozenset({"window_shows", "control_value"})


def describe(result: CheckResult) -> str:
    """A check in words, with what was found instead if it does not hold, for prompts and people."""
    words = result.check.words
    return words if result.holds else f"{words}: no{f' ({result.found})' if result.found else ''}"


def thin(checks: Sequence[CheckResult], said: str = "", *, judged: bool = False) -> str:
    """Says which files were only seen to exist or to have changed, whatever their content; '' if there are none.

    Such evidence does not prove a goal. Only for a folder, and for a file that may be empty, is existence all that was
    asked for. That a file's content was computed by the crew's program does not show that it was computed as the task
    wants (rows that a filter should have left out are computed too), unless it was ``judged``. Text that a person gave
    (``said``), in the task or later, was not computed.
    """
    held = [result.check for result in checks if result.holds]
    there = {check.target for check in held if check.kind == "file_exists" and not _is_all(check)}
    changed = {check.target for check in held if check.kind == "changed_since_start" and not check.text}
    known = {check.target.partition("!")[0] for check in held if check.kind in _SAY_CONTENT}
    known |= {
        result.check.target
        for result in checks
        if result.holds
        and result.check.kind == "changed_since_start"
        and result.check.text
        and (judged or result.check.text != verdict.FOUND_OUT or _stands_in_all(result.found, said))
    }
    only_there, only_changed = sorted(there - known - changed), sorted(changed - known)
    seen = [f"{', '.join(only_there)} {_is_or_are(only_there)} there"] if only_there else []
    seen += [f"{', '.join(only_changed)} changed"] if only_changed else []
    return f"it is only known that {' and '.join(seen)}, not whether that is what was wanted" if seen else ""


def _stands_in_all(text: str, whole: str) -> bool:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return bool(lines) and all(stands_in(line, whole) for line in lines)


_SAY_CONTENT: frozenset[CheckKind] = frozenset({"file_contains", "cell_equals", "same_as"})
"""Kinds of checks that say what a file contains. That it contains nothing else is meaningful only together with one of
them."""


def _is_all(check: Check) -> bool:
    """Whether existence is all that is wanted of a target; unpacked files are compared with their archive."""
    return check.target.endswith("/") or check.text == EMPTY or check.text.startswith(verdict.FROM)


def _is_or_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def unmet(results: Sequence[CheckResult]) -> list[str]:
    """The checks that do not hold, in words; for a missing file, only that it is missing."""
    missing = {r.check.target for r in results if r.check.kind == "file_exists" and r.holds is False}
    return [
        describe(r) for r in results if r.holds is False and (r.check.kind == "file_exists" or r.check.target not in missing)
    ]


def unseen(results: Sequence[CheckResult]) -> str:
    """Says which checks could not be evaluated; '' if all could."""
    open_ = [f"{r.check.words} ({r.found})" if r.found else r.check.words for r in results if r.holds is None]
    return f"a check could not be evaluated: {'; '.join(open_)}" if open_ else ""


def _file_exists(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    if check.target.endswith("/"):
        folder = check.target.rstrip("/")
        there = any(e.path.startswith(check.target) or (e.path == folder and e.kind == "folder") for e in world.now.files)
        return there, "" if there else "there is no such folder"
    found = [entry for entry in world.now.files if entry.kind == "file" and entry.path == check.target]
    if check.text.startswith(verdict.FROM):
        return _unpacked(check, world)
    full = [entry for entry in found if entry.size > 0 or check.text == EMPTY]
    for entry in full[:1]:
        stray = Origins(state, world.before, world.read).strays(entry.path)
        return (False, f"it was made from {stray}") if stray else (True, "")
    if found:
        return False, "it is empty"
    alike = [e.path for e in world.now.files if e.path.rsplit("/", 1)[-1].startswith(check.target.rsplit("/", 1)[-1])]
    return False, f"there is {alike[0]}" if alike else "not yet"


def _unpacked(check: Check, world: World) -> tuple[bool, str]:
    """Whether everything in an archive was unpacked into the target's folder, or anywhere if it names none."""
    folder = check.target.removesuffix("*")
    try:
        wanted = contents.members(world.read(check.text.removeprefix(verdict.FROM)))
    except ActionError as error:
        return False, str(error)
    there = {(entry.path.rpartition("/")[2], entry.size) for entry in world.now.files if entry.path.startswith(folder)}
    if missing := [name for name, size in wanted if (name, size) not in there]:
        return False, f"{missing[0]} was not unpacked"
    return bool(wanted), "" if wanted else "the archive is empty"


def _sources(origins: Origins, world: World) -> list[str]:
    """What the crew found out, and the texts of unchanged files that the task names."""
    texts = [c.text for c in origins.state.collected if not c.claimed and origins.supports(c, c.text)]
    for path in sorted(origins.inputs):
        before, now = _entry(world.before, path), _entry(world.now, path)
        if before is not None and now is not None and before.digest == now.digest is not None:
            with suppress(ActionError):
                texts.append(world.read(path))
    return texts


def _file_absent(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    there = any(entry.path == check.target for entry in world.now.files)
    return not there, "it is still there" if there else ""


def _file_contains(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    origins = Origins(state, world.before, world.read)
    path = check.target
    try:
        text = world.read(path)
    except ActionError as error:
        return False, str(error)
    if check.text != RESULT:
        cells = rows_of(text) if path.lower().endswith(TABLES) else []
        holds = stands_in(check.text, text) or any(stands_in(check.text, cell) for row in cells for cell in row)
        if holds and normal(check.text, case=True) not in normal(text, case=True):
            return None, f"it stands there with other capital letters: {text}"
        return holds, text
    if not re.search(r"\w", text):
        return False, f"it contains nothing: {text.strip()}"
    if origins.made(path):
        return True, text
    wanted = results(origins)
    if not wanted:
        return None, NO_RESULT
    if stands_in(wanted[0], text):
        return True, text
    # "The total" is the result computed last; whether an earlier one may be meant, no rule can tell.
    earlier = next((result for result in wanted[1:] if stands_in(result, text)), "")
    return (None, f"it contains {earlier!r}, an earlier result than the last, {wanted[0]!r}") if earlier else (False, text)


def _nothing_else(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    """None if the file contains more than the task says: that may be intended, but no rule can tell."""
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
    return (True, "") if not re.search(r"\w", left) else (None, f"it also contains {shorten(left.strip(), 80)!r}")


def _same_as(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    copy = _entry(world.now, check.target)
    if copy is None:
        return False, "it is not there"
    sources = [entry for look in (world.before, world.now) if (entry := _entry(look, check.text))]
    if any(entry.digest is not None and entry.digest == copy.digest for entry in sources):
        return True, ""
    unknown = any(entry.size == copy.size and None in (entry.digest, copy.digest) for entry in sources)
    return (None, "it is too large to compare") if unknown else (False, "its content differs")


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
    if now is None:
        return False, "it is not there"
    if before is None and not check.text:
        return True, ""
    changed = before is None or (before.digest, before.size) != (now.digest, now.size)
    if changed and before is not None and not check.text and _only_saved(check.target, world):
        return None, "it was saved, but its text did not change"
    if not changed or not check.text:
        return changed, "" if changed else "it did not change"
    try:
        text = world.read(check.target)
        if check.text.startswith(verdict.ONLY):
            return _as_said(check, text, world)
        if check.text == verdict.FOUND_OUT:
            return _found_out(check.target, text, Origins(state, world.before, world.read), world)
        if not check.text.startswith(LACKS):
            return None, "this version cannot evaluate the check"  # a mark of an earlier version
        wrong = contents.wrong(text, check.text)
    except ActionError as error:
        return False, str(error)
    return not wrong, wrong


def _only_saved(path: str, world: World) -> bool:
    """Whether a document's bytes changed but not its text: programs write different bytes at each save. The change may
    have been to its formatting, which cannot be judged here."""
    if not path.lower().endswith(contents.DOCUMENTS):
        return False
    try:
        return world.was(path) == world.read(path)
    except ActionError:
        return False


def _as_said(check: Check, text: str, world: World) -> tuple[bool | None, str]:
    """Whether the only changes to a file are those that the task states."""
    new = all(entry.path != check.target for entry in world.before.files)
    was = "" if new else world.was(check.target)
    different = contents.other(check.edits, was, text) if was is not None else None
    return (None, "what it should contain is unknown") if different is None else (not different, different)


def _found_out(path: str, text: str, origins: Origins, world: World) -> tuple[bool | None, str]:
    """Whether everything in a file was found out, or stated by a person; None if that cannot be determined."""
    if origins.made(path):
        return True, text
    if " " in (said := text.strip()) and said in quoted(origins.state.task):
        return False, f"it contains only what the task says: {said[:80]!r}"
    person = (origins.state.task, *(said.text for said in origins.state.guidance))
    if whole := _whole(path, text, origins, world):
        return None, f"it contains all of {whole}, not only what was asked for"
    read, worked_out = [*person, *_sources(origins, world)], results(origins)
    for line in filter(None, map(str.strip, text.splitlines())):
        if not any(stands_in(line, each) for each in read) and not any(stands_in(each, line) for each in worked_out):
            return None, f"nothing that was found out shows {line[:80]!r}"
    return True, text


def _whole(path: str, text: str, origins: Origins, world: World) -> str:
    """The document of more than one line that was copied as a whole; '' if there is none."""
    for source in sorted(origins.inputs - {path}):
        with suppress(ActionError):
            lines = [line for line in world.read(source).splitlines() if line.strip()]
            if len(lines) > 1 and all(stands_in(line.strip(), text) for line in lines):
                return source
    return ""


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
    return any(stands_in(text, part) for text in wanted for part in shown if part), "it is not shown"


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
    """Checks the last command that runs only the target: in a longer command its exit code would be hidden."""
    runs = re.compile(rf"(?:{INTERPRETERS}\s+(?:-\w+\s+)*)?(?:\./|/workspace/)?{re.escape(check.target)}(?:\s[^;|&\n]*)?")
    for done in (done for turn in reversed(state.turns) for done in reversed(turn.done)):
        command = str(done.operation.params.get("command") or "").strip()
        if done.exit_code is not None and runs.fullmatch(command):
            return str(done.exit_code) == check.text, str(done.exit_code)
    return None, "it was not run as a command of its own"


def _opened(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    """None if no window shows it at the end, since it may have been opened and closed again; and if a reflex opened it:
    reflexes read what is to be opened as this check does, and a misreading would prove itself."""
    if any(turn.by_reflex and _chose(turn, check) for turn in state.turns):
        return None, "a reflex chose what was opened, from the same reading of the task"
    if "://" in check.text:
        shown = any(window.url.rstrip("/") == check.text.rstrip("/") for window in world.now.windows)
    else:
        file = check.text.rpartition("/")[2]
        shown = any(
            (not check.target or shows_program(check.target, window.app, state.applications)) and file in window.title
            for window in world.now.windows
        )
    return (True, "") if shown else (None, "no window shows it")


def _chose(turn: Turn, check: Check) -> bool:
    """Whether a reply has what a check is about opened."""
    wanted = (check.target or check.text).rstrip("/")
    opened = (done.operation.params.get(name) for done in turn.done for name in ("app_name", "url"))
    return any(wanted == str(name or "").rstrip("/") for name in opened)


def _deed(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    return None, "nothing shows it"


NO_RESULT = "no program has worked out a result from what the task names"


def results(origins: Origins) -> tuple[str, ...]:
    """Normalised outputs of programs, newest first: what ``{result}`` stands for. Output that merely repeats what the
    crew wrote, or that was computed from files the task does not name, is left out."""
    found_out = reversed(origins.state.collected_by("output"))
    outputs = [found for found in found_out if origins.supports(found, found.text)]
    return tuple(dict.fromkeys(text for found in outputs if (text := normal(found.text))))


def _entry(look: Observation, path: str) -> FileEntry | None:
    return next((entry for entry in look.files if entry.path == path and entry.kind == "file"), None)
