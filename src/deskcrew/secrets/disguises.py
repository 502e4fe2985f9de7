"""Finds values of secrets in other notations: spaced, wrapped, reversed, in another case, escaped, or encoded.

Instead of one pattern for each notation, a text is converted into a few normal forms (streams), in each of which one family
of notations looks alike, and values are searched for there: only letters and digits, without case and separators; hex
digits; base64 and base32 characters; and characters for numbers. Each stream is made from the text as it is and from the
text with its escapes decoded. Everything is linear in the text's length; the origin of each character is computed only if
there is something to replace.
"""

from __future__ import annotations

import base64
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

LEAST_LETTERS, LEAST_DIGITS = 8, 10
"""The minimum numbers of letters and digits, and of digits if a value has nothing else, for it to be searched for without
separators: shorter values would match unrelated text."""
LEAST_CODED = {"base64": 8, "base32": 10, "hex": 8, "numbers": 4}
"""The minimum numbers of characters that an encoded value is certain to have in its stream."""
PASSES = 4

_BACKSLASH = (
    r"\\+u(?P<short>[0-9a-fA-F]{4})|\\+u\{(?P<braced>[0-9a-fA-F]{1,6})\}|\\+U(?P<long>[0-9a-fA-F]{8})"
    r"|(?P<bytes>(?:\\+x[0-9a-fA-F]{2})+)|\\+(?P<octal>[0-7]{3})|\\+(?P<letter>[abfnrtv0\"'/])"
)
_QUOTED = r"(?P<percent>(?:%[0-9a-fA-F]{2})+)"
_ESCAPED = re.compile(rf"{_BACKSLASH}|{_QUOTED}|(?P<entity>&#?\w{{1,32}};)")
_PRINTABLE = re.compile(r"((?:=[0-9A-F]{2})+)|(=[ \t]*\r?\n)")
"""Quoted-printable: bytes, and a soft line break."""
_NUMBER = re.compile(
    r"[0-9](?<![0-9A-Za-z_.][0-9])(?:(?<=0)[oO]?[0-7]{1,7}|(?<=0)[xX][0-9a-fA-F]{1,6}|[0-9]{0,6})(?![0-9A-Za-z_])"
)
"""A number that is not part of a word. The lookbehind comes after the first digit, because that is faster."""

Spans = list[tuple[int, int]]
"""The start and end in the original text of each character of a stream."""


class FoundSecret(NamedTuple):
    """A part of a text that contains a value. ``secret``: the index of that value."""

    start: int
    end: int
    secret: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """One or more characters of a stream, and their place in the original text."""

    text: str
    start: int
    end: int


class Disguises:
    """Searches texts for values in other notations."""

    def __init__(self, values: Iterable[str]) -> None:
        self._needles: dict[str, list[tuple[str, int]]] = {name: [] for name in _STREAMS}
        for number, value in enumerate(values):
            # What looks like an escape in a value is undone with those it is written with.
            forms = (value, *(view.plain(value) or "" for view in _VIEWS))
            for stream, needle in dict.fromkeys(each for form in dict.fromkeys(forms) for each in _needles(form)):
                self._needles[stream].append((needle, number))
        self._needles = {name: needles for name, needles in self._needles.items() if needles}

    def find(self, text: str) -> list[FoundSecret]:
        """The places of values in a text, in order and without overlaps."""
        found: list[FoundSecret] = []
        searched = set[str]()
        for view in _VIEWS:
            plain = view.plain(text)
            if plain is None or plain in searched:
                continue
            searched.add(plain)
            for name, needles in self._needles.items():
                stream = _STREAMS[name]
                letters = "".join(stream.quick(plain))
                there = [(needle, number) for needle, number in needles if needle in letters]
                if there:
                    found += _located(text, view, stream, there)
        return _apart(found)


# -- texts without their escapes


@dataclass(frozen=True, slots=True)
class _View:
    """A way to decode escapes. ``pattern``: None for the text as it is."""

    pattern: re.Pattern[str] | None
    marks: str
    """The characters with which the escapes begin."""
    undo: Callable[[re.Match[str]], str]

    def plain(self, text: str) -> str | None:
        """The decoded text; None if it has no escapes."""
        if self.pattern is None:
            return text
        if not any(mark in text for mark in self.marks) or not self.pattern.search(text):
            return None
        known: dict[str, str] = {}

        def undone(match: re.Match[str]) -> str:
            escape = match[0]
            if (plain := known.get(escape)) is None:
                plain = known[escape] = self.undo(match)
            return plain

        return _joined(self.pattern.sub(undone, text))

    def pieces(self, text: str) -> Iterator[_Piece]:
        """The decoded text with the origin of each character."""
        place = 0
        for match in self.pattern.finditer(text) if self.pattern is not None else ():
            yield from (_Piece(text[at], at, at + 1) for at in range(place, match.start()))
            yield from (_Piece(character, match.start(), match.end()) for character in self.undo(match))
            place = match.end()
        yield from (_Piece(text[at], at, at + 1) for at in range(place, len(text)))


