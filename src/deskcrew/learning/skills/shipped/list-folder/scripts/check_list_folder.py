def check_list_folder(start, end, folder, result):
    now, there = _grid(end / result), _in(start, folder)
    assert now[0] == ["file", "ending", "bytes"], f"the heading is {now[0]}"
    wanted = {path: [path, os.path.splitext(path)[1].lower()[1:], str(len(data))] for path, data in there.items()}
    assert [row[0] for row in now[1:]] == sorted(there, key=_padded), "the files, or their order, are other ones"
    assert all(row == wanted[row[0]] for row in now[1:]), "a size or an ending is wrong"
    assert not any(type(row[2]) is _Worded for row in now[1:]), "a size is kept as a text"
    return True, f"{_counted(len(wanted), 'file')} compared"
