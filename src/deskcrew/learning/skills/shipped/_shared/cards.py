"""Calendars and contact cards: both are lines ``NAME;PARAMETER=x:VALUE`` between BEGIN and END."""

import quopri
import re
from pathlib import Path


def _lines(path):
    """The lines of a calendar or of contact cards, each whole."""
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252")
    text = text.replace("\r\n", "\n").replace("=\n", "").replace("\n ", "").replace("\n\t", "")
    return [line for line in text.split("\n") if line.strip()]


def _parts(path, kind):
    """Each entry of a kind (VEVENT, VCARD) as its lines, with BEGIN and END."""
    found, open_ = [], None
    for line in _lines(path):
        if line.upper() == f"BEGIN:{kind}":
            open_ = []
        if open_ is not None:
            open_.append(line)
        if line.upper() == f"END:{kind}" and open_ is not None:
            found.append(open_)
            open_ = None
    return found


def _values(part, name):
    """The values of all lines with a name, in plain text."""
    found = []
    for line in part:
        head, colon, value = line.partition(":")
        words = head.upper().split(";")
        if colon and words[0].rpartition(".")[2] == name:
            if "ENCODING=QUOTED-PRINTABLE" in words:
                value = quopri.decodestring(value).decode("utf-8", "replace")
            found.append(re.sub(r"\\([nN,;\\])", lambda mark: "\n" if mark[1] in "nN" else mark[1], value))
    return found


def _first(part, name):
    return next(iter(_values(part, name)), "")


def _events(path):
    """The start, end, title, place and notes of each event of a calendar, and how it repeats; the first of them on top."""
    rows = []
    for part in _parts(path, "VEVENT"):
        moments = [_moment(_first(part, name)) for name in ("DTSTART", "DTEND")]
        rows.append([*moments, *(_first(part, name) for name in ("SUMMARY", "LOCATION", "DESCRIPTION", "RRULE"))])
    return sorted(rows, key=lambda row: row[0])


def _contacts(path):
    """The name, mail addresses, phones, organization and address of each contact."""
    rows = []
    for part in _parts(path, "VCARD"):
        name = _first(part, "FN") or " ".join(filter(None, reversed(_first(part, "N").split(";")[:2])))
        adr = ", ".join(filter(None, (each.strip() for each in _first(part, "ADR").split(";"))))
        org = ", ".join(filter(None, _first(part, "ORG").split(";")))
        rows.append([name, ", ".join(_values(part, "EMAIL")), ", ".join(_values(part, "TEL")), org, adr])
    return rows


def _escaped(text):
    for mark in "\\;,":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("\r\n", "\n").replace("\n", "\\n")


def _folded(line):
    """A line as the standard wants it: at most 75 bytes, the rest on lines that begin with a blank."""
    pieces, piece = [], ""
    for letter in line:
        if len((piece + letter).encode()) > 74:
            pieces.append(piece)
            piece = ""
        piece += letter
    return "\r\n ".join([*pieces, piece])


def _moment(value):
    """A date or time of a calendar as people sort it."""
    found = re.fullmatch(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?", value.strip())
    if not found:
        return value
    year, month, day, hour, minute, zone = found.groups()
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}{' UTC' if zone else ''}" if hour else "")
