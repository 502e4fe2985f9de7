"""Actions on windows and controls (COLA C18-C22, and what its schema lacks: lists, values, menus, windows, clipboard)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator

from deskcrew.actions import keys as key_names
from deskcrew.actions.action import Action, Finding, Happening, Params, Result, Scene
from deskcrew.actions.asked import SHORT, Asked
from deskcrew.actions.effects import (
    NOTHING,
    changed,
    changed_if_visible,
    failed,
    keeps,
    scrolled,
    shows,
    squeezed,
    value_after,
)
from deskcrew.actions.landing import landed
from deskcrew.actions.params import Brief, Fillable, Fixed, OneOf
from deskcrew.environments.environment import Desktop, Spot
from deskcrew.errors import ActionError
from deskcrew.facts.addresses import Cells, parse
from deskcrew.facts.legible import one_line
from deskcrew.facts.observation import Control, Evidence, Observation, Window
from deskcrew.secrets.vault import as_shown

_READ = "It reads now: "


def desktop(scene: Scene) -> Desktop:
    """The desktop of a scene. Raises ActionError if the run has none."""
    if scene.desktop is None:
        raise ActionError("There is no desktop in this run; only files and programs can be used.")
    return scene.desktop


def target(control: Control | None) -> Control:
    """The control of an action that needs one. Raises ActionError without one, which the executor has ruled out."""
    if control is None:
        raise ActionError("Name the control that is meant.")
    return control


class ClickParams(Params):
    button: Annotated[Literal["left", "right", "middle"], Fixed()] = Field("left", description="Mouse button.")
    double: bool = Field(False, description="Click twice, quickly.")


def click_input(scene: Scene, params: ClickParams, control: Control | None) -> Result:
    """Click a control."""
    screen, aimed = desktop(scene), target(control)
    screen.click(aimed, button=params.button, double=params.double)
    return Result(ok=True, text=screen.read_cells(aimed) if aimed.role == "range" else "")


LOOKS = "nothing that can be read changed, only how it looks"


def _toggled(happening: Happening) -> Finding:
    finding = changed(happening)
    if finding.why == NOTHING and (already := _already(happening)):
        return Finding(held=True, why=f"{NOTHING}: {already}")
    if finding.held is not True or happening.control is None:
        return finding
    if untaken := _untaken(happening, happening.control):
        return untaken
    after = happening.after.control(happening.control.label)
    if "toggle" in happening.control.operations and after is not None and _only_focused(happening.evidence):
        if already := _already(happening):
            return Finding(held=True, why=already)
        still = ", ".join(each for each in after.states if each != "focused") or "off"
        return Finding(held=False, why=f"it only got the focus, and is still {still}: the click was not taken up")
    if "toggle" in happening.control.operations and after is not None and after.states != happening.control.states:
        gone = [each for each in happening.control.states if each not in after.states and each != "focused"]
        no_longer = f", no longer {', '.join(gone)}" if gone and after.states else ""
        return Finding(held=True, why=f"it is now {', '.join(after.states) or 'off'}{no_longer}")
    if happening.evidence.faint and "type" not in happening.control.operations:
        return Finding(held=True, why=LOOKS)
    return finding


def _untaken(happening: Happening, item: Control) -> Finding | None:
    """The finding if a click on an item of a drop-down list has closed the list, and done nothing else."""
    before, after, evidence = happening.before, happening.after, happening.evidence
    closed = evidence.model_copy(update={"controls_gone": ()})
    if item.label not in evidence.controls_gone or before.text != after.text or not _only_focused(closed, "expanded"):
        return None
    changes = {each.label for each in evidence.controls_changed}
    opened = (each for each in after.controls if each.label in changes and each.role == "combo box" and each.value)
    if (box := next(opened, None)) is None:
        return None
    if shows(box.value or "", item.name):
        return Finding(held=True, why=f"{box.role} {box.name!r} showed it already")
    still = f"{box.role} {box.name!r} still shows {(box.value or '')[:200]!r}"
    return Finding(held=False, why=f"the list closed, and {still}: the choice was not taken up")


def _only_focused(evidence: Evidence, *besides: str) -> bool:
    """Whether nothing changed but the picture, what has the focus, and states named in ``besides``."""
    passing, changes = {"", "focused", *besides}, evidence.controls_changed
    others = (e for e in changes if e.field != "states" or ({*e.before.split(", ")} ^ {*e.after.split(", ")}) - passing)
    return evidence.model_copy(update={"controls_changed": tuple(others)}).faint


def _already(happening: Happening) -> str:
    """Why a click had nothing to change; '' if it should have."""
    control, params = happening.control, happening.params
    if control is None or params.button != "left" or params.double:
        return ""
    if in_sheet(control) is not None:
        return "it was selected already"
    if "type" in control.operations and (control.label == happening.before.focus or "focused" in control.states):
        return "it had the focus already"
    chosen = next((state for state in ("selected", "checked") if state in control.states), "")
    return f"it was {chosen} already" if chosen and control.role in _ONE_OF else ""


_ONE_OF = ("radio button", "radio menu item", "tab", "list item", "tree item", "icon")
"""Roles of controls that a click chooses and a second click does not unselect."""


class KeyboardParams(Params):
    keys: Annotated[str, Fillable()] = Field(max_length=100_000, description="The text to type.")
    clear: bool = Field(False, description="Empty the field first.")
    click_enter: bool = Field(False, description="Press Enter afterwards.")


def keyboard_input(scene: Scene, params: KeyboardParams, control: Control | None) -> Result:
    """Type text into a control, or where the cursor is."""
    control = control or _cell_for(params.keys, scene.observation)
    read = desktop(scene).type_text(control, params.keys, clear=params.clear, enter=params.click_enter)
    return Result(ok=True, text=_READ + read if read else "")


def _cell_for(text: str, seen: Observation) -> Control | None:
    """The current cell of a spreadsheet if a table is typed without a control; None otherwise."""
    focus = seen.control(seen.focus or "") if "\t" in text or "\n" in text else None
    return focus if focus is not None and seen.sheet is not None and in_sheet(focus) is not None else None


def in_sheet(control: Control) -> Cells | None:
    """The spreadsheet cells that a control consists of; None for any other control."""
    return parse(control.name) if control.role in ("cell", "range") and "type" in control.operations else None


def _typed(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    typed = as_shown(happening.params.keys)
    aimed = happening.control or _cell_for(happening.params.keys, happening.before)
    if typed == happening.params.keys and aimed is not None and (cells := in_sheet(aimed)) is not None:
        return landed(typed, happening.result.text.removeprefix(_READ), cells)
    masked = happening.control is not None and happening.control.role == "password field"
    value = value_after(happening)
    read = happening.result.text.removeprefix(_READ)
    if not typed and happening.params.clear and value is not None:
        return Finding(held=not value, why=f"it reads {value!r}" if value else "")
    # A page may cut what was typed, once it is there, or take it away as it is sent.
    kept = bool(typed.strip()) and keeps(value or "", typed)
    cut = bool(value and typed.strip()) and not (masked or kept)
    if kept or (typed.strip() and keeps(read, typed) and not cut):
        return Finding(held=True)
    if masked and typed != happening.params.keys:
        # Its picture is covered, so that a second secret in it changes nothing that could be seen.
        return Finding(held=None, why="the secret was typed; it cannot be read back")
    if cut and (not happening.params.click_enter or squeezed(value or "") in squeezed(typed)):
        return Finding(held=False, why=f"it reads {(value or '')[:200]!r}, not what was typed")
    if happening.evidence.empty:
        return Finding(held=False, why=NOTHING)
    if happening.params.click_enter:  # Enter may well have taken the text away
        return Finding(held=True)
    if value is not None and not masked:
        return Finding(held=False, why=f"it reads {value[:200]!r}, not what was typed")
    return Finding(held=None, why="what was typed cannot be read back")


class SpotParams(Params):
    text: str = Field(
        min_length=1, max_length=10_000, description="A text that occurs once in the control, as it is written there."
    )
    spot: Spot = Field("text", description="Select the text or all of its line, or put the cursor before or after the text.")


def select_text(scene: Scene, params: SpotParams, control: Control | None) -> Result:
    """Select a text in a text area or paragraph: what is typed then without a control takes its place."""
    there = desktop(scene).select_text(target(control), params.text, params.spot)
    selects = params.spot in ("text", "line")
    return Result(ok=True, text=f"Selected: {there}" if selects else f"The cursor is in the line: {there}")


def _placed(happening: Happening) -> Finding:
    """The finding on placing the cursor: the program itself has reported the place, or the action failed."""
    return failed(happening) or Finding(held=True)


class HotkeyParams(Params):
    keys: Annotated[tuple[str, ...], OneOf("keys"), Fixed(), BeforeValidator(key_names.spelled_out)] = Field(
        min_length=1, max_length=4, description="Keys to press together, e.g. ['ctrl', 's']."
    )
    text: str = Field("", max_length=10_000, description="Text to type after the keys, where the cursor is then.")
    click_enter: bool = Field(False, description="Press Enter afterwards.")

    @field_validator("keys", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("keys")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for name in value for key in key_names.normalise(name)))


def hotkey(scene: Scene, params: HotkeyParams, control: Control | None) -> Result:
    """Press keys together, e.g. ctrl and s."""
    screen = desktop(scene)
    screen.press(params.keys)
    if params.text:
        screen.type_text(None, params.text, enter=params.click_enter)
    elif params.click_enter:
        screen.press(("enter",))
    return Result(ok=True)


class ScrollParams(Params):
    wheel_dist: int = Field(
        ge=-30, le=30, description="Notches of the mouse wheel: positive scrolls up, negative down; usually 3 to 9."
    )


def scroll(scene: Scene, params: ScrollParams, control: Control | None) -> Result:
    """Scroll a control, or the window under the mouse."""
    if params.wheel_dist == 0:
        raise ActionError("wheel_dist is 0, which scrolls nothing; give e.g. -5 for down.")
    desktop(scene).scroll(control, params.wheel_dist)
    return Result(ok=True)


class WaitParams(Params):
    seconds: float = Field(3.0, ge=0.1, le=60, description="Seconds to wait at most.")


def wait_for_loading(scene: Scene, params: WaitParams, control: Control | None) -> Result:
    """Wait for what comes late: that a window or page has loaded is waited for anyway."""
    desktop(scene).wait(params.seconds)
    return Result(ok=True)


class SelectParams(Params):
    option: Annotated[str, OneOf("options"), Brief(200)] = Field(min_length=1, description="The option's text.")


def select_option(scene: Scene, params: SelectParams, control: Control | None) -> Result:
    """Choose an option of a list, combo box or row of tabs."""
    aimed = target(control)
    option = _named(params.option, aimed.options, f"{aimed.role} {aimed.name!r} has no option") or params.option
    desktop(scene).select(aimed, option)
    return Result(ok=True)


def _selected(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    option: str = happening.params.option
    value = value_after(happening)
    if value and _is_chosen(option, value, happening.control.options if happening.control else ()):
        return Finding(held=True, why=f"{NOTHING}: it was chosen already" if happening.evidence.empty else "")
    chosen = (c for c in happening.after.controls if "selected" in c.states or "checked" in c.states)
    if any(control.name.casefold() == option.casefold() for control in chosen):
        return Finding(held=True)
    if value:
        return Finding(held=False, why=f"it shows {value[:200]!r}, not {option!r}: the choice was not taken up")
    return changed(happening)


def _is_chosen(option: str, value: str, options: Collection[str]) -> bool:
    """Whether a list that shows ``value`` has taken up ``option``, not another one of ``options`` that begins alike."""
    exactly = [each for each in options if squeezed(each) == squeezed(value)]
    return option in exactly if exactly else shows(value, option)


class ValueParams(Params):
    value: float = Field(description="The number to set, as the control shows it.")


def set_value(scene: Scene, params: ValueParams, control: Control | None) -> Result:
    """Set a slider or number field."""
    desktop(scene).set_value(target(control), params.value)
    return Result(ok=True)


def _set(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    try:
        value = float((value_after(happening) or "").replace(",", "").rstrip("% "))
    except ValueError:
        return changed(happening)
    wanted: float = happening.params.value
    held = abs(value - wanted) <= max(1e-6, abs(wanted) * 1e-3)
    return Finding(held=held, why="" if held else f"it shows {value:g}, not {wanted:g}")


class MenuParams(Params):
    path: Annotated[tuple[str, ...], OneOf("menus")] = Field(
        min_length=1, max_length=5, description="Menu, then item, e.g. ['File', 'Save As...']."
    )


def choose_menu(scene: Scene, params: MenuParams, control: Control | None) -> Result:
    """Choose from the menu bar of the active window."""
    desktop(scene).menu(params.path)
    return Result(ok=True)


class WindowParams(Params):
    title: Annotated[str, OneOf("windows"), Brief(200)] = Field(min_length=1, description="The window's title.")


class CloseParams(Params):
    title: Annotated[str, OneOf("windows"), Brief(200)] = Field("", description="Its title; the active window if empty.")


def switch_window(scene: Scene, params: WindowParams, control: Control | None) -> Result:
    """Bring an open window to the front."""
    window = find_window(scene.observation.windows, params.title)
    desktop(scene).activate_window(window.id)
    return Result(ok=True, text=f"Switched to {window.title!r}.")


def _switched(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    active = happening.after.active_window
    if active is None:
        return Finding(held=None, why="no window is active")
    # By its number: a page that was still loading has got another title since.
    held = find_window(happening.before.windows, happening.params.title).id == active.id
    return Finding(held=held, why="" if held else f"the active window is {active.title!r}")


def close_window(scene: Scene, params: CloseParams, control: Control | None) -> Result:
    """Close a window."""
    active = scene.observation.active_window
    if not params.title and active is None:
        raise ActionError("No window is active; name the window to close.")
    window = find_window(scene.observation.windows, params.title) if params.title or active is None else active
    desktop(scene).close_window(window.id)
    return Result(ok=True, text=f"Closed {window.title!r}.")


def _closed(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    if happening.evidence.windows_closed:
        return Finding(held=True)
    opened = happening.evidence.windows_opened
    why = f"it is still open and asks something: {opened[0]!r}" if opened else "the window is still open"
    return Finding(held=False, why=why)


class ClipboardParams(Params):
    text: str = Field(max_length=1_000_000, description="The text to put there.")


def read_clipboard(scene: Scene, params: Params, control: Control | None) -> Result:
    """Read the clipboard's text."""
    text = desktop(scene).clipboard()
    return Result(ok=True, text=text or "The clipboard is empty.")


