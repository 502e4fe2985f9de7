"""Parts of a task as orders, if every word of them is understood.

There is no grammar. A part becomes a line of known words and of slots for what it names, and is an order if that line
matches one of the vocabulary's forms. Nothing is inferred from anything else that a part says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from deskcrew.english.vocabulary import vocabulary
from deskcrew.texts import FILE_NAME, QUOTED, is_pattern
from deskcrew.verdict import RESULT

_TOKEN = re.compile(
    rf"(?P<TEXT>{re.sub('[(](?![?])', '(?:', QUOTED.pattern)})|(?P<URL>https?://[^\s\"'”<>]+)|(?P<FILE>{FILE_NAME.pattern})"
    r"|(?P<FOLDER>[\w-]+(?:/[\w-]+)*/)|(?P<CELL>(?:\w+!)?\$?[A-Z]{1,3}\$?[1-9]\d{0,6}\b)"
    r"|(?P<NUMBER>-?\d[\d.,]*\d|-?\d)(?!\w)|(?P<WORD>\w+(?:['’-]\w+)*)|(?P<MARK>[^\w\s])"
)
_SILENT = frozenset(",:.!?")
"""Punctuation between the words of a part that carries no meaning."""
Slot = Literal["TEXT", "URL", "FILE", "FOLDER", "CELL", "NUMBER", "WORD", "MARK", "RESULT", "NAME"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a mark, or a named thing. ``value``: its text without quotation marks; ``start`` and ``end``: its
    position."""

    slot: Slot
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Order:
    """What a part of a task orders.

    ``kind``: one of the forms, ``open`` (``what``: the program, () for any) or ``visit`` (``what``: the address), ``ask``
    for a question that the run answers, or '' for what is not understood. ``what``: texts, values and :data:`RESULT`;
    ``files`` and ``folders``: in the order in which they are named; ``place``: END, START or ''; ``words``: the part
    itself; ``sentence``: the one that it stands in. What its verb tells even where the rest is not understood:
    ``asks``, ``finds`` (it has something found out), ``makes`` (files), ``changes`` (a file).
    """

    kind: str
    what: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    cell: str = ""
    place: str = ""
    whole_line: bool = False
    words: str = ""
    sentence: str = ""
    asks: bool = False
    finds: bool = False
    makes: bool = False
    changes: bool = False

    @property
    def name(self) -> str:
        return self.files[-1] if self.files else ""


def tokens(text: str, there: Collection[str] = ()) -> list[Token]:
    """The tokens of ``text``. ``there``: paths that count as files and folders however they are written; folders end
    with a slash."""
    found: list[Token] = []
    spaced = [path for path in there if re.search(r"[^\w./-]", path)]
    names = re.compile("|".join(map(re.escape, sorted(spaced, key=len, reverse=True))) or r"(?!)")
    at = 0
    while at < len(text):
        if match := names.match(text, at):
            found.append(Token("FILE", match.group(0), at, match.end()))
        elif (match := _TOKEN.match(text, at)) is None:
            at += 1
            continue
        else:
            found.append(_token(match, there, found))
        at = match.end()
    return list(_folders(found, there))


def _token(match: re.Match[str], there: Collection[str], before: list[Token]) -> Token:
    slot, value = str(match.lastgroup), match.group(0)
    last = before[-1].value.casefold() if before else ""
    if slot == "TEXT":
        value = value[1:-1]
        named = FILE_NAME.fullmatch(value) or value in there or re.fullmatch(r"[\w() -]+\.[a-z]{2,4}", value)
        slot = "FILE" if named and not is_pattern(value) else "TEXT"
    elif slot == "CELL" and last not in vocabulary().things["cell"]:
        slot = "WORD"
    elif slot == "WORD" and value.casefold() in vocabulary().results and last in vocabulary().things["result"]:
        slot = "RESULT"
    return Token(slot, value, match.start(), match.end())  # type: ignore[arg-type]


