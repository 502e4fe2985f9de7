import zipfile


def check_zip_files(start, end, files, result):
    there, wanted = _tree(start), {}
    for part in [files] if (start / files).exists() else _apart(files):
        top = os.path.normpath(part.strip() or "-")
        if (start / top).is_dir():
            wanted |= {path: data for path, data in there.items() if top == "." or path.startswith(f"{top}/")}
        else:
            wanted |= {path: there[path] for path in _meant(start, part)}
    with zipfile.ZipFile(end / result) as opened:
        names = opened.namelist()
        assert sorted(names) == sorted(wanted), f"it holds {sorted(names)}"
        assert all(opened.read(name) == wanted[name] for name in names), "a file in it is another one"
    _same_but(start, end, result)
    return True, f"{_counted(len(wanted), 'file')} unpacked and compared"