def write_clipboard(scene: Scene, params: ClipboardParams, control: Control | None) -> Result:
    """Put text into the clipboard."""
    desktop(scene).set_clipboard(params.text)
    return Result(ok=True)


def _copied(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    now = happening.after.clipboard
    if now is None:
        return Finding(held=None, why="the clipboard was not looked at")
    return Finding(held=now == happening.params.text, why="" if now == happening.params.text else "it holds other text")


def find_window(windows: tuple[Window, ...], title: str) -> Window:
    """The window with that title: exactly, else ignoring case, else as part of a single title. Raises ActionError unless one
    fits."""
    wanted = title.strip().casefold()
    exact = [window for window in windows if window.title == title]
    same = exact or [window for window in windows if window.title.casefold() == wanted]
    found = same or [window for window in windows if wanted and wanted in window.title.casefold()]
    if len({window.title for window in found}) == 1:
        # Of several with one title the one that is not in front is meant.
        return next((window for window in found if not window.active), found[0])
    titles = ", ".join(repr(window.title) for window in (found or windows)[:20]) or "none"
    problem = f"Several windows fit {title!r}" if found else f"There is no window {title!r}"
    raise ActionError(f"{problem}; open windows: {titles}.")


def _named(wanted: str, names: tuple[str, ...], problem: str) -> str | None:
    """The name that is meant. None if the names are unknown. Raises ActionError if none matches."""
    if not names or wanted in names:
        return wanted if names else None
    found = [name for name in names if name.strip().casefold() == wanted.strip().casefold()]
    if not found:
        listed = ", ".join(repr(name) for name in names[:30])
        raise ActionError(f"The {problem} {wanted!r}; there are: {listed}.")
    return found[0]


_KEYS = {"pageup": "Page Up", "pagedown": "Page Down", "printscreen": "Print Screen", "plus": "+", "minus": "-"} | {
    "equal": "=", "comma": ",", "period": ".", "slash": "/", "backslash": "\\", "semicolon": ";", "apostrophe": "'",
    "grave": "`", "bracketleft": "[", "bracketright": "]",
}  # fmt: skip
_SPOTS = {
    "text": "Select {text}",
    "line": "Select the line with {text}",
    "before": "Put the cursor before {text}",
    "after": "Put the cursor after {text}",
}


def click_words(asked: Asked) -> str:
    """The kind of click in words: ``Double-click``."""
    verb = {"right": "Right-click", "middle": "Middle-click"}.get(asked.raw("button") or "left", "Click")
    if asked.flag("double"):
        return "Double-click" if verb == "Click" else f"{verb} twice"
    return verb


def way_words(asked: Asked) -> str:
    """The direction in which a wheel is turned: `` up``; '' if unknown."""
    notches = asked.operation.params.get("wheel_dist")
    return "" if not isinstance(notches, int | float) else " up" if notches > 0 else " down" if notches < 0 else ""


def _type_words(asked: Asked) -> str:
    text, into = asked.raw("keys"), asked.aimed("into")
    enter = " and press Enter" if asked.flag("click_enter") else ""
    if "keys" not in asked.operation.params:
        return f"Type something{into}{enter}"  # it was taken out of the record
    if not text:
        if asked.flag("clear"):
            return f"Empty {asked.thing() or 'the field'}{enter}"
        return f"Press Enter{asked.aimed('in')}" if enter else f"Type nothing{into}"
    if asked.flag("clear"):
        return f"Replace what is in {asked.thing() or 'the field'} with {asked.quoted('keys')}{enter}"
    return f"Type {asked.quoted('keys')}{into}{enter}"


def _select_words(asked: Asked) -> str:
    pattern = _SPOTS.get(asked.raw("spot") or "text", _SPOTS["text"])
    return pattern.replace("{text}", asked.quoted("text")) + asked.aimed("in")


def _hotkey_words(asked: Asked) -> str:
    then = f", then type {asked.quoted('text')}" if asked.raw("text") else ""
    enter = " and press Enter" if asked.flag("click_enter") else ""
    return f"Press {'+'.join(_key(name) for name in asked.items('keys'))}{then}{enter}"


def _key(name: str) -> str:
    """A key as labelled on a keyboard: ``Ctrl``, ``+``. A name may stand for several keys: ``ctrl+s``."""
    parts = [name] if name in _KEYS or name == "+" else name.split("+")
    return "+".join(_KEYS.get(part.strip().lower()) or one_line(part, 20).capitalize() for part in parts)


def _close_words(asked: Asked) -> str:
    active = asked.look.active_window if asked.look is not None else None
    title = asked.line("title", SHORT) or (one_line(active.title, SHORT) if active is not None else "")
    return f"Close the window {title}" if title else "Close the window in front"


CLICK_INPUT = Action(
    "click_input", ClickParams, click_input, "write", "lasting", "desktop", "required", ("click", "toggle", "select"),
    _toggled, gesture="press", gives="content",  # of the cells that it selected
    worded=lambda asked: f"{click_words(asked)} {asked.thing() or 'where the mouse is'}",
)  # fmt: skip
KEYBOARD_INPUT = Action(
    "keyboard_input", KeyboardParams, keyboard_input, "write", "lasting", "desktop", "optional", ("type",), _typed,
    gesture="type", worded=_type_words,
)  # fmt: skip
SELECT_TEXT = Action(
    "select_text", SpotParams, select_text, "write", "lasting", "desktop", "required", ("type",), _placed,
    worded=_select_words,
)  # fmt: skip
HOTKEY = Action(
    "hotkey", HotkeyParams, hotkey, "write", "lasting", "desktop", postcondition=changed_if_visible,
    gesture="keys", worded=_hotkey_words,
)  # fmt: skip
SCROLL = Action(
    "scroll", ScrollParams, scroll, "read", "none", "desktop", "optional", ("scroll",), scrolled,
    gesture="scroll", worded=lambda asked: f"Scroll{asked.aimed('in').replace(' in ', ' ', 1)}{way_words(asked)}",
)  # fmt: skip
WAIT_FOR_LOADING = Action(
    "wait_for_loading", WaitParams, wait_for_loading, "read", "none", "desktop", gesture="wait",
    worded=lambda asked: f"Wait until it has loaded, at most {asked.line('seconds', 20) or '3'} s",
)  # fmt: skip
SELECT_OPTION = Action(
    "select_option", SelectParams, select_option, "write", "lasting", "desktop", "required", ("select",), _selected,
    gesture="choose", worded=lambda asked: f"Choose {asked.quoted('option', SHORT)}{asked.aimed('in')}",
)  # fmt: skip
SET_VALUE = Action(
    "set_value", ValueParams, set_value, "write", "lasting", "desktop", "required", ("set",), _set,
    gesture="set", worded=lambda asked: f"Set {asked.thing()} to {asked.line('value', 40)}",
)  # fmt: skip
CHOOSE_MENU = Action(
    "choose_menu", MenuParams, choose_menu, "write", "lasting", "desktop", postcondition=changed_if_visible, gesture="menu",
    worded=lambda asked: f"Choose {' > '.join(one_line(item, SHORT) for item in asked.items('path'))} from the menu",
)  # fmt: skip
SWITCH_WINDOW = Action(
    "switch_window", WindowParams, switch_window, "read", "none", "desktop", postcondition=_switched,
    gesture="switch", worded=lambda asked: f"Switch to the window {asked.line('title', SHORT)}",
)  # fmt: skip
CLOSE_WINDOW = Action(
    "close_window", CloseParams, close_window, "write", "lasting", "desktop", postcondition=_closed,
    gesture="close", worded=_close_words,
)  # fmt: skip
READ_CLIPBOARD = Action(
    "read_clipboard", Params, read_clipboard, "read", "none", "desktop",
    gesture="clipboard", gives="content", worded=lambda _: "Read the clipboard",
)  # fmt: skip
WRITE_CLIPBOARD = Action(
    "write_clipboard", ClipboardParams, write_clipboard, "write", "lasting", "desktop", postcondition=_copied,
    gesture="clipboard", worded=lambda asked: f"Copy {asked.quoted('text')} to the clipboard",
)  # fmt: skip
ACTIONS = (
    CLICK_INPUT, KEYBOARD_INPUT, SELECT_TEXT, HOTKEY, SCROLL, WAIT_FOR_LOADING, SELECT_OPTION, SET_VALUE, CHOOSE_MENU,
    SWITCH_WINDOW, CLOSE_WINDOW, READ_CLIPBOARD, WRITE_CLIPBOARD,
)  # fmt: skip
