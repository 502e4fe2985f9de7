"""What is new, different or gone on a page that was reloaded after the work, with each such change altered or undone.

A page that was observed before anything was sent is compared with that observation. For any other page nobody can say what
is new: there, repetitions of what was sent count, and the lines beside them, except headings and lines that were shown
before the sending.

What is told twice, as a line and as a cell, or as a name and within a row, is one fact, and altered in all places at once.
Which view is selected, by what it is sorted, what is in view and what has the focus is no fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from deskcrew.environments.pointing import AWAY
from deskcrew.evidence.altering import altered_text
from deskcrew.evidence.kept import ACTS, PASSING, counterpart, goes_on, same_view, scrolled, told, values
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Control, Observation, Sent, Window
from deskcrew.facts.texts import folded, reworded, told_at, words_in

LEAST_TOLD = 4
"""Minimum length of a text, in characters, for it to be recognized within another one."""
BESIDE = 2
"""How many lines before and after a repetition of what was sent count as beside it."""
SELECTED, SORTED = "selected", frozenset({"sorted ascending", "sorted descending"})
MARKS = frozenset("\\`*_[]|")
"""The signs that stand behind a backslash in a page's text as Markdown."""
APART = " | "
"""The separator of a row's cells in its line."""
_HEADS = frozenset({"column header", "row header"})
_CELLS = _HEADS | {"cell"}
Rows = Mapping[int, tuple[Control, ...]]
"""The cells of the lines that are table rows, by line number."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A line of text (role ``text``) or a control that a page shows. ``page``: its address, '' if it is on several."""

    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()
    owner: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One change that a page shows. ``look``: the page with this change altered or undone, as ``label`` says; ``things``:
    what is new, different or gone; ``old``: what was there instead, '' if nothing; ``of_view``: only another view is
    selected, or it is sorted otherwise, which a requirement need not depend on."""

    label: str
    look: Observation
    things: tuple[Thing, ...]
    old: str = ""
    gone: bool = False
    of_view: bool = False


def changes(
    now: Observation, before: Sequence[Observation], sent: Sequence[Sent], looks: Sequence[Observation] = ()
) -> list[ShownChange]:
    """The changes that a page shows ``now``. ``before``: the observations of any page before anything was sent; ``looks``:
    all observations since the first, oldest first, each with what was sent before it."""
    was = counterpart(now, before)
    said, rows = values(sent), _rows(now)
    if was is None or not same_view(was, now):
        return [*_repeated_lines(now, said, before, rows, looks), *_repeated_controls(now, said, before, rows)]
    if scrolled(was, now):
        # Of lines that were out of view before nobody can say whether they are new. What the cells of their rows say is.
        lines = _repeated_lines(now, said, before, {}, looks)
        return [*lines, *_controls(was, now, before, said, {}, elsewhere=True)]
    return [*_lines(was, now, before, said, rows), *_controls(was, now, before, said, rows)]


def as_before(now: Observation, before: Sequence[Observation]) -> Observation:
    """What ``now`` would show if nothing had been kept: its page before anything was sent, or the start."""
    was = counterpart(now, before)
    return was if was is not None else before[0] if before else now


def _rows(look: Observation) -> Rows:
    cells = [control for control in in_page(look) if control.role in _CELLS and control.name]
    names, rows, left = [cell.name for cell in cells], dict[int, tuple[Control, ...]](), 0
    for number, line in enumerate(look.all_text.splitlines()):
        parts = line.strip().split(APART)
        # One text alone may stand anywhere: it is a row only where the next cell is it.
        places = range(left, len(cells) if len(parts) > 1 else min(left + 1, len(cells)))
        at = next((at for at in places if names[at : at + len(parts)] == parts), None)
        if at is not None:
            left = at + len(parts)
            rows[number] = tuple(cells[at:left])
    return rows


def _lines(
    was: Observation, now: Observation, before: Sequence[Observation], said: Sequence[str], rows: Rows
) -> Iterator[ShownChange]:
    known = {line.strip() for look in before for line in look.all_text.splitlines()}
    old, new = was.all_text.splitlines(), now.all_text.splitlines()
    gone: list[int] = []
    # What stands last in view may have stood below it before, or stand below it now.
    came, went = _tail(old, new, said) if goes_on(was) else len(new), _tail(new, old, said) if goes_on(now) else len(old)
    rose, sank = _moved(was, now), _moved(now, was)
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        left = [
            at
            for at in range(a, min(b, went))
            if old[at].strip() and old[at] not in new and (at < sank or _repeats(old[at], said))
        ]
        for at in range(c, min(d, came)):
            line = new[at].strip()
            if not line or line in known or _heads(rows.get(at, ())) or (at >= rose and not _repeats(line, said)):
                continue
            instead = max(left, key=lambda number: _shared(old[number], line), default=None)
            if instead is not None:
                left.remove(instead)
            yield from _other_line(now, new, at, rows, before, old[instead] if instead is not None else "")
        gone += left
    if gone:
        text = "\n".join((*new, *(old[at] for at in gone)))
        were = _rows(was)
        cells = tuple(cell for at in gone for cell in were.get(at, ()))
        there = {*map(_entry, in_page(now))}
        lost = (each for each in in_page(was) if each.owner and _entry(each) not in there)
        own = tuple(each for each in lost if any(reworded(each.owner, _wordy(old[at]), "") != each.owner for at in gone))
        controls = (*now.controls, *(_at(control, now) for control in (*cells, *own)))
        whole = "\n".join((now.whole, *(old[at] for at in gone))) if now.whole else ""
        look = now.model_copy(update={"text": text, "lines": (), "controls": controls, "whole": whole})
        things = tuple(Thing("text", old[at]) for at in gone)
        yield ShownChange(f"{_short(old[gone[0]])} still there", look, things, gone=True)


def _tail(one: Sequence[str], other: Sequence[str], said: Sequence[str]) -> int:
    """The index in ``other`` from which on its lines are not in ``one`` and repeat nothing that was sent."""
    at = len(other)
    while at and other[at - 1] not in one and not any(value in other[at - 1].casefold() for value in said):
        at -= 1
    return at


def _moved(there: Observation, here: Observation) -> int:
    """The index of the first line ``here`` of an entry that was out of view ``there``: it, and what is below it, has only
    moved. The number of lines if there is none."""
    away, near = ({_entry(c) for c in in_page(there) if (AWAY in c.states) == out} for out in (True, False))
    moved = (c.owner for c in in_page(here) if c.owner and AWAY not in c.states and _entry(c) in away - near)
    words, lines = _words(next(moved, "").rpartition(" ")[0]), here.all_text.splitlines()
    begun = (at for at in range(len(lines)) if _words(" ".join(lines[at : at + len(words)]))[: len(words)] == words)
    return next(begun, len(lines)) if words else len(lines)


def _entry(control: Control) -> tuple[str, str, str]:
    return control.role, control.name, control.owner


def _words(text: str) -> list[str]:
    return words_in(folded(text))


def _shared(one: str, other: str) -> int:
    return len({*_words(one)} & {*_words(other)})


def _repeats(line: str, said: Sequence[str]) -> bool:
    """Whether a line repeats a sent value that is long enough to be recognized, or nothing else."""
    plain = line.strip().casefold()
    return any(value == plain or (len(value) >= LEAST_TOLD and value in plain) for value in said)


def _repeated_lines(
    now: Observation, said: Sequence[str], before: Sequence[Observation], rows: Rows, looks: Sequence[Observation]
) -> Iterator[ShownChange]:
    known = {line.strip() for look in before for line in look.all_text.splitlines()}
    # What leads to a page, and what it is called, heads what it shows.
    heads = {control.name.strip() for look in (*before, now) for control in look.in_front if control.role in ACTS}
    heads |= {window.title.strip() for window in now.windows if window.active}
    lines = now.all_text.splitlines()
    hits = {at: some for at, line in enumerate(lines) if (some := [value for value in said if value in line.casefold()])}
    near = {*hits}
    for hit, some in hits.items():
        there = range(max(0, hit - BESIDE), min(len(lines), hit + BESIDE + 1))
        heads_or_old = heads | _seen_before(some, looks)
        near |= {at for at in there if lines[at].strip() not in heads_or_old and not _heads(rows.get(at, ()))}
    for at in sorted(near):
        if lines[at].strip() and lines[at].strip() not in known:
            yield from _other_line(now, lines, at, rows, before)


def _seen_before(said: Sequence[str], looks: Sequence[Observation]) -> set[str]:
    """The lines that were shown before one of these values was first sent."""
    first = next((at for at, look in enumerate(looks) if {*said} & {*values(look.sent)}), 0)
    return {line.strip() for look in looks[:first] for line in look.all_text.splitlines()}


def _heads(cells: Sequence[Control]) -> bool:
    """Whether a row only labels what stands below it."""
    return bool(cells) and all(cell.role in _HEADS for cell in cells)


def _other_line(
    now: Observation, lines: Sequence[str], at: int, rows: Rows, before: Sequence[Observation], old: str = ""
) -> Iterator[ShownChange]:
    if at in rows:
        yield from _other_row(now, lines, at, rows[at], before, old)
        return
    what, other = next(iter(altered_text(lines[at])), ("with another text", "banana"))
    other, what = (old, f"as it was: {_short(old)}") if old else (other, what)
    look = _saying(now, lines, at, other)
    look = _told_too(look, lines[at], other) if lines.count(lines[at]) == 1 else look
    yield ShownChange(f"{_short(lines[at])} shown {what}", look, (Thing("text", lines[at].strip()),), old)


def _other_row(
    now: Observation, lines: Sequence[str], at: int, cells: Sequence[Control], before: Sequence[Observation], old: str
) -> Iterator[ShownChange]:
    """A row with one new cell altered, or given back its old text, in the line and in the cell."""
    parts, were = lines[at].strip().split(APART), old.strip().split(APART)
    known = {told(control) for look in before for control in look.in_front}
    same = old != "" and len(were) == len(parts)
    new = [n for n, cell in enumerate(cells) if (parts[n] != were[n] if same else told(cell) not in known)]
    for n in new or range(len(parts)):
        what, other = next(iter(altered_text(parts[n])), ("with another text", "banana"))
        other, what = (were[n], f"as it was: {_short(were[n])}") if same else (other, what)
        changed = _saying(now, lines, at, APART.join((*parts[:n], other, *parts[n + 1 :])))
        for control in _same(now, cells[n]):
            changed = changed.instead(control, control.model_copy(update={"name": other}))
        changed = _told_too(changed, parts[n], other) if now.all_text.count(parts[n]) == 1 else changed
        thing = Thing(cells[n].role, cells[n].name, owner=lines[at].strip())
        yield ShownChange(f"{_called(cells[n])} shown {what}", changed, (thing,), were[n] if same else "")


def _same(now: Observation, cell: Control) -> Iterator[Control]:
    """A cell, and the controls in it that have the same name."""
    after = iter(now.in_front)
    yield next(control for control in after if control is cell)
    for control in after:
        if control.role in _CELLS:
            return
        if control.name == cell.name:
            yield control


def _saying(now: Observation, lines: Sequence[str], at: int, line: str) -> Observation:
    text = "\n".join((*lines[:at], line, *lines[at + 1 :]))
    number, of = lines[:at].count(lines[at]), lines.count(lines[at])
    return now.model_copy(update={"text": text, "lines": (), "whole": _in_whole(now, lines[at], line, number, of)})


def _in_whole(now: Observation, old: str, new: str, number: int, of: int) -> str:
    """All text of a page with a text replaced: the occurrence with this number, if there are as many of them, else each. ''
    if it does not stand there like this: then what is in view counts alone."""
    for apart in ("\n", APART):
        was, other = (apart.join(map(_escaped, text.strip().split(apart))) for text in (old, new))
        if places := told_at(now.whole, was):
            return reworded(now.whole, was, other, [places[number]] if len(places) == of else places)
    return ""


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in MARKS else sign for sign in text)


def _told_too(look: Observation, old: str, new: str) -> Observation:
    """An observation with ``old`` replaced in what else tells it: names, rows and cards of controls, titles of windows."""
    old, new = old.strip(), new.strip()
    words, others = _wordy(old), _wordy(new)
    if len(words) < LEAST_TOLD:
        return look
    controls = (
        each.model_copy(
            update={"name": new if each.name == old else each.name, "owner": reworded(each.owner, words, others)}
        )
        for each in look.controls
    )
    windows = (each.model_copy(update={"title": reworded(each.title, old, new)}) for each in look.windows)
    return look.model_copy(update={"controls": tuple(controls), "windows": tuple(windows)})


def _wordy(text: str) -> str:
    """A text as it stands in the owner of a control: without signs between its words."""
    return " ".join(word for word in text.split() if any(map(str.isalnum, word)))


def _controls(
    was: Observation,
    now: Observation,
    before: Sequence[Observation],
    said: Sequence[str],
    rows: Rows,
    *,
    elsewhere: bool = False,
) -> Iterator[ShownChange]:
    """Changes of controls. ``elsewhere``: the page is scrolled elsewhere, and may leave out distant controls."""
    known = {told(control) for look in before for control in look.in_front}
    old, new = in_page(was), in_page(now)
    shows, showed = {told(control) for control in new}, {told(control) for control in old}
    gone: list[Control] = []
    came = _new_lines(now, before)
    # What a row's line says is altered with that.
    rowed = _in_rows(now, rows) | _in_rows(was, _rows(was))
    keys = [[(control.role, control.name) for control in side] for side in (old, new)]
    for what, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        pairs = zip(old[a:b], new[c:d], strict=True) if what == "equal" else ()
        for one, other in pairs:
            # Of several that are called the same, it is this one that changed, unless they may only have moved.
            alone = told(other) not in showed or (keys[0] == keys[1] and one.owner == other.owner)
            if told(one) != told(other) and alone:
                yield _undone(now, other, one)
        if what == "equal":
            continue
        left = [control for control in old[a:b] if told(control) not in shows and id(control) not in rowed]
        for control in new[c:d]:
            if told(control) in known or id(control) in rowed:
                continue
            alike = [one for one in left if one.role == control.role]
            instead = max(alike, key=lambda one: _shared(one.name, control.name), default=None)
            if instead is not None:
                left.remove(instead)
            if _in_line(control, came):
                continue
            if instead is not None:
                yield _undone(now, control, instead)
            elif _says(control, said):
                yield from _other_control(now, control)
        gone += [control for control in left if _says(control, said)]
    if gone and not elsewhere:
        whole = "\n".join((now.whole, *(control.name for control in gone))) if now.whole else ""
        controls = (*now.controls, *(_at(control, now) for control in gone))
        look = now.model_copy(update={"controls": controls, "whole": whole})
        yield ShownChange(f"{_called(gone[0])} still there", look, tuple(map(_thing, gone)), gone=True)


def _own_states(control: Control) -> tuple[str, ...]:
    of_view = PASSING | SORTED | ({SELECTED} if control.role in ACTS else PASSING)
    return tuple(state for state in control.states if state not in of_view)


def _in_rows(look: Observation, rows: Rows) -> set[int]:
    """The ids of the controls that table rows contain as text, too."""
    return {id(control) for cells in rows.values() for cell in cells for control in _same(look, cell)}


def _repeated_controls(
    now: Observation, said: Sequence[str], before: Sequence[Observation], rows: Rows
) -> Iterator[ShownChange]:
    known, rowed = {told(control) for look in before for control in look.in_front}, _in_rows(now, rows)
    came = _new_lines(now, before)
    for control in in_page(now):
        if id(control) in rowed or _in_line(control, came):
            continue
        words = " ".join((control.name, control.value or "", control.owner)).casefold()
        if told(control) not in known and any(value in words for value in said) and _says(control, said):
            yield from _other_control(now, control)


def _new_lines(now: Observation, before: Sequence[Observation]) -> set[str]:
    return {*now.all_text.splitlines()}.difference(*(look.all_text.splitlines() for look in before))


def _in_line(control: Control, lines: set[str]) -> bool:
    """Whether a control that offers an action has a name that is part of one of these lines, which report it already."""
    return control.role in ACTS and bool(control.name) and any(control.name in line for line in lines)


def _other_control(now: Observation, control: Control) -> Iterator[ShownChange]:
    """A new control with another value, or another name if it has no value."""
    part = "value" if control.value else "name"
    text = control.value or control.name
    if text:
        what, other = next(iter(altered_text(text)), ("with another text", "banana"))
        look = _renamed(now, control, control.model_copy(update={part: other}))
        yield ShownChange(f"{_called(control)} {what}", look, (_thing(control),))


def _undone(now: Observation, control: Control, old: Control) -> ShownChange:
    states, own = _own_states(old), _own_states(control)
    passing = (state for state in control.states if state not in own)
    undone = control.model_copy(update={"name": old.name, "value": old.value, "states": (*states, *passing)})
    was = ", ".join(part for part in (old.name, old.value or "", *(s for s in old.states if s not in PASSING)) if part)
    label, of_view = f"{_called(control)} as it was: {_short(was)}", told(undone) == told(control)
    return ShownChange(label, _renamed(now, control, undone), (_thing(control),), was, of_view=of_view)


def _renamed(now: Observation, control: Control, other: Control) -> Observation:
    """An observation with another control in place of one; if no other has its name, what tells that is altered, too."""
    names = [each.name for each in now.controls]
    number, of = names[: now.controls.index(control)].count(control.name), names.count(control.name)
    shown = (control.name, other.name) if control.name != other.name else (control.value or "", other.value or "")
    look = now.instead(control, other).model_copy(update={"whole": _in_whole(now, *shown, number, of)})
    if control.name == other.name or of > 1:
        return look
    text = reworded(now.all_text, control.name, other.name) if len(control.name) >= LEAST_TOLD else now.all_text
    return _told_too(look.model_copy(update={"text": text, "lines": ()}), control.name, other.name)


def _says(control: Control, said: Sequence[str]) -> bool:
    """Whether a control shows something, rather than only offering an action."""
    words = f"{control.name} {control.value or ''}".casefold()
    if control.role not in ACTS:
        return bool(words.strip())
    return any(character.isdigit() for character in words) or any(value in words for value in said)


def in_page(look: Observation) -> list[Control]:
    """The controls in front, without the page itself."""
    return [control for control in look.in_front if control.role != "document"]


def _at(control: Control, now: Observation) -> Control:
    """A control of an earlier observation, moved to the window that is in front now."""
    front: Window | None = now.active_window
    return control.model_copy(update={"window": front.id}) if front is not None else control


def _thing(control: Control) -> Thing:
    return Thing(control.role, control.name, control.value or "", control.states, control.owner)


def _called(control: Control) -> str:
    return f"{control.role} {shorten(control.name or control.owner, 60)!r}"


def _short(text: str) -> str:
    return repr(shorten(text.strip(), 60))