def _folders(found: list[Token], there: Collection[str]) -> Iterator[Token]:
    """Merges "the folder x" and "the x folder" into one token, and marks names of existing folders."""
    held: list[Token] = []
    at = 0
    while at < len(found):
        token, rest = found[at], found[at + 1 :]
        if token.value.casefold() in vocabulary().things["folder"]:
            skip = 1 if rest and rest[0].value.casefold() in vocabulary().things["called"] else 0
            named = rest[skip] if len(rest) > skip else None
            if named is not None and (named.slot == "TEXT" or _is_name(named)):
                held.append(Token("FOLDER", named.value.strip("/"), token.start, named.end))
                at += skip + 2
                continue
            if held and _is_name(held[-1]):
                held.append(Token("FOLDER", (last := held.pop()).value, last.start, token.end))
                at += 1
                continue
        if token.slot == "FOLDER" or f"{token.value}/" in there:
            token = Token("FOLDER", token.value.rstrip("/"), token.start, token.end)
        held.append(token)
        at += 1
    yield from held


def _is_name(token: Token) -> bool:
    return token.slot in ("WORD", "FOLDER") and token.value.casefold() not in vocabulary().plain


def said(part: list[Token]) -> list[str]:
    """The words of a part in lower case, without names and without filler phrases ("don't forget to")."""
    words = [each.value.casefold().replace("’", "'") for each in part]
    found: list[str] = []
    at = 0
    while at < len(words):
        silent = silence(words[at:])
        found += [words[at]] if not silent and part[at].slot in ("WORD", "RESULT") else []
        at += silent or 1
    return found


def silence(words: list[str]) -> int:
    """The number of words at the beginning that form a filler phrase; 0 if there is none."""
    phrases = (phrase for phrase, plain in vocabulary().phrases if not plain)
    return next((len(phrase) for phrase in phrases if tuple(words[: len(phrase)]) == phrase), 0)


def plain_words(part: list[Token]) -> list[tuple[str, Token]]:
    """The words of a part as the forms use them, each with its token; filler is left out."""
    known = vocabulary()
    found: list[tuple[str, Token]] = []
    at = 0
    while at < len(part):
        token = part[at]
        words = tuple(each.value.casefold().replace("’", "'") for each in part[at : at + 6])
        for phrase, plain in known.phrases:
            if words[: len(phrase)] == phrase:
                at += len(phrase)
                found += [(plain, token)] if plain else []
                break
        else:
            at += 1
            plain = token.slot if token.slot not in ("WORD", "MARK") else known.plain.get(words[0], "?")
            if plain == "?" and token.slot == "WORD":
                plain = "NAME" if token.value[0].isupper() else words[0]
            if token.slot == "MARK":
                plain = "" if token.value in _SILENT else token.value
            if plain and not (plain == "to" and found and found[-1][0] == "to"):
                found.append((plain, token))
    return found


def parse(part: str, there: Collection[str] = ()) -> Order | None:
    """The order that ``part`` expresses; None if a word of it is not understood, or a name is a pattern for several
    files."""
    words = plain_words(tokens(part, there))
    line = "".join(f"{plain} " for plain, _ in words)
    kind = next((kind for kind, form in vocabulary().forms if form.fullmatch(line)), None)
    if kind is None or any(is_pattern(token.value) for plain, token in words if plain == "FILE"):
        return None

    def of(*slots: str) -> tuple[str, ...]:
        return tuple(RESULT if plain == "RESULT" else token.value for plain, token in words if plain in slots)

    return Order(
        kind=kind,
        what=of("TEXT", "RESULT", "NUMBER", "NAME"),
        files=of("FILE"),
        folders=of("FOLDER"),
        cell=next(iter(of("CELL")), "").replace("$", ""),
        place=next((plain for plain, _ in words if plain in ("END", "START")), ""),
        whole_line=any(plain == "line" for plain, _ in words),
        words=part.strip(" ,;."),
    )
