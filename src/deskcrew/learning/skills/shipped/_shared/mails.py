"""Mails, in files of their own or in mailboxes."""

import email
import email.policy
import mailbox
from email.utils import parsedate_to_datetime


def _mails(files):
    """The date, sender, recipients, subject and file of each mail, the oldest first."""
    rows = []
    for each in files:
        if each.suffix.lower() == ".mbox":
            some = [mail.as_bytes() for mail in mailbox.mbox(each, create=False)]
        else:
            some = [each.read_bytes()]
        for data in some:
            mail = email.message_from_bytes(data, policy=email.policy.default)
            try:
                when = f"{parsedate_to_datetime(mail['date']):%Y-%m-%d %H:%M}"
            except (TypeError, ValueError):
                when = ""
            rows.append([when, *(" ".join(str(mail[name] or "").split()) for name in ("from", "to", "subject")), str(each)])
    return sorted(rows, key=lambda row: row[0])
