"""Orders on a page for more than a press or a text: sliders, dragging, lists to be put in order, entries that a page
suggests, and what is one of several of its kind. Readings of :mod:`deskcrew.roles.page_orders`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deskcrew.events import Operation
from deskcrew.observation import Control
from deskcrew.roles.page_found import (
    THINGS,
    TYPED,
    Obeyed,
    Page,
    Unclear,
    called,
    click,
    clicked,
    label_of,
    singular,
    typing,
)

_NUM = r"[-−+]?\d+(?:\.\d+)?"
_NTH = r"(?:(?P<at>\d+)(?:st|nd|rd|th)|(?P<word>first|second|third|last))"
_SLID = re.compile(rf"(?:select|choose|pick|set)\s+(?P<values>{_NUM})\s+(?:with|on|using|by|in)\s+the\s+slider", re.I)
_SLIDERS = re.compile(
    r"(?:set|move|slide|change|adjust|drag|put)\s+the\s+(?:(?P<name>[\w -]+?)\s+)?sliders?\s+to\s+(?:the\s+)?"
    rf"(?:combination|values?|positions?)?\s*[\[(]?(?P<values>{_NUM}(?:\s*(?:,|\band\b)\s*{_NUM})*)[\])]?",
    re.I,
)
_KINDS = {
    "checkbox": "check box", "check box": "check box", "button": "button", "link": "link", "radio button": "radio button",
    "tab": "tab", "item": "list item", "option": "radio button",
}  # fmt: skip
_ONE_OF = re.compile(
    rf"(?:click|press|hit|push|tap|select|check|tick|mark|choose|pick)(?:\s+on)?\s+the\s+{_NTH}\s+(?P<kind>{'|'.join(_KINDS)})",
    re.I,
)
_ALL_OF = re.compile(
    r"(?:click|press|select|check|tick|mark|choose|pick)(?:\s+on)?\s+(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?"
    r"(?:(?:shades|kinds|sorts)\s+of\s+)?(?P<name>.+?)(?:\s+(?:buttons?|boxes|squares?|tiles?|ones))?",
    re.I,
)
_MOVED = re.compile(
    rf"drag\s+(?P<what>.+?)\s+(?:to\s+the\s+{_NTH}\s+(?:position|place|row)|to\s+the\s+(?P<end>top|bottom|start|end)|"
    r"(?P<way>up|down)(?:\s+by\s+(?P<by>\d+|one|two|three)(?:\s+(?:positions?|places?|rows?|steps?))?)?)",
    re.I,
)
_DROPPED = re.compile(r"drag\s+(?P<what>.+?)\s+(?:on|onto|in|into|inside|over|to)\s+(?P<where>.+)", re.I)
_SORTED = re.compile(
    r"(?:sort|order|arrange)\s+(?:all\s+)?the\s+(?:list|items|numbers|entries|rows)\s+(?:in|into)\s+"
    r"(?:(?P<up>increasing|ascending)|(?P<down>decreasing|descending))(?:\s+order)?(?:\s*,\s*starting\s+with\s+the\s+(?:lowest|highest|smallest|largest).*)?",
    re.I,
)
_QUOTE = r"\x01\d+\x02"
_SUGGESTED = re.compile(
    r"(?:enter|type|write|choose|select|pick)\s+(?:an?|the)\s+(?:item|option|entry|value|name|word|suggestion)\s+that\s+"
    rf"(?:starts|begins)\s+with\s+(?P<start>{_QUOTE})(?:\s+and\s+ends\s+with\s+(?P<end>{_QUOTE}))?",
    re.I,
)
_COPIED = re.compile(
    r"(?:enter|type|write|put|fill\s+in)\s+the\s+(?:values?|texts?)\s+that\s+(?:corresponds?|belongs?)\s+(?:with|to)\s+"
    r"(?:each|every)\s+(?:label|field|name)(?:\s+(?:in|into)\s+the\s+(?:form|fields?))?",
    re.I,
)
_STYLED = re.compile(
    r"(?:(?:using|with|in)\s+the\s+[\w ]{3,20},\s+)?(?:give|make|set|turn|format)\s+(?:the\s+(?:text|words?)\s+)?"
    r"(?P<text>.+?)\s+(?:(?:in|into|to)\s+)?(?:the\s+style\s+)?(?P<how>bold|italic|underline)(?:s|d)?",
    re.I,
)
_FEW = {"one": 1, "two": 2, "three": 3}
_PLACES = {"first": 0, "second": 1, "third": 2, "last": -1}
_ENTRIES = frozenset({"list item", "menu item", "button", "link"})
_ANY = THINGS | {"the", "a", "all", "every", "each", "of", "ones"}
_BOX = "box"
_BOXES = frozenset({"square", "rectangle"})
_SIDES: dict[str, Callable[[Control], int]] = {
    "left": lambda c: c.box.x, "right": lambda c: -c.box.x, "top": lambda c: c.box.y, "upper": lambda c: c.box.y,
    "bottom": lambda c: -c.box.y, "lower": lambda c: -c.box.y,
}  # fmt: skip


def _slid(match: re.Match[str], page: Page) -> Obeyed:
    """Sliders set to numbers, in the order in which they stand."""
    values = [float(value.replace("−", "-")) for value in re.findall(_NUM, match["values"])]
    name = (match.groupdict().get("name") or "").casefold()
    sliders = [c for c in page.controls if c.role == "slider" and "set" in c.operations and name in ("", label_of(c))]
    if len(sliders) != len(values):
        raise Unclear
    pairs = [(control, value) for control, value in zip(sliders, values, strict=True) if _number(control.value) != value]
    return Obeyed(tuple(Operation(function="set_value", control=c.label, params={"value": value}) for c, value in pairs))


def _one_of(match: re.Match[str], page: Page) -> Obeyed:
    """One of several of a kind, by its place among them."""
    kind = " ".join(match["kind"].casefold().split())
    some = [c for c in page.controls if c.role == _KINDS[kind] and "click" in c.operations]
    control = some[_place(match, len(some))]
    return Obeyed(()) if "checked" in control.states else clicked(control)


def _all_of(match: re.Match[str], page: Page) -> Obeyed:
    """All that have one name."""
    name = page.plain(match["name"]).casefold()
    some = [c for c in page.controls if c.role in ("button", "check box", "list item", "toggle button") and called(c, name)]
    if not some or any("click" not in c.operations for c in some):
        raise Unclear
    return Obeyed(tuple(click(c) for c in some if not {"checked", "selected", "pressed"} & set(c.states)))


def _moved(match: re.Match[str], page: Page) -> Obeyed:
    """An entry of a list dragged to another place in it. It is done once: where it stands then says nothing of before."""
    items = [c for c in page.controls if c.role == "list item"]
    found = [at for at, c in enumerate(items) if called(c, page.plain(match["what"]).casefold())]
    if len(found) != 1:
        raise Unclear
    at = found[0]
    if match["end"]:
        goal = 0 if match["end"].lower() in ("top", "start") else len(items) - 1
    elif match["way"]:
        by = _FEW.get((match["by"] or "one").lower()) or int(match["by"])
        goal = at + (by if match["way"].lower() == "down" else -by)
    else:
        goal = _place(match, len(items)) % len(items)
    if not 0 <= goal < len(items) or goal == at:
        raise Unclear
    return Obeyed((_drag(items[at], items[goal]),))


def _dropped(match: re.Match[str], page: Page) -> Obeyed:
    """Shapes, or one entry, dragged onto something else."""
    rest = re.split(
        r"\s*,?\s+and\s+(?:everything|all(?:\s+the)?)\s+(?:else|others?|rest)\s+(?:in|on)(?:to)?\s+",
        match["where"],
        flags=re.I,
    )
    goal = _goal(page, rest[0])
    what = page.plain(match["what"]).casefold()
    single = [c for c in page.controls if c.role in _ENTRIES and called(c, what)]
    if len(single) == 1 and len(rest) == 1:
        return Obeyed((_drag(single[0], goal),))
    other = _goal(page, rest[1]) if len(rest) > 1 else None
    goals = {goal.label, other.label if other is not None else ""}
    shapes = [c for c in page.controls if c.role == "shape" and c.label not in goals]
    wanted = _words(what)
    if not wanted <= _known(page.controls) | _ANY or (
        not re.match(r"(?:all|every|each)\b", what) and sum(_fits(c, wanted) for c in shapes) != 1
    ):
        raise Unclear
    loose = [c for c in shapes if not any(_inside(c, each) for each in (goal, other) if each is not None)]
    pairs = [(c, goal if _fits(c, wanted) else other) for c in loose]
    return Obeyed(tuple(_drag(c, place) for c, place in pairs if place is not None))


def _sorted(match: re.Match[str], page: Page) -> Obeyed:
    """A list of numbers put in order, one entry a look: each moves the others."""
    items = [c for c in page.controls if c.role == "list item"]
    numbers = [_number(c.name) for c in items]
    if len(items) < 2 or any(number is None for number in numbers):
        raise Unclear
    right = sorted((number for number in numbers if number is not None), reverse=bool(match["down"]))
    for at, (number, wanted) in enumerate(zip(numbers, right, strict=True)):
        if number != wanted:
            return Obeyed((_drag(items[numbers.index(wanted, at)], items[at]),), more=True)
    return Obeyed(())


def _suggested(match: re.Match[str], page: Page) -> Obeyed:
    """What a page suggests when the beginning of it has been typed."""
    start, end = page.plain(match["start"]).casefold(), page.plain(match["end"] or "").casefold()
    fields = [c for c in page.controls if c.role in TYPED and "type" in c.operations]
    if len(fields) != 1:
        raise Unclear
    field = fields[0]

    def fits(text: str) -> bool:
        return text.strip().casefold().startswith(start) and text.strip().casefold().endswith(end)

    if len((field.value or "").strip()) > len(start) and fits(field.value or ""):
        return Obeyed(())
    entries = [c for c in page.controls if c.role in _ENTRIES and "click" in c.operations and fits(c.name)]
    if entries:
        return Obeyed((click(entries[0]),), more=True)
    if field.label in page.before and "" in page.before:
        raise Unclear
    if field.label in page.before:  # what a page suggests comes a moment later
        return Obeyed((Operation(function="wait_for_loading", params={}),), more=True)
    return Obeyed((typing(field, page.plain(match["start"])),), more=True)


def _copied(match: re.Match[str], page: Page) -> Obeyed:
    """Every field filled in with what stands beside its name in a table of the page."""
    fields = [c for c in page.controls if c.role in TYPED and "type" in c.operations]
    if not fields:
        raise Unclear
    values = [(c, page.beside(label_of(c))) for c in fields]
    return Obeyed(tuple(typing(c, value) for c, value in values if (c.value or "") != value))


def _styled(match: re.Match[str], page: Page) -> Obeyed:
    """A text of an editor made bold, say: selected, and the button pressed that is called so."""
    areas = [c for c in page.controls if c.role == "text area" and "type" in c.operations]
    said = page.plain(match["text"])
    texts = [text for text in (said, said.rstrip(",")) if len(areas) == 1 and (areas[0].value or "").count(text) == 1]
    if not texts:
        raise Unclear
    text = texts[0]  # with the comma that stands behind it there, too
    select = Operation(function="select_text", control=areas[0].label, params={"text": text})
    return Obeyed((select, click(page.pressed(match["how"], "button"))))


def _place(match: re.Match[str], many: int) -> int:
    at = int(match["at"]) - 1 if match["at"] else _PLACES[match["word"].lower()]
    if not -1 <= at < many or not many:
        raise Unclear
    return at


def _goal(page: Page, words: str) -> Control:
    """Where something is dropped: by its name, or the one shape that words fit, by its side where there are two."""
    plain = re.sub(r"^the\s+", "", page.plain(words).casefold().strip(" ."))
    named = [c for c in page.controls if c.role != "shape" and called(c, plain)]
    if len(named) == 1:
        return named[0]
    wanted = _words(plain)
    sides = wanted & _SIDES.keys()
    shapes = [c for c in page.controls if c.role == "shape" and _fits(c, wanted - sides)]
    if _BOX in wanted and len(shapes) > 1:  # a thing is dropped into what is larger than it
        most = max(c.box.width for c in shapes)
        shapes = [c for c in shapes if 2 * c.box.width > most]
    if sides and len(shapes) == 2:
        shapes = [min(shapes, key=_SIDES[sides.pop()])]
    if len(shapes) != 1:
        raise Unclear
    return shapes[0]


def _words(text: str) -> set[str]:
    return {singular(word) for word in re.findall(r"[\w“”-]+", text.casefold())} - _ANY


def _fits(control: Control, wanted: set[str]) -> bool:
    own = set(control.name.casefold().split())
    return wanted - {_BOX} <= own and (_BOX not in wanted or bool(own & _BOXES))


def _known(controls: Sequence[Control]) -> set[str]:
    """Words that shapes may be told by, whether any of them is here or not."""
    kinds = {"circle", "square", "rectangle", "triangle", "ellipse", "line", "number", "letter", "small", "large", _BOX}
    colours = {
        "black",
        "white",
        "grey",
        "red",
        "green",
        "blue",
        "yellow",
        "orange",
        "purple",
        "magenta",
        "cyan",
        "brown",
        "pink",
    }
    return kinds | colours | {word for c in controls if c.role == "shape" for word in c.name.casefold().split()}


def _inside(control: Control, place: Control) -> bool:
    own, box = control.box, place.box
    x, y = own.x + own.width / 2, own.y + own.height / 2
    return box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height


def _number(text: str | None) -> float | None:
    plain = (text or "").strip().replace("−", "-")
    return float(plain) if re.fullmatch(_NUM, plain) else None


def _drag(control: Control, onto: Control) -> Operation:
    return Operation(function="drag", control=control.label, params={"to": onto.label})


READINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Page], Obeyed]], ...] = (
    (_SLID, _slid),
    (_SLIDERS, _slid),
    (_ONE_OF, _one_of),
    (_ALL_OF, _all_of),
    (_MOVED, _moved),
    (_DROPPED, _dropped),
    (_SORTED, _sorted),
    (_SUGGESTED, _suggested),
    (_COPIED, _copied),
    (_STYLED, _styled),
)
"""Patterns of whole orders, and what each has done on a page. They are tried before the more general ones."""
