"""An observation as compact text for a model, within a token budget.

The most useful comes first, and what does not fit is counted, never silently dropped. Everything from the screen is in
quotes, on one line, without control characters: a window's title is data, whatever it says.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from deskcrew.environments.names import told_value
from deskcrew.facts.observation import CONTROLS, Control, FileEntry, Observation, Sent, SentField, Window

LONGEST_QUOTE = 200
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
JOINERS = frozenset({"\u200c", "\u200d"})
"""Invisible characters that some scripts and emoji need."""
MAXIMUM_WINDOWS = 12
CELLS = (
    "Any cell or range of the spreadsheet is a control by its address, listed or not: B7, A1:D20, Sheet2.B7. What is typed "
    "into one goes on in the next column at a tab and in the next row at a line end; a click on a range tells what is in it."
)
"""Added to the controls if a spreadsheet is in front."""


def describe(observation: Observation, *, tokens: int, before: Observation | None = None) -> str:
    """The text form of ``observation`` in about ``tokens`` tokens at most (at least the windows and the counts).

    ``before``: the last observation; controls that were not in it are marked new.
    """
    text = f"Windows, topmost first:\n{windows}" if (windows := windows_text(observation)) else "No window is open."
    text += f"\nNote: {observation.note}" if observation.note else ""
    text += f"\n{CELLS}" if observation.sheet is not None else ""
    left = tokens - estimate(text)
    files = files_text(observation.files, max(20, min(left // 5, 400))) if observation.files else ""
    left -= estimate(files)
    reading = reading_text(observation, max(0, left // 6))
    left -= estimate(reading)
    drawn = drawn_text(observation, max(0, left // 6))
    left -= estimate(drawn)
    known = {(one.label, one.role, one.name) for one in before.controls} if before is not None else None
    controls = controls_text(observation, left, known) if observation.windows or observation.controls else ""
    return "\n".join(part for part in (text, reading, drawn, controls, files) if part)


def windows_text(observation: Observation) -> str:
    """The open windows, topmost first, one per line; '' if there are none."""
    lines = [window_line(window) for window in observation.windows[:MAXIMUM_WINDOWS]]
    more = len(observation.windows) - MAXIMUM_WINDOWS
    return "\n".join([*lines, f"and {more} more windows"] if more > 0 else lines)


def estimate(text: str) -> int:
    """Approximate number of tokens of a text: a quarter per ASCII character, more for other scripts."""
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + len(text) - plain


def quote(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Text from the screen in quotes: one line, nothing invisible, at most ``longest`` characters."""
    clean: list[str] = []
    for character in text[: longest + 1]:
        if character in "\n\r\u2028\u2029\x0b\x0c\x85":
            clean.append("⏎")
        elif character == "\t":
            clean.append(" ")
        elif unicodedata.category(character) not in INVISIBLE or character in JOINERS:
            clean.append('\\"' if character == '"' else character)
    words = "".join(clean[:longest])
    return f'"{words}…"' if len(text) > longest else f'"{words}"'


def window_line(window: Window) -> str:
    """One window: ``* window 3 "Save As" of "Mousepad" dialog, active``."""
    notes = [
        word
        for word, true in (
            ("dialog", window.dialog),
            ("active", window.active),
            ("not responding", not window.responding),
        )
        if true
    ]
    about = f" {', '.join(notes)}" if notes else ""
    about = f" at {quote(window.url, 80)}{about}" if window.url else about
    return f"{'*' if window.active else '-'} window {window.id} {quote(window.title)} of {quote(window.app, 60)}{about}"


def control_line(control: Control, *, new: bool = False) -> str:
    """One control: ``12 button "Save"``, ``3 text area "" value "abc" focused``."""
    parts = [control.label, control.role]
    if not control.name or control.name != control.label:
        parts.append(quote(control.name))
    if control.value is not None and (control.value or control.role != "cell"):
        parts.append(f"value {quote(told_value(control.role, control.value))}")
    if control.owner:
        parts.append(f"in {quote(control.owner, 60)}")
    if control.options:
        shown = ", ".join(quote(option, 40) for option in control.options[:12])
        more = f" and {len(control.options) - 12} more" if len(control.options) > 12 else ""
        parts.append(f"options {shown}{more}")
    parts += control.states
    if new:
        parts.append("(new)")
    return " ".join(parts)


MOST_WISHED = 12
"""The maximum number of fields listed for a request that was not sent."""


def sent_line(sent: Sent, fields: int | None = None) -> str:
    """What a page sent: ``POST "https://example.org/book" 200: room "12"; nights "2" (was "1")``. ``fields``: their maximum
    number, None for all."""
    if not sent.method:
        return f"and {sent.more} more requests"
    status = f"{sent.status}" if sent.status is not None else "no answer"
    told = [_field(each) for each in sent.fields[:fields]]
    left_out = len(sent.fields) - len(told) + sent.more
    told += [f"and {left_out} more"] if left_out else []
    return f"{sent.method} {quote(sent.url)} {status}" + (f": {'; '.join(told)}" if told else "")


