"""Messages in the format in which Outlook saves them."""

from __future__ import annotations

import importlib
import io
import mimetypes
from email.message import EmailMessage
from typing import Any

from deskcrew.actions.decoding import decoded


def message_of(content: bytes) -> EmailMessage:
    """A .msg as a mail message. Raises what its library raises."""
    library: Any = importlib.import_module("oxmsg")
    saved: Any = library.Message.load(io.BytesIO(content))
    message = EmailMessage()
    people = ", ".join(f'"{each.name}" <{each.email_address}>' for each in saved.recipients)
    sent = saved.sent_date
    for name, value in (("From", saved.sender), ("To", people), ("Subject", saved.subject)):
        if value:
            message[name] = " ".join(str(value).split())
    if sent is not None:
        message["Date"] = sent
    unread = (
        "" if saved.html_body else "[its text is RTF that is packed, which is not read; in Outlook it can be saved as .eml]"
    )
    message.set_content(saved.body or unread)
    if saved.html_body:
        page = saved.html_body
        message.add_alternative(page if isinstance(page, str) else decoded(page), subtype="html")
    for each in saved.attachments:
        kind = (mimetypes.guess_type(each.file_name or "")[0] or "application/octet-stream").split("/")
        message.add_attachment(each.file_bytes or b"", maintype=kind[0], subtype=kind[1], filename=each.file_name or "")
    return message
