def check_calendar_to_table(start, end, source, result):
    text = _decoded((start / source).read_bytes()).replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "")
    wanted = []
    for block in text.split("BEGIN:VEVENT\n")[1:]:
        told, row = {}, []
        for line in block.split("END:VEVENT")[0].split("\n"):
            head, _, value = line.partition(":")
            told.setdefault(head.split(";")[0], value)
        for name in ("DTSTART", "DTEND", "SUMMARY", "LOCATION", "DESCRIPTION"):
            value = told.get(name, "")
            if name.startswith("DT") and value:
                digits = "".join(filter(str.isdecimal, value))
                zone = " UTC" if value.endswith("Z") else ""
                value = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
                value += f" {digits[8:10]}:{digits[10:12]}{zone}" if len(digits) > 8 else zone
            row.append(
                value.replace("\\n", "\n").replace("\\N", "\n").replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\")
            )
        wanted.append(row)
    now = _grid(end / result)
    assert now[0] == ["start", "end", "title", "place", "notes"][: len(now[0])], f"the heading is {now[0]}"
    told = [row + [""] * (5 - len(row)) for row in now[1:]]
    assert sorted(told) == sorted(wanted), f"{[row for row in told if row not in wanted][:1]} is no event"
    assert [row[0] for row in told] == sorted(row[0] for row in wanted), "they are not in order"
    return True, f"{_counted(len(wanted), 'event')} compared"
