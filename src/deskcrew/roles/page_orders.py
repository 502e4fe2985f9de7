"""What words have done on the page in front, where every one of them is understood: pressed, ticked, chosen, typed.

A small model asked for a page's operations does them all in order, or the last one first. Most orders on a page are short
and say plainly what goes where. Here a part is cut into such orders; where one of them is not fully understood, or what it
names is not there exactly once, nothing is said at all. What may lie in something that is folded is looked for there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from deskcrew.events import Operation
from deskcrew.observation import Control, Observation
from deskcrew.roles.calendars import choosing, date_in
from deskcrew.roles.framing import inner

TYPED = frozenset({"text field", "text area", "number field", "password field"})
DATES = "date editor"
_BOXES = frozenset({"check box", "radio button", "list item", "toggle button"})
_PRESSED = ("button", "link", "menu item", "toggle button", "tab", "tree item", "list item", "check box", "radio button")
"""Kinds of what is pressed, those first that are meant where several have a name."""
_CLOSING = frozenset({"x", "×", "✕", "✖", "close"})
_PRESS = r"(?:click|press|hit|push|tap)(?:\s+on)?"
_TYPE = r"(?:enter|type|write|put|input|fill\s+in)"
_CHOOSE = r"(?:select|check|tick|mark|choose|pick)"
_THE = r"(?:(?:the|a|an|your)\s+)?"
_FIELD = r"(?:text\s*|input\s*)*(?:box|field|area|input)(?:es|s)?"
_VERB = re.compile(rf"(?:{_PRESS}|{_TYPE}|{_CHOOSE}|submit|focus|close|expand|open|set|find)\b", re.I)
_JOINT = re.compile(r"\s*(?:,\s*(?:and\s+)?(?:then\s+)?|;\s*|\s+and\s+(?:then\s+)?|\s+then\s+)", re.I)
_WHEN_DONE = re.compile(r"\s+(?:when|once|after)\s+(?:you(?:'re| are)\s+)?(?:done|finished|ready)$", re.I)
_CLOSES = rf"close\s+{_THE}[\w ]{{1,20}}\s+by\s+(?:clicking|pressing)(?:\s+on)?"
_KIND = r"(?:button|link|tab|icon|(?:file|folder)(?:\s+or\s+(?:file|folder))?|item|option)"
_PRESSES = re.compile(
    rf"(?:{_CLOSES}|(?:find\s*,?\s+(?:and\s+)?)?{_PRESS})\s+{_THE}(?:(?P<kind>{_KIND})\s+)?"
    r"(?:(?:in|on|of)\s+the\s+[\w ]{1,20}\s+)?"
    r"(?:(?:labell?ed|named|called|saying|with\s+the\s+text)\s+)?(?P<name>.+?)(?:\s+(?P<after>button|link|tab|icon))?",
    re.I,
)
_CHOOSES = re.compile(rf"{_CHOOSE}\s+(?P<list>.+)", re.I)
_ENTERS = re.compile(
    rf"{_TYPE}\s+(?:(?:the|a)\s+)?(?P<what>.+?)(?:\s+(?:in|into|as|for)\s+{_THE}(?P<all>both\s+|all\s+|every\s+)?(?P<where>.+?))?",
    re.I,
)
_PAIR = re.compile(r"(?:and\s+)?(?:the\s+)?(?P<label>[a-z][\w -]{1,30}?)\s+(?P<value>\x01\d+\x02)", re.I)
_SAYS_HOW = re.compile(r"\b(?:that|which|with|like|than|containing|starting|ending|beginning|after|before)\b", re.I)
_FOCUSES = re.compile(
    rf"(?:focus|{_PRESS})(?:\s+(?:in|into|on))?\s+{_THE}(?:(?P<at>\d+)(?:st|nd|rd|th)\s+|(?P<word>first|second|third|last)\s+)?{_FIELD}",
    re.I,
)
_CASE = re.compile(r"\s+in\s+(?:all\s+)?(?P<case>upper|lower|capital)\s*-?(?:case)?(?:\s+letters)?(?=\s|$)", re.I)
_QUOTED = re.compile(r"[\"“](?P<text>[^\"”\n]{1,200})[\"”]")
_LITERAL = re.compile(r"-?\d[\d./:,-]*(?:\s*[AaPp]\.?[Mm]\.?)?|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WORDS = {"first": 1, "second": 2, "third": 3}
_GOES = re.compile(r"(?:navigate|look|browse|go|search)\s+(?:through|around|over)\s+[\w ]+|find", re.I)
"""Orders that say no more than where the others are done."""
_COUNTS = re.compile(r"how\s+many\s+(?P<what>[\w ]+?)\s+(?:are\s+(?:there|shown)|(?:can|do)\s+you\s+see)\s*\?", re.I)
_THINGS = frozenset({"item", "shape", "thing", "object", "figure", "element"})
_SIZES = frozenset({"small", "large"})
_SUBMITS = re.compile(r"submit(?:\s+(?:it|the\s+form))?", re.I)
_UNFOLDS = re.compile(
    r"(?:expand|unfold|open)\s+(?:the|all|every|each)\s+(?:(?:of\s+)?the\s+)?(?:sections?|panels?|folds?)(?:\s+(?:below|above))?"
    r"(?P<find>\s*,?\s+to\s+find.*)?",
    re.I,
)
_DATE = re.compile(
    rf"(?:{_CHOOSE}|{_TYPE}|set)\s+{_THE}(?P<date>\d{{1,4}}[/.-]\d{{1,2}}[/.-]\d{{1,4}})\s+"
    rf"(?:as|for|in|into)\s+{_THE}(?P<where>[\w ]*date)",
    re.I,
)
_SHOWN = re.compile(r"(?:the\s+)?text\s+(?:below|above|shown|that\s+is\s+shown)", re.I)
_ROW = re.compile(r"(?:the\s+)?value\s+of\s+(?:the\s+)?(?P<key>.+)", re.I)
_OPEN = frozenset({"expanded", "selected", "pressed"})
_NOTHING = re.compile(r"(?:nothing|none(?:\s+of\s+them)?|no\s+\w+)", re.I)


class _Unclear(Exception):
    """Something is not understood, or not there exactly once."""


@dataclass
class _Page:
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
        labelled = _PAIR.fullmatch(bare)
        if labelled is not None and re.fullmatch(r"\w+(?:\s+\w+)?", labelled["label"]) and not _SAYS_HOW.search(labelled[0]):
            return self.plain(labelled["value"])
        raise _Unclear

    def beside(self, key: str) -> str:
        """What stands beside a name in a table of two columns."""
        rows = [line.split(" | ") for line in self.seen.text.splitlines() if line.count(" | ") == 1]
        found = [value.strip() for name, value in rows if name.strip(" :").casefold() == self.plain(key).casefold()]
        if len(found) != 1:
            raise _Unclear
        return found[0]

    def there(self, name: str) -> bool:
        return any(_called(control, self.plain(name).casefold()) for control in self.controls)

    def folded(self) -> list[Control]:
        """What opens when it is pressed, and is closed."""
        names = {c.name.casefold() for c in self.controls if c.role == "button"}
        kinds = ("tab", "tree item", "toggle button", "menu button")
        shut = [c for c in self.controls if c.role in kinds and not _OPEN & set(c.states) and "click" in c.operations]
        return [c for c in shut if c.name.casefold() not in names]

    def pressed(self, name: str, kind: str = "") -> Control:
        wanted = self.plain(name).casefold()
        fitting = [c for c in self.controls if "click" in c.operations and _called(c, wanted)]
        kinds = (kind, *_PRESSED) if kind in _PRESSED else _PRESSED
        for role in kinds:
            found = [c for c in fitting if c.role == role]
            if len(found) == 1:
                return found[0]
            if found:
                break
        raise _Unclear

    def typed(self, where: str, kinds: frozenset[str] = TYPED | {DATES}, operation: str = "type") -> list[Control]:
        """The fields that words mean: by their label, or by being fields where there are no others."""
        fields = [c for c in self.controls if c.role in kinds and operation in c.operations]
        wanted = self.plain(where).casefold()
        labelled = [
            c for c in fields if _label(c) == wanted or _label(c).rstrip(" s") == wanted.removesuffix(" field").rstrip(" s")
        ]
        if len(labelled) == 1:
            return labelled
        if wanted in ("date", "time") and len(dated := [c for c in fields if c.role == DATES]) == 1:
            return dated
        if not wanted or wanted in ("date", "time") or re.fullmatch(_FIELD, wanted, re.I):
            return fields
        raise _Unclear


@dataclass(frozen=True)
class Obeyed:
    """``operations``: what is to be done now; ``more``: what comes after them can be said only when they have been done."""

    operations: tuple[Operation, ...]
    more: bool = False


def obeyed(part: str, seen: Observation, before: Collection[str] = ()) -> Obeyed | None:
    """What ``part`` has done on the page in front, in order; None where not every word of it is understood. Without
    operations where all is as it should be. ``before``: labels of what was pressed for it already."""
    page, orders = _opened(part, seen, before)
    made: list[Operation] = []
    try:
        for at, order in enumerate(orders, 1):
            done = _done(order, page)
            made += done.operations
            if done.more:
                _understood(orders[at:])
                return Obeyed(tuple(made), more=True)
    except _Unclear:
        return None
    return Obeyed(tuple(made))


def last_press(part: str, seen: Observation) -> Control | None:
    """What ``part`` has pressed when all else is done, though the rest of its words need not be understood. None: nothing,
    or it is not there exactly once. A part that searches, books or sends has that pressed which is called so."""
    page, orders = _opened(part, seen)
    found = _reading(orders[-1]) if orders else None
    try:
        if found is not None and found[0] is _submitted:
            return page.pressed("submit")
        if found is not None and found[0] is _pressed:
            return page.pressed(found[1]["name"], (found[1]["kind"] or found[1]["after"] or "").casefold())
        asks = part.rstrip().endswith("?")
        if len(orders) == 1 and found is None and not asks and (verb := re.match(r"[A-Za-z]{3,}", orders[0])) is not None:
            return page.pressed(verb[0], "button")
    except _Unclear:
        pass
    return None


def _opened(part: str, seen: Observation, before: Collection[str] = ()) -> tuple[_Page, list[str]]:
    """The page, and the part's orders, with its quotes hidden from who cuts them."""
    page = _Page([c for c in inner(seen) if c.operations and "disabled" not in c.states], seen, frozenset(before))

    def hidden(match: re.Match[str]) -> str:
        page.quotes.append(match["text"])
        return f"\x01{len(page.quotes) - 1}\x02"

    return page, list(_orders(_QUOTED.sub(hidden, part.strip()).rstrip(" .!")))


