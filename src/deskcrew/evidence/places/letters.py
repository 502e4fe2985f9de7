"""Addresses in mail messages, mailboxes, calendars and contact cards."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from deskcrew.actions.letters import (
    attached_to,
    body_of,
    data_of,
    header,
    letters_of,
    message_of,
    name_of,
    text_in,
    unfolded,
)
from deskcrew.errors import ActionError
from deskcrew.evidence.places.tree import Exact, Leaf, Many, PlaceNode, bounded, lines

_LASTS = re.compile(r"([+-]?)P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,4})M)?(?:(\d{1,4})S)?)?")
_ESCAPES = (("\\\\", "\0"), ("\\n", "\n"), ("\\N", "\n"), ("\\", ""), ("\0", "\\"))
"""The escapes of commas, line ends and backslashes, in the order in which they are resolved."""


def letter(content: bytes) -> PlaceNode:
    """The root node of an .eml. Raises what its parser raises, and ValueError for content without a message's headers."""
    message = message_of(content)

    def one_header(name: str) -> PlaceNode:
        if name not in message:
            raise ActionError(f"The letter has no header {name!r}; it has: {', '.join(message.keys())[:200]}.")
        return PlaceNode("a header", {}, lambda: header(message, name))

    attached = attached_to(message)
    names: dict[str, Callable[[], PlaceNode | Many | Leaf]] = {
        **{name: lambda name=name: header(message, name) for name in ("subject", "from", "to", "cc", "bcc")},
        "date": lambda: parsedate_to_datetime(header(message, "date")).isoformat() if header(message, "date") else "",
        "body": lambda: body_of(message),
        "attachments": lambda: lines([name_of(part) for part in attached]),
        "attachment": lambda: Many("attachment", attached, _attachment, name_of),
        "header": lambda: PlaceNode("the letter", {}, others="[Name]", within=one_header),
    }
    return PlaceNode("the letter", names)


def _attachment(part: EmailMessage) -> PlaceNode:
    data = data_of(part)
    names: dict[str, Callable[[], Leaf]] = {"size": lambda: len(data), "type": part.get_content_type}
    if part.get_content_maintype() == "text":
        names["text"] = lambda: text_in(part)
    return PlaceNode("an attachment", names)


def mailbox(content: bytes) -> PlaceNode:
    """The root node of an .mbox. Raises ValueError for other content."""
    found = bounded(letters_of(content), "letters")
    names: dict[str, Callable[[], PlaceNode | Many | Leaf]] = {
        "count": lambda: len(found),
        "letter": lambda: Many("letter", found, letter),
    }
    return PlaceNode("the mailbox", names)


@dataclass(slots=True)
class _Part:
    """A component, such as an event or a card. ``fields``: name and value of each of its own lines."""

    kind: str
    fields: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def all(self, name: str) -> list[str]:
        return [_meant(value) for key, value in self.fields if key == name]

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def raw(self, name: str) -> str:
        return next((value for key, value in self.fields if key == name), "")


def calendar(content: bytes) -> PlaceNode:
    """The root node of an .ics. Raises ValueError for other content."""
    parts = _parts(content, "VCALENDAR")
    events = bounded([part for part in parts if part.kind == "VEVENT"], "events")
    todos = bounded([part for part in parts if part.kind == "VTODO"], "entries")
    names: dict[str, Callable[[], PlaceNode | Many | Leaf]] = {
        "events": lambda: len(events),
        "event": lambda: Many("event", events, _event, lambda part: part.first("SUMMARY")),
        "todos": lambda: len(todos),
        "todo": lambda: Many("entry", todos, _event, lambda part: part.first("SUMMARY")),
    }
    return PlaceNode("the calendar", names)


def _event(part: _Part) -> PlaceNode:
    named = {"summary": "SUMMARY", "location": "LOCATION", "description": "DESCRIPTION", "status": "STATUS", "uid": "UID"}
    return PlaceNode(
        "an event",
        {
            **{name: lambda key=key: part.first(key) for name, key in named.items()},
            "start": lambda: _moment(part.raw("DTSTART")),
            "end": lambda: _moment(part.raw("DTEND")) if part.raw("DTEND") else _after(part),
            "due": lambda: _moment(part.raw("DUE")),
            "repeats": lambda: part.raw("RRULE"),
            "attendees": lambda: lines([value.removeprefix("mailto:") for value in part.all("ATTENDEE")]),
        },
    )


