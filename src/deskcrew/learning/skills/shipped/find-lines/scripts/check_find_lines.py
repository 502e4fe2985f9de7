import zipfile


def check_find_lines(start, end, files, find, result):
    said = (end / result).read_text(encoding="utf-8").split("\n")[:-1]
    wanted = []
    for path in _meant(start, files):
        place = start / path
        if path.lower().endswith((".docx", ".odt")):
            name = "word/document.xml" if path.lower().endswith("x") else "content.xml"
            lines = _document_text(zipfile.ZipFile(place).read(name)).split("\n")
            told = [
                line.rpartition(": ")[2] if ": " not in find else line for line in said if line.startswith(f"{path}, line ")
            ]
            assert len(told) == sum(find.lower() in line.lower() for line in lines), f"{path} has other lines"
            wanted += [line for line in said if line.startswith(f"{path}, line ")]
            continue
        if path.lower().endswith(".pdf"):
            import pypdf

            text = "\n\n".join(page.extract_text() for page in pypdf.PdfReader(place).pages)
        else:
            text = _decoded(place.read_bytes())
        for number, line in enumerate(text.splitlines()):
            if find.lower() in line.lower():
                wanted.append(f"{path}, line {number + 1}: {line.strip()}")
    assert said == (wanted or ["nothing found"]), f"it says {said[:3]}"
    return True, f"{_counted(len(wanted), 'line')} compared"
