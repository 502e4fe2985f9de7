def check_collect_files(start, end, files, folder):
    top = os.path.normpath(folder)
    there = [path for path in _meant(start, files) if not path.startswith(f"{top}/")]
    before, now = _tree(start), _tree(end)
    new = {path: data for path, data in now.items() if path not in before}
    assert all(now.get(path) == data for path, data in before.items()), "what was there changed"
    assert len(new) == len(there), f"{_counted(len(new), 'new file')}, not {len(there)}"
    left = dict(new)
    for path in there:
        stem, ending = os.path.splitext(os.path.basename(path))
        fit = [each for each in left if _is_copy(each, f"{top}/{stem}", ending) and left[each] == before[path]]
        assert fit, f"there is no copy of {path}"
        exact = f"{top}/{stem}{ending}"
        del left[exact if exact in fit else sorted(fit, key=_padded)[0]]
    names = {os.path.basename(path) for path in there}
    missing = [
        name for name in names if f"{top}/{name}" not in now and f"{top}/{name.lower()}" not in {p.lower() for p in now}
    ]
    assert not missing, f"{missing[0]} has a number although it needs none"
    for path in new:
        stem, ending = os.path.splitext(path)
        first, _, number = stem.removesuffix(")").rpartition(" (")
        if stem.endswith(")") and number.isdecimal() and os.path.basename(path) not in names:
            one_less = first + (f" ({int(number) - 1})" if number != "2" else "") + ending
            assert one_less.lower() in {p.lower() for p in now}, f"{path} is numbered too high"
    return True, f"{_counted(len(new), 'copy', 'copies')}, byte by byte the same"
