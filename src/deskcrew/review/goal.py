"""Goal: is the task done? Typed checks whose arguments occur in the task or in collected evidence.

Checks are made before anything is executed, from the planner's reply and the task's text; they are evaluated from the
workspace and the last look, never from what a model says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deskcrew.errors import ActionError
from deskcrew.journal.fold import RunState
from deskcrew.observation import Observation
from deskcrew.roles.clauses import COMPUTED, QUOTED, WRITES, file_names, quoted, sentences
from deskcrew.roles.view import shorten
from deskcrew.verdict import RESULT, Check, CheckKind, CheckResult


def checks_from_task(task: str, before: Observation) -> tuple[Check, ...]:
    """What the words of the task alone oblige to: a file it names that is not there yet must be there afterwards.

    A name in a sentence that says not to, or to delete it, obliges to nothing.
    """
    there = {entry.path for entry in before.files}
    checks: list[Check] = []
    for sentence in sentences(task):
        if re.search(r"\b(not|never|without|delete|remove)\b", sentence, re.IGNORECASE):
            continue
        checks += [Check(kind="file_exists", target=name) for name in file_names(sentence) if name not in there]
    return tuple(checks)


def checks_of_writing(task: str, before: Observation) -> tuple[Check, ...]:
    """What a sentence that has a new file written obliges to: its quoted texts are in the file, and so is the computed
    result when the sentence speaks of one ("the total", "the answer")."""
    there = {entry.path for entry in before.files}
    checks: list[Check] = []
    for sentence in sentences(task):
        new = [name for name in file_names(sentence) if name not in there]
        if len(new) != 1 or not WRITES.search(sentence):
            continue
        checks += [Check(kind="file_contains", target=new[0], text=text) for text in quoted(sentence)]
        if COMPUTED.search(QUOTED.sub("", sentence)):
            checks.append(Check(kind="file_contains", target=new[0], text=RESULT, origin="evidence"))
    return tuple(checks)


@dataclass(frozen=True, slots=True)
class World:
    """What checks are evaluated against. ``before``: the run's first look, ``now``: the last.

    ``read``: text of a workspace file; ``cell``: value of one cell of it, None where it cannot be looked at. Both raise
    ActionError where there is none.
    """

    before: Observation
    now: Observation
    read: Callable[[str], str]
    cell: Callable[[str, str], str | None]


def evaluate(checks: Sequence[Check], state: RunState, world: World) -> tuple[CheckResult, ...]:
    """Each check with whether it holds; None where it could not be looked at."""
    evaluators: dict[CheckKind, Callable[[Check, RunState, World], tuple[bool | None, str]]] = {
        "file_exists": _file_exists,
        "file_contains": _file_contains,
        "cell_equals": _cell_equals,
        "changed_since_start": _changed_since_start,
        "window_shows": _window_shows,
        "control_value": _control_value,
        "exit_code": _exit_code,
    }
    found: list[CheckResult] = []
    for check in checks:
        holds, what = evaluators[check.kind](check, state, world) if check.kind in evaluators else (None, "")
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


def _file_exists(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    there = any(entry.path == check.target and entry.kind == "file" for entry in world.now.files)
    alike = [e.path for e in world.now.files if e.path.rsplit("/", 1)[-1].startswith(check.target.rsplit("/", 1)[-1])]
    return there, "" if there else (f"there is {alike[0]}" if alike else "not yet")


def _file_contains(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    try:
        text = world.read(check.target)
    except ActionError as error:
        return False, str(error)
    if check.text != RESULT:
        return normal(check.text) in normal(text), text
    wanted = results(state)
    if not wanted:
        return None, "no program has printed a result"
    return any(stands_in(result, text) for result in wanted), text


def _cell_equals(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    file, _, address = check.target.partition("!")
    try:
        value = world.cell(file, address)
    except ActionError as error:
        return False, str(error)
    if value is None:
        return None, "its value cannot be looked at"
    if check.text == RESULT:
        wanted = results(state)
        return (normal(value) in wanted, value) if wanted else (None, "no program has printed a result")
    return normal(value) == normal(check.text), value


def _changed_since_start(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    before = next((e for e in world.before.files if e.path == check.target), None)
    now = next((e for e in world.now.files if e.path == check.target), None)
    if before is None or now is None:
        return before is not now, "it is not there" if now is None else ""
    changed = (before.digest, before.size) != (now.digest, now.size)
    return changed, "" if changed else "it is as it was"


def _window_shows(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    if not world.now.windows:
        return None, "no window is open"
    shown = [world.now.text, *(w.title for w in world.now.windows)]
    shown += [text for c in world.now.controls for text in (c.name, c.value or "")]
    wanted = results(state) if check.text == RESULT else (check.text,)
    return any(stands_in(text, part) for text in wanted for part in shown if part), ""


def _control_value(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    values = [c.value or "" for c in world.now.controls if normal(c.name) == normal(check.target)]
    if not values:
        return None, "it is not on the screen"
    return any(normal(value) == normal(check.text) for value in values), values[0]


def _exit_code(check: Check, state: RunState, world: World) -> tuple[bool | None, str]:
    code = state.evidence.exit_code if state.evidence else None
    return (None, "") if code is None else (str(code) == check.text, str(code))


def results(state: RunState) -> tuple[str, ...]:
    """Normalised outputs of programs, newest first: what ``{result}`` stands for."""
    outputs = [normal(found.text) for found in state.collected_by("output")]
    return tuple(dict.fromkeys(text for text in reversed(outputs) if text))


def stands_in(part: str, whole: str) -> bool:
    """Whether ``part`` occurs in ``whole`` as a word or number of its own: 12 does not stand in 3120."""
    part, whole = normal(part), normal(whole)
    return bool(part) and re.search(rf"(?<![\w.]){re.escape(part)}(?!\w|\.\d)", whole) is not None


def normal(text: str) -> str:
    """Lower case, single spaces, numbers without thousands separators or a trailing ``.0``, no closing punctuation."""
    text = re.sub(r"(?<=\d)[,\u202f'](?=\d{3}\b)", "", text)
    text = re.sub(r"(\d+)\.0+\b", r"\1", text)
    text = re.sub(r"(\d+\.\d*?[1-9])0+\b", r"\1", text)
    return re.sub(r"\s+", " ", text).strip().strip(".!").casefold()
