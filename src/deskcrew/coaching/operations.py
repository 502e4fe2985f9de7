"""A small model's operations as they were meant: arranged as a person would do them, corrected, or refused with a reason."""

from __future__ import annotations

import ast
import re
from typing import Any, cast

from deskcrew.actions.keys import KEYS, MODIFIERS
from deskcrew.english.mentions import begins_with, mentions, prohibitions
from deskcrew.events import Operation
from deskcrew.journal.fold import RunState
from deskcrew.observation import Control, Observation
from deskcrew.secrets.vault import as_shown
from deskcrew.texts import hide, show, stands_in

# -- arranged

TO_END = ("ctrl", "end")
TYPING = "keyboard_input"
FEW_KEYS = 3
"""A text of at most this many characters may stand for single keys, which can be meant to be repeated."""


def arranged(reply: dict[str, Any], part: str, seen: Observation) -> dict[str, Any]:
    """The reply with its operations as a person would do them. Text that is typed repeatedly is typed once, text for a
    single-line field replaces its content, and what ``part`` wants at the end goes to the end."""
    operations = cast("list[dict[str, Any]]", reply.get("operations") or [])
    once = [each for at, each in enumerate(operations) if at == 0 or each != operations[at - 1] or not _runs_on(each)]
    if any(each.get("function") == TYPING for each in once):
        once = _at_end([_replacing(each, part, seen) for each in once], part, seen)
    return {**reply, "operations": once} if once != operations else reply


def _runs_on(operation: dict[str, Any]) -> bool:
    """Whether repeating the operation shows a small model that cannot stop: it types a text, or presses keys
    together."""
    keys = operation["params"].get("keys")
    if operation.get("function") == TYPING:
        return len(str(keys or "")) > FEW_KEYS
    return operation.get("function") == "hotkey" and isinstance(keys, list) and len(cast("list[str]", keys)) > 1


def _replacing(operation: dict[str, Any], part: str, seen: Observation) -> dict[str, Any]:
    """Typing into a single-line field that has content replaces it, instead of inserting into it."""
    if operation.get("function") != TYPING or mentions("end", part):
        return operation
    control = _aimed_at(operation, seen)
    if control is None or control.role != "text field" or not control.value:
        return operation
    return {**operation, "params": {**operation["params"], "clear": True}}


def _at_end(operations: list[dict[str, Any]], part: str, seen: Observation) -> list[dict[str, Any]]:
    """Moves the cursor to the end, and if needed to a new line, before text is added to existing text."""
    place = next(at for at, each in enumerate(operations) if each.get("function") == TYPING)
    typing, before = operations[place], operations[:place]
    if not mentions("end", part) or typing["params"].get("clear"):
        return operations
    control = _aimed_at(typing, seen)
    moved = any(each["params"].get("keys") == list(TO_END) for each in before)
    if moved or control is None or control.role != "text area" or not (control.value or "").strip():
        return operations
    if (control.value or "").rstrip("\n").endswith(f"\n{typing['params'].get('keys') or ''}"):
        return operations  # it stands there already; who goes to the end again would only leave empty lines
    moves = [_pressed(*TO_END)]
    if mentions("line", part) and not (control.value or "").endswith(("\n", "…")):
        moves.append(_pressed("enter"))
    # Where the cursor is now: naming the control would put it where it was.
    return [*before, *moves, {**typing, "control": None}, *operations[place + 1 :]]


def _aimed_at(operation: dict[str, Any], seen: Observation) -> Control | None:
    return seen.control(str(operation.get("control") or seen.focus or ""))


def _pressed(*keys: str) -> dict[str, Any]:
    return {"function": "hotkey", "control": None, "params": {"keys": list(keys)}}


# -- mended

LINE_BREAK = "⏎"
"""How an observation shows a line break."""
LONE_KEYS = frozenset({"enter", "escape", "tab", "backspace", "delete"})


