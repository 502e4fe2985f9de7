"""What words put into the form of a window: fields by their labels, options and boxes by their names, buttons to press.

A small model that is to fill in a form operates every control in order. The words mostly leave no doubt: a label stands
beside its value ("250 copies", "size A4"), an option is named that only one field has, a box is wanted with or without.
Where a number or a quoted text of the words finds no place, or one could go to several fields, nothing is said at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from deskcrew.events import Operation
from deskcrew.observation import Control, Observation
from deskcrew.roles.clauses import FILE_NAME
from deskcrew.roles.framing import inner
from deskcrew.roles.lookups import key_for

_FIELDS = frozenset({"text field", "text area", "number field", "slider", "date editor"})
_BOXES = frozenset({"check box", "toggle button"})
_PRESS = r"(?:press(?:ing)?|click(?:ing)?(?:\s+on)?|push(?:ing)?|hit(?:ting)?|tap(?:ping)?)"
_WORKS_OUT = re.compile(
    r"(?:work (?:it )?out|calculate|compute|show(?: (?:me|price|result|total))?|estimate|get (?:a |the )?(?:price|quote)|"
    r"check(?: price)?|search|find|look up|convert|quote|go)\b",
    re.I,
)
_FILLER = re.compile(
    r"^(?:please\s+)?(?:enter|choose|select|pick|type|your|the|a|an|include|add|with|number of|no\.? of|amount of|"
    r"how many|quantity of|i (?:want|need|would like))\s+|\s+(?:address|number|name)\s*$|\s*(?:\((?:.*)\)|[:*?…]|\.{3})\s*$",
    re.I,
)
_PLACEHOLDER = re.compile(r"^\W*$|^\W*(?:please\b|choose\b|select\b|pick\b|none\b|any\b)", re.I)
_COMMON = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "for",
        "to",
        "and",
        "or",
        "with",
        "no",
        "not",
        "yes",
        "all",
        "any",
        "none",
        "other",
        "off",
        "it",
        "is",
        "as",
        "at",
        "by",
        "from",
        "total",
        "go",
        "ok",
        "day",
        "days",
    ]
)
_QUOTE = r"[\"“](?P<quoted>[^\"”\n]{1,200})[\"”]"
_NUMBER = r"(?P<number>\d+(?:[.,]\d+)*)(?![\w])"
_VERBS = r"(?!(?:Please|Enter|Type|Put|Write|Set|Choose|Select|Pick|Use|With|Fill|Insert|Then|And|The|What|How|In)\b)"
_NAME = rf"(?P<name>{_VERBS}[A-Z0-9][\w'.@+-]*(?:\s+(?:(?:of|de|van|von|la)\s+)?[A-Z0-9][\w'.@+-]*){{0,4}})"
_MAIL = r"(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
_NOT = (
    r"(?:without|no|untick|uncheck|clear|deselect|unselect|turn off|switch off|disable|not|exclud(?:e|ing)|leave out|minus)"
)
_YES = r"(?:with|tick|check|select|enable|turn on|switch on|includ(?:e|ing)|plus|add(?:ing)?|wants?|and)"
_HIDDEN = "\x00"
_DOES_MORE = re.compile(
    r"\b(?:select|choose|pick|tick|untick|mark|enter|type|put|fill|set|drag|draw|sort|find|expand|adjust)\b"
    r"(?!\s+(?:out|that|whether)\b)|\b(?:make|give|turn|change)\b[^.]*\b(?:bold|italics?|underlined?|colou?r|style|font)\b",
    re.I,
)
"""Words that have something done besides pressing a button."""


@dataclass(frozen=True)
class Filling:
    """``operations``: what remains to be done in the form; ``button``: what is pressed at the end, None for nothing."""

    operations: tuple[Operation, ...]
    button: Control | None
    named: bool
    """Whether the words name the button."""


@dataclass
class _Words:
    """Words of a part, those that have found their place taken out."""

    left: str
    operations: list[Operation] = field(default_factory=lambda: list[Operation]())
    settled: set[str] = field(default_factory=lambda: set[str]())
    """Combo boxes of which an option was named beside their label."""
    doubt: bool = False

    def take(self, match: re.Match[str], group: int | str = 0) -> None:
        start, end = match.span(group)
        self.left = self.left[:start] + _HIDDEN * (end - start) + self.left[end:]

    def find(self, pattern: str) -> re.Match[str] | None:
        return re.search(pattern, self.left, re.I)


_CHOOSES = re.compile(
    rf"\b(?:choose|select|pick|set)\s+(?:{_QUOTE}|(?-i:{_NAME}))\s+(?:as|for|from|in)\s+(?:the\s+)?"
    r"(?P<label>[\w -]{2,40}?)(?=\s*(?:[.,;]|$|and\b|list\b|field\b|box\b|menu\b))",
    re.I,
)
_PRESSES = re.compile(rf"\b{_PRESS}\s+(?:the\s+)?(?:button\s+)?{_QUOTE}", re.I)
_MARGIN = 40
"""Pixels that are free below what a page holds, where it ends in view."""


def missing(part: str, seen: Observation) -> str:
    """What ``part`` wants chosen or pressed that is not there, in words; '' where nothing is missing for certain."""
    controls = inner(seen)
    for match in _CHOOSES.finditer(part):
        value = (match["quoted"] or match["name"]).strip()
        named = [
            c for c in controls if c.role == "combo box" and any(_same(match["label"], label) for label in _labels(c.name))
        ]
        if (
            len(named) == 1
            and named[0].options
            and not any(value.casefold() in each.casefold() for each in named[0].options)
        ):
            return f"There is no {value!r} in the list {named[0].name!r}; there are {', '.join(named[0].options)}."
    match = _PRESSES.search(part)
    if match is None or not _in_view(seen) or any(match["quoted"].casefold() in c.name.casefold() for c in seen.controls):
        return ""
    there = ", ".join(c.name for c in controls if c.role == "button" and c.name)
    return f"There is no button {match['quoted']!r} on the page" + (f"; there are {there}." if there else ".")


def _in_view(seen: Observation) -> bool:
    """Whether the page in front ends in view."""
    page = next((c.box for c in seen.in_front if c.role == "document"), None)
    if page is None or not seen.places:
        return False
    boxes = [c.box for c in inner(seen)] + [box for _, box in seen.places if page.contains(*box.centre)]
    return bool(boxes) and max(box.y + box.height for box in boxes) < page.y + page.height - _MARGIN


def _same(said: str, label: str) -> bool:
    return said.strip().casefold() == label.strip().casefold()


def filled(part: str, seen: Observation, *, asks: bool) -> Filling | None:
    """What ``part`` puts into the form in front; None where it has none, or where there is a doubt. ``asks``: it is a
    question, so that a button which only works something out is pressed without being named."""
    controls = [c for c in inner(seen) if c.operations and "disabled" not in c.states]
    words = _Words(part)
    button, named = _button(words, controls, asks)
    pressing = words.left.count(_HIDDEN)
    _fields(words, [c for c in controls if c.role in _FIELDS and c.name])
    _choices(words, controls)
    _boxes(words, [c for c in controls if c.role in _BOXES and c.name])
    if words.doubt or _HIDDEN not in words.left or _left_over(words.left, seen):
        return None
    if words.left.count(_HIDDEN) == pressing and _DOES_MORE.search(words.left):
        return None  # its button is all that was understood of it
    return Filling(tuple(words.operations), button, named)


def from_record(part: str, record: Mapping[str, str], seen: Observation) -> str:
    """``part`` with the values of ``record`` beside the labels of the fields in front that mean its keys: those that it
    speaks of, else all. '' where none is meant, or the part has values of its own."""
    fillable = _FIELDS | _BOXES | {"combo box"}
    fields = [c for c in inner(seen) if c.operations and c.role in fillable and c.name and "disabled" not in c.states]
    pairs = {c.name: key for c in fields if (key := key_for(_bare(c.name), record))}
    if not pairs or len(set(pairs.values())) < len(pairs):
        return ""
    bare = FILE_NAME.sub("", part)
    if re.search(r"\d", bare):
        return ""
    spoken = {label: key for label, key in pairs.items() if any(_says_name(one, bare) for one in (label, key))}
    empty = [c for c in fields if c.name not in pairs and c.role in _FIELDS and not c.value]
    if len(spoken) < 2 and empty and set(record) - set(pairs.values()):
        return ""  # one may mean the other
    chosen = spoken if len(spoken) > 1 else pairs
    said = [f'{label}: {value}' if re.fullmatch(_NUMBER, value := record[key].strip()) else f'{label}: "{value}"'
            for label, key in chosen.items()]  # fmt: skip
    press = re.search(rf"\b{_PRESS}\b[^.?!;]*?(?=\s+and\b|[,.?!;]|$)", part, re.I)
    return "; ".join(said) + (f". {press.group(0)}." if press else "")


def _bare(label: str) -> str:
    return re.sub(r"\s*(?:\([^()]*\)|[:*?])\s*$", "", label.strip())


def _says_name(name: str, words: str) -> bool:
    return re.search(rf"(?<!\w){_loose(name.strip(' :*'))}(?!\w)", words, re.I) is not None


def _left_over(words: str, seen: Observation) -> bool:
    """Whether something found no place that should have: a number, a quoted text, an address, a button, a name of something
    that the window does not speak of."""
    if re.search(rf"\d|@|{_QUOTE}|\b{_PRESS}\b\s+(?:the\s+)?\w", words, re.I):
        return True
    window = seen.active_window
    known = f"{seen.text} {window.title} {window.app}".casefold() if window is not None else ""
    return any(name.casefold() not in known for name in re.findall(r"(?<=[a-z,] )[A-Z][\w-]+", words))


def _button(words: _Words, controls: Iterable[Control], asks: bool) -> tuple[Control | None, bool]:
    buttons = [c for c in controls if c.role in ("button", "link") and c.name]
    for button in sorted(buttons, key=lambda c: -len(c.name)):
        name = re.escape(button.name.strip(" .…"))
        after = (
            rf"\b{_PRESS}\s+(?:the\s+)?(?:button\s+)?(?:(?:called|named|labelled|saying)\s+)?"
            rf"[\"“]?{name}[\"”]?(?:\s+(?:button|link))?(?!\w)"
        )
        match = words.find(after) or words.find(rf"\b(?:the|use|with)\s+[\"“]?{name}[\"”]?\s+button\b")
        if match:
            words.take(match)
            if sum(c.name == button.name for c in buttons) > 1:
                words.doubt = True
            return button, True
    working = [c for c in buttons if c.role == "button" and _WORKS_OUT.match(c.name)]
    return (working[0], False) if asks and len(working) == 1 else (None, False)


# -- fields that are typed into


def _fields(words: _Words, fields: list[Control]) -> None:
    for control in sorted(fields, key=lambda c: -len(c.name)):
        value = _value_of(words, control)
        if not value or _says(control, value):
            continue
        if control.role == "slider":
            words.operations.append(_operation("set_value", control, value=float(value)))
        else:
            words.operations.append(_operation("keyboard_input", control, keys=value, clear=True))


def _value_of(words: _Words, control: Control) -> str:
    numeric = control.role in ("number field", "slider")
    value = _NUMBER if numeric else f"(?:{_QUOTE}|{_MAIL}|{_NUMBER}|(?-i:{_NAME}))"
    for label in _labels(control.name):
        place = rf"(?<!\w)[\"“']?{_loose(label)}[\"”']?(?:\s+(?:field|box|slider|entry))?"
        link = r"(?:\s*[:=]\s*|\s+(?:is|to|as|at|of|=)\s+|\s+)"
        forms = [
            rf"{value}\s+(?:as|for|into|in|to|under)\s+(?:the\s+|its\s+|your\s+|my\s+)?{place}(?!\w)",
            rf"{place}(?:{link})(?:the\s+)?{value}",
        ]
        if numeric or control.role == "text field":
            forms.append(rf"{_NUMBER}\s+(?:\w+\s+)??{place}(?!\w)")
        for form in forms:
            if match := words.find(form):
                found = next(text for text in match.groupdict().values() if text)
                words.take(match)
                return found.strip().rstrip(".,") if not match.groupdict().get("quoted") else found
    return ""


def _labels(name: str) -> Iterator[str]:
    """What a person may call a field: its label, without what only asks for it, and its last word where that is telling."""
    bare = name.strip()
    yield bare
    while (shorter := _FILLER.sub("", bare).strip()) and shorter != bare:
        bare = shorter
        yield bare
    if (shorter := re.split(r"\s+(?:in|per|of|for|on|to)\s+", bare)[0].strip()) and shorter != bare and len(shorter) >= 4:
        yield shorter
    last = bare.split()[-1] if bare.split() else ""
    if last != bare and len(last) >= 4 and last.casefold() not in _COMMON:
        yield last


def _loose(name: str) -> str:
    """A pattern for a name, in the singular or the plural."""
    words = [re.escape(word) for word in re.split(r"[\s-]+", name) if word]
    pattern = r"[\s-]*".join(words)
    return pattern[:-1] + "s?" if pattern.endswith("s") and len(pattern) > 3 else pattern + "(?:e?s)?"


# -- options


def _choices(words: _Words, controls: Iterable[Control]) -> None:
    """Options of combo boxes and radio buttons: the longest names first, because "large" stands in "extra large"."""
    combos = [c for c in controls if c.role == "combo box" and "select" in c.operations and c.options]
    for combo in combos:
        _chosen_beside_label(words, combo)
    named: list[tuple[str, Control, str]] = []
    for combo in combos:
        if combo.label not in words.settled:
            named += [(alias, combo, option) for option in combo.options for alias in _aliases(option, combo.options)]
    radios = [c for c in controls if c.role == "radio button" and c.name]
    named += [(c.name, c, c.name) for c in radios]
    found: dict[str, tuple[Control, str]] = {}
    for alias, control, option in sorted(named, key=lambda each: -len(each[0])):
        match = words.find(rf"(?<![\w.,-]){_loose(alias)}(?![\w-]|[.,]\d)")
        if match is None or _common(alias):
            continue
        rivals = {c.label for a, c, _ in named if a.casefold() == alias.casefold()}
        if len(rivals) > 1 or (control.label in found and found[control.label][1] != option):
            words.doubt = True
            return
        words.take(match)
        found[control.label] = (control, option)
    if _neighbours([c for c, _ in found.values() if c.role == "radio button"], radios):
        words.doubt = True
        return
    for control, option in found.values():
        _choose(words, control, option)


def _chosen_beside_label(words: _Words, combo: Control) -> None:
    """An option that stands beside its field's label, before or after it: numbers are chosen only so."""
    for option in sorted(combo.options, key=len, reverse=True):
        for alias in _aliases(option, combo.options):
            said = rf"[\"“']?(?<![\w.,-]){re.escape(alias)}[\"”']?(?![\w-]|[.,]\d)"
            for label in _labels(combo.name):
                place = _loose(label)
                link = r"(?:\s*[:=]\s*|\s+(?:is|to|as|at|of|for|in)\s+(?:the\s+)?|\s+)"
                if match := words.find(rf"(?<!\w){place}{link}{said}|{said}{link}(?:the\s+)?{place}(?!\w)"):
                    words.take(match)
                    words.settled.add(combo.label)
                    _choose(words, combo, option)
                    return


