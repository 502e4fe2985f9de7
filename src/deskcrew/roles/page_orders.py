"""What words have done on the page in front, where every one of them is understood: pressed, ticked, chosen, typed.

A small model asked for a page's operations does them all in order, or the last one first. Most orders on a page are short
and say plainly what goes where. Here a part is cut into such orders; where one of them is not fully understood, or what it
names is not there exactly once, nothing is said at all. What may lie in something that is folded is looked for there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from deskcrew.environments.calendars import choosing, date_in
from deskcrew.events import Operation
from deskcrew.observation import Control, Observation
from deskcrew.roles.framing import inner
from deskcrew.roles.gestures import READINGS
from deskcrew.roles.page_found import (
    DATES,
    FIELD,
    PAIR,
    THINGS,
    TYPED,
    Obeyed,
    Page,
    Unclear,
    called,
    click,
    clicked,
    singular,
    typing,
)

_BOXES = frozenset({"check box", "radio button", "list item", "toggle button"})
_PRESS = r"(?:click|press|hit|push|tap)(?:\s+on)?"
_TYPE = r"(?:enter|type|write|put|input|fill\s+in)"
_CHOOSE = r"(?:select|check|tick|mark|choose|pick)"
_THE = r"(?:(?:the|a|an|your)\s+)?"
_VERB = re.compile(rf"(?:{_PRESS}|{_TYPE}|{_CHOOSE}|submit|focus|close|expand|open|set|find|drag|sort)\b", re.I)
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
_FOCUSES = re.compile(
    rf"(?:focus|{_PRESS})(?:\s+(?:in|into|on))?\s+{_THE}(?:(?P<at>\d+)(?:st|nd|rd|th)\s+|(?P<word>first|second|third|last)\s+)?{FIELD}",
    re.I,
)
_CASE = re.compile(r"\s+in\s+(?:all\s+)?(?P<case>upper|lower|capital)\s*-?(?:case)?(?:\s+letters)?(?=\s|$)", re.I)
_QUOTED = re.compile(r"[\"“](?P<text>[^\"”\n]{1,200})[\"”]")
_WORDS = {"first": 1, "second": 2, "third": 3}
_GOES = re.compile(r"(?:navigate|look|browse|go|search)\s+(?:through|around|over)\s+[\w ]+|find", re.I)
"""Orders that say no more than where the others are done."""
_COUNTS = re.compile(r"how\s+many\s+(?P<what>[\w ]+?)\s+(?:are\s+(?:there|shown)|(?:can|do)\s+you\s+see)\s*\?", re.I)
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
_NOTHING = re.compile(r"(?:nothing|none(?:\s+of\s+them)?|no\s+\w+)", re.I)


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
    except Unclear:
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
    except Unclear:
        pass
    return None


def _opened(part: str, seen: Observation, before: Collection[str] = ()) -> tuple[Page, list[str]]:
    """The page, and the part's orders, with its quotes hidden from who cuts them."""
    page = Page([c for c in inner(seen) if c.operations and "disabled" not in c.states], seen, frozenset(before))

    def hidden(match: re.Match[str]) -> str:
        page.quotes.append(match["text"])
        return f"\x01{len(page.quotes) - 1}\x02"

    return page, list(_orders(_QUOTED.sub(hidden, part.strip()).rstrip(" .!")))


def _understood(orders: Iterable[str]) -> None:
    """Whether orders are of a kind that is known, though what they name need not be there yet."""
    if any(not _reading(order) for order in orders):
        raise Unclear


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


def _done(order: str, page: Page) -> Obeyed:
    found = _reading(order)
    if found is None:
        raise Unclear
    reading, match = found
    return reading(match, page)


_Reading = Callable[[re.Match[str], Page], Obeyed]


def _reading(order: str) -> tuple[_Reading, re.Match[str]] | None:
    bare = re.sub(r"^(?:please|then|now|and)\s+", "", _WHEN_DONE.sub("", order), flags=re.I)
    readings: tuple[tuple[re.Pattern[str], _Reading], ...] = (
        (_SUBMITS, _submitted),
        (_COUNTS, _counted),
        (_UNFOLDS, _unfolded),
        (_FOCUSES, _focused),
        *READINGS,
        (_PRESSES, _pressed),
        (_DATE, _dated),
        (_CHOOSES, _chosen),
        (_ENTERS, _entered),
    )
    for pattern, reading in readings:
        if match := pattern.fullmatch(bare):
            return reading, match
    return None


def _submitted(match: re.Match[str], page: Page) -> Obeyed:
    return clicked(page.pressed("submit"))


