"""A person shows how something is done: turns their gestures, and what was seen meanwhile, into operations on controls.

Pure. Looks and gestures come with their times, and an operation is made once its target and its effect are known. Typed text
becomes an operation only if it is known into which field it went; text for a password field is replaced by a secret's
placeholder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from deskcrew.actions import keys, windows
from deskcrew.environments.evidence import compare
from deskcrew.environments.person_input import Gesture, Key, Press, WheelTurn
from deskcrew.environments.pointing import Point, controls_at
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Control, Observation, Window
from deskcrew.facts.texts import latin_words

TAUGHT = "taught"
"""The crew's name in a run in which a person shows how something is done."""
PASSWORD = "password field"
MANY_LINES = frozenset({"text area", "document", "paragraph", "section"})
"""Roles of controls in which Enter begins a line."""
TWICE, NEAR = 0.5, 6
"""The maximum seconds and pixels between two presses of a double click."""
SETTLED = 0.25
"""Seconds after which a program has reacted to an input."""
OVER = 0.8
"""Seconds after which the next input counts as a separate gesture."""
CHOOSING = frozenset({"up", "down", "pageup", "page_up", "prior", "pagedown", "page_down", "next", "home", "end", "space"})
ENTER = frozenset({"return", "enter"})
ESCAPE = frozenset({"esc", "escape"})
_OPERABLE = frozenset({"click", "toggle", "select", "type"})


@dataclass(frozen=True, slots=True)
class Look:
    """An observation. ``began`` and ``ended``: monotonic seconds; ``seen``: what was observed."""

    began: float
    ended: float
    seen: Observation


@dataclass(frozen=True, slots=True)
class Shown:
    """One thing that a person showed. ``operation``: None if it cannot be repeated, and ``why``; ``after``: None if the next
    thing was done before there was an observation; ``unsaid``: typed text that must not be written anywhere, because it went
    into a password field, or an unknown one."""

    operation: Operation | None
    before: Observation
    after: Observation | None
    why: str = ""
    unsaid: str = field(default="", repr=False)


@dataclass(slots=True)
class _Group:
    """Gestures that make one operation. ``text``: what keys typed, None if the gestures are not typing; ``enter``: whether
    Enter or Escape ended it; ``unread``: whether a key was pressed whose character is unknown."""

    gestures: list[Gesture]
    text: str | None = field(default=None, repr=False)
    enter: bool = False
    unread: bool = False

    @property
    def start(self) -> float:
        return self.gestures[0].at

    @property
    def end(self) -> float:
        return self.gestures[-1].at


