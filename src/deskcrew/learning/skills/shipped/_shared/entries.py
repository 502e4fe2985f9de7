"""What calendars, contacts and mails say, for programs that check what was found in them: read in another way."""

import datetime
import email
import email.header
import email.utils
import quopri


def _told_lines(data, kind):
    """The lines of each entry of a calendar or of contact cards, by their names."""
    text = _decoded(data).replace("\r\n", "\n").replace("=\n", "").replace("\n ", "").replace("\n\t", "")
    lines, found = text.split("\n"), []
    begins = [at for at, line in enumerate(lines) if line.upper() == f"BEGIN:{kind}"]
    for at, after in zip(begins, [*begins[1:], len(lines)]):
        ends = [end for end in range(at, after) if lines[end].upper() == f"END:{kind}"]
        told = {}
        for line in lines[at + 1 : min([*ends, after])]:
            head, _, value = line.partition(":")
            if "QUOTED-PRINTABLE" in head.upper():
                value = quopri.decodestring(value).decode("utf-8", "replace")
            for mark, plain in (("\\n", "\n"), ("\\N", "\n"), ("\\,", ","), ("\\;", ";"), ("\\\\", "\\")):
                value = value.replace(mark, plain)
            told.setdefault(head.split(";")[0].upper().rpartition(".")[2], []).append(value)
        found.append(told)
    return found


def _events_told(data):
    """The start, end, title, place and notes of each event."""
    rows = []
    for told in _told_lines(data, "VEVENT"):
        row = [told.get(name, [""])[0] for name in ("DTSTART", "DTEND", "SUMMARY", "LOCATION", "DESCRIPTION")]
        for at in (0, 1):
            if row[at]:
                digits = "".join(filter(str.isdecimal, row[at]))
                zone = " UTC" if row[at].endswith("Z") else ""
                time = f" {digits[8:10]}:{digits[10:12]}" if len(digits) > 8 else ""
                row[at] = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}{time}{zone}"
        rows.append(row)
    return rows


def _contacts_told(data):
    """The name, mail addresses, phones, organization and address of each contact."""
    rows = []
    for told in _told_lines(data, "VCARD"):
        one = lambda name: told.get(name, [""])[0]
        family, given = ([*one("N").split(";"), ""])[:2]
        parts = [[each.strip() for each in one(name).split(";") if each.strip()] for name in ("ORG", "ADR")]
        listed = [told.get("EMAIL", []), told.get("TEL", []), *parts]
        rows.append([one("FN") or f"{given} {family}".strip(), *(", ".join(each) for each in listed)])
    return rows


def _mails_told(start, files):
    """The date, sender, recipients, subject and file of each mail."""
    rows = []
    for path in _meant(start, files):
        data = (start / path).read_bytes()
        for part in _mails(data) if path.lower().endswith(".mbox") else [data]:
            mail = email.message_from_bytes(part)
            plain = lambda name: " ".join(
                str(email.header.make_header(email.header.decode_header(mail[name] or ""))).split()
            )
            when = email.utils.parsedate(mail["Date"] or "")
            date = "{:04}-{:02}-{:02} {:02}:{:02}".format(*when[:5]) if when else ""
            rows.append([date, plain("From"), plain("To"), plain("Subject"), path])
    return rows


def _speaks(row, text):
    whole, small = " ".join(row).casefold(), "with of the and mit der die das und von con de el la y avec le et"
    words = {*(text or "").casefold().split()} - {*small.split()}
    return not [word for word in words if (word[:-1] if word[-1] == "s" else word) not in whole]


def _same_list(now, head, wanted, newest_first=False):
    """Whether a table has a heading and these rows, in the order of their first cells, but for quotation marks."""
    rows = sorted(wanted, key=lambda row: row[0], reverse=newest_first)
    _same_grid(*([[cell.replace('"', "") for cell in row] for row in some] for some in (now, [head, *rows])))


def _days_of(period):
    """The first and the last day of a period that is told from today; None for one that is not."""
    today, one = datetime.date.today(), datetime.timedelta(1)
    monday, month = today - today.weekday() * one, today.replace(day=1)
    after = (month + 31 * one).replace(day=1)
    names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    if period in names:
        day = monday + names.index(period) * one
        return (day, day) if day >= today else (day + 7 * one, day + 7 * one)
    year = lambda number: (datetime.date(number, 1, 1), datetime.date(number, 12, 31))
    return {
        "today": (today, today),
        "tomorrow": (today + one, today + one),
        "yesterday": (today - one, today - one),
        "last week": (monday - 7 * one, monday - one),
        "this week": (monday, monday + 6 * one),
        "next week": (monday + 7 * one, monday + 13 * one),
        "last month": ((month - one).replace(day=1), month - one),
        "this month": (month, after - one),
        "next month": (after, (after + 31 * one).replace(day=1) - one),
        "last year": year(today.year - 1),
        "this year": year(today.year),
        "next year": year(today.year + 1),
        "past": (datetime.date.min, today - one),
        "coming": (today, datetime.date.max),
    }.get(period)


def _in_period(first, last, period, day):
    """Whether one of the days from the first to the last is in a period and has the digits of ``day``."""
    there = [first + datetime.timedelta(each) for each in range((last - first).days + 1)]
    if found := _days_of(period):
        there = [each for each in there if found[0] <= each <= found[1]]
    elif period != "any time":
        there = [each for each in there if NAMED[each.month - 1] == period[:3]]
    digits = _numbers_in(day or "")
    forms = {1: "%Y" if len(day or "") == 4 else "%d", 2: "%d %m", 3: "%Y %m %d" if digits[:1] > [31] else "%d %m %Y"}
    return any(_numbers_in(each.strftime(forms[len(digits)])) == digits if digits else True for each in there)