def _understood(orders: Iterable[str]) -> None:
    """Whether orders are of a kind that is known, though what they name need not be there yet."""
    if any(not _reading(order) for order in orders):
        raise _Unclear


def _orders(words: str) -> Iterator[str]:
    """The orders of a part. One ends where another begins with a verb of its own."""
    for sentence in re.split(r"(?<=[.!])\s+(?=[A-Z])", words):
        orders = (order.strip(" .!,") for order in _in_sentence(sentence.rstrip(" .!")))
        yield from (order for order in orders if not _GOES.fullmatch(order))


def _in_sentence(words: str) -> Iterator[str]:
    start = 0
    for joint in _JOINT.finditer(words):
        if _VERB.match(words, joint.end()) and joint.start() > start:
            yield words[start : joint.start()]
            start = joint.end()
    yield words[start:]


def _done(order: str, page: _Page) -> Obeyed:
    found = _reading(order)
    if found is None:
        raise _Unclear
    reading, match = found
    return reading(match, page)


_Reading = Callable[[re.Match[str], _Page], Obeyed]


def _reading(order: str) -> tuple[_Reading, re.Match[str]] | None:
    bare = re.sub(r"^(?:please|then|now|and)\s+", "", _WHEN_DONE.sub("", order), flags=re.I)
    readings: tuple[tuple[re.Pattern[str], _Reading], ...] = (
        (_SUBMITS, _submitted),
        (_COUNTS, _counted),
        (_UNFOLDS, _unfolded),
        (_FOCUSES, _focused),
        (_PRESSES, _pressed),
        (_DATE, _dated),
        (_CHOOSES, _chosen),
        (_ENTERS, _entered),
    )
    for pattern, reading in readings:
        if match := pattern.fullmatch(bare):
            return reading, match
    return None