def _undone(match: re.Match[str]) -> str:
    kind = match.lastgroup
    said = match[kind or 0]
    if kind in ("short", "braced", "long"):
        return _character(int(said, 16))
    if kind == "bytes":
        data = bytes.fromhex(said.replace("\\", "").replace("x", ""))
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data.decode("latin-1")
    if kind == "octal":
        return _character(int(said, 8))
    if kind == "letter":
        return said if said in "\"'/" else " "
    if kind == "percent":
        return bytes.fromhex(said.replace("%", "")).decode("utf-8", "replace")
    return html.unescape(said)


def _unprinted(match: re.Match[str]) -> str:
    return bytes.fromhex(match[1].replace("=", "")).decode("utf-8", "replace") if match[1] else ""


def _character(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else " "


def _joined(text: str) -> str:
    """A text with its surrogate pairs joined, in which JSON escapes characters outside the basic plane."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


_VIEWS = (
    _View(None, "", _undone),
    _View(_ESCAPED, "\\%&", _undone),
    # A value may itself look like an escape of another kind than the one it is written with.
    _View(re.compile(_BACKSLASH), "\\", _undone),
    _View(re.compile(_QUOTED), "%", _undone),
    _View(_PRINTABLE, "=", _unprinted),
)


# -- streams


@dataclass(frozen=True, slots=True)
class _Stream:
    """A normal form of texts. ``quick``: converts a whole text; ``of``: converts one character or, with ``many``, one
    number."""

    quick: Callable[[str], Iterable[str]]
    of: Callable[[str], str]
    many: bool = False


def _plain_letter(character: str) -> str:
    """A letter or digit without case and diacritics; '' for any other character."""
    if character.isascii():
        return character.lower() if character.isalnum() else ""
    return "".join(one for one in unicodedata.normalize("NFKD", character).casefold() if one.isalnum())


_ASCII = {code: _plain_letter(chr(code)) or None for code in range(128)}


def _plain_letters(text: str) -> Iterable[str]:
    if text.isascii():
        return (text.translate(_ASCII),)
    folded = unicodedata.normalize("NFKD", text).casefold()
    return filter(str.isalnum, folded)


_HEX_SIGNS = re.compile(r"0[xX]|\\+x")


def _hex_digit(character: str) -> str:
    if character in "0123456789abcdefABCDEF":
        return character.lower()
    return "|" if character.isalpha() else ""


def _base64_letter(character: str) -> str:
    if character in "-_":
        return "+" if character == "-" else "/"
    if character.isascii() and (character.isalnum() or character in "+/"):
        return character
    return "" if character.isspace() else "|"


def _base32_letter(character: str) -> str:
    upper = character.upper()
    if upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567":
        return upper
    return "" if character.isspace() else "|"


class _Others(dict[int, str | None]):
    """What each ASCII character becomes; all others become ``|``, which no encoded value contains."""

    def __missing__(self, code: int) -> str:
        return "|"


def _table(of: Callable[[str], str]) -> Callable[[str], Iterable[str]]:
    """The ``quick`` function of a stream in which each character depends on one character of the text."""
    known = _Others({code: of(chr(code)) or None for code in range(128)})

    def quick(text: str) -> Iterable[str]:
        return (text.translate(known),)

    return quick


def _hex_quick(text: str) -> Iterable[str]:
    return _HEX_TABLE(_HEX_SIGNS.sub(" ", text))


_HEX_TABLE = _table(_hex_digit)


def _number(written: str) -> str:
    """The character with the code that a program wrote as this number; '' for zero, so that UTF-16 reads like its letters,
    and for codes that no character has."""
    if written[1:2] in ("x", "X"):
        return _code(int(written, 16))
    octal = written[1:].lstrip("oO") if written[0] == "0" else ""
    return _code(int(octal, 8) if octal and not set(octal) - _OCTAL else int(written))


def _octal_number(written: str) -> str:
    """The character with the code that a program wrote as this octal number; '' for zero and if it is not octal."""
    digits = written.lstrip("0").lstrip("oO")
    return _code(int(digits, 8)) if digits and not set(digits) - _OCTAL else ""


_OCTAL = set("01234567")


def _code(code: int) -> str:
    return chr(code).casefold() if 0 < code <= 0x10FFFF else ""


class _Recurring(dict[str, str]):
    """A cache for one text, in which most numbers recur."""

    def __init__(self, of: Callable[[str], str]) -> None:
        super().__init__()
        self._of = of

    def __missing__(self, written: str) -> str:
        found = self[written] = self._of(written)
        return found


def _of_numbers(of: Callable[[str], str]) -> Callable[[str], Iterable[str]]:
    def quick(text: str) -> Iterable[str]:
        return map(_Recurring(of).__getitem__, _NUMBER.findall(text))

    return quick


_STREAMS = {
    "letters": _Stream(_plain_letters, _plain_letter),
    "hex": _Stream(_hex_quick, _hex_digit),
    "base64": _Stream(_table(_base64_letter), _base64_letter),
    "base32": _Stream(_table(_base32_letter), _base32_letter),
    "numbers": _Stream(_of_numbers(_number), _number, many=True),
    "octal": _Stream(_of_numbers(_octal_number), _octal_number, many=True),
}


# -- what to look for


def _needles(value: str) -> Iterator[tuple[str, str]]:
    letters = "".join(_plain_letters(value))
    enough = LEAST_DIGITS if letters.isdigit() else LEAST_LETTERS
    if len(letters) >= enough:
        turned = "".join(_plain_letters(codecs.encode(value, "rot13")))
        yield from (("letters", form) for form in dict.fromkeys((letters, letters[::-1], turned)))
    forms = dict.fromkeys((value.encode(), value.encode("utf-16-le"), value.encode("utf-16-be")))
    for data in forms:
        if len(data) * 2 >= LEAST_CODED["hex"]:
            yield "hex", data.hex()
            yield "hex", data[::-1].hex()
        for shift in range(3):
            core = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
            core = core[(0, 2, 3)[shift] : -1 if (shift + len(data)) % 3 else None]
            if len(core) >= LEAST_CODED["base64"]:
                yield "base64", core
        for shift in range(5):
            core = base64.b32encode(b"\0" * shift + data).decode().rstrip("=")
            core = core[-(-shift * 8 // 5) : -1 if (shift + len(data)) % 5 else None]
            if len(core) >= LEAST_CODED["base32"]:
                yield "base32", core
    if len(value) >= LEAST_CODED["numbers"]:
        folded = value.casefold()
        # As in what is read, zeros are left out.
        coded = ("".join(chr(byte) for byte in data if byte).casefold() for data in forms)
        for form in dict.fromkeys((folded, folded[::-1], *coded)):
            yield "numbers", form
            yield "octal", form


# -- where it is


def _located(text: str, view: _View, stream: _Stream, needles: list[tuple[str, int]]) -> Iterator[FoundSecret]:
    letters, spans = list[str](), Spans()
    for piece in _placed(text, view, stream):
        letters += piece.text
        spans += [(piece.start, piece.end)] * len(piece.text)
    whole = "".join(letters)
    for needle, number in needles:
        at = whole.find(needle)
        while at >= 0:
            yield FoundSecret(spans[at][0], spans[at + len(needle) - 1][1], number)
            at = whole.find(needle, at + len(needle))


def _placed(text: str, view: _View, stream: _Stream) -> Iterator[_Piece]:
    pieces = list(view.pieces(text))
    if not stream.many:
        if stream.quick is _hex_quick:
            pieces = _without_signs(pieces)
        yield from (_Piece(stream.of(piece.text), piece.start, piece.end) for piece in pieces)
        return
    for number in _NUMBER.finditer("".join(piece.text for piece in pieces)):
        yield _Piece(stream.of(number[0]), pieces[number.start()].start, pieces[number.end() - 1].end)


def _without_signs(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces with spaces in place of the prefixes of hex digits."""
    kept = list(pieces)
    for match in _HEX_SIGNS.finditer("".join(piece.text for piece in pieces)):
        for at in range(match.start(), match.end()):
            kept[at] = _Piece(" ", pieces[at].start, pieces[at].end)
    return kept


def _apart(found: list[FoundSecret]) -> list[FoundSecret]:
    """The places in order. Overlapping places are merged into one, with the secret of the first."""
    apart: list[FoundSecret] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if apart and one.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = last._replace(end=max(last.end, one.end))
        else:
            apart.append(one)
    return apart