def _choose(words: _Words, control: Control, option: str) -> None:
    if control.role == "radio button":
        if not _on(control):
            words.operations.append(_operation("click_input", control))
    elif (control.value or "").strip() != option.strip():
        words.operations.append(_operation("select_option", control, option=option))


def _aliases(option: str, options: Iterable[str]) -> Iterator[str]:
    """What a person may call an option: as it is, or without what stands in brackets or after a dash, where that is told
    from the others."""
    if _PLACEHOLDER.match(option):
        return
    yield option.strip()
    short = re.split(r"\s*[(\[–—:,]|\s-\s", option.strip())[0].strip()
    if short and short != option.strip() and sum(other.strip().startswith(short) for other in options) == 1:
        yield short


def _common(alias: str) -> bool:
    """Whether a name says too little to be looked for among words."""
    return alias.casefold() in _COMMON or (re.fullmatch(r"[\d.,]+|\w", alias) is not None)


def _neighbours(chosen: list[Control], radios: list[Control]) -> bool:
    """Whether two of the chosen ones follow on each other without anything between: they may be of one group."""
    places = sorted(radios.index(c) for c in chosen)
    return any(later - earlier == 1 and _one_line(radios[earlier], radios[later]) for earlier, later in pairwise(places))


def _one_line(first: Control, second: Control) -> bool:
    return first.owner == second.owner and (abs(first.box.y - second.box.y) < 8 or abs(first.box.x - second.box.x) < 8)


