"""Evaluation of a contract's typed checks on one state of the workspace and one observation, without a model and without any
knowledge of English."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from glob import has_magic
from pathlib import Path

from deskcrew.actions import readers
from deskcrew.environments.workspace import workspace_path
from deskcrew.errors import ActionError
from deskcrew.evidence.places.tree import Exact, squeezed
from deskcrew.evidence.screen import on_all
from deskcrew.facts.contract import OF_THE_SCREEN, STATES, TypedCheck, TypedKind, in_state
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Control, Observation, page_of
from deskcrew.facts.texts import in_words

Seen = tuple[bool | None, str]
"""Whether a check holds (None if it cannot be evaluated), and what was found."""
_ENOUGH = 120
"""Maximum length of what was found, in characters."""
_DAY = r"\d{4}-\d\d-\d\d"
_MOMENT = re.compile(rf"{_DAY}(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")


@dataclass(frozen=True, slots=True)
class Side:
    """A state to check. ``folder``: contains the workspace; ``start``: contains it as it was at the start; ``look``: the
    screen; ``elsewhere``: the screens of the run's other desktops or browsers, which are checked as well. ``values``: a
    cache of values at addresses, by file identity. Sides that share files may share the cache while these do not change."""

    folder: Path
    start: Path
    look: Observation
    clipboard: Callable[[], str | None] = lambda: None
    values: dict[tuple[int, int, str, str], str | ActionError] = field(
        default_factory=dict[tuple[int, int, str, str], str | ActionError]
    )
    elsewhere: tuple[Observation, ...] = ()


_IN_WINDOWS = frozenset(OF_THE_SCREEN) - {"clipboard_holds"}


def holds(check: TypedCheck, side: Side) -> Seen:
    """Whether a check holds on a side, and what was found. Never raises because of a file's content."""
    evaluators: dict[TypedKind, Callable[[TypedCheck, Side], Seen]] = {
        "file_exists": _exists,
        "file_absent": _absent,
        "file_is": lambda c, s: _text(c, s, lambda text: _plain(text) == _plain(c.text)),
        "file_contains": lambda c, s: _text(c, s, lambda text: _contains(text, c.text)),
        "file_lacks": lambda c, s: _text(c, s, lambda text: not _contains(text, c.text)),
        "file_replaced": lambda c, s: _edited(c, s, lambda text: _replaced(text, c.text)),
        "file_appended": lambda c, s: _edited(c, s, lambda text: f"{text.rstrip()}\n{c.text}"),
        "same_as": _same,
        "value_is": _value,
        "names_are": _names,
        "window_shows": _shows,
        "control_value": _control,
        "control_is": _control_is,
        "page_at": _page,
        "program_runs": _runs,
        "clipboard_holds": _clipboard,
    }
    try:
        looks = (side.look, *(side.elsewhere if check.kind in _IN_WINDOWS else ()))
        return on_all([evaluators[check.kind](check, replace(side, look=look)) for look in looks], check.kind)
    except (ActionError, OSError) as error:
        return None, shorten(str(error), _ENOUGH)


def found(folder: Path, target: str) -> list[Path]:
    """The existing paths that a path or pattern refers to, only below ``folder``."""
    target = workspace_path(target).rstrip("/")
    parts = Path(target).parts
    if not target or target.startswith("/") or ".." in parts:
        return []
    exact = folder / target
    if exact.exists() or exact.is_symlink():
        return [exact]
    if not has_magic(target):
        return []
    return sorted(path for path in folder.rglob("*") if fnmatch.fnmatchcase(str(path.relative_to(folder)), target))


def _exists(check: TypedCheck, side: Side) -> Seen:
    there = found(side.folder, check.target)
    return bool(there), "" if there else "it does not exist"


def _absent(check: TypedCheck, side: Side) -> Seen:
    there = found(side.folder, check.target)
    return not there, f"{there[0].relative_to(side.folder)} exists" if there else ""


def _text(check: TypedCheck, side: Side, right: Callable[[str], bool]) -> Seen:
    there = [path for path in found(side.folder, check.target) if path.is_file()]
    path, _, address = check.target.partition("#")
    if address and not there:
        texts = [_at(each, address, side) for each in found(side.folder, path)]
    else:
        texts = [readers.read(each) for each in there]
    if not texts:
        return False, "it does not exist"
    wrong = [text for text in texts if not right(text)]
    return not wrong, f"it contains {shorten(' '.join((wrong or texts)[0].split()), _ENOUGH)!r}"