def _counted(match: re.Match[str], page: Page) -> Obeyed:
    """How many there are, where that is answered by pressing a number. Shapes are counted, by the words that tell them."""
    words = {singular(word) for word in match["what"].casefold().split()}
    numbers = [c for c in page.controls if c.role in ("button", "link") and c.name.strip().isdecimal()]
    shapes = [c for c in page.controls if c.role == "shape"]
    known = {word for shape in shapes for word in shape.name.casefold().split()} | _SIZES | THINGS
    if len(numbers) < 2 or not shapes or not words <= known:
        raise Unclear
    count = sum(words - THINGS <= set(shape.name.casefold().split()) for shape in shapes)
    return clicked(page.pressed(str(count)))


def _unfolded(match: re.Match[str], page: Page) -> Obeyed:
    """All that is folded is opened, but for what has the name of a button: an order of its own is there to press that."""
    folded = page.folded()
    if match["find"] or not folded:
        return Obeyed(())  # what is to be found is looked for by the order that presses it
    return Obeyed(tuple(click(each) for each in folded), more=True)


def _dated(match: re.Match[str], page: Page) -> Obeyed:
    """A date chosen in a calendar, which opens when its field is pressed."""
    wanted = date_in(match["date"])
    fields = page.typed(match["where"] or "date", frozenset({"text field", DATES}), "click")
    if wanted is None or len(fields) != 1:
        raise Unclear
    field = fields[0]
    if field.role == DATES:
        return Obeyed((typing(field, match["date"]),))
    if date_in(field.value or "") == wanted:
        return Obeyed(())
    steps = choosing(wanted, page.seen.text, inner(page.seen))
    if steps is not None:
        return Obeyed(tuple(click(each) for each in steps), more=True)
    if field.label in page.before:
        raise Unclear
    return Obeyed((click(field),), more=True)


def _focused(match: re.Match[str], page: Page) -> Obeyed:
    fields = [c for c in page.controls if c.role in TYPED]
    at = int(match["at"] or _WORDS.get((match["word"] or "").lower(), 0 if match["word"] else 1))
    if not match["at"] and not match["word"] and len(fields) != 1:
        raise Unclear
    if at > len(fields):
        raise Unclear
    return clicked(fields[at - 1])


def _pressed(match: re.Match[str], page: Page) -> Obeyed:
    kind = (match["kind"] or match["after"] or "").casefold()
    try:
        return clicked(page.pressed(match["name"], kind))
    except Unclear:
        # It may lie in something that is folded, one after the other.
        folded = [each for each in page.folded() if each.label not in page.before]
        if not folded or page.there(match["name"]):
            raise
        return Obeyed((click(folded[0]),), more=True)


def _chosen(match: re.Match[str], page: Page) -> Obeyed:
    said = page.plain(match["list"])
    if _NOTHING.fullmatch(said):
        boxes = [c for c in page.controls if c.role == "check box"]
        return Obeyed(tuple(click(box) for box in boxes if "checked" in box.states))
    made: list[Operation] = []
    for name in _listed(said, page):
        boxes = [c for c in page.controls if c.role in _BOXES and called(c, name.casefold())]
        combos = [c for c in page.controls if name in c.options and "select" in c.operations]
        if len(boxes) + len(combos) != 1:
            raise Unclear
        if combos:
            made.append(Operation(function="select_option", control=combos[0].label, params={"option": name}))
        elif not {"checked", "selected"} & set(boxes[0].states):
            made.append(click(boxes[0]))
    return Obeyed(tuple(made))


def _listed(said: str, page: Page) -> list[str]:
    """The names of a list. A name that has a comma or "and" in it is taken whole."""
    names = {c.name.casefold() for c in page.controls} | {option.casefold() for c in page.controls for option in c.options}
    if said.casefold() in names:
        return [said]
    return [name.strip() for name in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", said) if name.strip()]


def _entered(match: re.Match[str], page: Page) -> Obeyed:
    change: Callable[[str], str] = str
    if case := _CASE.search(match[0]):
        change = str.lower if case["case"].lower() == "lower" else str.upper
        rest = _ENTERS.fullmatch(_CASE.sub("", match[0]))
        if rest is None:
            raise Unclear
        match = rest
    what, where = match["what"], match["where"] or ""
    pairs = list(PAIR.finditer(what))
    if len(pairs) > 1 and not re.sub(r"(?:,|\band\b|\s)+", "", PAIR.sub("", what)):
        fields = [page.typed(pair["label"].strip()) for pair in pairs]
        if any(len(each) != 1 for each in fields):
            raise Unclear
        return Obeyed(
            tuple(typing(each[0], change(page.plain(pair["value"]))) for each, pair in zip(fields, pairs, strict=True))
        )
    value = change(page.value(what))
    fields = page.typed(where)
    several = bool(match["all"])
    if not fields or (len(fields) > 1) != several:
        raise Unclear
    return Obeyed(tuple(typing(control, value) for control in fields if (control.value or "") != value))
