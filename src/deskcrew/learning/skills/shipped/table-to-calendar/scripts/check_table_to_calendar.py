def check_table_to_calendar(start, end, source, title, day, time, minutes, place, result):
    grid = _grid(start / source)
    raw = (end / result).read_bytes().decode()
    lines = raw.replace("\r\n ", "").split("\r\n")
    assert lines[:2] == ["BEGIN:VCALENDAR", "VERSION:2.0"] and lines[-2:] == ["END:VCALENDAR", ""], "it is no calendar"
    assert all(len(line.encode()) <= 75 for line in raw.split("\r\n")), "a line is too long"
    events = "\n".join(lines).split("BEGIN:VEVENT\n")[1:]
    assert len(events) == len(grid) - 1, f"{_counted(len(events), 'event')}, not {len(grid) - 1}"
    uids = [next(line for line in event.split("\n") if line.startswith("UID:")) for event in events]
    assert len({*uids}) == len(uids), "two events have the same id"
    days = _days([row[_place(grid[0], day)] for row in grid[1:]])
    for row, date, event in zip(grid[1:], days, events):
        told = dict(line.split(":", 1) for line in event.split("\n") if ":" in line)
        plain = lambda text: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)
        assert plain(told.pop("SUMMARY")) == row[_place(grid[0], title)], f"{row} has another title"
        where = row[_place(grid[0], place)] if place else ""
        assert plain(told.pop("LOCATION", "")) == where, f"{row} is elsewhere"
        if time:
            hour, minute = map(int, row[_place(grid[0], time)].replace(".", ":").replace("h", ":").split(":")[:2])
            first = datetime.datetime.combine(date, datetime.time(hour, minute))
            ends = [datetime.datetime.strptime(told.pop(name), "%Y%m%dT%H%M%S") for name in ("DTSTART", "DTEND")]
            assert ends[0] == first and (ends[1] - ends[0]).total_seconds() == 60 * (60 if minutes is None else minutes), (
                f"{row}: {ends}"
            )
        else:
            ends = [
                datetime.datetime.strptime(told.pop(f"{name};VALUE=DATE"), "%Y%m%d").date() for name in ("DTSTART", "DTEND")
            ]
            assert ends[0] == date and (ends[1] - ends[0]).days == 1, f"{row}: {ends}"
        assert set(told) <= {"UID", "DTSTAMP", "END"}, f"{row} says more: {sorted(told)}"
    return True, f"{_counted(len(events), 'event')} read back"
