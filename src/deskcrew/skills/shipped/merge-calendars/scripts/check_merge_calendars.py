def check_merge_calendars(start, end, files, result):
    def blocks(data):
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        text = text.replace("\n ", "").replace("\n\t", "")
        return re.findall(r"^BEGIN:(?:VEVENT|VTODO|VTIMEZONE)\n.*?^END:(?:VEVENT|VTODO|VTIMEZONE)\n", text, re.M | re.S)

    def key(block):
        ids = [re.search(rf"^{name}[^:\n]*:(.*)$", block, re.M) for name in ("UID", "RECURRENCE-ID", "TZID")]
        return (
            *tuple(hit[1] if hit else "" for hit in (ids[:2] if "BEGIN:VTIMEZONE" not in block else ids[2:])),
            block.split("\n")[0],
        )

    wanted = {}
    for path in _meant(start, files):
        for block in blocks((start / path).read_bytes()):
            named = key(block)
            wanted.setdefault(named if any(named[:-1]) else block, block)
    data = (end / result).read_bytes()
    now = blocks(data)
    assert sorted(now) == sorted(wanted.values()), f"{len(now)} entries, not {len(wanted)}, or one is another"
    assert data.startswith(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") and data.endswith(b"END:VCALENDAR\r\n"), (
        "it is no calendar"
    )
    return True, f"{len(now)} entries"