def cards(content: bytes) -> PlaceNode:
    """The root node of a .vcf. Raises ValueError for other content."""
    found = bounded([part for part in _parts(content, "VCARD") if part.kind == "VCARD"], "cards")
    names: dict[str, Callable[[], PlaceNode | Many | Leaf]] = {
        "cards": lambda: len(found),
        "card": lambda: Many("card", found, _card, lambda part: part.first("FN")),
    }
    return PlaceNode("the file", names)


def _card(part: _Part) -> PlaceNode:
    several = {"email": "EMAIL", "phone": "TEL"}

    def several_of(key: str) -> list[str]:
        return [value.removeprefix("tel:") for value in part.all(key)]

    single = {"name": "FN", "organisation": "ORG", "title": "TITLE", "note": "NOTE"}
    return PlaceNode(
        "a card",
        {
            **{name: lambda key=key: part.first(key).rstrip(";") for name, key in single.items()},
            **{name: lambda key=key: Exact(lines(several_of(key))) for name, key in several.items()},
            "address": lambda: ", ".join(piece for piece in part.first("ADR").split(";") if piece),
            "birthday": lambda: _moment(part.raw("BDAY")),
        },
    )


def _parts(content: bytes, outer: str) -> list[_Part]:
    """All components of a calendar or of contact cards, each without the lines of components nested in it."""
    found: list[_Part] = []
    inside: list[_Part] = []
    for line in unfolded(content).splitlines():
        head, _, value = line.partition(":") if '"' not in line else _unquoted(line)
        key = head.partition(";")[0].rpartition(".")[2].strip().upper()
        if key == "BEGIN":
            inside.append(_Part(value.strip().upper()))
            found.append(inside[-1])
        elif key == "END" and inside:
            inside.pop()
        elif inside:
            inside[-1].fields.append((key, value))
    if not found or found[0].kind != outer:
        raise ValueError(f"it does not begin with a {outer.lower()}")
    return found


def _unquoted(line: str) -> tuple[str, str, str]:
    """Split a line at its first colon outside quotation marks."""
    quoted = False
    for at, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        elif character == ":" and not quoted:
            return line[:at], ":", line[at + 1 :]
    return line, "", ""


def _meant(value: str) -> str:
    """A value with its escapes resolved."""
    for written, meant in _ESCAPES:
        value = value.replace(written, meant)
    return value


def _moment(value: str) -> str:
    """A date or time in ISO format, with Z for UTC and otherwise in local time. Other texts are returned unchanged."""
    stamp = value.strip()
    for written, said in (
        ("%Y%m%d", "%Y-%m-%d"),
        ("%Y%m%dT%H%M%S", "%Y-%m-%dT%H:%M:%S"),
        ("%Y%m%dT%H%M%SZ", "%Y-%m-%dT%H:%M:%SZ"),
    ):
        with suppress(ValueError):
            moment = datetime.strptime(stamp, written)
            if moment.strftime(written) == stamp:  # one digit is not enough
                return moment.strftime(said)
    return stamp


def _after(part: _Part) -> str:
    """The end of an event without DTEND: after its duration or, for an all-day event without one, the next day."""
    start, lasts = _moment(part.raw("DTSTART")), _LASTS.fullmatch(part.raw("DURATION").strip())
    if not start:
        return ""
    whole_day = "T" not in start
    if lasts is None or not any(lasts.groups()[1:]):
        return (date.fromisoformat(start) + timedelta(days=1)).isoformat() if whole_day else start
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in lasts.groups()[1:])
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    zone = "Z" if start.endswith("Z") else ""
    end = datetime.fromisoformat(start.removesuffix("Z")) + length
    return end.date().isoformat() if whole_day else end.isoformat() + zone
