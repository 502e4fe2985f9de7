"""What a person presses and types so that one text becomes another: at its end, its beginning, or over a selection."""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.events import Operation
from deskcrew.observation import Control

LONGEST = 500
"""Characters that are selected and typed anew; what changes more is put there as a whole."""


def in_area(area: Control, text: str, wanted: str) -> list[Operation]:
    """For a text area that says ``text``."""
    if not text.strip():
        return [_typed(wanted)] if not text else [_typed(wanted, area, clear=True)]
    if wanted.startswith(text):
        return [_pressed("ctrl", "end"), *_lines(wanted[len(text) :])]
    if wanted.endswith(text):
        return [_pressed("ctrl", "home"), _typed(wanted[: -len(text)])]
    old, new = _differing(text, wanted)
    if not old.strip() or text.count(old) != 1 or max(len(old), len(new)) > LONGEST or "\n" in new:
        return [_typed(wanted, area, clear=True)]
    return [_selected(area, old), *([_typed(new)] if new else [_pressed("delete")])]


def in_document(paragraphs: Sequence[Control], text: str, wanted: str) -> list[Operation]:
    """For the paragraphs of a document that says ``text``, a line each; none where that cannot be done so."""
    old, new = text.removesuffix("\n").split("\n"), wanted.removesuffix("\n").split("\n")
    if not text.strip():
        return [_typed("\n".join(new))]
    if new[: len(old)] == old:
        first = [_pressed("enter")] if old[-1].strip() else []
        return [_pressed("ctrl", "end"), *first, _typed("\n".join(new[len(old) :]))]
    if new[-len(old) :] == old:
        return [_pressed("ctrl", "home"), _typed("\n".join(new[: -len(old)]) + "\n")]
    if len(new) == len(old):
        changed = [at for at in range(len(old)) if old[at] != new[at]]
        made = [_over(paragraphs, old[at], new[at]) for at in changed]
        return [operation for each in made for operation in each] if all(made) else []
    same = next((at for at, (was, now) in enumerate(zip(old, new, strict=False)) if was != now), len(old))
    more = len(new) - len(old)
    if more > 0 and same and new[same + more :] == old[same:]:
        control = _showing(paragraphs, old[same - 1])
        if control is not None:
            return [
                _selected(control, old[same - 1], "after"),
                _pressed("enter"),
                _typed("\n".join(new[same : same + more])),
            ]
    return []


def _over(paragraphs: Sequence[Control], old: str, new: str) -> list[Operation]:
    control = _showing(paragraphs, old)
    if control is None:
        return []
    was, now = _differing(old, new)
    if not was.strip() or old.count(was) != 1:
        was, now = old, new
    return [_selected(control, was), *([_typed(now)] if now else [_pressed("delete")])]


def _showing(paragraphs: Sequence[Control], line: str) -> Control | None:
    """The one paragraph that shows ``line``."""
    found = [each for each in paragraphs if (each.value or "") == line or _head(each.value or "", line)]
    return found[0] if len(found) == 1 else None


def _head(value: str, line: str) -> bool:
    head, cut, _ = value.rpartition("… (")
    return bool(cut) and line.startswith(head)


def _differing(text: str, wanted: str) -> tuple[str, str]:
    """What of ``text`` gives way to what, in whole words; more of the line where it stands there more than once."""
    least = min(len(text), len(wanted))
    start = next((at for at in range(least) if text[at] != wanted[at]), least)
    end = next((at for at in range(least - start) if text[-1 - at] != wanted[-1 - at]), least - start)
    while start and text[start - 1].isalnum():
        start -= 1
    while end and text[len(text) - end].isalnum():
        end -= 1
    if text.count(text[start : len(text) - end]) != 1 or not text[start : len(text) - end].strip():
        start = text.rfind("\n", 0, start) + 1
        last = text.find("\n", len(text) - end)
        end = len(text) - last if last >= 0 else 0
    return text[start : len(text) - end], wanted[start : len(wanted) - end]


def _lines(added: str) -> list[Operation]:
    """What is added at the end: a line break in front of it is a key, since who reads back looks for the text alone."""
    first = [_pressed("enter")] if added.startswith("\n") else []
    return [*first, _typed(added.removeprefix("\n"))]


def _pressed(*keys: str) -> Operation:
    return Operation(function="hotkey", params={"keys": list(keys)})


def _typed(text: str, control: Control | None = None, *, clear: bool = False) -> Operation:
    return Operation(
        function="keyboard_input", control=control.label if control else None, params={"keys": text, "clear": clear}
    )


def _selected(control: Control, text: str, spot: str = "text") -> Operation:
    return Operation(function="select_text", control=control.label, params={"text": text, "spot": spot})
