def check_set_duplicates_aside(start, end, folder, aside):
    before, now = _tree(start), _tree(end)
    prefix = "" if folder in (None, "", ".") else f"{os.path.normpath(folder)}/"
    away = os.path.normpath(aside)
    wanted, kept = {}, set()
    for path in sorted(before, key=_padded):
        looked = path.startswith(prefix) and not path.startswith(f"{away}/")
        double = looked and before[path] in kept
        kept |= {before[path]} if looked else set()
        wanted[f"{away}/{path.removeprefix(prefix)}" if double else path] = before[path]
    assert now == wanted, f"{sorted(now.keys() ^ wanted.keys())[:1]} is in the wrong place"
    return True, f"{_counted(len(now.keys() - before.keys()), 'file')} set aside"
