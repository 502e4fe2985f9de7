"""Mail messages, mailboxes, calendars and contact cards, without their encodings."""

from __future__ import annotations

import base64
import email
import email.policy
import quopri
import re
from collections.abc import Iterator
from email.message import EmailMessage

from deskcrew.actions import documents
from deskcrew.actions.decoding import decoded
from deskcrew.actions.sections import Note, Section, noted
from deskcrew.facts.legible import counted, one_line
from deskcrew.facts.texts import folded

MOST_LETTER = 64 << 20
"""The largest message that is parsed, in bytes."""
LONGEST_HEADER = 20_000
"""The longest header that is parsed, in characters: parsing takes quadratic time."""
MOST_LETTERS = 50_000
"""Maximum number of messages in a mailbox."""
_HEADERS = ("from", "to", "cc", "bcc", "reply-to", "date", "subject")
_OF_PROGRAMS = ("content-", "mime-")
_DEEPEST = 20
"""Maximum depth of messages within messages that are read."""
_BETWEEN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\d:\d\d[^\n]*\n")
"""The line before each message in a mailbox. Other lines that begin with "From" contain no time."""
_PACKED = re.compile(r"^([\w.;-]+):: *([\w+/=]+)$", re.MULTILINE)
"""A value in base64."""
_FOLDED = ("\r\n ", "\r\n\t", "\n ", "\n\t")
"""Line breaks after which the line is continued."""
_QUOTED = ";ENCODING=QUOTED-PRINTABLE"
_SOFT = re.compile(rf"^[^:\n]*{_QUOTED}[^:\n]*:(?:[^\n]*=\r?\n)+", re.IGNORECASE | re.MULTILINE)
"""Lines that are continued after a = at their end."""


def message_of(content: bytes) -> EmailMessage:
    """A parsed message. Raises ValueError if it is too large, or has none of a message's headers."""
    if len(content) > MOST_LETTER:
        raise ValueError(f"messages of more than {MOST_LETTER >> 20} MiB are not read")
    message = email.message_from_bytes(content, policy=email.policy.default)
    if any(len(value) > LONGEST_HEADER for part in message.walk() for _, value in part.raw_items()):
        raise ValueError(f"it has a header of more than {LONGEST_HEADER} characters")
    if not any(message.get(name) for name in ("from", "to", "subject", "date")):
        raise ValueError("it has none of a message's headers")
    return message


def of_apple(content: bytes) -> EmailMessage:
    """The message in an .emlx, whose length is in the first line. Raises ValueError, as :func:`message_of` does."""
    length, _, message = content.partition(b"\n")
    return message_of(message[: int(length)])


def header(message: EmailMessage, name: str) -> str:
    return "\n".join(str(value) for value in message.get_all(name, []))


def body_of(message: EmailMessage) -> str:
    """The text of a message: its plain text or, if it has none, its web page as text."""
    part = message.get_body(("plain", "html"))
    return _said(part) if isinstance(part, EmailMessage) else ""


def attached_to(message: EmailMessage) -> list[EmailMessage]:
    """The parts of a message besides its text, including nested parts, and messages in it as a whole."""
    said = [message.get_body((kind,)) for kind in ("plain", "html")]
    return [part for part in _leaves(message) if not any(part is each for each in said)]


def _leaves(part: EmailMessage) -> Iterator[EmailMessage]:
    if part.is_multipart() and part.get_content_maintype() != "message":
        for each in part.iter_parts():
            if isinstance(each, EmailMessage):
                yield from _leaves(each)
    else:
        yield part


def name_of(part: EmailMessage) -> str:
    """The name of an attachment; for an attached message without one, its subject."""
    inner = _message_in(part)
    return part.get_filename() or (header(inner, "subject") if inner is not None else "")


def data_of(part: EmailMessage) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def text_in(part: EmailMessage) -> str:
    """The text of a part, in any encoding."""
    return decoded(data_of(part), part.get_content_charset() or "")


def _said(part: EmailMessage) -> str:
    text = text_in(part)
    if part.get_content_subtype() == "html":
        return "\n".join(line for section in documents.web_page(text) for line in section.lines)
    return text


def _message_in(part: EmailMessage) -> EmailMessage | None:
    inner = part.iter_parts() if part.get_content_type() == "message/rfc822" else iter(())
    return next((each for each in inner if isinstance(each, EmailMessage)), None)


def letter(content: bytes) -> Iterator[Section]:
    """A message: its headers, its text, and the messages in it; then its attachments."""
    return told(message_of(content))


