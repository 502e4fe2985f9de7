def check_combine_text_files(start, end, files, headings, result):
    now = (end / result).read_text(encoding="utf-8")
    paths, wanted = _meant(start, files), []
    for path in paths:
        text = _decoded((start / path).read_bytes()).replace("\r\n", "\n")
        wanted += ([f"## {os.path.basename(path)}", ""] if headings else []) + text.strip("\n").split("\n") + [""]
    assert now.replace("\r\n", "\n").split("\n") == wanted, "a line is another one"
    return True, f"{_counted(len(paths), 'text')}, {_counted(len(wanted), 'line')}"
