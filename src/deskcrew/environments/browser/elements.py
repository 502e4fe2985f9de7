"""Single elements of pages: finds a point that nothing covers, and operates an element through itself, however mouse and
keyboard reach the page."""

from __future__ import annotations

from collections.abc import Iterable

from playwright.async_api import Error as BrowserError
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

from deskcrew.environments.browser.browsing import HANGS, Meant
from deskcrew.environments.browser.downloads import ANY
from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.dates import HOW, as_fields_have_it
from deskcrew.environments.environment import Spot
from deskcrew.environments.names import gone, named
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control


class ElementNow(BaseModel):
    """The present identity of an element, and its page."""

    role: str
    name: str
    owner: str | None
    title: str
    page: str


class ElementAnswer(BaseModel):
    """The script's answer about an element: why it cannot be operated, or the result."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel)

    gone: bool = False
    changed: ElementNow | None = None
    elsewhere: bool = False
    disabled: bool = False
    covered: str | None = None
    x: float = 0.0
    y: float = 0.0
    options: tuple[str, ...] | None = None
    """The options that it offers."""
    other: bool = False
    """Whether it is a custom list, not a list of the browser."""
    read_only: bool = False
    language: str = ""
    right_to_left: bool = False
    unfocused: bool = False
    set: bool = False
    """Whether its value is set, not typed."""
    empty: bool = False
    done: bool = False
    value: str = ""
    times: int | None = None
    """How often a text occurs, if not once."""
    text: str = ""


class PressLanded(BaseModel):
    """What a press landed on. ``right``: whether it was the intended element; ``name``: the element that was hit instead."""

    right: bool
    changed: ElementNow | None
    name: str


_LANDED = TypeAdapter(PressLanded | None)


def has_changed(control: Control, now: ElementNow) -> ActionError:
    """The error for an element whose identity is no longer the expected one."""
    if (now.role, now.name) != (control.role, control.name):
        return ActionError(f'{named(control)} has changed: it is now {now.role} "{now.name}". Look again.')
    if now.owner and now.owner != control.owner:
        return ActionError(f'{named(control)} has changed: it now belongs to "{now.owner}". Look again.')
    return ActionError(f'{named(control)} is on another page now: "{now.title}" ({now.page}). Look again.')


async def landed(frame: Frame, seconds: float) -> PressLanded | None:
    """What the last press landed on; None if there was none. Raises Hung or FrameGone."""
    return _LANDED.validate_python(await frame.ask("landed", seconds=seconds))


async def asked(control: Control, frame: Frame, function: str, *arguments: object) -> ElementAnswer:
    """The script's answer about a control. Raises ActionError if it cannot be operated."""
    try:
        answer = ElementAnswer.model_validate(await frame.ask(function, *arguments, seconds=2.0) or {})
    except FrameGone:
        raise gone(control) from None
    except Hung:
        raise ActionError(HANGS) from None
    if answer.gone:
        raise gone(control)
    if answer.changed is not None:
        raise has_changed(control, answer.changed)
    if answer.elsewhere:
        raise ActionError(f"{named(control)} no longer has keyboard focus. Look again.")
    if answer.disabled:
        raise ActionError(f"{named(control)} is disabled.")
    if answer.covered is not None:
        raise ActionError(f"{named(control)} is covered by {answer.covered}. Close that, or scroll.")
    return answer


async def point_of(control: Control, frame: Frame, number: int, meant: Meant, *, watch: bool) -> tuple[float, float]:
    """A point of a control that nothing covers, in CSS pixels of its page; scrolled into view. ``watch``: report what the
    next mouse press lands on. Raises ActionError if there is none."""
    found = await asked(control, frame, "aim", number, watch, meant)
    if found.options is not None:  # the list that a click opens is drawn by nobody here
        there = ", ".join(map(repr, found.options))
        raise ActionError(f"{named(control)} is chosen from, not clicked: use select_option. There are: {there}.")
    x, y = found.x, found.y
    inner = frame
    while inner.parent is not None:
        try:
            await inner.find_owner()
            x, y, moved = await inner.parent.ask("reveal", inner.owner, x, y)
            if moved:  # to other processes the mouse goes by what was last drawn
                await inner.parent.ask("drawn")
            if not await inner.parent.ask("over", inner.owner, x, y):
                raise ActionError(f"The frame with {named(control)} is covered by something. Close that, or scroll.")
        except (FrameGone, TypeError):
            raise gone(control) from None
        except Hung:
            raise ActionError(HANGS) from None
        inner = inner.parent
    return x, y


