def check_split_text_file(start, end, source, lines, folder):
    before = _in(start, folder)
    new = {path: data.decode() for path, data in _in(end, folder).items() if path not in before}
    stem, ending = os.path.splitext(os.path.basename(source))
    order = sorted(new, key=_padded)
    assert all(_is_part(each, stem, n, ending) for n, each in enumerate(order, 1)), f"they are {order}"
    whole = _decoded((start / source).read_bytes())
    assert "".join(new[path] for path in order) == whole, "together they are not the text"
    counts = [len(new[path].splitlines()) for path in order]
    assert all(count == lines for count in counts[:-1]) and 0 < counts[-1] <= lines, f"their numbers of lines are {counts}"
    return True, f"{_counted(len(order), 'part')}, together the whole"
