"""What is new, other or gone on a page that was loaded anew after the work, with each of these altered or undone.

A page that was seen before anything was sent is compared with what it showed then. On one that was not, nobody can say what
is new: there, what repeats what was sent counts, and what stands beside that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from deskcrew.excerpts import shorten
from deskcrew.goals.altering import altered_text
from deskcrew.goals.kept import SAME, counterpart, like, scrolled, told, values
from deskcrew.observation import Control, Observation, Sent, Window

BESIDE = 2
"""How many lines before and after one that repeats what was sent stand beside it."""
_ACTS = frozenset({"button", "link", "menu item", "tab", "menu button"})
"""Roles of controls that mostly say what can be done, and not what is."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A line of text (role ``text``) or a control that a page shows."""

    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One change that a page shows, in the words of ``label`` altered or undone in ``look``. ``things``: what is new, other
    or gone; ``old``: what was there instead, '' if nothing."""

    label: str
    look: Observation
    things: tuple[Thing, ...]
    old: str = ""
    gone: bool = False


def changes(now: Observation, before: Sequence[Observation], sent: Sequence[Sent]) -> list[Change]:
    """The changes that a page shows ``now``. ``before``: the observations before anything was sent, at any page."""
    was = counterpart(now, before)
    said = values(sent)
    if was is None or like(now, was) < SAME:
        return [*_repeated_lines(now, said, before), *_repeated_controls(now, said, before)]
    # Of lines that were out of view before nobody can say whether they are new.
    lines = _repeated_lines(now, said, before) if (elsewhere := scrolled(was, now)) else _lines(was, now, before)
    return [*lines, *_controls(was, now, before, said, elsewhere=elsewhere)]


def as_before(now: Observation, before: Sequence[Observation]) -> Observation:
    """What ``now`` would show had nothing been kept: what its page showed before anything was sent, or the start."""
    was = counterpart(now, before)
    return was if was is not None else before[0] if before else now


def _lines(was: Observation, now: Observation, before: Sequence[Observation]) -> Iterator[Change]:
    known = {line.strip() for look in before for line in look.all_text.splitlines()}
    old, new = was.all_text.splitlines(), now.all_text.splitlines()
    gone: list[str] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        left = [line for line in old[a:b] if line.strip() and line not in new]
        for at in range(c, d):
            if not new[at].strip() or new[at].strip() in known:
                continue
            instead = left.pop(0) if left else ""
            yield _other_line(now, new, at, instead)
        gone += left
    if gone:
        text = "\n".join((*new, *gone))
        look = now.model_copy(update={"text": text, "lines": ()})
        yield Change(f"{_short(gone[0])} still there", look, tuple(Thing("text", line) for line in gone), gone=True)


def _repeated_lines(now: Observation, said: Sequence[str], before: Sequence[Observation]) -> Iterator[Change]:
    known = {line.strip() for look in before for line in look.all_text.splitlines()}
    lines = now.all_text.splitlines()
    hits = [at for at, line in enumerate(lines) if any(value in line.casefold() for value in said)]
    near = {at for hit in hits for at in range(max(0, hit - BESIDE), min(len(lines), hit + BESIDE + 1))}
    for at in sorted(near):
        if lines[at].strip() and lines[at].strip() not in known:
            yield _other_line(now, lines, at)


def _other_line(now: Observation, lines: Sequence[str], at: int, old: str = "") -> Change:
    what, other = next(iter(altered_text(lines[at])), ("with another text", "banana"))
    other, what = (old, f"as it was: {_short(old)}") if old else (other, what)
    text = "\n".join((*lines[:at], other, *lines[at + 1 :]))
    look = now.model_copy(update={"text": text, "lines": ()})
    return Change(f"{_short(lines[at])} shown {what}", look, (Thing("text", lines[at].strip()),), old)


def _controls(
    was: Observation, now: Observation, before: Sequence[Observation], said: Sequence[str], *, elsewhere: bool
) -> Iterator[Change]:
    """``elsewhere``: the page is scrolled to another place, and may leave out what is far from it."""
    known = {told(control) for look in before for control in look.in_front}
    old, new = _in_page(was), _in_page(now)
    shows, showed = {told(control) for control in new}, {told(control) for control in old}
    gone: list[Control] = []
    keys = [[(control.role, control.name) for control in side] for side in (old, new)]
    for what, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        pairs = zip(old[a:b], new[c:d], strict=True) if what == "equal" else ()
        for one, other in pairs:
            if told(one) != told(other) and told(other) not in showed:
                yield _undone(now, other, one)
        if what == "equal":
            continue
        left = [control for control in old[a:b] if told(control) not in shows]
        for control in new[c:d]:
            if told(control) in known:
                continue
            instead = next((one for one in left if one.role == control.role), None)
            if instead is not None:
                left.remove(instead)
                yield _undone(now, control, instead)
            elif _says(control, said):
                yield from _other_control(now, control)
        gone += [control for control in left if _says(control, said)]
    if gone and not elsewhere:
        look = now.model_copy(update={"controls": (*now.controls, *(_at(control, now) for control in gone))})
        yield Change(f"{_called(gone[0])} still there", look, tuple(map(_thing, gone)), gone=True)


def _repeated_controls(now: Observation, said: Sequence[str], before: Sequence[Observation]) -> Iterator[Change]:
    known = {told(control) for look in before for control in look.in_front}
    for control in _in_page(now):
        words = " ".join((control.name, control.value or "", control.owner)).casefold()
        if told(control) not in known and any(value in words for value in said) and _says(control, said):
            yield from _other_control(now, control)


def _other_control(now: Observation, control: Control) -> Iterator[Change]:
    """A new control with another value, or name if it has none."""
    part = "value" if control.value else "name"
    text = control.value or control.name
    if text:
        what, other = next(iter(altered_text(text)), ("with another text", "banana"))
        changed = control.model_copy(update={part: other})
        yield Change(f"{_called(control)} {what}", _with(now, control, changed), (_thing(control),))


def _undone(now: Observation, control: Control, old: Control) -> Change:
    undone = control.model_copy(update={"name": old.name, "value": old.value, "states": old.states})
    was = ", ".join(part for part in (old.name, old.value or "", *old.states) if part)
    return Change(f"{_called(control)} as it was: {_short(was)}", _with(now, control, undone), (_thing(control),), was)


def _says(control: Control, said: Sequence[str]) -> bool:
    """Whether a control says what is, rather than what can be done."""
    words = f"{control.name} {control.value or ''}".casefold()
    if control.role not in _ACTS:
        return bool(words.strip())
    return any(character.isdigit() for character in words) or any(value in words for value in said)


def _in_page(look: Observation) -> list[Control]:
    return [control for control in look.in_front if control.role != "document"]


def _with(look: Observation, old: Control, new: Control) -> Observation:
    return look.model_copy(update={"controls": tuple(new if each is old else each for each in look.controls)})


def _at(control: Control, now: Observation) -> Control:
    """A control of an earlier observation in the window that is in front now."""
    front: Window | None = now.active_window
    return control.model_copy(update={"window": front.id}) if front is not None else control


def _thing(control: Control) -> Thing:
    return Thing(control.role, control.name, control.value or "", control.states, control.owner)


def _called(control: Control) -> str:
    return f"{control.role} {shorten(control.name or control.owner, 60)!r}"


def _short(text: str) -> str:
    return repr(shorten(text.strip(), 60))