def mended(operation: Operation, state: RunState) -> Operation:
    """The operation as it was meant, because small models confuse some forms. Typing "Ctrl+S" presses these keys,
    unless the task wants the letters written. A line break inside a string of code becomes the two characters of its
    escape, which a reply in JSON loses. A part of a file that is named by marks alone is the whole of it."""
    if isinstance(code := operation.params.get("code"), str):
        code = plain_texts(imported(untailed(unbroken(code))))
        return operation.model_copy(update={"params": {**operation.params, "code": code}})
    if operation.function == "hotkey":
        keys = [str(key) for key in cast("list[object]", operation.params.get("keys") or [])]
        ordinary = [key for key in keys if key.lower() not in MODIFIERS]
        # Nobody presses two letters together: what follows the first is a small model running on.
        kept = [key for key in keys if key.lower() in MODIFIERS or key == ordinary[0]]
        return operation.model_copy(update={"params": {**operation.params, "keys": kept}})
    if (part := operation.params.get("part")) and not any(each.isalnum() for each in str(part)):
        return operation.model_copy(update={"params": {**operation.params, "part": ""}})
    typed = str(operation.params.get("keys") or "")
    names = tuple(name.strip() for name in typed.lower().split("+"))
    if operation.function != "keyboard_input":
        return operation
    if LINE_BREAK in typed and LINE_BREAK not in state.task:  # copied from what a look shows
        operation = operation.model_copy(update={"params": {**operation.params, "keys": typed.replace(LINE_BREAK, "\n")}})
    if operation.params.get("click_enter") and _just_typed(operation, state):
        return Operation(function="hotkey", params={"keys": ["enter"]})
    meant = names[0] in (MODIFIERS if len(names) > 1 else LONE_KEYS) and all(name in KEYS for name in names)
    if not meant or typed in state.task:
        return operation
    return Operation(function="hotkey", params={"keys": list(names)})


def _just_typed(operation: Operation, state: RunState) -> bool:
    """Whether the last operation of an earlier reply typed the same text into the same place, so that only Enter is
    missing."""
    turns = (turn for turn in reversed(state.turns) if turn.done)
    turn = next(turns, None)
    if turn is None or turn is state.turn or operation.params.get("clear"):
        return False
    last = turn.done[-1]
    same = (last.operation.function, last.operation.control) == (operation.function, operation.control)
    typed = last.operation.params
    return last.ok and same and typed.get("keys") == operation.params.get("keys") and not typed.get("click_enter")


# -- mended Python code

_TAIL = re.compile(r"[\"'`;,\s]*[}\]]|`|[\"';,]+\s*$")
_IMPORTS = (ast.Import, ast.ImportFrom)
FORGOTTEN = frozenset({
    "collections", "csv", "datetime", "glob", "io", "itertools", "json", "math", "os", "pathlib", "random", "re",
    "shutil", "statistics", "string", "sys", "time", "zipfile",
})  # fmt: skip
"""Modules that models use without importing them."""
_TEXT_OF_TEXT = re.compile(r"(\.findtext\([^()\n]{1,200}\))\.text\b")
BREAKS = 20
"""Maximum number of line breaks in strings that are repaired in one piece of code."""


def unbroken(code: str) -> str:
    """``code`` with line breaks inside quoted strings written as ``\\n``, if that makes it valid Python."""
    mended = code
    for _ in range(BREAKS):
        try:
            ast.parse(mended)
        except SyntaxError as error:
            lines = mended.split("\n")
            if "unterminated string literal" not in str(error.msg) or not 0 < (error.lineno or 0) < len(lines):
                return code
            at = error.lineno or 0
            mended = "\n".join((*lines[: at - 1], f"{lines[at - 1]}\\n{lines[at]}", *lines[at + 1 :]))
        except (ValueError, RecursionError):
            return code
        else:
            return mended
    return code


def untailed(code: str) -> str:
    """``code`` without the end of a JSON reply that was written into it, and what follows, if that makes it valid
    Python."""
    if _parses(code):
        return code
    for tail in _TAIL.finditer(code):
        # Before a bracket that closes one of Python's, nothing parses. A model that counts brackets so may be some short.
        shorter = code[: tail.start()].rstrip()
        for closed in (shorter, f"{shorter})", f"{shorter}))"):
            if shorter and _parses(closed):
                return closed
    return code