def _submitted(match: re.Match[str], page: _Page) -> Obeyed:
    return _clicked(page.pressed("submit"))


def _counted(match: re.Match[str], page: _Page) -> Obeyed:
    """How many there are, where that is answered by pressing a number. Shapes are counted, by the words that tell them."""
    words = {re.sub(r"(?<=[a-z]{2})s$", "", word) for word in match["what"].casefold().split()}
    numbers = [c for c in page.controls if c.role in ("button", "link") and c.name.strip().isdecimal()]
    shapes = [c for c in page.controls if c.role == "shape"]
    known = {word for shape in shapes for word in shape.name.casefold().split()} | _SIZES | _THINGS
    if len(numbers) < 2 or not shapes or not words <= known:
        raise _Unclear
    count = sum(words - _THINGS <= set(shape.name.casefold().split()) for shape in shapes)
    return _clicked(page.pressed(str(count)))


def _unfolded(match: re.Match[str], page: _Page) -> Obeyed:
    """All that is folded is opened, but for what has the name of a button: an order of its own is there to press that."""
    folded = page.folded()
    if match["find"] or not folded:
        return Obeyed(())  # what is to be found is looked for by the order that presses it
    return Obeyed(tuple(_click(each) for each in folded), more=True)


def _dated(match: re.Match[str], page: _Page) -> Obeyed:
    """A date chosen in a calendar, which opens when its field is pressed."""
    wanted = date_in(match["date"])
    fields = page.typed(match["where"] or "date", frozenset({"text field", DATES}), "click")
    if wanted is None or len(fields) != 1:
        raise _Unclear
    field = fields[0]
    if field.role == DATES:
        return Obeyed((_typing(field, match["date"]),))
    if date_in(field.value or "") == wanted:
        return Obeyed(())
    steps = choosing(wanted, page.seen)
    if steps is not None:
        return Obeyed(tuple(_click(each) for each in steps), more=True)
    if field.label in page.before:
        raise _Unclear
    return Obeyed((_click(field),), more=True)


