"""What a page's readers list of it: ours, and the snapshot that Playwright offers agents."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from playwright.async_api import Error, Page

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.browser.looking import AWAY
from deskcrew.environments.describe import control_line, describe
from deskcrew.facts.observation import Box, Frozen

EVERYTHING = 1_000_000
"""Tokens, so that nothing is left out."""
PRESSABLE = frozenset({
    *("button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option"),
    *("treeitem", "slider", "spinbutton", "combobox", "textbox", "searchbox"),
})  # fmt: skip
_LINE = re.compile(r"^(?P<before>\s*- )(?P<role>[\w-]+)(?: \"(?P<name>(?:[^\"\\]|\\.)*)\")?(?P<rest>.*)$")
_REF = re.compile(r"\[ref=(\w+)\]")


class Seen(Frozen):
    """What a reader lists as something that can be operated. ``told``: all it says of it, but for its number."""

    name: str
    told: str
    disabled: bool
    box: Box


class Reading(Frozen):
    """``text``: what a model is given of the page."""

    seen: tuple[Seen, ...]
    text: str


Reader = Callable[[BrowserDesktop], Reading]


def ours(browser: BrowserDesktop) -> Reading:
    observed = browser.observe()
    seen = tuple(
        Seen(
            name=each.name or each.owner,
            told=control_line(each.model_copy(update={"label": ""})),
            disabled="disabled" in each.states,
            box=each.box,
        )
        for each in observed.controls
        if {*each.operations} - {"scroll"} and AWAY not in each.states
    )
    return Reading(seen=seen, text=describe(observed, tokens=EVERYTHING))


def snapshot(browser: BrowserDesktop) -> Reading:
    return browser.with_page(_snapshot)


async def _snapshot(page: Page) -> Reading:
    taken: Any = page.aria_snapshot
    text = str(await taken(mode="ai"))
    seen: list[Seen] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        said, ref = _LINE.match(line), _REF.search(line)
        if said is None or ref is None or (said["role"] not in PRESSABLE and "[cursor=pointer]" not in line):
            continue
        try:
            at = await page.locator(f"aria-ref={ref[1]}").bounding_box(timeout=500)
        except Error:
            continue
        if at is None:
            continue
        place = Box(x=round(at["x"]), y=round(at["y"]), width=round(at["width"]), height=round(at["height"]))
        told = _REF.sub("", said.group()).strip()
        name = said["name"] or said["rest"].rpartition(": ")[2] or _within(lines[number + 1 :], len(said["before"]))
        seen.append(Seen(name=name, told=told, disabled="[disabled]" in line, box=place))
    return Reading(seen=tuple(seen), text=text)


def _within(lines: list[str], indent: int) -> str:
    """The names and texts of what is in a thing that has no name of its own."""
    own = takewhile(lambda line: len(line) - len(line.lstrip()) >= indent, lines)
    return " ".join(said["name"] or said["rest"].rpartition(": ")[2] for line in own if (said := _LINE.match(line)))


READERS: dict[str, Reader] = {"deskcrew": ours, "Playwright's snapshot": snapshot}