def _replaced(text: str, pair: str) -> str:
    old, between, new = pair.partition("\n")
    if not old or not between:
        raise ActionError("Its text must be two lines: what the file held, and what it holds in these places now.")
    if old not in text:
        raise ActionError(f"{shorten(old, _ENOUGH)!r} was not in it at the start.")
    return text.replace(old, new.removesuffix("\n"))


def _edited(check: TypedCheck, side: Side, edit: Callable[[str], str]) -> Seen:
    """Whether each file is its version at the start with an edit. Raises ActionError if it cannot be."""
    there = [path for path in found(side.folder, check.target) if path.is_file()]
    if not there:
        return False, "it does not exist"
    for path in there:
        original = side.start / path.relative_to(side.folder)
        if not original.is_file():
            return False, f"{path.name} was not there at the start"
        wanted, said = (_plain(text).split("\n") for text in (edit(readers.read(original)), readers.read(path)))
        if wanted != said:
            at = next((number for number, (a, b) in enumerate(zip(wanted, said, strict=False)) if a != b), len(wanted))
            line = said[at] if at < len(said) else "missing"
            return False, f"its line {at + 1} is {shorten(line, _ENOUGH)!r}"
    return True, ""


def _same(check: TypedCheck, side: Side) -> Seen:
    there, originals = found(side.folder, check.target), found(side.start, check.text)
    if check.stays:
        names = {str(path.relative_to(side.folder)) for path in there}
        before = {str(path.relative_to(side.start)) for path in originals}
        if moved := sorted(names ^ before):
            return False, f"{moved[0]} is {'new' if moved[0] in names else 'gone'}"
    if not there or not originals:
        return False, f"{check.target if not there else check.text} does not exist"
    if len(originals) == 1 and there[0].is_dir() and not originals[0].is_dir():
        there = [there[0] / originals[0].name]
    pairs = list(zip(originals, there, strict=False)) if len(originals) == len(there) else []
    if not pairs:
        return False, f"there are {len(there)}, but {len(originals)} at the start"
    for original, copy in pairs:
        if _content(original) != _content(copy):
            return False, f"{copy.name} differs from {original.name} at the start"
    return True, ""


def _content(path: Path) -> object:
    if path.is_symlink():
        return path.readlink()
    if path.is_dir():
        return {str(each.relative_to(path)): _content(each) for each in sorted(path.rglob("*")) if not each.is_dir()}
    return path.read_bytes() if path.exists() else None


def _names(check: TypedCheck, side: Side) -> Seen:
    folder = side.folder if check.target in ("", ".", "/") else next(iter(found(side.folder, check.target)), None)
    if folder is None or not folder.is_dir():
        return False, "there is no such folder"
    names = sorted(path.name for path in folder.iterdir())
    wanted = sorted(line.strip().rstrip("/") for line in check.text.splitlines() if line.strip())
    return names == wanted, shorten(", ".join(names), _ENOUGH) or "it is empty"


def _value(check: TypedCheck, side: Side) -> Seen:
    path, _, address = check.target.partition("#")
    there = found(side.folder, path)
    if not there:
        return False, f"{path} does not exist"
    values = [_at(each, address, side) for each in there]
    wrong = [value for value in values if not _alike(value, check.text)]
    return not wrong, f"it is {shorten((wrong or values)[0], _ENOUGH)!r}"


def _shows(check: TypedCheck, side: Side) -> Seen:
    windows = [w for w in side.look.windows if squeezed(check.target).casefold() in squeezed(w.title).casefold()]
    if not windows:
        return False, "there is no such window"
    ids = {window.id for window in windows}
    shown = [window.title for window in windows]
    shown += [part for c in side.look.controls if c.window in ids for part in (c.name, c.value or "") if part]
    shown += [side.look.text] if any(window.active for window in windows) else []
    there = any(in_words(squeezed(check.text), squeezed(part)) for part in shown)
    return there, "" if there else "it is not shown"


