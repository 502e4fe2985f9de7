import csv
import email
import email.policy
import mailbox
from email.utils import parsedate_to_datetime


def list_mails(files: str, result: str) -> str:
    """List mails in a table, with date, sender, recipients and subject, the oldest first.

    files: the mails: names or patterns, separated by commas; eml or mbox
    result: the new table, csv
    """
    rows = []
    for each in _files(files):
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
    rows.sort(key=lambda row: row[0])
    with _free(result).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["date", "from", "to", "subject", "file"], *rows])
    return f"{_counted(len(rows), 'mail')} listed in {result}"
