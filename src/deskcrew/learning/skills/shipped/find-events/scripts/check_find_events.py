import datetime


def check_find_events(start, end, files, text, period, day, result):
    there = [row for path in _meant(start, files) for row in _events_told((start / path).read_bytes())]
    wanted = [row[:4] for row in there if _speaks(row[2:], text) and _is_then(row, period, day)]
    _same_list(_grid(end / result), ["start", "end", "title", "place"], wanted, newest_first=period == "past")
    return True, f"{len(wanted)} of {_counted(len(there), 'event')}"


def _is_then(row, period, day):
    begin, until = row[0], row[1] or row[0]
    digits = [_numbers_in(each.replace("-", " "))[:3] for each in (begin[:10], until[:10])]
    if [*map(len, digits)] != [3, 3]:
        return period == "any time" and not day
    first, last = (datetime.date(*each) for each in digits)
    over = len(row[1]) == 10 or row[1].endswith(" 00:00")
    return _in_period(first, max(first, last - datetime.timedelta(1) if over else last), period, day)
