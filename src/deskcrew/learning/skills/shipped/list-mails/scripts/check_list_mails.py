import email
import email.header
import email.utils


def check_list_mails(start, end, files, result):
    wanted = []
    for path in _meant(start, files):
        data = (start / path).read_bytes()
        parts = _mails(data) if path.lower().endswith(".mbox") else [data]
        for part in parts:
            mail = email.message_from_bytes(part)
            plain = lambda name: " ".join(
                str(email.header.make_header(email.header.decode_header(mail[name] or ""))).split()
            )
            when = email.utils.parsedate(mail["Date"] or "")
            date = "{:04}-{:02}-{:02} {:02}:{:02}".format(*when[:5]) if when else ""
            wanted.append([date, plain("From"), plain("To"), plain("Subject"), path])
    now = _grid(end / result)
    assert now[0] == ["date", "from", "to", "subject", "file"], f"the heading is {now[0]}"
    unquoted = lambda rows: sorted([cell.replace('"', "") for cell in row] for row in rows)
    assert unquoted(now[1:]) == unquoted(wanted), f"{[row for row in now[1:] if row not in wanted][:1]}"
    assert [row[0] for row in now[1:]] == sorted(row[0] for row in wanted), "they are not in order"
    return True, f"{_counted(len(wanted), 'mail')} read again"
