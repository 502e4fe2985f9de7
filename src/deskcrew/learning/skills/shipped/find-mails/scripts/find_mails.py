from datetime import date

PLACES = {"anywhere": slice(1, 4), "sender": slice(1, 2), "recipient": slice(2, 3), "subject": slice(3, 4)}


def find_mails(files: str, text: str, place: str, period: str, day: str, result: str) -> str:
    """Find the mails from or to somebody, about something or of a period, the newest first.

    files: the mails: names or patterns, separated by commas; eml or mbox
    text: a name, an address or words of the subject; any mail if left out
    place: where the text is
    period: when the mail was sent
    day: the day in digits, such as 2026-12-31, or the day of the month, or the year; any if left out
    result: the new table, csv or xlsx
    """

    def sent(when):
        if not when:
            return period == "any time" and not day
        return _is_in(date.fromisoformat(when[:10]), period, day)

    rows = [row for row in _mails(_files(files)) if _has(text, row[PLACES[place]]) and sent(row[0])]
    told = [[row[0], row[1], row[3], row[2], row[4]] for row in rows]
    told.sort(key=lambda row: row[0], reverse=True)
    return _listed(result, ["date", "from", "subject", "to", "file"], told, "mail")
