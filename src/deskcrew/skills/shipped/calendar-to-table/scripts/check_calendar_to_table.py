def check_calendar_to_table(start, end, source, result):
    text = _decoded((start / source).read_bytes()).replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "")
    wanted = []
    for block in text.split("BEGIN:VEVENT\n")[1:]:
        block = block.split("END:VEVENT")[0]
        row = []
        for name in ("DTSTART", "DTEND", "SUMMARY", "LOCATION", "DESCRIPTION"):
            hit = re.search(rf"^{name}(?:;[^:\n]*)?:(.*)$", block, re.M)
            value = hit[1] if hit else ""
            if name.startswith("DT") and value:
                digits = re.findall(r"\d", value)
                value = "".join(digits[:4]) + "-" + "".join(digits[4:6]) + "-" + "".join(digits[6:8])
                value += f" {''.join(digits[8:10])}:{''.join(digits[10:12])}" if len(digits) > 8 else ""
                value += " UTC" if hit[1].endswith("Z") else ""
            row.append(
                value.replace("\\n", "\n").replace("\\N", "\n").replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\")
            )
        wanted.append(row)
    now = _grid(end / result)
    assert now[0] == ["start", "end", "title", "place", "notes"][: len(now[0])], f"the heading is {now[0]}"
    told = [row + [""] * (5 - len(row)) for row in now[1:]]
    assert sorted(told) == sorted(wanted), f"{[row for row in told if row not in wanted][:1]} is no event"
    assert [row[0] for row in told] == sorted(row[0] for row in wanted), "they are not in order"
    return True, f"{len(wanted)} events"