# -- boxes that are on or off


def _boxes(words: _Words, boxes: list[Control]) -> None:
    for box in sorted(boxes, key=lambda c: -len(c.name)):
        wanted = _wanted(words, box)
        if wanted is not None and wanted != _on(box):
            words.operations.append(_operation("click_input", box))


def _wanted(words: _Words, box: Control) -> bool | None:
    for label in _labels(box.name):
        if _common(label):
            continue
        name = rf"[\"“']?{_loose(label)}(?:p?ed|p?ing|ed)?[\"”']?(?:\s+(?:box|option))?(?!\w)"
        for wanted, sign, sequel in (
            (False, _NOT, r"(?:excluded|off|unticked|unchecked)"),
            (True, _YES, r"(?:included|on|ticked|checked)"),
        ):
            before = rf"\b{sign}\s+(?:the\s+|any\s+|a\s+|box\s+)*{name}"
            if match := words.find(before) or words.find(rf"{name}\s+(?:is\s+)?{sequel}\b"):
                words.take(match)
                return wanted
        if words.find(rf"(?<!\w){name}"):
            words.doubt = True
            return None
    return None


def _on(control: Control) -> bool:
    return bool({"checked", "pressed", "selected"} & set(control.states))


def _says(control: Control, value: str) -> bool:
    return (control.value or "").strip() == value


def _operation(function: str, control: Control, **params: object) -> Operation:
    return Operation(function=function, control=control.label, params=dict(params))
