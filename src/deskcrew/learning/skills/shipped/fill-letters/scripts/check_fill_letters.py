def check_fill_letters(start, end, template, table, name, folder):
    def texts(path):
        raw = raw_parts(path)
        names = sorted(key for key in raw if key.startswith(("word/document", "word/header", "word/footer")))
        trees = [ElementTree.fromstring(raw[key]) for key in names if key.endswith(".xml")]
        blocks = [each for tree in trees for each in tree.iter() if each.tag.endswith("main}p")]
        return ["".join(each.text or "" for each in block.iter() if each.tag.endswith("main}t")) for block in blocks]

    grid, before = _grid(start / table), texts(start / template)
    at = _place(grid[0], name)
    old = {each.name for each in (start / folder).glob("*")}
    new = {each.name for each in (end / folder).glob("*.docx")} - old
    called = lambda row: "".join("_" if mark in '\\/:*?"<>|' else mark for mark in row[at].strip()) + ".docx"
    assert new == {called(row) for row in grid[1:]}, f"the letters are {sorted(new)}"
    for row in grid[1:]:
        wanted = before
        for head, value in zip(grid[0], row):
            wanted = [value.join(text.split("{{" + head.strip() + "}}")) for text in wanted]
        now = texts(end / folder / called(row))
        assert now == wanted, f"{called(row)} says {[each for each in now if each not in wanted][:1]}"
        assert not any("{{" in text for text in now), f"{called(row)} has a gap"
    return True, f"{_counted(len(new), 'letter')} compared with the table"
