import datetime


def check_find_mails(start, end, files, text, place, result, **when):
    def meant(row):
        parts = {"sender": row[1:2], "recipient": row[2:3], "subject": row[3:4]}.get(place, row[1:4])
        if not row[0]:
            return _speaks(parts, text) and when["period"] == "any time" and not when["day"]
        sent = datetime.date(*map(int, row[0][:10].split("-")))
        return _speaks(parts, text) and _in_period(sent, sent, **when)

    there = _mails_told(start, files)
    wanted = [[row[0], row[1], row[3], row[2], row[4]] for row in there if meant(row)]
    _same_list(_grid(end / result), ["date", "from", "subject", "to", "file"], wanted, newest_first=True)
    return True, f"{len(wanted)} of {_counted(len(there), 'mail')}"
