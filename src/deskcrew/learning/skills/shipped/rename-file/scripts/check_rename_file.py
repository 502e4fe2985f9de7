def check_rename_file(start, end, source, name):
    before, now = _tree(start), _tree(end)
    stem, ending = os.path.splitext(name)
    path = stem + (ending or os.path.splitext(source)[1])
    path = path if "/" in name else os.path.join(os.path.dirname(source), path)
    wanted = {each: data for each, data in before.items() if each != source}
    assert path not in wanted, f"{path} was there before"
    assert now == {**wanted, path: before[source]}, f"{path} is not what {source} was, or another file changed"
    return True, f"{source} is now {path}"
