def check_number_files(start, end, folder, files, first):
    before, now = _in(start, folder, deep=False), _in(end, folder, deep=False)
    some = sorted({name for part in _apart(files or "*") for name in fnmatch.filter(before, part.strip())}, key=_padded)
    others = {name: data for name, data in before.items() if name not in some}
    numbered = {name: data for name, data in now.items() if others.get(name) != data}
    parts = {name: name.partition(" ") for name in numbered}
    wrong = [name for name, (number, *_) in parts.items() if not number.isdecimal() or len(number) < 2]
    assert not wrong, f"{wrong[:1]} has no number"
    order = sorted(numbered, key=lambda name: int(parts[name][0]))
    assert [parts[name][2] for name in order] == some, f"they are {order}"
    begin = 1 if first is None else first
    assert [int(parts[name][0]) for name in order] == list(range(begin, begin + len(some))), "the numbers are other ones"
    assert len({len(parts[name][0]) for name in order}) == 1, "the numbers are not equally long"
    assert all(now[name] == before[parts[name][2]] for name in order), "a file is another one"
    assert all(now.get(name) == data for name, data in others.items()), "another file changed"
    return True, f"from {order[0]} to {order[-1]}"
