"""A page as orders see it: what its words mean there, each exactly once or not at all; and what is to be done to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from deskcrew.events import Operation
from deskcrew.observation import Control, Observation

TYPED = frozenset({"text field", "text area", "number field", "password field"})
DATES = "date editor"
THINGS = frozenset({"item", "shape", "thing", "object", "figure", "element"})
"""Words for a shape that say nothing of it."""
_PRESSED = ("button", "link", "menu item", "toggle button", "tab", "tree item", "list item", "check box", "radio button")
"""Kinds of what is pressed, those first that are meant where several have a name."""
_CLOSING = frozenset({"x", "×", "✕", "✖", "close"})
FIELD = r"(?:text\s*|input\s*)*(?:box|field|area|input)(?:es|s)?"
PAIR = re.compile(r"(?:and\s+)?(?:the\s+)?(?P<label>[a-z][\w -]{1,30}?)\s+(?P<value>\x01\d+\x02)", re.I)
_SAYS_HOW = re.compile(r"\b(?:that|which|with|like|than|containing|starting|ending|beginning|after|before)\b", re.I)
_LITERAL = re.compile(r"-?\d[\d./:,-]*(?:\s*[AaPp]\.?[Mm]\.?)?|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SHOWN = re.compile(r"(?:the\s+)?text\s+(?:below|above|shown|that\s+is\s+shown)", re.I)
_ROW = re.compile(r"(?:the\s+)?value\s+of\s+(?:the\s+)?(?P<key>.+)", re.I)
_CENTRE = re.compile(r"(?:cent(?:er|re)|middle)\s+of\s+(?:the\s+)?")
"""Where a shape is clicked anyway."""
_OPEN = frozenset({"expanded", "selected", "pressed"})


class Unclear(Exception):
    """Something is not understood, or not there exactly once."""


@dataclass
class Page:
    """The page in front, and the texts that the part quotes."""

    controls: Sequence[Control]
    seen: Observation
    before: frozenset[str]
    quotes: list[str] = field(default_factory=lambda: list[str]())

    def plain(self, text: str) -> str:
        """A piece of the part with its quotes as they stand in it, without the marks around them."""
        return re.sub(r"\x01(\d+)\x02", lambda match: self.quotes[int(match[1])], text).strip()

    def value(self, text: str) -> str:
        """What is to be typed: a quoted text, a date, a number, an address; nothing that only might be meant."""
        bare = text.strip()
        if re.fullmatch(r"\x01\d+\x02", bare):
            return self.plain(bare)
        if _LITERAL.fullmatch(bare):
            return bare
        if _SHOWN.fullmatch(bare):
            lines = [line.strip() for line in self.seen.text.splitlines() if line.strip()]
            if len(lines) == 1:
                return lines[0]
        if (row := _ROW.fullmatch(bare)) is not None:
            return self.beside(row["key"])
        labelled = PAIR.fullmatch(bare)
        if labelled is not None and re.fullmatch(r"\w+(?:\s+\w+)?", labelled["label"]) and not _SAYS_HOW.search(labelled[0]):
            return self.plain(labelled["value"])
        raise Unclear

    def beside(self, key: str) -> str:
        """What stands beside a name in a table of two columns."""
        rows = [line.split(" | ") for line in self.seen.text.splitlines() if line.count(" | ") == 1]
        found = [value.strip() for name, value in rows if name.strip(" :").casefold() == self.plain(key).casefold()]
        if len(found) != 1:
            raise Unclear
        return found[0]

    def there(self, name: str) -> bool:
        return any(called(control, self.plain(name).casefold()) for control in self.controls)

    def folded(self) -> list[Control]:
        """What opens when it is pressed, and is closed."""
        names = {c.name.casefold() for c in self.controls if c.role == "button"}
        kinds = ("tab", "tree item", "toggle button", "menu button")
        shut = [c for c in self.controls if c.role in kinds and not _OPEN & set(c.states) and "click" in c.operations]
        return [c for c in shut if c.name.casefold() not in names]

    def pressed(self, name: str, kind: str = "") -> Control:
        wanted = self.plain(name).casefold()
        fitting = [c for c in self.controls if "click" in c.operations and called(c, wanted)]
        kinds = (kind, *_PRESSED) if kind in _PRESSED else _PRESSED
        for role in kinds:
            found = [c for c in fitting if c.role == role]
            if len(found) == 1:
                return found[0]
            if found:
                break
        words = set(_CENTRE.sub("", wanted).split())
        shapes = [c for c in self.controls if c.role == "shape" and words and words <= set(c.name.casefold().split())]
        if fitting or len(shapes) != 1:
            raise Unclear
        return shapes[0]

    def typed(self, where: str, kinds: frozenset[str] = TYPED | {DATES}, operation: str = "type") -> list[Control]:
        """The fields that words mean: by their label, or by being fields where there are no others."""
        fields = [c for c in self.controls if c.role in kinds and operation in c.operations]
        wanted = self.plain(where).casefold()
        labelled = [
            c
            for c in fields
            if label_of(c) == wanted or label_of(c).rstrip(" s") == wanted.removesuffix(" field").rstrip(" s")
        ]
        if len(labelled) == 1:
            return labelled
        if wanted in ("date", "time") and len(dated := [c for c in fields if c.role == DATES]) == 1:
            return dated
        if not wanted or wanted in ("date", "time") or re.fullmatch(FIELD, wanted, re.I):
            return fields
        raise Unclear


@dataclass(frozen=True)
class Obeyed:
    """``operations``: what is to be done now; ``more``: what comes after them can be said only when they have been done."""

    operations: tuple[Operation, ...]
    more: bool = False


def singular(word: str) -> str:
    """A word of a task as a shape's name has it."""
    return re.sub(r"(?<=[a-z]{2})s$", "", word)


def called(control: Control, wanted: str) -> bool:
    name = control.name.strip().casefold()
    return name == wanted or name.strip(" .,;…:*") == wanted or (wanted in _CLOSING and name in _CLOSING)


def label_of(control: Control) -> str:
    return control.name.strip(" :*").casefold()


def clicked(control: Control) -> Obeyed:
    return Obeyed((click(control),))


def click(control: Control) -> Operation:
    return Operation(function="click_input", control=control.label, params={})


def typing(control: Control, text: str) -> Operation:
    return Operation(function="keyboard_input", control=control.label, params={"keys": text, "clear": True})
