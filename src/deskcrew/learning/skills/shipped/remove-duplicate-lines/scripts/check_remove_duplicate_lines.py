def check_remove_duplicate_lines(start, end, source, result):
    before = _decoded((start / source).read_bytes()).splitlines()
    now = (end / result).read_text(encoding="utf-8").splitlines()
    assert [*dict.fromkeys(line for line in before if line.strip())] == [line for line in now if line.strip()], (
        "the lines are other ones"
    )
    assert sum(not line.strip() for line in before) == sum(not line.strip() for line in now), "empty lines are missing"
    return True, f"{_counted(len(now), 'line')} compared"