def wish(sent: Sent, most: int = MOST_WISHED) -> str:
    """What a page would have sent: ``POST "https://example.org/book" with room "12"``. ``most``: the most fields told."""
    told = [_field(each) for each in sent.fields[:most]]
    told += [f"and {len(sent.fields) - len(told) + sent.more} more"] if len(told) < len(sent.fields) + sent.more else []
    return f"{sent.method} {quote(sent.url)} {'with' if told else 'without fields'} {'; '.join(told)}".rstrip()


def _field(field: SentField) -> str:
    name = field.name or "content"
    if field.value is None:
        return f"{name} is gone (was {quote(field.was or '')})"
    return f"{name} {quote(field.value)}" + (f" (was {quote(field.was)})" if field.was not in (None, field.value) else "")


def usefulness(control: Control, active: int | None, first: int | None, focus: str | None) -> tuple[int, int]:
    """A sort key, smaller for more useful controls: first the active window's; there the focused control, then controls to
    type into, then controls to press."""
    place = 0 if control.window == active else 1 if control.window == first else 2
    if control.label == focus:
        return 0, 0
    if "disabled" in control.states or not control.operations:
        return place, 5
    if control.role == "cell":
        return place, 2 if control.value else 4
    if "type" in control.operations or "set" in control.operations or "select" in control.operations:
        return place, 1
    return place, 3 if control.role == "menu" else 2


def controls_text(
    observation: Observation, tokens: int, known: frozenset[tuple[str, str, str]] | set[tuple[str, str, str]] | None
) -> str:
    """The controls that fit, the most useful chosen first, in the order of the screen; the others counted."""
    if not observation.controls:
        return "No controls."
    active = observation.active_window.id if observation.active_window else None
    first = observation.windows[0].id if observation.windows else None
    lines = [
        control_line(one, new=known is not None and (one.label, one.role, one.name) not in known)
        for one in observation.controls
    ]
    order = sorted(
        range(len(lines)),
        key=lambda at: (*usefulness(observation.controls[at], active, first, observation.focus), at),
    )
    left = tokens - 25
    chosen: set[int] = set()
    for at in order:
        cost = estimate(lines[at]) + 1
        if cost > left:
            break
        left -= cost
        chosen.add(at)
    parts = [CONTROLS] if chosen else []
    titles = {window.id: window.title for window in observation.windows}
    shown: int | None = active
    for at in sorted(chosen):
        window = observation.controls[at].window
        if window != shown:
            parts.append(f"in window {quote(titles.get(window, ''), 60)}:")
            shown = window
        parts.append(lines[at])
    left_out = [one for at, one in enumerate(observation.controls) if at not in chosen]
    if left_out:
        parts.append(count_line(left_out))
    return "\n".join(parts)


def count_line(controls: Sequence[Control]) -> str:
    """``and 37 more controls: 20 cell, 17 button``."""
    counts = Counter(control.role for control in controls).most_common(4)
    kinds = ", ".join(f"{number} {role}" for role, number in counts)
    noun = "control" if len(controls) == 1 else "controls"
    return f"and {len(controls)} more {noun}: {kinds}"


def reading_text(observation: Observation, tokens: int) -> str:
    """The active window's text outside controls."""
    lines = [line for line in observation.text.splitlines() if line.strip()]
    if not lines:
        return ""
    taken = list(fitting((quote(line) for line in lines), max(30, tokens)))
    more = f" and {len(lines) - len(taken)} more lines" if len(taken) < len(lines) else ""
    return f"Text: {' | '.join(taken)}{more}"


def drawn_text(observation: Observation, tokens: int) -> str:
    """Where the front window is painted, and the text recognized there, each line with the point in its middle."""
    area = observation.drawn
    if area is None:
        return ""
    place = (
        f"Painted, and reported by no control: {area.x}, {area.y} to {area.x + area.width - 1}, {area.y + area.height - 1}."
    )
    read = [line for line in observation.lines if line.read]
    if not read:
        return place
    told = (f"{quote(line.text)} at {line.box.centre[0]}, {line.box.centre[1]}" for line in read)
    taken = list(fitting(told, max(60, tokens)))
    more = f" and {len(read) - len(taken)} more lines" if len(taken) < len(read) else ""
    return f"{place} Read there: {' | '.join(taken)}{more}"


def files_text(files: Sequence[FileEntry], tokens: int) -> str:
    """The workspace's files, the most recently changed first."""
    recent = sorted(files, key=lambda entry: -entry.mtime_ns)
    taken = list(fitting((file_line(entry) for entry in recent), tokens))
    more = f", and {len(files) - len(taken)} more" if len(taken) < len(files) else ""
    return f"Files in the workspace: {', '.join(taken)}{more}"


def file_line(entry: FileEntry) -> str:
    """``"report.txt" 120 bytes``."""
    return f"{quote(entry.path)} {entry.size} bytes" if entry.kind == "file" else f"{quote(entry.path)} {entry.kind}"


def fitting(lines: Iterable[str], tokens: int) -> Iterable[str]:
    """The lines that fit into ``tokens``; always at least the first."""
    left = tokens
    for number, line in enumerate(lines):
        left -= estimate(line) + 1
        if left < 0 and number:
            return
        yield line
