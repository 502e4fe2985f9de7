"""Finds values of secrets in texts, bytes and data, plain and encoded, and replaces them by ``[secret NAME]``.

There are two passes. One compiled pattern finds contiguous values of four characters or more: the value itself, with any of
its characters escaped as in URLs, JSON and HTML; base64; and hex. Then :mod:`~deskcrew.secrets.disguises` finds values of
eight letters and digits or more, however they are spaced, wrapped, reversed or encoded. Not found are values that were
compressed, encrypted, encoded twice, or split by other letters.
"""

from __future__ import annotations

import base64
import html.entities
import re
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel

from deskcrew.facts import excerpts
from deskcrew.facts.json_values import is_object, is_sequence
from deskcrew.secrets.binding import NAME, Secret
from deskcrew.secrets.disguises import PASSES, Disguises

CUT = re.compile(rf"…|(?:\n\[)?\.\.\.|\n{re.escape(excerpts.CUT)}")
"""Marks of truncated text. The text before a mark may end with the beginning of a value."""
SHORTEST_PIECE = 4
"""The minimum length of a value's beginning to be replaced in truncated text."""
_PNG = b"\x89PNG\r\n\x1a\n"
_BREAK = r"(?:\\r|\\n|[\r\n]){0,2}"
"""A line break in base64, also as JSON writes it."""
M = TypeVar("M", bound=BaseModel)


class Redactor:
    """Replaces the values of some secrets. Without secrets, it returns everything unchanged. Idempotent."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        # Of two where one holds the other, the longer is what stands there.
        ordered = sorted(secrets, key=lambda secret: -len(secret.value))
        self._names = [secret.name for secret in ordered]
        self._beginnings = [(secret.name, form) for secret in ordered for form in _plain_forms(secret.value)]
        kept = rf"\{{\{{\s*secret:{NAME}\s*\}}\}}|\[secret {NAME}\]"
        branches = [f"(?P<s{at}>{_pattern(secret.value)})" for at, secret in enumerate(ordered)]
        self._pattern = re.compile("|".join([f"(?P<kept>{kept})", *branches])) if ordered else None
        self._kept = re.compile(f"({kept})")
        self._disguises = Disguises(secret.value for secret in ordered)

    def __bool__(self) -> bool:
        return self._pattern is not None

    def text(self, text: str) -> str:
        """``text`` without values."""
        if self._pattern is None:
            return text
        return self._without_beginnings(self._undisguised(self._pattern.sub(self._replaced, text)))

    def _undisguised(self, text: str) -> str:
        """``text`` without values in other notations. Values are not searched for across earlier replacements."""
        for _ in range(PASSES):
            parts = self._kept.split(text)
            clean = "".join(part if at % 2 else self._shown(part) for at, part in enumerate(parts))
            if clean == text:
                break
            text = clean
        return text

    def _shown(self, part: str) -> str:
        pieces, place = list[str](), 0
        for found in self._disguises.find(part):
            pieces += [part[place : found.start], f"[secret {self._names[found.secret]}]"]
            place = found.end
        return "".join([*pieces, part[place:]])

    def data(self, data: bytes) -> bytes:
        """Bytes without values. Bytes that are not text are unchanged; a PNG is not examined."""
        if self._pattern is None or data.startswith(_PNG):
            return data
        text = data.decode("utf-8", "surrogateescape")
        clean = self.text(text)
        return data if clean == text else clean.encode("utf-8", "surrogateescape")

    def holds(self, text: str | bytes) -> bool:
        """Whether a text contains a secret's value."""
        return self.data(text) != text if isinstance(text, bytes) else self.text(text) != text

    def plain(self, value: Any) -> Any:
        """JSON data without secrets' values in its keys and strings."""
        if isinstance(value, str):
            return self.text(value)
        if is_object(value):
            return {self.plain(key): self.plain(item) for key, item in value.items()}
        if is_sequence(value):
            return [self.plain(item) for item in value]
        return value

    def model(self, model: M) -> M:
        """A pydantic model without secrets' values; the same object if it has none. Excluded fields are kept."""
        if self._pattern is None or not self.holds(model.model_dump_json()):
            return model
        clean = type(model).model_validate(self.plain(model.model_dump(mode="json")))
        left = {name: getattr(model, name) for name, field in type(model).model_fields.items() if field.exclude}
        return clean.model_copy(update=left) if left else clean

    def exception(self, error: BaseException) -> None:
        """Remove secrets' values from the text of an exception and of its causes, in place."""
        if self._pattern is None:
            return
        seen: set[int] = set()
        waiting: list[BaseException | None] = [error]
        while waiting:
            one = waiting.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            # One whose text is made elsewhere, e.g. of a C structure, is told by its class alone.
            one.args = tuple(self.text(word) if isinstance(word, str) else word for word in one.args)
            for name in ("hint", "filename", "strerror"):
                if isinstance(word := getattr(one, name, None), str):
                    setattr(one, name, self.text(word))
            if notes := getattr(one, "__notes__", None):
                one.__notes__ = [self.text(str(note)) for note in notes]
            if self.holds(str(one)):
                one.args = (f"{type(one).__name__}, whose text held a secret",)
            waiting += [one.__cause__, one.__context__]

    def _replaced(self, match: re.Match[str]) -> str:
        group = match.lastgroup or "kept"
        return match.group() if group == "kept" else f"[secret {self._names[int(group[1:])]}]"

    def _without_beginnings(self, text: str) -> str:
        """``text`` without beginnings of values that were truncated in the middle."""
        if "…" not in text and "..." not in text and excerpts.CUT not in text:
            return text
        pieces: list[str] = []
        place = 0
        for mark in CUT.finditer(text):
            start, name = self._beginning(text, place, mark.start())
            pieces += [text[place:start], f"[secret {name}]" if name else "", mark.group()]
            place = mark.end()
        return "".join([*pieces, text[place:]])

    def _beginning(self, text: str, start: int, end: int) -> tuple[int, str]:
        """The start of the longest beginning of a value that ends at ``end``, and the secret's name; ``end`` and '' if there
        is none."""
        best, whose = end, ""
        for name, form in self._beginnings:
            for length in range(min(len(form) - 1, end - start), SHORTEST_PIECE - 1, -1):
                if end - length >= best:
                    break
                if text.startswith(form[:length], end - length):
                    best, whose = end - length, name
                    break
        return best, whose