class Demonstration:
    """A demonstration in progress. ``first``: the look before anything was done."""

    def __init__(self, first: Look) -> None:
        self._looks = [first]
        self._groups: list[_Group] = []
        self._last_end = first.began - SETTLED
        """The time at which the gesture before the oldest open group ended."""

    def saw(self, look: Look) -> None:
        """Add a look, which must be later than all others."""
        self._looks.append(look)

    def did(self, gestures: Iterable[Gesture]) -> None:
        """Add gestures, which must be later than all others. All looks that ended before them must have been added."""
        for gesture in gestures:
            if not self._joined(gesture):
                self._groups.append(self._begun(gesture))

    def taken(self, now: float, *, over: bool = False) -> list[Shown]:
        """What was shown since the last call and is complete. ``over``: whether the demonstration has ended."""
        found: list[Shown] = []
        while self._groups and (over or self._complete(0, now)):
            used, shown = self._resolved()
            found += [shown] if shown is not None else []
            self._last_end = self._groups[used - 1].end
            del self._groups[:used]
            oldest = max((at for at, look in enumerate(self._looks) if look.ended <= self._last_end), default=0)
            del self._looks[:oldest]
        return found

    # -- gestures

    def _begun(self, gesture: Gesture) -> _Group:
        if isinstance(gesture, Key) and (typed := self._typed(gesture)):
            return _Group([gesture], text=typed)
        unknown = isinstance(gesture, Key) and not gesture.name and not gesture.held
        return _Group([gesture], text="" if unknown else None, unread=unknown)

    def _typed(self, key: Key) -> str:
        """What a key types into the focused control; '' if it does something else."""
        if key.held:
            return ""
        if key.name in ENTER | {"tab"} and self._many_lines():
            return "\t" if key.name == "tab" else "\n"
        return key.character

    def _many_lines(self) -> bool:
        seen = self._looks[-1].seen
        focus = seen.control(seen.focus) if seen.focus else None
        return focus is not None and focus.role in MANY_LINES

    def _joined(self, gesture: Gesture) -> bool:
        """Add a gesture to the last group if it belongs there. Returns whether it does."""
        group = self._groups[-1] if self._groups else None
        last = group.gestures[-1] if group is not None else None
        if group is None or last is None:
            return False
        if group.text is not None:
            return isinstance(gesture, Key) and not group.enter and self._typed_on(group, gesture)
        match last, gesture:
            case Press(), Press():
                apart = max(abs(a - b) for a, b in zip(last.point, gesture.point, strict=True))
                twice = gesture.at - last.at < TWICE and apart < NEAR and gesture.button == last.button
                joins = twice and len(group.gestures) == 1
            case ((Press() | Key()), Key()) if isinstance(group.gestures[0], Press):
                joins = self._chooses_on(group, gesture)
            case WheelTurn(), WheelTurn():
                joins = gesture.at - last.at < OVER and (gesture.notches > 0) == (last.notches > 0)
            case _:
                joins = False
        if joins:
            group.gestures.append(gesture)
        return joins

    def _chooses_on(self, group: _Group, key: Key) -> bool:
        """Whether a key makes a choice in the list that the group opened."""
        control = self._pressed(len(self._groups) - 1)
        if control is None or group.enter or key.held or not _chooser(control):
            return False
        group.enter = key.name in ENTER | ESCAPE
        letter = bool(key.character) and "type" not in control.operations
        return group.enter or key.name in CHOOSING or letter

    def _typed_on(self, group: _Group, key: Key) -> bool:
        assert group.text is not None
        if typed := self._typed(key):
            group.text += typed
        elif key.name == "backspace" and not key.held and group.text and not group.unread:
            group.text = group.text[:-1]
        elif key.name in ENTER and not key.held:
            group.enter = True
        elif not key.name and not key.held:
            group.unread = True
        else:
            return False
        group.gestures.append(key)
        return True

    # -- what is known of a group

    def _complete(self, at: int, now: float) -> bool:
        group, more = self._groups[at], at + 1 < len(self._groups)
        seen = any(look.began >= group.end + SETTLED for look in self._looks)
        if group.text is not None:
            return (more and (seen or bool(self._clean(at)))) or (group.enter and seen and now - group.end > OVER)
        if self._waits(at):
            return more and self._complete(at + 1, now)
        return (more and (seen or bool(self._clean(at)))) or (seen and now - group.end > OVER)

    def _waits(self, at: int) -> bool:
        """Whether the operation of a group depends on the next group."""
        group = self._groups[at]
        following = self._groups[at + 1] if at + 1 < len(self._groups) else None
        if _is_tab(group):
            return following is None or following.text is not None
        control = self._pressed(at)
        if control is None:
            return False
        if _chooser(control) and not group.enter:
            return following is None or isinstance(following.gestures[0], Press)
        return "type" in control.operations and following is not None and following.text is not None

    def _before(self, at: int) -> Look:
        """The last look before a group began or, if that does not show the effect of the last gesture, a look that was still
        under way."""
        start, done = self._groups[at].start, self._previous_end(at)
        last = next((look for look in reversed(self._looks) if look.ended <= start), self._looks[0])
        return last if last.began >= done + self._takes(at) else next(iter(self._under_way(done, start)), last)

    def _clean(self, at: int) -> list[Look]:
        """The looks between the end of a group and the next group; if none shows the group's effect, also the first that was
        still under way."""
        group = self._groups[at]
        until = self._groups[at + 1].start if at + 1 < len(self._groups) else float("inf")
        found = [look for look in self._looks if look.began >= group.end and look.ended <= until]
        known = bool(found) and found[-1].began >= group.end + self._takes(at + 1)
        return found if known else [*found, *self._under_way(group.end, until)[:1]]

    def _takes(self, at: int) -> float:
        """Seconds after the end of the previous group until a look shows its effect. 0 before a press: a press is aimed at
        what was there, and may remove it, so any look before it is better than one that was under way."""
        presses = at < len(self._groups) and isinstance(self._groups[at].gestures[0], Press)
        return 0.0 if presses else SETTLED

    def _under_way(self, done: float, until: float) -> list[Look]:
        """The looks that began after the program had reacted to the gesture that ended at ``done``, and were under way at
        the next gesture (``until``): on a busy machine a look takes seconds."""
        return [look for look in self._looks if done + SETTLED <= look.began < until < look.ended]

    def _after(self, at: int) -> Observation | None:
        clean = self._clean(at)
        return clean[-1].seen if clean else None

    def _previous_end(self, at: int) -> float:
        return self._groups[at - 1].end if at else self._last_end

    # -- what a group is

    def _resolved(self) -> tuple[int, Shown | None]:
        """The number of the oldest groups that make one operation, and that operation; None if nothing came of them."""
        group, following = self._groups[0], self._groups[1] if len(self._groups) > 1 else None
        if group.text is not None:
            return 1, self._typing(0)
        if _is_tab(group) and following is not None and following.text is not None:
            shown = self._typing(1)
            if shown.operation is not None:
                return 2, shown  # the typing says where by itself
        if isinstance(group.gestures[0], Press):
            return self._pressing(group.gestures[0], group.gestures[1:])
        before, after = self._before(0).seen, self._after(0)
        first = group.gestures[0]
        if isinstance(first, WheelTurn):
            over = next((c for c in controls_at(Point(*first.point), before) if "scroll" in c.operations), None)
            notches = sum(each.notches for each in group.gestures if isinstance(each, WheelTurn))
            label = over.label if over is not None else None
            operation = windows.SCROLL.operation(label, wheel_dist=max(-30, min(30, notches)))
            return 1, Shown(operation, before, after)
        assert isinstance(first, Key)
        try:
            pressed = [*first.held, *keys.normalise(first.name)]
        except ValueError:
            return 1, Shown(None, before, after, "a key was pressed that has no name here")
        return 1, Shown(windows.HOTKEY.operation(keys=pressed), before, after)

    # -- the mouse

    def _pressed(self, at: int) -> Control | None:
        """The control that a group pressed; None if it pressed none that is known."""
        press = self._groups[at].gestures[0]
        if not isinstance(press, Press):
            return None
        before = self._before(at)
        # A look that was under way when the button was pressed may have seen what had just come.
        under_way = (look for look in self._looks if look.began < press.at < look.ended)
        for look in (before, *under_way):
            found = controls_at(Point(*press.point), look.seen)
            if control := next((each for each in found if _OPERABLE & set(each.operations)), None):
                return control
        return None

    def _pressing(self, press: Press, more: Sequence[Gesture]) -> tuple[int, Shown | None]:
        double = any(isinstance(each, Press) for each in more)
        before, after, control = self._before(0).seen, self._after(0), self._pressed(0)
        to = press.to or press.point
        if max(abs(a - b) for a, b in zip(press.point, to, strict=True)) > NEAR:
            return 1, Shown(None, before, after, "something was dragged, which cannot be done again")
        if control is None:
            return 1, _at_no_control(before, after)
        if before.control(control.label) is None:  # it came while somebody looked
            before = next(look.seen for look in self._looks if look.seen.control(control.label) is not None)
        following = self._groups[1] if len(self._groups) > 1 else None
        plain = press.button == "left" and not double
        if plain and following is not None and following.text is not None and "type" in control.operations:
            shown = self._typing(1)
            if shown.operation is not None and shown.operation.control == control.label and control.role != "cell":
                return 2, Shown(shown.operation, before, shown.after)
        if any(isinstance(each, Key) for each in more):
            operation = _choice(control, after)
            return 1, Shown(operation, before, after) if operation is not None else None
        pressed = following is not None and isinstance(following.gestures[0], Press)
        if plain and pressed and (operation := _choice(control, self._after(1))) is not None:
            return 2, Shown(operation, before, self._after(1))
        params: dict[str, object] = {} if press.button == "left" else {"button": press.button}
        params |= {"double": True} if double else {}
        return 1, Shown(windows.CLICK_INPUT.operation(control.label, **params), before, after)

    # -- the keyboard

    def _typing(self, at: int) -> Shown:
        group, before, after = self._groups[at], self._before(at), self._after(at)
        assert group.text is not None
        text = group.text
        during = self._during(at)
        label, look = self._field(at, text, during)
        secret = self._secret(before, during)
        if secret is not None and label is None:
            operation = windows.KEYBOARD_INPUT.operation(secret.label, keys=placeholder(secret))
            seen = next(look.seen for look in (before, *during) if look.seen.control(secret.label) is not None)
            return Shown(_entered(operation, group.enter), seen, after, unsaid=text)
        control = look.seen.control(label) if label is not None else None
        if control is None or label is None:
            return Shown(None, before.seen, after, "something was typed, and it could not be seen where", text)
        was = before.seen.control(label)
        now = next((found for one in reversed(during) if (found := one.seen.control(label)) is not None), None)
        if group.unread:
            if (was is not None and was.value) or now is None or not now.value:
                return Shown(None, before.seen, after, "something was typed that could not be read")
            text = now.value
        params: dict[str, object] = {"keys": text}
        if _replaced(was or control, now, text):
            params["clear"] = True
        seen = before.seen if was is not None else look.seen
        operation = windows.KEYBOARD_INPUT.operation(label, **params)
        return Shown(_entered(operation, group.enter), seen, after)

    def _during(self, at: int) -> list[Look]:
        """The looks between a group's first key and the next gesture; if none began after its last key, also the next."""
        group = self._groups[at]
        until = self._groups[at + 1].start if at + 1 < len(self._groups) else float("inf")
        found = [look for look in self._looks if look.began >= group.start and look.ended <= until]
        if not any(look.began >= group.end for look in found):
            found += [look for look in self._looks if look.began >= group.end][:1]
        return found

    def _field(self, at: int, text: str, during: Sequence[Look]) -> tuple[str | None, Look]:
        """The label of the field that a text went into, None if that is uncertain, and a look that shows the field."""
        before = self._before(at)
        for look in reversed(during):
            for control in look.seen.controls:
                was = before.seen.control(control.label)
                new = was is None or was.value != control.value
                if "type" in control.operations and control.role != PASSWORD and new and _shows(control, text):
                    return control.label, look
        fresh = before.began >= self._previous_end(at) + SETTLED
        focus = before.seen.control(before.seen.focus) if fresh and before.seen.focus else None
        if focus is None or focus.role == PASSWORD or self._secret(before, during) is not None:
            return None, before
        unchanged = [look for look in during if (now := look.seen.control(focus.label)) and now.value == focus.value]
        # What can be read, and does not tell of the text, did not get it.
        gone = self._groups[at].enter or not during
        if focus.value is not None and unchanged and not gone and not self._groups[at].unread:
            return None, before
        return focus.label, before

    def _secret(self, before: Look, during: Sequence[Look]) -> Control | None:
        """The password field that had the focus; None if none had."""
        for look in (before, *during):
            control = look.seen.control(look.seen.focus) if look.seen.focus else None
            if control is not None and control.role == PASSWORD:
                return control
        return None


