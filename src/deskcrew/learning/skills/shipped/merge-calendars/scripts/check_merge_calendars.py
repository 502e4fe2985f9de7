def check_merge_calendars(start, end, files, result):
    def blocks(data):
        text = _decoded(data).replace("\r\n", "\n")
        found, inside = [], False
        for line in text.replace("\n ", "").replace("\n\t", "").split("\n"):
            begins, ends = (
                line in [f"{word}:{kind}" for kind in ("VEVENT", "VTODO", "VTIMEZONE")] for word in ("BEGIN", "END")
            )
            found += [""] if begins else []
            if inside or begins:
                found[-1] += f"{line}\n"
            inside = (inside or begins) and not ends
        return found

    def key(block):
        told = {}
        for line in block.split("\n"):
            head, _, value = line.partition(":")
            told.setdefault(head.split(";")[0], value)
        ids = ("TZID",) if "BEGIN:VTIMEZONE" in block else ("UID", "RECURRENCE-ID")
        return (*(told.get(name, "") for name in ids), block.split("\n")[0])

    wanted = {}
    for path in _meant(start, files):
        for block in blocks((start / path).read_bytes()):
            named = key(block)
            wanted.setdefault(named if any(named[:-1]) else block, block)
    data = (end / result).read_bytes()
    now = blocks(data)
    assert sorted(now) == sorted(wanted.values()), (
        f"{_counted(len(now), 'entry', 'entries')}, not {len(wanted)}, or one is another"
    )
    assert data.startswith(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") and data.endswith(b"END:VCALENDAR\r\n"), (
        "it is no calendar"
    )
    return True, f"{_counted(len(now), 'entry', 'entries')} compared"