def _pattern(value: str) -> str:
    data = value.encode()
    return "|".join((_loose(value), *_base64(data), _hex(data)))


def _loose(value: str) -> str:
    return "".join(_character(character) for character in value)


def _character(character: str) -> str:
    """A pattern for a character as itself, percent-encoded, or escaped as in JSON or HTML."""
    point = ord(character)
    percent = "".join(_any_case(f"%{byte:02x}") for byte in character.encode())
    units = character.encode("utf-16-be").hex()
    escaped = "".join(r"\\u" + _any_case(units[at : at + 4]) for at in range(0, len(units), 4))
    ways = [re.escape(character), percent, escaped, rf"&\#0*{point};", rf"&\#[xX]0*{_any_case(f'{point:x}')};"]
    if character in '"\\/':
        ways.append(re.escape("\\" + character))
    if character == "'":
        ways.append("&apos;")
    if character == " ":
        ways.append(r"\+")
    if point in html.entities.codepoint2name:
        ways.append(f"&{html.entities.codepoint2name[point]};")
    return f"(?:{'|'.join(ways)})"


def _any_case(text: str) -> str:
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else re.escape(c) for c in text)


def _base64(data: bytes) -> list[str]:
    """Patterns for a value inside any base64 text: at each alignment, the characters that depend only on the value, and the
    adjacent characters that depend partly on it."""
    patterns: list[str] = []
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + data).rstrip(b"=").decode()
        tail = (shift + len(data)) % 3
        core = encoded[(0, 2, 3)[shift] : -1 if tail else None]
        middle = _BREAK.join({"+": r"[+\-]", "/": r"(?:\\?/|_)"}.get(c, c) for c in core)
        letter = rf"(?:[A-Za-z0-9+/_\-]{_BREAK})?"
        patterns.append(f"{letter if shift else ''}{middle}{_BREAK + letter + '={0,2}' if tail else ''}")
    return patterns


def _hex(data: bytes) -> str:
    return r"(?:[\s:,\-]?(?:\\\\?x|0x)?)".join(_any_case(f"{byte:02x}") for byte in data)


def _plain_forms(value: str) -> list[str]:
    data = value.encode()
    coded = base64.b64encode(data).decode()
    return list(dict.fromkeys((value, coded, coded.replace("+", "-").replace("/", "_"), data.hex())))