def _at(path: Path, address: str, side: Side) -> str:
    """The value at an address, cached for files that several states share. Raises what ``value_at`` raises."""
    # Parsers of documents take longer to load than everything else, and most runs do not need them.
    from deskcrew.evidence.places.reading import value_at

    if path.is_dir():
        return value_at(path, address)
    status = path.stat()
    key = (status.st_dev, status.st_ino, path.suffix.lower(), address)
    if key not in side.values:
        try:
            side.values[key] = value_at(path, address)
        except ActionError as error:
            side.values[key] = error
    known = side.values[key]
    if isinstance(known, ActionError):
        raise ActionError(str(known))
    return known


def _page(check: TypedCheck, side: Side) -> Seen:
    """Whether a window's page has the address ``check.text``. The page's query and fragment are ignored if that has none."""
    pages = [w for w in side.look.windows if squeezed(check.target).casefold() in squeezed(w.title).casefold()]
    if not pages:
        return False, "there is no such window"
    at = [window.url for window in pages if window.url]
    if not at:
        return None, "the address of its page is not known"
    wanted = check.text.strip().rstrip("/")
    exact = page_of(wanted) != wanted
    there = any((url if exact else page_of(url)).rstrip("/") == wanted for url in at)
    return there, f"it is at {shorten(at[0], _ENOUGH)}"


def _runs(check: TypedCheck, side: Side) -> Seen:
    if side.look.screen is None:
        return None, "there is no desktop"
    names = sorted({window.app for window in side.look.windows if window.app})
    wanted = squeezed(check.target).casefold()
    return any(squeezed(name).casefold() == wanted for name in names), f"there are windows of {', '.join(names) or 'none'}"


def _named(side: Side, name: str) -> list[Control]:
    return [c for c in side.look.controls if squeezed(c.name).casefold() == squeezed(name).casefold()]


def _control_is(check: TypedCheck, side: Side) -> Seen:
    """Whether a control is in the state ``check.text``, or is not if it begins with ``not``."""
    state, wanted = in_state(check.text)
    if state not in STATES:
        return None, f"{state!r} is not a state; there are: {', '.join(sorted(STATES))}"
    controls = _named(side, check.target)
    if not controls:
        return None, "it is not on the screen"
    if len(controls) > 1:
        return None, f"there are {len(controls)} controls of this name on the screen"
    return (state in controls[0].states) is wanted, f"it is {', '.join(controls[0].states) or 'in none of these states'}"


def _control(check: TypedCheck, side: Side) -> Seen:
    values = [control.value or "" for control in _named(side, check.target)]
    if not values:
        return None, "it is not on the screen"
    return any(_alike(value, check.text) for value in values), f"it is {values[0]!r}"


def _clipboard(check: TypedCheck, side: Side) -> Seen:
    held = side.clipboard()
    return (None, "there is no desktop") if held is None else (_plain(held) == _plain(check.text), f"it holds {held[:60]!r}")


def _plain(text: str) -> str:
    """A text without what editors change: the form of line ends, trailing blanks, and empty lines at both ends."""
    return "\n".join(line.rstrip() for line in text.removeprefix("\ufeff").splitlines()).strip("\n")


def _contains(text: str, wanted: str) -> bool:
    """Whether a text contains another one that does not begin or end within a number: 348 is in 348.00, not in 13480."""
    text, wanted = squeezed(text), squeezed(wanted)
    begins, ends = wanted[:1].isdecimal(), wanted[-1:].isdecimal()
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (begins and text[max(at - 1, 0) : at].isdecimal()) and not (ends and text[end : end + 1].isdecimal()):
            return True
        at = text.find(wanted, at + 1)
    return False


def _alike(value: str, wanted: str) -> bool:
    """Whether two values are equal: as texts, as numbers (``3``, ``3.0``), or as dates and times (``2026-03-01
    00:00``)."""
    exact = isinstance(value, Exact)
    value, wanted = squeezed(value), squeezed(wanted)
    if exact or value == wanted:
        return value == wanted
    if _MOMENT.fullmatch(value) and _MOMENT.fullmatch(wanted):
        try:
            return datetime.fromisoformat(value) == datetime.fromisoformat(wanted)
        except ValueError:
            return False
    try:
        return float(value) == float(wanted)
    except ValueError:
        return False
