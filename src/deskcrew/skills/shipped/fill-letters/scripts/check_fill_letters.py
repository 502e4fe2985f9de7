def check_fill_letters(start, end, template, table, name, folder):
    def texts(path):
        raw = {
            key: value
            for key, value in raw_parts(path).items()
            if re.match(r"word/(document|header\d*|footer\d*)\.xml", key)
        }
        blocks = [block for key in sorted(raw) for block in re.findall(r"<w:p[ >].*?</w:p>", raw[key], re.S)]
        return ["".join(re.findall(r"<w:t(?: [^>]*)?>([^<]*)</w:t>", block)) for block in blocks]

    grid, before = _grid(start / table), texts(start / template)
    at = _place(grid[0], name)
    old = {each.name for each in (start / folder).glob("*")}
    new = {each.name for each in (end / folder).glob("*.docx")} - old
    called = lambda row: "".join("_" if mark in '\\/:*?"<>|' else mark for mark in row[at].strip()) + ".docx"
    assert new == {called(row) for row in grid[1:]}, f"the letters are {sorted(new)}"
    for row in grid[1:]:
        wanted = before
        for head, value in zip(grid[0], row):
            value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            wanted = [value.join(text.split("{{" + head.strip() + "}}")) for text in wanted]
        now = texts(end / folder / called(row))
        assert now == wanted, f"{called(row)} says {[each for each in now if each not in wanted][:1]}"
        assert not any("{{" in text for text in now), f"{called(row)} has a gap"
    return True, f"{len(new)} letters compared with the table"