def placeholder(control: Control) -> str:
    """The placeholder for the secret of a password field, named after the field."""
    return f"{{{{secret:{slug(control.name) or 'password'}}}}}"


def slug(text: str) -> str:
    """A name of letters, digits and ``_`` made from a text; '' if it does not begin with a Latin letter."""
    plain = "_".join(latin_words(text))
    return plain[:40].strip("_") if plain[:1].isalpha() else ""


def _is_tab(group: _Group) -> bool:
    key = group.gestures[0]
    return group.text is None and isinstance(key, Key) and key.name == "tab" and not set(key.held) - {"shift"}


def _chooser(control: Control) -> bool:
    """Whether pressing a control opens a list to choose from."""
    return control.role == "combo box" or ("select" in control.operations and bool(control.options))


def _choice(control: Control, after: Observation | None) -> Operation | None:
    """The choice that was made in a list since it was seen; None if there was none."""
    now = after.control(control.label) if after is not None else None
    if now is None or "select" not in control.operations or not now.value or now.value == control.value:
        return None
    return windows.SELECT_OPTION.operation(control.label, option=now.value)


def _entered(operation: Operation, enter: bool) -> Operation:
    return operation.model_copy(update={"params": {**operation.params, "click_enter": True}}) if enter else operation


def _shows(control: Control, text: str) -> bool:
    return bool(text.strip()) and " ".join(text.split()) in " ".join((control.value or "").split())


def _replaced(was: Control, now: Control | None, text: str) -> bool:
    """Whether a typed text replaced the field's earlier text."""
    if not was.value or was.role in MANY_LINES or was.role == "cell":
        return False
    return now is None or now.value is None or was.value not in now.value or now.value == text


def _at_no_control(before: Observation, after: Observation | None) -> Shown | None:
    """What a press without a known control did: it closed a window, or brought one to the front."""
    if after is None:
        return Shown(None, before, after, "something was clicked, and it could not be seen what")
    gone = [each for each in before.windows if each.id not in {window.id for window in after.windows}]
    if len(gone) == 1:
        return Shown(windows.CLOSE_WINDOW.operation(title=gone[0].title), before, after)
    front, was = after.active_window, before.active_window
    there = {window.id for window in before.windows}
    if front is not None and _other(front, was) and front.id in there:
        return Shown(windows.SWITCH_WINDOW.operation(title=front.title), before, after)
    if compare(before, after).empty:
        return None
    return Shown(None, before, after, "something was clicked of which the program tells nothing")


def _other(one: Window, other: Window | None) -> bool:
    return other is None or one.id != other.id
