"""What an order demands of a file that it changes: one text for another, lines in order, letters, a value in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deskcrew.actions.tables import TABLES
from deskcrew.english.clauses import FILE_NAME, QUOTED, quoted
from deskcrew.english.demands_files import A_FILE, FILE
from deskcrew.english.edits import BARE_SWAP, INSTEAD, MARKS, QUOTE, SWAPS, definite
from deskcrew.verdict import CAPITALS, IN_ORDER, LACKS, LACKS_LINE, ONLY, RESULT, ROW, SMALL, Check

_TEXTS = (".txt", ".md", ".csv", ".log", ".ini", ".cfg", ".conf", ".yaml", ".yml", ".json")
_HIDDEN = re.compile(
    r"\b(?:footers?|headers?|comments?|footnotes?|watermarks?|captions?|text\s+box(?:es)?|properties|property|author|title|notes?)\b",
    re.I,
)
"""Parts of a document that its text does not show, or may not."""
_OFFICE = (".docx", ".odt", ".pptx", ".odp", ".doc")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".zip", ".mp3", ".mp4", ".wav", ".tar", ".gz")
_PARTLY = re.compile(
    r"\b(?:first|second|third|last|next|once|one|only|line|row|heading|title|paragraph|section|entry|sentence|under|about|"
    r"column|cell|item|for|of)\b",
    re.I,
)
TAKES_OUT = re.compile(
    rf"\b(?:delete|remove|erase|strike|cut|drop|take\s+out)\s+(?:out\s+)?(?:(?:the|all|every|any)\s+)*"
    rf"(?P<thing>(?:lines?|words?|entry|entries|items?|sentences?|text|rows?)\s+)?"
    rf"(?P<has>(?:with|containing|that\s+says?|that\s+contains?)\s+)?(?P<olds>{QUOTE}(?:(?:,\s*|,?\s+and\s+){QUOTE})*)",
    re.I,
)
_OF_ONE_KIND = re.compile(r"\b(?:sheet|tab|column|style|slide|page|heading|title)\b", re.I)
_ONE_OF = re.compile(r"\b(?:first|second|third|last|next|once|one|only)\b", re.I)
_LETTERS = (
    (
        re.compile(r"\b(?:capitals|capital\s+letters|upper\s*-?case(?:\s+letters)?|all\s+caps|block\s+letters)\b", re.I),
        CAPITALS,
    ),
    (re.compile(r"\b(?:small\s+letters|lower\s*-?case(?:\s+letters)?)\b", re.I), SMALL),
)
_ALL_OF_IT = re.compile(r"\b(?:whole|entire|complete|everything|all\s+(?:of\s+)?(?:the|its|it)|all)\b", re.I)
_SORTS = re.compile(r"\b(?:sort|alphabeti[sz]e)\b|\bput\b[^;]*\bin(?:to)?\s+alphabetical\s+order\b", re.I)
_VALUE = r"(?:[€$£]\s?)?-?\d[\d.,]*(?:\s?(?:€|\$|£|(?:euros?|EUR)\b))?"
_STOPS = r"(?=\s*(?:$|[.,;!?)]|and\b|in\b|of\b|then\b|with\b|for\b))"
ROW_VALUE = (
    re.compile(
        rf"\b(?:set|change|update|raise|lower|increase|reduce|correct|make|put)\s+(?:the\s+)?(?:[\w-]+\s+){{1,3}}?(?:of|for)\s+(?:the\s+)?"
        rf"(?P<item>[^.;,]{{1,40}}?)(?:\s+(?:in|of)\s+{A_FILE}{FILE})?\s+(?:from\s+\S+\s+)?to\s+(?P<value>{_VALUE}){_STOPS}",
        re.I,
    ),
    re.compile(
        rf"\b(?:put|enter|write|type|insert|set)\s+(?P<value>{_VALUE})\s+(?:in|into|as|for)\s+(?:the\s+)?(?:[\w-]+\s+){{1,3}}?"
        rf"(?:column\s+|row\s+|cell\s+)?(?:of|for)\s+(?:the\s+)?(?P<item>[^.;,]{{1,40}}?)(?=\s+(?:in|of)\s+{A_FILE}{FILE}|[.;,]|$)",
        re.I,
    ),
    re.compile(
        rf"\b(?:the\s+)(?:[\w-]+\s+){{1,3}}?(?:of|for)\s+(?:the\s+)?(?P<item>[^.;,]{{1,40}}?)(?:\s+in\s+{A_FILE}{FILE})?\s+"
        rf"(?:must|should|has\s+to|needs\s+to)\s+be\s+(?P<value>{_VALUE}){_STOPS}",
        re.I,
    ),
)

CARRIED = re.compile(
    rf"\b(?:put|enter|write|type|insert|fill\s+in|copy|transfer|carry)\s+(?:the\s+[^.;]{{2,60}}?|it|that)\s+(?:into|in|to|under)\s+(?:the\s+)?"
    rf"(?:(?:[\w-]+\s+){{1,3}}?column|column\s+[\"“\w-]+[\"”]?)\s+(?:of|for)\s+(?:the\s+)?(?P<item>[^.;,]{{1,40}}?)"
    rf"(?=\s+(?:in|of)\s+{A_FILE}{FILE}|[.;,](?!\w)|$)|"
    r"\b(?:put|enter|write|type|insert|fill\s+in)\s+(?:the\s+[^.;]{2,60}?|it|that)\s+(?:into|in|to|under)\b.*?"
    r"\b(?:in|on|for|to)\s+(?:the\s+)?(?P<owner>[^.;,]{1,40}?)['’]s?\s+row\b",
    re.I,
)
"""A value that is found out first, and then put into the row of something."""


def visible(order: str, target: str) -> bool:
    """Whether what an order has written can be read in the text of ``target``."""
    name = target.lower()
    return not name.endswith(_PICTURES) and not (
        name.endswith(_OFFICE) and _HIDDEN.search(FILE_NAME.sub("", QUOTED.sub("", order)))
    )


def swapped(order: str, target: str) -> Iterator[Check]:
    """The new text is there, and the old one is not, unless only some of them are meant."""
    bare = QUOTED.sub("", order)
    for match in (*SWAPS.finditer(order), *INSTEAD.finditer(order)):
        old, new = match.group("old").strip(MARKS), match.group("new").strip(MARKS)
        if visible(order, target):
            yield Check(kind="file_contains", target=target, text=new)
        around = QUOTED.sub("", order[: match.start()] + order[match.end() :]).replace(target, "")
        partly = _PARTLY.search(around) or _ONE_OF.search(bare) or _OF_ONE_KIND.search(bare)
        if old not in new and not partly:
            yield Check(kind="changed_since_start", target=target, text=f"{LACKS}{old}")
    if target.lower().endswith(_TEXTS):
        swaps = (match.group("new").rstrip(".,") for match in BARE_SWAP.finditer(bare))
        yield from (Check(kind="file_contains", target=target, text=new) for new in swaps)
    for match in () if _ONE_OF.search(bare) else TAKES_OUT.finditer(order):
        thing = (match.group("thing") or "").casefold()
        lacks = LACKS if match.group("has") or thing.startswith(("word", "sentence", "text")) else LACKS_LINE
        for old in quoted(match.group("olds")):
            yield Check(kind="changed_since_start", target=target, text=f"{lacks}{old}")


def only(order: str, target: str) -> Iterator[Check]:
    """That the file is as it was but for what the order says, where its words leave no doubt what that is."""
    if target.lower().endswith((*_TEXTS, ".docx", ".odt")) and visible(order, target) and definite(order):
        yield Check(kind="changed_since_start", target=target, text=f"{ONLY}{order.strip()}")


def marks(order: str) -> Iterator[str]:
    """How the whole text of a file must be, where the order speaks of all of it."""
    bare = QUOTED.sub("", order)
    partly = re.search(
        r"\b(?:heading|title|first|second|last|word|name|names|paragraph|sentence|column|header)s?\b", bare, re.I
    )
    for letters, mark in _LETTERS:
        if letters.search(bare) and not partly and _ALL_OF_IT.search(bare):
            yield mark
    if _SORTS.search(bare) and not re.search(r"\b(?:by|column|section|each|paragraph|words?)\b", bare, re.I):
        yield IN_ORDER


def row(order: str, target: str) -> Check | None:
    """The value that a row of a table has to have."""
    if not target.lower().endswith(TABLES):
        return None
    for form in ROW_VALUE:
        if match := form.search(order):
            item = match.group("item").strip("\"“”'")
            return Check(kind="cell_equals", target=f"{target}!{ROW}{item}", text=match.group("value").rstrip(".,"))
    if match := CARRIED.search(order):
        item = (match.group("item") or match.group("owner")).strip("\"“”'")
        if item.casefold() == target.rpartition(".")[0].casefold():
            return None  # of the file itself: whose row is meant is said in other words
        return Check(kind="cell_equals", target=f"{target}!{ROW}{item}", text=RESULT, origin="evidence")
    return None
