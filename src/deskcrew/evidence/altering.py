"""Mutations of a file, each of which alters one thing. Evidence that does not notice them shows only that the file exists.

A mutation is small and specific to the file's type: another number, another letter, a missing line, a different cell or
paragraph, an archive without one of its files. Formatting is altered only where it changed and the content did not: for
newly written content nobody knows which formatting was asked for. Mutations are deterministic: the same file is always
altered in the same way.
"""

from __future__ import annotations

import email
import email.policy
import io
import string
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from PIL import Image

from deskcrew.actions.letters import LONGEST_HEADER
from deskcrew.actions.sections import archive, damaged
from deskcrew.environments.pictures import DECODED, FORMATS
from deskcrew.evidence.damaging import packed, parts_damaged, saved, spread, unreadable
from deskcrew.evidence.places.sheets import workbook
from deskcrew.evidence.rewriting import rewritten

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph

Maker = Callable[[bytes | None, bytes], Iterator[tuple[str, bytes]]]
LARGEST = 4 << 20
"""The largest file, in bytes, that is altered line by line or cell by cell. In larger texts single bytes are altered."""
REPLACED = "other content"
"""The name of the mutation that replaces all content, used when no smaller part can be altered."""
DAMAGED = "damaged: "
"""The prefix of the names of mutations of which it is enough that one is noticed."""
MOST_DIGITS = 6
"""Of how many digits of a fraction, without leading zeros, one is altered."""
GARBAGE = b"banana\n"
_OF_PROGRAMS = frozenset({
    "begin", "end", "version", "prodid", "calscale", "method", "uid", "dtstamp", "created", "last-modified", "sequence",
    "rev", "transp",
})  # fmt: skip
"""Properties that programs add to calendars and contact cards by themselves."""
_ADDRESSED = frozenset({"subject", "to", "cc"})
"""Headers of a message that the user may have asked for."""


