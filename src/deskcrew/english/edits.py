"""What a part of a task has changed in a text, as far as its words leave no doubt: which lines come where, what for what.

Who types by rule and who checks afterwards read the same words, and both only where they are sure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from deskcrew.english.clauses import clauses, file_names, quoted

QUOTE = r"(?:\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|`[^`\n]{1,200}`|'[^'\n]{2,200}'(?!\w))"
SWAPS = re.compile(
    rf"\b(?:replace|change|correct|fix|swap|turn|rename|from)\s+[^\"“;]{{0,40}}?(?P<old>{QUOTE})\s+(?:[^\"“;]{{0,40}}?\s)??"
    rf"(?:with|by|to|into|for)\s+(?:(?:the|word|text|line|name)\s+)*(?P<new>{QUOTE})",
    re.IGNORECASE,
)
INSTEAD = re.compile(
    rf"(?P<new>{QUOTE})\s+(?:instead\s+of|in\s+place\s+of)\s+(?:the\s+)?(?:\w+\s+)??(?P<old>{QUOTE})",
    re.I,
)
BARE_SWAP = re.compile(
    r"\b(?:[Rr]eplace|[Cc]hange|[Cc]orrect|[Mm]ove)\s+(?:the\s+)?(?:\w+\s+){0,3}?(?:from\s+)?(?P<old>\S*\d\S*|[A-Z]\w+)\s+(?:with|by|to|into)\s+"
    r"(?P<new>\S*\d(?:\S*\w)?|[A-Z]\w+)(?=[\s.,;!]|$)"
)
MARKS = "\"“”„`'"

_VERB = r"(?:add|append|insert|write|type|put|enter|note|jot|place|prepend)"
_ADDS = re.compile(
    rf"\b{_VERB}\b(?!\s+up\b)|\b(?:create|make|start)\b.*\b(?:with|contain\w*|saying|reading|that\s+(?:says|reads|has))\b|"
    r"\b(?:should|must|shall|has\s+to|needs\s+to)\s+(?:just\s+|only\s+)?(?:have|hold|contain|say|consist\s+of)\b|"
    r"\b(?:as|(?:to|should|must|has\s+to)\s+be(?:come)?)\s+(?:the|its|a)\s+(?:new\s+|very\s+)*(?:first|last|top|bottom)\b",
    re.I,
)
_LINE = r"(?:lines?|entry|entries|items?|paragraphs?|sentences?|headings?|row|bullet|one|task|point)"
_THING = rf"(?:(?:{_LINE}|title|words?|text|part)\s+)"
_SAYING = (
    r"(?:(?:that\s+(?:says|reads|begins\s+with|starts\s+with|mentions)|saying|about|with|for|of|called|reading)"
    r"\s+(?:the\s+)?)"
)
_BESIDE = re.compile(
    rf"\b(?P<how>(?:directly|right|just|immediately)?\s*(?:after|below|underneath|under|beneath|following|before|above))\s+"
    rf"(?:the\s+)?{_THING}??{_SAYING}?(?P<text>{QUOTE})",
    re.I,
)
_BESIDE_BARE = re.compile(
    rf"\b(?P<how>after|below|underneath|under|beneath|before|above)\s+the\s+{_LINE}\s+{_SAYING}(?P<text>[^\"“,.;:]+?)(?=\s*(?:[,.;:]|$|\band\b|\b(?:add|insert|write|put|type)\b|[\"“]))",
    re.I,
)
_END = re.compile(
    r"\bat\s+(?:the\s+)?(?:very\s+)?(?:end|bottom|foot)\b|\b(?:as|be|become)\s+(?:the\s+|a\s+|its\s+)?(?:new\s+|very\s+)*(?:last|bottom)\b|\bto\s+the\s+(?:very\s+)?(?:end|bottom)\b|"
    r"\bappend(?:ed|ing)?\b|\b(?:below|after|under|underneath)\s+(?:everything|all|(?:all\s+)?the\s+(?:others?|rest|existing|last))\b",
    re.I,
)
_START = re.compile(
    r"\b(?:at|to)\s+(?:the\s+)?(?:very\s+)?(?:top|start|beginning|head)\b|\b(?:as|be|become)\s+(?:the\s+|a\s+|its\s+)?(?:new\s+|very\s+)*(?:first|top)\b|\bprepend|"
    r"\b(?:above|before)\s+(?:everything|all|(?:all\s+)?the\s+(?:others?|rest|existing|first))\b|\bin\s+front\s+of\s+everything\b",
    re.I,
)
_INSIDE = re.compile(
    r"\b(?:end|start|beginning|bottom|top)\s+of\s+(?:the|that|each|every|its)\s+(?:\w+\s+)?(?:lines?|paragraphs?|sentences?|words?|rows?|"
    r"section|chapter|list|page|table|column|title|heading)\b|\b(?:section|chapter|table|column|cell|footer|header|comment|footnote|list\s+of|"
    r"field|box|search|cursor|bold|italic|numbered|bulleted|style[ds]?|font|page)\b",
    re.I,
)
"""Places inside of a text of which these rules know nothing."""
_ASIDE = re.compile(r"\b(?:after|before|below|above|under|underneath|beneath|behind|following)\b", re.I)
_WORD = re.compile(r"\b(?:words?|letters?|comma|characters?|names?)\W*$", re.I)
_NEARBY = re.compile(
    r"\b(?:between|in\s+front\s+of\b(?!\s+everything)|instead|in\s+place\s+of|where\s+it|next\s+to|beside|replac\w+|how\s+(?:often|many|much))\b",
    re.I,
)
_DROPS = re.compile(
    rf"\b(?:delete|remove|erase|strike|take\s+out|cross\s+out)\s+(?:out\s+)?the\s+(?:whole\s+|entire\s+)?{_LINE}\s+{_SAYING}?(?P<text>{QUOTE}|(?:the\s+)?[^\"“,.;:]+?)"
    rf"(?=\s*(?:[,.;:]|$|\b(?:and|from|in|out)\b))",
    re.I,
)
_WHERE = re.compile(
    rf"\bin\s+the\s+{_LINE}\s+(?:that\s+(?:says|mentions|begins\s+with|starts\s+with|is\s+about)|about|with|for|of|on)\s+(?P<text>{QUOTE}|[^\"“,;:]+?)"
    rf"(?=\s*(?:[,;:]|\.?$|\.\s|\b(?:change|replace|correct|to|by|with|from|in)\b))",
    re.I,
)
_SOME = re.compile(r"\b(?:first|second|third|last|next|once|only|one)\b", re.I)
_OF_WHAT = re.compile(r"\b(?:of|for)\s+(?:the\s+|an?\s+)?(?P<text>[\w' -]{2,40}?)\s+(?:is\s+)?$", re.I)
"""Before "from 3 to 4": in whose line that stands."""
_FROM_TO = re.compile(
    r"\b(?:change|raise|lower|increase|reduce|update|correct|move|set)\b[^.;\"“]*?\bfrom\s+(?P<old>[^\s\"“,;]+(?:\s[^\s\"“,;]+){0,2}?)\s+to\s+"
    r"(?P<new>[^\s\"“,;]+(?:\s[^\s\"“,;]+){0,2}?)(?=\s*(?:$|[.,;!?]\s|[.,;!?]$|\s(?:and|in|at|for|on)\b))",
    re.I,
)
_OF_A_THING = re.compile(r"\b(?:of|for|by|in)\s+(?:the\s+)?$", re.I)
"""Before a name: it says whose value is changed, and is not what gives way."""
_VALUE = re.compile(
    r"\b(?:change|set|update|correct|put|raise|lower|increase|reduce)\s+(?:the\s+)?"
    r"(?P<what>[\w-]+(?:\s+[\w-]+){0,2}?)\s+(?:of|for)\s+(?:the\s+)?"
    rf"(?P<item>[^.;,\"“]{{1,40}}?)(?:\s+in\s+(?:the\s+)?\S+\.\w{{1,5}})?\s+to\s+(?P<value>{QUOTE}|[^\"“;!?]+?)(?=\s*(?:$|[.,;!?]\s|[.,;!?]$|\s+and\b|\s+in\b))",
    re.I,
)
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_KINDS = (
    re.compile(rf"\b\d{{1,2}}\.?\s+{_MONTHS}(?:\s+\d{{4}})?\b|\b{_MONTHS}\s+\d{{1,2}}(?:,?\s+\d{{4}})?\b", re.I),
    re.compile(rf"\b{_DAYS}\b", re.I),
    re.compile(r"\b\d{1,2}[:.]\d{2}(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b", re.I),
    re.compile(r"(?:[€$£]\s?)?\+?\d+(?:[.,:/-]\d+)*(?:\s?[€$£%])?(?!\w)"),
)
"""Values of which one can take the place of another."""
_LISTS = re.compile(r"\b(?:lines?|items?|list|entries|points|things|words|names)\b[^:]*:\s*(?P<items>[^:]+?)\.?\s*$", re.I)
_FORM = re.compile(
    r"\b(?:YYYY|MM|DD|HH)\b|^(?:then\s+)?(?:the|an?|its|their)\s+(?:\w+\s+)?"
    r"(?:date|day|time|name|number|space|comma|colon|semicolon|tab|dash|hyphen|total|price|value|amount|result)\b",
    re.I,
)
"""What tells how a line is built, and is not the line."""
_ONE_A_LINE = re.compile(
    r"\b(?:lines|items|entries|words|names|points|things)\s+(?P<items>[^:;.]+?),?\s+(?:one\s+(?:per|on\s+each|to\s+a)\s+line|"
    r"each\s+(?:one\s+)?on\s+(?:its|a)\s+(?:own\s+|separate\s+|new\s+)?line|on\s+separate\s+lines|(?:one\s+)?below\s+(?:the|each)\s+other)\b",
    re.I,
)
_EVERY = re.compile(r"\b(?:every|all|each|everywhere|throughout|wherever|whole)\b", re.I)
_CAPITALS = re.compile(r"\b(?:capitals|capital\s+letters?|upper\s*-?case|all\s+caps|block\s+letters)\b", re.I)
_SMALL = re.compile(r"\b(?:small\s+letters?|lower\s*-?case)\b", re.I)
_ALL_OF_IT = re.compile(r"\b(?:whole|entire|complete|everything|every\s+letter|all\s+(?:of\s+)?(?:the|its|it)|all)\b", re.I)
_CHANGES = re.compile(
    r"\b(?:replace|change|correct|fix|swap|turn|rename|delete|remove|erase|sort|convert|add|append|insert|write|type|put|enter|"
    r"update|edit|overwrite|set|raise|lower|increase|reduce|move|reverse|underline|shorten|rewrite|clear|prepend|"
    r"capitali[sz]e|uppercase|lowercase|highlight|indent|renumber|translate|reword|split|join|merge|double)\b",
    re.I,
)
Kind = Literal["add", "swap", "drop", "letters", "value"]


@dataclass(frozen=True, slots=True)
class Edit:
    """``texts``: the lines that are added; the old and the new text of a swap; "upper" or "lower"; a value. ``place``:
    where lines go ("any": at the end, but that was not said), of a swap "every", "quoted", or "of" where its line may be
    called otherwise. ``anchor``: words of the line that is meant."""

    kind: Kind
    texts: tuple[str, ...] = ()
    place: str = ""
    anchor: str = ""


def edits_of(order: str) -> tuple[Edit, ...]:
    """What ``order`` has changed in one text, in order; () where a clause of it changes something that is not understood."""
    found: list[Edit] = []
    for clause in clauses(order):
        if (edit := edit_of(clause)) is not None:
            found.append(edit)
        elif _CHANGES.search(_bare(clause)):
            return ()
    return tuple(found)


def definite(order: str) -> bool:
    """Whether all that ``order`` has changed is understood, and where."""
    found = edits_of(order)
    return bool(found) and all(edit.kind != "add" or edit.place or len(edit.texts) > 1 for edit in found)


def edit_of(part: str) -> Edit | None:
    """The change that one part asks for; None where its words leave a doubt."""
    if letters := _letters(part):
        return letters
    if len(_CHANGES.findall(_bare(part))) > 1:
        return None  # more is wanted than one change
    return _swap(part) or _value(part) or _drop(part) or _add(part)


def _bare(text: str) -> str:
    bare = re.sub(QUOTE, " ", text)
    for name in file_names(text):
        bare = bare.replace(name, " ")
    return bare


def _swap(part: str) -> Edit | None:
    bare = re.sub(QUOTE, '""', part)
    if re.search(r"\b(?:heading|title|style|cell|column|sheet|field|name\s+of)\b", bare, re.I):
        return None
    found = (
        [*SWAPS.finditer(part), *INSTEAD.finditer(part)]
        or [*_FROM_TO.finditer(part)]
        or [each for each in BARE_SWAP.finditer(part) if _alike(each) and not _OF_A_THING.search(part[: each.start("old")])]
    )
    if len(found) != 1:
        return None
    old, new = (found[0].group(name).strip(MARKS) for name in ("old", "new"))
    around = part[: found[0].start()] + " " + part[found[0].end() :]
    where = _WHERE.search(around)
    others = set(quoted(around)) - ({where.group("text").strip(MARKS)} if where else set[str]())
    if _SOME.search(_bare(part)) or old == new or others:
        return None
    place = (
        "every"
        if _EVERY.search(_bare(f"{around} {part[found[0].start() : found[0].start('old')]}"))
        else "quoted"
        if quoted(part) or not re.search(r"\d", old)
        else ""
    )
    anchor = where.group("text").strip(MARKS + " ") if where else ""
    ahead = part[: found[0].start("old")]
    if not anchor and (of := _OF_WHAT.search(re.sub(r"\bfrom\s+$", "", ahead))):
        place, anchor = "of", of.group("text")
    return Edit("swap", (old, new.rstrip(".,") if not quoted(part) else new), place, anchor)


_SWAPPED = re.compile(r"\w+\s+(?:(?:the|every|each|all|any)\s+)?(?:(?:words?|names?|occurrences?\s+of)\s+)*(?:from\s+)?")
"""What stands before what gives way."""


def _alike(swap: re.Match[str]) -> bool:
    """Whether one of the two can take the place of the other: a figure that of a figure; a name only where the verb has it
    for its object ("move the meeting with Tom to Tuesday" has another)."""
    figures = [re.search(r"\d", swap.group(name)) is not None for name in ("old", "new")]
    verb = re.fullmatch(
        r"\w+\s+(?:(?:the|every|each|all|any)\s+)?(?:(?:words?|names?|occurrences?\s+of)\s+)*(?:from\s+)?",
        swap.string[swap.start() : swap.start("old")],
    )
    return figures[0] == figures[1] and (figures[0] or verb is not None)


def _value(part: str) -> Edit | None:
    """ "the price of the lamp to 30": what stood there is not said."""
    found = _VALUE.search(part)
    if found is None or re.search(r"\bfrom\b", found.group("item")) or _SOME.search(_bare(part)):
        return None
    if re.search(r"\b(?:cell|column|sheet|field|heading|title|style|name|size|font|colou?r)\b", _bare(part), re.I):
        return None
    return Edit("value", (found.group("value").strip(MARKS + " .,"),), anchor=found.group("item").strip())


def _drop(part: str) -> Edit | None:
    found = _DROPS.search(part)
    if found is None or _SOME.search(_bare(part)):
        return None
    return Edit("drop", anchor=found.group("text").strip(MARKS + " "))


def _letters(part: str) -> Edit | None:
    bare = _bare(part)
    upper, lower = _CAPITALS.search(bare), _SMALL.search(bare)
    if bool(upper) == bool(lower) or not _ALL_OF_IT.search(bare) or quoted(part):
        return None
    return Edit("letters", ("upper" if upper else "lower",))


def _add(part: str) -> Edit | None:
    if not _ADDS.search(_bare(part)):
        return None
    beside = _BESIDE.search(part) or _BESIDE_BARE.search(part)
    rest = part[: beside.start()] + " " + part[beside.end() :] if beside else part
    texts = quoted(rest) or _listed(rest)
    bare = _bare(rest if quoted(rest) else _ONE_A_LINE.sub(" ", _LISTS.sub(" ", rest)))
    if (
        not texts
        or _NEARBY.search(bare)
        or _INSIDE.search(bare)
        or re.search(r"\b(?:before|after|between|replac\w*|instead)\b\s*$", bare)
    ):
        return None
    if beside is not None:
        if re.search(r"\b(?:heading|title|section)\b", beside.group(0), re.I):
            return None  # what is under a heading may begin below what is there already
        if _WORD.search(part[: part.find(texts[0])]):
            return None  # it belongs into a line
        before = re.search(r"before|above", beside.group("how"), re.I)
        return Edit("add", texts, "before" if before else "after", beside.group("text").strip(MARKS + " "))
    ends, starts = _END.search(bare), _START.search(bare)
    if (ends and starts) or (_ASIDE.search(bare) and not (ends or starts)):
        return None
    if not (ends or starts) and not re.search(r"\b(?:add|append)\b", bare, re.I):
        return Edit("add", texts)
    return Edit("add", texts, "start" if starts else "end" if ends else "any")


def _listed(part: str) -> tuple[str, ...]:
    """The items after a colon that are to be lines of their own."""
    found = _ONE_A_LINE.search(part) or _LISTS.search(part)
    if found is None:
        return ()
    items = re.split(r"\s*[;,]\s*(?:and\s+)?|\s+and\s+", found.group("items").strip())
    said = len(items) > 1 and all(0 < len(item) <= 60 for item in items)
    return tuple(items) if said and not any(_FORM.search(item) for item in items) else ()


def applied(edit: Edit, text: str) -> str | None:
    """``text`` after the change; None where it says no one thing of this text."""
    if edit.kind == "letters":
        return text.upper() if edit.texts == ("upper",) else text.lower()
    if edit.kind == "swap":
        return _swapped(edit, text)
    if edit.kind == "value":
        return _valued(edit, text)
    lines = text.split("\n")
    if edit.kind == "drop":
        at = _line(lines, edit.anchor)
        return None if at is None else "\n".join((*lines[:at], *lines[at + 1 :]))
    return _added(edit, text, lines)


def _added(edit: Edit, text: str, lines: list[str]) -> str | None:
    if not text.strip():
        return "\n".join(edit.texts)
    if edit.place in ("end", "any"):
        return text + ("" if text.endswith("\n") else "\n") + "\n".join(edit.texts)
    if edit.place == "start":
        return "\n".join((*edit.texts, text))
    if edit.place in ("after", "before"):
        at = _line(lines, edit.anchor)
        if at is None:
            return None
        at += edit.place == "after"
        return "\n".join((*lines[:at], *edit.texts, *lines[at:]))
    return None


def _swapped(edit: Edit, text: str) -> str | None:
    old, new = edit.texts
    word = re.compile((r"(?<!\w)" if old[:1].isalnum() else "") + re.escape(old) + (r"(?!\w)" if old[-1:].isalnum() else ""))
    lines = text.split("\n")
    times = len(word.findall(text))
    if edit.anchor and not (edit.place == "of" and times == 1):
        meant = [at for at in range(len(lines)) if word.search(lines[at]) and _speaks(lines[at], edit.anchor)]
        if len(meant) != 1 or len(word.findall(lines[meant[0]])) != 1:
            return None
        lines[meant[0]] = word.sub(lambda _: new, lines[meant[0]])
        return "\n".join(lines)
    # A quoted text is meant wherever it stands; a figure may stand elsewhere for something else.
    if times == 1 or (times > 1 and edit.place in ("every", "quoted")):
        return word.sub(lambda _: new, text)
    return None


def _valued(edit: Edit, text: str) -> str | None:
    """With the one value of its kind in the line of something replaced; a unit that stands there stays there."""
    value, lines = edit.texts[0], text.split("\n")
    meant = [at for at in range(len(lines)) if _speaks(lines[at], edit.anchor)]
    if len(meant) != 1:
        return None
    line = lines[meant[0]]
    for kind in _KINDS:
        there = kind.search(value)
        if there is None:
            continue
        unit = value[there.end() :]
        old = list(kind.finditer(line))
        if len(old) != 1 or value[: there.start()].strip():
            return None
        end = old[0].end()
        if unit.strip() and not line[end:].startswith(unit):
            return None
        lines[meant[0]] = line[: old[0].start()] + there.group(0) + line[end:]
        return "\n".join(lines)
    return None


def _line(lines: list[str], words: str) -> int | None:
    """The one line that ``words`` mean: the line that is them, else the one that has them."""
    same = [at for at, line in enumerate(lines) if line.strip().casefold() == words.strip().casefold()]
    found = same or [at for at, line in enumerate(lines) if _speaks(line, words)]
    return found[0] if len(found) == 1 else None


def _speaks(line: str, words: str) -> bool:
    """Whether a line has these words, whatever case they are in; a plural or an article more or less does not count."""
    if words.casefold() in line.casefold():
        return True
    wanted = [word for word in re.findall(r"\w+", words.casefold()) if word not in ("the", "a", "an")]
    there = set(re.findall(r"\w+", line.casefold()))
    return bool(wanted) and all(word in there or word.rstrip("s") in {each.rstrip("s") for each in there} for word in wanted)
