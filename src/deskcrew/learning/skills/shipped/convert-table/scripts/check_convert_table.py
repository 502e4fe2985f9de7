import json


def check_convert_table(start, end, source, result):
    before, place = _grid(start / source), end / result
    if result.lower().endswith(".json"):
        entries = json.loads(place.read_text(encoding="utf-8"))
        heads = before[0]
        assert all([*each] == heads for each in entries), "the names are not the headings"
        now = [heads] + [[_cell(each[head]) for head in heads] for each in entries]
    else:
        _, now = _both(start / source, place)
        mark = "\t" if result.lower().endswith(".tsv") else None
        assert mark is None or mark in place.read_text(encoding="utf-8") or len(before[0]) == 1, "there are no tabs"
    if _is_book(result):
        _same_grid(now, _kept(before, result))
    assert now[0] == before[0], f"the heading is {now[0]}"
    assert len(now) == len(before), f"{_counted(len(now) - 1, 'row')}, not {len(before) - 1}"
    for at, head in enumerate(before[0]):
        was, became = [row[at] for row in before[1:]], [row[at] for row in now[1:]]
        code = any(map(_is_code, was))
        alike = [read for read in (_amounts, _days) if not code and was != became and read(was) is not None]
        assert was == became or any(read(was) == read(became) for read in alike), f"{head} is {became}"
    return True, f"{_counted(len(now) - 1, 'row')} with the same values"