def altered(path: str, before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield mutations of what is new in a file: name and content. ``before``: the content at the start, None if it is new.

    Yields nothing for a file that is unchanged or empty. If nothing smaller can be altered, its whole content is replaced.
    """
    if before == now or not now:
        return
    makers = _MAKERS.get(PurePosixPath(path).suffix.lower(), (_lines,))
    if max(len(before or b""), len(now)) > LARGEST:
        makers = (_large,)
    found = False
    for mutation in (each for maker in makers for each in _readable(maker, before, now)):
        found = True
        yield mutation
    if not found:
        yield REPLACED, GARBAGE
        for what, content in parts_damaged(path, before, now, _other_text) if len(now) <= LARGEST else ():
            yield f"{DAMAGED}{what}", content


def _readable(maker: Maker, before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """The mutations of a maker; none for a file that it cannot read."""
    try:
        yield from maker(before, now)
    except unreadable():
        return


def _other_text(text: str) -> str | None:
    return next((other for _, other in altered_text(text)), None)


def _large(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Mutations of a text that is too large to compare line by line: another digit, or the last line left out."""
    if b"\0" in now[:LARGEST]:
        return
    for part in (1, 2, 3):
        places = (now.find(digit, len(now) * part // 4) for digit in string.digits.encode())
        at = min((place for place in places if place >= 0), default=-1)
        if at >= 0 and now[at : at + 1] != (before or b"")[at : at + 1]:
            other = _other_digit(now[at : at + 1].decode()).encode()
            yield f"byte {at + 1} with another number", now[:at] + other + now[at + 1 :]
    yield "the last line left out", now[: now.rstrip(b"\n").rfind(b"\n") + 1]


def _lines(
    before: bytes | None, now: bytes, spoken: Callable[[str], bool] = lambda line: True
) -> Iterator[tuple[str, bytes]]:
    """Mutations of new lines. ``spoken``: whether the user may have asked for the content of a line."""
    old = set((before or b"").decode("utf-8-sig", "replace").splitlines())
    lines = now.decode("utf-8").splitlines(keepends=True)
    for number in _new(lines, old, spoken):
        for what, other in (*altered_text(lines[number]), ("left out", "")):
            yield f"line {number + 1} {what}", _with(lines, number, other).encode()


def _new(lines: Sequence[str], old: set[str], spoken: Callable[[str], bool] = lambda line: True) -> Sequence[int]:
    """The indices of up to MOST_PARTS new lines."""
    return spread([at for at, line in enumerate(lines) if line.strip() and line.rstrip("\r\n") not in old and spoken(line)])


def _with(lines: Sequence[str], at: int, other: str) -> str:
    """The text with one line replaced by ``other``."""
    return "".join((*lines[:at], other, *lines[at + 1 :]))


def _entries(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Mutations of calendars and contact cards."""
    # A folded line goes on behind a blank.
    return _lines(before, now, lambda line: not (line[0].isspace() or _named(line) in _OF_PROGRAMS))


def _named(line: str) -> str:
    """The name of the property or header on a line of a calendar, card or message, in lower case."""
    return line.partition(":")[0].partition(";")[0].strip().casefold()


def _letters(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Mutations of a message's recipients, subject and text, where these appear unencoded in the file."""
    message = email.message_from_bytes(now, policy=email.policy.default)
    if any(len(value) > LONGEST_HEADER for part in message.walk() for _, value in part.raw_items()):
        return iter(())
    body = message.get_body(("plain",))
    said = set(body.get_content().splitlines()) if body is not None else set[str]()
    return _lines(before, now, lambda line: _named(line) in _ADDRESSED or line.rstrip("\r\n") in said)


def _archives(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    old = {info.filename: info.CRC for info in archive(before).infolist()} if before else {}
    files = [info for info in archive(now).infolist() if not info.is_dir()]
    for gone in spread([info.filename for info in files if old.get(info.filename) != info.CRC]):
        for what, content in (("left out", None), ("with other content", GARBAGE)):
            yield f"{gone} {what}", packed(now, gone, content)


def _pictures(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """If a picture's size changed: one mutation that replaces it, and one that crops it by a row of pixels."""
    if before is None or _size(before) in (None, _size(now)):
        return
    for cropped in islice(parts_damaged("a.png", None, now, _other_text), 1):
        yield REPLACED, GARBAGE
        yield cropped


def _size(picture: bytes) -> tuple[int, int] | None:
    try:
        with Image.open(io.BytesIO(picture), formats=DECODED) as image:
            return image.size
    except damaged():
        return None


def _sheets(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    old, new = cells(before) if before else {}, cells(now)
    for sheet, address in spread([at for at, value in new.items() if old.get(at) != value]):
        value = new[sheet, address]
        other = value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else f"{value}x"
        written = rewritten(now, sheet, address, other)
        if written is not None:
            yield f"{sheet}!{address} with another value", written


def cells(data: bytes) -> dict[tuple[str, str], object]:
    """The values of a workbook by sheet and address. Raises what its parser raises."""
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in workbook(data).worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


def _cell_looks(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Cells whose value did not change, given back their formatting from the start, one at a time."""
    from openpyxl import load_workbook

    if before is None:
        return
    was, became, old = workbook(before), workbook(now), cells(before)
    same = [at for at, value in cells(now).items() if old.get(at) == value]
    for words, (attribute, look) in _CELL_LOOKS.items():
        changed = [at for at in same if look(was[at[0]][at[1]]) != look(became[at[0]][at[1]])]
        for sheet, address in spread(changed):
            book = load_workbook(io.BytesIO(now))
            setattr(book[sheet][address], attribute, copy(getattr(was[sheet][address], attribute)))
            yield f"{sheet}!{address} with the {words} that it had", saved(book.save)


def _paragraphs(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    from docx import Document

    old = {paragraph.text for paragraph in Document(io.BytesIO(before)).paragraphs} if before else set[str]()
    texts = [paragraph.text for paragraph in Document(io.BytesIO(now)).paragraphs]
    for number in spread([number for number, text in enumerate(texts) if text.strip() and text not in old]):
        document = Document(io.BytesIO(now))
        paragraph = document.paragraphs[number]
        paragraph.text = _other_text(paragraph.text) or f"{paragraph.text}x"
        yield f"paragraph {number + 1} with another text", saved(document.save)


def _paragraph_looks(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Paragraphs whose text did not change, given back their formatting from the start, one at a time."""
    from docx import Document

    if not before:
        return
    was = {paragraph.text: paragraph for paragraph in Document(io.BytesIO(before)).paragraphs if paragraph.text.strip()}
    paragraphs = Document(io.BytesIO(now)).paragraphs
    for name, (look, put) in _LOOKS.items():
        changed = [
            number
            for number, paragraph in enumerate(paragraphs)
            if paragraph.text in was and look(paragraph) != look(was[paragraph.text])
        ]
        for number in spread(changed):
            document = Document(io.BytesIO(now))
            paragraph = document.paragraphs[number]
            put(paragraph, was[paragraph.text])
            yield f"paragraph {number + 1} with the {name} that it had", saved(document.save)


def _marked(name: str) -> tuple[Callable[[Paragraph], object], Callable[[Paragraph, Paragraph], None]]:
    """How much of a paragraph is bold (italic, underlined), compared letter by letter so that its division into runs
    does not matter."""

    def look(paragraph: Paragraph) -> object:
        return [bool(getattr(run.font, name)) for run in paragraph.runs for letter in run.text if not letter.isspace()]

    def put(paragraph: Paragraph, old: Paragraph) -> None:
        worn = [getattr(run.font, name) for run in old.runs for _ in run.text]
        at = 0
        for run in paragraph.runs:
            if at < len(worn):
                setattr(run.font, name, worn[at])
            at += len(run.text)

    return look, put


def _style_put(paragraph: Paragraph, old: Paragraph) -> None:
    paragraph.style = old.style.name if old.style is not None else None


def _aligned(paragraph: Paragraph) -> str:
    return paragraph.alignment.name if paragraph.alignment is not None else "LEFT"


def _align_put(paragraph: Any, old: Paragraph) -> None:
    paragraph.alignment = old.alignment


# Formatting that programs rewrite differently whenever they save a file (theme colours, default sizes) is left out.
_CELL_LOOKS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "font": ("font", lambda cell: (bool(cell.font.b), bool(cell.font.i), cell.font.u or "none")),
    "number format": ("number_format", lambda cell: "a date" if cell.is_date else cell.number_format),
    "alignment": ("alignment", lambda cell: cell.alignment.horizontal or "general"),
}
_LOOKS: dict[str, tuple[Callable[[Paragraph], object], Callable[[Paragraph, Paragraph], None]]] = {
    "bold": _marked("bold"),
    "italics": _marked("italic"),
    "underlining": _marked("underline"),
    "alignment": (_aligned, _align_put),
    "style": (lambda paragraph: paragraph.style.name if paragraph.style is not None else "", _style_put),
}


def altered_text(text: str) -> Iterator[tuple[str, str]]:
    """Mutations of a short text, each with its name. They differ by so much that it cannot be meant: a shade is another
    colour, and of a long fraction none of the last digits is altered."""
    if text.startswith("#") and len(text) in (4, 7) and set(text[1:]) <= set(string.hexdigits):
        yield "with another colour", f"#{''.join(f'{int(digit, 16) ^ 8:x}' for digit in text[1:])}"
        return
    for what, is_one, other in (("number", str.isdecimal, _other_digit), ("letter", str.isalpha, _other_letter)):
        found = _another(text, is_one, other)
        if found is not None and found != text:
            yield f"with another {what}", found


def _another(text: str, is_one: Callable[[str], bool], other: Callable[[str], str]) -> str | None:
    """``text`` with the middle one of the matching characters replaced; None if none matches."""
    found = [at for at, sign in enumerate(text) if is_one(sign)]
    if is_one is str.isdecimal and text.strip().lstrip("-").replace(".", "", 1).isdecimal() and "." in text:
        found = [at for at in found if set(text[: at + 1]) - set(" -0.")][:MOST_DIGITS]
    if not found:
        return None
    at = found[len(found) // 2]
    return text[:at] + other(text[at]) + text[at + 1 :]


def _other_digit(digit: str) -> str:
    return str((int(digit) + 1) % 10)


def _other_letter(letter: str) -> str:
    return {"x": "y", "X": "Y"}.get(letter, "X" if letter.isupper() else "x")


_MAKERS: dict[str, tuple[Maker, ...]] = {
    ".xlsx": (_sheets, _cell_looks), ".xlsm": (_sheets, _cell_looks), ".docx": (_paragraphs, _paragraph_looks),
    ".zip": (_archives,), ".eml": (_letters,), ".ics": (_entries,), ".vcf": (_entries,),
    **dict.fromkeys(FORMATS, (_pictures,)),
}  # fmt: skip
"""The mutators by suffix; all of them are tried, and any may find nothing to alter. Other files are altered line by line."""