def _focused(match: re.Match[str], page: _Page) -> Obeyed:
    fields = [c for c in page.controls if c.role in TYPED]
    at = int(match["at"] or _WORDS.get((match["word"] or "").lower(), 0 if match["word"] else 1))
    if not match["at"] and not match["word"] and len(fields) != 1:
        raise _Unclear
    if at > len(fields):
        raise _Unclear
    return _clicked(fields[at - 1])


def _pressed(match: re.Match[str], page: _Page) -> Obeyed:
    kind = (match["kind"] or match["after"] or "").casefold()
    try:
        return _clicked(page.pressed(match["name"], kind))
    except _Unclear:
        # It may lie in something that is folded, one after the other.
        folded = [each for each in page.folded() if each.label not in page.before]
        if not folded or page.there(match["name"]):
            raise
        return Obeyed((_click(folded[0]),), more=True)


def _chosen(match: re.Match[str], page: _Page) -> Obeyed:
    said = page.plain(match["list"])
    if _NOTHING.fullmatch(said):
        boxes = [c for c in page.controls if c.role == "check box"]
        return Obeyed(tuple(_click(box) for box in boxes if "checked" in box.states))
    made: list[Operation] = []
    for name in _listed(said, page):
        boxes = [c for c in page.controls if c.role in _BOXES and _called(c, name.casefold())]
        combos = [c for c in page.controls if name in c.options and "select" in c.operations]
        if len(boxes) + len(combos) != 1:
            raise _Unclear
        if combos:
            made.append(Operation(function="select_option", control=combos[0].label, params={"option": name}))
        elif not {"checked", "selected"} & set(boxes[0].states):
            made.append(_click(boxes[0]))
    return Obeyed(tuple(made))


def _listed(said: str, page: _Page) -> list[str]:
    """The names of a list. A name that has a comma or "and" in it is taken whole."""
    names = {c.name.casefold() for c in page.controls} | {option.casefold() for c in page.controls for option in c.options}
    if said.casefold() in names:
        return [said]
    return [name.strip() for name in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", said) if name.strip()]


def _entered(match: re.Match[str], page: _Page) -> Obeyed:
    change: Callable[[str], str] = str
    if case := _CASE.search(match[0]):
        change = str.lower if case["case"].lower() == "lower" else str.upper
        rest = _ENTERS.fullmatch(_CASE.sub("", match[0]))
        if rest is None:
            raise _Unclear
        match = rest
    what, where = match["what"], match["where"] or ""
    pairs = list(_PAIR.finditer(what))
    if len(pairs) > 1 and not re.sub(r"(?:,|\band\b|\s)+", "", _PAIR.sub("", what)):
        fields = [page.typed(pair["label"].strip()) for pair in pairs]
        if any(len(each) != 1 for each in fields):
            raise _Unclear
        return Obeyed(
            tuple(_typing(each[0], change(page.plain(pair["value"]))) for each, pair in zip(fields, pairs, strict=True))
        )
    value = change(page.value(what))
    fields = page.typed(where)
    several = bool(match["all"])
    if not fields or (len(fields) > 1) != several:
        raise _Unclear
    return Obeyed(tuple(_typing(control, value) for control in fields if (control.value or "") != value))


def _called(control: Control, wanted: str) -> bool:
    name = control.name.strip().casefold()
    return name == wanted or name.strip(" .,;…:*") == wanted or (wanted in _CLOSING and name in _CLOSING)


def _label(control: Control) -> str:
    return control.name.strip(" :*").casefold()


def _clicked(control: Control) -> Obeyed:
    return Obeyed((_click(control),))


def _click(control: Control) -> Operation:
    return Operation(function="click_input", control=control.label, params={})


def _typing(control: Control, text: str) -> Operation:
    return Operation(function="keyboard_input", control=control.label, params={"keys": text, "clear": True})