def plain_texts(code: str) -> str:
    """``code`` without ``.text`` after ``findtext(...)``, which returns the text already: models ask for it again."""
    return _TEXT_OF_TEXT.sub(r"\1", code)


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def imported(code: str) -> str:
    """``code`` with an import of the standard library's modules that it uses without importing or assigning them."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        return code
    used = {node.value.id for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
    made = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    made |= {(name.asname or name.name).split(".")[0] for node in nodes if isinstance(node, _IMPORTS) for name in node.names}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    missing = sorted(used & FORGOTTEN - made)
    # In the first line, so that errors name the lines that the model wrote.
    return f"import {', '.join(missing)}; {code}" if missing and _simple(code) else code


def _simple(code: str) -> bool:
    """Whether another statement may precede the first one on its line."""
    return re.match(r"\s*(?:from __future__|[\"'@]|(?:if|for|while|with|def|class|try|async)\b)", code) is None


# -- refused


def refused(operation: Operation, state: RunState, now: Observation) -> str:
    """Why an operation is not even shown to the guard, worded for its role; '' if nothing speaks against it."""
    if words := forbidden(operation, state.task, now):
        return f"The task says {words!r}; leave that."
    if word := unheard(operation, state, now):
        return f"Nobody speaks of {word!r}; use names from your part."
    if text := _typed_there(operation, state, now):
        return f"{text!r} was just typed into that field; another text belongs into another one."
    return ""


def saves_page(operation: Operation, state: RunState, now: Observation) -> str:
    """Why a small model's Ctrl+S on a page is left out; '' if it is kept. It submits no form, and the task does not
    mention saving."""
    keys = cast("list[object]", operation.params.get("keys") or [])
    saves = operation.function == "hotkey" and sorted(str(key).lower() for key in keys) == ["ctrl", "s"]
    if not saves or not now.on_page:
        return ""
    return "" if mentions("saving", state.task) else "a page is not saved; what is filled in there is sent with a button"


def _typed_there(operation: Operation, state: RunState, now: Observation) -> str:
    """The text that this reply has just typed into the single-line field that it now wants to type something else into;
    '' if it has not. A small model without a place for a text appends it to the last one."""
    control = now.control(operation.control or now.focus or "")
    turn = state.turn
    if operation.function != "keyboard_input" or operation.params.get("clear") or control is None or turn is None:
        return ""
    if not turn.done or not turn.done[-1].ok or control.role != "text field":
        return ""
    before = turn.done[-1].operation
    typed = str(before.params.get("keys") or "")
    same = (before.function, before.control) == (operation.function, operation.control)
    stands = same and len(typed) > 1 and typed in (control.value or "")
    return typed if stands and not before.params.get("click_enter") else ""


def typed_already(operation: Operation, state: RunState, now: Observation) -> str:
    """Why typing this again would only duplicate it: an earlier reply had it typed, and it is still there. '' if not."""
    typed = str(operation.params.get("keys") or "")
    if operation.function != "keyboard_input" or not typed:
        return ""
    control = now.control(operation.control or now.focus or "")
    if control is None or as_shown(typed) not in (control.value or ""):
        return ""
    clears = operation.params.get("clear")
    if clears and as_shown(typed).strip() != (control.value or "").strip():
        return ""
    current = state.turn
    earlier = (done for turn in reversed(state.turns) if turn is not current for done in turn.done)
    before = any(done.ok and (done.operation == operation or (clears and _types(done.operation, typed))) for done in earlier)
    return f"{typed!r} is already there" if before else ""


def _types(operation: Operation, text: str) -> bool:
    return operation.function == "keyboard_input" and operation.params.get("keys") == text


_FIELDS = frozenset({"text field", "number field", "password field", "date editor"})
"""Single-line fields; in others Enter only begins a new line."""


def forbidden(operation: Operation, task: str, now: Observation) -> str:
    """The words of ``task`` that forbid an operation; '' if there are none. Quoted text forbids nothing."""
    control = now.control(operation.control or now.focus or "")
    if control is None:
        return ""
    pressed = operation.function == "click_input" and control.role in ("button", "link")
    sends = _enters(operation, control) or (pressed and begins_with("sender", control.name))
    hidden, texts = hide(task)
    for found in prohibitions(hidden):
        words = " ".join(show(found, texts).split())
        if (sends and mentions("sending", found)) or (pressed and stands_in(control.name.strip(" .…:"), words)):
            return words
    return ""


def _enters(operation: Operation, control: Control) -> bool:
    """Whether the operation presses Enter in a single-line field, which submits a form as its button does."""
    keys = cast("list[object]", operation.params.get("keys") or [])
    alone = operation.function == "hotkey" and [str(key).lower() for key in keys] == ["enter"]
    return (alone or bool(operation.params.get("click_enter"))) and control.role in _FIELDS


NEW_NAMES = {"make_folder": "folder", "move_file": "destination", "copy_file": "destination"}
"""Actions that give something a new name, with the parameter that contains it."""


def unheard(operation: Operation, state: RunState, now: Observation) -> str:
    """A word of a new name that occurs nowhere in the task, the plan, what a person said, file names or findings; '' if
    there is none. A small model copies such names from the prompt's worked example."""
    name = str(operation.params.get(NEW_NAMES.get(operation.function, "")) or "")
    if not name:
        return ""
    said = [state.task, *(each.goal for each in state.plan.subtasks), *(each.text for each in state.guidance)]
    said += [*(entry.path for entry in now.files), *(found.text for found in state.collected)]
    known = " ".join(said).casefold()
    words = re.findall(r"[^\W\d_]{3,}", name.casefold())
    return next((word for word in words if word not in known), "")
