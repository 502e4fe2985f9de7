def check_table_to_contacts(start, end, source, name, mail, phone, organization, result):
    grid = _grid(start / source)
    raw = (end / result).read_bytes().decode()
    assert all(len(line.encode()) <= 75 for line in raw.split("\r\n")), "a line is too long"
    cards = raw.replace("\r\n ", "").split("BEGIN:VCARD\r\n")
    assert cards[0] == "", "it begins with something else"
    rows = [row for row in grid[1:] if row[_place(grid[0], name)].strip()]
    assert len(cards) - 1 == len(rows), f"{_counted(len(cards) - 1, 'contact')}, not {len(rows)}"
    plain = lambda text: re.sub(r"\\(.)", r"\1", text)
    for row, card in zip(rows, cards[1:]):
        lines = card.split("\r\n")
        assert lines[0] == "VERSION:3.0" and lines[-2:] == ["END:VCARD", ""], f"{row} is no contact"
        told = dict(line.split(":", 1) for line in lines[1:-2])
        full = row[_place(grid[0], name)].strip()
        assert plain(told.pop("FN")) == full, f"{full} has another name"
        family, given, *_rest = re.split(r"(?<!\\);", told.pop("N"))
        assert f"{plain(given)} {plain(family)}".split() == full.split() and len(plain(family).split()) == 1, (
            f"{full} is sorted by another name"
        )
        for head, column in (("EMAIL", mail), ("TEL", phone), ("ORG", organization)):
            value = row[_place(grid[0], column)].strip() if column else ""
            assert plain(told.pop(head, "")) == value, f"{full}: {head} is not {value}"
        assert not told, f"{full} says more: {sorted(told)}"
    return True, f"{_counted(len(rows), 'contact')} read back"