async def file_of(frame: Frame, number: int) -> str | None:
    """The address that a link leads to, :data:`ANY` if its page marks it as a download; None if it is not a link."""
    try:
        link = await frame.ask("linked", number, seconds=2.0)
    except (FrameGone, Hung):
        return None
    return None if link is None else ANY if link["saves"] else str(link["address"])


async def origin_of(main: Frame, frame: Frame) -> str:
    """A frame's origin according to the browser, '' if it is not its page's. Raises ActionError if the page has gone."""
    try:
        top = await main.ask("origin")
        return str(top) if frame is main or await frame.ask("origin") == top else ""
    except FrameGone:
        raise ActionError("The page went away meanwhile. Look again.") from None
    except Hung:
        raise ActionError(HANGS) from None


async def choose(control: Control, frame: Frame, number: int, meant: Meant, option: str) -> bool:
    """Choose an option. False for a custom list, which needs the mouse. Raises ActionError, with all options, if it
    fails."""
    answer = await asked(control, frame, "choose", number, option, meant)
    if answer.options is not None:
        raise no_option(control, option, answer.options)
    return not answer.other


def entry_of(control: Control, option: str, controls: Iterable[Control]) -> Control | None:
    """The entry to press in an open custom list: a button of that name may have been there before the list."""
    wanted = option.casefold().strip()
    roles = ("list item", "menu item", "tree item", "tab", "button", "link")
    entries = [c for c in controls if c.role in roles and c.window == control.window and c.name.casefold().strip() == wanted]
    return min(entries, key=lambda each: roles.index(each.role), default=None)


def no_option(control: Control, option: str, there: Iterable[str]) -> ActionError:
    told = ", ".join(map(repr, there)) or "none that can be seen"
    return ActionError(f"{named(control)} has no option {option!r}; there are: {told}.")


async def confide(control: Control, frame: Frame, number: int, meant: Meant, text: str, *, clear: bool, where: str) -> bool:
    """Put a secret into an element, wherever the focus is; its frame must still have the origin ``where``. False if the
    element does not take the focus. Raises ActionError if no secret can be put into it."""
    answer = await asked(control, frame, "confide", number, text, clear, meant, where)
    if not answer.done and not answer.unfocused:
        raise ActionError(f"{named(control)} is not a field into which a secret can be put.")
    return answer.done


async def put_number(control: Control, frame: Frame, number: int, meant: Meant, value: float) -> None:
    """Set a slider or number field. Raises ActionError if it then shows another value."""
    answer = await asked(control, frame, "put", number, f"{value:.15g}", meant)
    try:
        taken = float(answer.value)
    except ValueError:
        taken = float("nan")
    if not abs(taken - value) <= 1e-6 * max(1.0, abs(value)):
        raise ActionError(f"{named(control)} was set to {value:.15g} but shows {answer.value}.")


async def put_date(control: Control, frame: Frame, number: int, meant: Meant, text: str) -> None:
    """Fill a field whose keys depend on the browser's language, such as a date. Raises ActionError if the field does not
    accept it, or the date can be read in several ways."""
    text = as_fields_have_it(text)
    answer = await asked(control, frame, "put", number, text, meant)
    if answer.value != text:
        raise ActionError(f"{named(control)} did not take {text!r}; {HOW}.")


async def select_text(control: Control, frame: Frame, number: int, meant: Meant, text: str, spot: Spot) -> str:
    """Select the given text in a control, or put the cursor beside it. Raises ActionError unless it occurs exactly once."""
    answer = await asked(control, frame, "select", number, text, spot, meant)
    if answer.times is not None:
        times = "does not occur" if not answer.times else "occurs more than once"
        raise ActionError(f"{text!r} {times} in {named(control)}.")
    return answer.text


async def give_file(control: Control, frame: Frame, number: int, meant: Meant, seen_as: str) -> None:
    """Give a file to a file input. ``seen_as``: its path as the browser sees it. Raises ActionError if that fails."""
    await asked(control, frame, "still", number, meant, False)
    try:
        element = await frame.object_of(number)
        if element is None:
            raise gone(control)
        await frame.session.send("DOM.setFileInputFiles", {"files": [seen_as], "objectId": element})
    except (BrowserError, FrameGone):
        raise gone(control) from None