def told(message: EmailMessage) -> Iterator[Section]:
    """The sections of a parsed message, as in :func:`letter`."""
    yield Section("text", "", _letter_lines(message))
    yield noted(_attachments(message))


def mailbox(content: bytes) -> Iterator[Section]:
    """The messages of a mailbox, in order."""
    for number, each in enumerate(letters_of(content), start=1):
        yield Section("letter", str(number), _lines_of(each))


def letters_of(content: bytes) -> list[bytes]:
    """The messages of a mailbox. Raises ValueError for other content."""
    if not content.startswith(b"From ") and content.strip():
        raise ValueError("it is not a mailbox")
    found = _BETWEEN.split(content)[1:]
    if len(found) > MOST_LETTERS:
        raise ValueError(f"it has more than {MOST_LETTERS} messages")
    return found


def _lines_of(content: bytes) -> Iterator[str]:
    try:
        message = message_of(content)
    except ValueError:
        yield from decoded(content).splitlines()
        return
    yield from _letter_lines(message)
    yield from noted(_attachments(message)).lines


def _letter_lines(message: EmailMessage, depth: int = 0) -> Iterator[str]:
    for name in _HEADERS:
        if said := " ".join(header(message, name).split()):
            yield f"{name.title()}: {said}"
    names = dict.fromkeys(map(str.lower, message.keys()))
    if rest := [name for name in names if name not in _HEADERS and not name.startswith(_OF_PROGRAMS)]:
        yield f"[not shown: {counted(len(rest), 'header')}, {one_line(', '.join(rest))}]"
    yield ""
    yield from body_of(message).splitlines()
    yield from _only_in_page(message)
    for part in attached_to(message):
        if (inner := _message_in(part)) is not None and depth < _DEEPEST:
            yield "[a message in it]"
            yield from _letter_lines(inner, depth + 1)


def _only_in_page(message: EmailMessage) -> Iterator[str]:
    """What the HTML version of a message says that its plain text does not."""
    plain, page = message.get_body(("plain",)), message.get_body(("html",))
    if isinstance(plain, EmailMessage) and isinstance(page, EmailMessage):
        said = folded(_said(plain))
        lines = _said(page).splitlines()
        if more := [
            line
            for line in lines
            if any(folded(part) not in said for part in line.replace(" <", "<").replace(">", "<").split("<"))
        ]:
            yield "[only in its HTML part]"
            yield from more


def _attachments(message: EmailMessage) -> Iterator[Note]:
    for part in attached_to(message):
        inner = _message_in(part)
        if inner is not None:
            yield from _attachments(inner)
        else:
            yield Note("attachment", name_of(part), f"{part.get_content_type()}, {len(data_of(part))} bytes")


def calendar(content: bytes) -> Iterator[Section]:
    """A calendar, or contact cards: each field on one line, without the encodings of commas and letters."""
    lines = unfolded(content).splitlines()
    yield Section("text", "", (line.replace("\\,", ",").replace("\\;", ";") for line in lines))


def address_book(text: str) -> Iterator[Section]:
    """Entries of a directory (LDIF): each value on one line, decoded if it is text."""
    joined = text.replace("\r\n", "\n").replace("\n ", "")
    yield Section("text", "", iter(_PACKED.sub(_unpacked, joined).splitlines()))


def _unpacked(match: re.Match[str]) -> str:
    try:
        return f"{match[1]}: {base64.b64decode(match[2]).decode()}"
    except ValueError:  # a picture, say
        return match[0]


def unfolded(content: bytes) -> str:
    """A calendar, or contact cards, with each field on one line, and quoted-printable decoded."""
    text = _SOFT.sub(lambda match: match[0].replace("=\r\n", "").replace("=\n", ""), decoded(content))
    for fold in _FOLDED:
        text = text.replace(fold, "")
    if _QUOTED not in text.upper():
        return text
    return "\n".join(_unquoted(line) for line in text.splitlines())


def _unquoted(line: str) -> str:
    head, mark, value = line.partition(":")
    at = head.upper().find(_QUOTED)
    if at < 0:
        return line
    given = next((part[8:] for part in head.split(";") if part.upper().startswith("CHARSET=")), "")
    text = decoded(quopri.decodestring(value.encode()), given)
    return f"{head[:at]}{head[at + len(_QUOTED) :]}{mark}" + text.replace("\r\n", "\n").replace("\n", "\\n")
